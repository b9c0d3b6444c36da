"""Right answers to the exercises of chapter 17; the first of each is PyTorch's own way."""

from __future__ import annotations

RIGHT = {
    "17.1": [
        r"""
from copy import deepcopy
from itertools import chain

@mine.extend
class Optimizer:
    def state_dict(self):
        param_mappings = {}
        start_index = 0

        def pack_group(group):
            nonlocal start_index
            packed = {k: v for k, v in group.items() if k != "params"}
            param_mappings.update(
                {id(p): i for i, p in enumerate(group["params"], start_index) if id(p) not in param_mappings}
            )
            packed["params"] = [param_mappings[id(p)] for p in group["params"]]
            start_index += len(packed["params"])
            return packed

        param_groups = [pack_group(g) for g in self.param_groups]
        packed_state = {param_mappings[id(k)]: v for k, v in self.state.items()}
        return {"state": packed_state, "param_groups": param_groups}

    def load_state_dict(self, state_dict):
        state_dict = deepcopy(state_dict)
        groups, saved_groups = self.param_groups, state_dict["param_groups"]
        if len(groups) != len(saved_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        param_lens = (len(g["params"]) for g in groups)
        saved_lens = (len(g["params"]) for g in saved_groups)
        if any(p_len != s_len for p_len, s_len in zip(param_lens, saved_lens)):
            raise ValueError("loaded state dict contains a parameter group that doesn't match the size of optimizer's group")
        id_map = dict(
            zip(chain.from_iterable(g["params"] for g in saved_groups), chain.from_iterable(g["params"] for g in groups))
        )
        self.state = {id_map[k]: v for k, v in state_dict["state"].items()}
        for group, new in zip(groups, saved_groups):
            new["params"] = group["params"]
        self.param_groups = saved_groups
""",
        # in place: the groups and the state stay the same objects
        r"""
import copy

@mine.extend
class Optimizer:
    def state_dict(self):
        places = self._places()
        state = {places.index(id(p)): copy.deepcopy(known) for p, known in self.state.items()}
        groups, seen = [], 0
        for group in self.param_groups:
            groups.append(dict(group))
            groups[-1]["params"] = [len(places) - 1 - places[::-1].index(id(p)) for p in group["params"]]
        return dict(param_groups=groups, state={len(places) - 1 - places[::-1].index(places[n]): s for n, s in state.items()})

    def _places(self):
        return [id(p) for group in self.param_groups for p in group["params"]]

    def load_state_dict(self, state_dict):
        theirs = state_dict["param_groups"]
        sizes = lambda groups: tuple(map(len, (g["params"] for g in groups)))
        if sizes(theirs) != sizes(self.param_groups):
            raise ValueError("groups")
        self.state.clear()
        for mine_, other in zip(self.param_groups, theirs):
            for p, number in zip(mine_["params"], other["params"]):
                if number in state_dict["state"]:
                    self.state[p] = copy.deepcopy(state_dict["state"][number])
            mine_.update(copy.deepcopy({k: v for k, v in other.items() if k != "params"}))
""",
    ],
    "17.2": [
        r"""
@mine.extend
def save_checkpoint(path, step, model, optimizer):
    both = dict(model=model.state_dict(), optimizer=optimizer.state_dict())
    nbmodule.save({**both, "random": nbmodule.get_rng_state(), "step": step, "format": 1}, path)

@mine.extend
def load_checkpoint(path, model, optimizer):
    c = nbmodule.load(path)
    nbmodule.set_rng_state(c["random"])
    optimizer.load_state_dict(c["optimizer"])
    model.load_state_dict(c["model"])
    return int(c["step"])
""",
        # written beside it first, so that a crash leaves the old file
        r"""
import os

@mine.extend
def save_checkpoint(path, step, model, optimizer):
    random, beside = nbmodule.get_rng_state(), f"{path}.new"
    states = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    nbmodule.save(states | {"random": random, "step": step}, beside)
    os.replace(beside, path)

@mine.extend
def load_checkpoint(path, model, optimizer):
    saved = nbmodule.load(path)
    nbmodule.set_rng_state(saved.pop("random"))
    optimizer.load_state_dict(saved.pop("optimizer"))
    model.load_state_dict(saved.pop("model"))
    return saved.popitem()[1]
""",
    ],
    "17.3": [
        # PyTorch's own way: a wrapper that holds the Module weakly, and is copied with it
        r"""
import weakref

class _WrappedHook:
    def __init__(self, hook, module):
        self.hook, self.module = hook, weakref.ref(module)

    def __call__(self, *args):
        return self.hook(self.module(), *args)

    def __getstate__(self):
        return {"hook": self.hook, "module": self.module()}

    def __setstate__(self, state):
        self.hook, self.module = state["hook"], weakref.ref(state["module"])

@mine.extend
class Module:
    def register_state_dict_pre_hook(self, hook):
        handle = RemovableHandle(self._state_dict_pre_hooks)
        self._state_dict_pre_hooks[handle.id] = hook
        return handle

    def register_state_dict_post_hook(self, hook):
        handle = RemovableHandle(self._state_dict_hooks)
        self._state_dict_hooks[handle.id] = hook
        return handle

    def register_load_state_dict_pre_hook(self, hook):
        handle = RemovableHandle(self._load_state_dict_pre_hooks)
        self._load_state_dict_pre_hooks[handle.id] = _WrappedHook(hook, self)
        return handle

    def register_load_state_dict_post_hook(self, hook):
        handle = RemovableHandle(self._load_state_dict_post_hooks)
        self._load_state_dict_post_hooks[handle.id] = hook
        return handle
""",
        # one helper; the hook becomes a bound method of the Module
        r"""
from types import MethodType

@mine.extend
class Module:
    def _hook_in(self, drawer, hook):
        handle = RemovableHandle(drawer)
        drawer[handle.id] = hook
        return handle

    def register_state_dict_pre_hook(self, hook):
        return self._hook_in(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook):
        return self._hook_in(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook):
        return self._hook_in(self._load_state_dict_pre_hooks, MethodType(hook, self))

    def register_load_state_dict_post_hook(self, hook):
        return self._hook_in(self._load_state_dict_post_hooks, hook)
""",
    ],
    "17.4": [
        r"""
@mine.extend
def migration(version, renamed, added):
    def hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        saved = local_metadata.get("version", None)
        if saved is None or saved < version:
            old = dict(state_dict)
            state_dict.clear()
            for key, value in old.items():
                for before, after in renamed.items():
                    if key == prefix + before or key.startswith(prefix + before + "."):
                        key = prefix + after + key[len(prefix + before):]
                        break
                state_dict[key] = value
            for name, value in added.items():
                if prefix + name not in state_dict:
                    state_dict[prefix + name] = value.detach().clone()
    return hook
""",
        # a class whose objects are called
        r"""
from copy import deepcopy

class _Migration:
    def __init__(self, *given):
        self.version, self.renamed, self.added = given

    def new(self, key, prefix):
        if not key.startswith(prefix):
            return key
        parts = key[len(prefix):].split(".")
        return prefix + ".".join([self.renamed.get(parts[0], parts[0]), *parts[1:]])

    def __call__(self, module, state, prefix, noted, *rest):
        if noted.get("version", 0) < self.version:
            items = [(self.new(key, prefix), state.pop(key)) for key in [*state]]
            state.update(items)
            for name in self.added.keys():
                if f"{prefix}{name}" not in state:
                    state[f"{prefix}{name}"] = deepcopy(self.added[name])

@mine.extend
def migration(version, renamed, added):
    return _Migration(version, renamed, added)
""",
    ],
    "17.5": [
        # PyTorch's own way
        r"""
@mine.extend
class Module:
    def get_extra_state(self):
        raise RuntimeError("Reached a code path in Module.get_extra_state() that should never be called.")

    def set_extra_state(self, state):
        raise RuntimeError("Reached a code path in Module.set_extra_state() that should never be called.")

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        for name, param in self._parameters.items():
            if param is not None:
                destination[prefix + name] = param if keep_vars else param.detach()
        for name, buf in self._buffers.items():
            if buf is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = buf if keep_vars else buf.detach()
        extra_state_key = prefix + "_extra_state"
        if getattr(self.__class__, "get_extra_state", Module.get_extra_state) is not Module.get_extra_state:
            destination[extra_state_key] = self.get_extra_state()

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        persistent_buffers = {k: v for k, v in self._buffers.items() if k not in self._non_persistent_buffers_set}
        local_state = {k: v for k, v in [*self._parameters.items(), *persistent_buffers.items()] if v is not None}
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, param in local_state.items():
            key = prefix + name
            if key in state_dict:
                input_param = state_dict[key]
                if not isinstance(input_param, nbmodule.Tensor):
                    error_msgs.append(f'While copying the parameter named "{key}", expected Tensor but received {type(input_param)}')
                    continue
                if input_param.shape != param.shape:
                    error_msgs.append(f"size mismatch for {key}: {input_param.shape} {param.shape}.")
                    continue
                with nbmodule.no_grad():
                    if assign:
                        if isinstance(param, Parameter):
                            if not isinstance(input_param, Parameter):
                                input_param = Parameter(input_param, requires_grad=param.requires_grad)
                            else:
                                input_param.requires_grad_(param.requires_grad)
                        setattr(self, name, input_param)
                    else:
                        param.copy_(input_param)
            elif strict:
                missing_keys.append(key)
        extra_state_key = prefix + "_extra_state"
        if getattr(self.__class__, "set_extra_state", Module.set_extra_state) is not Module.set_extra_state:
            if extra_state_key in state_dict:
                self.set_extra_state(state_dict[extra_state_key])
            elif strict:
                missing_keys.append(extra_state_key)
        elif strict and (extra_state_key in state_dict):
            unexpected_keys.append(extra_state_key)
        if strict:
            for key in state_dict.keys():
                if key.startswith(prefix) and key != extra_state_key:
                    input_name = key[len(prefix):].split(".", 1)
                    if len(input_name) > 1:
                        if input_name[0] not in self._modules:
                            unexpected_keys.append(key)
                    elif input_name[0] not in local_state:
                        unexpected_keys.append(key)
""",
    ],
    "17.6": [
        r"""
from collections import OrderedDict

@mine.extend
class Module:
    def __getstate__(self):
        return dict(self.__dict__)

    def __setstate__(self, state):
        self.__dict__.update(state)
        for name in ("_forward_pre_hooks", "_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks", "_forward_hooks_with_kwargs", "_forward_pre_hooks_with_kwargs", "_forward_hooks_always_called", "_backward_pre_hooks"):
            if name not in self.__dict__:
                self.__dict__[name] = OrderedDict()
        self.__dict__.setdefault("_non_persistent_buffers_set", set())
        self.__dict__.setdefault("_is_full_backward_hook", None)
""",
        r"""
@mine.extend
class Module:
    def __getstate__(self):
        return {name: value for name, value in vars(self).items()}

    def __setstate__(self, state):
        Module.__init__(self)
        vars(self).update(state)
""",
    ],
}
