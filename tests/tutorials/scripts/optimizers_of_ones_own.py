"""Optimizers as repositories write them: new rules, rules around others, and a rule changed in a subclass."""

from collections import defaultdict

import torch
from torch import nn
from torch.optim import Optimizer

torch.manual_seed(0)
x = torch.randn(64, 6)
y = (x[:, :1] * x[:, 1:2] > 0).float()
criterion = nn.BCEWithLogitsLoss()


class SignMomentum(Optimizer):
    """Steps by the sign of a mixture of gradient and momentum."""

    def __init__(self, params, lr=1e-2, betas=(0.9, 0.99), weight_decay=0.0):
        if lr <= 0:
            raise ValueError(f"Invalid learning rate: {lr}")
        super().__init__(params, {"lr": lr, "betas": betas, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["exp_avg"] = torch.zeros_like(p, memory_format=torch.preserve_format)
                mean = state["exp_avg"]
                p.mul_(1 - group["lr"] * group["weight_decay"])
                p.add_(mean.mul(beta1).add_(p.grad, alpha=1 - beta1).sign_(), alpha=-group["lr"])
                mean.lerp_(p.grad, 1 - beta2)
        return loss


class SharpnessAware(Optimizer):
    """Climbs to the worst place nearby, and steps with the gradient from there."""

    def __init__(self, params, base, rho=0.05, **kwargs):
        super().__init__(params, {"rho": rho, **kwargs})
        self.base = base(self.param_groups, **kwargs)
        self.param_groups = self.base.param_groups
        self.defaults.update(self.base.defaults)

    @torch.no_grad()
    def step(self, closure):
        closure = torch.enable_grad()(closure)
        loss = closure()
        every = [p for group in self.param_groups for p in group["params"] if p.grad is not None]
        norm = torch.stack([p.grad.norm(p=2) for p in every]).norm(p=2)
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["old"] = p.data.clone()
                p.add_(p.grad * (group["rho"] / (norm + 1e-12)))
        closure()
        for p in every:
            p.data = self.state[p]["old"]
        self.base.step()
        return loss


class LookAhead(Optimizer):
    """Every `k` steps of another optimizer, goes only a part of the way."""

    def __init__(self, base, alpha=0.5, k=2):
        super().__init__(base.param_groups, {"alpha": alpha, "k": k})
        self.base, self.steps = base, 0
        self.param_groups, self.state = base.param_groups, defaultdict(dict)

    @torch.no_grad()
    def step(self, closure=None):
        loss = self.base.step(closure)
        self.steps += 1
        for group in self.param_groups:
            for p in group["params"]:
                slow = self.state[p].setdefault("slow", p.detach().clone())
                if self.steps % group["k"] == 0:
                    p.copy_(slow.add_(p - slow, alpha=group["alpha"]))
        return loss


class Sparse(torch.optim.SGD):
    """SGD that shrinks small weights to zero."""

    def step(self, closure=None):
        loss = super().step(closure)
        with torch.no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    p.copy_(torch.sign(p) * torch.clamp(p.abs() - 2e-3, min=0))
        return loss


def network():
    torch.manual_seed(3)
    return nn.Sequential(nn.Linear(6, 12), nn.SiLU(), nn.Linear(12, 1))


recipes = {
    "sign": lambda p: SignMomentum(p, weight_decay=0.1),
    "sharpness": lambda p: SharpnessAware(p, torch.optim.SGD, lr=0.1, momentum=0.9),
    "look ahead": lambda p: LookAhead(torch.optim.Adam(p, lr=0.05)),
    "sparse": lambda p: Sparse(p, lr=0.5, momentum=0.9, nesterov=True),
}
for name, make in recipes.items():
    model = network()
    optimizer = make(model.parameters())
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    losses = []

    def closure(model=model, optimizer=optimizer):
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        return loss

    for _ in range(5):
        losses.append(optimizer.step(closure).item())
        schedule.step()
    print(name, losses, schedule.get_last_lr())
    print(optimizer)
    state = optimizer.state_dict()
    print(
        {key: sorted(value) for key, value in state["state"].items()},
        state["param_groups"][0]["params"],
    )
    other = make(network().parameters())
    other.load_state_dict(state)
    print(len(other.state), other.param_groups[0]["lr"] == optimizer.param_groups[0]["lr"])
print((model[0].weight == 0).sum())

for wrong in (
    lambda: SignMomentum(network().parameters(), lr=0),
    lambda: SignMomentum([torch.ones(2), torch.ones(2, requires_grad=True) * 2]),
    lambda: SignMomentum([]),
    lambda: SignMomentum(torch.ones(2)),
):
    try:
        wrong()
    except (ValueError, TypeError) as e:
        print(type(e).__name__, str(e).split("\n")[0])
