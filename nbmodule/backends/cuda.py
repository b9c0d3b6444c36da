"""What PyTorch keeps among the switches of CUDA: which kernels attention may take, on every device.

Source: https://docs.pytorch.org/docs/stable/backends.html
"""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager

from ..nn.attention import SDPBackend, sdpa_kernel
from ..nn.functional._attention import ENABLED
from ._cublas import cuBLASModule

matmul = cuBLASModule()


def is_built() -> bool:
    """Return False."""
    return False


def flash_sdp_enabled() -> bool:
    """Return whether `scaled_dot_product_attention` may take its quick way."""
    return ENABLED["flash"]


def enable_flash_sdp(enabled: bool) -> None:
    """Say whether it may."""
    ENABLED["flash"] = enabled


def math_sdp_enabled() -> bool:
    """Return whether it may compute step by step."""
    return ENABLED["math"]


def enable_math_sdp(enabled: bool) -> None:
    """Say whether it may."""
    ENABLED["math"] = enabled


def mem_efficient_sdp_enabled() -> bool:
    """Return whether it may take a kernel for GPUs that saves memory."""
    return ENABLED["mem_efficient"]


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Say whether it may."""
    ENABLED["mem_efficient"] = enabled


def cudnn_sdp_enabled() -> bool:
    """Return whether it may take cuDNN's."""
    return ENABLED["cudnn"]


def enable_cudnn_sdp(enabled: bool) -> None:
    """Say whether it may."""
    ENABLED["cudnn"] = enabled


def sdp_kernel(enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True) -> AbstractContextManager[dict]:  # fmt: skip
    """Do what `nbmodule.nn.attention.sdpa_kernel` does, which has taken the place of this one."""
    warnings.warn(
        "`nbmodule.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be removed. "
        "Please see `nbmodule.nn.attention.sdpa_kernel()` for the new context manager, with updated signature.",
        FutureWarning,
        stacklevel=2,
    )
    asked = {
        SDPBackend.FLASH_ATTENTION: enable_flash,
        SDPBackend.EFFICIENT_ATTENTION: enable_mem_efficient,
        SDPBackend.MATH: enable_math,
        SDPBackend.CUDNN_ATTENTION: enable_cudnn,
    }
    return sdpa_kernel([backend for backend, wanted in asked.items() if wanted])
