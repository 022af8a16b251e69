train_module = TransformerTrainModuleConfig(
    rank_microbatch_size=4 * 4096,
    max_sequence_length=4096,
    dp_config=TransformerDataParallelConfig(name=DataParallelType.hsdp, num_replicas=get_world_size() // 64),
    ac_config=TransformerActivationCheckpointingConfig(mode="selected_modules"),
    max_grad_norm=1.0,
)
data_loader = NumpyDataLoaderConfig(global_batch_size=2048 * 4096, num_workers=4)
model = TransformerConfig.olmo2_32B(vocab_size=100352)
