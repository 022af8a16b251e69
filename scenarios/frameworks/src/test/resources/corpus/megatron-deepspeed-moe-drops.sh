#!/bin/bash
# A mixture of 128 experts with the default capacity.
torchrun --nnodes 8 --nproc_per_node 8 pretrain_gpt.py --disable-bias-linear --seq-length 2048 --max-position-embeddings 2048 --num-layers 24 --hidden-size 2048 \
  --num-attention-heads 16 --ffn-hidden-size 5504 --swiglu --normalization rmsnorm --use-rotary-position-embeddings --untie-embeddings-and-output-weights \
  --micro-batch-size 4 --global-batch-size 512 --bf16 --vocab-size 50257 --attention-dropout 0 --hidden-dropout 0 --deepspeed --zero-stage 1 \
  --num-experts 128 --topk 2 --moe-expert-parallel-size 16 --mlp-type standard
