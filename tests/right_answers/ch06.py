"""Right answers to the exercises of chapter 06."""

from __future__ import annotations

RIGHT = {
    "06.1": [
        r"""
from nbmodule.nn import functional as F

@mine.extend
class MyLinear(Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.register_parameter("weight", Parameter(nbmodule.randn((out_features, in_features))))
        self.register_parameter("bias", Parameter(nbmodule.randn(out_features)) if bias else None)
    def forward(self, input):
        return F.linear(input, self.weight, self.bias)
""",
        r"""
@mine.extend
class MyLinear(Module):
    def __init__(self, in_features, out_features, bias=True):
        Module.__init__(self)
        self.weight = Parameter(nbmodule.randn(in_features, out_features).T.contiguous())
        self.bias = Parameter(nbmodule.randn(out_features))
        if not bias:
            self.bias = None

    @property
    def in_features(self):
        return self.weight.shape[1]

    @property
    def out_features(self):
        return len(self.weight)

    def forward(self, x):
        out = nbmodule.matmul(x, self.weight.transpose(0, 1))
        if self.bias is not None:
            out = out + self.bias
        return out
""",
        r"""
@mine.extend
class MyLinear(Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        weight = nbmodule.empty(out_features, in_features).normal_()
        self.weight = Parameter(weight)
        self.bias = Parameter(nbmodule.randn(out_features))
        if not bias:
            self._parameters["bias"] = None

    def forward(self, x):
        return nbmodule.einsum("...i,oi->...o", x, self.weight) + (0 if self.bias is None else self.bias)
""",
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
        r"""
@mine.extend
class MyLinear(Module):
    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        factory_kwargs = {"device": device, "dtype": dtype}
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(nbmodule.empty((out_features, in_features), **factory_kwargs))
        if bias:
            self.bias = Parameter(nbmodule.empty(out_features, **factory_kwargs))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"
""",
        r"""
@mine.extend
class MyLinear(Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(nbmodule.randn(out_features, in_features))
        self.register_parameter("bias", Parameter(nbmodule.randn(out_features)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self):
        k = self.in_features ** -0.5
        with nbmodule.no_grad():
            for parameter in reversed(list(self.parameters())):
                parameter.copy_((nbmodule.rand(parameter.shape) * 2 - 1) * k)

    def extra_repr(self):
        return "in_features={}, out_features={}, bias={}".format(*self.weight.shape[::-1], self.bias is not None)
""",
        r"""
@mine.extend
class MyLinear(Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(nbmodule.empty(out_features, in_features))
        self.bias = Parameter(nbmodule.empty(out_features)) if bias else self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        root = math.sqrt(self.weight.shape[1])
        for parameter in (self.weight, self.bias):
            if parameter is not None:
                parameter.data.uniform_(-1 / root, 1 / root)

    def extra_repr(self):
        has = "True" if self.bias is not None else "False"
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={has}"
""",
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
        r'''
from collections import OrderedDict

@mine.extend
class Module:
    call_super_init: bool = False

    def __init__(self, *args, **kwargs) -> None:
        """Initialize internal Module state."""
        if self.call_super_init is False and bool(kwargs):
            raise TypeError(
                f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
                ""
            )
        if self.call_super_init is False and bool(args):
            raise TypeError(
                f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were"
                " given"
            )
        super().__setattr__("training", True)
        super().__setattr__("_parameters", {})
        super().__setattr__("_buffers", {})
        super().__setattr__("_non_persistent_buffers_set", set())
        super().__setattr__("_backward_pre_hooks", OrderedDict())
        super().__setattr__("_backward_hooks", OrderedDict())
        super().__setattr__("_is_full_backward_hook", None)
        super().__setattr__("_forward_hooks", OrderedDict())
        super().__setattr__("_forward_hooks_with_kwargs", OrderedDict())
        super().__setattr__("_forward_hooks_always_called", OrderedDict())
        super().__setattr__("_forward_pre_hooks", OrderedDict())
        super().__setattr__("_forward_pre_hooks_with_kwargs", OrderedDict())
        super().__setattr__("_state_dict_hooks", OrderedDict())
        super().__setattr__("_state_dict_pre_hooks", OrderedDict())
        super().__setattr__("_load_state_dict_pre_hooks", OrderedDict())
        super().__setattr__("_load_state_dict_post_hooks", OrderedDict())
        super().__setattr__("_modules", {})
        if self.call_super_init:
            super().__init__(*args, **kwargs)
''',
        r"""
from collections import OrderedDict

@mine.extend
class Module:
    call_super_init = False

    def __init__(self, *args, **kwargs):
        passes = type(self).call_super_init
        if not passes:
            self._refuse(args, kwargs)
        vars(self).update(training=True, _parameters={}, _buffers={}, _modules={}, _is_full_backward_hook=None)
        vars(self)["_non_persistent_buffers_set"] = set()
        for name in (
            "backward_pre", "backward", "forward", "forward_pre", "state_dict", "state_dict_pre",
            "load_state_dict_pre", "load_state_dict_post",
        ):
            vars(self)[f"_{name}_hooks"] = OrderedDict()
        for name in ("forward_hooks_with_kwargs", "forward_hooks_always_called", "forward_pre_hooks_with_kwargs"):
            vars(self)["_" + name] = OrderedDict()
        if passes:
            super(Module, self).__init__(*args, **kwargs)

    def _refuse(self, args, kwargs):
        start = "%s.__init__() " % type(self).__name__
        for name in kwargs:
            raise TypeError(start + f"got an unexpected keyword argument {name!r}")
        if len(args):
            raise TypeError(start + f"takes 1 positional argument but {1 + len(args)} were given")
""",
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
        r"""
@mine.extend
class Module:
    def requires_grad_(self, requires_grad=True):
        for p in self.parameters():
            p.requires_grad = requires_grad
        return self
""",
        r"""
@mine.extend
class Module:
    def requires_grad_(self, requires_grad=True):
        for p in self._parameters.values():
            if p is not None:
                p.requires_grad_(requires_grad)
        for child in self._modules.values():
            if child is not None:
                child.requires_grad_(requires_grad)
        return self
""",
        r"""
@mine.extend
class Module:
    def requires_grad_(self, requires_grad: bool = True):
        [parameter.requires_grad_(requires_grad) for _, parameter in self.named_parameters()]
        return self
""",
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
        r"""
@mine.extend
class Repeat(Module):
    def __init__(self, layer, limit=1.0, most=10):
        super().__init__()
        self.layer, self.limit, self.most = layer, limit, most

    def forward(self, x):
        count = 0
        while count < self.most and x.abs().max().item() > self.limit:
            x, count = self.layer(x), count + 1
        return x
""",
        r"""
@mine.extend
class Repeat(Module):
    def __init__(self, layer, limit=1.0, most=10):
        super().__init__()
        self.add(layer)
        self.limit = limit
        self.most = most

    def add(self, layer):
        self.layer = layer

    def forward(self, x, left=None):
        left = self.most if left is None else left
        if left == 0 or not (abs(x) > self.limit).any():
            return x
        return self.forward(self.layer(x), left - 1)
""",
        r"""
@mine.extend
class Repeat(Module):
    def __init__(self, layer, limit=1.0, most=10):
        super().__init__()
        vars(self).update(limit=limit, most=most)
        setattr(self, "layer", layer)

    def forward(self, x):
        for _ in range(self.most):
            if max(x.max(), -x.min()) > self.limit:
                x = self.layer(x)
            else:
                return x
        return x
""",
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
}
