"""Functional training: ensembles, an inner loop that learns to learn, kernels of gradients, penalties."""

import torch
import torch.nn.functional as F
from torch import nn, vmap
from torch.func import (
    functional_call,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    stack_module_state,
    vjp,
)

torch.manual_seed(0)


class SimpleMLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(12, 8)
        self.fc2 = nn.Linear(8, 8)
        self.fc3 = nn.Linear(8, 3)

    def forward(self, x):
        x = x.flatten(1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


data = torch.randn(4, 6, 3, 4)
targets = torch.randint(3, (24,))
models = [SimpleMLP() for _ in range(4)]
minibatches = data[:4]
one_by_one = torch.stack(
    [model(minibatch) for model, minibatch in zip(models, minibatches, strict=True)]
)
params, buffers = stack_module_state(models)
print({name: tuple(p.shape) for name, p in params.items()}, buffers)
base_model = models[0]


def fmodel(params, buffers, x):
    return functional_call(base_model, (params, buffers), (x,))


together = vmap(fmodel)(params, buffers, minibatches)
print(together.shape, torch.allclose(one_by_one, together, atol=1e-5, rtol=1e-5))
shared = vmap(fmodel, in_dims=(0, 0, None))(params, buffers, data[0])
print(shared.shape, torch.allclose(shared[2], models[2](data[0]), atol=1e-5))


# per-sample gradients
model = SimpleMLP()
params = {k: v.detach() for k, v in model.named_parameters()}
samples = data.flatten(0, 1)


def compute_loss(params, sample, target):
    predictions = functional_call(model, (params,), (sample.unsqueeze(0),))
    return F.cross_entropy(predictions, target.unsqueeze(0))


per_sample = vmap(grad(compute_loss), in_dims=(None, 0, 0))(params, samples, targets)
for name, g in per_sample.items():
    print(name, tuple(g.shape), round(g.norm().item(), 4))
loss = F.cross_entropy(model(samples), targets)
loss.backward()
print(torch.allclose(model.fc1.weight.grad, per_sample["fc1.weight"].mean(0), atol=1e-6))


# learning to learn: sine waves
class Sine(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, 10), nn.Tanh(), nn.Linear(10, 1))

    def forward(self, x):
        return self.net(x)


learner = Sine()
meta = torch.optim.Adam(learner.parameters(), lr=1e-2)
history = []
for _ in range(20):
    total = 0
    meta.zero_grad()
    for _ in range(3):
        amplitude, phase = torch.rand(1) * 4 + 1, torch.rand(1) * 3.14
        x, x_test = torch.rand(10, 1) * 10 - 5, torch.rand(10, 1) * 10 - 5
        y, y_test = amplitude * torch.sin(x + phase), amplitude * torch.sin(x_test + phase)
        weights = dict(learner.named_parameters())
        for _ in range(2):
            inner = F.mse_loss(functional_call(learner, weights, x), y)
            grads = torch.autograd.grad(inner, weights.values(), create_graph=True)
            weights = {k: w - 0.02 * g for (k, w), g in zip(weights.items(), grads, strict=True)}
        total = total + F.mse_loss(functional_call(learner, weights, x_test), y_test)
    total.backward()
    meta.step()
    history.append(total.item())
print([round(v, 3) for v in history[::5]])


# a tangent kernel
def fnet_single(params, x):
    return functional_call(model, params, (x.unsqueeze(0),)).squeeze(0)


def kernel(params, x1, x2):
    jac1 = vmap(jacrev(fnet_single), (None, 0))(params, x1)
    jac2 = vmap(jacrev(fnet_single), (None, 0))(params, x2)
    parts = [
        torch.einsum("Naf,Mbf->NMab", a.flatten(2), b.flatten(2))
        for a, b in zip(jac1.values(), jac2.values(), strict=True)
    ]
    return torch.stack(parts).sum(0)


ntk = kernel(params, samples[:3], samples[3:5])
print(ntk.shape, ntk[0, 1])


# a penalty on the gradient
critic = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.9))
for _ in range(3):
    real, fake = torch.randn(8, 2) + 1, torch.randn(8, 2) - 1
    mixed = torch.lerp(real, fake, torch.rand(8, 1)).requires_grad_()
    (slope,) = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
    penalty = ((slope.norm(2, dim=1) - 1) ** 2).mean()
    loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(round(loss.item(), 4), round(penalty.item(), 4))

# jacobians and hessians of functions
f = lambda x: (x**3).sum()  # noqa: E731
x = torch.tensor([1.0, 2.0])
print(grad(f)(x), hessian(f)(x), jacrev(torch.sin)(x), jacfwd(torch.sin)(x), sep="\n")
print(grad_and_value(f)(x))
out, pull = vjp(torch.sin, x)
print(out, pull(torch.ones(2)))
print(vmap(torch.dot)(torch.arange(6.0).view(2, 3), torch.ones(2, 3)))
