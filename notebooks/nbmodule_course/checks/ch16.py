"""Chapter 16: backward hooks. What arrives on the way back, and who may change it."""

from __future__ import annotations

from ..exercise import Exercise
from ..referee import each, programs
from .hooking import drop
from .listening import FULL, PRE, listen, old_kind, stored, uses

# ---- 16.1

masking = Exercise(
    "16.1",
    title="A hook on one tensor",
    takes=("mask_gradient",),
    minutes=5,
    importance="useful",
    writes=("mask_gradient",),
    hints=(
        "Define a function inside `mask_gradient`. It takes the gradient, and what it returns is used instead.",
        "The hook returns a new tensor, the gradient times the mask. `param.register_hook` returns a handle. Who needs it?",
        "`def keep(gradient): return gradient * mask`, and then `return param.register_hook(keep)`.",
    ),
)
masking.compare_uses(
    "the gradient is masked as it arrives",
    uses(
        "mask_gradient(w, tensor([1.0, 0.0])); (w * 3).sum().backward(); w.grad",
        "mask_gradient(w, tensor([0.0, 1.0])); (w * w).sum().backward(); w.grad",
        "mask_gradient(w, tensor([1.0, 0.0])); (w * 3).sum().backward(); (w * 3).sum().backward(); w.grad",
        "mask_gradient(w, tensor([0.5, 2.0])); (w * 3).sum().backward(); w.grad",
        "mask_gradient(w, tensor([0.0, 0.0])); (w * 3).sum().backward(); w.grad",
        "m = tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True); mask_gradient(m, tensor([[1.0, 0.0], [0.0, 1.0]])); (m * 3).sum().backward(); m.grad",
        "mask_gradient(w, tensor([1.0, 0.0])); give(w, 1, 1); (w * 3).sum().backward(); w.grad",
        "y = w * 2; mask_gradient(y, tensor([1.0, 0.0])); (y * y).sum().backward(); w.grad",
        "mask_gradient(w, tensor([1.0, 0.0])); mask_gradient(w, tensor([0.0, 1.0])); (w * 3).sum().backward(); w.grad",
    ),
)
masking.compare_uses(
    "nothing else changes",
    uses(
        "mask_gradient(w, tensor([1.0, 0.0])); w, w.grad",
        "mask_gradient(w, tensor([1.0, 0.0])); (w * 3).sum().backward(); w",
        "mask_gradient(w, tensor([1.0, 0.0])); (w * v).sum().backward(); v.grad",
        "mask_gradient(w, tensor([1.0, 0.0])); (w + v).sum().backward(); w.grad, v.grad",
        "give(w, 1, 1); mask_gradient(w, tensor([1.0, 0.0])); w.grad",
        "m = tensor([1.0, 0.0]); mask_gradient(w, m); (w * 3).sum().backward(); m",
    ),
)
masking.compare_uses(
    "the handle removes the hook",
    uses(
        "h = mask_gradient(w, tensor([1.0, 0.0])); h.remove(); (w * 3).sum().backward(); w.grad",
        "h = mask_gradient(w, tensor([1.0, 0.0])); (w * 3).sum().backward(); h.remove(); (w * 3).sum().backward(); w.grad",
        "h = mask_gradient(w, tensor([1.0, 0.0])); g = mask_gradient(w, tensor([0.0, 1.0])); h.remove(); (w * 3).sum().backward(); w.grad",
    ),
)
_KEEP, _REGISTER = "return gradient * mask", "return param.register_hook(keep)"
# fmt: off
masking.wrongs(
    ("no handle", {_REGISTER: "param.register_hook(keep)"}, "`mask_gradient` returns None; return the handle, because nothing else can remove the hook"),
    ("the hook returned", {_REGISTER: "param.register_hook(keep)\nreturn keep"}, "the hook is returned; return the handle that `register_hook` gives"),
    ("no hook", {_REGISTER: "param.grad = param.grad * mask"}, "there's no gradient yet when `mask_gradient` is called; register a hook on `param`"),
    ("returns nothing", {_KEEP: "gradient * mask"}, "the hook returns None, and None leaves the gradient as it is; return the product"),
    ("in place", {_KEEP: "gradient *= mask\nreturn gradient"}, "the hook changes the gradient that it's given, and other tensors may get that same one; return a new tensor"),
    ("in place, no return", {_KEEP: "gradient.mul_(mask)"}, "the hook changes the gradient that it's given, and other tensors may get that same one; return a new tensor"),
    ("the mask", {_KEEP: "return mask"}, "the mask itself becomes the gradient; return the gradient times the mask"),
    ("the other ones", {_KEEP: "return gradient * (1 - mask)"}, "the numbers where the mask is 1 are left out; keep those, and leave out the others"),
    ("the parameter", {_KEEP: "return param * mask"}, "the tensor itself is multiplied by the mask; multiply the gradient"),
    ("all or nothing", {_KEEP: "return gradient * mask.min()"}, "one 0 in the mask stops the whole gradient; multiply number by number"),
    ("values masked", {_REGISTER: "param.data *= mask\nreturn param.register_hook(keep)"}, "the values of the tensor change; only its gradient is masked"),
    ("values masked later", {_KEEP: f"param.data *= mask\n{_KEEP}"}, "the values of the tensor change in each backward pass; only its gradient is masked"),
    ("nothing left", {_REGISTER: "param.requires_grad_(bool(mask.any()))\n" + _REGISTER}, "with a mask of zeros, the tensor gets no gradient at all; it gets zeros"),
    ("once", {_REGISTER: "handle = param.register_hook(lambda g: [handle.remove(), g * mask][1])\nreturn handle"}, "the mask works for one backward pass only; leave the hook in place"),
    ("after adding up", {_REGISTER: "return param.register_post_accumulate_grad_hook(lambda p: [p.grad.mul_(mask), None][1])"}, "the numbers that were in `grad` before are masked too, and the hook works only for leaves; use `register_hook`"),
)
# fmt: on

