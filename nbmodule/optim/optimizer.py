"""What all optimizers share: which parameters they change, what they remember of each, and their hooks.

Source: https://docs.pytorch.org/docs/stable/optim.html
"""

from __future__ import annotations

import functools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from copy import deepcopy
from itertools import chain
from typing import Any

from .._engine import note_write
from .._legacy import typename
from .._tensor import Tensor
from ..autograd import enable_grad, set_grad_enabled
from ..utils.hooks import RemovableHandle

Hooks = OrderedDict[int, Callable[..., Any]]

_global_optimizer_pre_hooks: Hooks = OrderedDict()
_global_optimizer_post_hooks: Hooks = OrderedDict()


class _RequiredParameter:
    """The default of an option that every group must give."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _RequiredParameter()


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Have ``hook(optimizer, args, kwargs)`` run before every step of every optimizer.

    Returns:
        a handle whose ``remove()`` takes the hook away.
    """
    return _registered(_global_optimizer_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Have ``hook(optimizer, args, kwargs)`` run after every step of every optimizer.

    Returns:
        a handle whose ``remove()`` takes the hook away.
    """
    return _registered(_global_optimizer_post_hooks, hook)


def _registered(hooks: Hooks, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


class Optimizer:
    """Holds groups of parameters with their options; subclasses say what a step does.

    Args:
        params: tensors, pairs of names and tensors, or dictionaries: groups with a key "params" and
            options that differ from `defaults`.
        defaults: the options of groups that do not say otherwise.

    Attributes:
        param_groups: a list of dictionaries, which may be changed between steps.
        state: for each parameter a dictionary of what the optimizer remembers.

    Raises:
        TypeError: `params` is a single tensor, or holds something else than tensors.
        ValueError: there are no parameters, one occurs in two groups, or one is not a leaf.
    """

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._add_hook_lists()
        self._let_hooks_see_steps()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but "
                f"got {typename(params)}"
            )
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups: list[Any] = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    # ---- groups of parameters

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a dictionary of parameters and options, as when layers are thawed during training.

        Raises:
            TypeError: it is no dictionary, or does not hold tensors.
            ValueError: a parameter is not a leaf, or belongs to a group already; an option is missing;
                or some parameters have names and others have not.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        self._separate_names(param_group)
        for p in param_group["params"]:
            self._check_parameter(p)
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(
                    f"parameter group didn't specify a value of required optimization parameter {name}"
                )
            param_group.setdefault(name, default)
        if len(param_group["params"]) != len(set(param_group["params"])):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause "
                "an error; see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=3,
            )
        self._check_beside_others(param_group)
        self.param_groups.append(param_group)

    @staticmethod
    def _separate_names(group: dict[str, Any]) -> None:
        """Make ``group["params"]`` a list of tensors, with the names they came with apart."""
        params = group["params"]
        if isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of "
                "tensors in sets will change between runs. Please use a list instead."
            )
        params = [params] if isinstance(params, Tensor) else list(params)
        names = [p[0] for p in params if isinstance(p, tuple)]
        group["params"] = [p[1] if isinstance(p, tuple) else p for p in params]
        if names and len(names) < len(params):
            raise ValueError(
                "all optimizer params should be with/without names. Some param names are missing"
            )
        if names:
            group["param_names"] = names

    def _check_parameter(self, p: Any) -> None:
        if not isinstance(p, Tensor):
            raise TypeError(
                f"optimizer can only optimize Tensors, but one of the params is {typename(p)}"
            )
        if not (self.defaults.get("differentiable") or p.is_leaf or p.retains_grad):
            raise ValueError("can't optimize a non-leaf Tensor")

    def _check_beside_others(self, new: dict[str, Any]) -> None:
        """Raise if a group does not go with those that are here already."""
        for group in self.param_groups:
            if ("param_names" in new) != ("param_names" in group):
                kind = "with names" if "param_names" in new else "without names"
                raise ValueError(
                    "all optimizer param groups should be with/without names. cannot add param group "
                    f"{kind} to the optimizer"
                )
        known = {p for group in self.param_groups for p in group["params"]}
        if not known.isdisjoint(new["params"]):
            raise ValueError("some parameters appear in more than one parameter group")

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Take the gradients of all parameters away, or set them to 0 where `set_to_none` is False."""
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                if set_to_none:
                    p.grad = None
                elif p.grad.grad_fn is not None:
                    p.grad.detach_().zero_()
                else:
                    p.grad.requires_grad_(False).zero_()

    # ---- steps

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters once, by their gradients.

        Args:
            closure: computes the loss anew and returns it.

        Returns:
            What `closure` returned, or None.
        """
        raise NotImplementedError

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Have ``hook(optimizer, args, kwargs)`` run before each step.

        What it returns, unless that is None, are the ``(args, kwargs)`` that `step` is called with.
        """
        return _registered(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Have ``hook(optimizer, args, kwargs)`` run after each step."""
        return _registered(self._optimizer_step_post_hooks, hook)

    def _let_hooks_see_steps(self) -> None:
        """Wrap the `step` of this class, once, whoever wrote it."""
        if not getattr(type(self).step, "hooked", False):
            type(self).step = self.profile_hook_step(type(self).step)  # type: ignore[method-assign]
            type(self).step.hooked = True  # type: ignore[attr-defined]

    @staticmethod
    def profile_hook_step(func: Callable[..., Any]) -> Callable[..., Any]:
        """Return the method `func`, a step, with the hooks around it."""

        @functools.wraps(func)
        def step(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
            given: tuple[Any, ...] = (self, *args)
            before = self._optimizer_step_pre_hooks.values()
            for hook in chain(_global_optimizer_pre_hooks.values(), before):
                result = hook(self, given, kwargs)
                if result is None:
                    continue
                if not (isinstance(result, tuple) and len(result) == 2):
                    raise RuntimeError(
                        f"{func} must return None or a tuple of (new_args, new_kwargs), but got {result}."
                    )
                given, kwargs = result
            out = func(*given, **kwargs)
            after = self._optimizer_step_post_hooks.values()
            for hook in chain(after, _global_optimizer_post_hooks.values()):
                hook(self, given, kwargs)
            return out

        return step

    # ---- the state, to be saved and loaded

    def state_dict(self) -> dict[str, Any]:
        """Return the state, with numbers in place of the parameters: what a checkpoint keeps.

        Returns:
            "state", a dictionary for each parameter by its number, and "param_groups", the options of
            the groups and the numbers of their parameters. The tensors are the optimizer's own.
        """
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers: dict[int, int] = {}
        groups, start = [], 0
        for group in self.param_groups:
            for i, p in enumerate(group["params"], start):
                numbers.setdefault(id(p), i)
            start += len(group["params"])
            packed = {k: v for k, v in group.items() if k != "params"}
            groups.append(packed | {"params": [numbers[id(p)] for p in group["params"]]})
        state = {
            numbers[id(k)] if isinstance(k, Tensor) else k: value for k, value in self.state.items()
        }
        found: dict[str, Any] = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            result = hook(self, found)
            found = found if result is None else result
        return found

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over the state that `state_dict` returned, of an optimizer with groups of the same sizes.

        Raises:
            ValueError: the groups do not fit.
        """
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            result = hook(self, state_dict)
            state_dict = state_dict if result is None else result
        groups, saved = self.param_groups, deepcopy(state_dict["param_groups"])
        if len(groups) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if [len(g["params"]) for g in groups] != [len(g["params"]) for g in saved]:
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's "
                "group"
            )
        whose, options = {}, {}
        for group, new in zip(groups, saved, strict=True):
            whose |= dict(zip(new["params"], group["params"], strict=True))
            options |= dict.fromkeys(new["params"], new)
            new["params"] = group["params"]
            if "param_names" in group:
                new.setdefault("param_names", group["param_names"])
        state: defaultdict[Any, Any] = defaultdict(dict)
        for k, value in state_dict["state"].items():
            known = k in whose
            state[whose[k] if known else k] = (
                _fitted(value, whose[k], options[k]) if known else value
            )
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    def register_state_dict_pre_hook(self, hook: Callable[..., None], prepend: bool = False) -> RemovableHandle:  # fmt: skip
        """Have ``hook(optimizer)`` run before `state_dict`; first of all if `prepend` is set."""
        return _registered(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:  # fmt: skip
        """Have ``hook(optimizer, state_dict)`` run after `state_dict`; what it returns, if not None, is used."""
        return _registered(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:  # fmt: skip
        """Have ``hook(optimizer, state_dict)`` run before `load_state_dict`; its result, if not None, is used."""
        return _registered(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., None], prepend: bool = False) -> RemovableHandle:  # fmt: skip
        """Have ``hook(optimizer)`` run after `load_state_dict`."""
        return _registered(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    def __getstate__(self) -> dict[str, Any]:
        return {
            "defaults": self.defaults,
            "state": self.state,
            "param_groups": self.param_groups,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._add_hook_lists()
        self._let_hooks_see_steps()
        self.defaults.setdefault("differentiable", False)

    def _add_hook_lists(self) -> None:
        """Add the lists of hooks that are not here yet: pickles and copies come without."""
        for moment in ("step_pre", "step_post", "state_dict_pre", "state_dict_post", "load_state_dict_pre", "load_state_dict_post"):  # fmt: skip
            self.__dict__.setdefault(f"_optimizer_{moment}_hooks", OrderedDict())

    _optimizer_step_pre_hooks: Hooks
    _optimizer_step_post_hooks: Hooks
    _optimizer_state_dict_pre_hooks: Hooks
    _optimizer_state_dict_post_hooks: Hooks
    _optimizer_load_state_dict_pre_hooks: Hooks
    _optimizer_load_state_dict_post_hooks: Hooks

    def __repr__(self) -> str:
        lines = [type(self).__name__ + " ("]
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}")
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
            lines.append("")
        return "\n".join(lines[:-1]) + "\n)"


def _fitted(value: Any, p: Tensor, group: dict[str, Any], key: Any = None) -> Any:
    """Return what was saved for the parameter `p`, moved to its device and cast to its type.

    A count of steps keeps its type: float32 has too few digits in half precision.
    """
    if isinstance(value, Tensor):
        if key == "step":
            moved = group.get("capturable") or group.get("fused")
            return value.float().to(p.device) if moved else value
        return value.to(p.device, p.dtype) if p.is_floating_point() else value.to(p.device)
    if isinstance(value, dict):
        return {k: _fitted(v, p, group, k) for k, v in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return type(value)(_fitted(v, p, group) for v in value)  # type: ignore[call-arg]
    return value


# ---- what the steps of the optimizers are made of


def loss_of(closure: Callable[[], Any] | None) -> Any:
    """Return what `closure` returns, with gradients recorded; None where there is none."""
    if closure is None:
        return None
    with enable_grad():
        return closure()


def with_gradient(params: Iterable[Tensor]) -> list[Tensor]:
    """Return the parameters that a step changes: those to which a gradient has come."""
    return [p for p in params if p._grad is not None]


def recorded(optimizer: Optimizer) -> AbstractContextManager[Any]:
    """Return the context of a step on tensors: recorded only by an optimizer that is differentiable."""
    return set_grad_enabled(optimizer.defaults["differentiable"])


def number(value: Any) -> Any:
    """Return an option that may be a tensor of one element as a number."""
    return value.item() if isinstance(value, Tensor) else value


def written(p: Tensor) -> None:
    """Take down that a step has written to `p`."""
    note_write(p._storage)


def check_ways(differentiable: bool, foreach: bool | None, fused: bool | None) -> None:
    """Raise if the ways to compute that were asked for exclude one another.

    Raises:
        RuntimeError: `fused` does not go with the other two.
    """
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
