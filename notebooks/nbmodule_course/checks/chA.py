"""Appendix A, its layers: attention, a norm, and the block that they make. They are asked with known numbers."""

from __future__ import annotations

from ..exercise import Exercise
from .attending import uses

# ---- A.1

attention = Exercise(
    "A.1",
    title="Attention",
    takes=("CausalSelfAttention",),
    minutes=25,
    writes=("CausalSelfAttention",),
    hints=(
        "Write down the shape behind each line. Where do the three parts of `qkv(x)` become a dimension of their own, and which two dimensions does `@` multiply?",
        "`qkv(x).reshape(N, T, 3, heads, E // heads)` has five dimensions. `permute(2, 0, 3, 1, 4)` brings the 3 to the front, and then one line takes the three apart. With fewer places than `length`, only a corner of the mask is needed.",
        "`scores.masked_fill(self.mask[:T, :T], -math.inf).softmax(-1)` are the weights, and the last line is `self.out((self.dropout(weights) @ value).transpose(1, 2).reshape(N, T, E))`.",
    ),
)
_A = "CausalSelfAttention"
attention.compare_uses(
    "two linear layers, a dropout, and a mask that isn't saved",
    uses(
        f"[(name, tuple(p.shape)) for name, p in {_A}(4, 2, 3).named_parameters()]",
        f"list({_A}(4, 2, 3).state_dict())",
        f"[name for name, _ in {_A}(4, 2, 3).named_buffers()]",
        f"tuple({_A}(4, 2, 3).mask.shape)",
        f"{_A}(4, 2, 3).num_heads",
        f"{_A}(4, 2, 3).dropout.p, {_A}(4, 2, 3, 0.25).dropout.p",
        f"tried(lambda: {_A}(4, 3, 3)), tried(lambda: {_A}(2, 4, 3))",
        f"{_A}(4, 2, 3).to('meta').mask.device.type",
    ),
)
attention.compare_uses(
    "no place sees a later one",
    uses(
        f"sees(filled({_A}(4, 2, 3)), x)",
        f"sees(filled({_A}(4, 1, 5)), x)",
        f"sees(filled({_A}(4, 4, 3)), x[:, :1])",
        f"sees(filled({_A}(4, 2, 6)), numbers(1, 6, 4))",
    ),
)
attention.compare_uses(
    "the weights",
    uses(
        f"weights(filled({_A}(4, 2, 3)), x)",
        f"weights(filled({_A}(4, 1, 3)), x)",
        f"weights(filled({_A}(4, 2, 5)), x[:, :2])",
        f"weights(filled({_A}(6, 3, 4)), numbers(1, 4, 6))",
        f"weights(filled({_A}(4, 2, 3)), 40 * x)",
    ),
)
attention.compare_uses(
    "the result",
    uses(
        f"filled({_A}(4, 1, 3))(x)",
        f"filled({_A}(4, 2, 3))(x)",
        f"filled({_A}(4, 4, 3))(x)",
        f"filled({_A}(4, 2, 5))(x[:1, :2])",
        f"filled({_A}(4, 2, 3))(x[:, :1])",
        f"filled({_A}(6, 3, 4))(numbers(2, 4, 6))",
        f"{_A}(4, 2, 3)(x.float()).dtype",
        f"tuple({_A}(4, 2, 3)(x.float()).shape)",
        f"filled({_A}(4, 2, 3))(x); x",
    ),
)
attention.compare_uses(
    "the weights go through the dropout, and gradients come back",
    uses(
        f"filled({_A}(4, 2, 3, 1.0))(x)",
        f"filled({_A}(4, 2, 3, 0.5)).eval()(x)",
        f"layer = filled({_A}(4, 2, 3)); slope(layer(x), layer.qkv.weight)",
        f"x.requires_grad_(); slope(filled({_A}(4, 2, 3))(x), x)",
        f"sorted({{*called(filled({_A}(4, 2, 3)), x)}})",
    ),
)
_MASKED = ".masked_fill(self.mask[:T, :T], -math.inf)"
_LATER, _BUFFER = "nbmodule.ones(length, length, dtype=nbmodule.bool).triu(1)", 'self.register_buffer("mask", later, persistent=False)'  # fmt: skip
_SCALE = " / math.sqrt(E // self.num_heads)"
_PARTS, _TURN = "self.qkv(x).reshape(N, T, 3, self.num_heads, E // self.num_heads)", "parts.permute(2, 0, 3, 1, 4)"  # fmt: skip
_WEIGHTS, _MIXED = f"scores{_MASKED}.softmax(-1)", "self.dropout(weights) @ value"
_OUT = "self.out(mixed.transpose(1, 2).reshape(N, T, E))"
_ACROSS = "`reshape` cuts the row of all numbers into heads, across the places; give each place its heads first, (N, T, heads, E / heads), and then let the two dimensions change places"
_WRONG_HEADS = (
    'if embed_dim % num_heads:\n    raise ValueError("embed_dim must be divisible by num_heads")'
)
# fmt: off
attention.wrongs(
    ("no mask", {_MASKED: ""}, "every place sees the later ones; fill the scores with `-math.inf` where the mask is True"),
    ("mirrored", {_LATER: _LATER.replace("triu(1)", "tril(-1)")}, "each place sees itself and what comes *after* it; the mask is True where the column comes after the row"),
    ("not itself", {_LATER: _LATER.replace("triu(1)", "triu()")}, "a place doesn't see itself, so the first one sees nothing, and its weights are nan; the mask begins above the diagonal"),
    ("saved", {_BUFFER: 'self.register_buffer("mask", later)'}, "the mask is in the `state_dict`; register it with `persistent=False`"),
    ("a plain mask", {_BUFFER: "self.mask = later"}, "`mask` is an ordinary attribute, so `to` leaves it behind; register it as a buffer"),
    ("a Parameter", {_BUFFER: "self.mask = Parameter(later, requires_grad=False)"}, "the mask is a Parameter; nobody learns it, so register it as a buffer"),
    ("the whole mask", {_MASKED: ".masked_fill(self.mask, -math.inf)"}, "with fewer than `length` places, the mask doesn't fit the scores; take its first T rows and columns"),
    ("masked with 0", {_MASKED: _MASKED.replace("-math.inf", "0")}, "the scores of later places become 0, and e⁰ is 1; fill in `-math.inf`"),
    ("masked too late", {_WEIGHTS: "scores.softmax(-1).masked_fill(self.mask[:T, :T], 0)"}, "the mask comes after `softmax`, so the weights that are left don't add up to 1; fill the scores before it"),
    ("no root", {_SCALE: ""}, "the scores aren't divided by the square root of E / heads"),
    ("root of E", {_SCALE: " / math.sqrt(E)"}, "the scores are divided by the square root of E; each head has only E / heads numbers"),
    ("softmax of the columns", {_WEIGHTS: f"scores{_MASKED}.softmax(-2)"}, "the columns of the weights add up to 1; the rows should, so call `softmax(-1)`"),
    ("keys ask", {"query @ key.transpose(-2, -1)": "key @ query.transpose(-2, -1)"}, "query and key are swapped in the product"),
    ("value first", {"query, key, value = parts": "value, key, query = parts"}, "the first part of `qkv(x)` is used as the value; it's the query, and then come the key and the value"),
    ("heads first", {_PARTS: "self.qkv(x).reshape(N, T, self.num_heads, 3, E // self.num_heads)", _TURN: "parts.permute(3, 0, 2, 1, 4)"}, "`qkv(x)` is cut into heads first, and each head into three; cut it into query, key and value first"),
    ("one head", {_PARTS: "self.qkv(x).reshape(N, T, 3, 1, E)"}, "there's only one head, whatever `num_heads` is"),
    ("cut across places", {_PARTS: "self.qkv(x).chunk(3, -1)", f"query, key, value = {_TURN}": "query, key, value = (part.reshape(N, self.num_heads, T, E // self.num_heads) for part in parts)"}, _ACROSS),
    ("cut and joined across places", {_PARTS: "self.qkv(x).chunk(3, -1)", f"query, key, value = {_TURN}": "query, key, value = (part.reshape(N, self.num_heads, T, E // self.num_heads) for part in parts)", _OUT: "self.out(mixed.reshape(N, T, E))"}, _ACROSS),
    ("times infinity", {_WEIGHTS: "(scores + self.mask[:T, :T] * -math.inf).softmax(-1)"}, "the mask is multiplied by infinity, and where it's False, 0 times infinity is nan; fill in `-math.inf` only where it's True"),
    ("heads not turned back", {_OUT: "self.out(mixed.reshape(N, T, E))"}, "`reshape` mixes heads and places; bring the heads next to their numbers first, with `transpose(1, 2)`"),
    ("no out", {_OUT: "mixed.transpose(1, 2).reshape(N, T, E)"}, "the result doesn't go through `out`"),
    ("no dropout", {_MIXED: "weights @ value"}, "`dropout` isn't used"),
    ("dropout of the result", {_MIXED: "self.dropout(weights @ value)"}, "`dropout` gets the mixed values; it takes the weights"),
    ("dropout of one half", {"self.dropout = Dropout(dropout)": "self.dropout = Dropout()"}, "the probability isn't passed to `Dropout`"),
    ("any heads", {_WRONG_HEADS: ""}, "a `num_heads` that doesn't divide `embed_dim` is accepted; raise a ValueError"),
)
# fmt: on

