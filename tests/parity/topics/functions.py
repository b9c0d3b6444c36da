"""`autograd.Function`: operations whose derivative their author writes."""

from casebook import case, error


def leaf(t, *values):
    return t.tensor(list(values) or [1.0, 2.0, 3.0], requires_grad=True)


def make(t, forward, backward, name="F", **more):
    """Return a subclass of `Function` with these static methods."""
    body = {k: staticmethod(f) for k, f in more.items()}
    body.update(forward=staticmethod(forward), backward=staticmethod(backward))
    return type(name, (t.autograd.Function,), body)


def make_exp(t):
    """Return the exponential, which saves its result."""

    class Exp(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, grad):
            (y,) = ctx.saved_tensors
            return grad * y

    return Exp


def make_two(t):
    """Return a function of three arguments with two results."""

    class Two(t.autograd.Function):
        @staticmethod
        def forward(ctx, x, y, number):
            ctx.number = number
            ctx.save_for_backward(x, y)
            return x * y, x + y * number

        @staticmethod
        def backward(ctx, first, second):
            x, y = ctx.saved_tensors
            return first * y + second, first * x + second * ctx.number, None

    return Two


def double(ctx, x):
    return x * 2


# ---- the rule


@case
def a_saved_result_and_its_second_derivative(t):
    a, exp = leaf(t), make_exp(t)
    y = exp.apply(a)
    y.sum().backward()
    (g,) = t.autograd.grad(exp.apply(a).sum(), a, create_graph=True)
    (h,) = t.autograd.grad(g.sum(), a, create_graph=True)
    (k,) = t.autograd.grad(h.sum(), a)
    return [y.grad_fn.name(), a.grad, g, h, k]


@case
def two_results(t):
    a, b = leaf(t), leaf(t, 4.0, 5.0, 6.0)
    p, q = make_two(t).apply(a, b, 3)
    p.sum().backward()
    return [
        a.grad,
        b.grad,
        q.grad_fn.name(),
        p.output_nr,
        q.output_nr,
        p.grad_fn is q.grad_fn,
        [(n.name(), i) for n, i in (p * q).grad_fn.next_functions],
        [n is None for n, _ in q.grad_fn.next_functions],
        error(lambda: q.sum().backward()),
    ]


@case
def two_results_are_used_together(t):
    a, b = leaf(t), leaf(t, 4.0, 5.0, 6.0)
    p, q = make_two(t).apply(a, b, 3)
    (p * q).sum().backward(retain_graph=True)
    q.sum().backward()
    return [a.grad, b.grad]


@case
def second_derivatives_with_saved_arguments(t):
    a, b = leaf(t), leaf(t, 4.0, 5.0, 6.0)
    p, q = make_two(t).apply(a, b, 3)
    g = t.autograd.grad((p * p + q).sum(), [a, b], create_graph=True)
    h = t.autograd.grad((g[0] * g[1]).sum(), [a, b])
    return [g, h]


@case
def nothing_to_record(t):
    exp, a = make_exp(t), leaf(t)
    y = exp.apply(t.ones(2))
    with t.no_grad():
        z = exp.apply(a)
    return [y, y.grad_fn, y.requires_grad, z.requires_grad, z.grad_fn]


@case
def mode_inside_forward_and_backward(t):
    log = []

    def forward(ctx, x):
        log.append([t.is_grad_enabled(), x.requires_grad, (x * 2).requires_grad])
        return x * 2

    def backward(ctx, g):
        log.append([t.is_grad_enabled(), g.requires_grad])
        return g * 2

    f, a = make(t, forward, backward), leaf(t)
    f.apply(a).sum().backward()
    t.autograd.grad(f.apply(a).sum(), a, create_graph=True)
    return log


@case
def arguments_that_are_no_tensors(t):
    seen = []

    def forward(ctx, text, x, items, number=3):
        seen.append([text, items, number, ctx.needs_input_grad])
        return x * number

    f, a = make(t, forward, lambda ctx, g: (None, g * 5, None, None)), leaf(t)
    f.apply("text", a, [a, 1], 7).sum().backward()
    return [[s[0], s[2], s[3]] for s in seen] + [a.grad]


