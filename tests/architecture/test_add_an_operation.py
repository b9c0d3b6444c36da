"""The page on adding an operation says what happens: its code runs, and prints and raises what it shows."""

import contextlib
import io
import re
from pathlib import Path

import numpy as np
from sample_row import Sample

PAGE = Path(__file__).parents[2] / "docs" / "add-an-operation.md"
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.M | re.S)


def blocks():
    """Return the code blocks of the page, each with the text that is shown below it, or None."""
    found = [(m[1], m[2]) for m in BLOCK.finditer(PAGE.read_text(encoding="utf-8"))]
    following = found[1:] + [("python", "")]
    return [
        (code, shown if kind_below == "text" else None)
        for (kind, code), (kind_below, shown) in zip(found, following, strict=True)
        if kind == "python"
    ]


def test_the_page_shows_what_happens():
    names, kept = {"Sample": Sample}, []
    for code, shown in blocks():
        out = io.StringIO()
        try:
            with contextlib.redirect_stdout(out):
                exec(compile(code, PAGE.name, "exec"), names)
        except Exception as error:
            print(f"{type(error).__name__}: {str(error).splitlines()[0]}", file=out)
        if shown is None:
            assert out.getvalue() == "", code
        else:
            assert out.getvalue() == shown, code
        kept.append(code)
    assert len(kept) >= 8


def test_the_first_operation_is_under_ten_lines():
    lines = [line for line in blocks()[0][0].splitlines() if line.strip()]
    rule = lines[lines.index("@op") :]
    assert len(rule) < 10


def test_the_row_of_the_page_is_a_row():
    names = {"Sample": Sample}
    for code, _ in blocks()[:1]:
        exec(code, names)
    row = eval(next(code for code, _ in blocks() if code.startswith("Sample(")), names)
    (array,) = row.arrays("f8")
    tensor = names["nbmodule"].tensor(array)
    np.testing.assert_allclose(row.call(names["nbmodule"], tensor).numpy(), np.log(np.cosh(array)))
