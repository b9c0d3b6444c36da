"""Names letter by letter, from counts to layers of one's own with activations and gradients looked at."""

import random

import torch
import torch.nn.functional as F

words = ["emma", "olivia", "ava", "isabella", "sophia", "mia", "luna", "ella", "aria"] * 2
letters = sorted(set("".join(words)))
number_of = {letter: i + 1 for i, letter in enumerate(letters)} | {".": 0}
letter_of = {i: letter for letter, i in number_of.items()}
V = len(letter_of)

counts = torch.zeros((V, V), dtype=torch.int32)
for word in words:
    for a, b in zip("." + word, word + ".", strict=True):
        counts[number_of[a], number_of[b]] += 1
P = (counts + 1).float()
P /= P.sum(1, keepdims=True)
generator = torch.Generator().manual_seed(2147483647)
for _ in range(3):
    name, i = "", 0
    while True:
        i = torch.multinomial(P[i], num_samples=1, replacement=True, generator=generator).item()
        if i == 0:
            break
        name += letter_of[i]
    print(name)
pairs = [
    (number_of[a], number_of[b])
    for word in words
    for a, b in zip("." + word, word + ".", strict=True)
]
xs, ys = torch.tensor(pairs).unbind(1)
print(xs.nelement(), -P[xs, ys].log().mean())

W = torch.randn((V, V), generator=generator, requires_grad=True)
for _ in range(3):
    exponentials = (F.one_hot(xs, num_classes=V).float() @ W).exp()
    probabilities = exponentials / exponentials.sum(1, keepdims=True)
    loss = -probabilities[torch.arange(len(xs)), ys].log().mean() + 0.01 * (W**2).mean()
    print(loss.item())
    W.grad = None
    loss.backward()
    W.data += -20 * W.grad

random.seed(42)
random.shuffle(words)
rows = []
for word in words:
    context = [0, 0, 0]
    for letter in word + ".":
        rows.append((*context, number_of[letter]))
        context = [*context[1:], number_of[letter]]
X, Y = torch.tensor(rows).split([3, 1], dim=1)
Y = Y.squeeze(1)
print(X.shape, X.dtype, Y.shape)


class Linear:
    def __init__(self, fan_in, fan_out):
        self.weight = torch.randn((fan_in, fan_out), generator=generator) / fan_in**0.5

    def __call__(self, x):
        self.out = x @ self.weight
        return self.out

    def parameters(self):
        return [self.weight]


class BatchNorm1d:
    def __init__(self, dim, eps=1e-5, momentum=0.1):
        self.eps, self.momentum, self.training = eps, momentum, True
        self.gamma, self.beta = torch.ones(dim), torch.zeros(dim)
        self.running_mean, self.running_var = torch.zeros(dim), torch.ones(dim)

    def __call__(self, x):
        mean, var = self.running_mean, self.running_var
        if self.training:
            mean, var = x.mean(0, keepdim=True), x.var(0, keepdim=True)
            with torch.no_grad():
                self.running_mean = (1 - self.momentum) * self.running_mean + self.momentum * mean
                self.running_var = (1 - self.momentum) * self.running_var + self.momentum * var
        self.out = self.gamma * (x - mean) / torch.sqrt(var + self.eps) + self.beta
        return self.out

    def parameters(self):
        return [self.gamma, self.beta]


class Tanh:
    def __call__(self, x):
        self.out = torch.tanh(x)
        return self.out

    def parameters(self):
        return []


C = torch.randn((V, 4), generator=generator)
layers = [
    Linear(12, 20),
    BatchNorm1d(20),
    Tanh(),
    Linear(20, 20),
    BatchNorm1d(20),
    Tanh(),
    Linear(20, V),
    BatchNorm1d(V),
]
with torch.no_grad():
    layers[-1].gamma *= 0.1
parameters = [C, *(p for layer in layers for p in layer.parameters())]
print(sum(p.nelement() for p in parameters))
for p in parameters:
    p.requires_grad = True
for step in range(5):
    chosen = torch.randint(0, X.shape[0], (32,), generator=generator)
    x = C[X[chosen]].view(32, -1)
    for layer in layers:
        x = layer(x)
    loss = F.cross_entropy(x, Y[chosen])
    for layer in layers:
        layer.out.retain_grad()
    for p in parameters:
        p.grad = None
    loss.backward()
    for p in parameters:
        p.data += -0.2 * p.grad
    print(f"{step:3d}: {loss.item():.4f}")
ratios = [((0.2 * p.grad).std() / p.data.std()).log10().item() for p in parameters if p.ndim == 2]
print([round(r, 3) for r in ratios])
for i, layer in enumerate(layers):
    if isinstance(layer, Tanh):
        t = layer.out
        saturated = (t.abs() > 0.97).float().mean() * 100
        print(f"layer {i}: mean {t.mean():+.2f}, std {t.std():.2f}, saturated {saturated:.2f}%")
        print(torch.histogram(t.detach(), bins=4, density=True).hist, f"{layer.out.grad.std():e}")

logits = torch.randn(32, V, generator=generator, requires_grad=True)
shifted = logits - logits.max(1, keepdim=True).values
exponentials = shifted.exp()
inverse = exponentials.sum(1, keepdims=True) ** -1
probabilities = exponentials * inverse
log_probabilities = probabilities.log()
target = Y[:32]
loss = -log_probabilities[range(32), target].mean()
for t in (shifted, exponentials, inverse, probabilities, log_probabilities):
    t.retain_grad()
loss.backward()
d_log = torch.zeros_like(log_probabilities)
d_log[range(32), target] = -1.0 / 32
d_probabilities = d_log / probabilities
d_logits = F.softmax(logits, 1)
d_logits[range(32), target] -= 1
d_logits /= 32
for name, by_hand, tensor in (
    ("log", d_log, log_probabilities),
    ("probabilities", d_probabilities, probabilities),
    ("inverse", (exponentials * d_probabilities).sum(1, keepdim=True), inverse),
    ("logits", d_logits, logits),
):
    print(
        f"{name:15s} {torch.all(by_hand == tensor.grad).item() or torch.allclose(by_hand, tensor.grad)!s:5s}"
    )
for layer in layers:
    if isinstance(layer, BatchNorm1d):
        layer.training = False
with torch.no_grad():
    x = C[X].view(X.shape[0], -1)
    for layer in layers:
        x = layer(x)
    print(F.cross_entropy(x, Y))
