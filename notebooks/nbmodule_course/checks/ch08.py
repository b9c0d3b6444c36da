"""Chapter 08: what a model holds where no walk goes, and three containers that are Modules themselves."""

from __future__ import annotations

from ..exercise import Exercise
from .boxes import programs, uses

# ---- 08.1

finding = Exercise(
    "08.1",
    title="Find the orphans",
    takes=("find_orphans",),
    minutes=15,
    writes=("find_orphans",),
    hints=(
        "`model.named_modules()` gives every Module that a walk reaches. Which values in the `__dict__` of each of them can hold another one?",
        "Containers can hold containers, so define a function inside: `search(path, value)`. If `value` is a Module that isn't known yet, note it. "
        "If it's a list, tuple, set or dict, call `search` on each item. So that a list in itself ends, remember which containers you have opened.",
        "`known = set(model.modules())`. Then for each `path, module` of `model.named_modules()` and each `name, value` of `module.__dict__.items()`: "
        '`search(f"{path}.{name}" if path else name, value)`.',
    ),
)
_HELD = "net is a Module with the child fc, which is a; b, c and d are Modules as well"
_ONE = ("[b]", "(b,)", "{b}", "{'k': b}", "[b, c]", "[b, b]", "[a]", "[a, b]", "[net]", "[]")
_DEEP = ("[[b]]", "{'k': [b]}", "[{'k': (b, c)}]", "([{b}], c)", "[[[[b]]]]", "[[b], [b]]", "[holding(Module, e=b)]")  # fmt: skip
_ODD = ("[None, 5, 'text', b]", "'text'", "tensor([1.0])", "[tensor([1.0, 2.0]), b]", "OrderedDict(k=b)", "Pair(b, 5)", "{b: 5}")  # fmt: skip


def _searches(*parts: tuple[str, ...], ask: str = "find_orphans(net)") -> dict:
    return uses([f"net = holding(Module, fc=a); {text}; {ask}" for text in programs(*parts)], _HELD)


