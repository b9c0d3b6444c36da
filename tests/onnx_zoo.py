"""Models for export: layers, calls of operations, networks with several dynamic axes, and what can't be exported."""

import nbmodule
from nbmodule import nn
from nbmodule.nn import functional as F


def _pair(layer, *shapes):
    return lambda: (layer(), tuple(nbmodule.randn(*shape) for shape in shapes))


FLAT, LINE, PLANE, BOX, SEQUENCE = (2, 4), (2, 4, 9), (2, 4, 9, 9), (2, 4, 5, 5, 5), (2, 5, 4)


def _trained(layer):
    """Return a norm whose moments and weights aren't those it began with."""
    for t in [*layer.buffers(), *layer.parameters()]:
        if t.is_floating_point():
            t.data.uniform_(0.5, 1.5)
    return layer


LAYERS = {
    "Linear": _pair(lambda: nn.Linear(4, 3), FLAT),
    "Linear, no bias, three axes": _pair(lambda: nn.Linear(4, 3, bias=False), SEQUENCE),
    "Bilinear": _pair(lambda: nn.Bilinear(4, 4, 3), FLAT, FLAT),
    "Conv1d": _pair(lambda: nn.Conv1d(4, 6, 3, padding=1, stride=2), LINE),
    "Conv2d": _pair(lambda: nn.Conv2d(4, 6, 3, padding=1, groups=2, dilation=2), PLANE),
    "Conv2d, circular": _pair(
        lambda: nn.Conv2d(4, 6, 3, padding=1, padding_mode="circular"), PLANE
    ),
    "Conv2d, reflect": _pair(lambda: nn.Conv2d(4, 6, 3, padding=2, padding_mode="reflect"), PLANE),
    "Conv2d, same": _pair(lambda: nn.Conv2d(4, 6, (3, 5), padding="same"), PLANE),
    "Conv3d": _pair(lambda: nn.Conv3d(4, 6, 3, bias=False), BOX),
    "ConvTranspose1d": _pair(lambda: nn.ConvTranspose1d(4, 6, 3, stride=2), LINE),
    "ConvTranspose2d": _pair(
        lambda: nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2), PLANE
    ),
    "MaxPool1d": _pair(lambda: nn.MaxPool1d(2), LINE),
    "MaxPool2d": _pair(lambda: nn.MaxPool2d(3, 2, 1, ceil_mode=True), (2, 4, 8, 7)),
    "MaxPool2d, places": _pair(lambda: nn.MaxPool2d(3, 2, 1, return_indices=True), PLANE),
    "MaxPool3d": _pair(lambda: nn.MaxPool3d(2, dilation=2), BOX),
    "AvgPool1d": _pair(lambda: nn.AvgPool1d(2), LINE),
    "AvgPool2d": _pair(lambda: nn.AvgPool2d(3, 2, 1), PLANE),
    "AvgPool2d, without padding": _pair(
        lambda: nn.AvgPool2d(3, 2, 1, count_include_pad=False), PLANE
    ),
    "AvgPool2d, ceil": _pair(lambda: nn.AvgPool2d(3, 2, ceil_mode=True), (2, 4, 8, 8)),
    "AvgPool2d, divisor": _pair(lambda: nn.AvgPool2d(3, divisor_override=5), PLANE),
    "AdaptiveAvgPool2d": _pair(lambda: nn.AdaptiveAvgPool2d(3), PLANE),
    "AdaptiveAvgPool2d to one": _pair(lambda: nn.AdaptiveAvgPool2d(1), PLANE),
    "AdaptiveMaxPool1d": _pair(lambda: nn.AdaptiveMaxPool1d(1), LINE),
    "AdaptiveMaxPool2d": _pair(lambda: nn.AdaptiveMaxPool2d(3), PLANE),
    "BatchNorm1d": _pair(lambda: _trained(nn.BatchNorm1d(4)), FLAT),
    "BatchNorm2d": _pair(lambda: _trained(nn.BatchNorm2d(4)), PLANE),
    "BatchNorm2d, bare": _pair(lambda: _trained(nn.BatchNorm2d(4, affine=False)), PLANE),
    "InstanceNorm2d": _pair(lambda: _trained(nn.InstanceNorm2d(4, affine=True)), PLANE),
    "GroupNorm": _pair(lambda: _trained(nn.GroupNorm(2, 4)), PLANE),
    "LayerNorm": _pair(lambda: _trained(nn.LayerNorm(4)), SEQUENCE),
    "LayerNorm, two axes, bare": _pair(
        lambda: nn.LayerNorm((5, 4), elementwise_affine=False), SEQUENCE
    ),
    "RMSNorm": _pair(lambda: _trained(nn.RMSNorm(4)), SEQUENCE),
    "LocalResponseNorm": _pair(lambda: nn.LocalResponseNorm(3), PLANE),
    "Embedding": lambda: (nn.Embedding(7, 3, padding_idx=0), (nbmodule.randint(0, 7, (2, 5)),)),
    "RNN": _pair(lambda: nn.RNN(4, 3, nonlinearity="relu", bias=False), SEQUENCE),
    "LSTM": _pair(
        lambda: nn.LSTM(4, 3, num_layers=2, batch_first=True, bidirectional=True), SEQUENCE
    ),
    "GRU": _pair(
        lambda: nn.GRU(4, 3, num_layers=2, batch_first=True, bidirectional=True), SEQUENCE
    ),
    "LSTMCell": _pair(lambda: nn.LSTMCell(4, 3), FLAT),
    "GRUCell": _pair(lambda: nn.GRUCell(4, 3), FLAT),
    "MultiheadAttention": _pair(
        lambda: nn.MultiheadAttention(4, 2, batch_first=True), *[SEQUENCE] * 3
    ),
    "TransformerEncoderLayer": _pair(
        lambda: nn.TransformerEncoderLayer(4, 2, 8, batch_first=True), SEQUENCE
    ),
    "TransformerDecoderLayer": _pair(
        lambda: nn.TransformerDecoderLayer(4, 2, 8, batch_first=True), *[SEQUENCE] * 2
    ),
    "Upsample": _pair(lambda: nn.Upsample(scale_factor=2), PLANE),
    "Upsample, bilinear": _pair(lambda: nn.Upsample(scale_factor=1.5, mode="bilinear"), PLANE),
    "PixelShuffle": _pair(lambda: nn.PixelShuffle(2), PLANE),
    "Flatten": _pair(lambda: nn.Flatten(), PLANE),
    "Unflatten": _pair(lambda: nn.Unflatten(1, (2, 2)), FLAT),
    "CosineSimilarity": _pair(lambda: nn.CosineSimilarity(), FLAT, FLAT),
    "Dropout": _pair(lambda: nn.Sequential(nn.Dropout(), nn.AlphaDropout(), nn.Identity()), FLAT),
    "weight norm": _pair(lambda: nn.utils.parametrizations.weight_norm(nn.Linear(4, 3)), FLAT),
    "double": lambda: (
        nn.Sequential(nn.Linear(4, 3), nn.Softplus(2)).double(),
        (nbmodule.randn(2, 4).double(),),
    ),
    "ZeroPad2d": _pair(lambda: nn.ZeroPad2d((1, 0, 2, 1)), PLANE),
    "activations in place": _pair(
        lambda: nn.Sequential(
            nn.Linear(4, 4),
            nn.ELU(0.7, inplace=True),
            nn.CELU(0.6, inplace=True),
            nn.Linear(4, 3),
            nn.SELU(inplace=True),
            nn.LeakyReLU(0.3, inplace=True),
            nn.RReLU(inplace=True),
        ),
        FLAT,
    ),
}
ACTIVATIONS = [
    nn.CELU(0.7), nn.ELU(0.7), nn.GELU(), nn.GELU("tanh"), nn.GLU(), nn.Hardshrink(), nn.Hardsigmoid(), nn.Hardswish(),
    nn.Hardtanh(-0.3, 0.6), nn.LeakyReLU(0.2), nn.LogSigmoid(), nn.LogSoftmax(1), nn.Mish(), nn.PReLU(), nn.ReLU(),
    nn.ReLU6(), nn.RReLU(), nn.SELU(), nn.SiLU(), nn.Sigmoid(), nn.Softmax(-1), nn.Softmin(1), nn.Softplus(2), nn.Softshrink(),
    nn.Softsign(), nn.Tanh(), nn.Tanhshrink(), nn.Threshold(0.1, 2.0),
]  # fmt: skip
LAYERS |= {repr(m): (lambda m=m: (m, (nbmodule.randn(2, 4) * 2,))) for m in ACTIVATIONS}


