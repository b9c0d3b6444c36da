"""Right answers to the exercises of chapters 05 to 09 as nobody expects them."""

from __future__ import annotations

RIGHT = {
    "05.1": [
        # one method with chained raise
        r"""
@mine.extend
class Module:
    def register_parameter(self, name, param):
        error = None
        if not isinstance(name, str):
            error = TypeError(f"{name!r} is no string")
        elif not name or "." in name:
            error = KeyError(name)
        elif name not in self._parameters and hasattr(self, name):
            error = KeyError(f"{name} exists")
        elif not isinstance(param, (Parameter, type(None))):
            error = TypeError(f"{name}")
        if error:
            raise error
        self._parameters[name] = param
""",
        # union isinstance
        r"""
@mine.extend
class Module:
    def register_parameter(self, name, param):
        self._check_name(name, self.__dict__["_parameters"])
        if not isinstance(param, Parameter | None):
            raise TypeError(f"{name}: {param!r}")
        self.__dict__["_parameters"][name] = param

    def _check_name(self, name, entries):
        match name:
            case str() if name == "" or name.find(".") >= 0:
                raise KeyError(f"bad {name!r}")
            case str() if name not in entries and hasattr(self, name):
                raise KeyError(f"{name} taken")
            case str():
                return
            case _:
                raise TypeError(f"not {name!r}")
""",
    ],
    "05.2": [
        # set ops in place
        r"""
@mine.extend
class Module:
    def register_buffer(self, name, tensor, persistent=True):
        self._check_name(name, self._buffers)
        if not isinstance(tensor, (Tensor, type(None))):
            raise TypeError(f"{name}")
        self._buffers |= {name: tensor}
        unsaved = self._non_persistent_buffers_set
        if persistent: unsaved -= {name}
        else: unsaved |= {name}
""",
        # symmetric
        r"""
@mine.extend
class Module:
    def register_buffer(self, name, tensor, persistent=True):
        self._check_name(name, entries=self._buffers)
        if tensor is not None and not issubclass(type(tensor), Tensor):
            raise TypeError(f"{name}")
        self._buffers[name] = tensor
        if (name in self._non_persistent_buffers_set) == bool(persistent):
            self._non_persistent_buffers_set ^= {name}
""",
    ],
    "05.3": [
        # strip dot
        r"""
@mine.extend
class Module:
    def named_parameters(self, prefix="", recurse=True):
        for name, p in self._parameters.items():
            if p is not None:
                yield (prefix + "." + name).strip("."), p
        if recurse:
            for name, c in self._modules.items():
                if c is not None:
                    yield from c.named_parameters((prefix + "." + name))

    def parameters(self, recurse=True):
        for _, p in self.named_parameters("", recurse):
            yield p
""",
        # chain & genexp
        r"""
@mine.extend
class Module:
    def named_parameters(self, prefix="", recurse=True):
        from itertools import chain
        dot = f"{prefix}." * bool(prefix)
        own = ((dot + n, p) for n, p in self._parameters.items() if p is not None)
        below = (c.named_parameters(dot + n) for n, c in self._modules.items() if c is not None) if recurse else ()
        return chain(own, chain.from_iterable(below))

    def parameters(self, recurse=True):
        return (p for _, p in self.named_parameters(recurse=recurse))
""",
        # dict items iter
        r"""
@mine.extend
class Module:
    def named_parameters(self, prefix="", recurse=True):
        from functools import reduce
        dot = prefix and prefix + "."
        found = [(dot + n, p) for n, p in self._parameters.items() if p is not None]
        if recurse:
            found = reduce(lambda so_far, pair: so_far + list(pair[1].named_parameters(dot + pair[0])), [(n, c) for n, c in self._modules.items() if c is not None], found)
        yield from found

    def parameters(self, recurse=True):
        yield from [p for _, p in self.named_parameters(recurse=recurse)]
""",
    ],
    "05.4": [
        # or set
        r"""
@mine.extend
class Module:
    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        return self._named_members(lambda m: m._parameters.items(), prefix, recurse, remove_duplicate)

    def _named_members(self, members, prefix, recurse, remove_duplicate, seen=None):
        seen = seen or set()
        if self in seen:
            return
        if remove_duplicate:
            seen.add(self)
        dot = prefix + "." if prefix else ""
        for name, value in members(self):
            if value is not None and value not in seen:
                if remove_duplicate:
                    seen.add(value)
                yield dot + name, value
        for name, child in self._modules.items() if recurse else ():
            if child is not None:
                yield from child._named_members(members, dot + name, True, remove_duplicate, seen)
""",
        # two sets
        r"""
@mine.extend
class Module:
    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        from operator import attrgetter
        return self._named_members(lambda m: attrgetter("_parameters")(m).items(), prefix=prefix, recurse=recurse, remove_duplicate=remove_duplicate)

    def _named_members(self, members, prefix="", recurse=True, remove_duplicate=True, seen=None):
        modules, values = seen or (set(), set())
        if remove_duplicate:
            if self in modules: return
            modules |= {self}
        for name, value in members(self):
            if value is None or value in values: continue
            remove_duplicate and values.add(value)
            yield prefix + "." * bool(prefix) + name, value
        if not recurse: return
        for name, child in self._modules.items():
            if child is None: continue
            yield from child._named_members(members, prefix + "." * bool(prefix) + name, True, remove_duplicate, (modules, values))
""",
    ],
    "05.5": [
        # map/itemgetter
        r"""
@mine.extend
class Module:
    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        return self._named_members(type(self)._items_of, prefix, recurse, remove_duplicate)

    def _items_of(self):
        yield from self._buffers.items()

    def buffers(self, recurse=True):
        from operator import itemgetter
        return map(itemgetter(1), self.named_buffers(recurse=recurse))
""",
    ],
    "05.6": [
        # reduce
        r"""
@mine.extend
def sizes(model):
    from functools import reduce
    def add(found, pair):
        path, value = pair
        first = path.split(".", 1)[0]
        t, f = found.get(first, (0, 0))
        n = value.numel()
        return found | {first: (t + n * value.requires_grad, f + n * (not value.requires_grad))}
    return reduce(add, [*model.named_parameters(), *model.named_buffers()], {})
""",
    ],
    "06.1": [
        # super after
        r"""
@mine.extend
class MyLinear(Module):
    def __init__(self, in_features, out_features, bias=True):
        self.in_features = in_features
        self.out_features = out_features
        super().__init__()
        self.weight = Parameter(nbmodule.randn(out_features, in_features))
        if bias: self.bias = Parameter(nbmodule.randn(out_features))
        else: self.register_parameter("bias", None)
    def forward(self, x):
        y = x @ self.weight.T
        return y if self.bias is None else y + self.bias
""",
        # register everything by loop
        r"""
@mine.extend
class MyLinear(Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        vars(self).update(in_features=in_features, out_features=out_features)
        shapes = {"weight": (out_features, in_features), "bias": (out_features,) if bias else None}
        for name, shape in shapes.items():
            self.register_parameter(name, None if shape is None else Parameter(nbmodule.randn(*shape)))
    def forward(self, x):
        match self.bias:
            case None: return x.matmul(self.weight.transpose(0, 1))
            case b: return b + x.matmul(self.weight.transpose(0, 1))
""",
        # einsum
        r"""
@mine.extend
class MyLinear(Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(nbmodule.randn(out_features, in_features))
        self.register_parameter("bias", Parameter(nbmodule.randn(out_features)) if bias else None)
    def forward(self, x):
        y = nbmodule.einsum("...i,oi->...o", x, self.weight)
        if (b := self.bias) is not None:
            y = y + b
        return y
""",
    ],
    "06.2": [
        # copy_ of rand
        r"""
@mine.extend
class MyLinear(Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(nbmodule.randn(out_features, in_features))
        self.register_parameter("bias", Parameter(nbmodule.randn(out_features)) if bias else None)
        self.reset_parameters()
    def reset_parameters(self):
        with nbmodule.no_grad():
            [p.copy_((2 * nbmodule.rand(p.shape) - 1) / math.sqrt(self.in_features)) for p in self.parameters()]
    def extra_repr(self):
        return "in_features={}, out_features={}, bias={}".format(self.in_features, self.out_features, not self.bias is None)
""",
    ],
    "06.3": [
        # loops over names
        r"""
from collections import OrderedDict


@mine.extend
class Module:
    call_super_init = False

    def __init__(self, *args, **kwargs):
        if self.call_super_init is False and bool(kwargs):
            raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'")
        if self.call_super_init is False and bool(args):
            raise TypeError(f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given")
        super().__setattr__('training', True)
        super().__setattr__('_parameters', {})
        super().__setattr__('_buffers', {})
        super().__setattr__('_non_persistent_buffers_set', set())
        super().__setattr__('_backward_pre_hooks', OrderedDict())
        super().__setattr__('_backward_hooks', OrderedDict())
        super().__setattr__('_is_full_backward_hook', None)
        for n in ('_forward_hooks', '_forward_hooks_with_kwargs', '_forward_hooks_always_called', '_forward_pre_hooks', '_forward_pre_hooks_with_kwargs', '_state_dict_hooks', '_state_dict_pre_hooks', '_load_state_dict_pre_hooks', '_load_state_dict_post_hooks'):
            super().__setattr__(n, OrderedDict())
        super().__setattr__('_modules', {})
        if self.call_super_init:
            super().__init__(*args, **kwargs)
""",
        # match
        r"""
from collections import OrderedDict


@mine.extend
class Module:
    call_super_init = False

    def __init__(self, *args, **kwargs):
        if not self.call_super_init:
            who = f"{type(self).__name__}.__init__()"
            match list(kwargs):
                case [first, *_]:
                    raise TypeError(f"{who} got an unexpected keyword argument {first!r}")
            if args:
                raise TypeError(f"{who} takes 1 positional argument but {len(args) + 1} were given")
        slots = self.__dict__
        slots["training"] = True
        slots["_parameters"] = {}
        slots["_buffers"] = {}
        slots["_non_persistent_buffers_set"] = set()
        slots["_backward_pre_hooks"] = OrderedDict()
        slots["_backward_hooks"] = OrderedDict()
        slots["_is_full_backward_hook"] = None
        slots["_forward_hooks"] = OrderedDict()
        slots["_forward_hooks_with_kwargs"] = OrderedDict()
        slots["_forward_hooks_always_called"] = OrderedDict()
        slots["_forward_pre_hooks"] = OrderedDict()
        slots["_forward_pre_hooks_with_kwargs"] = OrderedDict()
        slots["_state_dict_hooks"] = OrderedDict()
        slots["_state_dict_pre_hooks"] = OrderedDict()
        slots["_load_state_dict_pre_hooks"] = OrderedDict()
        slots["_load_state_dict_post_hooks"] = OrderedDict()
        slots["_modules"] = {}
        if self.call_super_init:
            super().__init__(*args, **kwargs)
""",
    ],
    "06.4": [
        # detach_
        r"""
@mine.extend
class Module:
    def requires_grad_(self, requires_grad=True):
        for p in self.parameters():
            p.detach_()
            p.requires_grad = requires_grad or p.requires_grad
        return self
""",
        # reduce
        r"""
@mine.extend
class Module:
    def requires_grad_(self, requires_grad=True):
        from functools import reduce
        return reduce(lambda m, p: (p.requires_grad_(requires_grad), m)[1], self.parameters(), self)
""",
    ],
    "06.5": [
        # amax amin
        r"""
@mine.extend
class Repeat(Module):
    def __init__(self, layer, limit=1.0, most=10):
        super().__init__()
        self.add = None
        self.layer = layer
        self.limit = limit
        self.most = most
    def forward(self, x):
        from itertools import repeat
        for call in repeat(self.layer, self.most):
            if max(x.max().item(), -x.min().item()) <= self.limit:
                return x
            x = call(x)
        return x
""",
    ],
    "07.1": [
        # dict comprehension reversed
        r"""
@mine.extend
class Module:
    def named_children(self):
        first = {c: n for n, c in reversed(list(self._modules.items()))}
        return ((n, c) for n, c in self._modules.items() if c is not None and first[c] == n)
    def children(self):
        yield from filter(lambda c: c is not None, dict.fromkeys(self._modules.values()))
""",
    ],
    "07.2": [
        # inner function
        r"""
@mine.extend
class Module:
    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        if memo is None: memo = set()
        def walk(m, path):
            if m is None or m in memo: return
            remove_duplicate and memo.add(m)
            yield path, m
            for n, c in m._modules.items():
                yield from walk(c, f"{path}.{n}" if path else n)
        return walk(self, prefix)
    def modules(self, remove_duplicate=True):
        yield from dict.fromkeys(m for _, m in self.named_modules()) if remove_duplicate else (m for _, m in self.named_modules(remove_duplicate=False))
""",
    ],
    "07.3": [
        # break after first
        r"""
@mine.extend
class Module:
    def _named_members(self, members, prefix, recurse, remove_duplicate):
        seen = set()
        for path, module in self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate):
            for name, value in members(module):
                if value is not None and value not in seen:
                    if remove_duplicate: seen.add(value)
                    yield f"{path}.{name}" if path else name, value
            if not recurse: break
""",
        # genexp with setdefault
        r"""
@mine.extend
class Module:
    def _named_members(self, members, prefix, recurse, remove_duplicate):
        seen = {}
        walk = self.named_modules(None, prefix, remove_duplicate) if recurse else iter([(prefix, self)])
        pairs = ((".".join([*filter(None, [path])] + [name]), value) for path, module in walk for name, value in members(module) if value is not None)
        if not remove_duplicate:
            return pairs
        return ((name, value) for name, value in pairs if seen.setdefault(id(value), name) == name)
""",
    ],
    "07.4": [
        # reduce
        r"""
@mine.extend
class Module:
    def apply(self, fn):
        from functools import reduce
        reduce(lambda _, c: c.apply(fn), self.children(), None)
        fn(self)
        return self
""",
        # own stack
        r"""
@mine.extend
class Module:
    def apply(self, fn):
        order, stack = [], [self]
        while stack:
            m = stack.pop()
            order.append(m)
            stack += list(m.children())
        for m in reversed(order):
            fn(m)
        return self
""",
    ],
    "07.5": [
        # recursion + match
        r"""
@mine.extend
class Module:
    def get_submodule(self, target):
        if target == "": return self
        name, dot, rest = target.partition(".")
        child = getattr(self, name)
        if not isinstance(child, Module):
            raise AttributeError(f"{name!r} isn't a Module")
        if dot and not rest:
            raise AttributeError("'' is missing")
        return child.get_submodule(rest)
    def get_parameter(self, target):
        return self._get(target, Parameter)
    def _get(self, target, kind):
        *names, last = target.split(".")
        match getattr(self.get_submodule(".".join(names)), last):
            case kind() as found: return found
        raise AttributeError(f"`{last}` isn't a {kind}")
    def get_buffer(self, target):
        *names, last = target.split(".")
        owner = self.get_submodule(".".join(names))
        if last in owner._buffers:
            return owner._buffers[last]
        raise AttributeError("no buffer called `%s`" % last)
""",
        # reduce with step
        r"""
@mine.extend
class Module:
    def get_submodule(self, target):
        from functools import reduce
        def step(module, name):
            found = getattr(module, name, None)
            if isinstance(found, Module): return found
            raise AttributeError(f"{name} is not a Module of {type(module).__name__}")
        return reduce(step, target.split(".") if target else (), self)
    def get_parameter(self, target):
        head, tail = target.rsplit(".", 1) if "." in target else ("", target)
        if isinstance(found := getattr(self.get_submodule(head), tail), Parameter):
            return found
        raise AttributeError(tail)
    def get_buffer(self, target):
        head, tail = target.rsplit(".", 1) if "." in target else ("", target)
        try:
            return self.get_submodule(head)._buffers[tail]
        except KeyError:
            raise AttributeError(f"{tail} is not a buffer") from None
""",
    ],
    "07.6": [
        # alias
        r"""
@mine.extend
class Module:
    def add_module(self, name, module):
        self._check_name(name, self._modules)
        match module:
            case None | Module(): self._modules |= {name: module}
            case other: raise TypeError(f"{other!r}")
    register_module = add_module
    def set_submodule(self, target, module, strict=False):
        if not (target and isinstance(module, Module)):
            raise ValueError(target)
        *names, last = target.split(".")
        parent = self.get_submodule(".".join(names))
        if hasattr(parent, last) or strict:
            parent.get_submodule(last)
        parent.__setattr__(last, module)
""",
    ],
    "09.1": [
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
