"""Mixed precision: the scale and what moves it, what is refused when, and that casting stays off."""

import pickle
import threading
import warnings

from casebook import case, error, heard, told


def a_step(t, gradient, **options):
    """Return a scaler that has scaled, a parameter with a gradient, and its optimizer."""
    scaler = t.amp.GradScaler("cpu", **options)
    scaler.scale(t.ones(()))
    p = t.nn.Parameter(t.ones(2))
    p.grad = t.tensor(gradient)
    return scaler, p, t.optim.SGD([p], 0.5)


def stages(scaler):
    return [s["stage"].name for s in scaler._per_optimizer_states.values()]


class NoGpu:
    """Within this there is no GPU."""

    def __init__(self, t):
        self.t, self.before = t, t.cuda.is_available

    def __enter__(self):
        self.t.cuda.is_available = lambda: False

    def __exit__(self, *error):
        self.t.cuda.is_available = self.before


@case
def what_a_scale_multiplies(t):
    scaler = t.amp.GradScaler("cpu", 4.0)
    x = t.ones(2, requires_grad=True)
    nest = scaler.scale((t.ones(1), [t.ones(2), (t.ones(()),)]))
    scaler.scale(x.sum()).backward()
    halves = [scaler.scale(v).dtype for v in (x.detach().half(), t.tensor(1), t.ones(1).double())]
    lazy = scaler.scale(v for v in (t.ones(1), t.ones(1)))
    return [nest, x.grad, [str(h) for h in halves], type(lazy).__name__, list(lazy)]


@case
def what_cannot_be_scaled(t):
    scaler = t.amp.GradScaler("cpu")
    return [error(lambda v=v: scaler.scale(v)) for v in (3, None, [t.ones(1), 3], (1.0,))]


@case
def scales_of_thirty_iterations(t):
    scaler = t.amp.GradScaler("cpu", 8.0, growth_factor=3.0, backoff_factor=0.25, growth_interval=3)
    p = t.nn.Parameter(t.ones(2))
    optimizer, seen = t.optim.SGD([p], 0.125, momentum=0.5), []
    for i in range(30):
        optimizer.zero_grad()
        loss = (p * p).sum() * (float("inf") if i % 11 == 5 else 1.0)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        seen.append([scaler.get_scale(), scaler._get_growth_tracker(), p.tolist()])
    return seen


@case
def scales_at_the_ends(t):
    seen = []
    for scale, gradient in (
        (3e38, 1.0),
        (1e-45, float("nan")),
        (0.0, 1.0),
        (3.0, 1e38),
        (1e-10, 3e38),
    ):
        scaler, p, optimizer = a_step(t, [gradient, 1.0], init_scale=scale, growth_interval=1)
        scaler.step(optimizer)
        found = [f.item() for f in scaler._found_inf_per_device(optimizer).values()]
        scaler.update()
        seen.append([scaler.get_scale(), p.grad, p.detach(), found])
    return seen


@case
def gradients_of_other_types(t):
    seen = []
    for dtype in (t.float64, t.float32, t.float16):
        scaler = t.amp.GradScaler("cpu", 3.0)
        scaler.scale(t.ones(()))
        p = t.nn.Parameter(t.ones(2, dtype=dtype))
        p.grad = t.tensor([1.0, 7.0], dtype=dtype)
        optimizer = t.optim.SGD([p], 0.5)
        seen.append([error(lambda: scaler.unscale_(optimizer)), p.grad, stages(scaler)])  # noqa: B023
    return seen


@case
def what_is_refused_when(t):
    scaler = t.amp.GradScaler("cpu")
    p = t.nn.Parameter(t.ones(2))
    optimizer = t.optim.SGD([p], 0.5)
    calls = {
        "unscale_": lambda: scaler.unscale_(optimizer),
        "step": lambda: scaler.step(optimizer),
        "closure": lambda: scaler.step(optimizer, closure=lambda: 1),
        "update": lambda: scaler.update(),
        "pickle": lambda: len(pickle.dumps(scaler)) > 0,
        "scale": lambda: scaler.scale(t.ones(())),
        "gradient": lambda: setattr(p, "grad", t.ones(2)),
        "1": lambda: scaler.update(1),
        "two": lambda: scaler.update(t.ones(2)),
        "graph": lambda: scaler.update(t.ones((), requires_grad=True)),
        "half": lambda: scaler.update(t.tensor(0.5)),
        "2.0": lambda: scaler.update(2.0),
    }
    order = (
        "unscale_ step update closure pickle scale step update gradient pickle unscale_ unscale_ step step "
        "unscale_ 1 two graph update step unscale_ update half pickle 2.0 step update closure"
    )
    return [[n, error(calls[n]), scaler.get_scale(), stages(scaler)] for n in order.split()]


