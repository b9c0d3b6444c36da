"""Layers that put something around a tensor: a number, its mirror image, its edge, its other end.

Source: https://docs.pytorch.org/docs/stable/nn.html#padding-layers
"""

from __future__ import annotations

from collections.abc import Sequence

from ..._tensor import Tensor
from .. import functional as F
from ..common_types import _size_any_t
from .module import Module
from .utils import _ntuple, _pair, _quadruple

__all__ = [
    "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d", "ConstantPad2d", "ConstantPad3d",
    "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d",
    "ReplicationPad3d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
]  # fmt: skip

_sextuple = _ntuple(6)


class _CircularPadNd(Module):
    """The base class of the layers that pad with the other end."""

    __constants__ = ["padding"]
    padding: Sequence[int]
    _axes: int

    def _check_input_dim(self, input: Tensor) -> None:
        axes = self._axes
        if input.dim() not in (axes + 1, axes + 2):
            raise ValueError(
                f"expected {axes + 1}D or {axes + 2}D input (got {input.dim()}D input)"
            )

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with its other end on each side."""
        self._check_input_dim(input)
        return F.pad(input, self.padding, "circular")

    def extra_repr(self) -> str:
        """Return the widths."""
        return f"{self.padding}"


class _ReflectionPadNd(Module):
    """The base class of the layers that pad with the mirror image."""

    __constants__ = ["padding"]
    padding: Sequence[int]

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with its mirror image on each side."""
        return F.pad(input, self.padding, "reflect")

    def extra_repr(self) -> str:
        """Return the widths."""
        return f"{self.padding}"


