"""The page on adding an operation says what happens: its code runs, and prints and raises what it shows."""

import numpy as np
from sample_row import Sample
from shown_code import blocks, run

PAGE = "add-an-operation.md"


def test_the_page_shows_what_happens():
    assert run(PAGE, {"Sample": Sample}) >= 8


def test_the_first_operation_is_under_ten_lines():
    lines = [line for line in blocks(PAGE)[0][0].splitlines() if line.strip()]
    rule = lines[lines.index("@op") :]
    assert len(rule) < 10


def test_the_row_of_the_page_is_a_row():
    names = {"Sample": Sample}
    for code, _ in blocks(PAGE)[:1]:
        exec(code, names)
    row = eval(next(code for code, _ in blocks(PAGE) if code.startswith("Sample(")), names)
    (array,) = row.arrays("f8")
    tensor = names["nbmodule"].tensor(array)
    np.testing.assert_allclose(row.call(names["nbmodule"], tensor).numpy(), np.log(np.cosh(array)))
