"""Training a small GPT as its public trainers do: decay by shape, warm-up, accumulation, clipping, resuming."""

import inspect
import math
import tempfile
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Config:
    block: int = 8
    words: int = 20
    layers: int = 2
    heads: int = 2
    width: int = 16
    dropout: float = 0.1
    bias: bool = False


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.heads, self.p = config.heads, config.dropout
        self.c_attn = nn.Linear(config.width, 3 * config.width, bias=config.bias)
        self.c_proj = nn.Linear(config.width, config.width, bias=config.bias)
        self.drop = nn.Dropout(config.dropout)
        mask = torch.tril(torch.ones(config.block, config.block))
        self.register_buffer("mask", mask.view(1, 1, config.block, config.block), persistent=False)

    def forward(self, x):
        b, t, c = x.size()
        parts = self.c_attn(x).split(c, dim=2)
        q, k, v = (part.view(b, t, self.heads, c // self.heads).transpose(1, 2) for part in parts)
        scores = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        scores = scores.masked_fill(self.mask[:, :, :t, :t] == 0, float("-inf"))
        y = F.dropout(F.softmax(scores, dim=-1), self.p, self.training) @ v
        return self.drop(self.c_proj(y.transpose(1, 2).contiguous().view(b, t, c)))


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln_1 = nn.LayerNorm(config.width, bias=config.bias)
        self.attn = Attention(config)
        self.ln_2 = nn.LayerNorm(config.width, bias=config.bias)
        self.mlp = nn.ModuleDict(
            {
                "c_fc": nn.Linear(config.width, 4 * config.width, bias=config.bias),
                "act": nn.GELU(approximate="tanh"),
                "c_proj": nn.Linear(4 * config.width, config.width, bias=config.bias),
            }
        )

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp.c_proj(self.mlp.act(self.mlp.c_fc(self.ln_2(x))))


class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.wte = nn.Embedding(config.words, config.width)
        self.wpe = nn.Embedding(config.block, config.width)
        self.h = nn.ModuleList([Block(config) for _ in range(config.layers)])
        self.ln_f = nn.LayerNorm(config.width, bias=config.bias)
        self.lm_head = nn.Linear(config.width, config.words, bias=False)
        self.wte.weight = self.lm_head.weight
        self.apply(self._init_weights)
        for name, p in self.named_parameters():
            if name.endswith("c_proj.weight"):
                nn.init.normal_(p, mean=0.0, std=0.02 / math.sqrt(2 * config.layers))

    def _init_weights(self, module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, mean=0.0, std=0.02)

    def forward(self, tokens, targets=None):
        positions = torch.arange(tokens.size(1), device=tokens.device)
        x = self.wte(tokens) + self.wpe(positions)
        for block in self.h:
            x = block(x)
        x = self.ln_f(x)
        if targets is None:
            return self.lm_head(x[:, [-1], :]), None
        logits = self.lm_head(x)
        return logits, F.cross_entropy(
            logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1
        )

    def configure_optimizers(self, weight_decay, lr, betas, device_type):
        parameters = [p for p in self.parameters() if p.requires_grad]
        groups = [
            {"params": [p for p in parameters if p.dim() >= 2], "weight_decay": weight_decay},
            {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0},
        ]
        print([(len(g["params"]), sum(p.numel() for p in g["params"])) for g in groups])
        fused = "fused" in inspect.signature(torch.optim.AdamW).parameters and device_type == "cuda"
        return torch.optim.AdamW(groups, lr=lr, betas=betas, **({"fused": True} if fused else {}))

    @torch.no_grad()
    def generate(self, tokens, count, temperature=1.0, top_k=None):
        for _ in range(count):
            logits = self(tokens[:, -self.config.block :])[0][:, -1, :] / temperature
            if top_k is not None:
                least = torch.topk(logits, min(top_k, logits.size(-1))).values[:, [-1]]
                logits[logits < least] = -float("Inf")
            drawn = torch.multinomial(F.softmax(logits, dim=-1), num_samples=1)
            tokens = torch.cat((tokens, drawn), dim=1)
        return tokens


torch.manual_seed(1337)
torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cudnn.allow_tf32 = True
torch.backends.cuda.matmul.allow_tf32 = False  # as it was, for what else runs here
device_type = "cuda" if torch.cuda.is_available() else "cpu"
context = nullcontext()
folder = tempfile.TemporaryDirectory()
words = np.random.RandomState(0).randint(0, 20, 500).astype(np.uint16)
words.tofile(Path(folder.name) / "train.bin")


def get_batch(config, size=4):
    data = np.memmap(Path(folder.name) / "train.bin", dtype=np.uint16, mode="r")
    starts = torch.randint(len(data) - config.block, (size,))
    x = [torch.from_numpy(data[i : i + config.block].astype(np.int64)) for i in starts]
    y = [torch.from_numpy(data[i + 1 : i + 1 + config.block].astype(np.int64)) for i in starts]
    return torch.stack(x), torch.stack(y)


def rate(step, warmup=2, last=8, highest=6e-3, lowest=6e-4):
    if step < warmup:
        return highest * (step + 1) / (warmup + 1)
    part = min(1.0, (step - warmup) / (last - warmup))
    return lowest + 0.5 * (1.0 + math.cos(math.pi * part)) * (highest - lowest)


def train(model, optimizer, start, end, micro_steps=2):
    model.train()
    for step in range(start, end):
        for group in optimizer.param_groups:
            group["lr"] = rate(step)
        for _ in range(micro_steps):
            with context:
                loss = model(*get_batch(model.config))[1] / micro_steps
            loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        print(f"{step} loss {loss.item() * micro_steps:.4f} norm {norm:.4f} rate {rate(step):.2e}")


config = Config()
model = GPT(config)
optimizer = model.configure_optimizers(1e-1, 6e-3, (0.9, 0.95), device_type)
print(optimizer)
train(model, optimizer, 0, 4)
checkpoint = {
    "model": model.state_dict(),
    "optimizer": optimizer.state_dict(),
    "arguments": asdict(config),
    "step": 4,
    "random": torch.get_rng_state(),
}
torch.save(checkpoint, Path(folder.name) / "ckpt.pt")
train(model, optimizer, 4, 6)

checkpoint = torch.load(Path(folder.name) / "ckpt.pt", map_location="cpu")
state = {f"_orig_mod.{name}": value for name, value in checkpoint["model"].items()}
for name in list(state):
    state[name.removeprefix("_orig_mod.")] = state.pop(name)
resumed = GPT(Config(**checkpoint["arguments"]))
print(resumed.load_state_dict(state))
optimizer = resumed.configure_optimizers(1e-1, 6e-3, (0.9, 0.95), device_type)
optimizer.load_state_dict(checkpoint["optimizer"])
torch.set_rng_state(checkpoint["random"])
train(resumed, optimizer, checkpoint["step"], 6)
print(all(torch.equal(a, b) for a, b in zip(model.parameters(), resumed.parameters(), strict=True)))
resumed.eval()
print(
    resumed.generate(torch.zeros((1, 1), dtype=torch.long), 10, temperature=0.8, top_k=5)[
        0
    ].tolist()
)
folder.cleanup()
