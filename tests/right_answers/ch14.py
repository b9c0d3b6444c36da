"""Right answers to the exercises of chapter 14."""

from __future__ import annotations

RIGHT = {
    "14.1": [
        # PyTorch's own way
        r"""
@mine.extend
class Module:
    def zero_grad(self, set_to_none: bool = True) -> None:
        for p in self.parameters():
            if p.grad is not None:
                if set_to_none:
                    p.grad = None
                else:
                    if p.grad.grad_fn is not None:
                        p.grad.detach_()
                    else:
                        p.grad.requires_grad_(False)
                    p.grad.zero_()
""",
        # module by module, through the array
        r"""
@mine.extend
class Module:
    def zero_grad(self, set_to_none=True):
        for module in self.modules():
            for param in module._parameters.values():
                if param is None or param.grad is None:
                    continue
                if not set_to_none:
                    param.grad.data[...] = 0
                    continue
                param.grad = None
""",
    ],
    "14.2": [
        # one loop over pairs, helpers, the test for twice by identity
        r"""
@mine.extend
class Optimizer:
    def __init__(self, params, lr=0.001, **options):
        options["lr"] = lr
        self.options, self.state, self.param_groups = options, {}, []
        params = [*params]
        if len(params) == 0:
            raise ValueError("nothing to optimize")
        if isinstance(params[0], dict):
            for group in params:
                self.add_param_group(group)
        else:
            self.add_param_group({"params": params})

    def add_param_group(self, group):
        group = dict(group)
        group["params"] = list(group["params"])
        for name, value in self.options.items():
            group.setdefault(name, value)
        taken = {id(p) for other in self.param_groups for p in other["params"]}
        if any(id(p) in taken for p in group["params"]):
            raise ValueError("twice")
        self.param_groups += [group]

    def zero_grad(self, set_to_none=True):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None and not set_to_none:
                    p.grad.data[...] = 0
                elif p.grad is not None:
                    p.grad = None

    def pairs(self):
        return ((p, group) for group in self.param_groups for p in group["params"])

    def step(self):
        for p, group in self.pairs():
            if p.grad is None:
                continue
            if p not in self.state:
                self.state[p] = {}
            self.update(p, group, self.state[p])

    def update(self, p, group, state):
        p.data = p.data - group["lr"] * p.grad.data
""",
        # a defaultdict, as PyTorch has it
        r"""
from collections import defaultdict

@mine.extend
class Optimizer:
    def __init__(self, params, lr=0.001, **options):
        self.defaults = dict(options, lr=lr)
        self.state = defaultdict(dict)
        self.param_groups = []
        param_groups = list(params)
        if len(param_groups) == 0:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(param_groups[0], dict):
            param_groups = [{"params": param_groups}]
        for param_group in param_groups:
            self.add_param_group(param_group)

    def add_param_group(self, param_group):
        param_group["params"] = list(param_group["params"])
        for name, default in self.defaults.items():
            param_group.setdefault(name, default)
        param_set = set()
        for group in self.param_groups:
            param_set.update(set(group["params"]))
        if not param_set.isdisjoint(set(param_group["params"])):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def zero_grad(self, set_to_none=True):
        for group in self.param_groups:
            for p in group["params"]:
                if set_to_none:
                    p.grad = None
                elif p.grad is not None:
                    p.grad.data[...] = 0

    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    self.update(p, group, self.state[p])

    def update(self, p, group, state):
        p.data += -group["lr"] * p.grad.data
""",
    ],
    "14.3": [
        # in place, as PyTorch does it
        r"""
@mine.extend
class SGD(Optimizer):
    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False):
        super().__init__(params, lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay, nesterov=nesterov)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("no")

    def update(self, p, group, state):
        grad = p.grad.data
        if group["weight_decay"] != 0:
            grad = grad + group["weight_decay"] * p.data
        if group["momentum"] != 0:
            if "momentum_buffer" not in state:
                state["momentum_buffer"] = grad * 1
            else:
                state["momentum_buffer"] *= group["momentum"]
                state["momentum_buffer"] += (1 - group["dampening"]) * grad
            if group["nesterov"]:
                grad = grad + group["momentum"] * state["momentum_buffer"]
            else:
                grad = state["momentum_buffer"]
        p.data += -group["lr"] * grad
""",
        # without a branch for the first step, but for the dampening
        r"""
@mine.extend
class SGD(Optimizer):
    def __init__(self, params, lr=0.001, momentum=0, dampening=0, weight_decay=0, nesterov=False):
        if nesterov and (not momentum > 0 or dampening):
            raise ValueError("Nesterov needs a momentum and no dampening")
        super().__init__(params, lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay, nesterov=nesterov)

    def update(self, p, group, state):
        d, mu = p.grad.data + p.data * group["weight_decay"], group["momentum"]
        if not mu:
            p.data -= d * group["lr"]
            return
        share = 1 - group["dampening"] if state else 1
        v = state["momentum_buffer"] = state.get("momentum_buffer", 0) * mu + d * share
        p.data -= group["lr"] * (d + v * mu if group["nesterov"] else v)
""",
    ],
    "14.4": [
        # in place, with PyTorch's order of divisions
        r"""
@mine.extend
class Adam(Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0):
        super().__init__(params, lr, betas=betas, eps=eps, weight_decay=weight_decay)

    def update(self, p, group, state):
        grad = p.grad.data
        if group["weight_decay"]:
            grad = grad + group["weight_decay"] * p.data
        if not state:
            state.update(step=0, exp_avg=p.data * 0, exp_avg_sq=p.data * 0)
        state["step"] += 1
        beta1, beta2 = group["betas"]
        state["exp_avg"] += (grad - state["exp_avg"]) * (1 - beta1)
        state["exp_avg_sq"] *= beta2
        state["exp_avg_sq"] += (1 - beta2) * grad * grad
        step_size = group["lr"] / (1 - beta1 ** state["step"])
        denominator = state["exp_avg_sq"] ** 0.5 / (1 - beta2 ** state["step"]) ** 0.5 + group["eps"]
        p.data -= step_size * state["exp_avg"] / denominator
""",
    ],
    "14.5": [
        r"""
@mine.extend
class AdamW(Adam):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2):
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)

    def update(self, p, group, state):
        p.data = p.data - group["lr"] * group["weight_decay"] * p.data
        without = dict(group)
        without["weight_decay"] = 0
        Adam.update(self, p, without, state)
""",
    ],
}
