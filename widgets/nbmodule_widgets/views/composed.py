"""Views inside of boxes, tabs, grids and `interact`: their static forms, and how they come and go with their cell.

ipywidgets stores of a box only that it was there. A box that holds a view of ours gets the static forms of what it
holds, as a view has them: they are shown where no script runs. Boxes without such a view stay as they are.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

import ipywidgets

from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.views import outputs

_DEEPEST = 50  # boxes in boxes


def install(shell: Any) -> None:
    """Lets IPython ask us for the renderings of boxes, unless the reader has told it to ask somebody else."""
    formatter = shell.display_formatter.mimebundle_formatter
    if formatter.type_printers.get(ipywidgets.Box) is None:
        formatter.for_type(ipywidgets.Box, bundle)


def uninstall(shell: Any) -> None:
    """Takes that back."""
    formatter = shell.display_formatter.mimebundle_formatter
    if formatter.type_printers.get(ipywidgets.Box) is bundle:
        formatter.pop(ipywidgets.Box)


def bundle(box: ipywidgets.Box) -> Any:
    """The renderings of a box.

    Args:
        box: Any box.

    Returns:
        What IPython expects: the renderings by MIME type, or these and their metadata.
    """
    views = list(views_in(box))
    if not views:
        return box._repr_mimebundle_()
    for view in views:
        view.guarded(view.refresh)
    return Composed(box).bundle()


def views_in(widget: Any, captured: bool = True, depth: int = 0) -> Iterator[Any]:
    """The views of ours inside a widget, in the order in which they stand there.

    Args:
        widget: Any widget.
        captured: Whether those count that an Output widget shows, which come and go.
        depth: How deep the search is already.
    """
    if _is_view(widget):
        yield widget
    elif depth < _DEEPEST:
        for part in _parts(widget) if captured or not isinstance(widget, ipywidgets.Output) else ():
            yield from views_in(part, captured, depth + 1)


class Composed:
    """A box that holds views, as it is displayed by a cell.

    Args:
        box: The box.
    """

    def __init__(self, box: ipywidgets.Box) -> None:
        self._box = box

    @property
    def is_seen(self) -> bool:
        """Whether a page shows one of its views."""
        return any(view.is_seen for view in views_in(self._box))

    def bundle(self) -> outputs.Bundle:
        """The live form and the static ones, of what was seen when the views last looked."""
        _reopen(self._box)
        views = list(views_in(self._box))
        for each in (self, *views_in(self._box, captured=False)):
            outputs.shown(each, self._box.model_id)
        data = self._box._repr_mimebundle_() or {}
        texts = [str(view) for view in views]
        twins = {
            "text/plain": "\n\n".join(texts),
            "text/html": outputs.static_twin(_twin(self._box)),
        }
        return outputs.without_script({**data, **twins}), {}

    def close(self) -> None:
        """Closes the box, which holds its views; controls of the reader stay. Displayed again, it comes back."""
        self._box.close()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Composed) and other._box is self._box

    def __hash__(self) -> int:
        return hash(self._box)


def _is_view(widget: Any) -> bool:
    return callable(getattr(type(widget), "to_html", None))


def _parts(widget: Any) -> list[Any]:
    if isinstance(widget, ipywidgets.Output):
        return outputs.views_shown_in(widget)
    return list(widget.children) if isinstance(widget, ipywidgets.Box) else []


def _reopen(widget: Any, depth: int = 0) -> None:
    """Opens what was closed; parts first, since a box names its parts by the channels that they have."""
    if _is_view(widget):
        return widget.reopen()
    if isinstance(widget, ipywidgets.Box) and depth < _DEEPEST:
        for part in widget.children:
            _reopen(part, depth + 1)
        if widget.comm is None:
            vars(widget).pop("_repr_mimebundle_", None)  # ipywidgets hides the method for good
            widget.open()
    return None


def _twin(widget: Any, depth: int = 0) -> str:
    """A widget as HTML without a script: our views as they are, of others what they say."""
    if _is_view(widget):
        return str(widget.to_html())
    parts = _parts(widget) if depth < _DEEPEST else []
    inside = [_twin(part, depth + 1) for part in parts]
    if isinstance(widget, (ipywidgets.Tab, ipywidgets.Accordion)):
        titles = [visible(str(widget.get_title(n) or ""), 200) for n in range(len(inside))]
        inside = [
            f"<p><b>{html.escape(title)}</b></p>{part}"
            for title, part in zip(titles, inside, strict=True)
        ]
    if isinstance(widget, ipywidgets.HBox):
        cells = (f'<div style="flex:1 1 auto;min-width:0">{part}</div>' for part in inside)
        return f'<div style="display:flex;flex-wrap:wrap;gap:8px">{"".join(cells)}</div>'
    if isinstance(widget, (ipywidgets.Box, ipywidgets.Output)):
        return "".join(f"<div>{part}</div>" for part in inside)
    return _said(widget)


def _said(widget: Any) -> str:
    """What a control says: its name and its value."""
    name, value = (getattr(widget, key, "") for key in ("description", "value"))
    if isinstance(widget, (ipywidgets.HTML, ipywidgets.HTMLMath)):
        value = html.unescape(re.sub(r"<[^>]*>", "", str(value)))
    if value is None or not isinstance(value, (str, int, float, tuple, list)):
        value = ""
    said = ": ".join(visible(str(part), 500) for part in (name, value) if part != "")
    return f"<span>{html.escape(said)}</span>"
