"""A program as users write it. `test_types.py` asks type checkers what they say of each line; nobody runs it.

A line that ends in ``# E`` is wrong, and a checker must say so; of all others it must say nothing.
"""

from typing import Any, assert_type

import numpy as np

import nbmodule as torch
import nbmodule.nn as nn
import nbmodule.nn.functional as F
from nbmodule import Tensor, optim
from nbmodule.optim import lr_scheduler
from nbmodule.utils.data import (
    ConcatDataset,
    DataLoader,
    Dataset,
    Subset,
    TensorDataset,
    WeightedRandomSampler,
    random_split,
)

# ---- tensors

x = torch.randn(4, 3, requires_grad=True)
y = torch.tensor([0, 1, 2, 0])
assert_type(x, Tensor)
assert_type(torch.zeros(2, 3, dtype=torch.float64), Tensor)
assert_type(torch.ones((2, 3), device="cpu"), Tensor)
assert_type(torch.full((2,), 0.5), Tensor)
assert_type(torch.arange(0, 10, 2), Tensor)
assert_type(torch.linspace(0, 1, steps=5), Tensor)
assert_type(torch.randint(0, 10, (3,)), Tensor)
assert_type(torch.eye(3), Tensor)
assert_type(torch.from_numpy(np.ones(3)), Tensor)
assert_type(torch.zeros_like(x, dtype=torch.long), Tensor)
assert_type(torch.manual_seed(0), torch.Generator)
assert_type(torch.float32, torch.dtype)
assert_type(torch.device("cpu"), torch.device)
torch.zeroes(2)  # E
torch.zeros("2")  # E
torch.full(2)  # E
torch.tensor()  # E
torch.arange(0, 10, stop=2)  # E
torch.randn(3, dtype="float32")  # E

# ---- attributes

assert_type(x.shape, torch.Size)
assert_type(x.shape[0], int)
assert_type(x.shape[1:], torch.Size)
assert_type(x.size(), torch.Size)
assert_type(x.size(0), int)
assert_type(x.stride(), tuple[int, ...])
assert_type(x.dtype, torch.dtype)
assert_type(x.device, torch.device)
assert_type(x.grad, Tensor | None)
assert_type(x.requires_grad, bool)
assert_type(x.is_leaf, bool)
assert_type(x.ndim, int)
assert_type(x.numel(), int)
assert_type(x.T, Tensor)
assert_type(x.mT, Tensor)
assert_type(x.data, Tensor)
assert_type(x._version, int)
assert_type(x._is_view(), bool)
x.requires_grad = False
x.grad = None
x.shape = (3, 4)  # E
x.grad.zero_()  # E
print(x.sahpe)  # E
x.dim()
x.dim + 1  # E

# ---- operators, indexing

assert_type(x + 1, Tensor)
assert_type(1 + x, Tensor)
assert_type(2.0 * x - x / 3, Tensor)
assert_type(x**2, Tensor)
assert_type(-x, Tensor)
assert_type(x @ x.T, Tensor)
assert_type(x == 0, Tensor)
assert_type(x != x, Tensor)
assert_type((x > 0) & (x < 1), Tensor)
assert_type(~(x > 0), Tensor)
assert_type((y == y).float(), Tensor)
assert_type(
    (x.argmax(1) == y).float().mean().item(), Any
)  # an int for ints, which `names[...]` needs
print(["cat", "dog"][y[0].item()], {0: "cat"}[y[0].item()])
right = 0
right += (x.argmax(1) == y).sum().item()
assert_type(x[0], Tensor)
assert_type(x[0, 1], Tensor)
assert_type(x[:, 1:], Tensor)
assert_type(x[..., None], Tensor)
assert_type(x[y], Tensor)
assert_type(x[x > 0], Tensor)
assert_type(len(x), int)
assert_type(float(x.sum()), float)
assert_type([row.sum() for row in x], list[Tensor])
assert_type(0.5 in x, bool)
x[0] = 1.0
x[x < 0] = 0
x += 1
x -= 0.1 * x
x + "1"  # E
x["a"]  # E
x @ 3  # E
x[0] = "1"  # E

