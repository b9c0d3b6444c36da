"""Chapter 11: moving. Small trees with every kind of tensor are moved, and each tensor is looked at afterwards."""

from __future__ import annotations

from ..exercise import Exercise
from ..referee import each, programs
from .moving import hold, move

_OWN = [*hold(w="P"), *hold(w="frozen"), *hold(mean="t"), *hold(count="n"), *hold(seen="flag")]
_EMPTY = [*hold(bias="param None"), *hold(later="buffer None"), *hold(gone="child None")]
_ALL = hold(w="P", bias="param None", scale="frozen", mean="t", later="buffer None", count="n")
_TREE = [*hold(a="body", gone="child None", b="fc"), *hold("body", w="P", c="act"), *hold("act", mean="t", v="Q")]  # fmt: skip

# ---- 11.1

applying = Exercise(
    "11.1",
    title="One method for every move",
    takes=("Module",),
    minutes=10,
    writes=("_apply",),
    hints=(
        "Three loops: over the children, over `_parameters` and over `_buffers`. Which of them changes an object, and which changes a dictionary?",
        "Each child has an `_apply` of its own. A Parameter gets new numbers with `param.data = …`. A buffer is replaced in the dictionary. "
        "Skip None in both.",
        "`for child in self.children() if recurse else (): child._apply(fn)`. With `nbmodule.no_grad()` around it: "
        "`param.data = fn(param)`. Then `self._buffers[name] = fn(buffer)`, and `return self`.",
    ),
)
_FNS = move("_apply(double)", "_apply(twice)", "_apply(same)", "_apply(in_place)")
applying.compare(
    "a Parameter gets new numbers, and stays the same object", programs(_OWN[:2], _FNS)
)
applying.compare("a buffer is replaced", programs(_OWN[2:], _FNS), each(_FNS, start=_ALL))
applying.compare("None is left alone", each(_FNS), programs(_EMPTY, _FNS))
applying.compare(
    "everything below is converted as well",
    each(_FNS, start=_TREE),
    programs([*hold(w="P"), *hold(b="deaf")], hold(a="body"), _FNS, start=hold("body", w="Q", c="deaf")),
    each(move("_apply(double, recurse=False)", "_apply(double, False)", "_apply(double, True)"), start=[*_ALL, *_TREE]),
)  # fmt: skip
applying.compare(
    "what is shared stays shared, and an ordinary tensor stays behind",
    programs(hold(table="plain t"), [*hold(w="P"), *hold(b="fc")], _FNS[:1]),
    each(_FNS[:1], start=[*hold(w="P", a="body"), *hold("body", w="P")]),
    each(move("_apply(double)"), start=[*hold(w="P", v="P", a="fc", b="fc"), *hold("fc", w="Q")]),
)

# ---- 11.2

casts = Exercise(
    "11.2",
    title="Four casts",
    takes=("Module",),
    minutes=6,
    writes=("float", "double", "half", "type"),
    keeps=("11.1",),
    hints=(
        "All four call `_apply`. The difference is the function that they pass on.",
        "`t.is_floating_point()` tells whether a tensor holds floating point numbers. If it doesn't, give back `t` itself. `type` doesn't ask.",
        "`return self._apply(lambda t: t.half() if t.is_floating_point() else t)`, and in `type`: `return self._apply(lambda t: t.type(dst_type))`.",
    ),
)
_CASTS = move("float()", "double()", "half()")
casts.compare(
    "floating point numbers are cast",
    programs([*_OWN[:3], *hold(w="wide")], _CASTS),
    programs(hold(w="P"), _CASTS, _CASTS),
)
casts.compare(
    "integers and truth values stay", programs(_OWN[3:], _CASTS), each(_CASTS, start=_ALL)
)
casts.compare("everything below is cast as well", each(_CASTS, start=_TREE))
casts.compare(
    "`type` casts everything",
    programs([*_OWN, *_EMPTY], move("type(float64)", "type(float16)")),
    each(move('type("nbmodule.DoubleTensor")', "type(dst_type=float64)"), start=_ALL),
)

# ---- 11.3

