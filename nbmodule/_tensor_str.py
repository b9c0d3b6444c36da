"""Printing as PyTorch prints.

Source: https://docs.pytorch.org/docs/stable/generated/torch.set_printoptions.html
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from . import _dtypes
from ._backend import META, device_of, to_numpy
from ._engine import TensorBase, wants_grad


class PrintOptions:
    """How tensors are printed; see `set_printoptions`."""

    def __init__(self) -> None:
        self.precision: int = 4
        self.threshold: float = 1000
        self.edgeitems: int = 3
        self.linewidth: int = 80
        self.sci_mode: bool | None = None


options = PrintOptions()

PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}


def set_printoptions(precision: int | None = None, threshold: float | None = None, edgeitems: int | None = None, linewidth: int | None = None, profile: str | None = None, sci_mode: bool | None = None) -> None:  # fmt: skip
    """Change how tensors are printed; what is left out stays, except `sci_mode`.

    Args:
        precision: digits behind the point (4 at first).
        threshold: beyond so many elements the middle is left out (1000 at first).
        edgeitems: how many elements then stay at each end of a dimension (3 at first).
        linewidth: columns of a line (80 at first).
        profile: "default", "short" or "full", which the other arguments then change.
        sci_mode: True and False ask for and against the form 1.0000e+00; None lets the numbers decide.

    Example:
        >>> import nbmodule
        >>> nbmodule.set_printoptions(precision=2)
        >>> nbmodule.tensor([1.12345])
        tensor([1.12])
        >>> nbmodule.set_printoptions(profile="default")
    """
    chosen = dict(PROFILES.get(profile, {})) if profile is not None else {}
    asked = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}  # fmt: skip
    chosen.update({k: v for k, v in asked.items() if v is not None})
    for name, value in chosen.items():
        setattr(options, name, value)
    options.sci_mode = sci_mode


def get_printoptions() -> dict[str, Any]:
    """Return how tensors are printed, as keyword arguments for `set_printoptions`."""
    return dict(vars(options))


@contextmanager
def printoptions(**kwargs: Any) -> Iterator[None]:
    """Print tensors otherwise inside the block; the arguments are those of `set_printoptions`."""
    before = get_printoptions()
    set_printoptions(**kwargs)
    try:
        yield
    finally:
        set_printoptions(**before)


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
        self.scientific = options.sci_mode
        if self.scientific is None:
            wide = largest / smallest > 1000 or largest > 1e8
            self.scientific = bool(wide or smallest < 1e-4)
        self.width = max(len(self(v)) for v in finite.tolist())  # NaN and inf may stick out

    def __call__(self, value: float | int | bool) -> str:
        if not self.floating:
            text = str(value)
        elif self.scientific:
            text = f"{value:.{options.precision}e}"
        elif self.whole:
            text = f"{value:.0f}" + ("." if math.isfinite(value) else "")
        else:
            text = f"{value:.{options.precision}f}"
        return text.rjust(self.width)


def _shown(a: np.ndarray, summarise: bool) -> np.ndarray:
    """Return the elements of `a` that will be shown."""
    edge = options.edgeitems
    if summarise:
        for axis, n in enumerate(a.shape):
            if n > 2 * edge:
                a = np.take(a, [*range(edge), *range(n - edge, n)], axis)
    return a


def _vector(a: np.ndarray, indent: int, summarise: bool, form: Formatter) -> str:
    edge = options.edgeitems
    per_line = max(1, (options.linewidth - indent) // (form.width + 2))
    if summarise and not edge:
        items = ["..."]
    elif summarise and a.size > 2 * edge:
        head, tail = a[:edge].tolist(), a[-edge:].tolist()
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
    n, edge = a.shape[0], options.edgeitems
    shortened = summarise and n > 2 * edge
    rows = [*range(edge), None, *range(n - edge, n)] if shortened else [*range(n)]
    parts = ["..." if i is None else _nested(a[i], indent + 1, summarise, form) for i in rows]
    return "[" + ("," + "\n" * (a.ndim - 1) + " " * (indent + 1)).join(parts) + "]"


def numbers(a: np.ndarray, indent: int) -> str:
    """Return the elements of `a` in brackets; lines after the first begin `indent` columns in."""
    if not a.size:
        return "[]"
    summarise = a.size > options.threshold
    return _nested(a, indent, summarise, Formatter(_shown(a, summarise)))


def _suffixes(t: Any) -> list[str]:
    """Return what is said behind the numbers: only what is not as usual."""
    a = t._array
    kind, place = _dtypes.of_numpy[a.dtype], device_of(a)
    default = _dtypes.get_default_dtype()
    bare = a.size == 0 or place == META  # no numbers that would tell the type
    found = []
    if place.type != "cpu":
        found.append(f"device='{place}'")
    if place == META or (a.size == 0 and a.ndim != 1) or (a.size and not options.edgeitems):
        found.append(f"size={tuple(a.shape)}")
    if kind is not default and (bare or kind not in (_dtypes.int64, _dtypes.bool_)):
        found.append(f"dtype={kind!r}")
    try:
        node = t.grad_fn  # type: ignore[attr-defined]
        name = type(node).__name__
    except RuntimeError:  # a view that a write to its base has made useless
        node, name = t, "Invalid"
    if node is not None:
        found.append(f"grad_fn=<{name}>")
    elif wants_grad(t):
        found.append("requires_grad=True")
    return found


def _is_plain(kind: type) -> bool:
    """Return whether tensors of this class are shown as ``tensor(...)``."""
    return kind.__name__ in ("Tensor", "Parameter") and kind.__module__.startswith("nbmodule")


def tensor_repr(t: TensorBase) -> str:
    """Return what ``repr(t)`` shows: ``tensor([1., 2.], requires_grad=True)``."""
    prefix = "tensor(" if _is_plain(type(t)) else f"{type(t).__name__}("
    indent = len(prefix)
    if device_of(t._array) == META:
        text = prefix + "..."
    else:
        text = prefix + numbers(to_numpy(t._array), indent)
    column = len(text) - text.rfind("\n") + 1
    for suffix in _suffixes(t):
        width = len(suffix.replace("nbmodule", "torch"))  # lines break where PyTorch's break
        if column + width + 2 > options.linewidth:
            text += ",\n" + " " * indent + suffix
            column = indent + width
        else:
            text += ", " + suffix
            column += width + 2
    return text + ")"
