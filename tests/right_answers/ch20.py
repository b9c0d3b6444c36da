"""Right answers to the exercises of chapter 20."""

from __future__ import annotations

RIGHT = {
    "20.1": [
        # the formula is asked: what the layers make of zeros and of a unit matrix
        r"""
@mine.extend
def collapsed(*layers):
    def through(x):
        for layer in layers:
            x = layer(x)
        return x

    first, last = layers[0], layers[-1]
    with nbmodule.no_grad():
        unit = nbmodule.eye(first.in_features, dtype=first.weight.dtype)
        bias = through(nbmodule.zeros(1, first.in_features, dtype=first.weight.dtype))[0]
        weight = (through(unit) - bias).T
        single = MyLinear(first.in_features, last.out_features)
        if weight.dtype != single.weight.dtype:
            single = single.to(weight.dtype)
        single.weight.copy_(weight)
        single.bias.copy_(bias)
    return single
""",
        # two at a time, from the end, with new Parameters
        r"""
@mine.extend
def collapsed(*layers):
    *earlier, last = layers
    weight, bias = last.weight.detach().clone(), last.bias.detach().clone()
    while earlier:
        layer = earlier.pop()
        bias = bias + weight @ layer.bias.detach()
        weight = weight @ layer.weight.detach()
    result = MyLinear(weight.size(1), weight.size(0))
    result.weight, result.bias = nn.Parameter(weight), nn.Parameter(bias)
    return result
""",
    ],
    "20.2": [
        # every layer written out; kaiming_normal_ of the library
        r"""
@mine.extend
def initialize(module):
    weight = module._parameters.get("weight")
    bias = module._parameters.get("bias")
    if weight is not None:
        if weight.ndim >= 2:
            init.kaiming_normal_(weight, nonlinearity="relu")
        else:
            init.ones_(weight)
    if bias is not None:
        init.zeros_(bias)

@mine.extend
class ZebraNet(Module):
    def __init__(self, layers, num_classes=10):
        super().__init__()
        self.convpart = layers.Sequential(
            layers.Conv2d(1, 8, kernel_size=3, padding=1, bias=False),
            layers.BatchNorm2d(8),
            layers.ReLU(),
            layers.MaxPool2d(kernel_size=(2, 2)),
            layers.Conv2d(8, 16, kernel_size=(3, 3), padding=(1, 1), bias=False),
            layers.BatchNorm2d(16),
            layers.ReLU(),
            layers.Conv2d(16, 32, kernel_size=3, padding=1, bias=False),
            layers.BatchNorm2d(32),
            layers.ReLU(),
        )
        self.avgpooling = layers.AdaptiveAvgPool2d(3)
        self.classifier = layers.Linear(32 * 3 * 3, num_classes)
        self.apply(initialize)

    def features(self, x):
        x = self.convpart(x)
        x = self.avgpooling(x)
        return x.reshape(len(x), 288)

    def forward(self, x):
        x = self.features(x)
        return self.classifier(x)
""",
        # a loop over the Modules, and numbers from randn
        r"""
@mine.extend
def initialize(module):
    with nbmodule.no_grad():
        for name, param in module.named_parameters(recurse=False):
            if param.dim() > 1:
                n = math.prod(param.shape[1:])
                param.copy_(nbmodule.randn(param.shape) * (2 / n) ** 0.5)
            else:
                param.fill_(float(name == "weight"))

@mine.extend
class ZebraNet(Module):
    def __init__(self, layers, num_classes=10):
        super().__init__()
        channels, parts = [1, 8, 16, 32], []
        for i in range(3):
            parts += [layers.Conv2d(channels[i], channels[i + 1], 3, 1, 1, bias=False)]
            parts += [layers.BatchNorm2d(channels[i + 1])]
            parts += [layers.ReLU()]
            if i == 0:
                parts += [layers.MaxPool2d(2, 2)]
        self.convpart = layers.Sequential(*parts)
        self.avgpooling = layers.AdaptiveAvgPool2d((3, 3))
        self.classifier = layers.Linear(288, num_classes)
        for module in self.modules():
            initialize(module)

    def features(self, x):
        return nbmodule.flatten(self.avgpooling(self.convpart(x)), 1)

    def forward(self, x):
        return self.classifier(self.features(x))
""",
    ],
    "20.3": [
        # one number for each pair
        r"""
@mine.extend
def confusion(truth, guesses, num_classes):
    pairs = num_classes * truth + guesses
    return nbmodule.bincount(pairs, minlength=num_classes**2).reshape(num_classes, num_classes)
""",
        # NumPy's add.at
        r"""
@mine.extend
def confusion(truth, guesses, num_classes):
    table = np.zeros((num_classes, num_classes), dtype=np.int64)
    np.add.at(table, (truth.numpy(), guesses.numpy()), 1)
    return nbmodule.from_numpy(table)
""",
        # a question for each cell
        r"""
@mine.extend
def confusion(truth, guesses, num_classes):
    rows = [[((truth == t) & (guesses == g)).sum().item() for g in range(num_classes)] for t in range(num_classes)]
    return nbmodule.tensor(rows)
""",
    ],
    "20.4": [
        # the handle as a context manager, topk, a dict
        r"""
@mine.extend
def strongest(model, path, pictures, count=8):
    kept = {}

    def keep(module, args, output):
        kept["maps"] = output.clone()

    with model.get_submodule(path).register_forward_hook(keep):
        evaluate(model, pictures)
    peaks = kept["maps"].flatten(2).max(2)[0]
    return peaks.topk(count, dim=0)[1].transpose(0, 1)
""",
        # sorted in plain Python
        r"""
@mine.extend
def strongest(model, path, pictures, count=8):
    outputs = []
    layer = dict(model.named_modules())[path]
    handle = layer.register_forward_hook(lambda module, args, output: outputs.append(output.detach()))
    try:
        evaluate(model, pictures)
    finally:
        handle.remove()
    rows = []
    for channel in range(outputs[0].shape[1]):
        peaks = [picture[channel].max().item() for picture in outputs[0]]
        rows.append(sorted(range(len(peaks)), key=peaks.__getitem__, reverse=True)[:count])
    return tensor(rows)
""",
    ],
    "20.5": [
        # a subclass for each object
        r"""
@mine.extend
def freeze(module):
    for param in module.parameters():
        param.requires_grad = False
    for part in module.modules():
        if not hasattr(type(part), "_unfrozen"):
            kind = type(part)
            part.training = False
            part.__class__ = type(kind.__name__, (kind,), {"train": lambda self, mode=True: self, "_unfrozen": kind})
    return module

@mine.extend
def unfreeze(module):
    for part in module.modules():
        part.__class__ = getattr(type(part), "_unfrozen", type(part))
    for param in module.parameters():
        param.requires_grad = True
    module.train()
    return module
""",
        # from the outside in, with a method that was bound by hand
        r"""
@mine.extend
def freeze(module):
    def still(part, mode=True):
        return part

    module.eval()
    module.requires_grad_(False)
    for part in list(module.modules()):
        setattr(part, "train", still.__get__(part))
    return module

@mine.extend
def unfreeze(module):
    for part in module.modules():
        if "train" in part.__dict__:
            del part.train
    module.train(True)
    module.requires_grad_()
    return module
""",
    ],
    "20.6": [
        # the parent is asked for, and given the new one
        r"""
@mine.extend
def swap_head(model, num_classes):
    path = None
    for name, part in model.named_modules():
        if hasattr(part, "out_features"):
            path = name
    if not path:
        raise ValueError("no head")
    parent, _, last = path.rpartition(".")
    parent = model.get_submodule(parent) if parent else model
    old = getattr(parent, last) if not isinstance(parent, (nn.ModuleDict, nn.ModuleList)) else parent._modules[last]
    new = old.__class__(old.in_features, num_classes, old.bias is not None)
    new = new.to(device=old.weight.device, dtype=old.weight.dtype)
    parent._modules[last] = new
    return old
""",
        # backwards, with next
        r"""
@mine.extend
def swap_head(model, num_classes):
    modules = [(path, part) for path, part in model.named_modules() if path]
    found = next((pair for pair in reversed(modules) if hasattr(pair[1], "out_features")), None)
    if found is None:
        raise ValueError(f"there is no head in {model}")
    path, old = found
    new = type(old)(in_features=old.in_features, out_features=num_classes, bias=bool(old.bias is not None))
    model.set_submodule(path, new.to(old.weight.dtype).to(old.weight.device))
    return old
""",
    ],
}
