"""Right answers to the exercises of chapter 16."""

from __future__ import annotations

RIGHT = {
    "16.1": [
        # a lambda
        r"""
@mine.extend
def mask_gradient(param, mask):
    return param.register_hook(lambda gradient: mask * gradient)
""",
        # a copy, changed in place
        r"""
@mine.extend
def mask_gradient(param, mask):
    def hook(g):
        g = g.clone()
        g *= mask
        return g

    handle = param.register_hook(hook)
    return handle
""",
    ],
    "16.2": [
        # PyTorch's own way: all tensors go through, and some are marked
        r"""
@mine.extend
def pass_through(values, hook):
    class BackwardHookFunction(nbmodule.autograd.Function):
        @staticmethod
        def forward(ctx, *args):
            ctx.mark_non_differentiable(*[arg for arg in args if not arg.requires_grad])
            return args

        @staticmethod
        def backward(ctx, *args):
            return args

    where = [i for i, v in enumerate(values) if isinstance(v, nbmodule.Tensor)]
    tensors = [values[i] for i in where]
    if not any(t.requires_grad for t in tensors):
        return values
    passed = BackwardHookFunction.apply(*tensors)
    node = next(t.grad_fn for t in passed if t.grad_fn is not None)

    def on_node(grad_input, grad_output):
        spread = [None] * len(values)
        for i, g in zip(where, grad_input):
            spread[i] = g
        changed = hook(tuple(spread))
        if changed is not None:
            return tuple(changed[i] for i in where)

    node.register_hook(on_node)
    result = list(values)
    for i, t in zip(where, passed):
        result[i] = t
    return tuple(result)
""",
        # the hook is an argument of the operation, and a loop puts things in their places
        r"""
class Passage(nbmodule.autograd.Function):
    @staticmethod
    def forward(ctx, hook, places, size, *tensors):
        ctx.hook, ctx.places, ctx.size = hook, places, size
        return tuple(t.view_as(t) for t in tensors)

    @staticmethod
    def backward(ctx, *gradients):
        full = [None] * ctx.size
        for place, g in zip(ctx.places, gradients):
            full[place] = g
        changed = ctx.hook(tuple(full))
        if changed is None:
            changed = full
        return (None, None, None) + tuple(changed[place] for place in ctx.places)


@mine.extend
def pass_through(values, hook):
    places = []
    for place, value in enumerate(values):
        if isinstance(value, nbmodule.Tensor) and value.requires_grad:
            places.append(place)
    if places == []:
        return values
    new = list(values)
    for place, t in zip(places, Passage.apply(hook, places, len(values), *[values[p] for p in places])):
        new[place] = t
    return tuple(new)
""",
    ],
    "16.3": [
        # a helper for both
        r"""
@mine.extend
class Module:
    def register_full_backward_pre_hook(self, hook, prepend=False):
        return self._put(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        if self._is_full_backward_hook is not None and not self._is_full_backward_hook:
            raise RuntimeError("Cannot use both regular backward hooks and full backward hooks on a single Module.")
        handle = self._put(self._backward_hooks, hook, prepend)
        self._is_full_backward_hook = True
        return handle

    def _put(self, drawer, hook, first):
        handle = RemovableHandle(drawer)
        drawer[handle.id] = hook
        if first:
            drawer.move_to_end(handle.id, False)
        return handle
""",
    ],
    "16.4": [
        # everything for the way back in a class, as PyTorch has it, which warns as well
        r"""
import warnings


class Listener:
    def __init__(self, module):
        self.module, self.size, self.grad_output, self.inputs = module, 0, None, True
        self.pre = [*module._backward_pre_hooks.values()]
        self.full = [*module._backward_hooks.values()]

    def outputs(self, gradients):
        for hook in self.pre:
            answer = hook(self.module, gradients)
            if answer is None:
                continue
            if len(answer) != len(gradients):
                raise RuntimeError("wrong number")
            gradients = tuple(answer)
        self.grad_output = gradients
        if not self.inputs:
            warnings.warn("no input requires a gradient")
            for hook in self.full:
                hook(self.module, (None,) * self.size, gradients)
            self.grad_output = None
        return gradients

    def arguments(self, gradients):
        if self.grad_output is None:
            return None
        gradients = list(gradients)
        for place, shape in self.shapes.items():
            if gradients[place] is None:
                gradients[place] = nbmodule.zeros(shape)
        gradients = tuple(gradients)
        for hook in self.full:
            answer = hook(self.module, gradients, self.grad_output)
            if answer is not None:
                if len(answer) != len(gradients):
                    raise RuntimeError("wrong number")
                gradients = tuple(answer)
        self.grad_output = None
        return gradients


@mine.extend
class Module:
    def __call__(self, *args, **kwargs):
        listener = Listener(self)
        back = len(listener.pre) + len(listener.full) > 0
        if not (self._forward_pre_hooks or self._forward_hooks or back):
            return self.forward(*args, **kwargs)
        result, done = None, []

        def run(key, hook):
            extra = [kwargs] if key in self._forward_hooks_with_kwargs else []
            answer = hook(self, args, *extra, result)
            return result if answer is None else answer

        try:
            for key, hook in [*self._forward_pre_hooks.items()]:
                if key in self._forward_pre_hooks_with_kwargs:
                    answer = hook(self, args, kwargs)
                    if answer is None:
                        continue
                    if not isinstance(answer, tuple) or len(answer) != 2:
                        raise RuntimeError("a pair is expected")
                    args, kwargs = answer
                else:
                    answer = hook(self, args)
                    if answer is not None:
                        args = answer if isinstance(answer, tuple) else (answer,)
            if back:
                listener.size = len(args)
                listener.shapes = {i: a.shape for i, a in enumerate(args) if hasattr(a, "shape")}
                new = pass_through(args, listener.arguments)
                listener.inputs = new is not args
                args = new
            result = self.forward(*args, **kwargs)
            for key, hook in [*self._forward_hooks.items()]:
                done.append(key)
                result = run(key, hook)
            if back:
                alone = not isinstance(result, tuple)
                result = pass_through((result,) if alone else result, listener.outputs)
                result = result[0] if alone else result
            return result
        except Exception:
            for key, hook in [*self._forward_hooks.items()]:
                if key in done or key not in self._forward_hooks_always_called:
                    continue
                try:
                    result = run(key, hook)
                except Exception:
                    pass
            raise
""",
    ],
    "16.5": [
        # PyTorch's own way: the factor is clamped, and always used
        r"""
@mine.extend
def clip_grad_norm_(parameters, max_norm, norm_type=2.0):
    grads = [p.grad for p in list(parameters) if p.grad is not None]
    if len(grads) == 0:
        return tensor(0.0)
    total_norm = nbmodule.linalg.vector_norm(
        nbmodule.stack([nbmodule.linalg.vector_norm(g, norm_type) for g in grads]), norm_type
    )
    clip_coef_clamped = nbmodule.clamp(max_norm / (total_norm + 1e-6), max=1.0)
    for g in grads:
        g.mul_(clip_coef_clamped)
    return total_norm
""",
        # all numbers in one long tensor
        r"""
@mine.extend
def clip_grad_norm_(parameters, max_norm, norm_type=2.0):
    params = [p for p in parameters if p.grad is not None]
    if not params:
        return tensor(0.0)
    numbers = nbmodule.cat([p.grad.flatten() for p in params])
    norm = numbers.abs().max() if norm_type == math.inf else (numbers.abs() ** norm_type).sum() ** (1 / norm_type)
    if norm + 1e-6 > max_norm:
        for p in params:
            p.grad *= max_norm / (norm + 1e-6)
    return norm
""",
    ],
    "16.6": [
        # two lines, and through a mask
        r"""
@mine.extend
def clip_grad_value_(parameters, clip_value):
    for g in [p.grad for p in parameters]:
        if g is None:
            continue
        g[g > clip_value] = clip_value
        g[g < -clip_value] = -clip_value
""",
        r"""
@mine.extend
def clip_grad_value_(parameters, clip_value):
    for p in filter(lambda p: p.grad is not None, parameters):
        p.grad.copy_(p.grad.clamp(min=-clip_value, max=clip_value))
""",
    ],
}
