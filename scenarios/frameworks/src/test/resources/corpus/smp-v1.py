# Facts of aws/sagemaker-python-sdk, doc/api/training/smd_model_parallel_general.rst, written anew.
options = {"enabled": True, "parameters": {
    "microbatches": 4, "placement_strategy": "spread", "pipeline": "interleaved", "optimize": "speed",
    "partitions": 2, "ddp": True}}
estimator = PyTorch(
    entry_point='train.py', role=role, framework_version='1.6.0', py_version='py3',
    instance_type='ml.p3dn.24xlarge', instance_count=1,
    distribution={
        "smdistributed": {"modelparallel": options},
        "mpi": {"enabled": True, "processes_per_host": 8, "custom_mpi_options": "--mca btl_vader_single_copy_mechanism none "}})
