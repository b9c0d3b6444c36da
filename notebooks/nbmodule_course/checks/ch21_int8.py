"""Chapter 21, continued: a weight that is computed from another, and a Linear that holds int8."""

from __future__ import annotations

from ..exercise import Exercise
from .shrinking import uses

# ---- 21.3

computing = Exercise(
    "21.3",
    title="A weight that's computed",
    takes=("parametrize",),
    minutes=14,
    importance="useful",
    writes=("parametrize",),
    hints=(
        "A property belongs to a class and not to an object. So this one object needs a class of its own, which inherits from its present one.",
        "`type(name, (kind,), {…})` creates a class with the attributes in the dictionary, and `property(function)` creates a property. An object's class changes when you assign to its `__class__`.",
        '`def computed(self): return compute(getattr(self, name + "_raw"))`, `kind = type(module)`, and '
        '`module.__class__ = type("Parametrized" + kind.__name__, (kind,), {name: property(computed)})`.',
    ),
)
computing.compare_uses(
    "the Parameter moves to a new name",
    uses(
        "names(parametrize(m, 'weight', double))",
        "names(parametrize(m, 'bias', square))",
        "w = m.weight; parametrize(m, 'weight', double); m.weight_raw is w, w.tolist()",
        "sorted(parametrize(m, 'weight', double).state_dict())",
        "parametrize(m, 'weight', double) is m",
        "parametrize(m, 'weight', double); type(m).__name__, isinstance(m, nn.Linear)",
        "parametrize(parametrize(m, 'weight', double), 'bias', square); names(m)",
    ),
)
computing.compare_uses(
    "it's computed again whenever it's read",
    uses(
        "parametrize(m, 'weight', double); m.weight",
        "parametrize(m, 'bias', square); m.bias",
        "parametrize(m, 'weight', double); m(x)",
        "parametrize(m, 'weight', square); m.weight_raw.data.fill_(10); m.weight, m(x)",
        "parametrize(parametrize(m, 'weight', double), 'bias', square); m.weight, m.bias, m(x)",
        "parametrize(m, 'weight', double); m.load_state_dict({'weight_raw': mask.float(), 'bias': tensor([0.0, 0.0])}); m.weight",
        "c = copy.deepcopy(parametrize(m, 'weight', double)); c.weight_raw.data.fill_(10); c.weight, m.weight",
        "seen = []; parametrize(m, 'weight', lambda w: seen.append(1) or w); seen.clear(); m(x); m(x); len(seen)",
    ),
)
computing.compare_uses(
    "the raw Parameter learns",
    uses(
        "sgd(parametrize(m, 'weight', double)).weight_raw",
        "sgd(parametrize(m, 'weight', square)).weight_raw",
        "sgd(sgd(parametrize(m, 'weight', square)))(x)",
    ),
)
computing.compare_uses(
    "no other object changes, and the weight can't be assigned",
    uses(
        "o = copy.deepcopy(m); parametrize(m, 'weight', double); type(o).__name__, o(x)",
        "o = copy.deepcopy(m); parametrize(m, 'weight', double); parametrize(o, 'weight', square); m(x), o(x)",
        "Linear = type(m); parametrize(m, 'weight', double); Linear(1, 1).weight.shape, sorted(Linear(1, 1).state_dict())",
        "parametrize(m, 'weight', double); tried(lambda: setattr(m, 'weight', 5))",
    ),
)
_COMPUTED = 'return compute(getattr(self, name + "_raw"))'
_CLASS = 'module.__class__ = type("Parametrized" + kind.__name__, (kind,), {name: property(computed)})'  # fmt: skip
_RAW = 'module.register_parameter(name + "_raw", raw)'
# fmt: off
computing.wrongs(
    ("the class itself", {_CLASS: "setattr(kind, name, property(computed))"}, "the property is put into the class that all such layers share; give this object a class of its own"),
    ("on the object", {_CLASS: "setattr(module, name, property(computed))"}, "the property is set on the object, and Python looks for properties in the class only"),
    ("name left", {"delattr(module, name)": "pass"}, "the Parameter is still there under its old name as well; delete that first"),
    ("once", {_CLASS: "setattr(module, name, compute(raw))"}, "the weight is computed once; it has to be computed whenever it's read"),
    ("once, detached", {_COMPUTED: 'return compute(getattr(self, name + "_raw").detach())'}, "the raw Parameter is detached, so it gets no gradient and can't learn"),
    ("the raw of then", {_COMPUTED: "return compute(raw)"}, "the property always reads from this one object, so a copy computes from the wrong one; read it from `self`"),
    ("this module", {_COMPUTED: 'return compute(getattr(module, name + "_raw"))'}, "the property always reads from this one object, so a copy computes from the wrong one; read it from `self`"),
    ("not computed", {_COMPUTED: 'return getattr(self, name + "_raw")'}, "the raw Parameter comes out as it is; call `compute` with it"),
    ("a copy", {_RAW: 'module.register_parameter(name + "_raw", nbmodule.nn.Parameter(raw.detach().clone()))'}, "the raw Parameter is a new one, so an optimizer that exists already would train the old one; move the same object"),
    ("computed beforehand", {_RAW: f"raw.data = compute(raw.data)\n{_RAW}"}, "the raw numbers are changed right away, so `compute` is applied twice; leave them as they are"),
    ("another name", {_CLASS: _CLASS.replace('"Parametrized" + kind.__name__', "kind.__name__")}, "the new class has the name of the old one; put Parametrized before it, so that a reader of the `repr` can tell"),
    ("new parents", {_CLASS: _CLASS.replace("(kind,)", "kind.__mro__[1:-1]")}, "the new class doesn't inherit from the layer's own class, so its methods are gone"),
    ("can be set", {_CLASS: _CLASS.replace("property(computed)", "property(computed, lambda self, value: None)")}, "an assignment to the weight is accepted and does nothing; a property without a setter refuses it"),
    ("kept", {_COMPUTED: 'self.__dict__.setdefault("known", compute(getattr(self, name + "_raw")))\nreturn self.__dict__["known"]'}, "the first value is kept; compute it whenever it's read"),
    ("nothing returned", {"return module": "pass"}, "nothing is returned; return the module"),
)
# fmt: on