@case
def fewer_results_than_arguments(t):
    f, a = make(t, lambda ctx, x, y: x * y, lambda ctx, g: (g, None)), leaf(t)
    f.apply(a, t.ones(3)).sum().backward()
    return a.grad


@case
def which_arguments_need_a_gradient(t):
    seen = []

    def forward(ctx, x, y, number):
        seen.append(ctx.needs_input_grad)
        return x * y

    def backward(ctx, g):
        seen.append(ctx.needs_input_grad)
        return g, None, None

    f, a = make(t, forward, backward), leaf(t)
    f.apply(a, t.ones(3), 5).sum().backward()
    f.apply(t.ones(3), t.ones(3), 5)
    with t.no_grad():
        f.apply(a, t.ones(3), 5)
    return seen


@case
def attributes_of_the_context(t):
    a = leaf(t)
    y = make_two(t).apply(a, a, 3)[0]
    node = y.grad_fn
    x, _ = node.saved_tensors
    return [
        node.number,
        x is a,
        len(node.saved_tensors),
        node.needs_input_grad,
        isinstance(node, t.autograd.function.FunctionCtx),
        node.name(),
        type(node).__name__,
    ]


# ---- what backward returns


@case
def wrong_gradients(t):
    a = leaf(t)

    def walk(forward, backward, *args):
        f = make(t, forward, backward)
        return error(lambda: f.apply(a, *args).sum().backward())

    def divide(ctx, g):
        return 1 / 0

    return [
        walk(double, lambda ctx, g: (g, g)),
        walk(double, lambda ctx, g: g[:2]),
        walk(double, lambda ctx, g: 3),
        walk(double, lambda ctx, g: [g]),
        walk(double, divide),
        walk(lambda ctx, x, k: x * 2, lambda ctx, g: g, 3),
        walk(lambda ctx, x, k: x * 2, lambda ctx, g: (g, g), 3),
        a.grad,
    ]


@case
def gradients_that_are_none(t):
    a, b = leaf(t), leaf(t)
    make(t, double, lambda ctx, g: None).apply(a).sum().backward()
    f = make(t, lambda ctx, x, y: x * y, lambda ctx, g: (None, g))
    f.apply(a, b).sum().backward()
    found = t.autograd.grad(f.apply(a, b).sum(), [a, b], allow_unused=True)
    unused = error(lambda: t.autograd.grad(f.apply(a, b).sum(), [a, b]))
    return [a.grad, b.grad, found, unused]


@case
def more_gradients_than_arguments(t):
    a = leaf(t)
    make(t, double, lambda ctx, g: (g, None)).apply(a).sum().backward()
    return a.grad


@case
def gradients_of_another_type_or_shape(t):
    a, row = leaf(t), leaf(t, 1.0)
    make(t, lambda ctx, x: x.double(), lambda ctx, g: g).apply(a).sum().backward()
    make(t, lambda ctx, x: x.expand(3) * 1, lambda ctx, g: g).apply(row).sum().backward()
    return [a.grad, row.grad]


# ---- what forward returns


@case
def results_that_are_no_tensors(t):
    a = leaf(t)

    def back(ctx, *grads):
        return grads[0]

    return [
        error(lambda: make(t, lambda ctx, x: 5, back).apply(a)),
        error(lambda: make(t, lambda ctx, x: None, back).apply(a)),
        error(lambda: make(t, lambda ctx, x: [x * 2], back).apply(a)),
        make(t, lambda ctx, x: (x * 1, 5, "text", None), back).apply(a)[1:],
    ]


@case
def an_argument_is_returned(t):
    a = leaf(t)
    f = make(t, lambda ctx, x: x, lambda ctx, g: g * 5)
    y = f.apply(a)
    y.sum().backward()
    z = f.apply(a * 1)
    return [y is a, y.is_leaf, a.grad, z.grad_fn.name(), error(lambda: z.mul_(2))]


