"""Names by characters: a recurrent network from plain layers, to classify and to generate."""

import string

import torch
import torch.nn as nn

all_letters = string.ascii_letters + " .,;'"
n_letters = len(all_letters)
lines = {
    "English": ["Smith", "Jones", "Taylor", "Brown"],
    "Italian": ["Rossi", "Russo", "Ferrari", "Esposito"],
    "Greek": ["Pappas", "Samaras", "Nikolaidis", "Georgiou"],
}
categories = list(lines)


def line_to_tensor(line):
    tensor = torch.zeros(len(line), 1, n_letters)
    for li, letter in enumerate(line):
        tensor[li][0][all_letters.find(letter)] = 1
    return tensor


print(line_to_tensor("Jones").size(), line_to_tensor("J")[0, 0].argmax())


class RNN(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.hidden_size = hidden_size
        self.i2h = nn.Linear(input_size, hidden_size)
        self.h2h = nn.Linear(hidden_size, hidden_size)
        self.h2o = nn.Linear(hidden_size, output_size)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, input, hidden):
        hidden = torch.tanh(self.i2h(input) + self.h2h(hidden))
        output = self.softmax(self.h2o(hidden))
        return output, hidden

    def initHidden(self):
        return torch.zeros(1, self.hidden_size)


torch.manual_seed(0)
rnn = RNN(n_letters, 16, len(categories))
criterion = nn.NLLLoss()
learning_rate = 0.05


def train(category_tensor, line_tensor):
    hidden = rnn.initHidden()
    rnn.zero_grad()
    for i in range(line_tensor.size()[0]):
        output, hidden = rnn(line_tensor[i], hidden)
    loss = criterion(output, category_tensor)
    loss.backward()
    for p in rnn.parameters():
        p.data.add_(p.grad.data, alpha=-learning_rate)
    return output, loss.item()


losses = []
for _ in range(12):
    total = 0.0
    for index, category in enumerate(categories):
        for line in lines[category]:
            _, loss = train(torch.tensor([index], dtype=torch.long), line_to_tensor(line))
            total += loss
    losses.append(total / 12)
print([round(loss, 3) for loss in losses[::3]], losses[-1] < losses[0])
with torch.no_grad():
    hidden = rnn.initHidden()
    for letter in line_to_tensor("Rossi"):
        output, hidden = rnn(letter, hidden)
    topv, topi = output.topk(2, 1, True)
    print(categories[topi[0][0].item()], [round(v, 2) for v in topv[0].tolist()])


# and with one matrix for input and state side by side
class Joined(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.i2h = nn.Linear(input_size + hidden_size, hidden_size)
        self.i2o = nn.Linear(input_size + hidden_size, output_size)
        self.o2o = nn.Linear(hidden_size + output_size, output_size)
        self.dropout = nn.Dropout(0.1)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, input, hidden):
        input_combined = torch.cat((input, hidden), 1)
        hidden = self.i2h(input_combined)
        output = self.i2o(input_combined)
        output = self.o2o(torch.cat((hidden, output), 1))
        return self.softmax(self.dropout(output)), hidden


torch.manual_seed(1)
net = Joined(n_letters, 8, n_letters)
net.eval()
target = torch.LongTensor([all_letters.find(c) for c in "ossi."])
loss = torch.Tensor([0])
hidden = torch.zeros(1, 8)
for i, letter in enumerate(line_to_tensor("Rossi")):
    output, hidden = net(letter, hidden)
    loss = loss + nn.functional.nll_loss(output, target[i].unsqueeze(0))
loss.backward()
print(loss, net.i2h.weight.grad.norm())
