"""`mine = carried()`: the reader's class so far, our layers on it, and `mine.extend` to let it grow."""

from __future__ import annotations

import operator
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import nbmodule.nn as nn

from ..capture import SNIPPET
from ..wording import UsageError
from . import here, kept_file
from .again import SecondCopy
from .cells import owner_of
from .completed import Completion
from .given import Given, body_of, text_of
from .layers import Classes, completed_layer
from .loading import Origin, Start, renew_functions, start_of
from .on_tape import OnTape
from .solutions import beside_module, run_solution
from .view import GrowingClass, growing_class

Extension = TypeVar("Extension", bound=type | Callable[..., Any])
_carried: weakref.WeakKeyDictionary[type, Carried] = weakref.WeakKeyDictionary()
carried_layers: weakref.WeakKeyDictionary[type, Carried] = weakref.WeakKeyDictionary()
_latest: list[Carried] = []
_home: list[int] = []  # the names of the notebook that has it


class Carried:
    """The reader's class, and all of our layers on it: `mine.Linear`, `mine.Conv2d`, `mine.Sequential` and so on.

    Attributes:
        Module: the reader's class, completed by ours: our methods stand in for those that it does not have yet.
        so_far: the reader's class itself, with what the chapters before this one and its cells have given.
        functional: functions without a Module, as in `nn.functional`.
        init: how parameters get their first values.
        utils: pruning, parametrizations and so on, for the objects of these classes.
        Parameter: what an optimizer changes.
        Buffer: a tensor that belongs to the state.
        file: where `my_module.py` is.
        tape: where `my_tape.py` is.
        chapter: the number of the chapter; '' outside of one.
        tape_problem: why `my_tape.py` can't be used; '' if it can.
        classes: the reader's class and layers themselves.
    """

    Module: type
    so_far: type

    def __init__(self, start: Start, chapter: str, file: Path) -> None:
        self.so_far, self.chapter, self.file = start.own, chapter, file
        self.tape, self.tape_problem = kept_file.tape_beside(file), start.tape_problem
        self._start = start
        self.classes = Classes(
            start.own, dict(start.layers), chapter, start.methods, _carried.__contains__
        )
        self._completed: dict[type, type] = {}
        self._cells: dict[str, Given] = {}
        self._last_cell = ""
        self._completion: Completion | None = None
        self._on_tape: tuple[list[Any], OnTape] | None = None
        self._grow()
        self._layers = SecondCopy(self._complete)
        self.functional, self.init, self.utils = nn.functional, nn.init, self._layers.utils
        self.Parameter, self.Buffer = nn.Parameter, nn.Buffer

    def __getattr__(self, name: str) -> Any:
        """Return a layer, the reader's own before ours, or a function of an exercise."""
        if not name.startswith("_"):
            if name in self.functions:
                return self.functions[name].value
            if name in self.own_layers:
                return self._completed_layer(self.own_layers[name])
            try:
                return getattr(self._layers, name)
            except AttributeError:
                pass
        raise AttributeError(f"no layer and no function of yours is called '{name}'")

    def __dir__(self) -> list[str]:
        own = (*self.functions, *self.own_layers)
        return sorted({*vars(self), *vars(type(self)), *dir(self._layers), *own})

    def extend(self, definition: Extension) -> Extension:
        """Put the methods of a class, or a function, into the reader's class: `@mine.extend` above its definition.

        Returns:
            For `class Module` the one class `Module`, which stays the same object; for a class that stands on it,
            such as `class MyLinear(Module)`, the one class of that name; for a function the function. Where the exercise is untouched, what was not written yet is filled by our solution.

        Raises:
            UsageError: it is none of these, or the class inherits from another one.
        """
        frame = sys._getframe(1)
        source = here.cell_source(frame)
        cell = here.exercise_cell(source, self.chapter, self._last_cell) if source else None
        self._last_cell = cell.id if cell else self._last_cell
        key = here.running_cell_id() or (cell.id if cell else frame.f_code.co_filename)
        known = self._cells.get(key)
        if known is None or known.names.get("__source__") != source:
            known = Given(cell.exercise_id if cell else "", text=text_of(source))
        layer = self.classes.begin(definition) if isinstance(definition, type) else None
        if isinstance(definition, type) and layer is None:
            _refuse_parents(definition)
        known.take(definition, layer or self.so_far, layer.__name__ if layer else "", self.ours)
        known.names = {**frame.f_globals, "__source__": source}
        self._cells.pop(key, None)
        self._cells[key] = known
        self._grow()
        if layer is not None:
            layer.__doc__ = definition.__doc__ or layer.__doc__
            return layer  # type: ignore[return-value]
        if isinstance(definition, type):
            self.so_far.__doc__ = definition.__doc__ or self.so_far.__doc__
            return self.so_far  # type: ignore[return-value]
        return known.functions[definition.__name__].value

    def on_my_tape(self) -> OnTape:
        """Return the reader's Module and layers as they are now, on the reader's own Tensor and tape.

        Raises:
            UsageError: there is no Tensor of the reader's.
        """
        now = [o.value for o in (*self.methods.values(), *self.functions.values())]
        known, made = self._on_tape or ([], None)
        if made is None or len(known) != len(now) or not all(map(operator.is_, known, now)):
            made = OnTape(self)
            self._on_tape = (now, made)
            for notice in made.notices:
                print(notice)
        return made

    def completed_again(self, own: type) -> Completion:
        """Return another class than the reader's, completed by ours in the same way."""
        known = self._completion
        if known is None:
            raise RuntimeError("nothing is completed yet")
        return Completion(own, known.ours, known.file)

    @property
    def own_layers(self) -> dict[str, type]:
        """Return the reader's own layers by name: those that have a method now."""
        begun = {owner_of(name) for name in self.methods}
        return {name: layer for name, layer in self.classes.others.items() if name in begun}

    @property
    def methods(self) -> dict[str, Origin]:
        """Return the methods of the reader's class and layers now, with whose they are."""
        return self._overlaid(self._start.methods, "methods")

    @property
    def functions(self) -> dict[str, Origin]:
        """Return the functions of the exercises now, with whose they are."""
        return self._overlaid(self._start.functions, "functions")

    @property
    def lent(self) -> list[str]:
        """Return the names of nbmodule's methods that stand in for those that the class does not have yet."""
        return self._completion.lent if self._completion else []

    @property
    def cells(self) -> list[Given]:
        """Return what the cells of this session have given, the last one last."""
        return list(self._cells.values())

    @property
    def view(self) -> GrowingClass:
        """Return the class as it stands: each method, whose it is, and its source."""
        tape = list(filter(self.classes.is_of_tape, self.classes.others))
        file_of = beside_module().file_of_functions
        tape += [n for n, o in self.functions.items() if file_of(o.exercise_id) == kept_file.TAPE]
        return growing_class(self.methods, self.functions, self.lent, tape)

    def ours(self, exercise_id: str) -> dict[str, Any]:
        """Return what our solution of an exercise gives, beside the reader's classes and functions of now."""
        functions = {name: origin.value for name, origin in self.functions.items()}
        return run_solution(exercise_id, self.so_far, functions, dict(self.classes.others))

    def take_over(self, earlier: Carried) -> None:
        """Take what the cells of this notebook have given already: its first cell was run again."""
        self.classes.take_over(earlier.classes)
        for key, given in earlier._cells.items():
            self._cells[key] = given
            given.renew(self.ours, self.classes.home)
        self._last_cell = earlier._last_cell
        self._grow()

    def __repr__(self) -> str:
        return self.view.to_text()

    def _repr_html_(self) -> str:
        return self.view.to_html()

    def layer(self, place: str, name: str) -> type:
        """Return the class that stands for one of nbmodule's: for pickle."""
        found = self._layers.part(place)
        for part in name.split("."):
            found = getattr(found, part, None)
        if isinstance(found, type):
            return found
        raise UsageError(f"There is no layer {place}.{name} on your class.")

    def _overlaid(self, start: dict[str, Origin], kind: str) -> dict[str, Origin]:
        """Return what there is now: the last cell counts, but what it doesn't define itself hides no answer of the reader's."""
        found, answers = dict(start), set()
        for given in self._cells.values():
            itself = set(given.text.names if given.text else ())
            for name, origin in getattr(given, kind).items():
                if name in itself or (name, given.exercise_id) not in answers:
                    found[name] = origin
                if origin.whose == "yours":
                    answers.add((name, given.exercise_id))
        return found

    def _completed_layer(self, layer: type) -> type:
        """Return the class of the reader's, completed by ours as `mine.Module` is; the same one each time."""
        if self.classes.alone(layer.__name__):
            return layer
        if layer not in self._completed:
            self._completed[layer] = completed_layer(layer, self.Module)
        return self._completed[layer]

    def _complete(self, ours: type, file: ModuleType) -> type:
        self._completion = Completion(self.so_far, ours, file)
        self.Module = self._completion.type
        return self.Module

    def _grow(self) -> None:
        """Give the class its methods of now, and take away what no cell gives any more."""
        wanted = {name: origin.value for name, origin in self.methods.items()}
        self.classes.grow(wanted)
        carried_layers.update(dict.fromkeys(self.classes.others.values(), self))
        renew_functions(wanted.values(), self.functions)
        if self._completion is not None:
            self._completion.update()


