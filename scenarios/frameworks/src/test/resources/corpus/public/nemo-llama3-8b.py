trainer = run.Config(
    nl.Trainer,
    devices=8,
    num_nodes=1,
    accumulate_grad_batches=1,
    strategy=run.Config(
        nl.MegatronStrategy,
        tensor_model_parallel_size=1,
        pipeline_model_parallel_size=1,
        virtual_pipeline_model_parallel_size=None,
        context_parallel_size=2,
        sequence_parallel=False,
    ),
)
data = run.Config(MockDataModule, seq_length=8192, global_batch_size=512, micro_batch_size=1)
model = run.Config(LlamaModel, config=run.Config(Llama3Config8B))
