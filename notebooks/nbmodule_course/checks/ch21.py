"""Chapter 21, pruning: a mask by a pre-hook, and how it is made permanent."""

from __future__ import annotations

from ..exercise import Exercise
from .shrinking import uses

# ---- 21.1

masking = Exercise(
    "21.1",
    title="A mask",
    takes=("custom_from_mask",),
    minutes=14,
    writes=("Masking", "custom_from_mask"),
    hints=(
        "`Masking` is a hook with a memory: an object whose `__call__` gets the module and its inputs. What does it set on the module?",
        '`getattr(module, self.name + "_orig")` reads a Parameter whose name you only know as a string, and `setattr(module, self.name, …)` sets a plain attribute, because a product isn\'t a Parameter.',
        'In `custom_from_mask`: `original = getattr(module, name)`, then `delattr(module, name)`, `module.register_parameter(name + "_orig", original)`, `module.register_buffer(name + "_mask", mask.to(original.dtype))`. '
        "Create a `Masking(name)`, call it once with `(module, None)`, and register it as a pre-hook.",
    ),
)
masking.compare_uses(
    "the Parameter and the mask have new names",
    uses(
        "names(custom_from_mask(m, 'weight', mask))",
        "names(custom_from_mask(m, 'bias', tensor([1, 0])))",
        "w = m.weight; custom_from_mask(m, 'weight', mask); m.weight_orig is w, w.tolist()",
        "custom_from_mask(m, 'weight', mask); [b.tolist() for b in m.buffers()]",
        "custom_from_mask(m, 'weight', mask); m.weight_mask.dtype",
        "custom_from_mask(m.double(), 'weight', mask); m.weight_mask.dtype",
        "custom_from_mask(m, 'weight', mask) is m, m.training",
        "custom_from_mask(m, 'weight', mask); [(type(hook).__name__, getattr(hook, 'name', '')) for hook in m._forward_pre_hooks.values()]",
        "custom_from_mask(m, 'weight', mask); sorted(m.state_dict())",
        "custom_from_mask(m, 'weight', mask); mask.tolist()",
        "custom_from_mask(m, 'weight', mask); isinstance(m.weight_mask, Parameter), isinstance(m.weight, Parameter)",
        "custom_from_mask(m, 'weight', mask); custom_from_mask(m, 'bias', tensor([1, 0])); names(m)",
    ),
)
masking.compare_uses(
    "the weight is masked right away, and in every call",
    uses(
        "custom_from_mask(m, 'weight', mask); m.weight",
        "custom_from_mask(m, 'bias', tensor([1, 0])); m.bias",
        "custom_from_mask(m, 'weight', mask); m(x)",
        "custom_from_mask(m, 'weight', mask); m.weight_orig.data.fill_(10); m(x)",
        "custom_from_mask(m, 'weight', mask); m.eval(); m.weight_mask.fill_(0); m(x)",
        "custom_from_mask(m, 'weight', mask); custom_from_mask(m, 'bias', tensor([1, 0])); m.bias_orig.data.fill_(9); m.weight_orig.data.fill_(10); m(x)",
        "o = copy.deepcopy(m); custom_from_mask(m, 'weight', mask); o(x)",
        "o = copy.deepcopy(m); custom_from_mask(m, 'weight', mask); custom_from_mask(o, 'weight', 1 - mask); m.weight_orig.data.fill_(10); o.weight_orig.data.fill_(20); m(x), o(x)",
        "custom_from_mask(m, 'weight', mask); len(m._forward_pre_hooks)",
    ),
)
masking.compare_uses(
    "the original learns, except where the mask is 0",
    uses(
        "custom_from_mask(m, 'weight', mask); sgd(m).weight_orig",
        "custom_from_mask(m, 'weight', mask); sgd(sgd(m)).weight_orig",
        "custom_from_mask(m, 'weight', mask); sgd(m)(x)",
        "custom_from_mask(m, 'weight', mask); m(x).sum().backward(); m.weight_orig.grad",
        "custom_from_mask(m, 'weight', mask); [p.requires_grad for p in m.parameters()], m.weight_mask.requires_grad",
    ),
)
_MASKED = "setattr(module, self.name, original * mask)"
_BUFFER = 'module.register_buffer(name + "_mask", mask.to(original.dtype))'
_ORIG = 'module.register_parameter(name + "_orig", original)'
_HOOK = "module.register_forward_pre_hook(masking)"
# fmt: off
masking.wrongs(
    ("mask as attribute", {_BUFFER: 'setattr(module, name + "_mask", mask.to(original.dtype))'}, "the mask isn't a buffer, so `state_dict` leaves it out; use `register_buffer`"),
    ("mask as Parameter", {_BUFFER: 'module.register_parameter(name + "_mask", nbmodule.nn.Parameter(mask.to(original.dtype), False))'}, "the mask is a Parameter, and an optimizer would be given it; register a buffer"),
    ("mask learns", {_BUFFER: 'module.register_parameter(name + "_mask", nbmodule.nn.Parameter(mask.to(original.dtype)))'}, "the mask is a Parameter and gets a gradient, so it would be trained away; register a buffer"),
    ("not persistent", {_BUFFER: _BUFFER.replace(")))", ")").replace("dtype))", "dtype), persistent=False)")}, "the mask isn't in `state_dict`; leave the buffer persistent"),
    ("integers", {_BUFFER: 'module.register_buffer(name + "_mask", mask)'}, "the mask keeps the dtype that it came with; give it the dtype of the original"),
    ("always float32", {_BUFFER: 'module.register_buffer(name + "_mask", mask.float())'}, "the mask is always float32; give it the dtype of the original"),
    ("a copy", {_ORIG: 'module.register_parameter(name + "_orig", nbmodule.nn.Parameter(original.detach().clone()))'}, "`weight_orig` is a new Parameter, so an optimizer that exists already would train the old one; move the same object"),
    ("no hook", {_HOOK: "pass"}, "the weight is computed once and never again; register the `Masking` as a pre-hook"),
    ("only in calls", {"masking(module, None)": "pass"}, "the masked weight is missing until the first call; call the hook once yourself"),
    ("data masked", {"masking(module, None)": "original.data *= mask\nmasking(module, None)"}, "the original's own numbers are set to 0; only the product should have zeros, so that the mask can be taken off"),
    ("without the tape", {_MASKED: "setattr(module, self.name, (original * mask).detach())"}, "the product is detached, so the original gets no gradient and can't learn"),
    ("data only", {_MASKED: "setattr(module, self.name, original.data * mask)"}, "the product is detached, so the original gets no gradient and can't learn"),
    ("mask turned around", {_MASKED: "setattr(module, self.name, original * (1 - mask))"}, "the mask is turned around; keep what it has a 1 for"),
    ("always weight", {_MASKED: "module.weight = original * mask"}, "this always sets `weight`; the name is an argument"),
    ("nothing returned", {"return module": "pass"}, "nothing is returned; return the module"),
    ("not deleted", {"delattr(module, name)": "pass"}, "the Parameter still has its old name, and `__setattr__` refuses a plain tensor in its place; delete it first"),
    ("product as Parameter", {_MASKED: "setattr(module, self.name, nbmodule.nn.Parameter(original * mask))"}, "the product is a Parameter of its own, so it would be trained in place of the original; set the product as it is"),
    ("name left", {"delattr(module, name)": "pass", _MASKED: "module.__dict__[self.name] = original * mask"}, "the Parameter is still there under its old name as well; delete that first"),
    ("another hook", {_HOOK: "module.register_forward_pre_hook(lambda module, inputs: masking(module, inputs))"}, "the pre-hook isn't the `Masking` itself, so `remove` couldn't find it later; register the object"),
    ("only in training", {_MASKED: f"if module.training:\n    {_MASKED}"}, "the weight isn't computed in evaluation mode; compute it in every call"),
    ("product returned", {_MASKED: f"{_MASKED}\nreturn original * mask"}, "the hook returns the product, and what a pre-hook returns replaces the inputs; return nothing"),
    ("remembers the product", {"masking = Masking(name)": "masking = Masking(name)\nkept = original * mask.to(original.dtype)", _HOOK: "module.register_forward_pre_hook(lambda module, inputs: setattr(module, name, kept))"}, "the hook sets the product that was made at first; compute it again in each call"),
)
# fmt: on

