"""How a state is loaded into a tree of modules: completely or not at all, even if Ctrl-C interrupts it.

`load` checks all keys and shapes first and collects every problem; one error lists them all, and nothing is changed.
Most loads write nothing until everything is known to fit, and then only copy arrays, which cannot fail. Where a
user's code may look at the modules in between, or where a copy may be refused, the old values are saved first.

`module.py` imports this file, not the other way round; what is needed of the class Module is passed in.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.load_state_dict
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from ..._engine import note_write, to_the_end, wrap
from ..._tensor import Tensor
from ...autograd import no_grad
from ..parameter import PLAIN, Parameter, is_lazy

PACKAGE = __name__.partition(".")[0]
EXTRA_STATE = "_extra_state"

POSITIONAL = (
    "Positional args are being deprecated, use kwargs instead. Refer to "
    "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details."
)

NEVER = (
    "Reached a code path in Module.{0}() that should never be called. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
    "\nA class that has extra state defines {0} itself."
)


def detached(t: Any) -> Any:
    """Return ``t.detach()``, which for an ordinary parameter or buffer is this."""
    return wrap(t._array, t._storage) if type(t) in PLAIN else t.detach()


# ---- whose code runs during a load

NOBODY, OURSELVES, OTHERS = range(3)


def who_has_a_say(module: Any, plain: type) -> int:
    """Return whose hooks and overrides run when a state is loaded into `module` and all below.

    NOBODY: there are only parameters, buffers and children. OURSELVES: a class of this package overrides a method, as
    BatchNorm does. OTHERS: a user's code may look at what has been loaded so far, so nothing can wait.
    """
    cls, say = type(module), NOBODY
    if (
        module._load_state_dict_pre_hooks
        or EXTRA_STATE in module._parameters
        or EXTRA_STATE in module._buffers
        or getattr(cls, "set_extra_state", None) is not plain.set_extra_state
    ):
        say = OURSELVES
    method = getattr(cls, "_load_from_state_dict", None)
    if method is not plain._load_from_state_dict:
        if not getattr(method, "__module__", "").startswith(f"{PACKAGE}."):
            return OTHERS
        say = OURSELVES
    if module._load_state_dict_post_hooks or "_load_from_state_dict" in module.__dict__:
        return OTHERS
    for name, child in module._modules.items():
        if "." in str(name):
            say = OURSELVES
        if child is not None:
            below = who_has_a_say(child, plain)
            if below > say:
                say = below
                if say == OTHERS:
                    break
    return say


# ---- from the top of the tree to its leaves


def load(module: Any, state_dict: Mapping[str, Any], strict: bool, assign: bool, keys: Any, plain: type) -> None:  # fmt: skip
    """Do what ``module.load_state_dict`` does.

    Args:
        module: at the top.
        state_dict: tensors by their paths.
        strict: raise if the keys differ.
        assign: replace the old tensors with those of `state_dict`, instead of copying.
        keys: a named tuple of two lists, of the keys that are missing and of those that are unexpected.
        plain: the class Module itself: a method that differs from its own is overridden.
    """
    metadata = getattr(state_dict, "_metadata", None)
    state: Any = OrderedDict(state_dict)  # a copy: hooks and overrides may change it
    if metadata is not None:
        state._metadata = metadata
    say = who_has_a_say(module, plain)
    errors = Messages(at_once=say == OTHERS)
    try:
        if say == NOBODY and not assign:
            if _load_plainly(module, state, "", keys, errors) < len(state):
                keys.unexpected_keys.extend(_all_unexpected(module, state, ""))
        else:
            _load(module, state, "", metadata, assign, keys, errors)
        complaints = []
        for kind, names in zip(("Missing", "Unexpected"), keys, strict=True):
            if strict and names:
                listed = ", ".join(f'"{name}"' for name in names)
                complaints.append(f"{kind} key(s) in state_dict: {listed}. ")
        errors.settle(refused=bool(complaints))
        errors[:0] = complaints
        if errors:
            raise RuntimeError(
                "Error(s) in loading state_dict for {}:\n\t{}".format(
                    type(module).__name__, "\n\t".join(errors)
                )
            )
    except BaseException:
        errors.before.put_back()
        raise


def _load(module: Any, state: Any, prefix: str, metadata: Any, assign: bool, keys: Any, errors: Messages) -> None:  # fmt: skip
    """Load `module`, then its children, each with the part of `state` that is below it."""
    local_metadata = {} if metadata is None else metadata.get(prefix[:-1], {})
    if assign:
        local_metadata["assign_to_params_buffers"] = assign
    if errors.at_once:
        errors.before.keep_all(module)
    elif assign or module._load_state_dict_pre_hooks:
        errors.before.keep_drawers(module)
    module._load_from_state_dict(state, prefix, local_metadata, True, *keys, errors)
    below = _by_child(state, prefix, module._modules) if module._modules else {}
    for name, child in module._modules.items():
        if child is not None:
            part = below.get(name, {})
            _load(child, part, f"{prefix}{name}.", metadata, assign, keys, errors)
    for hook in module._load_state_dict_post_hooks.values():
        if hook(module, keys) is not None:
            raise AssertionError(
                "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new "
                "values, if incompatible_keys need to be modified, it should be done inplace."
            )


def _load_plainly(module: Any, state: Any, prefix: str, keys: Any, errors: Messages) -> int:
    """Do what `_load` does where no other code runs, without a dictionary for each child.

    Return how many of its keys were wanted.
    """
    wanted = _load_tensors(module, state, prefix, False, keys.missing_keys, errors)
    for name, child in module._modules.items():
        if child is not None:
            wanted += _load_plainly(child, state, f"{prefix}{name}.", keys, errors)
    return wanted


def _all_unexpected(module: Any, state: Any, prefix: str) -> Iterator[str]:
    """Yield the keys of `state` that belong to nothing, in the order in which `_load` collects them."""
    if prefix + EXTRA_STATE in state:
        yield prefix + EXTRA_STATE
    yield from _unexpected(module, state, prefix)
    below = _by_child(state, prefix, module._modules)
    for name, child in module._modules.items():
        if child is not None:
            yield from _all_unexpected(child, below.get(name, {}), f"{prefix}{name}.")


def _by_child(state: Any, prefix: str, names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the entries of `state` below each child of the module at `prefix`, by the child's name."""
    below: dict[str, dict[str, Any]] = {}
    start = len(prefix)
    for key, value in state.items():
        dot = key.find(".", start)
        if dot >= 0 and key.startswith(prefix):
            below.setdefault(key[start:dot], {})[key] = value
    for name in names:
        if "." in str(name):  # as `setattr` allows: no key tells where such a name ends
            path = f"{prefix}{name}."
            below[name] = {key: value for key, value in state.items() if key.startswith(path)}
    return below


