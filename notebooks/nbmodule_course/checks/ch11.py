"""Chapter 11: moving. Small trees with every kind of tensor are moved, and each tensor is looked at afterwards."""

from __future__ import annotations

from nbmodule import tensor
from nbmodule.nn import Parameter

from ..exercise import Exercise, expect
from ..referee import each, programs
from ..referee.world import slots_of
from ..second_device import second_device
from . import trees  # noqa: F401  its value `nil`
from .moving import hold, move

_OWN = [
    *hold(w="P"),
    *hold(w="frozen"),
    *hold(w="nil"),
    *hold(mean="t"),
    *hold(count="n"),
    *hold(seen="flag"),
]
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
_MORE = [*hold(w="N"), *hold(mask="unsaved t")]
_FNS = move("_apply(double)", "_apply(twice)", "_apply(same)", "_apply(in_place)")
applying.compare(
    "a Parameter gets new numbers, and stays the same object",
    programs([*_OWN[:3], _MORE[0]], _FNS),
)
applying.compare(
    "a buffer is replaced", programs([*_OWN[3:], _MORE[1]], _FNS), each(_FNS, start=_ALL)
)
applying.compare("None is left alone", each(_FNS), programs(_EMPTY, _FNS))
applying.compare(
    "everything below is converted as well",
    each(_FNS, start=_TREE),
    programs([*hold(w="P"), *hold(b="deaf")], hold(a="body"), _FNS, start=hold("body", w="Q", c="deaf")),
)  # fmt: skip
applying.compare(
    "`recurse` says whether the children are asked",
    each(move("_apply(double, recurse=False)", "_apply(double, False)", "_apply(double, True)"), start=[*hold(w="P", a="body"), *hold("body", w="Q", mean="t")]),
)  # fmt: skip
applying.compare(
    "what is shared stays shared, and an ordinary tensor stays behind",
    programs(hold(table="plain t"), [*hold(w="P"), *hold(b="fc")], _FNS[:1]),
    each(_FNS[:1], start=[*hold(w="P", a="body"), *hold("body", w="P")]),
    each(move("_apply(double)"), start=[*hold(w="P", v="P", a="fc", b="fc"), *hold("fc", w="Q")]),
)

