train_module = TransformerTrainModuleConfig(
    rank_microbatch_size=2 * 4096,
    max_sequence_length=4096,
    compile_model=True,
    dp_config=TransformerDataParallelConfig(name=DataParallelType.hsdp, param_dtype=DType.bfloat16),
    max_grad_norm=1.0,
)
model = TransformerConfig.llama3_8B(vocab_size=100352)
