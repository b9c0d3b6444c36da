"""Chapter 17, migrating: hooks around a state, old versions, extra state, and what pickle is given."""

from __future__ import annotations

import textwrap

from ..exercise import Exercise
from .resuming import uses
from .states import lines

# ---- 17.3

_NAMES = ("register_state_dict_pre_hook", "register_state_dict_post_hook", "register_load_state_dict_pre_hook", "register_load_state_dict_post_hook")  # fmt: skip
registering = Exercise(
    "17.3",
    title="Four ways to register",
    takes=("Module",),
    minutes=10,
    writes=_NAMES,
    keeps=("10.2", "10.4"),
    hints=(
        "Each method is three lines: a handle for one of the four dictionaries, an entry under the handle's `id`, and the handle is returned.",
        "Your `_load_from_state_dict` calls the hooks in `_load_state_dict_pre_hooks` without the Module. So store something that puts the Module in front, and that `deepcopy` can copy.",
        "`handle = RemovableHandle(self._load_state_dict_pre_hooks)`, `self._load_state_dict_pre_hooks[handle.id] = functools.partial(hook, self)`, `return handle`. In the other three, `hook` is stored as it is.",
    ),
)
_REG = tuple(f"m.{name}(noting('x'))" for name in _NAMES)
_SAVE, _LOAD = ("m.state_dict()", "m.state_dict(prefix='a.', keep_vars=True)"), ("m.load_state_dict(m.state_dict())", "m.load_state_dict({}, strict=False)")  # fmt: skip
registering.compare_uses(
    "hooks run when the Module is saved or loaded, with their arguments",
    uses(
        *lines(("m = Net()",), _REG, (*_SAVE, *_LOAD), ("seen",)),
        *lines(("m = Net()",), tuple(r.replace("m.", "m.fc.") for r in _REG), ("m.state_dict()", "m.load_state_dict(m.state_dict())"), ("seen",)),
    ),
)  # fmt: skip
_BOTH = tuple(f"m.{name}(noting('x')); m.{name}(noting('y'))" for name in _NAMES)
registering.compare_uses(
    "several hooks run in their order, even those of different Modules",
    uses(
        *lines(("m = Net()",), _BOTH, ("m.load_state_dict(m.state_dict())",), ("seen",)),
        *lines(("m = Net()",), (*_REG, *(f"h = noting('x'); m.{n}(h); m.{n}(h)" for n in _NAMES)), ("m.fc." + _NAMES[0] + "(noting('z')); m.fc." + _NAMES[2] + "(noting('z'))", "Net()." + _NAMES[0] + "(noting('z'))"), ("m.load_state_dict(m.state_dict())",), ("seen",)),
        "m = Net(); " + "; ".join(_REG) + "; m.load_state_dict(m.state_dict()); seen",
    ),
)  # fmt: skip
registering.compare_uses(
    "the handle takes the hook out again",
    uses(
        *lines(("m = Net()",), tuple(f"h = {r}" for r in _REG), ("h.remove()", "h.remove(); h.remove()", "m.load_state_dict(m.state_dict()); h.remove()"), ("m.load_state_dict(m.state_dict())",), ("seen",)),
        *lines(("m = Net()",), tuple(f"h = {one}; {two}" for one, two in (_.split("; ") for _ in _BOTH)), ("h.remove()",), ("", "m." + _NAMES[0] + "(noting('z'))", "m." + _NAMES[1] + "(noting('z'))"), ("m.load_state_dict(m.state_dict())",), ("seen",)),
    ),
)  # fmt: skip
registering.compare_uses(
    "a copy's hooks get the copy",
    uses(
        *lines(("m = Net()",), _REG, ("c = copy.deepcopy(m); c.name = 'copy'",), ("c.load_state_dict(c.state_dict())", "m.load_state_dict(m.state_dict())"), ("seen",)),
        f"m = Net(); {_REG[2].replace('m.', 'm.fc.')}; c = copy.deepcopy(m); c.fc.name = 'copy'; c.load_state_dict(c.state_dict()); seen",
    ),
)  # fmt: skip
registering.compare_uses(
    "a hook may change the state and the report",
    uses(
        "m = Net(); m.register_state_dict_post_hook(lambda m, s, *rest: s.pop('w')); list(m.state_dict())",
        "m = Net(); m.register_state_dict_pre_hook(lambda m, *rest: m._parameters.clear()); list(m.state_dict())",
        "m = Net(); m.register_load_state_dict_pre_hook(lambda m, s, p, *rest: s.update({p + 'w': tensor([9.0])})); m.load_state_dict(m.state_dict()); m.w.tolist()",
        "m = Net(); m.register_load_state_dict_post_hook(lambda m, report: report.missing_keys.clear()); tried(lambda: m.load_state_dict({}))",
    ),
)  # fmt: skip
_PART = "self._load_state_dict_pre_hooks[handle.id] = functools.partial(hook, self)"
_POST, _PRE = (
    "self._state_dict_hooks[handle.id] = hook",
    "self._state_dict_pre_hooks[handle.id] = hook",
)
_LAST = "self._load_state_dict_post_hooks[handle.id] = hook"
_HANDLES = tuple(f"handle = RemovableHandle(self.{d})" for d in ("_state_dict_pre_hooks", "_state_dict_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks"))  # fmt: skip
_STORED = tuple(f"{made}\n{put}\nreturn handle" for made, put in zip(_HANDLES, (_PRE, _POST, _PART, _LAST), strict=True))  # fmt: skip


