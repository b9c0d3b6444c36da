"""Several operations."""

from sample_row import A, Sample


def _written(a, b):
    out = a * 1
    out[1] = b * 2
    out[:, 0] = 0
    return out


ROWS = [
    # graphs
    Sample("diamond", lambda t, a: (a * 2) * (a * 3) + a, (A,)),
    Sample("in_place_chain", lambda t, a: (a * 1).mul_(a).add_(2).exp_(), (A,)),
    Sample("in_place_write", lambda t, a, b: _written(a, b), (A, (4,))),
    Sample("cast_and_back", lambda t, a: (a.double() * 2).to(a.dtype), (A,)),
]
