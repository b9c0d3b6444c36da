"""Switches for the whole program: determinism, precision, warnings."""

from __future__ import annotations

PRECISIONS = ("highest", "high", "medium")


class Settings:
    """What has been asked for."""

    def __init__(self) -> None:
        self.deterministic: bool = False
        self.warn_only: bool = False
        self.precision: str = "highest"
        self.warn_always: bool = False


settings = Settings()


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Ask for algorithms that give the same numbers every time. There are no others here."""
    settings.deterministic, settings.warn_only = bool(mode), bool(warn_only)


def are_deterministic_algorithms_enabled() -> bool:
    """Return whether `use_deterministic_algorithms` was asked for."""
    return settings.deterministic


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Return whether `use_deterministic_algorithms` was asked for with ``warn_only=True``."""
    return settings.warn_only


def set_float32_matmul_precision(precision: str) -> None:
    """Allow products of matrices to be less exact. They stay as exact as they are.

    Args:
        precision: "highest", "high" or "medium".

    Raises:
        RuntimeError: it is none of them.
    """
    if precision not in PRECISIONS:
        raise RuntimeError(f"Unknown precision: {precision}")
    settings.precision = precision


def get_float32_matmul_precision() -> str:
    """Return what `set_float32_matmul_precision` was told; "highest" at first."""
    return settings.precision


def set_warn_always(b: bool, /) -> None:
    """Let warnings that come once in the life of a program come each time. Tests of warnings want that.

    Args:
        b: whether they come each time.

    Raises:
        RuntimeError: it is no bool.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.set_warn_always.html

    Example:
        >>> import nbmodule
        >>> nbmodule.set_warn_always(False)
        >>> nbmodule.is_warn_always_enabled()
        False
    """
    if not isinstance(b, bool):
        raise RuntimeError(f"setWarnOnlyOnce expects a bool, but got {type(b).__name__}")
    settings.warn_always = b


def is_warn_always_enabled() -> bool:
    """Return what `set_warn_always` has set."""
    return settings.warn_always
