"""Hooks of tensors and of nodes: what they are given, what they may replace, and when they run."""

from casebook import case, error


def leaf(t, *values):
    return t.tensor(list(values) or [1.0, 2.0, 3.0], requires_grad=True)


def keeps(log, label):
    """Return a hook of a tensor that writes the gradient down and changes nothing."""

    def hook(grad):
        log.append([label, grad])

    return hook


def times(factor, log=None, label=""):
    """Return a hook of a tensor that multiplies the gradient."""

    def hook(grad):
        if log is not None:
            log.append([label, grad])
        return grad * factor

    return hook


# ---- hooks of tensors


@case
def a_hook_of_a_leaf_replaces_the_gradient(t):
    log = []
    a = leaf(t)
    handle = a.register_hook(times(2, log, "leaf"))
    (a * 3).sum().backward()
    handle.remove()
    (a * 3).sum().backward()
    return [a.grad, log]


@case
def hooks_of_a_result_run_in_order(t):
    log = []
    a = leaf(t)
    b = a * 2
    b.register_hook(keeps(log, "first"))
    b.register_hook(times(10))
    b.register_hook(keeps(log, "third"))
    b.retain_grad()
    (b * b).sum().backward()
    return [a.grad, b.grad, log, b.retains_grad, a.retains_grad]


@case
def retained_gradients_are_what_the_hooks_leave(t):
    a = leaf(t)
    b = a * 2
    b.retain_grad()
    b.register_hook(times(10))
    b.sum().backward()
    return [a.grad, b.grad]


@case
def a_hook_sees_the_sum_once(t):
    log = []
    a = leaf(t)
    b = a * 2
    b.register_hook(keeps(log, "sum"))
    (b + b * b + b.exp()).sum().backward()
    return log


@case
def a_hook_is_not_called_for_what_is_not_reached(t):
    log = []
    a, b = leaf(t), leaf(t)
    c = a * 2
    c.register_hook(keeps(log, "c"))
    b.register_hook(keeps(log, "b"))
    a.sum().backward()
    return log


@case
def a_hook_may_be_removed_while_hooks_run(t):
    log, handles = [], []
    a = leaf(t)

    def once(grad):
        log.append("once")
        handles[0].remove()

    handles.append(a.register_hook(once))
    a.register_hook(lambda grad: log.append("always"))
    a.sum().backward()
    a.sum().backward()
    return log


@case
def a_handle_is_a_context(t):
    log = []
    a = leaf(t)
    with a.register_hook(keeps(log, "inside")):
        a.sum().backward()
    a.sum().backward()
    return [log, a.grad]


@case
def what_a_hook_must_not_return(t):
    short, number, double = leaf(t), leaf(t), leaf(t)
    short.register_hook(lambda g: g[:1])
    number.register_hook(lambda g: 5)
    double.register_hook(lambda g: g.double())
    return [
        error(lambda: (short * 1).sum().backward()),
        error(lambda: (number * 1).sum().backward()),
        error(lambda: (double * 1).sum().backward()),
        short.grad,
        number.grad,
        double.grad,
    ]


@case
def where_hooks_cannot_be_registered(t):
    plain, result = t.ones(2), leaf(t) * 1
    return [
        error(lambda: plain.register_hook(print)),
        error(lambda: plain.retain_grad()),
        error(lambda: plain.register_post_accumulate_grad_hook(print)),
        error(lambda: result.register_post_accumulate_grad_hook(print)),
        plain.retains_grad,
    ]


@case
def a_hook_that_raises_stops_the_walk(t):
    a, b = leaf(t), leaf(t)
    c = a * 2

    def refuse(grad):
        raise ValueError("not this one")

    handle = c.register_hook(refuse)
    y = (c * 3).sum() + b.sum()
    first = error(lambda: y.backward(retain_graph=True))
    reached = [a.grad is None]
    handle.remove()
    b.grad = None
    y.backward()
    return [first, reached, a.grad, b.grad]


@case
def grad_mode_inside_hooks(t):
    log = []
    a = leaf(t)
    a.register_hook(lambda g: log.append([t.is_grad_enabled(), g.requires_grad]))
    (a * a).sum().backward()
    t.autograd.grad((a * a).sum(), a, create_graph=True)
    log.append(t.is_grad_enabled())
    return log


@case
def hooks_take_part_in_second_derivatives(t):
    a = leaf(t)
    b = a * 1
    b.register_hook(lambda g: g * a.detach() * g)
    (g,) = t.autograd.grad((b**2).sum(), a, create_graph=True)
    (h,) = t.autograd.grad(g.sum(), a)
    return [g, h]


@case
def hooks_and_autograd_grad(t):
    log = []
    a = leaf(t)
    a.register_hook(times(2, log, "a"))
    b = a * 2
    b.register_hook(times(3, log, "b"))
    found = t.autograd.grad(b.sum(), [a, b])
    return [found, log, a.grad]


@case
def retain_grad_is_idle_under_autograd_grad(t):
    a = leaf(t)
    b = a * 2
    b.retain_grad()
    found = t.autograd.grad((b * b).sum(), a)
    return [found, b.grad]


@case
def retained_gradients_over_two_walks(t):
    a = leaf(t)
    b = a * 2
    b.retain_grad()
    b.retain_grad()
    b.sum().backward(retain_graph=True)
    first = b.grad.clone()
    b.sum().backward()
    return [first, b.grad, a.grad]


