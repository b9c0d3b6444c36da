"""PyTorch's tutorials, as somebody would type them after reading: `import torch` is all that is changed.

What a script prints was recorded from PyTorch; numbers are compared as numbers.
"""

import contextlib
import io
import re
import sys
import warnings
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SCRIPTS = sorted((HERE / "scripts").glob("*.py"))
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+\.?\d*(?:e[-+]?\d+)?|-?\b(?:inf|nan)\b")

each = pytest.mark.parametrize("script", SCRIPTS, ids=lambda s: s.stem)


def changed(source):
    """Return the source with its imports of torch turned into imports of nbmodule."""
    source = re.sub(r"^import torch$", "import nbmodule as torch", source, flags=re.M)
    source = re.sub(r"^import torch\.(\S+)", r"import nbmodule.\1", source, flags=re.M)
    return re.sub(r"^from torch\b", "from nbmodule", source, flags=re.M)


def printed(source):
    """Run `source`; return what it printed."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(source, "tutorial", "exec"), {"__name__": "__main__"})
    return out.getvalue()


def parts(text):
    """Return the words of `text` and its numbers. The name of the library and white space do not count."""
    text = text.replace("nbmodule", "torch")
    words = [" ".join(w.split()) for w in NUMBER.split(text)]
    return words, [float(n) for n in NUMBER.findall(text)]


def expected(script):
    return (HERE / "recorded" / f"{script.stem}.txt").read_text(encoding="utf-8")


@each
def test_nbmodule_prints_what_was_recorded(script):
    words, numbers = parts(printed(changed(script.read_text(encoding="utf-8"))))
    expected_words, expected_numbers = parts(expected(script))
    assert words == expected_words
    assert numbers == pytest.approx(expected_numbers, rel=2e-3, abs=2e-4, nan_ok=True)


@each
@pytest.mark.torch
def test_torch_prints_what_was_recorded(script):
    pytest.importorskip("torch", reason="the referee: pip install torch")
    words, numbers = parts(printed(script.read_text(encoding="utf-8")))
    expected_words, expected_numbers = parts(expected(script))
    assert words == expected_words
    assert numbers == pytest.approx(expected_numbers, rel=2e-3, abs=2e-4, nan_ok=True)


def record(*asked):
    """Write the records of the scripts `asked` anew, or all. Needs torch."""
    for script in SCRIPTS:
        if not asked or script.stem in asked:
            text = printed(script.read_text(encoding="utf-8"))
            (HERE / "recorded" / f"{script.stem}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    record(*sys.argv[1:])
