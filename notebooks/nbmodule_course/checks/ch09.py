"""Chapter 09: two modes. Trees are switched, and layers are asked what they do in each mode."""

from __future__ import annotations

import nbmodule
from nbmodule import nn

from ..exercise import Exercise, expect
from ..referee import each, programs
from .grown import grow
from .modes import Probe, Stubborn, asked, by_hand, modes_after, probe, switch, trained_after, uses

# ---- 09.1

modes = Exercise(
    "09.1",
    title="Switch the whole tree",
    takes=("Module",),
    minutes=6,
    writes=("train", "eval"),
    hints=(
        "Three things happen in `train`, in this order: a test, an assignment, a loop. What does the loop call?",
        "`isinstance(mode, bool)` is the test. The loop goes over `self.children()` and calls each child's own `train`.",
        "`self.training = mode`, then `for child in self.children(): child.train(mode)`, then `return self`.",
    ),
)
_TRAIN = switch("m.train()", lambda m: m.train()) + switch("m.train(True)", lambda m: m.train(True))
_EVAL = [
    *switch("m.eval()", lambda m: m.eval()),
    *switch("m.train(False)", lambda m: m.train(False)),
    *switch("m.train(mode=False)", lambda m: m.train(mode=False)),
]
_ODD = [
    step
    for text, mode in (("1", 1), ("0", 0), ("None", None), ('"eval"', "eval"), ("[]", []))
    for step in switch(f"m.train({text})", lambda m, mode=mode: m.train(mode))
]
_ALL, _TREE = _TRAIN + _EVAL, [*grow("m", a="body"), *grow("m", b="fc"), *grow("body", c="act")]
modes.compare("the object is switched, and returned", each(_ALL), programs(_ALL, _ALL))
modes.compare(
    "everything below it is switched",
    programs(grow("m", a="fc"), _ALL, _ALL),
    programs(grow("m", a="None"), grow("m", b="fc"), _ALL),
    programs(_ALL, _ALL, start=_TREE),
)
modes.compare(
    "modes set by hand are set again",
    programs(
        [step for name in ("m", "body", "act", "fc") for step in by_hand(name, False, True)],
        _ALL,
        start=_TREE,
    ),
)
modes.compare(
    "each child's own `train` is called",
    programs([*grow("m", a="stubborn"), *grow("fc", up="stubborn")], grow("m", b="fc"), _EVAL),
    each(switch("stubborn.eval()", lambda m: m.eval(), of="stubborn")),
)
modes.compare(
    "only True and False are modes",
    each(_ODD),
    programs(by_hand("m", False) + grow("m", a="fc"), _ODD),
)
_TEST = 'if not isinstance(mode, bool):\n    raise ValueError("training mode is expected to be boolean")'
_SET, _LOOP = "self.training = mode", "for child in self.children():"
_EACH, _SELF, _OFF = "child.train(mode)", "return self", "return self.train(False)"
# fmt: off
modes.wrongs(
    ("anything goes", {_TEST: ""}, "any value becomes the mode; raise a ValueError unless it's True or False"),
    ("equal to True", {"not isinstance(mode, bool)": "mode not in (True, False)"}, "1 and 0 are accepted, because `1 == True`; test `isinstance(mode, bool)`"),
    ("made a bool", {_TEST: "mode = bool(mode)"}, "every value is turned into True or False; raise a ValueError instead"),
    ("tested too late", {_TEST: "", _SET: f"{_SET}\n{_TEST}"}, "`training` has changed when the error is raised; test the mode first"),
    ("another error", {"raise ValueError": "raise TypeError"}, "the exception is a TypeError; PyTorch raises a ValueError"),
    ("itself only", {_LOOP: "for child in ():"}, "the children stay in the mode they were in; call `train(mode)` of each"),
    ("children only", {_SET: ""}, "the object itself stays in the mode it was in; set `self.training` as well"),
    ("attribute of the children", {_EACH: "child.training = mode"}, "the loop sets the attribute of each child, so nothing below the children is switched; call `child.train(mode)`"),
    ("attribute of all modules", {_LOOP: "for child in self.modules():", _EACH: "child.training = mode"}, "the loop sets attributes in the whole tree, so a layer with a `train` of its own isn't asked; call `child.train(mode)`"),
    ("without the mode", {_EACH: "child.train()"}, "the children are always switched to True; pass `mode` on"),
    ("the other way round", {_SET: "self.training = not mode"}, "True and False are mixed up"),
    ("first child only", {_EACH: "child.train(mode)\nbreak"}, "the loop ends after the first child"),
    ("returns nothing", {_SELF: ""}, "`train` returns None; return `self`, so that calls can be chained"),
    ("eval returns nothing", {_OFF: "self.train(False)"}, "`eval` returns None; return what `train` returns"),
    ("eval alone", {_OFF: "self.training = False\nreturn self"}, "`eval` switches the object alone; call `self.train(False)`"),
    ("eval by itself", {_OFF: "self.training = False\nfor child in self.children():\n    child.eval()\nreturn self"}, "`eval` walks the tree itself, so a layer with a `train` of its own isn't asked; call `self.train(False)`"),
    ("eval is train", {_OFF: "return self.train()"}, "`eval` switches to True; pass False"),
)
# fmt: on

