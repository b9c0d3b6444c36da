"""Right answers to the exercises of appendix A."""

from __future__ import annotations

RIGHT = {
    "A.1": [
        # a mask of -inf that is added, and chunks for the three parts
        r"""
@mine.extend
class CausalSelfAttention(Module):
    def __init__(self, embed_dim, num_heads, length, dropout=0.0):
        super().__init__()
        self.head_dim, rest = divmod(embed_dim, num_heads)
        if rest:
            raise ValueError(f"{embed_dim} numbers, {num_heads} heads")
        self.num_heads = num_heads
        self.qkv = MyLinear(embed_dim, 3 * embed_dim)
        self.out = MyLinear(embed_dim, embed_dim)
        self.dropout = Dropout(dropout)
        mask = nbmodule.full((length, length), -math.inf).triu(1)
        self.register_buffer("mask", mask, persistent=False)

    def forward(self, x):
        heads = [self._heads(part) for part in self.qkv(x).chunk(3, dim=-1)]
        query, key, value = heads
        T = x.size(1)
        scores = (query @ key.mT) * self.head_dim**-0.5 + self.mask[:T, :T].to(x.dtype)
        return self.out((self.dropout(F.softmax(scores, dim=-1)) @ value).transpose(1, 2).flatten(2))

    def _heads(self, part):
        return part.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)
""",
        # the lower triangle, and a loop over the heads
        r"""
@mine.extend
class CausalSelfAttention(Module):
    def __init__(self, embed_dim, num_heads, length, dropout=0.0):
        super().__init__()
        if embed_dim // num_heads * num_heads != embed_dim:
            raise ValueError
        self.num_heads = num_heads
        self.qkv, self.out = MyLinear(embed_dim, embed_dim * 3), MyLinear(embed_dim, embed_dim)
        self.dropout = Dropout(p=dropout)
        self.register_buffer("mask", nbmodule.tril(nbmodule.ones(length, length)), persistent=False)

    def forward(self, x):
        n, t, e = x.size()
        d = e // self.num_heads
        q, k, v = (part.split(d, -1) for part in self.qkv(x).split(e, -1))
        scores = nbmodule.stack([a @ b.transpose(1, 2) / d**0.5 for a, b in zip(q, k)], 1)
        scores = nbmodule.where(self.mask[:t, :t] == 0, float("-inf"), scores)
        weights = self.dropout(scores.softmax(dim=3))
        mixed = [weights[:, i] @ part for i, part in enumerate(v)]
        return self.out(nbmodule.cat(mixed, -1))
""",
        # three calls of `qkv`, and einsum
        r"""
@mine.extend
class CausalSelfAttention(Module):
    def __init__(self, embed_dim, num_heads, length, dropout=0.0):
        if embed_dim % num_heads != 0:
            raise ValueError("heads")
        super().__init__()
        self.num_heads = num_heads
        self.qkv = MyLinear(embed_dim, 3 * embed_dim)
        self.out = MyLinear(embed_dim, embed_dim)
        self.dropout = Dropout(dropout)
        places = nbmodule.arange(length)
        self.register_buffer("mask", places[None] > places[:, None], persistent=False)

    def part(self, x, which):
        n, t, e = x.shape
        return self.qkv(x)[..., which * e : (which + 1) * e].reshape(n, t, self.num_heads, -1)

    def forward(self, x):
        q, k, v = (self.part(x, which) for which in range(3))
        scores = nbmodule.einsum("nqhd,nkhd->nhqk", q / q.shape[-1] ** 0.5, k)
        scores.masked_fill_(self.mask[: x.shape[1], : x.shape[1]], nbmodule.finfo(x.dtype).min)
        weights = self.dropout(scores.softmax(-1))
        return self.out(nbmodule.einsum("nhqk,nkhd->nqhd", weights, v).flatten(2))
""",
    ],
    "A.2": [
        r"""
@mine.extend
class MyLayerNorm(Module):
    def __init__(self, size, eps=1e-5):
        super().__init__()
        self.size, self.eps = size, eps
        self.weight, self.bias = Parameter(nbmodule.ones(size)), Parameter(nbmodule.zeros(size))

    def forward(self, x):
        return F.layer_norm(x, (self.size,), self.weight, self.bias, self.eps)
""",
        r"""
@mine.extend
class MyLayerNorm(Module):
    def __init__(self, size, eps=1e-5):
        Module.__init__(self)
        self.register_parameter("weight", Parameter(nbmodule.ones(size)))
        self.register_parameter("bias", Parameter(nbmodule.zeros(size)))
        self.eps = eps

    def forward(self, x):
        centered = x - x.mean(dim=-1, keepdim=True)
        scale = (centered.pow(2).mean(-1).unsqueeze(-1) + self.eps) ** -0.5
        return nbmodule.addcmul(self.bias, centered * scale, self.weight)
""",
    ],
    "A.3": [
        r"""
@mine.extend
class Block(Module):
    def __init__(self, embed_dim, num_heads, length, dropout=0.0):
        super().__init__()
        self.norm1 = MyLayerNorm(embed_dim)
        self.attention = CausalSelfAttention(embed_dim, num_heads, length, dropout=dropout)
        self.norm2 = MyLayerNorm(embed_dim)
        wide = embed_dim * 4
        self.linear1, self.linear2 = MyLinear(embed_dim, wide), MyLinear(wide, embed_dim)
        self.dropout = Dropout(dropout)

    def _mlp(self, x):
        return self.linear2(F.relu(self.linear1(x)))

    def forward(self, x):
        for norm, step in ((self.norm1, self.attention), (self.norm2, self._mlp)):
            x = x + self.dropout(step(norm(x)))
        return x
""",
        # a layer for the ReLU
        r"""
@mine.extend
class Block(Module):
    def __init__(self, embed_dim, num_heads, length, dropout=0.0):
        super().__init__()
        self.norm1 = MyLayerNorm(embed_dim)
        self.attention = CausalSelfAttention(embed_dim, num_heads, length, dropout)
        self.norm2 = MyLayerNorm(embed_dim)
        self.linear1 = MyLinear(embed_dim, 4 * embed_dim)
        self.relu = mine.ReLU()
        self.linear2 = MyLinear(4 * embed_dim, embed_dim)
        self.dropout = Dropout(dropout)

    def forward(self, x):
        x = self.dropout(self.attention(self.norm1(x))) + x
        return self.dropout(self.linear2(self.relu(self.linear1(self.norm2(x))))) + x
""",
    ],
    "A.4": [
        # tied the other way round
        r"""
@mine.extend
class GPT(Module):
    def __init__(self, vocabulary, length, embed_dim, num_heads, depth, dropout=0.0):
        super().__init__()
        self.length = length
        self.tokens = Parameter(nbmodule.empty(vocabulary, embed_dim))
        self.positions = Parameter(nbmodule.empty(length, embed_dim))
        self.blocks = Sequential(*[Block(embed_dim, num_heads, length, dropout) for _ in range(depth)])
        self.norm = MyLayerNorm(embed_dim)
        self.head = MyLinear(embed_dim, vocabulary, bias=False)
        self.tokens = self.head.weight
        self.reset_parameters()

    def reset_parameters(self):
        for name, p in self.named_parameters():
            if name.endswith("bias"):
                init.zeros_(p)
            elif p.ndim == 2:
                init.normal_(p, std=0.02)

    def forward(self, index):
        N, T = index.shape
        if T > self.length:
            raise ValueError(f"{T} tokens are more than {self.length}")
        x = self.tokens[index] + self.positions[:T]
        x = self.blocks(x)
        return self.head(self.norm(x))
""",
        # tied from the beginning, and loops written out
        r"""
@mine.extend
class GPT(Module):
    def __init__(self, vocabulary, length, embed_dim, num_heads, depth, dropout=0.0):
        super().__init__()
        self.length, self.depth = length, depth
        self.register_parameter("tokens", Parameter(nbmodule.zeros(vocabulary, embed_dim)))
        self.positions = Parameter(nbmodule.zeros(length, embed_dim))
        blocks = []
        for _ in range(depth):
            blocks.append(Block(embed_dim, num_heads, length, dropout))
        self.blocks = Sequential(*blocks)
        self.norm = MyLayerNorm(embed_dim)
        head = MyLinear(embed_dim, vocabulary, False)
        head.weight = self.tokens
        self.head = head
        self.reset_parameters()

    def reset_parameters(self):
        for p in self.parameters():
            if p.ndim == 2:
                init.normal_(p, 0.0, 0.02)
        for name, p in self.named_parameters():
            if name.split(".")[-1] == "bias":
                with nbmodule.no_grad():
                    p.zero_()

    def forward(self, index):
        if index.size(1) > self.length:
            raise ValueError("too long")
        places = nbmodule.arange(index.size(1), device=index.device)
        x = F.embedding(index, self.tokens) + F.embedding(places, self.positions)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))
""",
    ],
    "A.5": [
        # a row that is filled, and the modes by hand
        r"""
@mine.extend
class GPT(Module):
    def generate(self, index, count, temperature=1.0, generator=None):
        if not temperature > 0.0:
            raise ValueError("cold")
        before = {module: module.training for module in self.modules()}
        first = index.shape[1]
        result = nbmodule.zeros(len(index), first + count, dtype=index.dtype)
        result[:, :first] = index
        try:
            self.eval()
            with nbmodule.no_grad():
                for end in range(first, first + count):
                    scores = self(result[:, max(0, end - self.length) : end])
                    chances = F.softmax(scores[:, -1, :] / temperature, dim=-1)
                    result[:, end : end + 1] = nbmodule.multinomial(chances, num_samples=1, generator=generator)
        finally:
            for module, mode in before.items():
                module.training = mode
        return result
""",
        r"""
@mine.extend
class GPT(Module):
    def generate(self, index, count, temperature=1.0, generator=None):
        if temperature <= 0 or temperature != temperature:
            raise ValueError(temperature)
        if count == 0:
            return index
        scores = evaluate(self, index[:, -self.length:])[:, -1].div(temperature)
        new = scores.softmax(1).multinomial(1, generator=generator)
        return self.generate(nbmodule.hstack((index, new)), count - 1, temperature, generator)
""",
    ],
}
