"""Linear layers, attention, Transformers, lazy modules, layers that change the shape."""

import warnings

from ..module_row import Row

SRC, TGT = (3, 2, 4), (5, 2, 4)
BATCH = (2, 3, 4)


def row(name, *args, shapes=SRC, label="", **options):
    shapes = shapes if isinstance(shapes[0], tuple) else (shapes,)
    return Row(name + label, lambda t: getattr(t.nn, name)(*args, **options), shapes)


def attention(label, *args, masks=None, shapes=(SRC,), call=None, **options):
    masks = masks or {}

    def run(module, *inputs):
        tensors, given = inputs[: len(shapes)], inputs[len(shapes) :]
        qkv = (tensors * 3)[:3] if len(tensors) == 1 else (*tensors, tensors[-1])[:3]
        return module(*qkv, **dict(zip(masks, given, strict=True)))

    make = lambda t: t.nn.MultiheadAttention(*args, **options)  # noqa: E731
    return Row(f"MultiheadAttention_{label}", make, (*shapes, *masks.values()), call or run)


def padding(t):
    return t.tensor([[False, False, True], [False, False, False]])


def causal(t):
    return t.triu(t.ones(3, 3), 1) > 0


def bias(t):
    return t.tensor([[0.0, -1.0, 0.5], [1.0, 0.0, 0.0], [0.0, 2.0, -0.5]])


def encoder(t, **options):
    layer = t.nn.TransformerEncoderLayer(4, 2, 6, 0.0, batch_first=True)
    return t.nn.TransformerEncoder(layer, 2, t.nn.LayerNorm(4), **options)


def decoder(t):
    layer = t.nn.TransformerDecoderLayer(4, 2, 6, 0.0)
    return t.nn.TransformerDecoder(layer, 2)


def transformer(t):
    with warnings.catch_warnings():  # the batch comes second
        warnings.simplefilter("ignore")
        return t.nn.Transformer(4, 2, 1, 1, 6, 0.0)


def settled(t, *args):
    layer = t.nn.LazyLinear(*args)
    layer(t.ones(1, 4))
    return layer


ROWS = [
    row("Identity", 54, unused=1),
    row("Linear", 4, 5),
    row("Linear", 4, 5, False, shapes=(3, 4), label="_no_bias"),
    row("Linear", 4, 5, shapes=(4,), label="_one_vector"),
    row("Bilinear", 4, 3, 5, shapes=((2, 4), (2, 3))),
    row("Bilinear", 4, 4, 2, False, shapes=(SRC, SRC), label="_no_bias"),
    Row("LazyLinear", lambda t: settled(t, 5), (SRC,)),
    Row("LazyLinear_no_bias", lambda t: settled(t, 5, False), (SRC,)),
    row("Flatten", shapes=(2, 3, 2, 2)),
    row("Flatten", 0, 1, label="_first"),
    row("Unflatten", 1, (2, 3), shapes=(2, 6, 2)),
    row("Unflatten", -1, [2, -1], label="_last"),
    attention("", 4, 2),
    attention("cross", 4, 2, shapes=(SRC, TGT)),
    attention("unbatched", 4, 2, shapes=((3, 4), (5, 4))),
    attention("sizes", 4, 2, kdim=3, vdim=2, bias=False, shapes=(SRC, (5, 2, 3), (5, 2, 2))),
    attention("more_keys", 4, 2, add_bias_kv=True, add_zero_attn=True, masks={"key_padding_mask": padding, "attn_mask": causal}),
    attention("batch_first", 4, 2, batch_first=True, masks={"key_padding_mask": padding}, shapes=(BATCH,)),
    attention("bias", 4, 1, masks={"attn_mask": bias}),
    attention("dropout", 4, 2, 0.3),
    attention("no_weights", 4, 2, call=lambda m, x: m(x, x, x, need_weights=False)),
    attention("all_weights", 4, 2, call=lambda m, x: m(x, x, x, average_attn_weights=False)),
    row("TransformerEncoderLayer", 4, 2, 6, 0.0),
    row("TransformerEncoderLayer", 4, 2, 6, 0.0, "gelu", batch_first=True, norm_first=True, shapes=BATCH, label="_norm_first"),
    row("TransformerEncoderLayer", 4, 2, 6, 0.2, bias=False, label="_dropout"),
    Row("TransformerEncoderLayer_masked", lambda t: t.nn.TransformerEncoderLayer(4, 2, 6, 0.0), (SRC, causal, padding)),
    row("TransformerDecoderLayer", 4, 2, 6, 0.0, shapes=(SRC, TGT)),
    row("TransformerDecoderLayer", 4, 2, 6, 0.1, norm_first=True, shapes=(SRC, TGT), label="_norm_first"),
    Row("TransformerDecoderLayer_masked", lambda t: t.nn.TransformerDecoderLayer(4, 2, 6, 0.0), (SRC, TGT, causal, lambda t: None, padding)),
    Row("TransformerEncoder", encoder, (BATCH,)),
    Row("TransformerEncoder_padded", encoder, (BATCH, lambda t: None, padding)),
    Row("TransformerEncoder_causal", lambda t: encoder(t, enable_nested_tensor=False), (BATCH, causal)),
    Row("TransformerDecoder", decoder, (SRC, TGT)),
    Row("Transformer", transformer, (SRC, TGT)),
    row("Transformer", 4, 2, 1, 1, 6, 0.0, "gelu", batch_first=True, shapes=(BATCH, BATCH), label="_batch_first"),
]  # fmt: skip