# ---- 09.2

dropping = Exercise(
    "09.2",
    title="Dropout",
    takes=("Dropout",),
    minutes=10,
    writes=("Dropout",),
    hints=(
        "Ask `self.training` first. In training, you need a random number for each element, and a comparison.",
        "`nbmodule.rand(x.shape) >= self.p` is True for the numbers to keep. Multiplying by it sets the others to 0. What does 1 / (1 − p) give for `p = 1`?",
        "`kept = nbmodule.rand(x.shape) >= self.p`, then `return x * kept / (1 - self.p)`. Return `x * 0` before that if `self.p == 1`.",
    ),
)
dropping.compare_uses(
    "`p` is kept, and is a probability",
    uses("Dropout().p", "Dropout(0.25).p", "Dropout(p=0).p", "Dropout(1).p", "Dropout(-0.1)", "Dropout(1.5)", "Dropout(0.5).training"),
)  # fmt: skip
dropping.compare_uses(
    "in training, numbers are dropped or scaled",
    uses(
        *(f"kinds(Dropout({p})(ones(200)))" for p in (0.5, 0.25, 0.9, 0, 1)),
        *(f"zeros(Dropout({p})(ones(10000)))" for p in (0.25, 0.8)),
        "y = Dropout(0.2)(x); ((y == 0) | ((y / x - 1.25).abs() < 1e-5)).all().item()",
        "Dropout(0.5)(ones(2, 3, 4)).shape",
        "pattern(Dropout(0.5)(ones(30, 30)))",
        "drop = Dropout(0.5); len({(drop(ones(100)) == 0).sum().item() for _ in range(9)}) > 1",
    ),
)
dropping.compare_uses(
    "in eval mode, the input comes back",
    uses(
        "drop = Dropout(0.5); drop.training = False; drop(x) is x",
        "drop = Dropout(1); drop.training = False; drop(x) is x",
        "drop = Dropout(0.5); drop.training = False; kinds(drop(ones(200)))",
        "drop = Dropout(0.5); drop.training = False; drop.training = True; kinds(drop(ones(200)))",
    ),
)
dropping.compare_uses(
    "each call draws again, and the seed decides",
    uses("drop = Dropout(0.5); draws(lambda: drop(ones(50)))", "draws(lambda: Dropout(0.5)(ones(50)))"),
)  # fmt: skip
dropping.compare_uses(
    "gradients pass, and the input stays as it was",
    uses(
        "x = needs(ones(50)); y = Dropout(0.5)(x); y.sum().backward(); x.grad.tolist() == y.tolist()",
        "Dropout(1)(x); Dropout(0.5)(x); x",
        "Dropout(0.5)(needs(x)).dtype",
    ),
)
_RANGE, _IN_EVAL, _ALL_GONE = "if not 0 <= p <= 1:", "if not self.training:", "if self.p == 1:\n    return x * 0"  # fmt: skip
_KEPT, _SCALE = "kept = nbmodule.rand(x.shape) >= self.p", "return x * kept / (1 - self.p)"
# fmt: off
dropping.wrongs(
    ("no test", {_RANGE: "if False:"}, "any `p` is accepted; raise a ValueError below 0 and above 1"),
    ("ends refused", {_RANGE: "if not 0 < p < 1:"}, "0 and 1 are refused; both are valid probabilities"),
    ("fixed p", {"self.p = p": "self.p = 0.5"}, "`p` isn't kept: it's always 0.5"),
    ("not scaled", {_SCALE: "return x * kept"}, "the kept numbers aren't scaled, so the average shrinks; divide by 1 − p"),
    ("scaled by p", {_ALL_GONE: "if self.p == 0:\n    return x", _SCALE: "return x * kept / self.p"}, "the kept numbers are divided by p; it's 1 − p, the share that is kept"),
    ("multiplied", {_SCALE: "return x * kept * (1 - self.p)"}, "the kept numbers are multiplied by 1 − p; divide by it"),
    ("scaled in eval", {_IN_EVAL: "if not self.training:\n    return x * (1 - self.p)\nif False:", _SCALE: "return x * kept"}, "the scaling happens in eval mode, as in the first paper on dropout; PyTorch scales in training, so eval mode returns `x` itself"),
    ("keeps p", {_KEPT: "kept = nbmodule.rand(x.shape) < self.p"}, "a share of p is kept; p is the share that is dropped"),
    ("drops in eval", {_IN_EVAL: "if False:"}, "numbers are dropped in eval mode too; return `x` if `self.training` is False"),
    ("modes swapped", {_IN_EVAL: "if self.training:"}, "numbers are dropped in eval mode and not in training"),
    ("a copy in eval", {"return x": "return x * 1"}, "eval mode returns a copy; return `x` itself"),
    ("no super", {"super().__init__()": ""}, "the drawers are missing: call `super().__init__()` first"),
    ("division by zero", {_ALL_GONE: ""}, "with `p = 1` the division is by zero; return zeros"),
    ("one for all", {_KEPT: "kept = nbmodule.rand(1) >= self.p"}, "one random number decides for all elements; draw one for each: `nbmodule.rand(x.shape)`"),
    ("exact share", {_KEPT: "kept = (nbmodule.randperm(x.numel()) >= int(self.p * x.numel())).view(x.shape)"}, "every call drops the same share to the number; each element is dropped independently of the others"),
    ("whole rows", {_KEPT: "kept = nbmodule.rand(len(x), *[1] * (x.dim() - 1)) >= self.p"}, "one random number decides for a whole row; draw one for each element: `nbmodule.rand(x.shape)`"),
    ("normal numbers", {_KEPT: "kept = nbmodule.randn(x.shape) >= self.p"}, "`randn` draws from a normal distribution, so the share isn't p; use `rand`"),
    ("seeded", {_KEPT: f"nbmodule.manual_seed(0)\n{_KEPT}"}, "each call sets the seed, so the same numbers are dropped every time"),
    ("drawn once", {_KEPT: "if 'kept' not in self.__dict__ or self.kept.shape != x.shape:\n    self.kept = nbmodule.rand(x.shape) >= self.p\nkept = self.kept"}, "the numbers to keep are drawn once and used for every call"),
    ("of its own", {_KEPT: "import random\nkept = tensor([random.random() for _ in range(x.numel())]).view(x.shape) >= self.p"}, "the random numbers aren't `nbmodule`'s, so `nbmodule.manual_seed` doesn't repeat them"),
    ("in place", {_SCALE: "x.data.mul_(kept).div_(1 - self.p)\nreturn x"}, "the input itself is changed; return a new tensor"),
    ("no gradient", {_SCALE: "return x.detach() * kept / (1 - self.p)"}, "the gradient is cut off: is `detach` or `no_grad` used?"),
)
# fmt: on

