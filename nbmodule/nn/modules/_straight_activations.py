"""Activations made of straight pieces, as modules."""

from __future__ import annotations

import warnings

from ..._tensor import Tensor
from .. import functional as F
from .module import Module


def _in_place(module: Module) -> str:
    """Return what the representation of `module` says of ``inplace``."""
    return ", inplace=True" if module.inplace else ""


class Threshold(Module):
    """Replaces what is not larger than a threshold.

    ``y = x if x > threshold else value``

    Args:
        threshold: what an element must be above to stay.
        value: what takes the place of the others.
        inplace: overwrite the input.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Threshold.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.Threshold(0.5, 9.0)(nbmodule.tensor([-2.0, 0.5, 3.0]))
        tensor([9., 9., 3.])
    """

    __constants__ = ["threshold", "value", "inplace"]

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with what is too small replaced."""
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"threshold={self.threshold}, value={self.value}{_in_place(self)}"


class ReLU(Module):
    """``max(x, 0)`` element by element; the gradient at 0 is 0.

    Args:
        inplace: overwrite the input.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ReLU.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.ReLU()(nbmodule.tensor([-2.0, 0.0, 3.0]))
        tensor([0., 0., 3.])
    """

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return ``max(input, 0)``."""
        return F.relu(input, self.inplace)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return "inplace=True" if self.inplace else ""


class Hardtanh(Module):
    """Moves what is outside of [min_val, max_val] to the nearer end; the gradient there is 0.

    Args:
        min_val: the lower end.
        max_val: the upper end.
        inplace: overwrite the input.
        min_value: an older name of `min_val`.
        max_value: an older name of `max_val`.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Raises:
        AssertionError: `min_val` is not below `max_val`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Hardtanh.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.Hardtanh(-2, 2)(nbmodule.tensor([-3.0, 0.5, 3.0]))
        tensor([-2.0000,  0.5000,  2.0000])
    """

    __constants__ = ["min_val", "max_val", "inplace"]

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False, min_value: float | None = None, max_value: float | None = None) -> None:  # fmt: skip
        super().__init__()
        if min_value is not None:
            _warn_of_name("min_value", "min_val")
            min_val = min_value
        if max_value is not None:
            _warn_of_name("max_value", "max_val")
            max_val = max_value
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise AssertionError(
                f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})"
            )

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` within the limits."""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"min_val={self.min_val}, max_val={self.max_val}{_in_place(self)}"


class ReLU6(Hardtanh):
    """``min(max(x, 0), 6)`` element by element.

    Args:
        inplace: overwrite the input.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ReLU6.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.ReLU6()(nbmodule.tensor([-2.0, 3.0, 8.0]))
        tensor([0., 3., 6.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return "inplace=True" if self.inplace else ""


class Hardsigmoid(Module):
    """``min(max(x + 3, 0), 6) / 6``, a sigmoid made of straight lines.

    Args:
        inplace: overwrite the input.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Hardsigmoid.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.Hardsigmoid()(nbmodule.tensor([-4.0, 0.0, 1.5, 4.0]))
        tensor([0.0000, 0.5000, 0.7500, 1.0000])
    """

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return the straight sigmoid of `input`."""
        return F.hardsigmoid(input, self.inplace)


class Hardshrink(Module):
    """`x` where it is outside of [-lambd, lambd], else 0.

    Args:
        lambd: how far from 0 an element must be to stay.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Hardshrink.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.Hardshrink()(nbmodule.tensor([-2.0, 0.3, 0.7]))
        tensor([-2.0000,  0.0000,  0.7000])
    """

    __constants__ = ["lambd"]

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with what is close to 0 set to 0."""
        return F.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"{self.lambd}"


class Softshrink(Module):
    """`x` moved towards 0 by `lambd`, and no further than 0.

    ``y = x - lambd`` above lambd, ``x + lambd`` below -lambd, 0 between them.

    Args:
        lambd: how far; not negative.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Softshrink.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> nn.Softshrink()(nbmodule.tensor([-2.0, 0.3, 0.7]))
        tensor([-1.5000,  0.0000,  0.2000])
    """

    __constants__ = ["lambd"]

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` moved towards 0."""
        return F.softshrink(input, self.lambd)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return str(self.lambd)


def _warn_of_name(old: str, new: str) -> None:
    warnings.warn(
        f"keyword argument `{old}` is deprecated and renamed to `{new}`",
        FutureWarning,
        stacklevel=3,
    )
