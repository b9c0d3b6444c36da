"""Hearing in one pass what each Module is given and gives, and how much is computed while it runs."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import get_ident
from typing import Any

from nbmodule_widgets.engines import engine_of, engines
from nbmodule_widgets.facts.nests import tensors_in
from nbmodule_widgets.facts.tensors import TensorReader
from nbmodule_widgets.protocol import attempt, own_dict
from nbmodule_widgets.shadowing import Shadows, forward_of
from nbmodule_widgets.summarizing.records import CALLS, CallFacts, Shape
from nbmodule_widgets.tracing.subjects import Subject


class Listener:
    """What was heard.

    Args:
        subjects: The Modules of the tree.

    Attributes:
        counts: How often each was called.
        calls: The first calls of each.
        own: Multiply-adds of the operations in each, those in Modules that it called left out.
        output_bytes: Bytes of what the calls of each returned.
        unheard: The Modules in front of which nothing can be put.
        not_counted: How often operations ran that cannot be counted.
        total: Multiply-adds so far.
        new_bytes: Bytes of all outputs, each memory once.
        failed: The first Module that raised; -1 if none did.
        elsewhere: Calls on other threads.
    """

    def __init__(self, subjects: list[Subject]) -> None:
        self.subjects = subjects
        self.index = {id(s.module): number for number, s in enumerate(subjects)}
        self.counts = [0] * len(subjects)
        self.calls: list[list[CallFacts]] = [[] for _ in subjects]
        self.own = [0] * len(subjects)
        self.output_bytes = [0] * len(subjects)
        self.unheard: set[int] = set()
        self.not_counted: Counter[str] = Counter()
        self.total = self.new_bytes = self.elsewhere = 0
        self.failed = -1
        self._thread = get_ident()
        self._stack = [0]
        self._reader = TensorReader()
        self._memories: set[Any] = set()

    @contextmanager
    def listening(self) -> Iterator[None]:
        """A block in which every call is heard, and every operation counted."""
        shadows, made = Shadows(), {}
        try:
            for number, subject in enumerate(self.subjects):
                function = attempt(forward_of, subject.module).value
                if function is None:
                    self.unheard.add(number)
                    continue
                heard = made.setdefault(id(function), (function, self._around(function)))[1]
                shadows.place(subject.module, own_dict(subject.module), heard)
            with ExitStack() as stack:
                for engine in engines():
                    stack.enter_context(engine.counting(self._count))
                yield
        finally:
            shadows.remove()

    def call(self, number: int, run: Callable[[], Any], nest: Any) -> Any:
        """Runs something as a call of a Module.

        Args:
            number: The Module.
            run: Calls it.
            nest: What it is given.
        """
        before, shapes = self.total, self.shapes(nest)
        self.counts[number] += 1
        self._stack.append(number)
        result, done = None, False
        try:
            result = run()
            done = True
        finally:
            self._stack.pop()
            if not done and self.failed < 0:
                self.failed = number
            outputs = self._handed_on(number, result) if done else None
            if len(self.calls[number]) < CALLS:
                self.calls[number].append(CallFacts(shapes, outputs, self.total - before))
        return result

    def shapes(self, nest: Any) -> tuple[Shape, ...]:
        """The tensors of a nest."""
        return tuple(self._shape(place, tensor) for place, tensor in tensors_in(nest))

    def known(self, nest: Any) -> int:
        """Notes memory that is there anyway, such as that of inputs; returns how many bytes its tensors have."""
        return sum(self._new(tensor) for _, tensor in tensors_in(nest))

    def _around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function that stands for a `forward`, for all Modules that have it."""

        def heard(module: Any, *args: Any, **kwargs: Any) -> Any:
            number = self.index.get(id(module), -1)
            if number < 0 or get_ident() != self._thread:  # a copy that the pass has made of it
                self.elsewhere += get_ident() != self._thread
                return function(module, *args, **kwargs)
            nest = args[0] if len(args) == 1 and not kwargs else {**dict(enumerate(args)), **kwargs}
            return self.call(number, lambda: function(module, *args, **kwargs), nest)

        return functools.update_wrapper(heard, function)

    def _count(self, name: str, multiply_adds: int | None) -> None:
        if multiply_adds is None:
            self.not_counted[name.removeprefix("aten::")] += 1
        elif multiply_adds:
            self.total += multiply_adds
            self.own[self._stack[-1]] += multiply_adds

    def _handed_on(self, number: int, result: Any) -> tuple[Shape, ...]:
        self.new_bytes += self.known(result)
        shapes = self.shapes(result)
        self.output_bytes[number] += sum(shape.nbytes for shape in shapes)
        return shapes

    def _shape(self, place: str, tensor: Any) -> Shape:
        told = self._reader.entry("", "buffer", tensor, True)
        return Shape(place, told.shape or (), told.dtype, told.nbytes)

    def _new(self, tensor: Any) -> int:
        """The bytes of a tensor, 0 if its memory was met before."""
        engine = engine_of(tensor)
        memory = attempt(engine.memory, tensor).value if engine is not None else None
        if memory is not None:
            if memory in self._memories:
                return 0
            self._memories.add(memory)
        return self._shape("", tensor).nbytes
