"""Recurrent networks, tables of vectors, attention, packed sequences: arguments of wrong types and odd shapes."""

from casebook import case, error

STRANGE = (None, 0, -1, 1.5, "a", True, 2, (1,), [])


def seen(function):
    """Return the numbers, the dtype and the node that `function` returns, or the error."""
    found = []

    def call():
        for x in [value] if hasattr(value := function(), "grad_fn") else value:
            node = x.grad_fn and x.grad_fn.name()
            found.append([str(x.dtype), list(x.shape), x.is_contiguous(), node, x.tolist()])

    said = error(call)
    return found or said


def each(function, places, good):
    """Call `function` with the arguments `good`, of which one is strange each time."""
    found = []
    for place in places:
        for strange in STRANGE:
            given = [*good[:place], strange, *good[place + 1 :]]
            found.append([place, str(strange), seen(lambda given=given: function(*given))])
    return found


@case
def networks(t):
    x, h, w = t.ones(2, 2, 3), t.zeros(1, 2, 4), [*t.nn.GRU(3, 4).parameters()]
    w = [t.full_like(p, 0.1) for p in w]
    rest = (True, 1, 0.0, True, False, False)
    found = each(t.gru, (3, 4, 5, 6, 7, 8), (x, h, w, *rest))
    calls = (
        lambda: t.lstm(x, h, w, *rest), lambda: t.gru(x, h, x, *rest), lambda: t.gru(x, h, [1], *rest),
        lambda: t.gru(x, h, [w[0], None], *rest), lambda: t.lstm(x, (h, 1), w, *rest), lambda: t.gru(x, t.zeros(1, 3, 4), w, *rest),
        lambda: t.gru(x, t.zeros(2, 2, 4), [*w, *w], True, 2, 2.0, True, False, False),
    )  # fmt: skip
    return [*found, *map(error, calls)]


@case
def cells(t):
    shapes = ([2, 3], [2, 4], [12, 3], [12, 4], [12], [12])
    found = []
    for place, shape in enumerate(shapes):
        for other in ([n + 1 for n in shape], [*shape[:-1], shape[-1] + 1], [*shape, 1], shape[1:]):
            given = [t.ones(other if i == place else s) for i, s in enumerate(shapes)]
            found.append(error(lambda given=given: t.gru_cell(*given).shape))
            given[1] = (given[1], t.ones(2, 3))
            found.append(error(lambda given=given: t.lstm_cell(*given)[0].shape))
    return found


@case
def layers(t):
    found = []
    for given in (0, 2, -1, "", "no", None, (1,), 0.5):
        made = []
        found.append(error(lambda made=made, g=given: made.append(t.nn.GRU(2, 3, bidirectional=g))))
        for m in made:
            found.append([repr(m), [list(p.shape) for p in m.parameters()]])
            found.append(error(lambda m=m: m(t.ones(2, 1, 2))[0].shape))
    device = [
        error(lambda g=g: t.nn.LSTM(2, 3, device=g)) for g in (1.5, True, [], (1,), "foo", -1)
    ]
    dtype = [error(lambda g=g: t.nn.LSTM(2, 3, dtype=g)) for g in (1.5, True, [], "foo")]
    return [*found, *device, *dtype]


@case
def tables(t):
    F, w, i = (
        t.nn.functional,
        t.arange(6.0).reshape(3, 2).requires_grad_(),
        t.tensor([[0, 2], [2, 1]]),
    )
    lookups = each(t.embedding, (0, 1, 2, 3, 4), (w, i.T, -1, False, False))
    lookups += each(F.embedding, (2, 5, 6), (i.T, w, None, None, 2.0, False, False))
    lookups += [seen(lambda: t.embedding(w[:0], i[0])), seen(lambda: F.one_hot(i.T))]
    return [*lookups, *each(F.one_hot, (1,), (i.T, 3))]


@case
def bags(t):
    found = []
    for dtype in (t.float32, t.float64):
        w, i, starts = (
            t.arange(6.0, dtype=dtype).reshape(3, 2),
            t.tensor([0, 2, 1]),
            t.tensor([0, 2]),
        )
        for mode in (0, 1, 2, 3):
            for padding in ((), (0,), (-4,)):
                given = (w, i, starts, False, mode, False, None, False, *padding)
                found.append(seen(lambda given=given: t.embedding_bag(*given)))
                found.append(seen(lambda g=given: t.embedding_bag(*g[:6], g[0][:, 0], *g[7:])))
    found += each(t.embedding_bag, (3, 4, 5, 7), (w, i, starts, False, 0, False, None, False))
    bag = t.nn.functional.embedding_bag
    wrong = [
        error(lambda n=n, m=m, table=table: bag(t.tensor([n]), table, starts[:1], mode=m))
        for n in (-1, 3)
        for m in ("sum", "max")
        for table in (w, w.float())
    ]
    return [
        *found,
        *wrong,
        error(lambda: t.embedding_bag(w, t.zeros(1, 1, 1, dtype=t.int64), starts)),
    ]


@case
def attention(t):
    q, v = t.ones(1, 1, 2, 4), t.arange(12.0).reshape(1, 1, 3, 4)
    k = t.ones(1, 1, 3, 4)
    attend = t.nn.functional.scaled_dot_product_attention
    options = ("dropout_p", "is_causal", "scale", "enable_gqa")
    found = [
        [n, str(s), error(lambda n=n, s=s: attend(q, k, v, **{n: s}).shape)]
        for n in options
        for s in STRANGE
    ]
    return [*found, repr(attend(q, k, v)), repr(attend(q, k, v, attn_mask=t.eye(2, 3).bool()))]


@case
def sequences(t):
    u = t.nn.utils.rnn
    packs = (
        lambda: u.pack_padded_sequence(t.ones(4, 2, 1), [5, 4]), lambda: u.PackedSequence(t.ones(2, 1), t.tensor([2.0, 1.0])),
        lambda: u.PackedSequence(t.ones(2, 1), t.tensor([2, 1])), lambda: u.PackedSequence(t.ones(5, 1), t.tensor([2, 1])),
    )  # fmt: skip
    found = [seen(lambda pack=pack: u.pad_packed_sequence(pack())) for pack in packs]
    return [
        *found,
        *each(u.pad_sequence, (0, 1, 2, 3), ([t.ones(2), t.ones(1)], False, 0.0, "right")),
    ]


@case
def gradients_that_are_not_there(t):
    u = t.nn.utils
    bare = [t.ones(2, requires_grad=True)]
    both = u.clip_grad_value_, u.clip_grad_norm_
    return [error(lambda f=f, x=x: f(x, 1.0)) for f in both for x in ([], bare)]
