"""Numbers and names as people read them; shared by the text, the HTML and the live views."""

from __future__ import annotations

import math


def visible(text: object, limit: int = 200) -> str:
    r"""The text with nothing hidden in it: control and direction marks become `\u202e`, long ones are cut.

    Args:
        text: A name from somebody's model; anything that is not a `str` is shown by its type.
        limit: Longest result before the note about the cut.
    """
    if type(text) is not str:
        text = f"{text}" if type(text) in (int, float, bool) else f"<{type(text).__name__}>"
    if len(text) > limit:
        text = f"{text[: limit - 20]}… ({len(text):,} characters)"
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def count(number: int, noun: str) -> str:
    """`count(1, "module")` is `"1 module"`, `count(2500, "module")` is `"2,500 modules"`."""
    plural = "entries" if noun == "entry" else noun + "s"
    return f"{number:,} {noun if number == 1 else plural}"


def size(number: int) -> str:
    """Bytes with a unit: `"178.4 kB"` (1 kB is 1,000 bytes)."""
    if number < 1000:
        return f"{number} B"
    value, units = number / 1000, ["kB", "MB", "GB", "TB"]
    while value >= 999.95 and len(units) > 1:
        value /= 1000
        units.pop(0)
    return f"{value:.1f} {units[0]}"


def decimal(number: float) -> str:
    """Four significant digits; what is not a number is said in full."""
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return f"{number:.4g}"
