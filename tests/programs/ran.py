"""What the programs have in common: what a reader could hand to `diagnose`, and the proof."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

Program = Callable[..., "Ran"]


class Ran(NamedTuple):
    """A program that has run, as it stands then."""

    shows: bool
    """A disease shows its symptom; a healthy program shows that it does what it should."""
    given: dict[str, Any]
    """What `diagnose` is told: model, x, y, loss_fn, optimizer, file, error."""
    step: Callable[[], Any] | None
    """Does once more what the program does again and again."""
    keeps: Any
    """What the program would still hold."""


def ran(
    shows: Any, *, step: Callable[[], Any] | None = None, keeps: Any = None, **given: Any
) -> Ran:
    """Return a program's end; `given` are the arguments of `diagnose`."""
    return Ran(bool(shows), given, step, keeps)


def fitted(model: Any, x: Any, y: Any, loss_fn: Any, optimizer: Any, steps: int = 20) -> Ran:
    """Train as one should; it shows a loss that has become smaller."""
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    better = losses[-1] < 0.97 * losses[0]
    return ran(better, model=model, x=x, y=y, loss_fn=loss_fn, optimizer=optimizer)


def caught(run: Callable[[], Any]) -> Exception | None:
    """Return what `run` raised, with its traceback, or None."""
    try:
        run()
    except Exception as error:
        return error
    return None


def said(error: Exception | None, kind: type[Exception], words: str) -> bool:
    """Return whether this kind of error was raised with these words in it."""
    return isinstance(error, kind) and words in str(error)
