"""What it costs in Python to show a model that does not move, and how long the script of each view is."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

import models
from clock import cpu_ms
from rows import CannotRun, Row
from wire import recorded

import nbmodule_widgets as nw
from nbmodule_widgets.views.live import LiveView

TARGETS = {10_000: (40.0, 0.2e6), 100_000: (500.0, 2.5e6)}  # CPU milliseconds, bytes
BEST = {
    10_000: ("treescope 23.6 s, marimo 0.27 s", "treescope 1.53 MB, marimo 6.7 MB"),
    100_000: ("nothing shows it", "nothing shows it"),
}
SCRIPT = 40_000


def show(quick: bool) -> Iterator[Row]:
    """`nw.show` on large trees: CPU time, messages and bytes."""
    for lib in _libraries():
        for modules, (target_ms, target_bytes) in TARGETS.items():
            model = models.tree(lib, modules)
            rounds = 3 if quick or modules > 10_000 else 9
            best_time, best_size = BEST[modules]
            subject = f"{modules:,} {lib.__name__} modules"
            with recorded() as wire:
                nw.show(model)
                messages, size = wire.messages, wire.size
                ms = cpu_ms(lambda model=model: nw.show(model), rounds)
                view = nw.show(model)
                again = cpu_ms(view.refresh, rounds)
            yield Row(f"show: {subject}, Python", ms, "ms", target_ms, best_time)
            script = len(str(nw.ModuleTree._esm).encode())
            detail = f"{messages} messages, {script / 1e3:.1f} kB of it script"
            yield Row(f"show: {subject}, payload", size, "bytes", target_bytes, best_size, detail)
            yield Row(f"refresh with nothing new: {subject}", again, "ms")


def twins(quick: bool) -> Iterator[Row]:
    """The text and the static HTML of 10,000 modules, with and without reading the model."""
    rounds = 3 if quick else 9
    for lib in _libraries():
        model = models.tree(lib, 10_000)
        with recorded():
            view = nw.show(model)
            text, html = str(view), view.to_html()
            ms = cpu_ms(lambda model=model: nw.text(model), rounds)
            detail = f"{len(text.encode()) / 1e3:.1f} kB, {_cap(text)}"
            name = lib.__name__
            yield Row(f"text of 10,000 {name} modules", ms, "ms", 60.0, "repr 26 ms", detail)
            ms = cpu_ms(view.to_html, rounds)
            detail = f"{len(html.encode()) / 1e3:.1f} kB, {_cap(html)}"
            yield Row(
                f"HTML of 10,000 {name} modules", ms, "ms", 150.0, "marimo 270 ms, 6.7 MB", detail
            )
            ms = cpu_ms(lambda model=model: nw.mimebundle(model), rounds)
            yield Row(f"the model as last line of a cell: all three, {name}", ms, "ms")


def scripts(quick: bool) -> Iterator[Row]:
    """JavaScript and CSS of each view: what travels once for each view on the page."""
    for view in sorted(all_views(), key=lambda view: view.__name__):
        size = len(str(getattr(view, "_esm", "")).encode())
        yield Row(f"script and styles of {view.__name__}", size, "bytes", SCRIPT, "0.4 to 2.9 MB")


def all_views() -> list[type[LiveView]]:
    """Every class of view that the package has, those that load late too."""
    for name in nw.__all__:
        getattr(nw, name)
    found, todo = [], [LiveView]
    while todo:
        todo += (made := todo.pop().__subclasses__())
        found += [view for view in made if _is_written(view)]
    return found


def _is_written(view: type) -> bool:
    """Whether a class stands in our source; traitlets makes one more for each view that adds traits."""
    home = sys.modules.get(view.__module__)
    return view.__module__.startswith("nbmodule_widgets.") and vars(home).get(view.__name__) is view


def _cap(twin: str) -> str:
    """What a twin says about the rows that it leaves out."""
    found = re.search(r"… [\d,]+ [a-z]*\s?more[a-z ]*", twin)
    return found[0] if found else "NOT CAPPED"


def _libraries() -> list[Any]:
    found = [lib for name in ("nbmodule", "torch") if (lib := models.library(name))]
    if not found:
        raise CannotRun("neither nbmodule nor torch can be imported")
    return found
