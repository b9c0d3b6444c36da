"""Right answers to the exercises of chapter 12."""

from __future__ import annotations

RIGHT = {
    "12.1": [
        # the leaf's node by `or`, vjps in a list
        r"""
@mine.extend
class Node:
    def __init__(self, name, inputs=(), vjps=(), variable=None):
        edges = []
        for tensor in inputs:
            edges.append((tensor._node(), 0))
        self.next_functions = tuple(edges)
        self._name, self.vjps, self.variable = name, list(vjps), variable
    def name(self): return self._name

@mine.extend
class Tensor:
    def __init__(self, data, requires_grad=False):
        self.data = np.array(data)
        if not np.issubdtype(self.data.dtype, np.floating):
            self.data = self.data.astype(np.float64)
        self.requires_grad = bool(requires_grad)
        self.grad = self.grad_fn = self._accumulator = None
    def _node(self):
        if self.requires_grad and not self.grad_fn:
            self._accumulator = self._accumulator or Node("AccumulateGrad", variable=self)
            return self._accumulator
        return self.grad_fn
    @property
    def is_leaf(self): return self.grad_fn is None
    @property
    def shape(self): return self.data.shape
    def numpy(self): return self.data
    def item(self): return float(self.data)
""",
        # a cached property, slots in the node
        r"""
from functools import cached_property

@mine.extend
class Node:
    __slots__ = ("_name", "next_functions", "vjps", "variable")
    def __init__(self, name, inputs=(), vjps=(), variable=None):
        self._name = name
        self.vjps = vjps
        self.variable = variable
        self.next_functions = tuple([(each._node(), 0) for each in inputs])
    def name(self):
        return self._name

@mine.extend
class Tensor:
    grad = None
    grad_fn = None
    _accumulator = None
    def __init__(self, data, requires_grad=False):
        kind = getattr(data, "dtype", None)
        self.data = np.asarray(data, dtype=kind if kind in (np.float16, np.float32, np.float64) else float)
        self.requires_grad = requires_grad
    def _accumulate(self):
        if "_accumulator" not in vars(self):
            self._accumulator = Node("AccumulateGrad", (), (), self)
        return self._accumulator
    def _node(self):
        if self.grad_fn:
            return self.grad_fn
        elif self.requires_grad:
            return self._accumulate()
    is_leaf = property(lambda self: self.grad_fn is None)
    shape = property(lambda self: self.data.shape)
    def numpy(self): return self.data
    def item(self): return self.data.item()
""",
    ],
    "12.2": [
        # defs instead of lambdas, None where nobody asks
        r"""
@mine.extend
class Tensor:
    __array_ufunc__ = None
    def _record(self, name, inputs, vjps):
        needed = [t.requires_grad for t in inputs]
        if True in needed:
            vjps = tuple(vjp if need else None for vjp, need in zip(vjps, needed))
            self.requires_grad, self.grad_fn = True, Node(name, inputs, vjps)
        return self
    def _lift(self, other):
        return other if isinstance(other, Tensor) else Tensor(np.asarray(other, self.data.dtype))
    def __add__(self, other):
        other = self._lift(other)
        def same(g): return g
        result = Tensor(np.add(self.data, other.data))
        result._record("AddBackward0", (self, other), (same, same))
        return result
    def __mul__(self, other):
        other = self._lift(other)
        mine_, theirs = self.data.copy(), other.data.copy()
        def left(gradient): return theirs * gradient
        def right(gradient): return mine_ * gradient
        return Tensor(mine_ * theirs)._record("MulBackward0", (self, other), (left, right))
    __radd__ = __add__
    def __rmul__(self, other): return self.__mul__(other)
""",
        # the arrays are asked for when they're needed
        r"""
@mine.extend
class Tensor:
    __array_priority__ = 1000
    __array_ufunc__ = None
    def _record(self, name, inputs, vjps):
        self.requires_grad = sum(t.requires_grad for t in inputs) > 0
        self.grad_fn = Node(name, inputs, vjps) if self.requires_grad else None
        return self
    def _lift(self, other):
        if not isinstance(other, Tensor):
            other = Tensor(np.array(other, dtype=self.data.dtype))
        return other
    def __add__(self, other):
        other = self._lift(other)
        return Tensor(self.data + other.data)._record("AddBackward0", [self, other], [lambda g: g * 1] * 2)
    def __mul__(self, other):
        other = self._lift(other)
        return Tensor(self.data * other.data)._record("MulBackward0", [self, other], [lambda g: g * other.data, lambda g: self.data * g])
    def __radd__(self, other): return self + other
    def __rmul__(self, other): return self * other
""",
    ],
    "12.3": [
        # Kahn: count who still sends something
        r"""
@mine.extend
class Node:
    def topological_order(self):
        waits, todo = {self: 0}, [self]
        while todo:
            for below, _ in todo.pop().next_functions:
                if below is None:
                    continue
                if below not in waits:
                    waits[below] = 0
                    todo.append(below)
                waits[below] += 1
        ready, order = [self], []
        while ready:
            node = ready.pop()
            order.append(node)
            for below, _ in node.next_functions:
                if below is not None:
                    waits[below] -= 1
                    if waits[below] == 0:
                        ready.append(below)
        return order
""",
        # recursion with a second method, from the left
        r"""
@mine.extend
class Node:
    def topological_order(self, order=None, seen=None):
        first = order is None
        order, seen = ([], set()) if first else (order, seen)
        seen.add(self)
        for node, _ in reversed(list(self.next_functions)):
            if node is not None and node not in seen:
                node.topological_order(order, seen)
        order.insert(0, self)
        return order
""",
        # a stack with two visits
        r"""
@mine.extend
class Node:
    def topological_order(self):
        done, seen, stack = [], set(), [(self, False)]
        while stack:
            node, finished = stack.pop()
            if finished:
                done.append(node)
            elif node is not None and node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack.extend((below, False) for below, _ in node.next_functions)
        done.reverse()
        return done
""",
    ],
    "12.4": [
        r"""
from collections import defaultdict

@mine.extend
class Tensor:
    def backward(self, gradient=None):
        if not self.requires_grad:
            raise RuntimeError("no gradient")
        if gradient is None:
            if self.data.size != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            gradient = Tensor(np.ones_like(self.data))
        if not isinstance(gradient, Tensor):
            gradient = Tensor(gradient)
        if gradient.shape != self.shape:
            raise RuntimeError(f"Mismatch in shape: {gradient.shape} and {self.shape}")
        grads = defaultdict(lambda: 0)
        grads[self._node()] = gradient.data.astype(self.data.dtype)
        for node in self._node().topological_order():
            total = grads[node]
            if node.variable is not None:
                if node.variable.grad is None:
                    node.variable.grad = Tensor(np.zeros_like(node.variable.data))
                node.variable.grad.data += total
                continue
            for edge, vjp in zip(node.next_functions, node.vjps):
                if edge[0] is not None:
                    grads[edge[0]] = grads[edge[0]] + vjp(total)
""",
        # lists of what has arrived, added at the end
        r"""
@mine.extend
class Tensor:
    def backward(self, gradient=None):
        if not self.requires_grad or (gradient is None and self.data.size > 1):
            raise RuntimeError("nothing to start from")
        start = np.ones(self.shape, self.data.dtype) if gradient is None else getattr(gradient, "data", gradient)
        if np.shape(start) != self.shape:
            raise RuntimeError("shape")
        inbox = {self._node(): [np.asarray(start, self.data.dtype)]}
        for node in self._node().topological_order():
            g = sum(inbox[node][1:], inbox[node][0])
            leaf = node.variable
            if leaf is None:
                for (below, _), vjp in zip(node.next_functions, node.vjps):
                    if below is not None:
                        inbox.setdefault(below, []).append(vjp(g))
            elif leaf.grad is None:
                leaf.grad = Tensor(np.array(g))
            else:
                leaf.grad = Tensor(leaf.grad.data + g)
""",
    ],
    "12.5": [
        r"""
@mine.extend
def unbroadcast(g, shape):
    added = g.ndim - len(shape)
    axes = tuple(range(added)) + tuple(i + added for i, n in enumerate(shape) if n == 1 and g.shape[i + added] != 1)
    return g.sum(axis=axes).reshape(shape) if axes else g

@mine.extend
class Tensor:
    def _record(self, name, inputs, vjps):
        if any(t.requires_grad for t in inputs):
            fitted = [lambda g, vjp=vjp, shape=t.shape: unbroadcast(vjp(g), shape) for vjp, t in zip(vjps, inputs)]
            self.requires_grad, self.grad_fn = True, Node(name, inputs, fitted)
        return self
""",
        # an expression for einsum's friends; partial instead of a lambda
        r"""
from functools import partial

def fit(vjp, t, g):
    return unbroadcast(vjp(g), t.data.shape)

@mine.extend
def unbroadcast(g, shape):
    g = np.asarray(g)
    longer = (1,) * (g.ndim - len(shape)) + tuple(shape)
    for dim, (size, wanted) in enumerate(zip(g.shape, longer)):
        if size != wanted:
            g = g.sum(axis=dim, keepdims=True)
    return g.reshape(shape)

@mine.extend
class Tensor:
    def _record(self, name, inputs, vjps):
        self.requires_grad = any([t.requires_grad for t in inputs])
        if self.requires_grad:
            self.grad_fn = Node(name, inputs, [partial(fit, vjp, t) for vjp, t in zip(vjps, inputs)])
        return self
""",
    ],
    "12.6": [
        r"""
@mine.extend
class Tensor:
    def __matmul__(self, other):
        other = self._lift(other)
        left, right = self.data, other.data
        return Tensor(np.matmul(left, right))._record(
            "MmBackward0", (self, other),
            (lambda g: np.einsum("nm,km->nk", g, right), lambda g: np.einsum("nk,nm->km", left, g)))
    def relu(self):
        return Tensor(np.where(self.data > 0, self.data, 0).astype(self.data.dtype))._record("ReluBackward0", [self], [lambda g: np.where(self.data > 0, g, 0)])
    def sum(self, dim=None, keepdim=False):
        total = self.data.sum(axis=dim, keepdims=True)
        kept = total.shape
        if not keepdim:
            total = self.data.sum(axis=dim)
        return Tensor(total)._record("SumBackward0", [self], [lambda g: np.reshape(g, kept) * np.ones_like(self.data)])
    def __pow__(self, n):
        x = self.data
        return Tensor(x**n)._record("PowBackward0", [self], [lambda g: g * n * x ** (n - 1)])
    def exp(self):
        out = Tensor(np.exp(self.data))
        return out._record("ExpBackward0", [self], [lambda g: out.data * g])
    def log(self):
        return Tensor(np.log(self.data))._record("LogBackward0", [self], [lambda g: self.data ** -1.0 * g])
    def reshape(self, *shape):
        return Tensor(self.data.reshape(*shape))._record("ReshapeBackward0", [self], [lambda g: g.reshape(self.shape)])
    @property
    def T(self):
        return Tensor(self.data.T)._record("TBackward0", [self], [lambda g: g.T])
    def __neg__(self): return self * -1
    def __sub__(self, other): return self + self._lift(other) * -1
    def __rsub__(self, other): return -self + other
    def __truediv__(self, other): return self * self._lift(other) ** -1
    def __rtruediv__(self, other): return self**-1 * other
    def mean(self, dim=None, keepdim=False):
        count = self.data.size if dim is None else np.prod([self.shape[d] for d in np.atleast_1d(dim)])
        return self.sum(dim, keepdim) / float(count)
""",
    ],
}
