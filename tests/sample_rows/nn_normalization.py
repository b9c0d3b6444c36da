"""Normalisation, and distances."""

from sample_row import A, F, Sample

X, P, W = (2, 4, 3), (5, 4, 18), (4,)


def given(t, x, mean, spread):
    """Running statistics of 4 channels, in the dtype of `x`."""
    return t.tensor([mean, 0.0, 1.0, 0.5]).to(x.dtype), t.tensor([spread, 1.0, 0.5, 2.0]).to(
        x.dtype
    )


def batch(t, x, *beside, **options):
    return F(t).batch_norm(x, None, None, *beside, training=True, **options)


ROWS = [
    Sample("layer_norm", lambda t, x: F(t).layer_norm(x, (3,)), (X,)),
    Sample("layer_norm_affine", lambda t, x, w, b: F(t).layer_norm(x, (4, 3), w, b, 0.1), (X, (4, 3), (4, 3))),
    Sample("layer_norm_weight", lambda t, x, w: F(t).layer_norm(x, (3,), w), (X, (3,))),
    Sample("layer_norm_bias", lambda t, x, b: F(t).layer_norm(x, (3,), None, b), (X, (3,))),
    Sample("layer_norm_large_mean", lambda t, x: F(t).layer_norm(x + 100, (3,)), (X,)),
    Sample("rms_norm", lambda t, x: F(t).rms_norm(x, (3,)), (X,)),
    Sample("rms_norm_weight", lambda t, x, w: F(t).rms_norm(x, (4, 3), w, 0.1), (X, (4, 3))),
    Sample("batch_norm", lambda t, x: batch(t, x), (X,)),
    Sample("batch_norm_affine", lambda t, x, w, b: batch(t, x, w, b, eps=0.1), (X, W, W)),
    Sample("batch_norm_vectors", lambda t, x, w, b: batch(t, x, w, b), ((6, 4), W, W)),
    Sample("batch_norm_planes", lambda t, x, w, b: batch(t, x, w, b), (P, W, W)),
    Sample("batch_norm_few_planes", lambda t, x, w: batch(t, x, w), ((2, 4, 18), W)),
    Sample("batch_norm_large_mean", lambda t, x, w: batch(t, x + 100, w), (P, W)),
    Sample("batch_norm_eval", lambda t, x, w, b: F(t).batch_norm(x, *given(t, x, 0.3, 2.0), w, b), (X, W, W)),
    Sample("batch_norm_eval_planes", lambda t, x: F(t).batch_norm(x, *given(t, x, 0.3, 2.0)), (P,)),
    Sample("instance_norm", lambda t, x, w, b: F(t).instance_norm(x, weight=w, bias=b), (X, W, W)),
    Sample("instance_norm_planes", lambda t, x: F(t).instance_norm(x, eps=0.1), (P,)),
    Sample("group_norm", lambda t, x, w, b: F(t).group_norm(x, 2, w, b), (X, W, W)),
    Sample("group_norm_vectors", lambda t, x, w: F(t).group_norm(x, 2, w), ((3, 4), W)),
    Sample("group_norm_planes", lambda t, x, w, b: F(t).group_norm(x, 2, w, b, 0.1), ((2, 4, 17), W, W)),
    Sample("local_response_norm", lambda t, x: F(t).local_response_norm(x, 3, 1.0), (X,)),
    Sample("normalize", lambda t, x: F(t).normalize(x), (A,)),
    Sample("normalize_1", lambda t, x: F(t).normalize(x, p=1.0, dim=0), (A,)),
    Sample("cosine_similarity", lambda t, a, b: F(t).cosine_similarity(a, b), (A, A)),
    Sample("cosine_similarity_row", lambda t, a, b: F(t).cosine_similarity(a, b, -1, 0.1), (X, (3,))),
    Sample("pairwise_distance", lambda t, a, b: F(t).pairwise_distance(a, b), (A, A)),
    Sample("pairwise_distance_3", lambda t, a, b: F(t).pairwise_distance(a, b, 3.0, 0.1, True), (A, (4,))),
    Sample("pairwise_distance_1", lambda t, a, b: F(t).pairwise_distance(a, b, 1.0), (A, A)),
]  # fmt: skip
