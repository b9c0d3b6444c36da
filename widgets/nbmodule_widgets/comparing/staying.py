"""Whether a model stayed the same between two draws, and what of it goes on from one to the next."""

from __future__ import annotations

from typing import Any

from nbmodule_widgets.comparing.walking import Place
from nbmodule_widgets.facts.compiled import is_scripted
from nbmodule_widgets.facts.container_state import EXACT
from nbmodule_widgets.facts.nests import tensors_in
from nbmodule_widgets.facts.random_state import Undo, generator_of
from nbmodule_widgets.facts.tensors import key_text, values
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import (
    HOOK_SLOTS,
    attempt,
    class_name,
    drawer,
    own_dict,
    read,
)

_SIMPLE = frozenset(map(id, (int, float, bool, str)))  # by identity: a metaclass may forbid hashing
_NO_GENERATORS = EXACT | _SIMPLE | {id(type(None))}
_SAMPLE = 64  # numbers of a tensor that are remembered, for writes that no version counts

Marks = dict[str, Any]


def refuse_lazy(places: list[Place]) -> None:
    """Raises a ValueError if a tensor has no shape yet: a pass would give it one, and that is the reader's to do."""
    for place in places:
        for slot in ("_parameters", "_buffers"):
            for key, tensor in drawer(place.module, slot).entries:
                if class_name(tensor).startswith("Uninitialized"):  # PyTorch's lazy Modules
                    name = f"{place.path}.{key_text(key)}" if place.path else key_text(key)
                    raise ValueError(
                        f"compare_modes() needs a model whose tensors have shapes: `{visible(name, 80)}` of a "
                        f"{visible(class_name(place.module), 60)} gets its shape in the first pass. Call the model "
                        "once on such an input, then compare"
                    )


class Generators:
    """The random generators that Modules hold themselves: they go on from draw to draw, as in a training.

    Args:
        places: The Modules.
    """

    def __init__(self, places: list[Place]) -> None:
        held = (value for place in places for value in own_dict(place.module).values())
        self._held = [v for v in held if id(type(v)) not in _NO_GENERATORS and generator_of(v)]
        self._left: list[Undo] = []

    def leave(self) -> None:
        """Remembers where they are."""
        self._left = [undo for generator in self._held for undo in generator_of(generator)]

    def go_on(self) -> None:
        """Lets them go on from there."""
        for undo in self._left:
            attempt(undo)


def marks(places: list[Place], inputs: Any) -> Marks:
    """What tells a model and its inputs from those of another moment, by name.

    Args:
        places: The Modules.
        inputs: What the model is called with.
    """
    found: Marks = {f"input{name}": _mark(tensor) for name, tensor in tensors_in(inputs)}
    for place in places:
        module, own = place.module, own_dict(place.module)
        at = f"{place.path}." if place.path else ""
        for name, tensor in _tensors(module):
            found[f"`{visible(at + name, 80)}`"] = _mark(tensor)
        found[f"`{visible(place.path, 80)}`" if place.path else "the model itself"] = (
            type(module),
            id(own.get("forward")),
            [id(child) for _, child in drawer(module, "_modules").entries],
            [_ids_in(module, own, slot) for slot in HOOK_SLOTS],
            {k: v for k, v in own.items() if id(type(v)) in _SIMPLE and k != "training"},
        )
    return found


def _ids_in(module: Any, own: dict[str, Any], slot: str) -> list[int]:
    """Which hooks are in a slot; nearly all are empty."""
    if id(type(own.get(slot))) in EXACT and not own[slot]:
        return []
    return [id(hook) for _, hook in drawer(module, slot).entries]


def _tensors(module: Any) -> list[tuple[str, Any]]:
    if is_scripted(module):
        said = attempt(lambda: [*module.named_parameters(), *module.named_buffers()])
        return said.value or []
    slots = (drawer(module, slot).entries for slot in ("_parameters", "_buffers"))
    return [(key_text(key), tensor) for entries in slots for key, tensor in entries]


def _mark(tensor: Any) -> tuple[Any, ...]:
    numbers = attempt(lambda: values(tensor, _SAMPLE)[0].value.tobytes()).value
    return id(tensor), read(tensor, "_version").value, numbers


def other_since(before: Marks, now: Marks) -> str:
    """What changed between two calls of `marks`, in words: "`0.weight` has changed"; the empty string if nothing did."""
    names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    if not names:
        return ""
    more = f" and {len(names) - 1:,} more have" if len(names) > 1 else " has"
    return f"{names[0]}{more} changed"
