#!/bin/bash
horovodrun -np 16 -H server1:8,server2:8 python run_glue.py --model_name_or_path bert-base-uncased \
    --per_device_train_batch_size 32 --max_seq_length 128 --gradient_accumulation_steps 1 --fp16
