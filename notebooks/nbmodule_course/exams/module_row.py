"""A row of the table of modules: how one is made and called, on nbmodule and on PyTorch alike.

`module_rows/<topic>.py` lists the rows of a topic in ``ROWS``. Each is made after ``manual_seed(0)``, so that its
parameters are PyTorch's, and called with inputs from a fixed random generator. `tests/nn/test_modules.py` says what
is checked on every row; the final exam asks them of a Module of the reader's.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Row:
    """One way to make and call a module.

    Attributes:
        name: unique, such as "Conv2d_groups".
        make: ``make(t)`` returns the module, for the library `t`.
        inputs: for each input a shape, drawn from a normal distribution (and differentiated), or a function of
            `t` that returns what is no floating point tensor: indices, masks, packed sequences, None.
        call: ``call(module, *inputs)`` where this is not ``module(*inputs)``; returns a tensor or a tuple of them.
        positive: draw the inputs from [0.5, 2.5) instead.
        smooth: whether gradients can be compared with finite differences, in training too.
        half: whether the module takes float16 too, on PyTorch's CPU.
        skip: names of checks that do not apply, each with the reason.
    """

    name: str
    make: Callable
    inputs: tuple = ()
    call: Callable | None = None
    positive: bool = False
    smooth: bool = True
    half: bool = True
    skip: dict = field(default_factory=dict)

    def __str__(self):
        return self.name

    def arrays(self, dtype, seed=0):
        """Return arrays for the inputs that are shapes, functions for the others."""
        rng = np.random.default_rng(seed)
        return [
            x
            if callable(x)
            else (rng.random(x) * 2 + 0.5 if self.positive else rng.standard_normal(x)).astype(
                dtype
            )
            for x in self.inputs
        ]

    def run(self, module, inputs):
        """Return the outputs as a tuple of tensors, nested tuples flattened, what is no tensor left out."""
        out = self.call(module, *inputs) if self.call else module(*inputs)
        return tuple(_tensors(out))


def _tensors(out):
    if hasattr(out, "detach"):
        yield out
    elif isinstance(out, (tuple, list)):
        for x in out:
            yield from _tensors(x)
