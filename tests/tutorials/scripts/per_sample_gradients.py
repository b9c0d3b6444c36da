"""Per-sample gradients: one backward pass for each example, and functional_call with grad and vmap."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, grad, vmap


class SimpleCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, 1)
        self.fc1 = nn.Linear(4 * 3 * 3, 5)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.max_pool2d(x, 2)
        x = torch.flatten(x, 1)
        return F.log_softmax(self.fc1(x), dim=1)


def loss_fn(predictions, targets):
    return F.nll_loss(predictions, targets)


torch.manual_seed(0)
data = torch.randn(4, 1, 8, 8)
targets = torch.randint(5, (4,))
model = SimpleCNN()


def compute_grad(sample, target):
    sample = sample.unsqueeze(0)
    target = target.unsqueeze(0)
    prediction = model(sample)
    loss = loss_fn(prediction, target)
    return torch.autograd.grad(loss, list(model.parameters()))


def compute_sample_grads(data, targets):
    sample_grads = [compute_grad(data[i], targets[i]) for i in range(len(data))]
    sample_grads = zip(*sample_grads, strict=True)
    return [torch.stack(shards) for shards in sample_grads]


per_sample_grads = compute_sample_grads(data, targets)
for g in per_sample_grads:
    print(g.shape, round(g.norm().item(), 4))

params = {k: v.detach() for k, v in model.named_parameters()}
buffers = {k: v.detach() for k, v in model.named_buffers()}


def compute_loss(params, buffers, sample, target):
    batch = sample.unsqueeze(0)
    targets = target.unsqueeze(0)
    predictions = functional_call(model, (params, buffers), (batch,))
    return loss_fn(predictions, targets)


ft_compute_sample_grad = vmap(grad(compute_loss), in_dims=(None, None, 0, 0))
ft_per_sample_grads = ft_compute_sample_grad(params, buffers, data, targets)
for g, name in zip(per_sample_grads, ft_per_sample_grads, strict=True):
    print(name, torch.allclose(g, ft_per_sample_grads[name], atol=1e-5))
model(data).logsumexp(1).sum().backward()
loss_fn(model(data), targets).backward()
mean = [g.mean(0) for g in per_sample_grads]
model.zero_grad()
loss_fn(model(data), targets).backward()
print([torch.allclose(p.grad, m, atol=1e-6) for p, m in zip(model.parameters(), mean, strict=True)])
