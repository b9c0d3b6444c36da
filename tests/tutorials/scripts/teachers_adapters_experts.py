"""A student and its teacher, adapters of low rank by parametrization, experts, and a block with rotated positions."""

import random
from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.nn.utils.parametrize as parametrize
import torch.optim as optim

torch.manual_seed(0)
random.seed(0)


# The student learns from what the teacher is unsure about
class Deep(nn.Module):
    def __init__(self, n=10):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 16, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(16, 8, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2, 2),
        )
        self.classifier = nn.Sequential(
            nn.Linear(128, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, n)
        )

    def forward(self, x):
        x = self.features(x)
        flat = torch.flatten(x, 1)
        return self.classifier(flat), F.avg_pool1d(flat, 2)


class Light(nn.Module):
    def __init__(self, n=10):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2, 2))
        self.classifier = nn.Linear(64, n)

    def forward(self, x):
        f = torch.flatten(self.features(x), 1)
        return self.classifier(f), f


teacher, student = Deep().eval(), Light()
opt = optim.Adam(student.parameters(), lr=0.01)
x = torch.randn(8, 3, 8, 8)
y = torch.randint(10, (8,))
T = 2
cos = nn.CosineEmbeddingLoss()
for _ in range(4):
    opt.zero_grad()
    with torch.no_grad():
        tl, tf = teacher(x)
    sl, sf = student(x)
    soft_t = nn.functional.softmax(tl / T, dim=-1)
    soft_p = nn.functional.log_softmax(sl / T, dim=-1)
    kd = torch.sum(soft_t * (soft_t.log() - soft_p)) / soft_p.size()[0] * (T**2)
    loss = (
        0.25 * kd + 0.75 * F.cross_entropy(sl, y) + 0.1 * cos(sf, tf, target=torch.ones(x.size(0)))
    )
    loss.backward()
    opt.step()
    print(
        f"kd {kd.item():.5f} {loss.item():.5f} {F.kl_div(soft_p, soft_t, reduction='batchmean').item() * T**2:.5f}"
    )


# Only a product of two thin matrices is learned
class LoRA(nn.Module):
    def __init__(self, fi, fo, rank=2, alpha=4):
        super().__init__()
        self.lora_A = nn.Parameter(torch.zeros((rank, fo)))
        self.lora_B = nn.Parameter(torch.zeros((fi, rank)))
        nn.init.normal_(self.lora_A, mean=0, std=1)
        self.scale = alpha / rank
        self.enabled = True

    def forward(self, W):
        return (
            W + torch.matmul(self.lora_B, self.lora_A).view(W.shape) * self.scale
            if self.enabled
            else W
        )


net = nn.Sequential(OrderedDict(l1=nn.Linear(6, 12), r=nn.ReLU(), l2=nn.Linear(12, 3)))
w0 = net.l1.weight.clone()
for layer in (net.l1, net.l2):
    parametrize.register_parametrization(layer, "weight", LoRA(*layer.weight.shape))
for n, p in net.named_parameters():
    if "lora" not in n:
        p.requires_grad = False
print(net, [n for n, p in net.named_parameters() if p.requires_grad])
opt = optim.Adam([p for p in net.parameters() if p.requires_grad], 1e-2)
xx = torch.randn(10, 6)
yy = torch.randint(3, (10,))
for _ in range(4):
    loss = F.cross_entropy(net(xx), yy)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"lora {loss.item():.5f}")
assert torch.equal(net.l1.parametrizations.weight.original, w0)
for layer in (net.l1, net.l2):
    layer.parametrizations["weight"][0].enabled = False
print(net(xx)[0])
parametrize.remove_parametrizations(net.l1, "weight", leave_parametrized=False)
print(net)


