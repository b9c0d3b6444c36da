"""What the functions of `functional.py` do to their arguments and results, and how they refuse some."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._factories import zeros_like
from .._ops.shape import stack
from .._tensor import Tensor
from ._grad import grad

Tensors = tuple[Tensor, ...]
Gradients = tuple[Tensor | None, ...]


def gradients(outputs: Gradients, inputs: Tensors, directions: Gradients | None = None, **options: Any) -> Gradients:  # fmt: skip
    """Return what `autograd.grad` returns, where outputs that require no gradient add nothing.

    Args:
        outputs: tensors to differentiate; None among them counts as a constant.
        inputs: tensors to differentiate with respect to.
        directions: the gradient of each output; by default ones for scalars.
        options: of `autograd.grad`.
    """
    if directions is None:
        directions = (None,) * len(outputs)
    pairs = [
        (y, v)
        for y, v in zip(outputs, directions, strict=True)
        if y is not None and y.requires_grad
    ]
    if not pairs:
        return (None,) * len(inputs)
    recorded, weights = zip(*pairs, strict=True)
    return grad(recorded, inputs, weights, allow_unused=True, **options)


def stacked(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Return `tensors` side by side along a new dimension.

    Raises:
        RuntimeError: there are none.
    """
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    return stack(*tensors, axis=dim)


def tupled(value: Any, what: str, function: str) -> tuple[bool, Tensors]:
    """Return whether `value` is a tuple, and its tensors as one.

    Args:
        value: a tensor, or a tuple of tensors.
        what: the name of the argument, for the message.
        function: the name of the function, for the message.

    Raises:
        TypeError: there is something else than tensors.
    """
    is_tuple = isinstance(value, tuple)
    tensors = value if is_tuple else (value,)
    for index, t in enumerate(tensors):
        if not isinstance(t, Tensor):
            where = f"value at index {index}" if is_tuple else f"given {what}"
            raise TypeError(
                f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but the "
                f"{where} has type {type(t)}."
            )
    return is_tuple, tensors


def fresh(value: Any, what: str, function: str, create_graph: bool, need_graph: bool = True) -> tuple[bool, Tensors]:  # fmt: skip
    """Return what `tupled` returns, with new tensor objects in the place of those given.

    So a tensor that the user's function happens to capture is told apart from the argument, even if
    they are one object.

    Args:
        value: a tensor, or a tuple of tensors.
        what: the name of the argument, for the message.
        function: the name of the function, for the message.
        create_graph: gradients are to flow on, to the tensors in `value`.
        need_graph: without `create_graph`, whether the new tensors require gradients.
    """
    is_tuple, tensors = tupled(value, what, function)
    return is_tuple, tuple(
        t.view_as(t) if create_graph and t.requires_grad else t.detach().requires_grad_(need_graph)
        for t in tensors
    )


def finished(tensors: Sequence[Any], create_graph: bool) -> tuple[Any, ...]:
    """Return `tensors` without their history, unless the user asked for it."""
    return tuple(tensors) if create_graph else tuple(t.detach() for t in tensors)


def same_nesting(results: Any, is_tuple: bool | tuple[bool, bool]) -> Any:
    """Return `results`, a tuple (of tuples), without the tuples that were put around single tensors."""
    if isinstance(is_tuple, tuple):
        outer, inner = is_tuple
        if not inner:
            results = tuple(row[0] for row in results)
        return results if outer else results[0]
    return results if is_tuple else results[0]


def single_scalar(tensors: Tensors) -> bool:
    """Return whether there is one tensor, with one element."""
    return len(tensors) == 1 and tensors[0].nelement() == 1


def only_a_scalar(is_tuple: bool, tensors: Tensors, function: str) -> Tensor:
    """Return the single tensor that the user's function returned.

    Raises:
        RuntimeError: it returned a tuple, or a tensor with more than one element.
    """
    if is_tuple:
        raise RuntimeError(f"The function given to {function} should return a single Tensor")
    if tensors[0].nelement() != 1:
        raise RuntimeError(
            f"The Tensor returned by the function given to {function} should contain a single element"
        )
    return tensors[0]