finding.compare_uses(
    "Modules in a list, tuple, set or dict are found",
    _searches(tuple(f"net.x = {value}" for value in _ONE))
    | _searches(
        ("net.__dict__['x'] = b", "net.x = b", "net.fc.x = [b]", "net.fc.__dict__['x'] = b")
    ),
)
finding.compare_uses(
    "containers in containers are searched",
    _searches(tuple(f"net.x = {value}" for value in _DEEP))
    | _searches(
        ("net.x = []; net.x.append(net.x)", "net.x = {}; net.x['k'] = [net.x, b]"), ("net.y = [b]",)
    ),
)
finding.compare_uses(
    "each is given once, with the path of the place that comes first",
    _searches(
        ("net.x = [b]", "net.x = {'k': c}", "net.x = [[b]]"),
        ("net.y = [b]", "net.y = (c, b)", "net.fc.y = [b]"),
    )
    | _searches(("net.fc.x = [[c], b]",), ("net.fc.y = (c,)", "net.x = [b, d]")),
)
finding.compare_uses(
    "other values do no harm, and the model stays as it was",
    _searches(
        tuple(f"net.x = {value}" for value in _ODD),
        ask="[find_orphans(net), list(net.__dict__), find_orphans(net)]",
    )
    | _searches(
        ("net.gone = a; net.gone = None", "net.__class__ = sensitive(Module)"), ("net.x = [b]",)
    ),
)
_KINDS, _INSIDE = (
    "dict | list | tuple | set",
    "value.values() if isinstance(value, dict) else value",
)
# fmt: off
finding.wrongs(
    ("the library's Module", {"isinstance(value, Module)": "isinstance(value, __import__('nbmodule').nn.Module)"}, "it looks for `nn.Module`, but these are objects of your own `Module`; write `isinstance(value, Module)`"),
    ("a generator", {"return found": "yield from found"}, "`yield` makes a generator, which has not run yet; `return` hands over the answer"),
    ("lists only", {_KINDS: "list", f"for item in {_INSIDE}": "for item in value"}, "only lists are searched; tuples, sets and dicts can hold Modules as well"),
    ("no tuples", {_KINDS: "dict | list | set"}, "tuples aren't searched"),
    ("no sets", {_KINDS: "dict | list | tuple"}, "sets aren't searched"),
    ("no dicts", {_KINDS: "list | tuple | set"}, "dicts aren't searched"),
    ("keys", {f"for item in {_INSIDE}": "for item in value"}, "of a dict, the keys are searched; the Modules are its values"),
    ("exact kinds", {f"isinstance(value, {_KINDS})": "type(value) in (dict, list, tuple, set)"}, "an OrderedDict is a dict and a namedtuple is a tuple: ask with `isinstance`"),
    ("one level", {"                search(path, item)": "                if isinstance(item, Module) and item not in known:\n                    known.add(item)\n                    found.append((path, item))"}, "a list in a list isn't searched"),
    ("a list in itself", {"if any(value is earlier for earlier in opened):\n    return": ""}, "a list that holds itself is searched forever; remember which containers are open already"),
    ("the model only", {"for path, module in model.named_modules():": "for path, module in [('', model)]:"}, "only the model's own attributes are searched; every Module in the tree has a `__dict__`"),
    ("children of the tree", {"set(model.modules())": "set()"}, "Modules that a walk reaches are given as well; only those outside of `model.modules()` are orphans"),
    ("only the children are known", {"set(model.modules())": "set(model.children())"}, "the model itself is taken for an orphan when it's in a list"),
    ("every place", {"known.add(value)": "pass"}, "a Module in two places is given twice"),
    ("without the attribute", {'search(f"{path}.{name}" if path else name, value)': "search(path, value)"}, "the path leaves out the name of the attribute"),
    ("without the path", {'search(f"{path}.{name}" if path else name, value)': "search(name, value)"}, "the path leaves out which Module the attribute belongs to"),
    ("a dot in front", {'search(f"{path}.{name}" if path else name, value)': 'search(f"{path}.{name}", value)'}, "the model's own attributes get a dot in front"),
    ("Modules only", {"found.append((path, value))": "found.append(value)"}, "the list holds the Modules alone; it should hold pairs of a path and a Module"),
    ("names only", {"found.append((path, value))": "found.append(path)"}, "the list holds the paths alone; it should hold pairs of a path and a Module"),
    ("all attributes", {"module.__dict__.items()": "[(n, getattr(module, n)) for n in dir(module)]"}, "reading every name in `dir` runs properties; look in `__dict__`"),
    ("everything that can be looped over", {f"elif isinstance(value, {_KINDS}):": "elif hasattr(value, '__iter__') and not isinstance(value, str):"}, "whatever has an `__iter__` is looped over, which fails for some values; name the four kinds"),
)
# fmt: on

# ---- 08.2

