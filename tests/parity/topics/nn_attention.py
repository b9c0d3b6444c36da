"""Linear layers, attention, Transformers: messages, warnings, dtypes, nodes, edge cases."""

import copy
import pickle
import warnings

from casebook import case, error


def told(function):
    """Return what `function` returns or raises, as a text, and the warnings on the way."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = error(lambda: shown(function()))
    messages = [str(w.message) for w in caught if "prototype" not in str(w.message)]
    return [result, *messages]


def shown(x):
    """Return the sizes, the dtype and the node of a tensor, those of each of several."""
    if isinstance(x, tuple):
        return [shown(part) for part in x]
    node = getattr(x, "grad_fn", None)
    return [list(x.shape), str(x.dtype), node and node.name()] if hasattr(x, "grad_fn") else str(x)


def each(t, calls):
    return [told(call) for call in calls]


def ones(t, *sizes, **options):
    return t.ones(*sizes, requires_grad=True, **options)


# ---- linear layers


@case
def linear_takes_and_refuses(t):
    f, o = t.nn.functional.linear, t.ones
    w, x = ones(t, 3, 8), o(2, 2, 8)
    return each(t, [
        lambda: f(x, w), lambda: f(x, w, o(3)), lambda: f(o(2, 8), w, o(3)), lambda: f(o(8), w), lambda: f(o(8), w[0]),
        lambda: f(x.transpose(0, 1), w, o(3)), lambda: f(x, w, o(())), lambda: f(x, w, o(2, 1, 3)), lambda: f(o(0, 8), w),
        lambda: f(o(2, 0), o(3, 0), o(3)), lambda: f(o(2, 8), o(0, 8)), lambda: f(o(2, 8).long(), o(3, 8).long()),
        lambda: f(o(2, 7), w), lambda: f(o(7), w), lambda: f(x, o(2, 3, 8)), lambda: f(o(()), w), lambda: f(x, o(8), o(1)),
        lambda: f(x, w, o(4)), lambda: f(x, w.double()), lambda: f(x, w, o(3).double()), lambda: f(x.double(), w, o(3)),
        lambda: f(o(2, 8).bool(), o(3, 8).bool()), lambda: f(1, w), lambda: error(lambda: f(x))[:33], lambda: f(x, w, 1), lambda: f(x, w, foo=1),
        lambda: t.nn.Linear(4, 3)(x), lambda: t.nn.Linear(-1, 2), lambda: t.nn.Linear(2), lambda: t.nn.Linear(0, 2).bias,
        lambda: t.nn.Linear(2, 3, dtype=t.int64), lambda: t.nn.Linear(2, 3, device="meta")(o(4, 2, device="meta")),
    ])  # fmt: skip


@case
def bilinear_takes_and_refuses(t):
    f, o = t.nn.functional.bilinear, t.ones
    w = ones(t, 5, 8, 6)
    return [f is t.bilinear, *each(t, [
        lambda: f(o(2, 8), o(2, 6), w), lambda: f(o(2, 8), o(2, 6), w, o(5)), lambda: f(o(8), o(6), w), lambda: f(o(0, 8), o(0, 6), w),
        lambda: f(o(2, 8), o(3, 6), w), lambda: f(o(4, 2, 8), o(2, 6), w), lambda: f(o(2, 7), o(2, 6), w), lambda: f(o(2, 8), o(2, 7), w),
        lambda: f(o(2, 8), o(2, 6), w, o(4)), lambda: f(o(2, 8), o(2, 6), w, o(())), lambda: f(o(2, 8), o(2, 6), w.double()),
        lambda: f(o(2, 8), o(2, 6), w, o(5).double()), lambda: f(o(2, 8).bool(), o(2, 6).bool(), o(5, 8, 6).bool()),
        lambda: f(o(()), o(()), w), lambda: f(1, o(2, 6), w), lambda: f(o(2, 8)), lambda: t.nn.Bilinear(0, 3, 4), lambda: t.nn.Bilinear(3, 0, 4).weight,
    ])]  # fmt: skip


@case
def flatten_and_unflatten(t):
    x, nn = ones(t, 2, 12, 3), t.nn
    return each(t, [
        lambda: nn.Flatten()(x), lambda: nn.Flatten(0)(t.ones(())), lambda: nn.Flatten()(t.ones(3)), lambda: nn.Flatten(2, 1)(x), lambda: nn.Flatten(0, 5)(x),
        lambda: nn.Unflatten(1, (3, 4))(x), lambda: nn.Unflatten(1, t.Size([3, -1]))(x), lambda: nn.Unflatten(1, (5, 4))(x), lambda: nn.Unflatten(3, (3, 4))(x),
        lambda: nn.Unflatten(1, 5), lambda: nn.Unflatten(1, (3.0, 4)), lambda: nn.Unflatten("a", (3, 4)), lambda: nn.Unflatten(1, (("b", 3),)),
    ])  # fmt: skip


# ---- attention as a function


@case
def attention_takes_and_refuses(t):
    f, o = t.nn.functional.scaled_dot_product_attention, t.ones
    q, g = o(2, 3, 4, 8), ones(t, 2, 3, 4, 8)
    return each(t, [
        lambda: f(g, q, q), lambda: f(g[0], q[0], q[0]), lambda: f(g[0, 0], q[0, 0], q[0, 0]), lambda: f(g, q, q, dropout_p=0.5), lambda: f(g, q, q, o(4, 4)),
        lambda: f(g, q, q, ones(t, 4, 4)), lambda: f(g, q, q, o(2, 1, 4, 4) > 0), lambda: f(g, q, q, o(1, 4, 4)), lambda: f(g[0], q[0], q[0], o(4)), lambda: f(g, q, o(2, 3, 4, 5)),
        lambda: f(g, q[:1], q[:, :1]), lambda: f(ones(t, 2, 6, 4, 8), q, q, enable_gqa=True), lambda: f(g, o(2, 3, 0, 8), o(2, 3, 0, 8)), lambda: f(o(2, 3, 0, 8), q, q),
        lambda: f(q.half(), q.half(), q.half()), lambda: f(q, q, q, o(4, 4, dtype=t.int64)), lambda: f(q, q, q, o(4, 4).double()), lambda: f(q, q, q, o(4, 5)), lambda: f(q, q, q, o(5, 2, 3, 4, 4)),
        lambda: f(q[0], q[0], q[0], o(4, 4), is_causal=True), lambda: f(q, q, q.double()), lambda: f(q.long(), q.long(), q.long()), lambda: f(o(8), o(8), o(8)), lambda: f(q, o(2, 3, 5, 7), o(2, 3, 5, 8)),
        lambda: f(o(2, 6, 4, 8), q, q), lambda: f(o(2, 6, 4, 8), o(2, 4, 5, 8), o(2, 3, 5, 8), enable_gqa=True), lambda: f(q[0, 0], q[0, 0], q[0, 0], enable_gqa=True), lambda: f(q, q, q, dropout_p=2.0),
        lambda: f(q, q), lambda: f(q, q, 1), lambda: f(q, q, q, 1), lambda: f(q, q, q, None, None), lambda: f(q, q, q, None, 0.0, True, 0.5), lambda: f(q, q, q, foo=1),
    ])  # fmt: skip


@case
def attention_of_queries_that_see_nothing(t):
    """No weights, and no gradient; infinite scores make NaN of what they touch."""
    f, see = t.nn.functional.scaled_dot_product_attention, t.ones(3, 3).tril(-1) > 0
    q = (t.arange(12.0).reshape(1, 1, 3, 4) / 10).requires_grad_()
    y = f(q, q, q, see)
    y.sum().backward()
    hidden = t.zeros(3, 3).masked_fill(~see, -float("inf"))
    infinite = q.detach().clone()
    infinite[0, 0, 0, 0] = float("inf")
    return (
        y,
        q.grad,
        f(q[0], q[0], q[0], hidden),
        f(infinite, infinite, infinite),
        f(q, q, q, see, is_causal=True),
    )


@case
def attention_draws_its_dropout(t):
    f, q = t.nn.functional.scaled_dot_product_attention, t.arange(48.0).reshape(2, 6, 4) / 20
    t.manual_seed(3)
    first = f(q, q, q, dropout_p=0.5)
    return first, f(q, q, q, t.ones(6, 6), dropout_p=1.0), t.rand(1)


@case
def kernels_of_attention(t):
    from_name = __import__(f"{t.__name__}.nn.attention", fromlist=["x"])
    kernel, kinds = from_name.sdpa_kernel, from_name.SDPBackend
    f, q = t.nn.functional.scaled_dot_product_attention, ones(t, 2, 3, 4, 8)

    def within(chosen, x):
        with kernel(chosen):
            return f(x, x, x)

    return [repr(k) for k in kinds.__members__.values()], str(kinds.MATH), int(kinds.MATH), *each(t, [
        lambda: within(kinds.MATH, q), lambda: within(kinds.FLASH_ATTENTION, q), lambda: within([kinds.EFFICIENT_ATTENTION, kinds.MATH], q[0]),
        lambda: within(kinds.EFFICIENT_ATTENTION, q), lambda: within([], q), lambda: within(1, q), lambda: within((kinds.MATH,), q), lambda: f(q, q, q),
    ])  # fmt: skip


@case
def causal_biases(t):
    m = __import__(f"{t.__name__}.nn.attention.bias", fromlist=["x"])
    f = t.nn.functional.scaled_dot_product_attention
    q, k = t.arange(12.0).reshape(1, 1, 3, 4) / 10, t.arange(20.0).reshape(1, 1, 5, 4) / 10
    upper, lower = m.causal_upper_left(3, 5), m.causal_lower_right(3, 5)
    return repr(upper), repr(lower), f(q, k, k, upper), f(q, k, k, lower), *each(t, [
        lambda: f(q, k, k, lower, is_causal=True), lambda: m.causal_upper_left(3), lambda: m.causal_lower_right(3, 4, 5), lambda: m.CausalBias(1, 2, 3),
        lambda: repr(m.causal_lower_right(4, 3)),
    ])  # fmt: skip


# ---- attention with several heads


@case
def heads_take_and_refuse(t):
    m, o = t.nn.MultiheadAttention, t.ones
    a = m(4, 2)
    q, k = ones(t, 3, 2, 4), o(5, 2, 4)
    causal = {"is_causal": True, "need_weights": False}
    return each(t, [
        lambda: a(q, k, k), lambda: a(q, k, k, need_weights=False), lambda: a(q, k, k, average_attn_weights=False), lambda: a(q[:, 0], k[:, 0], k[:, 0]),
        lambda: a(q[:, :0], k[:, :0], k[:, :0]), lambda: a(q[:0], k, k), lambda: a(q, k[:0], k[:0]), lambda: a(q, k, k, attn_mask=o(3, 5), **causal),
        lambda: m(0, 1), lambda: m(4, 0), lambda: m(4, 3), lambda: a(q[:, 0], k, k), lambda: a(q, k[:, 0], k), lambda: a(q[None], k, k), lambda: a(q, k, k[:4]),
        lambda: a(q, k[:, :1], k[:, :1]), lambda: a(q[..., :3], k, k), lambda: a(q.double(), k.double(), k.double()), lambda: a(q, k), lambda: a(q, k, k, foo=1),
        lambda: a(q, k, k, key_padding_mask=o(5)), lambda: a(q, k, k, key_padding_mask=o(3, 5)), lambda: a(q, k, k, key_padding_mask=o(2, 4)), lambda: a(q, k, k, key_padding_mask=o(2, 5).long()),
        lambda: a(q[:, 0], k[:, 0], k[:, 0], key_padding_mask=o(2, 5)), lambda: a(q, k, k, attn_mask=o(3, 4)), lambda: a(q, k, k, attn_mask=o(2, 3, 5)), lambda: a(q, k, k, attn_mask=o(5)),
        lambda: a(q[:, 0], k[:, 0], k[:, 0], attn_mask=o(4, 3, 5)), lambda: a(q[:, 0], k[:, 0], k[:, 0], attn_mask=o(5)), lambda: a(q, k, k, attn_mask=o(3, 5).double()), lambda: a(q, k, k, is_causal=True),
        lambda: a(q, k, k, attn_mask=o(3, 5).bool(), key_padding_mask=o(2, 5)), lambda: m(4, 2, kdim=3)(q, k, k), lambda: m(4, 2, kdim=3)(q, k[..., :3], k[:4]),
    ])  # fmt: skip


@case
def heads_of_their_own_making(t):
    f, o = t.nn.functional.multi_head_attention_forward, t.ones
    q, k = o(3, 2, 4), o(5, 2, 4)

    def call(size=4, heads=2, w=None, b=None, b_k=None, b_v=None, **named):
        w = o(12, 4) if w is None else w or None
        return f(q, k, k, size, heads, w, b, b_k, b_v, False, 0.0, o(4, 4), None, **named)

    static, one = o(4, 7, 2), o(1, 1, 4)
    separate = {"use_separate_proj_weight": True, "q_proj_weight": o(4, 4)}
    return each(t, [
        call, lambda: call(static_k=static, static_v=static), lambda: call(5), lambda: call(4, 3), lambda: call(w=()), lambda: call(b_k=one), lambda: call(b_v=one), lambda: call(b_k=one, b_v=one, static_k=static),
        lambda: call(b_k=one, b_v=one, static_v=static), lambda: call(static_k=o(3, 7, 2)), lambda: call(static_v=o(4, 7, 3)), lambda: call(use_separate_proj_weight=True), lambda: call(**separate),
        lambda: call(**separate, k_proj_weight=o(4, 3), v_proj_weight=o(4, 4)), lambda: call(**separate, k_proj_weight=o(4, 4), v_proj_weight=o(4, 4)),
    ])  # fmt: skip


@case
def heads_where_nothing_learns(t):
    """PyTorch goes another way then, on which a query that sees nothing gets NaN, and a causal hint says nothing."""
    t.manual_seed(0)
    a = t.nn.MultiheadAttention(4, 2, batch_first=True).eval()
    x = t.arange(24.0).reshape(2, 3, 4) / 10
    pad, tri = t.tensor([[False, True, True], [True, True, True]]), t.ones(3, 3).bool().tril()
    learning = [a(x, x, x, key_padding_mask=pad, need_weights=False)[0].detach()]
    with t.no_grad():
        found = [
            a(x, x, x, key_padding_mask=pad, need_weights=False)[0],
            a(x, x, x, attn_mask=tri)[1],
            a(x, x, x, is_causal=True)[0],
        ]
        found += [
            a(x, x, x, attn_mask=tri, key_padding_mask=pad, average_attn_weights=False)[1],
            a(x, x, x, attn_mask=tri.expand(4, 3, 3))[0],
        ]
        masks = [tri[:2], tri.expand(2, 3, 3), tri.expand(3, 3, 3)]
        texts = [told(lambda m=m: a(x, x, x, attn_mask=m)) for m in masks]
        texts += [told(lambda m=m: a(x, x, x, key_padding_mask=m)) for m in (pad[:1], pad[0])]
        t.backends.mha.set_fastpath_enabled(False)
        found.append(a(x, x, x, key_padding_mask=pad, need_weights=False)[0])
        t.backends.mha.set_fastpath_enabled(True)
    return learning, found, texts  # fmt: skip


@case
def old_states(t):
    """What a pickle of long ago lacks is filled in."""
    nn, found = t.nn, []
    for kind, lost in (
        (nn.MultiheadAttention, "_qkv_same_embed_dim"),
        (nn.TransformerEncoderLayer, "activation"),
        (nn.TransformerDecoderLayer, "activation"),
    ):
        state = dict(kind(4, 2).__getstate__())
        del state[lost]
        module = kind.__new__(kind)
        module.__setstate__(state)
        value = getattr(module, lost)
        found.append(getattr(value, "__name__", value))
    return found  # fmt: skip


# ---- Transformers


def stack(t, norm=None, **options):
    t.manual_seed(0)
    layer = t.nn.TransformerEncoderLayer(4, 2, 6, 0.0, **options)
    return layer, t.nn.TransformerEncoder(layer, 2, norm)


@case
def encoders_say_why_they_are_slow(t):
    nn = t.nn
    options = [
        {}, {"batch_first": True}, {"batch_first": True, "norm_first": True}, {"batch_first": True, "bias": False},
        {"batch_first": True, "activation": t.tanh}, {"batch_first": True, "activation": nn.GELU()},
    ]  # fmt: skip
    return each(t, [
        *(lambda o=o: nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 6, **o), 1).use_nested_tensor for o in options),
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(3, 1, 6, batch_first=True), 1).use_nested_tensor,
        lambda: nn.TransformerEncoder(nn.Linear(2, 3), 1).use_nested_tensor, lambda: nn.TransformerEncoderLayer(4, 2, activation="foo"), lambda: nn.TransformerDecoderLayer(4, 3),
    ])  # fmt: skip


@case
def padded_places_come_out_as_zeros(t):
    """Where nothing learns and the padding comes last."""
    layer, encoder = stack(t, t.nn.LayerNorm(4), batch_first=True)
    layer.eval(), encoder.eval()
    x = t.arange(24.0).reshape(2, 3, 4).cos()
    last, first = (
        t.tensor([[False, False, True], [False, True, True]]),
        t.tensor([[True, False, False], [False] * 3]),
    )
    found = [encoder(x, src_key_padding_mask=last).detach()]
    with t.no_grad():
        found += [m(x, src_key_padding_mask=p) for m in (layer, encoder) for p in (last, first)]
        found += [
            encoder(x, last[0].expand(3, 3), last),
            encoder(x, is_causal=True),
            encoder(x, t.ones(3, 3).triu(1) > 0),
        ]
        unchecked = t.nn.TransformerEncoder(layer, 1, mask_check=False).eval()
        found += [unchecked(x, src_key_padding_mask=first)]
        texts = each(t, [
            lambda: encoder(x, src_key_padding_mask=last[:1]), lambda: encoder(x, src_key_padding_mask=last[0]), lambda: encoder(x[..., :3]), lambda: encoder(x.double()), lambda: encoder(x[None]),
            lambda: encoder(x, src_key_padding_mask=last.long()), lambda: encoder(x, t.zeros(3, 3), last), lambda: encoder(x[0]), lambda: encoder(x, t.ones(3, 4)), lambda: encoder(x, src_key_padding_mask=last | True),
        ])  # fmt: skip
    return found, texts  # fmt: skip


@case
def hooks_in_an_encoder_are_called(t):
    layer, _ = stack(t, batch_first=True)
    calls = []
    for name, module in layer.eval().named_modules():
        module.register_forward_hook(lambda m, i, o, name=name: calls.append(name))
    with t.no_grad():
        layer(t.ones(2, 3, 4))
    return calls


@case
def transformers_take_and_refuse(t):
    t.manual_seed(0)
    model = t.nn.Transformer(4, 2, 1, 1, 6, 0.0)
    src, tgt = t.ones(3, 2, 4), t.ones(5, 2, 4)
    mask = model.generate_square_subsequent_mask(5)
    return mask, t.nn.Transformer.generate_square_subsequent_mask(2, dtype=t.float64), *each(t, [
        lambda: model(src, tgt), lambda: model(src, tgt, tgt_mask=mask), lambda: model(src, tgt, tgt_mask=mask, tgt_is_causal=True), lambda: model(src[:, 0], tgt[:, 0]), lambda: model(src, tgt, src_is_causal=True),
        lambda: model(src[:, :1], tgt), lambda: model(src[..., :2], tgt), lambda: model(src, tgt[..., :2]), lambda: model(src, tgt[0]), lambda: model(src, tgt, mask), lambda: model(src, tgt, memory_mask=t.ones(5, 3)),
        lambda: t.nn.Transformer(4, 2, 0, 0)(src, tgt),
    ])  # fmt: skip


@case
def causal_masks_are_recognised(t):
    m = __import__(f"{t.__name__}.nn.modules.transformer", fromlist=["x"])
    mask, detect = m._generate_square_subsequent_mask(3), m._detect_is_causal_mask
    return [detect(None), detect(mask), detect(t.ones(3, 3)), detect(t.ones(3, 3), True), detect(mask, None, 2), detect(mask, False), len(m._get_clones(t.nn.Linear(2, 2), 3))]  # fmt: skip


# ---- lazy modules


@case
def what_has_no_shape_can_do_little(t):
    found = []
    for kind in (t.nn.UninitializedParameter, t.nn.UninitializedBuffer):
        p = kind()
        found += each(t, [
            lambda p=p: p.shape, lambda p=p: p.sum(), lambda p=p: p.numel(), lambda p=p: p.dim(), lambda p=p: p.detach(), lambda p=p: p.add_(1), lambda p=p: p.share_memory_(), lambda p=p: str(p.size()),
            lambda p=p: str(p.dtype), lambda p=p: str(p.device), lambda p=p: str(p.requires_grad), lambda p=p: str(p.double().dtype), lambda p=p: str(p), lambda p=p: str(pickle.loads(pickle.dumps(p))),
            lambda p=p: p.materialize((2, 3)), lambda p=p: f"{p.shape} {type(p).__name__}", lambda p=p: p.materialize(2),
        ])  # fmt: skip
    copied = copy.deepcopy(t.nn.UninitializedParameter(dtype=t.float64))
    return found, str(copied.dtype), told(lambda: t.nn.UninitializedParameter(dtype=t.int64))


@case
def lazy_modules_settle(t):
    nn, found = t.nn, []
    t.manual_seed(0)
    lazy = nn.LazyLinear(3)
    found += [
        repr(lazy),
        str(dict(lazy.state_dict())),
        str(lazy.has_uninitialized_params()),
        str(lazy.double().weight.dtype),
    ]
    found += [
        told(lambda: lazy(t.ones(2, 4, dtype=t.float64))),
        repr(lazy),
        lazy.weight,
        sorted(vars(lazy)) == sorted(vars(nn.Linear(4, 3))),
    ]
    loaded = nn.LazyLinear(3)
    loaded.load_state_dict(nn.Linear(2, 3).state_dict())
    found += [
        repr(loaded),
        list(loaded.weight.shape),
        told(lambda: loaded(t.ones(1, 5))),
        told(lambda: loaded(t.ones(1, 2))),
        repr(loaded),
    ]
    found.append(told(lambda: nn.Linear(2, 3).load_state_dict(nn.LazyLinear(3).state_dict())))
    found.append(told(lambda: nn.LazyLinear(3).load_state_dict(nn.LazyLinear(3).state_dict())))
    found.append(told(lambda: nn.LazyLinear(3)(t.tensor(1.0))))
    return found  # fmt: skip


@case
def a_lazy_class_of_ones_own(t):
    mixin = t.nn.modules.lazy.LazyModuleMixin

    class Lazy(mixin, t.nn.Module):
        def forward(self, x):
            return x * self.scale

    first = Lazy()
    first.register_parameter("scale", t.nn.UninitializedParameter())
    texts = [told(lambda: first(t.ones(2)))]
    Lazy.initialize_parameters = lambda self, x: None
    texts += [told(lambda: first(t.ones(2))), told(first._replicate_for_data_parallel)]
    Lazy.initialize_parameters = lambda self, x: self.scale.materialize(x.shape)
    with t.no_grad():
        return [
            *texts,
            list(first(t.ones(2)).shape),
            type(first.scale).__name__,
            len(first._forward_pre_hooks),
        ]


@case
def switches(t):
    """The switches of kernels can be asked for and set, for good and for a block."""
    cuda, found = t.backends.cuda, []
    names = ("flash_sdp", "math_sdp", "mem_efficient_sdp", "cudnn_sdp")
    for name in names:
        before = getattr(cuda, f"{name}_enabled")()
        getattr(cuda, f"enable_{name}")(False)
        found += [before, getattr(cuda, f"{name}_enabled")()]
        getattr(cuda, f"enable_{name}")(True)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with cuda.sdp_kernel(enable_flash=False):
            found += [getattr(cuda, f"{name}_enabled")() for name in names]
        found += [getattr(cuda, f"{name}_enabled")() for name in names]
    found += [[w.category.__name__, str(w.message)] for w in told]
    x = t.ones(1, 1, 4, 4)
    with t.backends.mkldnn.flags(enabled=False), t.backends.cudnn.flags(enabled=False):
        found += [t.backends.mkldnn.enabled, t.backends.cudnn.enabled]
        found.append(t.nn.functional.conv2d(x, x[:, :, :2, :2]))
    product = cuda.matmul
    product.allow_tf32 = True
    found += [t.get_float32_matmul_precision(), product.allow_fp16_reduced_precision_reduction]
    product.allow_tf32 = False
    for name, value in (("allow_tf32", 1), ("allow_fp32", True), (names[0], None)):
        found.append(error(lambda name=name, value=value: setattr(product, name, value)))
    found += [product.allow_tf32, t.get_float32_matmul_precision()]
    return [*found, t.backends.mkldnn.enabled, t.backends.cudnn.enabled]
