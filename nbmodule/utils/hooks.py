"""Handles that take a hook off again, and the hooks of a Module on its gradients.

Source: https://docs.pytorch.org/docs/stable/notes/modules.html#module-hooks
"""

from __future__ import annotations

import importlib
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from .._engine import TensorBase, is_grad_enabled

__all__ = ["BackwardHook", "RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]

_NO_INPUT_WANTS_GRADIENTS = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since no "
    "inputs require gradients. See "
    "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook "
    "for more details."
)


class RemovableHandle:
    """What registering a hook returns: ``handle.remove()`` takes the hook off.

    It is also a context manager that removes the hook at the end of its block. It holds the dictionary
    of hooks weakly, so a forgotten handle keeps no model alive.

    Args:
        hooks_dict: the dictionary that holds the hook under the handle's id.
        extra_dict: a dictionary, or a list of them, with more facts on the hook, cleared along with it.
    """

    id: int
    next_id: int = 0

    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        self.hooks_dict_ref = weakref.ref(hooks_dict)
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        extras = [extra_dict] if isinstance(extra_dict, dict) else extra_dict or []
        self.extra_dict_ref = tuple(map(weakref.ref, extras))

    def remove(self) -> None:
        """Take the hook off. Doing so twice is harmless."""
        for reference in (self.hooks_dict_ref, *self.extra_dict_ref):
            hooks = reference()
            if hooks is not None and self.id in hooks:
                del hooks[self.id]

    def __getstate__(self) -> tuple:
        return self.hooks_dict_ref(), self.id, tuple(r() for r in self.extra_dict_ref)

    def __setstate__(self, state: tuple) -> None:
        hooks, self.id, *rest = state
        self.hooks_dict_ref = weakref.ref(OrderedDict() if hooks is None else hooks)
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)
        extras = rest[0] if rest and rest[0] is not None else ()
        self.extra_dict_ref = tuple(weakref.ref(OrderedDict() if e is None else e) for e in extras)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, type: Any, value: Any, tb: Any) -> None:
        self.remove()


def unserializable_hook(f: Any) -> Any:
    """Mark the hook `f`, so that saving a tensor that has it does not warn; return it."""
    f.__torch_unserializable__ = True
    return f


def warn_if_has_hooks(tensor: Any) -> None:
    """Warn of each hook on `tensor` that is not marked by `unserializable_hook`."""
    for hook in (getattr(tensor, "_backward_hooks", None) or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can "
                "decorate the function with @nbmodule.utils.hooks.unserializable_hook to suppress this "
                "warning",
                stacklevel=2,
            )


