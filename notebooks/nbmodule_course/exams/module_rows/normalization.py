"""Normalisation, and distances."""

from ..module_row import Row


def _norm(name, make, *shape, **more):
    """A row for a layer that keeps the shape of its input."""
    return Row(name, make, (shape,), **more)


def _lazy(kind, *shape):
    """A row for a lazy layer that has seen its first input."""

    def make(t):
        layer = getattr(t.nn, kind)()
        layer(t.ones(*shape))
        layer.reset_running_stats()
        return layer

    return Row(kind, make, (shape,))


ROWS = [
    _norm("BatchNorm1d", lambda t: t.nn.BatchNorm1d(3), 5, 3),
    _norm("BatchNorm1d_long", lambda t: t.nn.BatchNorm1d(3, eps=0.1, momentum=0.5), 2, 3, 4),
    _norm("BatchNorm1d_wide", lambda t: t.nn.BatchNorm1d(2), 4, 2, 18),
    _norm("BatchNorm1d_cumulative", lambda t: t.nn.BatchNorm1d(3, momentum=None), 5, 3),
    _norm("BatchNorm1d_not_affine", lambda t: t.nn.BatchNorm1d(3, affine=False), 5, 3),
    _norm("BatchNorm1d_no_bias", lambda t: t.nn.BatchNorm1d(3, bias=False), 5, 3),
    _norm("BatchNorm1d_untracked", lambda t: t.nn.BatchNorm1d(3, track_running_stats=False), 5, 3),
    _norm("BatchNorm2d", lambda t: t.nn.BatchNorm2d(3), 2, 3, 4, 5),
    _norm("BatchNorm2d_one_sample", lambda t: t.nn.BatchNorm2d(3), 1, 3, 4, 5),
    _norm("BatchNorm3d", lambda t: t.nn.BatchNorm3d(2), 2, 2, 2, 3, 2),
    _norm("SyncBatchNorm", lambda t: t.nn.SyncBatchNorm(3), 4, 3, 2),
    _lazy("LazyBatchNorm1d", 4, 3),
    _lazy("LazyBatchNorm2d", 2, 3, 2, 2),
    _lazy("LazyBatchNorm3d", 2, 3, 2, 2, 1),
    _norm("InstanceNorm1d", lambda t: t.nn.InstanceNorm1d(3), 2, 3, 4),
    _norm("InstanceNorm1d_unbatched", lambda t: t.nn.InstanceNorm1d(3, affine=True), 3, 4),
    _norm("InstanceNorm1d_tracked", lambda t: t.nn.InstanceNorm1d(3, affine=True, track_running_stats=True), 2, 3, 4),
    _norm("InstanceNorm2d", lambda t: t.nn.InstanceNorm2d(3, affine=True, bias=False), 2, 3, 4, 5),
    _norm("InstanceNorm3d", lambda t: t.nn.InstanceNorm3d(2, eps=0.1), 2, 2, 2, 3, 2),
    _lazy("LazyInstanceNorm1d", 2, 3, 4),
    _lazy("LazyInstanceNorm2d", 2, 3, 2, 2),
    _lazy("LazyInstanceNorm3d", 2, 3, 2, 2, 2),
    _norm("LayerNorm", lambda t: t.nn.LayerNorm(4), 2, 3, 4),
    _norm("LayerNorm_two", lambda t: t.nn.LayerNorm([3, 4], eps=0.1, bias=False), 2, 3, 4),
    _norm("LayerNorm_not_affine", lambda t: t.nn.LayerNorm((4,), elementwise_affine=False), 3, 4),
    _norm("GroupNorm", lambda t: t.nn.GroupNorm(2, 4), 2, 4, 3),
    _norm("GroupNorm_planes", lambda t: t.nn.GroupNorm(2, 4, eps=0.1, bias=False), 2, 4, 4, 5),
    _norm("GroupNorm_one_group", lambda t: t.nn.GroupNorm(1, 4, affine=False), 3, 4),
    _norm("RMSNorm", lambda t: t.nn.RMSNorm(4), 2, 3, 4),
    _norm("RMSNorm_two", lambda t: t.nn.RMSNorm([3, 4], eps=0.1), 2, 3, 4),
    _norm("RMSNorm_not_affine", lambda t: t.nn.RMSNorm(4, elementwise_affine=False), 3, 4),
    _norm("LocalResponseNorm", lambda t: t.nn.LocalResponseNorm(3, alpha=1.0), 2, 5, 4),
    _norm("LocalResponseNorm_images", lambda t: t.nn.LocalResponseNorm(2, alpha=1.0, beta=0.5, k=2.0), 2, 5, 2, 3, half=False),
    _norm("LocalResponseNorm_volumes", lambda t: t.nn.LocalResponseNorm(4), 1, 3, 2, 2, 2, half=False),
    Row(
        "CrossMapLRN2d", lambda t: t.nn.CrossMapLRN2d(3, alpha=1.0), ((2, 5, 2, 3),),
        skip={"finite differences": "PyTorch's own derivative is not that of what it computes"},
    ),
    Row("CosineSimilarity", lambda t: t.nn.CosineSimilarity(), ((3, 4), (3, 4))),
    Row("CosineSimilarity_dim", lambda t: t.nn.CosineSimilarity(dim=0, eps=0.1), ((3, 4), (3, 1))),
    Row("PairwiseDistance", lambda t: t.nn.PairwiseDistance(), ((3, 4), (3, 4))),
    Row("PairwiseDistance_3", lambda t: t.nn.PairwiseDistance(p=3, keepdim=True), ((3, 4), (4,))),
    Row("PairwiseDistance_1", lambda t: t.nn.PairwiseDistance(p=1.0, eps=0.1), ((4,), (4,))),
]  # fmt: skip
