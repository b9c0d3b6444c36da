"""What all layers with running statistics share, ordinary and lazy ones."""

from __future__ import annotations

from typing import Any

from ... import _factories
from ..._dtypes import int64
from ..._tensor import Tensor
from .. import init
from ..parameter import Parameter, UninitializedBuffer, UninitializedParameter
from .lazy import LazyModuleMixin
from .module import Module


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

    def _running(self, training: bool) -> tuple[Any, Any]:
        """Return the running statistics that a call may see: in training those that are kept up to date."""
        if training and not self.track_running_stats:
            return None, None
        return self.running_mean, self.running_var

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


def check_dims(input: Tensor, *expected: int) -> None:
    """Check that `input` has one of the numbers of dimensions."""
    if input.dim() not in expected:
        words = " or ".join(f"{n}D" for n in expected)
        raise ValueError(f"expected {words} input (got {input.dim()}D input)")


for _base in (_NormBase, _LazyNormBase):
    _base.__module__ = "nbmodule.nn.modules.batchnorm"
