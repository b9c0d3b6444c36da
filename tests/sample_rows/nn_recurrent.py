"""Recurrent layers, packed sequences, tables of vectors."""

from sample_row import F, Sample

X, H, C = (3, 2, 3), (1, 2, 2), (1, 2, 4)
SIZES = (3, 2, 2)  # how many sequences of the batch are as long as 1, 2, 3


def one(t, results):
    """Put all results of a call side by side, so that all of them are differentiated."""
    return t.cat([r.reshape(-1) for r in results])


def layer(name, gates, bidirectional=False, bias=True, packed=False):
    """A row that calls ``torch.<name>`` with one layer."""
    directions, size = 1 + bidirectional, 2
    weights = ((gates * size, 3), (gates * size, size), (gates * size,), (gates * size,))
    weights = (weights if bias else weights[:2]) * directions
    batch = SIZES[0] if packed else 2
    shapes = ((sum(SIZES), 3) if packed else X, (directions, batch, size))

    def call(t, x, *rest):
        states, params = rest[: -len(weights)], [*rest[-len(weights) :]]
        state = states[0] if len(states) == 1 else states
        options = (bias, 1, 0.0, True, bidirectional)
        if packed:
            return one(t, getattr(t, name)(x, t.tensor(SIZES), state, params, *options))
        return one(t, getattr(t, name)(x, state, params, *options, False))

    label = f"{name}{'_both' * bidirectional}{'' if bias else '_bare'}{'_packed' * packed}"
    count = 2 if name == "lstm" else 1
    return Sample(label, call, (shapes[0], *shapes[1:] * count, *weights))


def projected(t, x, h, c, w_ih, w_hh, w_hr):
    return one(t, t.lstm(x, (h, c), [w_ih, w_hh, w_hr], False, 1, 0.0, True, False, True))


def two_layers(t, x, h, *params):
    return t.gru(x, h, [*params], False, 2, 0.0, True, False, False)[0]


def cell(name, gates):
    count = 2 if name == "lstm_cell" else 1

    def call(t, x, *rest):
        state = rest[0] if count == 1 else rest[:2]
        out = getattr(t, name)(x, state, *rest[count:])
        return one(t, out) if count == 2 else out

    weights = ((gates * 2, 3), (gates * 2, 2), (gates * 2,), (gates * 2,))
    return Sample(name, call, ((4, 3), *((4, 2),) * count, *weights))


def packed(t, x, **options):
    rnn = t.nn.utils.rnn
    return rnn.pack_padded_sequence(x, [3, 2, 1], **options)


def padded_again(t, x):
    rnn = t.nn.utils.rnn
    return rnn.pad_packed_sequence(packed(t, x), True, -1.0, total_length=4)[0]


TABLE, PLACES = (5, 3), [[1, 4, 1], [0, 3, 1]]
MANY = [i % 41 // 2 for i in range(900)]


def words(t):
    return t.tensor(PLACES)


def bag(name, shapes=(TABLE,), **options):
    def call(t, w, *weights):
        places, starts = (
            t.tensor([1, 4, 1, 0, 2, 2]),
            t.tensor([0, 3, 3, 6] if options.get("include_last_offset") else [0, 3, 3, 4]),
        )
        more = {"per_sample_weights": weights[0]} if weights else {}
        return F(t).embedding_bag(places, w, starts, **options, **more)

    return Sample("embedding_bag_" + name, call, shapes)


ROWS = [
    *(layer(name, g) for name, g in (("lstm", 4), ("gru", 3), ("rnn_tanh", 1), ("rnn_relu", 1))),
    *(layer(name, g, True, False) for name, g in (("lstm", 4), ("gru", 3), ("rnn_tanh", 1))),
    *(layer(name, g, True, True, True) for name, g in (("lstm", 4), ("gru", 3), ("rnn_relu", 1))),
    Sample("lstm_projected", projected, (X, (1, 3, 2), (1, 3, 4), (16, 3), (16, 2), (2, 4))),
    Sample("gru_two_layers", two_layers, (X, (2, 2, 2), (6, 3), (6, 2), (6, 2), (6, 2))),
    cell("lstm_cell", 4), cell("gru_cell", 3), cell("rnn_tanh_cell", 1), cell("rnn_relu_cell", 1),
    Sample("pack_padded_sequence", lambda t, x: packed(t, x).data, ((3, 3, 2),)),
    Sample("pad_packed_sequence", padded_again, ((3, 3, 2),)),
    Sample("pad_sequence", lambda t, a, b: t.nn.utils.rnn.pad_sequence([a, b], padding_value=2.0), ((1, 2), (3, 2))),
    Sample("pad_sequence_left", lambda t, a, b: t.nn.utils.rnn.pad_sequence([a, b], True, 2.0, "left"), ((1, 2), (3, 2))),
    Sample("embedding", lambda t, w: F(t).embedding(words(t), w), (TABLE,)),
    Sample("embedding_padding", lambda t, w: F(t).embedding(words(t), w, padding_idx=-3), (TABLE,)),
    Sample("embedding_many", lambda t, w: F(t).embedding(t.tensor(MANY), w).reshape(30, 30, 40).sum(0), ((21, 40),)),
    bag("sum", mode="sum"), bag("mean"), bag("max", mode="max"), bag("weighted", (TABLE, (6,)), mode="sum"),
    bag("padding", mode="mean", padding_idx=2), bag("padding_max", mode="max", padding_idx=1),
    bag("last_offset", mode="sum", include_last_offset=True),
    Sample("embedding_bag_rows", lambda t, w: F(t).embedding_bag(words(t), w), (TABLE,)),
    Sample("one_hot", lambda t, a: F(t).one_hot(words(t), 6), ((2, 2),), differentiable=False),
]  # fmt: skip
