"""What ties a view to other widgets: traits that can be observed, and links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import traitlets
from ipywidgets.widgets import widget as base
from ipywidgets.widgets.widget_link import Link

from nbmodule_widgets.facts.words import visible


class Live(traitlets.TraitType[Any, Any]):
    """A trait that stays in Python and is asked anew each time it is read: what `find` returns for its owner.

    `tell(owner)` calls the observers if it is another object than when they were called last. Objects are compared by
    identity: `==` of two tensors is an operation of their library.

    Args:
        find: Returns the present value.
    """

    def __init__(self, find: Callable[[Any], Any], help: str) -> None:
        super().__init__(None, allow_none=True, read_only=True, help=help)
        self._find = find

    def get(self, obj: Any, cls: Any = None) -> Any:
        """The present value."""
        return self._find(obj)

    def tell(self, owner: traitlets.HasTraits) -> None:
        """Calls the observers if the value has become another object."""
        name = str(self.name)
        before, now = owner._trait_values.get(name), self._find(owner)
        owner._trait_values[name] = now
        if now is not before:
            owner._notify_trait(name, before, now)


def require_traits(view: traitlets.HasTraits, names: Any, for_readers: Sequence[str]) -> None:
    """Raises an AttributeError if a view has no such traits; it would never call.

    Args:
        view: The view.
        names: What `observe` was given.
        for_readers: The traits that there are for this.
    """
    asked = [names] if isinstance(names, str) or names is traitlets.All else names
    for name in asked if isinstance(asked, (list, tuple, set)) else ():
        if isinstance(name, str) and not view.has_trait(name):
            known = ", ".join(repr(each) for each in for_readers) or "none of its own"
            raise AttributeError(
                f"{type(view).__name__} has no trait {visible(name, 80)!r} that could be observed: there are {known}, "
                "and those of every ipywidget, such as 'layout'"
            )


def cut(view: base.Widget) -> None:
    """Takes all links to a view back: those of ipywidgets would keep it, and those of traitlets the other side."""
    for other in list(base._instances.values()):
        if isinstance(other, Link) and any(end[0] is view for end in (other.source, other.target)):
            other.close()
    for of_name in list(view._trait_notifiers.values()):
        for handler in [handler for of_type in of_name.values() for handler in of_type]:
            owner = getattr(handler, "__self__", None)
            if isinstance(owner, (traitlets.link, traitlets.directional_link)):
                owner.unlink()
