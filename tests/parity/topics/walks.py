"""Walks: what they free, where gradients are kept, what the nodes are called that they pass."""

from casebook import case, error

from .autograd import leaf, name

# ---- graphs that are walked twice


@case
def graphs_that_share_a_part(t):
    a = leaf(t)
    b = a.exp()
    y, z = (b * 2).sum(), (b * 3).sum()
    y.backward()
    return [error(lambda: z.backward()), a.grad]


@case
def graphs_that_share_a_part_that_is_kept(t):
    a = leaf(t)
    b = a.exp()
    y, z = (b * 2).sum(), (b * 3).sum()
    y.backward(retain_graph=True)
    z.backward()
    return [a.grad, error(lambda: y.backward())]


@case
def graphs_that_save_nothing(t):
    a = leaf(t)
    y = (a + a).sum()
    y.backward()
    y.backward()
    return a.grad


@case
def grad_frees_only_what_it_walked(t):
    a, b = leaf(t), leaf(t)
    c = a.exp()
    d = b.exp()
    y = (c * d).sum()
    t.autograd.grad(y, a)
    return [error(lambda: t.autograd.grad(y, a)), t.autograd.grad(d.sum(), b)]


@case
def truncated_backpropagation(t):
    w = leaf(t, 0.5)
    state = t.ones(1)
    found = []
    for _ in range(3):
        state = (state * w).tanh()
        state.sum().backward()
        found.append(w.grad.clone())
        state = state.detach()
    return found


@case
def a_state_that_is_not_detached(t):
    w = leaf(t, 0.5)
    state = (t.ones(1) * w).tanh()
    state.sum().backward()
    state = (state * w).tanh()
    return error(lambda: state.sum().backward())


# ---- .grad


@case
def grad_is_kept_and_added_to(t):
    a = leaf(t)
    a.sum().backward()
    first = a.grad
    (a * 2).sum().backward()
    same = a.grad is first
    a.grad.zero_()
    (a * 5).sum().backward()
    return [same, a.grad is first, first, a.grad.requires_grad, a.grad.is_leaf]


@case
def grads_of_a_result(t):
    a = leaf(t)
    b = a * 2
    b.sum().backward()
    return [b.grad, b.is_leaf, a.grad]


@case
def leaves_have_gradients_of_their_own(t):
    a, b = leaf(t), leaf(t)
    given = t.ones(3)
    (a + b).backward(given)
    a.grad.mul_(5)
    return [a.grad, b.grad, given]


@case
def gradients_of_shapes_of_all_kinds(t):
    found = []
    for x in (t.ones(()), t.ones(0), t.ones(2, 0, 3), t.ones(1), t.ones(2, 3).t()):
        x = x.requires_grad_()
        (x * x * 3).sum().backward()
        found.append([x.grad, x.grad.stride()])
    return found


@case
def gradients_of_repeated_elements(t):
    a, s = leaf(t), t.tensor(2.0, requires_grad=True)
    a.expand(2, 3).sum().backward()
    (s.expand(2, 2) * t.arange(4.0).reshape(2, 2)).sum().backward()
    b = leaf(t)
    b[[0, 0, 2]].sum().backward()
    return [a.grad, s.grad, b.grad]


@case
def broadcasting_is_undone(t):
    a = t.ones(2, 1, requires_grad=True)
    b = t.ones(3, requires_grad=True)
    c = t.tensor(2.0, requires_grad=True)
    (a * b * c + b / c).sum().backward()
    return [a.grad, b.grad, c.grad]


@case
def types_are_kept(t):
    found = []
    for dtype in (t.float16, t.float32, t.float64):
        x = t.ones(2, dtype=dtype, requires_grad=True)
        w = t.ones(2, requires_grad=True)
        (x * 2 * w).sum().backward()
        found.append([x.grad, w.grad])
    return found


# ---- the graph


@case
def the_way_back(t):
    a = leaf(t)
    node = (a * 2 + 1).exp().grad_fn
    found = []
    while node is not None:
        found.append([node.name(), len(node.next_functions)])
        node = node.next_functions[0][0] if node.next_functions else None
    return found


@case
def the_accumulator_knows_its_leaf(t):
    a = leaf(t)
    y = a * a
    (first, _), (second, _) = y.grad_fn.next_functions
    return [first is second, first.variable is a, first.name(), first.next_functions]