# ---- 21.2

removing = Exercise(
    "21.2",
    title="Make it permanent",
    takes=("remove",),
    minutes=12,
    writes=("remove",),
    hints=(
        "Find the hook first. `module._forward_pre_hooks` is a dictionary, and more than one `Masking` may be in it.",
        "`isinstance(hook, Masking) and hook.name == name` tells which one it is. Collect the keys of such hooks in a list, and check whether it's empty.",
        'When it\'s found: `del module._forward_pre_hooks[key]`, then `original.data = original.data * mask`. Delete three attributes, `name`, `name + "_orig"` and `name + "_mask"`, and register `original` as `name` again.',
    ),
)
removing.compare_uses(
    "the names are as they were before",
    uses(
        "pruned(m); names(remove(m, 'weight'))",
        "pruned(m, 'bias'); names(remove(m, 'bias'))",
        "pruned(m); sorted(remove(m, 'weight').state_dict())",
        "pruned(m); remove(m, 'weight') is m, m.training",
        "w = m.weight; pruned(m); remove(m, 'weight'); m.weight is w, w.requires_grad, w.is_leaf",
        "pruned(m); remove(m, 'weight'); nn.Linear(3, 2).load_state_dict(m.state_dict())",
        "pruned(m); pruned(m, 'bias'); remove(m, 'bias'); names(m)",
        "pruned(m); pruned(m, 'bias'); remove(m, 'weight'); names(m)",
        "pruned(m); remove(m, 'weight'); pruned(m); names(m), len(m._forward_pre_hooks)",
        "pruned(m); remove(m, 'weight'); copy.deepcopy(m)(x)",
    ),
)
removing.compare_uses(
    "the zeros are in the weight, and the hook is gone",
    uses(
        "pruned(m); remove(m, 'weight'); m.weight",
        "pruned(m, 'bias'); remove(m, 'bias'); m.bias",
        "pruned(m); remove(m, 'weight'); m(x)",
        "pruned(m); m.weight_orig.data.fill_(10); remove(m, 'weight'); m.weight",
        "pruned(m); sgd(m); remove(m, 'weight'); m.weight",
        "pruned(m); remove(m, 'weight'); m.weight.data.fill_(1); m(x)",
        "pruned(m); sgd(m); remove(m, 'weight'); m.weight.grad",
        "pruned(m); remove(m, 'weight'); len(m._forward_pre_hooks)",
        "pruned(m); pruned(m, 'bias'); remove(m, 'bias'); m.weight_orig.data.fill_(10); m(x)",
        "pruned(m); pruned(m, 'bias'); remove(m, 'weight'); m.bias_orig.data.fill_(10); m(x)",
        "m.register_forward_pre_hook(lambda m, i: (10 * i[0],)); pruned(m); remove(m, 'weight'); m(x)",
        "pruned(m); m.register_forward_pre_hook(lambda m, i: (10 * i[0],)); remove(m, 'weight'); m(x)",
    ),
)
removing.compare_uses(
    "what isn't pruned is refused",
    uses(
        "tried(lambda: remove(m, 'weight'))",
        "pruned(m); tried(lambda: remove(m, 'bias')), names(m)",
        "pruned(m); remove(m, 'weight'); tried(lambda: remove(m, 'weight')), names(m)",
        "m.register_forward_pre_hook(lambda *_: None); tried(lambda: remove(m, 'weight')), len(m._forward_pre_hooks)",
        "pruned(m); tried(lambda: remove(m, 'w')), len(m._forward_pre_hooks)",
    ),
)
_FOUND = "if isinstance(hook, Masking) and hook.name == name]"
_GONE = "del hooks[found[0]]"
_ZEROS = 'original.data = original.data * getattr(module, name + "_mask")'
_BACK = "module.register_parameter(name, original)"
_ENDINGS = 'for ending in ("", "_orig", "_mask"):'
_REFUSE = 'raise ValueError(f"{name!r} has to be pruned before pruning can be removed")'
# fmt: off
removing.wrongs(
    ("hook left", {_GONE: "pass"}, "the hook is still there, and the next call looks for a mask that's gone; delete it from `_forward_pre_hooks`"),
    ("all hooks", {_GONE: "hooks.clear()"}, "all pre-hooks are removed, even those that aren't this `Masking`"),
    ("any Masking", {_FOUND: "if isinstance(hook, Masking)]"}, "the first `Masking` is taken, whatever its name is; compare `hook.name`"),
    ("any hook", {_FOUND: "if getattr(hook, 'name', name) == name]"}, "hooks that aren't a `Masking` count, too; test with `isinstance`"),
    ("the last hook", {_GONE: "hooks.popitem()"}, "the newest pre-hook is removed, which may be another one"),
    ("mask forgotten", {_ZEROS: "pass"}, "the pruned numbers come back; multiply them by the mask first"),
    ("stale product", {_ZEROS: "original.data = getattr(module, name).data"}, "the weight of the last call becomes permanent; the original may have changed since, so multiply it by the mask now"),
    ("mask left", {_ENDINGS: 'for ending in ("", "_orig"):'}, "the mask is still a buffer, so the keys of the state aren't those of before"),
    ("original left", {_ENDINGS: 'for ending in ("", "_mask"):'}, "the Parameter is there twice, under both names; delete `_orig`"),
    ("still a product", {_BACK: "setattr(module, name, original.data)"}, "the weight is a plain tensor and not a Parameter, so it doesn't learn and isn't in the state"),
    ("a new Parameter", {_BACK: "module.register_parameter(name, nbmodule.nn.Parameter(original.data))"}, "the weight is a new Parameter, so an optimizer that exists already would train the old one; register the same object"),
    ("frozen", {_BACK: f"{_BACK}\noriginal.requires_grad_(False)"}, "the Parameter doesn't require a gradient any more; leave that as it is"),
    ("gradient dropped", {_BACK: f"{_BACK}\noriginal.grad = None"}, "the Parameter's gradient is gone; leave that as it is"),
    ("KeyError", {_REFUSE: _REFUSE.replace("ValueError", "KeyError")}, "this raises a KeyError; PyTorch raises a ValueError"),
    ("AttributeError", {_REFUSE: "getattr(module, name + '_orig')"}, "if nothing is pruned, this raises an AttributeError; raise a ValueError"),
    ("silent", {_REFUSE: "return module"}, "if nothing is pruned, this returns as if all were well; raise a ValueError"),
    ("nothing returned", {"module.register_parameter(name, original)\nreturn module": "module.register_parameter(name, original)"}, "nothing is returned; return the module"),
)
# fmt: on
