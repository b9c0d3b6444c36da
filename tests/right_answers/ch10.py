"""Right answers to the exercises of chapter 10; the first of each is PyTorch's own way."""

from __future__ import annotations

RIGHT = {
    "10.1": [
        r"""
@mine.extend
class Module:
    def _save_to_state_dict(self, destination, prefix, keep_vars):
        for name, param in self._parameters.items():
            if param is not None:
                destination[prefix + name] = param if keep_vars else param.detach()
        for name, buf in self._buffers.items():
            if buf is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = buf if keep_vars else buf.detach()
""",
        r"""
@mine.extend
class Module:
    def _own_state(self):
        yield from self._parameters.items()
        yield from ((n, b) for n, b in self._buffers.items() if n not in self._non_persistent_buffers_set)

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        destination.update({f"{prefix}{n}": v if keep_vars else v.data for n, v in self._own_state() if v is not None})
""",
    ],
    "10.2": [
        r"""
import warnings
from collections import OrderedDict

@mine.extend
class Module:
    _version: int = 1

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        if len(args) > 0:
            warnings.warn("Positional args are being deprecated", FutureWarning, stacklevel=2)
            if destination is None:
                destination = args[0]
            if len(args) > 1 and prefix == "":
                prefix = args[1]
            if len(args) > 2 and keep_vars is False:
                keep_vars = args[2]
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        local_metadata = dict(version=self._version)
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local_metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=prefix + name + ".", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            hook_result = hook(self, destination, prefix, local_metadata)
            if not getattr(hook, "_from_public_api", False):
                if hook_result is not None:
                    destination = hook_result
            else:
                if hook_result is not None:
                    raise RuntimeError("state_dict post-hook must return None")
        return destination
""",
        r"""
class State(dict):
    def __init__(self):
        self._metadata = {}

@mine.extend
class Module:
    _version = 1

    def state_dict(self, destination=None, prefix="", keep_vars=False):
        state = State() if destination is None else destination
        note = {"version": self._version}
        try:
            state._metadata[prefix.removesuffix(".")] = note
        except AttributeError:
            pass
        [hook(self, prefix, keep_vars) for hook in list(self._state_dict_pre_hooks.values())]
        self._save_to_state_dict(state, prefix, keep_vars)
        for name, child in filter(lambda item: item[1] is not None, self._modules.items()):
            child.state_dict(destination=state, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        [hook(self, state, prefix, note) for hook in list(self._state_dict_hooks.values())]
        return state
""",
    ],
    "10.3": [
        r"""
import itertools

@mine.extend
class Module:
    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        persistent_buffers = {k: v for k, v in self._buffers.items() if k not in self._non_persistent_buffers_set}
        local_name_params = itertools.chain(self._parameters.items(), persistent_buffers.items())
        local_state = {k: v for k, v in local_name_params if v is not None}
        assign_to_params_buffers = local_metadata.get("assign_to_params_buffers", False)
        for name, param in local_state.items():
            key = prefix + name
            if key in state_dict:
                input_param = state_dict[key]
                if not isinstance(input_param, Tensor):
                    error_msgs.append(f'While copying the parameter named "{key}", expected a tensor, received {type(input_param)}')
                    continue
                if len(param.shape) == 0 and len(input_param.shape) == 1 and input_param.shape[0] == 1:
                    input_param = input_param[0]
                if input_param.shape != param.shape:
                    error_msgs.append(f"size mismatch for {key}: copying a param with shape {input_param.shape} from checkpoint, "
                                      f"the shape in current model is {param.shape}.")
                    continue
                try:
                    with nbmodule.no_grad():
                        if assign_to_params_buffers:
                            if isinstance(param, Parameter):
                                if not isinstance(input_param, Parameter):
                                    input_param = Parameter(input_param, requires_grad=param.requires_grad)
                                else:
                                    input_param.requires_grad_(param.requires_grad)
                            setattr(self, name, input_param)
                        else:
                            param.copy_(input_param)
                except Exception as ex:
                    error_msgs.append(f'While copying the parameter named "{key}", an exception occurred : {ex.args}.')
            elif strict:
                missing_keys.append(key)
        if strict:
            for key in state_dict.keys():
                if key.startswith(prefix):
                    input_name = key[len(prefix):].split(".", 1)
                    if len(input_name) > 1:
                        if input_name[0] not in self._modules:
                            unexpected_keys.append(key)
                    elif input_name[0] not in local_state:
                        unexpected_keys.append(key)
""",
        r"""
@mine.extend
class Module:
    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        for hook in list(self._load_state_dict_pre_hooks.values()):
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        own = {}
        self._save_to_state_dict(own, prefix, True)
        if strict:
            missing_keys.extend(k for k in own if k not in state_dict)
            for k in state_dict:
                head, dot, _ = k[len(prefix):].partition(".")
                known = head in self._modules if dot else k in own
                if k.startswith(prefix) and not known:
                    unexpected_keys.append(k)
        for k in own.keys() & state_dict.keys():
            old, new = own[k], state_dict[k]
            if not isinstance(new, Tensor) or new.shape != old.shape:
                error_msgs.append(k)
            elif local_metadata.get("assign_to_params_buffers"):
                name = k[len(prefix):]
                if name in self._parameters:
                    self._parameters[name] = new if isinstance(new, Parameter) else Parameter(new, False)
                    self._parameters[name].requires_grad = old.requires_grad
                else:
                    self._buffers[name] = new
            else:
                old.data.copy_(new)
""",
    ],
    "10.4": [
        r"""
from collections import OrderedDict, namedtuple
from collections.abc import Mapping

class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    def __repr__(self):
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

@mine.extend
class Module:
    def load_state_dict(self, state_dict, strict: bool = True, assign: bool = False):
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing_keys, unexpected_keys, error_msgs = [], [], []
        metadata = getattr(state_dict, "_metadata", None)
        state_dict = OrderedDict(state_dict)
        if metadata is not None:
            state_dict._metadata = metadata

        def load(module, local_state_dict, prefix=""):
            local_metadata = {} if metadata is None else metadata.get(prefix[:-1], {})
            if assign:
                local_metadata["assign_to_params_buffers"] = assign
            module._load_from_state_dict(local_state_dict, prefix, local_metadata, True, missing_keys, unexpected_keys, error_msgs)
            for name, child in module._modules.items():
                if child is not None:
                    child_prefix = prefix + name + "."
                    child_state_dict = {k: v for k, v in local_state_dict.items() if k.startswith(child_prefix)}
                    load(child, child_state_dict, child_prefix)
            incompatible_keys = _IncompatibleKeys(missing_keys, unexpected_keys)
            for hook in module._load_state_dict_post_hooks.values():
                out = hook(module, incompatible_keys)
                assert out is None

        load(self, state_dict)
        del load
        if strict:
            if len(unexpected_keys) > 0:
                error_msgs.insert(0, "Unexpected key(s) in state_dict: {}. ".format(", ".join(f'"{k}"' for k in unexpected_keys)))
            if len(missing_keys) > 0:
                error_msgs.insert(0, "Missing key(s) in state_dict: {}. ".format(", ".join(f'"{k}"' for k in missing_keys)))
        if len(error_msgs) > 0:
            raise RuntimeError("Error(s) in loading state_dict for {}:\n\t{}".format(self.__class__.__name__, "\n\t".join(error_msgs)))
        return _IncompatibleKeys(missing_keys, unexpected_keys)
""",
        # the whole state goes to every Module, as older versions of PyTorch did
        r"""
from collections import namedtuple
from collections.abc import Mapping

class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    def __repr__(self):
        return super().__repr__() if any(self) else "<All keys matched successfully>"

def _walk(module, prefix, state, versions, assign, report, errors):
    noted = dict(versions.get(prefix.rstrip("."), {}), assign_to_params_buffers=assign)
    module._load_from_state_dict(state, prefix, noted, True, report[0], report[1], errors)
    for name, child in [(n, c) for n, c in module._modules.items() if c is not None]:
        _walk(child, f"{prefix}{name}.", state, versions, assign, report, errors)
    for hook in module._load_state_dict_post_hooks.values():
        hook(module, report)

@mine.extend
class Module:
    def load_state_dict(self, state_dict, strict=True, assign=False):
        if not isinstance(state_dict, Mapping):
            raise TypeError(state_dict)
        report, errors = _IncompatibleKeys([], []), []
        _walk(self, "", dict(state_dict), getattr(state_dict, "_metadata", {}), assign, report, errors)
        wrong = [*errors, *(report[0] + report[1] if strict else [])]
        if wrong:
            raise RuntimeError("; ".join(wrong))
        return report
""",
    ],
    "10.5": [
        r"""
import json
import struct
from pathlib import Path

CODES = {"float16": "F16", "float32": "F32", "float64": "F64", "int64": "I64", "bool": "BOOL"}

@mine.extend
def save_file(tensors, filename):
    header, parts, place = {"__metadata__": {"format": "pt"}}, [], 0
    for name, t in sorted(tensors.items(), reverse=True):
        raw = np.ascontiguousarray(t.detach().numpy()).tobytes()
        header[name] = dict(shape=list(t.shape), dtype=CODES[str(t.detach().numpy().dtype)], data_offsets=(place, place + len(raw)))
        parts.append(raw)
        place += len(raw)
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    text += b" " * (-len(text) % 8)
    Path(filename).write_bytes(struct.pack("<Q", len(text)) + text + b"".join(parts))
""",
    ],
    "10.6": [
        r"""
import json
import struct
from pathlib import Path

TYPES = {"F16": "float16", "F32": "float32", "F64": "float64", "I64": "int64", "BOOL": "bool"}

@mine.extend
def load_file(filename):
    data = Path(filename).read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header, body = json.loads(data[8 : 8 + size].decode()), 8 + size
    header.pop("__metadata__", None)
    return {
        name: nbmodule.from_numpy(
            np.array(np.ndarray(entry["shape"], TYPES[entry["dtype"]], data, body + entry["data_offsets"][0]))
        )
        for name, entry in header.items()
    }
""",
    ],
}
