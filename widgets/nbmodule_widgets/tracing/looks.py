"""Glances at thousands of tensors in one pass: put aside at once, summed up together when the pass is over.

Asking NumPy for mean, spread, least and largest takes some ten microseconds, longer than a small layer computes. So
a small tensor is only put aside, and the statistics of a thousand tiny ones of one shape are computed as one
matrix. Put aside is a copy, since the next operation may write over it; in a model with thousands of Modules the
tensor itself, and if it was written to meanwhile, its glance says so. A large tensor is summed up at once:
that is little beside the work that made it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Container
from math import prod
from typing import Any

import numpy as np

from nbmodule_widgets.engines import engines
from nbmodule_widgets.facts.glance import (
    NO_MOMENTS,
    Glance,
    Moments,
    dtype_name,
    glance,
    moments_of,
    moments_of_rows,
)
from nbmodule_widgets.facts.interrupts import uninterrupted
from nbmodule_widgets.facts.tensor_rows import are_freed, is_freed
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import attempt

SMALL = 2**14  # numbers; a copy of a tensor with at most so many is put aside
_ROWS = 2**12  # numbers; tensors with at most so many are summed up as the rows of a matrix
TINY = 2**8  # numbers; a tensor with at most so many is put aside itself, once there are many
COPIED = 1000  # looks of which copies are put aside
KEPT = {"none": 0, "small": 64_000, "all": 2**62}  # bytes of a tensor whose values are kept
_WAITING = 2**22  # numbers that are put aside before they are summed up
_EACH = 2**8  # numbers for which the array itself counts, beside those in it
_LOST = "changed in place before its numbers could be read"


class Looks:
    """The tensors that were seen, by number.

    Args:
        keep: Bytes of a tensor whose values are kept.
        budget: Bytes of all values that are kept.

    Attributes:
        kept: Bytes of the values that are kept.
        known: Identities of the classes whose tensors are read quickly, with their engines.
    """

    def __init__(self, keep: int, budget: int) -> None:
        self._keep, self._left = keep, budget
        self.kept = 0
        # For each look its Glance; or what it will be made of: (tensor or copy, tensor or None, version).
        self._seen: list[Any] = []
        self._waiting = 0
        self._numbers = 0
        self._torch: Any = sys.modules.get("torch")
        # By identity of the class, since a metaclass may forbid hashing its classes.
        self.known = {id(engine.module.Tensor): engine for engine in engines()}

    def see_new(self, tensor: Any) -> int:
        """Notes what a tensor that was not seen before is like now; returns the number of the look."""
        number = len(self._seen)
        if number >= COPIED and id(type(tensor)) in self.known and tensor.numel() <= TINY:
            self._seen.append((tensor, tensor, tensor._version))
            return number
        return self.see(tensor)

    def see(self, tensor: Any) -> int:
        """The same for any tensor, which may be written to next: its numbers are copied or summed up at once."""
        number = len(self._seen)
        self._seen.append(None)
        if id(type(tensor)) in self.known:
            held = attempt(self._copied, tensor).value
            if held is not None:
                self._seen[number] = held, None, 0
                self._numbers += _EACH + held.size if type(held) is np.ndarray else held.numel()
                if self._numbers > _WAITING:
                    self.sum_up()
                return number
        self._look_at_once(number, tensor)
        return number

    def _look_at_once(self, number: int, tensor: Any) -> None:
        said = attempt(glance, tensor, min(self._keep, self._left))
        found = said.value or Glance((), "", "", 0, problem=visible(said.problem))
        if found.values is not None:
            self._left -= found.values.nbytes
            self.kept += found.values.nbytes
        self._seen[number] = found

    # ------------------------------------------------------------------ many at once

    def sum_up(self, wanted: Container[int] | None = None) -> None:
        """Computes the statistics of what was put aside, and lets go of it.

        Args:
            wanted: The looks that somebody will ask for; all by default.
        """
        groups: dict[Any, list[tuple[int, Any]]] = {}
        for number in range(self._waiting, len(self._seen)):
            found = self._seen[number]
            if type(found) is not tuple:
                continue
            held, tensor, version = found
            self._seen[number] = None
            if wanted is not None and number not in wanted:
                continue
            array = held if type(held) is np.ndarray else self._array(held)
            held = held if array is None else array
            if tensor is not None and tensor._version != version:
                shape, kind, device = _called(held)
                self._seen[number] = Glance(shape, kind, device, prod(shape), problem=_LOST)
            else:  # put into words once for a group
                key = held.shape, held.dtype, held.device if array is None else None
                groups.setdefault(key, []).append((number, held))
        self._waiting, self._numbers = len(self._seen), 0
        for items in groups.values():
            said = attempt(self._group, items)
            if said.problem:  # sparse, quantised, …: each by itself
                for number, held in items:
                    self._look_at_once(number, held)

    def _group(self, items: list[tuple[int, Any]]) -> None:
        """Sums up tensors of one shape and dtype."""
        held = [item for _, item in items]
        shape, kind, device = _called(held[0])
        if type(held[0]) is np.ndarray:
            rows = np.concatenate([array.reshape(1, -1) for array in held])
        else:
            # An interrupt on the way out of `no_grad` would leave it on.
            with uninterrupted(), self._torch.no_grad():
                if any(are_freed(held)):
                    raise ValueError("the memory of some was freed")
                rows = self._torch.stack(held).reshape(len(held), -1).cpu()
                rows = (rows.abs() if rows.is_complex() else rows).resolve_neg()
                foreign = "bfloat16" in kind or "float8" in kind
                rows = (rows.float() if foreign else rows).numpy()
        if rows.dtype.kind == "c":
            rows = np.abs(rows)
        numel = rows.shape[1]
        found: list[Moments] = [NO_MOMENTS] * len(held)
        if 0 < numel <= _ROWS:
            found = moments_of_rows(rows)
        elif numel:
            found = [moments_of(row)[0] for row in rows]
        each = rows.nbytes // len(held)
        fit = min(len(held), self._left // each) if 0 < each <= self._keep else 0
        # A row holds the whole matrix in memory, so those that may stay get one of their own.
        rows = rows if fit == len(held) else rows[:fit].copy()
        rows.flags.writeable = False
        rows = rows.reshape(-1, *shape) if fit else rows
        self._left -= fit * each
        self.kept += fit * each
        for place, ((number, _), moments) in enumerate(zip(items, found, strict=True)):
            values = rows[place, ...] if place < fit else None
            self._seen[number] = _new(Glance, (shape, kind, device, numel, *moments, values, "", 1))

    def _copied(self, tensor: Any) -> Any:
        """A copy of the numbers of a small tensor; None if it is not small."""
        if tensor.numel() > SMALL:
            return None
        array = self._array(tensor)
        if array is not None:
            return array.copy()
        return None if is_freed(tensor) else tensor.detach().clone()

    def _array(self, tensor: Any) -> np.ndarray | None:
        """The numbers of a tensor of NumPy's, in which nbmodule computes; PyTorch stacks its own more quickly."""
        engine = self.known.get(id(type(tensor)))
        return engine.array(tensor) if engine is not None and engine.computes_in_numpy else None

    def glance(self, number: int) -> Glance:
        """What was seen at a look, after `sum_up`."""
        found = self._seen[number]
        return found if found is not None else Glance((), "", "", 0, problem="left out")


# A third of the time of `Glance(…)`.
_new: Callable[[type[Glance], tuple[Any, ...]], Glance] = tuple.__new__


def _called(held: Any) -> tuple[tuple[int, ...], str, str]:
    """Shape, dtype and device of an array or of a tensor, as a glance says them."""
    if type(held) is np.ndarray:
        return held.shape, dtype_name(held.dtype), "cpu"
    return tuple(held.shape), str(held.dtype).rpartition(".")[2], str(held.device)


def same_numbers(first: Glance, second: Glance) -> bool:
    """Whether two glances show the same numbers, as far as one can tell from them."""
    if first.values is not None and second.values is not None:
        return first.shape == second.shape and first.values.tobytes() == second.values.tobytes()
    return repr(first) == repr(second)  # NaN is not equal to itself, but reads the same
