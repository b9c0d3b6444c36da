"""The mixed precision recipe: a small GPT, losses that are scaled, an infinity that is skipped, a run resumed."""

import io
import math
from contextlib import nullcontext

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.amp import GradScaler, autocast

torch.manual_seed(1337)
device_type, use_amp = "cpu", False
text = "so we beat on, boats against the current, borne back ceaselessly into the past. " * 4
letters = sorted(set(text))
data = torch.tensor([letters.index(c) for c in text])
block_size, n_embd, n_head, batch_size = 8, 16, 2, 4


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.c_attn = nn.Linear(n_embd, 3 * n_embd, bias=False)
        self.c_proj = nn.Linear(n_embd, n_embd, bias=False)

    def forward(self, x):
        B, T, C = x.size()
        parts = (
            p.view(B, T, n_head, C // n_head).transpose(1, 2) for p in self.c_attn(x).split(C, 2)
        )
        y = F.scaled_dot_product_attention(*parts, is_causal=True)
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1, self.attn, self.ln_2 = nn.LayerNorm(n_embd), Attention(), nn.LayerNorm(n_embd)
        self.mlp = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd)
        )

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(len(letters), n_embd), nn.Embedding(block_size, n_embd)
        self.h = nn.ModuleList([Block(), Block()])
        self.lm_head = nn.Linear(n_embd, len(letters), bias=False)
        self.wte.weight = self.lm_head.weight
        self.apply(self._init_weights)

    def _init_weights(self, module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)

    def forward(self, idx, targets):
        x = self.wte(idx) + self.wpe(torch.arange(idx.size(1)))
        for block in self.h:
            x = block(x)
        logits = self.lm_head(F.layer_norm(x, (n_embd,)))
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))


def get_batch():
    ix = torch.randint(len(data) - block_size, (batch_size,))
    x = torch.stack([data[i : i + block_size] for i in ix])
    return x, torch.stack([data[i + 1 : i + 1 + block_size] for i in ix])


def get_lr(it, warmup_iters=5, lr_decay_iters=40, learning_rate=1e-2, min_lr=1e-3):
    if it < warmup_iters:
        return learning_rate * (it + 1) / (warmup_iters + 1)
    ratio = (it - warmup_iters) / (lr_decay_iters - warmup_iters)
    return min_lr + 0.5 * (1.0 + math.cos(math.pi * ratio)) * (learning_rate - min_lr)


def build():
    model = GPT()
    decay = [p for p in model.parameters() if p.dim() >= 2]
    rest = [p for p in model.parameters() if p.dim() < 2]
    groups = [{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=1e-2, betas=(0.9, 0.95))
    return model, optimizer, GradScaler(device_type, init_scale=1024.0, growth_interval=8)


def train(model, optimizer, scaler, start, stop, accumulate=2):
    for it in range(start, stop):
        for group in optimizer.param_groups:
            group["lr"] = get_lr(it)
        for _ in range(accumulate):
            x, y = get_batch()
            with autocast(device_type, dtype=torch.float16, enabled=use_amp):
                _, loss = model(x, y)
                loss = loss / accumulate
            scaler.scale(loss).backward()
        if it == 13:  # what a 16-bit gradient becomes when the scale is too large
            model.h[0].attn.c_proj.weight.grad[0, 0] = float("inf")
        scaler.unscale_(optimizer)
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        before = scaler.get_scale()
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
        if scaler.get_scale() < before:
            print(f"iter {it}: skipped, norm {norm}, scale {before} -> {scaler.get_scale()}")
        elif it % 5 == 0:
            print(
                f"iter {it}: loss {loss.item() * accumulate:.4f}, norm {norm:.4f}, scale {before}"
            )


model, optimizer, scaler = build()
train(model, optimizer, scaler, 0, 20)
print(scaler.state_dict())

# stop, and go on in a new process
file = io.BytesIO()
parts = {"model": model, "optimizer": optimizer, "scaler": scaler}
torch.save({k: v.state_dict() for k, v in parts.items()} | {"rng": torch.get_rng_state()}, file)
train(model, optimizer, scaler, 20, 40)
there = torch.cat([p.detach().flatten() for p in model.parameters()])

file.seek(0)
checkpoint = torch.load(file, weights_only=True)
model, optimizer, scaler = build()
model.load_state_dict(checkpoint["model"])
optimizer.load_state_dict(checkpoint["optimizer"])
scaler.load_state_dict(checkpoint["scaler"])
torch.set_rng_state(checkpoint["rng"])
train(model, optimizer, scaler, 20, 40)
here = torch.cat([p.detach().flatten() for p in model.parameters()])
print("the same to the last bit:", torch.equal(there, here), scaler.state_dict())

# what scripts that run everywhere write; without a GPU all of it is switched off
ctx = (
    nullcontext() if device_type == "cpu" else torch.amp.autocast(device_type, dtype=torch.float16)
)
scaler = torch.cuda.amp.GradScaler(enabled=use_amp)
with ctx, torch.cuda.amp.autocast(enabled=use_amp):
    _, loss = model(*get_batch())
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()
print(
    f"{loss.item():.4f}", loss.dtype, scaler.is_enabled(), scaler.get_scale(), scaler.state_dict()
)
