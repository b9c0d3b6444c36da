"""`Module`: an object that knows what it is made of.

A Module is a node of a tree. Its parameters, buffers and children lie in three dictionaries, its drawers:
``_parameters``, ``_buffers`` and ``_modules``. `__setattr__` sorts every assignment into them, `__getattr__` looks
names up in them, and everything else (`parameters`, `train`, `apply`, ...) walks the tree that they form.

The class is read from top to bottom: attributes, registration, the call, hooks, walks, paths, modes,
conversion, state, ``repr``. How a state is loaded, completely or not at all, is in `_state_dict.py`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html
"""

from __future__ import annotations

import functools
import importlib
import inspect
import warnings
import weakref
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Self

from ... import __future__ as choices
from ... import _dtypes, _factories
from ..._legacy import typename
from ..._tensor import Tensor, parse_to
from ...autograd import no_grad
from ...utils.hooks import BackwardHook, RemovableHandle
from ..common_types import _typed_by_forward
from ..parameter import Buffer, Parameter, is_lazy
from . import _state_dict

__all__ = [
    "Module",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

Hooks = dict[int, Callable]
"""Hooks by the id of their handle: an OrderedDict, so that one can be moved to the front."""

_EXTRA_STATE_KEY_SUFFIX = _state_dict.EXTRA_STATE

_HINT = "\nThe drawers of a Module are made by Module.__init__: call super().__init__() first."

_OLDEST_SLOTS = {"training", "_parameters", "_buffers", "_modules", "_forward_hooks", "_backward_hooks"}  # fmt: skip
"""The attributes that even the oldest pickled Module has."""


# ---- hooks for all modules at once

# Looked up by name at every call, because code gets rid of all global hooks by assigning empty dictionaries.
_global_buffer_registration_hooks: Hooks = OrderedDict()
_global_module_registration_hooks: Hooks = OrderedDict()
_global_parameter_registration_hooks: Hooks = OrderedDict()
_global_backward_pre_hooks: Hooks = OrderedDict()
_global_backward_hooks: Hooks = OrderedDict()
_global_is_full_backward_hook: bool | None = None
_global_forward_pre_hooks: Hooks = OrderedDict()
_global_forward_hooks: Hooks = OrderedDict()
_global_forward_hooks_always_called: dict[int, bool] = OrderedDict()
_global_forward_hooks_with_kwargs: dict[int, bool] = OrderedDict()


def register_module_buffer_registration_hook(hook: Callable) -> RemovableHandle:
    """Have ``hook(module, name, buffer)`` run whenever a module gets a buffer.

    What it returns, unless that is None, is registered instead.
    """
    return _add_hook(_global_buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook: Callable) -> RemovableHandle:
    """Have ``hook(module, name, child)`` run whenever a module gets a child.

    What it returns, unless that is None, is registered instead.
    """
    return _add_hook(_global_module_registration_hooks, hook)


def register_module_parameter_registration_hook(hook: Callable) -> RemovableHandle:
    """Have ``hook(module, name, parameter)`` run whenever a module gets a parameter.

    What it returns, unless that is None, is registered instead.
    """
    return _add_hook(_global_parameter_registration_hooks, hook)


def register_module_forward_pre_hook(hook: Callable) -> RemovableHandle:
    """Have ``hook(module, args)`` run before the `forward` of every module."""
    return _add_hook(_global_forward_pre_hooks, hook)


def register_module_forward_hook(hook: Callable, *, with_kwargs: bool = False, always_call: bool = False) -> RemovableHandle:  # fmt: skip
    """Have ``hook(module, args, output)`` run after the `forward` of every module.

    Args:
        hook: with `with_kwargs` it is called as ``hook(module, args, kwargs, output)``.
        with_kwargs: pass the keyword arguments too.
        always_call: run it also when `forward` raises, with None as output.
    """
    return _add_hook(
        _global_forward_hooks,
        hook,
        False,
        (_global_forward_hooks_with_kwargs, with_kwargs),
        (_global_forward_hooks_always_called, always_call),
    )


def register_module_backward_hook(hook: Callable) -> RemovableHandle:
    """Have ``hook(module, grad_input, grad_output)`` run on the last operation of every module.

    `register_module_full_backward_hook` has taken its place.

    Raises:
        RuntimeError: there are hooks of `register_module_full_backward_hook`.
    """
    return _add_global_backward_hook(hook, full=False)


def register_module_full_backward_pre_hook(hook: Callable) -> RemovableHandle:
    """Have ``hook(module, grad_output)`` run before the gradients of every module are computed."""
    return _add_hook(_global_backward_pre_hooks, hook)


def register_module_full_backward_hook(hook: Callable) -> RemovableHandle:
    """Have ``hook(module, grad_input, grad_output)`` run whenever gradients for a module's inputs are ready.

    Raises:
        RuntimeError: there are hooks of `register_module_backward_hook`.
    """
    return _add_global_backward_hook(hook, full=True)


def _add_global_backward_hook(hook: Callable, full: bool) -> RemovableHandle:
    global _global_is_full_backward_hook
    if _global_is_full_backward_hook is (not full):
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks as a global Module hook. "
            "Please use only one of them."
        )
    _global_is_full_backward_hook = full
    return _add_hook(_global_backward_hooks, hook)


