"""Methods of a Module that read a state back. Every problem is noted first; one error names them all, and nothing is changed.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.load_state_dict
"""

from __future__ import annotations

import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..._tensor import Tensor
from ...autograd import no_grad
from ...utils.hooks import RemovableHandle
from ..parameter import Parameter, is_lazy
from . import module as home
from ._hooks import WrappedHook, add_hook
from ._load_writes import Messages, can_be_copied
from ._state_dict import EXTRA_STATE

if TYPE_CHECKING:
    from .module import Module

PACKAGE = __name__.partition(".")[0]
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
            unexpected. One message lists all of that, and the module is as it was.
    """
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
    metadata = getattr(state_dict, "_metadata", None)
    state: Any = OrderedDict(state_dict)  # a copy: hooks and overrides may change it
    if metadata is not None:
        state._metadata = metadata
    plainly = _loads_plainly(self)
    problems, errors = (
        _IncompatibleKeys([], []),
        Messages(not plainly and _is_looked_at(self, set())),
    )
    try:
        if plainly and not assign:
            if _load_plainly(self, state, "", problems, errors) < len(state):
                problems.unexpected_keys.extend(_all_unexpected(self, state, ""))
        else:
            _load(self, state, "", metadata, assign, problems, errors)
        complaints = list(_complaints(problems)) if strict else []
        errors.settle(refused=bool(complaints))
        errors[:0] = complaints
        if errors:
            raise RuntimeError(
                "Error(s) in loading state_dict for {}:\n\t{}".format(
                    type(self).__name__, "\n\t".join(errors)
                )
            )
    except BaseException:
        errors.before.put_back()
        raise
    return problems


def _load(module: Module, state: Any, prefix: str, metadata: Any, assign: bool, problems: _IncompatibleKeys, errors: Messages) -> None:  # fmt: skip
    """Load `module`, then its children, each with the part of `state` that is below it."""
    local_metadata = {} if metadata is None else metadata.get(prefix[:-1], {})
    if assign:
        local_metadata["assign_to_params_buffers"] = assign
    if errors.at_once:
        errors.before.keep_all(module)
    elif assign or module._load_state_dict_pre_hooks:
        errors.before.keep_drawers(module)
    module._load_from_state_dict(state, prefix, local_metadata, True, *problems, errors)
    below = _by_child(state, prefix, module._modules) if module._modules else {}
    for name, child in module._modules.items():
        if child is not None:
            _load(
                child, below.get(name, {}), f"{prefix}{name}.", metadata, assign, problems, errors
            )
    for hook in module._load_state_dict_post_hooks.values():
        if hook(module, problems) is not None:
            raise AssertionError(CHANGED_BY_HOOK)


def _is_looked_at(module: Module, ours: set[type]) -> bool:
    """Return whether somebody else's code looks at `module`, or at one below, while a state is being loaded.

    `ours` collects the classes whose method is known to be the package's own.
    """
    kind, below = type(module), module._modules
    if kind not in ours:
        method = getattr(kind, "_load_from_state_dict", None)
        if not getattr(method, "__module__", "").startswith(f"{PACKAGE}."):
            return True
        ours.add(kind)
    if module._load_state_dict_post_hooks or "_load_from_state_dict" in module.__dict__:
        return True
    for child in below.values() if below else ():
        if child is not None and _is_looked_at(child, ours):
            return True
    return False


def _loads_plainly(module: Module) -> bool:
    """Return whether here and below all depends on the parameters, the buffers and the names of children alone."""
    plain, kind = home.Module, type(module)
    if (
        module._load_state_dict_pre_hooks
        or module._load_state_dict_post_hooks
        or getattr(kind, "_load_from_state_dict", None) is not plain._load_from_state_dict
        or getattr(kind, "set_extra_state", None) is not plain.set_extra_state
        or "_load_from_state_dict" in module.__dict__
        or EXTRA_STATE in module._parameters
        or EXTRA_STATE in module._buffers
    ):
        return False
    for name, child in module._modules.items():
        if "." in str(name) or not (child is None or _loads_plainly(child)):
            return False
    return True


def _load_plainly(module: Module, state: Any, prefix: str, problems: _IncompatibleKeys, errors: Messages) -> int:  # fmt: skip
    """Do what `_load` does for such modules, without a part of `state` for each; return how many keys were found."""
    found = _load_own(module, state, prefix, False, problems.missing_keys, errors)
    for name, child in module._modules.items():
        if child is not None:
            found += _load_plainly(child, state, f"{prefix}{name}.", problems, errors)
    return found


def _all_unexpected(module: Module, state: Any, prefix: str) -> Iterator[str]:
    """Yield the keys of `state` that belong to nothing, in the order in which `_load` notes them."""
    if prefix + EXTRA_STATE in state:
        yield prefix + EXTRA_STATE
    yield from _unexpected(module, state, prefix)
    below = _by_child(state, prefix, module._modules)
    for name, child in module._modules.items():
        if child is not None:
            yield from _all_unexpected(child, below.get(name, {}), f"{prefix}{name}.")


def _by_child(state: Any, prefix: str, names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the parts of `state` below each child of the module at `prefix`, by the child's name."""
    parts: dict[str, dict[str, Any]] = {}
    start = len(prefix)
    for key, value in state.items():
        dot = key.find(".", start)
        if dot >= 0 and key.startswith(prefix):
            parts.setdefault(key[start:dot], {})[key] = value
    for name in names:
        if "." in str(name):  # as `setattr` allows it
            below = f"{prefix}{name}."
            parts[name] = {key: value for key, value in state.items() if key.startswith(below)}
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
    assign = local_metadata.get("assign_to_params_buffers", False)
    missing = missing_keys if strict else []
    messages = error_msgs if isinstance(error_msgs, Messages) else Messages(at_once=True)
    found = _load_own(self, state_dict, prefix, assign, missing, messages)
    _load_extra_state(self, state_dict, prefix + EXTRA_STATE, strict, *notes[:2], messages)
    if messages is not error_msgs:
        error_msgs += messages
    if strict and found < len(state_dict):
        unexpected_keys += _unexpected(self, state_dict, prefix)


