"""A diffusion model: noise is added in steps, a U-net with a sense of time learns to take it away."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim

torch.manual_seed(0)


class Sinusoidal(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, time):
        half = self.dim // 2
        e = math.log(10000) / (half - 1)
        e = torch.exp(torch.arange(half, device=time.device) * -e)
        e = time[:, None] * e[None, :]
        return torch.cat((e.sin(), e.cos()), dim=-1)


class WeightStandardizedConv2d(nn.Conv2d):
    def forward(self, x):
        eps = 1e-5 if x.dtype == torch.float32 else 1e-3
        w = self.weight
        mean = w.mean(dim=(1, 2, 3), keepdim=True)
        var = torch.var(w, dim=(1, 2, 3), unbiased=False, keepdim=True)
        return F.conv2d(
            x,
            (w - mean) * (var + eps).rsqrt(),
            self.bias,
            self.stride,
            self.padding,
            self.dilation,
            self.groups,
        )


class Block(nn.Module):
    def __init__(self, i, o, g=2):
        super().__init__()
        self.proj = WeightStandardizedConv2d(i, o, 3, padding=1)
        self.norm = nn.GroupNorm(g, o)
        self.act = nn.SiLU()

    def forward(self, x, ss=None):
        x = self.norm(self.proj(x))
        if ss is not None:
            sc, sh = ss
            x = x * (sc + 1) + sh
        return self.act(x)


class ResBlock(nn.Module):
    def __init__(self, i, o, t):
        super().__init__()
        self.mlp = nn.Sequential(nn.SiLU(), nn.Linear(t, o * 2))
        self.b1, self.b2 = Block(i, o), Block(o, o)
        self.res = nn.Conv2d(i, o, 1) if i != o else nn.Identity()

    def forward(self, x, t):
        h = self.b1(x, self.mlp(t)[..., None, None].chunk(2, dim=1))
        return self.b2(h) + self.res(x)


class LinAttn(nn.Module):
    def __init__(self, d, h=2, dh=4):
        super().__init__()
        self.h = h
        self.scale = dh**-0.5
        self.qkv = nn.Conv2d(d, h * dh * 3, 1, bias=False)
        self.out = nn.Sequential(nn.Conv2d(h * dh, d, 1), nn.GroupNorm(1, d))
        self.norm = nn.GroupNorm(1, d)

    def forward(self, x):
        b, _, h, w = x.shape
        q, k, v = (t.view(b, self.h, -1, h * w) for t in self.qkv(self.norm(x)).chunk(3, dim=1))
        q = q.softmax(dim=-2) * self.scale
        k = k.softmax(dim=-1)
        ctx = torch.einsum("b h d n, b h e n -> b h d e", k, v)
        o = torch.einsum("b h d e, b h d n -> b h e n", ctx, q)
        return self.out(o.reshape(b, -1, h, w)) + x


class UNet(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.init = nn.Conv2d(1, d, 1)
        self.t = nn.Sequential(
            Sinusoidal(d), nn.Linear(d, d * 4), nn.GELU(), nn.Linear(d * 4, d * 4)
        )
        self.d1 = ResBlock(d, d, d * 4)
        self.a = LinAttn(d)
        self.down = nn.Sequential(nn.PixelUnshuffle(2), nn.Conv2d(d * 4, d * 2, 1))
        self.mid = ResBlock(d * 2, d * 2, d * 4)
        self.up = nn.Sequential(
            nn.Upsample(scale_factor=2, mode="nearest"), nn.Conv2d(d * 2, d, 3, padding=1)
        )
        self.u1 = ResBlock(d * 2, d, d * 4)
        self.fin = nn.Conv2d(d, 1, 1)

    def forward(self, x, t):
        x = self.init(x)
        t = self.t(t)
        h = self.a(self.d1(x, t))
        x = self.up(self.mid(self.down(h), t))
        return self.fin(self.u1(torch.cat((x, h), dim=1), t))


T = 20
betas = torch.linspace(1e-4, 0.02, T)
alphas = 1.0 - betas
ac = torch.cumprod(alphas, axis=0)
acp = F.pad(ac[:-1], (1, 0), value=1.0)
pv = betas * (1.0 - acp) / (1.0 - ac)


def extract(a, t, shape):
    return a.gather(-1, t.cpu()).reshape(t.shape[0], *((1,) * (len(shape) - 1))).to(t.device)


u = UNet()
opt = optim.Adam(u.parameters(), 1e-3)
x = torch.rand(4, 1, 8, 8) * 2 - 1
for _ in range(3):
    t = torch.randint(0, T, (4,)).long()
    n = torch.randn_like(x)
    xn = extract(torch.sqrt(ac), t, x.shape) * x + extract(torch.sqrt(1 - ac), t, x.shape) * n
    loss = F.smooth_l1_loss(n, u(xn, t))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"ddpm {loss.item():.5f}")


@torch.no_grad()
def p_sample(model, x, t, i):
    m = torch.sqrt(1.0 / extract(alphas, t, x.shape)) * (
        x - extract(betas, t, x.shape) * model(x, t) / extract(torch.sqrt(1 - ac), t, x.shape)
    )
    return m if i == 0 else m + torch.sqrt(extract(pv, t, x.shape)) * torch.randn_like(x)


img = torch.randn(2, 1, 8, 8)
for i in reversed(range(T)):
    img = p_sample(u, img, torch.full((2,), i, dtype=torch.long), i)
print(img.mean(), img.std())