# ---- one module


def load_one(module: Any, state: Any, prefix: str, assign: bool, has_extra_state: bool, strict: bool, missing: list[str], unexpected: list[str], error_msgs: list[str]) -> None:  # fmt: skip
    """Load what `module` itself holds from `state`, and collect what is missing, unexpected or wrong.

    If `error_msgs` is a plain list, ``_load_from_state_dict`` was not called by `load`: write immediately.
    """
    errors = error_msgs if isinstance(error_msgs, Messages) else Messages(at_once=True)
    wanted = _load_tensors(module, state, prefix, assign, missing if strict else [], errors)
    key = prefix + EXTRA_STATE
    if has_extra_state and key in state:
        errors.do(partial(_set_extra_state, module, state[key], errors))
    elif has_extra_state and strict:
        missing.append(key)
    elif strict and key in state:
        unexpected.append(key)
    if errors is not error_msgs:
        error_msgs += errors
    if strict and wanted < len(state):
        unexpected += _unexpected(module, state, prefix)


def _load_tensors(module: Any, state: Any, prefix: str, assign: bool, missing: list[str], errors: Messages) -> int:  # fmt: skip
    """Load the parameters and buffers of `module` itself, now or later; return how many keys of `state` they use."""
    wanted = 0
    for name, tensor in _own_state(module):
        key = prefix + name
        if key not in state:
            missing.append(key)
            continue
        wanted += 1
        value = state[key]
        if assign or not can_be_copied(tensor, value):
            _load_tensor(module, name, tensor, key, value, assign, errors)
        elif errors.simply:
            errors.copies.append((tensor, value))
        else:
            errors.do(partial(copy_all, [(tensor, value)]), tensor)
    return wanted


def _own_state(module: Any) -> list[tuple[str, Any]]:
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


def _unexpected(module: Any, state: Any, prefix: str) -> Iterator[str]:
    """Yield the keys of `state` that belong below `prefix`, but to nothing there."""
    start, extra, own = len(prefix), prefix + EXTRA_STATE, dict(_own_state(module))
    for key in state:
        if key.startswith(prefix) and key != extra:
            dot = key.find(".", start)
            if key[start:] not in own if dot < 0 else key[start:dot] not in module._modules:
                yield key


