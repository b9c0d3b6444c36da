"""How views are made, and how a model at the end of a cell becomes one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbmodule_widgets.calling import keyword_inputs
from nbmodule_widgets.facts import facts
from nbmodule_widgets.protocol import class_attribute, drawer, is_tensor_like, require_module
from nbmodule_widgets.refusing import refusing
from nbmodule_widgets.text import tree_text
from nbmodule_widgets.views import ModuleTree
from nbmodule_widgets.views.kernel import shell
from nbmodule_widgets.views.live import unwatch_cells
from nbmodule_widgets.views.parts import TABS
from nbmodule_widgets.views.tree import COLUMNS

Bundle = tuple[dict[str, Any], dict[str, Any]]

_OWN_DISPLAYS = ("_repr_mimebundle_", "_repr_html_", "_ipython_display_")


@refusing
def show(
    model: object,
    *inputs: Any,
    path: str = "",
    tab: str = "",
    columns: str = "size",
    kwargs: dict[str, Any] | None = None,
    **named: Any,
) -> ModuleTree:
    """The one place to look at a model: its tree, the values of each tensor, and the table of its layers.

    Args:
        model: Any object with `_modules`, `_parameters` or `_buffers`.
        *inputs: What `forward` takes. With inputs the table of layers has shapes and multiply-adds: the model runs once
            for it, and is the same afterwards, bit for bit.
        path: Dotted path of the row that is selected first.
        tab: `"tree"` or `"layers"`; the layers if there are inputs, else the tree.
        columns: The columns beside the names: `"size"`, or `"ledger"` for what is learned, saved and moved.
        kwargs: Inputs by name, for names that are options too: `kwargs={"path": 3}`.
        **named: The other inputs by name: `show(model, input_ids=ids)`.

    Returns:
        The view. Its `facts`, `str(view)`, `view.to_html()` and `view.figure()` work without a front end.

    Raises:
        TypeError: If the object is nothing like a Module, or its `forward` does not take a name.
        ValueError: If there is no such tab, or no such columns.
        KeyError: If there is no such path.
    """
    require_module(model, "show")
    given = keyword_inputs(show, model, named, kwargs)
    tab = tab or ("layers" if inputs or given else "tree")
    for option, value, known in (("tab", tab, TABS), ("columns", columns, COLUMNS)):
        if value not in known:
            words = " or ".join(map(repr, known))
            raise ValueError(f"show() needs {option}={words}; got {value!r}")
    view = ModuleTree(model, *inputs, named=given)
    view.set_trait("tab", tab)
    view.set_trait("columns", columns)
    return view.select(path) if path else view


@refusing
def text(model: object, fold: bool = True) -> str:
    """The tree of a model as text.

    Args:
        model: Any object with `_modules`, `_parameters` or `_buffers`.
        fold: Whether neighbors that differ only in their number are written once, as `0 … 11: Block x 12`.
    """
    return tree_text(facts(model), fold=fold)


def mimebundle(model: object, include: object = None, exclude: object = None) -> Bundle:
    """What IPython shows for a model: the live tree, its HTML and its text.

    Args:
        model: The model.
        include: MIME types to keep, or None for all.
        exclude: MIME types to leave out.
    """
    data, metadata = show(model).bundle()
    wanted = set(data) if include is None else set(data) & set(include)  # type: ignore[call-overload]
    wanted -= set(exclude or ())  # type: ignore[call-overload]
    return {mime: data[mime] for mime in data if mime in wanted}, metadata


def install() -> None:
    """Displays every Module at the end of a cell as a tree: PyTorch's, and those of your own classes.

    Objects that have a display of their own keep it. Calling it twice is the same as calling it once;
    outside IPython it does nothing.
    """
    running = shell()
    if running is None or isinstance(_registered(running), _ModuleDisplay):
        return
    running.display_formatter.mimebundle_formatter.for_type(
        object, _ModuleDisplay(_registered(running))
    )


def uninstall() -> None:
    """Undoes what `install` did, and stops refreshing views after each cell."""
    running = shell()
    if running is None:
        return
    unwatch_cells()
    ours = _registered(running)
    if isinstance(ours, _ModuleDisplay):
        formatter = running.display_formatter.mimebundle_formatter
        formatter.pop(object)
        if ours.previous is not None:
            formatter.for_type(object, ours.previous)


def load_ipython_extension(ipython: object) -> None:
    """`%load_ext nbmodule_widgets` is `install()`."""
    install()


def unload_ipython_extension(ipython: object) -> None:
    """`%unload_ext nbmodule_widgets` is `uninstall()`."""
    uninstall()


def _registered(running: Any) -> Callable[[object], Any] | None:
    """What IPython calls for objects of which it knows nothing more special."""
    return running.display_formatter.mimebundle_formatter.type_printers.get(object)


class _ModuleDisplay:
    """Stands in IPython's table for `object`, and passes on whatever is not a Module.

    Registering for `object` reaches the reader's own class in the very cell that defines it, and PyTorch's
    without importing torch.
    """

    def __init__(self, previous: Callable[[object], Any] | None) -> None:
        self.previous = previous

    def __call__(self, obj: object) -> Any:
        own = _own_bundle(obj)
        if own is not None:
            return own()
        if _is_ours_to_show(obj):
            return mimebundle(obj)
        return self.previous(obj) if self.previous is not None else None


def _own_bundle(obj: object) -> Callable[[], Any] | None:
    """The object's own `_repr_mimebundle_`, called as IPython would."""
    if issubclass(type(obj), type) or class_attribute(obj, "_repr_mimebundle_") is None:
        return None
    return lambda: obj._repr_mimebundle_(include=None, exclude=None)  # type: ignore[attr-defined]


def _is_ours_to_show(obj: object) -> bool:
    """Whether the object has Modules or parameters in drawers, and no display of its own."""
    if issubclass(type(obj), type) or is_tensor_like(obj):
        return False
    if any(class_attribute(obj, name) is not None for name in _OWN_DISPLAYS):
        return False
    return drawer(obj, "_modules").present or drawer(obj, "_parameters").present
