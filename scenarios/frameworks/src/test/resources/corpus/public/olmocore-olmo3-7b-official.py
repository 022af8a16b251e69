GLOBAL_BATCH_SIZE = 8192 * 512
data_loader_config = NumpyDataLoaderConfig(global_batch_size=GLOBAL_BATCH_SIZE, seed=34521, num_workers=8)
train_module_config = TransformerTrainModuleConfig(
    rank_microbatch_size=2 * 8192,
    max_sequence_length=8192,
    compile_model=True,
    dp_config=TransformerDataParallelConfig(name=DataParallelType.hsdp, wrapping_strategy="blocks"),
    max_grad_norm=1.0,
)
model_config = TransformerConfig.olmo3_7B(vocab_size=100352)