# ---- functions and methods

assert_type(x.sum(), Tensor)
assert_type(x.sum(dim=1, keepdim=True), Tensor)
assert_type(x.mean((0, 1)), Tensor)
assert_type(x.std(0), Tensor)
assert_type(x.max(), Tensor)
assert_type(x.max(1).values, Tensor)
assert_type(x.max(1)[1], Tensor)
assert_type(torch.max(x, x), Tensor)
assert_type(torch.max(x, dim=1).indices, Tensor)
values, indices = x.sort(descending=True)
assert_type(values, Tensor)
assert_type(x.topk(2).indices, Tensor)
assert_type(torch.cat([x, x], dim=0), Tensor)
assert_type(torch.stack((x, x)), Tensor)
assert_type(torch.where(x > 0, x, 0.0), Tensor)
assert_type(torch.exp(x).log().relu(), Tensor)
assert_type(torch.clamp(x, min=0), Tensor)
assert_type(x.view(-1), Tensor)
assert_type(x.reshape(2, 6), Tensor)
assert_type(x.permute(1, 0).contiguous(), Tensor)
assert_type(x.unsqueeze(0).expand(2, 4, 3), Tensor)
assert_type(x.split(2), tuple[Tensor, ...])
assert_type(torch.chunk(x, 2), tuple[Tensor, ...])
assert_type(torch.allclose(x, x), bool)
assert_type(torch.equal(x, x), bool)
assert_type(torch.einsum("ij,kj->ik", x, x), Tensor)
assert_type(x.gather(1, y[:, None]), Tensor)
assert_type(x.masked_fill(x > 0, 0.0), Tensor)
assert_type(x.nonzero(), Tensor)
assert_type(x.nonzero(as_tuple=True), tuple[Tensor, ...])
assert_type(x.unique(), Tensor)
assert_type(torch.linalg.svd(x).S, Tensor)
assert_type(torch.linalg.norm(x, dim=1), Tensor)
assert_type(torch.special.expit(x), Tensor)
assert_type(torch.std_mean(x, 0), tuple[Tensor, Tensor])
assert_type(x.to("cpu").to(torch.float64).cpu(), Tensor)
assert_type(x.detach().numpy(), np.ndarray)
assert_type(x.add_(1).mul_(2), Tensor)
assert_type(torch.is_tensor(x), bool)
x.sum(axes=1)  # E
x.sum(dim="1")  # E
torch.cat(x, y)  # E
torch.exp()  # E
torch.exp(1.0)  # E
print(x.max(1).value)  # E
x.view("a")  # E
x.relu().sotfmax(1)  # E
torch.linalg.sdv(x)  # E
torch.special.expti(x)  # E

# ---- functions of networks

assert_type(F.relu(x), Tensor)
assert_type(F.softmax(x, dim=1), Tensor)
assert_type(F.cross_entropy(x, y), Tensor)
assert_type(F.mse_loss(x, x, reduction="sum"), Tensor)
assert_type(F.one_hot(y, 3), Tensor)
assert_type(F.max_pool2d(x, 2), Tensor)
assert_type(F.max_pool2d(x, 2, return_indices=True), tuple[Tensor, Tensor])
assert_type(F.dropout(x, 0.5, training=True), Tensor)
assert_type(F.avg_pool2d(x, (2, 2), stride=2), Tensor)
assert_type(F.adaptive_avg_pool2d(x, (1, None)), Tensor)
assert_type(F.max_unpool1d(x, y, 2), Tensor)
assert_type(F.interpolate(x, scale_factor=2.0), Tensor)
assert_type(torch.conv2d(x, x), Tensor)
F.softmaks(x)  # E
F.cross_entropy(x)  # E
F.max_pool2d(x, kernel=2)  # E
F.avg_pool2d(x, "2")  # E
F.adaptive_avg_pool2d(x, 0.5)  # E
F.lp_pool1d(x, 2, [0.5])  # E
F.interpolate(x, "2")  # E