def _add_hook(hooks: Hooks, hook: Callable, prepend: bool = False, *marks: tuple[dict[int, bool], bool]) -> RemovableHandle:  # fmt: skip
    """Put `hook` into `hooks`, and return the handle that takes it out again.

    Each of `marks` is a pair: the dictionary of the hooks that have some property, and whether this one has it.
    """
    handle = RemovableHandle(hooks, extra_dict=[true_of for true_of, _ in marks])
    for true_of, mark in marks:
        if mark:
            true_of[handle.id] = True
    hooks[handle.id] = hook  # last: from here on it may be called, and its marks say how
    if prepend:
        hooks.move_to_end(handle.id, last=False)  # type: ignore[attr-defined]
    return handle


class _WrappedHook:
    """A hook that is called with its module, but does not keep the module alive.

    Args:
        hook: a function.
        module: what to pass to it first; None passes nothing more.

    Raises:
        RuntimeError: on a call, when the module is gone.
    """

    def __init__(self, hook: Callable, module: Module | None = None) -> None:
        functools.update_wrapper(self, hook)
        self.hook = hook
        self.with_module = module is not None
        if module is not None:
            self.module = weakref.ref(module)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the hook."""
        if not self.with_module:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        state = {"hook": self.hook, "with_module": self.with_module}
        return {**state, "module": self.module()} if self.with_module else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.hook, self.with_module = state["hook"], state["with_module"]
        if self.with_module:
            if state["module"] is None:
                raise RuntimeError("You are trying to revive the hook of a dead Module!")
            self.module = weakref.ref(state["module"])


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What `load_state_dict` returns: the keys that were missing, and those that belong to nothing."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class Module:
    """The base class of everything that is built of parameters and of other modules.

    A subclass creates its parameters and its children in ``__init__``, after ``super().__init__()``, and computes
    the result of a call in ``forward``.

    Attributes:
        training: True after `train`, False after `eval`; layers such as Dropout look at it.
        call_super_init: a class that sets this to True passes extra arguments on to the next class in the
            method resolution order, as cooperative multiple inheritance needs it.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html

    Example:
        >>> import nbmodule.nn as nn
        >>> class Net(nn.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.fc = nn.Linear(4, 2)
        ...     def forward(self, x):
        ...         return self.fc(x)
        >>> Net()
        Net(
          (fc): Linear(in_features=4, out_features=2, bias=True)
        )
    """

    dump_patches: bool = False
    _version: int = 1
    call_super_init: bool = False

    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _non_persistent_buffers_set: set[str]
    _backward_pre_hooks: Hooks
    _backward_hooks: Hooks
    _is_full_backward_hook: bool | None
    _forward_hooks: Hooks
    _forward_hooks_with_kwargs: dict[int, bool]
    _forward_hooks_always_called: dict[int, bool]
    _forward_pre_hooks: Hooks
    _forward_pre_hooks_with_kwargs: dict[int, bool]
    _state_dict_hooks: Hooks
    _state_dict_pre_hooks: Hooks
    _load_state_dict_pre_hooks: Hooks
    _load_state_dict_post_hooks: Hooks
    _modules: dict[str, Module | None]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if (args or kwargs) and not self.call_super_init:
            _refuse_stray_arguments(type(self).__name__, args, kwargs)
        # Bypass our own __setattr__: it reads drawers that do not exist yet.
        super().__setattr__("training", True)
        slots = self.__dict__  # bypasses it too, and is quicker: a model creates thousands of slots
        slots["_parameters"] = {}
        slots["_buffers"] = {}
        slots["_non_persistent_buffers_set"] = set()
        slots["_backward_pre_hooks"] = OrderedDict()
        slots["_backward_hooks"] = OrderedDict()
        slots["_is_full_backward_hook"] = None
        slots["_forward_hooks"] = OrderedDict()
        slots["_forward_hooks_with_kwargs"] = OrderedDict()
        slots["_forward_hooks_always_called"] = OrderedDict()
        slots["_forward_pre_hooks"] = OrderedDict()
        slots["_forward_pre_hooks_with_kwargs"] = OrderedDict()
        slots["_state_dict_hooks"] = OrderedDict()
        slots["_state_dict_pre_hooks"] = OrderedDict()
        slots["_load_state_dict_pre_hooks"] = OrderedDict()
        slots["_load_state_dict_post_hooks"] = OrderedDict()
        slots["_modules"] = {}
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    # ---- attributes: what is assigned goes into a drawer, and is looked up there

    def __setattr__(self, name: str, value: Any) -> None:
        """Sort `value` into the drawer for its kind; a name lives in one place only."""
        slots = self.__dict__
        parameters = slots.get("_parameters")
        is_tensor = isinstance(value, Tensor)  # a Parameter is one, and this is quicker to tell
        if is_tensor and isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError(
                    "cannot assign parameters before Module.__init__() call" + _HINT
                )
            _evict(self, name, keep=parameters)
            self.register_parameter(name, value)
        elif parameters is not None and name in parameters:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as parameter '{name}' "
                    "(nbmodule.nn.Parameter or None expected)"
                )
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            if "_modules" not in slots:
                raise AttributeError("cannot assign module before Module.__init__() call" + _HINT)
            _evict(self, name, keep=slots["_modules"])
            _put_child(self, name, value)
        elif name in slots.get("_modules", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as child module '{name}' "
                    "(nbmodule.nn.Module or None expected)"
                )
            _put_child(self, name, value)
        elif (is_tensor and isinstance(value, Buffer)) or name in slots.get("_buffers", ()):
            _set_buffer(self, name, value)
        else:
            super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        """Look into the drawers. Python asks only after the ordinary places have failed."""
        slots = self.__dict__
        if "_parameters" in slots and name in slots["_parameters"]:
            return slots["_parameters"][name]
        if "_buffers" in slots and name in slots["_buffers"]:
            return slots["_buffers"][name]
        if "_modules" in slots and name in slots["_modules"]:
            return slots["_modules"][name]
        hint = _HINT if name in Module.__annotations__ and "_modules" not in slots else ""
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'{hint}")

    def __delattr__(self, name: str) -> None:
        """Delete from the drawer that holds `name`, or as from any object."""
        if name in self._parameters:
            del self._parameters[name]
        elif name in self._buffers:
            del self._buffers[name]
            self._non_persistent_buffers_set.discard(name)
        elif name in self._modules:
            del self._modules[name]
        else:
            super().__delattr__(name)

    def __dir__(self) -> list[str]:
        """List what lies in the drawers too, except for names such as "0", which cannot follow a dot."""
        names = [*dir(type(self)), *self.__dict__]
        for drawer in (self._parameters, self._modules, self._buffers):
            names += drawer
        return sorted(name for name in names if not name[0].isdigit())

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__.copy()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickled `state`, and add the attributes that it lacks because an older version wrote it."""
        self.__dict__.update(state)
        for name, slot in vars(Module()).items():
            if name not in _OLDEST_SLOTS:
                self.__dict__.setdefault(name, slot)

    # ---- registration

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that belongs to the state but is not learned, such as a running mean.

        Args:
            name: the attribute that it becomes, ``module.name``.
            tensor: its value; None reserves the name.
            persistent: whether ``state_dict()`` holds it.

        Raises:
            AttributeError: ``super().__init__()`` was not called yet.
            KeyError: `name` is empty, contains ".", or belongs to something else.
            TypeError: `name` is not a string, or `tensor` is not a Tensor.
        """
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call" + _HINT)
        _check_name(self, "buffer", name, self._buffers)
        if tensor is not None and not _is_tensor_like(tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' "
                "(nbmodule Tensor or None required)"
            )
        for hook in _global_buffer_registration_hooks.values():
            changed = hook(self, name, tensor)
            tensor = tensor if changed is None else changed
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)
        self._buffers[name] = tensor  # last: if a hook raises, there is no buffer

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter under `name`; None reserves the name of an optional one.

        Raises:
            AttributeError: ``super().__init__()`` was not called yet.
            KeyError: `name` is empty, contains ".", or belongs to something else.
            TypeError: `name` is not a string, or `param` is not a Parameter.
            ValueError: `param` was made by a recorded operation.
        """
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call" + _HINT)
        _check_name(self, "parameter", name, self._parameters)
        if param is not None:
            if not isinstance(param, Parameter):
                raise TypeError(
                    f"cannot assign '{typename(param)}' object to parameter '{name}' "
                    "(nbmodule.nn.Parameter or None required)"
                )
            if param.grad_fn is not None:
                raise ValueError(
                    f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created "
                    f"explicitly. To express '{name}' as a function of another Tensor, compute the value in "
                    "the forward() method."
                )
            if _global_parameter_registration_hooks:
                for hook in _global_parameter_registration_hooks.values():
                    changed = hook(self, name, param)
                    param = param if changed is None else changed
        self._parameters[name] = param

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a child under `name`; ``module.name`` finds it.

        Raises:
            TypeError: `module` is not a Module, or `name` not a string.
            KeyError: `name` is empty, contains ".", or belongs to something else.
        """
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        _check_name(self, "module", name, self._modules)
        _put_child(self, name, module)

    def register_module(self, name: str, module: Module | None) -> None:
        """Do what `add_module` does, by a name like `register_buffer` and `register_parameter`."""
        self.add_module(name, module)

    # ---- the call

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the result of a call. Every subclass that is called defines it.

        Call the module itself, ``module(x)``, not ``module.forward(x)``, which runs no hooks.
        """
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    @_typed_by_forward
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the forward pre-hooks, `forward`, and the forward hooks."""
        # Nearly every call ends here, with no other price for hooks than a look at eight empty dictionaries.
        if not (
            self._backward_hooks
            or self._backward_pre_hooks
            or self._forward_hooks
            or self._forward_pre_hooks
            or _global_backward_pre_hooks
            or _global_backward_hooks
            or _global_forward_hooks
            or _global_forward_pre_hooks
        ):
            return self.forward(*args, **kwargs)
        result, on_gradients, last_operation_hooks, done = None, None, [], []
        try:
            forward = self.forward  # before the hooks, which may put another in its place
            if (
                self._backward_hooks
                or self._backward_pre_hooks
                or _global_backward_hooks
                or _global_backward_pre_hooks
            ):
                pre_hooks = self._get_backward_pre_hooks()
                full_hooks, last_operation_hooks = self._get_backward_hooks()
                if full_hooks or pre_hooks:
                    on_gradients = BackwardHook(self, full_hooks, pre_hooks)
            if _global_forward_pre_hooks or self._forward_pre_hooks:
                for number, hook in (*_global_forward_pre_hooks.items(), *self._forward_pre_hooks.items()):  # fmt: skip
                    if number in self._forward_pre_hooks_with_kwargs:
                        changed = hook(self, args, kwargs)
                        if changed is not None:
                            if not (isinstance(changed, tuple) and len(changed) == 2):
                                raise RuntimeError(
                                    "forward pre-hook must return None or a tuple of (new_args, new_kwargs), "
                                    f"but got {changed}."
                                )
                            args, kwargs = changed
                    else:
                        changed = hook(self, args)
                        if changed is not None:
                            args = changed if isinstance(changed, tuple) else (changed,)
            if on_gradients is not None:
                args = on_gradients.setup_input_hook(args)
            result = forward(*args, **kwargs)
            if _global_forward_hooks or self._forward_hooks:
                for number, hook in (*_global_forward_hooks.items(), *self._forward_hooks.items()):
                    done.append(number)
                    if number in self._forward_hooks_with_kwargs or number in _global_forward_hooks_with_kwargs:  # fmt: skip
                        changed = hook(self, args, kwargs, result)
                    else:
                        changed = hook(self, args, result)
                    if changed is not None:
                        result = changed
            if on_gradients is not None:
                if not isinstance(result, (Tensor, tuple)):
                    warnings.warn(
                        "For backward hooks to be called, module output should be a Tensor or a tuple of "
                        f"Tensors but received {type(result)}",
                        stacklevel=2,
                    )
                result = on_gradients.setup_output_hook(result)
            if last_operation_hooks:
                _hook_last_operation(self, last_operation_hooks, args, result)
            return result
        except Exception:
            _run_always_called(self, args, kwargs, result, done)
            raise

    _call_impl = _wrapped_call_impl = __call__  # PyTorch's names, which some code calls itself

    def _get_backward_hooks(self) -> tuple[list[Callable], list[Callable]]:
        """Return the full backward hooks, and those that sit on the last operation; the global ones first."""
        hooks: dict[bool | None, list[Callable]] = {True: [], False: [], None: []}
        hooks[_global_is_full_backward_hook] += _global_backward_hooks.values()
        hooks[self._is_full_backward_hook] += self._backward_hooks.values()
        return hooks[True], hooks[False]

    def _get_backward_pre_hooks(self) -> list[Callable]:
        return [*_global_backward_pre_hooks.values(), *self._backward_pre_hooks.values()]

    # ---- hooks around the call: https://docs.pytorch.org/docs/stable/notes/modules.html#module-hooks

    def register_forward_pre_hook(self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False) -> RemovableHandle:  # fmt: skip
        """Have ``hook(module, args)`` run before `forward`; what it returns replaces the arguments.

        Args:
            hook: with `with_kwargs` it is called as ``hook(module, args, kwargs)``, and returns both or None.
            prepend: run it before the hooks that are there already.
            with_kwargs: pass the keyword arguments too.
        """
        return _add_hook(
            self._forward_pre_hooks,
            hook,
            prepend,
            (self._forward_pre_hooks_with_kwargs, with_kwargs),
        )

    def register_forward_hook(self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False) -> RemovableHandle:  # fmt: skip
        """Have ``hook(module, args, output)`` run after `forward`; what it returns replaces the output.

        Args:
            hook: with `with_kwargs` it is called as ``hook(module, args, kwargs, output)``.
            prepend: run it before the hooks that are there already.
            with_kwargs: pass the keyword arguments too.
            always_call: run it also when `forward` raises, with None as output.
        """
        return _add_hook(
            self._forward_hooks,
            hook,
            prepend,
            (self._forward_hooks_with_kwargs, with_kwargs),
            (self._forward_hooks_always_called, always_call),
        )

    # *Full* hooks stand between the module and its neighbors: they see the gradients of its outputs and of
    # its inputs (`nbmodule/utils/hooks.py`). The older kind sits on the last operation of the module, and sees
    # the inputs of that operation.

    def register_full_backward_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:  # fmt: skip
        """Have ``hook(module, grad_output)`` run when the gradients of the outputs are there.

        Args:
            hook: what it returns, unless that is None, replaces them.
            prepend: run it before the hooks that are there already.
        """
        return _add_hook(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Have ``hook(module, grad_input, grad_output)`` run when the gradients of the inputs are there.

        Args:
            hook: what it returns, unless that is None, replaces ``grad_input``. Both arguments are tuples, with
                None for what is no tensor or wants no gradient; arguments by keyword are not in them.
            prepend: run it before the hooks that are there already.

        Raises:
            RuntimeError: the module has hooks of `register_backward_hook`.
        """
        _choose_backward_hooks(self, full=True)
        return _add_hook(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook: Callable) -> RemovableHandle:
        """Have ``hook(module, grad_input, grad_output)`` run on the last operation of the module.

        `register_full_backward_hook` has taken its place: where `forward` takes several steps, ``grad_input``
        belongs to the last of them, and a call warns.

        Raises:
            RuntimeError: the module has hooks of `register_full_backward_hook`.
        """
        _choose_backward_hooks(self, full=False)
        return _add_hook(self._backward_hooks, hook)

    # ---- walking the tree

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Yield each child with its name, every module once."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """Yield the children, every module once."""
        for _, module in self.named_children():
            yield module

    def named_modules(self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True) -> Iterator[tuple[str, Module]]:  # fmt: skip
        """Yield this module and all below it with their paths, parents first.

        Args:
            memo: the modules that were met already.
            prefix: put before every path.
            remove_duplicate: yield a module that occurs in several places only once.
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is None:
                continue
            path = prefix + ("." if prefix else "") + name
            if module._modules or type(module).named_modules is not Module.named_modules:
                yield from module.named_modules(memo, path, remove_duplicate)
            elif module not in memo:  # a leaf, as most modules are: without a generator of its own
                if remove_duplicate:
                    memo.add(module)
                yield path, module

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """Yield this module and all below it, parents first."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def _named_members(self, get_members_fn: Callable[[Module], Iterable[tuple[str, Any]]], prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Iterator[tuple[str, Any]]:  # fmt: skip
        """Yield what `get_members_fn` returns for each module, with the paths, and without what is None."""
        seen = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        for path, module in modules if recurse else [(prefix, self)]:
            for name, value in get_members_fn(module):
                if value is not None and value not in seen:
                    if remove_duplicate:
                        seen.add(value)
                    yield path + ("." if path else "") + name, value

    def named_parameters(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Iterator[tuple[str, Parameter]]:  # fmt: skip
        """Yield each parameter here and, with `recurse`, below, with its path."""
        members = self._named_members(lambda m: m._parameters.items(), prefix, recurse, remove_duplicate)  # fmt: skip
        return iter(members)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Yield the parameters here and, with `recurse`, below; each once."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:  # fmt: skip
        """Yield each buffer here and, with `recurse`, below, with its path."""
        members = self._named_members(lambda m: m._buffers.items(), prefix, recurse, remove_duplicate)  # fmt: skip
        return iter(members)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Yield the buffers here and, with `recurse`, below; each once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    # ---- by path

    def get_submodule(self, target: str) -> Module:
        """Return the module at the path `target`, such as "net.0.conv"; "" is this one.

        Raises:
            AttributeError: a step of the path is missing, or is no Module.
        """
        if target == "":
            return self
        module = self
        for name in target.split("."):
            module = _child(module, name)
        return module

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Put `module` at the path `target`, such as "net.0.conv", replacing the module that is there.

        Args:
            target: the path.
            module: what to put there.
            strict: raise where there is nothing yet.

        Raises:
            ValueError: `target` is empty, or `module` is no Module.
            AttributeError: a step of the path is missing, or what is there is no Module.
        """
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict or hasattr(parent, name):
            _child(parent, name)
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter at the path `target`.

        Raises:
            AttributeError: a step of the path is missing, or there is no parameter at its end.
        """
        path, _, name = target.rpartition(".")
        parameter = _attribute(self.get_submodule(path), name)
        if not isinstance(parameter, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return parameter

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer at the path `target`.

        Raises:
            AttributeError: a step of the path is missing, or there is no buffer at its end.
        """
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        buffer = _attribute(module, name)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return buffer

    # ---- for the whole tree below

    def apply(self, fn: Callable[[Module], None]) -> Self:
        """Call `fn` on every module below, then on this one, and return this one."""
        cls, plain = None, False
        for module in self.children():
            if type(module) is not cls:  # ask once for siblings of one class
                cls = type(module)
                plain = _walks_plainly(cls) and cls.apply is Module.apply
            if plain and not module._modules:  # a leaf, as most modules are: no call for it
                fn(module)
            else:
                module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Self:
        """Set ``training`` here and below, and return the module.

        Raises:
            ValueError: `mode` is not a bool.
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children() if _has_children(self) else ():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Set ``training`` to False here and below. Gradients are computed all the same."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Freeze (False) or unfreeze all parameters, and return the module."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradients of all parameters to None, or to 0 where `set_to_none` is False."""
        for parameter in self.parameters():
            grad = parameter.grad
            if grad is None:
                continue
            if set_to_none:
                parameter.grad = None
                continue
            if grad.grad_fn is not None:
                grad.detach_()
            else:
                grad.requires_grad_(False)
            grad.zero_()

    # ---- other types, other devices

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replace the values of all parameters, gradients and buffers with ``fn`` of them.

        The Parameter objects stay the same wherever they can, because an optimizer holds them.
        """
        for module in self.children() if recurse and _has_children(self) else ():
            module._apply(fn)
        for name, parameter in self._parameters.items():
            if parameter is not None:
                self._parameters[name] = _converted(parameter, fn)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Move all parameters and buffers to a device, and the floating point ones to a dtype.

        Call it as ``to(device)``, ``to(dtype)``, ``to(device, dtype)`` or ``to(tensor)``. It changes the module
        itself, and returns it. `memory_format` lays out what has four or five dimensions; `non_blocking` is
        accepted and has no effect.

        Raises:
            TypeError: the dtype is not a floating point one, or the arguments fit no form.
            NotImplementedError: a tensor on the "meta" device has no values to move; see `to_empty`.
        """
        dtype, device, copy = parse_to(*args, **kwargs)
        if copy is not None:
            raise RuntimeError(".to() does not accept copy argument")
        if dtype is not None and not dtype.is_floating_point:
            raise TypeError(
                _dtypes.NO_COMPLEX
                if dtype.is_complex
                else "nn.Module.to only accepts floating point or complex dtypes, but got desired "
                f"dtype={dtype!r}"
            )
        layout = kwargs.get("memory_format")

        def convert(t: Tensor) -> Tensor:
            if device is None and layout is None:
                return t.to(dtype) if t.is_floating_point() else t
            target: dict[str, Any] = {
                "device": device,
                "dtype": dtype if t.is_floating_point() else None,
            }
            if layout is not None and t.dim() in (4, 5):
                target["memory_format"] = layout
            try:
                return t.to(**target)
            except NotImplementedError as error:
                if str(error) != "Cannot copy out of meta tensor; no data!":
                    raise
                raise NotImplementedError(
                    f"{error} Please use nbmodule.nn.Module.to_empty() instead of nbmodule.nn.Module.to() when "
                    "moving module from meta to a different device."
                ) from None

        return self._apply(convert)

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """Move all parameters and buffers to `device` without their values, and return the module.

        Args:
            device: where to allocate them.
            recurse: whether to do the same below.
        """
        return self._apply(lambda t: _factories.empty_like(t, device=device), recurse=recurse)

    def cpu(self) -> Self:
        """Move all parameters and buffers to the CPU."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device: Any = None) -> Self:
        """Move all parameters and buffers to a GPU."""
        return self._apply(lambda t: t.to("cuda" if device is None else device))

    def type(self, dst_type: Any) -> Self:
        """Cast all parameters and buffers to `dst_type`."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self) -> Self:
        """Cast all floating point parameters and buffers to float32."""
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self) -> Self:
        """Cast all floating point parameters and buffers to float64."""
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def half(self) -> Self:
        """Cast all floating point parameters and buffers to float16."""
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def share_memory(self) -> Any:
        """Refuse: the arrays of NumPy cannot be moved to memory that processes share.

        Raises:
            NotImplementedError: always.
        """
        for tensor in (*self.parameters(), *self.buffers()):
            if is_lazy(tensor):
                tensor.share_memory_()  # it refuses in words of its own
        raise NotImplementedError(
            "share_memory() is not supported: the arrays of NumPy live in the memory of one process. "
            "Send a state_dict() to the other process instead."
        )

    # ---- state: all parameters and persistent buffers, by their paths
    # https://docs.pytorch.org/docs/stable/notes/serialization.html#saving-and-loading-torch-nn-modules

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> dict[str, Any]:  # fmt: skip
        """Return all parameters and persistent buffers, here and below, by their paths.

        The tensors share the module's memory: copy what must not change when training goes on.

        Args:
            *args: the following three by position, as older code passes them.
            destination: a mapping to write into, and to return; by default a new OrderedDict.
            prefix: put before every path.
            keep_vars: hand out the parameters themselves, not detached tensors.
        """
        if args:
            warnings.warn(_state_dict.POSITIONAL, FutureWarning, stacklevel=2)
            # An argument by keyword wins over the same one by position.
            destination = args[0] if destination is None else destination
            if len(args) > 1 and prefix == "":
                prefix = args[1]
            if len(args) > 2 and keep_vars is False:
                keep_vars = args[2]
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()  # type: ignore[attr-defined]
        local_metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local_metadata
        if self._state_dict_pre_hooks:
            for hook in self._state_dict_pre_hooks.values():
                hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(
                    destination=destination, prefix=prefix + name + ".", keep_vars=keep_vars
                )
        if self._state_dict_hooks:
            for hook in self._state_dict_hooks.values():
                changed = hook(self, destination, prefix, local_metadata)
                if changed is not None:
                    if getattr(hook, "_from_public_api", False):
                        raise RuntimeError("state_dict post-hook must return None")
                    destination = changed
        return destination

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Write what this module itself holds into `destination`; subclasses may add to it.

        Args:
            destination: a mapping.
            prefix: the path of this module, with a dot at its end.
            keep_vars: write the tensors themselves, not detached ones.
        """
        detached = _state_dict.detached
        for name, parameter in self._parameters.items():
            if parameter is not None:
                destination[prefix + name] = parameter if keep_vars else detached(parameter)
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = buffer if keep_vars else detached(buffer)
        if type(self).get_extra_state is not Module.get_extra_state:
            destination[prefix + _EXTRA_STATE_KEY_SUFFIX] = self.get_extra_state()

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> _IncompatibleKeys:  # fmt: skip
        """Copy the tensors of `state_dict` into the parameters and buffers, here and below.

        Args:
            state_dict: tensors by the paths that ``self.state_dict()`` has.
            strict: raise where the keys differ.
            assign: put the tensors themselves in place of the old ones, with their dtype and device.

        Returns:
            A named tuple of ``missing_keys`` and ``unexpected_keys``.

        Raises:
            TypeError: `state_dict` is no mapping.
            RuntimeError: a shape differs, a value is no tensor, or, with `strict`, a key is missing or
                unexpected. One message lists them all, and the module is left as it was.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        keys = _IncompatibleKeys([], [])
        _state_dict.load(self, state_dict, strict, assign, keys, Module)
        return keys

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: dict[str, Any], strict: bool, missing_keys: list[str], unexpected_keys: list[str], error_msgs: list[str]) -> None:  # fmt: skip
        """Load what this module itself holds; subclasses may translate an old format first.

        Args:
            state_dict: the whole mapping, or the part of it below this module.
            prefix: the path of this module, with a dot at its end.
            local_metadata: what `state_dict` recorded about this module, such as its "version".
            strict: whether to collect missing and unexpected keys.
            missing_keys: a list to add to.
            unexpected_keys: a list to add to.
            error_msgs: a list to add to.
        """
        noted = strict, missing_keys, unexpected_keys, error_msgs
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, *noted)
        assign = local_metadata.get("assign_to_params_buffers", False)
        has_extra_state = type(self).set_extra_state is not Module.set_extra_state
        _state_dict.load_one(self, state_dict, prefix, assign, has_extra_state, *noted)

    def get_extra_state(self) -> Any:
        """Return what else belongs to the state. Override it together with `set_extra_state`."""
        raise RuntimeError(_state_dict.NEVER.format("get_extra_state"))

    def set_extra_state(self, state: Any) -> None:
        """Restore what `get_extra_state` returned. Override it together with that."""
        raise RuntimeError(_state_dict.NEVER.format("set_extra_state"))

    def register_state_dict_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Have ``hook(module, prefix, keep_vars)`` run before `state_dict` saves this module."""
        return _add_hook(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable) -> RemovableHandle:
        """Have ``hook(module, state_dict, prefix, local_metadata)`` run after `state_dict` has saved this module.

        It changes ``state_dict`` in place, and returns None.
        """
        hook._from_public_api = True  # type: ignore[attr-defined]
        return _add_hook(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook: Callable) -> RemovableHandle:
        """Do what `register_state_dict_post_hook` does, but take what `hook` returns as the state.

        Raises:
            RuntimeError: `hook` was registered by `register_state_dict_post_hook` before.
        """
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously registered "
                "via register_state_dict_post_hook"
            )
        return _add_hook(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Have ``hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)`` run before this module is loaded."""  # fmt: skip
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(self, hook: Callable, with_module: bool = False) -> RemovableHandle:  # fmt: skip
        """Have `hook` run before this module is loaded, with the arguments of ``_load_from_state_dict``.

        Args:
            hook: a function; it may change the state, and the lists of what is wrong.
            with_module: pass the module before the other arguments.
        """
        wrapped = _WrappedHook(hook, self if with_module else None)
        return _add_hook(self._load_state_dict_pre_hooks, wrapped)

    def register_load_state_dict_post_hook(self, hook: Callable) -> RemovableHandle:
        """Have ``hook(module, incompatible_keys)`` run after this module and all below were loaded.

        It may change the two lists in place, and returns None.
        """
        return _add_hook(self._load_state_dict_post_hooks, hook)

    # ---- showing itself

    def extra_repr(self) -> str:
        """Return what ``repr`` shows in the parentheses; subclasses override it."""
        return ""

    def _get_name(self) -> str:
        return self.__class__.__name__

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        if len(lines) == 1 and not self._modules:
            return f"{self._get_name()}({extra})"
        # Not a comprehension: in Python 3.11 that is a call of its own, and nests deep models twice as deep.
        for name, module in self._modules.items():
            lines.append(f"({name}): {_indented(repr(module))}")
        body = "".join(f"\n  {line}" for line in lines)
        return f"{self._get_name()}({body}\n)" if lines else f"{self._get_name()}()"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any] | None:
        """Show the module as a live tree where the views are installed; else Jupyter uses ``repr``."""
        try:  # by name, not by an import statement: the library must not depend on the views
            views = importlib.import_module("nbmodule_widgets")
        except ModuleNotFoundError:
            return None
        return views.mimebundle(self, include=include, exclude=exclude)


