"""Glances at thousands of tensors in one pass: copied at once, summed up together when the pass is over.

Asking NumPy for mean, spread, least and largest takes some ten microseconds, longer than a small layer computes. So
of a small tensor only a copy is put aside, and the statistics of a thousand copies of one shape
are computed as one matrix. A large tensor is summed up at once: that is little beside the work that made it.
"""

from __future__ import annotations

import sys
from collections.abc import Container
from typing import Any

import numpy as np

from nbmodule_widgets.facts.glance import (
    NO_MOMENTS,
    Glance,
    Moments,
    glance,
    moments_of_rows,
    quick_array,
)
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import attempt, own_dict

SMALL = 2**12  # numbers; a tensor with at most so many is put aside
KEPT = {"none": 0, "small": 64_000, "all": 2**62}  # bytes of a tensor whose values are kept
_COPIED = 4000  # looks; after so many the tensor itself is put aside, not a copy
_WAITING = 2**22  # numbers that are put aside before they are summed up
_LOST = "changed in place before its numbers could be read"


class Looks:
    """The tensors that were seen, by number.

    Args:
        keep: Bytes of a tensor whose values are kept.
        budget: Bytes of all values that are kept.

    Attributes:
        kept: Bytes of the values that are kept.
    """

    def __init__(self, keep: int, budget: int) -> None:
        self._keep, self._left = keep, budget
        self.kept = 0
        self._seen: list[Any] = []  # for each look its Glance, or what one is made of
        self._waiting: list[tuple[int, Any, Any, int]] = []
        self._numbers = 0
        self._recent: dict[int, tuple[Any, int, int]] = {}
        torch: Any = sys.modules.get("torch")
        self._torch = torch
        # By identity of the class, since a metaclass may forbid hashing its classes.
        found = () if torch is None else (torch.Tensor, torch.nn.Parameter)
        self._torch_classes = {id(cls) for cls in found}

    def see(self, tensor: Any, fresh: bool = False) -> int:
        """Notes what a tensor is like now; returns the number of the look.

        Args:
            tensor: A tensor of any library.
            fresh: Whether its numbers are to be copied at once, since it is about to be written to.
        """
        try:
            version = tensor._version
        except Exception:  # a library without versions, or a tensor of inference_mode
            version = -1
        known = self._recent.get(id(tensor))
        seen_before = known is not None and known[0] is tensor and known[1] == version >= 0
        if known is not None and seen_before and (not fresh or len(self._seen) <= _COPIED):
            return known[2]
        number = len(self._seen)
        self._seen.append(None)
        copied = fresh or number < _COPIED or version < 0
        if id(type(tensor)) in self._torch_classes and tensor.numel() <= SMALL:
            held = tensor.detach().clone() if copied else tensor.detach()
            self._put_aside(number, held, tensor, version, copied)
        else:
            array = own_dict(tensor).get("_array")
            if type(array) is np.ndarray and array.size <= SMALL:
                self._put_aside(number, array.copy() if copied else array, tensor, version, copied)
            else:
                self._look_at_once(number, tensor)
        if len(self._recent) >= 8:
            self._recent.clear()
        self._recent[id(tensor)] = tensor, version, number
        return number

    def forget_recent(self) -> None:
        """Lets go of the tensors that were seen last."""
        self._recent.clear()

    def _put_aside(self, number: int, held: Any, tensor: Any, version: int, copied: bool) -> None:
        self._waiting.append((number, held, None if copied else tensor, version))
        self._numbers += SMALL // 16 + (held.size if type(held) is np.ndarray else held.numel())
        if self._numbers > _WAITING:
            self.sum_up()

    def _look_at_once(self, number: int, tensor: Any) -> None:
        said = attempt(glance, tensor, min(self._keep, self._left))
        found = said.value or Glance((), "", "", 0, problem=visible(said.problem))
        if found.values is not None:
            self._left -= found.values.nbytes
            self.kept += found.values.nbytes
        self._seen[number] = found

    # ------------------------------------------------------------------ many at once

    def sum_up(self, wanted: Container[int] | None = None) -> None:
        """Computes the statistics of what was put aside.

        Args:
            wanted: The looks that somebody will ask for; all by default.
        """
        waiting, self._waiting, self._numbers = self._waiting, [], 0
        groups: dict[Any, list[tuple[int, Any]]] = {}
        for number, held, tensor, version in waiting:
            if wanted is not None and number not in wanted:
                continue
            lost = tensor is not None and attempt(getattr, tensor, "_version").value != version
            if type(held) is np.ndarray:
                shape, kind, device = held.shape, held.dtype.name, "cpu"
            else:
                shape = tuple(held.shape)
                kind, device = str(held.dtype).rpartition(".")[2], str(held.device)
            if lost:
                self._seen[number] = Glance(shape, kind, device, held.size, problem=_LOST) if (
                    type(held) is np.ndarray
                ) else Glance(shape, kind, device, held.numel(), problem=_LOST)
            else:
                groups.setdefault((shape, kind, device, type(held)), []).append((number, held))
        for (shape, kind, device, _), items in groups.items():
            said = attempt(self._group, shape, kind, device, items)
            if said.problem:  # sparse, quantised, …: each by itself
                for number, held in items:
                    self._look_at_once(number, held)

    def _group(
        self, shape: tuple[int, ...], kind: str, device: str, items: list[tuple[int, Any]]
    ) -> None:
        """Sums up tensors of one shape and dtype."""
        held = [item for _, item in items]
        if type(held[0]) is np.ndarray:
            rows = np.concatenate([array.reshape(1, -1) for array in held])
        else:
            with self._torch.no_grad():
                rows = self._torch.stack(held).reshape(len(held), -1).cpu()
                rows = (rows.abs() if rows.is_complex() else rows).resolve_neg()
                foreign = "bfloat16" in kind or "float8" in kind
                rows = (rows.float() if foreign else rows).numpy()
        if rows.dtype.kind == "c":
            rows = np.abs(rows)
        numel = rows.shape[1]
        found: list[Moments] = moments_of_rows(rows) if numel else [NO_MOMENTS] * len(held)
        rows.flags.writeable = False
        each = rows.nbytes // len(held)
        for (number, _), moments, row in zip(items, found, rows, strict=True):
            values = None
            if 0 < each <= self._keep and each <= self._left:
                values = row.reshape(shape)
                self._left -= each
                self.kept += each
            self._seen[number] = (shape, kind, device, numel, moments, values)

    def glance(self, number: int) -> Glance:
        """What was seen at a look, after `sum_up`."""
        found = self._seen[number]
        if type(found) is tuple:
            shape, kind, device, numel, moments, values = found
            found = self._seen[number] = Glance(shape, kind, device, numel, *moments, values)
        return found if found is not None else Glance((), "", "", 0, problem="left out")


def same_numbers(first: Glance, second: Glance) -> bool:
    """Whether two glances show the same numbers, as far as one can tell from them."""
    if first.values is not None and second.values is not None:
        return first.shape == second.shape and first.values.tobytes() == second.values.tobytes()
    return repr(first) == repr(second)  # NaN is not equal to itself, but reads the same


__all__ = ["KEPT", "SMALL", "Looks", "quick_array", "same_numbers"]
