"""Linear layers and attention."""

from sample_row import B, F, Sample

# three queries and four keys of two heads
Q, K = (2, 2, 3, 4), (2, 2, 4, 4)


def attend(*options, **named):
    def call(t, q, k, v, *mask):
        return F(t).scaled_dot_product_attention(q, k, v, *mask, *options, **named)

    return call


def masked(t, q, k, v):
    """Attention where the first query may look at nothing."""
    mask = t.tensor([[False] * 4, [True, False, True, True], [True] * 4])
    return F(t).scaled_dot_product_attention(q, k, v, mask)


def heads(**named):
    """Multi-head attention of three places to four, by the library's own function."""

    def call(t, q, k, w, b, out):
        b_k, b_v = (b[None, None, :4], b[None, None, 4:8]) if named.get("add") else (None, None)
        zero, options = bool(named.get("add")), {n: v for n, v in named.items() if n != "add"}
        y, weights = F(t).multi_head_attention_forward(
            q, k, k, 4, 2, w, b, b_k, b_v, zero, 0.0, out, None, **options
        )
        return y if weights is None else y.sum() + (weights * weights).sum()

    return call


HEADS = ((3, 2, 4), (4, 2, 4), (12, 4), (12,), (4, 4))

ROWS = [
    Sample("linear_in_3d", lambda t, x, w, b: F(t).linear(x, w, b), (B, (5, 4), (5,))),
    Sample("linear_in_3d_no_bias", lambda t, x, w: F(t).linear(x, w), (B, (5, 4))),
    Sample("linear_one_vector", lambda t, x, w, b: F(t).linear(x, w, b), ((4,), (5, 4), (5,))),
    Sample("linear_one_output", lambda t, x, w: F(t).linear(x, w), (B, (4,))),
    Sample("linear_transposed", lambda t, x, w, b: F(t).linear(x.transpose(0, 1), w, b), (B, (5, 4), (5,))),
    Sample("linear_bias_of_one", lambda t, x, w, b: F(t).linear(x, w, b), (B, (5, 4), ())),
    Sample("bilinear", lambda t, *a: F(t).bilinear(*a), ((3, 4), (3, 2), (5, 4, 2), (5,))),
    Sample("bilinear_in_3d", lambda t, *a: F(t).bilinear(*a), (B, B, (2, 4, 4))),
    Sample("bilinear_one_vector", lambda t, *a: t.bilinear(*a), ((4,), (2,), (3, 4, 2))),
    Sample("attention", attend(), (Q, K, K)),
    Sample("attention_one_head", attend(), ((3, 4), (5, 4), (5, 2))),
    Sample("attention_scale", attend(scale=-2.0), (Q, K, K)),
    Sample("attention_causal", attend(is_causal=True), (Q, K, K)),
    Sample("attention_bias", attend(), (Q, K, K, (2, 1, 3, 4))),
    Sample("attention_bias_of_keys", attend(), (Q[1:], K[1:], K[1:], (4,))),
    Sample("attention_masked", masked, (Q, K, K)),
    Sample("attention_broadcast", attend(), (Q, (2, 1, 4, 4), (1, 2, 4, 3))),
    Sample("attention_grouped", attend(enable_gqa=True), ((2, 4, 3, 2), (2, 2, 4, 2), (2, 1, 4, 2))),
    Sample("multi_head_attention", heads(), HEADS),
    Sample("multi_head_attention_no_weights", heads(need_weights=False), HEADS),
    Sample("multi_head_attention_all_weights", heads(average_attn_weights=False), HEADS),
    Sample("multi_head_attention_more_keys", heads(add=True), HEADS),
]  # fmt: skip
