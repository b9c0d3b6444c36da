"""Layers that forget a part of their input while they train; in eval mode they return it as it is."""

from __future__ import annotations

from ..._tensor import Tensor
from .. import functional as F
from .module import Module


class _DropoutNd(Module):
    """What the layers of this file share: the probability, and its check."""

    __constants__ = ["p", "inplace"]

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Sets elements to 0 with probability `p`, each by itself, and scales the others by ``1 / (1 - p)``.

    Args:
        p: the probability, in [0, 1].
        inplace: overwrite the input.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Raises:
        ValueError: `p` is not a probability.

    Source: Srivastava et al., https://jmlr.org/papers/v15/srivastava14a.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> _ = nbmodule.manual_seed(0)
        >>> drop = nn.Dropout(0.25)
        >>> drop(nbmodule.ones(6))
        tensor([0.0000, 1.3333, 1.3333, 0.0000, 1.3333, 0.0000])
        >>> drop.eval()(nbmodule.ones(6))
        tensor([1., 1., 1., 1., 1., 1.])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with elements dropped in training, `input` itself else."""
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """Sets whole channels to 0 with probability `p`, and scales the others by ``1 / (1 - p)``.

    Neighbours in a channel tell the same story: to drop one of them alone would hide little.

    Args:
        p: the probability, in [0, 1].
        inplace: overwrite the input.

    Shape:
        Input (N, C, L) or (C, L); output in the shape of the input.

    Raises:
        ValueError: `p` is not a probability.
        RuntimeError: the input has another number of dimensions.

    Source: Tompson et al., https://arxiv.org/abs/1411.4280

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> _ = nbmodule.manual_seed(0)
        >>> nn.Dropout1d()(nbmodule.ones(3, 4))
        tensor([[0., 0., 0., 0.],
                [0., 0., 0., 0.],
                [2., 2., 2., 2.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with channels dropped in training."""
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """Sets whole channels of images to 0, as `Dropout1d` does with those of signals.

    Args:
        p: the probability, in [0, 1].
        inplace: overwrite the input.

    Shape:
        Input (N, C, H, W) or, taken as signals with a warning, (N, C, L); output in the shape of the input.

    Raises:
        ValueError: `p` is not a probability.

    Source: Tompson et al., https://arxiv.org/abs/1411.4280

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> _ = nbmodule.manual_seed(0)
        >>> nn.Dropout2d()(nbmodule.ones(1, 4, 2, 2)).sum((2, 3))
        tensor([[0., 0., 8., 0.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with channels dropped in training."""
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """Sets whole channels of volumes to 0, as `Dropout1d` does with those of signals.

    Args:
        p: the probability, in [0, 1].
        inplace: overwrite the input.

    Shape:
        Input (N, C, D, H, W) or (C, D, H, W); output in the shape of the input.

    Raises:
        ValueError: `p` is not a probability.

    Source: Tompson et al., https://arxiv.org/abs/1411.4280

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> _ = nbmodule.manual_seed(0)
        >>> nn.Dropout3d()(nbmodule.ones(1, 4, 2, 2, 2)).sum((2, 3, 4))
        tensor([[ 0.,  0., 16.,  0.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with channels dropped in training."""
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Dropout for networks of `SELU`: keeps the mean at 0 and the variance at 1.

    What is dropped becomes the lowest value that SELU takes, not 0, and all are scaled and moved.

    Args:
        p: the probability, in [0, 1].
        inplace: of no effect, as in PyTorch.

    Shape:
        Input (*), of any shape; output in the shape of the input.

    Raises:
        ValueError: `p` is not a probability.

    Source: Klambauer et al., https://arxiv.org/abs/1706.02515

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> _ = nbmodule.manual_seed(0)
        >>> nn.AlphaDropout(0.25)(nbmodule.zeros(5))
        tensor([-1.1435,  0.3812,  0.3812, -1.1435,  0.3812])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with elements dropped in training."""
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """Drops whole channels, in the way of `AlphaDropout`.

    Args:
        p: the probability, in [0, 1].
        inplace: of no effect, as in PyTorch.

    Shape:
        Input (N, C, *); output in the shape of the input.

    Raises:
        ValueError: `p` is not a probability.

    Source: Klambauer et al., https://arxiv.org/abs/1706.02515

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> _ = nbmodule.manual_seed(0)
        >>> nn.FeatureAlphaDropout()(nbmodule.zeros(1, 3, 2))
        tensor([[[-0.7792, -0.7792],
                 [-0.7792, -0.7792],
                 [ 0.7792,  0.7792]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with channels dropped in training."""
        return F.feature_alpha_dropout(input, self.p, self.training)
