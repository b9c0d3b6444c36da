"""Recurrent layers, packed sequences and tables of vectors: messages, warnings, edges, side effects."""

import copy
import itertools
import pickle
import warnings

from casebook import case, error, told

KINDS = ("RNN", "LSTM", "GRU")


def numbers(x):
    """Return `x` as lists, however deep tuples hold tensors."""
    if isinstance(x, (tuple, list)):
        return [numbers(v) for v in x]
    return x if x is None else [x.dtype.__str__().partition(".")[2], list(x.shape), x.tolist()]


def names(out):
    if isinstance(out, (tuple, list)):
        return [names(v) for v in out]
    return None if out is None or out.grad_fn is None else out.grad_fn.name().rpartition("::")[2]


# ---- layers


@case
def layers_refuse_arguments(t):
    wrong = (
        {"hidden_size": 0}, {"input_size": -1}, {"hidden_size": 4.0}, {"bias": 1}, {"batch_first": None},
        {"dropout": 1.5}, {"dropout": True}, {"num_layers": 0}, {"proj_size": 4}, {"proj_size": -1},
        {"nonlinearity": "sine"}, {"unknown": 1}, {"dropout": 0.5},
    )  # fmt: skip
    found = []
    for name in KINDS:
        for given in wrong:
            options = {"input_size": 3, "hidden_size": 4, **given}
            found.append(told(lambda name=name, options=options: getattr(t.nn, name)(**options)))
    return [*found, told(lambda: t.nn.RNNBase("XYZ", 2, 3)), told(lambda: t.nn.RNN(3, 4, 1, "no"))]  # fmt: skip


@case
def layers_refuse_inputs(t):
    x, h = t.zeros(5, 2, 3), t.zeros(1, 2, 4)
    inputs = (
        (x[0, 0],), (x[None],), (x[..., :2],), (x.double(),), (x[:0],), (x, h[0]), (x, h[:, :1]), (x, h[..., :1]),
        (x[0], h), (x[0], h[:, 0]), (x, h[None]),
    )  # fmt: skip
    found = []
    for name in KINDS:
        module = getattr(t.nn, name)(3, 4)
        for given in inputs:
            rest = [(h, h) if name == "LSTM" else h for h in given[1:]]
            found.append(
                error(lambda module=module, g=given, r=rest: numbers(module(g[0], *r)[0])[1])
            )
    lstm = t.nn.LSTM(3, 4, proj_size=2)
    found.append(error(lambda: lstm(x, (h, h))))
    return [*found, error(lambda: lstm(x, (h[..., :2], h[..., :2])))]


@case
def functions_refuse_what_does_not_fit(t):
    x, h, double = t.zeros(5, 2, 3), t.zeros(1, 2, 4), t.zeros(5, 2, 3, dtype=t.float64)
    w = [*t.nn.GRU(3, 4).parameters()]
    rest = (True, 1, 0.0, True, False, False)
    wrong = (
        (x[:0], h, w, *rest), (double, h, w, *rest), (x, h.double(), w, *rest), (x[..., :2], h, w, *rest),
        (x, h[:, :1], w, *rest), (x, h[..., :1], w, *rest), (x, h, w[:3], *rest), (x, h, [], *rest),
        (x, h, w, True, 2, *rest[2:]), (x, h, w, True, 1, 0.0, True, True, False), (x, h, w), (1,), (),
    )  # fmt: skip
    found = [error(lambda g=given: t.gru(*g)) for given in wrong]
    return [*found, error(lambda: t.lstm(x, (h,), w, *rest))]


@case
def cells_refuse_what_does_not_fit(t):
    x, h = t.zeros(2, 3), t.zeros(2, 4)
    w = {name: [*getattr(t.nn, name)(3, 4).parameters()] for name in ("RNNCell", "LSTMCell", "GRUCell")}  # fmt: skip
    found = []
    for function, own in ((t.rnn_tanh_cell, w["RNNCell"]), (t.gru_cell, w["GRUCell"])):
        wrong = (
            (x[:, :2], h, *own), (x, h[:, :2], *own), (x, h[:1], *own), (x, h, own[0][:2], *own[1:]),
            (x.double(), h, *own), (x, h.double(), *own), (x[0], h, *own), (1,), (x,),
        )  # fmt: skip
        found += [error(lambda f=function, g=given: f(*g)) for given in wrong]
    own, states = w["LSTMCell"], ((h,), h, (h, h[:1]), (h, h[:, :2]), (h, h, h))
    found += [error(lambda s=state: t.lstm_cell(x, s, *own)) for state in states]
    for name in ("RNNCell", "LSTMCell", "GRUCell"):
        cell = getattr(t.nn, name)(3, 4)
        found.append(error(lambda cell=cell: cell(x[None])))
        state = (h, h[None]) if name == "LSTMCell" else h[None]
        found.append(error(lambda cell=cell, state=state: cell(x, state)))
    return [*found, error(lambda: t.nn.RNNCell(3, 4, nonlinearity="no")(x))]


