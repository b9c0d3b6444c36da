"""What a model consists of, to the last byte: for tests that nothing has changed."""

from __future__ import annotations

import random
from collections import deque
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


def everything(lib: Any, model: Any, *inputs: Any) -> list[Any]:
    """What a pass through a model of torch or nbmodule could disturb: every object below it, and every bit.

    Unlike `fingerprint` it knows gradients, hooks on tensors and their order, versions, generators, and what lies in
    plain attributes.
    """
    found: list[Any] = [
        repr(random.getstate()),
        repr(np.random.get_state()),  # noqa: NPY002
        lib.get_rng_state().numpy().tobytes(),
        lib.is_grad_enabled(),
    ]
    seen: set[int] = set()
    for start in (model, *inputs):
        _everything_in(start, lib, found, seen)
    return found


def _everything_in(value: Any, lib: Any, found: list[Any], seen: set[int]) -> None:
    found.append((id(value), type(value)))
    if (
        id(value) in seen
        or value is None
        or isinstance(value, (type, str))
        or (callable(value) and not hasattr(value, "_modules"))
    ):
        return
    seen.add(id(value))
    inside: Any = ()
    if isinstance(value, lib.Tensor):
        notes = getattr(vars(value).get("_accumulator"), "notes", None)
        hooks = (
            *(
                getattr(value, name, None)
                for name in ("_backward_hooks", "_post_accumulate_grad_hooks")
            ),
            *(vars(notes or object).get(name) for name in ("arrived", "accumulated")),
        )
        found += [
            value.detach().numpy().tobytes(),
            value._version,
            value.requires_grad,
            value.is_leaf,
        ]
        found += [[(key, id(hook)) for key, hook in one.items()] for one in hooks if one]
        inside = [value.grad] if value.is_leaf else []
    elif isinstance(value, lib.Generator):
        found.append(value.get_state().numpy().tobytes())
    elif isinstance(value, random.Random):
        found.append(value.getstate())
    elif isinstance(value, np.random.RandomState):
        found.append(repr(value.get_state()))
    elif isinstance(value, dict):
        found.append(list(map(id, value)))
        inside = list(value.values())
    elif isinstance(value, (list, tuple, set, deque)):
        inside = list(value)
    elif hasattr(value, "__dict__"):
        found.append(list(vars(value)))
        inside = list(vars(value).values())
    for item in inside:
        _everything_in(item, lib, found, seen)
