"""The main loop of PyTorch's image examples: meters, top-k, the best checkpoint; a range test and fine-tuning."""

import copy
import shutil
import tempfile
from collections import OrderedDict
from pathlib import Path

import torch
import torch.backends.cudnn as cudnn
import torch.nn.functional as F
import torch.nn.parallel
import torch.optim
import torch.utils.data
from torch import nn
from torch.optim.lr_scheduler import ExponentialLR, StepLR
from torch.utils.data import DataLoader, Subset, TensorDataset

torch.manual_seed(1)
cudnn.deterministic = True
cudnn.benchmark = False


class AverageMeter:
    def __init__(self, name, fmt):
        self.name, self.fmt = name, fmt
        self.val = self.sum = self.count = self.avg = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count

    def __str__(self):
        return ("{name} {val" + self.fmt + "} ({avg" + self.fmt + "})").format(**self.__dict__)


def accuracy(output, target, topk=(1,)):
    with torch.no_grad():
        pred = output.topk(max(topk), 1, True, True)[1].t()
        correct = pred.eq(target.view(1, -1).expand_as(pred))
        return [
            correct[:k].reshape(-1).float().sum(0, keepdim=True).mul_(100.0 / len(target))
            for k in topk
        ]


class Residual(nn.Module):
    def __init__(self, inside, out, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(inside, out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(out)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(out)
        self.shortcut = None
        if stride != 1:
            self.shortcut = nn.Sequential(
                nn.Conv2d(inside, out, 1, stride, bias=False), nn.BatchNorm2d(out)
            )

    def forward(self, x):
        out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        out += x if self.shortcut is None else self.shortcut(x)
        return self.relu(out)


def make_model():
    model = nn.Sequential(
        OrderedDict(
            stem=nn.Conv2d(3, 6, 3, padding=1, bias=False),
            layer1=Residual(6, 6),
            layer2=Residual(6, 12, 2),
            pool=nn.AdaptiveAvgPool2d((1, 1)),
            flat=nn.Flatten(),
            fc=nn.Linear(12, 10),
        )
    )
    for module in model.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
        elif isinstance(module, Residual):
            nn.init.constant_(module.bn2.weight, 0)
    return model


dataset = TensorDataset(torch.randn(36, 3, 6, 6), torch.randint(10, (36,)))
train_loader = DataLoader(
    Subset(dataset, range(24)), 8, shuffle=True, num_workers=2, pin_memory=False
)
valid_loader = DataLoader(Subset(dataset, range(24, 36)), 8, num_workers=1)
model = nn.DataParallel(make_model())
criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9, weight_decay=1e-4)
schedule = StepLR(optimizer, step_size=2, gamma=0.1)
folder = tempfile.TemporaryDirectory()
last, best_file = Path(folder.name) / "checkpoint.pth.tar", Path(folder.name) / "model_best.pth.tar"


def train(epoch):
    losses, top1, top5 = (
        AverageMeter("Loss", ":.4e"),
        AverageMeter("Acc@1", ":6.2f"),
        AverageMeter("Acc@5", ":6.2f"),
    )
    model.train()
    for images, target in train_loader:
        images = images.to("cpu", non_blocking=True)
        output = model(images)
        loss = criterion(output, target)
        for meter, value in zip((top1, top5), accuracy(output, target, topk=(1, 5)), strict=True):
            meter.update(value[0], images.size(0))
        losses.update(loss.item(), images.size(0))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"Epoch: [{epoch}]", losses, top1, top5)


def validate():
    losses, top1 = AverageMeter("Loss", ":.4e"), AverageMeter("Acc@1", ":6.2f")
    model.eval()
    with torch.no_grad():
        for images, target in valid_loader:
            output = model(images)
            losses.update(criterion(output, target).item(), len(target))
            top1.update(accuracy(output, target)[0].item(), len(target))
    print(losses, top1)
    return top1.avg


best = -1.0
for epoch in range(3):
    train(epoch)
    now = validate()
    schedule.step()
    state = {
        "epoch": epoch + 1,
        "state_dict": model.state_dict(),
        "best": max(now, best),
        "optimizer": optimizer.state_dict(),
        "scheduler": schedule.state_dict(),
    }
    torch.save(state, last)
    if now > best:
        shutil.copyfile(last, best_file)
    best = max(now, best)
checkpoint = torch.load(last, map_location=lambda storage, location: storage)
print(
    checkpoint["epoch"], checkpoint["best"], checkpoint["scheduler"]["_last_lr"], best_file.exists()
)
model.load_state_dict(checkpoint["state_dict"])
optimizer.load_state_dict(checkpoint["optimizer"])
schedule.load_state_dict(checkpoint["scheduler"])
train(3)
bare = make_model()
print(
    bare.load_state_dict(
        {name.replace("module.", "", 1): v for name, v in checkpoint["state_dict"].items()}
    )
)
folder.cleanup()

before = copy.deepcopy(model.state_dict()), copy.deepcopy(optimizer.state_dict())
for group in optimizer.param_groups:
    group["lr"] = group["initial_lr"] = 1e-4
ramp, batches, smooth = ExponentialLR(optimizer, 10.0), iter(train_loader), None
for _ in range(5):
    try:
        images, target = next(batches)
    except StopIteration:
        batches = iter(train_loader)
        images, target = next(batches)
    optimizer.zero_grad()
    loss = criterion(model(images), target)
    loss.backward()
    optimizer.step()
    smooth = loss.item() if smooth is None else 0.3 * loss.item() + 0.7 * smooth
    print(f"range test {ramp.get_last_lr()[0]:.4g} {smooth:.4f}")
    ramp.step()
model.load_state_dict(before[0])
optimizer.load_state_dict(before[1])
print(optimizer.param_groups[0]["lr"], optimizer.param_groups[0]["initial_lr"])

net = model.module
for p in net.parameters():
    p.requires_grad = False
net.fc = nn.Linear(net.fc.in_features, 3)
optimizer = torch.optim.Adam(filter(lambda p: p.requires_grad, net.parameters()), lr=1e-2)
for p in net.layer2.parameters():
    p.requires_grad = True
optimizer.add_param_group({"params": net.layer2.parameters(), "lr": 1e-3, "weight_decay": 0.1})
images, target = dataset[:12][0], torch.randint(3, (12,))
for _ in range(3):
    optimizer.zero_grad()
    loss = F.cross_entropy(net(images), target)
    loss.backward()
    optimizer.step()
    gradients = [p.grad for p in net.parameters() if p.grad is not None]
    print(
        f"fine-tuning {loss.item():.4f} {nn.utils.get_total_norm(gradients):.4f} {len(gradients)}"
    )
print(optimizer)
print({key: type(value).__name__ for key, value in optimizer.state[net.fc.weight].items()})
again = type(optimizer)(net.fc.parameters(), **optimizer.defaults)
print(again.defaults == optimizer.defaults)
for wrong in ({"params": [net.fc.weight]}, {"params": {net.stem.weight}}, [net.stem.weight]):
    try:
        optimizer.add_param_group(wrong)
    except (ValueError, TypeError) as e:
        print(type(e).__name__, str(e).split("\n")[0])
