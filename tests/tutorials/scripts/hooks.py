"""Hooks: on tensors, in a network, and to look at the activations and gradients of its layers."""

import torch
import torch.nn as nn

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x**2
y.register_hook(lambda grad: print("gradient of y", grad))
handle = x.register_hook(lambda grad: grad * 2)
y.sum().backward()
print(x.grad)
handle.remove()
x.grad = None
(x**2).sum().backward()
print(x.grad)

a = torch.tensor([1.0], requires_grad=True)
b = a * 3
b.retain_grad()
c = (b**2).sum()
c.backward()
print(b.grad, a.grad, a.retains_grad, b.retains_grad)

z = torch.ones(2, requires_grad=True)
z.register_post_accumulate_grad_hook(lambda p: print("arrived", p.grad))
(z * 2).sum().backward()

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
activations, gradients = {}, {}


def keep_activation(name):
    def hook(module, args, output):
        activations[name] = output.detach()

    return hook


def keep_gradient(name):
    def hook(module, grad_input, grad_output):
        gradients[name] = grad_output[0]

    return hook


handles = []
for name, layer in net.named_children():
    handles.append(layer.register_forward_hook(keep_activation(name)))
    handles.append(layer.register_full_backward_hook(keep_gradient(name)))
out = net(torch.ones(2, 3, requires_grad=True))
out.mean().backward()
for name in activations:
    print(name, activations[name], gradients[name])
for handle in handles:
    handle.remove()

net.register_forward_pre_hook(lambda module, args: (args[0] * 2,))
print(net(torch.ones(1, 3)))
net[2].register_forward_hook(lambda module, args, output: output + 100)
print(net(torch.ones(1, 3)))


class Exploding(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(4))

    def forward(self, x):
        for layer in self.layers:
            x = torch.sigmoid(layer(x))
        return x


net = Exploding()
norms = []
for layer in net.layers:
    layer.register_full_backward_hook(lambda m, gin, gout: norms.append(gout[0].norm().item()))
net(torch.ones(2, 4)).sum().backward()
print([round(n, 4) for n in norms], norms == sorted(norms, reverse=True))


def clip(grad):
    return grad.clamp(-0.01, 0.01)


for p in net.parameters():
    p.register_hook(clip)
net.zero_grad()
net(torch.ones(2, 4)).sum().backward()
print(max(p.grad.abs().max().item() for p in net.parameters()) <= 0.01)
