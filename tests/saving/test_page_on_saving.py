"""The page on saving and resuming: its code runs, and prints what it shows."""

from shown_code import run


def test_the_page_shows_what_happens(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("saving-and-resuming.md", {"__name__": "page"}) >= 5
