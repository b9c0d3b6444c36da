"""What a model consists of, to the last byte: for tests that nothing has changed."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from module_subjects import Module, Tensor


def fingerprint(model: Module) -> list[Any]:
    """Everything an observer could disturb, to the last byte."""
    # NumPy's global generator is the one that an observer could disturb.
    found: list[Any] = [repr(random.getstate()), repr(np.random.get_state())]  # noqa: NPY002
    pending, seen = [model], set()
    while pending:
        module = pending.pop()
        if id(module) in seen:
            continue
        seen.add(id(module))
        for name, value in vars(module).items():
            found.append((id(module), name, id(value), type(value)))
            if isinstance(value, dict):
                found.append([(key, id(item)) for key, item in value.items()])
                tensors = [item for item in value.values() if isinstance(item, Tensor)]
                found += [
                    (id(t), t.numpy().tobytes(), id(t.grad), sorted(vars(t))) for t in tensors
                ]
        pending += [child for child in module._modules.values() if child is not None]
    return found
