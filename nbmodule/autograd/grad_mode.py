"""Switches for recording: context managers that serve as decorators too.

Source: https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from typing import overload as _overload

from .._engine import grad_mode

_F = TypeVar("_F", bound=Callable[..., Any])

CLASS_DECORATED = (
    "Decorating classes is deprecated and will be disabled in future versions. You should only decorate "
    "functions or methods. To preserve the current behavior of class decoration, you can directly decorate "
    "the `__init__` method and nothing else."
)


class _Switch:
    """Sets the mode inside a ``with`` block, or inside every call of a decorated function."""

    def __init__(self, mode: bool) -> None:
        self.mode = mode

    def __enter__(self) -> None:
        self.before, grad_mode.enabled = grad_mode.enabled, self.mode

    def __exit__(self, *exception: object) -> None:
        grad_mode.enabled = self.before

    def __call__(self, function: _F) -> _F:
        mode = self.mode
        return _decorate(function, lambda: _Switch(mode))


def _decorate(function: Callable[..., Any], switch: Callable[[], _Switch]) -> Any:
    """Return `function`, run inside a new `switch` at each call."""
    from inspect import isgeneratorfunction  # here: it loads a third of what NumPy does

    if isinstance(function, type):
        warnings.warn(CLASS_DECORATED, FutureWarning, stacklevel=3)
        kind, function = function, lambda *args, **kwargs: kind(*args, **kwargs)
    if isgeneratorfunction(function):
        return _decorate_generator(function, switch)

    @wraps(function)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        with switch():
            return function(*args, **kwargs)

    return decorated


def _decorate_generator(function: Callable[..., Any], switch: Callable[[], _Switch]) -> Callable[..., Any]:  # fmt: skip
    """The mode holds while the generator runs, not while its consumer does."""

    @wraps(function)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        generator = function(*args, **kwargs)
        go_on, sent = generator.send, None
        while True:
            try:
                with switch():
                    value = go_on(sent)
            except StopIteration as end:
                return end.value
            try:
                go_on, sent = generator.send, (yield value)
            except GeneratorExit:
                with switch():
                    generator.close()
                raise
            except BaseException as error:
                go_on, sent = generator.throw, error

    return decorated


class no_grad(_Switch):
    """Inside, nothing is recorded and results do not require grad."""

    mode = False

    def __init__(self, orig_func: Callable[..., Any] | None = None) -> None:
        """Keep nothing: the class says which mode it is, and `__new__` has seen `orig_func`."""

    @_overload
    def __new__(cls, orig_func: None = None) -> no_grad: ...
    @_overload
    def __new__(cls, orig_func: _F) -> _F: ...
    def __new__(cls, orig_func: Callable[..., Any] | None = None) -> Any:
        """Return the decorated function where the class itself is used as a decorator."""
        return object.__new__(cls) if orig_func is None else cls()(orig_func)


class enable_grad(_Switch):
    """Inside, operations are recorded again, also within `no_grad`."""

    mode = True

    def __init__(self, orig_func: Callable[..., Any] | None = None) -> None:
        """Keep nothing: the class says which mode it is, and `__new__` has seen `orig_func`."""

    @_overload
    def __new__(cls, orig_func: None = None) -> enable_grad: ...
    @_overload
    def __new__(cls, orig_func: _F) -> _F: ...
    def __new__(cls, orig_func: Callable[..., Any] | None = None) -> Any:
        """Return the decorated function where the class itself is used as a decorator."""
        return object.__new__(cls) if orig_func is None else cls()(orig_func)


class inference_mode(_Switch):
    """As `no_grad`, and what is made inside can never be recorded, for as long as `mode` is True."""

    def __init__(self, mode: bool | Callable[..., Any] = True) -> None:
        super().__init__(not mode)

    @_overload
    def __new__(cls, mode: bool = True) -> inference_mode: ...
    @_overload
    def __new__(cls, mode: _F) -> _F: ...
    def __new__(cls, mode: bool | Callable[..., Any] = True) -> Any:
        """Return the decorated function where the class itself is used as a decorator."""
        return super().__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __enter__(self) -> None:
        super().__enter__()
        self.inferred = grad_mode.inference
        grad_mode.switch(inference=not self.mode)

    def __exit__(self, *exception: object) -> None:
        grad_mode.switch(inference=self.inferred)
        super().__exit__(*exception)

    def __call__(self, function: _F) -> _F:
        """Decorate: each call of `function` runs in this mode."""
        return _decorate(function, lambda: inference_mode(not self.mode))


class set_grad_enabled(_Switch):
    """Switch recording on or off: at once, and in a ``with`` statement until the end of its block."""

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise TypeError(
                "set_grad_enabled(): argument 'enabled' (position 1) must be bool, not "
                f"{type(mode).__name__}"
            )
        super().__init__(mode)
        self.before, grad_mode.enabled = grad_mode.enabled, mode

    def __enter__(self) -> None:
        grad_mode.enabled = self.mode

    def __repr__(self) -> str:
        return f"nbmodule.autograd.grad_mode.set_grad_enabled(mode={self.mode})"

    def __call__(self, function: _F) -> _F:
        """Decorate: the mode holds in calls of `function`, and no longer here."""
        grad_mode.enabled = self.before
        return super().__call__(function)
