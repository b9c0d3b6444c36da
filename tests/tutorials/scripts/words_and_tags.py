"""Word embeddings: n-grams, a bag of words, an LSTM that tags."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

torch.manual_seed(1)
word_to_ix = {"hello": 0, "world": 1}
embeds = nn.Embedding(2, 5)
lookup_tensor = torch.tensor([word_to_ix["hello"]], dtype=torch.long)
print(embeds(lookup_tensor))
CONTEXT_SIZE, EMBEDDING_DIM = 2, 10
text = [
    "When",
    "forty",
    "winters",
    "shall",
    "besiege",
    "thy",
    "brow",
    "and",
    "dig",
    "deep",
    "trenches",
    "in",
    "thy",
    "beauty's",
    "field",
    "thy",
    "youth's",
    "proud",
    "livery",
    "so",
    "gazed",
    "on",
    "now",
]
ngrams = [
    ([text[i - j - 1] for j in range(CONTEXT_SIZE)], text[i])
    for i in range(CONTEXT_SIZE, len(text))
]
vocab = sorted(set(text))
word_to_ix = {w: i for i, w in enumerate(vocab)}


class NGram(nn.Module):
    def __init__(self, vocab_size, embedding_dim, context_size):
        super().__init__()
        self.embeddings = nn.Embedding(vocab_size, embedding_dim)
        self.linear1 = nn.Linear(context_size * embedding_dim, 32)
        self.linear2 = nn.Linear(32, vocab_size)

    def forward(self, inputs):
        embeds = self.embeddings(inputs).view((1, -1))
        out = F.relu(self.linear1(embeds))
        return F.log_softmax(self.linear2(out), dim=1)


losses = []
loss_function = nn.NLLLoss()
model = NGram(len(vocab), EMBEDDING_DIM, CONTEXT_SIZE)
optimizer = optim.SGD(model.parameters(), lr=0.01)
for _ in range(3):
    total = 0
    for context, target in ngrams:
        idxs = torch.tensor([word_to_ix[w] for w in context], dtype=torch.long)
        model.zero_grad()
        loss = loss_function(model(idxs), torch.tensor([word_to_ix[target]], dtype=torch.long))
        loss.backward()
        optimizer.step()
        total += loss.item()
    losses.append(total)
print(losses)
print(model.embeddings.weight[word_to_ix["thy"]])


class CBOW(nn.Module):
    def __init__(self, v, d):
        super().__init__()
        self.e = nn.Embedding(v, d, padding_idx=0)
        self.o = nn.Linear(d, v)

    def forward(self, x):
        return self.o(self.e(x).sum(dim=-2))


cb = CBOW(len(vocab), 6)
opt = optim.Adam(cb.parameters(), lr=0.05)
ctx = torch.tensor(
    [[word_to_ix[text[i + k]] for k in (-2, -1, 1, 2)] for i in range(2, len(text) - 2)]
)
tgt = torch.tensor([word_to_ix[w] for w in text[2:-2]])
for _ in range(5):
    opt.zero_grad(set_to_none=True)
    loss = F.cross_entropy(cb(ctx), tgt)
    loss.backward()
    opt.step()
    print(f"{loss:.4f}")
sim = F.cosine_similarity(cb.e.weight[1].unsqueeze(0), cb.e.weight)
print(sim.topk(3))
# tagger
lstm = nn.LSTM(3, 3)
inputs = [torch.randn(1, 3) for _ in range(5)]
hidden = (torch.randn(1, 1, 3), torch.randn(1, 1, 3))
for i in inputs:
    out, hidden = lstm(i.view(1, 1, -1), hidden)
inputs = torch.cat(inputs).view(len(inputs), 1, -1)
hidden = (torch.randn(1, 1, 3), torch.randn(1, 1, 3))
out, hidden = lstm(inputs, hidden)
print(out)
print(hidden)
training_data = [
    (["The", "dog", "ate", "the", "apple"], ["DET", "NN", "V", "DET", "NN"]),
    (["Everybody", "read", "that", "book"], ["NN", "V", "DET", "NN"]),
]
w2i = {}
for sent, _ in training_data:
    for word in sent:
        w2i.setdefault(word, len(w2i))
tag2i = {"DET": 0, "NN": 1, "V": 2}


class Tagger(nn.Module):
    def __init__(self, e, h, v, t):
        super().__init__()
        self.hidden_dim = h
        self.word_embeddings = nn.Embedding(v, e)
        self.lstm = nn.LSTM(e, h)
        self.hidden2tag = nn.Linear(h, t)

    def forward(self, s):
        embeds = self.word_embeddings(s)
        lstm_out, _ = self.lstm(embeds.view(len(s), 1, -1))
        return F.log_softmax(self.hidden2tag(lstm_out.view(len(s), -1)), dim=1)


tagger = Tagger(6, 6, len(w2i), len(tag2i))
opt = optim.SGD(tagger.parameters(), lr=0.1)


def prep(seq, m):
    return torch.tensor([m[w] for w in seq], dtype=torch.long)


with torch.no_grad():
    print(tagger(prep(training_data[0][0], w2i)))
for _ in range(20):
    for s, t in training_data:
        tagger.zero_grad()
        loss = loss_function(tagger(prep(s, w2i)), prep(t, tag2i))
        loss.backward()
        opt.step()
with torch.no_grad():
    print(tagger(prep(training_data[0][0], w2i)))
