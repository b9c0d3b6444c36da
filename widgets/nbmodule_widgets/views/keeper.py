"""What stores the views with a notebook: one for a kernel, and never seen."""

from __future__ import annotations

import anywidget

from nbmodule_widgets.views import kernel
from nbmodule_widgets.views.script import script


class Keeper(anywidget.AnyWidget):
    """A widget without a view; its script stores the state of our views whenever the notebook is saved."""

    _esm = script("saved")


_kept: list[Keeper] = []


def keep_with_notebook() -> None:
    """Sends the script to the page, once for a kernel."""
    if getattr(kernel.shell(), "kernel", None) is None or any(keeper.comm for keeper in _kept):
        return
    _kept[:] = [Keeper()]
