"""The recipe that steps while gradients arrive, so that they need not all be kept; hooks of optimizers."""

import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_post_hook

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4))
optimizers = {p: torch.optim.Adam([p], lr=1e-2, foreach=False) for p in model.parameters()}


def step_and_forget(parameter):
    optimizers[parameter].step()
    optimizers[parameter].zero_grad()


handles = [p.register_post_accumulate_grad_hook(step_and_forget) for p in model.parameters()]
x = torch.randn(4, 8)
for i in range(4):
    loss = model(x).pow(2).mean()
    loss.backward()
    print(i, loss, [p.grad is None for p in model.parameters()])
for handle in handles:
    handle.remove()
model(x).sum().backward()
print(model[0].weight.grad.abs().sum())

optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
before = optimizer.register_step_pre_hook(
    lambda o, args, kwargs: print("before", type(o).__name__, args)
)
after = optimizer.register_step_post_hook(lambda o, args, kwargs: print("after", len(o.state)))
everywhere = register_optimizer_step_post_hook(
    lambda o, args, kwargs: print("any", type(o).__name__)
)
optimizer.step()
before.remove()
optimizer.step()
after.remove()
everywhere.remove()
optimizer.step()


def with_names(optimizer, state_dict):
    return {**state_dict, "names": [name for name, _ in model.named_parameters()]}


naming = optimizer.register_state_dict_post_hook(with_names)
print(optimizer.state_dict()["names"])
naming.remove()
print(optimizer.state_dict().keys())
optimizer.register_load_state_dict_pre_hook(lambda o, state: print("to load", sorted(state)))
optimizer.register_load_state_dict_post_hook(lambda o: print("loaded", len(o.state)))
optimizer.load_state_dict(optimizer.state_dict())

named = torch.optim.AdamW(model.named_parameters(), lr=1e-3)
print(named.param_groups[0]["param_names"], named.state_dict()["param_groups"][0]["params"])
