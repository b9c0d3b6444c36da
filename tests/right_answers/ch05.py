"""Right answers to the exercises of chapter 05."""

from __future__ import annotations

_NAMED_MODULES = r"""
    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        if memo is None:
            memo = set()
        if self not in memo:
            if remove_duplicate:
                memo.add(self)
            yield prefix, self
            for name, module in self._modules.items():
                if module is None:
                    continue
                submodule_prefix = prefix + ("." if prefix else "") + name
                yield from module.named_modules(memo, submodule_prefix, remove_duplicate)

    def _named_members(self, get_members_fn, prefix="", recurse=True, remove_duplicate=True):
        memo = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for module_prefix, module in modules:
            for k, v in get_members_fn(module):
                if v is None or v in memo:
                    continue
                if remove_duplicate:
                    memo.add(v)
                yield module_prefix + ("." if module_prefix else "") + k, v
"""
"""As PyTorch has it, with the walk in `named_modules`."""

RIGHT = {
    "05.1": [
        # as PyTorch writes it
        r"""
@mine.extend
class Module:
    def register_parameter(self, name, param):
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        elif not isinstance(name, str):
            raise TypeError(f"parameter name should be a string. Got {type(name)}")
        elif "." in name:
            raise KeyError('parameter name can\'t contain "."')
        elif name == "":
            raise KeyError('parameter name can\'t be empty string ""')
        elif hasattr(self, name) and name not in self._parameters:
            raise KeyError(f"attribute '{name}' already exists")
        if param is None:
            self._parameters[name] = None
        elif not isinstance(param, Parameter):
            raise TypeError(f"cannot assign '{type(param)}' object to parameter '{name}'")
        elif param.grad_fn:
            raise ValueError(f"Cannot assign non-leaf Tensor to parameter '{name}'.")
        else:
            self._parameters[name] = param
""",
        r"""
@mine.extend
class Module:
    def register_parameter(self, name, param=None):
        if type(name) != str:
            raise TypeError("no string: %r" % (name,))
        if not name or name.count("."):
            raise KeyError(name)
        if name not in self._parameters:
            try:
                getattr(self, name)
            except AttributeError:
                pass
            else:
                raise KeyError(f"{name} is taken")
        match param:
            case None | Parameter(grad_fn=None):
                self._parameters.update({name: param})
            case Parameter():
                raise ValueError(f"{name}: {param!r} has a history")
            case _:
                raise TypeError(f"{name}: {param!r} is no Parameter")
""",
        # one method with chained raise
        r"""
@mine.extend
class Module:
    def register_parameter(self, name, param):
        error = None
        if not isinstance(name, str):
            error = TypeError(f"{name!r} is no string")
        elif not name or "." in name:
            error = KeyError(name)
        elif name not in self._parameters and hasattr(self, name):
            error = KeyError(f"{name} exists")
        elif not isinstance(param, (Parameter, type(None))):
            error = TypeError(f"{name}")
        elif getattr(param, "grad_fn", None):
            error = ValueError(f"{name}")
        if error:
            raise error
        self._parameters[name] = param
""",
        # union isinstance
        r"""
@mine.extend
class Module:
    def register_parameter(self, name, param):
        self._check_name(name, self.__dict__["_parameters"])
        if not isinstance(param, Parameter | None):
            raise TypeError(f"{name}: {param!r}")
        if not (param is None or param.is_leaf):
            raise ValueError(f"{name}: {param!r}")
        self.__dict__["_parameters"][name] = param

    def _check_name(self, name, entries):
        match name:
            case str() if name == "" or name.find(".") >= 0:
                raise KeyError(f"bad {name!r}")
            case str() if name not in entries and hasattr(self, name):
                raise KeyError(f"{name} taken")
            case str():
                return
            case _:
                raise TypeError(f"not {name!r}")
""",
    ],
    "05.2": [
        r"""
@mine.extend
class Module:
    def register_buffer(self, name, tensor, persistent=True):
        self._check_name(name, self._buffers)
        if not isinstance(tensor, (Tensor, type(None))):
            raise TypeError("cannot assign " + str(type(tensor)) + " to " + name)
        change = set.discard if persistent else set.add
        change(self._non_persistent_buffers_set, name)
        self._buffers[name] = tensor
""",
        r"""
@mine.extend
class Module:
    def register_buffer(self, name, tensor, persistent=True):
        if not isinstance(name, str):
            raise TypeError(f"{name} is not a string")
        if "." in name or len(name) == 0:
            raise KeyError(f"bad name {name!r}")
        if name not in self._buffers and hasattr(self, name):
            raise KeyError(f"taken: {name}")
        if tensor is not None:
            if not isinstance(tensor, Tensor):
                raise TypeError(f"{name} must be a tensor")
        self._buffers[name] = tensor
        unsaved = self._non_persistent_buffers_set - {name}
        self.__dict__["_non_persistent_buffers_set"] = unsaved if persistent else unsaved | {name}
""",
        # set ops in place
        r"""
@mine.extend
class Module:
    def register_buffer(self, name, tensor, persistent=True):
        self._check_name(name, self._buffers)
        if not isinstance(tensor, (Tensor, type(None))):
            raise TypeError(f"{name}")
        self._buffers |= {name: tensor}
        unsaved = self._non_persistent_buffers_set
        if persistent: unsaved -= {name}
        else: unsaved |= {name}
""",
        # symmetric
        r"""
@mine.extend
class Module:
    def register_buffer(self, name, tensor, persistent=True):
        self._check_name(name, entries=self._buffers)
        if tensor is not None and not issubclass(type(tensor), Tensor):
            raise TypeError(f"{name}")
        self._buffers[name] = tensor
        if (name in self._non_persistent_buffers_set) == bool(persistent):
            self._non_persistent_buffers_set ^= {name}
""",
    ],
    "05.3": [
        # iterators over lists
        r"""
@mine.extend
class Module:
    def named_parameters(self, prefix="", recurse=True):
        found = []
        for name, p in self._parameters.items():
            if p is not None:
                found.append((".".join(filter(None, [prefix, name])), p))
        if recurse:
            for name, child in self._modules.items():
                if child is not None:
                    found += child.named_parameters(f"{prefix}.{name}" if prefix else name)
        return iter(found)

    def parameters(self, recurse=True):
        return (p for _, p in self.named_parameters("", recurse))
""",
        # a stack, and no call of a child's method
        r"""
@mine.extend
class Module:
    def named_parameters(self, prefix="", recurse=True):
        todo = [(prefix, self)]
        while todo:
            path, module = todo.pop()
            front = path and path + "."
            for name, param in module._parameters.items():
                if param is None:
                    continue
                yield front + name, param
            if recurse:
                below = [(front + n, c) for n, c in module._modules.items() if c is not None]
                todo.extend(reversed(below))

    def parameters(self, recurse=True):
        yield from map(lambda pair: pair[1], self.named_parameters(recurse=recurse))
""",
        # already with everything once, as PyTorch has it
        r"""
@mine.extend
class Module:
"""
        + _NAMED_MODULES
        + r"""
    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        yield from self._named_members(lambda m: m._parameters.items(), prefix, recurse, remove_duplicate)

    def parameters(self, recurse=True):
        for _name, param in self.named_parameters(recurse=recurse):
            yield param
""",
        # strip dot
        r"""
@mine.extend
class Module:
    def named_parameters(self, prefix="", recurse=True):
        for name, p in self._parameters.items():
            if p is not None:
                yield (prefix + "." + name).strip("."), p
        if recurse:
            for name, c in self._modules.items():
                if c is not None:
                    yield from c.named_parameters((prefix + "." + name))

    def parameters(self, recurse=True):
        for _, p in self.named_parameters("", recurse):
            yield p
""",
        # chain & genexp
        r"""
@mine.extend
class Module:
    def named_parameters(self, prefix="", recurse=True):
        from itertools import chain
        dot = f"{prefix}." * bool(prefix)
        own = ((dot + n, p) for n, p in self._parameters.items() if p is not None)
        below = (c.named_parameters(dot + n) for n, c in self._modules.items() if c is not None) if recurse else ()
        return chain(own, chain.from_iterable(below))

    def parameters(self, recurse=True):
        return (p for _, p in self.named_parameters(recurse=recurse))
""",
        # dict items iter
        r"""
@mine.extend
class Module:
    def named_parameters(self, prefix="", recurse=True):
        from functools import reduce
        dot = prefix and prefix + "."
        found = [(dot + n, p) for n, p in self._parameters.items() if p is not None]
        if recurse:
            found = reduce(lambda so_far, pair: so_far + list(pair[1].named_parameters(dot + pair[0])), [(n, c) for n, c in self._modules.items() if c is not None], found)
        yield from found

    def parameters(self, recurse=True):
        yield from [p for _, p in self.named_parameters(recurse=recurse)]
""",
    ],
    "05.4": [
        r"""
@mine.extend
class Module:
"""
        + _NAMED_MODULES
        + r"""
    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        gen = self._named_members(lambda module: module._parameters.items(), prefix=prefix, recurse=recurse, remove_duplicate=remove_duplicate)
        yield from gen
""",
        # without a helper: identities, a stack of iterators, an inner function
        r"""
@mine.extend
class Module:
    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        met = set()

        def fresh(thing):
            if thing is None or id(thing) in met:
                return False
            if remove_duplicate:
                met.add(id(thing))
            return True

        def walk(module, path):
            front = path + "." if path else ""
            for name, param in module._parameters.items():
                if fresh(param):
                    yield front + name, param
            if recurse:
                for name, child in module._modules.items():
                    if fresh(child):
                        yield from walk(child, front + name)

        fresh(self)
        return walk(self, prefix)
""",
        # all paths first, then one path for each Parameter
        r"""
@mine.extend
class Module:
    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        found, done = [], set()
        todo = [(prefix, self)]
        while todo:
            path, module = todo.pop(0)
            if remove_duplicate and module in done:
                continue
            done.add(module)
            front = path + "." if path else path
            found += [(front + n, p) for n, p in module._parameters.items() if p is not None]
            if recurse:
                todo = [(front + n, c) for n, c in module._modules.items() if c is not None] + todo
        firsts = {}
        for path, param in found:
            firsts.setdefault(param, path)
        return iter([(path, p) for p, path in firsts.items()] if remove_duplicate else found)
""",
        # or set
        r"""
@mine.extend
class Module:
    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        return self._named_members(lambda m: m._parameters.items(), prefix, recurse, remove_duplicate)

    def _named_members(self, members, prefix, recurse, remove_duplicate, seen=None):
        seen = seen or set()
        if self in seen:
            return
        if remove_duplicate:
            seen.add(self)
        dot = prefix + "." if prefix else ""
        for name, value in members(self):
            if value is not None and value not in seen:
                if remove_duplicate:
                    seen.add(value)
                yield dot + name, value
        for name, child in self._modules.items() if recurse else ():
            if child is not None:
                yield from child._named_members(members, dot + name, True, remove_duplicate, seen)
""",
        # two sets
        r"""
@mine.extend
class Module:
    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        from operator import attrgetter
        return self._named_members(lambda m: attrgetter("_parameters")(m).items(), prefix=prefix, recurse=recurse, remove_duplicate=remove_duplicate)

    def _named_members(self, members, prefix="", recurse=True, remove_duplicate=True, seen=None):
        modules, values = seen or (set(), set())
        if remove_duplicate:
            if self in modules: return
            modules |= {self}
        for name, value in members(self):
            if value is None or value in values: continue
            remove_duplicate and values.add(value)
            yield prefix + "." * bool(prefix) + name, value
        if not recurse: return
        for name, child in self._modules.items():
            if child is None: continue
            yield from child._named_members(members, prefix + "." * bool(prefix) + name, True, remove_duplicate, (modules, values))
""",
    ],
    "05.5": [
        r"""
@mine.extend
class Module:
    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        yield from self._named_members(lambda module: module._buffers.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        return iter([buffer for _, buffer in self.named_buffers("", recurse)])
""",
        # a walk of its own
        r"""
@mine.extend
class Module:
    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True, _met=()):
        met = _met if isinstance(_met, dict) else {}
        if self in met:
            return
        if remove_duplicate:
            met[self] = prefix
        join = (prefix + ".{}").format if prefix else "{}".format
        for name in self._buffers:
            buffer = self._buffers[name]
            if buffer is None or buffer in met:
                continue
            if remove_duplicate:
                met[buffer] = name
            yield join(name), buffer
        if not recurse:
            return
        for name in self._modules:
            if self._modules[name] is not None:
                yield from self._modules[name].named_buffers(join(name), recurse, remove_duplicate, met)

    def buffers(self, recurse=True):
        for pair in self.named_buffers(recurse=recurse):
            yield pair[1]
""",
        # map/itemgetter
        r"""
@mine.extend
class Module:
    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        return self._named_members(type(self)._items_of, prefix, recurse, remove_duplicate)

    def _items_of(self):
        yield from self._buffers.items()

    def buffers(self, recurse=True):
        from operator import itemgetter
        return map(itemgetter(1), self.named_buffers(recurse=recurse))
""",
    ],
    "05.6": [
        r"""
@mine.extend
def sizes(model):
    names = dict.fromkeys(path.split(".")[0] for kind in (model.named_buffers, model.named_parameters) for path, _ in kind())
    everything = list(model.named_parameters()) + list(model.named_buffers())
    answer = {}
    for name in names:
        own = [t for path, t in everything if path.split(".")[0] == name]
        answer[name] = (sum(t.numel() for t in own if t.requires_grad), sum(t.numel() for t in own if not t.requires_grad))
    return answer
""",
        r"""
@mine.extend
def sizes(model):
    counts = {}

    def add(pairs):
        for path, t in pairs:
            pair = counts.setdefault(path.split(".", 1)[0], [0, 0])
            pair[0 if t.requires_grad else 1] += t.numel()

    add(model.named_parameters())
    add(model.named_buffers())
    return {name: tuple(pair) for name, pair in counts.items()}
""",
        # reduce
        r"""
@mine.extend
def sizes(model):
    from functools import reduce
    def add(found, pair):
        path, value = pair
        first = path.split(".", 1)[0]
        t, f = found.get(first, (0, 0))
        n = value.numel()
        return found | {first: (t + n * value.requires_grad, f + n * (not value.requires_grad))}
    return reduce(add, [*model.named_parameters(), *model.named_buffers()], {})
""",
    ],
}