# ---- 09.5

asking = Exercise(
    "09.5",
    title="Ask without changing anything",
    takes=("evaluate",),
    minutes=8,
    importance="useful",
    writes=("evaluate",),
    hints=(
        "Two switches, and one of them has to be put back for each Module. Which walk from chapter 07 gives you every Module?",
        "Make a list of pairs first: each Module with its `training`. Put them back in a `finally` block, which runs after an exception too.",
        "`modes = [(module, module.training) for module in model.modules()]`. In `try`: `model.eval()` and `with nbmodule.no_grad(): return model(*inputs)`. In `finally`: `module.training = mode` for each pair.",
    ),
)


def _hooked() -> Probe:
    model = probe()
    model.register_forward_hook(lambda module, args, output: {"hook": True, **output})
    return model


def _norm(frozen: bool = False) -> nn.Module:
    model = nn.Sequential(nn.BatchNorm1d(2), nn.Dropout(0.5))
    model[0].weight.requires_grad_(not frozen)
    model[0].running_mean.fill_(0.5)
    return model


_X = nbmodule.ones(3, 2)
asking.compare_uses(
    "everything runs in eval mode, and nothing is recorded",
    {
        "evaluate(model)  # it says how it and its parts ran": asked(probe),
        "evaluate(model, 1, 2)  # it says how it and its parts ran": asked(probe, 1, 2),
        "evaluate(model, x)  # a BatchNorm1d and a Dropout": asked(_norm, _X),
        "evaluate(model, x); trained(model)  # before, `weight` of its BatchNorm1d was frozen": trained_after(
            lambda: _norm(frozen=True), _X
        ),
        "evaluate(model)  # a model with a hook": asked(_hooked),
    },
)
_HANDS = {
    "all of it was in training mode": lambda: probe(),
    "all of it was in eval mode": lambda: probe(False, False, False, False),
    "part0 was switched to False by hand": lambda: probe(None, False),
    "it was in eval mode, and part0.part0 and part1 were switched to True by hand": lambda: probe(
        False, False, True, True
    ),
    "only the model itself was switched to False by hand": lambda: probe(False),
    "part0.part0 has a `train` of its own": lambda: probe(True, True, False, kind=Stubborn),
}
asking.compare_uses(
    "every mode is as before",
    {
        f"evaluate(model, 1); modes(model)  # before, {before}": modes_after(make, 1)
        for before, make in _HANDS.items()
    },
)
asking.compare_uses(
    "even after an exception",
    {
        'evaluate(model, "bad"); modes(model)  # its forward raises a LookupError': modes_after(
            probe, "bad"
        ),
        'evaluate(model, "bad"); modes(model)  # before, part0 was switched to False by hand': modes_after(
            lambda: probe(True, False), "bad"
        ),
    },
)


