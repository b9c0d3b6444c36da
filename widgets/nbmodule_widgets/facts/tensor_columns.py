"""Ordinary tensors as they were, in columns: what is asked of ten thousand is asked of all of them in a few calls.

Ordinary are leaves of a library's own classes with few numbers, no hooks, and nothing of a reader's that matters here. What
others need stands in `tensor_state`, and so does what is done with those that a pass has changed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from itertools import compress, repeat
from operator import attrgetter, eq, is_, is_not, ne, not_
from typing import Any

import numpy as np

from nbmodule_widgets.engines import engines
from nbmodule_widgets.facts.container_state import PLAIN
from nbmodule_widgets.facts.dictionaries import Dictionaries
from nbmodule_widgets.facts.tensor_rows import MOST, Rows, are_freed
from nbmodule_widgets.facts.tensor_state import SHORT, TorchTensor, belongs_to_it
from nbmodule_widgets.protocol import attempt, of_a_library, read

Named = tuple[str, Any]
Say = Callable[[str, str], None]
_OWN, _GRAD, _LEAF = map(attrgetter, ("__dict__", "grad", "is_leaf"))
_WANTS, _VERSION, _DTYPE, _DATA = map(attrgetter, ("requires_grad", "_version", "dtype", "data"))
_HOOKS, _LATER_HOOKS = map(attrgetter, ("_backward_hooks", "_post_accumulate_grad_hooks"))


class Columns:
    """What the columns of both libraries have in common.

    Args:
        clear: Whether `.grad` is None from now on.

    Attributes:
        named: The tensors, with what to call them.
    """

    library = ""

    def __init__(self, clear: bool) -> None:
        self.named: list[Named] = []
        self._clear = clear
        self._tensors: list[Any] = []
        self._grads: list[Any] = []
        engine = next((e for e in engines() if e.library == self.library), None)
        self._engine: Any = engine
        self._kinds = frozenset(map(id, engine.plain)) if engine is not None else frozenset()

    def take(self, named: list[Named]) -> list[Named]:
        """Remembers those that are ordinary; returns the others."""
        mine = [id(type(tensor)) in self._kinds for _, tensor in named]
        if not any(mine):
            return named
        said = attempt(self._which, [tensor for _, tensor in compress(named, mine)])
        if said.problem:  # asked for all, one of them raises
            return named
        fine = iter(said.value)
        taken = [each and next(fine) for each in mine]
        self.named = list(compress(named, taken))
        self._tensors = [tensor for _, tensor in self.named]
        said = attempt(self._read)
        if said.problem:
            self.named, self._tensors, self._grads = [], [], []
            return named
        self.set_aside()
        return list(compress(named, map(not_, taken)))

    def gradients(self) -> list[Named]:
        """The gradients that stay in their places."""
        there = zip(self.named, self._grads, strict=True) if not self._clear else ()
        return [(f"gradient of the {name}", g) for (name, _), g in there if g is not None]

    def set_aside(self) -> None:
        """Sets the gradients aside, if they are to be."""
        if self._clear:
            for tensor in compress(self._tensors, map(is_not, self._grads, repeat(None))):
                attempt(setattr, tensor, "grad", None)

    def put_back(self, say: Say) -> None:
        """Makes the tensors what they were.

        Args:
            say: Is told what could not be put back, and of what.
        """
        raise NotImplementedError

    def _which(self, tensors: list[Any]) -> Iterable[bool]:
        """For each whether it is ordinary."""
        raise NotImplementedError

    def _read(self) -> None:
        """Remembers the tensors."""
        raise NotImplementedError


class TorchColumns(Columns):
    """PyTorch's tensors.

    Args:
        clear: As above.
        rows: Takes the bits.
    """

    library = "torch"

    def __init__(self, clear: bool, rows: Rows) -> None:
        super().__init__(clear)
        self._rows = rows

    def _which(self, tensors: list[Any]) -> Iterable[bool]:
        base, strided = self._engine.module.Tensor, self._engine.module.strided
        kinds = list(map(attrgetter("is_cpu", "is_leaf", "layout", "dtype"), tensors))
        known = {
            kind: kind[0] and kind[1] and kind[2] is strided and self._rows.can_hold(kind[3])
            for kind in set(kinds)
        }
        ordinary = [known[kind] for kind in kinds]
        if not all(ordinary):  # the others may not answer what comes next
            tensors = list(compress(tensors, ordinary))
        answers = iter(
            zip(
                map(MOST.__ge__, map(base.numel, tensors)),
                map(not_, map(base.is_neg, tensors)),
                map(not_, map(base.is_inference, tensors)),
                map(is_, map(_HOOKS, tensors), repeat(None)),
                map(is_, map(_LATER_HOOKS, tensors), repeat(None)),
                map(not_, map(_OWN, tensors)),
                map(not_, are_freed(tensors)),
                strict=True,
            )
        )
        return [each and all(next(answers)) for each in ordinary]

    def _read(self) -> None:
        tensors = self._tensors
        self._grads = list(map(_GRAD, tensors))
        self._types = list(map(type, tensors))
        # The same memory; it stays that of the tensor if `.data` is replaced.
        self._aliases = list(map(_DATA, tensors))
        self._numbers = list(map(self._rows.add, self._aliases))
        self._versions = list(map(_VERSION, tensors))
        self._wants = list(map(_WANTS, tensors))
        self._dtypes = list(map(_DTYPE, tensors))

    def put_back(self, say: Say) -> None:
        """Makes the tensors what they were; most have another gradient at the most."""
        said = attempt(self._same)
        same = said.value or [False] * len(self._tensors)
        fine = list(compress(self._tensors, same))
        grads = list(compress(self._grads, same))
        for tensor, grad, now in zip(fine, grads, map(_GRAD, fine), strict=True):
            if grad is not now:
                say(attempt(setattr, tensor, "grad", grad).problem, "a gradient")
        for number in compress(range(len(same)), map(not_, same)):
            found = attempt(self._alone(number).put_back)
            say(found.problem or found.value or "", self.named[number][0])

    def _same(self) -> list[bool]:
        """For each whether it is as it was, apart from its gradient."""
        tensors = self._tensors
        if not all(map(is_, map(type, tensors), self._types)):
            raise TypeError("not all are of their classes, so they cannot be asked together")
        answers = zip(
            map(_LEAF, tensors),
            map(is_, map(_WANTS, tensors), self._wants),
            map(eq, map(_VERSION, tensors), self._versions),
            map(is_, map(_DTYPE, tensors), self._dtypes),
            map(self._engine.module.Tensor.is_set_to, tensors, self._aliases),
            map(is_, map(_HOOKS, tensors), repeat(None)),
            map(is_, map(_LATER_HOOKS, tensors), repeat(None)),
            map(not_, map(_OWN, tensors)),
            self._rows.same(self._numbers),
            strict=True,
        )
        return list(map(all, answers))

    def _alone(self, number: int) -> TorchTensor:
        return TorchTensor.ordinary(
            self._tensors[number], self._types[number], self._aliases[number], self._versions[number],
            self._wants[number], self._grads[number], self._rows, self._numbers[number],
        )  # fmt: skip


class OurColumns(Columns):
    """nbmodule's tensors: their `__dict__`, the array in it, and what they share with their views."""

    library = "nbmodule"

    def __init__(self, clear: bool) -> None:
        super().__init__(clear)
        # Of the classes of what lies in a tensor whether it is a part of it, by their identity.
        self._known: dict[int, tuple[type, bool]] = dict(_PLAIN)

    def _which(self, tensors: list[Any]) -> Iterable[bool]:
        return [self._is_ordinary(tensor) for tensor in tensors]

    def _is_ordinary(self, tensor: Any) -> bool:
        own = tensor.__dict__
        if type(own) is not dict or not tensor.is_leaf:
            return False
        node = own.get(self._engine.accumulator_slot)
        if node is not None and read(node, "notes").value is not None:  # there are hooks
            return False
        for value in own.values():
            kind = type(value)
            if kind is np.ndarray:
                if value.dtype.kind not in "biufc" or value.nbytes > SHORT:
                    return False
            elif id(kind) not in self._known:
                if not of_a_library(kind):
                    return False
                # Held, so that its identity stays its own.
                self._known[id(kind)] = kind, belongs_to_it(value)
        return True

    def _read(self) -> None:
        owns = list(map(_OWN, self._tensors))
        self._grads = list(map(_GRAD, self._tensors))
        self._contents = Dictionaries()
        self._contents.keep_all(owns)
        self._types = list(map(type, self._tensors))
        nodes = [own.get(self._engine.accumulator_slot) for own in owns]
        self._nodes = [node for node in nodes if node is not None]
        self._arrays: list[np.ndarray] = []
        self._places: list[int] = []
        holders: list[dict[str, Any]] = []
        parts = {kind for kind, (_, part) in self._known.items() if part}
        for place, own in enumerate(owns):
            for value in own.values():
                if type(value) is np.ndarray:
                    self._arrays.append(value)
                    self._places.append(place)
                elif id(type(value)) in parts:
                    holders.append(value.__dict__)
        if not all(map(is_, map(type, holders), repeat(dict))):
            raise TypeError("there is a dictionary of another class")
        self._contents.keep_all(holders)
        self._bits = list(map(np.ndarray.tobytes, self._arrays))

    def put_back(self, say: Say) -> None:
        """Makes the tensors what they were."""
        for tensor, kind in zip(self._tensors, self._types, strict=True):
            if type(tensor) is not kind:
                tensor.__class__ = kind
        self._contents.put_back()
        for node in self._nodes:
            if node.notes is not None:
                node.notes = None
        now = map(np.ndarray.tobytes, self._arrays)
        for number in compress(range(len(self._bits)), map(ne, self._bits, now)):
            array, bits = self._arrays[number], self._bits[number]
            before = np.frombuffer(bits, array.dtype).reshape(array.shape)
            problem = attempt(np.copyto, array, before).problem
            say(problem, self.named[self._places[number]][0])


_PLAIN = {id(kind): (kind, False) for kind in PLAIN}


def columns_of(clear: bool, rows: Rows) -> list[Columns]:
    """Empty columns, for each library that is loaded."""
    made: list[Columns] = [OurColumns(clear)]
    return [*made, TorchColumns(clear, rows)] if "torch" in sys.modules else made