def check_vector(v: Tensors, like: Tensors, is_tuple: bool) -> None:
    """Raise a RuntimeError unless the tensors `v` are as many, and as large, as those in `like`."""
    if len(like) != len(v):
        if is_tuple:
            raise RuntimeError(
                f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}."
            )
        raise RuntimeError("The given v should contain a single Tensor.")
    for index, (given, expected) in enumerate(zip(v, like, strict=True)):
        if given.size() != expected.size():
            entry = f"Entry {index} in " if is_tuple else ""
            raise RuntimeError(
                f"{entry}v has invalid size: should be {expected.size()} but got {given.size()}."
            )


CONSTANT = {
    "outputs": (
        "Output {} of the user-provided function does not require gradients. The outputs must be "
        "computed in a differentiable manner from the input when running in strict mode."
    ),
    "grad_inputs": (
        "The gradient with respect to input {} is independent of the inputs of the user-provided "
        "function. This is not allowed in strict mode."
    ),
    "jacobian": (
        "While computing the hessian, found that the jacobian of the user-provided function with "
        "respect to input {} is independent of the input. This is not allowed in strict mode. You "
        "should ensure that your function is twice differentiable and that the jacobian depends on the "
        "inputs (this would be violated by a linear function for example)."
    ),
    "hessian": (
        "The hessian of the user-provided function with respect to input {} is independent of the "
        "input. This is not allowed in strict mode. You should ensure that your function is thrice "
        "differentiable and that the hessian depends on the inputs."
    ),
}
"""What to say of a tensor that does not depend on the inputs, by what it is."""


def refuse_constant(tensors: Sequence[Tensor | None], kind: str, strict: bool) -> None:
    """Raise a RuntimeError, in strict mode, if one of `tensors` requires no gradient.

    Args:
        tensors: as computed; None where a gradient does not exist.
        kind: what they are, a key of `CONSTANT`.
        strict: without it nothing happens.
    """
    if not strict:
        return
    for index, t in enumerate(tensors):
        if t is None:
            raise RuntimeError(
                f"The output of the user-provided function is independent of input {index}. This is not "
                "allowed in strict mode."
            )
        if not t.requires_grad:
            raise RuntimeError(CONSTANT[kind].format(index))


UNUSED = {
    "back": (
        "The output of the user-provided function is independent of input {}. This is not allowed in "
        "strict mode."
    ),
    "back_trick": (
        "The gradient with respect to the input is independent of entry {} in the grad_outputs when "
        "using the double backward trick to compute forward mode gradients. This is not allowed in "
        "strict mode."
    ),
    "double_back": (
        "The jacobian of the user-provided function is independent of input {}. This is not allowed in "
        "strict mode."
    ),
    "double_back_trick": (
        "The hessian of the user-provided function is independent of entry {} in the grad_jacobian. "
        "This is not allowed in strict mode as it prevents from using the double backward trick to "
        "replace forward mode AD."
    ),
}
"""What to say of a gradient that does not exist, by the stage of the computation."""


def fill_in_zeros(gradients: Gradients, like: Tensors, strict: bool, create_graph: bool, stage: str) -> Tensors:  # fmt: skip
    """Return `gradients` with zeros in the place of those that do not exist.

    Args:
        gradients: as `autograd.grad` returned them.
        like: the tensors that they belong to.
        strict: raise a RuntimeError instead.
        create_graph: with `strict`, raise also for a gradient that has no history.
        stage: a key of `UNUSED`.
    """
    filled = []
    for index, (d, x) in enumerate(zip(gradients, like, strict=True)):
        if d is None and strict:
            raise RuntimeError(UNUSED[stage].format(index))
        if d is not None and strict and create_graph and not d.requires_grad:
            which = "hessian" if "double" in stage else "jacobian"
            raise RuntimeError(
                f"The {which} of the user-provided function is independent of input {index}. This is "
                "not allowed in strict mode when create_graph=True."
            )
        filled.append(zeros_like(x) if d is None else d)
    return tuple(filled)