@case
def nodes_have_names(t):
    found = []
    for name in KINDS:
        for options in ({}, {"batch_first": True}, {"bidirectional": True}, {"num_layers": 2}):
            module = getattr(t.nn, name)(3, 4, dtype=t.float64, **options)
            out = module(t.zeros(2, 2, 3, dtype=t.float64))
            packed = t.nn.utils.rnn.pack_sequence([t.zeros(2, 3, dtype=t.float64)])
            found.append([names(out), names(module(packed)[0].data)])
    cells = ("RNNCell", "LSTMCell", "GRUCell")
    return found + [names(getattr(t.nn, name)(3, 4)(t.zeros(3))) for name in cells]


@case
def dropout_lies_between_layers(t):
    t.manual_seed(0)
    module = t.nn.GRU(2, 3, 3, dropout=0.5, bidirectional=True)
    with t.no_grad():
        for p in module.parameters():
            p.fill_(0.25)
    x = t.ones(2, 1, 2)
    t.manual_seed(1)
    train = module(x)[0].mul(1000).round().tolist()
    return [train, module.eval()(x)[0].mul(1000).round().tolist()]


@case
def the_list_of_weights_is_kept_right(t):
    module = t.nn.LSTM(2, 3, 2)
    found = [
        len(module.all_weights),
        [len(w) for w in module.all_weights],
        module._flat_weights_names,
    ]
    module.weight_hh_l1 = t.nn.Parameter(t.zeros(12, 3))
    found.append(module._flat_weights[5] is module.weight_hh_l1)
    for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module)), copy.deepcopy(module).double()):  # fmt: skip
        same = [a is getattr(other, n) for a, n in zip(other._flat_weights, other._flat_weights_names, strict=True)]  # fmt: skip
        found.append(all(same))
    state = module.__getstate__()
    old = {k: v for k, v in state.items() if k != "proj_size"}
    old["_all_weights"] = [[module.weight_ih_l0]]
    revived = t.nn.LSTM.__new__(t.nn.LSTM)
    revived.__setstate__(old)
    found += ["_flat_weight_refs" in state, revived.proj_size, revived._all_weights]
    found.append(module.get_expected_hidden_size(t.zeros(5, 2, 2), None))
    found.append(module.get_expected_cell_size(t.zeros(5, 2), t.tensor([3, 2])))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        t.nn.modules.rnn.apply_permutation(t.zeros(1, 2, 3), t.tensor([1, 0]))
    return [*found, [f"{w.category.__name__}: {w.message}" for w in seen]]


@case
def results_may_be_overwritten(t):
    found = []
    for name in KINDS:
        module = getattr(t.nn, name)(2, 2, dtype=t.float64)
        with t.no_grad():
            for p in module.parameters():
                p.fill_(0.5)
        y, last = module(t.ones(3, 1, 2, dtype=t.float64))
        y.mul_(2)
        (last[0] if name == "LSTM" else last).mul_(3)
        y.sum().backward()
        found.append(module.weight_hh_l0.grad.mul(1e6).round().tolist())
    return found


@case
def empty_batches(t):
    found = []
    for name in KINDS:
        module = getattr(t.nn, name)(3, 4, 2, bidirectional=True)
        y = module(t.zeros(5, 0, 3))[0]
        y.sum().backward()
        found.append([list(y.shape), float(module.weight_ih_l1.grad.abs().sum())])
        cell = getattr(t.nn, name + "Cell")(3, 4)
        out = cell(t.zeros(0, 3))
        found.append(list((out[0] if name == "LSTM" else out).shape))
    return found


@case
def not_a_number_stays_in_its_sequence(t):
    x = t.zeros(2, 2, 3)
    x[0, 0, 0] = float("nan")
    x[0, 1, 0] = float("inf")
    modules = [getattr(t.nn, name)(3, 2) for name in KINDS]
    modules.append(t.nn.RNN(3, 2, nonlinearity="relu"))
    return [module(x)[0].isnan().tolist() for module in modules[:3]] + [modules[3](x)[0][:, 0].isnan().tolist()]  # fmt: skip


