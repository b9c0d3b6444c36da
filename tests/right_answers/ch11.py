"""Right answers to the exercises of chapter 11."""

from __future__ import annotations

RIGHT = {
    "11.1": [
        # `.data` throughout, as PyTorch once wrote it
        r"""
@mine.extend
class Module:
    def _apply(self, fn, recurse=True):
        if recurse:
            for module in self.children():
                module._apply(fn)
        for param in self._parameters.values():
            if param is not None:
                param.data = fn(param.data)
        for key, buf in self._buffers.items():
            if buf is not None:
                self._buffers[key] = fn(buf)
        return self
""",
        # its own tensors first, and new dictionaries of buffers' values
        r"""
@mine.extend
class Module:
    @nbmodule.no_grad()
    def _apply(self, fn, recurse: bool = True):
        for param in filter(lambda p: p is not None, self._parameters.values()):
            param.data = fn(param)
        self._buffers.update({k: fn(b) for k, b in self._buffers.items() if b is not None})
        [child._apply(fn) for child in self.children() if recurse]
        return self
""",
    ],
    "11.2": [
        r"""
@mine.extend
class Module:
    def _cast(self, dtype):
        return self._apply(lambda t: t.to(dtype) if t.dtype.is_floating_point else t)
    def float(self):
        return self._cast(nbmodule.float32)
    def double(self):
        return self._cast(nbmodule.float64)
    def half(self):
        return self._cast(nbmodule.float16)
    def type(self, dst_type):
        self._apply(lambda t: t.type(dst_type))
        return self
""",
    ],
    "11.3": [
        # as PyTorch does it: the gradient stays the same object too
        r"""
@mine.extend
class Module:
    def _apply(self, fn, recurse=True):
        if recurse:
            for module in self.children():
                module._apply(fn)
        for key, param in self._parameters.items():
            if param is None:
                continue
            with nbmodule.no_grad():
                param_applied = fn(param)
            if param.is_meta == param_applied.is_meta:
                param.data = param_applied
                out_param = param
            else:
                out_param = Parameter(param_applied, param.requires_grad)
                self._parameters[key] = out_param
            if param.grad is not None:
                with nbmodule.no_grad():
                    grad_applied = fn(param.grad)
                if param.grad.is_meta == grad_applied.is_meta:
                    param.grad.data = grad_applied
                else:
                    out_param.grad = grad_applied.requires_grad_(param.grad.requires_grad)
        for key, buf in self._buffers.items():
            if buf is not None:
                self._buffers[key] = fn(buf)
        return self
""",
        # the gradient first, by device
        r"""
@mine.extend
class Module:
    def _apply(self, fn, recurse=True):
        with nbmodule.no_grad():
            for name, p in list(self._parameters.items()):
                if p is not None:
                    g = fn(p.grad) if p.grad is not None else None
                    new = fn(p)
                    if (new.device.type == "meta") is (p.device.type == "meta"):
                        p.data, p.grad = new, None
                    else:
                        p = Parameter(new, requires_grad=p.requires_grad)
                        self._parameters[name] = p
                    p.grad = g
        for name in self._buffers:
            if self._buffers[name] is not None:
                self._buffers[name] = fn(self._buffers[name])
        if recurse:
            for c in self.children(): c._apply(fn)
        return self
""",
    ],
    "11.4": [
        # any arguments, sorted by their kind
        r"""
@mine.extend
class Module:
    def to(self, *args, **kwargs):
        kinds = {"device": None, "dtype": None, "tensor": None}
        if args and isinstance(args[0], Tensor):
            names = ["tensor"]
        elif args and isinstance(args[0], nbmodule.dtype):
            names = ["dtype"]
        else:
            names = ["device", "dtype"]
        if len(args) > len(names) or set(kwargs) - set(kinds) or set(names[:len(args)]) & set(kwargs):
            raise TypeError("to() received an invalid combination of arguments")
        kinds.update(zip(names, args), **kwargs)
        if kinds["tensor"] is not None:
            if kinds["device"] is not None or kinds["dtype"] is not None:
                raise TypeError("a tensor alone")
            kinds["device"], kinds["dtype"] = kinds["tensor"].device, kinds["tensor"].dtype
        device = None if kinds["device"] is None else nbmodule.device(kinds["device"])
        dtype = kinds["dtype"]
        if dtype is not None and not (isinstance(dtype, nbmodule.dtype) and dtype.is_floating_point):
            raise TypeError(f"nn.Module.to only accepts floating point dtypes, but got {dtype!r}")
        def convert(t):
            return t.to(device, dtype if t.is_floating_point() else t.dtype)
        return self._apply(convert)

    def to_empty(self, *, device, recurse=True):
        return self._apply(lambda t: nbmodule.empty(t.shape, dtype=t.dtype, device=device), recurse=recurse)

    def cpu(self):
        return self._apply(lambda t: t.cpu())
""",
    ],
    "11.5": [
        r"""
from collections import Counter

@mine.extend
def memory(model):
    total = Counter()
    seen = set()
    for module in model.modules():
        for t in [*module._parameters.values(), *module._buffers.values()]:
            for each in (t, getattr(t, "grad", None)):
                if each is not None and id(each) not in seen and each.device.type != "meta":
                    seen.add(id(each))
                    total[each.device.type, each.dtype] += each.nbytes
    return dict(total)
""",
    ],
}
