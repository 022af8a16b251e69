# Facts of huggingface/transformers, examples/pytorch/language-modeling/README.md, started with torchrun and FSDP, written anew.
torchrun --nproc_per_node=8 --nnodes 2 run_clm.py \
  --model_name_or_path openai-community/gpt2-xl --dataset_name wikitext --dataset_config_name wikitext-2-raw-v1 \
  --per_device_train_batch_size 8 --per_device_eval_batch_size 8 --do_train --do_eval --bf16 True --block_size 1024 \
  --fsdp "full_shard auto_wrap" --output_dir /tmp/test-clm
