"""A U-net that marks discs in noise: down, up, and the details of the way down beside those of the way up."""

import torch
import torch.nn.functional as F
from torch import nn


def double(inputs, outputs):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1, bias=False),
        nn.InstanceNorm2d(outputs, affine=True),
        nn.LeakyReLU(0.01, inplace=True),
        nn.Conv2d(outputs, outputs, 3, padding="same", padding_mode="reflect"),
        nn.GroupNorm(2, outputs),
        nn.SiLU(),
    )


class UNet(nn.Module):
    def __init__(self, bilinear):
        super().__init__()
        self.down1, self.down2, self.down3 = double(1, 4), double(4, 8), double(8, 16)
        self.pool = nn.MaxPool2d(2)
        if bilinear:
            up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
            self.up2, self.up1 = nn.Sequential(up, nn.Conv2d(16, 8, 1)), nn.Conv2d(8, 4, 1)
        else:
            self.up2 = nn.ConvTranspose2d(16, 8, kernel_size=2, stride=2)
            self.up1 = nn.ConvTranspose2d(8, 4, kernel_size=2, stride=2)
        self.bilinear = bilinear
        self.join2, self.join1 = double(16, 8), double(8, 4)
        self.out = nn.Conv2d(4, 1, kernel_size=1)

    def forward(self, x):
        first = self.down1(x)
        second = self.down2(self.pool(first))
        deep = self.down3(self.pool(second))
        x = self.join2(torch.cat([second, fitted(self.up2(deep), second)], dim=1))
        x = self.up1(x)
        if self.bilinear:
            x = F.interpolate(x, size=first.shape[-2:], mode="nearest")
        return self.out(self.join1(torch.cat([first, fitted(x, first)], dim=1)))


def fitted(x, like):
    rows, columns = like.size(2) - x.size(2), like.size(3) - x.size(3)
    return F.pad(x, [columns // 2, columns - columns // 2, rows // 2, rows - rows // 2])


def dice(logits, target):
    p = logits.sigmoid()
    both = (p * target).sum((1, 2, 3))
    return 1 - ((2 * both + 1) / (p.sum((1, 2, 3)) + target.sum((1, 2, 3)) + 1)).mean()


rows, columns = torch.meshgrid(torch.arange(18.0), torch.arange(22.0), indexing="ij")
discs = [((rows - r) ** 2 + (columns - c) ** 2 < 16).float() for r, c in ((6, 7), (11, 15))]
target = torch.stack(discs).unsqueeze(1)
for bilinear in (True, False):
    torch.manual_seed(0)
    model = UNet(bilinear)
    pictures = target + 0.5 * torch.randn_like(target)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
    print(model if bilinear else model.up2, model(pictures).shape)
    for step in range(4):
        logits = model(pictures)
        weight = torch.tensor([2.0])
        loss = F.binary_cross_entropy_with_logits(logits, target, pos_weight=weight)
        loss = loss + dice(logits, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"{step}: {loss.item():.4f} {((logits > 0) == (target > 0)).float().mean():.3f}")
