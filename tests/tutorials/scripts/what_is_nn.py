"""What is torch.nn really? A classifier rewritten from plain tensors to modules, on small pictures."""

import math

import torch
import torch.nn.functional as F
from torch import nn, optim

from nbmodule_course.data import fashion

pictures = fashion()
x_train, y_train = map(torch.tensor, (pictures.train_images, pictures.train_labels))
x_valid, y_valid = map(torch.tensor, (pictures.test_images, pictures.test_labels))
x_train, x_valid = x_train.view(len(x_train), -1), x_valid.view(len(x_valid), -1)
n, c = x_train.shape
print(x_train.shape, y_train.min(), y_train.max(), y_train.dtype)

torch.manual_seed(0)
weights = torch.randn(784, 10) / math.sqrt(784)
weights.requires_grad_()
bias = torch.zeros(10, requires_grad=True)


def log_softmax(x):
    return x - x.exp().sum(-1).log().unsqueeze(-1)


def model(xb):
    return log_softmax(xb @ weights + bias)


bs = 64
xb = x_train[0:bs]
preds = model(xb)
print(preds[0], preds.shape)


def nll(input, target):
    return -input[range(target.shape[0]), target].mean()


loss_func = nll
yb = y_train[0:bs]
print(loss_func(preds, yb))


def accuracy(out, yb):
    preds = torch.argmax(out, dim=1)
    return (preds == yb).float().mean()


print(accuracy(preds, yb))
lr = 0.05
for i in range((n - 1) // bs + 1):
    start_i = i * bs
    xb, yb = x_train[start_i : start_i + bs], y_train[start_i : start_i + bs]
    loss = loss_func(model(xb), yb)
    loss.backward()
    with torch.no_grad():
        weights -= weights.grad * lr
        bias -= bias.grad * lr
        weights.grad.zero_()
        bias.grad.zero_()
print(round(loss_func(model(xb), yb).item(), 3), round(accuracy(model(xb), yb).item(), 3))
loss_func = F.cross_entropy
print(round(loss_func(xb @ weights + bias, yb).item(), 3))


class Mnist_Logistic(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(784, 10)

    def forward(self, xb):
        return self.lin(xb)


model = Mnist_Logistic()
opt = optim.SGD(model.parameters(), lr=0.1)
before = loss_func(model(xb), yb)
for epoch in range(2):
    model.train()
    for i in range((n - 1) // bs + 1):
        xb, yb = x_train[i * bs : i * bs + bs], y_train[i * bs : i * bs + bs]
        loss = loss_func(model(xb), yb)
        loss.backward()
        opt.step()
        opt.zero_grad()
    model.eval()
    with torch.no_grad():
        valid = loss_func(model(x_valid), y_valid)
    print(epoch, round(valid.item(), 3))
print(before.item() > loss_func(model(xb), yb).item())


class Mnist_CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, kernel_size=3, stride=2, padding=1)
        self.conv2 = nn.Conv2d(16, 16, kernel_size=3, stride=2, padding=1)
        self.conv3 = nn.Conv2d(16, 10, kernel_size=3, stride=2, padding=1)

    def forward(self, xb):
        xb = xb.view(-1, 1, 28, 28)
        xb = F.relu(self.conv1(xb))
        xb = F.relu(self.conv2(xb))
        xb = F.relu(self.conv3(xb))
        xb = F.avg_pool2d(xb, 4)
        return xb.view(-1, xb.size(1))


class Lambda(nn.Module):
    def __init__(self, func):
        super().__init__()
        self.func = func

    def forward(self, x):
        return self.func(x)


def loss_batch(model, loss_func, xb, yb, opt=None):
    loss = loss_func(model(xb), yb)
    if opt is not None:
        loss.backward()
        opt.step()
        opt.zero_grad()
    return loss.item(), len(xb)


sequential = nn.Sequential(
    Lambda(lambda x: x.view(-1, 1, 28, 28)),
    nn.Conv2d(1, 16, kernel_size=3, stride=2, padding=1),
    nn.ReLU(),
    nn.Conv2d(16, 10, kernel_size=3, stride=2, padding=1),
    nn.ReLU(),
    nn.AdaptiveAvgPool2d(1),
    Lambda(lambda x: x.view(x.size(0), -1)),
)
for net in (Mnist_CNN(), sequential):
    opt = optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    for i in range(8):
        loss, size = loss_batch(net, loss_func, x_train[i * bs : i * bs + bs], y_train[i * bs : i * bs + bs], opt)  # fmt: skip
        print(round(loss, 3), size)
