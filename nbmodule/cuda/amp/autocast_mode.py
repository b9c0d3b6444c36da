"""The older names of `nbmodule.amp.autocast` and its decorators."""

from __future__ import annotations

import warnings
from typing import Any

from ... import _dtypes, amp
from ...amp import autocast_mode

__all__ = ["autocast", "custom_bwd", "custom_fwd"]


def _deprecated(name: str, instead: str) -> None:
    text = f"`nbmodule.cuda.amp.{name}(args...)` is deprecated. Please use `nbmodule.amp.{instead}` instead."
    warnings.warn(text, FutureWarning, stacklevel=3)


class autocast(autocast_mode.autocast):  # PyTorch spells this class in lower case
    """`nbmodule.amp.autocast` for "cuda". Use that.

    Args:
        enabled: False asks for nothing.
        dtype: what PyTorch would cast to.
        cache_enabled: whether PyTorch would keep the casted weights.

    Source: https://docs.pytorch.org/docs/stable/amp.html#torch.cuda.amp.autocast

    Example:
        >>> import nbmodule, warnings
        >>> warnings.simplefilter("ignore", FutureWarning)
        >>> with nbmodule.cuda.amp.autocast(enabled=False):
        ...     nbmodule.get_autocast_dtype("cuda")
        nbmodule.float16
    """

    def __init__(self, enabled: bool = True, dtype: _dtypes.dtype = _dtypes.float16, cache_enabled: bool = True) -> None:  # fmt: skip
        _deprecated("autocast", "autocast('cuda', args...)")
        super().__init__("cuda", dtype, enabled, cache_enabled)


def custom_fwd(fwd: Any = None, *, cast_inputs: _dtypes.dtype | None = None) -> Any:
    """Return ``nbmodule.amp.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)``. Use that.

    Args:
        fwd: the method; None: return the decorator.
        cast_inputs: what PyTorch casts inputs to.

    Source: https://docs.pytorch.org/docs/stable/amp.html#torch.cuda.amp.custom_fwd

    Example:
        >>> import nbmodule, warnings
        >>> warnings.simplefilter("ignore", FutureWarning)
        >>> nbmodule.cuda.amp.custom_fwd().keywords
        {'device_type': 'cuda', 'cast_inputs': None}
    """
    _deprecated("custom_fwd", "custom_fwd(args..., device_type='cuda')")
    return amp.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd: Any) -> Any:
    """Return ``nbmodule.amp.custom_bwd(bwd, device_type="cuda")``. Use that.

    Args:
        bwd: the method.

    Source: https://docs.pytorch.org/docs/stable/amp.html#torch.cuda.amp.custom_bwd

    Example:
        >>> import nbmodule, warnings
        >>> warnings.simplefilter("ignore", FutureWarning)
        >>> nbmodule.cuda.amp.custom_bwd(lambda ctx, grad: grad).__name__
        '<lambda>'
    """
    _deprecated("custom_bwd", "custom_bwd(args..., device_type='cuda')")
    return amp.custom_bwd(bwd, device_type="cuda")
