"""Call a Module with other parameters than its own, and leave it as it was.

Source: https://docs.pytorch.org/docs/stable/generated/torch.func.functional_call.html
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..._tensor import Tensor
from ..modules.module import Module

__all__ = ["functional_call"]

MISSING: Any = object()
"""Stands for a tensor that the module does not have."""


def functional_call(module: Module, parameters_and_buffers: dict[str, Any], args: Any = None, kwargs: dict[str, Any] | None = None, *, tie_weights: bool = True, strict: bool = False) -> Any:  # fmt: skip
    """Do what `nbmodule.func.functional_call` does, which has taken the place of this one.

    Args:
        module: which is called.
        parameters_and_buffers: tensors by their paths.
        args: the arguments of the call: a tuple, or a single one.
        kwargs: the arguments by keyword.
        tie_weights: give tensors that are one in the module one value, also where only one path is given.
        strict: raise unless exactly the paths of the module are given.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.func.functional_call.html

    Example:
        >>> import warnings
        >>> import nbmodule
        >>> layer, x = nbmodule.nn.Linear(2, 1), nbmodule.ones(1, 2)
        >>> given = {"weight": nbmodule.tensor([[3.0, 4.0]]), "bias": nbmodule.zeros(1)}
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     nbmodule.nn.utils.stateless.functional_call(layer, given, x)
        tensor([[7.]])
    """
    warnings.warn(
        "`nbmodule.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in "
        "a future version of PyTorch. Please use `nbmodule.func.functional_call` instead which is a drop-in "
        "replacement.",
        FutureWarning,
        stacklevel=2,
    )
    return _functional_call(
        module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict
    )


def _functional_call(module: Module, parameters_and_buffers: dict[str, Tensor], args: Any = None, kwargs: dict[str, Any] | None = None, *, tie_weights: bool = True, strict: bool = False) -> Any:  # fmt: skip
    if args is None:
        args = ()
    elif not isinstance(args, tuple):
        args = (args,)
    with _reparametrize_module(module, parameters_and_buffers, tie_weights, strict):
        return module(*args, **(kwargs or {}))


@contextmanager
def _reparametrize_module(module: Module, given: dict[str, Tensor], tie_weights: bool = False, strict: bool = False) -> Iterator[None]:  # fmt: skip
    """Let `module` hold the tensors `given` for a while; what it replaces in the meantime goes to `given`."""
    wanted = _with_ties(module, given) if tie_weights else given
    if strict:
        _check_paths(module, wanted)
    old: dict[str, Tensor] = {}
    try:
        _swap_all(module, wanted, old)
        yield
    finally:
        new: dict[str, Tensor] = {}
        try:
            _swap_all(module, old, new)
        except BaseException:  # an interrupt has to wait
            _swap_all(module, old, {})
            raise
        given.update({path: new[path] for path in given if path in new})


def _with_ties(module: Module, given: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return `given` with the same tensor under every path that is tied to one of its paths.

    Raises:
        ValueError: two paths that are tied have different values.
    """
    tied = _tied_paths(module)
    complete = given.copy()
    for path in given:
        paths = tied.get(path, {path})
        known = paths & given.keys()
        if len(known) > 1 and len({given[p] for p in paths}) != 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(paths)}, which are tied. Consider "
                "using tie_weights=False"
            )
        complete.update(dict.fromkeys(paths - {path}, given[path]))
    return complete


def _tied_paths(module: Module) -> dict[str, set[str]]:
    """Return for each path all the paths under which its tensor is found, itself among them."""
    by_tensor: dict[Tensor, set[str]] = {}
    for path, tensor in _named_tensors(module).items():
        by_tensor.setdefault(tensor, set()).add(path)
    return {path: paths for paths in by_tensor.values() for path in paths}


def _named_tensors(module: Module) -> dict[str, Tensor]:
    parameters = dict(module.named_parameters(remove_duplicate=False))
    return {**parameters, **dict(module.named_buffers(remove_duplicate=False))}


def _check_paths(module: Module, given: dict[str, Tensor]) -> None:
    own = _named_tensors(module).keys()
    wrong = {"Unexpected": sorted(given.keys() - own), "Missing": sorted(own - given.keys())}
    said = [f"{kind} key(s): {', '.join(map(repr, keys))}." for kind, keys in wrong.items() if keys]
    if said:
        raise RuntimeError(
            "Error(s) in reparametrizing for {}:\n\t{}".format(
                module._get_name(), "\n\t".join(said)
            )
        )


def _swap_all(module: Module, tensors: dict[str, Tensor], old: dict[str, Tensor]) -> None:
    """Put `tensors` in their places, after what was there was put into `old`."""
    for path, tensor in tensors.items():
        _swap(module, path, tensor, old)


def _swap(root: Module, path: str, tensor: Any, old: dict[str, Any]) -> None:
    """Put `tensor` (`MISSING` takes away) in the place at `path`, after what was there was put into `old`."""
    parents, _, name = path.rpartition(".")
    module = _submodule(root, parents)
    if tensor is not MISSING and tensor is not None and not isinstance(tensor, Tensor):
        raise TypeError(f"{tensor} is not an instance of nbmodule.Tensor")
    if name == "":
        raise KeyError('tensor name can\'t be empty string ""')
    drawers: Any = (module._parameters, module._buffers)
    for drawer in drawers:
        if name in drawer:
            old[path] = drawer[name]
            if tensor is MISSING:
                del drawer[name]
            else:
                drawer[name] = tensor
            return
    held = getattr(module, name, MISSING)
    if held is not MISSING and held is not None and not isinstance(held, Tensor):
        raise TypeError(f"attribute `{name}`: {held} is not an instance of nbmodule.Tensor")
    old[path] = held  # type: ignore[assignment]
    if tensor is not MISSING:
        setattr(module, name, tensor)
    elif hasattr(module, name):
        delattr(module, name)


def _submodule(root: Module, path: str) -> Module:
    module: Any = root
    for name in path.split(".") if path else ():
        parent = module
        if not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        module = getattr(parent, name)
        if not isinstance(module, Module):
            raise TypeError(
                f"submodule `{path}`: {module} is not an instance of nbmodule.nn.Module"
            )
    return module