@case
def a_clone_of_a_leaf_has_hooks_of_its_own(t):
    log = []
    a = leaf(t)
    a.register_hook(keeps(log, "leaf"))
    b = a.clone()
    b.register_hook(keeps(log, "clone"))
    b.sum().backward()
    c = a.detach().requires_grad_()
    c.sum().backward()
    return log


@case
def hooks_survive_a_gradient_set_to_none(t):
    log = []
    a = leaf(t)
    a.register_hook(keeps(log, "a"))
    for _ in range(2):
        a.grad = None
        a.sum().backward()
    return [len(log), a.grad]


# ---- after accumulation


@case
def after_the_gradient_was_added(t):
    log = []
    a = leaf(t)
    a.register_post_accumulate_grad_hook(lambda p: log.append([p is a, p.grad.clone()]))
    (a * a).sum().backward()
    (a * 2).sum().backward()
    return [log, a.grad]


@case
def a_step_inside_the_walk(t):
    a = leaf(t)

    def step(p):
        with t.no_grad():
            p.sub_(0.5 * p.grad)
        p.grad = None

    a.register_post_accumulate_grad_hook(step)
    (a * t.ones(3)).sum().backward()
    (a * t.ones(3)).sum().backward()
    return [a.detach(), a.grad]


@case
def after_accumulation_only_where_something_accumulates(t):
    log = []
    a = leaf(t)
    handle = a.register_post_accumulate_grad_hook(lambda p: log.append("a"))
    t.autograd.grad((a * 2).sum(), a)
    counts = [len(log)]
    (a * 2).sum().backward(inputs=[a])
    counts.append(len(log))
    handle.remove()
    (a * 2).sum().backward()
    return [*counts, len(log), a.grad]


@case
def tensor_hooks_run_before_accumulation(t):
    log = []
    a = leaf(t)
    a.register_post_accumulate_grad_hook(lambda p: log.append(["after", p.grad.clone()]))
    a.register_hook(times(2, log, "before"))
    a.sum().backward()
    return log


# ---- hooks of nodes


@case
def hooks_of_a_node(t):
    log = []
    a = leaf(t)
    b = a * 2
    c = b + a

    def pre(grad_outputs):
        log.append(["pre", grad_outputs])
        return (grad_outputs[0] * 3,)

    c.grad_fn.register_hook(lambda gi, go: log.append(["post", gi, go]))
    c.grad_fn.register_prehook(pre)
    c.register_hook(keeps(log, "tensor"))
    c.sum().backward()
    return [log, a.grad]


@case
def a_hook_of_a_node_replaces_what_it_sends(t):
    a = leaf(t)
    b = a.exp()
    b.grad_fn.register_hook(lambda gi, go: (gi[0] * 10,))
    b.sum().backward()
    return a.grad


@case
def hooks_of_nodes_chain(t):
    a = leaf(t)
    b = a.exp()
    node = b.grad_fn
    node.register_hook(lambda gi, go: (gi[0] + 1,))
    node.register_hook(lambda gi, go: (gi[0] * 10,))
    node.register_prehook(lambda go: (go[0] + 1,))
    handle = node.register_prehook(lambda go: (go[0] * 100,))
    handle.remove()
    b.sum().backward()
    return a.grad


@case
def a_hook_of_an_accumulator(t):
    log = []
    a = leaf(t)
    (accumulator, _), *_ = (a * 1).grad_fn.next_functions
    accumulator.register_hook(lambda gi, go: log.append([len(gi), go]))
    accumulator.register_prehook(lambda go: (go[0] * 2,))
    (a * 3).sum().backward()
    return [log, a.grad]


@case
def what_node_hooks_must_not_return(t):
    found = []
    for wrong in (lambda gi, go: 5, lambda gi, go: (gi[0], gi[0]), lambda gi, go: (gi[0][:1],)):
        a = leaf(t)
        b = a.exp()
        b.grad_fn.register_hook(wrong)
        found.append(error(lambda b=b: b.sum().backward()))
    for wrong in (lambda go: 5, lambda go: (go[0], go[0]), lambda go: (go[0][:1],)):
        a = leaf(t)
        b = a.exp()
        b.grad_fn.register_prehook(wrong)
        found.append(error(lambda b=b: b.sum().backward()))
    return found


@case
def metadata_of_a_node(t):
    a = leaf(t)
    b = a * 2
    b.grad_fn.metadata["note"] = 5
    return [b.grad_fn.metadata, (b + 1).grad_fn.metadata]


# ---- walks inside walks


@case
def a_walk_inside_a_hook(t):
    a, b = leaf(t), leaf(t)

    def hook(grad):
        with t.enable_grad():
            (b * a.detach()).sum().backward()
        return grad

    y = a * 2
    y.register_hook(hook)
    (y.sum() + (b * 3).sum()).backward()
    return [a.grad, b.grad]


@case
def a_gradient_is_asked_for_inside_a_hook(t):
    a = leaf(t)
    found = []

    def hook(grad):
        with t.enable_grad():
            x = a.detach().requires_grad_()
            found.append(t.autograd.grad((x**2).sum(), x))

    y = a * 2
    y.register_hook(hook)
    y.sum().backward()
    return [found, a.grad]


@case
def walks_in_walks_three_deep(t):
    a = leaf(t, 2.0)
    log = []

    def walk(depth):
        def hook(grad):
            log.append(depth)
            if depth:
                walk(depth - 1)

        with t.enable_grad():
            y = a * depth
            y.register_hook(hook)
            y.sum().backward()

    walk(3)
    return [log, a.grad]
