"""Two moments of a model side by side: how far every tensor moved in between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan, prod, sqrt

import numpy as np

from nbmodule_widgets.facts.arrays import shape_of, thinned
from nbmodule_widgets.facts.places import Places
from nbmodule_widgets.facts.tensors import key_text
from nbmodule_widgets.facts.words import shape_text
from nbmodule_widgets.protocol import attempt

MOST = 2**15  # numbers remembered of one tensor
BUDGET = 2**23  # numbers remembered of one moment: 32 MiB of float32


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """What is remembered of one tensor.

    Attributes:
        shape: Shape of the whole tensor.
        steps: For each dimension the n of "every n-th"; all 1 if everything is remembered.
        numbers: The numbers, float32 or float64, in as many dimensions; None if they could not be read.
        problem: Why not, or the empty string.
    """

    shape: tuple[int, ...] | None
    steps: tuple[int, ...]
    numbers: np.ndarray | None
    problem: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """The tensors of a model as they were at one time.

    Attributes:
        name: What the reader calls it.
        kept: What is remembered, by path.
    """

    name: str
    kept: Mapping[str, Kept]


@dataclass(frozen=True, slots=True)
class Moved:
    """How far one tensor moved between two moments.

    Attributes:
        path: Its dotted path.
        before: Euclidean norm at the first moment.
        after: Euclidean norm at the second.
        distance: Norm of the difference.
        relative: The distance as a part of the norm before; NaN if that was zero.
        cosine: Cosine of the angle between the two; NaN if one of them is zero.
        read: How many numbers this is worked out from.
        numel: How many there are.
        note: What stands in the way of a comparison, or the empty string.
    """

    path: str
    before: float
    after: float
    distance: float
    relative: float
    cosine: float
    read: int
    numel: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two moments compared.

    Attributes:
        before: Name of the first.
        after: Name of the second.
        rows: The tensors of the model that are in both.
        missing: Paths that only the first has.
        added: Paths that only the second has.
    """

    before: str
    after: str
    rows: tuple[Moved, ...]
    missing: tuple[str, ...]
    added: tuple[str, ...]


def moment(name: str, places: Places) -> Moment:
    """Remembers the model as it is now: small tensors whole, large ones every n-th row and column."""
    most = _share(len(places.all))
    return Moment(name, {place.path: keep(places.live(place), most) for place in places.all})


def moment_of_state(name: str, state: object, places: Places) -> Moment:
    """The same of a `state_dict`; its keys may be all kinds of things, and so may its values.

    Raises:
        TypeError: If it is no dictionary.
    """
    if not issubclass(type(state), dict):
        raise TypeError(f"state must be a state_dict, which is a dict; got {type(state).__name__}")
    entries = list(dict.items(state))  # type: ignore[arg-type]
    most = _share(max(len(entries), len(places.all)))
    kept: dict[str, Kept] = {}
    for key, value in entries:
        path = places.first(key_text(key))
        if path not in kept:
            kept[path] = keep(value, most)
    return Moment(name, kept)


def _share(tensors: int) -> int:
    return max(64, min(MOST, BUDGET // max(1, tensors)))


def keep(tensor: object, most: int = MOST) -> Kept:
    """A copy of a tensor's numbers, or of an evenly spaced part of them."""
    shape = shape_of(tensor)
    if shape is None:
        return Kept(None, (), None, "it has no shape")
    said, steps = thinned(tensor, most)
    wide = "f8" if said.value is not None and said.value.dtype.itemsize >= 8 else "f4"
    copied = attempt(lambda: np.array(said.value, dtype=wide))
    if said.problem or copied.problem:
        return Kept(shape, steps, None, said.problem or copied.problem)
    copied.value.flags.writeable = False
    return Kept(shape, steps, copied.value)


def compare(before: Moment, after: Moment) -> Comparison:
    """How far every tensor moved."""
    shared = [path for path in after.kept if path in before.kept]
    return Comparison(
        before.name,
        after.name,
        tuple(_moved(path, before.kept[path], after.kept[path]) for path in shared),
        tuple(path for path in before.kept if path not in after.kept),
        tuple(path for path in after.kept if path not in before.kept),
    )


def difference(before: Kept, after: Kept) -> tuple[np.ndarray | None, str]:
    """After minus before, of the numbers that both remember, or why there is none."""
    first, second = matched(before, after)
    if first is None or second is None:
        return None, before.problem or after.problem or _unequal(before, after)
    with np.errstate(all="ignore"):
        return second.astype(np.float64) - first, ""


def matched(before: Kept, after: Kept) -> tuple[np.ndarray | None, np.ndarray | None]:
    """The numbers that both remember; one may hold every third row and the other all of them."""
    if before.shape != after.shape or before.numbers is None or after.numbers is None:
        return None, None
    if before.steps == after.steps:
        return before.numbers, after.numbers
    if all(step == 1 for step in after.steps):
        return before.numbers, after.numbers[tuple(slice(None, None, n) for n in before.steps)]
    if all(step == 1 for step in before.steps):
        return before.numbers[tuple(slice(None, None, n) for n in after.steps)], after.numbers
    return None, None


def _unequal(before: Kept, after: Kept) -> str:
    if before.shape != after.shape:
        return f"the shapes differ: {shape_text(before.shape)} and {shape_text(after.shape)}"
    return "the two moments remember different samples of it"


def _moved(path: str, before: Kept, after: Kept) -> Moved:
    numel = prod(after.shape or ())
    moved, note = difference(before, after)
    first, second = matched(before, after)
    if moved is None or first is None or second is None:
        return Moved(path, nan, nan, nan, nan, nan, 0, numel, note)
    scale = sqrt(numel / moved.size) if moved.size else 0.0
    with np.errstate(all="ignore"):
        old, new = (np.asarray(x, dtype=np.float64) for x in (first, second))
        length, now, far = (float(np.sqrt(np.square(x).sum())) for x in (old, new, moved))
        cosine = float((old * new).sum()) / (length * now) if length > 0 and now > 0 else nan
    relative = far / length if length > 0 else nan
    return Moved(
        path, scale * length, scale * now, scale * far, relative, cosine, moved.size, numel
    )
