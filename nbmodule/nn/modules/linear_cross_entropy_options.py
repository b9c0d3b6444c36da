"""How `linear_cross_entropy` may go through a batch piece by piece.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.linear_cross_entropy.html
"""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

from ... import _dtypes

__all__ = ["LinearCrossEntropyOptions"]

_HALF: dict[tuple[Any, str], tuple[Any, Any]] = {
    ("cuda", "float16"): ("compact", "aspect_ratio:2"),
    ("cpu", "float16"): ("accurate", "aspect_ratio"),
}
_ELSE: tuple[Any, Any] = ("compact", "aspect_ratio:2")


@dataclasses.dataclass(slots=True, frozen=True)
class LinearCrossEntropyOptions:
    """How `linear_cross_entropy` goes through a batch piece by piece, so that not all scores are in memory at once.

    Args:
        allow_retain_graph: keep what was computed for the derivative, so that there can be a second one.
        batch_chunk_size: how many examples make a piece; None for all, or for what `chunking_method` says.
        chunking_method: "aspect_ratio": as many as make the scores as large as the input; "aspect_ratio:N": an N-th of
            that; "auto": PyTorch's choice; None: `batch_chunk_size`.
        acc_policy: "accurate", "balanced", "compact" or "auto": what PyTorch computes in `acc_dtype`. Here sums are
            the same for all of them.
        acc_dtype: in which dtype sums are computed; None for that of the input.

    Raises:
        ValueError: an option is unknown.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LinearCrossEntropyOptions.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> x, w = nbmodule.ones(6, 2), nbmodule.zeros(10, 2)
        >>> options = nbmodule.nn.LinearCrossEntropyOptions(batch_chunk_size=4)
        >>> F.linear_cross_entropy(x, w, nbmodule.zeros(6, dtype=nbmodule.long), options=options)
        tensor(2.3026)
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: Literal["accurate", "balanced", "compact", "auto"] = "auto"
    acc_dtype: Any = None

    def __post_init__(self) -> None:
        if self.acc_policy not in {"auto", "accurate", "balanced", "compact"}:
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}")
        if self.chunking_method is not None and self.chunking_method != "auto":
            name, colon, factor = self.chunking_method.partition(":")
            whole = not colon or (factor.isdigit() and int(factor) > 0)
            if name != "aspect_ratio" or not whole:
                raise ValueError(f"invalid chunking_method: {self.chunking_method!r}")
        size = self.batch_chunk_size
        if size is not None and not (isinstance(size, int) and size > 0):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size!r}")
        if self.acc_dtype not in (None, _dtypes.float16, _dtypes.float32, _dtypes.float64):
            raise ValueError(
                "acc_dtype must be one of {None, nbmodule.float16, nbmodule.bfloat16, nbmodule.float32, "
                f"nbmodule.float64}}, got {self.acc_dtype!r}. Pass acc_dtype=None to let the op pick automatically."
            )

    def _compute_batch_chunk_size(self, num_batches: int, in_features: int, num_classes: int, method: str | None = None) -> int:  # fmt: skip
        """Return the size of a piece that `method` chooses."""
        _, _, factor = str(method or self.chunking_method).partition(":")
        wide = -(-num_classes // in_features)
        target = -(-num_batches // wide)
        power = 1 << (target - 1).bit_length()  # the next power of 2
        return min(power // int(factor or 1), num_batches)

    def _adjust(self, num_batches: int, in_features: int, num_classes: int, dtype: Any, device: Any = None) -> LinearCrossEntropyOptions:  # fmt: skip
        """Return options that leave nothing open, for a call with these sizes.

        Raises:
            ValueError: `batch_chunk_size` and `chunking_method` say different things.
        """
        kind = getattr(device, "type", None)
        policy, method = _HALF.get((kind, str(dtype).rpartition(".")[2]), _ELSE)
        if self.acc_policy != "auto":
            policy = self.acc_policy
        if self.chunking_method != "auto":
            method = self.chunking_method
        elif self.batch_chunk_size is not None:
            method = None
        size = min(self.batch_chunk_size or num_batches, num_batches)
        if method is not None:
            size = self._compute_batch_chunk_size(num_batches, in_features, num_classes, method)
            if self.batch_chunk_size not in (None, size):
                raise ValueError(
                    f"batch_chunk_size (={self.batch_chunk_size}) and chunking_method ('{method}') give different "
                    f"chunk sizes ({self.batch_chunk_size} vs {size}); pass only one."
                )
        wider = self.acc_policy == "auto" and kind == "cpu" and dtype is _dtypes.float16
        return dataclasses.replace(
            self,
            acc_policy=policy,
            chunking_method=method,
            batch_chunk_size=max(1, size),
            acc_dtype=self.acc_dtype or (_dtypes.float32 if wider else dtype),
        )
