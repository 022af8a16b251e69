#!/bin/bash
# Facts of NVIDIA/Megatron-LM d98e8a64, examples/llama/train_llama3_8b_h100_fp8.sh, written anew.
export CUDA_DEVICE_MAX_CONNECTIONS=1
SEQ=8192
run=(--nproc_per_node 8 --nnodes ${NUM_NODES:-1} --node_rank ${NODE_RANK:-0} --master_addr ${MASTER_ADDR:-localhost})
model=( --num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 # heads
  --group-query-attention --num-query-groups 8 --kv-channels 128
  --seq-length $SEQ --max-position-embeddings $SEQ --position-embedding-type rope --rotary-base 1000000
  --attention-dropout 0.0 --hidden-dropout 0.0 --swiglu --normalization RMSNorm --attention-backend fused
  --untie-embeddings-and-output-weights --disable-bias-linear )
train=" --micro-batch-size 1 --global-batch-size 128 --lr 0.00015 --clip-grad 1.0 --bf16 --grad-reduce-in-bf16
  --cross-entropy-loss-fusion --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather "
fp8=""
if [ "$DTYPE" = fp8 ]; then fp8="$fp8 --fp8-format hybrid --fp8-param-gather"; fi
torchrun "${run[@]}" pretrain_gpt.py "${model[@]}" $train $fp8 \
  --tensor-model-parallel-size 1 --context-parallel-size 2 --sequence-parallel --vocab-size 128256 --tokenizer-type NullTokenizer --mock-data 2>&1 | tee log
