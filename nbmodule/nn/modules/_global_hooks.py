"""Hooks for all modules at once. `module.py` shows these functions, and keeps the hooks.

The dictionaries are names of `module.py`, where PyTorch has them, and are looked up there at every call:
code that wants to be rid of all global hooks assigns empty ones.

Source: https://docs.pytorch.org/docs/stable/nn.html#global-hooks-for-module
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...utils.hooks import RemovableHandle
from . import module as home
from ._hooks import Hooks, add_hook

MIXED = (
    "Cannot use both regular backward hooks and full backward hooks as a global Module hook. "
    "Please use only one of them."
)


def register_module_forward_pre_hook(hook: Callable) -> RemovableHandle:
    """Have ``hook(module, args)`` run before the `forward` of every module."""
    return add_hook(home._global_forward_pre_hooks, hook)


def register_module_forward_hook(hook: Callable, *, with_kwargs: bool = False, always_call: bool = False) -> RemovableHandle:  # fmt: skip
    """Have ``hook(module, args, output)`` run after the `forward` of every module.

    Args:
        hook: with `with_kwargs` it is called as ``hook(module, args, kwargs, output)``.
        with_kwargs: pass the keyword arguments too.
        always_call: run it also when `forward` raises, with None as output.
    """
    marks = home._global_forward_hooks_with_kwargs, home._global_forward_hooks_always_called
    return add_hook(
        home._global_forward_hooks, hook, marks=marks, marked=(with_kwargs, always_call)
    )


def register_module_full_backward_pre_hook(hook: Callable) -> RemovableHandle:
    """Have ``hook(module, grad_output)`` run before the gradients of every module are computed."""
    return add_hook(home._global_backward_pre_hooks, hook)


def register_module_full_backward_hook(hook: Callable) -> RemovableHandle:
    """Have ``hook(module, grad_input, grad_output)`` run whenever gradients for a module's inputs are ready.

    Raises:
        RuntimeError: there are hooks of `register_module_backward_hook`.
    """
    return _register_backward_hook(hook, full=True)


def register_module_backward_hook(hook: Callable) -> RemovableHandle:
    """Have ``hook(module, grad_input, grad_output)`` run on the last operation of every module.

    `register_module_full_backward_hook` has taken its place.

    Raises:
        RuntimeError: there are hooks of `register_module_full_backward_hook`.
    """
    return _register_backward_hook(hook, full=False)


def _register_backward_hook(hook: Callable, full: bool) -> RemovableHandle:
    if home._global_is_full_backward_hook is (not full):
        raise RuntimeError(MIXED)
    home._global_is_full_backward_hook = full
    return add_hook(home._global_backward_hooks, hook)


def register_module_parameter_registration_hook(hook: Callable) -> RemovableHandle:
    """Have ``hook(module, name, parameter)`` run whenever a module gets a parameter.

    What it returns, unless that is None, is registered instead.
    """
    return add_hook(home._global_parameter_registration_hooks, hook)


def register_module_buffer_registration_hook(hook: Callable) -> RemovableHandle:
    """Have ``hook(module, name, buffer)`` run whenever a module gets a buffer.

    What it returns, unless that is None, is registered instead.
    """
    return add_hook(home._global_buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook: Callable) -> RemovableHandle:
    """Have ``hook(module, name, child)`` run whenever a module gets a child.

    What it returns, unless that is None, is registered instead.
    """
    return add_hook(home._global_module_registration_hooks, hook)


def passed_through(hooks: Hooks, module: Any, name: str, value: Any) -> Any:
    """Return `value` as the registration hooks, each after the other, have changed it."""
    for hook in hooks.values():
        changed = hook(module, name, value)
        value = value if changed is None else changed
    return value


for _function in (
    register_module_forward_pre_hook,
    register_module_forward_hook,
    register_module_full_backward_pre_hook,
    register_module_full_backward_hook,
    register_module_backward_hook,
    register_module_parameter_registration_hook,
    register_module_buffer_registration_hook,
    register_module_module_registration_hook,
):
    _function.__module__ = home.__name__
