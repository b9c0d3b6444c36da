"""Right answers to the exercises of chapter 03."""

from __future__ import annotations

_FETCHING = [
    r"""
@mine.extend
class Module:

    def __getattr__(self, name):
        for key in ('_parameters', '_buffers', '_modules'):
            drawer = self.__dict__.get(key, {})
            if name in drawer:
                return drawer[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
""",
    r"""
from collections import ChainMap

@mine.extend
class Module:

    def __getattr__(self, name):
        d = self.__dict__
        both = ChainMap(*(d[k] for k in ('_parameters', '_buffers', '_modules') if k in d))
        try:
            return both[name]
        except KeyError:
            raise AttributeError(f'{type(self).__name__} has no attribute {name}') from None
""",
    r"""
@mine.extend
class Module:

    def __getattr__(self, name):
        for key in ('_parameters', '_buffers', '_modules'):
            if key in vars(self) and name in vars(self)[key]:
                return vars(self)[key][name]
        return object.__getattribute__(self, name)
""",
    r"""
_no = object()

@mine.extend
class Module:

    def __getattr__(self, name):
        d = self.__dict__
        for key in ('_modules', '_buffers', '_parameters'):
            found = d.get(key, {}).get(name, _no)
            if found is not _no:
                return found
        raise AttributeError(type(self).__name__ + ' object has no attribute ' + repr(name))
""",
    r"""
class Missing(AttributeError):
    pass

@mine.extend
class Module:

    def __getattr__(self, name):
        for key in ('_parameters', '_buffers', '_modules'):
            drawer = self.__dict__.get(key, {})
            if name in drawer:
                return drawer[name]
        raise Missing(f"'{self.__class__.__name__}' object has no attribute '{name}'")
""",
    r"""
@mine.extend
class Module:

    def __getattr__(self, name):
        for key in ('_parameters', '_buffers', '_modules'):
            drawer = self.__dict__.get(key, {})
            if name in drawer:
                return drawer[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)
""",
    r"""
@mine.extend
class Module:

    def _drawers(self):
        return [self.__dict__.get(k, {}) for k in ('_parameters', '_buffers', '_modules')]

    def __getattr__(self, name):
        for d in self._drawers():
            if name in d:
                return d[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
""",
]

RIGHT = {
    "03.1": [
        *_FETCHING,
        r"""
@mine.extend
class Module:

    def __getattr__(self, name):
        if name in self._parameters:
            return self._parameters[name]
        elif name in self._buffers:
            return self._buffers[name]
        elif name in self._modules:
            return self._modules[name]
        else:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
""",
        r"""
@mine.extend
class Module:
    def __getattr__(self, name):
        for d in (self._parameters, self._buffers, self._modules):
            if name in d: return d[name]
        return object.__getattribute__(self, name)
""",
    ],
    "03.2": [
        *_FETCHING,
        r"""
import copy

@mine.extend
class Module:

    def __getattr__(self, name):
        for key in ('_parameters', '_buffers', '_modules'):
            drawer = self.__dict__.get(key, {})
            if name in drawer:
                return drawer[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __deepcopy__(self, memo):
        new = object.__new__(type(self))
        memo[id(self)] = new
        new.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return new
""",
        r"""
@mine.extend
class Module:

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        for key in ('_parameters', '_buffers', '_modules'):
            drawer = self.__dict__.get(key, {})
            if name in drawer:
                return drawer[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
""",
    ],
    "03.3": [
        r"""
@mine.extend
class Module:

    def __delattr__(self, name):
        for key in ('_parameters', '_buffers', '_modules'):
            if name in self.__dict__[key]:
                del self.__dict__[key][name]
                return
        super().__delattr__(name)
""",
        r"""
@mine.extend
class Module:

    def __delattr__(self, name):
        for key in ('_parameters', '_buffers', '_modules'):
            if name in self.__dict__[key]:
                del self.__dict__[key][name]
                return
        object.__delattr__(self, name)
""",
        r"""
@mine.extend
class Module:

    def __delattr__(self, name):
        for key in ('_parameters', '_buffers', '_modules'):
            if name in self.__dict__[key]:
                self.__dict__[key].pop(name)
                return
        super().__delattr__(name)
""",
        r"""
@mine.extend
class Module:

    def __delattr__(self, name):
        for key in ('_parameters', '_buffers', '_modules'):
            if name in self.__dict__[key]:
                del self.__dict__[key][name]
                return
        return super().__delattr__(name)
""",
        r"""
@mine.extend
class Module:

    def __delattr__(self, name):
        for key in ('_parameters', '_buffers', '_modules'):
            if name in self.__dict__.get(key, {}):
                del self.__dict__[key][name]
                return
        super().__delattr__(name)
""",
        r"""
@mine.extend
class Module:

    def __delattr__(self, name):
        home = next((d for d in (self._parameters, self._buffers, self._modules) if name in d), None)
        if home is None:
            super().__delattr__(name)
        else:
            home.pop(name)
""",
    ],
    "03.4": [
        r"""
@mine.extend
class Module:

    def __dir__(self):
        names = set(super().__dir__())
        for key in ('_parameters', '_buffers', '_modules'):
            names |= set(self.__dict__[key])
        return sorted((n for n in names if not n[0].isdigit()))
""",
        r"""
@mine.extend
class Module:

    def __dir__(self):
        names = set(object.__dir__(self))
        for key in ('_parameters', '_buffers', '_modules'):
            names |= set(self.__dict__[key])
        return sorted((n for n in names if not n[0].isdigit()))
""",
        r"""
@mine.extend
class Module:

    def __dir__(self):
        names = set(super().__dir__())
        for key in ('_parameters', '_buffers', '_modules'):
            names |= set(self.__dict__[key])
        return list((n for n in names if not n[0].isdigit()))
""",
        r"""
@mine.extend
class Module:

    def __dir__(self):
        names = set(super().__dir__())
        for key in ('_parameters', '_buffers', '_modules'):
            names |= set(self.__dict__[key])
        return {n for n in names if not n[0].isdigit()}
""",
        r"""
@mine.extend
class Module:

    def __dir__(self):
        keys = dir(self.__class__) + list(self.__dict__.keys()) + list(self._parameters.keys()) + list(self._modules.keys()) + list(self._buffers.keys())
        return sorted({key for key in keys if not key[0].isdigit()})
""",
        r"""
@mine.extend
class Module:

    def __dir__(self):
        names = set(super().__dir__())
        for key in ('_parameters', '_buffers', '_modules'):
            names |= set(self.__dict__[key])
        return sorted((n for n in names if not n[0] in '0123456789'))
""",
        r"""
@mine.extend
class Module:

    def __dir__(self):
        names = dict.fromkeys([*super().__dir__(), *self._parameters, *self._buffers, *self._modules])
        return [n for n in names if not n[:1].isdigit()]
""",
        r"""
@mine.extend
class Module:

    def __dir__(self):
        names = set(super().__dir__())
        for key in ('_parameters', '_buffers', '_modules'):
            names |= set(self.__dict__[key])
        return (n for n in names if not n[0].isdigit())
""",
    ],
}
