"""What all optimizers share: which parameters they change, what they remember of each, and their hooks.

Source: https://docs.pytorch.org/docs/stable/optim.html
"""

from __future__ import annotations

import functools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from itertools import chain
from typing import Any

from .._backend import mixed_devices
from .._legacy import typename
from .._tensor import Tensor
from ..utils.hooks import RemovableHandle
from ._for_subclasses import (  # noqa: F401
    ParamsT,
    _capturable_doc,
    _default_to_fused_or_foreach,
    _device_dtype_check_for_fused,
    _differentiable_doc,
    _disable_dynamo_if_unsupported,
    _foreach_doc,
    _fused_doc,
    _get_capturable_supported_devices,
    _get_scalar_dtype,
    _maximize_doc,
    _params_doc,
    _RequiredParameter,
    _stack_if_compiling,
    _use_grad_for_differentiable,
    _view_as_real,
    required,
)
from ._saved_state import Hooks, SavedState, registered
from ._steps import plain as _get_value  # noqa: F401
from ._steps import scalar as _to_scalar  # noqa: F401

__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook"]

_global_optimizer_pre_hooks: Hooks = OrderedDict()
_global_optimizer_post_hooks: Hooks = OrderedDict()


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Have ``hook(optimizer, args, kwargs)`` run before every step of every optimizer.

    Args:
        hook: what it returns, unless that is None, are the ``(args, kwargs)`` that `step` is called with.

    Returns:
        a handle whose ``remove()`` takes the hook away.

    Source: https://docs.pytorch.org/docs/stable/optim.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.optim.optimizer import register_optimizer_step_pre_hook
        >>> handle = register_optimizer_step_pre_hook(lambda *given: print(type(given[0]).__name__))
        >>> nbmodule.optim.SGD([nbmodule.ones(1)], lr=0.1).step()
        SGD
        >>> handle.remove()
    """
    return registered(_global_optimizer_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Have ``hook(optimizer, args, kwargs)`` run after every step of every optimizer.

    Args:
        hook: what it returns does not count.

    Returns:
        a handle whose ``remove()`` takes the hook away.

    Source: https://docs.pytorch.org/docs/stable/optim.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.optim.optimizer import register_optimizer_step_post_hook
        >>> count = []
        >>> handle = register_optimizer_step_post_hook(lambda *given: count.append(1))
        >>> nbmodule.optim.SGD([nbmodule.ones(1)], lr=0.1).step()
        >>> handle.remove()
        >>> len(count)
        1
    """
    return registered(_global_optimizer_post_hooks, hook)


class Optimizer(SavedState):
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

    Source: https://docs.pytorch.org/docs/stable/optim.html

    Example:
        >>> import nbmodule
        >>> class SignDescent(nbmodule.optim.Optimizer):
        ...     def __init__(self, params, lr=0.5):
        ...         super().__init__(params, {"lr": lr})
        ...
        ...     @nbmodule.no_grad()
        ...     def step(self):
        ...         for group in self.param_groups:
        ...             for p in group["params"]:
        ...                 p -= group["lr"] * p.grad.sign()
        >>> p = nbmodule.tensor([1.0, -4.0], requires_grad=True)
        >>> (p**2).sum().backward()
        >>> SignDescent([p]).step()
        >>> p
        tensor([ 0.5000, -3.5000], requires_grad=True)
    """

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._add_hook_lists()
        self._patch_step_function()
        self._warned_capturable_if_run_uncaptured = True
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

        Args:
            param_group: it is completed with the options that it does not say, and kept as it is.

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
        if not hasattr(self, "_zero_grad_profile_name"):  # made without `__init__`
            self._patch_step_function()
        for group in self.param_groups:
            for p in group["params"]:
                if p._grad is None:
                    continue
                if set_to_none:
                    p._grad = None
                elif p.grad.grad_fn is not None:
                    p.grad.detach_().zero_()
                else:
                    p.grad.requires_grad_(False).zero_()

    # ---- steps

    def _use_fused(self, differentiable: bool, foreach: bool | None) -> None:
        """Take note that PyTorch's fused way was asked for, which scales gradients inside of a step.

        Raises:
            RuntimeError: it does not go with another way that was asked for.
        """
        if differentiable:
            raise RuntimeError("`fused` does not support `differentiable`")
        if foreach:
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
        self._step_supports_amp_scaling = True

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change every parameter that has a gradient.

        Args:
            closure: computes the loss again and returns it.

        Returns:
            What `closure` returned, or None.
        """
        raise NotImplementedError

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Have ``hook(optimizer, args, kwargs)`` run before each step.

        What it returns, unless that is None, are the ``(args, kwargs)`` that `step` is called with.
        """
        return registered(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Have ``hook(optimizer, args, kwargs)`` run after each step."""
        return registered(self._optimizer_step_post_hooks, hook)

    def _patch_step_function(self) -> None:
        """Wrap the `step` of this class, once, whoever wrote it."""
        self._zero_grad_profile_name = f"Optimizer.zero_grad#{type(self).__name__}.zero_grad"
        if not getattr(type(self).step, "hooked", False):
            type(self).step = self.profile_hook_step(type(self).step)  # type: ignore[method-assign]
            type(self).step.hooked = True  # type: ignore[attr-defined]

    @staticmethod
    def profile_hook_step(func: Callable[..., Any]) -> Callable[..., Any]:
        """Return the method `func`, a step, with the hooks around it."""

        @functools.wraps(func)
        def step(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
            given: tuple[Any, ...] = (self, *args)
            if _global_optimizer_pre_hooks or self._optimizer_step_pre_hooks:
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
            try:
                out = func(*given, **kwargs)
            except TypeError:
                if (apart := _apart(self)) is not None:  # an array of a GPU has met one of the CPU
                    raise apart from None
                raise
            if self._optimizer_step_post_hooks or _global_optimizer_post_hooks:
                after = self._optimizer_step_post_hooks.values()
                for hook in chain(after, _global_optimizer_post_hooks.values()):
                    hook(self, given, kwargs)
            return out

        return step

    def _accelerator_graph_capture_health_check(self) -> None:
        """Do nothing: PyTorch checks here whether GPU work is being captured, which is not done here."""

    _cuda_graph_capture_health_check = _accelerator_graph_capture_health_check

    def __repr__(self) -> str:
        text = type(self).__name__ + " ("
        for i, group in enumerate(self.param_groups):
            options = [f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params"]
            text += f"\nParameter Group {i}\n" + "".join(options)
        return text + ")"


def _apart(optimizer: Optimizer) -> RuntimeError | None:
    """Return the error for a parameter and its state on several devices; counts may lie anywhere."""
    for p in chain.from_iterable(group["params"] for group in optimizer.param_groups):
        state = [v._array for v in optimizer.state.get(p, {}).values() if isinstance(v, Tensor)]
        error = mixed_devices((p._array, *(a for a in state if a.ndim)))
        if error is not None:
            return error
    return None