def _load_tensor(module: Any, name: str, tensor: Tensor, key: str, value: Any, assign: bool, errors: Messages) -> None:  # fmt: skip
    """Load `value` into `tensor`, now or later, or collect what is wrong."""
    if not isinstance(value, Tensor):
        errors.append(
            f'While copying the parameter named "{key}", expected nbmodule.Tensor or Tensor-like object from '
            f"checkpoint but received {type(value)}"
        )
        return
    if not is_lazy(tensor):
        if tensor.ndim == 0 and tuple(value.shape) == (1,):
            value = value[0]  # scalars once had one dimension
        if value.shape != tensor.shape:
            errors.append(
                f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, the shape in "
                f"current model is {tensor.shape}."
            )
            return
    if tensor.is_meta and not value.is_meta and not assign:
        warnings.warn(
            f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current "
            "model, which is a no-op. (Did you mean to pass `assign=True` to assign items in the state "
            "dictionary to their corresponding key in the module instead of copying them in place?)",
            stacklevel=4,
        )
    write = partial(_write_tensor, module, name, tensor, key, value, assign)
    errors.do(write, None if assign else tensor)


def _write_tensor(module: Any, name: str, tensor: Tensor, key: str, value: Tensor, assign: bool) -> str | None:  # fmt: skip
    """Replace `tensor` with `value`, or copy the values; return what has gone wrong."""
    try:
        if assign:  # not `tensor`: in a module that is shared, it may have been replaced already
            setattr(module, name, _in_the_kind_of(getattr(module, name), value))
        else:
            with no_grad():
                tensor.copy_(value)
    except Exception as error:
        return (
            f'While copying the parameter named "{key}", whose dimensions in the model are {tensor.size()} and '
            f"whose dimensions in the checkpoint are {value.size()}, an exception occurred : {error.args}."
        )
    return None


def _in_the_kind_of(old: Tensor, new: Tensor) -> Tensor:
    """Return `new` as a Parameter like `old`, if `old` is one."""
    if not isinstance(old, Parameter):
        return new
    if isinstance(new, Parameter):
        return new.requires_grad_(old.requires_grad)
    return Parameter(new, requires_grad=old.requires_grad)


def _set_extra_state(module: Any, value: Any, errors: Messages) -> None:
    """Call the module's own method, unless the load is refused anyway."""
    if errors.at_once or not errors.refused:
        errors.before.keep_extra_state(module)
        module.set_extra_state(value)


# ---- what is written once everything has been checked


class Messages(list[str]):
    """The error messages of a load, and the writes that wait until it is known that there are none.

    It travels as `error_msgs`, the list that PyTorch's ``_load_from_state_dict`` passes on: so modules that override
    that method need not know about it.

    Args:
        at_once: write immediately, because a user's code may look at the modules in between.
    """

    def __init__(self, at_once: bool) -> None:
        super().__init__()
        self.before = Before()
        self.at_once, self.refused = at_once, False
        self.simply = not at_once  # only copies wait so far: they cannot fail, and nothing is saved
        self.copies: list[tuple[Any, Any]] = []
        self.others: list[tuple[int, Callable[[], str | None]]] = []  # with the index of a message

    def do(self, write: Callable[[], str | None], tensor: Any = None) -> None:
        """Do `write` now or later; it returns an error message or None, and may change `tensor`."""
        if self.at_once:
            self.extend(filter(None, [write()]))
            return
        if self.simply:
            self.simply = False  # `write` may fail, and then the copies before it must be undone
            for target, _ in self.copies:
                self.before.keep_numbers(target)
        if tensor is not None:
            self.before.keep_numbers(tensor)
        self.others.append((len(self), write))

    def settle(self, refused: bool) -> None:
        """Do the writes that wait, unless the load is refused.

        Those that may fail are tried even then, because their messages belong among the others.
        """
        self.refused = refused or bool(self)
        if self.others or not self.refused:
            to_the_end(copy_all, self.copies)
        said = [(place, write()) for place, write in self.others]
        for place, message in reversed(said):  # backwards, so that the places before stay right
            self[place:place] = filter(None, [message])


