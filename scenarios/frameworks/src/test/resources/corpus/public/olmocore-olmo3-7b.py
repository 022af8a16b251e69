train_module = TransformerTrainModuleConfig(
    rank_microbatch_size=8192,
    max_sequence_length=8192,
    compile_model=True,
    dp_config=TransformerDataParallelConfig(name=DataParallelType.hsdp),
)
model = TransformerConfig.olmo3_7B(vocab_size=100352)
