"""color_strip: a column for each call, a row for each interval, and no number lost or invented."""

from __future__ import annotations

import numpy as np
import pytest

import nbmodule_widgets as nw

SEEN = {"conv": [[0, 1, 90], [5, 0, 0]], "head": [[1, 1, 1], [0, 0, 0]]}


def test_the_counts_are_those_that_were_recorded():
    strip = nw.lessons.color_strip(SEEN, -1, 2)
    for layer, rows in SEEN.items():
        assert strip.layers[layer].T.tolist() == rows
        shades = strip.shades(layer)
        assert ((np.array(rows) > 0) == (shades > 0).T).all()
        order = np.argsort(strip.layers[layer], axis=None)
        assert (np.diff(shades.ravel()[order]) >= 0).all()  # more numbers, a stronger color


def test_every_form_tells_the_same():
    strip = nw.lessons.color_strip(SEEN, -1, 2)
    conv, head = str(strip).split("head: ")
    assert conv.splitlines()[1:] == [
        "   1 |@ |",
        "   0 |. |",
        "  -1 | =|",
    ]  # the highest interval first
    assert conv.startswith("conv: 2 calls, 3 intervals from -1 at the bottom to 2 at the top")
    for form in (str(strip), strip.to_html()):
        assert "at the top, at most 90 numbers in one" in form
        assert "at the top, at most 1 number in one" in form
    cells = strip.to_html().count("h24v42h-24z")
    assert cells == sum(count > 0 for rows in SEEN.values() for row in rows for count in row)
    assert head.count("|") == 6
    assert strip.figure().encoded("png")[:4] == b"\x89PNG"


def test_many_calls_are_added_up_and_none_is_lost():
    strip = nw.lessons.color_strip({"a": [[int(at == 777)] for at in range(1000)]})
    assert strip.shades("a").shape == (1, 200)
    assert (strip.shades("a") > 0).sum() == 1
    assert strip.words("a").endswith("; a column for every 5 calls")
    assert "call 1</span><span>call 1,000</span>" in strip.to_html()


@pytest.mark.parametrize(
    "seen", [{}, {"a": []}, {"<b>\x1b": [[0.0]]}, {"a": [[np.nan, np.inf, -1]]}]
)
def test_odd_records_are_shown(seen):
    strip = nw.lessons.color_strip(seen)
    html = strip.to_html()
    assert str(strip)
    assert strip.figure().encoded("svg")
    assert "<b>\x1b" not in html
    assert "\x1b" not in str(strip)


def test_what_is_no_strip_is_refused():
    with pytest.raises(ValueError, match="differ in length"):
        nw.lessons.color_strip({"a": [[1], [1, 2]]})
    with pytest.raises(ValueError, match="low < high"):
        nw.lessons.color_strip({}, 1, 1)
