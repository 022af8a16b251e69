#!/bin/bash
# Facts of NVIDIA/Megatron-LM d98e8a64, examples/mixtral/train_mixtral_8x7b_distributed.sh, written anew; its tokenizer has 32,000 words.
torchrun --nnodes 4 --nproc_per_node 8 pretrain_gpt.py --disable-bias-linear --seq-length 4096 --max-position-embeddings 32768 --num-layers 32 --hidden-size 4096 \
  --ffn-hidden-size 14336 --num-attention-heads 32 --swiglu --normalization RMSNorm --position-embedding-type rope --no-position-embedding \
  --untie-embeddings-and-output-weights --group-query-attention --num-query-groups 8 --attention-dropout 0.0 --hidden-dropout 0.0 --rotary-base 1000000 \
  --num-experts 8 --moe-router-topk 2 --moe-router-load-balancing-type aux_loss --moe-aux-loss-coeff 1e-2 --moe-grouped-gemm --moe-token-dispatcher-type alltoall \
  --overlap-param-gather --overlap-grad-reduce --micro-batch-size 1 --global-batch-size 256 --lr 1e-4 --bf16 --vocab-size 32000 \
  --tensor-model-parallel-size 1 --pipeline-model-parallel-size 4 --expert-model-parallel-size 8 --use-distributed-optimizer --sequence-parallel
