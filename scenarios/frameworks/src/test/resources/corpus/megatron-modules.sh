#!/bin/bash
# The Mixtral script with modules that are recomputed, a capacity of experts, and experts that tensor parallelism also splits.
torchrun --nnodes 4 --nproc_per_node 8 pretrain_gpt.py --disable-bias-linear --seq-length 4096 --max-position-embeddings 32768 --num-layers 32 --hidden-size 4096 \
  --ffn-hidden-size 14336 --num-attention-heads 32 --swiglu --normalization RMSNorm --position-embedding-type rope --no-position-embedding \
  --untie-embeddings-and-output-weights --group-query-attention --num-query-groups 8 --attention-dropout 0.0 --hidden-dropout 0.0 \
  --num-experts 8 --moe-router-topk 2 --moe-grouped-gemm --moe-token-dispatcher-type alltoall --moe-expert-capacity-factor 1.25 --moe-pad-expert-input-to-capacity \
  --recompute-granularity selective --recompute-modules moe_act layernorm \
  --overlap-param-gather --overlap-grad-reduce --micro-batch-size 1 --global-batch-size 256 --bf16 --vocab-size 32000 \
  --tensor-model-parallel-size 2 --sequence-parallel --pipeline-model-parallel-size 4 --expert-model-parallel-size 4 --use-distributed-optimizer
