"""Anomaly detection: what is raised, what is said of the line, and that the switch goes back."""

import warnings

from casebook import case, error


def heard(function):
    """Return what `function` raises, and the first lines of the warnings that it gives."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.filterwarnings("always", category=UserWarning)
        said = error(function)
    return [said, [f"{w.category.__name__}: {str(w.message).splitlines()[0]}" for w in seen]]


def root_of_minus_one(t):
    x = t.tensor([-1.0], requires_grad=True)
    (x.sqrt() * 0).sum().backward()
    return x.grad


@case
def a_nan_is_an_error(t):
    def run():
        with t.autograd.detect_anomaly():
            root_of_minus_one(t)

    return heard(run)


@case
def a_nan_may_pass(t):
    def run():
        with t.autograd.detect_anomaly(check_nan=False):
            root_of_minus_one(t)

    return heard(run)


@case
def switched_on_and_off(t):
    seen = []
    with t.autograd.set_detect_anomaly(True):
        seen.append(heard(lambda: root_of_minus_one(t)))
        with t.autograd.set_detect_anomaly(False):
            seen.append(heard(lambda: root_of_minus_one(t)))
        seen.append(heard(lambda: root_of_minus_one(t)))
    seen.append(heard(lambda: root_of_minus_one(t)))
    t.autograd.set_detect_anomaly(True)
    seen.append(heard(lambda: root_of_minus_one(t)))
    t.autograd.set_detect_anomaly(False)
    seen.append(heard(lambda: root_of_minus_one(t)))
    return [[said.split("(")[0], told] for said, told in seen]


@case
def an_error_in_backward_names_the_forward_line(t):
    class Failing(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            raise RuntimeError("some error in backward")

    def run():
        with t.autograd.detect_anomaly():
            Failing.apply(t.ones(2, requires_grad=True)).sum().backward()

    return heard(run)


@case
def an_overwritten_array(t):
    def run():
        with t.autograd.detect_anomaly():
            x = t.ones(2, requires_grad=True)
            y = x * 2
            z = y * y
            y.add_(1)
            z.sum().backward()

    return heard(run)


@case
def nothing_wrong(t):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with t.autograd.detect_anomaly():
            x = t.tensor([4.0], requires_grad=True)
            x.sqrt().sum().backward()
    return x.grad
