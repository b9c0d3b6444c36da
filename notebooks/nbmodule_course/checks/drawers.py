"""What the checks of several chapters look with: where a name lies, read past all of the reader's methods."""

from __future__ import annotations

from typing import Any

from nbmodule import tensor
from nbmodule.nn import Parameter

from ..exercise import expect
from ..wording import listing

DRAWERS = ("_parameters", "_buffers", "_modules")


def weight(value: float = 1.0) -> Parameter:
    """Return a small Parameter."""
    return Parameter(tensor([value]))


def places(module: object, name: str) -> list[str]:
    """Return every place that holds `name`, read past all of the reader's methods."""
    slots = object.__getattribute__(module, "__dict__")
    found = [drawer for drawer in DRAWERS if name in slots.get(drawer, {})]
    return [*found, *(["__dict__"] if name in slots else [])]


def held(module: object, drawer: str) -> dict[str, Any]:
    """Return a drawer, or `__dict__` itself, read past all of the reader's methods."""
    slots = object.__getattribute__(module, "__dict__")
    return slots if drawer == "__dict__" else slots[drawer]


def said_places(found: list[str]) -> str:
    """Return "in `_parameters` and `__dict__`", or "nowhere"; it follows an "is"."""
    return "in " + listing(f"`{place}`" for place in found) if found else "nowhere"


def _text_as_key(module: object, name: str) -> str:
    """Return what to say to `drawer["name"] = value`, or ''."""
    if places(module, name) or not places(module, "name"):
        return ""
    return 'the key is the text "name", because it stands in quotes; without quotes, `name` is the attribute\'s name'


def expect_home(
    module: object, name: str, value: object, drawer: str, *, after: str, likely: str = ""
) -> None:
    """Raise `Wrong` unless `name` lies in `drawer`, there alone, and is `value` itself."""
    found = places(module, name)
    expect(
        found == [drawer],
        did=f"after {after}, `{name}` is {said_places(found)}",
        real=f"it is in `{drawer}`, and nowhere else",
        likely=_text_as_key(module, name) or likely,
    )
    expect(
        held(module, drawer)[name] is value,
        did=f"after {after}, `{drawer}` holds another object under `{name}`",
        real="the very object that was assigned is kept",
        likely="a copy, a wrapper or an older object was stored",
    )