def carried(own: type | None = None, *, chapter: str = "") -> Carried:
    """Return your class so far, completed by ours, and all layers on it.

    Args:
        own: a class of yours instead of the one in `my_module.py`.
        chapter: the number of the chapter, such as "02", where the notebook does not say it.

    Raises:
        UsageError: `own` is not a class of its own, but one that inherits from a finished one.
    """
    frame = sys._getframe(1)
    number = here.chapter_of(frame, chapter)
    file = kept_file.place()
    start = start_of(number, file) if own is None else _start_with(own)
    for notice in start.notices:
        print(notice)
    made = Carried(start, number, file)
    if own is None and _latest and (_home[0], _latest[0].chapter) == (id(frame.f_globals), number):
        made.take_over(_latest[0])
    _carried[start.own] = made
    if frame.f_code.co_filename != SNIPPET:  # lines that a cell runs beside the notebook's own
        _latest[:], _home[:] = [made], [id(frame.f_globals)]
    return made


def current() -> Carried:
    """Return what `carried` returned last, or what it would return now."""
    return _latest[0] if _latest else carried()


def carried_by(item: Any) -> Carried | None:
    """Return what carries this class, or has taken this function; None for any other."""
    if isinstance(item, type):
        found = _carried.get(item) or carried_layers.get(item.__dict__.get("_readers_own", item))
        if found is None and _latest and item is _latest[0].Module:
            return _latest[0]
        return found
    if _latest and any(origin.value is item for origin in _latest[0].functions.values()):
        return _latest[0]
    return None


def _start_with(own: type) -> Start:
    if not isinstance(own, type):
        raise UsageError(
            f"`carried` takes a class; got an object of class {type(own).__name__}. Write carried(Module)."
        )
    _refuse_parents(own)
    return Start(own, methods={n: Origin(v, "yours") for n, v in body_of(own).items()})


def _refuse_parents(own: type) -> None:
    for base in own.__mro__[1:-1]:
        if base in _carried:
            continue
        raise UsageError(
            f"`{own.__name__}` inherits from `{base.__module__}.{base.__name__}`. Your Module has no parent: "
            f"write `class {own.__name__}:`, and write what you need yourself."
        )
