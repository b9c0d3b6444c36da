"""Layers."""

from collections import OrderedDict

from casebook import case, error


@case
def reprs(t):
    nn = t.nn
    made = [
        nn.Linear(2, 3),
        nn.Linear(2, 3, bias=False),
        nn.Conv2d(1, 20, 5),
        nn.Conv2d(4, 8, (3, 2), stride=(2, 1), padding=1, dilation=2, groups=2, bias=False),
        nn.Conv2d(1, 1, 3, padding="same"),
        nn.ReLU(),
        nn.ReLU(True),
        nn.MaxPool2d(2),
        nn.MaxPool2d((3, 2), stride=2, padding=1, ceil_mode=True),
        nn.Flatten(),
        nn.Dropout(),
        nn.Sigmoid(),
        nn.Tanh(),
        nn.Softmax(dim=1),
        nn.LogSoftmax(-1),
        nn.Identity(5, a=3),
        nn.CrossEntropyLoss(),
        nn.MSELoss(),
        nn.NLLLoss(),
        nn.Sequential(),
        nn.Sequential(OrderedDict(a=nn.Linear(1, 1), b=nn.Sequential(nn.ReLU(), nn.Flatten()))),
    ]
    return [repr(m) for m in made]


@case
def repr_of_own_classes(t):
    class Two(t.nn.Module):
        def extra_repr(self):
            return "line one\nline two"

    class One(Two):
        def extra_repr(self):
            return "one line"

    with_child = One()
    with_child.child = Two()
    return [repr(Two()), repr(One()), repr(with_child)]


@case
def linear_initialisation(t):
    t.manual_seed(3)
    layer = t.nn.Linear(3, 2)
    return [layer.weight, layer.bias, t.nn.Linear(2, 2, bias=False).bias]


@case
def conv_initialisation(t):
    t.manual_seed(3)
    c = t.nn.Conv2d(2, 2, 3)
    return [c.weight, c.bias, c.kernel_size, c.stride, c.padding, c.dilation, c.groups]


@case
def layer_argument_errors(t):
    nn = t.nn
    return [
        error(lambda: nn.Conv2d(3, 4, 3, groups=2)),
        error(lambda: nn.Conv2d(4, 3, 3, groups=2)),
        error(lambda: nn.Conv2d(4, 4, 3, groups=0)),
        error(lambda: nn.Conv2d(4, 4, 3, padding="same", stride=2)),
        error(lambda: nn.Dropout(1.5)),
        error(lambda: nn.Sequential(nn.ReLU(), 5)),
        error(lambda: nn.Sequential(lambda x: x))[:9],
    ]


@case
def sequential_as_a_list(t):
    nn = t.nn
    s = nn.Sequential(nn.Linear(1, 2), nn.ReLU(), nn.Linear(2, 3))
    part = s[1:]
    out = [
        len(s),
        repr(s[0]),
        repr(s[-1]),
        repr(part),
        part[1] is s[2],
        error(lambda: s[3]),
        error(lambda: s[-4]),
    ]
    del s[0]
    out.append(repr(s))
    s.append(nn.Tanh())
    s.insert(0, nn.Flatten())
    s[1] = nn.Sigmoid()
    popped = s.pop(-1)
    return [
        *out,
        repr(s),
        repr(popped),
        repr(s + nn.Sequential(nn.ReLU())),
        [type(m).__name__ for m in s],
    ]


@case
def module_list(t):
    nn = t.nn
    one = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2), nn.Sequential(nn.ReLU())])
    out = [
        repr(one),
        len(one),
        repr(one[:2]),
        repr(nn.ModuleList()),
        repr(one + [nn.Tanh()]),
        error(lambda: one[5]),
    ]
    one.append(nn.ReLU())
    one.insert(0, nn.Flatten())
    one += [nn.Tanh()]
    one[1] = nn.Sigmoid()
    del one[2]
    names = [n for n, _ in one.named_parameters()]
    popped = one.pop(0)
    bad = [
        error(lambda: one.append(5)),
        error(lambda: one.extend(5)),
        error(lambda: one(1)),
        error(lambda: nn.ModuleList([5])),
    ]
    return [
        *out,
        repr(one),
        names,
        repr(popped),
        [type(m).__name__ for m in one],
        list(one._modules),
        bad,
    ]


@case
def dropout_modes(t):
    d = t.nn.Dropout(0.5)
    x = t.ones(1000)
    values = sorted(set(d(x).tolist()))
    d.eval()
    return [
        values,
        d(x) is x,
        t.nn.functional.dropout(x, 1.0).sum(),
        error(lambda: t.nn.functional.dropout(x, 2.0)),
    ]


