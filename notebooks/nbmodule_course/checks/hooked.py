"""A network that keeps a log, and hooks that programs put into it by hand: what ran, in which order, and with what."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

from ..referee import Step, Words, add_value
from ..referee.world import World, slots_of

BEFORE, AFTER = "_forward_pre_hooks", "_forward_hooks"


class Boom(Exception):
    """Raised by a hook, or by a `forward`."""


class Slip(TypeError):
    """Raised by a `forward`: a TypeError of its own, which has nothing to do with how it was called."""


class Halt(BaseException):
    """Raised by a `forward`: like KeyboardInterrupt, it isn't an Exception."""


_FAILS = {"bad": Boom, "odd": Slip, "halt": Halt}
"""The inputs with which a `forward` fails, and what it raises."""


def _log_only(Module: type) -> None:
    """Nothing: the networks of a world are its own, and these names only explain them in a report."""


for _name, _words in (
    ("net", "a Module whose `forward` returns ten times its input"),
    ("second", "another Module"),
    ("outer", "a Module whose `forward` calls its child `inner`"),
    ("inner", "a Module whose `forward` returns ten times its input"),
    (
        "nested",
        "a Module whose `forward` calls itself once, with 1, and goes on like that of `net`",
    ),
):
    add_value(_name, _words, _log_only)


def net_of(world: World, name: str = "net") -> Any:
    """Return the network of this name in a world; its `forward` returns ten times its input."""
    nets, log = vars(world).setdefault("nets", {}), vars(world).setdefault("log", [])

    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        log.append(f"forward{_listed(args, kwargs)}")
        if name == "nested" and args != (1,):
            self(1)
        for given, kind in _FAILS.items():
            if args == (given,):
                vars(world)["raised"] = kind()
                raise vars(world)["raised"]
        if name == "outer":
            return net_of(world, "inner")(*args, **kwargs)
        return 10 * args[0] if args and isinstance(args[0], int) else None

    forward.__qualname__ = "forward"  # what an error says of it
    if name not in nets:
        nets[name] = type("Net", (world.Module,), {"forward": forward, "__module__": "__main__"})()
        slots_of(nets[name])["log"] = log
        if name == "outer":
            slots_of(nets[name])["_modules"]["inner"] = net_of(world, "inner")
    return nets[name]


def _listed(args: tuple, kwargs: dict[str, Any]) -> str:
    return f"({', '.join([*map(repr, args), *(f'{k}={v!r}' for k, v in kwargs.items())])})"


def call(*args: Any, net: str = "net", **kwargs: Any) -> list[Step]:
    """Return the step `net(…)`; it gives what ran, in order, and the result."""

    def act(world: World) -> Words:
        called, log = net_of(world, net), vars(world)["log"]
        log.clear()
        vars(world)["raised"] = None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # PyTorch's `__call__` warns of what it drops
                ends = f"gives `{called(*args, **kwargs)!r}`"
        except (Boom, Slip) as error:
            ends = "raises Boom" if isinstance(error, Boom) else "raises the TypeError of `forward`"
            if vars(world)["raised"] not in (None, error):
                ends = f"raises another {type(error).__name__} than `forward` did"
        except Halt:
            ends = "raises Halt, which isn't an Exception"
        return Words(
            f"runs `{' → '.join(log)}`, and {ends}" if log else f"runs nothing, and {ends}"
        )

    return [Step(f"{net}{_listed(args, kwargs)}", act, values=(net,))]


def give(drawer: str, key: int, *hooks: str, net: str = "net") -> list[Step]:
    """Return the steps `net._forward_hooks[key] = hook`, one for each of the `hooks`."""

    def act(world: World, hook: str) -> None:
        slots_of(net_of(world, net)).setdefault(drawer, OrderedDict())[key] = world.value(hook)

    return [
        Step(f"{net}.{drawer}[{key}] = {h}", lambda w, h=h: act(w, h), (), (h,), True)
        for h in hooks
    ]


def _hook(name: str, words: str, gives: Callable[..., Any], drawer: str = "") -> str:
    """Make a hook known to programs; with a drawer it removes itself from there when it runs."""

    def make(Module: type) -> Callable[..., Any]:
        def hook(module: Any, *given: Any) -> Any:
            (args, *results) = given
            slots_of(module)["log"].append(f"{name}{given if results else args}")
            own = slots_of(module)[drawer] if drawer else {}
            for key in [key for key, held in own.items() if held is hook]:
                del own[key]
            return gives(*given)

        hook.__name__ = hook.__qualname__ = name
        return hook

    return add_value(name, words, make)


class Two(NamedTuple):
    """A tuple of two, with names."""

    first: Any
    second: Any


def _explode(*given: Any) -> None:
    raise Boom


def _halt(*given: Any) -> None:
    raise Halt


PRE = (
    _hook("look", "a pre-hook that returns None", lambda args: None),
    _hook("plus", "a pre-hook that returns `(args[0] + 1,)`", lambda args: (args[0] + 1,)),
    _hook("plain", "a pre-hook that returns `args[0] + 5`, not a tuple", lambda args: args[0] + 5),
    _hook("zero", "a pre-hook that returns 0", lambda args: 0),
    _hook("more", "a pre-hook that returns `(args[0], 3)`", lambda args: (args[0], 3)),
)
ODD = (
    _hook("pairs", "a pre-hook that returns a list", lambda args: [1, 2]),
    _hook("mapping", "a pre-hook that returns a dictionary", lambda args: {"k": 1}),
    _hook("nothing", "a pre-hook that returns `()`", lambda args: ()),
    _hook("named", "a pre-hook that returns a namedtuple of two", lambda args: Two(args[0], 4)),
)
POST = (
    _hook("watch", "a hook that returns None", lambda args, result: None),
    _hook("double", "a hook that returns `result * 2`", lambda args, result: result * 2),
    _hook("nought", "a hook that returns 0", lambda args, result: 0),
    _hook("pair", "a hook that returns `(result, 1)`", lambda args, result: (result, 1)),
)
_hook("couple_", "a pre-hook that returns `(args[0], {'k': 3})`", lambda args: (args[0], {"k": 3}))
_hook("spoil", "a pre-hook that returns 'bad'", lambda args: "bad")
_hook("bomb", "a hook that raises Boom", _explode)
_hook("stop", "a hook that raises Halt, which isn't an Exception", _halt)
_hook("once", "a pre-hook that removes itself", lambda args: (args[0] + 1,), BEFORE)
_hook("last", "a hook that removes itself", lambda args, result: -result, AFTER)
