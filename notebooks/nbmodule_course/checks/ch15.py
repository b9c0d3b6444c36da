"""Chapter 15: forward hooks and pre-hooks. Hooks are registered, called in their order, and removed again."""

from __future__ import annotations

from ..exercise import Exercise
from ..referee import each, programs
from .hooked import AFTER, BEFORE, POST, PRE, call
from .hooking import drop, register, stored, use, uses

# ---- 15.1

handles = Exercise(
    "15.1",
    title="A way to remove it",
    takes=("RemovableHandle",),
    minutes=6,
    writes=("RemovableHandle",),
    hints=(
        "A handle has to know two things when it removes a hook: which dictionaries, and which key.",
        "Keep all the dictionaries in one list. A dictionary's `pop` with a default doesn't raise an error if the key is missing.",
        "`self.id = RemovableHandle.next_id`, then add 1 to `RemovableHandle.next_id`. In `remove`: `drawer.pop(self.id, None)` for each.",
    ),
)
handles.compare_uses(
    "`remove` takes the hook out",
    uses(
        "d = drawer(); h = RemovableHandle(d); d[h.id] = 'hook'; h.remove(); held(d)",
        "d = drawer(); h = RemovableHandle(d); held(d)",
        "d = drawer(); h = RemovableHandle(d); d[h.id] = 'hook'; held(d)",
        "d = drawer(); h = RemovableHandle(d); d['other'] = 1; d[h.id] = 'hook'; h.remove(); held(d)",
        "d, e = drawer(), drawer(); h, k = RemovableHandle(d), RemovableHandle(e); d[h.id] = e[k.id] = 1; h.remove(); held(d), held(e)",
        "d = drawer(); h = RemovableHandle(hooks_dict=d); d[h.id] = None; h.remove(); held(d)",
        "d, e = drawer(), drawer(); h, k = RemovableHandle(d), RemovableHandle(e); d[h.id] = e[k.id] = 1; h.remove(); k.remove(); held(d), held(e)",
        "d = drawer(); h = RemovableHandle(d); d[h.id] = 1; h.remove(); d[h.id] = 2; h.remove(); held(d)",
    ),
)
handles.compare_uses(
    "no two handles ever get the same id",
    uses(
        "len({RemovableHandle(drawer()).id for _ in range(9)})",
        "d = drawer(); d.update((RemovableHandle(d).id, n) for n in range(9)); held(d)",
        "d = drawer(); h, k = RemovableHandle(d), RemovableHandle(d); d[h.id], d[k.id] = 1, 2; h.remove(); held(d)",
        "d = drawer(); h = RemovableHandle(d); tried(h.remove); k = RemovableHandle(d); d[k.id] = 'new'; tried(h.remove), held(d)",
        "d = drawer(); h = RemovableHandle(d); i = h.id; RemovableHandle(d); d[i] = 1; h.remove(); h.id == i, held(d)",
        "child = type('Child', (RemovableHandle,), {}); len({make(drawer()).id for make in (RemovableHandle, child) * 3})",
    ),
)
handles.compare_uses(
    "`remove` takes out the notes, too",
    uses(
        "d, a, b = drawer(), drawer(), drawer(); h = RemovableHandle(d, extra_dict=[a, b]); d[h.id] = a[h.id] = b[h.id] = True; h.remove(); held(d), held(a), held(b)",
        "d, a, b = drawer(), drawer(), drawer(); h = RemovableHandle(d, extra_dict=[a, b]); d[h.id] = b[h.id] = True; tried(h.remove), held(d), held(a), held(b)",
        "d, a = drawer(), drawer(); h = RemovableHandle(d, extra_dict=[a]); a['other'] = 1; d[h.id] = True; tried(h.remove), held(d), held(a)",
        "d, a = drawer(), drawer(); h = RemovableHandle(d, extra_dict=[a]); a[h.id] = 1; tried(h.remove), held(a)",
    ),
)
handles.compare_uses(
    "removing twice does nothing more",
    uses(
        "d = drawer(); h = RemovableHandle(d); d[h.id] = 'hook'; h.remove(); tried(h.remove), held(d)",
        "d = drawer(); h = RemovableHandle(d); d[h.id] = 'hook'; d.clear(); tried(h.remove), held(d)",
        "d, a = drawer(), drawer(); h = RemovableHandle(d, extra_dict=[a]); a[h.id] = 1; tried(h.remove), tried(h.remove), held(a)",
    ),
)
handles.compare_uses(
    "it works in a `with` block",
    uses(
        "d = drawer(); h = RemovableHandle(d); d[h.id] = 'hook'; within(h, lambda got: (got is h, held(d))), held(d)",
        "d = drawer(); h = RemovableHandle(d); d[h.id] = 'hook'; tried(lambda: within(h, lambda got: boom())), held(d)",
        "d = drawer(); h = RemovableHandle(d); d[h.id] = 'hook'; tried(lambda: within(h, lambda got: got.remove())), held(d)",
        "d = drawer(); h = RemovableHandle(d); d[h.id] = 'hook'; tried(lambda: within(h, lambda got: d['missing'])), held(d)",
    ),
)
_ID, _NEXT, _KEPT = (
    "self.id = RemovableHandle.next_id",
    "RemovableHandle.next_id += 1",
    "self.drawers = [hooks_dict, *extra_dict]",
)
_LOOP, _POP = "for drawer in self.drawers:", "drawer.pop(self.id, None)"
# fmt: off
handles.wrongs(
    ("always the same id", {_NEXT: ""}, "every handle gets the same id, so a second hook takes the place of the first; add 1 to `RemovableHandle.next_id`, on the class"),
    ("counts on the object", {_NEXT: "self.next_id += 1"}, "every handle gets the same id, so a second hook takes the place of the first; add 1 to `RemovableHandle.next_id`, on the class"),
    ("length of the drawer", {_ID: "self.id = len(hooks_dict)", _NEXT: ""}, "the id depends on how many hooks are there now, so it's used again after a `remove`; count all handles in `RemovableHandle.next_id`"),
    ("counts on the class of the object", {_ID: "self.id = type(self).next_id", _NEXT: "type(self).next_id += 1"}, "a class that inherits from yours counts for itself, so two handles have the same id; add 1 to `RemovableHandle.next_id`"),
    ("address", {_ID: "self.id = id(self)", _NEXT: ""}, "`id(self)` can be reused for another object once this handle is gone, although its hook may still be there; count handles in `RemovableHandle.next_id`"),
    ("notes stay", {_KEPT: "self.drawers = [hooks_dict]"}, "the notes in `extra_dict` stay; `remove` takes the id out of each of those dictionaries too"),
    ("first note only", {_KEPT: "self.drawers = [hooks_dict, *extra_dict[:1]]"}, "only the first of the dictionaries in `extra_dict` is emptied; go through all of them"),
    ("one dictionary", {_KEPT: "self.drawers, self.notes = [hooks_dict], extra_dict", _LOOP: "for drawer in [*self.drawers, self.notes]:"}, "`extra_dict` is treated as one dictionary; it's a list of dictionaries, so take the id out of each"),
    ("twice is an error", {_POP: "del drawer[self.id]"}, "a missing key raises an error in your `remove`; a hook without a note has no key there, and `remove` may be called twice, so use `drawer.pop(self.id, None)`"),
    ("notes must be there", {_LOOP: "self.drawers[0].pop(self.id, None)\nfor drawer in self.drawers[1:]:", _POP: "del drawer[self.id]"}, "a hook without a note has no key in that dictionary, and that isn't an error; use `drawer.pop(self.id, None)`"),
    ("dictionaries of the class", {"next_id = 0": "next_id, drawers = 0, []", _KEPT: "self.drawers += [hooks_dict, *extra_dict]", "drawer.pop(self.id, None)": "drawer.pop(self.id, None)\nself.drawers.clear()"}, "all handles share one list of dictionaries, which stands in the class; give each handle its own, in `__init__`"),
    ("works once", {_KEPT: "self.drawers, self.done = [hooks_dict, *extra_dict], False", _LOOP: "gone, self.done = self.done, True\nfor drawer in [] if gone else self.drawers:"}, "`remove` works only the first time; each call takes out the id wherever it is"),
    ("nothing happens", {_POP: "pass"}, "`remove` leaves everything as it was"),
    ("empties the drawer", {_POP: "drawer.clear()"}, "`remove` takes out all hooks; take out only the one with the id of this handle"),
    ("the last one", {_POP: "if drawer:\n    drawer.popitem()"}, "`remove` takes out the newest entry, whichever it is; take out the one with the id of this handle instead"),
    ("enters with nothing", {"return self": "pass"}, "`with … as h` doesn't give the handle; `__enter__` returns `self`"),
    ("enters with the id", {"return self": "return self.id"}, "`with … as h` doesn't give the handle; `__enter__` returns `self`"),
    ("stays after the block", {"__exit__": "def __exit__(self, *error):\n    pass"}, "the hook is still there after the `with` block; `__exit__` calls `self.remove()`"),
    ("stays after an error", {"__exit__": "def __exit__(self, kind, error, trace):\n    if kind is None:\n        self.remove()"}, "after an exception in the `with` block, the hook is still there; remove it in any case"),
    ("swallows errors", {"__exit__": "def __exit__(self, *error):\n    self.remove()\n    return True"}, "an exception in the `with` block is swallowed, because `__exit__` returns something true"),
    ("swallows a KeyError", {"__exit__": "def __exit__(self, kind, error, trace):\n    self.remove()\n    return kind is KeyError"}, "a KeyError in the `with` block is swallowed; only `remove` itself may do without a key"),
    ("removes on entering", {"__enter__": "def __enter__(self):\n    self.remove()\n    return self"}, "the hook is gone as soon as the `with` block begins"),
)
# fmt: on

