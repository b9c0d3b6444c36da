"""Four families of image classifiers, small: VGG, DenseNet, MobileNet, ConvNeXt."""

from collections import OrderedDict
from collections.abc import Callable
from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

torch.manual_seed(3)
# VGG: a list of numbers says it all
cfgs = {"A": [8, "M", 16, "M", 16, 16, "M"]}


def make_layers(cfg, batch_norm=False):
    layers: list[nn.Module] = []
    in_channels = 3
    for v in cfg:
        if v == "M":
            layers += [nn.MaxPool2d(kernel_size=2, stride=2)]
        else:
            conv2d = nn.Conv2d(in_channels, v, kernel_size=3, padding=1)
            layers += (
                [conv2d, nn.BatchNorm2d(v), nn.ReLU(inplace=True)]
                if batch_norm
                else [conv2d, nn.ReLU(inplace=True)]
            )
            in_channels = v
    return nn.Sequential(*layers)


class VGG(nn.Module):
    def __init__(self, features, num_classes=5, init_weights=True, dropout=0.5):
        super().__init__()
        self.features = features
        self.avgpool = nn.AdaptiveAvgPool2d((7, 7))
        self.classifier = nn.Sequential(
            nn.Linear(16 * 7 * 7, 32),
            nn.ReLU(True),
            nn.Dropout(p=dropout),
            nn.Linear(32, num_classes),
        )
        if init_weights:
            for m in self.modules():
                if isinstance(m, nn.Conv2d):
                    nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
                    if m.bias is not None:
                        nn.init.constant_(m.bias, 0)
                elif isinstance(m, nn.BatchNorm2d):
                    nn.init.constant_(m.weight, 1)
                    nn.init.constant_(m.bias, 0)
                elif isinstance(m, nn.Linear):
                    nn.init.normal_(m.weight, 0, 0.01)
                    nn.init.constant_(m.bias, 0)

    def forward(self, x):
        x = self.features(x)
        x = self.avgpool(x)
        x = torch.flatten(x, 1)
        return self.classifier(x)


