"""Sentences of several lengths, packed for an LSTM, and a decoder that looks back at all of them."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

PAD, START, WORDS = 0, 1, 12


class Encoder(nn.Module):
    def __init__(self, embedded, hidden):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, embedded, padding_idx=PAD)
        self.rnn = nn.LSTM(embedded, hidden, num_layers=2, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(2 * hidden, hidden)

    def forward(self, words, lengths):
        packed = pack_padded_sequence(
            self.embedding(words), lengths, batch_first=True, enforce_sorted=False
        )
        outputs, (h, _) = self.rnn(packed)
        outputs, again = pad_packed_sequence(outputs, batch_first=True)
        assert (again == lengths).all()
        return outputs, torch.tanh(self.fc(torch.cat([h[-2], h[-1]], dim=1)))


class Attention(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.mix = nn.Linear(3 * hidden, hidden)
        self.score = nn.Linear(hidden, 1, bias=False)

    def forward(self, state, outputs, mask):
        state = state.unsqueeze(1).expand(-1, outputs.size(1), -1)
        scores = self.score(torch.tanh(self.mix(torch.cat([state, outputs], dim=2)))).squeeze(2)
        return F.softmax(scores.masked_fill(~mask, float("-inf")), dim=1)


class Decoder(nn.Module):
    def __init__(self, embedded, hidden):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, embedded)
        self.attention = Attention(hidden)
        self.cell = nn.GRUCell(embedded + 2 * hidden, hidden)
        self.out = nn.Linear(3 * hidden + embedded, WORDS)

    def forward(self, word, state, outputs, mask):
        embedded = self.embedding(word)
        weights = self.attention(state, outputs, mask)
        context = torch.bmm(weights.unsqueeze(1), outputs).squeeze(1)
        state = self.cell(torch.cat([embedded, context], dim=1), state)
        return self.out(torch.cat([state, context, embedded], dim=1)), state, weights


torch.manual_seed(1)
encoder, decoder = Encoder(6, 8), Decoder(6, 8)
print(encoder, decoder)
parameters = [*encoder.parameters(), *decoder.parameters()]
print(len(parameters), sum(p.numel() for p in parameters))

sentences = [torch.randint(2, WORDS, (n,)) for n in (5, 3, 7)]
source = pad_sequence(sentences, batch_first=True)
target = pad_sequence([s.flip(0) for s in sentences], batch_first=True, padding_value=PAD)
lengths = torch.tensor([len(s) for s in sentences])
print(source, lengths)

criterion = nn.CrossEntropyLoss(ignore_index=PAD)
optimizer = torch.optim.SGD(parameters, lr=0.5)
for step in range(5):
    optimizer.zero_grad()
    outputs, state = encoder(source, lengths)
    word = torch.full((3,), START)
    logits = []
    for i in range(target.size(1)):
        logit, state, weights = decoder(word, state, outputs, source != PAD)
        logits.append(logit)
        word = target[:, i] if i % 2 == 0 else logit.argmax(1)
    loss = criterion(torch.stack(logits, dim=1).flatten(0, 1), target.flatten())
    loss.backward()
    norm = nn.utils.clip_grad_norm_(parameters, 1.0)
    optimizer.step()
    print(f"{step}: loss {loss.item():.4f}, norm {norm.item():.4f}")
print(weights)
