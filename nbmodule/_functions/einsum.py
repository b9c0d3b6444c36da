"""`einsum`: sums of products of tensors, written with a letter for each dimension."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from .. import _dtypes
from .._engine import renamed
from .._engine.signature import shown_as
from .._errors import name_of_type
from .._methods import linalg_checks as check
from .._ops import einsum as steps
from .._tensor import Tensor

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
"""Letter number n is the subscript n: so PyTorch numbers them, and orders the result."""

NOTHING = (
    "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
    "subscripts list"
)

Shape = tuple[int, ...]
Labels = list[int]
"""A number for each dimension: 0 to 51 for letters, negative where an ellipsis stands."""

DOTS = -1
"""Stands for an ellipsis until the number of its dimensions is known."""


@shown_as("equation, *operands")
def einsum(*args: Any) -> Tensor:
    """Return the sum of products that an equation describes.

    ``einsum("ij,jk->ik", a, b)`` is the matrix product: a letter for each dimension of each operand, and
    after the arrow those of the result; what is not there is summed. Without arrow the result has the
    letters that occur once, in alphabetical order. ``...`` stands for further dimensions, which broadcast.
    A letter that one operand has twice takes its diagonal.

    Args:
        *args: the equation and the operands; or each operand with its list of subscripts, numbers from 0
            to 51 or ``...``, and at the end, perhaps, the list for the result.

    Raises:
        RuntimeError: the equation and the operands do not fit.
        ValueError: there is no operand.
    """
    if len(args) < 2:
        raise ValueError(NOTHING)
    if isinstance(args[0], Tensor):
        equation, operands = _from_lists(args)
    else:
        equation, operands = args[0], list(args[1:])
    if not isinstance(equation, str):
        raise TypeError(
            f"einsum(): argument 'equation' (position 1) must be str, not {name_of_type(equation)}"
        )
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = list(operands[0])
    for position, x in enumerate(operands):
        if not isinstance(x, Tensor):
            raise TypeError(
                f"expected Tensor as element {position} in argument 1, but got {name_of_type(x)}"
            )
    return _evaluate(*_plan(equation, tuple(x._array.shape for x in operands)), operands)


@lru_cache(maxsize=256)
def _plan(equation: str, shapes: tuple[Shape, ...]) -> tuple[list[Labels], Labels, dict[int, int]]:
    """Return the labels of operands of these `shapes` and of the result, and the length of each label."""
    inputs, arrow, output = _parse(equation, shapes)
    widths = [_width(labels, shape) for labels, shape in zip(inputs, shapes, strict=True)]
    spread = [_spread(labels, width) for labels, width in zip(inputs, widths, strict=True)]
    wanted = _spread(output, max(widths)) if arrow else _implied(inputs, max(widths))
    return spread, wanted, _sizes(spread, shapes)


def _from_lists(args: Sequence[Any]) -> tuple[str, list[Any]]:
    """Return the equation and the operands that lists of subscripts stand for."""

    def text(subscripts: Any) -> str:
        return "".join("..." if n is Ellipsis else _letter(n) for n in subscripts)

    count = len(args) // 2
    equation = ",".join(text(args[2 * i + 1]) for i in range(count))
    if len(args) % 2:
        equation += "->" + text(args[-1])
    return equation, list(args[0 : 2 * count : 2])


def _letter(n: Any) -> str:
    if not (n >= 0 and n < 52):
        raise ValueError(
            "einsum(): subscript in subscript list is not within the valid range [0, 52)"
        )
    return LETTERS[n]


# ---- reading the equation


def _parse(equation: str, shapes: Sequence[Shape]) -> tuple[list[Labels], bool, Labels]:
    """Return the labels of each operand, whether there is an arrow, and the labels of the result."""
    left, arrow, right = equation.partition("->")
    inputs, start = [], 0
    for position, part in enumerate(left.split(",")):
        inputs.append(_read(part, start, f"for operand {position}", "", "for which"))
        start += len(part) + 1
        if position >= len(shapes):
            raise RuntimeError(
                "einsum(): fewer operands were provided than specified in the equation"
            )
    if len(inputs) < len(shapes):
        raise RuntimeError("einsum(): more operands were provided than specified in the equation")
    for position, (labels, shape) in enumerate(zip(inputs, shapes, strict=True)):
        _check_count(labels, len(shape), position)
    output = _read(right, len(left) + 2, "for output", " (...)", "but")
    for n in output:
        if n != DOTS and output.count(n) > 1:
            raise RuntimeError(
                f"einsum(): output subscript {LETTERS[n]} appears more than once in the output"
            )
        if n != DOTS and not any(n in labels for labels in inputs):
            raise RuntimeError(
                f"einsum(): output subscript {LETTERS[n]} does not appear in the equation for any "
                "input operand"
            )
    return inputs, bool(arrow), output


def _read(part: str, start: int, owner: str, dots: str, link: str) -> Labels:
    """Return the labels in `part`, which begins at `start` of the equation."""
    labels: Labels = []
    i = 0
    while i < len(part):
        letter = part[i]
        if letter == ".":
            if DOTS in labels:
                already = "an ellipsis was already found" if link == "for which" else "an ellipsis (...) was already found"  # fmt: skip
                raise RuntimeError(f"einsum(): found '.' {owner} {link} {already}")
            if part[i : i + 3] != "...":
                raise RuntimeError(
                    f"einsum(): found '.' {owner} that is not part of any ellipsis{dots}"
                )
            labels.append(DOTS)
            i += 3
            continue
        if letter != " ":
            if letter not in LETTERS:
                raise RuntimeError(
                    f"einsum(): invalid subscript given at index {start + i} in the equation string, "
                    "subscripts must be in [a-zA-Z]"
                )
            labels.append(LETTERS.index(letter))
        i += 1
    return labels


def _check_count(labels: Labels, ndim: int, position: int) -> None:
    letters = sum(n != DOTS for n in labels)
    if DOTS in labels:
        if letters > ndim:
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({letters}) is more than the number "
                f"of dimensions ({ndim}) for operand {position}"
            )
    elif letters != ndim:
        raise RuntimeError(
            f"einsum(): the number of subscripts in the equation ({letters}) does not match the number of "
            f"dimensions ({ndim}) for operand {position} and no ellipsis was given"
        )


# ---- labels and sizes


def _width(labels: Labels, shape: Shape) -> int:
    """Return how many dimensions of `shape` its ellipsis covers."""
    return len(shape) - len(labels) + 1 if DOTS in labels else 0


def _spread(labels: Labels, width: int) -> Labels:
    """Return `labels` with the ellipsis as so many labels, -1 for the last dimension it covers."""
    dots = list(range(-width, 0))
    return [m for n in labels for m in (dots if n == DOTS else [n])]


def _implied(inputs: list[Labels], dots: int) -> Labels:
    """Return the labels of the result where there is no arrow."""
    found = [n for labels in inputs for n in labels if n != DOTS]
    return list(range(-dots, 0)) + sorted(n for n in set(found) if found.count(n) == 1)


def _sizes(inputs: list[Labels], shapes: Sequence[Shape]) -> dict[int, int]:
    """Return the length that each label stands for; a length of 1 gives way to any other."""
    sizes: dict[int, int] = {}
    for position, (labels, shape) in enumerate(zip(inputs, shapes, strict=True)):
        own: dict[int, int] = {}
        for n, size in zip(labels, shape, strict=True):
            if own.setdefault(n, size) != size:
                raise RuntimeError(
                    f"einsum(): subscript {LETTERS[n]} is repeated for operand {position} but the sizes "
                    f"don't match, {size} != {own[n]}"
                )
        for n, size in own.items():
            seen = sizes.setdefault(n, size)
            if seen == 1:
                sizes[n] = size
            elif size not in (1, seen):
                raise RuntimeError(_cannot_broadcast(n, size, seen, position, labels))
    return sizes


def _cannot_broadcast(n: int, size: int, seen: int, position: int, labels: Labels) -> str:
    if n < 0:
        return (
            f"einsum(): dimension {labels.index(n)} covered by ellipsis in operand {position}has size {size} "
            f"which does not broadcast with previously seen ellipsis with size {seen} for the respective "
            "dimension"
        )
    return (
        f"einsum(): subscript {LETTERS[n]} has size {size} for operand {position} which does not broadcast "
        f"with previously seen size {seen}"
    )


# ---- computing


def _evaluate(inputs: list[Labels], wanted: Labels, sizes: dict[int, int], operands: Sequence[Any]) -> Tensor:  # fmt: skip
    """Return the sum of products, two operands at a time."""
    work = [
        _without_repeats(list(labels), x, sizes) for labels, x in zip(inputs, operands, strict=True)
    ]
    if len(work) > 1 and _summing(inputs, wanted):
        for _, x in work[1:]:
            check.scalar_type(work[0][1], x)
        if work[0][1]._array.dtype.kind == "b":
            raise NotImplementedError("\"bmm\" not implemented for 'Bool'")
    if len({x.dtype for _, x in work}) > 1:
        common = _dtypes.result_type(*(x._array for _, x in work))
        work = [(labels, x.to(common)) for labels, x in work]
    while len(work) > 1:
        i, j = _cheapest(work, wanted, sizes)
        (left, a), (right, b) = work[i], work[j]
        others = {n for k, (labels, _) in enumerate(work) if k not in (i, j) for n in labels}
        work = [item for k, item in enumerate(work) if k not in (i, j)]
        work.append(_product(left, a, right, b, others | set(wanted), wanted))
    kept, x = work[0]
    labels, x = _summed(kept, x, set(wanted))
    missing = [n for n in wanted if n not in labels]
    if missing:
        x = x.reshape([1] * len(missing) + list(x.shape))
        labels = missing + labels
    order = [labels.index(n) for n in wanted]
    summed = len(kept) > len(labels)
    if order == sorted(order) and (summed or len(operands) > 1 or not wanted):
        return x
    x = x.permute(order)
    return renamed(x, "SumBackward1") if summed else x


def _summing(inputs: list[Labels], wanted: Labels) -> bool:
    """Return whether a label is in two operands and not in the result."""
    found = [n for labels in inputs for n in set(labels)]
    return any(found.count(n) > 1 for n in set(found) - set(wanted))


def _without_repeats(labels: Labels, x: Any, sizes: dict[int, int]) -> tuple[Labels, Any]:
    """Return `x` with no label twice, and without dimensions of length 1 that give way to longer ones."""
    repeated = next((n for n in labels if labels.count(n) > 1), None)
    while repeated is not None:
        first = labels.index(repeated)
        second = labels.index(repeated, first + 1)
        x = steps.diagonal_of(x, first=first, second=second)
        labels = [n for k, n in enumerate(labels) if k not in (first, second)] + [repeated]
        repeated = next((n for n in labels if labels.count(n) > 1), None)
    kept = [k for k, n in enumerate(labels) if x.shape[k] == sizes[n]]
    if len(kept) < len(labels):
        x = x.reshape([x.shape[k] for k in kept])
        labels = [labels[k] for k in kept]
    return labels, x


def _cheapest(work: list[tuple[Labels, Any]], wanted: Labels, sizes: dict[int, int]) -> tuple[int, int]:  # fmt: skip
    """Return which two of the operands to multiply next: those with the smallest product."""
    if len(work) == 2:
        return 0, 1
    best, pair = None, (0, 1)
    for i in range(len(work)):
        for j in range(i + 1, len(work)):
            others = {n for k, (labels, _) in enumerate(work) if k not in (i, j) for n in labels}
            both = set(work[i][0]) | set(work[j][0])
            size = cost = 1
            for n in both:
                cost *= sizes[n]
                size *= sizes[n] if n in others or n in wanted else 1
            if best is None or (size, cost) < best:
                best, pair = (size, cost), (i, j)
    return pair


def _summed(labels: Labels, x: Any, kept: set[int]) -> tuple[Labels, Any]:
    """Return `x` summed over the dimensions whose labels are not in `kept`."""
    gone = [k for k, n in enumerate(labels) if n not in kept]
    if not gone:
        return labels, x
    return [n for n in labels if n in kept], x.sum(gone)


def _product(left: Labels, a: Any, right: Labels, b: Any, kept: set[int], wanted: Labels) -> tuple[Labels, Any]:  # fmt: skip
    """Return the labels and the value of the sum of a times b over the labels that are not in `kept`."""
    left, a = _summed(left, a, kept | set(right))
    right, b = _summed(right, b, kept | set(left))
    shown = [n for n in wanted if n in left or n in right]
    shown += [n for n in dict.fromkeys(left + right) if n in kept and n not in wanted]
    out = steps.contract(a, b, left=tuple(left), right=tuple(right), out=tuple(shown))
    sums = any(n not in kept for n in left)
    return shown, out if sums else renamed(out, "MulBackward0")
