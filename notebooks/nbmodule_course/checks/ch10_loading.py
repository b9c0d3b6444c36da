"""Chapter 10, unpacking: what one Module takes out of a state, and what the whole tree reports."""

from __future__ import annotations

from ..exercise import Exercise
from .states import lines, uses

# ---- 10.3

unpacking = Exercise(
    "10.3",
    title="Unpack into one Module",
    takes=("Module",),
    minutes=25,
    writes=("_load_from_state_dict",),
    hints=(
        "Two loops: one over what this Module saves, and one over the keys of `state_dict`. Which list does each of them fill?",
        "In the first loop, the cases are: the key is missing, the value isn't a tensor, the shape differs, `assign`, and otherwise the copy: "
        '`with nbmodule.no_grad(): old.copy_(new)`. For the second loop, `key.removeprefix(prefix).partition(".")` gives the first name, and a dot if more follows.',
        '`first, dot, _ = key.removeprefix(prefix).partition(".")`. The key is unexpected if it starts with the prefix and '
        "`first not in (self._modules if dot else own)`, where `own = self._own_state()`.",
    ),
)
_ODD = (
    "s.pop('weight')", "s.pop('mean')", "s.pop('fc.w')", "s.clear()", "s['spare'] = s['weight']", "s['fc.spare'] = s['weight']",
    "s['other.w'] = s['weight']", "s['mask'] = s['mean']", "s['bias'] = s['mean']", "s['fc'] = s['mean']", "s['gone.w'] = s['mean']",
    "s['weight.x'] = s['mean']", "s['fcc.w'] = s['mean']",
)  # fmt: skip
_WRONG = ("s['weight'] = tensor([1.0])", "s['weight'] = tensor([[1.0, 2.0]])", "s['mean'] = 5", "s['mean'] = [3.0]", "s['scale'] = None", "s['mean'] = s['mean'].numpy()", "s['weight'] = 5; s['mean'] = tensor([1.0, 2.0])")  # fmt: skip
_START, _UNDER = "m = blank(); s = state()", "m = blank(); s = {f'a.{k}': v for k, v in state().items()}; s['weight'] = s['b.x'] = s['a.mean']"  # fmt: skip
_DO, _DO_UNDER = "unpack(m, s)", "unpack(m, s, 'a.')"
unpacking.compare_uses(
    "the numbers are copied into the tensors that are there",
    uses(
        *lines((_START,), (f"{_DO}; numbers(m)", f"same(m, lambda: {_DO})", f"{_DO}; s['weight'].fill_(9.0); numbers(m)", f"w = m._parameters['weight']; {_DO}; w.grad_fn, w.is_leaf, w.requires_grad")),
        *lines((_START,), ("s['weight'] = wide", "s['mean'] = wide[:1]", "s['weight'] = Parameter(s['weight'])"), (f"{_DO}; numbers(m)",)),
        *(f"{_START}; old = {place}.detach(); {_DO}; old.tolist()" for place in ("m._parameters['weight']", "m._buffers['mean']")),
        f"{_START}; w = m._parameters['weight']; w.grad = tensor([7.0, 8.0]); {_DO}; w.grad.tolist()",
    ),
)  # fmt: skip
unpacking.compare_uses(
    "missing and unexpected keys are noted",
    uses(
        *lines((_START,), ("", *_ODD), (_DO,)),
        *lines((_START,), _ODD[:7], (f"{_DO}; numbers(m)",)),
        f"{_START}; s.pop('weight'); s['spare'] = s['mean']; {_DO}",
        *lines((_START,), ("s.clear()", "s['spare'] = 5"), ("unpack(m, s, '', False)",)),
    ),
)  # fmt: skip
unpacking.compare_uses(
    "only keys behind the prefix count",
    uses(*lines((_UNDER,), ("", "s['a.spare'] = s['weight']", "s.pop('a.scale')", "s['ab.spare'] = s['weight']", "s['spare.a.'] = s['weight']", "s['a.aweight'] = s['weight']", "s['a.fa.c.w'] = s['weight']"), (_DO_UNDER, f"{_DO_UNDER}; numbers(m)"))),
)  # fmt: skip
unpacking.compare_uses(
    "values that don't fit are noted, and the others are copied",
    uses(
        *lines((_START,), _WRONG, (_DO, f"{_DO}; numbers(m)", "unpack(m, s, '', False)")),
        *lines((_UNDER,), ("s['a.weight'] = tensor([1.0])",), (_DO_UNDER,)),
    ),
)
_ASSIGN = "unpack(m, s, assign_to_params_buffers=True)"
unpacking.compare_uses(
    "with `assign`, the tensors are replaced",
    uses(
        *lines((_START,), ("", "s['weight'] = wide", "s['mean'] = wide[:1]", "s['weight'] = tensor([1.0])", "s.pop('mean')"), (f"{_ASSIGN}; numbers(m)", f"same(m, lambda: {_ASSIGN})", _ASSIGN)),
        f"{_START}; {_ASSIGN}; s['weight'].fill_(9.0); numbers(m)",
        f"{_START}; {_ASSIGN}; m._buffers['mean'] is s['mean']",
        f"{_START}; {_ASSIGN}; list(m._parameters), list(m._buffers)",
        "m = blank(); s = state(); same(m, lambda: unpack(m, s, assign_to_params_buffers=False, version=2))",
        f"{_START}; m._parameters['weight'] = special; {_ASSIGN}; numbers(m)",
        *lines((f"{_START}; p = s['weight'] = Parameter(s['weight'])", f"{_START}; p = s['weight'] = special", f"{_START}; p = s['scale'] = Parameter(s['scale'])"), (f"{_ASSIGN}; any(p is v for v in m._parameters.values())", f"{_ASSIGN}; numbers(m)")),
    ),
)  # fmt: skip
unpacking.compare_uses(
    "hooks run first, and may change the state",
    uses(
        "m = blank(); s = state(); hooked(m, '_load_state_dict_pre_hooks'); unpack(m, s, version=2); seen",
        "m = blank(); s = state(); hooked(m, '_load_state_dict_pre_hooks', lambda s, *rest: s.update(weight=s.pop('mean').repeat(2))); unpack(m, s)",
        "m = blank(); s = {}; hooked(m, '_load_state_dict_pre_hooks', lambda s, p, n, strict, missing, unexpected, errors: errors.append('weight')); unpack(m, s)",
        "m = blank(); s = state(); hooked(m, '_load_state_dict_pre_hooks', lambda s, *rest: s.pop('weight')); unpack(m, s); numbers(m)",
        "m = blank(); s = state(); hooked(m, '_load_state_dict_pre_hooks'); hooked(m, '_load_state_dict_pre_hooks'); unpack(m, s, '', False); seen",
    ),
)  # fmt: skip
_HOOKS = "hook(state_dict, prefix, local_metadata, *noted)"
_LACKS, _SHAPE = (
    "if strict:\n    missing_keys.append(key)",
    "elif not isinstance(new, Tensor) or new.shape != old.shape:",
)
_MORE = f"{_SHAPE}\n    found = tuple(new.shape) if isinstance(new, Tensor) else type(new).__name__"
_COPY = "with nbmodule.no_grad():\n    old.copy_(new)"
_AS = 'elif local_metadata.get("assign_to_params_buffers"):'
_NEW, _LAST = (
    "new = new if isinstance(new, Parameter) else Parameter(new, False)",
    "unexpected_keys.append(key)",
)
_KEPT = "new.requires_grad_(old.requires_grad)"
_TEST = "if key.startswith(prefix) and first not in (self._modules if dot else own):"
_FIRST, _KEY = 'first, dot, _ = key.removeprefix(prefix).partition(".")', "key = prefix + name"
_OWN = "own = self._own_state()"
# fmt: off
unpacking.wrongs(
    ("replaced", {_COPY: "setattr(self, name, Parameter(new.clone(), old.requires_grad) if isinstance(old, Parameter) else new.clone())"}, "the tensors are replaced by new ones, so an optimizer keeps the old ones; copy into them with `copy_`"),
    ("put in its drawer", {_COPY: "(self._parameters if name in self._parameters else self._buffers)[name] = new"}, "the tensor of the state is put in the place of the old one; copy the numbers into the one that is there"),
    ("data replaced", {_COPY: "old.data = new.to(old.dtype)"}, "the old tensors now share their memory with the state; copy the numbers with `copy_`"),
    ("new memory", {_COPY: "old.data = new.detach().clone().to(old.dtype)"}, "the numbers go into new memory, and whoever shares the old one doesn't see them; copy them into it with `copy_`"),
    ("recorded", {_COPY: "old.copy_(new)"}, "a Parameter that requires a gradient can't be changed while operations are recorded; copy inside `no_grad()`"),
    ("Parameters only", {_OWN: "own = {n: p for n, p in self._parameters.items() if p is not None}"}, "the buffers aren't loaded"),
    ("all buffers", {_OWN: "own = {n: v for n, v in [*self._parameters.items(), *self._buffers.items()] if v is not None}"}, "buffers with `persistent=False` are expected in the state; they're never saved"),
    ("no prefix", {_KEY: "key = name"}, "`prefix` isn't used for the keys"),
    ("missing unnoted", {_LACKS: "pass"}, "missing keys aren't noted"),
    ("missing without the prefix", {"missing_keys.append(key)": "missing_keys.append(name)"}, "a missing key is noted without its prefix"),
    ("KeyError", {_LACKS: "raise KeyError(key)"}, "a missing key raises an error; note it and go on"),
    ("unexpected unnoted", {_LAST: "pass"}, "unexpected keys aren't noted"),
    ("unexpected without the prefix", {_LAST: "unexpected_keys.append(key.removeprefix(prefix))"}, "an unexpected key is noted without its prefix"),
    ("everything below", {_TEST: "if key.startswith(prefix) and first not in own:"}, "the keys of the children are called unexpected; each child looks at its own"),
    ("nothing below", {_TEST: "if key.startswith(prefix) and not dot and first not in own:"}, "a key below a child that doesn't exist isn't noted; no other Module will see it"),
    ("first name alone", {_TEST: "if key.startswith(prefix) and first not in self._modules and first not in own:"}, "a dot decides which dictionary counts: `fc` isn't a tensor, and `weight.x` isn't in a child"),
    ("live children", {_TEST: "if key.startswith(prefix) and first not in ([n for n, c in self._modules.items() if c is not None] if dot else own):"}, "a key below a child that is None is called unexpected; its name is in `_modules`, so PyTorch lets it pass"),
    ("the prefix anywhere", {_FIRST: 'first, dot, _ = key.replace(prefix, "").partition(".")'}, "the prefix is taken out of the middle of a key as well; `removeprefix` looks at the beginning only"),
    ("any of its letters", {_FIRST: 'first, dot, _ = key.lstrip(prefix).partition(".")'}, "`lstrip` takes away every letter of the prefix, not the prefix; use `removeprefix`"),
    ("all keys", {_TEST: "if first not in (self._modules if dot else own):"}, "keys that don't start with the prefix are noted as well; they belong to other Modules"),
    ("strict forgotten", {"if strict:\n    for key in state_dict:": "if True:\n    for key in state_dict:"}, "unexpected keys are noted even if `strict` is false"),
    ("strict forgotten, missing", {_LACKS: "missing_keys.append(key)"}, "missing keys are noted even if `strict` is false"),
    ("strict for shapes", {_SHAPE: f"{_SHAPE[:-1]} and not strict:\n    pass\n{_SHAPE}".replace("elif not isinstance(new, Tensor) or new.shape != old.shape and", "elif isinstance(new, Tensor) and new.shape != old.shape and")}, "without `strict`, a different shape is ignored; it's always an error"),
    ("raised", {_MORE: f"{_MORE}\n    raise RuntimeError(key)"}, "another shape raises an error right away; note it in `error_msgs` and go on"),
    ("as many numbers", {_SHAPE: "elif not isinstance(new, Tensor) or new.numel() != old.numel():", "old.copy_(new)": "old.copy_(new.reshape(old.shape))"}, "the number of elements is compared; the shapes must be equal"),
    ("no look at the shape", {_SHAPE: "elif not isinstance(new, Tensor):"}, "the shape isn't looked at; a tensor of one number is copied into all places, and others fail"),
    ("no look at the kind", {_SHAPE: "elif new.shape != old.shape:"}, "a value that isn't a tensor has no shape, so the comparison fails; note an error"),
    ("arrays taken", {_SHAPE: "elif getattr(new, 'shape', None) != old.shape:", "old.copy_(new)": "old.copy_(nbmodule.as_tensor(new))"}, "an array is copied as if it were a tensor; note an error"),
    ("tensors made", {_SHAPE: "elif new is None or getattr(new, 'shape', old.shape) != old.shape:", "old.copy_(new)": "old.copy_(new if isinstance(new, Tensor) else nbmodule.as_tensor(new))"}, "a value that isn't a tensor is turned into one; note an error"),
    ("key not named", {"for {key}: {found}": ": {found}"}, "the message about the shape doesn't name the key"),
    ("no assign", {_AS: "elif False:"}, "`assign_to_params_buffers` has no effect"),
    ("always assign", {_AS: "elif True:"}, "the tensors are always replaced; look in `local_metadata`"),
    ("the key is enough", {_AS: 'elif "assign_to_params_buffers" in local_metadata:'}, "the entry may be False; test its value"),
    ("not a Parameter", {_NEW: "", _KEPT: "pass"}, "an ordinary tensor is assigned to a Parameter's name, which fails; make it a Parameter"),
    ("gradient lost", {_NEW: _NEW.replace(", False", ""), _KEPT: ""}, "a frozen Parameter isn't frozen anymore; keep its `requires_grad`"),
    ("a Parameter anew", {_NEW: "new = Parameter(new)"}, "a Parameter in the state is replaced by another one; PyTorch takes that very Parameter"),
    ("a Parameter as it is", {_NEW: "if not isinstance(new, Parameter):\n    new = Parameter(new, old.requires_grad)", _KEPT: ""}, "a Parameter in the state keeps its own `requires_grad`; give it the old one's"),
    ("Parameters for all", {"if isinstance(old, Parameter):": "if True:"}, "a buffer is replaced by a Parameter"),
    ("assigned copies", {_NEW: "new = Parameter(new.clone(), False)"}, "the numbers are copied even with `assign`; it takes the tensors of the state themselves"),
    ("no hooks", {_HOOKS: "pass"}, "the hooks in `_load_state_dict_pre_hooks` don't run"),
)
# fmt: on

