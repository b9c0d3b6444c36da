"""`autograd.Function`: what its context saves, its other methods, functions inside functions."""

from casebook import case, error

from .functions import double, leaf, make, make_exp, make_two

# ---- saving


@case
def a_saved_argument_is_written(t):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    f = make(t, forward, lambda ctx, g: g * ctx.saved_tensors[0])
    a = leaf(t)
    b = a * 1
    y = f.apply(b)
    b.add_(1)
    return error(lambda: y.sum().backward())


@case
def a_saved_result_is_written(t):
    a = leaf(t)
    y = make_exp(t).apply(a)
    y.mul_(2)
    return error(lambda: y.sum().backward())


@case
def an_attribute_is_not_watched(t):
    def forward(ctx, x):
        ctx.x = x
        return x * 2

    f = make(t, forward, lambda ctx, g: g * ctx.x)
    a = leaf(t)
    b = a * 1
    y = f.apply(b)
    b.data.add_(1)
    y.sum().backward()
    return a.grad


@case
def saved_tensors_are_freed(t):
    a, exp = leaf(t), make_exp(t)
    y = exp.apply(a).sum()
    y.backward()
    second = error(lambda: y.backward())
    z = exp.apply(a)
    z.sum().backward()
    read = error(lambda: z.grad_fn.saved_tensors)
    w = exp.apply(a).sum()
    w.backward(retain_graph=True)
    w.backward()
    return [second, read, a.grad]


@case
def nothing_saved_nothing_freed(t):
    a = leaf(t)
    y = make(t, double, lambda ctx, g: g * 2).apply(a)
    y.backward(t.ones(3))
    y.backward(t.ones(3))
    return a.grad


@case
def what_can_be_saved(t):
    def saving(*things):
        def forward(ctx, x):
            ctx.save_for_backward(*things)
            return x * 1

        return make(t, forward, lambda ctx, g: (g, len(ctx.saved_tensors))[0])

    a = leaf(t)
    saving(None, t.ones(1), None).apply(a).sum().backward()
    return [
        a.grad,
        error(lambda: saving(5).apply(a)),
        error(lambda: saving([t.ones(1)]).apply(a)),
    ]


# ---- forward and setup_context


@case
def forward_without_context(t):
    class Scale(t.autograd.Function):
        @staticmethod
        def forward(x, k):
            return x * k

        @staticmethod
        def setup_context(ctx, inputs, output):
            x, ctx.k = inputs
            ctx.save_for_backward(x, output)

        @staticmethod
        def backward(ctx, g):
            x, output = ctx.saved_tensors
            return g * ctx.k * (output / x), None

    a = leaf(t)
    y = Scale.apply(a, 3.0)
    y.sum().backward(retain_graph=True)
    (g,) = t.autograd.grad(y.sum(), a, create_graph=True)
    return [a.grad, y.grad_fn.name(), g.requires_grad]


@case
def forward_without_context_and_several_results(t):
    shapes = []

    class Split(t.autograd.Function):
        @staticmethod
        def forward(x):
            return x * 2, x * 3

        @staticmethod
        def setup_context(ctx, inputs, output):
            shapes.append([len(inputs), len(output), output[0].requires_grad])
            ctx.mark_non_differentiable(output[1])

        @staticmethod
        def backward(ctx, g, h):
            return g * 2 + h

    a = leaf(t)
    p, q = Split.apply(a)
    p.sum().backward()
    return [shapes, a.grad, q.requires_grad]


# ---- the class itself