@case
def flatten_and_pool_shapes(t):
    x = t.arange(32.0).reshape(2, 1, 4, 4)
    pooled, places = t.nn.MaxPool2d(2, return_indices=True)(x)
    return [tuple(t.nn.Flatten()(x).shape), tuple(t.nn.Flatten(0, -2)(x).shape), pooled, places]


@case
def shape_errors(t):
    F, z = t.nn.functional, t.zeros
    return [
        error(lambda: z(2, 3) + z(2, 4)),
        error(lambda: z(2, 3) @ z(2, 3)),
        error(lambda: z(3) @ z(4)),
        error(lambda: z(2, 3) @ z(4)),
        error(lambda: z(2, 2, 3) @ z(2, 2, 3)),
        error(lambda: t.nn.Linear(3, 2)(z(5, 4))),
        error(lambda: F.conv2d(z(1, 3, 4, 4), z(2, 2, 3, 3))),
        error(lambda: F.conv2d(z(4, 4), z(2, 1, 3, 3))),
        error(lambda: F.conv2d(z(1, 1, 2, 2), z(1, 1, 3, 3))),
        error(lambda: F.max_pool2d(z(4, 4), 2))[:12],
        error(lambda: F.max_pool2d(z(1, 1, 4, 4), 2, padding=2)),
        error(lambda: z(2, 3).reshape(4)),
        error(lambda: z(2, 3).view(-1, 4)),
        error(lambda: z(2, 3).reshape(-1, -1)),
        error(lambda: z(2, 3).t().view(6)),
        error(lambda: z(2, 3).expand(3, 3)),
        error(lambda: z(2, 3).sum(2)),
        error(lambda: z(2, 3).sum((0, 0))),
        error(lambda: z(2, 3).transpose(0, 3)),
        error(lambda: z(2)[5]),
        error(lambda: z(2)[::-1]),
        error(lambda: t.cat([z(2, 3), z(2, 4)])),
        error(lambda: t.cat([])),
        error(lambda: t.stack([z(2), z(3)])),
        error(lambda: z(2).split([1, 2])),
        error(lambda: z(2).narrow(0, 1, 2)),
        error(lambda: z(2, 2, 2).t()),
        error(lambda: z(2, 3).permute(0)),
        error(lambda: t.ones(2, -1)),
    ]


@case
def loss_errors(t):
    F, z = t.nn.functional, t.zeros
    return [
        error(lambda: F.cross_entropy(z(3, 2), t.tensor([0, 1]))),
        error(lambda: F.cross_entropy(z(2, 2), t.tensor([0, 5]))),
        error(lambda: F.cross_entropy(z(2, 2), t.tensor([[0, 1]]))),
        error(lambda: F.cross_entropy(z(2, 2), t.tensor([0, 1]), reduction="nope")),
        error(lambda: F.cross_entropy(z(2, 2), t.tensor([0, 1], dtype=t.int32))),
        error(lambda: F.nll_loss(z(3, 2), t.tensor([0, 1]))),
    ]


@case
def linear_of_mixed_dtypes(t):
    out = []
    for kind in (t.float64, t.float16, t.int64):
        for input, weight, bias in (
            (kind, t.float32, t.float32),
            (t.float32, kind, t.float32),
            (t.float32, t.float32, kind),
            (kind, kind, t.float32),
            (kind, t.float32, None),
            (t.float32, kind, None),
        ):
            for shape in ((2, 3), (3,), (2, 2, 3)):
                x, w = t.ones(shape, dtype=input), t.ones(4, 3, dtype=weight)
                b = None if bias is None else t.ones(4, dtype=bias)
                out.append(error(lambda a=(x, w, b): t.nn.functional.linear(*a)))
    x, w = t.ones(2, 3), t.ones(4, 3)
    return [*out, error(lambda: t.nn.functional.linear(x, w, 3))]


@case
def linear_with_a_bias_of_any_shape(t):
    def run(rows, shape):
        x, w, b = (t.ones(s, requires_grad=True) for s in (rows, (4, 3), shape))
        y = t.nn.functional.linear(x, w, b)
        y.sum().backward()
        return [y, y.grad_fn.name(), x.grad, w.grad, b.grad]

    out = []
    for rows in ((2, 3), (3,), (2, 2, 3)):
        for shape in ((4,), (1,), (), (2, 4), (1, 4), (2, 1), (1, 1, 4), (1, 2, 4)):
            try:
                out.append(run(rows, shape))
            except RuntimeError as e:
                out.append(str(e))
        out += [error(lambda s=shape, r=rows: run(r, s)) for shape in ((5,), (4, 3), (1, 5), (0,))]
    return out
