"""Hearing what each Module is given and gives: its `forward` is shadowed while a pass runs."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from nbmodule_widgets.comparing.reading import (
    Look,
    copied,
    detached,
    look,
    versions_in,
)
from nbmodule_widgets.comparing.walking import Place
from nbmodule_widgets.facts.nests import is_tensor, tensors_in
from nbmodule_widgets.facts.tensor_state import nbytes_of
from nbmodule_widgets.protocol import attempt, own_dict
from nbmodule_widgets.shadowing import Shadows, forward_of

CALLS = 8  # of one Module in a pass that are compared; an LSTM cell in a loop is called a thousand times
MEMORY = 256_000_000  # bytes of inputs that are copied; the others are held on to as they are

Around = Callable[[Place, Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]


@dataclass(slots=True)
class Call:
    """One call of one Module.

    Attributes:
        given: What it was given.
        gave: What it gave; None if it raised.
        inputs: `(args, kwargs)`, if they were to be kept: copied before the call, or the same memory.
        versions: Of the tensors in `inputs` that are no copies: how often each was written to.
        caller: Number of the Module in whose `forward` it was called, -1 for the model itself.
    """

    given: tuple[Look, ...]
    caller: int
    gave: tuple[Look, ...] | None = None
    inputs: tuple[tuple[Any, ...], dict[str, Any]] | None = None
    versions: list[int | None] | None = None

    @property
    def can_be_made_again(self) -> bool:
        """Whether it came to its end, and its inputs are known and as they were."""
        if self.inputs is None or self.gave is None:
            return False
        return self.versions is None or (
            None not in self.versions and self.versions == versions_in(self.inputs)
        )


@dataclass(slots=True)
class Heard:
    """What was heard in one pass.

    Attributes:
        calls: The first calls of each Module, by its number.
        counts: How often each ran.
        output: What the model gave.
        problem: What the pass raised, or the empty string.
        order: What happened in time: `(Module, which of its calls, whether it began)`.
        running: The Modules that are running now, outermost first.
        memory: Bytes of inputs that were copied.
        met: The tensor that was met last, how often it had been written to, and what it was like.
    """

    calls: dict[int, list[Call]] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)
    output: Any = None
    problem: str = ""
    order: list[tuple[int, int, bool]] = field(default_factory=list)
    running: list[int] = field(default_factory=list)
    memory: int = 0
    met: tuple[Any, Any, Look | None] = (None, None, None)

    def look(self, nest: Any) -> tuple[Look, ...]:
        """As `reading.look`; one tensor that was met last, and was not written to since, is not read again.

        Args:
            nest: What a Module is given or gives. The output of one is mostly the input of the next.
        """
        is_packed = type(nest) is tuple and len(nest) == 1
        tensor = nest[0] if is_packed else nest
        version = attempt(getattr, tensor, "_version").value if is_tensor(tensor) else None
        if type(version) is not int:
            return look(nest)
        known, before, found = self.met
        if known is not tensor or before != version:
            found = next(iter(look(tensor)), None)
            self.met = tensor, version, found
        return () if found is None else (found._replace(name="[0]" if is_packed else ""),)

    def keep(self, call: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Keeps what a call is given."""
        size = sum(nbytes_of(tensor) for _, tensor in tensors_in((args, kwargs)))
        if self.memory + size <= MEMORY:
            self.memory += size
            call.inputs = copied(args), copied(kwargs)
        else:
            call.inputs = detached(args), detached(kwargs)
            call.versions = versions_in(call.inputs)

    def release(self, but: Container[int]) -> None:
        """Lets go of what only the answer needed: inputs, and the order of the calls.

        Args:
            but: Numbers of the Modules whose inputs are described later.
        """
        self.order.clear()
        self.met = (None, None, None)
        for index, calls in self.calls.items():
            for call in calls:
                call.inputs = None
                if index not in but:
                    call.given = ()


@contextmanager
def listening(
    places: list[Place], keep: Container[int] = (), around: Around | None = None
) -> Iterator[Heard]:
    """While the block runs, notes what these Modules are given and give.

    Args:
        places: The Modules.
        keep: Numbers of the Modules whose inputs are copied, so that their calls can be made again.
        around: Called instead of `forward`, with the Module, its `forward` and what that is given.
    """
    heard, shadows = Heard(), Shadows()
    try:
        for place in places:
            function = forward_of(place.module)
            if function is not None:
                noted = _noting(heard, place, function, place.index in keep, around)
                shadows.place(place.module, own_dict(place.module), noted)
        yield heard
    finally:
        shadows.remove()


def _noting(
    heard: Heard, place: Place, function: Callable[..., Any], keep: bool, around: Around | None
) -> Callable[..., Any]:
    forward = partial(function, place.module)

    def noted(module: Any, *args: Any, **kwargs: Any) -> Any:
        if module is not place.module:  # a copy that the pass has made of it
            return function(module, *args, **kwargs)
        number = heard.counts[place.index] = heard.counts.get(place.index, 0) + 1
        if number > CALLS:
            return forward(*args, **kwargs)
        nest = (args, kwargs) if kwargs else args
        call = Call(heard.look(nest), heard.running[-1] if heard.running else -1)
        heard.calls.setdefault(place.index, []).append(call)
        heard.order.append((place.index, number - 1, True))
        if keep:
            heard.keep(call, args, kwargs)
        heard.running.append(place.index)
        try:
            if around is None or number > 1:
                output = forward(*args, **kwargs)
            else:
                output = around(place, forward, args, kwargs)
        finally:
            heard.running.pop()
        call.gave = heard.look(output)
        heard.order.append((place.index, number - 1, False))
        return output

    return noted
