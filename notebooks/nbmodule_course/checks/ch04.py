"""Chapter 04: `__call__` is not `forward`. Programs put hooks in by hand and call; a log shows what ran, and with what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..exercise import Exercise
from ..referee import Step, each, programs
from ..referee.world import slots_of
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
_CALLS = (call(1), call(1, 2), call(3, k=4), call(k=5), call(), call("bad"), call("odd"), call(0))
callable_.compare("a call hands all arguments to `forward` and returns its result", each(*_CALLS))
_OWN = Step(
    'net.forward = lambda x: "my own"',
    lambda world: slots_of(net_of(world)).update(forward=lambda x: "my own"),
    setup=True,
)
_OFF = Step(
    "net.training = False",
    lambda world: slots_of(net_of(world)).update(training=False),
    setup=True,
)
callable_.compare("one call doesn't affect the next", programs(call(1), call(2)))
callable_.compare("an object's own `forward` is used", programs(call(1), start=[_OWN]))
callable_.compare(
    "a missing `forward` raises an error that names the class",
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
callable_.wrong("tries again", {f"return {_PASS}": f"try:\n    return {_PASS}\nexcept TypeError:\n    return self.forward(*args)"}, says="after a TypeError, `forward` runs a second time; let its exceptions pass")
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

before = Exercise(
    "04.2",
    title="Before `forward`",
    takes=("Module",),
    minutes=8,
    writes=("__call__",),
    keeps=("04.1",),
    hints=(
        "The hooks are the values of the drawer. Which variable does a hook replace, and when?",
        "Keep what a hook returns in a variable and test it with `is not None`, because 0 and `()` count as answers. "
        "`isinstance(changed, tuple)` decides between `changed` and `(changed,)`.",
        "`for hook in list(self._forward_pre_hooks.values()): changed = hook(self, args)`, then set `args` if `changed` isn't None. "
        "After the loop: `return self.forward(*args, **kwargs)`.",
    ),
)
before.compare("without hooks, `forward` alone runs", each(*_CALLS))
before.compare(
    "pre-hooks run first, and can replace the arguments",
    *(programs(give(BEFORE, 7, *PRE, *ODD), ask) for ask in _CALLS[:3]),
    programs(give(BEFORE, 7, "look", "zero"), [*call(k=5), *call()]),
    programs(give(BEFORE, 7, "plus"), call(1, net="second")),
    programs(give(BEFORE, 7, "plus", net="inner"), call(1, net="outer")),
    programs(give(BEFORE, 7, "plus"), call(1), start=[_OFF]),
)
before.compare(
    "each pre-hook gets what the one before it returned",
    programs(give(BEFORE, 7, *PRE), give(BEFORE, 3, *PRE), call(1), call(2)),
)
before.compare(
    "a pre-hook may remove itself",
    programs(give(BEFORE, 7, "once"), call(1), call(1)),
    programs(give(BEFORE, 7, "once"), give(BEFORE, 8, *PRE), call(1), call(1)),
)
before.compare(
    "exceptions get through, and nothing runs after them",
    programs(give(BEFORE, 7, "bomb"), give(BEFORE, 8, "look"), call(1), call(1)),
    programs(give(BEFORE, 7, "look"), call("bad")),
)
_P_LOOP = "for hook in list(self._forward_pre_hooks.values()):"
_P_SET = "args = changed if isinstance(changed, tuple) else (changed,)"
_P_ALL, _P_CALL = f"if changed is not None:\n    {_P_SET}", "changed = hook(self, args)"
# fmt: off
for _name, _patch, _says in (
    ("keywords lost", {_PASS: "self.forward(*args)"}, "keyword arguments don't reach `forward`; pass `**kwargs` as well"),
    ("answer dropped", {_P_ALL: ""}, "what a pre-hook returns is dropped; it should replace `args`"),
    ("asks for truth", {_P_ALL: f"if changed:\n    {_P_SET}"}, "a pre-hook's 0 and `()` are ignored; only None leaves the arguments as they are: `if changed is not None:`"),
    ("None replaces", {_P_ALL: _P_SET}, "a pre-hook that returns None wipes out the arguments; test `is not None`"),
    ("never wrapped", {_P_SET: "args = changed"}, "one value that isn't a tuple can't be unpacked with `*args`; make it `(changed,)`"),
    ("always wrapped", {_P_SET: "args = (changed,)"}, "a tuple that a pre-hook returns becomes one argument; it already is the new `args`"),
    ("exactly tuple", {"isinstance(changed, tuple)": "type(changed) is tuple"}, "a namedtuple is a tuple as well; ask `isinstance(changed, tuple)`"),
    ("a list counts as a tuple", {_P_SET: "args = tuple(changed) if isinstance(changed, (tuple, list)) else (changed,)"}, "a list is one argument; only a tuple replaces all of them"),
    ("a dictionary for the keywords", {_P_SET: "if isinstance(changed, dict):\n    kwargs = changed\nelse:\n    args = changed if isinstance(changed, tuple) else (changed,)"}, "a dictionary replaces the keyword arguments; it is one value like any other, and becomes the one new argument"),
    ("not in evaluation", {_P_LOOP: "for hook in list(self._forward_pre_hooks.values()) if self.training else []:"}, "the pre-hooks only run while `training` is True; they always run"),
    ("the children's, too", {_P_LOOP: "for hook in [h for m in (self, *self._modules.values()) for h in list(m._forward_pre_hooks.values())]:"}, "the pre-hooks of a child also run when its parent is called; each Module runs its own"),
    ("unpacked for the hook", {_P_CALL: "changed = hook(self, *args)"}, "the hook gets the arguments one by one; it takes them as one tuple, `args`"),
    ("without the module", {_P_CALL: "changed = hook(args)"}, "a pre-hook takes the module first: `hook(self, args)`"),
    ("with the keywords", {_P_CALL: "changed = hook(self, args, kwargs)"}, "the pre-hook gets a third argument; it takes `self` and `args`"),
    ("loops over the drawer", {_P_LOOP: "for hook in self._forward_pre_hooks.values():"}, "the loop goes over the drawer itself, which changes when a hook removes itself; loop over `list(…)`"),
    ("loops over the keys", {_P_LOOP: "for hook in list(self._forward_pre_hooks):"}, "a loop over a dictionary gives its keys; the hooks are in `.values()`"),
    ("backwards", {_P_LOOP: "for hook in reversed(list(self._forward_pre_hooks.values())):"}, "the hooks run backwards; they should run in the order of the drawer"),
    ("by key", {_P_LOOP: "for _, hook in sorted(self._forward_pre_hooks.items()):"}, "the hooks run in the order of their keys; they should run in the order of the drawer"),
    ("all get the first arguments", {_P_LOOP: f"given = args\n{_P_LOOP}", _P_CALL: "changed = hook(self, given)"}, "each pre-hook gets the arguments of the call; it should get what the hook before it returned"),
    ("after forward", {_P_LOOP: f"result = {_PASS}\n{_P_LOOP}", f"return {_PASS}": "return result"}, "the pre-hooks run after `forward`, too late to change its arguments"),
    ("forward in the loop", {_P_ALL: f"{_P_ALL}\n{_PASS}"}, "`forward` runs once more for each hook; call it once, after the loop"),
    ("swallows errors", {_P_CALL: f"try:\n    {_P_CALL}\nexcept Exception:\n    changed = None"}, "an exception of a hook is swallowed; let it pass"),
    ("hooks run once", {f"return {_PASS}": f"self._forward_pre_hooks.clear()\nreturn {_PASS}"}, "the hooks are gone after one call; they should stay until they're removed"),
):
    before.wrong(_name, _patch, says=_says)
# fmt: on

# ---- 04.3

around = Exercise(
    "04.3",
    title="After `forward`",
    takes=("Module",),
    minutes=8,
    writes=("__call__",),
    keeps=("04.1", "04.2"),
    hints=(
        "Write the four steps in the order of the list. You have three of them already.",
        "An empty dictionary is false, so `not (a or b)` is true if both are empty. The loop over the hooks is like the one over the pre-hooks.",
        "After `result = self.forward(*args, **kwargs)`: `for hook in list(self._forward_hooks.values()): changed = hook(self, args, result)`, "
        "then set `result` if `changed` isn't None.",
    ),
)
around.compare(
    "hooks run last, and can replace the result",
    *(programs(give(AFTER, 7, *POST), ask) for ask in _CALLS),
    programs(give(AFTER, 7, "double"), call(1, net="second")),
    programs(give(AFTER, 7, "watch"), call(1), start=[_OWN]),
    programs(give(AFTER, 7, "double"), call(1), start=[_OFF]),
)
around.compare(
    "each hook gets what the one before it returned",
    programs(give(AFTER, 7, *POST), give(AFTER, 3, *POST), call(1), call(2)),
)
around.compare(
    "pre-hooks and hooks work together, and keyword arguments pass unchanged",
    programs(give(BEFORE, 7, *PRE), give(AFTER, 3, *POST), [*call(1), *call(1, k=2)]),
)
around.compare(
    "a hook may remove itself",
    programs([*give(BEFORE, 7, "once"), *give(AFTER, 7, "last")], call(1), call(1)),
    programs(give(AFTER, 7, "last"), give(AFTER, 8, *POST), call(1), call(1)),
)
around.compare(
    "exceptions get through, and nothing runs after them",
    programs(give(AFTER, 6, "bomb"), give(AFTER, 7, "watch"), call(1), call(1)),
    programs(give(BEFORE, 7, "look", "bomb"), give(AFTER, 7, "watch"), [*call(1), *call("bad")]),
)
around.compare(
    "a call within a call runs the hooks of both",
    programs(
        [*give(BEFORE, 7, "plus", net="outer"), *give(AFTER, 7, "double", net="outer")],
        [*give(BEFORE, 7, "plain", net="inner"), *give(AFTER, 7, "double", net="inner")],
        call(1, net="outer"),
    ),
)
_ASK, _RUN = (
    "if not (self._forward_pre_hooks or self._forward_hooks):",
    "result = self.forward(*args, **kwargs)",
)
_LOOP, _CALL = (
    "for hook in list(self._forward_hooks.values()):",
    "changed = hook(self, args, result)",
)
_SET = "if changed is not None:\n    result = changed"
# fmt: off
for _name, _patch, _says in (
    ("keywords lost", {_RUN: "result = self.forward(*args)"}, "with hooks, keyword arguments don't reach `forward`; pass `**kwargs` as well"),
    ("fast path with and", {_ASK: "if not (self._forward_pre_hooks and self._forward_hooks):"}, "the fast path is taken even if only one drawer is empty; write `or` inside `not (…)`"),
    ("fast path asks one", {_ASK: "if not self._forward_hooks:"}, "the fast path looks in `_forward_hooks` only, so pre-hooks are skipped"),
    ("fast path asks the other", {_ASK: "if not self._forward_pre_hooks:"}, "the fast path looks in `_forward_pre_hooks` only, so hooks are skipped"),
    ("pre-hooks lost", {_P_LOOP: "for hook in []:"}, "the pre-hooks of 04.2 don't run anymore"),
    ("either or", {_RUN: f"if self._forward_pre_hooks:\n    return {_PASS}\n{_RUN}"}, "if there are pre-hooks, the hooks don't run; both kinds can be there"),
    ("answer dropped", {_SET: ""}, "what a hook returns is dropped; it should replace `result`"),
    ("asks for truth", {_SET: "if changed:\n    result = changed"}, "a hook that returns 0 is ignored; only None leaves the result as it is"),
    ("None replaces", {_SET: "result = changed"}, "a hook that returns None wipes out the result; test `is not None`"),
    ("without the module", {_CALL: "changed = hook(args, result)"}, "a hook takes the module first: `hook(self, args, result)`"),
    ("without the arguments", {_CALL: "changed = hook(self, result)"}, "a hook takes three things: `hook(self, args, result)`"),
    ("unpacked for the hook", {_CALL: "changed = hook(self, *args, result)"}, "the hook gets the arguments one by one; it takes them as one tuple, `args`"),
    ("loops over the drawer", {_LOOP: "for hook in self._forward_hooks.values():"}, "the loop goes over `_forward_hooks` itself, which changes when a hook removes itself; loop over `list(…)`"),
    ("loops over the keys", {_LOOP: "for hook in list(self._forward_hooks):"}, "a loop over a dictionary gives its keys; the hooks are in `.values()`"),
    ("backwards", {_LOOP: "for hook in reversed(list(self._forward_hooks.values())):"}, "the hooks run backwards; they should run in the order of the drawer"),
    ("by key", {_LOOP: "for _, hook in sorted(self._forward_hooks.items()):"}, "the hooks run in the order of their keys; they should run in the order of the drawer"),
    ("first answer only", {_SET: "if changed is not None:\n    return changed"}, "the loop ends at the first hook that returns something; keep the result and go on"),
    ("all get the first result", {_RUN: f"{_RUN}\nfirst = result", _CALL: "changed = hook(self, args, first)"}, "each hook gets the result of `forward`; it should get what the hook before it returned"),
    ("the arguments of the call", {_P_LOOP: f"given = args\n{_P_LOOP}", _CALL: "changed = hook(self, given, result)"}, "the hooks get the arguments of the call; they should get those that `forward` got"),
    ("tuple unpacked", {_SET: "if changed is not None:\n    result = changed[0] if isinstance(changed, tuple) else changed"}, "a tuple that a hook returns is the new result as it is"),
    ("the class's forward", {_RUN: "result = type(self).forward(self, *args, **kwargs)"}, "with hooks, a `forward` that the object itself has is missed; use `self.forward`"),
    ("forward twice", {_RUN: f"self.forward(*args, **kwargs)\n{_RUN}"}, "`forward` runs twice"),
    ("swallows errors", {_RUN: f"try:\n    {_RUN}\nexcept Exception:\n    return None"}, "an exception of `forward` is swallowed; let it pass"),
    ("hooks after an error", {_RUN: f"result = None\ntry:\n    {_RUN}\nexcept Exception:\n    for hook in self._forward_hooks.values():\n        hook(self, args, None)\n    raise"}, "the hooks run although `forward` raised an exception, so there's no result for them"),
    ("hooks run once", {"return result": "self._forward_hooks.clear()\nreturn result"}, "the hooks are gone after one call; they should stay until they're removed"),
):
    around.wrong(_name, _patch, says=_says)
# fmt: on