# ---- helpers of the methods above, in their order


def _refuse_stray_arguments(name: str, args: tuple, kwargs: dict[str, Any]) -> None:
    if kwargs:
        raise TypeError(
            f"{name}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
        )
    raise TypeError(f"{name}.__init__() takes 1 positional argument but {len(args) + 1} were given")


def _evict(module: Module, name: str, keep: dict[str, Any]) -> None:
    """Take `name` out of every place but the drawer `keep`."""
    for place in (module.__dict__, module._parameters, module._buffers, module._modules):
        if place is not keep:
            place.pop(name, None)
    module._non_persistent_buffers_set.discard(name)


def _put_child(module: Module, name: str, child: Any) -> None:
    if _global_module_registration_hooks:
        for hook in _global_module_registration_hooks.values():
            changed = hook(module, name, child)
            child = child if changed is None else changed
    module._modules[name] = child


def _set_buffer(module: Module, name: str, value: Any) -> None:
    """Put a tensor (or None) into ``_buffers``; a name that is there already stays persistent or not."""
    if value is not None and not _is_tensor_like(value):
        raise TypeError(
            f"cannot assign '{typename(value)}' as buffer '{name}' "
            "(nbmodule.nn.Buffer, nbmodule.Tensor or None expected)"
        )
    if isinstance(value, Buffer):
        persistent = value.persistent  # type: ignore[attr-defined]
    else:
        persistent = name not in module._non_persistent_buffers_set
    if type(module).register_buffer is Module.register_buffer or _takes_persistent(module):
        module.register_buffer(name, value, persistent)
    elif persistent:
        module.register_buffer(name, value)
    else:
        raise RuntimeError(
            "Registering a non-persistent buffer on a Module subclass that implements register_buffer() "
            "without the persistent argument is not allowed."
        )


