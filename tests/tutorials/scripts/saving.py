"""Saving and loading: state dicts of models and optimizers, warm starts, in memory."""

import copy
import pickle
from collections import OrderedDict

import torch
import torch.nn as nn
import torch.optim as optim


class TheModelClass(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.fc1 = nn.Linear(6 * 2 * 2, 4)
        self.register_buffer("seen", torch.zeros(1))

    def forward(self, x):
        return self.fc1(torch.flatten(self.pool(torch.relu(self.conv1(x))), 1))


torch.manual_seed(0)
model = TheModelClass()
optimizer = optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
print("Model's state_dict:")
for param_tensor in model.state_dict():
    print(param_tensor, "\t", model.state_dict()[param_tensor].size())
print("Optimizer's state_dict:")
for var_name in optimizer.state_dict():
    print(var_name, "\t", optimizer.state_dict()[var_name])

x = torch.randn(2, 3, 9, 9)
model(x).sum().backward()
optimizer.step()
checkpoint = {
    "epoch": 5,
    "model_state_dict": copy.deepcopy(model.state_dict()),
    "optimizer_state_dict": optimizer.state_dict(),
}
again = TheModelClass()
print(again.load_state_dict(checkpoint["model_state_dict"]))
again.eval()
print(torch.equal(again(x), model(x)))
other = optim.SGD(again.parameters(), lr=1.0)
other.load_state_dict(checkpoint["optimizer_state_dict"])
print(other.param_groups[0]["lr"], other.state_dict()["state"].keys())

smaller = OrderedDict((k, v) for k, v in model.state_dict().items() if "conv" in k)
print(again.load_state_dict(smaller, strict=False))
try:
    again.load_state_dict(smaller)
except RuntimeError as error:
    print(error)
smaller["conv1.bias"] = torch.zeros(7)
try:
    again.load_state_dict(smaller, strict=False)
except RuntimeError as error:
    print(error)

state = pickle.loads(pickle.dumps(model.state_dict()))
print(list(state), torch.equal(state["fc1.weight"], model.fc1.weight))
best = model.state_dict()
with torch.no_grad():
    model.fc1.bias.zero_()
print("a state dict shares memory:", best["fc1.bias"])
m = nn.Linear(5, 10, bias=False)
m.load_state_dict({"weight": torch.ones(10, 5)}, assign=True)
print(type(m.weight).__name__, m.weight.requires_grad)
