"""Checkpointing: forget what a stretch of a network computed, and compute it again when it is needed.

Source: https://docs.pytorch.org/docs/stable/checkpoint.html
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from .._engine import is_grad_enabled, without_hooks
from .._engine.walk import current_walk
from .._tensor import Tensor
from ..autograd import Function, backward
from ..autograd.grad_mode import enable_grad, no_grad
from ..random import fork_rng, get_rng_state, set_rng_state
from ._recomputed import CheckpointError, Stretch

__all__ = [
    "CheckpointError", "CheckpointFunction", "check_backward_validity", "checkpoint",
    "checkpoint_sequential", "detach_variable", "noop_context_fn",
]  # fmt: skip

Contexts = Callable[[], tuple[AbstractContextManager, AbstractContextManager]]

NOT_SAID = (
    "the use_reentrant parameter should be passed explicitly. {} PyTorch 2.9, calling checkpoint without "
    "use_reentrant will raise an exception. "
)
NOT_SAID_END = (
    "use_reentrant=False is recommended, but if you need to preserve the current default behavior, you can "
    "pass use_reentrant=True. Refer to docs for more details on the differences between the two variants."
)


def noop_context_fn() -> tuple[AbstractContextManager, AbstractContextManager]:
    """Return two contexts that do nothing: one for the forward pass, one for its repetition."""
    return nullcontext(), nullcontext()


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Contexts = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """Return ``function(*args)`` without keeping what its derivative needs; backward calls it again.

    This trades time for memory.

    Args:
        function: has to do the same each time; random numbers are drawn again as they were.
        *args: for `function`.
        use_reentrant: False forgets only what operations have saved. True runs `function` unrecorded, and
            records and walks back through a second call inside backward: it works with ``backward()``
            alone, without its `inputs`, and wants a tensor that requires grad among `args`.
        context_fn: returns the contexts in which the two calls run; only with ``use_reentrant=False``.
        determinism_check: "default" compares the shapes and types that both calls compute; "none" does not.
        debug: is accepted, but there is no trace of operators to add to the errors.
        early_stop: is accepted; the second call always runs to its end.
        **kwargs: `preserve_rng_state` (True): whether random numbers repeat. With ``use_reentrant=False`` the
            rest goes to `function`.

    Raises:
        ValueError: an argument is not for the variant that was chosen.
        CheckpointError: in backward, where the second call did something else than the first one.

    Source: https://docs.pytorch.org/docs/stable/checkpoint.html
    """
    if use_reentrant is None:
        said = NOT_SAID.format("Starting in")
        warnings.warn(f"nbmodule.utils.checkpoint: {said}{NOT_SAID_END}", stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if not use_reentrant:
        return _recorded(function, args, kwargs, preserve, context_fn, determinism_check)
    _refuse(kwargs)
    if context_fn is not noop_context_fn or debug:
        raise ValueError(
            "Passing `context_fn` or `debug` is only supported when use_reentrant=False."
        )
    return CheckpointFunction.apply(function, preserve, *args)


def checkpoint_sequential(functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any) -> Any:  # fmt: skip
    """Call `functions` one after the other, in `segments` stretches; all but the last are checkpoints.

    Args:
        functions: a `Sequential`, or a list of modules or functions of one argument.
        segments: how many stretches.
        input: for the first function.
        use_reentrant: see `checkpoint`.
        **kwargs: `preserve_rng_state` (True).

    Source: https://docs.pytorch.org/docs/stable/checkpoint.html#torch.utils.checkpoint.checkpoint_sequential
    """
    if use_reentrant is None:
        said = (
            "the use_reentrant parameter should be passed explicitly. In version 2.9 we will raise an "
            "exception if use_reentrant is not passed. "
        )
        warnings.warn(
            f"nbmodule.utils.checkpoint.checkpoint_sequential: {said}{NOT_SAID_END}", stacklevel=2
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    _refuse(kwargs)
    steps = list(functions.children() if hasattr(functions, "children") else functions)
    size = len(steps) // segments
    end = 0
    for start in range(0, size * (segments - 1), size):
        end = start + size
        input = checkpoint(
            _in_turn(steps[start:end]), input, use_reentrant=use_reentrant, preserve_rng_state=preserve
        )  # fmt: skip
    return _in_turn(steps[end:])(input)


def _refuse(kwargs: dict[str, Any]) -> None:
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))


def _in_turn(steps: Sequence[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    def run(input: Any) -> Any:
        for step in steps:
            input = step(input)
        return input

    return run


@contextmanager
def _drawn_again(state: Tensor | None) -> Iterator[None]:
    """Inside, random numbers are those that followed on `state`; None leaves them alone."""
    with fork_rng(enabled=state is not None):
        if state is not None:
            set_rng_state(state)
        yield


# ---- use_reentrant=False


def _recorded(function: Any, args: Any, kwargs: Any, preserve: bool, context_fn: Contexts, determinism_check: str) -> Any:  # fmt: skip
    """Call `function`, recorded, and make its nodes forget what they saved."""
    if determinism_check not in ("default", "none"):
        raise ValueError(
            f"determinism_check should be one of ['default', 'none'], but got {determinism_check}"
        )
    first, second = context_fn()
    state = get_rng_state() if preserve else None

    def again() -> list[Any]:
        with without_hooks(), _drawn_again(state), enable_grad(), second:
            return list(_tensors(function(*args, **kwargs)))

    if not is_grad_enabled():
        return function(*args, **kwargs)
    inputs = [x for x in args if isinstance(x, Tensor)]
    stretch = Stretch(again, determinism_check == "default", inputs)
    with without_hooks(), first:
        result = function(*args, **kwargs)
    stretch.forget(_tensors(result))
    return result


def _tensors(value: Any) -> Iterator[Tensor]:
    """Yield the tensors in `value`, which may be sequences and mappings of them, nested as one likes."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _tensors(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _tensors(each)


