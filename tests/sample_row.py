"""A row of the samples table: a call that works on nbmodule and on PyTorch alike.

It gets the library as `t`, and tensors of the given shapes. `positive` draws them from [0.5, 2.5) instead
of a normal distribution. Integer operands are made from the library inside the call.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Sample:
    name: str
    call: Callable
    shapes: tuple
    positive: bool = False
    differentiable: bool = True

    def __str__(self):
        return self.name

    def arrays(self, dtype, seed=0):
        rng = np.random.default_rng(seed)
        if self.positive:
            return [(rng.random(s) * 2 + 0.5).astype(dtype) for s in self.shapes]
        return [rng.standard_normal(s).astype(dtype) for s in self.shapes]


def labels(t, n=6, classes=3):
    return t.tensor([(3 * i + i // 2) % classes for i in range(n)])


def F(t):
    return t.nn.functional


A, B = (3, 4), (2, 3, 4)
