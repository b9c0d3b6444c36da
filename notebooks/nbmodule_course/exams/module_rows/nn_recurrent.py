"""Recurrent layers and tables of vectors."""

from ..module_row import Row

X, H, C = (3, 2, 3), (1, 2, 4), (1, 2, 4)


NO_TENSOR = {"backward hooks": "no input is a tensor that is differentiated"}


def layer(label, name, *args, inputs=(X,), call=None, skip=None, **options):
    def make(t):
        return getattr(t.nn, name)(*args, **options)

    return Row(f"{name}{label}", make, inputs, call, skip=skip or {})


def all_kinds(label, *args, **options):
    return [layer(label, name, 3, 4, *args, **options) for name in ("RNN", "LSTM", "GRU")]


def with_state(module, x, h, c):
    return module(x, (h, c))


def packed(module, x):
    """Call with sequences of lengths 1 and 3, and return tensors."""
    import importlib

    library = importlib.import_module(type(x).__module__.partition(".")[0])
    rnn = library.nn.utils.rnn
    data, last = module(rnn.pack_padded_sequence(x, [1, 3], enforce_sorted=False))
    return rnn.pad_packed_sequence(data)[0], last


def words(t):
    return t.tensor([[1, 4, 1], [0, 3, 1]])


def flat_words(t):
    return t.tensor([1, 4, 1, 0, 3])


def starts(t):
    return t.tensor([0, 2, 2])


def table(name, label, *args, inputs=(words,), smooth=True, **options):
    def make(t):
        return getattr(t.nn, name)(5, 3, *args, **options)

    return Row(f"{name}{label}", make, inputs, smooth=smooth, skip=NO_TENSOR)


ROWS = [
    *all_kinds(""),
    *all_kinds("_two_layers", 2, dropout=0.5, bidirectional=True),
    *all_kinds("_bare_batch_first", bias=False, batch_first=True, bidirectional=True),
    *all_kinds("_unbatched", inputs=((3, 3),)),
    *all_kinds("_packed", bidirectional=True, call=packed, skip=NO_TENSOR),
    layer("_relu", "RNN", 3, 4, 1, "relu"),
    layer("_state", "GRU", 3, 4, inputs=(X, H)),
    layer("_state", "LSTM", 3, 4, inputs=(X, H, C), call=with_state),
    layer("_projected", "LSTM", 3, 4, 2, proj_size=2, bidirectional=True),
    layer("", "RNNCell", 3, 4, inputs=((2, 3),)),
    layer("_relu_state", "RNNCell", 3, 4, False, "relu", inputs=((2, 3), (2, 4))),
    layer("", "LSTMCell", 3, 4, inputs=((2, 3),)),
    layer("_state", "LSTMCell", 3, 4, False, inputs=((3,), (4,), (4,)), call=with_state),
    layer("", "GRUCell", 3, 4, inputs=((2, 3),)),
    layer("_state", "GRUCell", 3, 4, False, inputs=((3,), (4,))),
    table("Embedding", ""),
    table("Embedding", "_padding", 1, scale_grad_by_freq=True, smooth=False),
    table("Embedding", "_max_norm", None, 1.0, 1.0, smooth=False),
    table("EmbeddingBag", ""),
    table("EmbeddingBag", "_sum", mode="sum", padding_idx=-1, inputs=(flat_words, starts)),
    table("EmbeddingBag", "_max", mode="max", inputs=(flat_words, starts)),
]
