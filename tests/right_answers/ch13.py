"""Right answers to the exercises of chapter 13."""

from __future__ import annotations

_INIT = """
    numbers = itertools.count()

    def __init__(self, name, inputs=(), vjps=(), variable=None):
        self.variable, self.vjps, self._name = variable, vjps, name
        self.next_functions = tuple([(each._node(), 0) for each in inputs])
        self.number = next(Node.numbers)
        self.saved = ()
"""

_RECORD = """

@mine.extend
class Tensor:
    recording = True

    def _record(self, name, inputs, vjps, saved=()):
        if not Tensor.recording or not any(t.requires_grad for t in inputs):
            return self

        def fitted(vjp, shape):
            return lambda g: unbroadcast(vjp(g), shape)

        self.requires_grad = True
        self.grad_fn = Node(name, inputs, [fitted(v, t.shape) for v, t in zip(vjps, inputs)])
        self.grad_fn.saved = saved
        return self
"""

RIGHT = {
    "13.1": [
        # PyTorch's own way: count who waits for whom, then take the newest that is ready
        rf"""
import heapq


@mine.extend
class Node:
{_INIT}
    def topological_order(self):
        waiting, todo = {{self: 0}}, [self]
        while todo:
            node = todo.pop()
            for below, _ in node.next_functions:
                if below is None:
                    continue
                if below not in waiting:
                    waiting[below] = 0
                    todo.append(below)
                waiting[below] += 1
        ready, order = [(-self.number, self)], []
        while ready:
            node = heapq.heappop(ready)[1]
            order.append(node)
            for below, _ in node.next_functions:
                if below is not None:
                    waiting[below] -= 1
                    if not waiting[below]:
                        heapq.heappush(ready, (-below.number, below))
        return order
""",
        # a priority queue alone: what comes out twice is skipped
        rf"""
from heapq import heappop, heappush


@mine.extend
class Node:
{_INIT}
    def topological_order(self):
        queue, seen, order = [(-self.number, self)], {{id(self)}}, []
        while queue:
            _, node = heappop(queue)
            order.append(node)
            for below, _ in node.next_functions:
                if below is not None and id(below) not in seen:
                    seen.add(id(below))
                    heappush(queue, (-below.number, below))
        return order
""",
        # a list that grows while it's read, and a tuple; the numbers begin elsewhere and fall
        r"""
numbers = itertools.count(1000, 7)


@mine.extend
class Node:
    def __init__(self, name, inputs=(), vjps=(), variable=None):
        self._name = name
        self.vjps = vjps
        self.variable = variable
        pairs = []
        for tensor in inputs:
            pairs.append((tensor._node(), 0))
        self.next_functions = tuple(pairs)
        self.number = next(numbers)
        self.saved = ()

    def topological_order(self):
        nodes = dict.fromkeys([self])
        for node in (grown := list(nodes)):
            for below, _ in node.next_functions:
                if below and below not in nodes:
                    nodes[below] = None
                    grown.append(below)
        return tuple(sorted(grown, key=lambda each: -each.number))
""",
    ],
    "13.2": [
        r"""
@mine.extend
class Saved:
    def __init__(self, tensor):
        self.data = tensor.data
        self.gone = False

    def free(self):
        self.data, self.gone = None, True

    def get(self):
        if not self.gone:
            return self.data
        raise RuntimeError(
            "Trying to backward through the graph a second time (or directly access saved tensors "
            "after they have already been freed)."
        )


@mine.extend
class Tensor:
    def _record(self, name, inputs, vjps, saved=()):
        if not any(t.requires_grad for t in inputs):
            return self
        node = Node(name, inputs, [self._fitted(vjp, t.shape) for vjp, t in zip(vjps, inputs)])
        node.saved = tuple(saved)
        self.grad_fn, self.requires_grad = node, True
        return self

    @staticmethod
    def _fitted(vjp, shape):
        def with_this_shape(g):
            return unbroadcast(vjp(g), shape)

        return with_this_shape

    def __mul__(self, other):
        other = self._lift(other)
        mine_, theirs = Saved(self), Saved(other)

        def to_self(g):
            return g * theirs.get()

        def to_other(g):
            return g * mine_.get()

        result = Tensor(np.multiply(self.data, other.data))
        return result._record("MulBackward0", (self, other), (to_self, to_other), (mine_, theirs))

    def __matmul__(self, other):
        other = self._lift(other)
        saved = [Saved(self), Saved(other)]
        vjps = [
            lambda g: g @ np.transpose(saved[1].get()),
            lambda g: np.transpose(saved[0].get()) @ g,
        ]
        return Tensor(self.data @ other.data)._record("MmBackward0", [self, other], vjps, saved)

    def __pow__(self, n):
        x = Saved(self)
        vjps = [lambda g: g * n * x.get() ** (n - 1)]
        return Tensor(self.data**n)._record("PowBackward0", [self], vjps, [x])

    def log(self):
        x = Saved(self)
        return Tensor(np.log(self.data))._record("LogBackward0", [self], [lambda g: g / x.get()], [x])

    def exp(self):
        result = Tensor(np.exp(self.data))
        y = Saved(result)
        return result._record("ExpBackward0", [self], [lambda g: g * y.get()], [y])

    def relu(self):
        result = Tensor(self.data * (self.data > 0))
        y = Saved(result)
        vjps = [lambda g: np.where(y.get() > 0, g, 0.0)]
        return result._record("ReluBackward0", [self], vjps, [y])

    def backward(self, gradient=None, retain_graph=None):
        if not self.requires_grad:
            raise RuntimeError("element 0 of tensors does not require grad")
        if gradient is None:
            if self.data.size != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            gradient = np.ones(self.shape)
        gradient = self._lift(gradient).data
        if gradient.shape != self.shape:
            raise RuntimeError("Mismatch in shape")
        waiting = {self._node(): gradient}
        for node in self._node().topological_order():
            g = waiting.pop(node)
            if node.variable is not None:
                old = node.variable.grad
                node.variable.grad = Tensor(np.array(g) if old is None else old.data + g)
                continue
            for number, (below, _) in enumerate(node.next_functions):
                if below is None:
                    continue
                waiting[below] = waiting.get(below, 0) + node.vjps[number](g)
            if not retain_graph:
                [saved.free() for saved in node.saved]
""",
    ],
    "13.3": [
        # PyTorch's own way: the class is told the mode, and each call gets a new object
        r"""
@mine.extend
class no_grad:
    def __init__(self):
        self.earlier = []

    def __enter__(self):
        self.earlier.append(Tensor.recording)
        Tensor.recording = False
        return self

    def __exit__(self, kind, error, traceback):
        Tensor.recording = self.earlier.pop()
        return False

    def __call__(self, function):
        def quiet(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        quiet.__name__ = function.__name__
        return quiet
"""
        + _RECORD,
        # a decorator by hand, with try and finally
        r"""
@mine.extend
class no_grad:
    def __enter__(self):
        self.before, Tensor.recording = Tensor.recording, False

    def __exit__(self, *_):
        Tensor.recording = self.before

    def __call__(self, function):
        @functools.wraps(function)
        def quiet(*args, **kwargs):
            before = Tensor.recording
            Tensor.recording = False
            try:
                return function(*args, **kwargs)
            finally:
                Tensor.recording = before

        return quiet


@mine.extend
class Tensor:
    recording = True

    def _record(self, name, inputs, vjps, saved=()):
        recorded = self.recording and True in [t.requires_grad for t in inputs]
        if recorded:
            pairs = zip(vjps, inputs)
            vjps = [lambda g, vjp=vjp, t=t.shape: unbroadcast(vjp(g), t) for vjp, t in pairs]
            self.requires_grad, self.grad_fn = recorded, Node(name, inputs, vjps)
            self.grad_fn.saved = list(saved)
        return self
""",
        # a generator, which contextlib makes a context manager and a decorator
        r"""
from contextlib import contextmanager


@mine.extend
@contextmanager
def no_grad():
    before = Tensor.recording
    Tensor.recording = False
    try:
        yield
    finally:
        Tensor.recording = before
"""
        + _RECORD,
    ],
    "13.4": [
        r"""
@mine.extend
class Tensor:
    def __init__(self, data, requires_grad=False):
        array = np.asarray(data)
        if array.dtype.kind != "f":
            array = array.astype(np.float64)
        self._writes = [0]
        self.data, self.requires_grad = array, requires_grad
        self.grad = self.grad_fn = self._accumulator = None

    def detach(self):
        twin = Tensor(self.data, requires_grad=False)
        twin.data, twin._writes = self.data, self._writes
        return twin

    def _overwrite(self, operation, other):
        refused = Tensor.recording and self.requires_grad and self.grad_fn is None
        if refused:
            raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
        before = Tensor(np.array(self.data))
        before.requires_grad, before.grad_fn = self.requires_grad, self.grad_fn
        result = operation(before, self._lift(other))
        np.copyto(self.data, result.data)
        self._writes[0] = self._writes[0] + 1
        if result.grad_fn is not None:
            self.grad_fn = result.grad_fn
            self.requires_grad = result.requires_grad
        return self

    @property
    def _version(self):
        (count,) = self._writes
        return count

    def add_(self, other):
        return self._overwrite(lambda one, two: one + two, other)

    def sub_(self, other):
        return self._overwrite(lambda one, two: one - two, other)

    def mul_(self, other):
        return self._overwrite(lambda one, two: one * two, other)

    def _view(self, data, name, vjp):
        result = Tensor(data)
        if np.shares_memory(data, self.data):
            result._writes = self._writes
        return result._record(name, [self], [vjp])


@mine.extend
class Saved:
    def __init__(self, tensor):
        self.data = tensor.data
        self._now, self._then = tensor._writes, tensor._writes[0]

    def get(self):
        now, then = self._now[0], self._then
        if self.data is None:
            raise RuntimeError("Trying to backward through the graph a second time")
        if now > then:
            raise RuntimeError(
                "one of the variables needed for gradient computation has been modified by an inplace "
                f"operation: it is at version {now}; expected version {then} instead. Hint: look above"
            )
        return self.data
""",
    ],
}
