#!/bin/bash
# Facts of deepspeedai/Megatron-DeepSpeed, examples/pretrain_gpt_distributed_with_mp.sh, written anew.
GPUS=8; NNODES=1; WORLD=$(($GPUS*$NNODES))
GPT_ARGS="--num-layers 24 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 --max-position-embeddings 1024
  --micro-batch-size 4 --global-batch-size $((WORLD*2)) --lr 0.00015 --train-iters 500000 --lr-warmup-fraction .01 --fp16"
torchrun --nproc_per_node $GPUS --nnodes $NNODES pretrain_gpt.py --tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 --sequence-parallel \
    $GPT_ARGS --data-path $DATA_PATH --vocab-file gpt2-vocab.json --merge-file gpt2-merges.txt --tokenizer-type GPT2BPETokenizer --split 949,50,1 --distributed-backend nccl
