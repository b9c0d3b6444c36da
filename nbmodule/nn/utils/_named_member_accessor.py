"""Tensors and submodules of a module by their paths: read, set, exchanged, deleted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..._tensor import Tensor
from ..modules.module import Module

_MISSING: Any = object()
"""Stands for a tensor that a module does not have."""


def _check_module(module: Any) -> None:
    if not isinstance(module, Module):
        raise TypeError(f"{module} is not an instance of nbmodule.nn.Module")


def _check_name(kind: str, name: str) -> None:
    if "." in name:
        raise KeyError(f'{kind} name can\'t contain "."')
    if name == "":
        raise KeyError(f'{kind} name can\'t be empty string ""')


def _check_tensor(tensor: Any) -> None:
    if not isinstance(tensor, Tensor) and tensor is not None:
        raise TypeError(f"{tensor} is not an instance of nbmodule.Tensor")


def _drawer(module: Module, name: str) -> dict[str, Any] | None:
    """Return the dictionary of parameters or buffers that holds `name`, or None."""
    drawers: Iterable[dict[str, Any]] = (module._parameters, module._buffers)
    return next((drawer for drawer in drawers if name in drawer), None)


def set_tensor(module: Module, name: str, tensor: Any) -> None:
    """Set a tensor of `module`; a parameter may become any tensor, without a check.

    Args:
        module: is changed.
        name: of a parameter, a buffer or another attribute.
        tensor: a tensor or None.

    Raises:
        TypeError: `module` is no Module, or `tensor` no tensor.
        KeyError: `name` is empty or a path.

    Source: https://github.com/pytorch/pytorch/blob/main/torch/nn/utils/_named_member_accessor.py

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn.utils._named_member_accessor import set_tensor
        >>> layer = nbmodule.nn.Linear(2, 1)
        >>> set_tensor(layer, "weight", nbmodule.ones(1, 2))
        >>> layer.weight
        tensor([[1., 1.]])
    """
    _check_module(module)
    _check_tensor(tensor)
    _check_name("tensor", name)
    drawer = _drawer(module, name)
    if drawer is None:
        setattr(module, name, tensor)
    else:
        drawer[name] = tensor


def swap_tensor(module: Module, name: str, tensor: Any, allow_missing: bool = False) -> Any:
    """Set a tensor of `module`, and return the one before.

    Args:
        module: is changed.
        name: of a parameter, a buffer or another attribute.
        tensor: a tensor, None, or `_MISSING` to delete.
        allow_missing: return `_MISSING` where there was none.

    Raises:
        TypeError: `module` is no Module, or `tensor` no tensor, or there is something else under this name.
        KeyError: `name` is empty or a path.
        AttributeError: there is nothing under this name, and `allow_missing` is False.

    Source: https://github.com/pytorch/pytorch/blob/main/torch/nn/utils/_named_member_accessor.py

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn.utils._named_member_accessor import swap_tensor
        >>> layer = nbmodule.nn.Linear(2, 1)
        >>> swap_tensor(layer, "weight", nbmodule.ones(1, 2)).shape
        nbmodule.Size([1, 2])
    """
    _check_module(module)
    if tensor is not _MISSING:
        _check_tensor(tensor)
    _check_name("tensor", name)
    drawer = _drawer(module, name)
    if drawer is not None:
        before = drawer[name]
        if tensor is _MISSING:
            del drawer[name]
        else:
            drawer[name] = tensor
        return before
    before = getattr(module, name, _MISSING)
    if before is _MISSING and not allow_missing:
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    if not isinstance(before, Tensor) and before is not None and before is not _MISSING:
        raise TypeError(f"attribute `{name}`: {before} is not an instance of nbmodule.Tensor")
    if tensor is not _MISSING:
        setattr(module, name, tensor)
    elif hasattr(module, name):
        delattr(module, name)
    return before


def swap_submodule(module: Module, name: str, submodule: Module) -> Module:
    """Set a child of `module`, and return the one before.

    Args:
        module: is changed.
        name: of the child.
        submodule: what takes its place.

    Raises:
        TypeError: one of them is no Module.
        KeyError: `name` is empty or a path, or there is no such child.

    Source: https://github.com/pytorch/pytorch/blob/main/torch/nn/utils/_named_member_accessor.py

    Example:
        >>> from nbmodule import nn
        >>> from nbmodule.nn.utils._named_member_accessor import swap_submodule
        >>> swap_submodule(nn.Sequential(nn.ReLU()), "0", nn.Tanh())
        ReLU()
    """
    _check_module(module)
    _check_module(submodule)
    _check_name("submodule", name)
    if name not in module._modules:
        raise KeyError(f"submodule {name} does not exist")
    before = module._modules[name]
    if not isinstance(before, Module):
        raise TypeError(f"{name} attribute is not an instance of nbmodule.nn.Module")
    module._modules[name] = submodule
    return before


class NamedMemberAccessor:
    """Finds and sets tensors and submodules of a module by their paths, and remembers the way.

    Args:
        module: whose members they are.

    Source: https://github.com/pytorch/pytorch/blob/main/torch/nn/utils/_named_member_accessor.py

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn.utils._named_member_accessor import NamedMemberAccessor
        >>> net = nbmodule.nn.Sequential(nbmodule.nn.Linear(2, 1))
        >>> accessor = NamedMemberAccessor(net)
        >>> accessor.set_tensor("0.weight", nbmodule.ones(1, 2))
        >>> net[0].weight, accessor.check_keys(["0.weight", "1.bias"])
        (tensor([[1., 1.]]), (['0.bias'], ['1.bias']))
    """

    def __init__(self, module: Module) -> None:
        self.module = module
        self.memo: dict[str, Module] = {}

    def get_submodule(self, name: str) -> Module:
        """Return the module at the path `name`; "" is the module itself."""
        if not name:
            return self.module
        if name not in self.memo:
            prefix, _, attribute = name.rpartition(".")
            module = self.get_submodule(prefix)
            try:
                submodule = getattr(module, attribute)
            except AttributeError as e:
                raise AttributeError(f"{module._get_name()} has no attribute `{attribute}`") from e
            if not isinstance(submodule, Module):
                raise TypeError(
                    f"submodule `{name}`: {submodule} is not an instance of nbmodule.nn.Module"
                )
            self.memo[name] = submodule
        return self.memo[name]

    def _place(self, path: str) -> tuple[Module, str]:
        prefix, _, attribute = path.rpartition(".")
        return self.get_submodule(prefix), attribute

    def swap_submodule(self, path: str, value: Module) -> Module:
        """Set the module at `path`, and return the one before."""
        return swap_submodule(*self._place(path), value)

    def get_tensor(self, name: str) -> Any:
        """Return the tensor at the path `name`, or None if that is what is there."""
        module, attribute = self._place(name)
        try:
            tensor = getattr(module, attribute)
        except AttributeError as e:
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`") from e
        _check_tensor(tensor)
        return tensor

    def set_tensor(self, name: str, value: Any) -> None:
        """Set the tensor at the path `name`."""
        set_tensor(*self._place(name), value)

    def del_tensor(self, name: str) -> None:
        """Delete the tensor at the path `name`."""
        module, attribute = self._place(name)
        try:
            delattr(module, attribute)
        except AttributeError as e:
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`") from e

    def swap_tensor(self, name: str, value: Any, allow_missing: bool = False) -> Any:
        """Set the tensor at the path `name`, and return the one before."""
        return swap_tensor(*self._place(name), value, allow_missing=allow_missing)

    def get_tensors(self, names: Iterable[str]) -> list[Any]:
        """Return the tensors at the paths `names`."""
        return [self.get_tensor(name) for name in names]

    def set_tensors(self, names: Iterable[str], values: Iterable[Any]) -> None:
        """Set the tensors at the paths `names`."""
        for name, value in _pairs(names, values):
            self.set_tensor(name, value)

    def set_tensors_dict(self, named_tensors: dict[str, Any]) -> None:
        """Set tensors; the keys are their paths."""
        for name, value in named_tensors.items():
            self.set_tensor(name, value)

    def del_tensors(self, names: Iterable[str]) -> None:
        """Delete the tensors at the paths `names`."""
        for name in names:
            self.del_tensor(name)

    def swap_tensors(self, names: Iterable[str], values: Iterable[Any], allow_missing: bool = False) -> list[Any]:  # fmt: skip
        """Set the tensors at the paths `names`, and return those before."""
        pairs = _pairs(names, values)
        return [self.swap_tensor(name, value, allow_missing) for name, value in pairs]

    def swap_tensors_dict(self, named_tensors: dict[str, Any], allow_missing: bool = False) -> tuple[dict[str, Any], list[str]]:  # fmt: skip
        """Set tensors; the keys are their paths. If one cannot be, none is.

        Returns:
            The tensors before, and the paths where there was none.

        Raises:
            RuntimeError: there was none somewhere, and `allow_missing` is False.
        """
        before: dict[str, Any] = {}
        try:
            for name, tensor in named_tensors.items():
                before[name] = self.swap_tensor(name, tensor, allow_missing=True)
            missing = [name for name, tensor in before.items() if tensor is _MISSING]
            if missing and not allow_missing:
                raise RuntimeError(f"Missing key(s): {', '.join(map(repr, missing))}.")
        except Exception:
            for name, tensor in before.items():
                self.swap_tensor(name, tensor, allow_missing=True)
            raise
        return before, missing

    def check_keys(self, keys: Iterable[str]) -> tuple[list[str], list[str]]:
        """Return the paths of tensors that `keys` lacks, and the keys that are none."""
        given = set(keys)
        valid = {name for name, _ in self.named_tensors(remove_duplicate=False)}
        return sorted(valid - given), sorted(given - valid)

    def named_parameters(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Any]]:
        """Yield the parameters with their paths."""
        yield from self.module.named_parameters(remove_duplicate=remove_duplicate)

    def named_buffers(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Any]]:
        """Yield the buffers with their paths."""
        yield from self.module.named_buffers(remove_duplicate=remove_duplicate)

    def named_tensors(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Any]]:
        """Yield the parameters, then the buffers, with their paths."""
        yield from self.named_parameters(remove_duplicate)
        yield from self.named_buffers(remove_duplicate)

    def named_modules(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Module]]:
        """Yield the modules with their paths."""
        yield from self.module.named_modules(remove_duplicate=remove_duplicate)


def _pairs(names: Iterable[str], values: Iterable[Any]) -> list[tuple[str, Any]]:
    names, values = list(names), list(values)
    if len(names) != len(values):
        raise AssertionError(
            "names and values must have the same length, "
            f"got {len(names)} names and {len(values)} values"
        )
    return list(zip(names, values, strict=True))