@case
def numbers_of_outputs(t):
    a = t.ones(3, 2, requires_grad=True)
    rows = a.unbind(0)
    value, place = a.max(0)
    nodes = (rows[2] * rows[1]).grad_fn.next_functions
    return [
        [r.output_nr for r in rows],
        [[n.name(), i] for n, i in nodes],
        nodes[0][0] is nodes[1][0],
        value.output_nr,
        place.requires_grad,
        a.output_nr,
    ]


@case
def names_of_arithmetic(t):
    a = leaf(t)
    s = a.sum()
    made = [
        a + 1, a - 1, 1 - a, a * 2, a / 2, 1 / a, a**2, 2**a, a**a, -a, abs(a), a @ a, a + a, a * a, a / a,
        a % 2, s * s,
    ]  # fmt: skip
    return [name(y) for y in made]


@case
def names_of_functions(t):
    a = leaf(t)
    made = [
        a.exp(), a.log(), a.sqrt(), a.rsqrt(), a.sin(), a.cos(), a.tan(), a.tanh(), a.sigmoid(), a.relu(), a.abs(),
        a.square(), a.reciprocal(), a.clamp(0, 1), a.clamp(min=0), a.floor(), a.round(), a.sign(), a.log1p(),
        a.expm1(), a.erf(), a.softmax(0), a.log_softmax(0), a.pow(3), a.maximum(a), a.minimum(a), a.sinh(), a.cosh(),
        t.where(a > 1, a, a * 2), a.lerp(a, 0.5),
    ]  # fmt: skip
    return [name(y) for y in made]


@case
def names_of_reductions(t):
    a = t.arange(6.0).reshape(2, 3).requires_grad_()
    made = [
        a.sum(), a.sum(0), a.mean(), a.mean(1), a.prod(), a.prod(0), a.max(), a.max(0)[0], a.min(), a.min(1)[0],
        a.amax(0), a.amin(1), a.var(), a.var(0), a.std(), a.std(0), a.norm(), a.logsumexp(0), a.cumsum(0),
        a.median(), a.sort(0)[0], a.topk(1)[0],
    ]  # fmt: skip
    return [name(y) for y in made]


@case
def names_of_shapes(t):
    a = t.arange(6.0).reshape(2, 3).requires_grad_()
    made = [
        a.view(6), a.reshape(3, 2), a.t(), a.T, a.transpose(0, 1), a.permute(1, 0), a.unsqueeze(0),
        a.unsqueeze(0).squeeze(0), a.unsqueeze(0).squeeze(), a.expand(2, 2, 3), a[0], a[:, 1:], a[[0]], a[a > 1],
        a[0, 1], a[..., 0], a[None], a.select(0, 1), a.narrow(0, 0, 1), a.flatten(), a.clone(), a.contiguous(),
        a.t().contiguous(), a.repeat(2, 1), t.cat([a, a]), t.stack([a, a]), a.unbind(0)[0], a.split(1)[0],
        a.chunk(2)[0], a.flip(0), a.roll(1, 0), a.diagonal(), a.tril(), a.triu(), a.gather(0, t.tensor([[0, 1, 0]])),
        a.index_select(0, t.tensor([1])), a.masked_fill(a > 1, 0.0), a.double(), a.detach(), a.t().reshape(6),
    ]  # fmt: skip
    return [name(y) for y in made]


@case
def names_of_products_and_losses(t):
    a = t.arange(6.0).reshape(2, 3).requires_grad_()
    f = t.nn.functional
    w, b = t.ones(4, 3, requires_grad=True), t.ones(4, requires_grad=True)
    image, kernel = t.ones(1, 1, 4, 4, requires_grad=True), t.ones(1, 1, 2, 2)
    labels = t.tensor([0, 1])
    made = [
        a @ w.t(), a[0] @ w[0], a @ w[0], t.mm(a, w.t()), t.bmm(a[None], w.t()[None]), a[None] @ w.t(),
        f.linear(a, w), f.linear(a, w, b), f.linear(a[None], w, b), f.cross_entropy(a, labels), f.mse_loss(a, a * 2),
        f.nll_loss(a, labels), f.conv2d(image, kernel), f.max_pool2d(image, 2), f.dropout(a, 0.5),
    ]  # fmt: skip
    return [name(y) for y in made]


@case
def how_a_recorded_tensor_is_printed(t):
    a = leaf(t)
    return [repr(a), repr(a * 2), repr(a.sum()), repr((a * 2)[0]), repr(a.max(0)), repr(a.detach())]


@case
def a_leaf_is_switched_off_after_use(t):
    a, b = (t.ones(2, requires_grad=True) for _ in range(2))
    y = (a * b).sum()
    a.requires_grad_(False)
    y.backward()
    return [a.grad, b.grad]
