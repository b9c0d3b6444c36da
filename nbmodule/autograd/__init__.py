"""Gradients: recording, walking back, and operations that bring their own derivative.

The walk itself is in `nbmodule/_engine/`.
"""

import typing as _typing
from typing import Any as _Any

from .._engine import Recorder as _Recorder
from .._methods.backward import backward
from . import anomaly_mode, function, grad_mode, graph
from ._grad import grad
from .anomaly_mode import detect_anomaly, set_detect_anomaly
from .function import Function
from .grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled
from .gradcheck import gradcheck, gradgradcheck
from .variable import Variable

if _typing.TYPE_CHECKING:
    from . import functional

__all__ = [
    "Function",
    "Variable",
    "anomaly_mode",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "function",
    "functional",
    "grad",
    "grad_mode",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
]  # fmt: skip


if not _typing.TYPE_CHECKING:  # checkers know all names, and so see a misspelt one

    def __getattr__(name: str) -> _Any:
        """Import `functional` when it is first asked for."""
        if name != "functional":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return import_module(".functional", __name__)


def __dir__() -> list[str]:
    return sorted({*globals(), "functional"})


def _recorded_derivatives(*args: _Any) -> list[_Any]:
    """Import what records a walk before the first walk that is recorded."""
    from .. import _recorded  # puts its own function in the place of this one

    return _recorded.derivatives(*args)


_Recorder.derivatives = staticmethod(_recorded_derivatives)
