"""What changes the parameters, as in ``torch.optim``.

`optimizer` holds what they share, and `lr_scheduler` changes their learning rates. The less common ones are
imported when they are first asked for: `import nbmodule` stays quick.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING
from typing import Any as _Any

from .adam import Adam
from .adamw import AdamW
from .optimizer import Optimizer
from .sgd import SGD

if TYPE_CHECKING:
    from . import lr_scheduler, swa_utils
    from ._adafactor import Adafactor
    from ._muon import Muon
    from ._stateless import swap_in_optimizer_params_and_state
    from .adadelta import Adadelta
    from .adagrad import Adagrad
    from .adamax import Adamax
    from .asgd import ASGD
    from .lbfgs import LBFGS
    from .nadam import NAdam
    from .radam import RAdam
    from .rmsprop import RMSprop
    from .rprop import Rprop
    from .sparse_adam import SparseAdam

_LATER = {
    "Adadelta": "adadelta",
    "ASGD": "asgd",
    "Adafactor": "_adafactor",
    "Adagrad": "adagrad",
    "Adamax": "adamax",
    "LBFGS": "lbfgs",
    "Muon": "_muon",
    "NAdam": "nadam",
    "RAdam": "radam",
    "RMSprop": "rmsprop",
    "Rprop": "rprop",
    "SparseAdam": "sparse_adam",
    "swap_in_optimizer_params_and_state": "_stateless",
}
"""The file of each name that is imported later."""

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "lr_scheduler", "swa_utils", *_LATER]  # pyright: ignore[reportUnsupportedDunderAll]


if not TYPE_CHECKING:  # checkers know all names, and so see a misspelt one

    def __getattr__(name: str) -> _Any:
        if name in ("lr_scheduler", "swa_utils"):
            return _import_module(f".{name}", __name__)
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(_import_module(f".{_LATER[name]}", __name__), name)
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER, "lr_scheduler", "swa_utils"})
