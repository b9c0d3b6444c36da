"""Pruning: set numbers of a parameter to 0 for good, while the others are learned.

A pruned module keeps the parameter as ``<name>_orig`` and a mask as the buffer ``<name>_mask``; a hook sets
``<name>`` to their product before each call. `remove` makes the product the parameter.

Source: https://docs.pytorch.org/tutorials/intermediate/pruning_tutorial.html
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..._factories import ones_like
from ..._tensor import Tensor
from ..modules.module import Module
from ._pruning import BasePruningMethod, PruningContainer
from ._pruning_amounts import (  # noqa: F401  PyTorch's names, at PyTorch's path
    _compute_norm,
    _compute_nparams_toprune,
    _validate_pruning_amount,
    _validate_pruning_amount_init,
    _validate_pruning_dim,
    _validate_structured_pruning,
)
from ._pruning_methods import (
    CustomFromMask,
    Identity,
    L1Unstructured,
    LnStructured,
    RandomStructured,
    RandomUnstructured,
)
from .convert_parameters import parameters_to_vector


def identity(module: Module, name: str) -> Module:
    """Make the mask and the parameters of a pruned tensor, and prune nothing.

    Args:
        module: is changed, and returned.
        name: of the parameter.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.prune.identity.html

    Example:
        >>> from nbmodule import nn
        >>> from nbmodule.nn.utils import prune
        >>> prune.identity(nn.Linear(2, 3), "bias").bias_mask
        tensor([1., 1., 1.])
    """
    Identity.apply(module, name)
    return module


def random_unstructured(module: Module, name: str, amount: float) -> Module:
    """Prune numbers of a parameter that are drawn.

    Args:
        module: is changed, and returned.
        name: of the parameter.
        amount: how many, or a fraction of them in [0, 1]; of those that are left, if it is pruned already.

    Raises:
        TypeError: `amount` is no number.
        ValueError: it is negative, a fraction larger than 1, or more than there are.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.prune.random_unstructured.html

    Example:
        >>> from nbmodule import nn
        >>> from nbmodule.nn.utils import prune
        >>> layer = prune.random_unstructured(nn.Linear(2, 3), "weight", amount=1)
        >>> int((layer.weight_mask == 0).sum())
        1
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Module, name: str, amount: float, importance_scores: Tensor | None = None) -> Module:  # fmt: skip
    """Prune the numbers of the smallest size of a parameter.

    Args:
        module: is changed, and returned.
        name: of the parameter.
        amount: how many, or a fraction of them in [0, 1]; of those that are left, if it is pruned already.
        importance_scores: what counts instead of the values of the parameter; of its shape.

    Raises:
        TypeError: `amount` is no number.
        ValueError: it is negative, a fraction larger than 1, or more than there are.
        AssertionError: `importance_scores` is of another shape.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.prune.l1_unstructured.html

    Example:
        >>> from nbmodule import nn
        >>> from nbmodule.nn.utils import prune
        >>> layer = prune.l1_unstructured(nn.Linear(2, 3), "weight", amount=0.5)
        >>> sorted(layer.state_dict())
        ['bias', 'weight_mask', 'weight_orig']
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Module, name: str, amount: float, dim: int) -> Module:
    """Prune whole channels of a parameter that are drawn.

    Args:
        module: is changed, and returned.
        name: of the parameter.
        amount: how many, or a fraction of them in [0, 1]; of those that are left, if it is pruned already.
        dim: the dimension whose indices are the channels.

    Raises:
        TypeError: `amount` is no number.
        ValueError: it is negative, a fraction larger than 1, or more than there are; or the parameter has
            fewer than two dimensions.
        IndexError: there is no such dimension.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.prune.random_structured.html

    Example:
        >>> from nbmodule import nn
        >>> from nbmodule.nn.utils import prune
        >>> layer = prune.random_structured(nn.Linear(5, 3), "weight", amount=3, dim=1)
        >>> int((layer.weight.sum(dim=0) == 0).sum())
        3
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module: Module, name: str, amount: float, n: Any, dim: int, importance_scores: Tensor | None = None) -> Module:  # fmt: skip
    """Prune the whole channels of the smallest n-norm of a parameter.

    Args:
        module: is changed, and returned.
        name: of the parameter.
        amount: how many, or a fraction of them in [0, 1]; of those that are left, if it is pruned already.
        n: the p of the p-norm, or "fro" or "nuc", as in `nbmodule.norm`.
        dim: the dimension whose indices are the channels.
        importance_scores: what counts instead of the values of the parameter; of its shape.

    Raises:
        TypeError: `amount` is no number.
        ValueError: it is negative, a fraction larger than 1, or more than there are; or the parameter has
            fewer than two dimensions.
        IndexError: there is no such dimension.
        AssertionError: `importance_scores` is of another shape.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.prune.ln_structured.html

    Example:
        >>> from nbmodule import nn
        >>> from nbmodule.nn.utils import prune
        >>> layer = prune.ln_structured(nn.Linear(5, 4), "weight", amount=0.5, n=float("inf"), dim=0)
        >>> int((layer.weight_mask.sum(dim=1) == 0).sum())
        2
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def global_unstructured(parameters: Any, pruning_method: Any, importance_scores: Any = None, **kwargs: Any) -> None:  # fmt: skip
    """Prune several parameters as if they were one, so that a layer may lose more than another.

    Args:
        parameters: pairs of a module and a name; the modules are changed.
        pruning_method: an unstructured `BasePruningMethod`, such as `L1Unstructured`.
        importance_scores: a dictionary from such pairs to what counts instead of the values.
        kwargs: of the method, such as ``amount``.

    Raises:
        TypeError: `parameters` or `importance_scores` is no such collection, or the method is not unstructured.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.prune.global_unstructured.html

    Example:
        >>> from nbmodule import nn
        >>> from nbmodule.nn.utils import prune
        >>> net = nn.Sequential(nn.Linear(10, 4), nn.Linear(4, 1))
        >>> pairs = [(net[0], "weight"), (net[1], "weight")]
        >>> prune.global_unstructured(pairs, pruning_method=prune.L1Unstructured, amount=10)
        >>> sum(int((mask == 0).sum()) for mask in net.buffers())
        10
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    importance_scores = {} if importance_scores is None else importance_scores
    if not isinstance(importance_scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    scores = parameters_to_vector(
        [importance_scores.get((m, name), getattr(m, name)) for m, name in parameters]
    )
    default_mask = parameters_to_vector(
        [getattr(m, name + "_mask", ones_like(getattr(m, name))) for m, name in parameters]
    )
    # The container lets the method choose from what is left only.
    container = PruningContainer()
    method = pruning_method(**kwargs)
    container._tensor_name = method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. '
            f"Found method {pruning_method} of type {method.PRUNING_TYPE}"
        )
    container.add_pruning_method(method)
    mask = container.compute_mask(scores, default_mask)
    start = 0
    for module, name in parameters:
        parameter = getattr(module, name)
        end = start + parameter.numel()
        custom_from_mask(module, name, mask=mask[start:end].view_as(parameter))
        start = end


