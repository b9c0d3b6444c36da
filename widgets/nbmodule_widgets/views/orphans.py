"""`find_orphans`: what a model holds, or runs, and its drawers do not know of."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from html import escape
from threading import get_ident
from typing import Any, overload

from nbmodule_widgets.calling import keyword_inputs
from nbmodule_widgets.comparing.switching import gradients, step_by_step
from nbmodule_widgets.engines import engines
from nbmodule_widgets.facts.careful import describe_module
from nbmodule_widgets.facts.collector import full_searches_put_off
from nbmodule_widgets.facts.hidden import unseen_by
from nbmodule_widgets.facts.mentions import mentioned
from nbmodule_widgets.facts.orphans import Orphan, Search, tree_of
from nbmodule_widgets.facts.tensors import key_text
from nbmodule_widgets.facts.words import count, visible
from nbmodule_widgets.markup import PROBLEM, SOFT, framed, line, name, table, title
from nbmodule_widgets.preserved import Preserved
from nbmodule_widgets.protocol import (
    attempt,
    class_attribute,
    class_name,
    drawer,
    error_text,
    has_drawers,
    require_module,
)
from nbmodule_widgets.refusing import refusing
from nbmodule_widgets.shadowing import Entrances, deeper

_MADE = "create it in `__init__`, as an attribute of `self`"
_NEW = f"Each call creates it, so its numbers are new each time: {_MADE}"
_ALWAYS = f"Each call creates it, so its mode is always that of a new one: {_MADE}"
_OUTER = (
    "It is outside of the model, as in a global variable: assign it to an attribute of the Module"
)
_MOST = 100  # orphans of one pass; a loop may create thousands
_ROWS = 60


@dataclass(frozen=True, slots=True)
class Orphans:
    """What `find_orphans` found; false if that is nothing.

    Attributes:
        model: The class of the model.
        found: The orphans, in the order of the tree; then those that only ran.
        modules: How many Modules the tree has.
        tensors: How many tensors are in its drawers.
        blind: The methods that do not see the orphans: `"parameters()"` and others.
        ran: Whether the model was called.
        notes: What could not be found out, in sentences.
    """

    model: str
    found: tuple[Orphan, ...]
    modules: int
    tensors: int
    blind: tuple[str, ...]
    ran: bool = False
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Orphan]:
        return iter(self.found)

    @overload
    def __getitem__(self, index: int) -> Orphan: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Orphan, ...]: ...
    def __getitem__(self, index: int | slice) -> Orphan | tuple[Orphan, ...]:
        return self.found[index]

    @property
    def paths(self) -> list[str]:
        """Where the orphans are: `["layers[0]", "layers[1]"]`."""
        return [orphan.path for orphan in self.found]

    @property
    def sentence(self) -> str:
        """What was found, in one sentence."""
        if not self.found:
            tree = f"{count(self.modules, 'module')} and {count(self.tensors, 'tensor')}"
            called = ", and no other Module ran" if self.ran and not self.notes else ""
            return f"no orphans in {self.model}: its drawers lead to {tree}{called}"
        numbers = sum(orphan.numbers for orphan in self.found)
        verb = "need" if numbers != 1 else "needs"
        learn = f", with {count(numbers, 'number')} that {verb} a gradient" if numbers else ""
        return f"{count(len(self.found), 'orphan')} in {self.model}{learn}: invisible to {_listed(self.blind)}"

    def __str__(self) -> str:
        lines = [self.sentence]
        cells = [_cells(orphan) for orphan in self.found[:_ROWS]]
        widths = [max((len(row[at]) for row in cells), default=0) for at in range(4)]
        lines += ["  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]
        if len(self.found) > _ROWS:
            lines.append(f"  … {len(self.found) - _ROWS:,} more")
        lines += [f"  → {tip}" for tip in self._tips()]
        return "\n".join([*lines, *(f"! {note}" for note in self.notes)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_html(self) -> str:
        """The same as HTML without a script."""
        head = title("find_orphans", self.sentence)
        rows = [
            [name(path, 120), name(label, 120), escape(numbers), escape(holder)]
            for path, label, numbers, holder in map(_cells, self.found[:_ROWS])
        ]
        heads = ("where", "what", "numbers that need a gradient", "held by")
        red = [f"background:{PROBLEM}"] * len(rows)
        body = table(heads, rows, red) if rows else ""
        more = len(self.found) - _ROWS
        rest = [line(f"… {more:,} more", style=SOFT)] if more > 0 else []
        tips = [line(f"→ {tip}") for tip in self._tips()]
        return framed(head, body, *rest, *tips, *(line(f"! {n}", PROBLEM) for n in self.notes))

    def _tips(self) -> list[str]:
        """What to do, each once, with the first attribute that it is about."""
        tips: dict[str, str] = {}
        for orphan in self.found:
            tips.setdefault(orphan.advice, orphan.path)
        return [f"`{visible(path, 120)}`: {tip}." for tip, path in tips.items()]


@refusing
def find_orphans(
    model: object, *inputs: Any, kwargs: dict[str, Any] | None = None, **named: Any
) -> Orphans:
    """Finds Modules, and tensors that need a gradient, that a model holds where its drawers do not lead.

    They are looked for in plain attributes: in lists, tuples, dicts, sets and what is nested in these, in objects that are
    no Modules, in closures, and in the model's own classes. Nothing is run for that: no property, no `__repr__`. With inputs
    the model runs once, without gradients, and Modules that run and are in no drawer are found too, such as those that
    `forward` creates. The model is the same afterwards, bit for bit.

    Args:
        model: Any object with `_modules`, `_parameters` or `_buffers`: of PyTorch, of nbmodule, or your own.
        *inputs: What `forward` takes; nothing to look without a pass.
        kwargs: Inputs by name, for names that are options too.
        **named: The other inputs by name.

    Raises:
        TypeError: If the object is nothing like a Module, or its `forward` does not take a name.
        ValueError: If the model is lazy and there are inputs: a pass would create its parameters.

    Example:
        >>> find_orphans(model).paths  # doctest: +SKIP
        ['layers[0]', 'layers[1]']
    """
    require_module(model, "find_orphans")
    given = keyword_inputs(find_orphans, model, named, kwargs)
    with full_searches_put_off():
        search = Search(model)
        ran: list[Orphan] = []
        notes: tuple[str, ...] = ()
        if inputs or given:
            _refuse_lazy(search)
            ran, notes = _ran(search, inputs, given)
    return Orphans(
        model=visible(class_name(model), 60),
        found=(*search.found, *ran),
        modules=len(search.reached),
        tensors=len(search.held) - sum(orphan.kind == "tensor" for orphan in search.found),
        blind=(*unseen_by(type(model)), "train()"),
        ran=bool(inputs or given),
        notes=notes,
    )


@dataclass(slots=True)
class _Stranger:
    """A Module that ran, and that the model does not know.

    Attributes:
        caller: The path of the Module that called it.
        label: Class and `extra_repr`.
        kind: Its class.
        numbers: How many numbers in it need a gradient.
        find: Gives the object, or None once it is gone.
    """

    caller: str
    label: str
    kind: str
    numbers: int
    find: Callable[[], Any]


class _Listener:
    """Hears who is called in one pass.

    Args:
        search: What is known of the model.

    Attributes:
        strangers: What ran and is not known, each kind once for each caller.
        left_out: How many did not fit.
    """

    def __init__(self, search: Search) -> None:
        self.strangers: dict[tuple[str, str], _Stranger] = {}
        self.left_out = 0
        self._search, self._thread = search, get_ident()
        self._calls: list[
            tuple[Any, str, bool]
        ] = []  # the Module, the path of the last known one, whether a stranger is on the way

    def around(self, calls: Callable[..., Any]) -> Callable[..., Any]:
        """A function that stands in front of `__call__`."""

        def entered(module: Any, *args: Any, **named: Any) -> Any:
            inner = bool(self._calls) and self._calls[-1][0] is module  # by `super().__call__()`
            if inner or get_ident() != self._thread:
                return calls(module, *args, **named)
            self._calls.append(self._hear(module))
            try:
                return calls(module, *args, **named)
            finally:
                self._calls.pop()

        return entered

    def _hear(self, module: Any) -> tuple[Any, str, bool]:
        """Says where a call is; a stranger is noted, unless another one called it."""
        _, above, strange = self._calls[-1] if self._calls else (None, "", False)
        known = self._search.reached.get(id(module))
        if known is not None and known[1] is module:
            return module, known[0], False
        if id(module) in self._search.known or not has_drawers(module):
            return module, above, strange
        if not strange and matters(module):
            self._note(module, above)
        return module, above, True

    def _note(self, module: Any, caller: str) -> None:
        label = describe_module(module)
        if (caller, label) in self.strangers:
            return
        if len(self.strangers) >= _MOST:
            self.left_out += 1
            return
        reference = attempt(weakref.ref, module).value or (lambda: module)
        kind = visible(class_name(module), 60)
        numbers = self._search.numbers_in(module)
        self.strangers[caller, label] = _Stranger(caller, label, kind, numbers, reference)


def matters(module: Any) -> bool:
    """Whether it makes a difference that a Module is in no drawer: it has a state, or its `forward` asks for its mode."""
    for _, below in tree_of(module):
        if any(drawer(below, slot).entries for slot in ("_parameters", "_buffers")):
            return True
        if mentioned(class_attribute(below, "forward"), ("training",)):
            return True
    return False


def _ran(
    search: Search, inputs: tuple[Any, ...], given: dict[str, Any]
) -> tuple[list[Orphan], tuple[str, ...]]:
    """The orphans that one pass shows, and what it could not show."""
    listener, problem = _Listener(search), ""
    entrances = Entrances(listener.around)
    model: Any = search.model
    with Preserved(model, inputs, given) as kept, ExitStack() as stack:
        for block in (gradients(False), step_by_step(), deeper(len(search.known))):
            stack.enter_context(block)
        stack.callback(entrances.remove)
        for cls in _classes(search):
            entrances.place(cls)
        try:
            if class_attribute(model, "__call__") is not None:
                model(*inputs, **given)
            else:
                model.forward(*inputs, **given)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # `sys.exit()` in a forward must not end the kernel
            problem = visible(error_text(error).partition("\n")[0], 300)
    notes = (
        [f"the call raised {problem}: what would run after that is not known"] if problem else []
    )
    notes += [f"{listener.left_out:,} more calls of unknown Modules"] if listener.left_out else []
    return [_orphan(s) for s in listener.strangers.values()], (*notes, *kept.problems)


def _classes(search: Search) -> Iterator[type]:
    """The classes whose instances may be called: those of the Modules that are known, and the base class of each library."""
    for engine in engines():
        yield engine.module.nn.Module
    for _, module in search.reached.values():
        yield type(module)


def _orphan(stranger: _Stranger) -> Orphan:
    thing = stranger.find()
    caller = f"`{visible(stranger.caller, 80)}`" if stranger.caller else "the model"
    holder = f"no attribute: {caller} calls it"
    created = _NEW if stranger.numbers else _ALWAYS
    advice = created if thing is None else _OUTER
    path = f"{stranger.caller}.forward" if stranger.caller else "forward"
    return Orphan(
        path, "module", stranger.label, stranger.kind, holder, stranger.numbers, advice, thing
    )


def _refuse_lazy(search: Search) -> None:
    for path, module in search.reached.values():
        for key, tensor in drawer(module, "_parameters").entries:
            if "Uninitialized" in class_name(tensor):
                place = visible(f"{path}.{key_text(key)}", 80)
                raise ValueError(
                    f"find_orphans() can't call a lazy model, because the call would create `{place}`: call the model once "
                    "yourself, or leave out the inputs"
                )


def _cells(orphan: Orphan) -> tuple[str, str, str, str]:
    numbers = f"{orphan.numbers:,}" if orphan.numbers else "-"
    return visible(orphan.path, 120), visible(orphan.label, 120), numbers, orphan.holder


def _listed(words: tuple[str, ...]) -> str:
    *others, last = words
    return " and ".join(filter(None, (", ".join(others), last)))
