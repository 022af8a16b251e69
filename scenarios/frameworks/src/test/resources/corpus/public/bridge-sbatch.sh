#!/bin/bash
#SBATCH --job-name=megatron-bridge-train
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8
#SBATCH --gpus-per-node=8
#SBATCH --time=04:00:00
#SBATCH --partition=gpu
#SBATCH --output=logs/train_%j.out
#SBATCH --error=logs/train_%j.err
#SBATCH --exclusive
TRAINING_SCRIPT="00_quickstart_pretrain.py"
CONFIG_FILE=""
CLI_OVERRIDES=""
PRETRAINED_CHECKPOINT=""
CONTAINER_IMAGE=""
CONTAINER_MOUNTS=""
echo "======================================"
echo "Megatron Bridge Training Job"
echo "======================================"
echo "Job ID: $SLURM_JOB_ID"
echo "Nodes: $SLURM_JOB_NUM_NODES"
echo "GPUs per node: $SLURM_GPUS_PER_NODE"
echo "Script: $TRAINING_SCRIPT"
echo "======================================"
SCRIPT_DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
SCRIPT_PATH="${SCRIPT_DIR}/${TRAINING_SCRIPT}"
CMD="torchrun"
CMD="$CMD --nproc_per_node=$SLURM_GPUS_PER_NODE"
CMD="$CMD --nnodes=$SLURM_JOB_NUM_NODES"
CMD="$CMD --node_rank=\$SLURM_PROCID"
CMD="$CMD --master_addr=\$(scontrol show hostname \$SLURM_NODELIST | head -n1)"
CMD="$CMD --master_port=29500"
CMD="$CMD $SCRIPT_PATH"
if [ -n "$CONFIG_FILE" ]; then
    CMD="$CMD --config-file $CONFIG_FILE"
fi
if [ -n "$PRETRAINED_CHECKPOINT" ]; then
    CMD="$CMD --pretrained-checkpoint $PRETRAINED_CHECKPOINT"
fi
if [ -n "$CLI_OVERRIDES" ]; then
    CMD="$CMD $CLI_OVERRIDES"
fi
echo "Executing: $CMD"
echo "======================================"
if [ -n "$CONTAINER_IMAGE" ]; then
    SRUN_CMD="srun --container-image=$CONTAINER_IMAGE"
    if [ -n "$CONTAINER_MOUNTS" ]; then
        for mount in $CONTAINER_MOUNTS; do
            SRUN_CMD="$SRUN_CMD --container-mounts=$mount"
        done
    fi
    $SRUN_CMD bash -c "$CMD"
else
    srun bash -c "$CMD"
fi
echo "======================================"
echo "Job completed"
echo "======================================"