def custom_from_mask(module: Module, name: str, mask: Tensor) -> Module:
    """Prune a parameter by a mask that is given.

    Args:
        module: is changed, and returned.
        name: of the parameter.
        mask: 1 for what stays and 0 for what goes, of the shape of the parameter.

    Raises:
        AssertionError: the mask is of another shape.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.prune.custom_from_mask.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn.utils import prune
        >>> layer = nbmodule.nn.Linear(5, 3)
        >>> prune.custom_from_mask(layer, "bias", nbmodule.tensor([0, 1, 0])).bias_mask
        tensor([0., 1., 0.])
    """
    CustomFromMask.apply(module, name, mask)
    return module


def remove(module: Module, name: str) -> Module:
    """Make a pruned tensor an ordinary parameter again. It keeps its zeros, which can be learned now.

    Args:
        module: is changed, and returned.
        name: of the parameter.

    Raises:
        ValueError: the tensor is not pruned.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.prune.remove.html

    Example:
        >>> from nbmodule import nn
        >>> from nbmodule.nn.utils import prune
        >>> layer = prune.random_unstructured(nn.Linear(5, 7), name="weight", amount=0.2)
        >>> sorted(prune.remove(layer, name="weight").state_dict())
        ['bias', 'weight']
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(
        f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed"
    )


def is_pruned(module: Module) -> bool:
    """Return whether anything in `module` is pruned.

    Args:
        module: which is asked, with all modules in it.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.prune.is_pruned.html

    Example:
        >>> from nbmodule import nn
        >>> from nbmodule.nn.utils import prune
        >>> net = nn.Sequential(nn.Linear(5, 7))
        >>> before = prune.is_pruned(net)
        >>> layer = prune.random_unstructured(net[0], name="weight", amount=0.2)
        >>> before, prune.is_pruned(net)
        (False, True)
    """
    return any(
        isinstance(hook, BasePruningMethod)
        for _, submodule in module.named_modules()
        for hook in submodule._forward_pre_hooks.values()
    )


def _name_by_public_path() -> None:
    for shown in list(globals().values()):
        if getattr(shown, "__module__", "").startswith(f"{__package__}._pruning"):
            shown.__module__ = __name__


_name_by_public_path()
