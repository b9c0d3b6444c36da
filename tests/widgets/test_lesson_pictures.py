"""The course's views as figures: what they say, and that nothing global is touched."""

from __future__ import annotations

import sys

import pytest
from module_subjects import Linear, Net

import nbmodule_widgets as nw

VIEWS = {
    "ledger": (nw.lessons.ledger, ["weight", "learned"]),
    "visits": (nw.lessons.visits, ["modules()", "again: Linear"]),
    "match_keys": (
        lambda model: nw.match_keys(model, {"x$": Linear(1, 1)._parameters["bias"]}),
        ["missing", r"x\$"],
    ),
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_figure_says_what_the_view_says(name):
    make, expected = VIEWS[name]
    figure = make(Net()).figure()
    said = "\n".join(
        text.get_text() for axes in figure.axes for text in (*axes.texts, axes._left_title)
    )
    assert all(words in said for words in expected), said
    figure.draw_without_rendering()
    assert "matplotlib.pyplot" not in sys.modules