# ---- packed sequences


def sequences(t):
    return [t.tensor([1.0, 2.0]), t.tensor([3.0]), t.tensor([4.0, 5.0, 6.0])]


@case
def packing_and_padding(t):
    rnn = t.nn.utils.rnn
    x = t.arange(24.0).reshape(4, 3, 2).requires_grad_()
    found = []
    for lengths in ([4, 2, 1], [3, 2, 2], [1, 1, 1]):
        packed = rnn.pack_padded_sequence(x, lengths)
        found.append([numbers(tuple(packed)), names(packed.data)])
        for options in ({}, {"batch_first": True, "padding_value": -1.0, "total_length": 5}):
            out = rnn.pad_packed_sequence(packed, **options)
            found.append([numbers(out), names(out)])
    mixed = rnn.pack_padded_sequence(x, t.tensor([2, 4, 1]), enforce_sorted=False)
    found += [numbers(tuple(mixed)), numbers(rnn.pad_packed_sequence(mixed, True))]
    packed = rnn.pack_sequence(sequences(t), enforce_sorted=False)
    found += [repr(packed), numbers(rnn.unpack_sequence(packed))]
    for options in ({}, {"batch_first": True}, {"padding_value": 7, "padding_side": "left"}):
        found.append(numbers(rnn.pad_sequence(sequences(t), **options)))
    found.append(numbers(rnn.pad_sequence([x.long() for x in sequences(t)], True, 1.5)))
    padded = rnn.pad_sequence(sequences(t))
    found.append(numbers(rnn.unpad_sequence(padded, t.tensor([2, 1, 3]))))
    return [*found, list(padded.shape), numbers(rnn.invert_permutation(t.tensor([2, 0, 1])))]


@case
def packing_refuses(t):
    rnn, x = t.nn.utils.rnn, t.zeros(4, 3)
    pack, pad = rnn.pack_padded_sequence, rnn.pad_sequence
    a = t.zeros(2, 2)
    calls = (
        lambda: pack(x, [4, 2, 0]), lambda: pack(x, [2, 4, 1]), lambda: pack(x, [4, 2]), lambda: pack(x, [[4, 2, 1]]),
        lambda: pack(x, []), lambda: pack(x[0], [1]), lambda: pack(x[:0], [1, 1, 1]), lambda: pack([1], [1]),
        lambda: rnn.pad_packed_sequence(pack(x, [4, 2, 1]), total_length=3), lambda: pad([]), lambda: pad(5),
        lambda: pad([a, t.zeros(2, 3)]), lambda: pad([a, 1]), lambda: pad([a], padding_side="up"),
        lambda: pad([t.tensor(1.0)]), lambda: pad([a], 1), lambda: pad([a], True, "x"), lambda: pad([a], True, 0.0, 1),
        lambda: rnn.pack_sequence([a[:1], a]), lambda: rnn.pack_sequence([]), lambda: rnn.PackedSequence(a),
        lambda: rnn.unpad_sequence(t.zeros(3, 2), t.tensor([1])), lambda: rnn.unpad_sequence(t.zeros(3, 2), [1, 2]),
    )  # fmt: skip
    return [error(call) for call in calls]


@case
def packed_sequences_convert(t):
    rnn = t.nn.utils.rnn
    packed = rnn.pack_sequence(sequences(t), enforce_sorted=False)
    found = [
        packed.to(t.float32) is packed,
        packed.cpu() is packed,
        packed.is_cuda,
        packed.is_pinned(),
    ]
    for name in ("double", "float", "half", "long", "int", "short", "char", "byte"):
        other = getattr(packed, name)()
        found.append([numbers(other.data), other.sorted_indices.tolist(), type(other).__name__])
    by_pair = rnn.PackedSequence((t.ones(2), t.tensor([1, 1])))
    found += [packed._fields, repr(by_pair), by_pair == by_pair, isinstance(packed, tuple)]
    copied = pickle.loads(pickle.dumps(packed))
    return [*found, copied.data.tolist(), isinstance(copied, rnn.PackedSequence)]


# ---- tables of vectors


def table(t):
    return t.arange(12.0).reshape(4, 3).requires_grad_()


