"""A `__call__` of the reader's own: what it returns, and which of its lines run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nbmodule_widgets.facts.glance import Glance, glances
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.lesson_facts.following import (
    CountedLine,
    Following,
    code_of,
    defined_in,
    library_of,
    said_of,
    source_lines,
)
from nbmodule_widgets.preserved import Preserved
from nbmodule_widgets.protocol import type_name

Tensors = tuple[tuple[str, Glance], ...]


@dataclass(frozen=True, slots=True)
class OwnCall:
    """What one call of such a `__call__` did.

    Attributes:
        tensors: What it returned.
        problem: What it raised, or the empty string.
        source: Its lines, with those that ran.
        source_of: `"Net.__call__"`.
    """

    tensors: Tensors
    problem: str
    source: tuple[CountedLine, ...]
    source_of: str


def own_call(model: Any, inputs: tuple, kwargs: dict[str, Any] | None) -> OwnCall | None:
    """Calls the model once more and follows its own `__call__`; the model is afterwards as it was.

    Args:
        model: The model.
        inputs: Positional arguments.
        kwargs: Arguments by keyword.

    Returns:
        What it did; None if the class has the `__call__` of a library, or none at all.
    """
    owner, method = defined_in(model, "__call__")
    code = code_of(method)
    if owner is None or code is None or library_of(model, "__call__"):
        return None
    tensors, problem = (), ""
    with Preserved(model, inputs, kwargs), Following({code}) as following:
        try:
            tensors = glances(model(*inputs, **(kwargs or {})), keep=64_000)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            problem = said_of(error)
    source = source_lines(following.calls[0]) if following.calls else ()
    return OwnCall(tensors, problem, source, f"{visible(type_name(owner), 60)}.__call__")