def _swapped(*pair: int) -> dict[str, str]:
    """Return the patch that gives two of the methods each other's lines."""
    return {
        _NAMES[a]: f"def {_NAMES[a]}(self, hook):\n" + textwrap.indent(_STORED[b], "    ")
        for a, b in (pair, pair[::-1])
    }


# fmt: off
registering.wrongs(
    ("without the Module", {_PART: "self._load_state_dict_pre_hooks[handle.id] = hook"}, "a load pre-hook isn't given the Module; `functools.partial(hook, self)` puts it in front"),
    ("lambda", {_PART: "self._load_state_dict_pre_hooks[handle.id] = lambda *given: hook(self, *given)"}, "after `deepcopy`, the copy's load pre-hook still gets the original; `deepcopy` copies a `functools.partial` with its arguments, but not a function"),
    ("Module in all", {_POST: _POST.replace("= hook", "= functools.partial(hook, self)")}, "a post-hook of `state_dict` is given the Module twice; your `state_dict` passes it already"),
    ("Module in all when saving", {_PRE: _PRE.replace("= hook", "= functools.partial(hook, self)")}, "a pre-hook of `state_dict` is given the Module twice; your `state_dict` passes it already"),
    ("Module in all when loaded", {_LAST: _LAST.replace("= hook", "= functools.partial(hook, self)")}, "a post-hook of `load_state_dict` is given the Module twice; your `load_state_dict` passes it already"),
    ("saving swapped", _swapped(0, 1), "the two hooks of `state_dict` are swapped, so the pre-hook runs after saving"),
    ("loading swapped", _swapped(2, 3), "the two hooks of `load_state_dict` are swapped, so the pre-hook runs after loading"),
    ("one place", {_PRE: "self._state_dict_pre_hooks[0] = hook\nhandle.id = 0"}, "the second pre-hook of `state_dict` replaces the first; use the handle's `id`"),
    ("another drawer", {_HANDLES[2]: _HANDLES[3]}, "the handle of a load pre-hook doesn't remove it; give `RemovableHandle` the dictionary that you put the hook in"),
    ("by its name", {_POST: "self._state_dict_hooks[id(hook)] = hook\nhandle.id = id(hook)"}, "a hook that is registered twice runs once; use the handle's `id`"),
    ("handle lost", {f"{_POST}\nreturn handle": f"{_POST}\nreturn None"}, "`register_state_dict_post_hook` returns None, so the hook can't be removed; return the handle"),
    ("no handles", {made: f"{made}\nself._handle = handle" for made in _HANDLES} | {name: f"def {name}(self, hook):\n" + textwrap.indent(stored.replace("return handle", "return None"), "    ") for name, stored in zip(_NAMES, _STORED, strict=True)}, "none of the methods returns a handle, so the hooks can't be removed"),
    ("the hook returned", {name: f"def {name}(self, hook):\n" + textwrap.indent(stored.replace("return handle", "return hook"), "    ") for name, stored in zip(_NAMES, _STORED, strict=True)}, "the methods return the hook; return the handle, which can remove it"),
    ("for all", {_PRE: "type(self)._state_dict_pre_hooks = self._state_dict_pre_hooks\nfor module in self.modules():\n    module._state_dict_pre_hooks[handle.id] = hook"}, "a pre-hook of `state_dict` runs for the children as well; register it in this Module only"),
    ("runs right away", {_POST: f"{_POST}\nhook(self, self.state_dict(), '', {{}})"}, "the post-hook of `state_dict` runs when it's registered; only store it"),
)
# fmt: on

# ---- 17.4