# ---- 21.4

rounding = Exercise(
    "21.4",
    title="Eight bits",
    takes=("Int8Linear",),
    minutes=20,
    writes=("Int8Linear",),
    hints=(
        "Begin with the three buffers in `__init__`. A missing bias can be registered as None, and `state_dict` leaves it out.",
        "`weight.abs().amax(1)` is the largest size in each row. A scale for each row has to meet a whole row, so give it a second dimension: `scale[:, None]`.",
        "`made.weight_scale = (weight.abs().amax(1) / 127).clamp(min=2**-23)`, then `made.weight_int8 = (weight / made.weight_scale[:, None]).round().to(nbmodule.int8)`. "
        "`forward` multiplies them again: `weight = self.weight_int8 * self.weight_scale[:, None]`.",
    ),
)
_Q = "q = Int8Linear.from_float(m)"
rounding.compare_uses(
    "the state has three entries, and no Parameters",
    uses(
        "sorted((k, v.dtype, tuple(v.shape)) for k, v in Int8Linear(3, 2).state_dict().items())",
        "sorted(Int8Linear(3, 2, bias=False).state_dict())",
        f"{_Q}; sorted((k, v.dtype, tuple(v.shape)) for k, v in q.state_dict().items())",
        "q = Int8Linear.from_float(linear([[1, 2]])); sorted(q.state_dict()), q.bias_float",
        f"{_Q}; list(q.parameters()), [b.requires_grad for b in q.buffers()]",
        f"{_Q}; n = Int8Linear(3, 2); n.load_state_dict(q.state_dict()); n(x).tolist() == q(x).tolist()",
        "q = Int8Linear.from_float(linear([[1, 2]])); n = Int8Linear(2, 1, bias=False); n.load_state_dict(q.state_dict()); n.weight_int8",
        "tried(lambda: Int8Linear(3, 2).load_state_dict(m.state_dict()))",
        "isinstance(Int8Linear.from_float(m), Int8Linear)",
        "C = type('C', (Int8Linear,), {}); type(C.from_float(m)) is C",
    ),
)
rounding.compare_uses(
    "each row is rounded with a scale of its own",
    uses(
        f"{_Q}; q.weight_int8",
        f"{_Q}; q.weight_scale * 127",
        "q = Int8Linear.from_float(linear([[1, -127, 64.6], [0.5, 0.25, -1.27]])); q.weight_int8, q.weight_scale",
        "q = Int8Linear.from_float(linear([[-1000, 1.2], [0.001, 0.0004]])); q.weight_int8, q.weight_scale",
        "q = Int8Linear.from_float(linear([[0.0, 0.0], [1.0, 2.0]])); q.weight_int8",
        "q = Int8Linear.from_float(linear([[0.0, 0.0], [1.0, 2.0]])); (q.weight_scale > 0).tolist()",
        "q = Int8Linear.from_float(linear([[5.0]])); q.weight_int8, q.weight_scale",
        "q = Int8Linear.from_float(linear([[-3, -2.4, -1.1]])); q.weight_int8",
        f"{_Q}; q.bias_float",
    ),
)
rounding.compare_uses(
    "it computes nearly what the layer computes",
    uses(
        f"{_Q}; q(x)",
        f"{_Q}; q(0.3 * x[0])",
        f"{_Q}; q(nbmodule.ones(2, 4, 3))",
        f"{_Q}; q(0 * x)",
        "q = Int8Linear.from_float(m.double()); y = q(x.double()); y.dtype, ((y - m(x.double())).abs() < 0.1).all().item()",
        "q = Int8Linear.from_float(linear([[0.0, 0.0], [1.0, 2.0]])); q(tensor([[3.0, 4.0]]))",
        "q = Int8Linear.from_float(linear([[1, 2]])); q(tensor([3.0, 4.0]))",
        f"{_Q}; q(x); q.weight_scale.fill_(1); q(x)",
        f"{_Q}; q.weight_int8.fill_(0); q(x)",
        f"{_Q}; q.bias_float.fill_(0); q(x)",
    ),
)
rounding.compare_uses(
    "the layer that it came from stays as it is",
    uses(
        f"{_Q}; m.weight, m.bias",
        f"{_Q}; m.bias.data.fill_(0); m.weight.data.fill_(0); q(x)",
        f"{_Q}; q.bias_float.fill_(0); m.bias",
        f"{_Q}; names(m), m.weight.requires_grad",
        f"{_Q}; q(x); floats(q)",
    ),
)
_SCALE = "made.weight_scale = (weight.abs().amax(1) / 127).clamp(min=2**-23)"
_INT8 = "made.weight_int8 = (weight / made.weight_scale[:, None]).round().to(nbmodule.int8)"
_BIAS = "made.bias_float = layer.bias.detach().clone()"
_WEIGHT = "weight = self.weight_int8 * self.weight_scale[:, None]"
_ZEROS = "zeros = nbmodule.zeros(out_features, in_features, dtype=nbmodule.int8)"
# fmt: off
rounding.wrongs(
    ("one scale", {_SCALE: "made.weight_scale = (weight.abs().max() / 127).clamp(min=2**-23).expand(len(weight)).clone()"}, "all rows have one scale, so the rows with small weights lose most of their digits; take the maximum of each row"),
    ("scale for columns", {_SCALE: "made.weight_scale = (weight.abs().amax(0) / 127).clamp(min=2**-23)", _INT8: _INT8.replace("[:, None]", ""), _WEIGHT: "weight = self.weight_int8 * self.weight_scale"}, "there's a scale for each input; each output should have one, so take the maximum along dimension 1"),
    ("cut off", {_INT8: _INT8.replace(".round()", "")}, "the numbers are cut off and not rounded, which doubles the largest error; call `round()` before the dtype changes"),
    ("128", {_SCALE: _SCALE.replace("127", "128")}, "the largest number becomes 128, which int8 can't hold, and so -128; divide by 127"),
    ("255", {_SCALE: _SCALE.replace("127", "255")}, "the numbers are too large for int8, whose largest is 127, and wrap around"),
    ("largest without abs", {_SCALE: _SCALE.replace("weight.abs()", "weight")}, "the sign counts, so large negative weights don't fit; take the maximum of `weight.abs()`"),
    ("zeros divided", {_SCALE: _SCALE.replace(".clamp(min=2**-23)", "")}, "a row of zeros has the scale 0, and 0 / 0 isn't a number; keep the scale above 0"),
    ("something added", {_SCALE: "made.weight_scale = weight.abs().amax(1) / 127 + 1e-8"}, "every scale is a little too large; change it only where it's 0"),
    ("large scale", {_SCALE: _SCALE.replace("2**-23", "1")}, "small rows get a scale of 1, and all their weights become 0; the limit has to be tiny"),
    ("scale ignored", {_WEIGHT: "weight = self.weight_int8.float()"}, "`forward` uses the integers themselves; multiply them by their scales"),
    ("float32 in the buffer", {_INT8: _INT8.replace(".to(nbmodule.int8)", ""), _ZEROS: _ZEROS.replace(", dtype=nbmodule.int8", "")}, "the integers are stored as floats, four bytes each; change the dtype to int8"),
    ("Parameter for the scale", {'self.register_buffer("weight_scale", nbmodule.ones(out_features))': 'self.weight_scale = nbmodule.nn.Parameter(nbmodule.ones(out_features))', _SCALE: "made.weight_scale.data = (weight.abs().amax(1) / 127).clamp(min=2**-23)"}, "the scale is a Parameter; register it as a buffer"),
    ("plain attributes", {'self.register_buffer("weight_int8", zeros)': "self.weight_int8 = zeros"}, "the integers are a plain attribute, so `state_dict` leaves them out; register a buffer"),
    ("always float32", {_SCALE: f"{_SCALE}.float()", _BIAS: f"{_BIAS}.float()"}, "the scales and the bias become float32, so a float64 layer can't take its own inputs any more; leave their dtype"),
    ("bias left out", {_BIAS: "pass"}, "the bias of the layer is left out; copy it"),
    ("bias shared", {_BIAS: "made.bias_float = layer.bias.detach()"}, "the bias shares its memory with the layer's; add `.clone()`"),
    ("bias still learns", {_BIAS: "made.bias_float = layer.bias.clone()"}, "the bias is still connected to the layer's Parameter, and requires a gradient; detach it"),
    ("always a bias", {"layer.bias is not None)": "True)"}, "a layer without a bias gets one of zeros, which the file then holds; pass on whether there is one"),
    ("layer kept", {"return made": "made.came_from = [layer]\nreturn made"}, "the new object holds on to the layer, and with it to the float weight; keep the three buffers alone"),
    ("the bias itself", {_BIAS: "made.bias_float = layer.bias"}, "the bias is the layer's own Parameter; `.detach().clone()` makes a tensor of its own"),
    ("bias rounded", {_BIAS: "made.bias_float = layer.bias.detach().round()"}, "the bias is rounded; it stays a float"),
    ("not the class", {"made = cls(": "made = Int8Linear("}, "`from_float` ignores which class it's called on; create the object with `cls(…)`"),
    ("weight not transposed", {"y = x @ weight.T": "y = x @ weight"}, "the weight has the shape (out_features, in_features); transpose it"),
    ("inputs rounded", {"y = x @ weight.T": "y = x.round() @ weight.T"}, "the inputs are rounded, too; only the weight is"),
    ("kept from the first call", {_WEIGHT: 'weight = self.__dict__.setdefault("known", self.weight_int8 * self.weight_scale[:, None])'}, "the float weight of the first call is kept, which takes its memory again and is stale after `load_state_dict`; compute it in each call"),
    ("bias not added", {"return y if self.bias_float is None else y + self.bias_float": "return y"}, "`forward` leaves the bias out"),
)
# fmt: on
