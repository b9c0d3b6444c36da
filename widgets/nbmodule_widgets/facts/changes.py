"""Who changed: the difference between two looks at a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np

from nbmodule_widgets.facts.model import ModuleFacts, Stamp
from nbmodule_widgets.facts.patterns import Pattern
from nbmodule_widgets.facts.records import TensorFacts
from nbmodule_widgets.facts.words import hooks_text, joined, mode_text, shape_text, visible

_MOST_TEXT = (
    5_000_000  # characters of all paths together: those of a deep chain would fill gigabytes
)


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is different now.

    Attributes:
        path: Where, as a dotted path; the empty string for the model itself.
        what: `"training"`, `"requires_grad"`, `"shape"`, `"dtype"`, `"device"`, `"hooks"`, `"class"`,
            `"extra_repr"`, `"saved"` (in the state_dict or not), `"shared"`, `"added"`, `"removed"`, or `"values"`:
            the tensor was written to. What was written past the library, as through `.data`, is
            noticed in small buffers; in larger ones and in parameters if one of 64 numbers spread over it is
            another; on another device, or in tensors past the first few thousand, not at all.
        before: How it was, in words: `"train"`, `"frozen"`, `"(2, 3)"`, `"1 forward hook"`.
        after: How it is now.
        row: Its row in the newer facts, -1 if it is gone.
    """

    path: str
    what: str
    before: str
    after: str
    row: int

    def __str__(self) -> str:
        """`"fc1.weight: requires_grad trainable → frozen"`."""
        step = " → ".join(text for text in (self.before, self.after) if text)
        return f"{visible(self.path, 80) or 'the model itself'}: {self.what} {step}"


def changes(before: ModuleFacts, now: ModuleFacts, limit: int = 20_000) -> tuple[Change, ...]:
    """What is different between two looks, in the order of the rows.

    Modules and tensors are the same if they have the same path; what happened to a shared one is told at its
    first place. Of a part that was added or removed only the
    top is named. Looking twice at an unchanged model costs next to nothing.

    Args:
        before: What `facts` returned earlier.
        now: What it returned later.
        limit: Most changes to name.
    """
    if before == now and before.stamps == now.stamps:
        return ()
    found: list[Change] = []
    room = _MOST_TEXT
    for change in _Comparison(before, now).changes():
        room -= len(change.path)
        if len(found) >= limit or room < 0:
            break
        found.append(change)
    return tuple(found)


