"""The pages on looking at a model: their code runs, and prints what they show."""

from shown_code import DOCS, run

import nbmodule_widgets as nw

PAGE = "looking-at-a-model.md"


def test_the_page_shows_what_happens():
    names = {"__name__": "page"}
    assert run(PAGE, names) >= 5
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
    """Whatever the package offers as a function that takes a model stands in the table of calls."""
    text = (DOCS / PAGE).read_text(encoding="utf-8")
    tools = {
        "facts",
        "lessons",
        "mimebundle",
        "text",
        "load_ipython_extension",
        "unload_ipython_extension",
        "uninstall",
    }
    offered = {name for name in nw.__all__ if name.islower()} - tools
    assert {name for name in offered if f"nw.{name}(" not in text} == set()
