"""Arrays so large that they are worked on in parts: the parts give what the whole would."""

from casebook import case


def _waves(t, *shape):
    """Numbers between -3 and 3 that no two libraries compute differently."""
    count = 1
    for n in shape:
        count *= n
    return ((t.arange(count) * 7919 % 6007).reshape(shape).float() - 3003) / 1001


def _looked_at(*tensors):
    """A few elements of each, spread over all of it, the last one among them, and the mean size of all."""
    found = []
    for x in tensors:
        flat = x.detach().flatten()
        found.append((flat[:: max(1, len(flat) // 7)].tolist(), flat[-1].item()))
        found.append(flat.abs().double().mean().item())
    return found


def _with_slopes(x, out):
    out.backward(out.detach())
    return _looked_at(out, x.grad)


@case
def curves(t):
    found = []
    for shape in ((2, 70_000), (262_147,)):
        x = _waves(t, *shape).requires_grad_()
        found.append(_with_slopes(x, t.nn.functional.gelu(x)))
        found.append(_with_slopes(x, t.nn.functional.hardswish(x)))
        found.append(_with_slopes(x, t.nn.functional.silu(x.T)))
    return found


@case
def softmax_of_numbers_near_and_far_apart(t):
    found = []
    for scale, dim in ((1, -1), (1, 0), (40, -1), (1000, -1), (float("inf"), -1)):
        x = (_waves(t, 40, 300) * scale).requires_grad_()
        for f in (t.softmax, t.log_softmax):
            y = f(x, dim)
            if scale < 50:
                found.append(_looked_at(*t.autograd.grad(y, x, y.detach() ** 2)))
            found.append([str(round(v, 4)) for v in y[::7, ::60].flatten().tolist()])
    return found


@case
def few_rows_and_a_large_weight(t):
    found = []
    for rows in (1, 2, 5, 16, 17):
        x, w = _waves(t, rows, 500).requires_grad_(), (_waves(t, 530, 500) / 50).requires_grad_()
        b = _waves(t, 530).requires_grad_()
        out = t.nn.functional.linear(x, w, b)
        grads = t.autograd.grad(out, (x, w, b), out / 100, create_graph=True)
        (second,) = t.autograd.grad(grads[1].pow(2).sum() / 1e4, x)
        found.append([_looked_at(out, *grads, second), grads[1].grad_fn is not None])
    return found


@case
def steps_of_optimizers(t):
    found = []
    for name, options in (
        ("SGD", {}),
        ("SGD", {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
        ("Adam", {}),
        ("Adam", {"amsgrad": True, "maximize": True}),
        ("AdamW", {"weight_decay": 0.2}),
    ):
        flat, across = _waves(t, 524_293), _waves(t, 725, 726).T
        parameters = [flat.requires_grad_(), across.requires_grad_()]
        optimizer = getattr(t.optim, name)(parameters, lr=0.1, **options)
        for _ in range(2):
            for p in parameters:
                p.grad = p.detach() ** 2 - 1
            optimizer.step()
        found.append(_looked_at(*parameters))
    return found


@case
def images_together_and_one_by_one(t):
    found = []
    for n, channels, size, filters, kernel, options in (
        (20, 3, (40, 40), 4, (5, 5), {"padding": 2}),  # several images in a part
        (9, 2, (7, 9), 4, (3, 2), {"stride": (1, 2), "padding": (1, 0)}),  # tiny ones
        (3, 4, (160, 90), 4, (3, 3), {"groups": 4, "padding": 1}),  # rows of one image
        (
            9,
            4,
            (30,),
            4,
            (3,),
            {"dilation": 2, "groups": 2, "padding": 7},
        ),  # more padding than kernel
        (2, 4, (9, 8, 7), 2, (2, 3, 2), {"padding": 1}),
    ):
        x = _waves(t, n, channels, *size).requires_grad_()
        w = _waves(t, filters, channels // options.get("groups", 1), *kernel).requires_grad_()
        b = _waves(t, filters).requires_grad_()
        out = getattr(t.nn.functional, f"conv{len(size)}d")(x, w, b, **options)
        scale = out.numel() ** 0.5
        found.append(_looked_at(out, *t.autograd.grad(out, (x, w, b), out.detach() / scale)))
    return found


@case
def the_largest_of_windows_that_do_and_do_not_overlap(t):
    found = []
    for options in (
        {"kernel_size": 2},
        {"kernel_size": 2, "stride": 3},
        {"kernel_size": (3, 2), "stride": (2, 2), "padding": 1},
        {"kernel_size": 2, "stride": 2, "dilation": 2},
        {"kernel_size": 2, "ceil_mode": True},
    ):
        x = (_waves(t, 2, 3, 7, 7) // 1).requires_grad_()  # with equal ones
        (slope,) = t.autograd.grad(
            (y := t.nn.functional.max_pool2d(x, **options)), x, y.detach() + 5
        )
        found.append((y, slope))
    return found
