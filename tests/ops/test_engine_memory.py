"""Long graphs need no recursion, and no graph outlives its last tensor."""

import contextlib
import gc
import weakref

import pytest

import nbmodule
from nbmodule._engine import op

# ---- long graphs


class TestLongGraphs:
    """None of these may recurse: each is far longer than Python's stack."""

    LENGTH = 20_000

    def chain(self, x):
        y = x
        for _ in range(self.LENGTH):
            y = y * 1.0001
        return y

    def test_forward_and_backward(self):
        x = nbmodule.tensor(1.0, dtype=nbmodule.float64, requires_grad=True)
        self.chain(x).backward()
        assert x.grad.item() == pytest.approx(1.0001**self.LENGTH)

    def test_a_recorded_walk(self):
        x = nbmodule.tensor(1.0, dtype=nbmodule.float64, requires_grad=True)
        y = self.chain(x)
        (g,) = nbmodule.autograd.grad(y * y, x, create_graph=True)
        g.backward()
        assert x.grad.item() == pytest.approx(2 * 1.0001 ** (2 * self.LENGTH))

    def test_writes_to_views_of_one_buffer(self):
        w = nbmodule.tensor(2.0, requires_grad=True)
        buffer = nbmodule.zeros(10)
        for i in range(2_000):
            buffer[i % 10] = w * i
        buffer.sum().backward()
        assert w.grad.item() == sum(range(1_990, 2_000))

    def test_dropping_a_graph_that_was_never_walked(self):
        y = self.chain(nbmodule.ones((), requires_grad=True))
        del y  # the nodes go one after the other, each letting go of the next


# ---- memory


@pytest.fixture
def no_collector():
    """Reference counting alone has to do."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def references(*things):
    return [weakref.ref(thing) for thing in things]


def are_gone(found):
    return [r() for r in found] == [None] * len(found)


@pytest.mark.usefixtures("no_collector")
class TestMemory:
    def test_views_and_bases_after_recorded_writes(self):
        x = nbmodule.ones(4, requires_grad=True)
        base = x * 1
        view = base[:2]
        view.mul_(3)
        other = base[1:]
        base.add_(1)
        total = other.sum() + view.sum()
        total.backward(retain_graph=True)
        found = references(base, view, other, base.grad_fn, view.grad_fn, base._array)
        del base, view, other, total
        assert are_gone(found)

    def test_a_function_that_saves_its_argument_and_its_result(self):
        class Exp(nbmodule.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                y = x.exp()
                ctx.save_for_backward(x, y)
                return y

            @staticmethod
            def backward(ctx, g):
                return g * ctx.saved_tensors[1]

        x = nbmodule.ones(4, requires_grad=True)
        for walk in (False, True):
            before = x * 1
            y = Exp.apply(before)
            if walk:
                y.sum().backward(retain_graph=True)
            found = references(before, y, y.grad_fn, before._array, y._array)
            del before, y
            assert are_gone(found)

    def test_a_function_in_place(self):
        class Double(nbmodule.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.mark_dirty(x)
                return x.mul_(2)

            @staticmethod
            def backward(ctx, g):
                return g * 2

        x = nbmodule.ones(4, requires_grad=True) * 1
        y = Double.apply(x)
        y.sum().backward()
        found = references(x, x.grad_fn, x._array)
        del x, y
        assert are_gone(found)

    def test_hooks_that_know_their_tensor(self):
        x = nbmodule.ones(4, requires_grad=True)
        y = x * 2
        y.retain_grad()
        handle = y.register_hook(lambda g: g * 2)
        y.grad_fn.register_hook(lambda gi, go: None)
        y.sum().backward()
        handle.remove()
        found = references(y, y.grad_fn, y.grad, y._array)
        del y
        assert are_gone(found)

    def test_a_recorded_walk(self):
        x = nbmodule.ones(4, requires_grad=True)
        middle = x * 2
        y = (middle**3).sum()
        (g,) = nbmodule.autograd.grad(y, x, create_graph=True)
        (h,) = nbmodule.autograd.grad(g.sum(), x, create_graph=True)
        found = references(middle, y, g, h, y.grad_fn, g.grad_fn, h.grad_fn, middle._array)
        del middle, y, g, h
        assert are_gone(found)

    def test_a_gradient_with_a_history_that_is_reset(self):
        x = nbmodule.ones(4, requires_grad=True)
        with pytest.warns(UserWarning, match="create_graph=True"):
            (x**3).sum().backward(create_graph=True)
        found = references(x, x.grad, x.grad.grad_fn)
        x.grad = None
        del x
        assert are_gone(found)

    def test_a_walk_that_failed(self):
        @op
        def fragile(xp, x):
            def vjp(g):
                raise ValueError("broken")

            return x * 1, vjp

        x = nbmodule.ones(4, requires_grad=True)
        y = fragile(x * 2).sum()
        found = references(y, y.grad_fn)
        with contextlib.suppress(ValueError):
            y.backward()
        del y
        assert are_gone(found)

    def test_several_results_of_one_operation(self):
        x = nbmodule.ones(4, 2, requires_grad=True)
        first, *rest = x.unbind(0)
        first.sum().backward()
        found = references(first, first.grad_fn, rest[0])
        del first, rest
        assert are_gone(found)
