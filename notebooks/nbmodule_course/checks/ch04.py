"""Chapter 04: `__call__` is not `forward`. Programs put hooks in by hand and call; a log says what ran, and with what."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import nbmodule
from nbmodule import nn

from ..exercise import Exercise, expect
from ..referee import Program, Step, add_value, each, programs, put, read, run
from ..referee.world import World, slots_of


class Boom(Exception):
    """What a hook or a forward of these checks raises."""


# ---- a network that keeps a log, and the hooks that programs put into it


def _net(world: World, name: str = "net") -> Any:
    """Return the world's network of this name; its `forward` writes into the log and returns ten times its input."""

    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        log.append(f"forward{_listed(args, kwargs)}")
        if args and args[0] == "bad":
            raise Boom
        if name == "outer":
            return 1 + _net(world, "inner")(*args, **kwargs)
        return 10 * args[0] if args and isinstance(args[0], int) else "nothing"

    nets = vars(world).setdefault("nets", {})
    log = vars(world).setdefault("log", [])
    if name not in nets:
        nets[name] = type("Net", (world.Module,), {"forward": forward})()
        slots_of(nets[name])["log"] = log
    return nets[name]


def _listed(args: tuple, kwargs: dict[str, Any]) -> str:
    return f"({', '.join([*map(repr, args), *(f'{k}={v!r}' for k, v in kwargs.items())])})"


def _hook(name: str, words: str, act: Callable[..., Any], **, once: bool = False) -> None: ...
