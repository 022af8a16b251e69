# Facts of NVIDIA/Megatron-LM, examples/academic_paper_scripts/sc21 (run_table_1.sh, 529.6B) and CONFIG.sh, written anew.
TP=8; PP=35
options=" --tensor-model-parallel-size $TP --pipeline-model-parallel-size $PP --num-layers-per-virtual-pipeline-stage 1 --num-layers 105 --hidden-size 20480 --num-attention-heads 128
 --seq-length 2048 --max-position-embeddings 2048 --micro-batch-size 1 --global-batch-size 2520 --fp16 --activations-checkpoint-method uniform --DDP-impl local --tokenizer-type GPT2BPETokenizer"
python pretrain_gpt.py ${options}
