"""Classes of the reader's own: layers such as `MyLinear`, which stand on the reader's Module, and those of the tape.

    @mine.extend
    class MyLinear(Module):
        def __init__(self, in_features, out_features): ...

Such a class stays one object for the whole session and grows, as Module does. `mine.MyLinear` is the same class,
completed: its objects also have what nbmodule lends to Module. A class of the tape, such as `Tensor`, stands on
nothing, and is completed by nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..wording import UsageError
from .cells import owner_of
from .completed import Growing
from .kept_file import TAPE
from .solutions import beside_module

FINISHED = ("nbmodule", "torch")
"""Where classes live that have done the work already."""


class Classes:
    """The reader's Module and their other classes; each is one object for the whole session, and grows.

    Args:
        Module: the class without a parent.
        others: those that stand on it or beside it, by name; it grows.
        chapter: the number of the chapter; '' outside of one.
        methods: the names of what these classes have from the reader's files.
        is_module: tells of a class whether it is a reader's Module, perhaps of an earlier `carried()`.
    """

    def __init__(
        self,
        Module: type,
        others: dict[str, type],
        chapter: str,
        methods: Iterable[str],
        is_module: Callable[[type], bool],
    ) -> None:
        self.Module, self.others, self._chapter = Module, others, chapter
        self._is_module = is_module
        self._set = {name: vars(self.home(name)).get(_last(name)) for name in methods}

    def home(self, method: str) -> type:
        """Return the class that a method belongs to."""
        owner = owner_of(method)
        return self.others[owner] if owner else self.Module

    def alone(self, name: str) -> bool:
        """Tell whether this names a class that does not stand on Module."""
        known = self.others.get(name)
        return known is not None and not issubclass(known, self.Module)

    def is_of_tape(self, name: str) -> bool:
        """Tell whether this names a class that belongs to the tape; a new one goes where its chapter's go."""
        beside = beside_module()
        file = beside.classes.get(name) or beside.chapters.get(self._chapter)
        return self.alone(name) and file == TAPE

    def begin(self, definition: type) -> type | None:
        """Return the class that a definition below `@mine.extend` adds to; None for methods of Module.

        Raises:
            UsageError: it stands on something else than it should.
        """
        name, beside = definition.__name__, beside_module()
        alone = self.alone(name)
        if name not in self.others:
            alone = name in beside.classes or self._chapter in beside.chapters
        if name != "Module" and (alone or definition.__bases__ != (object,)):
            found = home_of(definition, self.Module, self.others, self._is_module, alone)
            self.others[name] = found
            return found
        if name not in ("Module", self.Module.__name__):
            refuse_without_base(definition)
        return None

    def take_over(self, earlier: Classes) -> None:
        """Begin the classes that an earlier start of this notebook had; they have no methods yet."""
        for name, known in earlier.others.items():
            base = self.others.get(known.__bases__[0].__name__)
            base = base or (known.__bases__[0] if earlier.alone(name) else self.Module)
            self.others.setdefault(name, new_layer(name, base, known.__doc__))

    def grow(self, wanted: dict[str, Any]) -> None:
        """Give the classes their methods of now, and take away what is not wanted any more."""
        for name in self._set.keys() - wanted.keys():
            if _last(name) in vars(self.home(name)):
                delattr(self.home(name), _last(name))
        for name, value in wanted.items():
            there = vars(self.home(name))
            counts = isinstance(value, int) and self._set.get(name, self) is value
            if counts and _last(name) in there:  # a number that the reader's methods change
                continue
            if there.get(_last(name), self) is not value:
                setattr(self.home(name), _last(name), value)
        self._set = wanted


def _last(name: str) -> str:
    """Return "forward" of "MyLinear.forward"."""
    return name.rpartition(".")[2]


def home_of(
    definition: type,
    Module: type,
    layers: Mapping[str, type],
    is_module: Callable[[type], bool],
    of_tape: bool = False,
) -> type:
    """Return the class that takes the methods of `definition`: the one of that name, or else itself.

    Args:
        definition: what stands below `@mine.extend`.
        Module: the reader's class.
        layers: the reader's own layers by name.
        is_module: tells of a class whether it is a reader's Module, perhaps of an earlier `carried()`.
        of_tape: whether it may stand on nothing, or on a class of Python's.

    Raises:
        UsageError: it stands on something else than the reader's Module.
    """
    name, base = definition.__name__, definition.__bases__[0]
    known = layers.get(base.__name__)
    if is_module(base):
        base = Module
    elif known is not None and name != base.__name__:
        base = known
    elif not of_tape or base.__module__.partition(".")[0] in FINISHED:
        raise UsageError(_wrong_base(name, base, of_tape))
    if len(definition.__bases__) > 1 and not of_tape:
        raise UsageError(
            f"`{name}` has {len(definition.__bases__)} parents. It stands on your Module alone: "
            f"write `class {name}(Module):`."
        )
    found = layers.get(name)
    bases = (base, *definition.__bases__[1:])
    if found is not None and found.__bases__ == bases:
        return found
    return definition if definition.__bases__ == bases else new_layer(name, base, definition.__doc__)  # fmt: skip


def _wrong_base(name: str, base: type, of_tape: bool) -> str:
    if of_tape:
        place = (
            "nn" if base.__module__.startswith("nbmodule.nn") else base.__module__.partition(".")[0]
        )
        return f"`{name}` inherits from `{place}.{base.__name__}`, the finished one. Yours has no parent: write `class {name}:`."  # fmt: skip
    right = f"write `class {name}(Module):`."
    if base.__dict__.get("_readers_own") is not None:
        return f"`{name}` stands on `mine.{base.__name__}`, which also has what later chapters write. Here, {right}"
    if base.__module__.partition(".")[0] in FINISHED:
        place = "mine" if isinstance(base, Growing) else "nn"
        return f"`{name}` inherits from `{place}.{base.__name__}`, the finished one. It stands on your own Module: {right}"  # fmt: skip
    return f"`{name}` inherits from `{base.__qualname__}`. It stands on your own Module: {right}"


def refuse_without_base(definition: type) -> None:
    """Raise for a class that has another name than Module and stands on nothing.

    Raises:
        UsageError: it does; the message says both things that it may have been meant for.
    """
    name = definition.__name__
    raise UsageError(
        f"`class {name}:` has no parent. Write `class {name}(Module):` for a layer that stands on your Module, "
        "or `class Module:` to give your Module more methods."
    )


def new_layer(name: str, base: type, doc: str | None) -> type:
    """Return an empty class that stands on `base`."""
    return type(name, (base,), {"__module__": "__main__", "__doc__": doc})


def completed_layer(layer: type, Module: type) -> type:
    """Return a layer with what nbmodule lends to Module.

    Args:
        layer: the reader's class.
        Module: the reader's Module, completed.
    """
    named: dict[str, Any] = {
        "__module__": layer.__module__,
        "__doc__": layer.__doc__,
        "_readers_own": layer,
    }
    return Growing(layer.__name__, (layer, Module), named)
