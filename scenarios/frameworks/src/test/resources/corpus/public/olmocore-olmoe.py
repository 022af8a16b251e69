train_module = TransformerTrainModuleConfig(
    rank_microbatch_size=2 * 4096,
    max_sequence_length=4096,
    compile_model=True,
    dp_config=TransformerDataParallelConfig(name=DataParallelType.hsdp, wrapping_strategy="full"),
)
model = TransformerConfig.olmoe_1B_7B(vocab_size=100352)