migrating = Exercise(
    "17.4",
    title="Bring it up to date",
    takes=("migration",),
    minutes=15,
    writes=("migration",),
    hints=(
        "`migration` returns a function, so define one inside it. Its first line decides whether there's anything to do.",
        'Remove the prefix from a key, and split the rest at its first dot: `name, dot, rest = key.removeprefix(prefix).partition(".")`. Collect the renamed entries in a dictionary of their own, and loop over `list(state_dict)`.',
        '`if local_metadata.get("version", 1) >= version: return`. For a key that starts with the prefix and whose `name` is in `renamed`: '
        "`moved[prefix + renamed[name] + dot + rest] = state_dict.pop(key)`. After the loop, `state_dict.update(moved)`, and then "
        "`state_dict.setdefault(prefix + name, value.clone())` for each of `added`.",
    ),
)
_KEYS = ("a.gamma", "a.beta", "a.old.w", "a.older.w", "a.fc.gamma", "gamma", "b.gamma", "aa.gamma", "a.gamma.x", "a.xgamma")  # fmt: skip
_ONE_KEY = tuple(f"s = {{'{key}': tensor([1.0])}}" for key in _KEYS)
_MIG = "load(migration(2, {'gamma': 'weight', 'old': 'fc'}, {}), s)"
migrating.compare_uses("names are changed below the prefix", uses(
    *lines(_ONE_KEY, (_MIG,)),
    *lines(("s = {" + ", ".join(f"'{k}': tensor([{n}.0])" for n, k in enumerate(_KEYS)) + "}",), (_MIG, _MIG.replace("'old': 'fc'", "'beta': 'bias'"))),
    "s = {'a.old.w': tensor([1.0]), 'a.old.old.w': tensor([2.0])}; " + _MIG,
    "s = {'a.x': tensor([1.0]), 'a.y': tensor([2.0])}; load(migration(2, {'x': 'y', 'y': 'x'}, {}), s)",
    "s = {'a.x': tensor([1.0]), 'a.y': tensor([2.0])}; load(migration(2, {'y': 'x', 'x': 'y'}, {}), s)",
    "s = {'a.x': tensor([1.0])}; load(migration(2, {'x': 'y', 'y': 'z'}, {}), s)",
    "s = {'a.x': 5}; load(migration(2, {'x': 'y'}, {}), s)",
    "s = {'gamma': tensor([1.0]), 'a.gamma': tensor([2.0])}; migration(2, {'gamma': 'weight'}, {})(None, s, '', {}, True, [], [], []); sorted(show(s))",
    "s = {'a.a.gamma': tensor([1.0])}; " + _MIG,
))  # fmt: skip
migrating.compare_uses("only states of older versions are changed", uses(
    *lines(("s = {'a.gamma': tensor([1.0])}",), tuple(f"load(migration({new}, {{'gamma': 'weight'}}, {{'n': tensor(0)}}), s, {old})" for new in (1, 2, 3) for old in (None, 0, 1, 2, 3, 4) if (new, old) != (1, None))),
    *lines(("s = {}", "s = {'a.gamma': tensor([1.0])}"), ("migration(2, {'gamma': 'weight'}, {'n': tensor(0)})(None, s, 'a.', {}, False, [], [], [])",), ("sorted(show(s))",)),
    "s = {'a.gamma': tensor([1.0])}; noted = {'version': 1}; migration(2, {'gamma': 'weight'}, {})(None, s, 'a.', noted, True, [], [], []); noted",
))  # fmt: skip
_ADD = "load(migration(2, {'gamma': 'n'}, {'n': tensor(0), 'k': tensor([1.0])}), s)"
migrating.compare_uses("what is missing is added, as a copy", uses(
    *lines(("s = {}", "s = {'a.n': tensor(7)}", "s = {'n': tensor(7)}", "s = {'a.gamma': tensor(7)}", "s = {'a.k': tensor([0.0])}"), (_ADD,)),
    *lines(("s = {}", "s = {'a.n': tensor(7)}"), ("load(migration(2, {'n': 'k'}, {'n': tensor(0)}), s)", "load(migration(2, {}, {'k': tensor([1.0]).double()}), s)")),
    "k = tensor(0); h = migration(2, {}, {'n': k}); s = {}; h(None, s, 'a.', {}, True, [], [], []); s['a.n'] is k",
    "k = tensor(0); h = migration(2, {}, {'n': k}); s = {}; h(None, s, 'a.', {}, True, [], [], []); s['a.n'].add_(1); k.item()",
    "h = migration(2, {}, {'n': tensor(0)}); s = {}; h(None, s, 'a.', {}, True, [], [], []); h(None, s, 'b.', {}, True, [], [], []); s['a.n'] is s['b.n']",
))  # fmt: skip
_OLD, _TAKE = 'if local_metadata.get("version", 1) >= version:', "moved[prefix + renamed[name] + dot + rest] = state_dict.pop(key)"  # fmt: skip
_IF, _ADDED = "if key.startswith(prefix) and name in renamed:", "state_dict.setdefault(prefix + name, value.clone())"  # fmt: skip
_HOOK = "def hook(module, state_dict, prefix, local_metadata, *noted):"
_SPLIT = 'name, dot, rest = key.removeprefix(prefix).partition(".")'
# fmt: off
migrating.wrongs(
    ("always", {_OLD: "if False:"}, "states of the new version are changed as well; check the version first"),
    ("one too many", {_OLD: _OLD.replace(">=", ">")}, "a state of exactly this version is changed; it's up to date already"),
    ("the other way round", {_OLD: _OLD.replace(">=", "<")}, "new states are changed, and old ones aren't"),
    ("another version only", {_OLD: _OLD.replace(">=", "==")}, "a state of a later version is changed; only older ones need it"),
    ("no version is new", {_OLD: _OLD.replace('"version", 1', '"version", version')}, "a state without a version counts as new; treat it as version 1"),
    ("version required", {_OLD: _OLD.replace('.get("version", 1)', '["version"]')}, "a state without a version raises a KeyError; treat it as version 1"),
    ("the Module's version", {_OLD: _OLD.replace(">= version", ">= module._version")}, "this compares with the version of the Module that loads; compare with the `version` that `migration` was given"),
    ("replaced anywhere", {_SPLIT: "new = key\nfor before, after in renamed.items():\n    new = new.replace(before, after)", _IF: "if key.startswith(prefix):", _TAKE: "moved[new] = state_dict.pop(key)"}, "`replace` changes the letters wherever they are in the key; compare the first name after the prefix"),
    ("every name", {_SPLIT: "new = prefix + '.'.join(renamed.get(part, part) for part in key.removeprefix(prefix).split('.'))", _IF: "if key.startswith(prefix):", _TAKE: "moved[new] = state_dict.pop(key)"}, "every name in the key is renamed; rename only the first one after the prefix"),
    ("letters stripped", {_SPLIT: _SPLIT.replace("removeprefix", "lstrip")}, "`lstrip` takes off letters, as long as they occur in the prefix; `removeprefix` takes off the prefix"),
    ("cut off", {_SPLIT: _SPLIT.replace("key.removeprefix(prefix)", "key[len(prefix):]"), _IF: "if name in renamed:"}, "the first letters are cut off from every key, whatever they are; ask first whether the key starts with the prefix"),
    ("children only", {_IF: _IF.replace("and name", "and dot and name")}, "only children are renamed; a key may end with the name, as a Parameter's does"),
    ("prefix lost", {_TAKE: _TAKE.replace("prefix + renamed", "renamed")}, "the new key lacks the prefix"),
    ("anywhere", {_SPLIT: 'name, dot, rest = key.rpartition(".")[2], "", ""', _TAKE: "moved[key[:-len(name)] + renamed[name]] = state_dict.pop(key)"}, "this goes by the last name in the key; use the first one after the prefix"),
    ("every prefix", {_IF: "if name in renamed:"}, "keys that don't start with the prefix are renamed; they belong to other Modules"),
    ("the whole rest", {_SPLIT: 'name, dot, rest = key.removeprefix(prefix), "", ""'}, "the keys below a renamed child keep their old names"),
    ("by its beginning", {_SPLIT: "name = next((n for n in renamed if key.removeprefix(prefix).startswith(n)), '')\ndot, rest = '', key.removeprefix(prefix)[len(name):]"}, "a name that only begins like an old one is renamed, too; compare the whole name, up to the dot"),
    ("one after the other", {"state_dict.update(moved)": "pass", _TAKE: "state_dict[prefix + renamed[name] + dot + rest] = state_dict.pop(key)"}, "when two names change places, one of the values is lost; collect the renamed entries, and put them in at the end"),
    ("rest lost", {_TAKE: _TAKE.replace(" + dot + rest", "")}, "the part of the key after the first dot is lost"),
    ("both names", {_TAKE: _TAKE.replace("state_dict.pop(key)", "state_dict[key]")}, "the old key stays in the state beside the new one"),
    ("while looping", {"list(state_dict)": "state_dict"}, "the dictionary changes while the loop goes over it; loop over `list(state_dict)`"),
    ("added over", {_ADDED: "state_dict[prefix + name] = value.clone()"}, "this replaces a value that's already in the state; add only what is missing"),
    ("not a copy", {_ADDED: _ADDED.replace(".clone()", "")}, "every state gets the same tensor; with `assign=True`, two Modules would share it, so add a copy"),
    ("detached", {_ADDED: _ADDED.replace(".clone()", ".detach()")}, "`detach` gives a tensor that shares its numbers with the one in `added`; `clone` copies them"),
    ("copied once", {_HOOK: f"added = {{name: value.clone() for name, value in added.items()}}\n\n{_HOOK}", _ADDED: _ADDED.replace(".clone()", "")}, "the tensors are copied once, so all states share the copy; copy them whenever a state is loaded"),
    ("added to all", {_OLD: f"for name, value in added.items() if local_metadata.get('version', 1) >= version else ():\n    state_dict.setdefault(prefix + name, value.clone())\n{_OLD}"}, "what is missing is added to states of the new version, too; those should be complete"),
    ("added without prefix", {_ADDED: _ADDED.replace("prefix + name", "name")}, "the added key lacks the prefix"),
    ("nothing added", {_ADDED: "pass"}, "nothing is added"),
    ("added first", {"moved = {}": "for name, value in added.items():\n    state_dict.setdefault(prefix + name, value.clone())\nmoved = {}"}, "values are added before the renaming, so an old name can hide that the new one is missing; rename first"),
    ("0 is none", {_OLD: _OLD.replace('local_metadata.get("version", 1)', '(local_metadata.get("version") or 1)')}, "a state of version 0 counts as one without a version, because 0 is false, too"),
    ("strict only", {_OLD: _OLD[:-1] + " or not noted[0]:"}, "the state is left alone unless `strict` is true; an old state needs it in any case"),
    ("a new dictionary", {"state_dict.update(moved)": "state_dict = {**state_dict, **moved}"}, "the caller's dictionary loses the old keys and doesn't get the new ones; change it in place"),
    ("assigned", {"state_dict.update(moved)": "state_dict = {**{key: value for key, value in state_dict.items() if key not in old}, **moved}", "moved = {}": "moved, old = {}, set()", _TAKE: _TAKE.replace("state_dict.pop(key)", "state_dict[key]") + "\nold.add(key)"}, "the caller's dictionary stays as it was: an assignment to `state_dict` only gives that name to another one; change the dictionary itself"),
    ("name by name", {"for key in list(state_dict):": "for name, new in renamed.items():\n    moved = {key: prefix + new + key[len(prefix + name):] for key in state_dict if key == prefix + name or key.startswith(prefix + name + '.')}\n    while moved:\n        key, there = moved.popitem()\n        state_dict[there] = state_dict.pop(key)\nfor key in []:"}, "one name is renamed after the other, so a value can be renamed twice, or be overwritten by another; collect the renamed entries, and put them in at the end"),
    ("hook not returned", {"return hook": ""}, "`migration` returns nothing; return the function"),
)
# fmt: on