# DenseNet: each layer sees all before it
class _DenseLayer(nn.Module):
    def __init__(self, i, growth, bn_size, drop_rate):
        super().__init__()
        self.norm1 = nn.BatchNorm2d(i)
        self.relu1 = nn.ReLU(inplace=True)
        self.conv1 = nn.Conv2d(i, bn_size * growth, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(bn_size * growth)
        self.relu2 = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(bn_size * growth, growth, 3, 1, 1, bias=False)
        self.drop_rate = float(drop_rate)

    def forward(self, input):
        prev = [input] if isinstance(input, Tensor) else input
        b = self.conv1(self.relu1(self.norm1(torch.cat(prev, 1))))
        n = self.conv2(self.relu2(self.norm2(b)))
        return F.dropout(n, p=self.drop_rate, training=self.training) if self.drop_rate > 0 else n


class _DenseBlock(nn.ModuleDict):
    _version = 2

    def __init__(self, n, i, bn_size, g, d):
        super().__init__()
        for k in range(n):
            self.add_module(f"denselayer{k + 1}", _DenseLayer(i + k * g, g, bn_size, d))

    def forward(self, x):
        features = [x]
        for layer in self.values():
            features.append(layer(features))
        return torch.cat(features, 1)


class _Transition(nn.Sequential):
    def __init__(self, i, o):
        super().__init__()
        self.norm = nn.BatchNorm2d(i)
        self.relu = nn.ReLU(inplace=True)
        self.conv = nn.Conv2d(i, o, kernel_size=1, stride=1, bias=False)
        self.pool = nn.AvgPool2d(kernel_size=2, stride=2)


class DenseNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            OrderedDict(
                [
                    ("conv0", nn.Conv2d(3, 8, 7, 2, 3, bias=False)),
                    ("norm0", nn.BatchNorm2d(8)),
                    ("relu0", nn.ReLU(inplace=True)),
                    ("pool0", nn.MaxPool2d(kernel_size=3, stride=2, padding=1)),
                ]
            )
        )
        n = 8
        for i, k in enumerate((2, 3)):
            self.features.add_module(f"denseblock{i + 1}", _DenseBlock(k, n, 2, 4, 0.1))
            n += k * 4
            if i == 0:
                self.features.add_module(f"transition{i + 1}", _Transition(n, n // 2))
                n //= 2
        self.features.add_module("norm5", nn.BatchNorm2d(n))
        self.classifier = nn.Linear(n, 5)

    def forward(self, x):
        return self.classifier(
            torch.flatten(F.adaptive_avg_pool2d(F.relu(self.features(x), inplace=True), (1, 1)), 1)
        )


# MobileNet: wide inside, each channel on its own
def _make_divisible(v, divisor, min_value=None):
    if min_value is None:
        min_value = divisor
    n = max(min_value, int(v + divisor / 2) // divisor * divisor)
    return n + divisor if n < 0.9 * v else n


class ConvBNAct(nn.Sequential):
    def __init__(
        self,
        i,
        o,
        kernel_size=3,
        stride=1,
        groups=1,
        norm_layer: Callable[..., nn.Module] | None = nn.BatchNorm2d,
        act=nn.ReLU6,
    ):
        super().__init__(
            nn.Conv2d(i, o, kernel_size, stride, (kernel_size - 1) // 2, groups=groups, bias=False),
            norm_layer(o),
            act(inplace=True),
        )


class InvertedResidual(nn.Module):
    def __init__(self, inp, oup, stride, expand):
        super().__init__()
        h = round(inp * expand)
        self.use_res_connect = stride == 1 and inp == oup
        layers = []
        if expand != 1:
            layers.append(ConvBNAct(inp, h, kernel_size=1))
        layers.extend(
            [
                ConvBNAct(h, h, stride=stride, groups=h),
                nn.Conv2d(h, oup, 1, 1, 0, bias=False),
                nn.BatchNorm2d(oup),
            ]
        )
        self.conv = nn.Sequential(*layers)

    def forward(self, x):
        return x + self.conv(x) if self.use_res_connect else self.conv(x)


class MobileNetV2(nn.Module):
    def __init__(self, setting=((1, 8, 1, 1), (4, 8, 2, 2), (4, 16, 1, 1)), width=1.0):
        super().__init__()
        c = _make_divisible(8 * width, 8)
        f = [ConvBNAct(3, c, stride=2)]
        for t, ch, n, s in setting:
            for i in range(n):
                f.append(InvertedResidual(c, ch, s if i == 0 else 1, t))
                c = ch
        f.append(ConvBNAct(c, 24, 1, act=nn.Hardswish))
        self.features = nn.Sequential(*f)
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(24, 5))
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out")
            elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
                nn.init.ones_(m.weight)
                nn.init.zeros_(m.bias)
            elif isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, 0, 0.01)
                nn.init.zeros_(m.bias)

    def forward(self, x):
        x = self.features(x)
        x = nn.functional.adaptive_avg_pool2d(x, (1, 1))
        return self.classifier(torch.flatten(x, 1))


# ConvNeXt: channels last, as in a transformer
class LayerNorm2d(nn.LayerNorm):
    def forward(self, x: Tensor) -> Tensor:
        x = x.permute(0, 2, 3, 1)
        x = F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
        return x.permute(0, 3, 1, 2)


class CNBlock(nn.Module):
    def __init__(self, d):
        super().__init__()
        n = partial(nn.LayerNorm, eps=1e-6)
        self.block = nn.Sequential(
            nn.Conv2d(d, d, kernel_size=7, padding=3, groups=d, bias=True),
            Permute([0, 2, 3, 1]),
            n(d),
            nn.Linear(d, 4 * d),
            nn.GELU(),
            nn.Linear(4 * d, d),
            Permute([0, 3, 1, 2]),
        )
        self.layer_scale = nn.Parameter(torch.ones(d, 1, 1) * 1e-2)

    def forward(self, x):
        return self.layer_scale * self.block(x) + x


class Permute(nn.Module):
    def __init__(self, dims):
        super().__init__()
        self.dims = dims

    def forward(self, x):
        return torch.permute(x, self.dims)


convnext = nn.Sequential(
    nn.Conv2d(3, 8, 4, 4),
    LayerNorm2d(8, eps=1e-6),
    CNBlock(8),
    CNBlock(8),
    nn.AdaptiveAvgPool2d(1),
    nn.Flatten(1),
    nn.Linear(8, 5),
)


x = torch.randn(4, 3, 32, 32)
y = torch.tensor([0, 1, 4, 2])
models = {
    "vgg": VGG(make_layers(cfgs["A"], True)),
    "dense": DenseNet(),
    "mobile": MobileNetV2(),
    "convnext": convnext,
}


def count(m):
    return sum(p.numel() for p in m.parameters() if p.requires_grad)


for name, m in models.items():
    opt = torch.optim.SGD(m.parameters(), lr=0.02, momentum=0.9, weight_decay=1e-4, nesterov=True)
    sched = torch.optim.lr_scheduler.StepLR(opt, 2, 0.5)
    for k in range(3):
        loss = F.cross_entropy(m(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        print(f"{name} {count(m)} {k} {loss.item():.5f}")
    m.eval()
    with torch.inference_mode():
        print(m(x).softmax(1).topk(2, dim=1))
