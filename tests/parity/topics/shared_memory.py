"""Which results share memory with their argument: operations that have nothing to do, on sizes of 1, 3 and none."""

import warnings

from casebook import case

SHAPES = (), (1,), (3,), (1, 1), (1, 3), (3, 1), (1, 1, 1), (2, 1, 3), (1, 1, 1, 1), (1, 0)

ALONG = "sum mean prod amax amin max min median nanmedian mode sort cumsum cumprod cummax cummin logcumsumexp logsumexp softmax log_softmax std flip roll unsqueeze squeeze nansum diff argsort norm"  # fmt: skip

PLAIN = "abs clone conj conj_physical contiguous cos cpu detach double fliplr flipud float flatten floor mT nan_to_num neg positive ravel real relu resolve_conj resolve_neg round sgn square squeeze sum t tril triu trunc unbind view_as"  # fmt: skip

CALLS = {
    **{name: lambda t, a, name=name: along(t, a, name) for name in ALONG.split()},
    **{f"{name}()": lambda t, a, name=name: plain_method(t, a, name) for name in PLAIN.split()},
    "keepdim": lambda t, a: a.sum(0, keepdim=True),
    "max keepdim": lambda t, a: a.max(0, keepdim=True),
    "a[:]": lambda t, a: a[:],
    "a[...]": lambda t, a: a[...],
    "a[[0]]": lambda t, a: a[[0]],
    "a[mask]": lambda t, a: a[a == a],
    "a[True]": lambda t, a: a[True],
    "a**1": lambda t, a: a**1,
    "a + 0": lambda t, a: a + 0,
    "as_strided": lambda t, a: a.as_strided(a.shape, a.stride()),
    "as_tensor": lambda t, a: t.as_tensor(a),
    "atleast_2d": lambda t, a: t.atleast_2d(a),
    "broadcast_tensors": lambda t, a: t.broadcast_tensors(a, a),
    "cat": lambda t, a: t.cat([a]),
    "cat with nothing": lambda t, a: t.cat([a, a[:0]]),
    "chain_matmul": lambda t, a: t.chain_matmul(a.reshape(1, -1)),
    "chunk": lambda t, a: a.chunk(1),
    "clamp": lambda t, a: a.clamp(-99, 99),
    "det": lambda t, a: t.linalg.det(a),
    "diagonal": lambda t, a: a.diagonal(),
    "einsum row": lambda t, a: t.einsum("ij->i", a),
    "einsum same": lambda t, a: t.einsum("ij->ij", a),
    "expand": lambda t, a: a.expand(a.shape),
    "gather": lambda t, a: a.gather(0, t.zeros_like(a).long()),
    "hstack": lambda t, a: t.hstack([a]),
    "index_select": lambda t, a: a.index_select(0, t.tensor([0])),
    "masked_fill": lambda t, a: a.masked_fill(a != a, 1.0),
    "matrix_exp": lambda t, a: t.linalg.matrix_exp(a),
    "matrix_power": lambda t, a: t.linalg.matrix_power(a, 1),
    "meshgrid": lambda t, a: t.meshgrid(a, indexing="ij"),
    "movedim": lambda t, a: a.movedim(0, -1),
    "multi_dot": lambda t, a: t.linalg.multi_dot([a, a]),
    "narrow": lambda t, a: a.narrow(0, 0, a.shape[0]),
    "narrow_copy": lambda t, a: a.narrow_copy(0, 0, a.shape[0]),
    "permute": lambda t, a: a.permute(*range(a.dim())),
    "quantile": lambda t, a: a.quantile(0.5, 0),
    "repeat": lambda t, a: a.repeat([1] * a.dim()),
    "repeat_interleave": lambda t, a: a.repeat_interleave(1),
    "reshape": lambda t, a: a.reshape(a.shape),
    "rot90": lambda t, a: a.rot90(4),
    "scatter": lambda t, a: a.scatter(0, t.zeros_like(a).long(), a),
    "select": lambda t, a: a[0],
    "split": lambda t, a: a.split(1),
    "stack": lambda t, a: t.stack([a]),
    "sum_to_size": lambda t, a: a.sum_to_size(a.shape),
    "tile": lambda t, a: a.tile([1] * a.dim()),
    "to": lambda t, a: a.to("cpu", t.float64),
    "to a copy": lambda t, a: a.to(a, copy=True),
    "topk": lambda t, a: a.topk(1, 0),
    "trapezoid": lambda t, a: t.trapezoid(a),
    "unfold": lambda t, a: a.unfold(0, 1, 1),
    "where": lambda t, a: t.where(a == a, a, a),
    "avg_pool2d": lambda t, a: t.nn.functional.avg_pool2d(a, 1),
    "adaptive_avg_pool2d": lambda t, a: t.nn.functional.adaptive_avg_pool2d(a, a.shape[-2:]),
    "channel_shuffle": lambda t, a: t.nn.functional.channel_shuffle(a, 1),
    "dropout": lambda t, a: t.nn.functional.dropout(a, 0.0),
    "dropout off": lambda t, a: t.nn.functional.dropout(a, training=False),
    "Flatten": lambda t, a: t.nn.Flatten()(a),
    "Identity": lambda t, a: t.nn.Identity()(a),
    "interpolate": lambda t, a: t.nn.functional.interpolate(a, scale_factor=1),
    "bicubic": lambda t, a: t.nn.functional.interpolate(a, a.shape[2:], mode="bicubic"),
    "max_pool2d": lambda t, a: t.nn.functional.max_pool2d(a, 1, return_indices=True),
    "normalize": lambda t, a: t.nn.functional.normalize(a),
    "pad": lambda t, a: t.nn.functional.pad(a, (0, 0)),
    "pad around": lambda t, a: t.nn.functional.pad(a, (0, 0), "circular"),
    "pad mirrored": lambda t, a: t.nn.functional.pad(a, (0, 0), "reflect"),
    "pixel_shuffle": lambda t, a: t.nn.functional.pixel_shuffle(a, 1),
}


def along(t, a, name):
    given = {"diff": (0, 0), "norm": (2, 0)}.get(name, (0,))
    return getattr(a, name)(*given)


def plain_method(t, a, name):
    return getattr(a, name)(*([a] if name == "view_as" else []))


@case
def which_results_show_the_argument(t):
    """Of each call a letter for each shape: "s" the tensor itself, "v" other tensors on its memory, "-" none, "x" an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            name: "".join(relation(t, call, t.ones(shape, dtype=t.float64)) for shape in SHAPES)
            for name, call in CALLS.items()
        }


def relation(t, call, a):
    try:
        found = call(t, a)
    except (RuntimeError, IndexError, ValueError, TypeError, AssertionError):
        return "x"
    outs = found if isinstance(found, (tuple, list)) else [found]
    if any(out is a for out in outs):
        return "s"
    written = [out for out in outs if out.dtype == a.dtype and out.numel()]
    before = a.clone()
    with t.no_grad():
        for out in written:
            out[(0,) * out.dim()] = 7
    return "-" if bool((a == before).all()) else "v"
