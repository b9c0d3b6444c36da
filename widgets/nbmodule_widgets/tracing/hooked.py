"""The user's hooks: the values of their dictionaries are wrapped during the pass, keys and order stay.

So a hook that removes itself, or one that is added meanwhile, works as ever; nothing of ours is in the
dictionaries that a library looks at before it chooses a faster way.
"""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from nbmodule_widgets.engines import engines
from nbmodule_widgets.facts.hooks import hook_name, is_readers
from nbmodule_widgets.protocol import attempt, error_text
from nbmodule_widgets.tracing.tape import (
    BACKWARD_HOOK,
    BACKWARD_PRE,
    HOOK,
    NOTHING,
    PARAMETER,
    PRE_HOOK,
    Group,
    Ran,
)
from nbmodule_widgets.tracing.writes import holdings, written

if TYPE_CHECKING:
    from nbmodule_widgets.tracing.tracer import Tracer

# Slot of a Module, its kind in words, its kind on the tape.
SLOTS = (
    ("_forward_pre_hooks", "forward pre", PRE_HOOK),
    ("_forward_hooks", "forward", HOOK),
    ("_backward_pre_hooks", "backward pre", BACKWARD_PRE),
    ("_backward_hooks", "backward", BACKWARD_HOOK),
)
GRADIENT, ACCUMULATED = (
    "gradient",
    "after accumulating the gradient",
)  # kinds of hooks on a parameter


class Cell:
    """Which call a backward hook belongs to: empty until the forward of that call begins."""

    __slots__ = ("call",)

    def __init__(self) -> None:
        self.call = -1


def dict_class_of(hooks: Any) -> Any:
    """The class whose methods read a hook dictionary, whatever a subclass makes of them; None if it is none."""
    kind = type(hooks)
    return (
        OrderedDict if issubclass(kind, OrderedDict) else dict if issubclass(kind, dict) else None
    )


class Wrapped:
    """One dictionary of hooks whose values are wrapped.

    Args:
        tracer: Is told what the hooks do.
        hooks: The dictionary.
        owner: Index of the Module that they belong to; -1 for those of all Modules.
        kind: Kind in words.
        code: Kind on the tape.
        parameter: Name of the parameter that they hang on; empty for those of a Module.
    """

    def __init__(
        self, tracer: Tracer, hooks: Any, owner: int, kind: str, code: int, parameter: str = ""
    ) -> None:
        self.tracer, self.hooks, self.owner, self.kind, self.code = tracer, hooks, owner, kind, code
        self.parameter = parameter
        self._base: Any = dict_class_of(hooks)
        self._ours: dict[int, Any] = {}  # identity of a wrapper -> what it wraps
        # By key and identity, since a function may be registered twice.
        self._numbers: dict[tuple[Any, int], int] = {}
        self._held: list[Any] = []
        self.cell = Cell()
        self.wrap()

    def keys(self) -> list[Any]:
        """The keys, in the order in which the hooks fire."""
        return list(self._base.keys(self.hooks))

    def names(self) -> list[tuple[str, int]]:
        """For each hook its name and its number."""
        found = []
        for key in self.keys():
            hook = self._original(self._base.__getitem__(self.hooks, key))
            found.append((hook_name(hook), self._number(key, hook)))
        return found

    def wrap(self) -> None:
        """Wraps what is not wrapped yet; backward hooks again for each call."""
        again = self.code in (BACKWARD_PRE, BACKWARD_HOOK)
        self.cell = Cell() if again else self.cell
        for key, value in list(self._base.items(self.hooks)):
            ours = id(value) in self._ours
            if ours and not again:
                continue
            hook = self._original(value)
            wrapper = self._wrapper(key, hook)
            self._ours[id(wrapper)] = hook
            self._held.append(wrapper)
            self._base.__setitem__(self.hooks, key, wrapper)

    def not_wrapped(self) -> list[Any]:
        """The hooks that were added and have not been met since."""
        return [v for v in self._base.values(self.hooks) if id(v) not in self._ours]

    def unwrap(self) -> None:
        """Puts the hooks themselves back, in the places where a wrapper still stands."""
        for key, value in list(self._base.items(self.hooks)):
            if id(value) in self._ours:
                self._base.__setitem__(self.hooks, key, self._ours[id(value)])

    def holds(self, firing: Firing) -> bool:
        """Whether the hook that fires stands in this dictionary."""
        return firing.home is self

    def _original(self, value: Any) -> Any:
        return self._ours.get(id(value), value)

    def _number(self, key: Any, hook: Any) -> int:
        place = key, id(hook)
        if place not in self._numbers:
            self._held.append(hook)
            number = self._numbers[place] = self.tracer.new_hook(
                self.owner, self.kind, hook_name(hook), self.parameter
            )
            if is_readers(hook):
                self.tracer.readers.add(number)
        return self._numbers[place]

    def _wrapper(self, key: Any, hook: Any) -> Callable[..., Any]:
        number, cell = self._number(key, hook), self.cell
        tracer: Any = self.tracer
        run = {
            PRE_HOOK: tracer.run_pre_hook,
            HOOK: tracer.run_hook,
            BACKWARD_PRE: tracer.run_backward,
            BACKWARD_HOOK: tracer.run_backward,
            PARAMETER: tracer.run_parameter_hook,
        }[self.code]

        def wrapper(*given: Any, **named: Any) -> Any:
            if tracer.over:
                return hook(*given, **named)
            return run(Firing(self, hook, number, key, cell), given, named)

        attempt(functools.update_wrapper, wrapper, hook)
        return wrapper


