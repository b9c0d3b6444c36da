"""`diagnose`: what is ill in a program with a model, with the evidence."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from nbmodule_widgets.diagnosing import Case, DiagnosisFacts, Finding, examine
from nbmodule_widgets.diagnosing.html import diagnosis_html
from nbmodule_widgets.diagnosing.text import diagnosis_text
from nbmodule_widgets.protocol import class_attribute, class_name, has_drawers, require_module
from nbmodule_widgets.refusing import refusing


class Diagnosis:
    """What `diagnose` found; false if that is nothing.

    Args:
        facts: What `nbmodule_widgets.diagnosing.examine` returned.

    Example:
        >>> found = diagnose(model, x, y, loss_fn=loss_fn)  # doctest: +SKIP
        >>> found.names  # doctest: +SKIP
        ['broadcast-loss']
    """

    def __init__(self, facts: DiagnosisFacts) -> None:
        self._facts = facts

    @property
    def facts(self) -> DiagnosisFacts:
        """What was found."""
        return self._facts

    @property
    def names(self) -> list[str]:
        """The diseases by name, the most certain first."""
        return [each.name for each in self._facts.found]

    @property
    def unexamined(self) -> tuple[str, ...]:
        """What could not be examined, and which argument would let it, in sentences."""
        return self._facts.unexamined

    def __len__(self) -> int:
        return len(self._facts.found)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._facts.found)

    def __getitem__(self, name: int | str) -> Finding:
        if isinstance(name, int):
            return self._facts.found[name]
        for each in self._facts.found:
            if each.name == name:
                return each
        raise KeyError(f"no finding {name!r}: there are {', '.join(self.names) or 'none'}")

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __str__(self) -> str:
        return diagnosis_text(self._facts)

    __repr__ = __str__

    def to_html(self) -> str:
        """The same as HTML without a script."""
        return diagnosis_html(self._facts)

    def figure(self) -> Any:
        """The same as a `matplotlib.figure.Figure`."""
        from nbmodule_widgets.diagnosing.figure import diagnosis_figure

        return diagnosis_figure(self._facts)

    def _repr_html_(self) -> str:
        return self.to_html()


@refusing
def diagnose(
    model: object, x: Any = None, y: Any = None, *, loss_fn: Any = None, optimizer: Any = None, file: Any = None,
    error: BaseException | None = None, seconds: float = 20.0,
) -> Diagnosis:  # fmt: skip
    """Finds out what is ill in a program with a model: what was observed, what it means, and what cures it.

    It runs the model and a few steps of its training on copies, with the random generators kept, and changes nothing: what
    your hooks and your loss write to is put back, too (not the files that they write). It names only what it has observed, and
    stays silent where it does not know. All but the model are optional; without an argument it says what it could not
    examine.

    Args:
        model: Any object with `_modules`, `_parameters` or `_buffers`: of PyTorch, of nbmodule, or your own.
        x: A batch as the model gets it; a tuple for several inputs, a dict for named ones.
        y: The targets of that batch.
        loss_fn: Called as `loss_fn(model(x), y)`.
        optimizer: The optimizer, or several in a list.
        file: What was loaded, or should be: a state dict, a path, or an open binary file.
        error: The exception that was caught.
        seconds: How long it may take.

    Returns:
        The diagnosis: `str(found)`, `found.names`, `found["plain-list"].evidence`.

    Raises:
        TypeError: If an argument is of another kind.

    Example:
        >>> diagnose(model, x, y, loss_fn=nn.MSELoss(), optimizer=optimizer)  # doctest: +SKIP
    """
    require_module(model, "diagnose")
    _check(y, loss_fn, optimizer, file, error, seconds)
    case = Case(
        model, x, y, loss_fn=loss_fn, optimizer=optimizer, file=file, error=error, seconds=seconds
    )
    return Diagnosis(examine(case))


def _check(y: Any, loss_fn: Any, optimizer: Any, file: Any, error: Any, seconds: Any) -> None:
    """Raises for an argument of another kind."""
    if has_drawers(y):
        raise TypeError(
            f"diagnose() needs as y the targets; got {_what(y)}: write loss_fn=… before it"
        )
    if loss_fn is not None and (not callable(loss_fn) or isinstance(loss_fn, type)):
        hint = f": write {loss_fn.__name__}()" if isinstance(loss_fn, type) else ""
        raise TypeError(
            f"diagnose() needs as loss_fn a function of output and target; got {_what(loss_fn)}{hint}"
        )
    several = optimizer if type(optimizer) in (list, tuple) else [optimizer]
    for each in several:
        if each is not None and not hasattr(each, "param_groups"):
            raise TypeError(
                f"diagnose() needs as optimizer an object with param_groups, or a list of such; got {_what(each)}"
            )
    if error is not None and not isinstance(error, BaseException):
        raise TypeError(
            f"diagnose() needs as error the exception itself (`except Exception as error`); got {_what(error)}"
        )
    known = file is None or isinstance(file, (dict, str, os.PathLike)) or has_drawers(file)
    readable = all(class_attribute(file, n) is not None for n in ("read", "seek", "tell"))
    if not known and not readable:
        raise TypeError(
            f"diagnose() needs as file a state dict, a path or a file opened for reading; got {_what(file)}"
        )
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not seconds > 0:
        raise TypeError(f"diagnose() needs as seconds a number above 0; got {seconds!r}")


def _what(given: object) -> str:
    if isinstance(given, type):
        return f"the class {given.__name__} itself"
    return f"an object of class {class_name(given)}"
