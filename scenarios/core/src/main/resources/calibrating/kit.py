"""Measures what `shardsim calibrate` reads: GEMMs, attention, an all-gather and a reduce-scatter. Needs PyTorch 2.3 or later alone.

On one node, about three minutes:

    torchrun --standalone --nproc-per-node=8 kit.py > kit.log
    shardsim calibrate kit.log --base p5.48xlarge -o my-cluster.yaml

On several nodes start it as any training (torchrun --nnodes ...); the first rank prints. `python kit.py` measures kernels alone.
"""

import os
import socket
import statistics

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

# Of decoder layers with a hidden width of 4096, 5120 and 8192, forward, dgrad and wgrad; squares tell the rate best.
TOKENS = (4096, 8192)
WIDTHS = ((4096, 4096), (4096, 14336), (14336, 4096), (5120, 13824), (8192, 8192), (8192, 28672))
SQUARES = (2048, 4096, 8192, 12288)
# Sequences, heads, tokens of each, width of a head.
HEADS = ((4, 32, 2048, 128), (2, 32, 4096, 128), (1, 32, 8192, 128), (4, 32, 2048, 64))
# Bytes of the whole buffer.
BUFFERS = [1 << power for power in range(18, 31)]
REPEATS = 20

RANK = int(os.environ.get("RANK", "0"))
RANKS = int(os.environ.get("WORLD_SIZE", "1"))
LOCAL = int(os.environ.get("LOCAL_RANK", "0"))
# A dry run where there is no GPU: tiny, and its figures mean nothing.
DRY = not torch.cuda.is_available()
DEVICE = torch.device("cpu") if DRY else torch.device("cuda", LOCAL)
if DRY:
    TOKENS, WIDTHS, SQUARES, HEADS, BUFFERS, REPEATS = (64,), ((64, 64),), (64,), ((1, 2, 64, 32),), [1 << 18, 1 << 20], 3


def say(*words):
    if RANK == 0:
        print(*words, flush=True)


def timed(run):
    """Median time in us of one call among REPEATS, after a warm-up."""
    for _ in range(3):
        run()
    if DRY:
        import time

        times = []
        for _ in range(REPEATS):
            start = time.perf_counter()
            run()
            times.append(1e6 * (time.perf_counter() - start))
        return statistics.median(times)
    events = [torch.cuda.Event(enable_timing=True) for _ in range(REPEATS + 1)]
    torch.cuda.synchronize()
    events[0].record()
    for event in events[1:]:
        run()
        event.record()
    torch.cuda.synchronize()
    return statistics.median(1e3 * a.elapsed_time(b) for a, b in zip(events, events[1:]))


def normal(*shape, grad=False):
    # Numbers of a training: zeros draw less power, and run faster.
    return torch.randn(*shape, dtype=torch.bfloat16, device=DEVICE).requires_grad_(grad)


def gemms():
    say("m,n,k,dtype,us")
    shapes = [(side, side, side) for side in SQUARES]
    shapes += [(tokens, n, k) for tokens in TOKENS for k, n in WIDTHS]
    shapes += [(k, n, tokens) for tokens in TOKENS for k, n in WIDTHS]
    for m, n, k in shapes:
        a, b = normal(m, k), normal(n, k).t()
        say(f"{m},{n},{k},bf16,{timed(lambda: a @ b):.2f}")


def attention():
    say("\nbatch,heads,length,head_size,causal,pass,dtype,us")
    for batch, heads, length, size in HEADS:
        query, key, value = (normal(batch, heads, length, size, grad=True) for _ in range(3))
        with sdpa_kernel(SDPBackend.MATH if DRY else SDPBackend.FLASH_ATTENTION):
            forward = timed(lambda: F.scaled_dot_product_attention(query, key, value, is_causal=True))
            out = F.scaled_dot_product_attention(query, key, value, is_causal=True)
            upstream = torch.randn_like(out)
            backward = timed(
                lambda: torch.autograd.grad(out, (query, key, value), upstream, retain_graph=True)
            )
        say(f"{batch},{heads},{length},{size},true,forward,bf16,{forward:.2f}")
        say(f"{batch},{heads},{length},{size},true,backward,bf16,{backward:.2f}")


def collective(name, run):
    """A table as nccl-tests prints it; the slowest rank counts."""
    hosts = [None] * RANKS
    dist.all_gather_object(hosts, socket.gethostname())
    say(f"\n# Collective test starting: {name}_perf")
    say(f"# nThread 1 nGpus 1 minBytes {BUFFERS[0]} maxBytes {BUFFERS[-1]} step: 2(factor) warmup iters: 3 iters: {REPEATS} ")
    per_node = int(os.environ.get("LOCAL_WORLD_SIZE", RANKS))
    for rank, host in enumerate(hosts):
        say(f"#  Rank {rank:2d} Group  0 Pid 1 on {host} device {rank % per_node:2d} [0x00] {DEVICE.type}")
    say("#  size  count  type  redop  root  time  algbw  busbw  #wrong")
    for size in BUFFERS:
        whole = torch.ones(size // 2 // RANKS * RANKS, dtype=torch.bfloat16, device=DEVICE)
        part = torch.ones(whole.numel() // RANKS, dtype=torch.bfloat16, device=DEVICE)
        dist.barrier()
        slowest = torch.tensor([timed(lambda: run(whole, part))], device=DEVICE)
        dist.all_reduce(slowest, op=dist.ReduceOp.MAX)
        size = 2 * whole.numel()
        us = slowest.item()
        rate = size / us / 1e3
        say(f"{size} {whole.numel()} bfloat16 none -1 {us:.2f} {rate:.2f} {rate * (RANKS - 1) / RANKS:.2f} 0")


def main():
    if not DRY:
        torch.cuda.set_device(LOCAL)
    if RANKS > 1:
        dist.init_process_group("gloo" if DRY else "nccl")
    say(f"# shardsim kit, PyTorch {torch.__version__}, {RANKS} ranks,", "no GPU" if DRY else torch.cuda.get_device_name())
    with torch.no_grad():
        gemms()
    attention()
    if RANKS > 1:
        collective("all_gather", dist.all_gather_into_tensor)
        collective("reduce_scatter", lambda whole, part: dist.reduce_scatter_tensor(part, whole))
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
