"""Methods of a Module that put things into its drawers, and refuse what does not belong there.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html
"""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..._tensor import Tensor
from ..parameter import Buffer, Parameter
from . import module as home
from ._global_hooks import passed_through

if TYPE_CHECKING:
    from .module import Module

HINT = "\nThe drawers of a Module are made by Module.__init__: call super().__init__() first."


def register_parameter(self: Module, name: str, param: Parameter | None) -> None:
    """Add a parameter under `name`; None keeps the place for an optional one.

    Raises:
        AttributeError: ``super().__init__()`` was not called yet.
        KeyError: `name` is empty, contains ".", or belongs to something else.
        TypeError: `name` is not a string, or `param` is not a Parameter.
        ValueError: `param` was made by a recorded operation.
    """
    if "_parameters" not in self.__dict__:
        raise AttributeError("cannot assign parameter before Module.__init__() call" + HINT)
    _check_name(self, "parameter", name, self._parameters)
    if param is not None and not isinstance(param, Parameter):
        raise TypeError(
            f"cannot assign '{type_name(param)}' object to parameter '{name}' "
            "(nbmodule.nn.Parameter or None required)"
        )
    if param is not None and param.grad_fn is not None:
        raise ValueError(
            f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created "
            f"explicitly. To express '{name}' as a function of another Tensor, compute the value in "
            "the forward() method."
        )
    hooks = home._global_parameter_registration_hooks
    if hooks and param is not None:
        param = passed_through(hooks, self, name, param)
    self._parameters[name] = param


def register_buffer(
    self: Module, name: str, tensor: Tensor | None, persistent: bool = True
) -> None:
    """Add a tensor that belongs to the state but is not learned, such as a running mean.

    Args:
        self: the module.
        name: under which ``module.name`` finds it.
        tensor: its value; None keeps the place.
        persistent: whether ``state_dict()`` holds it.

    Raises:
        AttributeError: ``super().__init__()`` was not called yet.
        KeyError: `name` is empty, contains ".", or belongs to something else.
        TypeError: `name` is not a string, or `tensor` is not a Tensor.
    """
    if "_buffers" not in self.__dict__:
        raise AttributeError("cannot assign buffer before Module.__init__() call" + HINT)
    _check_name(self, "buffer", name, self._buffers)
    if tensor is not None and not _is_tensor_like(tensor):
        raise TypeError(
            f"cannot assign '{type_name(tensor)}' object to buffer '{name}' "
            "(nbmodule Tensor or None required)"
        )
    tensor = passed_through(home._global_buffer_registration_hooks, self, name, tensor)
    if persistent:
        self._non_persistent_buffers_set.discard(name)
    else:
        self._non_persistent_buffers_set.add(name)
    self._buffers[name] = tensor  # at last: what is stopped before leaves no buffer


def add_module(self: Module, name: str, module: Module | None) -> None:
    """Add a child under `name`; ``module.name`` finds it.

    Raises:
        TypeError: `module` is not a Module, or `name` not a string.
        KeyError: `name` is empty, contains ".", or belongs to something else.
    """
    if module is not None and not isinstance(module, home.Module):
        raise TypeError(f"{type_name(module)} is not a Module subclass")
    _check_name(self, "module", name, self._modules)
    _put_child(self, name, module)


def register_module(self: Module, name: str, module: Module | None) -> None:
    """Do what `add_module` does, under the name that fits its sisters."""
    self.add_module(name, module)


def _put_child(module: Module, name: str, child: Any) -> None:
    hooks = home._global_module_registration_hooks
    module._modules[name] = passed_through(hooks, module, name, child) if hooks else child


def _set_buffer(module: Module, name: str, value: Any) -> None:
    """Put a tensor (or None) into ``_buffers``; an old name stays persistent or not, as it was."""
    if value is not None and not _is_tensor_like(value):
        raise TypeError(
            f"cannot assign '{type_name(value)}' as buffer '{name}' "
            "(nbmodule.nn.Buffer, nbmodule.Tensor or None expected)"
        )
    if isinstance(value, Buffer):
        persistent = value.persistent  # type: ignore[attr-defined]
    else:
        persistent = name not in module._non_persistent_buffers_set
    if type(module).register_buffer is home.Module.register_buffer or _takes_persistent(module):
        module.register_buffer(name, value, persistent)
    elif persistent:
        module.register_buffer(name, value)
    else:
        raise RuntimeError(
            "Registering a non-persistent buffer on a Module subclass that implements register_buffer() "
            "without the persistent argument is not allowed."
        )


def _is_tensor_like(value: Any) -> bool:
    """Return whether `value` is a tensor, or stands for one as PyTorch's protocol has it."""
    return isinstance(value, Tensor) or hasattr(value, "__torch_function__")


def _takes_persistent(module: Module) -> bool:
    """Return whether `register_buffer`, as a subclass has defined it, knows the argument `persistent`."""
    return "persistent" in inspect.signature(module.register_buffer).parameters


def _evict(module: Module, name: str, keep: dict[str, Any]) -> None:
    """Take `name` out of every place but the drawer `keep`."""
    for place in (module.__dict__, module._parameters, module._buffers, module._modules):
        if place is not keep:
            place.pop(name, None)
    module._non_persistent_buffers_set.discard(name)


def _check_name(module: Module, kind: str, name: str, drawer: dict[str, Any]) -> None:
    """Raise unless `name` can be the name of an entry in `drawer`."""
    if not isinstance(name, str):
        raise TypeError(f"{kind} name should be a string. Got {type_name(name)}")
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
    """Return ``hasattr(module, name)``, without the error that `__getattr__` words for a new name."""
    kind = type(module)
    if (
        hasattr(kind, name)
        or kind.__getattr__ is not home.Module.__getattr__
        or kind.__getattribute__ is not object.__getattribute__
    ):
        return hasattr(module, name)
    return (
        name in module.__dict__
        or name in module._parameters
        or name in module._buffers
        or name in module._modules
    )


def type_name(value: object) -> str:
    """Return the name of the type of `value`, or of the class `value`, as PyTorch's messages write it."""
    if isinstance(value, Tensor):
        return value.type()
    kind = value if hasattr(value, "__qualname__") else type(value)
    module, name = getattr(kind, "__module__", None), kind.__qualname__  # type: ignore[union-attr]
    return name if module in (None, "", "builtins") else f"{module}.{name}"


def name_methods(cls: type) -> None:
    """Functions of other files are methods of `cls`: let tracebacks, pickle and ``help`` say so."""
    for name, member in list(vars(cls).items()):
        if isinstance(member, FunctionType) and "." not in member.__qualname__:
            setattr(cls, name, copy_of(member, cls, name))


def copy_of(function: FunctionType, cls: type, name: str) -> FunctionType:
    """Return `function` as the method `name` of `cls`; several classes may share one."""
    method = FunctionType(
        function.__code__,
        function.__globals__,
        name,
        function.__defaults__,
        function.__closure__,
    )
    method.__kwdefaults__, method.__doc__ = function.__kwdefaults__, function.__doc__
    method.__annotations__ = function.__annotations__
    method.__module__, method.__qualname__ = cls.__module__, f"{cls.__qualname__}.{name}"
    return method
