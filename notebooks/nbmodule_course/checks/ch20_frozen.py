"""Chapter 20: what a channel looks for, a part that stays as it is, and a head that is swapped."""

from __future__ import annotations

from ..exercise import Exercise
from .transfers import uses

# ---- 20.4

looking = Exercise(
    "20.4",
    title="The pictures that excite it",
    takes=("strongest",),
    minutes=12,
    importance="useful",
    writes=("strongest",),
    hints=(
        "Which method finds a Module by its path? And how does a hook hand over what it gets?",
        "Let the hook append its `output` to a list. Call `evaluate(model, pictures)` in a `try`, and remove the handle in the `finally`. `output.amax((2, 3))` then has a row for each picture and a column for each channel.",
        "`peaks.argsort(0, descending=True)[:count].T`: sort each column, keep the first rows, and turn the table around.",
    ),
)
looking.compare_uses(
    "for each channel the pictures with the highest peaks, the highest first",
    uses(
        "strongest(eyes, '0.0', pictures, 3)",
        "strongest(eyes, '0.0', pictures, count=6)",
        "strongest(eyes, '0.1', pictures, 1)",
        "strongest(eyes, '0', pictures, 2)",
        "strongest(eyes, '0.2', pictures[:4], 4)",
        "strongest(eyes, '0.0', pictures - 9, 2)",
        "tuple(strongest(eyes, '0.0', nbmodule.cat([pictures, 2 * pictures])).shape)",
        "strongest(eyes, '0.0', pictures, 2); strongest(eyes, '0.0', pictures.flip(0), 2)",
    ),
)
looking.compare_uses(
    "the model is called in eval mode, and stays as it was",
    uses(
        "strongest(eyes, '0.1', pictures, 2); seen(eyes), modes(eyes)",
        "strongest(eyes.eval(), '0.1', pictures, 2); modes(eyes)",
        "strongest(eyes, '0.0', pictures, 2); hooks(eyes)",
        "strongest(eyes, '0.0', pictures, 2).requires_grad, nbmodule.is_grad_enabled()",
        "eyes[0][0].register_forward_hook(lambda *given: None); strongest(eyes, '0.0', pictures, 2); hooks(eyes)",
        "eyes[0][0].register_forward_hook(lambda m, args, y: -y); strongest(eyes, '0.0', pictures, 2)",
    ),
)
looking.compare_uses(
    "after an exception, the hook is gone too",
    uses(
        "eyes[2] = nn.Linear(3, 3); tried(lambda: strongest(eyes, '0.0', pictures, 2)), hooks(eyes)",
        "tried(lambda: strongest(eyes, 'nowhere', pictures, 2)) != 'NoneType', hooks(eyes)",
    ),
)
_TRY = "try:\n    evaluate(model, pictures)\nfinally:\n    handle.remove()"
_PEAKS = "peaks = maps[0].amax((2, 3))"
_SORT = "return peaks.argsort(0, descending=True)[:count].T"
# fmt: off
looking.wrongs(
    ("means", {_PEAKS: "peaks = maps[0].mean((2, 3))"}, "the pictures are sorted by the mean of each map; take its largest number"),
    ("sizes", {_PEAKS: "peaks = maps[0].abs().amax((2, 3))"}, "a large negative number counts as strong; take the largest number without `abs`"),
    ("weakest first", {_SORT: "return peaks.argsort(0)[:count].T"}, "the weakest pictures come first; sort with `descending=True`"),
    ("the order of the first channel", {_SORT: "return peaks[:, :1].argsort(0, descending=True)[:count].T.expand(peaks.shape[1], -1)"}, "every row has the pictures of channel 0; sort each channel on its own"),
    ("pictures as rows", {_SORT: "return peaks.argsort(0, descending=True)[:count]"}, "there's a column for each channel; turn the table around with `.T`"),
    ("channels of a picture", {_SORT: "return peaks.argsort(1, descending=True)[:, :count]"}, "this sorts the channels of each picture; sort the pictures of each channel"),
    ("numbers instead of indices", {_SORT: "return peaks.sort(0, descending=True)[0][:count].T"}, "these are the largest numbers themselves; return the indices of the pictures"),
    ("always eight", {_SORT: _SORT.replace("[:count]", "[:8]")}, "`count` is ignored"),
    ("one too few", {_SORT: _SORT.replace("[:count]", "[:count - 1]")}, "there's one picture too few in each row"),
    ("training mode", {_TRY: "try:\n    with nbmodule.no_grad():\n        model(pictures)\nfinally:\n    handle.remove()"}, "the model is called in training mode, so its norms move and its dropout drops; use `evaluate`"),
    ("left in eval mode", {_TRY: "try:\n    with nbmodule.no_grad():\n        model.eval()(pictures)\nfinally:\n    handle.remove()"}, "the model stays in eval mode afterwards; `evaluate` restores its modes"),
    ("hook left", {_TRY: "evaluate(model, pictures)"}, "the hook stays on the layer; remove its handle"),
    ("hook left after an error", {_TRY: "evaluate(model, pictures)\nhandle.remove()"}, "if the call raises an exception, the hook stays; remove it in a `finally`"),
    ("all hooks removed", {_TRY: "try:\n    evaluate(model, pictures)\nfinally:\n    layer._forward_hooks.clear()"}, "the hooks of others are removed as well; call `remove` on your handle"),
    ("what goes in", {"layer.register_forward_hook(lambda module, args, output: maps.append(output))": "layer.register_forward_hook(lambda module, args, output: maps.append(module.forward(*args)))"}, "the hook runs the layer once more, so what other hooks changed is lost; use `output`"),
)
# fmt: on

