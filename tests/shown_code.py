"""The code on a page of documentation, run: it prints and raises what the page shows below it."""

import contextlib
import io
import re
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.M | re.S)


def blocks(page):
    """Return the code blocks of `page`, each with the text that is shown below it, or None."""
    found = [(m[1], m[2]) for m in BLOCK.finditer((DOCS / page).read_text(encoding="utf-8"))]
    following = found[1:] + [("python", "")]
    return [
        (code, shown if kind_below == "text" else None)
        for (kind, code), (kind_below, shown) in zip(found, following, strict=True)
        if kind == "python"
    ]


def run(page, names, instead=None):
    """Run the blocks of `page` with `names`, and check what they print; return how many there are.

    `instead` says what is put in the place of which text.
    """
    count = 0
    for code, shown in blocks(page):
        for text, other in (instead or {}).items():
            code = code.replace(text, other)
        out = io.StringIO()
        try:
            with contextlib.redirect_stdout(out):
                exec(compile(code, page, "exec"), names)
        except Exception as error:
            print(f"{type(error).__name__}: {str(error).splitlines()[0]}", file=out)
        assert out.getvalue() == (shown or ""), code
        count += 1
    return count
