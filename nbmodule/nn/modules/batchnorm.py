"""Batch normalisation."""

from __future__ import annotations

from typing import Any

from ... import _factories
from ..._dtypes import int64
from ..._engine import count_up
from ..._tensor import Tensor
from ...autograd import no_grad
from .. import functional as F
from .. import init
from ..parameter import Parameter, UninitializedBuffer, UninitializedParameter
from .lazy import LazyModuleMixin
from .module import Module

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "SyncBatchNorm",
]


class _NormBase(Module):
    """A weight, a bias and running statistics for each of `num_features` channels."""

    _version = 2
    __constants__ = ["track_running_stats", "momentum", "eps", "num_features", "affine"]
    weight: Any
    bias: Any
    running_mean: Any
    running_var: Any
    num_batches_tracked: Any

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True, track_running_stats: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True) -> None:  # fmt: skip
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        like = {"device": device, "dtype": dtype}
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            if wanted:
                setattr(self, name, Parameter(_factories.empty(num_features, **like)))
            else:
                self.register_parameter(name, None)
        mean = var = count = None
        if track_running_stats:
            mean = _factories.zeros(num_features, **like)
            var = _factories.ones(num_features, **like)
            count = _factories.tensor(0, dtype=int64, device=device)
        self.register_buffer("running_mean", mean)
        self.register_buffer("running_var", var)
        self.register_buffer("num_batches_tracked", count)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Set the running mean to 0, the running variance to 1 and the count of batches to 0."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Set the weight to 1, the bias to 0, and the running statistics to their beginning."""
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def _check_input_dim(self, input: Tensor) -> None:
        raise NotImplementedError

    def extra_repr(self) -> str:
        """Return the arguments of the layer."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str], unexpected_keys: list[str], error_msgs: list[str]) -> None:  # fmt: skip
        """Fill in the count of batches, which checkpoints before version 2 lack."""
        version = local_metadata.get("version", None)
        if (version is None or version < 2) and self.track_running_stats:
            count = self.num_batches_tracked
            if count is None or count.device.type == "meta":
                count = _factories.tensor(0, dtype=int64)
            state_dict.setdefault(prefix + "num_batches_tracked", count)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


class _LazyNormBase(LazyModuleMixin, _NormBase):
    """`_NormBase` that finds out the number of channels on its first call."""

    def __init__(self, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True, track_running_stats: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True) -> None:  # fmt: skip
        super().__init__(0, eps, momentum, False, False, device, dtype, bias=False)
        self.affine = affine
        self.track_running_stats = track_running_stats
        like = {"device": device, "dtype": dtype}
        if affine:
            self.weight = UninitializedParameter(**like)
            if bias:
                self.bias = UninitializedParameter(**like)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(**like)
            self.running_var = UninitializedBuffer(**like)
            self.num_batches_tracked = _factories.tensor(0, dtype=int64, device=device)

    def reset_parameters(self) -> None:
        """Set the parameters and statistics to their beginning, if they have a shape."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:  # type: ignore[override]
        """Give the parameters and statistics the number of channels of `input`."""
        if self.has_uninitialized_params():
            self.num_features = input.shape[1]
            if self.affine:
                self.weight.materialize((self.num_features,))
                if self.bias is not None:
                    self.bias.materialize((self.num_features,))
            if self.track_running_stats:
                self.running_mean.materialize((self.num_features,))
                self.running_var.materialize((self.num_features,))
            self.reset_parameters()


def _check_dims(input: Tensor, *expected: int) -> None:
    """Check that `input` has one of the numbers of dimensions."""
    if not isinstance(input, Tensor) or input._array.ndim not in expected:
        words = " or ".join(f"{n}D" for n in expected)
        raise ValueError(f"expected {words} input (got {input.dim()}D input)")