@case
def unscaled_by_hand(t):
    scaler, p, optimizer = a_step(t, [3.0, 4.0], init_scale=0.5)
    scaler.unscale_(optimizer)
    norm = t.nn.utils.clip_grad_norm_([p], 1.0)
    result = scaler.step(optimizer)
    scaler.update()
    return [norm, p.grad, p.detach(), result]


@case
def an_infinity_stops_one_optimizer(t):
    scaler, p, optimizer = a_step(t, [1.0, 2.0], growth_interval=1)
    q = t.nn.Parameter(t.ones(2))
    q.grad = t.tensor([1.0, float("inf")])
    other = t.optim.SGD([q], 0.5)
    scaler.step(optimizer)
    scaler.step(other)
    found = [f.item() for o in (optimizer, other) for f in scaler._found_inf_per_device(o).values()]
    scaler.update()
    return [p.detach(), q.detach(), found, scaler.get_scale(), stages(scaler)]


@case
def optimizers_that_unscale_themselves(t):
    seen = []
    for first in (False, True):
        for gradient in ([8.0, 4.0], [8.0, float("nan")], None):
            scaler, p, _ = a_step(t, [1.0, 1.0], init_scale=4.0)
            p.grad = None if gradient is None else t.tensor(gradient)
            optimizer = t.optim.SGD([p], 0.5, fused=True)
            if first:
                scaler.unscale_(optimizer)
            said = error(lambda: scaler.step(optimizer))  # noqa: B023
            left = [hasattr(optimizer, n) for n in ("grad_scale", "found_inf")]
            seen.append([said, p.detach(), left, stages(scaler), error(scaler.update)])
    return seen


@case
def what_such_an_optimizer_is_given(t):
    class Own(t.optim.SGD):
        _step_supports_amp_scaling = True

        def step(self, closure=None):
            return [self.grad_scale, self.found_inf]

    class Older(Own):
        def step(self, closure=None, grad_scaler=None):
            return [grad_scaler is not None, hasattr(self, "found_inf")]

    def run(kind, first, own_scale):
        scaler, p, _ = a_step(t, [8.0, float("inf")], init_scale=4.0)
        optimizer = kind([p], 0.5)
        if own_scale:
            optimizer.grad_scale = t.tensor(2.0)
        if first:
            scaler.unscale_(optimizer)
        return heard(lambda: scaler.step(optimizer))

    return [run(k, f, s) for k in (Own, Older) for f in (False, True) for s in (False, True)]


@case
def states_and_copies(t):
    scaler, _p, optimizer = a_step(t, [1.0, 2.0], init_scale=32.0, growth_interval=2)
    scaler.step(optimizer)
    scaler.update()
    copy = pickle.loads(pickle.dumps(scaler))
    fresh, late = t.amp.GradScaler("cpu"), t.amp.GradScaler("cpu")
    late.scale(t.ones(()))
    for s in (fresh, late):
        s.load_state_dict(scaler.state_dict() | {"scale": 12.5, "_growth_tracker": 1})
    off = t.amp.GradScaler("cpu", enabled=False)
    return [
        *(s.state_dict() for s in (scaler, copy, fresh, late, off)),
        copy.scale(t.ones(1)),
        fresh.scale(t.ones(1)),
        late._scale,
        error(lambda: fresh.load_state_dict({})),
        error(lambda: fresh.load_state_dict({"scale": 1.0})),
        off.load_state_dict({}),
        [str(s._growth_tracker.dtype) for s in (copy, fresh)],
    ]


@case
def settings(t):
    scaler = t.amp.GradScaler("cpu")
    scaler.set_growth_factor(3.0)
    scaler.set_backoff_factor(0.25)
    scaler.set_growth_interval(5)
    wrong = [{"growth_factor": 1.0}, {"backoff_factor": 1.0}]
    return [
        [scaler.get_growth_factor(), scaler.get_backoff_factor(), scaler.get_growth_interval()],
        [error(lambda w=w: t.amp.GradScaler("cpu", **w)) for w in wrong],
        t.amp.GradScaler("cpu", enabled=False, growth_factor=0.0).is_enabled(),
        t.GradScaler is t.amp.GradScaler and t.autocast is t.amp.autocast,
    ]


