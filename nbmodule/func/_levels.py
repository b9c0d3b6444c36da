"""What a transform does around a call of the function: fresh tensors in, cut results out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._engine import is_grad_enabled
from .._factories import zeros_like
from .._tensor import Tensor
from ..autograd import grad

Function = Callable[..., Any]
Places = int | tuple[int, ...]


class Level:
    """One call of a transform: the tensors that it differentiates with respect to.

    Attributes:
        outer: whether operations were recorded around the call; if not, results are plain values.
        own: the fresh tensors.
    """

    def __init__(self) -> None:
        self.outer = is_grad_enabled()
        self.own: list[Tensor] = []

    def enter(self, value: Any) -> Any:
        """Return a fresh tensor for `value`, which gradients can be taken for."""
        if not isinstance(value, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(value)}")
        recorded = self.outer and value.requires_grad
        fresh = value.view_as(value) if recorded else value.detach().requires_grad_()
        self.own.append(fresh)
        return fresh

    def leave(self, value: Any) -> Any:
        """Return the tensor `value`, cut off our fresh tensors unless other tensors need its history.

        Raises:
            RuntimeError: it is no tensor.
        """
        if not isinstance(value, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(value)}")
        return value if self.outer and self.reaches_others(value) else value.detach()

    def reaches_others(self, t: Tensor) -> bool:
        """Return whether `t` has a history that leads to a leaf that is not ours."""
        if t.grad_fn is None:
            return t.requires_grad and not self.is_own(t)
        seen, todo = {t.grad_fn}, [t.grad_fn]
        while todo:
            node = todo.pop()
            variable = getattr(node, "variable", None)
            if isinstance(variable, Tensor) and not self.is_own(variable):
                return True
            for following, _ in node.next_functions:
                if following is not None and following not in seen:
                    seen.add(following)
                    todo.append(following)
        return False

    def is_own(self, t: Tensor) -> bool:
        """Return whether `t` is one of the fresh tensors that we made as leaves."""
        return any(t is fresh for fresh in self.own)


def picked(args: tuple[Any, ...], argnums: Places) -> tuple[list[int], Any]:
    """Return the places of the arguments to differentiate, and those arguments.

    Raises:
        RuntimeError: `argnums` does not fit the arguments.
    """
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    single = isinstance(argnums, int)
    places = [_place(number, len(args)) for number in ((argnums,) if single else argnums)]
    if not places:
        raise RuntimeError("argnums must be non-empty")
    if len(set(places)) != len(places):
        raise RuntimeError(f"argnums elements must be unique, got {tuple(places)}")
    return places, args[places[0]] if single else tuple(args[i] for i in places)


def _place(number: Any, count: int) -> int:
    if not isinstance(number, int):
        raise RuntimeError(f"argnum must be int, got: {type(number)}")
    if not -count <= number < count:
        raise RuntimeError(f"Got argnum={number}, but only {count} positional inputs")
    return number % count


def replaced(args: tuple[Any, ...], places: list[int], values: Sequence[Any]) -> tuple[Any, ...]:
    """Return `args` with `values` at these places."""
    new = list(args)
    for place, value in zip(places, values, strict=True):
        new[place] = value
    return tuple(new)


def gradients(outputs: Sequence[Tensor], inputs: Sequence[Tensor], directions: Sequence[Tensor] | None, create_graph: bool = True) -> list[Tensor]:  # fmt: skip
    """Return the gradients of `inputs`, zeros where there is none."""
    recorded = [i for i, y in enumerate(outputs) if y.requires_grad]
    if not recorded:
        return [zeros_like(x) for x in inputs]
    found = grad(
        [outputs[i] for i in recorded],
        inputs,
        None if directions is None else [directions[i] for i in recorded],
        retain_graph=True,
        create_graph=create_graph,
        allow_unused=True,
    )
    return [zeros_like(x) if d is None else d for d, x in zip(found, inputs, strict=True)]


def split_aux(result: Any, has_aux: bool, name: str) -> tuple[Any, Any]:
    """Return the output of the function and what it returned besides."""
    if not has_aux:
        return result, None
    if not (isinstance(result, tuple) and len(result) == 2):
        raise RuntimeError(
            f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True"
        )
    return result


def check_outputs(outputs: list[Any], name: str) -> None:
    """Raise a RuntimeError unless `outputs` are tensors, and at least one."""
    if not outputs or (len(outputs) == 1 and outputs[0] is None):
        raise RuntimeError(
            f"{name}: Expected f to be a function that has non-empty output (got output = {outputs})"
        )
    for y in outputs:
        if not isinstance(y, Tensor):
            raise RuntimeError(
                f"{name}: expected f(*primals) to return only tensors, got unsupported type {type(y)}"
            )
