"""NumPy, buffers, capsules, copies, pickles, storages, subclasses."""

import copy
import operator
import pickle
import warnings

import numpy as np
from casebook import case, error


@case
def numpy_shares_memory(t):
    a = np.arange(3.0)
    b = t.from_numpy(a)
    b[0], a[1] = 7, 8
    c = t.arange(3)
    c.numpy()[0] = 5
    d = t.ones(2)
    np.asarray(d)[0] = 5
    e, f = np.zeros(3), np.zeros(3)
    t.as_tensor(e)[0] = 1
    t.tensor(f)[0] = 1
    return [
        a.tolist(), b, c, d, e.tolist(), f.tolist(), t.as_tensor(d) is d, t.asarray(d) is d, t.asarray(d, copy=True) is d, t.tensor(np.float64(1)), t.tensor(np.int32(1)), t.tensor(np.bool_(True)),
        t.tensor([np.float32(1), 2]), t.tensor([1, np.float64(2)]), t.tensor(np.array([1], dtype=np.int16)), t.from_numpy(np.arange(3, dtype=np.uint16)).sum(),
        *[error(g) for g in (
            lambda: t.from_numpy([1]), lambda: t.from_numpy(np.array(["a"])), lambda: t.from_numpy(np.array([object()])), lambda: t.from_numpy(np.arange(3)[::-1]),
            lambda: t.from_numpy(np.arange(3, dtype=">i4")), lambda: t.from_numpy(np.float32(1)), lambda: t.zeros(2, requires_grad=True).numpy(), lambda: np.asarray(t.zeros(2, requires_grad=True)),
            lambda: t.asarray([1, 2], copy=False), lambda: t.asarray(np.arange(2), dtype=t.float, copy=False), lambda: t.asarray("a"), lambda: memoryview(t.zeros(2)),
        )],
        t.zeros(2, requires_grad=True).numpy(force=True).tolist(),
    ]  # fmt: skip


@case
def numpy_functions(t):
    x = t.tensor([1.0, 4.0])
    found = [np.exp(x), np.sqrt(x), np.add(x, np.ones(2, np.float32)), np.float32(2) * x]
    return [[type(f).__name__ for f in found], [np.asarray(f).tolist() for f in found]]


@case
def buffers_and_capsules(t):
    memory = bytearray(b"\x00\x00\x80\x3f\x00\x00\x00\x40")
    a = t.frombuffer(memory, dtype=t.float32)
    a[0] = 2
    b = t.arange(3)
    t.from_dlpack(b)[0] = 4
    c = np.arange(3)
    t.utils.dlpack.from_dlpack(t.utils.dlpack.to_dlpack(t.from_numpy(c)))[0] = 9
    return [
        a, bytes(memory).hex(), b, c.tolist(), np.from_dlpack(b).tolist(), t.frombuffer(memory, dtype=t.uint8, count=2, offset=3), t.asarray(bytearray(b"ab"), dtype=t.uint8),
        *[error(f) for f in (
            lambda: t.frombuffer(bytearray(), dtype=t.uint8), lambda: t.frombuffer(bytearray(3), dtype=t.int16), lambda: t.frombuffer(bytearray(4), dtype=t.int16, count=5),
            lambda: t.frombuffer(bytearray(4), dtype=t.int16, offset=9), lambda: t.frombuffer(bytearray(4), dtype=t.int16, count=0), lambda: t.frombuffer(bytearray(4)),
            lambda: t.frombuffer([1], dtype=t.int), lambda: t.from_dlpack(3), lambda: t.zeros(2, requires_grad=True).__dlpack__(), lambda: t.zeros(2).__dlpack__(stream=3),
        )],
    ]  # fmt: skip


@case
def numbers_of_python(t):
    x = t.zeros(2)
    return [
        complex(t.tensor(2.0)).real, operator.index(t.tensor([2])), operator.index(t.tensor(True)), x.tolist(), t.zeros(2, 0).tolist(), f"{t.tensor(1.5)}", f"{t.tensor(3):03d}", f"{t.zeros(1)}",
        f"{t.nn.Parameter(t.tensor(1.0))}",
        *[error(f) for f in (
            lambda: complex(x), lambda: float(x), lambda: int(x), lambda: operator.index(t.tensor(2.0)), lambda: operator.index(x), lambda: x.item(), lambda: t.zeros(0).item(), lambda: bool(x),
            lambda: bool(t.zeros(0)), lambda: f"{t.zeros(1):.2f}", lambda: len(t.tensor(1)), lambda: list(t.tensor(1)), lambda: "a" in x, lambda: t.is_nonzero(x), lambda: t.is_nonzero(3), lambda: x.imag,
        )],
        t.is_nonzero(t.tensor([0.0])), t.is_complex(x), t.is_tensor(3), t.numel(x), x.is_pinned(), x.is_shared(), x.get_device(), x.is_same_size(t.ones(2)), x.is_sparse, x.is_quantized, str(x.layout),
        x.element_size(), x.itemsize, x.nbytes, x.dim(), x.size(dim=0), x.conj() is x, x.real is x, hash(x) == id(x),
    ]  # fmt: skip


