"""Chapter 15: `__call__` with hooks that see the keyword arguments, and with hooks that always run."""

from __future__ import annotations

from ..exercise import Exercise
from ..referee import programs
from .hooked import AFTER, BEFORE, POST, PRE, call
from .hooking import ODD_KW, POST_KW, PRE_KW, register

# ---- 15.3

keywords = Exercise(
    "15.3",
    title="Hooks that see the keyword arguments",
    takes=("Module",),
    minutes=12,
    writes=("__call__",),
    keeps=("04.2", "04.3"),
    on_torch=True,
    hints=(
        "Loop over `.items()` instead of `.values()`. How can you tell which kind of hook it is?",
        "`key in self._forward_pre_hooks_with_kwargs` tells the two kinds of pre-hook apart. Only one kind may replace `kwargs`.",
        "`changed = hook(self, args, kwargs)`; if it isn't None and isn't a tuple of two, `raise RuntimeError(…)`; otherwise `args, kwargs = changed`. "
        "A hook gets `hook(self, args, kwargs, result)`.",
    ),
)
_CALLS = (*call(1), *call(1, k=2), *call(1, 2), *call(k=5))
_PRE_KW = register(BEFORE, *PRE_KW, with_kwargs=True)
_POST_KW = register(AFTER, *POST_KW, with_kwargs=True)
keywords.compare(
    "a pre-hook with `with_kwargs` sees them, and replaces both",
    programs(_PRE_KW, [*_CALLS]),
    programs(_PRE_KW, call(1, k=2), call(3)),
    programs(_PRE_KW, call(1, k=2, net="second")),
    programs(register(BEFORE, "patch", with_kwargs=True), _PRE_KW, call(1, k=2)),
    programs(register(BEFORE, "see", with_kwargs=True), call(1, hook=2, args=3, result=4)),
)
keywords.compare(
    "it returns None or a tuple of two",
    programs(register(BEFORE, *ODD_KW, with_kwargs=True), [*call(1), *call(1, k=2)]),
)
keywords.compare(
    "a hook with `with_kwargs` sees what `forward` got",
    programs(_POST_KW, [*_CALLS]),
    programs(register(BEFORE, "swap", with_kwargs=True), _POST_KW, call(1, k=2)),
    programs(register(BEFORE, "plus"), _POST_KW, call(1, k=2)),
    programs(register(AFTER, "patch", with_kwargs=True), register(AFTER, "tell", with_kwargs=True), call(1, k=2)),
    programs(register(AFTER, "tell", net="nested", with_kwargs=True), call(3, k=2, net="nested")),
)  # fmt: skip
keywords.compare(
    "both kinds work side by side, in their order",
    programs(_PRE_KW, register(BEFORE, *PRE), call(1, k=2)),
    programs(register(BEFORE, *PRE), _PRE_KW, call(1, k=2)),
    programs(_PRE_KW, register(BEFORE, "swap", "keep", with_kwargs=True), call(1, k=2)),
    programs(register(BEFORE, "couple_"), register(BEFORE, "see", with_kwargs=True), call(1, k=2)),
    programs(_POST_KW, register(AFTER, *POST), call(1, k=2)),
    programs(register(AFTER, *POST), register(AFTER, "twice", "tell", with_kwargs=True), call(1, k=2)),
)  # fmt: skip
keywords.compare(
    "a hook may remove itself",
    programs(register(BEFORE, "once") + register(AFTER, "last"), _PRE_KW + _POST_KW, call(1, k=2), call(1, k=2)),
)  # fmt: skip
_P_KW, _P_PLAIN = "changed = hook(self, args, kwargs)", "changed = hook(self, args)"
_P_IF = "if key in self._forward_pre_hooks_with_kwargs:"
_TEST = 'if not (isinstance(changed, tuple) and len(changed) == 2):\n    raise RuntimeError(f"expected None or (args, kwargs), got {changed}")'
_TWO, _GIVEN = (
    "args, kwargs = changed",
    "given = (args, kwargs) if key in self._forward_hooks_with_kwargs else (args,)",
)
_RUN, _HOOK = "result = self.forward(*args, **kwargs)", "changed = hook(self, *given, result)"
_P_ITEMS, _ITEMS = (
    "for key, hook in list(self._forward_pre_hooks.items()):",
    "for key, hook in list(self._forward_hooks.items()):",
)
# fmt: off
keywords.wrongs(
    ("never with keywords", {_P_IF: "if False:"}, "a pre-hook with `with_kwargs` gets the positional arguments only; look for its key in `_forward_pre_hooks_with_kwargs`"),
    ("always with keywords", {_P_IF: "if True:"}, "every pre-hook gets the keyword arguments; only those whose key is in `_forward_pre_hooks_with_kwargs` do"),
    ("hooks never with keywords", {_GIVEN: "given = (args,)"}, "a hook with `with_kwargs` doesn't get the keyword arguments; look for its key in `_forward_hooks_with_kwargs`"),
    ("hooks always with keywords", {_GIVEN: "given = (args, kwargs)"}, "every hook gets the keyword arguments; only those whose key is in `_forward_hooks_with_kwargs` do"),
    ("the notes of the pre-hooks", {_GIVEN: "given = (args, kwargs) if key in self._forward_pre_hooks_with_kwargs else (args,)"}, "a hook with `with_kwargs` doesn't get the keyword arguments; look for its key in `_forward_hooks_with_kwargs`"),
    ("unpacked keywords", {_P_KW: "changed = hook(self, args, **kwargs)"}, "the pre-hook gets the keyword arguments one by one; hand it the dictionary"),
    ("result before the keywords", {_HOOK: "changed = hook(self, args, result, *given[1:])"}, "the hook gets the result before the keyword arguments; the order is `module, args, kwargs, result`"),
    ("answer dropped", {_TWO: "pass"}, "what a pre-hook with `with_kwargs` returns is dropped; it replaces `args` and `kwargs`"),
    ("only the arguments", {_TWO: "args = changed[0]"}, "only `args` is replaced; the second of the two values replaces `kwargs`"),
    ("only the keywords", {_TWO: "kwargs = changed[1]"}, "only `kwargs` is replaced; the first of the two values replaces `args`"),
    ("keywords added", {_TWO: "args, kwargs = changed[0], {**kwargs, **changed[1]}"}, "the new keyword arguments are added to the old ones; they should replace them"),
    ("no test", {_TEST: ""}, "a pre-hook with `with_kwargs` may return anything here; raise a RuntimeError unless it's None or a tuple of two"),
    ("a list will do", {_TEST: _TEST.replace("tuple", "(tuple, list)", 1)}, "a list of two is accepted here; accept only a tuple of two"),
    ("any tuple", {_TEST: _TEST.replace(" and len(changed) == 2", "")}, "your test lets through a tuple whose length isn't two; raise a RuntimeError for it"),
    ("another error", {"raise RuntimeError": "raise TypeError"}, "the exception is a TypeError; PyTorch raises a RuntimeError"),
    ("asks for truth", {_P_KW: "changed = hook(self, args, kwargs) or None"}, "0 and `()` are treated like None; only None leaves the arguments as they are"),
    ("copies for the pre-hooks", {_P_KW: "changed = hook(self, args, dict(kwargs))"}, "a pre-hook that changes the dictionary in place changes a copy; hand it `kwargs` itself"),
    ("copies for the hooks", {_GIVEN: "given = (args, dict(kwargs)) if key in self._forward_hooks_with_kwargs else (args,)"}, "each hook gets its own copy of the keyword arguments; hand it `kwargs` itself"),
    ("guesses", {_P_IF: f"{_P_IF[:-1]} or isinstance(hook(self, args), tuple) and isinstance(hook(self, args)[-1], dict):", _P_KW: "changed = hook(self, args, kwargs) if key in self._forward_pre_hooks_with_kwargs else hook(self, args)"}, "a plain pre-hook may return a tuple with a dictionary in it: that's positional arguments; only the note decides"),
    ("keywords kept on the object", {_RUN: "self.__dict__['latest'] = kwargs\nresult = self.forward(*args, **kwargs)", _GIVEN: "given = (args, self.latest) if key in self._forward_hooks_with_kwargs else (args,)"}, "the keyword arguments are kept on `self`, and a `forward` that calls the same Module again overwrites them; use a local variable"),
    ("a result of 0", {"if changed is not None:\n    result = changed": "if changed:\n    result = changed"}, "a hook that returns 0 changes nothing here; only None leaves the result as it is, so test `is not None`"),
    ("lost keywords", {_RUN: "result = self.forward(*args)"}, "the keyword arguments don't reach `forward`"),
    ("the keywords of the call", {_P_ITEMS: f"before = kwargs\n{_P_ITEMS}", _RUN: "result = self.forward(*args, **before)"}, "`forward` gets the keyword arguments of the call; give it what the pre-hooks made of them"),
    ("what was passed", {_P_ITEMS: f"first = (args, kwargs)\n{_P_ITEMS}", _GIVEN: "given = first if key in self._forward_hooks_with_kwargs else (args,)"}, "a hook with `with_kwargs` gets the arguments of the call; give it those that `forward` got"),
    ("keywords first", {_P_ITEMS: "for key, hook in sorted(self._forward_pre_hooks.items(), key=lambda item: item[0] not in self._forward_pre_hooks_with_kwargs):"}, "pre-hooks with `with_kwargs` run before all others; run them all in the order of the drawer"),
    ("loops over the drawer", {_ITEMS: "for key, hook in self._forward_hooks.items():"}, "the loop goes over the drawer itself, which changes when a hook removes itself; loop over `list(…)`"),
    ("loops over the drawer of pre-hooks", {_P_ITEMS: "for key, hook in self._forward_pre_hooks.items():"}, "the loop goes over the drawer of pre-hooks itself, which changes when one removes itself; loop over `list(…)`"),
)
# fmt: on