_PARAM, _BUFFER = "param.data = fn(param)", "self._buffers[name] = fn(buffer)"
_CHILD, _LOOP = "child._apply(fn)", "for child in self.children() if recurse else ():"
_EACH, _THERE, _KEPT = (
    "for param in self._parameters.values():",
    "if param is not None:",
    "if buffer is not None:",
)
# fmt: off
applying.wrongs(
    ("a new Parameter", {_EACH: "for name, param in self._parameters.items():", _PARAM: "self._parameters[name] = Parameter(fn(param), param.requires_grad)"}, "each Parameter is replaced by a new one, so an optimizer would hold Parameters that the model no longer has; set `param.data`"),
    ("copied into", {_PARAM: "param.copy_(fn(param))"}, "the new numbers are copied into the old tensor, which keeps its dtype; set `param.data`"),
    ("fn called only", {_PARAM: "fn(param)"}, "what `fn` returns for a Parameter is dropped; set `param.data`"),
    ("no Parameters", {_EACH: "for param in ():"}, "the Parameters aren't converted"),
    ("frozen ones left out", {_THERE: "if param is not None and param.requires_grad:"}, "a frozen Parameter isn't converted, but it belongs to the model as well"),
    ("floating point only", {_THERE: "if param is not None and param.is_floating_point():"}, "a Parameter of whole numbers isn't converted; `fn` decides what happens to it"),
    ("saved buffers only", {_KEPT: "if buffer is not None and name not in self._non_persistent_buffers_set:"}, "a buffer with `persistent=False` isn't converted; it isn't saved, but it moves"),
    ("the other way round", {_LOOP: "for child in () if recurse else self.children():"}, "`recurse` works the wrong way round"),
    ("asks for truth", {_THERE: "if param:"}, "the code tests whether a Parameter is true, and one that holds 0 isn't; test `param is not None`"),
    ("None too", {_THERE: "if True:"}, "a Parameter that is None is passed to `fn`; skip it"),
    ("None buffers too", {_KEPT: "if True:"}, "a buffer that is None is passed to `fn`; skip it"),
    ("with recording", {"with nbmodule.no_grad():": "if True:"}, "a function that changes a Parameter in place fails, because the change is recorded; call `fn` inside `nbmodule.no_grad()`"),
    ("no buffers", {_BUFFER: "pass"}, "the buffers aren't converted"),
    ("buffers keep their object", {_BUFFER: "buffer.data = fn(buffer)"}, "a buffer stays the same object; PyTorch replaces it by what `fn` returns"),
    ("children left out", {_LOOP: "for child in ():"}, "the children aren't converted"),
    ("always the children", {_LOOP: "for child in self.children():"}, "the children are converted even with `recurse=False`"),
    ("one level", {_CHILD: "child._apply(fn, recurse=False)"}, "what is below the children isn't converted; pass only `fn` on"),
    ("not asked", {_CHILD: "Module._apply(child, fn)"}, "a child's own `_apply` isn't called"),
    ("parameters below again", {_EACH: "for param in self.parameters():"}, "the Parameters of a child are converted by the child, and once more by its parent; go through `_parameters`"),
    ("plain tensors too", {"return self": 'for name, value in vars(self).items():\n    if hasattr(value, "is_floating_point"):\n        vars(self)[name] = fn(value)\nreturn self'}, "ordinary tensors in `__dict__` are converted as well; a Module doesn't know them"),
    ("stops at None", {_THERE: "if param is None:\n    return self\nelse:"}, "the method ends at the first Parameter that is None; skip it and go on"),
    ("not returned", {"return self": "return None"}, "`_apply` returns None; return the object itself"),
)
# fmt: on

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
        "`t.is_floating_point()` tells whether a tensor holds floating point numbers. If it doesn't, give back `t` itself. `type` doesn't need to know.",
        "`return self._apply(lambda t: t.half() if t.is_floating_point() else t)`, and in `type`: `return self._apply(lambda t: t.type(dst_type))`.",
    ),
)
_CASTS = move("float()", "double()", "half()")
_DEAF = hold(a="deaf", b="fc")
casts.compare(
    "floating point numbers are cast",
    programs([*_OWN[:4], *hold(w="wide")], _CASTS),
    programs(hold(w="P"), _CASTS, _CASTS),
)
casts.compare(
    "integers and truth values stay",
    programs([*_OWN[4:], *_MORE], _CASTS),
    each(_CASTS, start=_ALL),
)
casts.compare(
    "everything below is cast as well", each(_CASTS, start=_TREE), each(_CASTS, start=_DEAF)
)
casts.compare(
    "`type` casts everything",
    programs([*_OWN, *_EMPTY], move("type(float64)", "type(float16)")),
    each(move('type("nbmodule.DoubleTensor")', "type(dst_type=float64)"), start=_ALL),
)

_FLOAT, _HALF = (
    "lambda t: t.float() if t.is_floating_point() else t",
    "lambda t: t.half() if t.is_floating_point() else t",
)
_DOUBLE, _TYPE = (
    "lambda t: t.double() if t.is_floating_point() else t",
    "lambda t: t.type(dst_type)",
)
# fmt: off
casts.wrongs(
    ("half for all", {_HALF: "lambda t: t.half()"}, "`half` casts integers and truth values too; leave a tensor alone unless `t.is_floating_point()`"),
    ("double for all", {_DOUBLE: "lambda t: t.double()"}, "`double` casts integers and truth values too; leave a tensor alone unless `t.is_floating_point()`"),
    ("float for all", {_FLOAT: "lambda t: t.float()"}, "`float` casts integers and truth values too; leave a tensor alone unless `t.is_floating_point()`"),
    ("all for all", {_FLOAT: "lambda t: t.float()", _HALF: "lambda t: t.half()", _DOUBLE: "lambda t: t.double()"}, "integers and truth values are cast as well; leave a tensor alone unless `t.is_floating_point()`"),
    ("from float32 only", {_FLOAT: "lambda t: t.float() if t.dtype == nbmodule.float32 else t", _HALF: "lambda t: t.half() if t.dtype == nbmodule.float32 else t", _DOUBLE: "lambda t: t.double() if t.dtype == nbmodule.float32 else t"}, "only float32 is cast; a model in another floating point dtype stays as it is"),
    ("half is double", {_HALF: _DOUBLE}, "`half` casts to float64; it's float16"),
    ("double is float", {_DOUBLE: _FLOAT}, "`double` casts to float32; it's float64"),
    ("type spares integers", {_TYPE: "lambda t: t.type(dst_type) if t.is_floating_point() else t"}, "`type` leaves integers alone; in PyTorch it casts everything"),
    ("parameters only", {"half": "def half(self):\n    for param in self.parameters():\n        param.data = param.data.half()\n    return self"}, "`half` doesn't cast the buffers; call `_apply`"),
    ("state by state", {"half": "def half(self):\n    for module in self.modules():\n        Module._apply(module, _HALF, recurse=False)\n    return self".replace("_HALF", _HALF)}, "`half` doesn't call the children's own `_apply`; call `self._apply` once"),
    ("not returned", {"half": f"def half(self):\n    self._apply({_HALF})"}, "`half` returns None; return what `_apply` returns"),
    ("type not returned", {"type": f"def type(self, dst_type):\n    self._apply({_TYPE})"}, "`type` returns None; return what `_apply` returns"),
)
# fmt: on

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