# ---- modules

layer = nn.Linear(3, 4)
assert_type(layer(x), Tensor)
assert_type(layer.weight, Tensor)
assert_type(layer.in_features, int)
assert_type(nn.ReLU()(x), Tensor)
assert_type(nn.Sequential(layer, nn.ReLU(), nn.Linear(4, 2))(x), Any)  # as the last of them gives
assert_type(nn.CrossEntropyLoss()(x, y), Tensor)
assert_type(nn.Conv2d(1, 8, kernel_size=3, padding=1)(x), Tensor)
assert_type(nn.BatchNorm1d(3)(x), Tensor)
assert_type(nn.Dropout(0.1)(x), Tensor)
assert_type(nn.Embedding(10, 3)(y), Tensor)
pooled, places = nn.MaxPool2d(2, return_indices=True)(x)
assert_type(layer(nn.MaxPool1d(2)(x)), Tensor)
lstm = nn.LSTM(3, 4, batch_first=True)
assert_type(lstm(x), tuple[Tensor, tuple[Tensor, Tensor]])
out, (h, c) = lstm(x, (x, x))
assert_type(out[:, -1], Tensor)
assert_type(nn.GRU(3, 4)(x, h), tuple[Tensor, Tensor])
assert_type(nn.RNN(3, 4)(x), tuple[Tensor, Tensor])
assert_type(nn.LSTMCell(3, 4)(x), tuple[Tensor, Tensor])
packed = nn.utils.rnn.pack_padded_sequence(x, [3, 2])
assert_type(lstm(packed), tuple[nn.utils.rnn.PackedSequence, tuple[Tensor, Tensor]])
nn.init.zeros_(layer.bias)
layer.bias.data.fill_(0.1)
nn.MaxUnpool2d(2)(pooled, places, output_size=x.size())
lstm(x, x)  # E
lstm("x")  # E
print(lstm(x)[1].shape)  # E
lstm(x)[0].sotfmax(1)  # E
nn.MaxPool2d(2)(x).sotfmax(1)  # E
print(layer.bias.sahpe)  # E
nn.Linear(3)  # E
nn.Linear(3, 4, bais=False)  # E
nn.Linera(3, 4)  # E
layer(x, x)  # E
layer("x")  # E


class Net(nn.Module):
    def __init__(self, width: int = 16) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, width), nn.Linear(width, 3)])
        self.scale = nn.Parameter(torch.ones(1))
        self.register_buffer("seen", torch.zeros(1))

    def forward(self, x: Tensor, scaled: bool = True) -> Tensor:
        for layer in self.layers:
            x = F.relu(layer(x))
        return x * self.scale if scaled else x


net = Net()
assert_type(net(x), Tensor)
assert_type(net(x, scaled=False), Tensor)
assert_type(net.scale, nn.Parameter)
assert_type(net.train(), Net)
assert_type(net.eval().to("cpu"), Net)
assert_type([p.numel() for p in net.parameters()], list[int])
assert_type([name for name, _ in net.named_parameters()], list[str])
assert_type(len(net.layers), int)
net.load_state_dict(net.state_dict())
assert_type(list(net.state_dict().keys()), list[str])
net.zero_grad()
blocks = nn.ModuleDict({"down": nn.Sequential(nn.Linear(3, 4))})
assert_type(blocks["down"](x), Any)
print(blocks["down"][0].weight, net.layers[0].weight)
weights = dict(net.named_parameters())
torch.func.functional_call(net, weights, x)
torch.autograd.grad(x.sum(), weights.values())
optim.swa_utils.AveragedModel(net).module.layers[0]
nn.init.xavier_uniform_(layer.weight)
nn.utils.clip_grad_norm_(net.parameters(), 1.0)
net(x, scale=True)  # E
net(3)  # E
net.parameterz()  # no error: a module may have been given any attribute
nn.utils.clip_grads(net.parameters())  # E

