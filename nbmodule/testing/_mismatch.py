"""What `assert_close` says where two values differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor


class Mismatch(Exception):
    """Two values differ, or cannot be compared: on its way to becoming the error that users see.

    Attributes:
        kind: the class of that error.
        text: what it says.
        place: the keys and indices under which the values were found.
    """

    def __init__(self, kind: type[Exception], text: str, place: tuple[Any, ...]) -> None:
        super().__init__(text)
        self.kind, self.text, self.place = kind, text, place

    def error(self, msg: str | Callable[[str], str] | None) -> Exception:
        """Return the error for users; `msg` replaces its text, or makes another one of it."""
        if isinstance(msg, str):
            return self.kind(msg)
        text = self.text
        if self.place:
            text += f"\n\nThe failure occurred for item {place_text(self.place)}"
        return self.kind(msg(text) if callable(msg) else text)


def place_text(place: tuple[Any, ...]) -> str:
    """Write keys and indices as one would to reach the value: "['a'][0]"."""
    return "".join(str([key]) for key in place)


def numbers_text(actual: Any, expected: Any, rtol: float, atol: float) -> str:
    """Say by how much two numbers differ."""
    absolute = abs(actual - expected)
    relative = float("inf") if expected == 0 else absolute / abs(expected)
    exact = rtol == 0 and atol == 0
    lines = [
        f"Expected {expected} but got {actual}.",
        f"Absolute difference: {absolute}" + _allowed(atol, exact),
        f"Relative difference: {relative}" + _allowed(rtol, exact),
    ]
    return _headed("Scalars", exact, lines)


def tensors_text(actual: Tensor, expected: Tensor, close: Tensor, rtol: float, atol: float) -> str:
    """Say how many elements of two tensors differ, and where and by how much they do so most.

    Args:
        actual: not recorded.
        expected: in the same shape and dtype.
        close: for each element whether it is close enough.
        rtol: the relative tolerance.
        atol: the absolute tolerance.
    """
    count = close.numel()
    wrong = count - int(close.sum())
    exact = rtol == 0 and atol == 0
    if not actual.is_floating_point():
        actual, expected = actual.long(), expected.long()
    fine = close.flatten()
    absolute = (actual.flatten() - expected.flatten()).abs().masked_fill(fine, 0)
    relative = (absolute / expected.flatten().abs()).masked_fill(fine, 0)
    lines = [
        f"Mismatched elements: {wrong} / {count} ({wrong / count:.1%})",
        _greatest("absolute", absolute, close.shape) + _allowed(atol, exact),
        _greatest("relative", relative, close.shape) + _allowed(rtol, exact),
    ]
    return _headed("Tensor-likes", exact, lines)


def _greatest(which: str, differences: Tensor, shape: tuple[int, ...]) -> str:
    most, where = differences.max(0)
    rest, index = int(where), []
    for size in reversed(shape):
        rest, here = divmod(rest, size)
        index.append(here)
    return f"Greatest {which} difference: {most.item()} at index {tuple(reversed(index))}"


def _allowed(tolerance: float, exact: bool) -> str:
    return "" if exact else f" (up to {tolerance} allowed)"


def _headed(what: str, exact: bool, lines: list[str]) -> str:
    return "\n".join([f"{what} are not {'equal' if exact else 'close'}!", "", *lines])
