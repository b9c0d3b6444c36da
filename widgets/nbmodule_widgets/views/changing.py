"""A view of a model in which the reader turns switches, and which marks what has changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import traitlets

from nbmodule_widgets.facts import ModuleFacts
from nbmodule_widgets.facts.changes import Change, changes
from nbmodule_widgets.facts.live import resolve
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.views import acting
from nbmodule_widgets.views.changed import marks, story
from nbmodule_widgets.views.live import refresh_views
from nbmodule_widgets.views.parts import Parts


class ChangingTree(Parts):
    """The part of `show` that changes the model, and that tells what changed since it looked last."""

    changed = traitlets.Dict().tag(sync=True)

    _facts: ModuleFacts  # what was seen last
    _version: int  # of the tree
    _changes: tuple[Change, ...] = ()
    _cause = ""  # what the next changes come from

    def _find(self, path: str) -> int:
        raise NotImplementedError

    @property
    def changes(self) -> tuple[Change, ...]:
        """What changed in the model when it last changed, until `clear_changes()`."""
        return self._changes

    def set_training(self, path: str, mode: bool = True) -> Self:
        """Calls `train()` or `eval()` of a Module, and marks the rows that changed.

        Args:
            path: Its dotted path; the empty string is the model itself.
            mode: True for `train()`, False for `eval()`.

        Raises:
            KeyError: If there is no such path.
            ActionError: If the class has no such method, or the method raised. The message says what has
                changed all the same.
        """
        code = "train()" if mode else "eval()"
        return self._act(self._find(path), code, lambda found: acting.set_training(found, mode))

    def set_requires_grad(self, path: str, value: bool) -> Self:
        """Freezes or unfreezes a parameter, or all parameters of a Module, and marks the rows that changed.

        Args:
            path: Dotted path of the Module or the parameter; the empty string is the model itself.
            value: Whether gradients are wanted.

        Raises:
            KeyError: If there is no such path.
            ActionError: If the object cannot do that. The message says what has changed all the same.
        """
        code = f"requires_grad_({value})"
        return self._act(
            self._find(path), code, lambda found: acting.set_requires_grad(found, value)
        )

    def clear_changes(self) -> None:
        """Takes the marks off the rows that changed."""
        self._changes, self.changed = (), {}

    def _act(self, row: int, code: str, action: Callable[[object], None]) -> Self:
        """Lets the model do something and shows who changed."""
        with self._lock:
            self.refresh()  # what changed before is not this action's doing
            found = resolve(self._model, self._facts, row)
            self.clear_changes()
            code = f"{visible(self._facts.path(row), 60) or 'model'}.{code}"
            self._cause = code
            problem = ""
            try:
                action(found)
            except acting.ActionError as error:
                problem = str(error)
            finally:
                self.refresh()
                self._cause = ""
            if problem:
                done = f". Before that: {self.changed['line']}" if self._changes else ""
                problem += f"{done}."
                self.changed = {**self.changed, "line": problem, "failed": True}
            elif not self._changes:
                self.changed = {"line": story(code, ())}
        refresh_views(but=self)
        if problem:
            raise acting.ActionError(problem)
        return self

    def _take(self, now: ModuleFacts) -> None:
        """Takes over what was seen, and marks what is different; that a watched run writes to it needs no mark."""
        found = changes(self._facts, now)
        self._facts = now
        if self._recorder is not None:
            found = tuple(change for change in found if change.what != "values")
        if found:
            self._changes = found
            line = story(self._cause or "since the last look", found)
            self.changed = {"version": self._version, "line": line, **marks(found)}
