"""Methods of a Module that read a state back. Every problem is noted first; one error names them all.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.load_state_dict
"""

from __future__ import annotations

import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..._tensor import Tensor
from ...autograd import no_grad
from ...utils.hooks import RemovableHandle
from ..parameter import Parameter, is_lazy
from . import module as home
from ._hooks import WrappedHook, add_hook
from ._state_dict import EXTRA_STATE

if TYPE_CHECKING:
    from .module import Module

CHANGED_BY_HOOK = (
    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, "
    "if incompatible_keys need to be modified, it should be done inplace."
)


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What `load_state_dict` returns: the keys that it missed, and those that nobody wanted."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


def load_state_dict(self: Module, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> _IncompatibleKeys:  # fmt: skip
    """Copy the tensors of `state_dict` into the parameters and buffers, here and below.

    Args:
        self: the module.
        state_dict: tensors by the paths that ``self.state_dict()`` has.
        strict: raise where the keys differ.
        assign: put the tensors themselves in place of the old ones, with their dtype and device.

    Returns:
        A named tuple of ``missing_keys`` and ``unexpected_keys``.

    Raises:
        TypeError: `state_dict` is no mapping.
        RuntimeError: a shape differs, a value is no tensor, or, with `strict`, a key is missing or
            unexpected. All that did fit has been loaded.
    """
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
    problems = _IncompatibleKeys([], [])
    errors: list[str] = []
    metadata = getattr(state_dict, "_metadata", None)
    state: Any = OrderedDict(state_dict)  # a copy: hooks and overrides may change it
    if metadata is not None:
        state._metadata = metadata
    _load(self, state, "", metadata, assign, problems, errors)
    if strict:
        errors[:0] = _complaints(problems)
    if errors:
        raise RuntimeError(
            "Error(s) in loading state_dict for {}:\n\t{}".format(
                type(self).__name__, "\n\t".join(errors)
            )
        )
    return problems


def _load(module: Module, state: Any, prefix: str, metadata: Any, assign: bool, problems: _IncompatibleKeys, errors: list[str]) -> None:  # fmt: skip
    """Load `module`, then its children, each with the part of `state` that is below it."""
    local_metadata = {} if metadata is None else metadata.get(prefix[:-1], {})
    if assign:
        local_metadata["assign_to_params_buffers"] = assign
    module._load_from_state_dict(state, prefix, local_metadata, True, *problems, errors)
    below = _by_child(state, prefix) if module._modules else {}
    for name, child in module._modules.items():
        if child is not None:
            _load(
                child, below.get(name, {}), f"{prefix}{name}.", metadata, assign, problems, errors
            )
    for hook in module._load_state_dict_post_hooks.values():
        if hook(module, problems) is not None:
            raise AssertionError(CHANGED_BY_HOOK)


def _by_child(state: Any, prefix: str) -> dict[str, dict[str, Any]]:
    """Return the parts of `state` below each child of the module at `prefix`, by the child's name."""
    parts: dict[str, dict[str, Any]] = {}
    start = len(prefix)
    for key, value in state.items():
        dot = key.find(".", start)
        if dot >= 0 and key.startswith(prefix):
            parts.setdefault(key[start:dot], {})[key] = value
    return parts


def _complaints(problems: _IncompatibleKeys) -> Iterator[str]:
    for kind, keys in zip(("Missing", "Unexpected"), problems, strict=True):
        if keys:
            listed = ", ".join(f'"{key}"' for key in keys)
            yield f"{kind} key(s) in state_dict: {listed}. "


def load_from_state_dict(self: Module, state_dict: Any, prefix: str, local_metadata: dict[str, Any], strict: bool, missing_keys: list[str], unexpected_keys: list[str], error_msgs: list[str]) -> None:  # fmt: skip
    """Load what this module itself holds; subclasses may translate an old format first.

    Args:
        self: the module.
        state_dict: the whole mapping, or the part of it below this module.
        prefix: the path of this module, with a dot at its end.
        local_metadata: what `state_dict` noted on this module, such as its "version".
        strict: whether to note missing and unexpected keys.
        missing_keys: a list to add to.
        unexpected_keys: a list to add to.
        error_msgs: a list to add to.
    """
    notes = (missing_keys, unexpected_keys, error_msgs)
    for hook in self._load_state_dict_pre_hooks.values():
        hook(state_dict, prefix, local_metadata, strict, *notes)
    own, found = _own_state(self), 0
    assign = local_metadata.get("assign_to_params_buffers", False)
    with no_grad():
        for name, tensor in own.items():
            key = prefix + name
            if key in state_dict:
                found += 1
                error = _load_tensor(self, name, tensor, key, state_dict[key], assign)
                if error is not None:
                    error_msgs.append(error)
            elif strict:
                missing_keys.append(key)
    _load_extra_state(self, state_dict, prefix + EXTRA_STATE, strict, missing_keys, unexpected_keys)
    if strict and found < len(state_dict):
        unexpected_keys += _unexpected(self, state_dict, prefix, own)


def _own_state(module: Module) -> dict[str, Tensor]:
    """Return the parameters and persistent buffers that `module` itself holds."""
    held: dict[str, Any] = module._parameters
    if module._buffers:
        forgotten = module._non_persistent_buffers_set
        held = {**held, **{k: v for k, v in module._buffers.items() if k not in forgotten}}
    return {name: tensor for name, tensor in held.items() if tensor is not None}


def _load_tensor(module: Module, name: str, tensor: Tensor, key: str, found: Any, assign: bool) -> str | None:  # fmt: skip
    """Load `found` into the place of `tensor`. Return what is wrong, or None."""
    if not isinstance(found, Tensor):
        return (
            f'While copying the parameter named "{key}", expected nbmodule.Tensor or Tensor-like object from '
            f"checkpoint but received {type(found)}"
        )
    if not is_lazy(tensor):
        if tensor.ndim == 0 and tuple(found.shape) == (1,):
            found = found[0]  # scalars once had one dimension
        if found.shape != tensor.shape:
            return (
                f"size mismatch for {key}: copying a param with shape {found.shape} from checkpoint, the shape in "
                f"current model is {tensor.shape}."
            )
    if tensor.is_meta and not found.is_meta and not assign:
        warnings.warn(_no_op(key), stacklevel=4)
    try:
        if assign:
            setattr(module, name, _in_the_kind_of(tensor, found))
        else:
            tensor.copy_(found)
    except Exception as error:
        return (
            f'While copying the parameter named "{key}", whose dimensions in the model are {tensor.size()} and '
            f"whose dimensions in the checkpoint are {found.size()}, an exception occurred : {error.args}."
        )
    return None


def _in_the_kind_of(old: Tensor, new: Tensor) -> Tensor:
    """Return `new` as a Parameter like `old`, if `old` is one."""
    if not isinstance(old, Parameter):
        return new
    if isinstance(new, Parameter):
        return new.requires_grad_(old.requires_grad)
    return Parameter(new, requires_grad=old.requires_grad)


def _no_op(key: str) -> str:
    return (
        f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current "
        "model, which is a no-op. (Did you mean to pass `assign=True` to assign items in the state "
        "dictionary to their corresponding key in the module instead of copying them in place?)"
    )


def _load_extra_state(module: Module, state: Any, key: str, strict: bool, missing: list[str], unexpected: list[str]) -> None:  # fmt: skip
    wanted = type(module).set_extra_state is not home.Module.set_extra_state
    if wanted and key in state:
        module.set_extra_state(state[key])
    elif wanted and strict:
        missing.append(key)
    elif strict and key in state:
        unexpected.append(key)


def _unexpected(module: Module, state: Any, prefix: str, own: dict[str, Tensor]) -> Iterator[str]:
    """Yield the keys of `state` that belong below `prefix`, but to nothing there."""
    start, extra = len(prefix), prefix + EXTRA_STATE
    for key in state:
        if key.startswith(prefix) and key != extra:
            dot = key.find(".", start)
            if key[start:] not in own if dot < 0 else key[start:dot] not in module._modules:
                yield key


def register_private_load_state_dict_pre_hook(self: Module, hook: Callable, with_module: bool = False) -> RemovableHandle:  # fmt: skip
    """Have `hook` run before this module is loaded, with the arguments of ``_load_from_state_dict``.

    Args:
        self: the module.
        hook: a function; it may change the state, and the lists of what is wrong.
        with_module: pass the module before the other arguments.
    """
    wrapped = WrappedHook(hook, self if with_module else None)
    return add_hook(self._load_state_dict_pre_hooks, wrapped)


def register_load_state_dict_pre_hook(self: Module, hook: Callable) -> RemovableHandle:
    """Have ``hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)`` run before this module is loaded."""  # fmt: skip
    return register_private_load_state_dict_pre_hook(self, hook, with_module=True)


def register_load_state_dict_post_hook(self: Module, hook: Callable) -> RemovableHandle:
    """Have ``hook(module, incompatible_keys)`` run after this module and all below were loaded.

    It may change the two lists in place, and returns None.
    """
    return add_hook(self._load_state_dict_post_hooks, hook)
