"""Signatures that are worked out when somebody looks: an import makes hundreds of functions, a reader opens a few."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class LazySignature(Signature):
    """What stands as ``__signature__`` of a function; `inspect.signature` and Jupyter read it like any other.

    Args:
        read: called as ``read(*about)`` when the signature is first looked at; returns it.
        about: what the signature is made of.
    """

    __slots__ = ("_about", "_known")

    def __init__(self, read: Callable[..., Signature], *about: Any) -> None:
        self._about, self._known = (read, *about), None

    def _signature(self) -> Signature:
        if self._known is None:
            read, *about = self._about
            self._known = read(*about)
        return self._known

    @property
    def parameters(self) -> Any:
        """The parameters by name."""
        return self._signature().parameters

    @property
    def return_annotation(self) -> Any:
        """The type of the result."""
        return self._signature().return_annotation

    def replace(self, **changes: Any) -> Signature:
        """Return a plain signature in which some things differ."""
        return self._signature().replace(**changes)

    def __reduce__(self) -> Any:
        return self._signature().__reduce__()


def signature_of_rule(rule: Callable[..., Any]) -> Signature:
    """Return the signature of the operation made of `rule`, which has no `xp` and takes its arrays by position."""
    _, *rest = Signature.from_callable(rule).parameters.values()
    by_position = [
        p.replace(kind=p.POSITIONAL_ONLY) if p.kind is p.POSITIONAL_OR_KEYWORD else p for p in rest
    ]
    return Signature(by_position, return_annotation="Tensor")


def shown_as(text: str) -> Callable[[F], F]:
    """Give a function that takes some arguments as ``*args`` or ``**options`` the signature that PyTorch documents.

    Args:
        text: what stands between the parentheses, with defaults that are literals.
    """

    def decorate(function: F) -> F:
        function.__signature__ = LazySignature(_signature_from_text, text)  # type: ignore[attr-defined]
        return function

    return decorate


def _signature_from_text(text: str) -> Signature:
    return Signature.from_callable(eval(f"lambda {text}: None")).replace(return_annotation="Tensor")


OPERANDS = Signature(
    [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in ("self", "other")]
)
"""The signature of an operator."""