@case
def a_scaler_that_is_off(t):
    scaler = t.amp.GradScaler("cpu", enabled=False)
    p = t.nn.Parameter(t.ones(2))
    optimizer = t.optim.SGD([p], 0.5)
    value = scaler.scale("anything")
    p.grad = t.tensor([1.0, float("inf")])
    scaler.unscale_(optimizer)
    result = scaler.step(optimizer, lambda: 7)
    scaler.update()
    return [value, result, p.detach(), scaler.get_scale(), scaler._get_growth_tracker()]


@case
def without_a_gpu(t):
    old = t.cuda.amp
    calls = [
        lambda: t.amp.GradScaler().is_enabled(),
        lambda: t.amp.GradScaler(enabled=False).is_enabled(),
        lambda: t.amp.autocast("cuda")._enabled,
        lambda: t.amp.autocast("cuda", t.float32)._enabled,
        lambda: t.amp.autocast("cuda", enabled=False)._enabled,
        lambda: [old.GradScaler().is_enabled(), old.GradScaler(enabled=False).state_dict()],
        lambda: [old.autocast()._enabled, old.autocast(False).device],
        lambda: sorted(old.custom_fwd().keywords),
        lambda: old.custom_fwd(error).__name__,
        lambda: old.custom_bwd(error).__name__,
    ]
    with NoGpu(t):
        return [told(c) for c in calls]


@case
def the_warnings_point_at_the_caller(t):
    with NoGpu(t), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        t.amp.GradScaler()
        t.amp.autocast("cuda")
        t.amp.autocast("cpu", t.float32)
        t.cuda.amp.custom_bwd(error)
        t.cuda.amp.GradScaler(enabled=False)
        t.cuda.amp.autocast(False)
    return [w.filename == __file__ for w in caught]


@case
def what_autocast_refuses(t):
    autocast = t.amp.autocast
    calls = [
        lambda: autocast(1),
        lambda: autocast(t.device("cpu")),
        lambda: autocast("foo"),
        lambda: autocast("meta"),
        lambda: autocast("meta", t.float16),
        lambda: autocast("cpu", t.float32)._enabled,
        lambda: autocast("cpu", t.float64, enabled=False)._enabled,
        lambda: autocast("cpu", enabled=False)(3),
        lambda: t.amp.custom_fwd(device_type=3),
        lambda: t.amp.custom_bwd(device_type=None),
        lambda: t.amp.is_autocast_available(3),
        lambda: t.amp.is_autocast_available("foo"),
        lambda: [t.amp.is_autocast_available(d) for d in ("cpu", "cuda", "meta", "mps", "cuda:1")],
        lambda: t.get_autocast_dtype("meta"),
        lambda: t.get_autocast_dtype(3),
        lambda: t.is_autocast_enabled("meta"),
        lambda: t.is_autocast_enabled(3),
    ]
    return [told(c) for c in calls]


@case
def autocast_that_is_off(t):
    def here():
        return [str(t.get_autocast_dtype(d)) for d in ("cuda", "mps")] + [
            t.is_autocast_enabled(),
            t.is_autocast_enabled("cpu"),
        ]

    @t.autocast("cuda", t.float64, enabled=False)
    def decorated(x):
        """Say it."""
        return [here(), x]

    seen, other = [here(), decorated(1), decorated.__name__, decorated.__doc__, here()], []
    with t.autocast("cpu", dtype=t.float16, enabled=False) as a:
        with t.amp.autocast("cuda", dtype=t.float32, enabled=False):
            seen.append([here(), str(t.get_autocast_dtype("cpu"))])
            thread = threading.Thread(target=lambda: other.append(here()))
            thread.start()
            thread.join()
        seen.append(
            [a.device, str(a.fast_dtype), a._enabled, str((t.ones(2, 2) @ t.ones(2)).dtype)]
        )
    try:
        with t.autocast("cuda", dtype=t.float32, enabled=False):
            raise KeyError(1)
    except KeyError:
        seen.append(here())
    return [seen, other]


@case
def functions_of_ones_own(t):
    seen = []

    class Cube(t.autograd.Function):
        @staticmethod
        @t.amp.custom_fwd(device_type="cpu", cast_inputs=t.float16)
        def forward(ctx, x):
            seen.append([str(x.dtype), ctx._fwd_used_autocast])
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        @t.amp.custom_bwd(device_type="cpu")
        def backward(ctx, grad):
            seen.append([str(grad.dtype), t.is_autocast_enabled("cpu")])
            return 3 * ctx.saved_tensors[0] ** 2 * grad

    x = t.tensor([2.0, 3.0], requires_grad=True)
    with t.autocast("cpu", t.float16, enabled=False):
        y = Cube.apply(x)
    y.sum().backward()
    return [y.detach(), x.grad, seen]