@case
def a_view_of_an_argument_is_returned(t):
    f = make(t, lambda ctx, x: x.view(3, 1), lambda ctx, g: g.view(3))
    a = leaf(t)
    y = f.apply(a * 1)
    y.sum().backward()
    return [y.grad_fn.name(), a.grad, error(lambda: y.mul_(2))]


@case
def results_without_derivative(t):
    seen = []

    def forward(ctx, x):
        mask = x.detach() * 3
        ctx.mark_non_differentiable(mask)
        return x * 2, mask

    def backward(ctx, g, h):
        seen.append(h)
        return g * 2

    a = leaf(t)
    p, mask = make(t, forward, backward).apply(a)
    p.sum().backward()
    return [mask.requires_grad, mask.grad_fn, p.requires_grad, a.grad, seen]


@case
def whole_numbers_have_no_derivative(t):
    f = make(t, lambda ctx, x: (x * 2, x.argmax(), x > 1), lambda ctx, g, h, k: g)
    a = leaf(t)
    p, where, mask = f.apply(a)
    p.sum().backward()
    return [p.requires_grad, where.requires_grad, mask.requires_grad, a.grad]


@case
def an_argument_is_written_in_place(t):
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(2)
        return x

    f = make(t, forward, lambda ctx, g: g * 2)
    a = leaf(t)
    b = a * 1
    out = f.apply(b)
    same = [out is b, b.grad_fn.name(), b._version]
    b.sum().backward()
    return [same, a.grad, b, error(lambda: f.apply(leaf(t)))]


@case
def a_view_is_written_in_place_by_a_function(t):
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(2)
        return x

    f = make(t, forward, lambda ctx, g: g * 2)
    a = leaf(t)
    x = a * 1
    f.apply(x[:2])
    x.sum().backward()
    return [x, a.grad]


@case
def a_dirty_argument_must_be_returned(t):
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x * 2

    f = make(t, forward, lambda ctx, g: g)
    return error(lambda: f.apply(leaf(t) * 1))


@case
def unused_results_get_zeros_or_none(t):
    seen = []

    def forward(ctx, x):
        ctx.set_materialize_grads(ctx.materialise)
        return x * 2, x * 3

    def backward(ctx, g, h):
        seen.append([g, h])
        return g if g is not None else h

    for wanted in (True, False):

        def choose(ctx, x, wanted=wanted):
            ctx.materialise = wanted
            return forward(ctx, x)

        a = leaf(t)
        make(t, choose, backward).apply(a)[0].sum().backward()
        seen.append(a.grad)
    return seen


@case
def names_that_say_backward(t):
    class Same(t.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a

        @staticmethod
        def backward(ctx, g):
            return g

    out = []
    for name in ("MyBackward", "BackwardHook", "AddBackward0"):
        y = type(name, (Same,), {}).apply(t.ones(1, requires_grad=True) * 1)
        out.append([y.grad_fn.name(), error(lambda y=y: y.add_(1))])
    return out


@case
def zeros_come_where_no_gradient_came(t):
    class Sends(t.autograd.Function):
        """Doubles; what its backward returns, and what it got, is told from outside."""

        answer, seen = staticmethod(lambda g: g), []

        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            Sends.seen.append(g.tolist())
            return Sends.answer(g)

    class SendsNothing(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return None

    at_once = t.ones(2, requires_grad=True)
    SendsNothing.apply(Sends.apply(at_once)).sum().backward()
    with_steps_between = t.ones(2, requires_grad=True)
    SendsNothing.apply((Sends.apply(with_steps_between) * 2).exp()).sum().backward()
    return [Sends.seen, at_once.grad, with_steps_between.grad]


@case
def a_pre_hook_takes_the_gradient_away(t):
    a = t.ones(2, requires_grad=True)
    y = a * 2
    y.grad_fn.register_prehook(lambda grads: (None,))
    y.sum().backward()
    return [a.grad]
