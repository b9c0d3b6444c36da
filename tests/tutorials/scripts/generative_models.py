"""An autoencoder with a book of codes, and a critic whose gradient is held at length one."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import autograd, optim

torch.manual_seed(0)


# The book of codes: the nearest code goes on, its gradient goes to the encoder
class VectorQuantizer(nn.Module):
    def __init__(self, num, dim, beta):
        super().__init__()
        self.embedding = nn.Embedding(num, dim)
        self.embedding.weight.data.uniform_(-1 / num, 1 / num)
        self.beta = beta
        self.n = num

    def forward(self, inputs):
        inputs = inputs.permute(0, 2, 3, 1).contiguous()
        shape = inputs.shape
        flat = inputs.view(-1, shape[-1])
        d = (
            torch.sum(flat**2, dim=1, keepdim=True)
            + torch.sum(self.embedding.weight**2, dim=1)
            - 2 * torch.matmul(flat, self.embedding.weight.t())
        )
        idx = torch.argmin(d, dim=1).unsqueeze(1)
        enc = torch.zeros(idx.shape[0], self.n)
        enc.scatter_(1, idx, 1)
        q = torch.matmul(enc, self.embedding.weight).view(shape)
        loss = F.mse_loss(q, inputs.detach()) + self.beta * F.mse_loss(q.detach(), inputs)
        q = inputs + (q - inputs).detach()
        p = enc.mean(0)
        return (
            loss,
            q.permute(0, 3, 1, 2).contiguous(),
            torch.exp(-torch.sum(p * torch.log(p + 1e-10))),
        )


class Residual(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.b = nn.Sequential(
            nn.ReLU(True),
            nn.Conv2d(c, c, 3, 1, 1, bias=False),
            nn.ReLU(True),
            nn.Conv2d(c, c, 1, 1, bias=False),
        )

    def forward(self, x):
        return x + self.b(x)


class VQVAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Sequential(
            nn.Conv2d(1, 4, 4, 2, 1), nn.ReLU(), nn.Conv2d(4, 4, 4, 2, 1), Residual(4)
        )
        self.q = VectorQuantizer(8, 4, 0.25)
        self.d = nn.Sequential(
            nn.Conv2d(4, 4, 3, 1, 1),
            Residual(4),
            nn.ConvTranspose2d(4, 4, 4, 2, 1),
            nn.ReLU(),
            nn.ConvTranspose2d(4, 1, 4, 2, 1),
        )

    def forward(self, x):
        from_book, q, p = self.q(self.e(x))
        return from_book, self.d(q), p


vq = VQVAE()
opt = optim.Adam(vq.parameters(), lr=1e-3)
x = torch.rand(4, 1, 16, 16)
for _ in range(3):
    from_book, r, p = vq(x)
    loss = from_book + F.mse_loss(r, x) / x.var()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"vq {loss.item():.5f} {p.item():.4f}")


# The critic: the length of its gradient is part of the loss, so it is differentiated twice
class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.m = nn.Sequential(
            nn.Conv2d(1, 4, 4, 2, 1),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(4, 8, 4, 2, 1),
            nn.InstanceNorm2d(8, affine=True),
            nn.LeakyReLU(0.2),
            nn.Flatten(),
            nn.Linear(8 * 4, 1),
        )

    def forward(self, x):
        return self.m(x)


class Gen(nn.Module):
    def __init__(self):
        super().__init__()
        self.m = nn.Sequential(
            nn.ConvTranspose2d(5, 8, 4, 1, 0, bias=False),
            nn.BatchNorm2d(8),
            nn.ReLU(True),
            nn.ConvTranspose2d(8, 1, 4, 2, 1, bias=False),
            nn.Tanh(),
        )

    def forward(self, z):
        return self.m(z)


D, G = Critic(), Gen()
oD, oG = (
    optim.Adam(D.parameters(), 1e-3, betas=(0.0, 0.9)),
    optim.Adam(G.parameters(), 1e-3, betas=(0.0, 0.9)),
)
real = torch.randn(6, 1, 8, 8)
for _ in range(3):
    fake = G(torch.randn(6, 5, 1, 1)).detach()
    a = torch.rand(6, 1, 1, 1)
    xi = (a * real + (1 - a) * fake).requires_grad_(True)
    d = D(xi)
    g = autograd.grad(
        outputs=d,
        inputs=xi,
        grad_outputs=torch.ones(d.size()),
        create_graph=True,
        retain_graph=True,
        only_inputs=True,
    )[0]
    gp = ((g.view(g.size(0), -1).norm(2, dim=1) - 1) ** 2).mean()
    loss = D(fake).mean() - D(real).mean() + 10 * gp
    oD.zero_grad()
    loss.backward()
    oD.step()
    for p in D.parameters():
        p.requires_grad_(False)
    gl = -D(G(torch.randn(6, 5, 1, 1))).mean()
    oG.zero_grad()
    gl.backward()
    oG.step()
    for p in D.parameters():
        p.requires_grad_(True)
    print(f"wgan {loss.item():.5f} {gp.item():.5f} {gl.item():.5f}")
