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
        # children first then test
        r"""
@mine.extend
class Module:
    def train(self, mode=True):
        for c in self.children(): c.train(mode)
        if not isinstance(mode, bool): raise ValueError("m")
        self.training = mode
        return self
    def eval(self): return self.train(False)
""",
        # match
        r"""
@mine.extend
class Module:
    def train(self, mode=True):
        match mode:
            case True | False: vars(self)["training"] = mode
            case _: raise ValueError(mode)
        [c.train(mode) for _, c in self.named_children()]
        return self
    def eval(self): return type(self).train(self, mode=False)
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
        # where
        r"""
@mine.extend
class Dropout(Module):
    def __init__(self, p=0.5):
        super().__init__()
        if not (p >= 0 and p <= 1): raise ValueError("p")
        self.p = p
    def forward(self, x):
        match self.training, self.p:
            case False, _: return x
            case True, 1: return nbmodule.zeros_like(x) * x
        return nbmodule.where(nbmodule.rand(x.shape) < self.p, nbmodule.zeros(x.shape), x / (1 - self.p))
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
        # F.batch_norm
        r"""
@mine.extend
class BatchNorm1d(Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight, self.bias = Parameter(nbmodule.ones(num_features)), Parameter(nbmodule.zeros(num_features))
        self.register_buffer("running_mean", nbmodule.zeros(num_features))
        self.register_buffer("running_var", nbmodule.ones(num_features))
        self.register_buffer("num_batches_tracked", tensor(0))
    def forward(self, x):
        if (n := len(x)) == 1: raise ValueError("1")
        mean = x.sum(0) / n
        var = ((x - mean) ** 2).sum(0) / n
        return self.weight / (var + self.eps) ** 0.5 * (x - mean) + self.bias
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
        # lerp
        r"""
@mine.extend
class BatchNorm1d(Module):
    def forward(self, x):
        mean, var = self.running_mean, self.running_var
        if self.training:
            if len(x) == 1:
                raise ValueError(f"a batch of one row has no variance: {tuple(x.shape)}")
            mean, var = x.mean(0), x.var(0, correction=0)
            with nbmodule.no_grad():
                keep = 1 - self.momentum
                self.running_mean.lerp_(mean, self.momentum)
                self.running_var.mul_(keep).add_(self.momentum * x.var(0))
                self.num_batches_tracked += 1
        return (x - mean) / (var + self.eps).sqrt() * self.weight + self.bias
""",
        # data
        r"""
@mine.extend
class BatchNorm1d(Module):
    def forward(self, x):
        mean, var = self.running_mean, self.running_var
        if self.training:
            if len(x) == 1:
                raise ValueError(f"a batch of one row has no variance: {tuple(x.shape)}")
            mean, var = x.mean(0), x.var(0, correction=0)
            if True:
                keep = 1 - self.momentum
                self.running_mean.data += self.momentum * (mean.data - self.running_mean.data)
                self.running_var.data += self.momentum * (x.data.var(0) - self.running_var.data)
                self.num_batches_tracked += 1
        return (x - mean) / (var + self.eps).sqrt() * self.weight + self.bias
""",
        # early return
        r"""
@mine.extend
class BatchNorm1d(Module):
    def forward(self, x):
        if not self.training:
            return self._normal(x, self.running_mean, self.running_var)
        if len(x) < 2:
            raise ValueError('one row')
        mean, var = x.mean(0), x.var(0, unbiased=False)
        for old, new in ((self.running_mean, mean), (self.running_var, x.var(0))):
            old.copy_((1 - self.momentum) * old + self.momentum * new.detach())
        self.num_batches_tracked.add_(1)
        return self._normal(x, mean, var)

    def _normal(self, x, mean, var):
        return (x - mean) * (var + self.eps).rsqrt() * self.weight + self.bias
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
        # contextmanager
        r"""
@mine.extend
def evaluate(model, *inputs):
    from contextlib import contextmanager
    @contextmanager
    def asleep():
        modes = {m: m.training for m in model.modules()}
        try:
            yield model.eval()
        finally:
            for m, mode in modes.items(): m.training = mode
    with asleep() as quiet, nbmodule.no_grad():
        return quiet(*inputs)
""",
        # exitstack
        r"""
@mine.extend
def evaluate(model, *inputs):
    from contextlib import ExitStack
    with ExitStack() as stack:
        for m in list(model.modules()):
            stack.callback(setattr, m, "training", m.training)
        model.train(False)
        stack.enter_context(nbmodule.no_grad())
        return model(*inputs)
""",
    ],
}
