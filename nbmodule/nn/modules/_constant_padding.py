"""Layers that put a number around a tensor; `padding.py` shows them.

Source: https://docs.pytorch.org/docs/stable/nn.html#padding-layers
"""

from __future__ import annotations

from collections.abc import Sequence

from ..._tensor import Tensor
from .. import functional as F
from ..common_types import _size_any_t
from .module import Module
from .utils import _ntuple, _pair, _quadruple

_sextuple = _ntuple(6)


class _ConstantPadNd(Module):
    """The base class of the layers that pad with a number."""

    __module__ = "nbmodule.nn.modules.padding"

    __constants__ = ["padding", "value"]
    padding: Sequence[int]
    value: float

    def __init__(self, value: float) -> None:
        super().__init__()
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with the number around it."""
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        """Return the widths and the number."""
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Puts a number around a signal, along the last dimension of any tensor.

    Args:
        padding: one number or (left, right); negative widths crop.
        value: the number.

    Shape:
        (*, W) -> (*, W + left + right).

    Raises:
        RuntimeError: on a call, when nothing would be left.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ConstantPad1d.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([[1.0, 2.0]])
        >>> nbmodule.nn.ConstantPad1d((2, 1), 3.5)(x)
        tensor([[3.5000, 3.5000, 1.0000, 2.0000, 3.5000]])
    """

    __module__ = "nbmodule.nn.modules.padding"

    def __init__(self, padding: _size_any_t, value: float) -> None:
        super().__init__(value)
        self.padding = _pair(padding)


class ConstantPad2d(_ConstantPadNd):
    """Puts a number around an image, along the last two dimensions of any tensor.

    Args:
        padding: one number or (left, right, top, bottom); negative widths crop.
        value: the number.

    Shape:
        (*, H, W) -> (*, H + top + bottom, W + left + right).

    Raises:
        RuntimeError: on a call, when nothing would be left.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ConstantPad2d.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.ones(1, 2, 2)
        >>> nbmodule.nn.ConstantPad2d((1, 0, 0, 1), 3.5)(x)
        tensor([[[3.5000, 1.0000, 1.0000],
                 [3.5000, 1.0000, 1.0000],
                 [3.5000, 3.5000, 3.5000]]])
    """

    __module__ = "nbmodule.nn.modules.padding"

    def __init__(self, padding: _size_any_t, value: float) -> None:
        super().__init__(value)
        self.padding = _quadruple(padding)


class ConstantPad3d(_ConstantPadNd):
    """Puts a number around a volume, along the last three dimensions of any tensor.

    Args:
        padding: one number or (left, right, top, bottom, front, back); negative widths crop.
        value: the number.

    Shape:
        (*, D, H, W) -> (*, D + front + back, H + top + bottom, W + left + right).

    Raises:
        RuntimeError: on a call, when nothing would be left.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ConstantPad3d.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.ones(2, 3, 10, 20, 30)
        >>> nbmodule.nn.ConstantPad3d((3, 3, 6, 6, 0, 1), 3.5)(x).shape
        nbmodule.Size([2, 3, 11, 32, 36])
    """

    __module__ = "nbmodule.nn.modules.padding"

    def __init__(self, padding: _size_any_t, value: float) -> None:
        super().__init__(value)
        self.padding = _sextuple(padding)


class ZeroPad1d(ConstantPad1d):
    """Puts zeros around a signal, along the last dimension of any tensor.

    Args:
        padding: one number or (left, right); negative widths crop.

    Shape:
        (*, W) -> (*, W + left + right).

    Raises:
        RuntimeError: on a call, when nothing would be left.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ZeroPad1d.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([[1.0, 2.0]])
        >>> nbmodule.nn.ZeroPad1d((2, 1))(x)
        tensor([[0., 0., 1., 2., 0.]])
    """

    __module__ = "nbmodule.nn.modules.padding"

    def __init__(self, padding: _size_any_t) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """Return the widths."""
        return f"{self.padding}"


class ZeroPad2d(ConstantPad2d):
    """Puts zeros around an image, along the last two dimensions of any tensor.

    Args:
        padding: one number or (left, right, top, bottom); negative widths crop.

    Shape:
        (*, H, W) -> (*, H + top + bottom, W + left + right).

    Raises:
        RuntimeError: on a call, when nothing would be left.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ZeroPad2d.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.ones(1, 2, 2)
        >>> nbmodule.nn.ZeroPad2d((1, 0, 0, 1))(x)
        tensor([[[0., 1., 1.],
                 [0., 1., 1.],
                 [0., 0., 0.]]])
    """

    __module__ = "nbmodule.nn.modules.padding"

    def __init__(self, padding: _size_any_t) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """Return the widths."""
        return f"{self.padding}"


class ZeroPad3d(ConstantPad3d):
    """Puts zeros around a volume, along the last three dimensions of any tensor.

    Args:
        padding: one number or (left, right, top, bottom, front, back); negative widths crop.

    Shape:
        (*, D, H, W) -> (*, D + front + back, H + top + bottom, W + left + right).

    Raises:
        RuntimeError: on a call, when nothing would be left.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ZeroPad3d.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.ones(2, 3, 10, 20, 30)
        >>> nbmodule.nn.ZeroPad3d((3, 3, 6, 6, 0, 1))(x).shape
        nbmodule.Size([2, 3, 11, 32, 36])
    """

    __module__ = "nbmodule.nn.modules.padding"

    def __init__(self, padding: _size_any_t) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """Return the widths."""
        return f"{self.padding}"
