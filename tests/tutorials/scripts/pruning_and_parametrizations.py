"""Parameters that are pruned, and parameters that are computed from others."""

import copy

import torch
import torch.nn.functional as F
import torch.nn.utils.parametrize as parametrize
import torch.nn.utils.prune as prune
from torch import nn


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3)
        self.conv2 = nn.Conv2d(4, 6, 3)
        self.fc1 = nn.Linear(6 * 2 * 2, 10)
        self.fc2 = nn.Linear(10, 3)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), (2, 2))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc2(F.relu(self.fc1(x.flatten(1))))


torch.manual_seed(0)
model = LeNet()
module = model.conv1
prune.random_unstructured(module, name="weight", amount=0.3)
print([name for name, _ in module.named_parameters()], module.weight_mask)
print(module._forward_pre_hooks.popitem()[1]._tensor_name, prune.is_pruned(model))
module = model.conv2
prune.l1_unstructured(module, name="bias", amount=3)
prune.ln_structured(module, name="weight", amount=0.5, n=2, dim=0)
prune.ln_structured(module, name="weight", amount=1, n=1, dim=1)
for hook in module._forward_pre_hooks.values():
    print(type(hook).__name__, hook._tensor_name)
print(module.weight.sum((2, 3)), module.bias)
prune.remove(module, "weight")
print(list(module.state_dict()))

model = LeNet()
for _, module in model.named_modules():
    if isinstance(module, nn.Conv2d):
        prune.l1_unstructured(module, name="weight", amount=0.2)
    elif isinstance(module, nn.Linear):
        prune.l1_unstructured(module, name="weight", amount=0.4)
print(list(dict(model.named_buffers())))

model = LeNet()
pairs = [(m, "weight") for m in (model.conv1, model.conv2, model.fc1, model.fc2)]
prune.global_unstructured(pairs, pruning_method=prune.L1Unstructured, amount=0.2)
for module, name in pairs:
    print(f"{100 * float((getattr(module, name) == 0).sum()) / module.weight.nelement():.2f}%")
x, y = torch.randn(4, 1, 14, 14), torch.tensor([0, 1, 2, 0])
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.4f}", int((model.fc1.weight == 0).sum()))


class EveryOther(prune.BasePruningMethod):
    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        mask = default_mask.clone()
        mask.view(-1)[::2] = 0
        return mask


layer = nn.Linear(3, 2)
EveryOther.apply(layer, "bias")
print(layer.bias_mask)


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)

    def right_inverse(self, A):
        return A.triu()


class MatrixExponential(nn.Module):
    def forward(self, X):
        return torch.matrix_exp(X)


layer = nn.Linear(3, 3)
parametrize.register_parametrization(layer, "weight", Symmetric())
print(layer, torch.allclose(layer.weight, layer.weight.T))
print([(name, tuple(p.shape)) for name, p in layer.named_parameters()])
layer.weight = torch.arange(9.0).view(3, 3)
print(layer.weight, layer.parametrizations.weight.original)
parametrize.register_parametrization(layer, "weight", MatrixExponential())
print(layer.parametrizations, copy.deepcopy(layer).weight)
try:
    layer.weight = torch.eye(3)
except RuntimeError as e:
    print(e)
with parametrize.cached():
    print(layer.weight is layer.weight, parametrize.is_parametrized(layer, "bias"))
parametrize.remove_parametrizations(layer, "weight", leave_parametrized=False)
print(layer, layer.weight)

rnn = nn.utils.parametrizations.orthogonal(nn.RNNCell(3, 4), "weight_hh")
optimizer = torch.optim.SGD(rnn.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    hidden = torch.ones(2, 4)
    for _ in range(4):
        hidden = rnn(torch.ones(2, 3), hidden)
    hidden.sum().backward()
    optimizer.step()
    print(f"{hidden.sum().item():.3f}", (rnn.weight_hh @ rnn.weight_hh.T).diagonal().detach())
