"""Methods of a Module that follow a path, such as "net.0.weight", down the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._tensor import Tensor
from ..parameter import Parameter
from . import module as home

if TYPE_CHECKING:
    from .module import Module


def get_submodule(self: Module, target: str) -> Module:
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


def set_submodule(self: Module, target: str, module: Module, strict: bool = False) -> None:
    """Put `module` at the path `target`, such as "net.0.conv", in the place of the module there.

    Args:
        self: the module.
        target: the path.
        module: what to put there.
        strict: raise where there is nothing yet.

    Raises:
        ValueError: `target` is empty, or `module` is no Module.
        AttributeError: a step of the path is missing, or what is there is no Module.
    """
    if target == "":
        raise ValueError("Cannot set the submodule without a target name!")
    if not isinstance(module, home.Module):
        raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
    path, _, name = target.rpartition(".")
    parent = self.get_submodule(path)
    if strict or hasattr(parent, name):
        _child(parent, name)
    setattr(parent, name, module)


def get_parameter(self: Module, target: str) -> Parameter:
    """Return the parameter at the path `target`.

    Raises:
        AttributeError: a step of the path is missing, or there is no parameter at its end.
    """
    path, _, name = target.rpartition(".")
    parameter = _existing(self.get_submodule(path), name)
    if not isinstance(parameter, Parameter):
        raise AttributeError(f"`{name}` is not an nn.Parameter")
    return parameter


def get_buffer(self: Module, target: str) -> Tensor:
    """Return the buffer at the path `target`.

    Raises:
        AttributeError: a step of the path is missing, or there is no buffer at its end.
    """
    path, _, name = target.rpartition(".")
    module = self.get_submodule(path)
    buffer = _existing(module, name)
    if name not in module._buffers:
        raise AttributeError(f"`{name}` is not a buffer")
    return buffer


def _child(module: Module, name: str) -> Module:
    """Return the child called `name`."""
    child = _existing(module, name)
    if not isinstance(child, home.Module):
        raise AttributeError(f"`{name}` is not an nn.Module")
    return child


def _existing(module: Module, name: str) -> Any:
    if not hasattr(module, name):
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    return getattr(module, name)
