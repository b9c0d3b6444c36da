"""Right answers to the exercises of chapter 09."""

from __future__ import annotations

RIGHT = {
    "09.1": [
        r"""
@mine.extend
class Module:
    def train(self, mode: bool = True):
        if mode is not True and mode is not False:
            raise ValueError(f"mode must be True or False, got {mode!r}")
        self.__dict__["training"] = mode
        for child in self._modules.values():
            if child is not None:
                child.train(mode)
        return self

    def eval(self):
        return self.train(mode=False)
""",
        r"""
@mine.extend
class Module:
    def train(self, mode=True):
        if type(mode) != bool:
            raise ValueError("no such mode")
        [child.train(mode) for _, child in self.named_children()]
        self.training = mode
        return self
    eval = lambda self: self.train(False)
""",
    ],
    "09.2": [
        r"""
@mine.extend
class Dropout(Module):
    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError("p")
        self.p = p
        self.inplace = inplace

    def forward(self, input):
        return nn.functional.dropout(input, self.p, self.training, self.inplace)
""",
        r"""
@mine.extend
class Dropout(Module):
    def __init__(self, p=0.5):
        if p not in (0, 1) and not 0 < p < 1:
            raise ValueError(p)
        super().__init__()
        self.p = p

    def forward(self, x):
        if self.training is False:
            return x
        mask = nbmodule.bernoulli(nbmodule.full(x.shape, 1 - float(self.p)))
        scale = 1 / (1 - self.p) if self.p < 1 else 0
        return mask * scale * x
""",
        r"""
@mine.extend
class Dropout(Module):
    def __init__(self, p=0.5):
        super().__init__()
        self.p = p
        if min(p, 1 - p) < 0:
            raise ValueError("p is a probability")

    def forward(self, x):
        if self.training:
            x = x / max(1 - self.p, 1e-9)
            return nbmodule.where(nbmodule.rand_like(x) < self.p, nbmodule.zeros_like(x), x)
        return x
""",
    ],
    "09.3": [
        r"""
@mine.extend
class BatchNorm1d(Module):
    def __init__(self, num_features, eps=0.00001, momentum=0.1):
        super().__init__()
        self.register_buffer("num_batches_tracked", nbmodule.zeros((), dtype=nbmodule.int64))
        for name, start in (("mean", nbmodule.zeros), ("var", nbmodule.ones)):
            self.register_buffer(f"running_{name}", start(num_features))
        self.bias = nn.Parameter(nbmodule.zeros(num_features))
        self.weight = nn.Parameter(nbmodule.ones(num_features))
        self.num_features, self.eps, self.momentum = num_features, eps, momentum

    def forward(self, batch):
        rows = batch.shape[0]
        if rows < 2:
            raise ValueError("Expected more than 1 value per channel when training")
        mean = batch.sum(0) / rows
        centered = batch - mean
        var = (centered * centered).sum(0) / rows
        return self.bias + self.weight * centered * (var + self.eps) ** -0.5
""",
        r"""
@mine.extend
class BatchNorm1d(Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.register_parameter("weight", Parameter(nbmodule.ones(num_features)))
        self.register_parameter("bias", Parameter(nbmodule.zeros(num_features)))
        self.register_buffer("running_mean", nbmodule.zeros(num_features))
        self.register_buffer("running_var", nbmodule.ones(num_features))
        self.register_buffer("num_batches_tracked", tensor(0))

    def forward(self, x):
        return nn.functional.batch_norm(x, None, None, self.weight, self.bias, True, 0.0, self.eps)
""",
    ],
    "09.4": [
        r"""
@mine.extend
class BatchNorm1d(Module):
    def forward(self, x):
        if self.training:
            self.num_batches_tracked.add_(1)
        return nn.functional.batch_norm(
            x, self.running_mean, self.running_var, self.weight, self.bias, self.training, self.momentum, self.eps
        )
""",
        r"""
@mine.extend
class BatchNorm1d(Module):
    def forward(self, x):
        if not self.training:
            return self.scaled(x, self.running_mean, self.running_var)
        n = len(x)
        if n == 1:
            raise ValueError("one row")
        mean, var = x.mean(0), ((x - x.mean(0)) ** 2).mean(0)
        m = self.momentum
        self.running_mean = (1 - m) * self.running_mean + m * mean.detach()
        self.running_var = (1 - m) * self.running_var + m * var.detach() * n / (n - 1)
        self.num_batches_tracked = self.num_batches_tracked + 1
        return self.scaled(x, mean, var)

    def scaled(self, x, mean, var):
        return self.weight * (x - mean) / nbmodule.sqrt(var + self.eps) + self.bias
""",
    ],
    "09.5": [
        r"""
@mine.extend
def evaluate(model, *inputs):
    before = {name: module.training for name, module in model.named_modules()}
    try:
        with nbmodule.inference_mode():
            return model.train(False)(*inputs)
    finally:
        for name, module in model.named_modules():
            module.training = before[name]
""",
        r"""
@mine.extend
@nbmodule.no_grad()
def evaluate(model, *args):
    modules = list(model.modules())
    modes = [m.training for m in modules]
    try:
        return model.eval()(*args)
    finally:
        for m, mode in zip(modules, modes):
            m.training = mode
""",
    ],
}