def _is_tensor_like(value: Any) -> bool:
    """Return whether `value` is a tensor, or acts as one by PyTorch's protocol."""
    return isinstance(value, Tensor) or hasattr(value, "__torch_function__")


def _takes_persistent(module: Module) -> bool:
    """Return whether `register_buffer`, overridden by a subclass, takes the argument `persistent`."""
    return "persistent" in inspect.signature(module.register_buffer).parameters


def _check_name(module: Module, kind: str, name: str, drawer: dict[str, Any]) -> None:
    """Raise unless `name` can be the name of an entry in `drawer`."""
    if not isinstance(name, str):
        raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
    taken = name not in drawer and _has(module, name)
    if taken and kind == "module":
        raise KeyError(f"attribute '{name}' already exists")
    if "." in name:
        got = f", got: {name}" if kind == "module" else ""
        raise KeyError(f'{kind} name can\'t contain "."{got}')
    if name == "":
        raise KeyError(f'{kind} name can\'t be empty string ""')
    if taken:
        raise KeyError(f"attribute '{name}' already exists")


def _has(module: Module, name: str) -> bool:
    """Return ``hasattr(module, name)``, which for a new name would first make an error and its message."""
    cls = type(module)
    if (
        hasattr(cls, name)
        or cls.__getattr__ is not Module.__getattr__
        or cls.__getattribute__ is not object.__getattribute__
    ):
        return hasattr(module, name)
    return (
        name in module.__dict__
        or name in module._parameters
        or name in module._buffers
        or name in module._modules
    )


