"""Right answers to the exercises of chapter 02."""

from __future__ import annotations

_SORTING = r"""
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

"""

RIGHT = {
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
        _SORTING
        + r"""    def _make_room(self, name, keep):
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
        _SORTING
        + r"""    def _make_room(self, name, keep):
        places = (vars(self), self._parameters, self._buffers, self._modules)
        [p.pop(name, None) for p in places if id(p) != id(keep)]
""",
        _SORTING
        + r"""    def _make_room(self, name, keep):
        for place in (self.__dict__, self._parameters, self._buffers, self._modules):
            if place is keep:
                continue
            try:
                del place[name]
            except KeyError:
                pass
""",
        _SORTING
        + r"""    def _make_room(self, name, keep):
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
        r"""
@mine.extend
class Module:
    def __setattr__(self, name, value):
        slots = vars(self)
        p, m, b = (slots.get(k, {}) for k in ("_parameters", "_modules", "_buffers"))
        match value:
            case Parameter() | Module() if "_modules" not in slots:
                raise AttributeError(f"no drawers for {name}: super().__init__() hasn't run")
            case Parameter():
                self._make_room(name, keep=p)
                p[name] = value
            case None if name in p:
                p[name] = None
            case _ if name in p:
                raise TypeError(f"{name!r} takes a Parameter or None")
            case Module():
                self._make_room(name, keep=m)
                m[name] = value
            case None if name in m:
                m[name] = None
            case _ if name in m:
                raise TypeError(f"{name!r} takes a Module or None")
            case None | Tensor() if name in b:
                b[name] = value
            case _ if name in b:
                raise TypeError(f"{name!r} takes a tensor or None")
            case _:
                super().__setattr__(name, value)
""",
    ],
}