complete = Exercise(
    "11.3",
    title="Gradients, and the way to meta",
    takes=("Module",),
    minutes=12,
    writes=("_apply",),
    keeps=("11.1", "11.2"),
    hints=(
        "Start from your 11.1. Only the loop over `_parameters` changes. It needs `items()` now.",
        "Compute both first: `moved = fn(param)`, and `fn(param.grad)` unless it's None. If `moved.is_meta == param.is_meta`, go on as before. "
        "Otherwise make a Parameter and put it into `_parameters`.",
        "`param = self._parameters[name] = Parameter(moved, param.requires_grad)` in that case, `param.data = moved` in the other one. "
        "After both, `param.grad = grad`.",
    ),
)
_WAYS = move("_apply(double)", "_apply(to_meta)", "_apply(zeros)", "_apply(same)", "double()")
complete.compare(
    "gradients move along",
    programs([*hold(w="G"), *hold(w="awayG"), *hold(w="G", v="H")], _WAYS),
    programs(hold(a="body"), [*hold("body", w="G"), *hold("body", w="P")], _WAYS),
)
complete.compare(
    "to meta and back, a Parameter is replaced",
    programs([*hold(w="P"), *hold(w="frozen"), *hold(w="away"), *hold(mean="t")], _WAYS, _WAYS),
    each(_WAYS, start=[*_ALL, *_TREE]),
)

# ---- 11.4

moving = Exercise(
    "11.4",
    title="To anywhere",
    takes=("Module",),
    minutes=15,
    writes=("to", "to_empty", "cpu"),
    keeps=("11.2", "11.3"),
    hints=(
        "Sort the arguments first, until `device` and `dtype` hold a device and a dtype, or None. What is the first argument if it isn't a device?",
        "`isinstance(device, Tensor)` and `isinstance(device, nbmodule.dtype)` tell. Then refuse, then `nbmodule.device(device)`. At the end, "
        "one call of `_apply`, as in 11.2.",
        "The function for `_apply` returns `t.to(device=device, dtype=dtype if t.is_floating_point() else None)`. That of `to_empty` returns "
        "`nbmodule.empty_like(t, device=device)`.",
    ),
)
_ONE = move(
    'to("meta")', 'to("cpu")', 'to(nbmodule.device("meta"))', "to(float64)", "to(float16)",
    'to(device="meta")', "to(dtype=float64)", "to()", "to(None)",
)  # fmt: skip
_BOTH = move(
    'to("meta", float64)', 'to("cpu", float16)', 'to("cpu", dtype=float64)', 'to(dtype=float64, device="meta")',
    "to(None, float64)", 'to("meta", None)',
)  # fmt: skip
_LIKE = move("to(wide)", "to(away)", "to(tensor=wide)", "to(tensor=away)")
_REFUSED = move(
    "to(int64)", "to(dtype=int64)", 'to("cpu", int64)', "to(whole)", 'to("nowhere")', "to([])",
    'to(float64, "cpu")', "to(wide, float64)", 'to("cpu", "cpu")',
)  # fmt: skip
_KINDS = [*hold(w="P"), *hold(w="G"), *hold(w="frozen"), *hold(mean="t"), *hold(count="n")]
moving.compare("a device or a dtype", programs(_KINDS, _ONE), each(_ONE, start=[*_ALL, *_TREE]))
moving.compare("both", programs(_KINDS, _BOTH))
moving.compare("a tensor shows the way", programs(_KINDS, _LIKE))
moving.compare(
    "anything else is refused, and nothing changes", each(_REFUSED), programs(_KINDS, _REFUSED)
)
moving.compare(
    "from meta, there are no numbers to take along",
    programs(
        [*hold(w="away"), *hold(w="P")],
        move('to("meta")'),
        move('to("cpu")', "cpu()", "to(float64)"),
    ),
)
_ROOM = move('to_empty(device="cpu")', 'to_empty(device="cpu", recurse=False)')
moving.compare(
    "`to_empty` makes room",
    programs(
        [*hold(w="away"), *hold(w="awayG"), *hold(mean="t"), *hold(count="n"), *hold(a="fc")],
        _ROOM,
        start=hold("fc", w="away", count="n"),
    ),
    programs(_KINDS, move('to_empty(device="meta")')),
    each(move('to_empty("cpu")', "to_empty()")),
)
moving.compare("`cpu` is short for it", each(move("cpu()"), start=_ALL))
