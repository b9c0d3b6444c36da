"""Right answers to the exercises of chapter 15."""

from __future__ import annotations

RIGHT = {
    "15.1": [
        r"""
import weakref


@mine.extend
class RemovableHandle:
    next_id = 0

    def __init__(self, hooks_dict, *, extra_dict=None):
        self.hooks_dict_ref = weakref.ref(hooks_dict)
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        self.extra_dict_ref = ()
        if isinstance(extra_dict, dict):
            self.extra_dict_ref = (weakref.ref(extra_dict),)
        elif isinstance(extra_dict, list):
            self.extra_dict_ref = tuple(weakref.ref(d) for d in extra_dict)

    def remove(self):
        hooks_dict = self.hooks_dict_ref()
        if hooks_dict is not None and self.id in hooks_dict:
            del hooks_dict[self.id]
        for ref in self.extra_dict_ref:
            extra_dict = ref()
            if extra_dict is not None and self.id in extra_dict:
                del extra_dict[self.id]

    def __enter__(self):
        return self

    def __exit__(self, type, value, tb):
        self.remove()
""",
        r"""
import itertools


@mine.extend
class RemovableHandle:
    next_id = itertools.count(1)

    def __init__(self, hooks_dict, *, extra_dict=()):
        self.id = f"hook {next(self.next_id)}"
        self._places = (hooks_dict,) + tuple(extra_dict)

    def remove(self):
        for place in self._places:
            try:
                del place[self.id]
            except KeyError:
                pass

    __enter__ = lambda self: self
    __exit__ = lambda self, *error: self.remove()
""",
        r"""
@mine.extend
class RemovableHandle:
    next_id = 0

    def __init__(self, hooks_dict, *, extra_dict=()):
        self.id = object()
        self.hooks, self.notes = hooks_dict, list(extra_dict)

    def remove(self):
        [drawer.pop(self.id, None) for drawer in [self.hooks] + self.notes]

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.remove()
        return False
""",
    ],
    "15.2": [
        r"""
@mine.extend
class Module:
    def _add_hook(self, hooks, hook, prepend, notes):
        handle = RemovableHandle(hooks, extra_dict=[drawer for drawer, _ in notes])
        hooks[handle.id] = hook
        for drawer, asked in notes:
            if asked:
                drawer[handle.id] = True
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        return handle

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        notes = [(self._forward_pre_hooks_with_kwargs, with_kwargs)]
        return self._add_hook(self._forward_pre_hooks, hook, prepend, notes)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        notes = [
            (self._forward_hooks_with_kwargs, with_kwargs),
            (self._forward_hooks_always_called, always_call),
        ]
        return self._add_hook(self._forward_hooks, hook, prepend, notes)
""",
        r"""
@mine.extend
class Module:
    def register_forward_pre_hook(self, hook, prepend=False, with_kwargs=False):
        drawer = self._forward_pre_hooks
        handle = RemovableHandle(drawer, extra_dict=[self._forward_pre_hooks_with_kwargs])
        if prepend:
            rest = dict(drawer)
            drawer.clear()
            drawer[handle.id] = hook
            drawer.update(rest)
        else:
            drawer[handle.id] = hook
        if with_kwargs:
            self._forward_pre_hooks_with_kwargs[handle.id] = with_kwargs
        return handle

    def register_forward_hook(self, hook, prepend=False, with_kwargs=False, always_call=False):
        drawer = self._forward_hooks
        with_names, always = self._forward_hooks_with_kwargs, self._forward_hooks_always_called
        handle = RemovableHandle(drawer, extra_dict=(with_names, always))
        with_names.update({handle.id: True} if with_kwargs else {})
        always.update({handle.id: True} if always_call else {})
        drawer[handle.id] = hook
        if prepend:
            for key in list(drawer)[:-1]:
                drawer.move_to_end(key)
        return handle
""",
    ],
    "15.3": [
        r"""
@mine.extend
class Module:
    def __call__(self, *args, **kwargs):
        args, kwargs = self._before(args, kwargs)
        return self._after(args, kwargs, self.forward(*args, **kwargs))

    def _before(self, args, kwargs):
        for key, hook in tuple(self._forward_pre_hooks.items()):
            match hook(self, args, kwargs) if key in self._forward_pre_hooks_with_kwargs else hook(self, args):
                case None:
                    continue
                case (_, _) as both if key in self._forward_pre_hooks_with_kwargs and isinstance(both, tuple):
                    args, kwargs = both
                case other if key in self._forward_pre_hooks_with_kwargs:
                    raise RuntimeError("a pre-hook gave %r" % (other,))
                case tuple() as new:
                    args = new
                case new:
                    args = (new,)
        return args, kwargs

    def _after(self, args, kwargs, result):
        for key, hook in tuple(self._forward_hooks.items()):
            if key in self._forward_hooks_with_kwargs:
                new = hook(self, args, kwargs, result)
            else:
                new = hook(self, args, result)
            result = result if new is None else new
        return result
""",
    ],
    "15.4": [
        r"""
import warnings


@mine.extend
class Module:
    def _call_impl(self, *args, **kwargs):
        forward_call = self.forward
        if not (self._forward_hooks or self._forward_pre_hooks):
            return forward_call(*args, **kwargs)
        result = None
        called_always_called_hooks = set()

        def inner():
            nonlocal result, args, kwargs
            for hook_id, hook in (*self._forward_pre_hooks.items(),):
                if hook_id in self._forward_pre_hooks_with_kwargs:
                    args_kwargs_result = hook(self, args, kwargs)
                    if args_kwargs_result is not None:
                        if isinstance(args_kwargs_result, tuple) and len(args_kwargs_result) == 2:
                            args, kwargs = args_kwargs_result
                        else:
                            raise RuntimeError(
                                "forward pre-hook must return None or a tuple "
                                f"of (new_args, new_kwargs), but got {args_kwargs_result}."
                            )
                else:
                    args_result = hook(self, args)
                    if args_result is not None:
                        if not isinstance(args_result, tuple):
                            args_result = (args_result,)
                        args = args_result
            result = forward_call(*args, **kwargs)
            for hook_id, hook in (*self._forward_hooks.items(),):
                if hook_id in self._forward_hooks_always_called:
                    called_always_called_hooks.add(hook_id)
                if hook_id in self._forward_hooks_with_kwargs:
                    hook_result = hook(self, args, kwargs, result)
                else:
                    hook_result = hook(self, args, result)
                if hook_result is not None:
                    result = hook_result
            return result

        try:
            return inner()
        except Exception:
            for hook_id, hook in self._forward_hooks.items():
                if (
                    hook_id in self._forward_hooks_always_called
                    and hook_id not in called_always_called_hooks
                ):
                    try:
                        if hook_id in self._forward_hooks_with_kwargs:
                            hook_result = hook(self, args, kwargs, result)
                        else:
                            hook_result = hook(self, args, result)
                        if hook_result is not None:
                            result = hook_result
                    except Exception as e:
                        warnings.warn("a forward hook with always_call=True failed: " + str(e), stacklevel=2)
                        continue
            raise

    __call__ = _call_impl
""",
        r"""
@mine.extend
class Module:
    def __call__(self, *args, **kwargs):
        state = {"args": args, "kwargs": kwargs, "result": None}
        waiting = [k for k in self._forward_hooks if k in self._forward_hooks_always_called]
        try:
            for key, hook in list(self._forward_pre_hooks.items()):
                self._run_before(key, hook, state)
            state["result"] = self.forward(*state["args"], **state["kwargs"])
            for key, hook in list(self._forward_hooks.items()):
                if key in waiting:
                    waiting.remove(key)
                self._run_after(key, hook, state)
        except Exception as error:
            for key in waiting:
                try:
                    if key in self._forward_hooks:
                        self._run_after(key, self._forward_hooks[key], state)
                except Exception:
                    pass
            raise error
        return state["result"]

    def _run_before(self, key, hook, state):
        named = key in self._forward_pre_hooks_with_kwargs
        new = hook(self, state["args"], state["kwargs"]) if named else hook(self, state["args"])
        if new is None:
            return
        if named and (not isinstance(new, tuple) or len(new) != 2):
            raise RuntimeError("give me two")
        if named:
            state["args"], state["kwargs"] = new
        else:
            state["args"] = new if isinstance(new, tuple) else (new,)

    def _run_after(self, key, hook, state):
        named = [state["kwargs"]] if key in self._forward_hooks_with_kwargs else []
        new = hook(self, state["args"], *named, state["result"])
        if new is not None:
            state["result"] = new
""",
    ],
    "15.5": [
        r"""
@mine.extend
class ActivationStats:
    def __init__(self, model, low=-4.0, high=4.0, bins=16):
        self.low, self.high, self.bins = low, high, bins
        names = [name for name, _ in model.named_children()]
        self.means, self.stds, self.dead, self.strips = ({n: [] for n in names} for _ in range(4))
        self._handles = []
        for name, child in model.named_children():
            def hook(module, args, output, name=name):
                self.record(name, module, args, output)
            self._handles.append(child.register_forward_hook(hook))

    def record(self, name, module, args, output):
        with nbmodule.no_grad():
            self.means[name].append(float(output.mean()))
            self.stds[name].append(float(output.std()))
            channels = [output[:, unit] for unit in range(output.shape[1])]
            self.dead[name].append(sum(1 for channel in channels if channel.max().item() <= 0))
            counts = nbmodule.histc(output, bins=self.bins, min=self.low, max=self.high)
            self.strips[name].append([float(count) for count in counts])

    def remove(self):
        while self._handles:
            self._handles.pop().remove()
""",
        r"""
from collections import defaultdict


@mine.extend
class ActivationStats:
    def __init__(self, model, low=-4.0, high=4.0, bins=16):
        self.histogram = {"bins": bins, "min": low, "max": high}
        self.means, self.stds, self.dead, self.strips = {}, {}, {}, {}
        self.handles = [self._listen(name, child) for name, child in model.named_children()]

    def _listen(self, name, child):
        for records in (self.means, self.stds, self.dead, self.strips):
            records[name] = []
        return child.register_forward_hook(lambda *given: self.record(name, *given))

    def record(self, name, module, args, output):
        numbers = output.detach().numpy()
        alive = (numbers > 0).any(axis=tuple(axis for axis in range(numbers.ndim) if axis != 1))
        self.means[name].append(output.mean().item())
        self.stds[name].append(output.std().item())
        self.dead[name].append(int((~alive).sum()))
        self.strips[name].append(output.histc(**self.histogram).tolist())

    def remove(self):
        for handle in self.handles:
            handle.remove()
""",
    ],
}