def can_be_copied(tensor: Any, value: Any) -> bool:
    """Return whether `copy_all` does ``tensor.copy_(value)``: two arrays of one kind that do not overlap."""
    if type(tensor) not in PLAIN or type(value) not in PLAIN:
        return False
    array, source, storage = tensor._array, value._array, tensor._storage
    return (
        type(array) is np.ndarray is type(source)
        and array.shape == source.shape
        and (array.dtype is source.dtype or array.dtype.kind == "f" == source.dtype.kind)
        and array.flags.writeable
        and (storage is not value._storage or array is source)
        and not storage.is_inference
    )


def copy_all(pairs: list[tuple[Any, Any]]) -> None:
    """Copy from the second to the first of each pair, of which `can_be_copied` is true."""
    for tensor, value in pairs:
        tensor._array[...] = value._array
        note_write(tensor._storage, tensor._array)


# ---- the old values, and how they come back


class as_it_was:
    """A context manager that undoes changes to a module if an error leaves it.

    Args:
        module: its own attributes, its class and the properties of that class are restored.
        *tensors: those that may get other memory by ``.data`` or ``set_``.
    """

    def __init__(self, module: Any, *tensors: Any) -> None:
        self.module, self.kind = module, type(module)
        self.own, self.properties = dict(module.__dict__), dict(vars(self.kind))
        self.drawers = [(v, v.copy()) for v in self.own.values() if isinstance(v, (dict, set))]
        # Asked of `object`, because a tensor without a shape yet refuses to show its attributes.
        self.tensors = [(t, object.__getattribute__(t, "_array"), object.__getattribute__(t, "_storage"), type(t)) for t in tensors]  # fmt: skip

    def __enter__(self) -> None:
        """The constructor has done everything."""

    def __exit__(self, kind: Any, *error: object) -> None:
        if kind is not None:
            self.put_back()

    def put_back(self) -> None:
        """Restore the module and the tensors."""
        self.module.__class__ = self.kind
        for name in vars(self.kind).keys() - self.properties.keys():
            delattr(self.kind, name)
        for name in self.properties.keys() - vars(self.kind).keys():
            setattr(self.kind, name, self.properties[name])
        for drawer, old in self.drawers:
            drawer.clear()
            drawer.update(old)
        self.module.__dict__.clear()
        self.module.__dict__.update(self.own)
        for t, array, storage, kind in self.tensors:
            t.__class__ = kind
            object.__setattr__(t, "_array", array)
            object.__setattr__(t, "_storage", storage)


class Before:
    """What the modules held before a load, to be restored if it fails."""

    def __init__(self) -> None:
        self._drawers: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self._without_shape: list[tuple[Any, type, Any, Any]] = []
        self._numbers: dict[int, tuple[Any, Any, Any]] = {}
        self._extra_states: list[tuple[Any, Any]] = []

    def keep_drawers(self, module: Any) -> None:
        """Save which tensors `module` itself holds, and that some have no shape yet.

        What else somebody's code writes into a module while a state is loaded is theirs, and stays.
        """
        for drawer in (module._parameters, module._buffers):
            self._drawers.append((drawer, dict(drawer)))
            for t in filter(is_lazy, drawer.values()):
                array, storage = (object.__getattribute__(t, name) for name in ("_array", "_storage"))  # fmt: skip
                self._without_shape.append((t, type(t), array, storage))

    def keep_all(self, module: Any) -> None:
        """Save everything that `module` itself holds, with the values."""
        self.keep_drawers(module)
        for tensor in (*module._parameters.values(), *module._buffers.values()):
            if tensor is not None:
                self.keep_numbers(tensor)

    def keep_numbers(self, tensor: Any) -> None:
        """Save the values of `tensor`, once."""
        if id(tensor) not in self._numbers and not is_lazy(tensor):
            self._numbers[id(tensor)] = tensor, tensor._array, tensor._array.copy()

    def keep_extra_state(self, module: Any) -> None:
        """Save what the module's own method returns, if it has one that does not fail."""
        with suppress(Exception):
            self._extra_states.append((module, module.get_extra_state()))

    def put_back(self) -> None:
        """Restore what was saved, the newest first."""
        for module, state in reversed(self._extra_states):
            with suppress(Exception):
                module.set_extra_state(state)
        for drawer, old in reversed(self._drawers):
            drawer.clear()
            drawer.update(old)
        for t, kind, array, storage in self._without_shape:
            t.__class__ = kind
            object.__setattr__(t, "_array", array)
            object.__setattr__(t, "_storage", storage)
        for tensor, array, numbers in self._numbers.values():
            tensor._array = array
            with suppress(RuntimeError), no_grad():  # what refuses it has refused the load too
                wrap(array, tensor._storage).copy_(wrap(numbers))