# ---- 10.4

reporting = Exercise(
    "10.4",
    title="Unpack the tree, and report",
    takes=("Module",),
    minutes=20,
    writes=("load_state_dict",),
    keeps=("10.3",),
    hints=(
        "All Modules of the tree write to the same three lists. Define a function inside the method that loads one Module and then its children.",
        '`noted = {**metadata.get(prefix[:-1], {}), "assign_to_params_buffers": assign}`, and `module._load_from_state_dict(state, prefix, noted, True, *report, errors)`. '
        "The fifth argument is True even if `strict` is false: the report needs the keys.",
        '`def load(module, prefix): …` ends with `for name, child in module._modules.items(): if child is not None: load(child, prefix + name + ".")`. '
        'After `load(self, "")`, raise a RuntimeError if there are errors, or if `strict` is true and one of the two lists isn\'t empty.',
    ),
)
_BOTH = ("tried(lambda: m.load_state_dict(s))", "tried(lambda: m.load_state_dict(s, strict=False))")
reporting.compare_uses(
    "the whole tree is loaded",
    uses(
        *lines((_START,), ("m.load_state_dict(s); numbers(m)", "same(m, lambda: m.load_state_dict(s))", *_BOTH)),
        "m = blank(); s = proxy(state()); m.load_state_dict(s); numbers(m)",
        "m = Module(); m._modules['a'] = blank(); s = {f'a.{k}': v for k, v in state().items()}; m.load_state_dict(s); numbers(m)",
        "m = blank(); m.load_state_dict(tree().state_dict()); numbers(m)",
        "m = blank(); repr(m.load_state_dict(state()))",
        "m = Module(); m._modules.update(a=blank(), b=blank()); tried(lambda: m.load_state_dict({}, strict=False))",
        "a = blank(); m = Module(); m._modules.update(a=a, b=a); tried(lambda: m.load_state_dict({}, strict=False))",
        "m = blank(); 'fc.w' in repr(m.load_state_dict({}, strict=False))",
    ),
)  # fmt: skip
reporting.compare_uses(
    "the report names missing and unexpected keys; with `strict`, it's an error",
    uses(
        *lines((_START,), _ODD[:11], _BOTH),
        *lines((_START,), ("s.pop('fc.w')", "s['spare'] = s['weight']"), ("m.load_state_dict(s, strict=False); numbers(m)",)),
        "m = blank(); s = state(); s.clear(); s['fc.spare'] = s['spare'] = tensor([1.0]); tried(lambda: m.load_state_dict(s))",
        "m = Module(); m._modules['a'] = blank(); s = {'a.b.c': tensor(0)}; len(m.load_state_dict(s, strict=False).unexpected_keys)",
    ),
)  # fmt: skip
reporting.compare_uses(
    "another shape is an error, with or without `strict`",
    uses(
        *lines((_START,), (*_WRONG, "s['fc.w'] = tensor([[5.0]])", "s['fc.n'] = 7; s.pop('mean')", "s['weight'] = tensor([1.0]); s['fc.spare'] = s['mean']"), _BOTH),
        *lines(("m = Module()",), tuple(f"tried(lambda: m.load_state_dict({odd}))" for odd in ("5", "None", "[]", "[('weight', 1)]", "'weight'", "m"))),
    ),
)  # fmt: skip
reporting.compare_uses(
    "`assign` and the versions reach every Module",
    uses(
        *lines((_START,), ("m.load_state_dict(s, assign=True); s['fc.w'].fill_(9.0); numbers(m)", "m.load_state_dict(s, assign=True); s['weight'].fill_(9.0); numbers(m)", "m.load_state_dict(s, True, True); s['mean'].fill_(9.0); numbers(m)", "m.load_state_dict(s, False); s['fc.w'].fill_(9.0); numbers(m)", "same(m, lambda: m.load_state_dict(s, assign=True))")),
        *lines(("m = Module(); x = m._modules['x'] = Special()", "x = Special(); n = Module(); n._modules['x'] = x; m = Module(); m._modules['n'] = n"), ("s = m.state_dict()", "s = dict(m.state_dict())"), ("m.load_state_dict(s)", "m.load_state_dict(s, strict=False)", "m.load_state_dict(s, assign=True)"), ("x.loaded, x.version",)),
        "x = Special(); s = x.state_dict(); x.load_state_dict(s); x.loaded, x.version, list(s)",
    ),
)  # fmt: skip
_AFTER = "hooked(m, '_load_state_dict_post_hooks'{})"
reporting.compare_uses(
    "hooks see the report, and may change it; the state stays as it was",
    uses(
        *lines(("m = blank(); s = state(); s.pop('fc.w'); s['spare'] = s['mean']",), (_AFTER.format(""), _AFTER.format("").replace("(m", "(m._modules['fc']")), ("m.load_state_dict(s, strict=False)",), ("seen",)),
        f"m = blank(); s = state(); {_AFTER.format('')}; {_AFTER.format('')}; m.load_state_dict(s); seen",
        f"m = blank(); s = state(); {_AFTER.format(', lambda *given: seen.append(1)')}; hooked(m._modules['fc'], '_load_state_dict_post_hooks', lambda *given: seen.append(2)); m.load_state_dict(s); seen[1::2]",
        f"m = blank(); s = state(); s.pop('fc.w'); {_AFTER.format(', lambda m, report: report.missing_keys.clear()')}; tried(lambda: m.load_state_dict(s))",
        "m = blank(); s = state(); hooked(m, '_load_state_dict_pre_hooks', lambda s, *rest: s.pop('weight')); tried(lambda: m.load_state_dict(s, strict=False)), list(s)",
        "m = blank(); s = state(); hooked(m, '_load_state_dict_pre_hooks', lambda s, *rest: s.pop('fc.w')); tried(lambda: m.load_state_dict(s, strict=False))",
    ),
)  # fmt: skip
_TYPE, _MAPPING = 'raise TypeError(f"Expected…', "if not isinstance(state_dict, Mapping):"
_META = 'metadata = getattr(state_dict, "_metadata", {})'
_CALL = "module._load_from_state_dict(state, prefix, noted, True, *report, errors)"
_NOTED = 'noted = {**metadata.get(prefix[:-1], {}), "assign_to_params_buffers": assign}'
_BELOW = "load(child, {k: v for k, v in state.items() if k.startswith(path)}, path)"
_TOP, _STRICT = 'load(self, OrderedDict(state_dict), "")', "if strict and keys:"
_RAISE, _PATH = "if problems or errors:", 'path = prefix + name + "."'
# fmt: off
reporting.wrongs(
    ("anything", {_MAPPING: "if False:"}, "something that isn't a dictionary is accepted, or fails in other words; raise a TypeError first"),
    ("dict only", {_MAPPING: "if not isinstance(state_dict, dict):"}, "only a `dict` is accepted; accept any `Mapping`"),
    ("itself only", {_BELOW: "pass"}, "the children aren't loaded"),
    ("children by load_state_dict", {_BELOW: "child.load_state_dict({k.removeprefix(path): v for k, v in state.items() if k.startswith(path)}, strict, assign)"}, "each child reports on its own, so the report of the whole tree is lost"),
    ("None called", {"if child is not None:": "if True:"}, "a child may be None"),
    ("named_children", {"in module._modules.items():": "in module.named_children():"}, "a child with two names is loaded under the first one; `named_children` skips the second, so go through `_modules`"),
    ("the caller's state below", {_BELOW: "load(child, {k: v for k, v in state_dict.items() if k.startswith(path)}, path)"}, "the children get the caller's state; what a hook of their parent has changed is lost"),
    ("copied first", {_TOP: 'load(self, deepcopy(OrderedDict(state_dict)), "")'}, "the tensors of the state are copied first, so `assign` doesn't take those that were given; copy the dictionary alone"),
    ("prefix lost", {_PATH: 'path = name + "."'}, "the path of a child begins again at each level; put `prefix` in front"),
    ("no dot", {_PATH: "path = prefix + name"}, "the path of a child lacks its dot at the end"),
    ("strict passed on", {_CALL: _CALL.replace("True", "strict")}, "without `strict`, the report is empty: pass True to `_load_from_state_dict`, which notes the keys"),
    ("never strict", {_STRICT: "if False:"}, "missing and unexpected keys are never an error; with `strict`, they are"),
    ("always strict", {_STRICT: "if keys:"}, "missing and unexpected keys are an error even with `strict=False`"),
    ("missing only", {'in ("missing", "unexpected"):': 'in ("missing",):'}, "unexpected keys aren't an error; with `strict`, they are"),
    ("unexpected only", {'in ("missing", "unexpected"):': 'in ("unexpected",):'}, "missing keys aren't an error; with `strict`, they are"),
    ("errors forgiven", {_RAISE: "if problems or (strict and errors):"}, "with `strict=False`, a different shape is ignored; it's always an error"),
    ("errors forgotten", {_RAISE: "if problems:"}, "the errors of `_load_from_state_dict` are dropped; a shape that differs must raise"),
    ("one at a time", {_RAISE: "if errors:\n    raise RuntimeError(errors[0])\nif problems:", "problems + errors": "problems"}, "the message names only a part of what is wrong; put all of it into one error"),
    ("the first problem", {"problems + errors": "(problems + errors)[:1]"}, "the message names only the first problem; name all of them"),
    ("ValueError", {"raise RuntimeError": "raise ValueError"}, "the exception is a ValueError; PyTorch raises a RuntimeError"),
    ("KeyError", {"raise RuntimeError": "raise KeyError"}, "the exception is a KeyError; PyTorch raises a RuntimeError"),
    ("nothing returned", {"return report": ""}, "nothing is returned; return the report"),
    ("the object returned", {"return report": "return self"}, "the object is returned; return the report"),
    ("swapped", {"return report": "return _IncompatibleKeys(report.unexpected_keys, report.missing_keys)"}, "missing and unexpected keys are swapped in the report"),
    ("no versions", {_NOTED: 'noted = {"assign_to_params_buffers": assign}'}, "the versions in `_metadata` don't reach the Modules"),
    ("versions required", {_META: "metadata = state_dict._metadata"}, "an ordinary dictionary has no `_metadata`; then nothing is known about versions"),
    ("versions of the copy", {_META: "state_dict = OrderedDict(state_dict)\nmetadata = state_dict._metadata"}, "a copy of the dictionary doesn't take the attribute `_metadata` along; get it from the original first, with `getattr(…, \"_metadata\", {})`"),
    ("the top's version", {_NOTED: 'noted = {**metadata.get("", {}), "assign_to_params_buffers": assign}'}, "every Module gets the version of the top; look under its own path"),
    ("with the dot", {_NOTED: _NOTED.replace("prefix[:-1]", "prefix")}, "the versions are looked up under a path that ends with a dot; in `_metadata`, it doesn't"),
    ("no assign", {_NOTED: _NOTED.replace(": assign", ": False")}, "`assign` has no effect"),
    ("the Module's own way", {_CALL: _CALL.replace("module._load_from_state_dict(", "Module._load_from_state_dict(module, ")}, "a class's own `_load_from_state_dict` isn't called"),
    ("no copy", {_TOP: 'load(self, state_dict, "")'}, "a hook that changes the state changes the caller's dictionary; load from a copy"),
    ("no hooks", {"hook(module, report)": "pass"}, "the hooks in `_load_state_dict_post_hooks` don't run"),
    ("hooks of the top", {"for hook in module._load_state_dict_post_hooks.values():": "for hook in (self._load_state_dict_post_hooks.values() if module is self else ()):"}, "the hooks of the children don't run"),
    ("hooks of parents first", {"hook(module, report)": "pass", 'load(self, OrderedDict(state_dict), "")': 'load(self, OrderedDict(state_dict), "")\nfor module in self.modules():\n    for hook in module._load_state_dict_post_hooks.values():\n        hook(module, report)'}, "a parent's hooks run before those of its children; they run after everything below it is loaded"),
    ("hooks first", {"hook(module, report)": "pass", _CALL: f"for hook in module._load_state_dict_post_hooks.values():\n    hook(module, report)\n{_CALL}"}, "the hooks run before anything is loaded"),
)
# fmt: on
