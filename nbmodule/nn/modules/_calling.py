"""Methods of a Module for the hooks around `forward`, and the call that runs them all.

Source: https://docs.pytorch.org/docs/stable/notes/modules.html#module-hooks
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..._tensor import Tensor
from ...utils.hooks import BackwardHook, RemovableHandle
from . import module as home
from ._gradient_hooks import full_backward_hooks, hook_last_operation, last_operation_hooks
from ._hooks import add_hook

if TYPE_CHECKING:
    from .module import Module


def register_forward_pre_hook(self: Module, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False) -> RemovableHandle:  # fmt: skip
    """Have ``hook(module, args)`` run before `forward`; what it returns replaces the arguments.

    Args:
        self: the module.
        hook: with `with_kwargs` it is called as ``hook(module, args, kwargs)``, and returns both or None.
        prepend: run it before the hooks that are there already.
        with_kwargs: pass the keyword arguments too.
    """
    return add_hook(
        self._forward_pre_hooks,
        hook,
        prepend=prepend,
        marks=(self._forward_pre_hooks_with_kwargs,),
        marked=(with_kwargs,),
    )


def register_forward_hook(self: Module, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False) -> RemovableHandle:  # fmt: skip
    """Have ``hook(module, args, output)`` run after `forward`; what it returns replaces the output.

    Args:
        self: the module.
        hook: with `with_kwargs` it is called as ``hook(module, args, kwargs, output)``.
        prepend: run it before the hooks that are there already.
        with_kwargs: pass the keyword arguments too.
        always_call: run it also when `forward` raises, with None as output.
    """
    return add_hook(
        self._forward_hooks,
        hook,
        prepend=prepend,
        marks=(self._forward_hooks_with_kwargs, self._forward_hooks_always_called),
        marked=(with_kwargs, always_call),
    )


def call_with_hooks(module: Module, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Run the hooks of `module` and its `forward` in their order, and return the result.

    Args:
        module: which is called.
        args: the positional arguments; pre-hooks may replace them.
        kwargs: the arguments by keyword; pre-hooks may replace them.
    """
    result, on_gradients, on_last_operation, done = None, None, [], []
    try:
        forward = module.forward  # before the hooks, which may put another in its place
        if (
            module._backward_hooks
            or module._backward_pre_hooks
            or home._global_backward_hooks
            or home._global_backward_pre_hooks
        ):
            on_gradients = full_backward_hooks(module)
            on_last_operation = last_operation_hooks(module)
        if home._global_forward_pre_hooks or module._forward_pre_hooks:
            hooks = (*home._global_forward_pre_hooks.items(), *module._forward_pre_hooks.items())
            for number, hook in hooks:
                if number in module._forward_pre_hooks_with_kwargs:
                    changed = hook(module, args, kwargs)
                    if changed is not None:
                        args, kwargs = _both(changed)
                else:
                    changed = hook(module, args)
                    if changed is not None:
                        args = changed if isinstance(changed, tuple) else (changed,)
        if on_gradients is not None:
            args = on_gradients.setup_input_hook(args)
        result = forward(*args, **kwargs)
        if home._global_forward_hooks or module._forward_hooks:
            hooks = (*home._global_forward_hooks.items(), *module._forward_hooks.items())
            for number, hook in hooks:
                done.append(number)
                if (
                    number in module._forward_hooks_with_kwargs
                    or number in home._global_forward_hooks_with_kwargs
                ):
                    changed = hook(module, args, kwargs, result)
                else:
                    changed = hook(module, args, result)
                if changed is not None:
                    result = changed
        if on_gradients is not None:
            result = _watched(result, on_gradients)
        if on_last_operation:
            hook_last_operation(module, on_last_operation, args, result)
        return result
    except Exception:
        _run_always_called(module, args, kwargs, result, done)
        raise


def _both(changed: Any) -> tuple[tuple, dict[str, Any]]:
    if not (isinstance(changed, tuple) and len(changed) == 2):
        raise RuntimeError(
            f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}."
        )
    return changed


def _watched(result: Any, on_gradients: BackwardHook) -> Any:
    """Return `result`, passed through what runs the hooks on its gradient."""
    if not isinstance(result, (Tensor, tuple)):
        warnings.warn(
            "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but "
            f"received {type(result)}",
            stacklevel=4,
        )
    return on_gradients.setup_output_hook(result)


def _run_always_called(module: Module, args: tuple, kwargs: dict[str, Any], result: Any, done: list[int]) -> None:  # fmt: skip
    """After an error: run the hooks that asked for it and have not run yet."""
    own = module._forward_hooks_with_kwargs
    for everywhere, hooks, asked, with_kwargs in (
        ("global ", home._global_forward_hooks, home._global_forward_hooks_always_called, {}),
        ("", module._forward_hooks, module._forward_hooks_always_called, own),
    ):
        for number in [n for n in hooks if n in asked and n not in done]:
            given = (args, kwargs) if number in with_kwargs else (args,)
            try:
                changed = hooks[number](module, *given, result)
                result = result if changed is None else changed
            except Exception as error:
                warnings.warn(
                    f"{everywhere}module forward hook with ``always_call=True`` raised an exception that "
                    f"was silenced as another error was raised in forward: {error}",
                    stacklevel=4,
                )
