"""Dtypes, their limits, promotion, casts, and PyTorch's first names for types."""

import copy
import pickle

from casebook import case, error

NAMES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "uint16", "uint32", "uint64"]  # fmt: skip


def kinds(t):
    return [getattr(t, name) for name in NAMES]


@case
def what_a_dtype_says(t):
    facts = [[repr(d), d.itemsize, d.is_floating_point, d.is_complex, d.is_signed, d.abbr] for d in kinds(t)]  # fmt: skip
    others = [t.long, t.double, t.float, t.short, t.half, t.int]
    return [
        facts,
        [repr(d) for d in others],
        [d.to_real() is d for d in kinds(t)],
        error(lambda: t.dtype()),
        [copy.deepcopy(d) is d for d in kinds(t)],
        [pickle.loads(pickle.dumps(d)) is d for d in kinds(t)],
        isinstance(t.float, t.dtype),
    ]


@case
def limits(t):
    floats = [t.finfo(d) for d in (t.float16, t.float32, t.float64)]
    whole = [t.iinfo(d) for d in (t.uint8, t.int8, t.int16, t.int32, t.int64)]
    return [
        [repr(f) for f in (*floats, *whole, t.finfo())],
        [[f.bits, f.eps, f.max, f.min, f.tiny, f.smallest_normal, f.resolution, f.dtype] for f in floats],
        [[f.bits, f.max, f.min, f.dtype] for f in whole],
        floats[0] == t.finfo(t.float16),
        error(lambda: t.finfo(t.int32)),
        error(lambda: t.iinfo(t.float32)),
        error(lambda: t.iinfo(t.bool)),
        error(lambda: t.finfo("float32")),
        error(lambda: t.iinfo(3)),
    ]  # fmt: skip


@case
def promotion_of_all(t):
    pairs = [(a, b) for a in kinds(t) for b in kinds(t)]
    return [
        [error(lambda a=a, b=b: t.promote_types(a, b)) for a, b in pairs],
        [t.can_cast(a, b) for a, b in pairs],
        error(lambda: t.promote_types(t.int, 3)),
        error(lambda: t.can_cast(3, t.int)),
        [str(t.result_type(a, b)) for a, b in ((1, 2), (1, 1.5), (True, 2), (1.5, True))],
        [str(t.result_type(t.ones(2, dtype=d), n)) for d in kinds(t)[:9] for n in (True, 2, 2.5)],
        str(t.result_type(tensor=t.zeros(1), other=2)),
        error(lambda: t.result_type("a", 1)),
    ]


@case
def dtypes_of_complex_numbers(t):
    """Programs compare with them, and ask what they would become."""
    kind = [t.complex32, t.complex64, t.complex128]
    x, pairs = t.ones(2), [(a, b) for a in kind for b in (*kinds(t), *kind)]
    return [
        [[repr(d), d.itemsize, d.is_floating_point, d.is_complex, d.is_signed, d.abbr] for d in kind],
        [t.cfloat is t.complex64, t.cdouble is t.complex128, x.dtype in kind, t.is_complex(x), {d: i for i, d in enumerate(kind)}[t.cdouble]],
        [repr(d.to_real()) for d in kind], [error(lambda d=d: d.to_complex()) for d in (*kinds(t), *kind)],
        [[error(lambda a=a, b=b: t.promote_types(a, b)), error(lambda a=a, b=b: t.promote_types(b, a)), t.can_cast(a, b), t.can_cast(b, a)] for a, b in pairs],
        [[repr(t.finfo(d)), t.finfo(d).bits, error(lambda d=d: t.iinfo(d)), error(lambda d=d: t.set_default_dtype(d))] for d in kind],
        [copy.deepcopy(d) is d and pickle.loads(pickle.dumps(d)) is d for d in kind], error(lambda: t.float32.numpyy),
    ]  # fmt: skip


@case
def default_dtype(t):
    before = t.get_default_dtype()
    try:
        t.set_default_dtype(t.float64)
        made = [t.zeros(1), t.tensor(1.0), t.arange(2.0), t.full((1,), 1.0), t.Tensor([1]), t.tensor(1) / 2, t.randn(2).abs() > 0]  # fmt: skip
        shown = [repr(t.zeros(1)), repr(t.ones(1, dtype=t.float32))]
        t.set_default_dtype(t.float16)
        half = t.tensor(1.5)
    finally:
        t.set_default_dtype(before)
    return [
        made, shown, half, error(lambda: t.set_default_dtype(t.int)), error(lambda: t.set_default_dtype(int)),
        error(lambda: t.set_default_tensor_type("torch.IntTensor")), error(lambda: t.set_default_tensor_type(3)),
        t.set_default_tensor_type(t.FloatTensor),
    ]  # fmt: skip


