"""Chapter 16, continued: a call whose gradients are listened to, at its inputs and at its outputs."""

from __future__ import annotations

from ..exercise import Exercise
from ..referee import programs
from .hooked import AFTER, BEFORE
from .listening import FULL, FULLS, PRE, PRES, play, put

# ---- 16.4

both_ends = Exercise(
    "16.4",
    title="Both ends of a call",
    takes=("Module",),
    minutes=45,
    writes=("__call__",),
    keeps=("15.4", "15.3", "04.2", "04.3"),
    on_torch=True,
    hints=(
        "Two functions have to share something: the one at the outputs gets `grad_output` first, and the one at the inputs needs it later. A list in the method around both will do.",
        "`passed = pass_through(args, at_inputs)`. If that's `args` itself, no argument requires a gradient, and nothing will ever arrive there. "
        "Then `at_outputs` calls the full hooks itself, with `(None,) * len(args)`. "
        "Otherwise, `at_inputs` puts `nbmodule.zeros_like(arg)` in the place of None where `arg` is a tensor.",
        "In `__call__`: `args, at_outputs = self._listen(args, pre_hooks, full_hooks)` just before `forward`. At the end, a tuple is passed through as it is, and anything else as `pass_through((result,), at_outputs)[0]`.",
    ),
)
_X, _C = "scale(x).sum().backward()", "scale(c).sum().backward()"
_PUT = [*put(PRE, *PRES), *put(FULL, *FULLS)]
both_ends.compare(
    "hooks see the gradients, and what they return replaces them",
    programs(_PUT, play(_X)),
    programs(put(PRE, *PRES), put(FULL, *FULLS), play(_X)),
    programs(put(PRE, *PRES), put(PRE, *PRES), play(_X)),
    programs(put(FULL, *FULLS), put(FULL, *FULLS), play(_X)),
    programs(put(PRE, "peek"), play("beside(x).sum().backward()", "beside")),
    programs(put(PRE, "peek") + put(FULL, "note"), play("scale.training = False; " + _X)),
)
both_ends.compare(
    "without an input that requires a gradient, the full hooks run at the outputs",
    programs(put(PRE, "peek", "tenfold") + put(FULL, "note"), play(_C)),
    programs(put(PRE, "tenfold"), put(FULL, "note"), play(_C)),
    programs(put(FULL, "note"), put(FULL, "double_"), play(_C)),
    programs(put(FULL, "note"), play("scale(x=x).sum().backward()")),
    programs(put(PRE, "peek"), play("scale(x=x).sum().backward()")),
    programs(put(FULL, "note"), play("scale(c, 4).sum().backward()")),
    programs(put(BEFORE, "fourfold"), put(FULL, "note"), play("scale(c, d).sum().backward()")),
    programs(put(PRE, "tenfold"), put(FULL, "note"), play("scale(c, d).sum().backward()")),
)
both_ends.compare(
    "several inputs and outputs",
    programs(
        put(PRE, "peek", "tenfold", net="fork") + put(FULL, *FULLS, net="fork"),
        [
            *play("fork(x, y)[0].sum().backward()", "fork"),
            *play("fork(x, y)[2].sum().backward()", "fork"),
            *play("a, b, d, _ = fork(x, y); (a * d).sum().backward()", "fork"),
            *play("fork(x, c)[0].sum().backward()", "fork"),
            *play("fork(x, 4)[0].sum().backward()", "fork"),
            *play("fork(x, y)[3], log.append('done')", "fork"),
            *play("log.append(type(fork(x, y)).__name__)", "fork"),
        ],
    ),
    programs(
        put(FULL, "note"),
        play("scale(x, c).sum().backward()") + play("scale(x, 4).sum().backward()"),
    ),
    programs(put(FULL, "note"), play("scale(x, y).sum().backward()")),
    programs(put(FULL, "note", net="packed"), play("packed(x)['x'].sum().backward()", "packed")),
    programs(put(FULL, "note", net="listed"), play("listed(x)[0].sum().backward()", "listed")),
    programs(put(FULL, "note", net="labeled"), play("labeled(x)[0].sum().backward()", "labeled")),
)
both_ends.compare(
    "the arguments pass through just before `forward`, and the result after the forward hooks",
    programs(put(BEFORE, "fourfold") + put(AFTER, "again", "adding"), put(FULL, "note"), play(_X)),
    programs(
        put(AFTER, "again", net="fork"),
        put(FULL, "note", net="fork"),
        play("fork(x, y)[0].sum().backward()", "fork"),
    ),
)
both_ends.compare(
    "a Module within a Module",
    programs(
        put(PRE, "tenfold", net="around") + put(FULL, "note", "blank", net="around"),
        put(PRE, "peek", net="core") + put(FULL, "note", net="core"),
        play("around(x).sum().backward()", "around") + play("around(c).sum().backward()", "around"),
    ),
)
both_ends.compare(
    "calls and backward passes don't get mixed up",
    programs(put(FULL, "note"), play("y = scale(x).sum(); y.backward(retain_graph=True); y.backward()")),
    programs(put(PRE, "tenfold"), put(FULL, "note"), play("y = scale(x).sum(); y.backward(retain_graph=True); (y * 2).backward()")),
    programs(put(FULL, "note"), play("scale(scale(x)).sum().backward()") + play("(scale(x) + scale(y) * 2).sum().backward()")),
    programs(put(PRE, "peek"), put(FULL, "note"), play("y = scale(x); scale.aside.sum().backward()")),
    programs(put(FULL, "note"), play("y = scale(x).sum(); y.backward(retain_graph=True); scale.aside.sum().backward()")),
    programs(put(PRE, "peek", net="echo"), put(FULL, "note", net="echo"), play("echo(x).sum().backward()", "echo")),
    programs(put(PRE, "peek"), put(FULL, "note"), play("with no_grad(): y = scale(x); log.append(str(y.requires_grad))") + play("y = scale(x); log.append('called')")),
)  # fmt: skip
both_ends.compare(
    "the hooks of a call are those that were there when it began",
    programs(_PUT, play("y = scale(x).sum(); scale._backward_hooks.clear(); scale._backward_pre_hooks.clear(); y.backward()")),
    programs(put(BEFORE, "sweep"), _PUT, play(_X)),
    programs(put(BEFORE, "enroll"), put(FULL, "note"), play(_X)),
    programs(put(AFTER, "enroll"), put(FULL, "note"), play(_X)),
    programs(put(AFTER, "enroll"), play(_X)),
    programs(put(FULL, "note"), play("y = scale(x).sum(); scale._backward_hooks[9] = scale._backward_hooks[0]; y.backward()")),
)  # fmt: skip
both_ends.compare(
    "the wrong number of gradients is an error, and exceptions get through",
    programs(put(PRE, "few", "bang") + put(FULL, "many", "crash"), play(_X)),
    programs(put(PRE, "bang"), put(FULL, "note"), play(_X) + play(_C)),
)
_RUN = "changed = hook(self, gradients, *others)"
_LENGTH = "if len(changed) != len(gradients):"
_BEFORE = "pre_hooks = list(self._backward_pre_hooks.values())"
_AFTER = "full_hooks = list(self._backward_hooks.values())"
_AT_OUT = "grad_output = self._run_backward_hooks(pre_hooks, grad_output)"
_AT_IN = "return self._run_backward_hooks(full_hooks, grad_input, waiting.pop())"
_FILL = "grad_input = tuple(map(filled, grad_input, args))"
_BLIND = "self._run_backward_hooks(full_hooks, (None,) * len(args), grad_output)"
_LISTENS = "listening = pre_hooks or full_hooks"
_LISTEN = "args, at_outputs = self._listen(args, pre_hooks, full_hooks)"
_FAST = "if not (self._forward_pre_hooks or self._forward_hooks or listening):"
_TUPLE = "if listening and isinstance(result, tuple):\n    return pass_through(result, at_outputs)"
_ONE = "return pass_through((result,), at_outputs)[0] if listening else result"
# fmt: off
both_ends.wrongs(
    ("fast path", {_FAST: "if not (self._forward_pre_hooks or self._forward_hooks):"}, "with backward hooks alone, the fast path is taken; it has to check their drawers, too"),
    ("pre-hooks don't count", {"listening = pre_hooks or full_hooks": "listening = full_hooks"}, "without a full hook, the pre-hooks don't run; either kind is enough"),
    ("full hooks don't count", {"listening = pre_hooks or full_hooks": "listening = pre_hooks"}, "without a pre-hook, the full hooks don't run; either kind is enough"),
    ("answers dropped", {"gradients = changed": "pass"}, "what a hook returns is dropped; it replaces the gradients"),
    ("None replaces", {"if changed is not None:\n    if len(changed) != len(gradients):": "if changed is None:\n    gradients = (None,) * len(gradients)\nelse:\n    if len(changed) != len(gradients):"}, "a hook that returns None erases the gradients; test `is not None`"),
    ("any number", {_LENGTH: "if False:"}, "a hook may return fewer or more gradients than it got; raise a RuntimeError"),
    ("pre-hooks only look", {_AT_OUT: "self._run_backward_hooks(pre_hooks, grad_output)"}, "what a pre-hook returns is dropped; it replaces `grad_output`, for the layer and for the full hooks"),
    ("full hooks only look", {_AT_IN: "self._run_backward_hooks(full_hooks, grad_input, waiting.pop())"}, "what a full hook returns is dropped; it replaces `grad_input`"),
    ("the first grad_output", {_AT_OUT: f"first = grad_output\n{_AT_OUT}", "waiting.append(grad_output)": "waiting.append(first)"}, "the full hooks get the `grad_output` from before the pre-hooks; give them what the pre-hooks left"),
    ("what was passed", {_LISTEN: f"first = args\n{_LISTEN}", "for key, hook in list(self._forward_hooks.items()):\n    begun.add(key)": "args = first if listening else args\nfor key, hook in list(self._forward_hooks.items()):\n    begun.add(key)"}, "the forward hooks get the arguments from before they were passed through, so what a hook does with them isn't heard at the inputs"),
    ("one place on the object", {"waiting = []  # …": "waiting = self.__dict__.setdefault('waiting', [])", "waiting.append(grad_output)": "waiting[:] = [grad_output]"}, "what waits is kept on `self`, and a `forward` that calls the same Module again mixes it up; make a new list in each call"),
    ("silent first layer", {_BLIND: "pass"}, "if no input requires a gradient, the full hooks don't run; call them at the outputs, with None for each argument"),
    ("one None", {_BLIND: _BLIND.replace("(None,) * len(args)", "(None,)")}, "if no input requires a gradient, `grad_input` has a single None; it needs one for each positional argument"),
    ("no tuple of None", {_BLIND: _BLIND.replace("(None,) * len(args)", "()")}, "if no input requires a gradient, `grad_input` is empty; it needs a None for each positional argument"),
    ("None beside a gradient", {_FILL: "pass"}, "an argument that doesn't require a gradient gets None, although another one requires it; give a tensor zeros"),
    ("always waiting", {"waiting.pop()": "waiting[0]"}, "in a second backward pass, the full hooks get the `grad_output` of the first one; use it up: `pop`"),
    ("inputs alone", {"if waiting:": "if True:", "waiting.pop()": "waiting.pop() if waiting else None"}, "the full hooks run although no gradient arrived at the outputs in this pass; skip them then"),
    ("pre-hooks at backward", {_BEFORE: "pre_hooks = self._backward_pre_hooks.values()", _LISTENS: "listening = self._backward_pre_hooks or full_hooks"}, "the pre-hooks are looked up during `backward`; a call runs those that were there when it began: `list(…)`"),
    ("noted too late", {_LISTEN: f"{_BEFORE}\n{_AFTER}\n{_LISTEN}"}, "the hooks are noted after the forward pre-hooks have run, and one of those may have removed them; note them when the call begins"),
    ("asked again", {_LISTENS: "listening = self._backward_pre_hooks or self._backward_hooks"}, "a forward hook that registers the first backward hook counts in the middle of the call; decide when the call begins, and don't look at the drawers again"),
    ("hooks at backward", {_AFTER: "full_hooks = self._backward_hooks.values()", _LISTENS: "listening = pre_hooks or self._backward_hooks"}, "the full hooks are looked up during `backward`; a call runs those that were there when it began: `list(…)`"),
    ("tuples whole", {_TUPLE: ""}, "a result that's a tuple isn't passed through, so no backward hook runs for it; pass all its items through"),
    ("first output only", {_TUPLE: "if listening and isinstance(result, tuple):\n    return (*pass_through(result[:1], at_outputs), *result[1:])"}, "only the first of several outputs is passed through; pass all of them"),
    ("result lost", {_ONE: "return pass_through((result,), at_outputs) if listening else result"}, "a single result comes back inside a tuple; take its first item"),
    ("outputs only", {_LISTEN: f"_, {_LISTEN[6:]}"}, "`forward` gets the old arguments, so nothing ever arrives at the inputs; hand it those that were passed through"),
    ("without the module", {_RUN: "changed = hook(gradients, *others)"}, "the hooks aren't given the Module; it's their first argument"),
    ("backwards", {"for hook in hooks:": "for hook in hooks[::-1]:"}, "the hooks run in reverse; run them in the order of the drawer"),
    ("the first only", {"for hook in hooks:": "for hook in hooks[:1]:"}, "only the first hook runs; run them all"),
)
# fmt: on