# ---- 15.2

registering = Exercise(
    "15.2",
    title="Register a hook",
    takes=("Module",),
    minutes=10,
    writes=("register_forward_pre_hook", "register_forward_hook"),
    keeps=("04.3",),
    on_torch=True,
    hints=(
        "Each method does the same four things: a handle, the hook under its id, the notes, the place. Which drawers belong to the handle?",
        "A note is an entry under the same id in another drawer: `self._forward_hooks_with_kwargs[handle.id] = True`. An OrderedDict has `move_to_end`.",
        "`handle = RemovableHandle(self._forward_hooks, extra_dict=[…])`, `self._forward_hooks[handle.id] = hook`, "
        "and for `prepend`: `self._forward_hooks.move_to_end(handle.id, last=False)`.",
    ),
)
_PRE, _POST = register(BEFORE, *PRE), register(AFTER, *POST)
_BOTH = [*register(BEFORE, "look"), *register(AFTER, "watch")]
_NOTED = [
    *register(BEFORE, "look", with_kwargs=True),
    *register(AFTER, "watch", with_kwargs=True),
    *register(AFTER, "watch", always_call=True),
    *register(AFTER, "watch", with_kwargs=True, always_call=True),
]
_SECOND = [*register(BEFORE, "plus", to="b"), *register(AFTER, "double", to="b")]
_FIRST = [
    *register(BEFORE, "plus", to="b", prepend=True),
    *register(AFTER, "double", to="b", prepend=True),
]
_AGAIN = [*register(BEFORE, "look", to="b"), *register(AFTER, "watch", to="b")]
_NAMELESS = [*register(BEFORE, "partly"), *register(AFTER, "partly")]
_ALL = [
    *register(BEFORE, "plus", to="b", prepend=True, with_kwargs=True),
    *register(AFTER, "double", to="b", prepend=True, with_kwargs=True, always_call=True),
]
_OUTER = [*register(BEFORE, "look", net="outer"), *register(AFTER, "watch", net="outer")]
registering.compare(
    "a registered hook runs, and the handle comes back",
    programs([*_PRE, *_POST], call(1)),
    each(_BOTH),
    programs(_BOTH, stored()),
    programs(_BOTH, stored("second")),
    programs(_BOTH, call(1, net="second")),
    programs(_OUTER, [*stored("inner"), *call(1, net="outer")]),
    programs(_NAMELESS, stored()),
)
registering.compare(
    "hooks run in their order, and `prepend` puts one first",
    programs(_BOTH, [*_SECOND, *_FIRST], [*stored(), *call(1)]),
    programs([*_PRE, *_POST], _FIRST, call(1)),
    programs(_BOTH, [*_SECOND, *_FIRST], register(BEFORE, "plain", prepend=True) + register(AFTER, "pair", prepend=True), stored()),
    programs(_FIRST, register(BEFORE, "zero") + register(AFTER, "pair"), stored()),
)  # fmt: skip
registering.compare(
    "what a hook asks for is noted under its id",
    programs(_NOTED, stored()),
    programs(_NOTED, [*_SECOND, *_ALL], stored()),
    programs(_BOTH, register(BEFORE, "plus", with_kwargs=True) + register(AFTER, "pair", always_call=True), stored()),
    programs(register(BEFORE, "look", with_kwargs=False, prepend=False) + register(AFTER, "watch", with_kwargs=False, always_call=False), stored()),
)  # fmt: skip
registering.compare(
    "the handle removes this hook and its notes",
    programs([*_BOTH, *_NOTED], drop("a"), stored()),
    programs(_BOTH, drop("a"), drop("a"), [*stored(), *call(1)]),
    programs([*_BOTH, *_NOTED], _SECOND, drop("a", "b"), stored()),
    programs([*_BOTH, *_NOTED], _AGAIN, drop("a", "b"), stored()),
    programs(_BOTH, [*_FIRST, *_AGAIN], drop("a", "b"), call(1)),
    programs(_BOTH, drop("a"), _BOTH, stored()),
    programs(_BOTH, use("a"), stored()),
    programs(_BOTH, use("a", fails=True), stored()),
)  # fmt: skip
_P_KEEP, _KEEP = (
    "self._forward_pre_hooks[handle.id] = hook",
    "self._forward_hooks[handle.id] = hook",
)
_P_MOVE = "self._forward_pre_hooks.move_to_end(handle.id, last=False)"
_MOVE = "self._forward_hooks.move_to_end(handle.id, last=False)"
_P_HANDLE = "handle = RemovableHandle(self._forward_pre_hooks, extra_dict=[marks])"
_HANDLE = "handle = RemovableHandle(self._forward_hooks, extra_dict=[marks, always])"
_DRAWERS = "marks, always = self._forward_hooks_with_kwargs, self._forward_hooks_always_called"
# fmt: off
registering.wrongs(
    ("pre-hooks not stored", {_P_KEEP: ""}, "`register_forward_pre_hook` doesn't put the hook into `_forward_pre_hooks`"),
    ("hooks not stored", {_KEEP: ""}, "`register_forward_hook` doesn't put the hook into `_forward_hooks`"),
    ("the other drawer", {_P_KEEP: "self._forward_hooks[handle.id] = hook"}, "a pre-hook is put into `_forward_hooks`; it belongs in `_forward_pre_hooks`"),
    ("prepend ignored", {_MOVE: "pass"}, "`prepend=True` leaves a hook at the end; `move_to_end(handle.id, last=False)` moves it to the front"),
    ("prepend ignored for pre-hooks", {_P_MOVE: "pass"}, "`prepend=True` leaves a pre-hook at the end; `move_to_end(handle.id, last=False)` moves it to the front"),
    ("moved to the end", {_MOVE: "self._forward_hooks.move_to_end(handle.id)"}, "`prepend=True` leaves a hook at the end; `move_to_end(handle.id, last=False)` moves it to the front"),
    ("always first", {"if prepend:\n    self._forward_hooks.move_to_end(handle.id, last=False)": "self._forward_hooks.move_to_end(handle.id, last=False)"}, "every hook is put first; do that only for `prepend=True`"),
    ("with_kwargs not noted", {"if with_kwargs:\n    marks[handle.id] = True\nif always_call:": "if always_call:"}, "`with_kwargs=True` of a hook isn't noted in `_forward_hooks_with_kwargs`"),
    ("with_kwargs of pre-hooks not noted", {"if with_kwargs:\n    marks[handle.id] = True\nif prepend:": "if prepend:"}, "`with_kwargs=True` of a pre-hook isn't noted in `_forward_pre_hooks_with_kwargs`"),
    ("one thing at a time", {"if with_kwargs:\n    marks[handle.id] = True\nif prepend:": "if with_kwargs:\n    marks[handle.id] = True\nelif prepend:"}, "a pre-hook with `with_kwargs=True` and `prepend=True` stays at the end; it's `if` both times, not `elif`"),
    ("one note at a time", {"if with_kwargs:\n    marks[handle.id] = True\nif always_call:": "if with_kwargs:\n    marks[handle.id] = True\nelif always_call:"}, "with both options, only `with_kwargs` is noted; it's `if` both times, not `elif`"),
    ("the name of the hook", {_KEEP: "hook.__name__\n" + _KEEP}, "not every hook has a `__name__`; a `functools.partial` has none"),
    ("the children too", {_KEEP: _KEEP + "\nfor child in self._modules.values():\n    child._forward_hooks[handle.id] = hook"}, "the hook is put into the children's drawers as well; it listens to this Module only"),
    ("always_call not noted", {"always[handle.id] = True": "pass"}, "`always_call=True` isn't noted in `_forward_hooks_always_called`"),
    ("always noted", {"if always_call:": "if True:"}, "every hook is noted in `_forward_hooks_always_called`; an id is there only if `always_call` is true"),
    ("noted as False", {"if with_kwargs:\n    marks[handle.id] = True\nif always_call:": "marks[handle.id] = with_kwargs\nif always_call:"}, "an id is in `_forward_hooks_with_kwargs` even for `with_kwargs=False`; the key itself is the note, so store it only if `with_kwargs` is true"),
    ("everything noted", {"if with_kwargs:\n    marks[handle.id] = True\nif prepend:": "marks[handle.id] = with_kwargs\nif prepend:", "if with_kwargs:\n    marks[handle.id] = True\nif always_call:\n    always[handle.id] = True": "marks[handle.id] = with_kwargs\nalways[handle.id] = always_call"}, "a note is there although nobody asked for it; the key itself is the note, so store it only if the option is true"),
    ("notes mixed up", {_DRAWERS: "always, marks = self._forward_hooks_with_kwargs, self._forward_hooks_always_called"}, "the notes of `with_kwargs` and `always_call` are in each other's drawer"),
    ("a note of the pre-hooks", {_DRAWERS: "marks, always = self._forward_pre_hooks_with_kwargs, self._forward_hooks_always_called"}, "`with_kwargs=True` of a hook is noted in the drawer for pre-hooks; it belongs in `_forward_hooks_with_kwargs`"),
    ("notes of the hook stay", {_HANDLE: "handle = RemovableHandle(self._forward_hooks)"}, "the notes stay after `remove`; hand their drawers to the handle: `extra_dict=[…]`"),
    ("always_call stays", {_HANDLE: "handle = RemovableHandle(self._forward_hooks, extra_dict=[marks])"}, "the note in `_forward_hooks_always_called` stays after `remove`; hand both drawers to the handle"),
    ("notes of the pre-hook stay", {_P_HANDLE: "handle = RemovableHandle(self._forward_pre_hooks)"}, "the note of a pre-hook stays after `remove`; hand its drawer to the handle: `extra_dict=[…]`"),
    ("a handle for the other drawer", {_P_HANDLE: "handle = RemovableHandle(self._forward_hooks, extra_dict=[marks])"}, "the handle of a pre-hook looks in `_forward_hooks`, so it doesn't remove the pre-hook"),
    ("the hook itself", {"if prepend:\n    self._forward_hooks.move_to_end(handle.id, last=False)\nreturn handle": "if prepend:\n    self._forward_hooks.move_to_end(handle.id, last=False)\nreturn hook"}, "`register_forward_hook` returns the hook; return the handle"),
    ("no handle", {"if prepend:\n    self._forward_hooks.move_to_end(handle.id, last=False)\nreturn handle": "if prepend:\n    self._forward_hooks.move_to_end(handle.id, last=False)"}, "`register_forward_hook` returns None; return the handle, because nothing else can remove the hook"),
    ("no handle of a pre-hook", {"if prepend:\n    self._forward_pre_hooks.move_to_end(handle.id, last=False)\nreturn handle": "if prepend:\n    self._forward_pre_hooks.move_to_end(handle.id, last=False)"}, "`register_forward_pre_hook` returns None; return the handle, because nothing else can remove the hook"),
    ("one hook for each function", {_KEEP: "if hook not in self._forward_hooks.values():\n    self._forward_hooks[handle.id] = hook"}, "a function that's registered twice is stored only once; each registration needs its own entry and its own handle"),
    ("one hook at a time", {_KEEP: "self._forward_hooks.clear()\nself._forward_hooks[handle.id] = hook"}, "registering a hook throws out the earlier hooks; keep them all"),
)
# fmt: on
