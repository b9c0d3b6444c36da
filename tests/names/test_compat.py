"""The page that says what of PyTorch is here cannot drift: it is made from the names of both libraries."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import build_compat  # noqa: E402


def test_the_page_says_what_is_so():
    written = build_compat.PAGE.read_text(encoding="utf-8")
    assert written == build_compat.page(), "run: python scripts/build_compat.py"


def test_every_reason_still_holds_for_something():
    assert build_compat.idle_patterns(build_compat.missing()) == []
    assert build_compat.gone() == []


def test_a_name_without_a_reason_is_an_error():
    with pytest.raises(LookupError, match=r"torch\.brand_new .* does not say why"):
        build_compat.reason_of("torch.brand_new")


def test_what_is_here_is_not_called_missing():
    absent = {path for paths in build_compat.missing().values() for path in paths}
    present = {
        "torch.complex64",
        "torch.nn.Linear",
        "torch.optim.LBFGS",
        "torch.utils.data.DataLoader",
        "torch.save",
    }
    assert absent.isdisjoint(present)
    assert "torch.chalf" in absent