class Firing:
    """A hook that fires: what to call, and how to write it down."""

    __slots__ = (
        "cell",
        "code",
        "home",
        "hook",
        "key",
        "number",
        "owner",
        "problem",
        "result",
        "took",
        "wrote",
    )

    def __init__(self, home: Wrapped, hook: Any, number: int, key: Any, cell: Cell) -> None:
        self.home, self.hook, self.number, self.key, self.cell = home, hook, number, key, cell
        self.code, self.owner = home.code, home.owner
        self.result: Any = None
        self.took, self.problem, self.wrote = 0, "", ""

    def run(self, given: tuple, named: dict[str, Any]) -> BaseException | None:
        """Calls the hook; returns what it raised."""
        module = given[0] if self.code != PARAMETER and given else None
        before = holdings(module)
        began = perf_counter_ns()
        try:
            self.result = self.hook(*given, **named)
        except BaseException as error:
            self.took, self.problem = perf_counter_ns() - began, error_text(error)
            return error
        self.took = perf_counter_ns() - began
        self.wrote = written(before, holdings(module))
        return None

    def ran(
        self, before: Group, given: Any, inputs: tuple[Group, Group] = (NOTHING, NOTHING)
    ) -> Ran:
        """What is written down about it.

        Args:
            before: What was seen before.
            given: The object that its result would replace.
            inputs: For a forward hook: the inputs before and after.
        """
        result = self.result
        alone = type(given) is tuple and len(given) == 1 and result is given[0]
        alone = alone or (
            type(given) is tuple and type(result) is tuple and len(given) == len(result)
            and all(a is b for a, b in zip(given, result, strict=True))
        )  # fmt: skip
        replaced = result is not None and result is not given and not alone
        return Ran(
            self.number, before, result is not None, self.took, replaced, self.problem, inputs, self.wrote
        )  # fmt: skip


def global_hooks() -> list[tuple[Any, str, int]]:
    """The dictionaries with hooks of all Modules that are not empty: dictionary, kind, kind on the tape."""
    found = []
    for engine in engines():
        for slot, kind, code in SLOTS:
            hooks = engine.hooks_of_all(slot)
            if dict_class_of(hooks) is not None and len(hooks):
                found.append((hooks, f"global {kind}", code))
    return found