class _ReplicationPadNd(Module):
    """The base class of the layers that pad with the edge."""

    __constants__ = ["padding"]
    padding: Sequence[int]

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with its edge repeated on each side."""
        return F.pad(input, self.padding, "replicate")

    def extra_repr(self) -> str:
        """Return the widths."""
        return f"{self.padding}"


class CircularPad1d(_CircularPadNd):
    """Puts around a signal what lies at its other end, as on a ring.

    Args:
        padding: one number or (left, right); negative widths crop.

    Shape:
        (N, C, W) or (C, W) -> (N, C, W + left + right) or (C, W + left + right).

    Raises:
        ValueError: on a call, for another number of dimensions.
        RuntimeError: on a call, when a width is larger than the size.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.CircularPad1d.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([[1.0, 2.0, 3.0, 4.0]])
        >>> nbmodule.nn.CircularPad1d((2, 1))(x)
        tensor([[3., 4., 1., 2., 3., 4., 1.]])
    """

    _axes = 1

    def __init__(self, padding: _size_any_t) -> None:
        super().__init__()
        self.padding = _pair(padding)


class CircularPad2d(_CircularPadNd):
    """Puts around an image what lies at its other end, as on a ring.

    Args:
        padding: one number or (left, right, top, bottom); negative widths crop.

    Shape:
        (N, C, H, W) or (C, H, W) -> (N, C, H + top + bottom, W + left + right)
        or (C, H + top + bottom, W + left + right).

    Raises:
        ValueError: on a call, for another number of dimensions.
        RuntimeError: on a call, when a width is larger than the size.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.CircularPad2d.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.arange(9.0).reshape(1, 3, 3)
        >>> nbmodule.nn.CircularPad2d((2, 0, 0, 1))(x)
        tensor([[[1., 2., 0., 1., 2.],
                 [4., 5., 3., 4., 5.],
                 [7., 8., 6., 7., 8.],
                 [1., 2., 0., 1., 2.]]])
    """

    _axes = 2

    def __init__(self, padding: _size_any_t) -> None:
        super().__init__()
        self.padding = _quadruple(padding)


class CircularPad3d(_CircularPadNd):
    """Puts around a volume what lies at its other end, as on a ring.

    Args:
        padding: one number or (left, right, top, bottom, front, back); negative widths crop.

    Shape:
        (N, C, D, H, W) or (C, D, H, W) -> (N, C, D + front + back, H + top + bottom, W + left + right).

    Raises:
        ValueError: on a call, for another number of dimensions.
        RuntimeError: on a call, when a width is larger than the size.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.CircularPad3d.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.arange(8.0).reshape(1, 2, 2, 2)
        >>> out = nbmodule.nn.CircularPad3d((0, 1, 0, 0, 1, 0))(x)
        >>> out.shape, out[0, 0].tolist()
        (nbmodule.Size([1, 3, 2, 3]), [[4.0, 5.0, 4.0], [6.0, 7.0, 6.0]])
    """

    _axes = 3

    def __init__(self, padding: _size_any_t) -> None:
        super().__init__()
        self.padding = _sextuple(padding)


class ReflectionPad1d(_ReflectionPadNd):
    """Puts around a signal its mirror image, without the edge itself.

    Args:
        padding: one number or (left, right); negative widths crop.

    Shape:
        (N, C, W) or (C, W) -> (N, C, W + left + right) or (C, W + left + right).

    Raises:
        RuntimeError: on a call, when a width is not smaller than the size.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ReflectionPad1d.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([[1.0, 2.0, 3.0, 4.0]])
        >>> nbmodule.nn.ReflectionPad1d((2, 1))(x)
        tensor([[3., 2., 1., 2., 3., 4., 3.]])
    """

    def __init__(self, padding: _size_any_t) -> None:
        super().__init__()
        self.padding = _pair(padding)


class ReflectionPad2d(_ReflectionPadNd):
    """Puts around an image its mirror image, without the edge itself.

    Args:
        padding: one number or (left, right, top, bottom); negative widths crop.

    Shape:
        (N, C, H, W) or (C, H, W) -> (N, C, H + top + bottom, W + left + right)
        or (C, H + top + bottom, W + left + right).

    Raises:
        RuntimeError: on a call, when a width is not smaller than the size.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ReflectionPad2d.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.arange(9.0).reshape(1, 3, 3)
        >>> nbmodule.nn.ReflectionPad2d((2, 0, 0, 1))(x)
        tensor([[[2., 1., 0., 1., 2.],
                 [5., 4., 3., 4., 5.],
                 [8., 7., 6., 7., 8.],
                 [5., 4., 3., 4., 5.]]])
    """

    def __init__(self, padding: _size_any_t) -> None:
        super().__init__()
        self.padding = _quadruple(padding)


class ReflectionPad3d(_ReflectionPadNd):
    """Puts around a volume its mirror image, without the edge itself.

    Args:
        padding: one number or (left, right, top, bottom, front, back); negative widths crop.

    Shape:
        (N, C, D, H, W) or (C, D, H, W) -> (N, C, D + front + back, H + top + bottom, W + left + right).

    Raises:
        RuntimeError: on a call, when a width is not smaller than the size.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ReflectionPad3d.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.arange(8.0).reshape(1, 2, 2, 2)
        >>> out = nbmodule.nn.ReflectionPad3d((0, 1, 0, 0, 1, 0))(x)
        >>> out.shape, out[0, 0].tolist()
        (nbmodule.Size([1, 3, 2, 3]), [[4.0, 5.0, 4.0], [6.0, 7.0, 6.0]])
    """

    def __init__(self, padding: _size_any_t) -> None:
        super().__init__()
        self.padding = _sextuple(padding)


class ReplicationPad1d(_ReplicationPadNd):
    """Puts around a signal its edge, repeated.

    Args:
        padding: one number or (left, right); negative widths crop.

    Shape:
        (N, C, W) or (C, W) -> (N, C, W + left + right) or (C, W + left + right).

    Raises:
        RuntimeError: on a call, when nothing would be left.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ReplicationPad1d.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([[1.0, 2.0, 3.0, 4.0]])
        >>> nbmodule.nn.ReplicationPad1d((2, 1))(x)
        tensor([[1., 1., 1., 2., 3., 4., 4.]])
    """

    def __init__(self, padding: _size_any_t) -> None:
        super().__init__()
        self.padding = _pair(padding)


class ReplicationPad2d(_ReplicationPadNd):
    """Puts around an image its edge, repeated.

    Args:
        padding: one number or (left, right, top, bottom); negative widths crop.

    Shape:
        (N, C, H, W) or (C, H, W) -> (N, C, H + top + bottom, W + left + right)
        or (C, H + top + bottom, W + left + right).

    Raises:
        RuntimeError: on a call, when nothing would be left.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ReplicationPad2d.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.arange(9.0).reshape(1, 3, 3)
        >>> nbmodule.nn.ReplicationPad2d((2, 0, 0, 1))(x)
        tensor([[[0., 0., 0., 1., 2.],
                 [3., 3., 3., 4., 5.],
                 [6., 6., 6., 7., 8.],
                 [6., 6., 6., 7., 8.]]])
    """

    def __init__(self, padding: _size_any_t) -> None:
        super().__init__()
        self.padding = _quadruple(padding)


class ReplicationPad3d(_ReplicationPadNd):
    """Puts around a volume its edge, repeated.

    Args:
        padding: one number or (left, right, top, bottom, front, back); negative widths crop.

    Shape:
        (N, C, D, H, W) or (C, D, H, W) -> (N, C, D + front + back, H + top + bottom, W + left + right).

    Raises:
        RuntimeError: on a call, when nothing would be left.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ReplicationPad3d.html

    Example:
        >>> import nbmodule
        >>> x = nbmodule.arange(8.0).reshape(1, 2, 2, 2)
        >>> out = nbmodule.nn.ReplicationPad3d((0, 1, 0, 0, 1, 0))(x)
        >>> out.shape, out[0, 0].tolist()
        (nbmodule.Size([1, 3, 2, 3]), [[0.0, 1.0, 1.0], [2.0, 3.0, 3.0]])
    """

    def __init__(self, padding: _size_any_t) -> None:
        super().__init__()
        self.padding = _sextuple(padding)


class _ConstantPadNd(Module):
    """The base class of the layers that pad with a number."""

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

    def __init__(self, padding: _size_any_t) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """Return the widths."""
        return f"{self.padding}"
