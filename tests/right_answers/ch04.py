"""Right answers to the exercises of chapter 04."""

from __future__ import annotations

RIGHT = {
    "04.1": [
        r"""
@mine.extend
class Module:
    def __call__(self, *a, **k):
        out = self.forward(*a, **k)
        return out
    def forward(self, *inputs, **named):
        raise NotImplementedError("%s has no forward" % self.__class__.__qualname__)
""",
        r"""
@mine.extend
class Module:
    def __call__(self, *a, **k):
        return self.forward(*a, **k)
    def forward(self, x=None, *args, **kwargs):
        raise NotImplementedError(f"write forward in {type(self).__name__}")
""",
        r"""
@mine.extend
class Module:
    def _call_impl(self, *args, **kwargs):
        return self.forward(*args, **kwargs)
    __call__ = _call_impl
    def forward(self, *args, **kwargs):
        raise NotImplementedError("forward of " + type(self).__name__)
""",
        r"""
@mine.extend
class Module:
    def _forward_unimplemented(self, *input):
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')
    def forward(self, *args, **kwargs):
        self._forward_unimplemented(*args)
    def __call__(self, *args, **kwargs):
        return getattr(self, "forward")(*args, **kwargs)
""",
    ],
    "04.2": [
        r"""
@mine.extend
class Module:
    def __call__(self, *args, **kwargs):
        return self.forward(*self._before(args), **kwargs)

    def _before(self, args):
        for hook in tuple(self._forward_pre_hooks.values()):
            new = hook(self, args)
            if new is None:
                continue
            args = new if isinstance(new, tuple) else (new,)
        return args
""",
        r"""
@mine.extend
class Module:
    def __call__(self, *inputs, **named):
        hooks = dict(self._forward_pre_hooks)
        while hooks:
            answer = hooks.pop(next(iter(hooks)))(self, inputs)
            match answer:
                case None:
                    pass
                case tuple():
                    inputs = answer
                case _:
                    inputs = (answer,)
        return self.forward(*inputs, **named)
""",
        r"""
from functools import reduce


@mine.extend
class Module:
    def __call__(self, *args, **kwargs):
        def step(given, hook):
            out = hook(self, given)
            return given if out is None else out if isinstance(out, tuple) else (out,)
        return self.forward(*reduce(step, [*self._forward_pre_hooks.values()], args), **kwargs)
""",
    ],
    "04.3": [
        r"""
@mine.extend
class Module:
    def __call__(self, *args, **kwargs):
        for hook in tuple(self._forward_pre_hooks.values()):
            new = hook(self, args)
            if new is None:
                continue
            if not isinstance(new, tuple):
                new = (new,)
            args = new
        result = self.forward(*args, **kwargs)
        for hook in tuple(self._forward_hooks.values()):
            new = hook(self, args, result)
            result = result if new is None else new
        return result
""",
        r"""
@mine.extend
class Module:
    def __call__(self, *args, **kwargs):
        forward = self.forward
        before, after = dict(self._forward_pre_hooks), dict(self._forward_hooks)
        args = self._before(before, args)
        return self._after(after, args, forward(*args, **kwargs), kwargs)
    def _before(self, hooks, args):
        for hook in hooks.values():
            new = hook(self, args)
            if isinstance(new, tuple): args = new
            elif new is not None: args = new,
        return args
    def _after(self, hooks, args, result, kwargs):
        with_kwargs = self.__dict__.get("_forward_hooks_with_kwargs", {})
        for key, hook in hooks.items():
            new = hook(self, args, kwargs, result) if key in with_kwargs else hook(self, args, result)
            if new is not None: result = new
        return result
""",
        r"""
@mine.extend
class Module:
    def __call__(self, *args, **kwargs):
        slots = vars(self)
        try:
            for key, hook in slots["_forward_pre_hooks"].copy().items():
                new = hook(self, args)
                if new is not None:
                    args = new if isinstance(new, tuple) else (new,)
            result = self.forward(*args, **kwargs)
        except Exception:
            raise
        for key in list(slots["_forward_hooks"]):
            new = slots["_forward_hooks"][key](self, args, result)
            if new is not None: result = new
        return result
""",
        r"""
from functools import reduce


@mine.extend
class Module:
    def __call__(self, *args, **kwargs):
        pre, post = self._forward_pre_hooks, self._forward_hooks
        if len(pre) == len(post) == 0:
            return self.forward(*args, **kwargs)
        def before(given, hook):
            match hook(self, given):
                case None: return given
                case tuple() as new: return new
                case new: return (new,)
        args = reduce(before, [*pre.values()], args)
        out = self.forward(*args, **kwargs)
        def after(result, hook):
            new = hook(self, args, result)
            return result if new is None else new
        return reduce(after, [*post.values()], out)
""",
    ],
    "04.4": [
        r"""
@mine.extend
class Module:
    def extra_repr(self): return ""
    def __repr__(self):
        import textwrap
        name, extra = self.__class__.__name__, self.extra_repr()
        lines = extra.splitlines()
        if len(lines) <= 1 and not self._modules: return name + "(" + extra + ")"
        lines += [f"({k}): {v!r}" for k, v in self._modules.items()]
        return name + "(\n" + textwrap.indent("\n".join(lines), "  ") + "\n)"
""",
        r"""
@mine.extend
class Module:
    def _get_name(self): return self.__class__.__name__
    def extra_repr(self): return ""
    def __repr__(self):
        extra_lines = []
        extra_repr = self.extra_repr()
        if extra_repr:
            extra_lines = extra_repr.split("\n")
        child_lines = []
        for key, module in self._modules.items():
            mod_str = repr(module)
            mod_str = mod_str.replace("\n", "\n  ")
            child_lines.append("(" + key + "): " + mod_str)
        lines = extra_lines + child_lines
        main_str = self._get_name() + "("
        if lines:
            if len(extra_lines) == 1 and not child_lines:
                main_str += extra_lines[0]
            else:
                main_str += "\n  " + "\n  ".join(lines) + "\n"
        main_str += ")"
        return main_str
""",
        r"""
@mine.extend
class Module:
    def extra_repr(self):
        return ""

    def __repr__(self):
        lines = self.extra_repr().splitlines()
        if len(lines) < 2 and not self._modules:
            return type(self).__name__ + "(" + "".join(lines) + ")"
        for name, child in self._modules.items():
            lines += f"({name}): {child!r}".split("\n")
        return "\n".join([type(self).__name__ + "(", *("  " + line for line in lines), ")"])
""",
        r"""
@mine.extend
class Module:
    def extra_repr(self) -> str:
        return ""
    def __repr__(self):
        return "\n".join(self._lines())
    def _lines(self):
        inside = [*self.extra_repr().split("\n")] if self.extra_repr() else []
        few = len(inside) < 2 and not self._modules
        for n, c in self._modules.items():
            first, *rest = repr(c).split("\n")
            inside += [f"({n}): {first}", *rest]
        if few:
            return [f"{type(self).__name__}({''.join(inside)})"]
        return [f"{type(self).__name__}(", *[f"  {line}" for line in inside], ")"]
""",
        r"""
def _addindent(s, n):
    first, *rest = s.split("\n")
    if not rest:
        return first
    return first + "\n" + "\n".join(n * " " + line for line in rest)


@mine.extend
class Module:
    def extra_repr(self):
        return ""
    def __repr__(self):
        extra = self.extra_repr()
        extra_lines = extra.split("\n") if extra else []
        child_lines = ["(" + k + "): " + _addindent(repr(m), 2) for k, m in self._modules.items()]
        lines = extra_lines + child_lines
        main = type(self).__name__ + "("
        if lines:
            if len(extra_lines) == 1 and not child_lines:
                main += extra_lines[0]
            else:
                main += "\n  " + "\n  ".join(lines) + "\n"
        return main + ")"
""",
    ],
    "04.5": [
        r"""
@mine.extend
def shapes(model, *inputs):
    out, handles = [], []
    for name, child in model._modules.items():
        handles.append(child.register_forward_hook(lambda m, a, r, name=name: out.append((name, r.shape))))
    try: model(*inputs)
    finally:
        for h in handles: h.remove()
    return out
""",
        r"""
@mine.extend
def shapes(model, *inputs):
    names = {id(c): n for n, c in model._modules.items()}
    key, out = object(), []
    def note(module, args, result):
        out.append((names[id(module)], tuple(result.shape)))
    for c in model._modules.values(): c._forward_hooks[key] = note
    try: model(*inputs)
    finally:
        for c in model._modules.values(): del c._forward_hooks[key]
    return out
""",
        r"""
@mine.extend
def shapes(model, *inputs):
    pairs, names = [], {id(child): name for name, child in model._modules.items()}

    def note(module, args, result):
        pairs.append((names[id(module)], tuple(result.shape)))

    for child in model._modules.values():
        child._forward_hooks[note] = note
    try:
        model(*inputs)
    finally:
        for child in model._modules.values():
            del child._forward_hooks[note]
    return pairs
""",
        r"""
class Note:
    def __init__(self, name, found):
        self.name, self.found = name, found
    def __call__(self, module, args, result):
        self.found += [(self.name, tuple(result.shape))]
def shapes(model, *inputs):
    found = []
    notes = {name: Note(name, found) for name in model._modules}
    for name, note in notes.items():
        model._modules[name]._forward_hooks[note] = note
    try:
        model(*inputs)
    finally:
        for name, note in notes.items():
            del model._modules[name]._forward_hooks[note]
    return found
""",
        r"""
import contextlib
def shapes(model, *inputs):
    found = []
    with contextlib.ExitStack() as stack:
        for name, child in model._modules.items():
            handle = child.register_forward_hook(lambda m, a, r, name=name: found.append((name, tuple(r.shape))))
            stack.callback(handle.remove)
        model(*inputs)
    return found
""",
        r"""
def shapes(model, *inputs):
    found = []
    saved = {n: dict(c._forward_hooks) for n, c in model._modules.items()}
    for n, c in model._modules.items():
        c._forward_hooks["x"] = lambda m, a, r, n=n: found.append((n, tuple(r.shape)))
    try:
        model(*inputs)
    finally:
        for n, c in model._modules.items():
            c._forward_hooks.clear()
            c._forward_hooks.update(saved[n])
    return found
""",
    ],
}
