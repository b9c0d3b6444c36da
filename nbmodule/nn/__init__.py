"""Building blocks of networks, as in ``torch.nn``."""

import typing as _typing
from importlib import import_module as _import_module
from typing import Any as _Any

from . import functional, grad, init, modules, utils
from .modules import *  # noqa: F403
from .parallel import DataParallel as DataParallel
from .parameter import (
    Buffer as Buffer,
    Parameter as Parameter,
    UninitializedBuffer as UninitializedBuffer,
    UninitializedParameter as UninitializedParameter,
)

if _typing.TYPE_CHECKING:
    from . import attention as attention
else:  # checkers know all names, and so see a misspelt one

    def __getattr__(name: str) -> _Any:
        """Import `attention` when it is first asked for: few programs do."""
        if name != "attention":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return _import_module(".attention", __name__)
