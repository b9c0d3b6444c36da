"""The recipes on saving: a state dict, a general checkpoint, several models in one file, a warm start, tips."""

import io
import tempfile
from pathlib import Path

import torch
from torch import nn, optim


class Net(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 3, 3)
        self.bn = nn.BatchNorm2d(3)
        self.fc1 = nn.Linear(3 * 2 * 2, classes)

    def forward(self, x):
        return self.fc1(torch.flatten(torch.max_pool2d(torch.relu(self.bn(self.conv1(x))), 2), 1))


torch.manual_seed(0)
folder = tempfile.TemporaryDirectory()
PATH = Path(folder.name) / "model.pt"
net = Net()
optimizer = optim.Adam(net.parameters(), lr=0.001)
scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10)
criterion = nn.CrossEntropyLoss()
x, y = torch.randn(8, 1, 6, 6), torch.randint(4, (8,))


def train(net, optimizer, scheduler, steps):
    for _ in range(steps):
        optimizer.zero_grad()
        loss = criterion(net(x), y)
        loss.backward()
        optimizer.step()
        scheduler.step()
    return loss


loss = train(net, optimizer, scheduler, 3)
torch.save(net.state_dict(), PATH)
model = Net()
print(model.load_state_dict(torch.load(PATH, weights_only=True)))
model.eval()
print(torch.load(PATH).keys())
print(type(torch.load(PATH)).__name__, torch.load(PATH)["bn.num_batches_tracked"])

checkpoint = {
    "epoch": 5,
    "model_state_dict": net.state_dict(),
    "optimizer_state_dict": optimizer.state_dict(),
    "scheduler": scheduler.state_dict(),
    "loss": loss.detach(),
}
torch.save(checkpoint, str(PATH))
uninterrupted = train(net, optimizer, scheduler, 4)
model = Net()
optimizer2 = optim.Adam(model.parameters(), lr=0.5)
scheduler2 = optim.lr_scheduler.CosineAnnealingLR(optimizer2, T_max=10)
checkpoint = torch.load(PATH, weights_only=True)
model.load_state_dict(checkpoint["model_state_dict"])
optimizer2.load_state_dict(checkpoint["optimizer_state_dict"])
scheduler2.load_state_dict(checkpoint["scheduler"])
print(checkpoint["epoch"], checkpoint["loss"], scheduler2.last_epoch, scheduler2.get_last_lr())
resumed = train(model, optimizer2, scheduler2, 4)
print(bool(uninterrupted == resumed), torch.equal(model.bn.running_var, net.bn.running_var))

netA, netB = Net(), Net(classes=7)
torch.save({"modelA_state_dict": netA.state_dict(), "modelB_state_dict": netB.state_dict()}, PATH)
both = torch.load(PATH)
print(sorted(both), both["modelB_state_dict"]["fc1.bias"].shape)
state = both["modelA_state_dict"]
del state["fc1.weight"], state["fc1.bias"]
print(netB.load_state_dict(state, strict=False))
try:
    netB.load_state_dict(torch.load(PATH)["modelA_state_dict"])
except RuntimeError as e:
    print(e)

buffer = io.BytesIO()
torch.save([torch.arange(3), {"a": (1, 2.5, None, True, "text")}], buffer)
buffer.seek(0)
print(torch.load(buffer))

big = torch.arange(100.0)
small = big[10:14]
torch.save({"small": small, "again": small, "whole": big}, PATH)
got = torch.load(PATH)
got["small"][0] = -1.0
print(got["whole"][10], got["again"][0], got["small"].storage_offset())

state_dict = torch.load(PATH, map_location="cpu", mmap=True)
print(state_dict["whole"].sum())
with torch.device("meta"):
    skeleton = Net()
print(skeleton.fc1.weight.is_meta)
torch.save(netA.state_dict(), PATH)
skeleton.load_state_dict(torch.load(PATH, mmap=True), assign=True)
print(skeleton.fc1.weight.is_meta, torch.equal(skeleton.fc1.weight, netA.fc1.weight))
print(isinstance(skeleton.fc1.weight, nn.Parameter), skeleton.fc1.weight.requires_grad)

try:
    torch.load(Path(folder.name) / "nothing.pt")
except FileNotFoundError as e:
    print(type(e).__name__, e.errno)
folder.cleanup()
