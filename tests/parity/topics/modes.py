"""The switches: no_grad, enable_grad, set_grad_enabled, inference_mode, anomaly detection."""

import threading
import warnings

from casebook import case, error


def leaf(t, *values):
    return t.tensor(list(values) or [1.0, 2.0, 3.0], requires_grad=True)


# ---- no_grad, enable_grad, set_grad_enabled


@case
def nested_switches(t):
    a = leaf(t)
    seen = []

    def note():
        seen.append([t.is_grad_enabled(), (a * 2).requires_grad])

    note()
    with t.no_grad():
        note()
        with t.enable_grad():
            note()
            with t.no_grad():
                note()
            note()
        note()
    note()
    return seen


@case
def switches_are_restored_after_an_error(t):
    def fail():
        with t.no_grad():
            raise ValueError("inside")

    found = [error(fail), t.is_grad_enabled()]
    with t.no_grad():
        try:
            with t.enable_grad():
                raise KeyError
        except KeyError:
            found.append(t.is_grad_enabled())
    return [*found, t.is_grad_enabled()]


@case
def set_grad_enabled_as_function_and_as_context(t):
    seen = []
    t.set_grad_enabled(False)
    seen.append(t.is_grad_enabled())
    with t.set_grad_enabled(True):
        seen.append(t.is_grad_enabled())
    seen.append(t.is_grad_enabled())
    t.set_grad_enabled(True)
    with t.set_grad_enabled(False):
        seen.append(t.is_grad_enabled())
        t.set_grad_enabled(True)
        seen.append(t.is_grad_enabled())
    seen.append(t.is_grad_enabled())
    return seen


@case
def set_grad_enabled_wants_a_bool(t):
    return [error(lambda: t.set_grad_enabled("yes")), t.is_grad_enabled()]


@case
def one_switch_serves_several_times(t):
    switch = t.no_grad()
    seen = []
    for _ in range(2):
        with switch:
            seen.append(t.is_grad_enabled())
        seen.append(t.is_grad_enabled())
    return seen


@case
def decorators(t):
    a = leaf(t)

    @t.no_grad()
    def called(x, *, factor=2):
        """Multiply."""
        return x * factor

    @t.no_grad
    def bare(x):
        return x * 2

    @t.enable_grad()
    def recorded(x):
        return x * 2

    @t.set_grad_enabled(False)
    def switched(x):
        return x * 2

    with t.no_grad():
        inside = recorded(a).requires_grad
    return [
        called(a, factor=3).requires_grad,
        called.__name__,
        called.__doc__,
        bare(a).requires_grad,
        inside,
        switched(a).requires_grad,
        t.is_grad_enabled(),
    ]


@case
def a_decorated_generator(t):
    a = leaf(t)

    @t.no_grad()
    def numbers():
        for _ in range(2):
            yield (a * 2).requires_grad

    return [[inside, (a * 2).requires_grad, t.is_grad_enabled()] for inside in numbers()]


@case
def a_decorated_generator_is_sent_values(t):
    @t.no_grad()
    def echo():
        got = None
        while True:
            try:
                got = yield [got, t.is_grad_enabled()]
            except KeyError:
                got = "caught"

    generator = echo()
    found = [next(generator), generator.send(5), generator.throw(KeyError()), t.is_grad_enabled()]
    generator.close()
    return [*found, t.is_grad_enabled()]


@case
def factories_without_recording(t):
    with t.no_grad():
        made = t.ones(2, requires_grad=True)
        layer = t.nn.Linear(2, 2)
        result = made * 2
    (made * 3).sum().backward()
    return [made.requires_grad, layer.weight.requires_grad, result.requires_grad, made.grad]


@case
def requires_grad_can_be_set_without_recording(t):
    with t.no_grad():
        x = t.ones(2).requires_grad_()
        y = x.detach()
    return [x.requires_grad, y.requires_grad, (x * 2).requires_grad]


@case
def a_step_of_gradient_descent(t):
    w = leaf(t)
    for _ in range(3):
        (w * w).sum().backward()
        with t.no_grad():
            w -= 0.1 * w.grad
            w.grad.zero_()
    return [w.detach(), w.grad, w.is_leaf, w.requires_grad, w._version]


@case
def backward_without_recording(t):
    a = leaf(t)
    y = (a * a).sum()
    with t.no_grad():
        y.backward()
    return [a.grad, a.grad.requires_grad]


@case
def a_leaf_is_written_without_recording(t):
    a = leaf(t)
    with t.no_grad():
        a.mul_(2)
        a[0] = 7.0
    return [a.detach(), a.requires_grad, a.is_leaf, a._version]


@case
def every_thread_has_its_own_switch(t):
    seen = []

    def work():
        seen.append(t.is_grad_enabled())
        t.set_grad_enabled(False)
        seen.append(t.is_grad_enabled())

    with t.no_grad():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        with t.enable_grad():
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            seen.append(t.is_grad_enabled())
    return seen


@case
def a_result_of_the_other_mode_joins_in(t):
    a = leaf(t)
    with t.no_grad():
        factor = a * 2
    y = (a * factor).sum()
    y.backward()
    return [factor.requires_grad, a.grad]


