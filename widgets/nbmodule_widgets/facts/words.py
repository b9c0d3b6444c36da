"""Numbers and names as people read them; shared by the text, the HTML and the live views."""

from __future__ import annotations

import math

from nbmodule_widgets.protocol import class_name, is_exactly, plain_text

_PLURALS = {"entry": "entries", "leaf": "leaves", "pass": "passes"}
_LONGEST_INTEGER = 2**1000  # Python refuses to write down those of some 4,300 digits


def visible(text: object, limit: int = 200) -> str:
    r"""The text with nothing hidden in it: control and direction marks become `\u202e`, long ones are cut.

    Args:
        text: A name from somebody's model; anything that is not a `str` is shown by its type.
        limit: Longest result before the note about the cut.
    """
    written = text if type(text) is str else _written(text)
    if len(written) > limit:
        written = f"{written[: limit - 20]}… ({len(written):,} characters)"
    if written.isprintable():
        return written
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in written)


def without_ticks(text: object, limit: int = 200) -> str:
    """The visible text without backquotes, with which our sentences set off code.

    Args:
        text: As for `visible`.
        limit: As for `visible`.
    """
    return visible(text, limit).replace("`", "ˋ")


def joined(path: str, name: str) -> str:
    """The path of what has this name in the Module at `path`, which is empty for the model itself."""
    return f"{path}.{name}" if path else name


def _written(value: object) -> str:
    """Text for a key that is no exact `str`."""
    if issubclass(type(value), str):
        return plain_text(value)
    if is_exactly(value, int, float, bool):
        return number_text(value)
    return f"<{class_name(value)}>"


def number_text(value: object) -> str:
    """`repr` of one of Python's own numbers, however large."""
    if type(value) is int and abs(value) > _LONGEST_INTEGER:
        return f"an int of {value.bit_length():,} bits"
    return repr(value)


def shape_text(shape: tuple[int, ...] | None) -> str:
    """`"(10, 784)"`; a shape that nobody would read is cut."""
    return str(shape) if shape is None or len(shape) < 12 else visible(str(shape), 120)


def count(number: int, noun: str) -> str:
    """`count(1, "module")` is `"1 module"`, `count(2500, "module")` is `"2,500 modules"`."""
    return f"{number:,} {noun if number == 1 else _PLURALS.get(noun, noun + 's')}"


def outside_words(hooks: int, copies: int | None = None) -> list[str]:
    """What looking cannot undo, where hooks of the reader's ran in passes of ours; nothing where there are none.

    Args:
        hooks: How many of them.
        copies: In how many passes of copies they ran, after which containers that they name were put back; None: in
            one of the model itself.
    """
    if not hooks or copies == 0:
        return []
    them = "it does" if hooks == 1 else "they do"
    ran, such, kept = "too", "(a list that grows, a line that is printed, a counter)", ""
    if copies is not None:
        ran, such = (
            f"in {count(copies, 'pass')} of copies",
            "(a file, a global number)",
        )
        kept = f"; lists, dictionaries and models that {'it names' if hooks == 1 else 'they name'} are as before"
    ran = f" {ran}" if copies is None else f", {ran}"
    return [
        f"{count(hooks, 'hook')} of yours ran{ran}: what {them} outside the model {such} cannot be undone{kept}"
    ]


def hooks_text(kinds: tuple[tuple[str, int], ...]) -> str:
    """`"1 forward hook"`, or `"3 hooks (2 forward, 1 backward)"`.

    Args:
        kinds: `(kind, how many)`; may be empty.
    """
    if not kinds:
        return "no hooks"
    if len(kinds) == 1:
        return count(kinds[0][1], f"{kinds[0][0]} hook")
    each = ", ".join(f"{number} {kind}" for kind, number in kinds)
    return f"{count(sum(number for _, number in kinds), 'hook')} ({each})"


def size(number: int) -> str:
    """Bytes with a unit: `"178.4 kB"` (1 kB is 1,000 bytes)."""
    if number < 1000:
        return f"{number} B"
    value, units = number / 1000, ["kB", "MB", "GB", "TB"]
    while value >= 999.95 and len(units) > 1:
        value /= 1000
        units.pop(0)
    return f"{value:.1f} {units[0]}"


def mode_text(training: bool | None) -> str:
    """The switch of a Module in words."""
    return {True: "train", False: "eval", None: "no training flag"}[training]


def decimal(number: float) -> str:
    """Four significant digits; what is not a number is said in full."""
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return f"{number:.4g}"