@case
def what_the_class_refuses(t):
    a = leaf(t)

    class Forgetful(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    class Both(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g

        @staticmethod
        def vjp(ctx, g):
            return g

    return [
        error(lambda: t.autograd.Function.apply(a)),
        error(lambda: Forgetful.apply(a).sum().backward()),
        error(lambda: Both.apply(a).sum().backward()),
        issubclass(t.autograd.function.InplaceFunction, t.autograd.Function),
    ]


@case
def vjp_is_another_name_of_backward(t):
    class Named(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def vjp(ctx, g):
            return g * 7

    a = leaf(t)
    Named.apply(a).sum().backward()
    return a.grad


@case
def once_differentiable(t):
    class Square(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @t.autograd.function.once_differentiable
        def backward(ctx, g):
            return g * 2 * ctx.saved_tensors[0]

    a = leaf(t)
    Square.apply(a).sum().backward()
    (g,) = t.autograd.grad(Square.apply(a).sum(), a, create_graph=True)
    return [a.grad, g, g.requires_grad, error(lambda: t.autograd.grad(g.sum(), a))]


@case
def functions_in_functions(t):
    exp = make_exp(t)

    class Outer(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            with t.enable_grad():
                inner = x.detach().requires_grad_()
                y = exp.apply(inner * 2)
            ctx.inner, ctx.y = inner, y
            return y.detach()

        @staticmethod
        def backward(ctx, g):
            (found,) = t.autograd.grad(ctx.y, ctx.inner, g)
            return found

    a = leaf(t)
    Outer.apply(a).sum().backward()
    return a.grad


@case
def a_walk_inside_backward(t):
    w = leaf(t, 5.0)

    class Checkpoint(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return (x * w).sin()

        @staticmethod
        def backward(ctx, g):
            x = ctx.saved_tensors[0].detach().requires_grad_()
            with t.enable_grad():
                y = (x * w).sin()
            t.autograd.backward(y, g)
            return x.grad

    a = leaf(t)
    (Checkpoint.apply(a) * a).sum().backward()
    return [a.grad, w.grad]


@case
def a_backward_that_raises(t):
    fails = [True]

    def backward(ctx, g):
        if fails:
            raise ValueError("broken")
        return g * 2

    a, b = leaf(t), leaf(t)
    y = (make(t, double, backward).apply(a) * b.exp()).sum()
    first = error(lambda: y.backward(retain_graph=True))
    fails.clear()
    a.grad = b.grad = None
    y.backward()
    return [first, a.grad, b.grad]


@case
def hooks_on_the_results_of_a_function(t):
    log = []
    a, b = leaf(t), leaf(t)
    p, q = make_two(t).apply(a, b, 2)
    p.register_hook(lambda g: log.append(["p", g]))
    q.register_hook(lambda g: g * 10)
    p.retain_grad()
    p.grad_fn.register_hook(lambda gi, go: log.append(["node", gi, go]))
    (p.sum() * 3 + q.sum()).backward()
    return [log, a.grad, b.grad, p.grad]


@case
def one_result_of_two_is_asked_for(t):
    a, b = leaf(t), leaf(t)
    p, q = make_two(t).apply(a, b, 2)
    found = t.autograd.grad((p * q).sum(), [p, q, a], retain_graph=True)
    again = t.autograd.grad(p.sum(), [q, b], allow_unused=True)
    return [found, again]


@case
def a_function_in_a_module(t):
    exp = make_exp(t)

    class Layer(t.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = t.nn.Parameter(t.ones(3))

        def forward(self, x):
            return exp.apply(x * self.w)

    layer = Layer()
    layer(t.tensor([0.0, 1.0, 2.0])).sum().backward()
    return layer.w.grad


@case
def the_context_keeps_what_it_is_given(t):
    names = [
        "shape",
        "dtype",
        "ids",
        "index",
        "storages",
        "vjps",
        "saves",
        "holds",
        "count",
        "metas",
    ]

    def forward(ctx, x):
        for name in names:
            setattr(ctx, name, [name])
        ctx.shape = x.shape
        return x.sum()

    def backward(ctx, g):
        found.append([list(ctx.shape), *[getattr(ctx, name) for name in names[1:]]])
        return g.expand(ctx.shape)

    found = []
    x = leaf(t)
    make(t, forward, backward).apply(x * 2).backward()
    return [found, x.grad]
