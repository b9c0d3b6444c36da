"""`Module`: an object that keeps books on what it is made of.

A Module is a node of a tree. What it learns, remembers and consists of lies in three dictionaries,
``_parameters``, ``_buffers`` and ``_modules``; `__setattr__` sorts every assignment into them, `__getattr__`
finds it again, and everything else (`parameters`, `train`, `apply`, ...) walks over them.

What is said here in one line, such as ``state_dict = _state_dict.state_dict``, is a function of the file of
that topic, next to this one.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html
"""

from __future__ import annotations

import importlib
from collections import OrderedDict
from typing import Any

from ..._tensor import Tensor
from ..common_types import _typed_by_forward
from ..parameter import Buffer, Parameter
from . import (
    _calling,
    _conversion,
    _gradient_hooks,
    _load_state_dict,
    _paths,
    _registration,
    _state_dict,
    _walks,
)
from ._global_hooks import (
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from ._hooks import Hooks, WrappedHook
from ._load_state_dict import _IncompatibleKeys
from ._registration import HINT, _evict, _put_child, _set_buffer, name_methods, type_name

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

# The hooks for all modules at once.
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

_EXTRA_STATE_KEY_SUFFIX = _state_dict.EXTRA_STATE
_WrappedHook = WrappedHook

_NEWER_SLOTS = (
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
    "_non_persistent_buffers_set",
    "_is_full_backward_hook",
    "_backward_pre_hooks",
)
"""What a Module that was pickled long ago may lack."""


class Module:
    """The base class of everything that is built of parameters and of other modules.

    A subclass creates its parts in ``__init__``, after ``super().__init__()``, and says in ``forward`` what
    a call computes.

    Attributes:
        training: True after `train`, False after `eval`; layers such as Dropout look at it.
        call_super_init: a class that sets this to True passes stray arguments on to the next class in
            line, which cooperative multiple inheritance needs.

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
        # Past our own __setattr__: it looks into drawers that are only being made.
        super().__setattr__("training", True)
        slots = self.__dict__  # the same way past it, and quicker: a model makes thousands of slots
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

    # ---- the clerk: attributes go into drawers, and are found there

    def __setattr__(self, name: str, value: Any) -> None:
        """Sort `value` into the drawer for its kind; a name lives in one place only."""
        slots = self.__dict__
        parameters = slots.get("_parameters")
        is_tensor = isinstance(value, Tensor)  # a Parameter is one, and this is quicker to tell
        if is_tensor and isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError(
                    "cannot assign parameters before Module.__init__() call" + HINT
                )
            _evict(self, name, keep=parameters)
            self.register_parameter(name, value)
        elif parameters is not None and name in parameters:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{type_name(value)}' as parameter '{name}' "
                    "(nbmodule.nn.Parameter or None expected)"
                )
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            if "_modules" not in slots:
                raise AttributeError("cannot assign module before Module.__init__() call" + HINT)
            _evict(self, name, keep=slots["_modules"])
            _put_child(self, name, value)
        elif name in slots.get("_modules", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{type_name(value)}' as child module '{name}' "
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
        hint = HINT if name in Module.__annotations__ and "_modules" not in slots else ""
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
        """List also what lies in the drawers, except names such as "0" that cannot be typed."""
        names = [*dir(type(self)), *self.__dict__]
        for drawer in (self._parameters, self._modules, self._buffers):
            names += drawer
        return sorted(name for name in names if not name[0].isdigit())

    # ---- registration

    register_parameter = _registration.register_parameter
    register_buffer = _registration.register_buffer
    add_module = _registration.add_module
    register_module = _registration.register_module

    # ---- calling

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Say what a call computes. Every subclass that is called defines it.

        Call the module itself, ``module(x)``, not ``module.forward(x)``, which runs no hooks.
        """
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    @_typed_by_forward
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the forward pre-hooks, `forward`, and the forward hooks."""
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
        return _calling.call_with_hooks(self, args, kwargs)

    _call_impl = _wrapped_call_impl = __call__

    register_forward_pre_hook = _calling.register_forward_pre_hook
    register_forward_hook = _calling.register_forward_hook
    register_full_backward_pre_hook = _gradient_hooks.register_full_backward_pre_hook
    register_full_backward_hook = _gradient_hooks.register_full_backward_hook
    register_backward_hook = _gradient_hooks.register_backward_hook

    # ---- walking the tree

    named_children = _walks.named_children
    children = _walks.children
    named_modules = _walks.named_modules
    modules = _walks.modules
    _named_members = _walks.named_members
    named_parameters = _walks.named_parameters
    parameters = _walks.parameters
    named_buffers = _walks.named_buffers
    buffers = _walks.buffers
    apply = _walks.apply
    train = _walks.train
    eval = _walks.eval
    requires_grad_ = _walks.requires_grad_
    zero_grad = _walks.zero_grad

    # ---- by path

    get_submodule = _paths.get_submodule
    set_submodule = _paths.set_submodule
    get_parameter = _paths.get_parameter
    get_buffer = _paths.get_buffer

    # ---- state

    state_dict = _state_dict.state_dict
    _save_to_state_dict = _state_dict.save_to_state_dict
    get_extra_state = _state_dict.get_extra_state
    set_extra_state = _state_dict.set_extra_state
    register_state_dict_pre_hook = _state_dict.register_state_dict_pre_hook
    register_state_dict_post_hook = _state_dict.register_state_dict_post_hook
    _register_state_dict_hook = _state_dict.register_private_state_dict_hook
    load_state_dict = _load_state_dict.load_state_dict
    _load_from_state_dict = _load_state_dict.load_from_state_dict
    register_load_state_dict_pre_hook = _load_state_dict.register_load_state_dict_pre_hook
    register_load_state_dict_post_hook = _load_state_dict.register_load_state_dict_post_hook
    _register_load_state_dict_pre_hook = _load_state_dict.register_private_load_state_dict_pre_hook

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__.copy()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take `state` over; where an older version wrote it, make the slots that it lacks."""
        self.__dict__.update(state)
        fresh = vars(Module())
        for name in _NEWER_SLOTS:
            self.__dict__.setdefault(name, fresh[name])

    # ---- other types, other devices

    _apply = _conversion.apply_to_tensors
    to = _conversion.to
    to_empty = _conversion.to_empty
    cpu = _conversion.cpu
    cuda = _conversion.cuda
    double = _conversion.double
    half = _conversion.half
    share_memory = _conversion.share_memory
    float = _conversion.to_float
    type = _conversion.to_type

    # ---- showing itself

    def extra_repr(self) -> str:
        """Return what ``repr`` shows between the brackets; subclasses override it."""
        return ""

    def _get_name(self) -> str:
        return self.__class__.__name__

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        if len(lines) == 1 and not self._modules:
            return f"{self._get_name()}({extra})"
        # A loop, for a list comprehension would recurse twice as deep.
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


def _indented(text: str) -> str:
    """Return `text` with every line but the first indented, and empty ones left empty."""
    first, *rest = text.split("\n")
    return "\n".join([first, *("  " + line if line.strip() else "" for line in rest)])


def _refuse_stray_arguments(name: str, args: tuple, kwargs: dict[str, Any]) -> None:
    if kwargs:
        raise TypeError(
            f"{name}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
        )
    if args:
        raise TypeError(
            f"{name}.__init__() takes 1 positional argument but {len(args) + 1} were given"
        )


name_methods(Module)
_IncompatibleKeys.__module__ = __name__
