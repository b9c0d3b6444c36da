"""A small GPT: attention that looks back only, tied weights, two groups of parameters, sampling."""

import math

import torch
import torch.nn as nn
from torch.nn import functional as F

VOCABULARY, CONTEXT, WIDTH, HEADS, LAYERS = 20, 16, 16, 4, 2


class Attention(nn.Module):
    def __init__(self, fused):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.proj = nn.Linear(WIDTH, WIDTH)
        self.fused = fused
        mask = torch.tril(torch.ones(CONTEXT, CONTEXT)).view(1, 1, CONTEXT, CONTEXT)
        self.register_buffer("mask", mask)

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = (
            t.view(B, T, HEADS, C // HEADS).transpose(1, 2) for t in self.qkv(x).split(C, dim=2)
        )
        if self.fused:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            scores = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
            scores = scores.masked_fill(self.mask[:, :, :T, :T] == 0, float("-inf"))
            y = F.softmax(scores, dim=-1) @ v
        return self.proj(y.transpose(1, 2).contiguous().view(B, T, C))


class Block(nn.Module):
    def __init__(self, fused):
        super().__init__()
        self.ln_1 = nn.LayerNorm(WIDTH)
        self.attention = Attention(fused)
        self.ln_2 = nn.LayerNorm(WIDTH, bias=False)
        self.mlp = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(approximate="tanh"), nn.Linear(4 * WIDTH, WIDTH)
        )

    def forward(self, x):
        x = x + self.attention(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, WIDTH)
        self.places = nn.Embedding(CONTEXT, WIDTH)
        self.drop = nn.Dropout(0.1)
        self.blocks = nn.ModuleList(Block(fused=i % 2 == 0) for i in range(LAYERS))
        self.norm = nn.RMSNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)
        self.head.weight = self.words.weight
        self.apply(self.draw)

    def draw(self, module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, mean=0.0, std=0.2)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, words, targets=None):
        places = torch.arange(words.size(1), device=words.device)
        x = self.drop(self.words(words) + self.places(places))
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        if targets is None:
            return logits[:, [-1], :], None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())


torch.manual_seed(1337)
model = GPT()
print(model)
decay = [p for p in model.parameters() if p.dim() >= 2]
others = [p for p in model.parameters() if p.dim() < 2]
print(len(decay), len(others), sum(p.numel() for p in model.parameters()))
groups = [{"params": decay, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
optimizer = torch.optim.SGD(groups, lr=0.1, momentum=0.9)

for step in range(5):
    data = torch.randint(VOCABULARY, (4, CONTEXT + 1))
    _, loss = model(data[:, :-1], data[:, 1:])
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    print(f"{step}: loss {loss.item():.4f}, norm {norm.item():.4f}")

model.eval()
words = torch.zeros((1, 1), dtype=torch.long)
with torch.no_grad():
    for _ in range(8):
        logits, _ = model(words[:, -CONTEXT:])
        logits = logits[:, -1, :] / 0.8
        least = torch.topk(logits, 5).values[:, [-1]]
        logits[logits < least] = -float("inf")
        words = torch.cat([words, torch.multinomial(F.softmax(logits, dim=-1), 1)], dim=1)
print(words)