# ---- use_reentrant=True


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warn if none of the tensors among `inputs` requires grad."""
    if not any(x.requires_grad for x in inputs if isinstance(x, Tensor)):
        warnings.warn(
            "None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2
        )


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return `inputs` with tensors replaced by leaves on the same memory.

    Raises:
        RuntimeError: `inputs` is no tuple.
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError(
            f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}"
        )
    return tuple(
        x.detach().requires_grad_(x.requires_grad) if isinstance(x, Tensor) else x for x in inputs
    )


class CheckpointFunction(Function):
    """Runs a function unrecorded; its derivative runs it again, recorded, and walks back through that."""

    @staticmethod
    def forward(ctx: Any, run_function: Callable[..., Any], preserve_rng_state: bool, *args: Any) -> Any:  # fmt: skip
        """Call `run_function`, and keep what is needed to do so again."""
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.state = get_rng_state() if preserve_rng_state else None
        ctx.inputs = [None if isinstance(x, Tensor) else x for x in args]
        ctx.places = [i for i, x in enumerate(args) if isinstance(x, Tensor)]
        ctx.save_for_backward(*(args[i] for i in ctx.places))
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *args: Any) -> Any:
        """Call the function again, and return the gradients of its arguments."""
        if current_walk().targets is not None:
            raise RuntimeError(
                "When use_reentrant=True, nbmodule.utils.checkpoint is incompatible with .grad() or passing an "
                "`inputs` parameter to .backward(). To resolve this error, you can either set "
                "use_reentrant=False, or call .backward() without passing the `inputs` argument."
            )
        inputs = list(ctx.inputs)
        for place, t in zip(ctx.places, ctx.saved_tensors, strict=True):
            inputs[place] = t
        with _drawn_again(ctx.state):
            leaves = detach_variable(tuple(inputs))
            with enable_grad():
                outputs = ctx.run_function(*leaves)
        if isinstance(outputs, Tensor):
            outputs = (outputs,)
        pairs = zip(outputs, args, strict=False)
        pairs = [(y, g) for y, g in pairs if isinstance(y, Tensor) and y.requires_grad]
        if not pairs:
            raise RuntimeError(
                "none of output has requires_grad=True, this checkpoint() is not necessary"
            )
        backward([y for y, _ in pairs], [g for _, g in pairs])
        return None, None, *(x.grad if isinstance(x, Tensor) else None for x in leaves)
