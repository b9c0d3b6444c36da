"""The page on using a GPU: its code runs, and prints what it shows."""

from shown_code import run

import nbmodule


def test_the_page_shows_what_happens(gpu):
    try:
        assert run("using-a-gpu.md", {"__name__": "page"}) == 5
    finally:
        nbmodule.set_default_device(None)
