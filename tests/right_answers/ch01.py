"""Right answers to the exercises of chapter 01."""

from __future__ import annotations

RIGHT = {
    "01.1": [
        r"""
@mine.extend
class Module:
    def __init__(self):
        vars(self).update(training=True, _parameters={}, _buffers={}, _modules={})
""",
        r"""
@mine.extend
class Module:
    def __init__(self, *args, **kwargs):
        self.training, self._parameters, self._buffers, self._modules = True, dict(), dict(), dict()
""",
        r"""
from collections import OrderedDict


@mine.extend
class Module:
    def __init__(self):
        object.__init__(self)
        self.training = bool(1)
        self._parameters = OrderedDict()
        self._buffers = OrderedDict()
        self._modules = OrderedDict()
""",
        r"""
@mine.extend
class Module:
    def __init__(self):
        self.training = True
        for n in ["parameters", "buffers", "modules"]:
            setattr(self, "_" + n, {})
        self.extra = 5
""",
        r"""
@mine.extend
class Module:
    def __init__(self):
        self._reset()

    def _reset(self):
        self.training = True
        self._parameters = {}
        self._buffers = {}
        self._modules = {}
""",
        r"""
@mine.extend
class Module:
    def __init__(self):
        self.__dict__ = {"training": True, "_parameters": {}, "_buffers": {}, "_modules": {}}
""",
        r"""
@mine.extend
class Module:
    def __init__(self):
        for name in ("_parameters", "_buffers", "_modules"):
            self.__dict__.setdefault(name, {})
        self.__dict__["training"] = not False
""",
    ],
    "01.2": [
        r"""
from collections import OrderedDict


@mine.extend
class Module:
    def __init__(self):
        slots = vars(self)  # bypasses __setattr__, which reads drawers that don't exist yet
        slots["training"] = True
        slots["_parameters"] = {}
        slots["_buffers"] = {}
        slots["_non_persistent_buffers_set"] = set()
        slots["_backward_pre_hooks"] = OrderedDict()
        slots["_backward_hooks"] = OrderedDict()
        slots["_is_full_backward_hook"] = None
        slots["_forward_hooks"] = OrderedDict()
        slots["_forward_hooks_with_kwargs"] = OrderedDict()
        slots["_forward_hooks_always_called"] = OrderedDict()
        slots["_forward_pre_hooks"] = OrderedDict()
        slots["_forward_pre_hooks_with_kwargs"] = OrderedDict()
        slots["_state_dict_hooks"] = OrderedDict()
        slots["_state_dict_pre_hooks"] = OrderedDict()
        slots["_load_state_dict_pre_hooks"] = OrderedDict()
        slots["_load_state_dict_post_hooks"] = OrderedDict()
        slots["_modules"] = {}
""",
        r"""
from collections import OrderedDict


@mine.extend
class Module:
    def __init__(self):
        put = object.__setattr__
        for k in ("_parameters", "_buffers", "_modules"):
            put(self, k, {})
        put(self, "training", True)
        put(self, "_is_full_backward_hook", None)
        put(self, "_non_persistent_buffers_set", set())
        for k in "_backward_pre_hooks _backward_hooks _forward_hooks _forward_hooks_with_kwargs _forward_hooks_always_called _forward_pre_hooks _forward_pre_hooks_with_kwargs _state_dict_hooks _state_dict_pre_hooks _load_state_dict_pre_hooks _load_state_dict_post_hooks".split():
            put(self, k, OrderedDict())
""",
        r"""
from collections import OrderedDict


@mine.extend
class Module:
    def __init__(self):
        put = super().__setattr__
        put("training", True)
        put("_non_persistent_buffers_set", set())
        put("_is_full_backward_hook", None)
        for k in "_parameters _buffers _modules".split(): put(k, {})
        for k in "_backward_pre_hooks _backward_hooks _forward_hooks _forward_hooks_with_kwargs _forward_hooks_always_called _forward_pre_hooks _forward_pre_hooks_with_kwargs _state_dict_hooks _state_dict_pre_hooks _load_state_dict_pre_hooks _load_state_dict_post_hooks".split(): put(k, OrderedDict())
""",
        r"""
import copy
from collections import OrderedDict


@mine.extend
class Module:
    _TEMPLATE = {"training": True, "_non_persistent_buffers_set": set(), "_is_full_backward_hook": None} | {k: {} for k in "_parameters _buffers _modules".split()} | {k: OrderedDict() for k in "_backward_pre_hooks _backward_hooks _forward_hooks _forward_hooks_with_kwargs _forward_hooks_always_called _forward_pre_hooks _forward_pre_hooks_with_kwargs _state_dict_hooks _state_dict_pre_hooks _load_state_dict_pre_hooks _load_state_dict_post_hooks".split()}
    def __init__(self):
        vars(self).update(copy.deepcopy(self._TEMPLATE))
""",
    ],
    "01.3": [
        r"""
def where_is(module, name):
    d = object.__getattribute__(module, "__dict__")
    for k in ["_parameters", "_buffers", "_modules"]:
        if k in d and name in d[k]:
            return k
    if name in d:
        return "__dict__"
""",
        r"""
def where_is(module, name):
    places = {k: module.__dict__.get(k, {}) for k in ("_parameters", "_buffers", "_modules")}
    places["__dict__"] = module.__dict__
    return next((k for k, v in places.items() if name in v), None)
""",
        r"""
def where_is(module, name):
    if name in vars(module):
        return "__dict__"
    for k in ("_modules", "_buffers", "_parameters"):
        if name in (vars(module).get(k) or {}):
            return k
""",
        r"""
def where_is(module, name):
    for k in ("_parameters", "_buffers", "_modules"):
        try:
            if name in vars(module)[k]:
                return k
        except KeyError:
            pass
    return "__dict__" if name in vars(module).keys() else None
""",
        r"""
def where_is(module, name):
    match vars(module):
        case {"_parameters": p} if name in p: return "_parameters"
        case {"_buffers": b} if name in b: return "_buffers"
        case {"_modules": m} if name in m: return "_modules"
        case d if name in d: return "__dict__"
""",
        r"""
def where_is(module, name):
    slots = vars(module)
    homes = {}
    for d in ("_modules", "_buffers", "_parameters"):
        homes |= dict.fromkeys(slots.get(d, {}), d)
    return homes.get(name) or ("__dict__" if name in slots else None)
""",
    ],
    "01.4": [
        r"""
def count_tree(module):
    todo, n = [module], 0
    while todo:
        m = todo.pop()
        n += sum(p.numel() for p in m._parameters.values() if p is not None)
        todo += [c for c in m._modules.values() if c is not None]
    return n
""",
        r"""
def count_tree(module):
    if module is None:
        return 0
    return sum(p.numel() for p in vars(module)["_parameters"].values() if p is not None) + sum(
        count_tree(c) for c in vars(module)["_modules"].values()
    )
""",
        r"""
def tree(module):
    yield module
    for c in module._modules.values():
        if c is not None: yield from tree(c)
def count_tree(module):
    return sum(p.numel() for m in tree(module) for p in m._parameters.values() if p is not None)
""",
        r"""
def count_tree(module):
    n = 0
    for p in module._parameters.values():
        try: n += p.numel()
        except AttributeError: pass
    for c in module._modules.values():
        n += 0 if c is None else count_tree(c)
    return n
""",
    ],
    "01.5": [
        r"""
def outline(module):
    out = []

    def walk(m, name, depth):
        out.append("  " * depth + (name + ": " if name else "") + m.__class__.__name__)
        for n, c in m._modules.items():
            if c is not None:
                walk(c, n, depth + 1)

    walk(module, "", 0)
    return out
""",
        r"""
def outline(module):
    out, todo = [], [("", module, 0)]
    while todo:
        n, m, d = todo.pop()
        out.append("  " * d + n + type(m).__name__)
        todo += [(f"{k}: ", c, d + 1) for k, c in reversed(m._modules.items()) if c is not None]
    return out
""",
        r"""
import textwrap
def outline(module):
    lines = [type(module).__name__]
    for n, c in module._modules.items():
        if c is not None:
            lines += textwrap.indent(f"{n}: " + "\n".join(outline(c)), "  ").split("\n")
    return lines
""",
    ],
}
