"""What an optimizer is saved as and made from again: state dicts with their hooks, pickles, copies."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

from .._tensor import Tensor
from ..utils.hooks import RemovableHandle
from ._steps import new_counter

Hooks = OrderedDict[int, Callable[..., Any]]


def registered(hooks: Hooks, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
    """Add `hook`, before the others if `prepend` is set; return the handle that takes it away."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


class SavedState:
    """The half of `Optimizer` that saves and loads."""

    _numbers: tuple[str, ...] = ()
    """State tensors, beside "step", that are single numbers of a type of their own."""

    defaults: dict[str, Any]
    param_groups: list[dict[str, Any]]
    state: defaultdict[Any, Any]

    _optimizer_step_pre_hooks: Hooks
    _optimizer_step_post_hooks: Hooks
    _optimizer_state_dict_pre_hooks: Hooks
    _optimizer_state_dict_post_hooks: Hooks
    _optimizer_load_state_dict_pre_hooks: Hooks
    _optimizer_load_state_dict_post_hooks: Hooks

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
            numbers |= {
                id(p): i for i, p in enumerate(group["params"], start) if id(p) not in numbers
            }
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

        Tensors are cast to the type of their parameter, all but the count of steps; those that fit are
        shared with `state_dict`, not copied.

        Args:
            state_dict: the state. It is matched by order: the first number of the first group belongs to
                the first parameter here, whatever the names.

        Raises:
            ValueError: the groups do not fit. After any error all is as it was.
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
        ids = chain.from_iterable(g["params"] for g in saved)
        whose = dict(zip(ids, chain.from_iterable(g["params"] for g in groups), strict=True))
        state: defaultdict[Any, Any] = defaultdict(dict)
        for k, value in state_dict["state"].items():
            if k in whose:
                state[whose[k]] = self._fitted(whose[k], value, k, state_dict["param_groups"])
            else:
                state[k] = value
        for group, new in zip(groups, saved, strict=True):
            new["params"] = group["params"]
            if "param_names" in group:
                new.setdefault("param_names", group["param_names"])
        before = {"defaults": dict(self.defaults), "state": self.state, "param_groups": self.param_groups}  # fmt: skip
        try:
            self.__setstate__({"state": state, "param_groups": saved})
        except BaseException:  # the class could not bring this state up to date
            self.__dict__.update(before)
            raise
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    def _fitted(self, p: Tensor, value: Any, number: Any, groups: Any, key: Any = None) -> Any:
        """Return what was saved for the parameter `p`, each tensor of it cast to fit."""
        if isinstance(value, Tensor):
            return self._process_value_according_to_param_policy(p, value, number, groups, key)
        if isinstance(value, dict):
            kept = self._kept(p, value)
            return {k: v if k in kept else self._fitted(p, v, number, groups, k) for k, v in value.items()}  # fmt: skip
        if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
            return type(value)(self._fitted(p, v, number, groups) for v in value)  # type: ignore[call-arg]
        return value

    def _kept(self, p: Tensor, state: dict[Any, Any]) -> tuple[str, ...]:
        """Return the `_numbers` if the state is of a parameter of the type of `p`.

        PyTorch casts them even then, and a float64 run that is resumed goes on with other numbers.
        """
        others = (v for k, v in state.items() if k not in ("step", *self._numbers))
        same = any(isinstance(v, Tensor) and v.dtype == p.dtype for v in others)
        return self._numbers if same else ()

    @staticmethod
    def _process_value_according_to_param_policy(param: Tensor, value: Tensor, param_id: int, param_groups: list[dict[Any, Any]], key: Hashable = None) -> Tensor:  # fmt: skip
        """Return `value` on the device of `param` and of its type.

        A count of steps keeps its type: float16 would stop counting at 2048.
        """
        if key == "step":
            group = next((g for g in param_groups if param_id in g["params"]), {})
            moved = group.get("capturable", False) or group.get("fused", False)
            return value.float().to(param.device) if moved else value
        if param.is_floating_point():
            return value.to(param.device).to(param.dtype)
        return value.to(param.device)

    def register_state_dict_pre_hook(self, hook: Callable[..., None], prepend: bool = False) -> RemovableHandle:  # fmt: skip
        """Have ``hook(optimizer)`` run before `state_dict`; first of all if `prepend` is set."""
        return registered(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:  # fmt: skip
        """Have ``hook(optimizer, state_dict)`` run after `state_dict`; what it returns, if not None, is used."""
        return registered(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:  # fmt: skip
        """Have ``hook(optimizer, state_dict)`` run before `load_state_dict`; its result, if not None, is used."""
        return registered(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., None], prepend: bool = False) -> RemovableHandle:  # fmt: skip
        """Have ``hook(optimizer)`` run after `load_state_dict`."""
        return registered(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    def __getstate__(self) -> dict[str, Any]:
        return {
            "defaults": self.defaults,
            "state": self.state,
            "param_groups": self.param_groups,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._add_hook_lists()
        self._patch_step_function()
        self.defaults.setdefault("differentiable", False)

    def _patch_step_function(self) -> None:
        raise NotImplementedError

    def _add_hook_lists(self) -> None:
        """Add the lists of hooks that are not here yet: pickles and copies come without."""
        for moment in ("step_pre", "step_post", "state_dict_pre", "state_dict_post", "load_state_dict_pre", "load_state_dict_post"):  # fmt: skip
            self.__dict__.setdefault(f"_optimizer_{moment}_hooks", OrderedDict())

    def _complete(self, counted: bool = True, **options: Any) -> None:
        """Bring what an older PyTorch saved up to date: options that are new, counts that were numbers."""
        for group in self.param_groups:
            for option, default in options.items():
                group.setdefault(option, default)
            known = [self.state.get(p) for p in group["params"]] if counted else []
            for state in filter(None, known):
                for name in ("step", *self._numbers):
                    if not isinstance(state[name], Tensor):
                        state[name] = new_counter(float(state[name]), group.get("fused"))
