"""An image that takes the content of one and the style of another: Gram matrices inside a Sequential."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

torch.manual_seed(0)
cnn = nn.Sequential(
    nn.Conv2d(3, 8, 3, padding=1),
    nn.ReLU(inplace=True),
    nn.Conv2d(8, 8, 3, padding=1),
    nn.ReLU(inplace=True),
    nn.MaxPool2d(2, 2),
    nn.Conv2d(8, 16, 3, padding=1),
    nn.BatchNorm2d(16),
    nn.ReLU(inplace=True),
).eval()
for p in cnn.parameters():
    p.requires_grad_(False)
content_img = torch.rand(1, 3, 16, 16)
style_img = torch.rand(1, 3, 16, 16)


class ContentLoss(nn.Module):
    def __init__(self, target):
        super().__init__()
        self.target = target.detach()

    def forward(self, input):
        self.loss = F.mse_loss(input, self.target)
        return input


def gram_matrix(input):
    a, b, c, d = input.size()
    features = input.view(a * b, c * d)
    G = torch.mm(features, features.t())
    return G.div(a * b * c * d)


class StyleLoss(nn.Module):
    def __init__(self, target_feature):
        super().__init__()
        self.target = gram_matrix(target_feature).detach()

    def forward(self, input):
        self.loss = F.mse_loss(gram_matrix(input), self.target)
        return input


class Normalization(nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        self.mean = torch.tensor(mean).view(-1, 1, 1)
        self.std = torch.tensor(std).view(-1, 1, 1)

    def forward(self, img):
        return (img - self.mean) / self.std


m = torch.tensor([0.485, 0.456, 0.406])
s = torch.tensor([0.229, 0.224, 0.225])


def build(
    cnn,
    mean,
    std,
    style_img,
    content_img,
    content_layers=("conv_2",),
    style_layers=("conv_1", "conv_2", "conv_3"),
):
    content_losses, style_losses = [], []
    model = nn.Sequential(Normalization(mean, std))
    i = 0
    for layer in cnn.children():
        if isinstance(layer, nn.Conv2d):
            i += 1
            name = f"conv_{i}"
        elif isinstance(layer, nn.ReLU):
            name = f"relu_{i}"
            layer = nn.ReLU(inplace=False)
        elif isinstance(layer, nn.MaxPool2d):
            name = f"pool_{i}"
        elif isinstance(layer, nn.BatchNorm2d):
            name = f"bn_{i}"
        else:
            raise RuntimeError(f"Unrecognized layer: {layer.__class__.__name__}")
        model.add_module(name, layer)
        if name in content_layers:
            cl = ContentLoss(model(content_img).detach())
            model.add_module(f"content_loss_{i}", cl)
            content_losses.append(cl)
        if name in style_layers:
            sl = StyleLoss(model(style_img).detach())
            model.add_module(f"style_loss_{i}", sl)
            style_losses.append(sl)
    for i in range(len(model) - 1, -1, -1):
        if isinstance(model[i], ContentLoss | StyleLoss):
            break
    return model[: (i + 1)], style_losses, content_losses


model, style_losses, content_losses = build(cnn, m, s, style_img, content_img)
input_img = content_img.clone()
print(model)
input_img.requires_grad_(True)
model.eval()
model.requires_grad_(False)
optimizer = optim.Adam([input_img], lr=0.02)
run = [0]
while run[0] <= 5:

    def closure():
        with torch.no_grad():
            input_img.clamp_(0, 1)
        optimizer.zero_grad()
        model(input_img)
        style_score = sum(sl.loss for sl in style_losses) * 1e6 / 1e3
        content_score = sum(cl.loss for cl in content_losses)
        loss = style_score + content_score
        loss.backward()
        run[0] += 1
        print(f"Style Loss : {style_score.item():4f} Content Loss: {content_score.item():4f}")
        return loss

    optimizer.step(closure)
with torch.no_grad():
    input_img.clamp_(0, 1)
# How rough the image is, and what the layers saw of it, kept by hooks
feats = {}
hs = [
    layer.register_forward_hook(lambda mod, i, o, n=n: feats.__setitem__(n, o.detach()))
    for n, layer in cnn.named_children()
    if isinstance(layer, nn.Conv2d)
]
cnn(input_img)
[h.remove() for h in hs]
print({k: tuple(v.shape) for k, v in feats.items()})
tv = (input_img[..., 1:, :] - input_img[..., :-1, :]).abs().sum() + (
    input_img[..., 1:] - input_img[..., :-1]
).abs().sum()
tv.backward()
print(tv)