# ---- optimizers, schedulers, data: a training loop

optimizer = optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
adam = optim.Adam(net.parameters(), lr=1e-3, betas=(0.9, 0.999))
scheduler = lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
assert_type(len(scheduler.get_last_lr()), int)
warm = [lr_scheduler.LinearLR(optimizer), lr_scheduler.LinearLR(optimizer)]
lr_scheduler.SequentialLR(optimizer, warm, milestones=(3,))
assert_type(optimizer.param_groups[0]["lr"], object)  # E
optim.SGDD(net.parameters())  # E
optim.SGD(net.parameters(), learning_rate=0.1)  # E
optimizer.stepp()  # E

data = TensorDataset(x, y)
train, valid = random_split(data, [3, 1])
loader = DataLoader(train, batch_size=2, shuffle=True)
assert_type(len(loader), int)
DataLoader(data, batchsize=2)  # E
print(len(loader.dataset), loader.dataset.tensors)
part = Subset(data, range(2))
assert_type(part, Subset[tuple[Tensor, ...]])
assert_type(ConcatDataset([data, data]), ConcatDataset[tuple[Tensor, ...]])
rows = DataLoader(
    [x, x], sampler=WeightedRandomSampler(torch.ones(2), 2), worker_init_fn=torch.manual_seed
)
Subset(3, [0])  # E
loss_of = nn.CrossEntropyLoss()
for _ in range(2):
    for inputs, labels in loader:
        optimizer.zero_grad()
        loss = loss_of(net(inputs), labels)
        assert_type(loss, Tensor)
        loss.backward()
        optimizer.step()
    scheduler.step()


class Squares(Dataset[tuple[Tensor, Tensor]]):
    def __len__(self) -> int:
        return 10

    def __getitem__(self, i: int) -> tuple[Tensor, Tensor]:
        return torch.tensor(float(i)), torch.tensor(float(i * i))


assert_type(Squares()[0][0], Tensor)

# ---- the same by full names

model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(4, 2)).to(torch.float64)
torch.optim.AdamW(model.parameters(), weight_decay=0.01)
torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10)
torch.utils.data.DataLoader(data)
torch.nn.utils.rnn.pad_sequence([x, x])
torch.autograd.set_detect_anomaly(False)
assert_type(torch.cuda.is_available(), bool)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
assert_type(model.to(device), nn.Sequential)
assert_type(x.to(device=device, dtype=torch.float32), Tensor)
torch.optim.Adamm(model.parameters())  # E
torch.utils.dat.DataLoader(data)  # E
torch.cuda.is_avaliable()  # E
torch.nn.Flaten()  # E
torch.autograd.gard(x.sum(), x)  # E
torch.nn.utils.rnm.pad_sequence([x])  # E

# ---- gradients, files

with torch.no_grad():
    assert_type(net(x), Tensor)
with torch.inference_mode(), torch.device("cpu"):
    assert_type(net(x), Tensor)


@torch.no_grad()
def accuracy(model: nn.Module, images: Tensor, labels: Tensor) -> float:
    return (model(images).argmax(dim=1) == labels).float().mean().item()


assert_type(accuracy(net, x, y), float)
assert_type(torch.autograd.grad(x.sum(), x), tuple[Tensor, ...])
assert_type(torch.is_grad_enabled(), bool)
x.backward(3)  # E
handle = x.register_hook(lambda grad: grad * 2)
handle.remove()
torch.save(net.state_dict(), "net.pt")
net.load_state_dict(torch.load("net.pt"))
torch.sava(net, "net.pt")  # E


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad_output: Tensor) -> Tensor:
        return grad_output * 2


Double.apply(x)
