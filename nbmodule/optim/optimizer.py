"""What all optimizers share: which parameters they change, and what they remember of each.

Source: https://docs.pytorch.org/docs/stable/optim.html
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from .._engine import note_write
from .._tensor import Tensor


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
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but "
                f"got {params.type()}"
            )
        self.defaults = defaults
        self.state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a dictionary of parameters and options, as when layers are thawed during training.

        Raises:
            TypeError: it is no dictionary, or does not hold tensors.
            ValueError: a parameter is not a leaf, or belongs to a group already.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of "
                "tensors in sets will change between runs. Please use a list instead."
            )
        params = [params] if isinstance(params, Tensor) else list(params)
        named = {}
        if params and isinstance(params[0], tuple):
            named["param_names"] = [name for name, _ in params]
            params = [p for _, p in params]
        known = {p for group in self.param_groups for p in group["params"]}
        for p in params:
            if not isinstance(p, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(p).__name__}")  # fmt: skip
            if not (p.is_leaf or p.grad is not None):
                raise ValueError("can't optimize a non-leaf Tensor")
            if p in known:
                raise ValueError("some parameters appear in more than one parameter group")
        if len({*params}) < len(params):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause "
                "an error; see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=3,
            )
        group = param_group | named | {"params": params}
        self.param_groups.append(group | {k: v for k, v in self.defaults.items() if k not in group})

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Take the gradients of all parameters away, or set them to 0 where `set_to_none` is False."""
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    if set_to_none:
                        p.grad = None
                    else:
                        p.grad.detach_().zero_()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters once, by their gradients."""
        raise NotImplementedError

    def __repr__(self) -> str:
        lines = [type(self).__name__ + " ("]
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}")
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
            lines.append("")
        return "\n".join(lines[:-1]) + "\n)"


def with_gradient(params: Iterable[Tensor]) -> list[Tensor]:
    """Return the parameters that a step changes: those to which a gradient has come."""
    return [p for p in params if p._grad is not None]


def written(p: Tensor) -> None:
    """Take down that a step has written to `p`."""
    note_write(p._storage)
