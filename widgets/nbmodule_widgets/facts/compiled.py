"""Models that were compiled: nothing of Python runs in compiled code, so nothing can be heard there.

What `torch.compile` made still has the Python that it was made from, and runs that while it is told to. What
`torch.jit` made has not.
"""

from __future__ import annotations

import sys
from typing import Any

from nbmodule_widgets.engines import engines
from nbmodule_widgets.facts.random_state import Undo
from nbmodule_widgets.protocol import own_dict


def compiling_off() -> list[Undo]:
    """Lets everything that `torch.compile` made run as it was written; returns what ends that."""
    return [undo for engine in engines() if (undo := engine.compiling_off()) is not None]


def is_compiled(module: Any) -> bool:
    """Whether a Module was handed to `torch.compile`, or is what that gave back."""
    own = own_dict(module)
    return own.get("_compiled_call_impl") is not None or "dynamo_ctx" in own


def is_scripted(module: Any) -> bool:
    """Whether a Module is a program of `torch.jit`."""
    script: Any = own_dict(sys.modules.get("torch.jit")).get("ScriptModule")
    return isinstance(script, type) and issubclass(type(module), script)