@case
def embedding_refuses(t):
    F, w, i = t.nn.functional, table(t), t.tensor([1, 3, 1])
    calls = (
        lambda: F.embedding(i.float(), w), lambda: F.embedding(i.short(), w), lambda: F.embedding(i.bool(), w),
        lambda: F.embedding(t.tensor([4]), w), lambda: F.embedding(t.tensor([-1]), w), lambda: F.embedding(i, w[0]),
        lambda: F.embedding(i, w, padding_idx=4), lambda: F.embedding(i, w, padding_idx=-5), lambda: F.embedding([1], w),
        lambda: F.embedding(t.tensor([9]), w.detach(), max_norm=1.0), lambda: t.embedding(w), lambda: t.embedding(w, [1]),
        lambda: t.embedding_renorm_(w.detach(), i), lambda: t.embedding_renorm_(w.long(), i, 1, 2),
        lambda: t.embedding_renorm_(w.detach(), i.float(), 1, 2), lambda: t.embedding_renorm_(w[0].detach(), i, 1, 2),
        lambda: t.nn.Embedding(4, 3, padding_idx=4), lambda: t.nn.Embedding(4, 3, padding_idx=-5),
        lambda: t.nn.Embedding(4, 3, _weight=t.zeros(2, 2)), lambda: t.nn.Embedding.from_pretrained(t.zeros(3)),
        lambda: t.nn.Embedding(-1, 3), lambda: t.nn.EmbeddingBag(4, 3, padding_idx=4),
        lambda: t.nn.EmbeddingBag.from_pretrained(t.zeros(3)), lambda: t.nn.EmbeddingBag(4, 3, _weight=t.zeros(2, 2)),
        lambda: F.one_hot(i, 3), lambda: F.one_hot(i.int()), lambda: F.one_hot(-i), lambda: F.one_hot(i[:0]),
        lambda: F.one_hot([1]), lambda: F.one_hot(i, 2.0), lambda: F.one_hot(i, None), lambda: F.one_hot(),
    )  # fmt: skip
    return [error(call) for call in calls]


@case
def embeddings_look_up(t):
    F, found = t.nn.functional, []
    for i in (t.tensor([1, 3, 1, 0]), t.tensor(2), t.tensor([[1], [0]], dtype=t.int32), t.tensor([], dtype=t.int64)):  # fmt: skip
        for options in ({}, {"padding_idx": 1}, {"padding_idx": -1, "scale_grad_by_freq": True}):
            w = table(t)
            out = F.embedding(i, w, **options)
            out.sum().backward()
            found.append([numbers(out), names(out), numbers(w.grad)])
    found.append(numbers(F.one_hot(t.tensor([[2], [0]]))))
    return [*found, numbers(F.one_hot(t.tensor([], dtype=t.int64), 3)), numbers(F.one_hot(t.tensor(1), 3))]  # fmt: skip


@case
def long_vectors_are_renormalised_in_place(t):
    F, found = t.nn.functional, []
    for norm_type in (1, 2.0, float("inf")):
        w = table(t)
        out = F.embedding(t.tensor([1, 3, 1]), w, max_norm=2.0, norm_type=norm_type)
        found.append([out.detach().mul(1e4).round().tolist(), w.detach().mul(1e4).round().tolist(), w._version])  # fmt: skip
    w = table(t).detach()
    F.embedding_bag(t.tensor([[0, 3]]), w, max_norm=1.0)
    found.append(w.mul(1e4).round().tolist())
    w = table(t)
    product = w * w
    F.embedding(t.tensor([3]), w, max_norm=1.0)
    return [*found, error(lambda: product.sum().backward()).replace("torch.", "").replace("nbmodule.", "")]  # fmt: skip


@case
def bags(t):
    F, found = t.nn.functional, []
    i, starts = t.tensor([1, 3, 1, 0, 2]), t.tensor([0, 2, 2])
    for mode in ("sum", "mean", "max"):
        for options in (
            {"offsets": starts}, {"offsets": starts, "padding_idx": 1}, {"offsets": starts, "padding_idx": -3},
            {"offsets": t.tensor([0, 2, 5]), "include_last_offset": True}, {"offsets": starts.int()},
            {"offsets": t.tensor([0])},
        ):  # fmt: skip
            w = table(t)
            out = F.embedding_bag(i, w, mode=mode, **options)
            out.sum().backward()
            found.append([numbers(out), names(out), numbers(w.grad)])
        found.append(numbers(F.embedding_bag(i[:4].reshape(2, 2), table(t).detach(), mode=mode)))
        empty = i[:0].reshape(0, 2)
        found.append(list(F.embedding_bag(empty, table(t), mode=mode).shape))
    return found


