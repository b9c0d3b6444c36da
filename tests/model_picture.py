"""Everything about a model that a view must leave as it was, as plain values that can be compared."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

Picture = list[Any]


def picture(model: Any, lib: Any) -> Picture:
    """Everything that should be as before: objects by identity, numbers by their bits."""
    found: Picture = [lib.get_rng_state().tolist(), random.getstate(), lib.is_grad_enabled()]
    found.append(np.random.get_state()[1].tolist())  # noqa: NPY002
    for module in model.modules():
        found.append((type(module), [(name, id(value)) for name, value in vars(module).items()]))
        for value in vars(module).values():
            if isinstance(value, dict):
                found.append([(key, id(entry)) for key, entry in value.items()])
            elif isinstance(value, list):
                found.append(list(map(id, value)))
    for tensor in [*model.parameters(), *model.buffers()]:
        found.append((tensor.requires_grad, tensor._version, tensor.detach().numpy().tobytes()))
        found.append(tensor.grad is not None and (id(tensor.grad), tensor.grad.numpy().tobytes()))
        found.append([len(getattr(tensor, "_backward_hooks", None) or ())])
    return found