@case
def copies(t):
    a = t.arange(4.0)
    b = copy.deepcopy([a, a[1:]])
    b[0][1] = 9
    g = t.zeros(2, requires_grad=True)
    g.note = [1]
    g.sum().backward()
    d, s = copy.deepcopy(g), copy.copy(g)
    s.data[0] = 5
    turned = copy.deepcopy(t.arange(4.0).view(2, 2).t())
    return [
        b, a, d, d.note, d.note is g.note, d.grad, d.grad is g.grad, s.note is g.note, s.requires_grad, g.detach(), turned, turned.stride(), error(lambda: copy.deepcopy(g * 2)),
        copy.deepcopy(t.ones(2).expand(3, 2)).stride(),
    ]  # fmt: skip


def back(x):
    return pickle.loads(pickle.dumps(x))


@case
def pickles(t):
    a = t.arange(4.0)
    a.note = 3
    p = back(t.nn.Parameter(t.ones(2)))
    turned, wide = back(t.arange(6.0).view(2, 3).t()), back(t.ones(2).expand(3, 2))
    words = back([t.float32, t.device("cuda:1"), t.Size([1, 2]), t.strided, t.preserve_format])
    return [
        back(a), back(a).note, p, type(p).__name__, p.requires_grad, turned, turned.stride(), wide, wide.stride(), back(t.zeros(2, 0)), [repr(w) for w in words], words[0] is t.float32,
        words[3] is t.strided, (back(t.ones(1, requires_grad=True) * 2)).requires_grad, back(t.tensor(True)), back(t.ones(2, dtype=t.float64)),
    ]  # fmt: skip


@case
def storages(t):
    a = t.arange(6.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        typed = a.storage()
        shown = repr(typed)
        typed[1] = 9
        facts = [typed.tolist(), typed.size(), typed.nbytes(), len(typed), typed[2], str(typed.dtype), typed.element_size()]  # fmt: skip
    raw = a[2:].untyped_storage()
    b = t.zeros(3).set_(a, 2, (2, 2), (2, 1))
    return [
        facts, shown, repr(t.zeros(2, dtype=t.uint8).untyped_storage()), raw.nbytes(), raw.tolist()[:8], raw.data_ptr() == a.data_ptr(), t.is_storage(raw), t.is_storage(3), b, b.storage_offset(), a,
        t.zeros(2).set_(t.ones(3)), t.zeros(2).set_(), error(lambda: t.zeros(2).set_(t.ones(3, dtype=t.int))), a.is_set_to(a.view(6)), a.is_set_to(a[1:]),
    ]  # fmt: skip


@case
def element_by_element(t):
    return [
        t.arange(3).apply_(lambda x: x * 2), t.arange(3).map_(t.ones(3, dtype=t.int64), lambda a, b: a + b), t.zeros(2, dtype=t.int).copy_(t.tensor([1.7, -1.7])), t.zeros(2).copy_(t.tensor([True, False])),
        t.zeros(2, 3).copy_(t.arange(3)), t.zeros(2, dtype=t.bool).fill_(3), t.zeros(2).fill_(t.tensor(2)),
        *[error(f) for f in (
            lambda: t.arange(3.0).apply_(3), lambda: t.zeros(2, requires_grad=True).apply_(lambda x: x), lambda: t.arange(3).map_(t.ones(3), lambda a, b: a), lambda: t.zeros(2).copy_(t.zeros(3)),
            lambda: t.zeros(2).copy_([1, 2]), lambda: t.zeros(2, requires_grad=True).copy_(t.ones(2)), lambda: t.zeros(2, requires_grad=True).zero_(),
        )],
    ]  # fmt: skip


@case
def subclasses(t):
    class Marked(t.Tensor):
        pass

    x = t.ones(2, requires_grad=True)
    view = x.as_subclass(Marked)
    made = t.Tensor._make_subclass(Marked, t.zeros(2), True)
    return [
        repr(Marked([1, 2])), repr(t.ones(2).as_subclass(Marked)), repr(made), type(view).__name__, view.requires_grad, view.is_leaf, view.data_ptr() == x.data_ptr(),
        error(lambda: x.as_subclass(3)), error(lambda: x.as_subclass(int)), repr(Marked()), repr(Marked(t.ones(2))),
    ]  # fmt: skip
