"""A tree that programs grow by hand, Module by Module, and ask: `m.a = body; body.c = fc; list(m.modules())`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

from ..referee import Step, add_value
from ..referee.world import World, slots_of

ENOUGH = 40
"""Items of a walk that are looked at: in a cycle, a wrong walk has no end."""

_HOME = {"P": "_parameters", "Q": "_parameters", "t": "_buffers", "u": "_buffers"}


def _shy(Module: type) -> Any:
    """Return a Module whose walk hides everything below it."""

    def named_modules(self: Any, memo: Any = None, prefix: str = "", *rest: Any, **named: Any):
        yield prefix, self

    return type("Shy", (Module,), {"named_modules": named_modules})()


_NODES = {
    "body": add_value("body", "a Module", lambda Module: type("Body", (Module,), {})()),
    "fc": add_value("fc", "another Module", lambda Module: type("Fc", (Module,), {})()),
    "act": add_value("act", "another Module", lambda Module: type("Act", (Module,), {})()),
    "empty": add_value(
        "empty",
        "a Module whose `len` is 0",
        lambda Module: type("Empty", (Module,), {"__len__": lambda self: 0})(),
    ),
    "shy": add_value("shy", "a Module whose `named_modules` gives only itself", _shy),
}


def node(world: World, name: str) -> Any:
    """Return the Module of this name, made anew for each program; a report calls it by its name."""
    nodes = vars(world).setdefault("nodes", {"m": world.m})
    if world.pool.get("m") is not world.m:
        world.pool["m"], world.pool.born["m"] = world.m, set(slots_of(world.m))
    if name not in nodes:
        world.pool.pop(name, None)
        nodes[name] = world.value(name)
    return nodes[name]


def grow(parent: str, *names: str, **values: str | None) -> list[Step]:
    """Return the steps `parent.name = value`, past every method of the class: `grow("body", c="fc", gone="None")`."""
    return [_grown(parent, name, str(value)) for name, value in values.items()]


def _grown(parent: str, name: str, value: str) -> Step:
    def act(world: World) -> None:
        kept = node(world, value) if value in (*_NODES, "m") else world.value(value)
        slots_of(node(world, parent))[_HOME.get(value, "_modules")][name] = kept

    said = [known for known in (parent, value) if known not in ("m", "None")]
    return Step(f"{parent}.{name} = {value}", act, (), tuple(said), True, False)


def ask(
    text: str,
    call: Callable[[Any], Any],
    *names: str,
    of: str = "m",
    uses: Iterable[str] = (),
) -> list[Step]:
    """Return a step that asks a Module something; of an iterator it gives the items, as a list.

    Args:
        text: the line as a reader would type it.
        call: takes the Module.
        names: what the message of an exception must name.
        of: which Module is asked.
        uses: other Modules that the text mentions.
    """
    said = [name for name in (of, *uses) if name != "m"]
    return [Step(text, lambda world: call(node(world, of)), names, tuple(said))]


def items(walk: Iterable[Any] | None) -> list[Any] | None:
    """Return what a walk gives, as far as it is looked at; None of a method without a `return`."""
    return None if walk is None else list(islice(walk, ENOUGH))
