"""Names for types of arguments that come in one, two or three dimensions.

Source: https://docs.pytorch.org/docs/stable/nn.html
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import ParamSpec, Protocol, TypeVar

    P = ParamSpec("P")
    R = TypeVar("R", covariant=True)

    class _Forward(Protocol[P, R]):
        def forward(self, *args: P.args, **kwargs: P.kwargs) -> R: ...

    class _Call(Protocol):
        def __get__(self, module: _Forward[P, R], owner: Any = None, /) -> Callable[P, R]: ...
        def __call__(self, module: Any, /, *args: Any, **kwargs: Any) -> Any: ...


_size_any_t = int | Sequence[int]
_size_1_t = _size_any_t
_size_2_t = _size_any_t
_size_3_t = _size_any_t
_size_any_opt_t = int | None | Sequence[int | None]
_size_2_opt_t = _size_any_opt_t
_size_3_opt_t = _size_any_opt_t
_ratio_any_t = float | Sequence[float]
_ratio_2_t = _ratio_any_t
_ratio_3_t = _ratio_any_t


def _typed_by_forward(call: Any) -> _Call:
    """Return `call`, of which type checkers shall know that it takes and gives what `forward` does."""
    return call