# ---- 20.5

freezing = Exercise(
    "20.5",
    title="Really frozen",
    takes=("freeze", "unfreeze"),
    minutes=15,
    writes=("freeze", "unfreeze"),
    hints=(
        "What does a Module in training mode change when it's called, apart from what the optimizer does? And who calls a Module's `train`?",
        "Set a method `train` on each part's object that returns the object and does nothing else. A function that takes `(self, mode=True)` becomes one with `types.MethodType(function, part)`. To undo this, take the attribute out of the object again.",
        '`part.train = types.MethodType(stay, part)` for each part of `module.modules()`, after `module.requires_grad_(False).eval()`. In `unfreeze`: `vars(part).pop("train", None)` for each part, and then `module.requires_grad_(True).train()`.',
    ),
)
freezing.compare_uses(
    "nothing in it learns or moves, even after `train()`",
    uses(
        "freeze(net); learns(net), modes(net)",
        "freeze(net); net(x); seen(net)",
        "freeze(net); net.train(); net(x); seen(net)",
        "freeze(net); net.train(); steady(net, x)",
        "freeze(net); net.train(); net[1](nbmodule.ones(2, 4)); seen(net)",
        "freeze(net); net[1].train(); net(x); seen(net)",
        "freeze(net); net[1].train(); net[2].train(True); steady(net, x)",
        "freeze(net); nn.Sequential(net).train()(x); seen(net)",
        "freeze(deep); deep.train(); deep(x); seen(deep)",
        "freeze(deep.body); deep.train(); deep.body[1][1].train(); deep(x); seen(deep)",
        "freeze(net); net.eval(); net.train(); net(x); seen(net)",
        "norm = net[1]; freeze(norm); norm.train(); norm(nbmodule.ones(2, 4)); seen(norm)",
        "freeze(net); before = net.state_dict(); net.train(); net(x); all(nbmodule.equal(v, before[k]) for k, v in net.state_dict().items())",
    ),
)
freezing.compare_uses(
    "the rest of the model isn't touched, and the Module itself is returned",
    uses(
        "freeze(net) is net",
        "freeze(deep.body); learns(deep.head), modes(deep.head)",
        "freeze(net[0]); net.train(); net(x); seen(net), learns(net)",
        "freeze(deep.body[0]); deep.train(); deep(x); seen(deep)",
        "keys = list(net.state_dict()); freeze(net); list(net.state_dict()) == keys",
        "kind = type(net[1]); freeze(net); modes(kind(2).eval())",
        "freeze(net); freeze(deep.head); deep.train(); modes(deep.body)",
        "freeze(net); net.train() is net, net.eval() is net",
        "freeze(net); [net.train() is each for each in (None, net[3])]",
        "freeze(net); net.eval(); modes(net)",
        "values = [p.tolist() for p in net.parameters()]; freeze(net); [p.tolist() for p in net.parameters()] == values",
    ),
)
freezing.compare_uses(
    "`unfreeze` undoes it",
    uses(
        "unfreeze(freeze(net)); learns(net), modes(net)",
        "unfreeze(freeze(net)); net(x); seen(net)",
        "unfreeze(freeze(net)) is net",
        "unfreeze(freeze(net)); net.eval(); modes(net)",
        "unfreeze(freeze(net)); net.eval(); net.train(); net(x); seen(net)",
        "unfreeze(freeze(freeze(net))); net.eval(); net.train(); net(x); seen(net), learns(net)",
        "unfreeze(net); learns(net), modes(net)",
        "unfreeze(net.eval()); modes(net)",
        "freeze(deep); unfreeze(deep.body); deep.train(); deep(x); seen(deep), learns(deep)",
        "unfreeze(freeze(deep)); deep.eval(); deep.body[1][1].train(); modes(deep.body[1][1])",
        "unfreeze(freeze(net)); freeze(net); net.train(); net(x); seen(net)",
        "unfreeze(freeze(net)); hooks(net)",
        "keys = list(net.state_dict()); unfreeze(freeze(net)); list(net.state_dict()) == keys",
    ),
)
freezing.compare_uses(
    "a deep copy is frozen on its own",
    uses(
        "twin = copy.deepcopy(freeze(net)); twin.train(); twin(x); seen(twin), seen(net)",
        "twin = copy.deepcopy(freeze(net)); unfreeze(twin); twin.train(); twin(x); seen(twin), seen(net)",
        "twin = copy.deepcopy(freeze(net)); unfreeze(twin); net.train(); net(x); seen(net), modes(twin), learns(net)",
        "twin = copy.deepcopy(freeze(net)); unfreeze(net); twin.train(); twin(x); seen(twin)",
        "twin = copy.deepcopy(freeze(net)); twin.train() is twin",
    ),
)
_OFF = "module.requires_grad_(False).eval()"
_OWN = "part.train = types.MethodType(stay, part)"
_PARTS = f"for part in module.modules():\n    {_OWN}"
_BACK = "return module.requires_grad_(True).train()"
_POP = 'vars(part).pop("train", None)'
# fmt: off
freezing.wrongs(
    ("requires_grad only", {_OFF: "module.requires_grad_(False)", _PARTS: "pass"}, "only `requires_grad` is switched, so a norm in training mode goes on moving its statistics"),
    ("eval once", {_PARTS: "pass"}, "the next `train()` on the model switches it back to training mode"),
    ("eval only", {_OFF: "module.eval()"}, "the Parameters still learn; call `requires_grad_(False)` too"),
    ("mode left", {_OFF: "module.requires_grad_(False)"}, "it stays in the mode that it was in; put it into eval mode before `train` does nothing"),
    ("itself only", {_PARTS: "module.train = types.MethodType(stay, module)"}, "only the Module itself ignores `train()`; if a part of it is told to train, that part moves"),
    ("its children only", {_PARTS: _PARTS.replace("modules", "children")}, "the Module itself and what's deeper still follow `train()`; go through `module.modules()`"),
    ("norms only", {_PARTS: "for part in module.modules():\n    if hasattr(part, 'running_mean'):\n        part.train = types.MethodType(stay, part)"}, "a Dropout in it still follows `train()`; freeze every part"),
    ("a lambda for the original", {_OWN: "part.train = lambda mode=True, part=part: part"}, "a deep copy's `train` still returns the original, because the function remembers that one; `MethodType` gives each copy its own"),
    ("the last part", {_OWN: "part.train = lambda mode=True: part"}, "`train()` returns the last part instead of the Module, because a function looks `part` up when it's called, and by then the loop is over"),
    ("always eval", {"return self": "return type(self).train(self, False)"}, "`train()` on a frozen Module puts its parts into eval mode, even one that was unfrozen since; it should do nothing"),
    ("the class", {_OWN: "type(part).train = stay"}, "`train` is set in the class, so every other object of that class is frozen too; set it on the object"),
    ("returns nothing", {"    return module\n": "    pass\n"}, "`freeze` returns None; return the Module"),
    ("stays None", {"return self": "pass"}, "`train()` and `eval()` on a frozen Module return None; they should return the Module"),
    ("method left", {_POP: "pass"}, "after `unfreeze`, the Module still ignores `train()`; take the method out of the object again"),
    ("doesn't learn again", {_BACK: "return module.train()"}, "after `unfreeze`, the Parameters still don't learn"),
    ("stays in eval", {_BACK: "return module.requires_grad_(True)"}, "after `unfreeze`, it's still in eval mode"),
    ("never frozen fails", {_POP: 'vars(part).pop("train")'}, "`unfreeze` raises a KeyError if the Module isn't frozen"),
    ("never frozen fails otherwise", {_POP: "del part.train"}, "`unfreeze` raises an AttributeError if the Module isn't frozen"),
    ("unfreezes itself only", {f"for part in module.modules():\n    {_POP}": 'vars(module).pop("train", None)'}, "`unfreeze` frees the Module itself only; its parts still ignore `train()`"),
)
# fmt: on