# Each token goes to two experts of four
class MoE(nn.Module):
    def __init__(self, d=8, n=4, k=2):
        super().__init__()
        self.k = k
        self.gate = nn.Linear(d, n, bias=False)
        self.experts = nn.ModuleList(
            [nn.Sequential(nn.Linear(d, 16), nn.SiLU(), nn.Linear(16, d)) for _ in range(n)]
        )

    def forward(self, x):
        b, t, d = x.shape
        h = x.view(-1, d)
        w, sel = torch.topk(F.softmax(self.gate(h), dim=1, dtype=torch.float), self.k, dim=-1)
        w /= w.sum(dim=-1, keepdim=True)
        out = torch.zeros_like(h)
        mask = F.one_hot(sel, num_classes=len(self.experts)).permute(2, 1, 0)
        for i, e in enumerate(self.experts):
            idx, top = torch.where(mask[i])
            cur = h[None, top].reshape(-1, d)
            out.index_add_(0, top, (e(cur) * w[top, idx, None]).to(h.dtype))
        load = F.one_hot(sel, len(self.experts)).float().mean((0, 1))
        return out.reshape(b, t, d), load


moe = MoE()
opt = optim.AdamW(moe.parameters(), 1e-2)
z = torch.randn(2, 5, 8)
for _ in range(4):
    o, load = moe(z)
    loss = F.mse_loss(o, z.flip(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"moe {loss.item():.5f} {load.tolist()}")


# Rotated positions, grouped heads, gates
def rope(dim, end, theta=10000.0):
    f = 1.0 / (theta ** (torch.arange(0, dim, 2)[: (dim // 2)].float() / dim))
    t = torch.arange(end)
    f = torch.outer(t, f)
    return torch.cos(f), torch.sin(f)


def apply_rope(x, c, s):
    x1, x2 = x.float().reshape(*x.shape[:-1], -1, 2).unbind(-1)
    c, s = c[None, :, None], s[None, :, None]
    return torch.stack((x1 * c - x2 * s, x1 * s + x2 * c), -1).flatten(3).type_as(x)


class Llama(nn.Module):
    def __init__(self, d=16, h=4, kv=2, L=8):
        super().__init__()
        self.h, self.kv, self.hd = h, kv, d // h
        self.q = nn.Linear(d, d, False)
        self.k = nn.Linear(d, kv * self.hd, False)
        self.v = nn.Linear(d, kv * self.hd, False)
        self.o = nn.Linear(d, d, False)
        self.n1 = nn.RMSNorm(d, eps=1e-5)
        self.n2 = nn.RMSNorm(d, eps=1e-5)
        self.w1, self.w3, self.w2 = (
            nn.Linear(d, 24, False),
            nn.Linear(d, 24, False),
            nn.Linear(24, d, False),
        )
        c, si = rope(self.hd, L)
        self.register_buffer("c", c)
        self.register_buffer("s", si)

    def forward(self, x):
        b, t, d = x.shape
        y = self.n1(x)
        q, k, v = (
            self.q(y).view(b, t, self.h, self.hd),
            self.k(y).view(b, t, self.kv, self.hd),
            self.v(y).view(b, t, self.kv, self.hd),
        )
        q, k = apply_rope(q, self.c[:t], self.s[:t]), apply_rope(k, self.c[:t], self.s[:t])
        a = F.scaled_dot_product_attention(
            q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=True, enable_gqa=True
        )
        x = x + self.o(a.transpose(1, 2).reshape(b, t, d))
        y = self.n2(x)
        return x + self.w2(F.silu(self.w1(y)) * self.w3(y))


ll = Llama()
opt = optim.AdamW(ll.parameters(), 3e-3, betas=(0.9, 0.95))
z = torch.randn(2, 8, 16)
for _ in range(3):
    loss = F.mse_loss(ll(z)[:, :-1], z[:, 1:])
    opt.zero_grad()
    loss.backward()
    n = nn.utils.clip_grad_norm_(ll.parameters(), 1.0)
    opt.step()
    print(f"llama {loss.item():.5f} {n.item():.5f}")
print(ll)