# ---- 17.5

carrying = Exercise(
    "17.5",
    title="Extra state",
    takes=("Module",),
    minutes=22,
    importance="useful",
    writes=("get_extra_state", "set_extra_state", "_save_to_state_dict", "_load_from_state_dict"),
    keeps=("10.1", "10.3"),
    hints=(
        "How can your method tell whether a class has its own `get_extra_state`? Compare what the class has with what `Module` has.",
        "`type(self).get_extra_state is not Module.get_extra_state` says that the class has its own. When loading, ask the same about `set_extra_state`.",
        'At the end of `_save_to_state_dict`: `destination[prefix + "_extra_state"] = self.get_extra_state()`. When loading, `self.set_extra_state(state_dict[extra])` if the key is there, otherwise '
        "it's missing. The key is unexpected only if the class doesn't have its own `set_extra_state`.",
    ),
)
_C = "m = Counter(); m.__dict__['count'] = 3"
_IN = "m = Net(); m.fc.c = Counter(); m.fc.c.__dict__['count'] = 3"
carrying.compare_uses("extra state is saved under `_extra_state`", uses(
    *lines((_C, _IN, "m = Net()", "m = Half('get_extra_state')", "m = Half('set_extra_state')"), ("show(m.state_dict())", "show(m.state_dict(prefix='a.', keep_vars=True))")),
    f"{_C}; dict(m.state_dict()._metadata)",
    "m = type('Sub', (type(Counter()),), {})(); show(m.state_dict())",
))  # fmt: skip
carrying.compare_uses("extra state is loaded", uses(
    *lines((_C,), ("s = m.state_dict()", "s = m.state_dict(); s['w'] = tensor([5.0])"), ("n = Counter(); n.load_state_dict(s)", "n = type('Sub', (type(Counter()),), {})(); n.load_state_dict(s)"), ("n.count", "n.then", "n.w.tolist()")),
    f"{_IN}; s = m.state_dict(); m.fc.c.__dict__['count'] = 9; m.load_state_dict(s); m.fc.c.count",
    "m = Half('set_extra_state'); m.load_state_dict({'_extra_state': None}); m.got",
    "m = Half('set_extra_state'); m.load_state_dict({'_extra_state': tensor([1.0])}); m.got.tolist()",
    *lines(("m = Counter()",), ("s = {'a.w': tensor([5.0]), 'a._extra_state': {'count': 8}}",), ("unpack(m, s, 'a.')", "unpack(m, s, 'a.'); m.count", "unpack(m, s, 'a.'); sorted(s)")),
    "m = Counter(); unpack(m, {'w': tensor([5.0, 6.0]), '_extra_state': {'count': 8}}); m.count",
    "m = Counter(); unpack(m, {'w': tensor([5.0]), '_extra_state': {'count': 8}}, '', False); m.count",
    "m = Counter(); m._load_state_dict_pre_hooks[1] = lambda s, *rest: s.update(_extra_state={'count': 6}); m.load_state_dict({'w': tensor([5.0])}); m.count",
))  # fmt: skip
_EX = "'_extra_state'"
carrying.compare_uses("the report names extra state that is missing or unexpected", uses(
    *lines(("m = Counter()", "m = Net()", "m = Half('get_extra_state')", "m = Half('set_extra_state')"), ("s = {}", f"s = {{{_EX}: {{'count': 1}}}}", "s = {'_extra_state.x': tensor([1.0])}", "s = {'a._extra_state': tensor([1.0])}"), ("unpack(m, s)", "unpack(m, s, '', False)", "unpack(m, s, 'a.')")),
    *lines(("m = Counter()",), ("tried(lambda: m.load_state_dict({'w': tensor([1.0])}))", "m.load_state_dict({'w': tensor([1.0])}, strict=False).missing_keys", f"tried(lambda: Net().load_state_dict({{**Net().state_dict(), {_EX}: 5}}))")),
    *lines(("m = Counter(); m._parameters['_extra_state'] = None",), ("unpack(m, {'w': tensor([1.0]), '_extra_state': {'count': 2}})",)),
))  # fmt: skip
carrying.compare_uses("a Module itself has none", uses(
    *lines(("m = Net()", "m = Module()"), ("tried(m.get_extra_state)", "tried(lambda: m.set_extra_state(5))")),
    "tried(Half('set_extra_state').get_extra_state)",
))  # fmt: skip
_HAS_GET = "if type(self).get_extra_state is not Module.get_extra_state:"
_HAS = "has_extra = type(self).set_extra_state is not Module.set_extra_state"
_STORE, _CALL = 'destination[prefix + "_extra_state"] = self.get_extra_state()', "self.set_extra_state(state_dict[extra])"  # fmt: skip
_EVERY = "every Module has these two methods now, and a method taken from an object is never the function itself; compare `type(self).get_extra_state` with `Module.get_extra_state`"  # fmt: skip
_OWN = "this looks into a single class: `Module` has the methods itself, and a class may inherit them from another one; compare `type(self).get_extra_state` with `Module.get_extra_state`"  # fmt: skip
_LACKS, _KEY = "missing_keys.append(extra)", 'extra = prefix + "_extra_state"'
_KNOWN = "known = first in (self._modules if dot else own) or (has_extra and key == extra)"
_GET_R = 'raise RuntimeError("get_extra_state() is for classes that have something extra to save")'
_SET_R = 'raise RuntimeError("set_extra_state() is for classes that have something extra to load")'
# fmt: off
carrying.wrongs(
    ("always saved", {_HAS_GET: "if True:", _GET_R: "return None"}, "every Module saves an extra state; only those whose class has its own `get_extra_state` should"),
    ("hasattr", {_HAS_GET: "if hasattr(self, 'get_extra_state'):", _HAS: "has_extra = hasattr(self, 'set_extra_state')"}, _EVERY),
    ("hasattr to save", {_HAS_GET: "if hasattr(self, 'get_extra_state'):"}, _EVERY),
    ("bound", {_HAS_GET: "if self.get_extra_state is not Module.get_extra_state:", _HAS: "has_extra = self.set_extra_state is not Module.set_extra_state"}, _EVERY),
    ("bound to load", {_HAS: "has_extra = self.set_extra_state is not Module.set_extra_state"}, _EVERY),
    ("in its own class", {_HAS_GET: "if 'get_extra_state' in type(self).__dict__:", _HAS: "has_extra = 'set_extra_state' in type(self).__dict__"}, _OWN),
    ("in its own class to save", {_HAS_GET: "if 'get_extra_state' in type(self).__dict__:"}, _OWN),
    ("in its own class to load", {_HAS: "has_extra = 'set_extra_state' in type(self).__dict__"}, _OWN),
    ("never saved", {_STORE: "pass"}, "the extra state isn't saved"),
    ("without prefix", {_STORE: 'destination["_extra_state"] = self.get_extra_state()'}, "the key `_extra_state` lacks the prefix, so all Modules share it"),
    ("saved if it can be loaded", {_HAS_GET: "if type(self).set_extra_state is not Module.set_extra_state:"}, "saving asks about `set_extra_state`; ask whether the class has its own `get_extra_state`"),
    ("loaded if it can be saved", {_HAS: _HAS.replace("set_extra_state", "get_extra_state")}, "loading asks about `get_extra_state`; ask whether the class has its own `set_extra_state`"),
    ("never loaded", {_CALL: "pass"}, "the extra state isn't loaded"),
    ("not missed", {_LACKS: "pass"}, "a missing extra state isn't reported"),
    ("always missed", {"elif has_extra and strict:": "elif has_extra:"}, "a missing extra state is reported even if `strict` is false"),
    ("missing for all", {"elif has_extra and strict:": "elif strict:"}, "every Module reports a missing extra state; only classes with their own `set_extra_state` should"),
    ("always known", {_KNOWN: _KNOWN.replace("has_extra and key == extra", "key == extra")}, "an extra state is never reported as unexpected; it's unexpected unless the class has its own `set_extra_state`"),
    ("never known", {_KNOWN: "known = first in (self._modules if dot else own)"}, "the extra state is reported as unexpected although it was loaded"),
    ("known by its end", {_KNOWN: _KNOWN.replace("key == extra", "first == '_extra_state'")}, "a longer key that begins with `_extra_state` isn't reported; compare the whole key"),
    ("loaded first", {"own = self._own_state()": 'if type(self).set_extra_state is not Module.set_extra_state and prefix + "_extra_state" in state_dict:\n    self.set_extra_state(state_dict[prefix + "_extra_state"])\nown = self._own_state()', _CALL: "pass"}, "the extra state is loaded before the tensors; load it after them"),
    ("taken out", {_CALL: "self.set_extra_state(state_dict.pop(extra))"}, "the extra state is taken out of the caller's state; leave it there"),
    ("loaded as a tensor", {"if has_extra and extra in state_dict:": "if has_extra and hasattr(state_dict.get(extra), 'shape'):"}, "an extra state that isn't a tensor isn't loaded; it may be anything"),
    ("loaded if true", {"if has_extra and extra in state_dict:": "if has_extra and state_dict.get(extra) is not None:"}, "an extra state that is None counts as missing; test whether the key is there"),
    ("no prefix at all", {_STORE: 'destination["_extra_state"] = self.get_extra_state()', _KEY: 'extra = "_extra_state"'}, "the key `_extra_state` lacks the prefix, so all Modules share it"),
    ("None to save", {_GET_R: "return None"}, "Module's own `get_extra_state` returns None; raise a RuntimeError"),
    ("hooks forgotten", {"for hook in self._load_state_dict_pre_hooks.values():\n    hook(state_dict, prefix, local_metadata, *noted)": ""}, "the load pre-hooks aren't called any more; everything from 10.3 should still be done"),
    ("NotImplementedError", {_GET_R: _GET_R.replace("RuntimeError", "TypeError")}, "Module's own `get_extra_state` raises another error; PyTorch raises a RuntimeError"),
    ("None by default", {_SET_R: "pass"}, "Module's own `set_extra_state` does nothing; raise a RuntimeError"),
    ("KeyError", {"elif has_extra and strict:": "elif has_extra and strict and state_dict[extra]:"}, "a missing extra state raises a KeyError; add its key to `missing_keys`"),
)
# fmt: on

