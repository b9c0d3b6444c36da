"""Right answers to the exercises of chapter 07."""

from __future__ import annotations

RIGHT = {
    "07.1": [
        r"""
@mine.extend
class Module:
    def named_children(self):
        memo = set()
        for name, module in self._modules.items():
            if module is not None and module not in memo:
                memo.add(module)
                yield name, module

    def children(self):
        for _name, module in self.named_children():
            yield module
""",
        r"""
@mine.extend
class Module:
    def named_children(self):
        met = {}
        for name in self._modules:
            child = self._modules[name]
            if child is None or id(child) in met:
                continue
            met[id(child)] = name
            yield (name, child)

    def children(self):
        return (pair[1] for pair in self.named_children())
""",
        r"""
@mine.extend
class Module:
    def named_children(self):
        first = {}
        for name, child in self._modules.items():
            first.setdefault(child, name)
        return iter([(name, child) for child, name in first.items() if child is not None])

    def children(self):
        yield from dict.fromkeys(c for c in self._modules.values() if c is not None)
""",
        # dict comprehension reversed
        r"""
@mine.extend
class Module:
    def named_children(self):
        first = {c: n for n, c in reversed(list(self._modules.items()))}
        return ((n, c) for n, c in self._modules.items() if c is not None and first[c] == n)
    def children(self):
        yield from filter(lambda c: c is not None, dict.fromkeys(self._modules.values()))
""",
    ],
    "07.2": [
        r"""
@mine.extend
class Module:
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

    def modules(self, remove_duplicate=True):
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module
""",
        r"""
@mine.extend
class Module:
    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        memo = set() if memo is None else memo
        waiting = [(prefix, self)]
        while waiting:
            path, module = waiting.pop()
            if module in memo:
                continue
            if remove_duplicate:
                memo.add(module)
            yield path, module
            below = [(".".join(filter(None, (path, name))), child) for name, child in module._modules.items() if child is not None]
            waiting.extend(reversed(below))

    def modules(self, remove_duplicate=True):
        return (module for _, module in self.named_modules(None, "", remove_duplicate))
""",
        # inner function
        r"""
@mine.extend
class Module:
    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        if memo is None: memo = set()
        def walk(m, path):
            if m is None or m in memo: return
            remove_duplicate and memo.add(m)
            yield path, m
            for n, c in m._modules.items():
                yield from walk(c, f"{path}.{n}" if path else n)
        return walk(self, prefix)
    def modules(self, remove_duplicate=True):
        yield from dict.fromkeys(m for _, m in self.named_modules()) if remove_duplicate else (m for _, m in self.named_modules(remove_duplicate=False))
""",
    ],
    "07.3": [
        r"""
@mine.extend
class Module:
    def _named_members(self, get_members_fn, prefix="", recurse=True, remove_duplicate=True):
        memo = set()
        modules = (
            self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
            if recurse
            else [(prefix, self)]
        )
        for module_prefix, module in modules:
            members = get_members_fn(module)
            for k, v in members:
                if v is None or v in memo:
                    continue
                if remove_duplicate:
                    memo.add(v)
                name = module_prefix + ("." if module_prefix else "") + k
                yield name, v
""",
        r"""
@mine.extend
class Module:
    def _named_members(self, drawer, prefix="", recurse=True, remove_duplicate=True):
        walk = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        if not recurse:
            walk = iter([(prefix, self)])
        found = [(".".join(filter(None, (path, name))), value) for path, module in walk for name, value in drawer(module) if value is not None]
        if remove_duplicate:
            first = {}
            for name, value in found:
                first.setdefault(id(value), (name, value))
            found = list(first.values())
        return iter(found)
""",
        # break after first
        r"""
@mine.extend
class Module:
    def _named_members(self, members, prefix, recurse, remove_duplicate):
        seen = set()
        for path, module in self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate):
            for name, value in members(module):
                if value is not None and value not in seen:
                    if remove_duplicate: seen.add(value)
                    yield f"{path}.{name}" if path else name, value
            if not recurse: break
""",
        # genexp with setdefault
        r"""
@mine.extend
class Module:
    def _named_members(self, members, prefix, recurse, remove_duplicate):
        seen = {}
        walk = self.named_modules(None, prefix, remove_duplicate) if recurse else iter([(prefix, self)])
        pairs = ((".".join([*filter(None, [path])] + [name]), value) for path, module in walk for name, value in members(module) if value is not None)
        if not remove_duplicate:
            return pairs
        return ((name, value) for name, value in pairs if seen.setdefault(id(value), name) == name)
""",
    ],
    "07.4": [
        r"""
@mine.extend
class Module:
    def apply(self, fn):
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self
""",
        r"""
@mine.extend
class Module:
    def apply(self, fn):
        stack = [(self, self.children())]
        while stack:
            module, rest = stack[-1]
            child = next(rest, None)
            if child is None:
                stack.pop()
                fn(module)
            else:
                stack.append((child, child.children()))
        return self
""",
        # reduce
        r"""
@mine.extend
class Module:
    def apply(self, fn):
        from functools import reduce
        reduce(lambda _, c: c.apply(fn), self.children(), None)
        fn(self)
        return self
""",
        # own stack
        r"""
@mine.extend
class Module:
    def apply(self, fn):
        order, stack = [], [self]
        while stack:
            m = stack.pop()
            order.append(m)
            stack += list(m.children())
        for m in reversed(order):
            fn(m)
        return self
""",
    ],
    "07.5": [
        r"""
@mine.extend
class Module:
    def get_submodule(self, target):
        if target == "":
            return self
        atoms = target.split(".")
        mod = self
        for item in atoms:
            if not hasattr(mod, item):
                raise AttributeError(type(mod).__name__ + " has no attribute `" + item + "`")
            mod = getattr(mod, item)
            if not isinstance(mod, Module):
                raise AttributeError("`" + item + "` is not an nn.Module")
        return mod

    def get_parameter(self, target):
        module_path, _, param_name = target.rpartition(".")
        mod = self.get_submodule(module_path)
        if not hasattr(mod, param_name):
            raise AttributeError(type(mod).__name__ + " has no attribute `" + param_name + "`")
        param = getattr(mod, param_name)
        if not isinstance(param, Parameter):
            raise AttributeError("`" + param_name + "` is not an nn.Parameter")
        return param

    def get_buffer(self, target):
        module_path, _, buffer_name = target.rpartition(".")
        mod = self.get_submodule(module_path)
        if not hasattr(mod, buffer_name):
            raise AttributeError(type(mod).__name__ + " has no attribute `" + buffer_name + "`")
        buffer = getattr(mod, buffer_name)
        if buffer_name not in mod._buffers:
            raise AttributeError("`" + buffer_name + "` is not a buffer")
        return buffer
""",
        r"""
@mine.extend
class Module:
    def get_submodule(self, target):
        if not target:
            return self
        first, dot, rest = target.partition(".")
        child = getattr(self, first)
        if not isinstance(child, Module):
            raise AttributeError(f"{first} is a {type(child).__name__}")
        return child.get_submodule(rest) if rest or not dot else getattr(child, "")

    def get_parameter(self, target):
        *path, name = target.split(".")
        value = self.get_submodule(".".join(path))._parameters.get(name)
        if value is None:
            raise AttributeError(f"there is no Parameter {name}")
        return value

    def get_buffer(self, target):
        *path, name = target.split(".")
        try:
            return self.get_submodule(".".join(path))._buffers[name]
        except KeyError:
            raise AttributeError(f"there is no buffer {name}") from None
""",
        # recursion + match
        r"""
@mine.extend
class Module:
    def get_submodule(self, target):
        if target == "": return self
        name, dot, rest = target.partition(".")
        child = getattr(self, name)
        if not isinstance(child, Module):
            raise AttributeError(f"{name!r} isn't a Module")
        if dot and not rest:
            raise AttributeError("'' is missing")
        return child.get_submodule(rest)
    def get_parameter(self, target):
        return self._get(target, Parameter)
    def _get(self, target, kind):
        *names, last = target.split(".")
        match getattr(self.get_submodule(".".join(names)), last):
            case kind() as found: return found
        raise AttributeError(f"`{last}` isn't a {kind}")
    def get_buffer(self, target):
        *names, last = target.split(".")
        owner = self.get_submodule(".".join(names))
        if last in owner._buffers:
            return owner._buffers[last]
        raise AttributeError("no buffer called `%s`" % last)
""",
        # reduce with step
        r"""
@mine.extend
class Module:
    def get_submodule(self, target):
        from functools import reduce
        def step(module, name):
            found = getattr(module, name, None)
            if isinstance(found, Module): return found
            raise AttributeError(f"{name} is not a Module of {type(module).__name__}")
        return reduce(step, target.split(".") if target else (), self)
    def get_parameter(self, target):
        head, tail = target.rsplit(".", 1) if "." in target else ("", target)
        if isinstance(found := getattr(self.get_submodule(head), tail), Parameter):
            return found
        raise AttributeError(tail)
    def get_buffer(self, target):
        head, tail = target.rsplit(".", 1) if "." in target else ("", target)
        try:
            return self.get_submodule(head)._buffers[tail]
        except KeyError:
            raise AttributeError(f"{tail} is not a buffer") from None
""",
    ],
    "07.6": [
        r"""
@mine.extend
class Module:
    def add_module(self, name, module):
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{type(module).__name__} is not a Module subclass")
        elif not isinstance(name, str):
            raise TypeError(f"module name should be a string. Got {type(name).__name__}")
        elif hasattr(self, name) and name not in self._modules:
            raise KeyError(f"attribute '{name}' already exists")
        elif "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        elif name == "":
            raise KeyError('module name can\'t be empty string ""')
        self._modules[name] = module

    register_module = add_module

    def set_submodule(self, target, module, strict=False):
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        atoms = target.split(".")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        parent = self if len(atoms) == 1 else self.get_submodule(".".join(atoms[:-1]))
        if strict and not hasattr(parent, atoms[-1]):
            raise AttributeError(type(parent).__name__ + " has no attribute `" + atoms[-1] + "`")
        if hasattr(parent, atoms[-1]):
            mod = getattr(parent, atoms[-1])
            if not isinstance(mod, Module):
                raise AttributeError("`" + atoms[-1] + "` is not an nn.Module")
        setattr(parent, atoms[-1], module)
""",
        r"""
@mine.extend
class Module:
    def add_module(self, name, module):
        if module is None or isinstance(module, Module):
            self._check_name(name, self._modules)
            self._modules |= {name: module}
        else:
            raise TypeError(f"{name}: {module!r} is not a Module")

    def register_module(self, name, module):
        return Module.add_module(self, name, module)

    def set_submodule(self, target, module, strict=False):
        *path, name = target.split(".")
        if not target or not isinstance(module, Module):
            raise ValueError("no path, or no Module")
        parent = self.get_submodule(".".join(path))
        there = getattr(parent, name) if strict else getattr(parent, name, module)
        if not isinstance(there, Module):
            raise AttributeError(f"{name} is not a Module")
        parent.__setattr__(name, module)
""",
        # alias
        r"""
@mine.extend
class Module:
    def add_module(self, name, module):
        self._check_name(name, self._modules)
        match module:
            case None | Module(): self._modules |= {name: module}
            case other: raise TypeError(f"{other!r}")
    register_module = add_module
    def set_submodule(self, target, module, strict=False):
        if not (target and isinstance(module, Module)):
            raise ValueError(target)
        *names, last = target.split(".")
        parent = self.get_submodule(".".join(names))
        if hasattr(parent, last) or strict:
            parent.get_submodule(last)
        parent.__setattr__(last, module)
""",
    ],
}
