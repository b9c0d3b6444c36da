"""Right answers in styles of their own, as whole cells: no check may refuse one."""

from __future__ import annotations

from early_right_answers import EARLY

RIGHT = EARLY | {
    "02.1": [
        r"""
@mine.extend
class Module:

    def __setattr__(self, name, value):
        d = self.__dict__
        if isinstance(value, Parameter):
            d['_parameters'][name] = value
        elif isinstance(value, Module):
            d['_modules'][name] = value
        else:
            object.__setattr__(self, name, value)
""",
        r"""
@mine.extend
class Module:

    def __setattr__(self, name, value):
        match value:
            case Parameter():
                self._parameters[name] = value
            case Module():
                self._modules[name] = value
            case _:
                super().__setattr__(name, value)
""",
        r"""
@mine.extend
class Module:

    def _drawer(self, value):
        if isinstance(value, Parameter):
            return self._parameters
        if isinstance(value, Module):
            return self._modules

    def __setattr__(self, name, value):
        drawer = self._drawer(value)
        if drawer is not None:
            drawer[name] = value
            return
        super(Module, self).__setattr__(name, value)
""",
        r"""
@mine.extend
class Module:

    def __setattr__(self, name, value):
        print('storing', name)
        if isinstance(value, Parameter):
            self._parameters[name] = value
        elif isinstance(value, Module):
            self._modules[name] = value
        else:
            super().__setattr__(name, value)
""",
        r"""
@mine.extend
class Module:

    def __setattr__(self, name, value):
        if isinstance(value, Parameter):
            self._parameters.update({name: value})
        elif isinstance(value, Module):
            self._modules.update({name: value})
        else:
            return super().__setattr__(name, value)
""",
        r"""
@mine.extend
class Module:

    def __setattr__(self, name, value):
        homes = {Parameter: self._parameters, Module: self._modules}
        for kind, home in homes.items():
            if isinstance(value, kind):
                home[name] = value
                break
        else:
            object.__setattr__(self, name, value)
""",
        r"""
@mine.extend
class Module:

    def __setattr__(self, name, value):
        if issubclass(type(value), Parameter):
            self._parameters[name] = value
        elif issubclass(type(value), Module):
            self._modules[name] = value
        else:
            super().__setattr__(name, value)
""",
        r"""
@mine.extend
class Module:

    def __setattr__(self, name, value):
        self.__dict__['count'] = self.__dict__.get('count', 0) + 1
        if isinstance(value, Parameter):
            self._parameters[name] = value
        elif isinstance(value, Module):
            self._modules[name] = value
        else:
            super().__setattr__(name, value)
""",
    ],
    "02.2": [
        r"""
@mine.extend
class Module:

    def __setattr__(self, name, value):
        if isinstance(value, Parameter):
            self._make_room(name, keep=self._parameters)
            self._parameters[name] = value
        elif isinstance(value, Module):
            self._make_room(name, keep=self._modules)
            self._modules[name] = value
        else:
            super().__setattr__(name, value)

    def _make_room(self, name, keep):
        for place in [self.__dict__, self._parameters, self._buffers, self._modules]:
            if place is not keep and name in place:
                del place[name]
""",
        r"""
@mine.extend
class Module:

    def __setattr__(self, name, value):
        if isinstance(value, Parameter):
            for d in (self.__dict__, self._buffers, self._modules):
                d.pop(name, None)
            self._parameters[name] = value
        elif isinstance(value, Module):
            for d in (self.__dict__, self._buffers, self._parameters):
                d.pop(name, None)
            self._modules[name] = value
        else:
            super().__setattr__(name, value)
""",
        r"""
@mine.extend
class Module:

    def __setattr__(self, name, value):
        if isinstance(value, Parameter):
            self._make_room(name, keep=self._parameters)
            self._parameters[name] = value
        elif isinstance(value, Module):
            self._make_room(name, keep=self._modules)
            self._modules[name] = value
        else:
            super().__setattr__(name, value)

    def _make_room(self, name, keep):
        places = (vars(self), self._parameters, self._buffers, self._modules)
        [p.pop(name, None) for p in places if id(p) != id(keep)]
""",
        r"""
@mine.extend
class Module:

    def __setattr__(self, name, value):
        if isinstance(value, Parameter):
            self._make_room(name, keep=self._parameters)
            self._parameters[name] = value
        elif isinstance(value, Module):
            self._make_room(name, keep=self._modules)
            self._modules[name] = value
        else:
            super().__setattr__(name, value)

    def _make_room(self, name, keep):
        for place in (self.__dict__, self._parameters, self._buffers, self._modules):
            if place is keep:
                continue
            try:
                del place[name]
            except KeyError:
                pass
""",
        r"""
@mine.extend
class Module:

    def __setattr__(self, name, value):
        if isinstance(value, Parameter):
            self._make_room(name, keep=self._parameters)
            self._parameters[name] = value
        elif isinstance(value, Module):
            self._make_room(name, keep=self._modules)
            self._modules[name] = value
        else:
            super().__setattr__(name, value)

    def _make_room(self, name, keep):
        for key in ('_parameters', '_buffers', '_modules'):
            d = self.__dict__[key]
            if d is not keep and name in d:
                d.pop(name)
        self.__dict__.pop(name, None)
""",
        r"""
@mine.extend
class Module:

    def __setattr__(self, name, value):
        if isinstance(value, Parameter):
            self._make_room(name, keep=self._parameters)
            self._parameters[name] = value
        elif isinstance(value, Module):
            self._make_room(name, keep=self._modules)
            self._modules[name] = value
        else:
            self._make_room(name, keep=self.__dict__)
            super().__setattr__(name, value)

    def _make_room(self, name, keep):
        for place in (self.__dict__, self._parameters, self._buffers, self._modules):
            if place is not keep:
                place.pop(name, None)
""",
    ],
    "02.3": [
        r"""
@mine.extend
class Module:

    def __setattr__(self, name, value):
        d = self.__dict__
        if isinstance(value, (Parameter, Module)) and '_parameters' not in d:
            raise AttributeError('cannot assign ' + name + ' before Module.__init__() call: super().__init__() is missing')
        params, mods, bufs = (d.get('_parameters'), d.get('_modules'), d.get('_buffers'))
        if isinstance(value, Parameter):
            self._make_room(name, params)
            params[name] = value
        elif params is not None and name in params:
            if value is not None:
                raise TypeError(f'cannot assign {type(value)} as parameter {name!r}')
            params[name] = value
        elif isinstance(value, Module):
            self._make_room(name, mods)
            mods[name] = value
        elif mods is not None and name in mods:
            if value is not None:
                raise TypeError(f'cannot assign {type(value)} as child {name!r}')
            mods[name] = value
        elif bufs is not None and name in bufs:
            if value is not None and (not isinstance(value, Tensor)):
                raise TypeError(f'cannot assign as buffer {name!r}')
            bufs[name] = value
        else:
            super().__setattr__(name, value)
""",
        r"""
@mine.extend
class Module:

    def __setattr__(self, name, value):

        def remove_from(*dicts):
            for d in dicts:
                if name in d:
                    del d[name]
        params = self.__dict__.get('_parameters')
        if isinstance(value, Parameter):
            if params is None:
                raise AttributeError('cannot assign parameters before Module.__init__() call; ' + name)
            remove_from(self.__dict__, self._buffers, self._modules)
            self._parameters[name] = value
        elif params is not None and name in params:
            if value is not None:
                raise TypeError(f"cannot assign '{name}'")
            self._parameters[name] = None
        else:
            modules = self.__dict__.get('_modules')
            if isinstance(value, Module):
                if modules is None:
                    raise AttributeError('cannot assign module before Module.__init__() call; ' + name)
                remove_from(self.__dict__, self._parameters, self._buffers)
                modules[name] = value
            elif modules is not None and name in modules:
                if value is not None:
                    raise TypeError(f"cannot assign '{name}'")
                modules[name] = value
            else:
                buffers = self.__dict__.get('_buffers')
                if buffers is not None and name in buffers:
                    if value is not None and (not isinstance(value, Tensor)):
                        raise TypeError(f"cannot assign '{name}'")
                    buffers[name] = value
                else:
                    super().__setattr__(name, value)
""",
        r"""
@mine.extend
class Module:

    def __setattr__(self, name, value):
        d = self.__dict__
        if isinstance(value, (Parameter, Module)) and '_parameters' not in d:
            raise AttributeError('you forgot super().__init__()')
        params, mods, bufs = (d.get('_parameters'), d.get('_modules'), d.get('_buffers'))
        if isinstance(value, Parameter):
            self._make_room(name, params)
            params[name] = value
        elif params is not None and name in params:
            if value is not None:
                raise TypeError(f'cannot assign {type(value)} as parameter {name!r}')
            params[name] = value
        elif isinstance(value, Module):
            self._make_room(name, mods)
            mods[name] = value
        elif mods is not None and name in mods:
            if value is not None:
                raise TypeError(f'cannot assign {type(value)} as child {name!r}')
            mods[name] = value
        elif bufs is not None and name in bufs:
            if value is not None and (not isinstance(value, Tensor)):
                raise TypeError(f'cannot assign as buffer {name!r}')
            bufs[name] = value
        else:
            super().__setattr__(name, value)
""",
        r"""
@mine.extend
class Module:

    def _store(self, name, value):
        d = self.__dict__
        if isinstance(value, (Parameter, Module)) and '_parameters' not in d:
            raise AttributeError('cannot assign ' + name + ' before Module.__init__() call: super().__init__() is missing')
        params, mods, bufs = (d.get('_parameters'), d.get('_modules'), d.get('_buffers'))
        if isinstance(value, Parameter):
            self._make_room(name, params)
            params[name] = value
        elif params is not None and name in params:
            if value is not None:
                raise TypeError(f'cannot assign {type(value)} as parameter {name!r}')
            params[name] = value
        elif isinstance(value, Module):
            self._make_room(name, mods)
            mods[name] = value
        elif mods is not None and name in mods:
            if value is not None:
                raise TypeError(f'cannot assign {type(value)} as child {name!r}')
            mods[name] = value
        elif bufs is not None and name in bufs:
            if value is not None and (not isinstance(value, Tensor)):
                raise TypeError(f'cannot assign as buffer {name!r}')
            bufs[name] = value
        else:
            object.__setattr__(self, name, value)

    def __setattr__(self, name, value):
        return self._store(name, value)
""",
        r"""
class Refused(TypeError):
    pass

@mine.extend
class Module:

    def __setattr__(self, name, value):
        d = self.__dict__
        if isinstance(value, (Parameter, Module)) and '_parameters' not in d:
            raise AttributeError('cannot assign ' + name + ' before Module.__init__() call: super().__init__() is missing')
        params, mods, bufs = (d.get('_parameters'), d.get('_modules'), d.get('_buffers'))
        if isinstance(value, Parameter):
            self._make_room(name, params)
            params[name] = value
        elif params is not None and name in params:
            if value is not None:
                raise Refused(name)
            params[name] = value
        elif isinstance(value, Module):
            self._make_room(name, mods)
            mods[name] = value
        elif mods is not None and name in mods:
            if value is not None:
                raise TypeError(f'cannot assign {type(value)} as child {name!r}')
            mods[name] = value
        elif bufs is not None and name in bufs:
            if value is not None and (not isinstance(value, Tensor)):
                raise TypeError(f'cannot assign as buffer {name!r}')
            bufs[name] = value
        else:
            super().__setattr__(name, value)
""",
    ],
    "03.1": [
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
    ],
    "03.2": [
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
        lines += [f"({k}): {v}" for k, v in self._modules.items()]
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
            lines += f"({name}): {child}".split("\n")
        return "\n".join([type(self).__name__ + "(", *("  " + line for line in lines), ")"])
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
    ],
}
