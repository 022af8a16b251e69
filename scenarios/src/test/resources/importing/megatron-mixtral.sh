#!/bin/bash
# Facts of NVIDIA/Megatron-LM d98e8a64, examples/mixtral/train_mixtral_8x7b_distributed.sh, written anew.
torchrun pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --num-experts 8 --micro-batch-size 1
