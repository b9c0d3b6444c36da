"""What PyTorch keeps in `torch._utils`: an exception on its way from one thread to another.

Source: https://docs.pytorch.org/docs/stable/data.html
"""

from __future__ import annotations

import os
import sys
import traceback
from typing import Any, NoReturn


class KeyErrorMessage(str):
    """A text that is its own `repr`: `KeyError` shows the `repr` of its argument, and line ends with it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return self


class ExceptionWrapper:
    """An exception as its type and its traceback's text, which keep nothing of the failed call alive.

    Args:
        exc_info: what `sys.exc_info()` returned; None: the exception that is being handled.
        where: the place, for the message: "in DataLoader worker process 0".

    Source: https://docs.pytorch.org/docs/stable/data.html

    Example:
        >>> from nbmodule._utils import ExceptionWrapper
        >>> try:
        ...     [].pop()
        ... except IndexError:
        ...     wrapped = ExceptionWrapper(where="in a thread")
        >>> wrapped.reraise()  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        IndexError: Caught IndexError in a thread.
        ...
    """

    def __init__(self, exc_info: Any = None, where: str = "in background") -> None:
        exc_info = exc_info or sys.exc_info()
        self.exc_type = exc_info[0]
        self.exc_msg = "".join(traceback.format_exception(*exc_info))
        self.where = where

    def reraise(self) -> NoReturn:
        """Raise an exception of the same type, whose message holds the traceback.

        Raises:
            RuntimeError: exceptions of that type cannot be made from a message alone.
        """
        message = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            message = KeyErrorMessage(message)
        elif getattr(self.exc_type, "message", None):
            raise self.exc_type(message=message)
        try:
            exception = self.exc_type(message)
        except Exception:
            raise RuntimeError(message) from None
        try:
            raise exception
        finally:
            del exception  # it holds this frame, and must not be held by it


def cpu_count() -> int | None:
    """Return how many processors this process may use, None where nobody knows."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()
