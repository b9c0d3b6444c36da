"""The ears of the Recorder: the hooks that optimizers call before and after each step.

PyTorch and nbmodule both offer hooks for the steps of all optimizers. They are the only way to see gradients at the
moment they are used and weights right before and after, without touching the model, its tensors or its graph.
The hooks hold the Recorder by a weak reference: one that is forgotten takes its hooks with it.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from typing import Any, Protocol

from nbmodule_widgets.protocol import attempt, class_attribute

_LIBRARIES = ("torch.optim.optimizer", "nbmodule.optim.optimizer")


class Listener(Protocol):
    """Who wants to know of steps."""

    def before_step(self, optimizer: Any, closure: object) -> None:
        """An optimizer is about to step."""
        ...

    def after_step(self, optimizer: Any) -> None:
        """It has stepped."""
        ...

    def gave_up(self, problem: str) -> None:
        """One of the two raised; the optimizer is not told."""
        ...


class StepHooks:
    """The hooks of one Recorder.

    Args:
        listener: Whom to tell.
        optimizer: An optimizer of a class of its own, which may offer `register_step_pre_hook` and
            `register_step_post_hook` itself.
    """

    def __init__(self, listener: Listener, optimizer: object = None) -> None:
        self._before, self._after = _pair(weakref.ref(listener))
        self._optimizer = optimizer
        self._handles: list[Any] = []
        self._listening: set[str] = set()
        # Not a method of this object, which the listener holds: the finalizer must not keep it alive.
        self._finalizer = weakref.finalize(listener, _remove, self._handles)

    def place(self) -> None:
        """Hooks into every library that is loaded by now and was not before."""
        for name in _LIBRARIES:
            library = sys.modules.get(name)
            if library is not None and name not in self._listening:
                self._listening.add(name)
                self._register(
                    getattr(library, "register_optimizer_step_pre_hook", None),
                    getattr(library, "register_optimizer_step_post_hook", None),
                )
        if self._optimizer is not None and "" not in self._listening:
            self._listening.add("")
            if not self._is_known(self._optimizer):
                owner = self._optimizer
                names = ("register_step_pre_hook", "register_step_post_hook")
                if all(class_attribute(owner, name) is not None for name in names):
                    self._register(*(getattr(owner, name) for name in names))

    def remove(self) -> None:
        """Takes every hook back; safe at any time."""
        _remove(self._handles)
        self._listening.clear()

    def _register(self, before: Any, after: Any) -> None:
        if before is not None and after is not None:
            self._handles += [before(self._before), after(self._after)]

    @staticmethod
    def _is_known(optimizer: object) -> bool:
        """Whether the hooks for all optimizers reach this one."""
        libraries = (sys.modules.get(name) for name in _LIBRARIES)
        classes = (getattr(library, "Optimizer", None) for library in libraries)
        return any(kind is not None and issubclass(type(optimizer), kind) for kind in classes)


def _pair(listener: weakref.ref[Any]) -> tuple[Callable[..., None], Callable[..., None]]:
    def before(optimizer: Any = None, args: Any = (), kwargs: Any = None, *_: Any) -> None:
        """Called by an optimizer; returns None and raises nothing, so the step goes on as ever."""
        found = listener()
        if found is not None:
            _guarded(found, found.before_step, optimizer, _closure(args, kwargs))

    def after(optimizer: Any = None, *_: Any) -> None:
        """Called by an optimizer after its step."""
        found = listener()
        if found is not None:
            _guarded(found, found.after_step, optimizer)

    return before, after


def _guarded(listener: Listener, function: Callable[..., None], *arguments: Any) -> None:
    outcome = attempt(function, *arguments)
    if outcome.problem:
        listener.gave_up(outcome.problem)


def _closure(args: Any, kwargs: Any) -> object:
    """The function that a step was given to compute the gradients by itself, or None."""
    if kwargs and kwargs.get("closure") is not None:
        return kwargs["closure"]
    return next((a for a in args[1:] if callable(a)), None) if type(args) is tuple else None


def _remove(handles: list[Any]) -> None:
    while handles:
        attempt(handles.pop().remove)
