"""What Tensor and its functions refuse, and what they call their nodes where the call says a little less."""

import warnings

from casebook import case, error


def _name(y):
    return y.grad_fn.name()


@case
def dim_given_as_none(t):
    x = t.ones(2, 3, requires_grad=True)
    return [
        _name(x.sum()), _name(x.sum(None)), _name(x.sum(dim=None)), _name(t.sum(x, axis=None)), _name(x.sum(())),
        _name(x.mean()), _name(x.mean(None)), _name(t.mean(x, axis=None)), x.var(axis=None), x.amax(axis=None), x.argmax(axis=None),
        x.all(axis=None), x.any(axis=None), x.nansum(axis=None), x.count_nonzero(axis=None),
        error(lambda: x.sum(1, axis=0)), error(lambda: x.amax(1, axis=0)), error(lambda: x.argmax((0, 1))), error(lambda: x.select(axis=0)),
    ]  # fmt: skip


@case
def names_of_nodes(t):
    x = t.ones(2, requires_grad=True)
    mask = t.tensor([True, False])
    return [
        _name(x.masked_fill(mask, 2.0)), _name(x.masked_fill(mask, t.tensor(2.0))), _name(x.__rsub__(t.ones(2))), _name(1 - x),
        _name(t.div(x, 2, rounding_mode="floor")), _name(t.div(x, 2, rounding_mode="trunc")), _name(x % 2), _name(x.ravel()),
        error(lambda: (5 % x).sum().backward()), error(lambda: t.remainder(5, x).sum().backward()),
    ]  # fmt: skip


@case
def gradients_at_odd_places(t):
    nan, inf = float("nan"), float("inf")

    def slope(f, *numbers):
        given = [t.tensor(n, requires_grad=True) for n in numbers]
        return [f(*given).sum(), *t.autograd.grad(f(*given).sum(), given)]

    return [
        slope(t.abs, [nan, 0.0, -0.0, inf, -2.0]),
        slope(t.pow, [0.0, 0.0, 0.0, -1.0], [-1.0, 0.0, 2.0, 2.0]),
        slope(lambda b: 0**b, [-1.0, 0.0, 2.0]),
        slope(lambda x: t.clamp(x, t.tensor([1.0, 1.0]), t.tensor([1.0, 0.0])), [1.0, 3.0]),
        slope(t.amin, [nan, 1.0, 1.0]),
        t.tensor([1, -1, 2, 3]) ** t.tensor([-1, -3, -2, 2]),
        2 ** t.tensor([1, -1]),
        error(lambda: t.tensor([2]) ** -1),
    ]


@case
def results_are_no_views(t):
    x, q, v = t.arange(6.0).reshape(2, 3), t.eye(3) * 2 + 1, t.arange(3.0)
    results = [
        *x.max(0), *x.min(1), *x.median(0), *x.kthvalue(1, 0), *x.mode(0), *t.linalg.svd(q), *t.linalg.eigh(q), *t.linalg.qr(q),
        t.linalg.solve(q, v), t.kron(v, v), t.diag(v), t.diag_embed(v), t.roll(x, 1), t.rot90(x), t.quantile(x, 0.5), t.take(x, t.tensor([0])),
        x.ravel(), t.tensor(1.0).softmax(0), x.t().softmax(0), x.t().log_softmax(1), x.t().cumsum(0), x.reshape(1, 2, 3).permute(1, 2, 0).max(0)[0],
    ]  # fmt: skip
    return [(y._is_view(), y.stride(), y.storage_offset()) for y in results]


@case
def shapes_that_do_not_fit(t):
    def write(key, value):
        x = t.arange(6.0).reshape(2, 3)
        x[key] = value(x)

    x, v, mask = t.arange(6.0).reshape(2, 3), t.arange(3.0), t.tensor([True, False])
    return [
        error(lambda: write(0, lambda x: x)), error(lambda: write(0, lambda x: v[:2])), error(lambda: write((0, 0), lambda x: v)), error(lambda: write([0, 0], lambda x: x)),
        error(lambda: x[mask.reshape(1, 2)]), error(lambda: x[:, mask]), error(lambda: write((slice(None), mask), lambda x: 1)),
        error(lambda: t.tensor(2.0).narrow(0, 0, 1)), error(lambda: x.view(1.5)), error(lambda: x.view(None)), error(lambda: v[:2].expand(-1, 3)),
        error(lambda: x.repeat()), error(lambda: x.flip()), error(lambda: x.tile()), error(lambda: x.index_add_(0, t.tensor([0, 1]), v)), error(lambda: x.masked_select(mask)),
        x.norm(p="nuc"), t.norm(x, "nuc", (0, 1)), error(lambda: True // (x > 1)), t.clamp(x, min=0.5, max=t.tensor(2.0)),
    ]  # fmt: skip


@case
def arguments_before_all_else(t):
    w, x = t.ones(2, requires_grad=True), t.arange(6.0).reshape(2, 3)
    return [
        error(lambda: w.exp_(1)), error(lambda: w.mul_("a")), error(lambda: x.cumsum(x)), error(lambda: x.sum(x)), error(lambda: x.permute(x)), error(lambda: t.chunk(x, 2.5)),
        error(lambda: t.reshape(x, 6)), error(lambda: t.flip(x, 0)), error(lambda: t.tile(x, 2)), error(lambda: t.permute(x, 1, 0)), error(lambda: x.matmul(5)), error(lambda: t.matmul(x, 5)),
        error(lambda: x.add(foo=1, other=2)), t.tensor(2.0).nansum(0), t.tensor(2.0).nanmean(), t.tensor(2.0).count_nonzero(),
    ]  # fmt: skip


@case
def reversing_by_the_old_property(t):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [t.arange(24.0).reshape(2, 3, 4).T, t.arange(3.0).T]


@case
def numbers_before_tensors_as_of_old(t):
    x, g = t.ones(2), t.ones(2) * 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [
            x.add(-0.5, g), x.clone().add_(-0.5, g), t.add(x, -0.5, g), x.sub(0.5, g), x.clone().addcmul_(2, g, g), x.addcdiv(2, g, g), x.add(1, 2),
            error(lambda: x.add(g, 2)), error(lambda: x.clone().add_(-1, None)),
        ]  # fmt: skip
