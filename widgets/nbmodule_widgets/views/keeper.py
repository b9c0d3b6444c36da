"""What stores the views with a notebook: one for a kernel, and never seen."""

from __future__ import annotations

import anywidget

from nbmodule_widgets.views import kernel
from nbmodule_widgets.views.script import script


class Keeper(anywidget.AnyWidget):
    """A widget without a view; its script stores the state of our views whenever the notebook is saved."""

    _esm = script("saved")


_kept: list[Keeper] = []


def keep_with_notebook(view: anywidget.AnyWidget) -> None:
    """Sends the script to the page, once for a kernel, and tells it what is displayed.

    Args:
        view: Displayed just now; it may be in another notebook than those before, on the same kernel.
    """
    if getattr(kernel.shell(), "kernel", None) is None:
        return
    if not any(keeper.comm for keeper in _kept):
        _kept[:] = [Keeper()]
    _kept[0].send({"shown": view.model_id})
