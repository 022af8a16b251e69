#!/bin/bash
mpiexec --allow-run-as-root -np 8 --bind-to socket python /workspace/bert/run_pretraining.py --train_batch_size=64 \
    --max_seq_length=128 --num_accumulation_steps=128 --horovod --amp --allreduce_post_accumulation=True
