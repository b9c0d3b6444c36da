"""Methods of a Module that walk over its tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from ..._tensor import Tensor
from ..parameter import Parameter
from . import module as home

if TYPE_CHECKING:
    from .module import Module

T = TypeVar("T", bound="Module")


def named_children(self: Module) -> Iterator[tuple[str, Module]]:
    """Yield the name and the module of each child, every module once."""
    seen = set()
    for name, module in self._modules.items():
        if module is not None and module not in seen:
            seen.add(module)
            yield name, module


def children(self: Module) -> Iterator[Module]:
    """Yield the children, every module once."""
    for _, module in self.named_children():
        yield module


def has_children(module: Module) -> bool:
    """Return False for a leaf, as most modules are: its `children` need not be asked, and start no generators."""
    return bool(module._modules) or not _walks_plainly(type(module))


def _walks_plainly(kind: type[Module]) -> bool:
    """Return whether modules of the class `kind` show the children that they hold, and no others."""
    plain = home.Module
    return kind.children is plain.children and kind.named_children is plain.named_children


def named_modules(self: Module, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True) -> Iterator[tuple[str, Module]]:  # fmt: skip
    """Yield the path and the module of this module and of all below, parents first.

    Args:
        self: where to start.
        memo: the modules that were met already.
        prefix: put before every path.
        remove_duplicate: yield a module that occurs in several places once.
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
        if module._modules or type(module).named_modules is not home.Module.named_modules:
            yield from module.named_modules(memo, path, remove_duplicate)
        elif module not in memo:  # a leaf, as most modules are: without a generator of its own
            if remove_duplicate:
                memo.add(module)
            yield path, module


def modules(self: Module, remove_duplicate: bool = True) -> Iterator[Module]:
    """Yield this module and all below, parents first."""
    for _, module in self.named_modules(remove_duplicate=remove_duplicate):
        yield module


def named_members(self: Module, get_members_fn: Callable[[Module], Iterable[tuple[str, Any]]], prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Iterator[tuple[str, Any]]:  # fmt: skip
    """Yield the path and the value of what `get_members_fn` finds in each module; nothing that is None."""
    seen = set()
    modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
    for path, module in modules if recurse else [(prefix, self)]:
        for name, value in get_members_fn(module):
            if value is not None and value not in seen:
                if remove_duplicate:
                    seen.add(value)
                yield path + ("." if path else "") + name, value


def named_parameters(self: Module, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Iterator[tuple[str, Parameter]]:  # fmt: skip
    """Yield the path and the parameter of each parameter here and, with `recurse`, below."""
    found = self._named_members(
        lambda module: module._parameters.items(), prefix, recurse, remove_duplicate
    )
    return iter(found)


def parameters(self: Module, recurse: bool = True) -> Iterator[Parameter]:
    """Yield the parameters here and, with `recurse`, below; each once."""
    for _, parameter in self.named_parameters(recurse=recurse):
        yield parameter


def named_buffers(self: Module, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:  # fmt: skip
    """Yield the path and the tensor of each buffer here and, with `recurse`, below."""
    found = self._named_members(
        lambda module: module._buffers.items(), prefix, recurse, remove_duplicate
    )
    return iter(found)


def buffers(self: Module, recurse: bool = True) -> Iterator[Tensor]:
    """Yield the buffers here and, with `recurse`, below; each once."""
    for _, buffer in self.named_buffers(recurse=recurse):
        yield buffer


def apply(self: T, fn: Callable[[Module], None]) -> T:
    """Call `fn` on every module below and then on this one, and return this one."""
    kind, plain = None, False
    for module in self.children():
        if type(module) is not kind:  # brothers are often of one class
            kind = type(module)
            plain = _walks_plainly(kind) and kind.apply is home.Module.apply
        if plain and not module._modules:  # a leaf, as most modules are
            fn(module)
        else:
            module.apply(fn)
    fn(self)
    return self


def train(self: T, mode: bool = True) -> T:
    """Set ``training`` here and below, and return the module.

    Raises:
        ValueError: `mode` is not a bool.
    """
    if not isinstance(mode, bool):
        raise ValueError("training mode is expected to be boolean")
    self.training = mode
    for module in self.children() if has_children(self) else ():
        module.train(mode)
    return self


def eval(self: T) -> T:
    """Set ``training`` to False here and below. Gradients are computed all the same."""
    return self.train(False)


def requires_grad_(self: T, requires_grad: bool = True) -> T:
    """Freeze (False) or unfreeze all parameters, and return the module."""
    for parameter in self.parameters():
        parameter.requires_grad_(requires_grad)
    return self


def zero_grad(self: Module, set_to_none: bool = True) -> None:
    """Take the gradients of all parameters away, or set them to 0 where `set_to_none` is False."""
    for parameter in self.parameters():
        gradient = parameter.grad
        if gradient is None:
            continue
        if set_to_none:
            parameter.grad = None
            continue
        if gradient.grad_fn is not None:
            gradient.detach_()
        else:
            gradient.requires_grad_(False)
        gradient.zero_()
