# Facts of the Amazon SageMaker developer guide, Sharded Data Parallelism, written anew.
smp_options = {
    "enabled": True,
    "parameters": {
        # Required
        "pipeline_parallel_degree": 1,
        "ddp": True,
        "ddp_dist_backend": "auto",
        "sharded_data_parallel_degree": 128,
        "sdp_reduce_bucket_size": int(5e8),
        "sdp_param_persistence_threshold": int(1e6),
        "sdp_max_live_parameters": int(1e9),
        "sdp_hierarchical_allgather": True,
        "sdp_gradient_clipping": 1.0,
    },
}
distribution = {"smdistributed": {"modelparallel": smp_options}, "mpi": {"enabled": True, "processes_per_host": 8}}
