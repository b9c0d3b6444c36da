"""What weight normalisation is made of."""

from sample_row import Sample


def normalised(dim):
    return lambda t, v, g: t._weight_norm(v, g, dim)


ROWS = [
    Sample("weight_norm_first", normalised(0), ((3, 2, 4), (3, 1, 1))),
    Sample("weight_norm_middle", normalised(1), ((3, 2, 4), (1, 2, 1))),
    Sample("weight_norm_last", normalised(2), ((3, 2, 4), (1, 1, 4))),
    Sample("weight_norm_whole", normalised(-1), ((3, 2), ())),
    Sample("norm_except_dim", lambda t, v: t.norm_except_dim(v, 2, 1), ((3, 2, 4),)),
    Sample("norm_except_dim_cubes", lambda t, v: t.norm_except_dim(v, 3, 0), ((3, 2, 4),)),
    Sample(
        "clip_grad_norm_of_a_graph",
        lambda t, x: x * t.nn.utils.get_total_norm([x.detach(), 2 * x.detach()]),
        ((2, 3),),
        differentiable=False,
    ),
]