# ---- A.2

norm = Exercise(
    "A.2",
    title="MyLayerNorm",
    takes=("MyLayerNorm",),
    minutes=8,
    writes=("MyLayerNorm",),
    hints=(
        "It's your `BatchNorm1d`, with another dimension, and without buffers and modes.",
        "Take the mean and the variance over the last dimension, and keep that dimension, so that they can be subtracted from `x` whatever its shape.",
        "`mean = x.mean(-1, keepdim=True)` and `var = x.var(-1, correction=0, keepdim=True)`, and then the formula of chapter 09.",
    ),
)
norm.compare_uses(
    "two Parameters, and nothing else",
    uses(
        "[(name, p.tolist()) for name, p in MyLayerNorm(3).named_parameters()]",
        "list(MyLayerNorm(3).state_dict())",
        "[p.requires_grad for p in MyLayerNorm(3).parameters()]",
    ),
)
norm.compare_uses(
    "each vector gets mean 0 and variance 1",
    uses(
        "MyLayerNorm(4)(x.float())",
        "filled(MyLayerNorm(4))(x)",
        "filled(MyLayerNorm(4))(x[0, 0])",
        "filled(MyLayerNorm(3))(numbers(5, 3))",
        "filled(MyLayerNorm(2))(numbers(2, 2, 2, 2))",
        "filled(MyLayerNorm(4, eps=0.5))(x)",
        "filled(MyLayerNorm(4))(x / 1000)",
        "MyLayerNorm(3)(nbmodule.ones(2, 3))",
        "layer = filled(MyLayerNorm(4)); layer(x); layer.training = False; layer(x[:1])",
        "MyLayerNorm(4)(x.float()).dtype",
    ),
)
norm.compare_uses(
    "gradients pass, and the input stays as it was",
    uses(
        "x.requires_grad_(); slope(filled(MyLayerNorm(4))(x), x)",
        "layer = filled(MyLayerNorm(4)); slope(layer(x), layer.weight)",
        "filled(MyLayerNorm(4))(x); x",
    ),
)
_MEAN, _VAR = "mean = x.mean(-1, keepdim=True)", "var = x.var(-1, correction=0, keepdim=True)"
_FORMULA = "(x - mean) / (var + self.eps).sqrt() * self.weight + self.bias"
# fmt: off
norm.wrongs(
    ("over n - 1", {_VAR: "var = x.var(-1, keepdim=True)"}, "the variance is divided by n − 1; divide by n, with `correction=0`"),
    ("of the batch", {_MEAN: "mean = x.mean(0, keepdim=True)", _VAR: "var = x.var(0, correction=0, keepdim=True)"}, "the mean and the variance are taken over the first dimension, as in BatchNorm; take them over the last one"),
    ("of the second dimension", {_MEAN: "mean = x.mean(min(1, x.dim() - 1), keepdim=True)", _VAR: "var = x.var(min(1, x.dim() - 1), correction=0, keepdim=True)"}, "the mean and the variance are taken over the second dimension, which isn't always the last one"),
    ("of everything", {_MEAN: "mean = x.mean()", _VAR: "var = x.var(correction=0)"}, "there's one mean and one variance for all vectors; each vector has its own"),
    ("no eps", {_FORMULA: "(x - mean) / var.sqrt() * self.weight + self.bias"}, "`eps` is left out; a vector of equal numbers gives nan"),
    ("eps outside", {_FORMULA: "(x - mean) / (var.sqrt() + self.eps) * self.weight + self.bias"}, "`eps` is added to the square root; it belongs under it"),
    ("std and eps", {_VAR: "std = x.std(-1, keepdim=True)", _FORMULA: "(x - mean) / (std + self.eps) * self.weight + self.bias"}, "the variance is divided by n − 1, and `eps` is added to its square root; divide by n, and add `eps` before you take the root"),
    ("no root", {_FORMULA: "(x - mean) / (var + self.eps) * self.weight + self.bias"}, "the division is by the variance; divide by its square root"),
    ("no weight", {_FORMULA: "(x - mean) / (var + self.eps).sqrt()"}, "`weight` and `bias` aren't used"),
    ("bias first", {_FORMULA: "((x - mean) / (var + self.eps).sqrt() + self.bias) * self.weight"}, "`bias` is added before the multiplication by `weight`; add it last"),
    ("cut off", {_MEAN: "mean = x.detach().mean(-1, keepdim=True)", _VAR: "var = x.detach().var(-1, correction=0, keepdim=True)"}, "the gradient doesn't pass through the mean and the variance; don't detach them"),
    ("plain weight", {"Parameter(nbmodule.ones(size))": "nbmodule.ones(size)"}, "`weight` isn't learned: wrap the tensor in `Parameter`"),
    ("weight of zeros", {"nbmodule.ones(size)": "nbmodule.zeros(size)"}, "`weight` begins as zeros, so the layer returns its bias; begin with ones"),
    ("fixed eps", {"self.eps = eps": "self.eps = 1e-5"}, "the argument `eps` is ignored"),
)
# fmt: on

