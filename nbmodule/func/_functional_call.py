"""Call a Module with other parameters than its own; stack the parameters of several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from .._functions.joining import stack
from .._tensor import Tensor
from ..nn.modules.module import Module
from ..nn.utils import stateless

TensorsByPath = dict[str, Any]


def functional_call(module: Module, parameter_and_buffer_dicts: TensorsByPath | Sequence[TensorsByPath], args: Any = None, kwargs: dict[str, Any] | None = None, *, tie_weights: bool = True, strict: bool = False) -> Any:  # fmt: skip
    """Return ``module(*args, **kwargs)``, computed with the given tensors in place of the module's own.

    The module itself is left as it was.

    Args:
        module: which is called.
        parameter_and_buffer_dicts: tensors by their paths, or several such dictionaries without common paths.
            A buffer that the call replaces is written back into it.
        args: the arguments of the call: a tuple, or a single one.
        kwargs: the arguments by keyword.
        tie_weights: give tensors that are one in the module one value, also where only one path is given.
        strict: raise unless exactly the paths of the module are given.

    Raises:
        ValueError: a path occurs in several dictionaries, or paths that are tied have different values.
        RuntimeError: with `strict`, a path is missing or unexpected.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.func.functional_call.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.Linear(2, 1)
        >>> tensors = {"weight": nbmodule.ones(1, 2), "bias": nbmodule.zeros(1)}
        >>> nbmodule.func.functional_call(layer, tensors, nbmodule.ones(2))
        tensor([2.])
    """
    return stateless._functional_call(
        module,
        _one_dict(parameter_and_buffer_dicts),
        args,
        kwargs,
        tie_weights=tie_weights,
        strict=strict,
    )


def _one_dict(dicts: Any) -> TensorsByPath:
    if isinstance(dicts, dict):
        return dicts
    if not isinstance(dicts, Sequence):
        raise ValueError(
            f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(dicts)}"
        )
    if not all(isinstance(d, dict) for d in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    counts = Counter(path for d in dicts for path in d)
    repeated = [path for path, n in counts.items() if n > 1]
    if repeated:
        raise ValueError(
            f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous"
        )
    return {path: tensor for d in dicts for path, tensor in d.items()}


def stack_module_state(models: Sequence[Module]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the parameters and the buffers of several models of one class, stacked by their paths.

    Args:
        models: modules of the same class and in the same mode.

    Raises:
        RuntimeError: there is none, or they are not alike.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.func.stack_module_state.html
    """
    if len(models) == 0:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({bool(model.training) for model in models}) > 1:
        raise RuntimeError(
            "stack_module_state: Expected all models to have the same training/eval mode."
        )
    if len({type(model) for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = _stacked([dict(model.named_parameters()) for model in models])
    return parameters, _stacked([dict(model.named_buffers()) for model in models])


def _stacked(states: list[dict[str, Any]]) -> TensorsByPath:
    return {path: _stacked_leaf([state[path] for state in states], path) for path in states[0]}


def _stacked_leaf(tensors: list[Tensor], path: str) -> Tensor:
    wishes = {t.requires_grad for t in tensors}
    if len(wishes) > 1:
        raise RuntimeError(f"Expected {path} from each model to have the same .requires_grad")
    result = stack(tensors)
    return result.detach().requires_grad_() if wishes == {True} else result


for _function in (functional_call, stack_module_state):
    _function.__module__ = "nbmodule.func"