# ---- inference_mode


@case
def tensors_of_inference_mode(t):
    a = leaf(t)
    with t.inference_mode():
        y, z, v = a * 2, t.ones(2), a[0]
        inside = [i.is_inference() for i in (y, z, v)]
        mode = [t.is_inference_mode_enabled(), t.is_grad_enabled()]
    return [inside, mode, t.is_inference_mode_enabled(), y.requires_grad, y.is_leaf, y.grad_fn]


@case
def what_inference_tensors_refuse(t):
    a = leaf(t)
    with t.inference_mode():
        y = a * 2

    def switch_on():
        y.requires_grad = True

    return [
        error(lambda: y._version),
        error(lambda: y.mul_(2)),
        error(lambda: y * a),
        error(lambda: y.requires_grad_()),
        error(switch_on),
        error(lambda: y.exp().backward()),
    ]


@case
def what_inference_tensors_may_do(t):
    a = leaf(t)
    with t.inference_mode():
        y = a * 2
        y.mul_(2)
        y[0] = 0.0
        z = t.ones(3)
        z.add_(y)
    fresh = y.clone().requires_grad_()
    (fresh * a).sum().backward()
    return [
        y,
        z,
        (y + a).requires_grad,
        (y * 2).is_inference(),
        y[0].is_inference(),
        y.detach().is_inference(),
        y.clone().is_inference(),
        fresh.grad,
        y.sum().item(),
    ]


@case
def ordinary_tensors_in_inference_mode(t):
    a, x = leaf(t), t.ones(3)
    saved = (a * x).sum()
    with t.inference_mode():
        x.mul_(2)
        same = x.is_inference()
    return [same, x, x._version, error(lambda: saved.backward())]


@case
def inference_mode_switched_off(t):
    a = leaf(t)
    with t.inference_mode(False):
        y = a * 2
        seen = [t.is_inference_mode_enabled(), y.requires_grad, y.is_inference()]
    with t.inference_mode():
        with t.inference_mode(mode=False):
            z = a * 2
            seen += [t.is_inference_mode_enabled(), z.requires_grad, z.is_inference()]
        with t.enable_grad():
            w = a * 2
            seen += [t.is_grad_enabled(), w.requires_grad, w.is_inference()]
    return seen


@case
def inference_mode_as_a_decorator(t):
    a = leaf(t)

    @t.inference_mode()
    def called(x):
        return x * 2

    @t.inference_mode
    def bare(x):
        return x * 2

    found = [called(a), bare(a)]
    return [[y.requires_grad, y.is_inference()] for y in found] + [t.is_inference_mode_enabled()]


@case
def layers_of_inference_mode(t):
    with t.inference_mode():
        layer = t.nn.Linear(2, 1)
    other = t.nn.Linear(2, 1)
    with t.inference_mode():
        out = other(t.ones(1, 2))
    return [
        layer.weight.is_inference(),
        layer.weight.requires_grad,
        out.requires_grad,
        error(lambda: layer(t.ones(1, 2)).sum().backward())[:60],
    ]


# ---- anomaly detection


def caught(function):
    """Return what `function` raises, and how many warnings came of which first words."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        raised = error(function)
    told = [str(w.message) for w in found if w.category is not RuntimeWarning]  # NumPy's remarks
    return [raised, [text.split(". ")[0].splitlines()[0][:90] for text in told]]


@case
def a_nan_in_backward_is_found(t):
    def walk():
        with t.autograd.detect_anomaly():
            a = leaf(t, 0.0)
            (a.sqrt() * 0.0).sum().backward()

    return caught(walk)


@case
def a_nan_may_be_let_through(t):
    grads = []

    def walk():
        with t.autograd.detect_anomaly(check_nan=False):
            a = leaf(t, 0.0)
            (a.sqrt() * 0.0).sum().backward()
            grads.append(a.grad)

    return [caught(walk), grads]


@case
def the_forward_line_is_told(t):
    class Fails(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            raise ValueError("broken")

    def walk():
        with t.autograd.detect_anomaly():
            Fails.apply(leaf(t)).sum().backward()

    def outside():
        y = Fails.apply(leaf(t)).sum()
        with t.autograd.detect_anomaly():
            y.backward()

    return [caught(walk), caught(outside)]


@case
def set_detect_anomaly(t):
    def is_on():
        return t.is_anomaly_enabled()

    seen = [is_on()]
    t.autograd.set_detect_anomaly(True)
    seen.append(is_on())
    t.autograd.set_detect_anomaly(False)
    seen.append(is_on())
    with t.autograd.set_detect_anomaly(True):
        seen.append(is_on())
        with t.autograd.set_detect_anomaly(False):
            seen.append(is_on())
        seen.append(is_on())
    seen.append(is_on())
    return seen


@case
def anomaly_detection_leaves_good_gradients_alone(t):
    a = leaf(t)
    with t.autograd.set_detect_anomaly(True):
        (a.exp() * a).sum().backward()
    return a.grad