# ---- A.3

block = Exercise(
    "A.3",
    title="The block",
    takes=("Block",),
    minutes=12,
    writes=("Block",),
    hints=(
        "Each step has the form `x = x + …`. What is inside the dots, from the inside out?",
        "The first step is `self.attention(self.norm1(x))`, in a `self.dropout(…)`. The second reads the result of the first.",
        "`x = x + self.dropout(self.attention(self.norm1(x)))`, then `return x + self.dropout(self.linear2(self.linear1(self.norm2(x)).relu()))`.",
    ),
)
block.compare_uses(
    "its layers, with Parameters in this order",
    uses(
        "[(name, tuple(p.shape)) for name, p in Block(4, 2, 3).named_parameters()]",
        "list(Block(4, 2, 3).state_dict())",
        "block = Block(4, 2, 3, 0.25); [block.dropout.p, block.attention.dropout.p, block.attention.num_heads]",
        "block = Block(4, 2, 3); [block.dropout.p, block.attention.dropout.p]",
        "tuple(Block(4, 1, 7).attention.mask.shape)",
    ),
)
block.compare_uses(
    "the result",
    uses(
        "filled(Block(4, 2, 3))(x)",
        "filled(Block(4, 1, 5))(x[:1, :2])",
        "filled(Block(6, 3, 4))(numbers(2, 4, 6))",
        "filled(Block(4, 2, 3))(10 * x)",
        "sees(filled(Block(4, 2, 3)), x)",
        "filled(Block(4, 2, 3))(x); x",
        "x.requires_grad_(); slope(filled(Block(4, 2, 3))(x), x)",
    ),
)
block.compare_uses(
    "dropout, and layers that are called",
    uses(
        "filled(Block(4, 2, 3, 1.0))(x)",
        "filled(Block(4, 2, 3, 0.5)).eval()(x)",
        "called(filled(Block(4, 2, 3)), x)",
    ),
)
_FIRST = "x = x + self.dropout(self.attention(self.norm1(x)))"
_HIDDEN, _SECOND = "hidden = self.linear1(self.norm2(x)).relu()", "return x + self.dropout(self.linear2(hidden))"  # fmt: skip
# fmt: off
block.wrongs(
    ("norm after", {_FIRST: "x = self.norm1(x + self.dropout(self.attention(x)))", _HIDDEN: "hidden = self.linear1(x).relu()", _SECOND: "return self.norm2(x + self.dropout(self.linear2(hidden)))"}, "the sums are normalized, as in the first Transformer; here the attention and the linear layers *read* a normalized copy, and `x` itself isn't normalized"),
    ("attention replaces", {_FIRST: "x = self.dropout(self.attention(self.norm1(x)))"}, "the attention replaces `x`; add it to `x`"),
    ("linear replaces", {_SECOND: "return self.dropout(self.linear2(hidden))"}, "the linear layers replace `x`; add their result to `x`"),
    ("side by side", {_FIRST: "mixed = self.dropout(self.attention(self.norm1(x)))", _SECOND: "return x + mixed + self.dropout(self.linear2(hidden))"}, "the second step reads the `x` from before the attention; let it read the sum"),
    ("adds in place", {_FIRST: "x += self.dropout(self.attention(self.norm1(x)))"}, "the first sum is written into the tensor that `forward` was given; `x = x + …` makes a new one"),
    ("adds the copy", {_FIRST: "x = self.norm1(x)\nx = x + self.dropout(self.attention(x))"}, "the attention is added to the normalized copy; add it to `x` itself"),
    ("no first norm", {_FIRST: "x = x + self.dropout(self.attention(x))"}, "`norm1` isn't used"),
    ("no second norm", {_HIDDEN: "hidden = self.linear1(x).relu()"}, "`norm2` isn't used"),
    ("no relu", {_HIDDEN: "hidden = self.linear1(self.norm2(x))"}, "there's no ReLU, so the two linear layers are one"),
    ("relu at the end", {_HIDDEN: "hidden = self.linear1(self.norm2(x))", _SECOND: "return x + self.dropout(self.linear2(hidden).relu())"}, "the ReLU comes after `linear2`; it belongs between the two"),
    ("no first dropout", {_FIRST: "x = x + self.attention(self.norm1(x))"}, "the result of the attention doesn't go through `dropout`"),
    ("no second dropout", {_SECOND: "return x + self.linear2(hidden)"}, "the result of `linear2` doesn't go through `dropout`"),
    ("drops the sum", {_FIRST: "x = self.dropout(x + self.attention(self.norm1(x)))", _SECOND: "return self.dropout(x + self.linear2(hidden))"}, "`dropout` gets the sum, so `x` itself is lost; drop what is added"),
    ("attention never drops", {"num_heads, length, dropout)": "num_heads, length)"}, "the attention isn't given the probability of its dropout"),
    ("not wider", {"MyLinear(embed_dim, 4 * embed_dim)": "MyLinear(embed_dim, embed_dim)", "MyLinear(4 * embed_dim, embed_dim)": "MyLinear(embed_dim, embed_dim)"}, "the hidden layer has `embed_dim` units; make it four times as wide"),
    ("forward", {_FIRST: "x = x + self.dropout(self.attention.forward(self.norm1(x)))"}, "`self.attention.forward(…)` skips the hooks of the layer; call the layer"),
    ("in place", {_FIRST: "x.data.add_(self.dropout(self.attention(self.norm1(x))).detach())"}, "`x` itself is changed; create a new tensor with `x + …`"),
)
# fmt: on