@asking.sub("gradients are recorded again afterwards")
def _recording(evaluate) -> None:
    with nbmodule.enable_grad():
        evaluate(probe())
        on = nbmodule.is_grad_enabled()
    expect(
        on,
        did="after `evaluate(model)`, nothing is recorded anymore",
        real="recording is off inside the call only",
        likely="use `with nbmodule.no_grad():`, which ends with its block",
    )


_PAIRS, _BACK = "for module in model.modules()", "module.training = mode"
_AGAIN = f"for module, mode in modes:\n    {_BACK}"
_ASK = "with nbmodule.no_grad():\n    return model(*inputs)"
# fmt: off
asking.wrongs(
    ("not put back", {_BACK: "pass"}, "the model stays in eval mode; put every mode back"),
    ("train afterwards", {_BACK: "module.train()"}, "every Module is switched to training afterwards, whatever it was before"),
    ("one mode for all", {"for module, mode in modes:": "for module, mode in [(m, model_mode) for m, _ in modes]:", "model.eval()": "model_mode = model.training\nmodel.eval()"}, "the model's own mode is given to all its parts; remember the mode of each"),
    ("its train is called", {_BACK: "module.train(mode)"}, "`train(mode)` puts the modes back, but a layer with a `train` of its own may choose another mode; set `training`"),
    ("children only", {_PAIRS: "for module in [model, *model.children()]"}, "deeper parts stay in eval mode; go through `model.modules()`"),
    ("without itself", {_PAIRS: "for module in list(model.modules())[1:]"}, "the model itself stays in eval mode"),
    ("not after errors", {"try:": "if True:", "return model(*inputs)": "result = model(*inputs)", "finally:": "if True:", _AGAIN: f"{_AGAIN}\nreturn result"}, "after an exception the model stays in eval mode; put the modes back in a `finally` block"),
    ("eval alone", {_ASK: "return model(*inputs)"}, "operations are still recorded for `backward`; add `with nbmodule.no_grad():`"),
    ("no_grad alone", {"model.eval()": ""}, "the model runs in the mode it's in; call `model.eval()` first"),
    ("eval by hand", {"model.eval()": "model.training = False"}, "only the model's own `training` is set; `model.eval()` switches its parts as well"),
    ("forward", {"return model(*inputs)": "return model.forward(*inputs)"}, "`model.forward` skips the model's hooks; call the model"),
    ("one input", {"return model(*inputs)": "return model(inputs[0]) if inputs else model()"}, "only the first input reaches the model; unpack all of them with `*inputs`"),
    ("a tuple", {"return model(*inputs)": "return model(inputs)"}, "the model gets one tuple; unpack it with `*inputs`"),
    ("no result", {"return model(*inputs)": "model(*inputs)"}, "the result isn't returned"),
    ("swallowed", {"finally:": "except Exception:\n    return None\nfinally:"}, "an exception of the model is swallowed; let it pass"),
)
# fmt: on
