"""Methods of a Module that write its state down: all parameters and persistent buffers, by their paths.

Source: https://docs.pytorch.org/docs/stable/notes/serialization.html#saving-and-loading-torch-nn-modules
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..._engine import wrap
from ...utils.hooks import RemovableHandle
from ..parameter import PLAIN
from . import module as home
from ._hooks import add_hook

if TYPE_CHECKING:
    from .module import Module

EXTRA_STATE = "_extra_state"

POSITIONAL = (
    "Positional args are being deprecated, use kwargs instead. Refer to "
    "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details."
)


def state_dict(self: Module, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> dict[str, Any]:  # fmt: skip
    """Return all parameters and persistent buffers, here and below, by their paths.

    The tensors share the module's memory: copy what is to stay as it is now.

    Args:
        self: the module.
        *args: the same three by position, as it once was.
        destination: a mapping to write into, and to return; by default a new OrderedDict.
        prefix: put before every path.
        keep_vars: hand out the parameters themselves, not detached tensors.
    """
    if args:
        warnings.warn(POSITIONAL, FutureWarning, stacklevel=2)
        destination, prefix, keep_vars = _merged(args, destination, prefix, keep_vars)
    if destination is None:
        destination = OrderedDict()
        destination._metadata = OrderedDict()  # type: ignore[attr-defined]
    local_metadata = {"version": self._version}
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = local_metadata
    if self._state_dict_pre_hooks:
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
    self._save_to_state_dict(destination, prefix, keep_vars)
    for name, module in self._modules.items():
        if module is not None:
            module.state_dict(
                destination=destination, prefix=prefix + name + ".", keep_vars=keep_vars
            )
    if self._state_dict_hooks:
        destination = _after_hooks(self, destination, prefix, local_metadata)
    return destination


def _merged(args: tuple, destination: Any, prefix: str, keep_vars: bool) -> tuple[Any, str, bool]:
    """Return the three options; what was given by keyword counts more than what came by position."""
    if destination is None:
        destination = args[0]
    if len(args) > 1 and prefix == "":
        prefix = args[1]
    if len(args) > 2 and keep_vars is False:
        keep_vars = args[2]
    return destination, prefix, keep_vars


def _after_hooks(module: Module, state: Any, prefix: str, local_metadata: dict[str, Any]) -> Any:
    """Run the hooks that come after, and return the state that they leave."""
    for hook in module._state_dict_hooks.values():
        changed = hook(module, state, prefix, local_metadata)
        if changed is None:
            continue
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError("state_dict post-hook must return None")
        state = changed
    return state


def save_to_state_dict(self: Module, destination: Any, prefix: str, keep_vars: bool) -> None:
    """Write what this module itself holds into `destination`; subclasses may add to it.

    Args:
        self: the module.
        destination: a mapping.
        prefix: the path of this module, with a dot at its end.
        keep_vars: write the tensors themselves, not detached ones.
    """
    for name, parameter in self._parameters.items():
        if parameter is not None:
            destination[prefix + name] = parameter if keep_vars else _detached(parameter)
    for name, buffer in self._buffers.items():
        if buffer is not None and name not in self._non_persistent_buffers_set:
            destination[prefix + name] = buffer if keep_vars else _detached(buffer)
    if type(self).get_extra_state is not home.Module.get_extra_state:
        destination[prefix + EXTRA_STATE] = self.get_extra_state()


def _detached(t: Any) -> Any:
    """Return ``t.detach()``, which for an ordinary parameter or buffer is this."""
    return wrap(t._array, t._storage) if type(t) in PLAIN else t.detach()


def get_extra_state(self: Module) -> Any:
    """Return what else belongs to the state. Override it together with `set_extra_state`."""
    raise RuntimeError(_never("get_extra_state"))


def set_extra_state(self: Module, state: Any) -> None:
    """Take back what `get_extra_state` returned. Override it together with that."""
    raise RuntimeError(_never("set_extra_state"))


def _never(name: str) -> str:
    return (
        f"Reached a code path in Module.{name}() that should never be called. Please file an issue at "
        "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
        f"\nA class that has extra state defines {name} itself."
    )


def register_state_dict_pre_hook(self: Module, hook: Callable) -> RemovableHandle:
    """Have ``hook(module, prefix, keep_vars)`` run before `state_dict` writes this module down."""
    return add_hook(self._state_dict_pre_hooks, hook)


def register_state_dict_post_hook(self: Module, hook: Callable) -> RemovableHandle:
    """Have ``hook(module, state_dict, prefix, local_metadata)`` run when this module is written down.

    It changes ``state_dict`` in place, and returns None.
    """
    hook._from_public_api = True  # type: ignore[attr-defined]
    return add_hook(self._state_dict_hooks, hook)


def register_private_state_dict_hook(self: Module, hook: Callable) -> RemovableHandle:
    """Do what `register_state_dict_post_hook` does, but take what `hook` returns as the state.

    Raises:
        RuntimeError: `hook` was registered by `register_state_dict_post_hook` before.
    """
    if getattr(hook, "_from_public_api", False):
        raise RuntimeError(
            "Cannot register the same function as the state dict post hook that was previously registered "
            "via register_state_dict_post_hook"
        )
    return add_hook(self._state_dict_hooks, hook)