def _run_always_called(module: Module, args: tuple, kwargs: dict[str, Any], result: Any, done: list[int]) -> None:  # fmt: skip
    """After an error: run the hooks that asked for it and have not run yet."""
    own = module._forward_hooks_with_kwargs
    for everywhere, hooks, asked, with_kwargs in (
        ("global ", _global_forward_hooks, _global_forward_hooks_always_called, {}),
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
                    stacklevel=3,
                )


def _choose_backward_hooks(module: Module, full: bool) -> None:
    if module._is_full_backward_hook is (not full):
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use "
            "only one of them."
        )
    module._is_full_backward_hook = full


def _hook_last_operation(module: Module, hooks: list[Callable], inputs: Any, result: Any) -> None:
    """Put `hooks` on the operation that made the first tensor in `result`, and warn of what they will not see."""
    first = result
    while not isinstance(first, Tensor):
        if isinstance(first, dict):
            first = next(v for v in first.values() if isinstance(v, Tensor))
        else:
            first = first[0]
    operation = first.grad_fn
    if operation is None:
        return
    for hook in hooks:
        operation.register_hook(_WrappedHook(hook, module))
    outputs, tensors = _all_tensors(result), _all_tensors(inputs)
    unseen, instead = "some grad_output", True
    if outputs is None:
        use = "hooks on a Module that does not return a single Tensor or a tuple of Tensors"
        unseen = "some of the grad_output"
    elif tensors is None:
        use = "hooks on a Module that does not take as input a single Tensor or a tuple of Tensors"
        unseen = "some of the grad_input"
    elif len(makers := {t.grad_fn for t in outputs if t.grad_fn is not None}) > 1:
        use = "hook when outputs are generated by different autograd Nodes"
    elif operation not in makers:
        use, instead = "hook when outputs are nested in python data structure", False
    elif {n for n, _ in operation.next_functions} != {t.grad_fn for t in tensors} - {None}:
        use = "hook when the forward contains multiple autograd Nodes"
        unseen = "some grad_input"
    else:
        return
    article = "a " if use.startswith("hook ") else ""
    advice = " Please use register_full_backward_hook to get the documented behavior."
    warnings.warn(
        f"Using {article}non-full backward {use} is deprecated and will be removed in future versions. This "
        f"hook will be missing {unseen}.{advice if instead else ''}",
        FutureWarning,
        stacklevel=3,
    )