# ---- 15.4

failing = Exercise(
    "15.4",
    title="Even when `forward` fails",
    takes=("Module",),
    minutes=18,
    writes=("__call__",),
    keeps=("15.3", "04.2", "04.3"),
    on_torch=True,
    hints=(
        "Put everything after the fast path into a `try`. Which two things do you need to know in the `except`?",
        "Set `result = None` before the `try`, and collect the keys of the hooks that have begun in a set. At the end of the `except`, a bare `raise` raises the same exception again.",
        "In `except Exception:`, for each hook with `key in self._forward_hooks_always_called and key not in begun`: call it inside `with suppress(Exception):`, then `raise`.",
    ),
)
_ALWAYS = register(AFTER, *POST, always_call=True)
_KW_ALWAYS = register(AFTER, *POST_KW, with_kwargs=True, always_call=True)
_FAILS = [*call("bad"), *call("odd"), *call("bad", k=2)]
_BOMB = [*register(BEFORE, "bomb", to="b"), *register(AFTER, "bomb", to="b")]
failing.compare(
    "a hook with `always_call` runs when `forward` fails, and the exception goes on",
    programs([*_ALWAYS, *_KW_ALWAYS], _FAILS),
    programs([*_ALWAYS, *_KW_ALWAYS], [*call("bad"), *call(1)], call("bad")),
    programs(register(AFTER, "watch", net="nested", always_call=True), call("bad", net="nested")),
)
failing.compare(
    "without an exception it runs once, like any hook",
    programs([*_ALWAYS, *_KW_ALWAYS], [*call(1), *call(1, k=2)]),
    programs([*_ALWAYS, *_KW_ALWAYS], register(AFTER, *POST), call(1)),
)
failing.compare(
    "other hooks don't run after an exception",
    programs(register(AFTER, "watch") + register(AFTER, "tell", with_kwargs=True), _FAILS),
    programs(register(AFTER, "watch"), _ALWAYS, call("bad")),
    programs(_ALWAYS, register(AFTER, "tell", with_kwargs=True), call("bad")),
)
failing.compare(
    "when a hook or a pre-hook fails, the hooks that haven't begun still run",
    programs(_BOMB, [*_ALWAYS, *_KW_ALWAYS], [*call(1), *call(1, k=2)]),
    programs([*_ALWAYS, *_KW_ALWAYS], _BOMB, [*call(1)]),
    programs(_ALWAYS, register(AFTER, "bomb", always_call=True), [*_ALWAYS], call(1)),
    programs(register(BEFORE, "spoil"), [*_ALWAYS, *_KW_ALWAYS], call(1)),
    programs(register(AFTER, "last"), _BOMB, _ALWAYS, call(1)),
)  # fmt: skip
failing.compare(
    "what such a hook returns or raises doesn't hide the exception",
    programs(register(AFTER, "bomb", always_call=True), [*call("odd"), *call("bad")]),
    programs(register(AFTER, "bomb", always_call=True), _ALWAYS, call("odd")),
    programs(register(AFTER, "nought", always_call=True), _ALWAYS + _KW_ALWAYS, call("bad")),
)
failing.compare(
    "Ctrl-C isn't an `Exception`, so none of them run",
    programs(_ALWAYS, call("halt")),
    programs(register(AFTER, "stop", always_call=True), _ALWAYS, call("bad")),
)
_BEGUN, _RESULT = "begun.add(key)", "result = self._run_hook(key, hook, args, kwargs, result)"
_EXCEPT, _QUIET = (
    "except Exception:",
    "with suppress(Exception):\n    result = self._run_hook(key, hook, args, kwargs, result)",
)
_IF = "if key in self._forward_hooks_always_called and key not in begun:"
# fmt: off
failing.wrongs(
    ("never in the except", {_IF: "if False:"}, "hooks with `always_call` don't run after an exception"),
    ("all hooks", {_IF: "if key not in begun:"}, "every hook runs after an exception; only those whose key is in `_forward_hooks_always_called` do"),
    ("again", {_IF: "if key in self._forward_hooks_always_called:"}, "a hook that has run already, or has failed itself, runs again after the exception; remember which ones have begun"),
    ("begun too late", {f"{_BEGUN}\n{_RESULT}": f"{_RESULT}\n{_BEGUN}"}, "a hook that fails itself runs a second time; note its key before the call"),
    ("exception lost", {"raise\n": "return result\n"}, "the exception is gone after the hooks have run; end the `except` with `raise`"),
    ("hooks may fail", {_QUIET: "result = self._run_hook(key, hook, args, kwargs, result)"}, "an exception from such a hook replaces the original one; drop it, so that the caller gets the original"),
    ("the first failure ends it", {"for key, hook in list(self._forward_hooks.items()):\n    if key in self._forward_hooks_always_called and key not in begun:\n        with suppress(Exception):\n            result = self._run_hook(key, hook, args, kwargs, result)": "with suppress(Exception):\n    for key, hook in list(self._forward_hooks.items()):\n        if key in self._forward_hooks_always_called and key not in begun:\n            result = self._run_hook(key, hook, args, kwargs, result)"}, "after one of these hooks has failed, the others don't run; `suppress` belongs around each call"),
    ("everything is caught", {_EXCEPT: "except BaseException:"}, "the hooks run even for a KeyboardInterrupt, which isn't an `Exception`; PyTorch catches only `Exception`"),
    ("everything is ignored", {"with suppress(Exception):": "with suppress(BaseException):"}, "even a KeyboardInterrupt in such a hook is ignored; ignore only an `Exception`"),
    ("a copy of the exception", {_EXCEPT: "except Exception as error:", "raise\n": "raise type(error)(*error.args)\n"}, "a new exception is raised, without the place where the first one came from; a bare `raise` raises the same object again"),
    ("counts them", {"result, begun = None, set()": "result, begun = None, 0", _BEGUN: "begun += 1", f"for key, hook in list(self._forward_hooks.items()):\n    {_IF}": "for key, hook in list(self._forward_hooks.items())[begun:]:\n    if key in self._forward_hooks_always_called:"}, "the hooks that have begun are counted, and the count is wrong once a hook has removed itself; remember their keys"),
    ("begun on the object", {"result, begun = None, set()": "result, self.__dict__['begun'] = None, set()", _BEGUN: "self.begun.add(key)", _IF: "if key in self._forward_hooks_always_called and key not in self.begun:"}, "the keys are kept on `self`, and a `forward` that calls the same Module again overwrites them; use a local variable"),
    ("the arguments of the call", {"result, begun = None, set()": "result, begun, first = None, set(), (args, kwargs)", _QUIET: "with suppress(Exception):\n    result = self._run_hook(key, hook, *first, result)"}, "after an exception, the hooks get the arguments of the call; give them those that `forward` got"),
    ("the result is None", {_QUIET: "with suppress(Exception):\n    self._run_hook(key, hook, args, kwargs, None)"}, "after a failed hook, the others get None as the result; give them the result so far"),
)
# fmt: on
