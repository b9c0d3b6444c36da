"""What the checks of chapter 15 use: hooks that programs register and remove, and lines about handles and records."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable
from numbers import Number
from typing import Any

from ..exercise import attempt
from ..referee import Step, Words, add_value
from ..referee.library import library_of
from ..referee.world import World, slots_of
from .hooked import AFTER, BEFORE, Boom, Two, net_of
from .lines import compiled, vocabulary

_MARKS = {
    BEFORE: {"with_kwargs": "_forward_pre_hooks_with_kwargs"},
    AFTER: {"with_kwargs": "_forward_hooks_with_kwargs", "always_call": "_forward_hooks_always_called"},
}  # fmt: skip
_METHODS = {BEFORE: "register_forward_pre_hook", AFTER: "register_forward_hook"}


# ---- programs that register


def register(drawer: str, *hooks: str, to: str = "a", net: str = "net", **options: bool) -> list[Step]:  # fmt: skip
    """Return the steps `a = net.register_forward_hook(hook)`, one for each of the `hooks`.

    Args:
        drawer: `BEFORE` or `AFTER`.
        hooks: their names.
        to: what the handle is called.
        net: which network.
        options: such as ``prepend=True``.
    """
    method, more = _METHODS[drawer], "".join(f", {name}={on}" for name, on in options.items())

    def act(world: World, hook: str) -> Words:
        try:
            handle = getattr(net_of(world, net), method)(world.value(hook), **options)
        except KeyError:  # its message is an id, another one each time
            return Words("raises a KeyError: a key isn't in the drawer")
        vars(world).setdefault("handles", {})[to] = handle
        good = hasattr(handle, "id") and callable(getattr(handle, "remove", None))
        kind = "None" if handle is None else f"a {type(handle).__name__}"
        return Words("gives a handle" if good else f"gives {kind}, not a handle")

    return [
        Step(f"{to} = {net}.{method}({h}{more})", lambda w, h=h: act(w, h), (), (h, net))
        for h in hooks
    ]


def drop(*names: str) -> list[Step]:
    """Return the steps `a.remove()`, one for each handle."""

    def act(world: World, name: str) -> None:
        vars(world)["handles"][name].remove()

    return [Step(f"{name}.remove()", lambda w, n=name: act(w, n), gives=False) for name in names]


def use(name: str, *, fails: bool = False) -> list[Step]:
    """Return the step `with a: net(1)`, after which nothing of the hook is left."""

    def act(world: World) -> Words:
        net = net_of(world)
        with vars(world)["handles"][name] as got:
            if fails:
                raise Boom
            net(1)
        return Words(f"enters with {'the handle' if got is vars(world)['handles'][name] else got}")

    def tried(world: World) -> Any:
        try:
            return act(world)
        except Boom:
            return Words("raises Boom")

    body = "raise Boom" if fails else "net(1)"
    return [Step(f"with {name}: {body}", tried)]


def stored(net: str = "net") -> list[Step]:
    """Return the step that looks into the drawers: which hooks are there, in which order, with which notes."""

    def act(world: World) -> Words:
        slots = slots_of(net_of(world, net))
        return Words("holds " + "; ".join(_content(slots, drawer) for drawer in (BEFORE, AFTER)))

    return [Step(f"vars({net})", act, (), (net,))]


def _content(slots: dict[str, Any], drawer: str) -> str:
    found = []
    for key, hook in slots[drawer].items():
        notes = [option for option, marks in _MARKS[drawer].items() if key in slots[marks]]
        name = getattr(hook, "__name__", "partly")
        found.append(f"{name} ({', '.join(notes)})" if notes else name)
    stale = sum(key not in slots[drawer] for m in _MARKS[drawer].values() for key in slots[m])
    rest = f", and {stale} note without a hook" if stale else ""
    return f"`{drawer}`: {', '.join(found) or 'nothing'}{rest}"


def _seeing(name: str, words: str, gives: Callable[..., Any]) -> str:
    """Make a hook known to programs that is also handed the keyword arguments."""

    def make(Module: type) -> Callable[..., Any]:
        def hook(module: Any, *given: Any) -> Any:
            slots_of(module)["log"].append(f"{name}{given}")
            return gives(*given)

        hook.__name__ = hook.__qualname__ = name
        return hook

    return add_value(name, words, make)


def _nothing(*given: Any) -> None:
    """Return None, as a hook that changes nothing."""


PRE_KW = (
    _seeing("see", "a pre-hook for `with_kwargs` that returns None", lambda *given: None),
    _seeing("swap", "a pre-hook for `with_kwargs` that returns `((5,), {'k': 6})`", lambda *given: ((5,), {"k": 6})),
    _seeing("strip", "a pre-hook for `with_kwargs` that returns `(args, {})`", lambda *given: (given[0], {})),
    _seeing("couple", "a pre-hook for `with_kwargs` that returns a namedtuple of two", lambda *given: Two((7,), {})),
    _seeing("keep", "a pre-hook for `with_kwargs` that returns `(args, kwargs)`", lambda *given: given[:2]),
)  # fmt: skip
ODD_KW = (
    _seeing("single", "a pre-hook for `with_kwargs` that returns `(args[0] + 1,)`", lambda *given: (given[0][0] + 1,)),
    _seeing("triple", "a pre-hook for `with_kwargs` that returns a tuple of three", lambda *given: ((1,), {}, 3)),
    _seeing("both", "a pre-hook for `with_kwargs` that returns the list `[(5,), {}]`", lambda *given: [(5,), {}]),
    _seeing("number", "a pre-hook for `with_kwargs` that returns 0", lambda *given: 0),
    _seeing("none", "a pre-hook for `with_kwargs` that returns `()`", lambda *given: ()),
)  # fmt: skip
add_value(
    "partly",
    "a `functools.partial`, which has no `__name__`",
    lambda Module: functools.partial(_nothing),
)
_seeing(
    "patch",
    "a hook or a pre-hook for `with_kwargs` that sets `kwargs['k']` to 8, and returns None",
    lambda args, kwargs, *result: kwargs.update(k=8),
)
POST_KW = (
    _seeing("tell", "a hook for `with_kwargs` that returns None", lambda *given: None),
    _seeing("null", "a hook for `with_kwargs` that returns 0", lambda *given: 0),
    _seeing("twice", "a hook for `with_kwargs` that returns `result * 2`", lambda *given: given[2] * 2),
)  # fmt: skip


# ---- lines about a class

_MEANING = {
    "drawer": "`drawer()` is an empty OrderedDict",
    "held": "`held` lists the values in a dictionary",
    "within": "`within(h, f)` runs `with h as got: f(got)`",
    "tried": "`tried` names the exception",
    "small": "`small` is a Sequential of a Linear, a ReLU and a Linear with fixed weights",
    "picky": "`picky` is a Sequential of a Conv2d with two channels and a ReLU, with fixed weights",
    "hooks": "`hooks` counts the hooks on each child",
    "kinds": "`kinds` lists the types of what is recorded",
    "grown": "`grown` tells whether anything in the records requires a gradient",
}


def _value_of(text: str, given: type) -> Any:
    before, last = compiled(text)
    library = library_of(given)
    names = {given.__name__: given, **_NAMES, "tensor": library.tensor, "nn": library.nn}
    names |= {"small": lambda: _small(library), "picky": lambda: _picky(library)}
    names["x"] = library.tensor([[1.0, 2.0], [0.5, -1.0], [3.0, 0.0]])
    names["pictures"] = library.arange(36.0).reshape(2, 1, 3, 6) / 10
    exec(before, names)
    value = eval(last, names)
    return value.tolist() if isinstance(value, library.Tensor) else value


uses = vocabulary(_MEANING, _value_of)


def _within(handle: Any, act: Callable[[Any], Any]) -> Any:
    with handle as got:
        return act(got)


def _tried(act: Callable[[], Any]) -> str:
    tried = attempt(act)
    return type(tried.error).__name__ if tried.error is not None else "no error"


def _boom() -> None:
    raise Boom


def _small(library: Any) -> Any:
    nn, tensor = library.nn, library.tensor
    net = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 3))
    with library.no_grad():
        net[0].weight.copy_(tensor([[1.0, 0.5], [-1.0, -1.0], [0.25, 2.0], [-3.0, 0.125]]))
        net[0].bias.copy_(tensor([0.0, -2.0, 0.5, -1.0]))
        net[2].weight.copy_(library.arange(12.0).reshape(3, 4) / 8 - 0.5)
        net[2].bias.fill_(-0.25)
    return net


def _picky(library: Any) -> Any:
    nn, tensor = library.nn, library.tensor
    net = nn.Sequential(nn.Conv2d(1, 2, 2), nn.ReLU())
    with library.no_grad():
        net[0].weight.copy_(
            tensor([1.0, 0.5, -0.25, 2.0, -1.0, -1.0, -0.5, -0.5]).reshape(2, 1, 2, 2)
        )
        net[0].bias.copy_(tensor([0.5, -0.25]))
    return net


def _hooks(net: Any) -> list[int]:
    return [len(slots_of(child)[AFTER]) for child in net]


def _grown(*records: Any) -> bool:
    """Tell whether a record still holds the graph."""
    found = list(records)
    while found:
        item = found.pop()
        if isinstance(item, dict):
            found += item.values()
        elif isinstance(item, list | tuple):
            found += item
        elif getattr(item, "requires_grad", False):
            return True
    return False


def _kinds(*records: dict[str, list]) -> list[str]:
    items = [item for record in records for some in record.values() for item in some]
    return sorted({"number" if isinstance(i, Number) else type(i).__name__ for i in items})


_NAMES: dict[str, Any] = {
    "drawer": OrderedDict, "held": lambda kept: list(kept.values()), "within": _within, "tried": _tried,
    "boom": _boom, "kinds": _kinds, "hooks": _hooks, "grown": _grown,
}  # fmt: skip
