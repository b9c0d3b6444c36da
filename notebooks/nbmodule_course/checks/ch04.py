"""Chapter 04: `__call__` is not `forward`. Programs put hooks in by hand and call; a log shows what ran, and with what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..exercise import Exercise
from ..referee import Step, each, programs, read, run
from ..referee.world import World, slots_of
from .hooked import AFTER, BEFORE, ODD, POST, PRE, call, give, net_of


def _silent(text: str, act: Callable[[Any], Any]) -> Step:
    """Return a step on an object of a class without a `forward` of its own."""
    return Step(text, lambda world: act(type("Zebra", (world.Module,), {})()), ("forward",))


# ---- 04.1

callable_ = Exercise(
    "04.1",
    title="Make it callable",
    takes=("Module",),
    minutes=4,
    writes=("__call__", "forward"),
    hints=(
        "Inside `__call__`, `args` is a tuple and `kwargs` is a dictionary. How do you pass a tuple on as separate arguments?",
        "A star in a call unpacks: `f(*args, **kwargs)`. For the message of `forward`, `type(self).__name__` is the name of the class.",
        "`return self.forward(*args, **kwargs)`, and in `forward`: "
        "`raise NotImplementedError(f'{type(self).__name__} has no \"forward\"')`.",
    ),
)
_CALLS = (call(1), call(1, 2), call(3, k=4), call(k=5), call(), call("bad"), call(0))
callable_.compare("a call hands all arguments to `forward` and returns its result", each(*_CALLS))
_OWN = Step(
    'net.forward = lambda x: "my own"',
    lambda world: slots_of(net_of(world)).update(forward=lambda x: "my own"),
    setup=True,
)
callable_.compare("an object's own `forward` is used", programs(call(1), start=[_OWN]))
callable_.compare(
    "a missing `forward` is an error that says so",
    each([_silent("Zebra()(1)", lambda m: m(1)), _silent("Zebra()()", lambda m: m())]),
    each([_silent("Zebra().forward(1, k=2)", lambda m: m.forward(1, k=2))]),
)
_PASS = "self.forward(*args, **kwargs)"
# fmt: off
for _name, _new, _says in (
    ('keywords lost', 'self.forward(*args)', "keyword arguments don't reach `forward`; pass `**kwargs` as well"),
    ('one argument', 'self.forward(args[0])', 'only the first argument reaches `forward`; unpack all of them with `*args`'),
    ('not unpacked', 'self.forward(args, kwargs)', '`forward` gets one tuple and one dictionary; unpack them with `*args, **kwargs`'),
    ("the class's forward", 'type(self).forward(self, *args, **kwargs)', '`type(self).forward` misses a `forward` that the object itself has; use `self.forward`'),
):
    callable_.wrong(_name, {_PASS: _new}, says=_says)
# fmt: on
callable_.wrong(
    "no return",
    {f"return {_PASS}": _PASS},
    says="`__call__` runs `forward` but doesn't return its result",
)
_MISSING = "def forward(self, *args, **kwargs):\n    "
# fmt: off
for _name, _new, _says in (
    ('forward does nothing', 'pass', 'without an error, a forgotten `forward` shows up as None much later'),
    ('NotImplemented', "raise NotImplemented(type(self).__name__ + ' forward')", '`NotImplemented` is a value for comparisons; the exception is `NotImplementedError`'),
    ('no names', 'raise NotImplementedError', 'the message is empty; it should name the class and `forward`'),
    ('no class', "raise NotImplementedError('forward is missing')", "the message doesn't name the class of the object; `type(self).__name__` does"),
):
    callable_.wrong(_name, {'forward': _MISSING + _new}, says=_says)
# fmt: on

# ---- 04.2

drawers = Exercise(
    "04.2",
    title="Two more drawers",
    takes=("Module",),
    minutes=3,
    writes=("__init__",),
    keeps=("01.1", "01.2"),
    hints=(
        "Begin with the `__init__` from your `my_module.py`. What does it do for each drawer?",
        "The two new drawers are created in the same way, with `OrderedDict()` for `{}`.",
        '`super().__setattr__("_forward_hooks", OrderedDict())`, and the same for `_forward_pre_hooks`.',
    ),
)


def _both(world: World) -> list[Any]:
    return [slots_of(world.m).get(name) for name in (BEFORE, AFTER)]


drawers.compare(
    "every object has two empty drawers for hooks",
    each(read(BEFORE, AFTER)),
    each(run("sorted(vars(m)) has both", lambda world: None not in _both(world))),
)
drawers.compare(
    "each drawer is one of its own",
    each(
        run(
            "m._forward_hooks is m._forward_pre_hooks",
            lambda w: w.m._forward_hooks is w.m._forward_pre_hooks,
        )
    ),
    *(
        each(
            run(
                f"m.{name} is another.{name}",
                lambda w, n=name: getattr(w.m, n) is getattr(w.twin, n),
            )
        )
        for name in (BEFORE, AFTER)
    ),
)
_NEW = 'new_slot("_forward_hooks", OrderedDict())'
_NEW_PRE = 'new_slot("_forward_pre_hooks", OrderedDict())'
# fmt: off
for _name, _patch, _says in (
    ('one is missing', {_NEW: ''}, '`_forward_hooks` is missing'),
    ('the other is missing', {_NEW_PRE: ''}, '`_forward_pre_hooks` is missing'),
    ('one for both', {_NEW: "new_slot('_forward_hooks', self._forward_pre_hooks)"}, 'both names mean the same dictionary, so each hook would run twice; create two'),
    ('in the class', {'def __init__(self):': '_forward_hooks = OrderedDict()\n_forward_pre_hooks = OrderedDict()\n\ndef __init__(self):', _NEW: '', _NEW_PRE: ''}, 'the drawers belong to the class, so all objects share them; create them in `__init__`'),
    ('a list', {_NEW: "new_slot('_forward_hooks', [])"}, "`_forward_hooks` is a list; a hook is stored under a key, so it's a dictionary"),
    ('None', {_NEW: "new_slot('_forward_hooks', None)"}, '`_forward_hooks` is None; create an empty `OrderedDict()`'),
    ('the old ones are gone', {'new_slot("_buffers", {})': '', 'new_slot("_modules", {})': ''}, 'this `__init__` replaces the one of chapter 01, so it creates the three old drawers as well'),
):
    drawers.wrong(_name, _patch, says=_says)
# fmt: on

# ---- 04.3

around = Exercise(
    "04.3",
    title="Everything around `forward`",
    takes=("Module",),
    minutes=12,
    writes=("__call__",),
    keeps=("04.1",),
    hints=(
        "Write the four steps in the order of the list. Which variable changes in the second step, and which in the fourth?",
        "Keep what a hook returns in a variable and test it with `is not None`, since 0 and `()` count as answers. "
        "For a pre-hook, `isinstance(changed, tuple)` decides between `changed` and `(changed,)`.",
        "`for hook in list(self._forward_pre_hooks.values()): changed = hook(self, args)`, then replace `args` if `changed` isn't None. "
        "After `result = self.forward(*args, **kwargs)`, do the same for `_forward_hooks` with `hook(self, args, result)`.",
    ),
)
around.compare("without hooks, `forward` alone runs", each(*_CALLS))
around.compare(
    "pre-hooks run first, in order, and can replace the arguments",
    *(programs(give(BEFORE, 7, *PRE, *ODD), ask) for ask in _CALLS[:4]),
    programs(give(BEFORE, 7, *PRE), give(BEFORE, 3, *PRE), call(1), call(2)),
)
around.compare(
    "hooks run last, in order, and can replace the result",
    *(programs(give(AFTER, 7, *POST), ask) for ask in _CALLS),
    programs(give(AFTER, 7, *POST), give(AFTER, 3, *POST), call(1), call(2)),
)
around.compare(
    "both kinds work together, and keyword arguments pass by",
    programs(give(BEFORE, 7, *PRE), give(AFTER, 3, *POST), [*call(1), *call(1, k=2)]),
    programs(give(BEFORE, 7, "plus"), give(AFTER, 3, "double"), call(1, net="other")),
)
around.compare(
    "a hook may remove itself while it runs",
    programs([*give(BEFORE, 7, "once"), *give(AFTER, 7, "last")], call(1), call(1)),
    programs(give(BEFORE, 7, "once"), give(BEFORE, 8, *PRE), call(1), call(1)),
    programs(give(AFTER, 7, "last"), give(AFTER, 8, *POST), call(1), call(1)),
)
around.compare(
    "exceptions get out, and nothing runs after them",
    programs([*give(BEFORE, 7, "bomb"), *give(AFTER, 7, "bomb")], call(1)),
    programs(give(BEFORE, 7, "look"), give(AFTER, 7, "watch"), call("bad")),
    programs(give(AFTER, 6, "bomb"), give(AFTER, 7, "watch"), call(1), call(1)),
)
around.compare(
    "a call within a call runs the hooks of both",
    programs(
        [*give(BEFORE, 7, "plus", net="outer"), *give(AFTER, 7, "double", net="outer")],
        [*give(BEFORE, 7, "plain", net="inner"), *give(AFTER, 7, "double", net="inner")],
        call(1, net="outer"),
    ),
)
_P_LOOP, _H_LOOP = "list(self._forward_pre_hooks.values())", "list(self._forward_hooks.values())"
_P_SET, _H_SET = (
    "args = changed if isinstance(changed, tuple) else (changed,)",
    "if changed is not None:\n    result = changed",
)
_P_ALL = f"if changed is not None:\n    {_P_SET}"
_ASK = "if not (self._forward_pre_hooks or self._forward_hooks):"
_RUN = "result = self.forward(*args, **kwargs)"
# fmt: off
for _name, _patch, _says in (
    ('keywords lost', {_RUN: 'result = self.forward(*args)'}, "with hooks, keyword arguments don't reach `forward`; pass `**kwargs` as well"),
    ('fast path with and', {_ASK: 'if not (self._forward_pre_hooks and self._forward_hooks):'}, 'the fast path is taken when only one of the drawers is empty; write `or` inside the `not (…)`'),
    ('fast path asks one', {_ASK: 'if not self._forward_hooks:'}, 'the fast path looks in `_forward_hooks` only, so pre-hooks are skipped'),
    ('fast path asks the other', {_ASK: 'if not self._forward_pre_hooks:'}, 'the fast path looks in `_forward_pre_hooks` only, so hooks are skipped'),
    ("pre-hook's answer dropped", {_P_ALL: ''}, 'what a pre-hook returns is dropped; it replaces `args`'),
    ("hook's answer dropped", {_H_SET: ''}, 'what a hook returns is dropped; it replaces `result`'),
    ('asks for truth, before', {_P_ALL: f'if changed:\n    {_P_SET}'}, '`if changed:` also ignores 0 and `()`; write `if changed is not None:`'),
    ('asks for truth, after', {_H_SET: 'result = changed or result'}, 'a hook that returns 0 is ignored; only None leaves the result as it is'),
    ('None replaces, after', {_H_SET: 'result = changed'}, 'a hook that returns None wipes out the result'),
    ('None replaces, before', {_P_ALL: _P_SET}, 'a pre-hook that returns None wipes out the arguments'),
    ('never wrapped', {_P_SET: 'args = changed'}, "one value that isn't a tuple can't be unpacked with `*args`; make it `(changed,)`"),
    ('always wrapped', {_P_SET: 'args = (changed,)'}, 'a tuple that a pre-hook returns becomes one argument; it already is the new `args`'),
    ('a list counts as tuple', {_P_SET: 'args = tuple(changed) if isinstance(changed, (tuple, list)) else (changed,)'}, 'a list is one argument; only a tuple replaces all of them'),
    ('unpacked for the hook', {'hook(self, args)': 'hook(self, *args)'}, 'the hook gets the arguments one by one; it takes one tuple, `args`'),
    ('without the module', {'hook(self, args)': 'hook(args)', 'hook(self, args, result)': 'hook(args, result)'}, 'hooks take the module first: `hook(self, args)`'),
    ('loops over the drawer, before', {_P_LOOP: 'self._forward_pre_hooks.values()'}, 'the loop goes over the drawer itself, which changes while a hook removes itself; loop over `list(…)`'),
    ('loops over the drawer, after', {_H_LOOP: 'self._forward_hooks.values()'}, 'the loop over `_forward_hooks` goes over the drawer itself; loop over `list(…)`'),
    ('backwards', {_H_LOOP: 'reversed(self._forward_hooks.values())'}, 'hooks run in the order of the drawer, not backwards'),
    ('by key', {_H_LOOP: '[self._forward_hooks[k] for k in sorted(self._forward_hooks)]'}, 'hooks run in the order of the drawer, not in the order of their keys'),
    ('first hook only', {'if changed is not None:\n    result = changed': 'if changed is not None:\n    return changed'}, 'the loop ends at the first hook that returns something; keep the result and go on'),
    ('swallows errors', {_RUN: f'try:\n    {_RUN}\nexcept Exception:\n    return None'}, 'an exception of `forward` is swallowed; let it pass'),
    ('hooks after an error', {_RUN: f'try:\n    {_RUN}\nexcept Exception as error:\n    for hook in {_H_LOOP}:\n        hook(self, args, None)\n    raise'}, "the hooks run although `forward` raised; there's no result for them"),
    ('hooks see the first arguments', {'for hook in list(self._forward_pre_hooks.values()):': 'given = args\nfor hook in list(self._forward_pre_hooks.values()):', 'hook(self, args, result)': 'hook(self, given, result)'}, 'the hooks get the arguments of the call; they get those that `forward` got'),
    ('hooks run once', {'return result': 'self._forward_hooks.clear()\nreturn result'}, 'the hooks are gone after one call; they stay until they are removed'),
):
    around.wrong(_name, _patch, says=_says)
# fmt: on