# ---- 16.2

passing = Exercise(
    "16.2",
    title="An operation that changes nothing",
    takes=("pass_through",),
    minutes=20,
    writes=("pass_through",),
    hints=(
        'Begin with a list of places: the indices of those values that require a gradient. `getattr(v, "requires_grad", False)` also works for a number.',
        "Inside your function, write `class Identity(nbmodule.autograd.Function)`. Its `backward(ctx, *gradients)` gets one gradient for each tensor, in the order of the places. "
        "`dict(zip(places, gradients))` finds each by its place, and `.get(i)` gives None for the others.",
        "In `backward`: `changed = hook(tuple(known.get(i) for i in range(len(values))))`, and then `return gradients if changed is None else tuple(changed[i] for i in places)`. "
        "`Identity.apply(*[values[i] for i in places])` gives the new tensors.",
    ),
)
passing.compare_uses(
    "the values come back, and the tensors are new",
    uses(
        "pass_through((w,), look)",
        "pass_through((w, v), look)",
        "type(pass_through((w,), look)).__name__",
        "pass_through((w,), look)[0] is w",
        "[t.requires_grad for t in pass_through((w, v), look)]",
        "pass_through((w,), look); log",
        "pass_through((w, 5, v, 'text', None), look)",
        "[t.requires_grad for t in pass_through((c, w), look)]",
    ),
)
passing.compare_uses(
    "without a tensor that requires a gradient, it's the same tuple",
    uses(
        "values = (c, 5); pass_through(values, look) is values",
        "values = (5, 'text'); pass_through(values, look) is values",
        "values = (); pass_through(values, look) is values",
        "pass_through((c,), look); log",
    ),
)
passing.compare_uses(
    "the hook is called once, with all gradients",
    uses(
        "(a,) = pass_through((w,), look); (a * 3).sum().backward(); log, w.grad",
        "a, b = pass_through((w, v), look); (a * b).sum().backward(); log, w.grad, v.grad",
        "a, b = pass_through((w, v), look); (a * 3).sum().backward(); log, w.grad",
        "a, b = pass_through((w, v), look); (b * 3).sum().backward(); log, v.grad",
        "(a,) = pass_through((w,), look); (a * 0).sum().backward(); len(log)",
        "(a,) = pass_through((w,), look); (a * a + a).sum().backward(); log, w.grad",
        "a, _, b = pass_through((w, 5, v), look); (a * b).sum().backward(); log",
        "_, a = pass_through((5, w), look); (a * 3).sum().backward(); log, w.grad",
        "a, b = pass_through((w, w), look); (a * 2 + b * 3).sum().backward(); log, w.grad",
        "a, _, b = pass_through((w, c, v), ends); (a * b).sum().backward(); log, w.grad, v.grad",
        "(a,) = pass_through((w * 2,), look); (a * a).sum().backward(); log, w.grad",
        "(a,) = pass_through((w,), look); y = (a * 3).sum(); y.backward(retain_graph=True); y.backward(); log, w.grad",
    ),
)
passing.compare_uses(
    "what the hook returns is passed on",
    uses(
        "(a,) = pass_through((w,), ten); (a * 3).sum().backward(); w.grad",
        "a, b = pass_through((w, v), ten); (a * b).sum().backward(); w.grad, v.grad",
        "a, b = pass_through((w, v), first); (a * b).sum().backward(); w.grad, v.grad",
        "_, a = pass_through((5, w), ten); (a * 3).sum().backward(); w.grad",
        "a, _, b = pass_through((w, c, v), first); (a * b).sum().backward(); w.grad, v.grad",
        "_, a, b = pass_through(('text', v, w), lambda g: (None, g[2], g[1])); (a * b).sum().backward(); w.grad, v.grad",
        "(a,) = pass_through((w,), ten); (b,) = pass_through((a,), look); (b * 3).sum().backward(); log, w.grad",
        "a, b = pass_through((w, v), lambda g: (None, g[1])); (a * b).sum().backward(); w.grad, v.grad",
        "(a,) = pass_through((w,), bomb); tried((a * 3).sum().backward), w.grad",
    ),
)
_PLACES = 'places = [i for i, v in enumerate(values) if getattr(v, "requires_grad", False)]'
_NONE = "if not places:\n    return values"
_CHANGED = "changed = hook(tuple(known.get(i) for i in range(len(values))))"
_BACK = "return gradients if changed is None else tuple(changed[i] for i in places)"
_END = "return tuple(passed.get(i, v) for i, v in enumerate(values))"
# fmt: off
passing.wrongs(
    ("the hook's answer dropped", {_BACK: "return gradients"}, "what the hook returns is dropped; it replaces the gradients unless it's None"),
    ("None goes on", {_BACK: "return tuple(changed[i] for i in places)"}, "your `backward` doesn't allow for a hook that returns None; in that case, let the gradients go on as they came"),
    ("None fills up", {_BACK: "return gradients if changed is None else tuple(g if changed[i] is None else changed[i] for i, g in known.items())"}, "a None among the hook's gradients is replaced by the old gradient; what the hook returns goes on as it is"),
    ("zeros are nothing", {_CHANGED: "changed = hook(tuple(known.get(i) for i in range(len(values)))) if any(g is not None and g.any() for g in gradients) else None"}, "the hook isn't called if all gradients are 0; that's a gradient as well"),
    ("all tensors", {_PLACES: "places = [i for i, v in enumerate(values) if isinstance(v, nbmodule.Tensor)]"}, "a tensor that required no gradient requires one now; only those that require one go through the operation"),
    ("all places go on", {_BACK: "return gradients if changed is None else tuple(changed)"}, "what the hook returns has a place for each value, and `backward` needs one for each tensor; choose those in `places`"),
    ("only the tensors' gradients", {_CHANGED: "changed = hook(gradients)", _BACK: "return gradients if changed is None else tuple(changed)"}, "the hook gets one gradient for each tensor; give it one for each value, None where no gradient is required"),
    ("a list for the hook", {_CHANGED: "changed = hook([known.get(i) for i in range(len(values))])"}, "the hook gets a list; hand it a tuple"),
    ("hook at once", {_END: f"hook(values)\n{_END}"}, "the hook is called on the way forward as well; it belongs in `backward` only"),
    ("one by one", {_CHANGED: "answers = [hook(tuple(g if i == j else None for i in range(len(values)))) for j, g in known.items()]\nchanged = tuple(known.get(i) if a is None else a[i] for i, a in [(j, dict(zip(places, answers)).get(j)) for j in range(len(values))])"}, "the hook is called once for each gradient; call it only once, with all of them"),
    ("tensors only", {_END: "return tuple(passed.values())"}, "only the tensors come back; return the other values too, in their places"),
    ("a list", {_END: "return [passed.get(i, v) for i, v in enumerate(values)]"}, "a list comes back; return a tuple"),
    ("a new tuple", {_NONE: "if not places:\n    return tuple(v for v in values)"}, "if nothing requires a gradient, a copy of the tuple comes back; return `values` itself"),
    ("one is enough", {_PLACES: _PLACES.replace("]", "][:1]")}, "only the first tensor goes through the operation; pass all that require a gradient"),
    ("the tensors themselves", {_END: "return values"}, "the old tensors come back, so the operation takes no part in the backward pass; return the tensors that `apply` gives"),
    ("twice as much", {_BACK: "return tuple(g * 2 for g in gradients) if changed is None else tuple(changed[i] for i in places)"}, "the gradients are changed although the hook returns None"),
    ("cut off", {"return tensors": "return tuple(t.detach() * 2 for t in tensors)"}, "the values that come back have changed; `forward` returns its tensors as they are"),
    ("answers mixed up", {_BACK: "return gradients if changed is None else tuple(g for g in changed if g is not None)[::-1]"}, "the hook's gradients go to the wrong tensors; keep the order of the places"),
)
# fmt: on