# ---- 17.6

packing = Exercise(
    "17.6",
    title="What pickle is given",
    takes=("Module",),
    minutes=6,
    importance="useful",
    writes=("__getstate__", "__setstate__"),
    hints=(
        "What does an object consist of, besides its class? `__getstate__` returns a copy of that.",
        "`__setstate__` gets an object without any drawers, so it has to fill `self.__dict__` directly. A new `Module()` shows what an old state may lack.",
        "`return self.__dict__.copy()`. In the other method, `self.__dict__.update(state)`, then `for name, value in vars(Module()).items(): self.__dict__.setdefault(name, value)`.",
    ),
)
packing.compare_uses("`__getstate__` is a copy of the `__dict__`", uses(
    "m = Net(); type(m.__getstate__()).__name__",
    *lines(("m = Net(); s = m.__getstate__()",), ("s is slots(m)", "s['_parameters']['w'] is m.w", "s['_modules'] is slots(m)['_modules']", "s['name']", "s['training']", "s['new'] = 5; 'new' in slots(m)", "s.clear(); m.name", "[name for name in slots(m) if name not in s]", "[name for name in s if name not in slots(m)]")),
))  # fmt: skip
packing.compare_uses("`__setstate__` fills a new object", uses(
    *lines(("m = Net(); m.eval(); r = revived(Module, m.__getstate__())",), ("r.name", "r.w is m.w", "r.fc is m.fc", "r.training", "sorted(r.state_dict())", "type(r) is Module")),
    *lines(("m = Net(); s = m.__getstate__(); r = revived(Module, s)",), ("r.later = 5; 'later' in s", "r.later = 5; hasattr(m, 'later')", "s.clear(); r.name")),
    *lines(("m = Net()",), ("c = copy.deepcopy(m)", "c = copy.copy(m)"), ("c.name", "c.w is m.w", "c.fc is m.fc", "sorted(c.state_dict())", "c.later = 5; hasattr(m, 'later')")),
    *lines(("m = Net(); m._forward_hooks[3] = 'mine'",), ("copy.copy(m)._forward_hooks[3]", "revived(Module, m.__getstate__())._forward_hooks[3]")),
    *lines(("m = Module(); m.__setstate__({'name': 'a'})", "m = Net(); m.__setstate__({'name': 'a'})"), ("m.name",)),
    "Module().__setstate__({'name': 'a'})",
))  # fmt: skip
packing.compare_uses("what an old state lacks is added", uses(
    *lines(("m = Net(); r = revived(Module, old(m))",), ("len(r._state_dict_hooks)", "sorted(r.state_dict())", "r.load_state_dict(r.state_dict()); r.w.tolist()", "r._non_persistent_buffers_set", "r.register_forward_pre_hook(noting('x')); len(r._forward_pre_hooks)", "r.name")),
    *lines(("m = Net(); s = old(m)",), ("a, b = revived(Module, s), revived(Module, s)",), ("a._state_dict_hooks is b._state_dict_hooks", "a._non_persistent_buffers_set is b._non_persistent_buffers_set", "'_state_dict_hooks' in s")),
    *lines(("m = Needy(5)",), ("r = revived(Needy, old(m))", "r = copy.deepcopy(m)"), ("r.size", "len(r._state_dict_hooks)", "type(r) is Needy")),
))  # fmt: skip
_GIVE, _TAKE_IN = "return self.__dict__.copy()", "self.__dict__.update(state)"
_SOME = "only some of the entries that the state may lack are added; take all of them from a new `Module()`"
_FILL = "for name, value in vars(Module()).items():\n    self.__dict__.setdefault(name, value)"
# fmt: off
packing.wrongs(
    ("the dict itself", {_GIVE: "return self.__dict__"}, "`__getstate__` returns the object's own `__dict__`; so anything that's removed from the state disappears from the object, too; return a copy"),
    ("a deep copy", {_GIVE: "import copy\nreturn copy.deepcopy(self.__dict__)"}, "`__getstate__` copies the tensors; pickle and `deepcopy` do that themselves, and `copy.copy` must not"),
    ("the tensors only", {_GIVE: "return dict(self.state_dict())"}, "`__getstate__` returns the tensors; return everything in `__dict__`"),
    ("shared", {_TAKE_IN: "object.__setattr__(self, '__dict__', state)"}, "the state becomes the object's `__dict__`, so the two share everything from then on; update the `__dict__`"),
    ("nothing added", {_FILL: "pass"}, "entries that an old state lacks stay missing; add them from a new `Module()`"),
    ("over the old", {_FILL: "self.__dict__.update(vars(Module()))"}, "the loaded values are replaced by those of an empty Module; add only what is missing"),
    ("of its own class", {_FILL: _FILL.replace("Module()", "type(self)()")}, "this runs the `__init__` of the object's own class, which fails if it needs arguments; `Module()` has what you need"),
    ("into the state", {_TAKE_IN: "pass", _FILL: "for name, value in vars(Module()).items():\n    state.setdefault(name, value)\nself.__dict__.update(state)"}, "what is missing is added to the caller's state as well; add it to the object's `__dict__` only"),
    ("hooks only", {_FILL: "for name, value in vars(Module()).items():\n    if 'hooks' in name:\n        self.__dict__.setdefault(name, value)"}, _SOME),
    ("the one in the text", {_FILL: "self.__dict__.setdefault('_state_dict_hooks', {})"}, _SOME),
    ("known entries only", {_TAKE_IN: "pass", _FILL: "for name, value in vars(Module()).items():\n    self.__dict__[name] = state.get(name, value)"}, "only the entries that a new `Module()` has are taken from the state; it holds the object's other attributes as well"),
    ("without hooks", {_GIVE: "return {name: value for name, value in self.__dict__.items() if 'hook' not in name}"}, "entries are left out of the state; return everything in `__dict__`"),
    ("the state", {_GIVE: "return self.state_dict()"}, "`__getstate__` returns the tensors; return everything in `__dict__`"),
    ("nothing taken", {_TAKE_IN: "pass"}, "the state isn't used"),
    ("self returned", {_TAKE_IN: _TAKE_IN, _FILL: f"{_FILL}\nreturn self"}, "`__setstate__` returns something; it only fills the object"),
)
# fmt: on