@complete.sub("to a second device, a Parameter stays the same object")
def _stays(Module: type) -> None:
    module, param = Module(), Parameter(tensor([1.0]))
    slots_of(module)["_parameters"]["w"] = param
    with second_device() as device:
        module._apply(lambda t: t.to(device))
        kept, there = slots_of(module)["_parameters"]["w"] is param, param.device
    expect(
        kept and there == device,
        did=f"after `m._apply(lambda t: t.to(device))` for a second device, `m.w` is {'the same object' if kept else 'another object'}, and the old one is on {there}",
        real="it's the same object, on the second device",
        likely="each move to another device replaces the Parameter; only a move to or from `meta` has to",
    )


_SAME, _SET = "if moved.is_meta == param.is_meta:", "param.data = moved"
_NEW = "param = self._parameters[name] = Parameter(moved, param.requires_grad)"
_GRAD, _BACK = "grad = None if param.grad is None else fn(param.grad)", "param.grad = grad"
# fmt: off
complete.wrongs(
    ("as in 11.1", {_SAME: "if True:", _GRAD: "", _BACK: "pass"}, "gradients stay as they are, and on the way to or from `meta` the Parameter isn't replaced"),
    ("gradients stay", {_GRAD: "grad = param.grad", _BACK: "if moved.is_meta != grad_is_meta:\n    param.grad = grad", "moved = fn(param)": "moved = fn(param)\ngrad_is_meta = moved.is_meta"}, "the gradient stays as it is; `fn` converts it as well"),
    ("gradients dropped", {_GRAD: "grad = None"}, "the gradient is gone afterwards; `fn` converts it, and it's the `grad` again"),
    ("lost on the way to meta", {_BACK: "", _SET: f"{_SET}\n{_BACK}"}, "a Parameter that is replaced loses its gradient"),
    ("gradient of the numbers", {"fn(param.grad)": "fn(param)"}, "the gradient is made from the Parameter's numbers; pass `param.grad` to `fn`"),
    ("always replaced", {_SAME: "if False:"}, "each Parameter is replaced, even where it could stay the same object"),
    ("never replaced", {_SAME: "if True:"}, "on the way to or from `meta`, the Parameter isn't replaced, and `param.data` can't be set"),
    ("any other device", {_SAME: "if moved.device == param.device:"}, "each move to another device replaces the Parameter; only a move to or from `meta` has to"),
    ("only to meta", {_SAME: "if not moved.is_meta:"}, "coming back from `meta`, the Parameter isn't replaced; compare both `is_meta`"),
    ("only from meta", {_SAME: "if not param.is_meta:"}, "on the way to `meta`, the Parameter isn't replaced; compare both `is_meta`"),
    ("a tensor", {_NEW: "param = self._parameters[name] = moved"}, "an ordinary tensor is stored in `_parameters`; create a Parameter from it"),
    ("unfrozen", {_NEW: "param = self._parameters[name] = Parameter(moved)"}, "a frozen Parameter requires a gradient after it's replaced; pass `param.requires_grad` on"),
    ("frozen", {_NEW: "param = self._parameters[name] = Parameter(moved, False)"}, "a Parameter no longer requires a gradient after it's replaced; pass `param.requires_grad` on"),
    ("not stored", {_NEW: "param = Parameter(moved, param.requires_grad)"}, "the new Parameter isn't stored in `_parameters`"),
    ("no gradient needed", {_GRAD: "grad = fn(param.grad)"}, "`fn` is called with None if there's no gradient"),
)
# fmt: on

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
_LIKE = move("to(wide)", "to(away)", "to(tensor=wide)", "to(tensor=away)", "to(weight)")
_REFUSED = move(
    "to(int64)", "to(dtype=int64)", 'to("cpu", int64)', "to(whole)", 'to("nowhere")', "to([])",
    'to(float64, "cpu")', 'to("cpu", "cpu")', "to(wide, float64)", 'to("cpu", tensor=wide)',
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
moving.compare("`cpu` is short for it", each(move("cpu()"), start=_ALL), programs(hold(count="awayN"), move("cpu()")))  # fmt: skip
_TENSOR = "device, dtype = tensor.device, tensor.dtype"
_TO = "return t.to(device=device, dtype=dtype if t.is_floating_point() else None)"
_FLOATS = "if dtype is not None and not floats:"
_EMPTY, _CPU = (
    "return self._apply(lambda t: nbmodule.empty_like(t, device=device), recurse)",
    'return self.to("cpu")',
)
_ALONE, _FIRST = "if device is not None or dtype is not None:", "if dtype is not None:"
# fmt: off
moving.wrongs(
    ("integers too", {_TO: "return t.to(device=device, dtype=dtype)"}, "integers are cast as well; pass the dtype on only if `t.is_floating_point()`"),
    ("integers don't move", {_TO: "return t.to(device=device, dtype=dtype) if t.is_floating_point() else t"}, "integers stay on their device; everything moves, only the cast is for floating point tensors"),
    ("any dtype", {_FLOATS: "if False:"}, "an integer dtype is accepted; raise a TypeError"),
    ("a ValueError", {'raise TypeError(f"to() only accepts…': 'raise ValueError("no such dtype")'}, "an integer dtype raises a ValueError; PyTorch raises a TypeError"),
    ("the tensor's dtype", {_TENSOR: "dtype = tensor.dtype"}, "`to(tensor)` takes the tensor's dtype, but not its device"),
    ("the tensor's device", {_TENSOR: "device = tensor.device"}, "`to(tensor)` takes the tensor's device, but not its dtype"),
    ("device or dtype", {_TO: "if device is not None:\n    return t.to(device)\nreturn t.to(dtype) if dtype is not None and t.is_floating_point() else t"}, "with a device and a dtype, only the device counts"),
    ("in any order", {_FIRST: "if dtype is not None and isinstance(dtype, str):\n    device, dtype = dtype, device\nelif dtype is not None:", "device, dtype = None, device": "device, dtype = (None, device) if isinstance(device, nbmodule.dtype) else (device, dtype)"}, "`to(dtype, device)` is accepted; in PyTorch the device comes first"),
    ("a tensor and more", {_ALONE: "if False:"}, "a tensor together with a dtype is accepted; raise a TypeError"),
    ("never looks at the device", {"device = nbmodule.device(device)": "pass"}, "a Module without tensors accepts any device; `nbmodule.device(…)` raises an error for what isn't one"),
    ("not returned", {"return self._apply(move)": "self._apply(move)"}, "`to` returns None; return what `_apply` returns"),
    ("parameters only", {"return self._apply(move)": "for param in self.parameters():\n    param.data = move(param)\nreturn self"}, "only the Parameters are moved; call `_apply`"),
    ("to_empty copies", {_EMPTY: "return self._apply(lambda t: t.to(device=device), recurse)"}, "`to_empty` copies the numbers, and on `meta` there are none; use `nbmodule.empty_like`"),
    ("to_empty stays", {_EMPTY: "return self._apply(nbmodule.empty_like, recurse)"}, "`to_empty` doesn't pass the device on"),
    ("to_empty goes below", {_EMPTY: "return self._apply(lambda t: nbmodule.empty_like(t, device=device))"}, "`to_empty` ignores `recurse`"),
    ("cpu without integers", {_CPU: "return self._apply(lambda t: t.cpu() if t.is_floating_point() else t)"}, "`cpu` leaves integers where they are; everything moves"),
    ("cpu does nothing", {_CPU: "return self"}, "`cpu` moves nothing, and a model on `meta` is said to be on the CPU"),
)
# fmt: on
