"""Instance normalisation: each channel of each sample by itself."""

from __future__ import annotations

import warnings
from typing import Any

from ..._tensor import Tensor
from .. import functional as F
from .batchnorm import _check_dims, _LazyNormBase, _NormBase

__all__ = [
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]

_NO_STATISTICS = (
    "Unexpected running stats buffer(s) {names} for {klass} with track_running_stats=False. If state_dict is a "
    "checkpoint saved before 0.4.0, this may be expected because {klass} does not track running stats by default "
    "since 0.4.0. Please remove these keys from state_dict. If the running stats are actually needed, instead set "
    "track_running_stats=True in {klass} to enable them. See the documentation of {klass} for details."
)


class _InstanceNorm(_NormBase):
    """`_NormBase` with statistics of each sample; by default without parameters and running statistics."""

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = False, track_running_stats: bool = False, device: Any = None, dtype: Any = None, *, bias: bool = True) -> None:  # fmt: skip
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )

    def _get_no_batch_dim(self) -> int:
        raise NotImplementedError

    def _handle_no_batch_input(self, input: Tensor) -> Tensor:
        return self._apply_instance_norm(input.unsqueeze(0)).squeeze(0)

    def _apply_instance_norm(self, input: Tensor) -> Tensor:
        own = self.training or not self.track_running_stats
        momentum = 0.0 if self.momentum is None else self.momentum
        running = self.running_mean, self.running_var
        return F.instance_norm(input, *running, self.weight, self.bias, own, momentum, self.eps)

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str], unexpected_keys: list[str], error_msgs: list[str]) -> None:  # fmt: skip
        """Refuse the running statistics of checkpoints from before version 1, where they are not wanted."""
        if local_metadata.get("version", None) is None and not self.track_running_stats:
            unwanted = [n for n in ("running_mean", "running_var") if prefix + n in state_dict]
            if unwanted:
                names = " and ".join(f'"{prefix}{name}"' for name in unwanted)
                error_msgs.append(_NO_STATISTICS.format(names=names, klass=type(self).__name__))
                for name in unwanted:
                    state_dict.pop(prefix + name)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalised input."""
        self._check_input_dim(input)
        dim = input.dim() - self._get_no_batch_dim()
        if input.size(dim) != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={dim} to match num_features ({self.num_features}), but got: "
                    f"{input.size(dim)}."
                )
            warnings.warn(
                f"input's size at dim={dim} does not match num_features. You can silence this warning by not "
                "passing in num_features, which is not used because affine=False",
                stacklevel=2,
            )
        if dim == 0:
            return self._handle_no_batch_input(input)
        return self._apply_instance_norm(input)


class InstanceNorm1d(_InstanceNorm):
    """Brings each channel of each sample to mean 0 and variance 1: ``(x - mean) / sqrt(var + eps) * weight + bias``.

    Args:
        num_features: C, the number of channels; without `affine` and `track_running_stats` it does not matter.
        eps: keeps the root away from 0.
        momentum: how far the running statistics move in training.
        affine: whether there are a weight and a bias.
        track_running_stats: whether there are running statistics, to be used in evaluation.
        device: where the parameters live.
        dtype: of the parameters; the default dtype when left out.
        bias: False leaves out the bias.

    Attributes:
        weight: (C,), ones at first; None without `affine`.
        bias: (C,), zeros at first; None without `affine` or `bias`.
        running_mean: (C,), zeros at first; None without `track_running_stats`.
        running_var: (C,), ones at first, likewise.

    Shape:
        (N, C, L) or (C, L), the input and the output.

    Raises:
        ValueError: on a call, when the input has other dimensions, or one value for each channel of a sample.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.InstanceNorm1d.html and
    https://arxiv.org/abs/1607.08022

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.InstanceNorm1d(2)
        >>> layer(nbmodule.tensor([[[1.0, 3.0], [5.0, 25.0]]]))
        tensor([[[-1.0000,  1.0000],
                 [-1.0000,  1.0000]]])
    """

    def _get_no_batch_dim(self) -> int:
        return 2

    def _check_input_dim(self, input: Tensor) -> None:
        _check_dims(input, 2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Brings each channel of each of several images to mean 0 and variance 1, as `InstanceNorm1d` does.

    Args:
        num_features: C, the number of channels.
        eps, momentum, affine, track_running_stats, device, dtype, bias: as in `InstanceNorm1d`.

    Shape:
        (N, C, H, W) or (C, H, W), the input and the output.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.InstanceNorm2d.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.InstanceNorm2d(3, affine=True)
        >>> y = layer(nbmodule.randn(3, 4, 4))
        >>> y.flatten(1).mean(1).abs().max().item() < 1e-6, y.flatten(1).std(1, correction=0).detach().round()
        (True, tensor([1., 1., 1.]))
    """

    def _get_no_batch_dim(self) -> int:
        return 3

    def _check_input_dim(self, input: Tensor) -> None:
        _check_dims(input, 3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Brings each channel of each of several volumes to mean 0 and variance 1, as `InstanceNorm1d` does.

    Args:
        num_features: C, the number of channels.
        eps, momentum, affine, track_running_stats, device, dtype, bias: as in `InstanceNorm1d`.

    Shape:
        (N, C, D, H, W) or (C, D, H, W), the input and the output.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.InstanceNorm3d.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.InstanceNorm3d(3, affine=True)
        >>> y = layer(nbmodule.randn(3, 2, 4, 4))
        >>> y.flatten(1).mean(1).abs().max().item() < 1e-6, y.flatten(1).std(1, correction=0).detach().round()
        (True, tensor([1., 1., 1.]))
    """

    def _get_no_batch_dim(self) -> int:
        return 4

    def _check_input_dim(self, input: Tensor) -> None:
        _check_dims(input, 4, 5)


class LazyInstanceNorm1d(_LazyNormBase, _InstanceNorm):
    """`InstanceNorm1d` that takes the number of channels from its first input.

    Args:
        eps, momentum, affine, track_running_stats, device, dtype, bias: as in `InstanceNorm1d`, but here `affine`
            and `track_running_stats` are True when left out, as in PyTorch.

    Shape:
        (N, C, L) or (C, L), the input and the output.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LazyInstanceNorm1d.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.LazyInstanceNorm1d()
        >>> layer(nbmodule.randn(2, 3, 4)).shape, layer.num_features
        (nbmodule.Size([2, 3, 4]), 3)
    """

    cls_to_become = InstanceNorm1d

    def _get_no_batch_dim(self) -> int:
        return 2

    def _check_input_dim(self, input: Tensor) -> None:
        _check_dims(input, 2, 3)


class LazyInstanceNorm2d(_LazyNormBase, _InstanceNorm):
    """`InstanceNorm2d` that takes the number of channels from its first input.

    Args:
        eps, momentum, affine, track_running_stats, device, dtype, bias: as in `InstanceNorm1d`, but here `affine`
            and `track_running_stats` are True when left out, as in PyTorch.

    Shape:
        (N, C, H, W) or (C, H, W), the input and the output.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LazyInstanceNorm2d.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.LazyInstanceNorm2d()
        >>> layer(nbmodule.randn(2, 3, 4, 4)).shape, layer.num_features
        (nbmodule.Size([2, 3, 4, 4]), 3)
    """

    cls_to_become = InstanceNorm2d

    def _get_no_batch_dim(self) -> int:
        return 3

    def _check_input_dim(self, input: Tensor) -> None:
        _check_dims(input, 3, 4)


class LazyInstanceNorm3d(_LazyNormBase, _InstanceNorm):
    """`InstanceNorm3d` that takes the number of channels from its first input.

    Args:
        eps, momentum, affine, track_running_stats, device, dtype, bias: as in `InstanceNorm1d`, but here `affine`
            and `track_running_stats` are True when left out, as in PyTorch.

    Shape:
        (N, C, D, H, W) or (C, D, H, W), the input and the output.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LazyInstanceNorm3d.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.LazyInstanceNorm3d()
        >>> layer(nbmodule.randn(2, 3, 4, 4, 4)).shape, layer.num_features
        (nbmodule.Size([2, 3, 4, 4, 4]), 3)
    """

    cls_to_become = InstanceNorm3d

    def _get_no_batch_dim(self) -> int:
        return 4

    def _check_input_dim(self, input: Tensor) -> None:
        _check_dims(input, 4, 5)
