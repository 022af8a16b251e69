#!/bin/bash
# Facts of NVIDIA/Megatron-LM d98e8a64, examples/bert/train_bert_340m_distributed.sh, written anew; its tokenizer has 30,522 words.
torchrun --nproc_per_node 8 --nnodes 1 pretrain_bert.py --num-layers 24 --hidden-size 1024 --num-attention-heads 16 --seq-length 512 --max-position-embeddings 512 \
  --micro-batch-size 4 --global-batch-size 32 --train-iters 1000000 --weight-decay 1e-2 --clip-grad 1.0 --fp16 --lr 0.0001 --vocab-size 30522 \
  --tensor-model-parallel-size 1 --pipeline-model-parallel-size 1 --attention-backend auto
