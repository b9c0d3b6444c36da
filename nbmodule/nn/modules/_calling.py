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


class Call:
    """One call of a module on its way through the hooks.

    Args:
        module: which is called.
        args: the positional arguments; pre-hooks may replace them.
        kwargs: the arguments by keyword; pre-hooks may replace them.

    Attributes:
        result: what `forward` returned, or what a hook made of it.
    """

    def __init__(self, module: Module, args: tuple, kwargs: dict[str, Any]) -> None:
        self.module, self.args, self.kwargs, self.result = module, args, kwargs, None
        self.done: set[int] = set()

    def run(self) -> Any:
        """Run the hooks and `forward` in their order, and return the result."""
        try:
            return self._run()
        except Exception:
            self._run_always_called()
            raise

    def _run(self) -> Any:
        module = self.module
        forward = module.forward  # before the hooks, which may put another in its place
        on_gradients = full_backward_hooks(module)
        on_last_operation = last_operation_hooks(module)
        self._run_pre_hooks()
        if on_gradients is not None:
            self.args = on_gradients.setup_input_hook(self.args)
        self.result = forward(*self.args, **self.kwargs)
        self._run_forward_hooks()
        if on_gradients is not None:
            self._watch_output(on_gradients)
        if on_last_operation:
            hook_last_operation(module, on_last_operation, self.args, self.result)
        return self.result

    def _run_pre_hooks(self) -> None:
        module = self.module
        hooks = (*home._global_forward_pre_hooks.items(), *module._forward_pre_hooks.items())
        for number, hook in hooks:
            if number in module._forward_pre_hooks_with_kwargs:
                changed = hook(module, self.args, self.kwargs)
                if changed is not None:
                    self._replace_arguments(changed)
            else:
                changed = hook(module, self.args)
                if changed is not None:
                    self.args = changed if isinstance(changed, tuple) else (changed,)

    def _replace_arguments(self, changed: Any) -> None:
        if not (isinstance(changed, tuple) and len(changed) == 2):
            raise RuntimeError(
                f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}."
            )
        self.args, self.kwargs = changed

    def _run_forward_hooks(self) -> None:
        hooks = (*home._global_forward_hooks.items(), *self.module._forward_hooks.items())
        for number, hook in hooks:
            self.done.add(number)
            with_kwargs = (
                number in self.module._forward_hooks_with_kwargs
                or number in home._global_forward_hooks_with_kwargs
            )
            self._run_forward_hook(hook, with_kwargs)

    def _run_forward_hook(self, hook: Callable, with_kwargs: bool) -> None:
        kwargs = (self.kwargs,) if with_kwargs else ()
        changed = hook(self.module, self.args, *kwargs, self.result)
        if changed is not None:
            self.result = changed

    def _watch_output(self, on_gradients: BackwardHook) -> None:
        if not isinstance(self.result, (Tensor, tuple)):
            warnings.warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but "
                f"received {type(self.result)}",
                stacklevel=5,
            )
        self.result = on_gradients.setup_output_hook(self.result)

    def _run_always_called(self) -> None:
        """After an error: run the hooks that asked for it and have not run yet."""
        own = self.module._forward_hooks_with_kwargs
        for everywhere, hooks, asked, with_kwargs in (
            ("global ", home._global_forward_hooks, home._global_forward_hooks_always_called, {}),
            ("", self.module._forward_hooks, self.module._forward_hooks_always_called, own),
        ):
            for number in [n for n in hooks if n in asked and n not in self.done]:
                try:
                    self._run_forward_hook(hooks[number], number in with_kwargs)
                except Exception as error:
                    warnings.warn(
                        f"{everywhere}module forward hook with ``always_call=True`` raised an exception that "
                        f"was silenced as another error was raised in forward: {error}",
                        stacklevel=5,
                    )
