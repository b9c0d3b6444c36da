"""What changes how `scaled_dot_product_attention` computes, by PyTorch's names.

Source: https://docs.pytorch.org/docs/stable/nn.attention.html
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager as _contextmanager
from enum import Enum as _Enum
from typing import Any

from ..functional._attention import ENABLED as _ENABLED

__all__ = ["WARN_FOR_UNFUSED_KERNELS", "SDPBackend", "sdpa_kernel"]

WARN_FOR_UNFUSED_KERNELS = False
"""Whether PyTorch says why a kernel is not taken; here is but one."""


class SDPBackend(_Enum):
    """The kernels of PyTorch. On the CPU it has MATH and FLASH_ATTENTION, which here name nodes of the graph.

    Args:
        *args: the number of a kernel.
        **kwds: nothing more.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.attention.SDPBackend.html

    Example:
        >>> from nbmodule.nn.attention import SDPBackend
        >>> SDPBackend.MATH, int(SDPBackend.FLASH_ATTENTION)
        (<SDPBackend.MATH: 0>, 1)
    """

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __int__(self) -> int:
        return self.value

    __index__ = __int__


_BACKENDS = {
    "cudnn": SDPBackend.CUDNN_ATTENTION,
    "flash": SDPBackend.FLASH_ATTENTION,
    "mem_efficient": SDPBackend.EFFICIENT_ATTENTION,
    "math": SDPBackend.MATH,
    "overrideable": SDPBackend.OVERRIDEABLE,
}


def _cur_sdpa_kernel_backends(with_priority: bool = False) -> list[SDPBackend]:
    """Return the kernels that are allowed now."""
    return [backend for name, backend in _BACKENDS.items() if _ENABLED[name]]


def _sdpa_kernel(backends: Iterable[Any], set_priority: bool = False) -> None:
    _ENABLED.update({name: backend in backends for name, backend in _BACKENDS.items()})


@_contextmanager
def sdpa_kernel(backends: list[SDPBackend] | SDPBackend, set_priority: bool = False) -> Iterator[dict]:  # fmt: skip
    """Allow only some kernels for `scaled_dot_product_attention` within a ``with`` block.

    Args:
        backends: a kernel, or a list of them.
        set_priority: accepted; there is nothing to choose between here.

    Raises:
        AssertionError: `backends` is neither.
        RuntimeError: in the block, where none of them would do on the CPU.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.attention.sdpa_kernel.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn.attention import SDPBackend, sdpa_kernel
        >>> q = nbmodule.ones(1, 2, 3, 4, requires_grad=True)
        >>> with sdpa_kernel(SDPBackend.MATH):
        ...     y = nbmodule.nn.functional.scaled_dot_product_attention(q, q, q)
        >>> y.grad_fn.name()
        'UnsafeViewBackward0'
    """
    if not isinstance(backends, (list, SDPBackend)):
        raise AssertionError(
            "Backend must be an instance of SDPBackend or a list of SDPBackend instances, got "
            f"{type(backends).__name__}"
        )
    before = _cur_sdpa_kernel_backends()
    try:
        _sdpa_kernel([backends] if isinstance(backends, SDPBackend) else backends)
        yield {}
    finally:
        _sdpa_kernel(before)
