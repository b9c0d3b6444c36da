"""The page on looking at a model: its code runs, on PyTorch and on nbmodule, and prints what it shows."""

import re

import pytest
from shown_code import DOCS, run

import nbmodule_widgets as nw

PAGE = "looking-at-a-model.md"


@pytest.mark.parametrize("library", ["nbmodule", pytest.param("torch", marks=pytest.mark.torch)])
def test_the_page_shows_what_happens(library):
    pytest.importorskip(library)
    own = {"import torch\n": f"import {library} as torch\n", "from torch ": f"from {library} "}
    names = {"__name__": "page"}
    assert run(PAGE, names, own) >= 9
    assert isinstance(names["view"], nw.ModuleTree)


def test_the_page_on_a_dashboard_shows_what_happens():
    names = {"__name__": "page"}
    assert run("a-dashboard.md", names) >= 6
    numbers = names["numbers"]
    names["layer"].value = "2.bias"
    assert numbers.selected is names["model"][2].bias
    before = numbers.facts.weight.norm
    names["one_step"].click()
    assert numbers.facts.weight.norm != before


def test_the_page_names_every_entry_point():
    """Whatever the package offers as a function that takes a model stands on the page."""
    text = (DOCS / PAGE).read_text(encoding="utf-8")
    tools = {
        "facts",
        "lessons",
        "load_ipython_extension",
        "mimebundle",
        "text",
        "uninstall",
        "unload_ipython_extension",
    }
    offered = {name for name in nw.__all__ if name.islower()} - tools
    offered |= {f"lessons.{name}" for name in nw.lessons.__all__ if name.islower()}
    assert {name for name in offered if f"nw.{name}(" not in text} == set()


def test_every_picture_is_there():
    """Pictures of the pages and of the README are made by `scripts/make_pictures.py`, and none is left over."""
    texts = [path.read_text(encoding="utf-8") for path in (DOCS / PAGE, DOCS.parent / "README.md")]
    shown = {name for text in texts for name in re.findall(r"pictures/(\w+\.png)", text)}
    assert shown == {path.name for path in (DOCS / "pictures").iterdir()}
