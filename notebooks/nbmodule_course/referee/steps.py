"""What programs are made of: steps such as `m.w = P`, and the lists of programs that an author asks for.

    programs(write("w", "P", "child", "5"), write("w", "P", "None"))

is every program of two lines whose first is one of three and whose second is one of two.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .values import Made, Making, value_named
from .world import Words

if TYPE_CHECKING:
    from .world import World


@dataclass(frozen=True)
class Step:
    """One line of a program.

    Attributes:
        text: the line as Python, for the report.
        act: runs the line; it is given the world of the program.
        names: the attribute names that it speaks of: where they lie is compared.
        values: the names of the values that it uses.
        setup: True for a line that only prepares (`put`), as nobody would write it.
        gives: False for a statement, whose result nobody sees.
    """

    text: str
    act: Callable[[World], Any]
    names: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    setup: bool = False
    gives: bool = True


@dataclass(frozen=True)
class Program:
    """Some steps, and how their object `m` is made.

    Attributes:
        steps: the lines, the last of which is the one that matters.
        made: "init" by calling the class, "blank" without `__init__`, or with arguments; see `make`.
        kept: how many of the first steps belong to the object, such as those that fill what begins at random.
    """

    steps: tuple[Step, ...]
    made: Made = "init"
    kept: int = 0

    def without(self, index: int) -> Program:
        """Return this program without one step."""
        return Program(self.steps[:index] + self.steps[index + 1 :], self.made, self.kept)

    def first(self, count: int) -> Program:
        """Return the first `count` steps as a program."""
        return Program(self.steps[:count], self.made, min(count, self.kept))


def write(name: str, *values: str) -> list[Step]:
    """Return the steps `m.name = value`, one for each of the `values` (see `values.py`)."""
    return [
        Step(
            f"m.{name} = {value}",
            lambda world, value=value: _type(world.m).__setattr__(
                world.m, name, world.value(value)
            ),
            (name,),
            (value_named(value).name,),
            gives=False,
        )
        for value in values
    ]


def read(*names: str) -> list[Step]:
    """Return the steps `m.name`, one for each of the `names`."""
    return [
        Step(_access(name), lambda world, name=name: getattr(world.m, name), (name,))
        for name in names
    ]


def remove(*names: str) -> list[Step]:
    """Return the steps `del m.name`, one for each of the `names`."""
    return [
        Step(
            f"del m.{name}",
            lambda world, name=name: _type(world.m).__delattr__(world.m, name),
            (name,),
            gives=False,
        )
        for name in names
    ]


def listing(*without: str) -> list[Step]:
    """Return the step `dir(m)`: the names, without those of `object` and the helpers of the class."""

    def look(world: World) -> Any:
        names = _type(world.m).__dir__(world.m)
        if names is None or isinstance(names, str):
            return names and Words("gives one string")
        names = list(names)
        own = {name for name in names if name in _EVERY or name not in {*world.hidden, *without}}
        twice = sorted({str(name) for name in names if names.count(name) > 1})
        return {"names": sorted(own, key=str), "more than once": twice}

    return [Step("dir(m)", look)]


_EVERY = ("__class__", "__eq__", "__init__")
"""Some of the names that any object lists."""


def put(drawer: str, name: str, value: str) -> Step:
    """Return the step that lays a value into a drawer by hand, past every method of the class."""

    def act(world: World) -> None:
        slots = object.__getattribute__(world.m, "__dict__")
        home = slots if drawer == "__dict__" else slots.setdefault(drawer, {})
        home[name] = world.value(value)

    return Step(
        f'm.{drawer}["{name}"] = {value}', act, (name,), (value_named(value).name,), True, False
    )


def place(drawer: str, **values: str) -> list[Step]:
    """Return `put` steps for several names: `place("_parameters", w="P", bias="None")`."""
    return [put(drawer, name, value) for name, value in values.items()]


def run(text: str, act: Callable[[World], Any], *, uses: Iterable[str] = ()) -> list[Step]:
    """Return a step of the author's own making.

    Args:
        text: the line as a reader would type it, such as "m(x)".
        act: takes the world (`world.m`, `world.value("P")`) and returns what is compared.
        uses: names of the values that the text mentions.
    """
    return [Step(text, act, (), tuple(value_named(name).name for name in uses))]


def make(text: str, act: Callable[[World], Any], *, uses: Iterable[str] = ()) -> Making:
    """Return how a program makes its object, `each(…, made=make("MyLinear(2, 3)", lambda world: world.Class(2, 3)))`.

    Args:
        text: the call as a reader would type it.
        act: takes the world, and calls `world.Class`; `world.value("child")` is a value.
        uses: names of the values that the text mentions.
    """
    return Making(text, act, tuple(value_named(name).name for name in uses))


def programs(*lines: list[Step], start: Iterable[Step] = (), made: Made = "init") -> list[Program]:
    """Return every program that takes one step of each of `lines`, after the steps of `start`."""
    start = tuple(start)
    kept = len(start) if isinstance(made, Making) else 0
    return [Program(start + chosen, made, kept) for chosen in itertools.product(*lines)]


def each(*steps: list[Step], start: Iterable[Step] = (), made: Made = "init") -> list[Program]:
    """Return a program of one line for each of the steps, after the steps of `start`."""
    return programs([step for some in steps for step in some], start=start, made=made)


def _access(name: str) -> str:
    return f"m.{name}" if name.isidentifier() else f'getattr(m, "{name}")'


def _type(thing: Any) -> Any:
    """Return the class of a thing, whose methods may take anything."""
    return type(thing)
