"""Let a parameter be computed from others each time that it is asked for.

A parametrized module keeps what is learned in ``module.parametrizations.<name>``, a `ParametrizationList`, and
its class becomes one of its own, such as ``ParametrizedLinear``, in which ``<name>`` is a property: reading it
runs the list, assigning to it runs the list backwards.

Source: https://docs.pytorch.org/tutorials/intermediate/parametrizations.html
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad
from ..modules._state_dict import as_it_was as _as_it_was
from ..modules.container import ModuleDict
from ..modules.module import Module
from ..parameter import Parameter
from ._parametrization_list import (
    ParametrizationList,
    _check_another,
    _maybe_set,
    _register_parameter_or_buffer,
)

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]

ParametrizationList.__module__ = __name__

_cache_enabled = 0
_cache: dict[tuple[int, str], Tensor | None] = {}

NOT_PICKLED = """\
Serialization of parametrized modules is only supported through state_dict(). See:
https://pytorch.org/tutorials/beginner/saving_loading_models.html#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"""


NOT_SET = """\
Calling remove_parametrizations() with leave_parametrized=True for a parameter that is an instance of a tensor \
subclass requires set_() to be implemented correctly for the tensor subclass.Alternatively, one can opt into the \
swap_tensors pathEither set leave_parametrized=False or provide a working implementationfor set_() in the tensor \
subclass or set torch.__future__.set_swap_module_params_on_conversion(True).
What is learned has another dtype than the value: only leave_parametrized=False is possible."""


@contextmanager
def cached() -> Iterator[None]:
    """Compute each parametrized tensor once inside the ``with`` block, instead of each time it is asked for.

    What is computed in the block is forgotten after it.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.parametrize.cached.html

    Example:
        >>> from nbmodule import nn
        >>> from nbmodule.nn.utils import parametrize
        >>> layer = nn.utils.parametrizations.orthogonal(nn.Linear(3, 3))
        >>> layer.weight is layer.weight
        False
        >>> with parametrize.cached():
        ...     layer.weight is layer.weight
        True
    """
    global _cache, _cache_enabled
    _cache_enabled += 1
    try:
        yield
    finally:
        _cache_enabled -= 1
        if not _cache_enabled:
            _cache = {}


def register_parametrization(module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False) -> Module:  # fmt: skip
    """Let ``module.<tensor_name>`` be ``parametrization(X)``, where X is what is learned from now on.

    X, found at ``module.parametrizations.<tensor_name>.original``, begins with the value of the tensor, or with
    ``parametrization.right_inverse(value)`` if there is this method. If that returns several tensors they are
    ``original0``, ``original1``, and so on, and arguments of the parametrization. A second parametrization of
    the same tensor takes the result of the first.

    Args:
        module: is changed, and returned.
        tensor_name: of a parameter or a buffer, or of what is parametrized already.
        parametrization: a Module, or one of a kind with ``forward`` and perhaps ``right_inverse``.
        unsafe: allow another shape and dtype for the result, and check neither.

    Raises:
        ValueError: there is no such tensor, or the parametrization changes its dtype or shape.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.parametrize.register_parametrization.html

    Example:
        >>> from nbmodule import nn
        >>> from nbmodule.nn.utils import parametrize
        >>> class Positive(nn.Module):
        ...     def forward(self, x):
        ...         return x.exp()
        ...     def right_inverse(self, weight):
        ...         return weight.abs().log()
        >>> layer = parametrize.register_parametrization(nn.Bilinear(2, 2, 1), "weight", Positive())
        >>> layer
        ParametrizedBilinear(
          in1_features=2, in2_features=2, out_features=1, bias=True
          (parametrizations): ModuleDict(
            (weight): ParametrizationList(
              (0): Positive()
            )
          )
        )
        >>> bool((layer.weight > 0).all())
        True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_another(module, tensor_name, parametrization)
        listed = _lists(module)[tensor_name]
        listed.append(parametrization)
        listed.unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        with _as_it_was(module, original):
            listed = ParametrizationList([parametrization], original, unsafe=unsafe)
            delattr(module, tensor_name)
            if not is_parametrized(module):
                _inject_new_class(module)
                module.parametrizations = ModuleDict()
            _inject_property(module, tensor_name)
            _lists(module)[tensor_name] = listed
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    return module


def _lists(module: Any) -> Any:
    """Return the `ModuleDict` that holds a `ParametrizationList` for each parametrized tensor."""
    lists = module.parametrizations
    if not isinstance(lists, ModuleDict):
        raise AssertionError(
            f"Expected module.parametrizations to be a ModuleDict, got {type(lists).__name__}"
        )
    return lists


def _inject_new_class(module: Module) -> None:
    """Give `module` a class of its own, in which properties can be set."""
    cls = type(module)

    def default_deepcopy(self: Any, memo: dict[int, Any]) -> Any:
        # Without this, deepcopy would go through __getstate__, which refuses.
        found = memo.get(id(self))
        if found is not None:
            return found
        replica = self.__new__(type(self))
        memo[id(self)] = replica
        replica.__dict__ = deepcopy(self.__dict__, memo)
        slot_names: Callable[[type], list[str]] = copyreg._slotnames  # type: ignore[attr-defined]
        for slot in slot_names(type(self)):
            if hasattr(self, slot):
                setattr(replica, slot, deepcopy(getattr(self, slot), memo))
        return replica

    def getstate(self: Any) -> Any:
        raise RuntimeError(NOT_PICKLED)

    members: dict[str, Any] = {"__getstate__": getstate}
    if not hasattr(cls, "__deepcopy__"):
        members["__deepcopy__"] = default_deepcopy
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), members)


def _inject_property(module: Module, tensor_name: str) -> None:
    """Let ``module.<tensor_name>`` run its `ParametrizationList`.

    The class must be the module's alone.
    """
    if hasattr(module, tensor_name):
        raise AssertionError(f"Module already has an attribute named '{tensor_name}'")

    def get_parametrized(self: Any) -> Tensor:
        listed = self.parametrizations[tensor_name]
        if not _cache_enabled:
            return listed()
        key = id(module), tensor_name
        tensor = _cache.get(key)
        if tensor is None:
            tensor = _cache[key] = listed()
        return tensor

    def set_original(self: Any, value: Tensor) -> None:
        self.parametrizations[tensor_name].right_inverse(value)

    setattr(type(module), tensor_name, property(get_parametrized, set_original))


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Return whether a tensor of `module` is parametrized.

    Args:
        module: which is asked.
        tensor_name: of the tensor; None asks for any.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.parametrize.is_parametrized.html

    Example:
        >>> from nbmodule import nn
        >>> from nbmodule.nn.utils import parametrize
        >>> layer = nn.utils.parametrizations.orthogonal(nn.Linear(3, 3))
        >>> parametrize.is_parametrized(layer), parametrize.is_parametrized(layer, "bias")
        (True, False)
    """
    lists = getattr(module, "parametrizations", None)
    if not isinstance(lists, ModuleDict):
        return False
    return len(lists) > 0 if tensor_name is None else tensor_name in lists


