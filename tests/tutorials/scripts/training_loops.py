"""Whole trainings: the quickstart with Adam and a test loop, logistic regression, a generator's init."""

import math

import torch
from torch import nn

torch.manual_seed(42)


# yes or no
class Circle(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer_1 = nn.Linear(2, 10)
        self.layer_2 = nn.Linear(10, 10)
        self.layer_3 = nn.Linear(10, 1)
        self.relu = nn.ReLU()

    def forward(self, x):
        return self.layer_3(self.relu(self.layer_2(self.relu(self.layer_1(x)))))


X = torch.rand(200, 2) * 2 - 1
y = ((X**2).sum(1) < 0.5).float()
model = Circle()
loss_fn = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for epoch in range(60):
    model.train()
    logits = model(X).squeeze()
    loss = loss_fn(logits, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 20 == 0:
        model.eval()
        with torch.inference_mode():
            pred = torch.round(torch.sigmoid(model(X).squeeze()))
        print(
            f"Epoch {epoch} | Loss: {loss:.4f}, Accuracy: {(pred == y).sum().item() / len(y):.2f}"
        )
prob = nn.Sigmoid()(model(X).squeeze().detach())
print(nn.BCELoss()(prob, y), loss_fn(model(X).squeeze(), y))

# straight lines
weight, bias = 0.7, 0.3
X = torch.arange(0, 1, 0.02).unsqueeze(dim=1)
y = weight * X + bias
line = nn.Linear(1, 1)
optimizer = torch.optim.SGD(params=line.parameters(), lr=0.05)
loss_fn = nn.L1Loss()
for _ in range(100):
    loss = loss_fn(line(X), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(line.state_dict(), loss)
print(optimizer)

# polynomials, with optimizers
x = torch.linspace(-math.pi, math.pi, 200)
y = torch.sin(x)
xx = x.unsqueeze(-1).pow(torch.tensor([1, 2, 3]))
for make in (
    lambda p: torch.optim.SGD(p, lr=1e-6, momentum=0.9),
    lambda p: torch.optim.Adam(p, lr=1e-2),
    lambda p: torch.optim.AdamW(p, lr=1e-2, weight_decay=0.1),
):
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(3, 1), nn.Flatten(0, 1))
    loss_fn = nn.MSELoss(reduction="sum")
    optimizer = make(model.parameters())
    for t in range(100):
        loss = loss_fn(model(xx), y)
        if t % 50 == 49:
            print(t, round(loss.item(), 2))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(type(optimizer).__name__, model[0].bias.item(), model[0].weight)


# a picture classifier, after the quickstart
class NeuralNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.linear_relu_stack = nn.Sequential(
            nn.Linear(8 * 8, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 4)
        )

    def forward(self, x):
        x = self.flatten(x)
        return self.linear_relu_stack(x)


centers = torch.rand(4, 1, 8, 8)
labels = torch.randint(0, 4, (256,))
images = centers[labels] + torch.randn(256, 1, 8, 8) * 0.2
batches = list(zip(images.split(32), labels.split(32), strict=True))
model = NeuralNetwork()
print(model)
print(sum(p.numel() for p in model.parameters() if p.requires_grad))
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-1)


def train(batches):
    model.train()
    for batch, (X, y) in enumerate(batches):
        pred = model(X)
        loss = loss_fn(pred, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if batch % 4 == 0:
            print(f"loss: {loss.item():>7f}  [{(batch + 1) * len(X):>5d}/{256:>5d}]")


def test(batches):
    model.eval()
    test_loss, correct = 0, 0
    with torch.no_grad():
        for X, y in batches:
            pred = model(X)
            test_loss += loss_fn(pred, y).item()
            correct += (pred.argmax(1) == y).type(torch.float).sum().item()
    print(f"Accuracy: {100 * correct / 256:>0.1f}%, Avg loss: {test_loss / len(batches):>8f}")


for t in range(2):
    print(f"Epoch {t + 1}\n-------------------------------")
    train(batches)
    test(batches)
state = optimizer.state_dict()
again = torch.optim.SGD(model.parameters(), lr=0.5)
again.load_state_dict(state)
print(again.param_groups[0]["lr"])


# initialization as for a generator of pictures
def weights_init(m):
    classname = m.__class__.__name__
    if classname.find("Conv") != -1:
        nn.init.normal_(m.weight.data, 0.0, 0.02)
    elif classname.find("Linear") != -1:
        nn.init.normal_(m.weight.data, 1.0, 0.02)
        nn.init.constant_(m.bias.data, 0)


torch.manual_seed(999)
net = nn.Sequential(
    nn.Conv2d(3, 4, 4, 2, 1, bias=False), nn.ReLU(True), nn.Flatten(), nn.Linear(64, 1)
)
net.apply(weights_init)
print(net)
print(net[0].weight[0, 0], net(torch.randn(2, 3, 8, 8)))
label = torch.full((2,), 1.0, dtype=torch.float)
optimizerD = torch.optim.Adam(net.parameters(), lr=0.0002, betas=(0.5, 0.999))
for _ in range(3):
    net.zero_grad()
    output = torch.sigmoid(net(torch.randn(2, 3, 8, 8))).view(-1)
    errD = nn.BCELoss()(output, label)
    errD.backward()
    optimizerD.step()
    print(f"Loss_D: {errD.item():.4f} D(x): {output.mean().item():.4f}")
print(net[0].weight.grad[0, 0, 0])
