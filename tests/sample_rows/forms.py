"""Other ways to call what is in the table already."""

from sample_row import A, B, Sample

ROWS = [
    # other forms
    Sample("maximum_three_ways", lambda t, a: t.maximum(a, t.minimum(a * 2, a)), (A,)),
    Sample("clamp_between_tensors", lambda t, a, b: a.clamp(b, b + 1), (A, (4,))),
    Sample(
        "norm_zero_infinity", lambda t, a: a.norm(float("inf"), 1) + a.norm(float("-inf"), 1), (A,)
    ),
    Sample("norm_two_dim", lambda t, a: a.norm(2, (0, 2), keepdim=True), (B,)),
    Sample("std_dim", lambda t, a: a.std((0, 2), keepdim=True), (B,)),
    Sample("index_number_and_array", lambda t, a: a[0, :, [1, 2]], (B,)),
    Sample("split_uneven", lambda t, a: t.cat(t.split(a, [1, 3], 1)[::-1], 1), (A,)),
    Sample("mv", lambda t, a, b: t.mv(a, b), (A, (4,))),
    Sample("bmm", lambda t, a, b: t.bmm(a, b), (B, (2, 4, 2))),
    Sample("div_down", lambda t, a: a.div(0.3, rounding_mode="floor") + a, (A,)),
    Sample("div_towards_zero", lambda t, a: a.div(0.3, rounding_mode="trunc") + a, (A,)),
    Sample("round_decimals", lambda t, a: a.round(decimals=1) + a, (A,)),
    Sample("logsumexp_dims", lambda t, a: a.logsumexp((0, 1)), (A,)),
    Sample(
        "in_place_unary", lambda t, a: (a * 1).sin_().square_().log1p_().reciprocal_(), (A,), True
    ),
]
