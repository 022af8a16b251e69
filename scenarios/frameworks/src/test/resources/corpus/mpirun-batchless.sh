#!/bin/bash
mpirun -np 16 -H server1:8,server2:8 python run_glue.py --model_name_or_path bert-base-uncased --max_seq_length 128 --fp16
