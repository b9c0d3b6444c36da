"""Right answers to the exercises of chapter 00."""

from __future__ import annotations

RIGHT = {
    "00.1": [
        r"""
import numpy as np


def count(module):
    return sum(np.prod(p.shape) for p in module.parameters())
""",
        r"""
import math


def count(module):
    return sum(math.prod(p.shape) for p in module.parameters())
""",
        r"""
def count(module):
    n = 0
    for name, p in module.named_parameters():
        n += len(p.flatten())
    return n
""",
        r"""
def count(module):
    return sum(p.detach().numpy().size for p in module.parameters())
""",
        r"""
count = lambda module: sum(p.nelement() for p in module.parameters())
""",
        r"""
def count(module, seen=None):
    seen = set() if seen is None else seen
    n = 0
    for p in module._parameters.values():
        if p is not None and id(p) not in seen:
            seen.add(id(p))
            n += p.numel()
    for c in module._modules.values():
        n += count(c, seen)
    return n
""",
        r"""
def count(module):
    total = 0
    params = iter(module.parameters())
    while (p := next(params, None)) is not None:
        total = total + p.numel()
    return total
""",
        r"""
def count(module):
    match list(module.parameters()):
        case []:
            return 0
        case [*ps]:
            return sum(p.numel() for p in ps)
""",
    ],
}
