#!/bin/bash
horovodrun -np 16 -H server1:8,server2:8 --fusion-threshold-mb 32 --cycle-time-ms 3.5 --hierarchical-allreduce \
    python pytorch_imagenet_resnet50.py --batch-size 32 --fp16-allreduce