class Call(nn.Module):
    """A Module that calls a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def written(x):
    x = x * 1
    return x.add_(1, alpha=2).relu_().mul_(x)


def call(function, *shapes):
    return lambda: (Call(function), tuple(nbmodule.randn(*shape) for shape in (shapes or (FLAT,))))


CALLS = {
    "arithmetic": call(lambda x: 1 / (x * x + 1) - x / 2 + (-x) ** 2 + 3 - abs(x) ** 0.5),
    "functions": call(lambda x: [x.exp().log1p(), x.sin().cos() + x.tan().atan(), x.sigmoid().rsqrt(), x.erf().round()]),
    "comparisons": call(lambda x, y: [x > y, (x <= 0) | (y != 0), (x == y).logical_not() & (x < 0.5), (x >= 1).any(1), (x < 9).all()], FLAT, FLAT),
    "where": call(lambda x: [nbmodule.where(x > 0, x, -x), x.masked_fill(x > 0, -1e9), x.clamp(-0.5, 0.5), x.clamp(min=0)]),
    "types": call(lambda x: [(x > 0).float() * 2, x.double() / 3, (x > 0) * x, (x * 4).int() / 2]),
    "reductions": call(lambda x: [x.sum(1), x.sum(), x.mean(1, keepdim=True), x.amax(1), x.amin(-1), x.prod(1), x.norm(dim=1), x.logsumexp(1)]),
    "spread": call(lambda x: [x.var(1), x.std(1, correction=0), x.std(1, keepdim=True), F.normalize(x)]),
    "places": call(lambda x: [x.argmax(1), x.argmin(1, keepdim=True), x.max(1)[0], x.max(1)[1], x.cumsum(1)]),
    "shapes": call(lambda x: [x.reshape(-1), x.T, x[:, None].expand(-1, 3, -1) * 1, x.unsqueeze(-1).squeeze(-1), x.flatten(), x.repeat(1, 2), x.flip(1), x.roll(1, 1)]),
    "joining": call(lambda x: [nbmodule.cat([x, x], 1), nbmodule.stack([x, x + 1], 1), x.chunk(2, 1)[1], x.split([1, 3], 1)[1], x.unbind(1)[2]]),
    "indexing": call(lambda x: [x[:, 1:3], x[:, -1], x[:, ::2], x[:, None, 1], x[..., 0], x[:, nbmodule.tensor([0, 2])], x[:, [[0], [3]]]]),
    "computed places": call(lambda x: [x.gather(1, x.argmax(1, keepdim=True)), F.embedding(x.argmax(1), x.T @ x), (x.T @ x)[x.argmax(1)], (x.T @ x).index_select(0, x.argmax(1))]),
    "products": call(lambda x, y: [x @ y.T, nbmodule.einsum("bi,bj->bij", x, y), nbmodule.bmm(x[None], y.T[None]), x.T @ y], FLAT, FLAT),
    "triangles": call(lambda x: [(x.T @ x).tril(), (x.T @ x).triu(1)]),
    "attention": call(lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True), (2, 3, 5, 4)),
    "written in place": call(written),
    "numbers of the batch": call(lambda x: [x + nbmodule.arange(4), x.sum(0) / x.shape[0], nbmodule.zeros(len(x), 2) + 1, nbmodule.ones_like(x) * x]),
    "nested results": call(lambda x: {"a": (x, [x + 1, None]), "b": x}),
}  # fmt: skip


class Bigram(nn.Module):
    """Embedding and head share their weight."""

    def __init__(self):
        super().__init__()
        self.table, self.head = nn.Embedding(7, 4), nn.Linear(4, 7, bias=False)
        self.head.weight = self.table.weight

    def forward(self, ids):
        return self.head(self.table(ids))


class Counting(nn.Module):
    """Writes to a buffer, and draws random numbers in training mode."""

    def __init__(self):
        super().__init__()
        self.register_buffer("seen", nbmodule.zeros((), dtype=nbmodule.int64))
        self.norm = nn.BatchNorm1d(3)

    def forward(self, x):
        self.seen += 1
        return F.dropout(self.norm(x), training=self.training)


class GPT(nn.Module):
    """One block of a transformer that predicts the next token; its mask is a buffer, or made by the attention."""

    def __init__(self, buffered):
        super().__init__()
        self.buffered = buffered
        self.tokens, self.places = nn.Embedding(11, 8), nn.Embedding(64, 8)
        self.qkv, self.out, self.norm = nn.Linear(8, 24), nn.Linear(8, 8), nn.LayerNorm(8)
        self.head = nn.Linear(8, 11, bias=False)
        self.head.weight = self.tokens.weight
        self.register_buffer("mask", nbmodule.tril(nbmodule.ones(64, 64)), persistent=False)

    def forward(self, ids):
        n, t = ids.shape
        x = self.tokens(ids) + self.places(nbmodule.arange(t))
        q, k, v = (
            part.view(n, t, 2, 4).transpose(1, 2) for part in self.qkv(self.norm(x)).split(8, 2)
        )
        if self.buffered:
            scores = (q @ k.transpose(-2, -1)) * 0.5
            y = scores.masked_fill(self.mask[:t, :t] == 0, float("-inf")).softmax(-1) @ v
        else:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.head(x + self.out(y.transpose(1, 2).contiguous().view(n, t, 8)))


class Unrolled(nn.Module):
    """A loop in Python over a fixed number of steps, and results with names."""

    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(4, 3)

    def forward(self, x):
        h = c = nbmodule.zeros(x.shape[0], 3)
        for t in range(x.shape[1]):
            h, c = self.cell(x[:, t], (h, c))
        return {"h": h, "c": c}


def _network():
    return nn.Sequential(
        nn.Conv2d(3, 4, 3, stride=2, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(4, 4, 3, padding=1), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 2),
    )  # fmt: skip


def _on(model, **inputs):
    return lambda: (model(), inputs)


TIMES = {0: "b", 1: "t"}
DYNAMIC = {
    "network of any picture": _on(_network, x=(nbmodule.randn(2, 3, 17, 19), {0: "b", 2: "h", 3: "w"})),
    "RNN": _on(lambda: nn.RNN(4, 3, 2, batch_first=True, bidirectional=True), x=(nbmodule.randn(2, 5, 4), TIMES)),
    "LSTM": _on(lambda: nn.LSTM(4, 3, 2, batch_first=True, bidirectional=True), x=(nbmodule.randn(2, 5, 4), TIMES)),
    "LSTM without batch": _on(lambda: nn.LSTM(4, 3), x=(nbmodule.randn(5, 4), {0: "t"})),
    "GRU": _on(lambda: nn.GRU(4, 3, 2, batch_first=True), x=(nbmodule.randn(2, 5, 4), TIMES)),
    "encoder": _on(
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=True), 2, enable_nested_tensor=False),
        x=(nbmodule.randn(2, 5, 8), TIMES),
    ),
    "Transformer": _on(
        lambda: nn.Transformer(8, 2, 1, 1, 16, batch_first=True),
        src=(nbmodule.randn(2, 5, 8), TIMES), tgt=(nbmodule.randn(2, 7, 8), {0: "b", 1: "s"}),
    ),
    "GPT, mask in a buffer": _on(lambda: GPT(True), ids=(nbmodule.randint(0, 11, (2, 5)), TIMES)),
    "GPT, causal attention": _on(lambda: GPT(False), ids=(nbmodule.randint(0, 11, (2, 5)), TIMES)),
    "loop": _on(Unrolled, x=(nbmodule.randn(2, 5, 4), {0: "b"})),
}  # fmt: skip


def part(x):
    x = x * 1
    x[:, 0] = 0
    return x


def condition(x):
    return x if x.sum() > 0 else -x


REFUSED = {
    "a condition": (call(condition), {}, ["__bool__", "onnx_zoo.py", "where"]),
    "a number read": (call(lambda x: x * x.max().item()), {}, ["item"]),
    "a loop over the batch": (call(lambda x: sum(x[i] for i in range(len(x)))), {0: "n"}, ["`index`", "depend"]),
    "another condition": (call(lambda x: x if x.shape[0] < 3 else -x), {0: "n"}, ["depend"]),
    "random numbers": (call(lambda x: x + nbmodule.rand(4)), {}, ["random"]),
    "a size as a number": (call(lambda x: x * (1 / len(x))), {0: "n"}, ["`mul`", "follows"]),
    "a size made of sizes": (call(lambda x: x.reshape(-1, 4)[: len(x) // 2]), {0: "n"}, ["`index`", "size"]),
    "sorting": (call(lambda x: x.sort(1)[0]), {}, ["`gather`", "sort"]),
    "a mask": (call(lambda x: x[x > 0]), {}, ["mask"]),
    "a view written": (call(part), {}, ["in place"]),
    "unknown": (lambda: (nn.Sequential(nn.Identity(), nn.Sequential(nn.Unfold(2))), (nbmodule.randn(2, 4, 9, 9),)), {}, ["`im2col`", "'1.0'"]),
    "windows that differ": (_pair(lambda: nn.AdaptiveAvgPool2d(7), PLANE), {}, ["`avg_pool`", "differ"]),
    "a projection": (_pair(lambda: nn.LSTM(4, 3, proj_size=2), SEQUENCE), {}, ["`lstm`", "proj_size"]),
    "an axis that has its size": (call(lambda x: x.view(2, 4)), {0: "n"}, ["'n'", "RuntimeError"]),
    "one name for two": (call(lambda x: {"a": (x, x), "a_0": x}), {}, ["'a_0'"]),
    "text": (call(lambda x: [x, "done"]), {}, ["str"]),
}  # fmt: skip