def remove_parametrizations(
    module: Module, tensor_name: str, leave_parametrized: bool = True
) -> Module:
    """Make ``module.<tensor_name>`` an ordinary parameter or buffer again.

    Args:
        module: is changed, and returned.
        tensor_name: of the tensor.
        leave_parametrized: keep the value that it has; otherwise it becomes ``original``.

    Raises:
        ValueError: the tensor is not parametrized, or `leave_parametrized` is False where there are several
            originals.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.parametrize.remove_parametrizations.html

    Example:
        >>> from nbmodule import nn
        >>> from nbmodule.nn.utils import parametrize
        >>> layer = nn.utils.parametrizations.orthogonal(nn.Linear(3, 3))
        >>> parametrize.remove_parametrizations(layer, "weight")
        Linear(in_features=3, out_features=3, bias=True)
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    listed = _lists(module)[tensor_name]
    if listed.is_tensor:
        original = listed.original
        if leave_parametrized:
            with no_grad():
                value = getattr(module, tensor_name)
            _set_for_good(original, value)
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in "
            "terms of a sequence of tensors."
        )
    lists = _lists(module)
    with _as_it_was(module), _as_it_was(lists):
        delattr(type(module), tensor_name)
        del lists[tensor_name]
        _register_parameter_or_buffer(module, tensor_name, original)
        if not is_parametrized(module):
            delattr(module, "parametrizations")
            module.__class__ = type(module).__bases__[0]
    return module


def _set_for_good(original: Tensor, value: Tensor) -> None:
    try:
        _maybe_set(original, value)
    except RuntimeError as e:
        if type(original) is Tensor:
            raise
        raise RuntimeError(NOT_SET) from e


def type_before_parametrizations(module: Module) -> type:
    """Return the class of `module` before anything of it was parametrized.

    Args:
        module: which is asked.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.parametrize.type_before_parametrizations.html

    Example:
        >>> from nbmodule import nn
        >>> from nbmodule.nn.utils import parametrize
        >>> layer = nn.utils.parametrizations.orthogonal(nn.Linear(3, 3))
        >>> type(layer).__name__, parametrize.type_before_parametrizations(layer).__name__
        ('ParametrizedLinear', 'Linear')
    """
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Give `to_module` the parametrizations of `from_module`, and the tensors that they are computed from.

    Args:
        from_module: stays as it is.
        to_module: is changed, and returned; a tensor that it lacks is made.
        tensor_name: of the only tensor to do this for; None stands for all that are parametrized.

    Source: https://github.com/pytorch/pytorch/blob/main/torch/nn/utils/parametrize.py

    Example:
        >>> from nbmodule import nn
        >>> from nbmodule.nn.utils import parametrize
        >>> layer = nn.utils.parametrizations.orthogonal(nn.Linear(3, 3))
        >>> other = parametrize.transfer_parametrizations_and_params(layer, nn.Linear(3, 3))
        >>> bool((other.weight == layer.weight).all())
        True
    """
    if not is_parametrized(from_module):
        return to_module
    lists = _lists(from_module)
    for name in lists if tensor_name is None else [tensor_name]:
        # A tensor that `to_module` lacks is made, for something has to be parametrized.
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        for parametrization in lists[name]:
            register_parametrization(to_module, name, parametrization)
        taken, given = _lists(to_module)[name], lists[name]
        if hasattr(given, "original"):
            taken.original = given.original
        else:
            for i in range(given.ntensors):
                setattr(taken, f"original{i}", getattr(given, f"original{i}"))
    return to_module