class _Comparison:
    """Two looks side by side."""

    def __init__(self, before: ModuleFacts, now: ModuleFacts) -> None:
        self.before, self.now = before, now
        self._different: dict[tuple[int, int], bool] = {}  # numbers of two patterns
        self._were, self._are = _stamps(before), _stamps(now)

    def changes(self) -> Iterator[Change]:
        """The changes in the order of the rows of the newer look."""
        before, now = self.before.nodes, self.now.nodes
        pending = [(0, 0, "")]
        while pending:
            old, new, path = pending.pop()
            if old < 0:
                yield Change(path, "added", "", _label(now.of(new)), now.row[new])
                continue
            if new < 0:
                yield Change(path, "removed", _label(before.of(old)), "", -1)
                continue
            if self._differ(old, new):
                yield from self._in_a_module(before.of(old), now.of(new), path, now.row[new])
            yield from self._written(old, new, path)
            pending += reversed(self._children(old, new, path))

    def _differ(self, old: int, new: int) -> bool:
        """Whether two nodes have different patterns."""
        before, now = self.before.nodes, self.now.nodes
        pair = int(before.pattern[old]), int(now.pattern[new])
        known = self._different.get(pair)
        if known is None:
            known = self._different[pair] = before.patterns[pair[0]] != now.patterns[pair[1]]
        return known

    def _written(self, old: int, new: int, path: str) -> Iterator[Change]:
        """The tensors of a Module that were written to and are otherwise as they were."""
        was, is_now = self._were(old), self._are(new)
        if was == is_now:
            return
        kind = attrgetter("shape", "dtype", "device", "kind")
        tensors = self.before.nodes.of(old).tensors
        known = {
            tensor.name: (kind(tensor), stamp) for tensor, stamp in zip(tensors, was, strict=True)
        }
        for row, tensor in enumerate(
            self.now.nodes.of(new).tensors, start=self.now.nodes.row[new] + 1
        ):
            stamp = is_now[row - self.now.nodes.row[new] - 1]
            earlier, before = known.get(tensor.name, (None, None))
            if _is_another(before, stamp) and earlier == kind(tensor) and tensor.twin < 0:
                yield Change(joined(path, tensor.name), "values", "", "written", row)

    def _children(self, old: int, new: int, path: str) -> list[tuple[int, int, str]]:
        """Pairs of children of the same name, -1 where there is none."""
        before, now = self.before.nodes, self.now.nodes
        was = {before.names[child]: child for child in before.below(old)}
        pairs = []
        for child in now.below(new):
            name = now.names[child]
            pairs.append((was.pop(name, -1), child, joined(path, name)))
        return pairs + [(child, -1, joined(path, name)) for name, child in was.items()]

    def _in_a_module(self, old: Pattern, new: Pattern, path: str, row: int) -> Iterator[Change]:
        """What is different in a Module itself and in its tensors."""
        if min(old.twin, new.twin) >= 0:
            return  # told at the place where it was met first
        told = [
            ("class", visible(old.class_name, 80), visible(new.class_name, 80)),
            ("extra_repr", old.extra, new.extra),
            ("training", mode_text(old.training), mode_text(new.training)),
            ("shared", self._twin(self.before, old.twin), self._twin(self.now, new.twin)),
        ]
        if max(old.twin, new.twin) < 0:
            told.append(("hooks", hooks_text(old.hook_kinds), hooks_text(new.hook_kinds)))
        yield from _different(told, path, row)
        if max(old.twin, new.twin) >= 0:
            return  # a twin does not repeat its contents
        remaining = {tensor.name: tensor for tensor in old.tensors}
        for place, tensor in enumerate(new.tensors, start=row + 1):
            known = remaining.pop(tensor.name, None)
            yield from self._in_a_tensor(known, tensor, joined(path, tensor.name), place)
        for name, tensor in remaining.items():
            yield Change(joined(path, name), "removed", _contents(tensor), "", -1)

    def _in_a_tensor(
        self, old: TensorFacts | None, new: TensorFacts, path: str, row: int
    ) -> Iterator[Change]:
        if old is None or (old.empty and not new.empty):
            yield Change(path, "added", "", _contents(new), row)
        elif new.empty and not old.empty:
            yield Change(path, "removed", _contents(old), "", row)
        elif old != new and min(old.twin, new.twin) < 0:
            was, is_now = _traits(old), _traits(new)
            told = [(what, was[what], is_now[what]) for what in was]
            told.append(
                ("shared", self._twin(self.before, old.twin), self._twin(self.now, new.twin))
            )
            yield from _different(told, path, row)

    @staticmethod
    def _twin(model: ModuleFacts, row: int) -> str:
        """Whether something is the same object as something earlier."""
        return "no" if row < 0 else f"with {visible(model.path(row)[-60:]) or 'the model itself'}"


def _stamps(model: ModuleFacts) -> Callable[[int], tuple[Any, ...]]:
    """From a node to the stamps of its tensors."""
    held = np.array([len(pattern.tensors) for pattern in model.nodes.patterns])[model.nodes.pattern]
    ends = np.cumsum(held).tolist()
    return lambda node: model.stamps[ends[node] - held[node] : ends[node]]


def _is_another(before: Stamp | None, now: Stamp | None) -> bool:
    """Whether two stamps say that a tensor was written to; a sum that only one of them has says nothing."""
    if before is None or now is None:
        return False
    known = min(len(before), len(now))
    return before[:known] != now[:known]


def _different(told: list[tuple[str, str, str]], path: str, row: int) -> Iterator[Change]:
    for what, was, is_now in told:
        if was != is_now:
            yield Change(path, what, was, is_now, row)


def _traits(tensor: TensorFacts) -> dict[str, str]:
    return {
        "class": visible(f"{tensor.class_name}, {tensor.kind}", 80),
        "shape": "no shape yet" if tensor.shape is None else shape_text(tensor.shape),
        "dtype": tensor.dtype,
        "device": tensor.device,
        "requires_grad": {True: "trainable", False: "frozen", None: "not said"}[
            tensor.requires_grad
        ],
        "saved": "in state_dict" if tensor.persistent else "not in state_dict",
    }


def _label(pattern: Pattern) -> str:
    return f"{visible(pattern.class_name, 60)}({visible(pattern.extra, 60)})"


def _contents(tensor: TensorFacts) -> str:
    """`"parameter (2, 3)"`."""
    return f"{tensor.kind} {shape_text(tensor.shape)}" if tensor.shape is not None else tensor.kind