@case
def casts(t):
    x = t.tensor([0.0, 1.5, -1.5, 3.0, 100.25])
    integers = t.tensor([0, 1, -1, 100])
    return [
        [x.to(d) for d in kinds(t)[:1] + kinds(t)[2:9]],
        [integers.to(d) for d in kinds(t)],
        [x.double(), x.half(), x.int(), x.long(), x.short(), x.char(), x.bool(), integers.byte(), integers.float()],
        x.to(t.float32) is x, x.to(t.float32, copy=True) is x, x.to("cpu") is x, x.to(x) is x,
        x.to("cpu", t.int), x.to(t.int, True), x.to("cpu", t.int, True, True), x.to(None, t.float64), x.to(int), error(lambda: x.to(t.int, t.int)), error(lambda: x.to("cpu", "cpu")), error(lambda: x.to([1])),
        error(lambda: x.to(foo=1)), error(lambda: x.to(t.int, "cpu")), error(lambda: x.to("abc")), error(lambda: x.to(dtype="float32")),
        error(lambda: x.float(memory_format=3)), error(lambda: x.to(memory_format=t.channels_last)),
        t.zeros(1, 2, 3, 4).to(memory_format=t.channels_last).stride(),
    ]  # fmt: skip


@case
def names_of_types(t):
    x = t.tensor([1.0, 2.5])
    return [
        x.type(), x.long().type(), x.bool().type(), x.type(t.IntTensor), x.type("torch.DoubleTensor"), x.type(t.int64), x.type(t.Tensor) is x,
        error(lambda: x.type("torch.int32")), error(lambda: x.type("IntTensor")), error(lambda: x.type(int)), error(lambda: x.type(3)),
        x.type_as(t.ones(1, dtype=t.int8)), error(lambda: x.type_as(3)), t.typename(x), t.typename(3), t.typename(t.Tensor), t.typename(t.LongTensor),
        t.typename(t.nn.Linear(1, 1)), repr(t.FloatTensor), repr(type(t.FloatTensor)), str(t.FloatTensor.dtype), t.FloatTensor.is_cuda,
        isinstance(x, t.FloatTensor), isinstance(x, t.LongTensor), isinstance(3, t.FloatTensor), issubclass(t.FloatTensor, t.Tensor), isinstance(x, t.Tensor),
    ]  # fmt: skip


@case
def legacy_constructors(t):
    x = t.zeros(2)
    return [
        t.FloatTensor(2, 3).shape, t.FloatTensor([[1, 2], [3, 4]]), t.LongTensor([1.5, 2]), t.ByteTensor([-1]), t.BoolTensor([2, 0]), t.HalfTensor([1]), t.FloatTensor(),
        t.FloatTensor((2, 3)), t.FloatTensor(t.Size([2, 3])).shape, t.FloatTensor(x).data_ptr() == x.data_ptr(), t.LongTensor(range(3)), t.DoubleTensor(3).shape,
        t.Tensor([True, 2]), t.Tensor(2, 3).shape, t.Tensor(data=[1, 2]), t.Tensor(size=(2, 3)).shape, t.Tensor(), t.Tensor(t.ones(2, dtype=t.int32)), t.Tensor(t.tensor(2), t.tensor(3)).shape,
        error(lambda: t.FloatTensor("a")), error(lambda: t.FloatTensor(2.5)), error(lambda: t.FloatTensor(True)), error(lambda: t.FloatTensor(t.tensor([1]))),
        error(lambda: t.LongTensor(t.zeros(2))), error(lambda: t.Tensor(2, 3.0)), error(lambda: t.Tensor([1], [2])), error(lambda: t.Tensor(None)), error(lambda: t.Tensor(-1)),
        error(lambda: t.Tensor(dtype=t.float32)), error(lambda: t.Tensor(t.tensor(3.0), device="cpu")), error(lambda: t.ByteTensor([256])), error(lambda: t.Tensor({})),
        error(lambda: t.FloatTensor(2, device="cuda")), error(lambda: t.Tensor([[1], [2, 3]])),
    ]  # fmt: skip


@case
def new_tensors_like_this(t):
    i, f = t.tensor([1]), t.tensor([1.0])
    return [
        i.new(2, 3).shape, i.new([1, 2]), i.new(), i.new(t.Size([2])).shape, i.new(t.tensor([3])), error(lambda: i.new(t.tensor([3.0]))), error(lambda: i.new(2.5)), error(lambda: f.new("a")),
        i.new_tensor([1.5, 2]), i.new_tensor(1, dtype=t.float64, requires_grad=True).requires_grad, error(lambda: i.new_tensor([1], requires_grad=True)),
        i.new_full((2,), 2.5), f.new_full((2,), 2), f.new_full((2,), True, dtype=t.bool), error(lambda: f.new_full(2, 3)), f.new_full(size=(2,), fill_value=3),
        f.new_zeros(2, 3, dtype=t.int), error(lambda: f.new_zeros()), f.new_zeros(size=(2,)), f.new_zeros((2,), requires_grad=True).requires_grad,
        error(lambda: f.new_zeros((2,), foo=True)), f.new_empty(2, 3).shape, f.new_empty_strided((2, 3), (1, 2)).stride(), f.new_ones(2), error(lambda: i.new_ones(2, requires_grad=True)),
        f.new_ones(2, device="meta").device.type, error(lambda: f.new_zeros(2, dtype=3)), error(lambda: f.new_zeros("a")),
    ]  # fmt: skip