class _BatchNorm(_NormBase):
    """`_NormBase` with statistics of the whole batch."""

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True, track_running_stats: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True) -> None:  # fmt: skip
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalised input; in training bring the running statistics up to date."""
        self._check_input_dim(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        mean, var = self.running_mean, self.running_var
        if self.training and not self.track_running_stats:
            mean = var = None
        elif self.training and self.num_batches_tracked is not None:
            count_up(self.num_batches_tracked)
            if self.momentum is None:  # the mean of all batches so far
                momentum = 1.0 / float(self.num_batches_tracked)
        of_batch = self.training or (mean is None and var is None)
        return F.batch_norm(input, mean, var, self.weight, self.bias, of_batch, momentum, self.eps)


class BatchNorm1d(_BatchNorm):
    """Brings each channel of a batch to mean 0 and variance 1, then scales and shifts it.

    ``(x - mean) / sqrt(var + eps) * weight + bias``. In training the mean and the variance (of division by n) are
    those of the batch, and running ones are kept: ``(1 - momentum) * running + momentum * found``, the variance of
    division by n - 1. In evaluation the running ones are used.

    Args:
        num_features: C, the number of channels.
        eps: keeps the root away from 0.
        momentum: how far the running statistics move; None makes them the mean of all batches so far.
        affine: whether there are a weight and a bias.
        track_running_stats: whether there are running statistics; without them the batch's are always used.
        device: where the parameters live.
        dtype: of the parameters; the default dtype when left out.
        bias: False leaves out the bias.

    Attributes:
        weight: (C,), ones at first; None without `affine`.
        bias: (C,), zeros at first; None without `affine` or `bias`.
        running_mean: (C,), zeros at first; None without `track_running_stats`.
        running_var: (C,), ones at first, likewise.
        num_batches_tracked: how many batches the running statistics have seen.

    Shape:
        (N, C) or (N, C, L), the input and the output.

    Raises:
        ValueError: on a call, when the input has other dimensions, or one value for each channel in training.
        RuntimeError: on a call, when the input has not C channels.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm1d.html and https://arxiv.org/abs/1502.03167

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.BatchNorm1d(2)
        >>> layer(nbmodule.tensor([[1.0, 10.0], [3.0, 50.0]])).detach()
        tensor([[-1.0000, -1.0000],
                [ 1.0000,  1.0000]])
        >>> layer.running_mean, layer.num_batches_tracked
        (tensor([0.2000, 3.0000]), tensor(1))
    """

    def _check_input_dim(self, input: Tensor) -> None:
        _check_dims(input, 2, 3)


class BatchNorm2d(_BatchNorm):
    """Brings each channel of a batch of images to mean 0 and variance 1, as `BatchNorm1d` does.

    Args:
        num_features: C, the number of channels.
        eps, momentum, affine, track_running_stats, device, dtype, bias: as in `BatchNorm1d`.

    Shape:
        (N, C, H, W), the input and the output.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm2d.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.BatchNorm2d(3)
        >>> y = layer(100 + nbmodule.randn(8, 3, 4, 4))
        >>> y.mean((0, 2, 3)).abs().max().item() < 1e-4, y.std((0, 2, 3), correction=0).detach().round()
        (True, tensor([1., 1., 1.]))
    """

    def _check_input_dim(self, input: Tensor) -> None:
        _check_dims(input, 4)


class BatchNorm3d(_BatchNorm):
    """Brings each channel of a batch of volumes to mean 0 and variance 1, as `BatchNorm1d` does.

    Args:
        num_features: C, the number of channels.
        eps, momentum, affine, track_running_stats, device, dtype, bias: as in `BatchNorm1d`.

    Shape:
        (N, C, D, H, W), the input and the output.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm3d.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.BatchNorm3d(3, affine=False).eval()
        >>> layer(nbmodule.full((1, 3, 2, 2, 2), 7.0)).unique()  # (7 - 0) / sqrt(1 + eps)
        tensor([7.0000])
    """

    def _check_input_dim(self, input: Tensor) -> None:
        _check_dims(input, 5)


class LazyBatchNorm1d(_LazyNormBase, _BatchNorm):
    """`BatchNorm1d` that takes the number of channels from its first input.

    Args:
        eps, momentum, affine, track_running_stats, device, dtype, bias: as in `BatchNorm1d`.

    Shape:
        (N, C) or (N, C, L), the input and the output.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LazyBatchNorm1d.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.LazyBatchNorm1d()
        >>> layer(nbmodule.randn(4, 3)).shape, layer.weight.shape
        (nbmodule.Size([4, 3]), nbmodule.Size([3]))
    """

    cls_to_become = BatchNorm1d

    def _check_input_dim(self, input: Tensor) -> None:
        _check_dims(input, 2, 3)


class LazyBatchNorm2d(_LazyNormBase, _BatchNorm):
    """`BatchNorm2d` that takes the number of channels from its first input.

    Args:
        eps, momentum, affine, track_running_stats, device, dtype, bias: as in `BatchNorm1d`.

    Shape:
        (N, C, H, W), the input and the output.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LazyBatchNorm2d.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.LazyBatchNorm2d()
        >>> _ = layer(nbmodule.randn(4, 3, 2, 2))
        >>> layer
        BatchNorm2d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)
    """

    cls_to_become = BatchNorm2d

    def _check_input_dim(self, input: Tensor) -> None:
        _check_dims(input, 4)


class LazyBatchNorm3d(_LazyNormBase, _BatchNorm):
    """`BatchNorm3d` that takes the number of channels from its first input.

    Args:
        eps, momentum, affine, track_running_stats, device, dtype, bias: as in `BatchNorm1d`.

    Shape:
        (N, C, D, H, W), the input and the output.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LazyBatchNorm3d.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.LazyBatchNorm3d()
        >>> layer(nbmodule.randn(2, 3, 2, 2, 2)).shape, layer.num_features
        (nbmodule.Size([2, 3, 2, 2, 2]), 3)
    """

    cls_to_become = BatchNorm3d

    def _check_input_dim(self, input: Tensor) -> None:
        _check_dims(input, 5)


class SyncBatchNorm(_BatchNorm):
    """Batch normalisation over the batches of all processes. There is one process here: it is `BatchNorm1d`.

    Args:
        num_features: C, the number of channels.
        eps, momentum, affine, track_running_stats, device, dtype, bias: as in `BatchNorm1d`.
        process_group: kept, and not used.

    Shape:
        (N, C, *), the input and the output.

    Raises:
        ValueError: on a call, when the input has less than 2 dimensions, or no channels.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.SyncBatchNorm.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
        >>> nn.SyncBatchNorm.convert_sync_batchnorm(net)[1]
        SyncBatchNorm(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)
    """

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True, track_running_stats: bool = True, process_group: Any = None, device: Any = None, dtype: Any = None, *, bias: bool = True) -> None:  # fmt: skip
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")
        self._check_non_zero_input_channels(input)

    def _check_non_zero_input_channels(self, input: Tensor) -> None:
        if input.size(1) == 0:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """Return `module` with each layer of batch normalisation replaced by a `SyncBatchNorm`.

        Args:
            module: changed in place, unless it is such a layer itself.
            process_group: for the new layers.
        """
        out = module
        if isinstance(module, _BatchNorm):
            out = SyncBatchNorm(
                module.num_features, module.eps, module.momentum, module.affine, module.track_running_stats,
                process_group, bias=module.bias is not None,
            )  # fmt: skip
            if module.affine:
                with no_grad():
                    out.weight, out.bias = module.weight, module.bias
            out.running_mean = module.running_mean
            out.running_var = module.running_var
            out.num_batches_tracked = module.num_batches_tracked
            out.training = module.training
            if hasattr(module, "qconfig"):
                out.qconfig = module.qconfig
        for name, child in module.named_children():
            out.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return out
