"""Small trees for chapter 05: Modules that hold Modules, and steps that register a tensor or list what is in a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from nbmodule import tensor
from nbmodule.nn import Parameter

from ..referee import Step, Words, add_value
from ..referee.values import value_named
from ..referee.world import DRAWERS, World, slots_of
from ..wording import listing

_MOST = 60  # entries of a list: nobody waits for one that does not end
_SHOWN = 16  # of them are in a report
Maker = Callable[[type], Any]


def _node(Module: type, **entries: dict[str, Any]) -> Any:
    """Return a Module with these entries in `_parameters`, `_buffers` and `_modules`, put in by hand."""
    made = Module()
    for place, values in entries.items():
        slots_of(made).setdefault(place, {}).update(values)
    return made


def _weight(number: float) -> Parameter:
    return Parameter(tensor([number]))


def _inner(Module: type) -> Any:
    return _node(Module, _parameters={"w": _weight(21.0)}, _buffers={"var": tensor([22.0])})


def _block(Module: type) -> Any:
    modules = {"gone": None, "inner": _inner(Module)}
    own = {"weight": _weight(23.0), "bias": None}
    return _node(Module, _modules=modules, _parameters=own, _buffers={"mean": tensor([24.0])})


def _deep(Module: type) -> Any:
    last = _node(Module, _modules={"2": _block(Module), "0": _inner(Module)})
    return _node(Module, _modules={"a": _node(Module, _modules={"b": last})})


def _tied(Module: type) -> Any:
    one, mean = {"w": _weight(25.0)}, {"mean": tensor([26.0])}
    twins = {name: _node(Module, _parameters=one, _buffers=mean) for name in "ab"}
    return _node(Module, _modules=twins)


def _twins(Module: type) -> Any:
    block = _block(Module)
    return _node(Module, _modules={"first": block, "again": block})


def _ring(Module: type) -> Any:
    child = _inner(Module)
    ring = _node(Module, _modules={"child": child}, _parameters={"w": _weight(27.0)})
    slots_of(child)["_modules"]["parent"] = ring
    return ring


def _apart(Module: type) -> Any:
    pair = {f"w{i}": Parameter(tensor([1.0, 2.0])) for i in range(2)}
    means = {f"mean{i}": tensor([1.0, 2.0]) for i in range(2)}
    return _node(Module, _parameters=pair, _buffers=means)


def _empty(Module: type) -> Any:
    return _node(
        type("Empty", (Module,), {"__len__": lambda self: 0}), _parameters={"w": _weight(28.0)}
    )


for _name, _words, _make in (
    ("nil", "a Parameter that holds 0", lambda Module: _weight(0.0)),
    ("hollow", "a Module whose `len` is 0, with a Parameter `w`", _empty),
    ("block", "a Module with `weight`, `bias` (None), a buffer `mean` and a child `inner`", _block),
    ("deep_tree", "a Module with a child `a`, whose child `b` has the children `2` and `0`", _deep),
    ("tied", "a Module whose children `a` and `b` hold the same tensors", _tied),
    ("twins", "a Module that holds one child under two names, `first` and `again`", _twins),
    ("ring", "a Module whose `child` has it as `parent`", _ring),
    ("apart", "a Module with two Parameters and two buffers of the same numbers", _apart),
    ("P2", "a Parameter with the same number as P", lambda Module: _weight(1.0)),
    ("t2", "a tensor with the same number as t", lambda Module: tensor([5.0])),
):
    add_value(_name, _words, _make)


def register(kind: str, names: tuple[Any, ...], *values: str, **options: Any) -> list[Step]:
    """Return the steps `m.register_parameter(name, value)` or `m.register_buffer(…)`, for all names and values."""
    method = f"register_{kind}"
    more = "".join(f", {key}={value!r}" for key, value in options.items())

    def step(name: Any, value: str) -> Step:
        def act(world: World) -> Any:
            return getattr(world.m, method)(name, world.value(value), **options)

        known = (name,) if isinstance(name, str) and name.isidentifier() else ()
        said = f'"{name}"' if isinstance(name, str) else repr(name)
        return Step(
            f"m.{method}({said}, {value}{more})",
            act,
            known,
            (value_named(value).name,),
            gives=False,
        )

    return [step(name, value) for name in names for value in values]


def hold(name: str) -> Step:
    """Return the step that makes `m` hold itself under a name, as a child."""

    def act(world: World) -> None:
        slots_of(world.m)["_modules"][name] = world.m

    return Step(f'm._modules["{name}"] = m', act, (), (), True, False)


def ask(*calls: str) -> list[Step]:
    """Return steps that list: `ask("named_parameters()")` lists `m.named_parameters()`."""
    return [
        Step(f"list(m.{call})", lambda world, call=call: _listed(world, call)) for call in calls
    ]


def first(*calls: str) -> list[Step]:
    """Return steps that take the first entry: `next(m.parameters())`."""

    def act(world: World, call: str) -> Words:
        return _said(world, [next(_called(world, call))])

    return [Step(f"next(m.{call})", lambda world, call=call: act(world, call)) for call in calls]


def side_by_side(call: str) -> list[Step]:
    """Return the step that goes through two lists at the same time."""

    def act(world: World) -> Any:
        pairs = islice(zip(_called(world, call), _called(world, call), strict=False), _MOST)
        return _said(world, [item for pair in pairs for item in pair])

    return [Step(f"list(zip(m.{call}, m.{call}))", act)]


def _called(world: World, call: str) -> Any:
    return eval(f"m.{call}", {"m": world.m})


def _listed(world: World, call: str) -> Any:
    found = _called(world, call)
    return None if found is None else _said(world, list(islice(found, _MOST)))


def _said(world: World, found: list[Any]) -> Words:
    """Return "lists `fc.weight`": of a pair the path, of a tensor alone the first path that it has in the tree."""
    places = list(_tensors(world.m))
    words = [
        _entry(item, [path for path, value in places if value is _tensor(item)])
        for item in found[:_SHOWN]
    ]
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return Words(f"lists {', '.join(words)}{more}" if words else "lists nothing")


def _tensor(item: Any) -> Any:
    return item[1] if _is_pair(item) else item


def _is_pair(item: Any) -> bool:
    return isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str)


def _entry(item: Any, paths: list[str]) -> str:
    """Return "`net.w`" if this is a path of the tensor, perhaps behind a prefix, or what it is instead."""
    if isinstance(item, list | tuple) and not _is_pair(item):
        return f"{_kind(item)} with {listing([_kind(one) for one in item[:3]]) if item else 'nothing'} in it"
    what = f"the tensor of `{paths[0]}`" if paths else _kind(_tensor(item))
    if not _is_pair(item):
        return what
    fits = any(f".{item[0]}".endswith(f".{path}") for path in paths)
    return f"`{item[0]}`" if fits else f"`{item[0]}` with {what}"


def _kind(item: Any) -> str:
    name = type(item).__name__
    return "None" if item is None else f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"


def _tensors(
    module: Any, path: str = "", seen: frozenset[int] = frozenset()
) -> Iterator[tuple[str, Any]]:
    """Yield every tensor below, with its path; past every method of the class."""
    slots = slots_of(module)
    for place in DRAWERS[:2]:
        yield from ((path + name, value) for name, value in slots.get(place, {}).items())
    for name, child in slots.get("_modules", {}).items():
        if child is not None and id(child) not in seen:
            yield from _tensors(child, f"{path}{name}.", seen | {id(module), id(child)})