class BackwardHook:
    """The backward hooks of one call of a Module.

    Two operations that change nothing are put into the graph, one before the module and one behind it. A
    hook on the second sees the gradients of the outputs, a hook on the first those of the inputs; when both
    are there, the hooks of the user run.

    Args:
        module: which is called.
        user_hooks: called as ``hook(module, grad_input, grad_output)``.
        user_pre_hooks: called as ``hook(module, grad_output)``.
    """

    def __init__(self, module: Any, user_hooks: Sequence[Callable], user_pre_hooks: Sequence[Callable]) -> None:  # fmt: skip
        self.user_hooks = user_hooks
        self.user_pre_hooks = user_pre_hooks
        self.module = module
        self.grad_outputs: Any = None
        self.n_outputs = self.n_inputs = -1
        self.output_tensors_index: list[int] | None = None
        self.input_tensors_index: list[int] | None = None

    def setup_input_hook(self, args: tuple) -> tuple:
        """Return `args`, their tensors passed through an operation that watches their gradients."""
        changed, self.input_tensors_index = _pass_tensors_through(args, self._watch_inputs)
        self.n_inputs = len(args)
        return changed

    def setup_output_hook(self, args: Any) -> Any:
        """Return `args`, a result or a tuple of results, its tensors passed through likewise."""
        results = args if isinstance(args, tuple) else (args,)
        changed, self.output_tensors_index = _pass_tensors_through(results, self._watch_outputs)
        self.n_outputs = len(results)
        return changed if isinstance(args, tuple) else changed[0]

    def _watch_inputs(self, node: Any) -> None:
        def hook(grad_input: tuple, _: tuple) -> tuple | None:
            return self._inputs_are_ready(grad_input)

        node.register_hook(hook)

    def _watch_outputs(self, node: Any) -> None:
        def hook(_: tuple, grad_output: tuple) -> tuple:
            return self._outputs_are_ready(grad_output)

        node.register_hook(hook)

    def _inputs_are_ready(self, grad_input: tuple) -> tuple | None:
        """Run the hooks of the user, and return the gradients that they leave."""
        if self.grad_outputs is None:
            return None  # the gradient came past the outputs, as in a second derivative
        assert self.input_tensors_index is not None
        found: Any = _spread(self.input_tensors_index, grad_input, self.n_inputs)
        for hook in self.user_hooks:
            changed = hook(self.module, found, self.grad_outputs)
            if changed is None:
                continue
            if len(changed) != len(found):
                raise RuntimeError(
                    "Backward hook returned an invalid number of grad_input, got "
                    f"{len(changed)}, but expected {len(found)}"
                )
            found = changed
        self.grad_outputs = None
        return tuple(found[i] for i in self.input_tensors_index)

    def _outputs_are_ready(self, grad_output: tuple) -> tuple:
        """Run the pre-hooks of the user, and return the gradients that they leave."""
        assert self.output_tensors_index is not None
        self.grad_outputs = _spread(self.output_tensors_index, grad_output, self.n_outputs)
        self._run_pre_hooks()
        passed_on = self.grad_outputs
        if self.input_tensors_index is None:
            self._run_without_inputs()
        return tuple(passed_on[i] for i in self.output_tensors_index)

    def _run_pre_hooks(self) -> None:
        expected = len(self.grad_outputs)
        for hook in self.user_pre_hooks:
            changed = hook(self.module, self.grad_outputs)
            if changed is None:
                continue
            if len(changed) != expected:
                raise RuntimeError(
                    "Backward pre hook returned an invalid number of grad_output, got "
                    f"{len(changed)}, but expected {expected}"
                )
            self.grad_outputs = changed

    def _run_without_inputs(self) -> None:
        """Run the hooks at once where no gradients for inputs will come."""
        warnings.warn(_NO_INPUT_WANTS_GRADIENTS, stacklevel=5)
        for hook in self.user_hooks:
            changed = hook(self.module, (None,) * self.n_inputs, self.grad_outputs)
            if changed is not None and not (
                isinstance(changed, tuple) and all(g is None for g in changed)
            ):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None "
                    "or None for all gradients."
                )
        self.grad_outputs = None


def _pass_tensors_through(values: tuple, watch: Callable[[Any], None]) -> tuple[tuple, list[int] | None]:  # fmt: skip
    """Return `values`, their tensors passed through one operation, and where the tensors are.

    Args:
        values: any; where no tensor among them requires grad, they come back as they are, with None.
        watch: gets the node of that operation.
    """
    where = [i for i, value in enumerate(values) if isinstance(value, TensorBase)]
    tensors: list[Any] = [values[i] for i in where]
    if not (is_grad_enabled() and any(t.requires_grad for t in tensors)):
        return values, None
    # By name: `nn` is above this file, and knows it.
    functions = importlib.import_module("nbmodule.nn.modules._functions")
    passed = functions.BackwardHookFunction.apply(*tensors)
    watch(next(t.grad_fn for t in passed if t.grad_fn is not None))
    changed = list(values)
    for i, t in zip(where, passed, strict=True):
        changed[i] = t
    return (tuple(changed) if type(values) is tuple else type(values)(*changed)), where


def _spread(where: Sequence[int], values: Sequence[Any], size: int) -> tuple:
    """Return `size` places that hold `values` at the places `where`, and None elsewhere."""
    places: list[Any] = [None] * size
    for i, value in zip(where, values, strict=True):
        places[i] = value
    return tuple(places)
