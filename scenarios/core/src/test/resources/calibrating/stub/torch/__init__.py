"""So much of PyTorch as kit.py calls on a machine without a GPU; it computes nothing."""

import contextlib
import sys
import time
import types

__version__ = "stub"
bfloat16 = "bfloat16"


class Tensor:
    def __init__(self, *shape, value=0.0):
        self.shape, self.value = shape, value

    def __matmul__(self, other):
        assert self.shape[-1] == other.shape[0]
        time.sleep(20e-6)
        return Tensor(self.shape[0], other.shape[1])

    def t(self):
        return Tensor(*reversed(self.shape))

    def numel(self):
        return self.shape[0]

    def item(self):
        return self.value

    def requires_grad_(self, wanted):
        return self


def device(kind, place=0):
    return types.SimpleNamespace(type=kind)


def randn(*shape, dtype, device):
    return Tensor(*shape)


def randn_like(other):
    return Tensor(*other.shape)


def ones(number, dtype, device):
    return Tensor(number)


def tensor(values, device):
    return Tensor(1, value=values[0])


def no_grad():
    return contextlib.nullcontext()


def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made
    return made


def moved(receiver, sender):
    time.sleep(200e-6)


def gathered(objects, own):
    objects[:] = [own] * len(objects)


def attended(query, key, value, is_causal):
    time.sleep(20e-6)
    return query


cuda = types.SimpleNamespace(is_available=lambda: False)
autograd = types.SimpleNamespace(grad=lambda out, inputs, upstream, retain_graph: time.sleep(20e-6))
distributed = module(
    "torch.distributed",
    ReduceOp=types.SimpleNamespace(MAX="max"),
    init_process_group=lambda backend: None,
    destroy_process_group=lambda: None,
    barrier=lambda: None,
    all_reduce=lambda what, op: None,
    all_gather_object=gathered,
    all_gather_into_tensor=moved,
    reduce_scatter_tensor=moved,
)
nn = module("torch.nn")
nn.functional = module("torch.nn.functional", scaled_dot_product_attention=attended)
nn.attention = module(
    "torch.nn.attention",
    SDPBackend=types.SimpleNamespace(MATH=0, FLASH_ATTENTION=1),
    sdpa_kernel=lambda backend: contextlib.nullcontext(),
)