listing = Exercise(
    "08.2",
    title="ModuleList",
    takes=("ModuleList",),
    minutes=10,
    writes=("ModuleList",),
    hints=(
        "The children are already in `_modules`, in order. Which of its methods gives what a list would give?",
        "The name of the next child is `str(len(self))`. `extend` calls `append`, and `__init__` calls `extend`. `list(self)` is an ordinary list, which understands every index.",
        "`append`: `self.add_module(str(len(self)), module)`, then `return self`. `__getitem__`: `type(self)(list(self)[index])` for a slice, else `list(self)[index]`.",
    ),
)
_LISTS = ("m = ModuleList()", "m = ModuleList([a])", "m = ModuleList([a, b, c])", "m = ModuleList(iter([a, b]))", "m = ModuleList((a, a))")  # fmt: skip
_GROW = ("", "m.append(d)", "m.extend([c, d])", "m.append(d).extend((c,))", "m.append(None)")
listing.compare_uses(
    "it begins with the Modules that it's given, and grows at its end",
    uses(
        programs(_LISTS, _GROW, ("m",))
        + programs(_LISTS, ("", "m.append(d)"), ("len(m)", "list(m)", "bool(m)"))
        + programs(_LISTS[:2], ("m.append(d) is m", "m.extend([d]) is m", "list(m.append(None))"))
    ),
)
listing.compare_uses(
    "an index gives a child, and a slice a new ModuleList of the same children",
    uses(
        programs(
            _LISTS,
            ("m[0]", "m[-1]", "m[2]", "m[1:]", "m[:-1]", "m[::-1]", "m[5:]", "m[9]", "m[-9]"),
        )
        + programs(_LISTS[2:], ("n = m[1:]", "n = m[:]"), ("n.append(d)", ""), ("[m, n]",))
        + ["type('Own', (ModuleList,), {})([a, b])[1:]"]
    ),
)
listing.compare_uses(
    "its children are in the tree, and only Modules are",
    uses(
        programs(_LISTS, ("", "m.append(d)"), ("[name for name, _ in m.named_modules()]", "list(m.children())"))
        + programs(_LISTS[:3], ("m.append(5)", "m.extend([5])", "ModuleList([5])", "ModuleList(5)", "m(x)"))
    ),
)  # fmt: skip
_ADD, _LOOP = (
    "self.add_module(str(len(self)), module)",
    "for module in modules:\n    self.append(module)",
)
_PICK, _CUT = "return list(self)[index]", "return type(self)(list(self)[index])"
# fmt: off
listing.wrongs(
    ("a plain list", {_ADD: "self._modules[str(len(self))] = module"}, "anything is accepted; `add_module` refuses what isn't a Module"),
    ("setattr", {_ADD: "setattr(self, str(len(self)), module)"}, "what isn't a Module becomes an ordinary attribute; `add_module` refuses it"),
    ("numbers as names", {_ADD: "self._modules[len(self)] = module"}, "the names are numbers; a name is a string, `str(…)`"),
    ("from one", {_ADD: "self.add_module(str(len(self) + 1), module)"}, "the first child is called `1`; count from 0"),
    ("append returns nothing", {f"{_ADD}\nreturn self": _ADD}, "`append` returns None; it returns the container"),
    ("extend returns nothing", {f"{_LOOP}\nreturn self": _LOOP}, "`extend` returns None; it returns the container"),
    ("the argument is required", {"def __init__(self, modules=None):": "def __init__(self, modules):"}, "`ModuleList()` doesn't work; without Modules, it's empty"),
    ("no super", {"super().__init__()": ""}, "the drawers are missing: call `super().__init__()` first"),
    ("positive only", {_PICK: "return self._modules[str(index)]"}, "an index that isn't there, or is negative, raises a KeyError; a list counts from its end and raises an IndexError"),
    ("a list for a slice", {_CUT: "return list(self)[index]"}, "a slice gives a plain list, in which the Modules are lost again"),
    ("always ModuleList", {_CUT: "return ModuleList(list(self)[index])"}, "a slice of a subclass is a plain ModuleList; `type(self)` keeps the class"),
    ("a slice is a copy", {_CUT: "import copy\nreturn type(self)(copy.deepcopy(list(self)[index]))"}, "a slice has copies of the children; it should share them"),
    ("names", {"return iter(self._modules.values())": "return iter(self._modules)"}, "a loop gives the names; it should give the Modules"),
    ("None is skipped", {"return iter(self._modules.values())": "return iter([m for m in self._modules.values() if m is not None])"}, "a loop skips None, so the numbers don't fit anymore"),
    ("True is a number", {"return len(self._modules)": "return len(list(self.children()))"}, "a child with two names counts once in `len`"),
)
# fmt: on

# ---- 08.3

