"""Right answers to the exercises of chapter 21; the first of each is PyTorch's own way."""

from __future__ import annotations

RIGHT = {
    "21.1": [
        r"""
@mine.extend
class Masking:
    def __init__(self, name):
        self._tensor_name = self.name = name

    def __call__(self, module, inputs):
        setattr(module, self._tensor_name, self.apply_mask(module))

    def apply_mask(self, module):
        mask = getattr(module, self._tensor_name + "_mask")
        orig = getattr(module, self._tensor_name + "_orig")
        return mask.to(dtype=orig.dtype) * orig

@mine.extend
def custom_from_mask(module, name, mask):
    method = Masking(name)
    orig = getattr(module, name)
    module.register_parameter(name + "_orig", orig)
    del module._parameters[name]
    module.register_buffer(name + "_mask", mask.to(dtype=orig.dtype))
    setattr(module, name, method.apply_mask(module))
    module.register_forward_pre_hook(method)
    return module
""",
        # where() in place of a product, and f-strings
        r"""
@mine.extend
class Masking:
    def __init__(self, name):
        self.name = name

    def __call__(self, module, _):
        mask, original = getattr(module, f"{self.name}_mask"), getattr(module, f"{self.name}_orig")
        module.__dict__[self.name] = nbmodule.where(mask != 0, original, nbmodule.zeros_like(original))

@mine.extend
def custom_from_mask(module, name, mask):
    parameter = module._parameters.pop(name)
    setattr(module, f"{name}_orig", parameter)
    module.register_buffer(f"{name}_mask", nbmodule.ones_like(parameter.detach()) * mask)
    module.register_forward_pre_hook(Masking(name))
    list(module._forward_pre_hooks.values())[-1](module, ())
    return module
""",
    ],
    "21.2": [
        r"""
@mine.extend
def remove(module, name):
    for k, hook in list(module._forward_pre_hooks.items()):
        if isinstance(hook, Masking) and hook.name == name:
            hook(module, None)
            weight = getattr(module, name)
            orig = module._parameters[name + "_orig"]
            orig.data = weight.data
            del module._parameters[name + "_orig"]
            del module._buffers[name + "_mask"]
            delattr(module, name)
            setattr(module, name, orig)
            del module._forward_pre_hooks[k]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")
""",
        # in place, and without a loop
        r"""
@mine.extend
def remove(module, name):
    keys = [k for k, h in module._forward_pre_hooks.items() if type(h) is Masking and h.name == name]
    if not keys:
        raise ValueError(name)
    original, mask = module._parameters.pop(f"{name}_orig"), module._buffers.pop(f"{name}_mask")
    with nbmodule.no_grad():
        original.mul_(mask)
    module._forward_pre_hooks.pop(keys[0])
    module.__dict__.pop(name)
    module._parameters[name] = original
    return module
""",
        # an exception of its own
        r"""
class NotPruned(ValueError):
    pass


@mine.extend
def remove(module, name):
    hooks = module._forward_pre_hooks
    found = {h.name: k for k, h in hooks.items() if isinstance(h, Masking)}
    if name not in found:
        raise NotPruned(name)
    del hooks[found[name]]
    original = module.get_parameter(name + "_orig")
    original.data.mul_(module.get_buffer(name + "_mask"))
    for gone in (name + "_orig", name + "_mask", name):
        delattr(module, gone)
    setattr(module, name, original)
    return module
""",
    ],
    "21.3": [
        r"""
@mine.extend
def parametrize(module, name, compute):
    cls = module.__class__

    class Parametrized(cls):
        pass

    Parametrized.__name__ = f"Parametrized{cls.__name__}"

    def get_parametrized(self):
        return compute(self._parameters[name + "_raw"])

    setattr(Parametrized, name, property(get_parametrized))
    raw = module._parameters[name]
    del module._parameters[name]
    module.register_parameter(name + "_raw", raw)
    module.__class__ = Parametrized
    return module
""",
        # a lambda, and attributes in place of methods
        r"""
@mine.extend
def parametrize(module, name, compute):
    raw_name = f"{name}_raw"
    setattr(module, raw_name, module._parameters.pop(name))
    computed = property(lambda m: compute(getattr(m, raw_name)))
    module.__class__ = type(f"Parametrized{type(module).__name__}", (type(module),), {name: computed})
    return module
""",
    ],
    "21.4": [
        r"""
@mine.extend
class Int8Linear(Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.register_buffer("weight_int8", nbmodule.zeros((out_features, in_features)).to(nbmodule.int8))
        self.register_buffer("weight_scale", nbmodule.ones((out_features,)))
        if bias:
            self.register_buffer("bias_float", nbmodule.zeros((out_features,)))
        else:
            self.register_buffer("bias_float", None)

    def forward(self, x):
        return nbmodule.nn.functional.linear(x, self.weight_int8 * self.weight_scale.unsqueeze(1), self.bias_float)

    @classmethod
    def from_float(cls, layer):
        w = layer.weight.data
        out_features, in_features = w.shape
        q = cls(in_features, out_features, bias=layer.bias is not None).to(w.dtype)
        largest = w.abs().max(dim=1).values
        scale = nbmodule.where(largest > 0, largest / 127, nbmodule.ones_like(largest))
        q.weight_scale.copy_(scale)
        q.weight_int8.copy_((w / scale.unsqueeze(1)).round())
        if layer.bias is not None:
            q.bias_float.copy_(layer.bias.data)
        return q
""",
        # the scale is applied to the outputs, row by row in a loop
        r"""
@mine.extend
class Int8Linear(Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.register_buffer("weight_scale", nbmodule.ones(out_features))
        self.register_buffer("weight_int8", nbmodule.zeros(out_features, in_features, dtype=nbmodule.int8))
        self.register_buffer("bias_float", None if not bias else nbmodule.zeros(out_features))

    def forward(self, x):
        y = (x @ self.weight_int8.to(x.dtype).T) * self.weight_scale
        if self.bias_float is not None:
            y = y + self.bias_float
        return y

    @classmethod
    def from_float(cls, layer):
        rows = layer.weight.detach().clone()
        q = cls(rows.size(1), rows.size(0), bool(layer.bias is not None))
        scales = []
        for number, row in enumerate(rows):
            scale = max(row.abs().max().item() / 127, 1e-12)
            scales.append(scale)
            q.weight_int8[number] = (row / scale).round().clamp(-127, 127).to(nbmodule.int8)
        q.weight_scale = nbmodule.tensor(scales, dtype=rows.dtype)
        if layer.bias is not None:
            q.bias_float = layer.bias.detach().clone()
        return q
""",
    ],
}
