"""Printing as PyTorch prints.

Source: the layout of https://docs.pytorch.org/docs/stable/generated/torch.set_printoptions.html with its
default options: 4 digits, 80 columns, and the middle left out beyond 1000 elements.
"""

from __future__ import annotations

import math

import numpy as np

from . import _dtypes
from ._backend import to_numpy
from ._engine import TensorBase

PRECISION, THRESHOLD, EDGE_ITEMS, LINE_WIDTH = 4, 1000, 3, 80


class Formatter:
    """Gives all numbers of one tensor the same width and notation.

    Args:
        values: the numbers that will be shown.
    """

    def __init__(self, values: np.ndarray) -> None:
        self.floating = values.dtype.kind == "f"
        self.scientific, self.whole, self.width = False, True, 1
        if not self.floating:
            self.width = max([len(str(v)) for v in values.ravel().tolist()], default=1)
            return
        finite = values[np.isfinite(values) & (values != 0)].astype(np.float64)
        if not finite.size:
            return
        largest, smallest = np.abs(finite).max(), np.abs(finite).min()
        self.whole = bool((finite == np.ceil(finite)).all())
        wide = largest / smallest > 1000 or largest > 1e8
        self.scientific = bool(wide or (not self.whole and smallest < 1e-4))
        self.width = max(len(self(v)) for v in finite.tolist())  # NaN and inf may stick out

    def __call__(self, value: float | int | bool) -> str:
        if not self.floating:
            text = str(value)
        elif self.scientific:
            text = f"{value:.{PRECISION}e}"
        elif self.whole:
            text = f"{value:.0f}" + ("." if math.isfinite(value) else "")
        else:
            text = f"{value:.{PRECISION}f}"
        return text.rjust(self.width)


def _shown(a: np.ndarray, summarise: bool) -> np.ndarray:
    """Return the elements of `a` that will be shown."""
    if summarise:
        for axis, n in enumerate(a.shape):
            if n > 2 * EDGE_ITEMS:
                edges = [*range(EDGE_ITEMS), *range(n - EDGE_ITEMS, n)]
                a = np.take(a, edges, axis)
    return a


def _vector(a: np.ndarray, indent: int, summarise: bool, form: Formatter) -> str:
    per_line = max(1, (LINE_WIDTH - indent) // (form.width + 2))
    if summarise and a.size > 2 * EDGE_ITEMS:
        head, tail = a[:EDGE_ITEMS].tolist(), a[-EDGE_ITEMS:].tolist()
        items = [*map(form, head), " ...", *map(form, tail)]
    else:
        items = [form(v) for v in a.tolist()]
    lines = [", ".join(items[i : i + per_line]) for i in range(0, len(items), per_line)] or [""]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _nested(a: np.ndarray, indent: int, summarise: bool, form: Formatter) -> str:
    if a.ndim == 0:
        return form(a.item())
    if a.ndim == 1:
        return _vector(a, indent, summarise, form)
    n = a.shape[0]
    if summarise and n > 2 * EDGE_ITEMS:
        rows = [*range(EDGE_ITEMS), None, *range(n - EDGE_ITEMS, n)]
    else:
        rows = [*range(n)]
    parts = ["..." if i is None else _nested(a[i], indent + 1, summarise, form) for i in rows]
    return "[" + ("," + "\n" * (a.ndim - 1) + " " * (indent + 1)).join(parts) + "]"


def numbers(a: np.ndarray, indent: int) -> str:
    """Return the elements of `a` in brackets; lines after the first begin `indent` columns in."""
    summarise = a.size > THRESHOLD
    return _nested(a, indent, summarise, Formatter(_shown(a, summarise)))


def _suffixes(t: TensorBase, a: np.ndarray) -> list[str]:
    kind = _dtypes.of_numpy[a.dtype]
    usual = (_dtypes.get_default_dtype(), _dtypes.int64, _dtypes.bool_)
    found = []
    if not isinstance(t._array, np.ndarray):
        found.append(f"device='{t.device}'")  # type: ignore[attr-defined]
    if a.size == 0 and a.ndim != 1:
        found.append(f"size={tuple(a.shape)}")
    if kind not in usual or (a.size == 0 and kind is not usual[0]):
        found.append(f"dtype={kind!r}")
    if t._node is not None:
        found.append(f"grad_fn=<{t._node.name()}>")
    elif t._requires_grad:
        found.append("requires_grad=True")
    return found


def tensor_repr(t: TensorBase) -> str:
    """Return what ``repr(t)`` shows: ``tensor([1., 2.], requires_grad=True)``."""
    a, prefix = to_numpy(t._array), "tensor("
    text = prefix + ("[]" if a.size == 0 else numbers(a, len(prefix)))
    column = len(text) - text.rfind("\n") + 1 - len(prefix)
    for suffix in _suffixes(t, a):
        if column + len(suffix) + 2 > LINE_WIDTH:
            text += ",\n" + " " * len(prefix) + suffix
            column = len(prefix) + len(suffix)
        else:
            text += ", " + suffix
            column += len(suffix) + 2
    return text + ")"