# ---- 20.6

swapping = Exercise(
    "20.6",
    title="Swap the head",
    takes=("swap_head",),
    minutes=12,
    writes=("swap_head",),
    hints=(
        "Which method gives you a Module by its path, and which one puts another one there? You wrote both in chapter 07.",
        'List the paths of all Modules with `hasattr(part, "out_features")`. The last path is the head\'s. The path of the model itself is an empty string.',
        "`new = type(old)(old.in_features, num_classes, bias=old.bias is not None)`, and then `model.set_submodule(path, new.to(old.weight.device, old.weight.dtype))`.",
    ),
)
_TWO = "net = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 3))"
swapping.compare_uses(
    "the last layer with `out_features` is replaced",
    uses(
        f"{_TWO}; swap_head(net, 5); parts(net)",
        f"{_TWO}; swap_head(net, 1); tuple(net(x).shape)",
        "swap_head(net, 5); parts(net)",
        "swap_head(deep, 2); parts(deep)",
        "swap_head(deep.body, 7); parts(deep)",
        "net = nn.Sequential(nn.Linear(2, 4), nn.Sequential(nn.Linear(4, 4), nn.Tanh()), nn.Dropout()); swap_head(net, 6); parts(net)",
        "net = nn.ModuleDict({'a': nn.Linear(2, 2), 'b': nn.Linear(3, 3)}); swap_head(net, 9); parts(net)",
        "first = net[0]; swap_head(net, 5); net[0] is first",
        "swap_head(net, 5); swap_head(net, 2); parts(net)",
        "net[3] = plain(4, 3); swap_head(net, 2); type(net[3]).__name__, net[3].out_features",
        "net[1].eval(); net[0].requires_grad_(False); swap_head(net, 2); learns(net), modes(net)",
        "swap_head(net, num_classes=3); parts(net)",
    ),
)
swapping.compare_uses(
    "the new head is like the old one, and learns",
    uses(
        "swap_head(deep, 2); deep.head.bias is None, swap_head(net, 2).bias is None, net[3].bias is None",
        "net.double(); swap_head(net, 2); str(net[3].weight.dtype), str(net[3].bias.dtype)",
        "net.to('meta'); swap_head(net, 2); str(net[3].weight.device)",
        "net.requires_grad_(False); swap_head(net, 2); learns(net)",
        "Head = type('Head', (nn.Linear,), {}); net[3] = Head(4, 3); swap_head(net, 2); type(net[3]).__name__",
        "old = swap_head(net, 3); nbmodule.equal(old.weight, net[3].weight)",
        "swap_head(net, 2); net[3].in_features, net[3].out_features",
    ),
)
swapping.compare_uses(
    "the old head is returned, as it was",
    uses(
        "head = net[3]; swap_head(net, 2) is head",
        "head = deep.head; swap_head(deep, 2) is head",
        "head = told(net[3]); told(swap_head(net, 2)) == head",
        "net.eval(); head = swap_head(net, 2); net[3] = head; tuple(net(x).shape)",
    ),
)
swapping.compare_uses(
    "where there's no head to replace, a ValueError",
    uses(
        "tried(lambda: swap_head(nn.Sequential(nn.ReLU()), 2))",
        "tried(lambda: swap_head(nn.ReLU(), 2))",
        "tried(lambda: swap_head(nn.Linear(2, 2), 3))",
        "tried(lambda: swap_head(nn.Sequential(), 2))",
    ),
)
_HEADS = 'heads = [path for path, part in model.named_modules() if hasattr(part, "out_features")]'
_GUARD = "if not heads:"
_NEW = "new = type(old)(old.in_features, num_classes, bias=old.bias is not None)"
_SET = "model.set_submodule(heads[-1], new.to(old.weight.device, old.weight.dtype))"
# fmt: off
swapping.wrongs(
    ("the first one", {"old = model.get_submodule(heads[-1])": "old = model.get_submodule(heads[0])", _SET: _SET.replace("-1", "0")}, "the first layer is replaced; the head is the last one"),
    ("the last child", {_HEADS: 'heads = [path for path, part in model.named_children() if hasattr(part, "out_features")]'}, "only the model's own children are looked at; the head may be deeper, so use `named_modules()`"),
    ("the path as a name", {_GUARD: "if not heads or not heads[-1]:", _SET: "setattr(model, heads[-1], new.to(old.weight.device, old.weight.dtype))"}, "a path such as `body.1` is used as one name, so a deeper head stays where it is; `set_submodule` follows the path"),
    ("the last Module", {_HEADS: "heads = [path for path, part in model.named_modules()]", _NEW: "new = nn.Linear(getattr(old, 'in_features', 1), num_classes)", _SET: "model.set_submodule(heads[-1], new)"}, "the last Module is replaced, whatever it is; look for the last one with `out_features`"),
    ("always a bias", {_NEW: "new = type(old)(old.in_features, num_classes)"}, "the new head has a bias although the old one has none"),
    ("never a bias", {_NEW: "new = type(old)(old.in_features, num_classes, bias=False)"}, "the new head has no bias although the old one has one"),
    ("always a Linear", {_NEW: "new = nn.Linear(old.in_features, num_classes, bias=old.bias is not None)"}, "the new head is an `nn.Linear`, whatever the old one was; use `type(old)`"),
    ("single precision", {_SET: "model.set_submodule(heads[-1], new.to(old.weight.device))"}, "the new head is float32 although the old one isn't, so the next call fails"),
    ("Linears only", {_HEADS: 'heads = [path for path, part in model.named_modules() if isinstance(part, nn.Linear)]'}, "only an `nn.Linear` counts as a head; look for `out_features`"),
    ("the rest frozen", {"return old": "model.requires_grad_(False)\nnew.requires_grad_(True)\nreturn old"}, "the rest of the model is frozen; only the head is replaced"),
    ("on the CPU", {_SET: "model.set_submodule(heads[-1], new.to(old.weight.dtype))"}, "the new head isn't on the device of the old one"),
    ("as it comes", {_SET: "model.set_submodule(heads[-1], new)"}, "the new head has neither the device nor the dtype of the old one"),
    ("a square head", {_NEW: "new = type(old)(old.out_features, num_classes, bias=old.bias is not None)"}, "the new head takes as many numbers as the old one returned; it replaces the old one, so it takes `old.in_features`"),
    ("returns the new one", {"return old": "return new"}, "the new head is returned; return the old one, so that it can be put back"),
    ("returns the model", {"return old": "return model"}, "the model is returned; return the old head"),
    ("returns nothing", {"return old": "pass"}, "nothing is returned; return the old head, so that it can be put back"),
    ("frozen like the old one", {_SET: f"new.requires_grad_(old.weight.requires_grad)\n{_SET}"}, "the new head doesn't learn if the old one was frozen; a new head always learns"),
    ("starts like the old one", {_SET: f"rows = min(num_classes, old.out_features)\nnew.weight.data[:rows] = old.weight.data[:rows].to(new.weight.dtype) if not old.weight.is_meta else 0\n{_SET}"}, "the new head begins with the old one's weights; they belong to other classes"),
    ("changed in place", {_SET: "fresh = new.to(old.weight.device, old.weight.dtype)\nold.weight, old.bias, old.out_features = fresh.weight, fresh.bias, num_classes"}, "the old head itself is changed, so it can't be put back; create a new one"),
    ("no guard", {_GUARD: "if False:"}, "a model without such a layer isn't refused with a ValueError"),
    ("LookupError", {"raise ValueError(": "raise LookupError("}, "a model without a head raises a LookupError; raise a ValueError"),
)
# fmt: on