@case
def bags_refuse(t):
    F, w, i, o = t.nn.functional, table(t), t.tensor([1, 3, 1, 0]), t.tensor([0, 2])
    ones, bag = t.ones(4), F.embedding_bag
    calls = (
        lambda: bag(i, w, t.tensor([1, 2])), lambda: bag(i, w, t.tensor([0, 5])), lambda: bag(i, w), lambda: bag(i, w, o[None]),
        lambda: bag(i, w, o[:0], include_last_offset=True), lambda: bag(i + 1, w, o, mode="sum"), lambda: bag(i[None, None], w),
        lambda: bag(i.reshape(2, 2), w, o), lambda: bag(i[0], w, o), lambda: bag(i, w[0], o), lambda: bag(i, w.long(), o),
        lambda: bag(i.float(), w, o), lambda: bag(i.short(), w, o.short()), lambda: bag(i, w, o, padding_idx=4),
        lambda: bag(i, w, o, per_sample_weights=ones), lambda: bag(i, w, o, mode="sum", per_sample_weights=ones[:3]),
        lambda: bag(i, w, o, mode="sum", per_sample_weights=ones.double()), lambda: bag(i, w, o, mode="middle"),
        lambda: bag(i, w, o, mode="max", scale_grad_by_freq=True), lambda: bag(i, w, o, mode="max", sparse=True),
        lambda: t.nn.EmbeddingBag(4, 3, mode="middle")(i, o), lambda: t.embedding_bag(w),
    )  # fmt: skip
    found = [error(call) for call in calls]
    return [*found, told(lambda: list(bag(w.detach(), i.reshape(2, 2), mode="sum").shape))]


@case
def tables_are_described(t):
    nn = t.nn
    made = (
        nn.Embedding(4, 3), nn.Embedding(4, 3, -1, 1.0, 1, True, True), nn.EmbeddingBag(4, 3),
        nn.EmbeddingBag(4, 3, 1.0, 3.0, True, "sum", include_last_offset=True, padding_idx=-1),
    )  # fmt: skip
    weight = t.zeros(3, 2)
    kept = nn.Embedding.from_pretrained(weight), nn.EmbeddingBag.from_pretrained(weight, freeze=False, mode="max")  # fmt: skip
    same = [m.weight.data_ptr() == weight.data_ptr() for m in kept]
    frozen = [m.weight.requires_grad for m in (*kept, nn.Embedding(2, 2, _freeze=True))]
    return [[repr(m) for m in (*made, *kept)], same, frozen, [m.padding_idx for m in made]]


@case
def dimensions_of_bags_and_packs(t):
    w, i, o = t.ones(3, 2), t.tensor([1, 2]), t.tensor([0])
    pack = t.nn.utils.rnn.pack_padded_sequence
    calls = (
        lambda: t.embedding_bag(w, i.expand(1, 1, 2), o), lambda: t.embedding_bag(w, i, o.reshape(1, 1)), lambda: t.embedding_bag(w[0], i, o),
        lambda: t.embedding_bag(w, i, t.tensor(0)), lambda: pack(t.ones(0, 1, 3), t.ones(2, 2)), lambda: pack(t.ones(0, 0), []),
    )  # fmt: skip
    return [error(call) for call in calls]


@case
def what_is_written_between_forward_and_backward(t):
    found = []
    for kind in KINDS:
        for given, written in itertools.product(("weights", "x"), ("weight_ih_l0", "x")):
            layer, x = getattr(t.nn, kind)(2, 3).double(), t.ones(4, 1, 2).double()
            x.requires_grad_(given == "x")
            layer.requires_grad_(given == "weights")
            y = layer(x)[0].sum()
            with t.no_grad():
                (x if written == "x" else getattr(layer, written)).add_(1)
            found.append([kind, given, written, "modified" in str(error(y.backward))])
    return found


@case
def a_state_is_written_before_a_recorded_walk(t):
    found = []
    for kind in KINDS:
        layer, x, h = getattr(t.nn, kind)(2, 3), t.ones(4, 1, 2), t.ones(1, 1, 3)
        y = layer(x, (h, h.clone()) if kind == "LSTM" else h)[0].sum()
        h.zero_()
        weights = list(layer.parameters())
        text = error(lambda: t.autograd.grad(y, weights, create_graph=True))  # noqa: B023
        found.append("modified by an inplace operation" in str(text))
    return found
