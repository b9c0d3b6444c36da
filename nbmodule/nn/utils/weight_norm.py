"""Weight normalisation: a weight as a length times a direction, each learned on its own.

``w = g * v / ‖v‖``. This older form keeps g and v in the module itself and computes w by a hook before each
call; `parametrizations.weight_norm` has taken its place.

Source: Salimans and Kingma, https://arxiv.org/abs/1602.07868
"""

from __future__ import annotations

import warnings
from typing import Any, TypeVar

from ..._tensor import Tensor
from ..functional._weight_norm import _weight_norm, norm_except_dim
from ..modules._state_dict import as_it_was
from ..modules.module import Module
from ..parameter import Parameter, UninitializedParameter

__all__ = ["WeightNorm", "remove_weight_norm", "weight_norm"]

M = TypeVar("M", bound=Module)


class WeightNorm:
    """The hook that computes ``module.weight`` from ``weight_g`` and ``weight_v`` before each call.

    Args:
        name: of the weight.
        dim: the dimension that keeps its own lengths; None, or -1, for one length of the whole weight.

    Attributes:
        name: of the weight.
        dim: as given, -1 for None.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.weight_norm.html

    Example:
        >>> from nbmodule.nn.utils.weight_norm import WeightNorm
        >>> hook = WeightNorm("weight", None)
        >>> hook.name, hook.dim
        ('weight', -1)
    """

    name: str
    dim: int

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Module) -> Tensor:
        """Return ``g * v / ‖v‖``."""
        g, v = getattr(module, self.name + "_g"), getattr(module, self.name + "_v")
        return _weight_norm(v, g, self.dim)

    @staticmethod
    def apply(module: Module, name: str, dim: int | None) -> WeightNorm:
        """Put two parameters in the place of ``module.<name>``, and the hook before each call."""
        warnings.warn(
            "`nbmodule.nn.utils.weight_norm` is deprecated in favor of "
            "`nbmodule.nn.utils.parametrizations.weight_norm`.",
            FutureWarning,
            stacklevel=2,
        )
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, WeightNorm) and hook.name == name:
                raise RuntimeError(
                    f"Cannot register two weight_norm hooks on the same parameter {name}"
                )
        fn = WeightNorm(name, dim)
        weight = getattr(module, name)
        if isinstance(weight, UninitializedParameter):
            raise ValueError(
                "The module passed to `WeightNorm` can't have uninitialized parameters. "
                "Make sure to run the dummy forward before applying weight normalization"
            )
        length = norm_except_dim(weight, 2, fn.dim).data  # before any change: `dim` may not fit
        with as_it_was(module):
            del module._parameters[name]
            module.register_parameter(name + "_g", Parameter(length))
            module.register_parameter(name + "_v", Parameter(weight.data))
            setattr(module, name, fn.compute_weight(module))
            module.register_forward_pre_hook(fn)
        return fn

    def remove(self, module: Module) -> None:
        """Make the weight a parameter again, of the value that it has."""
        with as_it_was(module):
            weight = self.compute_weight(module)
            delattr(module, self.name)
            del module._parameters[self.name + "_g"]
            del module._parameters[self.name + "_v"]
            setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module: Module, inputs: Any) -> None:
        """Set the weight of `module`; a forward pre-hook."""
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: M, name: str = "weight", dim: int | None = 0) -> M:
    """Let a weight be a length times a direction: ``w = g * v / ‖v‖``.

    In the place of the parameter ``weight`` the module gets ``weight_g`` and ``weight_v``; a hook computes
    ``weight`` before each call.

    Args:
        module: is changed, and returned.
        name: of the weight.
        dim: the dimension that keeps its own lengths, such as 0 for one of each output; None for one length of
            the whole weight.

    Raises:
        RuntimeError: the weight is normalised already.
        ValueError: it has no values yet.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.weight_norm.html, in the place of
    which one uses `nbmodule.nn.utils.parametrizations.weight_norm` today.

    Example:
        >>> import warnings
        >>> from nbmodule import nn
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     m = nn.utils.weight_norm(nn.Linear(20, 40))
        >>> {name: tuple(p.shape) for name, p in m.named_parameters()}
        {'bias': (40,), 'weight_g': (40, 1), 'weight_v': (40, 20)}
    """
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module: M, name: str = "weight") -> M:
    """Undo `weight_norm`; the weight keeps the value that it has.

    Args:
        module: is changed, and returned.
        name: of the weight.

    Raises:
        ValueError: the weight is not normalised.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.remove_weight_norm.html

    Example:
        >>> import warnings
        >>> from nbmodule import nn
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     m = nn.utils.weight_norm(nn.Linear(2, 3))
        >>> [name for name, _ in nn.utils.remove_weight_norm(m).named_parameters()]
        ['bias', 'weight']
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")
