"""Names of ``torch.optim.optimizer`` that optimizers written elsewhere import, to build their steps with.

Much of it chooses between ways to compute that PyTorch has on a GPU; there is one way here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from .. import _dtypes
from .._engine.state import be_silent, grad_mode
from .._tensor import Tensor
from ..autograd import set_grad_enabled

FUSED_DEVICES = ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]

ParamsT = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]


class _RequiredParameter:
    """The default of an option that every group must give."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _RequiredParameter()


def _use_grad_for_differentiable(func: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method `func`, a step, recorded only where the optimizer is differentiable."""

    @functools.wraps(func)
    def step(self: Any, *args: Any, **kwargs: Any) -> Any:
        be_silent()  # NumPy warns of infinities and of 0 / 0, PyTorch does not
        recorded = self.defaults["differentiable"]
        if not isinstance(recorded, bool):
            set_grad_enabled(recorded)  # which says so
        before = grad_mode.enabled
        try:
            grad_mode.enabled = recorded
            return func(self, *args, **kwargs)
        finally:
            grad_mode.enabled = before

    return step


def _default_to_fused_or_foreach(params: list[Any], differentiable: bool, use_fused: bool = False) -> tuple[bool, bool]:  # fmt: skip
    """Return whether PyTorch would choose its fused way for `params`, and its way over lists, unasked."""
    if differentiable:
        return False, False
    given = [p for p in params if p is not None]
    fused = use_fused and all(p.is_floating_point() for p in given)
    return fused, not fused and not given


def _device_dtype_check_for_fused(p: Tensor, cuda_unsupported: bool = False) -> None:
    """Raise if the fused way of PyTorch does not take `p`.

    Raises:
        RuntimeError: `p` holds whole numbers, or lies on another device.
    """
    devices = [d for d in FUSED_DEVICES if not (cuda_unsupported and d == "cuda")]
    if not (p.device.type in devices and p.is_floating_point()):
        raise RuntimeError(
            "`fused=True` requires all the params to be floating point Tensors of supported devices: "
            f"{devices} but {p.dtype} and {p.device.type}"
        )


def _get_scalar_dtype(is_fused: bool | None = None) -> Any:
    """Return the type of a count of steps: float32 unless the default type is wider."""
    double = _dtypes.get_default_dtype() is _dtypes.float64 and not is_fused
    return _dtypes.float64 if double else _dtypes.float32


def _get_capturable_supported_devices(supports_xla: bool = True) -> list[str]:
    """Return the devices whose work PyTorch can capture in a graph; none of them is here."""
    return ["cuda", "xpu", "hpu", "privateuseone"] + ["xla"] * supports_xla


def _view_as_real(params: list[Any], *state_and_grads: list[Any]) -> None:
    """Do nothing: there are no complex tensors here that could be seen as pairs of real ones."""


def _stack_if_compiling(x: Any) -> Any:
    """Return `x`: nothing is compiled here."""
    return x


def _disable_dynamo_if_unsupported(single_tensor_fn: Any = None) -> Callable[..., Any]:
    """Return a decorator that changes nothing: nothing is compiled here."""
    return lambda func: func


_params_doc = """params (iterable): tensors, pairs of names and tensors, or dictionaries that are groups
            of them with options of their own"""
_foreach_doc = """foreach (bool, optional): has no effect on the result; checked as PyTorch does
            (default: None)"""
_fused_doc = """fused (bool, optional): has no effect on the result; checked as PyTorch does
            (default: None)"""
_capturable_doc = """capturable (bool, optional): for graphs of GPU work, which are not made here: a step
            raises (default: False)"""
_differentiable_doc = """differentiable (bool, optional): whether the step is recorded, so that gradients
            pass through it (default: False)"""
_maximize_doc = """maximize (bool, optional): climb instead of descending (default: False)"""
