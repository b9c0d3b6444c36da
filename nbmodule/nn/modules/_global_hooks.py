"""Hooks for all modules at once. `module.py` shows the functions under PyTorch's names.

Source: https://docs.pytorch.org/docs/stable/nn.html#global-hooks-for-module
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ...utils.hooks import RemovableHandle

Hooks = OrderedDict[int, Callable]

forward_pre: Hooks = OrderedDict()
forward: Hooks = OrderedDict()
forward_with_kwargs: OrderedDict[int, bool] = OrderedDict()
forward_always_called: OrderedDict[int, bool] = OrderedDict()
parameter_registration: Hooks = OrderedDict()
buffer_registration: Hooks = OrderedDict()
module_registration: Hooks = OrderedDict()


def _register(hooks: Hooks, hook: Callable, *extra: Any) -> RemovableHandle:
    handle = RemovableHandle(hooks, extra_dict=list(extra))
    hooks[handle.id] = hook
    return handle


def register_module_forward_pre_hook(hook: Callable) -> RemovableHandle:
    """Have ``hook(module, args)`` run before the `forward` of every module."""
    return _register(forward_pre, hook)


def register_module_forward_hook(hook: Callable, *, with_kwargs: bool = False, always_call: bool = False) -> RemovableHandle:  # fmt: skip
    """Have ``hook(module, args, output)`` run after the `forward` of every module.

    Args:
        hook: with `with_kwargs` it is called as ``hook(module, args, kwargs, output)``.
        with_kwargs: pass the keyword arguments too.
        always_call: run it also when `forward` raises, with None as output.
    """
    handle = _register(forward, hook, forward_with_kwargs, forward_always_called)
    if with_kwargs:
        forward_with_kwargs[handle.id] = True
    if always_call:
        forward_always_called[handle.id] = True
    return handle


def register_module_parameter_registration_hook(hook: Callable) -> RemovableHandle:
    """Have ``hook(module, name, parameter)`` run whenever a module gets a parameter.

    What it returns, unless that is None, is registered instead.
    """
    return _register(parameter_registration, hook)


def register_module_buffer_registration_hook(hook: Callable) -> RemovableHandle:
    """Have ``hook(module, name, buffer)`` run whenever a module gets a buffer.

    What it returns, unless that is None, is registered instead.
    """
    return _register(buffer_registration, hook)


def register_module_module_registration_hook(hook: Callable) -> RemovableHandle:
    """Have ``hook(module, name, child)`` run whenever a module gets a child.

    What it returns, unless that is None, is registered instead.
    """
    return _register(module_registration, hook)


def passed_through(hooks: Hooks, module: Any, name: str, value: Any) -> Any:
    """Return `value` as the registration hooks, each after the other, have changed it."""
    for hook in hooks.values():
        changed = hook(module, name, value)
        value = value if changed is None else changed
    return value
