#!/usr/bin/env bash
set -exuo pipefail
IFS=$'\n\t'
BEAKER_LEADER_REPLICA_HOSTNAME=$1
shift
NUM_NODES=$1
shift
BEAKER_REPLICA_RANK=$1
shift
printenv AWS_CONFIG > ~/.aws/config
export NCCL_DEBUG=INFO
export NCCL_IB_HCA="^=mlx5_bond_0"
MAX_STEPS=12000
torchrun \
  --nnodes "${NUM_NODES}:${NUM_NODES}" \
  --nproc-per-node 8 \
  --rdzv_id 12347 \
  --rdzv_backend static \
  --rdzv_endpoint "${BEAKER_LEADER_REPLICA_HOSTNAME}:29400" \
  --node_rank "${BEAKER_REPLICA_RANK}" \
  --rdzv_conf 'read_timeout=420' \
  scripts/train.py \
    configs/peteish7-weka.yaml \
      --run_name="${GANTRY_TASK_NAME}" \
      --fsdp.sharding_strategy=HYBRID_SHARD \
      --fsdp.hybrid_sharding_num_model_replicas="${NUM_NODES}" \
      --activation_checkpointing=whole_layer \
      --load_path=/weka/oe-training-default/ai2-llm/checkpoints/OLMo-medium/peteish7/step928646 \
      --data.seed=23250 \
      --restore_dataloader=false \
      --optimizer.learning_rate=6.1852e-5 \
      --scheduler.name=linear_with_warmup \
      --scheduler.units=steps \
      --scheduler.t_warmup=0 \
      --scheduler.t_max=${MAX_STEPS} \
      --scheduler.alpha_f=0.0 \
      --max_duration=${MAX_STEPS} \
      --stop_at=${MAX_STEPS} \
      --save_interval_ephemeral=500 \
      --save_overwrite
