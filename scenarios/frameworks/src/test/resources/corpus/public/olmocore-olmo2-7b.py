SEQUENCE_LENGTH = 4096
GLOBAL_BATCH_SIZE = 1024 * SEQUENCE_LENGTH
train_module = TransformerTrainModuleConfig(
    rank_microbatch_size=2 * 4096,
    max_sequence_length=4096,
    compile_model=True,
    dp_config=TransformerDataParallelConfig(
        name=DataParallelType.hsdp, param_dtype=DType.bfloat16, reduce_dtype=DType.float32
    ),
    float8_config=Float8Config(enabled=False),
    max_grad_norm=1.0,
)
model = TransformerConfig.olmo2_7B(vocab_size=100352)
