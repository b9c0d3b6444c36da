"""What changes the parameters, as in ``torch.optim``.

`optimizer` holds what they share, and `lr_scheduler` changes their learning rates.
"""

from typing import Any as _Any

from .adam import Adam, AdamW
from .optimizer import Optimizer
from .sgd import SGD


def __getattr__(name: str) -> _Any:
    """Import `lr_scheduler` when it is first asked for: `import nbmodule` stays quick."""
    if name != "lr_scheduler":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return import_module(".lr_scheduler", __name__)


def __dir__() -> list[str]:
    return sorted({*globals(), "lr_scheduler"})
