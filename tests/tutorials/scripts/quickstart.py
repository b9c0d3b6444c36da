"""The quickstart and "build model" tutorials: layers one by one, a training loop, and evaluation."""

import torch
from torch import nn

from nbmodule_course.data import fashion

pictures = fashion()
train_x, train_y = torch.from_numpy(pictures.train_images), torch.from_numpy(pictures.train_labels)
test_x, test_y = torch.from_numpy(pictures.test_images), torch.from_numpy(pictures.test_labels)


class NeuralNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.linear_relu_stack = nn.Sequential(
            nn.Linear(28 * 28, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)
        )

    def forward(self, x):
        x = self.flatten(x)
        return self.linear_relu_stack(x)


torch.manual_seed(0)
model = NeuralNetwork().to("cpu")
print(model)
X = torch.rand(1, 28, 28)
logits = model(X)
pred_probab = nn.Softmax(dim=1)(logits)
y_pred = pred_probab.argmax(1)
print(f"Predicted class: {y_pred}")

input_image = torch.rand(3, 28, 28)
flat_image = nn.Flatten()(input_image)
print(flat_image.size())
layer1 = nn.Linear(in_features=28 * 28, out_features=20)
hidden1 = layer1(flat_image)
print(hidden1.size())
print(f"After ReLU: {nn.ReLU()(hidden1)[0, :5]}")
for name, param in model.named_parameters():
    print(f"Layer: {name} | Size: {param.size()} | Values : {param[:1].flatten()[:2]} \n")

loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train_loop(model, loss_fn, optimizer):
    model.train()
    for batch, start in enumerate(range(0, 1024, 64)):
        X, y = train_x[start : start + 64], train_y[start : start + 64]
        pred = model(X)
        loss = loss_fn(pred, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if batch % 8 == 0:
            print(f"loss: {loss.item():>5f}")


def test_loop(model, loss_fn):
    model.eval()
    with torch.no_grad():
        pred = model(test_x)
        test_loss = loss_fn(pred, test_y).item()
        correct = (pred.argmax(1) == test_y).type(torch.float).sum().item()
    print(f"Accuracy: {correct / len(test_y):.2f}, Avg loss: {test_loss:.3f}")


for t in range(2):
    print(f"Epoch {t + 1}\n-------------------------------")
    train_loop(model, loss_fn, optimizer)
    test_loop(model, loss_fn)
