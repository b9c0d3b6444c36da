"""Right answers to the exercises of chapter 08."""

from __future__ import annotations

RIGHT = {
    "08.1": [
        r"""
@mine.extend
def find_orphans(model):
    known = {id(module) for module in model.modules()}
    orphans = []
    for path, module in model.named_modules():
        for name, value in vars(module).items():
            waiting, opened = [value], set()
            while waiting:
                item = waiting.pop(0)
                if isinstance(item, Module):
                    if id(item) not in known:
                        known.add(id(item))
                        orphans.append((".".join(filter(None, [path, name])), item))
                elif id(item) in opened:
                    continue
                elif isinstance(item, (list, tuple, set, frozenset)):
                    opened.add(id(item))
                    waiting[:0] = item
                elif isinstance(item, dict):
                    opened.add(id(item))
                    waiting[:0] = item.values()
    return orphans
""",
        r"""
def _inside(value, parents=()):
    if isinstance(value, Module):
        yield value
    elif id(value) in parents:
        return
    elif isinstance(value, dict):
        for item in value.values():
            yield from _inside(item, (*parents, id(value)))
    elif isinstance(value, (list, tuple, set)):
        for item in value:
            yield from _inside(item, (*parents, id(value)))


@mine.extend
def find_orphans(model):
    tree, found = list(model.modules()), []
    for path, module in list(model.named_modules()):
        for name, value in list(module.__dict__.items()):
            if name in ("_modules", "_parameters", "_buffers"):
                continue
            for orphan in _inside(value):
                if not any(orphan is m for m in tree) and not any(orphan is m for _, m in found):
                    found.append((path + "." + name if path else name, orphan))
    return found
""",
    ],
    "08.2": [
        r"""
@mine.extend
class ModuleList(Module):
    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self += modules

    def __iadd__(self, modules):
        return self.extend(modules)

    def append(self, module):
        self.add_module(str(len(self._modules)), module)
        return self

    def extend(self, modules):
        if not hasattr(modules, "__iter__"):
            raise TypeError(f"extend takes an iterable, not {type(modules).__name__}")
        offset = len(self)
        for i, module in enumerate(modules):
            self.add_module(str(offset + i), module)
        return self

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        yield from self._modules.values()

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self.__class__(list(self._modules.values())[index])
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range")
        return self._modules[str(index % len(self))]
""",
    ],
    "08.3": [
        r"""
@mine.extend
class ModuleDict(Module):
    def __init__(self, modules=()):
        super().__init__()
        self.update(modules)

    def update(self, modules):
        for key, module in dict(modules).items():
            self.add_module(key, module)

    def __getitem__(self, key):
        try:
            return self._modules[key]
        except KeyError:
            raise KeyError(f"there is no {key!r}, only {list(self)}") from None

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        if key not in self:
            raise KeyError(key)
        delattr(self, key)

    def __len__(self):
        return self._modules.__len__()

    def __iter__(self):
        return iter(self.keys())

    def __contains__(self, key):
        return key in self._modules

    def keys(self):
        return list(self._modules)

    def items(self):
        return list(self._modules.items())

    def values(self):
        return [self[key] for key in self]
""",
    ],
    "08.4": [
        r"""
@mine.extend
class Sequential(Module):
    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for key, module in args[0].items():
                self.add_module(key, module)
        else:
            for idx, module in enumerate(args):
                self.append(module)

    def forward(self, input):
        for name in self._modules:
            input = self._modules[name](input)
        return input

    def append(self, module):
        self.add_module(f"{len(self)}", module)
        return self

    def __len__(self):
        return sum(1 for _ in self)

    def __iter__(self):
        for module in list(self._modules.values()):
            yield module
""",
    ],
    "08.5": [
        r"""
@mine.extend
class Sequential(Module):
    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return list(self)[index]

    def __setitem__(self, index, layer):
        if layer is not None and not isinstance(layer, Module):
            raise TypeError("not a Module")
        setattr(self, list(self._modules)[index], layer)

    def __delitem__(self, index):
        layers = list(self)
        del layers[index]
        self._modules.clear()
        for layer in layers:
            self.append(layer)
""",
        r"""
from itertools import islice

@mine.extend
class Sequential(Module):
    def _name(self, index):
        names = tuple(self._modules)
        return names[index]

    def __getitem__(self, index):
        if isinstance(index, slice):
            new = type(self)()
            for name in self._name(index):
                new.add_module(name, self._modules[name])
            return new
        return self._modules[self._name(index)]

    def __setitem__(self, index, layer):
        setattr(self, self._name(index), layer)

    def __delitem__(self, index):
        gone = self._name(index) if isinstance(index, slice) else (self._name(index),)
        left = [layer for name, layer in self._modules.items() if name not in gone]
        self._modules = {str(number): layer for number, layer in enumerate(left)}
""",
    ],
}