# ---- 16.3

registering = Exercise(
    "16.3",
    title="Register them",
    takes=("Module",),
    minutes=9,
    writes=("register_full_backward_pre_hook", "register_full_backward_hook"),
    on_torch=True,
    hints=(
        "Both methods are like `register_forward_hook` in chapter 15, without the notes.",
        "`_is_full_backward_hook` is None at first. `is False` tests for the old kind, and `not …` would be true for None as well.",
        "`handle = RemovableHandle(self._backward_hooks)`, `self._backward_hooks[handle.id] = hook`, and for `prepend`: "
        "`self._backward_hooks.move_to_end(handle.id, last=False)`.",
    ),
)
_EITHER = [*listen(PRE, "peek"), *listen(FULL, "note")]
_THEN = [*listen(PRE, "tenfold", to="b"), *listen(FULL, "double_", to="b")]
_FIRST = [*listen(PRE, "tenfold", to="b", prepend=True), *listen(FULL, "double_", to="b", prepend=True)]  # fmt: skip
registering.compare(
    "a hook is stored in its drawer, and a handle comes back",
    each([*stored(), *_EITHER]),
    programs([*_EITHER, *_FIRST], stored()),
    programs(_EITHER, stored("beside")),
    programs([*listen(PRE, "partly"), *listen(FULL, "partly")], stored()),
)
registering.compare(
    "hooks keep their order, and `prepend` puts one first",
    programs(_EITHER, [*_THEN, *_FIRST], stored()),
    programs(_EITHER, listen(PRE, "tenfold, True") + listen(FULL, "double_, True"), stored()),
    programs(
        _EITHER,
        _THEN,
        listen(PRE, "less", prepend=True) + listen(FULL, "blank", prepend=True),
        stored(),
    ),
    programs(
        listen(PRE, "peek", prepend=False) + listen(FULL, "note", prepend=False), _THEN, stored()
    ),
)
registering.compare(
    "the handle removes this hook",
    programs(_EITHER, drop("a"), stored()),
    programs(_EITHER, drop("a"), drop("a"), stored()),
    programs(_EITHER, _THEN, drop("a", "b"), stored()),
    programs(
        _EITHER, listen(PRE, "peek", to="b") + listen(FULL, "note", to="b"), drop("a"), stored()
    ),
)
registering.compare(
    "a Module with hooks of the old kind refuses a full hook",
    programs(_EITHER, stored(), start=old_kind()),
    programs(listen(FULL, "note"), drop("a"), listen(FULL, "note"), stored()),
)
_P_KEEP, _KEEP_ = "self._backward_pre_hooks[handle.id] = hook", "self._backward_hooks[handle.id] = hook"  # fmt: skip
_P_MOVE = "self._backward_pre_hooks.move_to_end(handle.id, last=False)"
_MOVE = "self._backward_hooks.move_to_end(handle.id, last=False)"
_FLAG = "self._is_full_backward_hook = True"
# fmt: off
registering.wrongs(
    ("the flag is left", {_FLAG: ""}, "`_is_full_backward_hook` stays None; `register_full_backward_hook` sets it to True"),
    ("the flag for both", {_P_KEEP: f"{_P_KEEP}\n{_FLAG}"}, "a pre-hook sets `_is_full_backward_hook`; only `register_full_backward_hook` does"),
    ("the flag counts", {_FLAG: "self._is_full_backward_hook = len(self._backward_hooks) + 1"}, "`_is_full_backward_hook` holds a number; set it to True"),
    ("nothing is refused", {"if self._is_full_backward_hook is False:": "if False:"}, "a full hook is accepted although the Module has hooks of the old kind; raise a RuntimeError"),
    ("refused too late", {"register_full_backward_hook": "def register_full_backward_hook(self, hook, prepend=False):\n    handle = RemovableHandle(self._backward_hooks)\n    self._backward_hooks[handle.id] = hook\n    if prepend:\n        self._backward_hooks.move_to_end(handle.id, last=False)\n    if self._is_full_backward_hook is False:\n        raise RuntimeError\n    self._is_full_backward_hook = True\n    return handle"}, "the hook is stored although it's refused; test the flag before you store it"),
    ("None is refused", {"if self._is_full_backward_hook is False:": "if not self._is_full_backward_hook:"}, "a new Module is refused as well, because `not None` is true; test `is False`"),
    ("all the same drawer", {"register_full_backward_pre_hook": "def register_full_backward_pre_hook(self, hook, prepend=False):\n    return self.register_full_backward_hook(hook, prepend)"}, "a pre-hook is put into `_backward_hooks`; it belongs in `_backward_pre_hooks`"),
    ("prepend ignored", {_MOVE: "pass"}, "`prepend=True` leaves a full hook at the end"),
    ("prepend ignored for pre-hooks", {_P_MOVE: "pass"}, "`prepend=True` leaves a pre-hook at the end"),
    ("always first", {"if prepend:\n    self._backward_hooks.move_to_end(handle.id, last=False)": _MOVE}, "every full hook is put first; do that only for `prepend=True`"),
    ("the other drawer's handle", {"handle = RemovableHandle(self._backward_pre_hooks)": "handle = RemovableHandle(self._backward_hooks)"}, "the handle of a pre-hook looks in `_backward_hooks`, so it doesn't remove the pre-hook"),
    ("prepend by name only", {"def register_full_backward_hook(self, hook, prepend=False):": "def register_full_backward_hook(self, hook, *, prepend=False):"}, "`prepend` can't be given by position any more; leave out the `*`"),
    ("the name of the hook", {_KEEP_: f"hook.__name__\n{_KEEP_}"}, "not every hook has a `__name__`; a `functools.partial` has none"),
    ("only one", {_KEEP_: "self._backward_hooks.clear()\nself._backward_hooks[handle.id] = hook"}, "a new full hook replaces all the others; keep them, in their order"),
    ("not stored", {_KEEP_: "pass", _MOVE: "pass"}, "the full hook isn't stored; put it into `_backward_hooks`"),
)
# fmt: on