def _all_tensors(values: Any) -> tuple[Tensor, ...] | None:
    """Return the tensors in `values`, a tensor or a tuple; None where there is anything else."""
    values = (values,) if isinstance(values, Tensor) else values
    if isinstance(values, tuple) and all(isinstance(v, Tensor) for v in values):
        return values
    return None


def _has_children(module: Module) -> bool:
    """Return False for a leaf, as most modules are: asking for its `children` would start generators for nothing."""
    return bool(module._modules) or not _walks_plainly(type(module))


def _walks_plainly(cls: type[Module]) -> bool:
    """Return whether `cls` has not overridden `children`: then `_modules` says all about them."""
    return cls.children is Module.children and cls.named_children is Module.named_children


def _child(module: Module, name: str) -> Module:
    """Return the child called `name`."""
    child = _attribute(module, name)
    if not isinstance(child, Module):
        raise AttributeError(f"`{name}` is not an nn.Module")
    return child


def _attribute(module: Module, name: str) -> Any:
    if not hasattr(module, name):
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    return getattr(module, name)


def _converted(parameter: Parameter, fn: Callable[[Tensor], Tensor]) -> Parameter:
    """Put ``fn(parameter)`` into `parameter`, or into a new one where the old cannot hold it."""
    with no_grad():
        values = fn(parameter)
    grad, result = parameter.grad, parameter
    if _can_hold(parameter, values):
        parameter.data = values
    else:
        result = Parameter(values, parameter.requires_grad)
    if grad is not None:
        with no_grad():
            values = fn(grad)
        if _can_hold(grad, values):
            grad.data = values
        else:
            result.grad = values.requires_grad_(grad.requires_grad)
    return result


def _can_hold(old: Tensor, new: Tensor) -> bool:
    """Return whether `old` can take over the memory of `new`; on the "meta" device there is none.

    Raises:
        TypeError: `new` is no tensor.
    """
    if not isinstance(new, Tensor):
        raise TypeError(
            "_has_compatible_shallow_copy_type(): argument 'from' (position 2) must be Tensor, not "
            f"{type(new).__name__}\nA function that converts the parameters of a Module returns tensors."
        )
    if choices.get_overwrite_module_params_on_conversion():
        return choices.get_swap_module_params_on_conversion()
    return old.is_meta == new.is_meta


def _indented(text: str) -> str:
    """Return `text` with every line but the first indented, and empty ones left empty."""
    first, *rest = text.split("\n")
    return "\n".join([first, *("  " + line if line.strip() else "" for line in rest)])
