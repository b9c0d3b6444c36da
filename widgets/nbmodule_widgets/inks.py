"""The colours of the views: one meaning a colour, and names in figures that hold no formula.

`static/core.css` has the same roles as variables (`--value` is `INKS["value"]`), in light and in dark. The two of a pair
are told apart by readers with any kind of colour vision, and a shape, a dash or a word says the same. What is selected
has no hue. Nothing here needs matplotlib, which is loaded when a figure is asked for.
"""

from __future__ import annotations

from typing import NamedTuple

from nbmodule_widgets.facts.words import visible


class Ink(NamedTuple):
    """A colour for what means one thing.

    Attributes:
        light: On a light page, and in figures, which are light.
        dark: On a dark page.
        either: Where the page is not known: a mark in stored HTML.
    """

    light: str
    dark: str
    either: str


INKS = {
    # what lies in a module
    "module": Ink("#125ca1", "#80bcfe", "#4589d2"),
    "parameter": Ink("#815b04", "#f0be67", "#ac7d1b"),
    "buffer": Ink("#026b58", "#64c6ad", "#339a83"),
    "hook": Ink("#024c52", "#92f0fa", "#3396a0"),
    # how it went
    "fine": Ink("#037724", "#72d97c", "#349e45"),
    "problem": Ink("#bb061e", "#ff7e77", "#e64343"),
    # the pairs
    "value": Ink("#006f97", "#2baad3", "#1b92c2"),
    "gradient": Ink("#9e0163", "#ffafd4", "#d94393"),
    "positive": Ink("#ab4b01", "#fe9052", "#d06217"),
    "negative": Ink("#6130b1", "#aa88ff", "#9167ea"),
    "forward": Ink("#2e4ad1", "#7598ff", "#5279ff"),
    "backward": Ink("#673200", "#fec7a2", "#b47548"),
    "train": Ink("#5e6b01", "#c6d973", "#809024"),
    "eval": Ink("#731a8a", "#d27bec", "#b25ccb"),
}
INK, SOFT, GREY, FAINT = "#1f2328", "#59636e", "#6e757d", "#d5d9de"
PICK, WHITE = "#e6e9ed", "#ffffff"


def ink(role: str) -> str:
    """The colour of a role in a figure, which is light."""
    return INKS[role].light


def either(role: str) -> str:
    """The colour of a role in HTML that may lie on any page."""
    return INKS[role].either


def channels(colour: str) -> tuple[int, int, int]:
    """Red, green and blue of `"#rrggbb"`."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return red, green, blue


def wash(role: str, part: float = 0.2) -> str:
    """The colour of a role as CSS, seen through: what is written on it can be read on any page."""
    return f"rgba({','.join(map(str, channels(either(role))))},{part:g})"


def pale(role: str, part: float = 0.15) -> str:
    """The colour of a role on white, as a ground for what is written in a figure."""
    mixed = (round(part * one + (1 - part) * 255) for one in channels(ink(role)))
    return "#" + "".join(f"{one:02x}" for one in mixed)


def literal(text: object, limit: int = 60) -> str:
    """A visible text in which no `$` begins a formula: a name could hold one that matplotlib refuses to draw.

    Args:
        text: Anything that `visible` takes.
        limit: Longest text.
    """
    return visible(text, limit).replace("$", r"\$")


def in_legend(text: object, limit: int = 60) -> str:
    """The same for a legend, which leaves out what begins with an underscore, as the paths of a compiled model do.

    Args:
        text: Anything that `visible` takes.
        limit: Longest text.
    """
    said = literal(text, limit)
    return f" {said}" if said.startswith("_") else said
