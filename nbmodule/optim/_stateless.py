"""A step on other tensors than the optimizer's own.

Source: https://docs.pytorch.org/docs/stable/optim.html
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .._tensor import Tensor
from .optimizer import Optimizer

_NAME = "swap_in_optimizer_params_and_state"


@contextmanager
def swap_in_optimizer_params_and_state(optimizer: Optimizer, swapin_parameters: dict[str, Tensor], swapin_optim_state: dict[str, Any]) -> Iterator[None]:  # fmt: skip
    """Give `optimizer` other parameters and another state for the time of a ``with`` block.

    A step inside changes the tensors that were given, and only those; hooks see them, too. Afterwards the
    optimizer is what it was, even where the block failed. That makes of a step a function of parameters and
    state, for experiments that must not touch the training.

    Args:
        optimizer: one that has made a step.
        swapin_parameters: the other parameters by any names, in the order of the optimizer's own.
        swapin_optim_state: what `Optimizer.state_dict` returns. Its tensors are written to; what the block
            adds to its dictionaries is forgotten.

    Raises:
        RuntimeError: there is no state yet, or what was given does not fit the optimizer.

    Source: https://docs.pytorch.org/docs/stable/optim.html

    Example:
        >>> import copy, nbmodule
        >>> w = nbmodule.tensor([1.0], requires_grad=True)
        >>> optimizer = nbmodule.optim.SGD([w], lr=0.1, momentum=0.9)
        >>> w.grad = nbmodule.tensor([1.0])
        >>> optimizer.step()
        >>> other = nbmodule.tensor([5.0])
        >>> other.grad = nbmodule.tensor([2.0])
        >>> state = copy.deepcopy(optimizer.state_dict())
        >>> with nbmodule.optim.swap_in_optimizer_params_and_state(optimizer, {"w": other}, state):
        ...     optimizer.step()
        >>> other, w.detach(), optimizer.state[w]["momentum_buffer"]
        (tensor([4.7100]), tensor([0.9000]), tensor([1.]))
    """
    known, groups = _checked(optimizer, swapin_optim_state)
    others = list(swapin_parameters.values())
    state: defaultdict[Any, Any] = defaultdict(dict)
    swapped: list[dict[str, Any]] = []
    seen: set[int] = set()
    for i, (own, group) in enumerate(zip(optimizer.param_groups, groups, strict=True)):
        numbers = _checked_numbers(i, own, group)
        if len(numbers) > len(others):
            raise RuntimeError(
                f"{_NAME} requires the explicit parameter state to match optimizer.param_groups ordering."
            )
        params, others = others[: len(numbers)], others[len(numbers) :]
        swapped.append(group | {"params": params})
        seen.update(numbers)
        for p, number in zip(params, numbers, strict=True):
            state[p] = dict(known.get(number, {}))
    extra = [k for k in known if k not in seen]
    if extra:
        raise RuntimeError(
            f"{_NAME} requires swapin_optim_state['state'] to be keyed only by packed parameter ids from "
            f"param_groups[*]['params']; got extra keys {extra!r}."
        )
    own_state, own_groups = optimizer.state, [dict(group) for group in optimizer.param_groups]
    try:
        for group, other in zip(optimizer.param_groups, swapped, strict=True):
            group.update(other)
        optimizer.state = state
        yield
    finally:
        for group, own in zip(optimizer.param_groups, own_groups, strict=True):
            group.clear()
            group.update(own)
        optimizer.state = own_state


def _checked(optimizer: Optimizer, given: Any) -> tuple[dict[Any, Any], list[dict[str, Any]]]:
    """Return the state and the groups of `given`, a state that fits `optimizer`."""
    if not optimizer.state:
        raise RuntimeError(f"{_NAME} requires initialized optimizer state.")
    if not isinstance(given, dict):
        raise RuntimeError(f"{_NAME} requires a DCP-style optimizer state_dict.")
    state, groups = given.get("state"), given.get("param_groups")
    if not isinstance(state, dict):
        raise RuntimeError(
            f"{_NAME} requires swapin_optim_state['state'] to be a dict mapping packed parameter ids to "
            f"per-param state dicts, got {type(state).__name__}."
        )
    if any(isinstance(k, Tensor) for k in state):
        raise RuntimeError(
            f"{_NAME} requires optimizer.state_dict()-style state keyed by packed parameter ids."
        )
    if any(isinstance(k, int) and not isinstance(v, dict) for k, v in state.items()):
        raise RuntimeError(
            f"{_NAME} requires per-parameter optimizer state entries to be dictionaries."
        )
    if not isinstance(groups, list):
        raise RuntimeError(
            f"{_NAME} requires swapin_optim_state['param_groups'] to be a list of param-group dicts, got "
            f"{type(groups).__name__}."
        )
    if len(optimizer.param_groups) != len(groups):
        raise RuntimeError(
            "swapin_optim_state has a different number of parameter groups than the live optimizer."
        )
    return state, groups


def _checked_numbers(i: int, own: dict[str, Any], group: Any) -> list[int]:
    """Return the numbers of the parameters of `group`, which must fit the optimizer's `own` group."""
    if not isinstance(group, dict):
        raise RuntimeError(f"{_NAME} requires each optimizer param group to be a dictionary.")
    numbers = group.get("params")
    if not isinstance(numbers, list) or not all(isinstance(n, int) for n in numbers):
        raise RuntimeError(
            f"{_NAME} requires optimizer.state_dict()-style param_groups[*]['params'] entries keyed by packed "
            "parameter ids."
        )
    if len(own["params"]) != len(numbers):
        raise RuntimeError(
            f"swapin_optim_state param group {i} has a different number of params than the live optimizer "
            "param group."
        )
    only_given, only_own = [k for k in group if k not in own], [k for k in own if k not in group]
    if only_given or only_own:
        raise RuntimeError(
            f"{_NAME} requires optimizer.state_dict()-style param group keys to exactly match the live "
            f"optimizer group keys for group {i}. Keys only in swap-in: {only_given}. Keys only in live: "
            f"{only_own}."
        )
    return numbers