def _load_own(module: Module, state: Any, prefix: str, assign: bool, missing: list[str], errors: Messages) -> int:  # fmt: skip
    """Have what `module` itself holds loaded. Return how many keys of `state` that were."""
    found = 0
    for name, tensor in _own_state(module):
        key = prefix + name
        if key not in state:
            missing.append(key)
            continue
        found += 1
        value = state[key]
        if not assign and can_be_copied(tensor, value):
            if errors.simply:
                errors.copies.append((tensor, value))
            else:
                errors.write(tensor, value)
        else:
            _load_tensor(module, name, tensor, key, value, assign, errors)
    return found


def _own_state(module: Module) -> list[tuple[str, Any]]:
    """Return the parameters and persistent buffers that `module` itself holds, with their names."""
    own = [item for item in module._parameters.items() if item[1] is not None]
    if module._buffers:
        forgotten = module._non_persistent_buffers_set
        own += [
            item
            for item in module._buffers.items()
            if item[1] is not None and item[0] not in forgotten
        ]
    return own


def _load_tensor(module: Module, name: str, tensor: Tensor, key: str, found: Any, assign: bool, errors: Messages) -> None:  # fmt: skip
    """Have `found` loaded into the place of `tensor`, or note what is wrong."""
    if not isinstance(found, Tensor):
        errors.append(
            f'While copying the parameter named "{key}", expected nbmodule.Tensor or Tensor-like object from '
            f"checkpoint but received {type(found)}"
        )
        return
    if not is_lazy(tensor):
        if tensor.ndim == 0 and tuple(found.shape) == (1,):
            found = found[0]  # scalars once had one dimension
        if found.shape != tensor.shape:
            errors.append(
                f"size mismatch for {key}: copying a param with shape {found.shape} from checkpoint, the shape in "
                f"current model is {tensor.shape}."
            )
            return
    if tensor.is_meta and not found.is_meta and not assign:
        warnings.warn(_no_op(key), stacklevel=4)
    if assign:
        errors.do(lambda: _assigned(module, name, tensor, key, found))
    else:
        errors.do(lambda: _copied(tensor, key, found), tensor)


def _assigned(module: Module, name: str, tensor: Tensor, key: str, found: Tensor) -> str | None:
    """Put `found` in the place of `tensor`; return what has gone wrong."""
    try:  # a module that is there twice may have got another kind of tensor meanwhile
        setattr(module, name, _in_the_kind_of(getattr(module, name), found))
    except Exception as error:
        return _refused(tensor, key, found, error)
    return None


def _copied(tensor: Tensor, key: str, found: Tensor) -> str | None:
    """Copy `found` into `tensor`; return what has gone wrong."""
    try:
        with no_grad():
            tensor.copy_(found)
    except Exception as error:
        return _refused(tensor, key, found, error)
    return None


def _refused(tensor: Tensor, key: str, found: Tensor, error: Exception) -> str:
    return (
        f'While copying the parameter named "{key}", whose dimensions in the model are {tensor.size()} and '
        f"whose dimensions in the checkpoint are {found.size()}, an exception occurred : {error.args}."
    )


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


def _load_extra_state(module: Module, state: Any, key: str, strict: bool, missing: list[str], unexpected: list[str], errors: Messages) -> None:  # fmt: skip
    wanted = type(module).set_extra_state is not home.Module.set_extra_state
    if wanted and key in state:
        errors.do(lambda: _set_extra_state(module, state[key], errors))
    elif wanted and strict:
        missing.append(key)
    elif strict and key in state:
        unexpected.append(key)


def _set_extra_state(module: Module, value: Any, errors: Messages) -> None:
    """Call the module's own method, but for a load that waits and will be refused."""
    if errors.at_once or not errors.refused:
        errors.before.keep_extra_state(module)
        module.set_extra_state(value)


def _unexpected(module: Module, state: Any, prefix: str) -> Iterator[str]:
    """Yield the keys of `state` that belong below `prefix`, but to nothing there."""
    start, extra, own = len(prefix), prefix + EXTRA_STATE, dict(_own_state(module))
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