naming = Exercise(
    "08.3",
    title="ModuleDict",
    takes=("ModuleDict",),
    minutes=8,
    writes=("ModuleDict",),
    hints=(
        "`_modules` is a dictionary already. Most of these methods hand their question on to it. Which one shouldn't?",
        "Only `__setitem__` has to check something, and `add_module` does that. `update` assigns item by item, so that it checks as well.",
        "`__setitem__`: `self.add_module(name, module)`. `update`: `for name, module in modules.items(): self[name] = module`. A loop over a dict gives names: `iter(self._modules)`.",
    ),
)
_DICTS = ("m = ModuleDict()", "m = ModuleDict({'k': a, 'l': b})", "m = ModuleDict(OrderedDict(l=a, k=b))", "m = ModuleDict(ModuleDict({'k': a}))")  # fmt: skip
_CHANGES = (
    "",
    "m['n'] = d",
    "m['k'] = d",
    "m['k'] = None",
    "m.update({'n': c, 'k': d})",
    "m.update({})",
)
naming.compare_uses(
    "it's filled and changed like a dict",
    uses(
        programs(_DICTS, _CHANGES, ("m",))
        + programs(_DICTS, _CHANGES[:2], ("len(m)", "list(m)", "bool(m)", "list(m.children())"))
        + programs(_DICTS, ("del m['k']", "del m['nope']"), ("m",))
    ),
)
naming.compare_uses(
    "it answers like a dict",
    uses(
        [
            *programs(
                _DICTS,
                _CHANGES[:4],
                (
                    "m['k']",
                    "m['nope']",
                    "'k' in m",
                    "'nope' in m",
                    "m.keys()",
                    "m.values()",
                    "m.items()",
                ),
            ),
            "m = ModuleDict({'k': a}); 'training' in m",
        ]
    ),
)
naming.compare_uses(
    "only Modules get in, under names that `add_module` allows",
    uses(
        programs(_DICTS[:2], ("m['k'] = 5", "m.update({'k': 5})", "ModuleDict({'k': 5})", "m['a.b'] = c", "m[''] = c", "m[3] = c", "m['keys'] = c", "m['training'] = c", "m.update({'values': c})"), ("m",))
        + programs(_DICTS, ("m(x)", "[name for name, _ in m.named_modules()]"))
    ),
)  # fmt: skip
_PUT = "self.add_module(name, module)"
# fmt: off
naming.wrongs(
    ("straight into the drawer", {_PUT: "self._modules[name] = module"}, "any name and any value is accepted; `add_module` checks both"),
    ("setattr", {_PUT: "setattr(self, name, module)"}, "an assignment to an attribute accepts names that are taken, and values that aren't Modules; use `add_module`"),
    ("update without checks", {"self[name] = module": "self._modules[name] = module"}, "`update` accepts any name and any value"),
    ("update replaces", {"for name, module in modules.items():": "self._modules.clear()\nfor name, module in modules.items():"}, "`update` forgets what was there before"),
    ("update keeps", {"self[name] = module": "if name not in self:\n    self[name] = module"}, "`update` doesn't replace a Module whose name is there already"),
    ("a loop gives Modules", {"return iter(self._modules)": "return iter(self._modules.values())"}, "a loop over it gives Modules; a dict gives its names"),
    ("in asks for Modules", {"return name in self._modules": "return name in self._modules.values()"}, "`in` looks for a Module; it should look for a name"),
    ("in asks for attributes", {"return name in self._modules": "return hasattr(self, name)"}, "`in` says yes to every attribute; only the names in `_modules` count"),
    ("None for a missing name", {"return self._modules[name]": "return self._modules.get(name)"}, "a missing name gives None; it should raise a KeyError"),
    ("getattr", {"return self._modules[name]": "return getattr(self, name)"}, "a missing name raises an AttributeError; a dict raises a KeyError"),
    ("pop", {"del self._modules[name]": "self._modules.pop(name, None)"}, "deleting a missing name is accepted; it should raise a KeyError"),
    ("delattr", {"del self._modules[name]": "delattr(self, name)"}, "deleting a missing name raises an AttributeError; a dict raises a KeyError"),
    ("the argument is required", {"def __init__(self, modules=None):": "def __init__(self, modules):"}, "`ModuleDict()` doesn't work; without Modules, it's empty"),
    ("sorted", {"for name, module in modules.items():": "for name, module in sorted(modules.items(), key=lambda item: item[0]):"}, "the Modules are sorted by name; keep their order"),
    ("no super", {"super().__init__()": ""}, "the drawers are missing: call `super().__init__()` first"),
)
# fmt: on
