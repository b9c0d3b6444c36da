"""A generator of small pictures and a discriminator that learn from each other."""

import torch
from torch import nn

torch.manual_seed(0)
noise_size, width = 6, 4


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.ConvTranspose2d(noise_size, width * 4, 4, 1, 0, bias=False),
            nn.BatchNorm2d(width * 4),
            nn.ReLU(True),
            nn.ConvTranspose2d(width * 4, width * 2, 4, 2, 1, bias=False),
            nn.BatchNorm2d(width * 2),
            nn.ReLU(True),
            nn.ConvTranspose2d(width * 2, 1, 4, 2, 1, bias=False),
            nn.Tanh(),
        )

    def forward(self, noise):
        return self.main(noise)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(1, width, 4, 2, 1, bias=False),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(width, width * 2, 4, 2, 1, bias=False),
            nn.BatchNorm2d(width * 2),
            nn.LeakyReLU(0.2, inplace=True),
            nn.utils.parametrizations.spectral_norm(nn.Conv2d(width * 2, 1, 4, 1, 0, bias=False)),
            nn.Sigmoid(),
        )

    def forward(self, pictures):
        return self.main(pictures).view(-1)


def draw_weights(module):
    kind = type(module).__name__
    if kind in ("Conv2d", "ConvTranspose2d"):
        nn.init.normal_(module.weight, 0.0, 0.02)
    elif kind.startswith("BatchNorm"):
        nn.init.normal_(module.weight, 1.0, 0.02)
        nn.init.zeros_(module.bias)


generator = Generator().apply(draw_weights)
discriminator = Discriminator().apply(draw_weights)
print(generator)
print(discriminator)

criterion = nn.BCELoss()
of_d = torch.optim.Adam(discriminator.parameters(), lr=2e-3, betas=(0.5, 0.999))
of_g = torch.optim.Adam(generator.parameters(), lr=2e-3, betas=(0.5, 0.999))
fixed = torch.randn(3, noise_size, 1, 1)
print(generator(fixed).shape, discriminator(generator(fixed)).shape)

for step in range(4):
    real = torch.rand(8, 1, 16, 16) * 2 - 1
    discriminator.zero_grad()
    label = torch.full((8,), 1.0)
    loss_real = criterion(discriminator(real), label)
    loss_real.backward()
    fake = generator(torch.randn(8, noise_size, 1, 1))
    loss_fake = criterion(discriminator(fake.detach()), label.fill_(0.0))
    loss_fake.backward()
    of_d.step()

    generator.zero_grad()
    loss_g = criterion(discriminator(fake), label.fill_(1.0))
    loss_g.backward()
    of_g.step()
    print(f"{step}: {loss_real.item():.4f} {loss_fake.item():.4f} {loss_g.item():.4f}")

with torch.no_grad():
    pictures = generator.eval()(fixed)
print(pictures.min() >= -1, pictures.max() <= 1, list(discriminator.state_dict()))
