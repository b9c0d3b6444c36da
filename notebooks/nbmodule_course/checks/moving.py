"""Trees that are moved: what each tensor in them is after a call such as `m.double()`, and which object it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import nbmodule
from nbmodule import Tensor, tensor
from nbmodule.nn import Parameter

from ..referee import Step, Words, add_value
from ..referee.values import value_named
from ..referee.world import World, slots_of
from .grown import node

_KINDS = {"_parameters": Parameter, "_buffers": Tensor}


def _with_gradient(*, on_meta: bool = False) -> Parameter:
    made = Parameter(tensor([1.0], device="meta" if on_meta else None))
    made.grad = tensor([10.0], device=made.device)
    return made


def _deaf(Module: type) -> Any:
    """Return a Module with a Parameter, whose own `_apply` does nothing."""
    made = type("Deaf", (Module,), {"_apply": lambda self, fn, recurse=True: self})()
    slots_of(made)["_parameters"]["w"] = Parameter(tensor([1.0]))
    return made


for _name, _words, _make in (
    ("wide", "a Parameter in float64", lambda M: Parameter(tensor([1.0], dtype=nbmodule.float64))),
    ("G", "a Parameter with a gradient", lambda M: _with_gradient()),
    ("H", "another Parameter with a gradient", lambda M: _with_gradient()),
    ("away", "a Parameter on meta", lambda M: Parameter(tensor([1.0], device="meta"))),
    ("awayG", "a Parameter on meta, with a gradient", lambda M: _with_gradient(on_meta=True)),
    ("n", "a tensor of dtype int64", lambda M: tensor([3])),
    (
        "N",
        "a frozen Parameter of dtype int64",
        lambda M: Parameter(tensor([4]), requires_grad=False),
    ),
    ("awayN", "a tensor of dtype int64 on meta", lambda M: tensor([3], device="meta")),
    ("flag", "a tensor of dtype bool", lambda M: tensor([True])),
    ("deaf", "a Module with a Parameter `w`, whose own `_apply` does nothing", _deaf),
):
    add_value(_name, _words, _make)


def hold(parent: str = "m", **values: str) -> list[Step]:
    """Return the steps `parent.name = value`, past every method: a Parameter, a tensor or a Module, each in its drawer.

    Args:
        parent: `m`, or a Module of `grown`.
        **values: names of values; "param None", "buffer None" and "child None" are empty places, "plain t" an attribute,
            "unsaved t" a buffer that isn't saved.
    """
    return [_held(parent, name, value) for name, value in values.items()]


def _held(parent: str, name: str, value: str) -> Step:
    where, _, what = value.rpartition(" ")
    modules = ("body", "fc", "act")

    def act(world: World) -> None:
        kept = node(world, what) if what in modules else world.value(what)
        if where == "unsaved":
            slots_of(node(world, parent))["_non_persistent_buffers_set"].add(name)
        homes = {"param": "_parameters", "buffer": "_buffers", "child": "_modules"}
        found = (slot for slot, kind in _KINDS.items() if isinstance(kept, kind))
        home = homes.get(where) or next(found, "_modules")
        slots = slots_of(node(world, parent))
        (slots if where == "plain" else slots[home])[name] = kept

    said = [known for known in (parent, what) if known not in ("m", "None")]
    texts = {"param": "_parameters", "buffer": "_buffers", "child": "_modules"}
    target = f'{parent}.{texts[where]}["{name}"]' if where in texts else f"{parent}.{name}"
    if where == "unsaved":
        return Step(
            f'{parent}.register_buffer("{name}", {what}, persistent=False)',
            act,
            (),
            tuple(said),
            True,
            False,
        )
    for known in said:
        value_named(known)
    return Step(f"{target} = {what}", act, (), tuple(said), True, False)


_NAMES: dict[str, Any] = {
    "nbmodule": nbmodule,
    "float16": nbmodule.float16,
    "float64": nbmodule.float64,
    "int64": nbmodule.int64,
    "wide": tensor([1.0], dtype=nbmodule.float64),
    "weight": Parameter(tensor([1.0], dtype=nbmodule.float64)),
    "away": tensor([1.0], device="meta"),
    "whole": tensor([1]),
    "double": lambda t: t.double(),
    "to_meta": lambda t: t.to("meta"),
    "zeros": lambda t: nbmodule.zeros_like(t, device="cpu"),
    "twice": lambda t: t * 2,
    "in_place": lambda t: t.mul_(2),
    "same": lambda t: t,
}
_MEANING = {
    "float16": "`float16` is nbmodule.float16",
    "float64": "`float64` is nbmodule.float64",
    "int64": "`int64` is nbmodule.int64",
    "wide": "`wide` is a tensor of dtype float64",
    "weight": "`weight` is a Parameter in float64",
    "away": "`away` is a tensor on meta",
    "whole": "`whole` is a tensor of dtype int64",
    "double": "`double` is `lambda t: t.double()`",
    "to_meta": '`to_meta` is `lambda t: t.to("meta")`',
    "zeros": "`zeros` gives zeros on the CPU",
    "twice": "`twice` is `lambda t: t * 2`",
    "in_place": "`in_place` is `lambda t: t.mul_(2)`",
    "same": "`same` is `lambda t: t`",
}


def move(*calls: str, of: str = "m") -> list[Step]:
    """Return a step for each call, such as "double()"; it gives what every tensor of the tree is afterwards."""
    return [_moved(call, of) for call in calls]


def _moved(call: str, of: str) -> Step:
    def act(world: World) -> Words:
        subject = node(world, of)
        before = dict(_tensors(world))
        gave = eval(f"subject.{call}", {**_NAMES, "subject": subject})
        numbers = "empty" not in call
        after = [_told(place, t, before.get(place), numbers) for place, t in _tensors(world)]
        told = "; ".join(after) or "there are no tensors"
        return Words(f"returns {world.label(gave)}, and then {told}")

    words = [text for name, text in _MEANING.items() if name in _words_of(call)]
    note = f"  # {', '.join(words)}" if words else ""
    return Step(f"{of}.{call}{note}", act, (), () if of == "m" else (of,))


def _words_of(call: str) -> Iterable[str]:
    return "".join(c if c.isalnum() or c == "_" else " " for c in call).split()


def _tensors(world: World) -> Iterator[tuple[str, Any]]:
    """Yield everything in the drawers of the tree, and the plain tensors, each with its path."""
    node(world, "m")
    for name, module in vars(world)["nodes"].items():
        slots = slots_of(module)
        for place in (*_KINDS, "__dict__"):
            entries = slots if place == "__dict__" else slots.get(place, {})
            for key, value in entries.items():
                if place != "__dict__" or isinstance(value, Tensor):
                    yield f"{name}.{key}", value
        for key, child in slots.get("_modules", {}).items():
            if type(child).__name__ == "Deaf":
                yield f"{name}.{key}.w", slots_of(child)["_parameters"]["w"]


def _told(where: str, value: Any, before: Any, numbers: bool) -> str:
    """Return what there is to say of a tensor: "m.w is float64 on cpu, [1.0], the same object"."""
    if not isinstance(value, Tensor):
        return f"{where} is {value}"
    same = "the same object" if value is before else "another object"
    needs = "" if value.requires_grad or not isinstance(value, Parameter) else ", frozen"
    kind = (
        ""
        if isinstance(value, Parameter) == isinstance(before, Parameter)
        else f", a {type(value).__name__}"
    )
    grad = "" if value.grad is None else f", gradient {_place(value.grad, numbers)}"
    return f"{where} is {_place(value, numbers)}, {same}{kind}{needs}{grad}"


def _place(value: Tensor, numbers: bool) -> str:
    held = f" {value.detach().tolist()}" if numbers and not value.is_meta else ""
    return f"{str(value.dtype).partition('.')[2]} on {value.device}{held}"
