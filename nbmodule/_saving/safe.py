"""What the user allows files to name, beyond what is always allowed.

Source: https://docs.pytorch.org/docs/stable/notes/serialization.html#weights-only
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Safe = Callable[..., Any] | tuple[Callable[..., Any], str]

_allowed: set[Any] = set()


def add_safe_globals(safe_globals: list[Safe]) -> None:
    """Let files name these classes and functions, too: `load` will call them with what the file says.

    `save` writes objects of these classes from then on. What you allow here runs: allow only what is
    harmless whatever its arguments are.

    Args:
        safe_globals: classes and functions, or pairs of one and the full name that it has in files.

    Source: https://docs.pytorch.org/docs/stable/notes/serialization.html#torch.serialization.add_safe_globals

    Example:
        >>> import fractions
        >>> from nbmodule import serialization
        >>> serialization.add_safe_globals([fractions.Fraction])
        >>> serialization.get_safe_globals()
        [<class 'fractions.Fraction'>]
        >>> serialization.clear_safe_globals()
    """
    global _allowed
    _allowed = _allowed | set(safe_globals)


def get_safe_globals() -> list[Safe]:
    """Return what `add_safe_globals` has allowed.

    Source: https://docs.pytorch.org/docs/stable/notes/serialization.html#torch.serialization.get_safe_globals

    Example:
        >>> from nbmodule.serialization import get_safe_globals
        >>> get_safe_globals()
        []
    """
    return list(_allowed)


def clear_safe_globals() -> None:
    """Forget what `add_safe_globals` has allowed.

    Source: https://docs.pytorch.org/docs/stable/notes/serialization.html#torch.serialization.clear_safe_globals

    Example:
        >>> from nbmodule import serialization
        >>> serialization.add_safe_globals([complex])
        >>> serialization.clear_safe_globals()
        >>> serialization.get_safe_globals()
        []
    """
    global _allowed
    _allowed = set()


class safe_globals:  # PyTorch spells this class in lower case
    """Let files name these classes and functions inside of the ``with`` block; see `add_safe_globals`.

    Args:
        safe_globals: classes and functions, or pairs of one and the full name that it has in files.

    Source: https://docs.pytorch.org/docs/stable/notes/serialization.html#torch.serialization.safe_globals

    Example:
        >>> import io, nbmodule
        >>> from fractions import Fraction
        >>> file = io.BytesIO()
        >>> with nbmodule.serialization.safe_globals([Fraction]):
        ...     nbmodule.save({"rate": Fraction(1, 3)}, file)
        ...     _ = file.seek(0)
        ...     nbmodule.load(file)
        {'rate': Fraction(1, 3)}
    """

    def __init__(self, safe_globals: list[Safe]) -> None:
        self.safe_globals = safe_globals

    def __enter__(self) -> None:
        add_safe_globals(self.safe_globals)

    def __exit__(self, *error: object) -> None:
        global _allowed
        _allowed = _allowed - set(self.safe_globals)


def allowed_by_user() -> dict[str, Any]:
    """Return what the user has allowed by its names: our classes have PyTorch's, too."""
    found: dict[str, Any] = {}
    for item in _allowed:
        function, path = _named_pair(item) if isinstance(item, tuple) else (item, name_of(item))
        found[path] = function
        head, dot, rest = path.partition(".")
        if head == "nbmodule":
            found["torch" + dot + rest] = function
    return found


def _named_pair(pair: tuple) -> tuple[Any, str]:
    if len(pair) != 2:
        raise ValueError(
            "Expected tuple of length 2 (global, str of callable full path), but got tuple of length: "
            f"{len(pair)}"
        )
    if type(pair[1]) is not str:
        raise TypeError(
            f"Expected second item in tuple to be str of callable full path, but got: {type(pair[1])}"
        )
    return pair


def name_of(function: Any) -> str:
    """Return the full name of a class or function."""
    return f"{function.__module__}.{function.__qualname__}"


for _thing in (add_safe_globals, get_safe_globals, clear_safe_globals, safe_globals):
    _thing.__module__ = "nbmodule.serialization"
