SEQUENCE_LENGTH = 8 * 1024
GLOBAL_BATCH_SIZE = 8 * 1024 * 1024
train_module = TransformerTrainModuleConfig(
    rank_microbatch_size=SEQUENCE_LENGTH,
    compile_model=True,
    dp_config=TransformerDataParallelConfig(name=DataParallelType.hsdp, shard_degree=64),
    ac_config=TransformerActivationCheckpointingConfig(mode="budget", activation_memory_budget=0.5),
)
model = TransformerConfig.olmo3_32B(vocab_size=100352)
