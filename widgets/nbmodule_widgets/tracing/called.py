"""Who called `forward`: the Module's own `__call__`, or somebody directly, past all hooks."""

from __future__ import annotations

import sys
from types import CodeType, FrameType, FunctionType
from typing import Any

from nbmodule_widgets.protocol import mro_of, namespace_of, own_dict

_NAMES = ("__call__", "_call_impl", "_wrapped_call_impl", "_slow_forward")
_LIBRARIES = ("torch", "nbmodule")
_FARTHEST = 16  # frames


class Callers:
    """The code of functions that call `forward` as a Module should be called.

    Attributes:
        trusted: Identities of such code in the libraries, which calls the forward of its own Module only.
        ours: Identities of the code of our shadows.
    """

    def __init__(self) -> None:
        self.trusted: set[int] = set()
        self.ours: set[int] = set()
        self._own: set[int] = set()  # of the reader's classes: may call anybody's forward
        self._known: dict[int, type] = {}
        self._held: list[CodeType] = []
        calling = own_dict(sys.modules.get("nbmodule.nn.modules._calling"))
        self._learn_function(calling.get("call_with_hooks"), self.trusted)

    def learn(self, cls: type) -> None:
        """Learns how instances of a class are called."""
        if self._known.get(id(cls)) is cls:
            return
        self._known[id(cls)] = cls
        for base in mro_of(cls):
            namespace = namespace_of(base)
            for name in _NAMES:
                function = namespace.get(name)
                if type(function) is FunctionType:
                    home = str(function.__globals__.get("__name__")).partition(".")[0]
                    self._learn_function(
                        function, self.trusted if home in _LIBRARIES else self._own
                    )

    def _learn_function(self, function: Any, where: set[int]) -> None:
        pending = [function.__code__] if type(function) is FunctionType else []
        while pending:
            code = pending.pop()
            self._held.append(code)
            where.add(id(code))
            pending += [c for c in code.co_consts if type(c) is CodeType]

    def is_direct(self, module: Any, frame: FrameType | None) -> bool:
        """Whether forward was called past `__call__`.

        Args:
            module: Whose forward.
            frame: That of the caller.
        """
        for _ in range(_FARTHEST):
            if frame is None or id(frame.f_code) in self.ours:
                return True
            code = frame.f_code
            if id(code) in self.trusted:
                return False
            if id(code) in self._own and code.co_varnames:
                first = code.co_varnames[0]
                if frame.f_locals.get(first) is module:
                    return False
            frame = frame.f_back
        return True
