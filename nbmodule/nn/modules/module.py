"""`Module`: an object that keeps books on what it is made of.

A Module is a node of a tree. What it learns, remembers and consists of lies in three dictionaries,
``_parameters``, ``_buffers`` and ``_modules``; `__setattr__` sorts every assignment into them, `__getattr__`
finds it again, and everything else (`parameters`, `train`, `apply`, ...) walks over them.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html
"""

from __future__ import annotations

import importlib
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from ..._tensor import Tensor, parse_to
from ...utils.hooks import RemovableHandle
from ..parameter import Buffer, Parameter
from . import _global_hooks
from ._global_hooks import (
    passed_through,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)

__all__ = [
    "Module",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

T = TypeVar("T", bound="Module")

_HINT = "\nThe drawers of a Module are made by Module.__init__: call super().__init__() first."


def _type_name(value: object) -> str:
    """Return the name of a type as PyTorch's messages write it."""
    if type(value) is Tensor:
        return value.type()
    kind = value if isinstance(value, type) else type(value)
    prefix = "" if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}."
    return prefix + kind.__name__


class Module:
    """The base class of everything that is built of parameters and of other modules.

    A subclass creates its parts in ``__init__``, after ``super().__init__()``, and says in ``forward`` what
    a call computes.

    Attributes:
        training: True after `train`, False after `eval`; layers such as Dropout look at it.
        call_super_init: a class that sets this to True passes stray arguments on to the next class in
            line, which cooperative multiple inheritance needs.

    Example:
        >>> import nbmodule.nn as nn
        >>> class Net(nn.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.fc = nn.Linear(4, 2)
        ...     def forward(self, x):
        ...         return self.fc(x)
        >>> Net()
        Net(
          (fc): Linear(in_features=4, out_features=2, bias=True)
        )
    """

    dump_patches: bool = False
    _version: int = 1
    call_super_init: bool = False

    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _non_persistent_buffers_set: set[str]
    _modules: dict[str, Module | None]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init:
            _refuse_stray_arguments(type(self).__name__, args, kwargs)
        # Past our own __setattr__: it looks into drawers that are only being made.
        new_slot = super().__setattr__
        new_slot("training", True)
        new_slot("_parameters", {})
        new_slot("_buffers", {})
        new_slot("_non_persistent_buffers_set", set())
        new_slot("_backward_pre_hooks", OrderedDict())
        new_slot("_backward_hooks", OrderedDict())
        new_slot("_is_full_backward_hook", None)
        new_slot("_forward_hooks", OrderedDict())
        new_slot("_forward_hooks_with_kwargs", OrderedDict())
        new_slot("_forward_hooks_always_called", OrderedDict())
        new_slot("_forward_pre_hooks", OrderedDict())
        new_slot("_forward_pre_hooks_with_kwargs", OrderedDict())
        new_slot("_state_dict_hooks", OrderedDict())
        new_slot("_state_dict_pre_hooks", OrderedDict())
        new_slot("_load_state_dict_pre_hooks", OrderedDict())
        new_slot("_load_state_dict_post_hooks", OrderedDict())
        new_slot("_modules", {})
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    # ---- the clerk: attributes go into drawers, and are found there

    def __setattr__(self, name: str, value: Any) -> None:
        """Sort `value` into the drawer for its kind; a name lives in one place only."""
        slots = self.__dict__
        parameters, modules, buffers = map(slots.get, ("_parameters", "_modules", "_buffers"))
        if isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError(
                    "cannot assign parameters before Module.__init__() call" + _HINT
                )
            self._evict(name, keep=parameters)
            self.register_parameter(name, value)
        elif parameters is not None and name in parameters:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{_type_name(value)}' as parameter '{name}' "
                    "(nbmodule.nn.Parameter or None expected)"
                )
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            if modules is None:
                raise AttributeError("cannot assign module before Module.__init__() call" + _HINT)
            self._evict(name, keep=modules)
            self._put_child(name, value)
        elif modules is not None and name in modules:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{_type_name(value)}' as child module '{name}' "
                    "(nbmodule.nn.Module or None expected)"
                )
            self._put_child(name, value)
        elif isinstance(value, Buffer) or (buffers is not None and name in buffers):
            self._set_buffer(name, value)
        else:
            super().__setattr__(name, value)

    def _put_child(self, name: str, child: Any) -> None:
        hooks = _global_hooks.module_registration
        self._modules[name] = passed_through(hooks, self, name, child) if hooks else child

    def _set_buffer(self, name: str, value: Any) -> None:
        """Put a tensor (or None) into ``_buffers``; an old name stays persistent or not, as it was."""
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(
                f"cannot assign '{_type_name(value)}' as buffer '{name}' "
                "(nbmodule.nn.Buffer, nbmodule.Tensor or None expected)"
            )
        if isinstance(value, Buffer):
            persistent = value.persistent  # type: ignore[attr-defined]
        else:
            persistent = name not in self._non_persistent_buffers_set
        self.register_buffer(name, value, persistent)

    def _evict(self, name: str, keep: dict[str, Any]) -> None:
        """Take `name` out of every place but the drawer `keep`."""
        for place in (self.__dict__, self._parameters, self._buffers, self._modules):
            if place is not keep:
                place.pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def __getattr__(self, name: str) -> Any:
        """Look into the drawers. Python asks only after the ordinary places have failed."""
        slots = self.__dict__
        for drawer in ("_parameters", "_buffers", "_modules"):
            if drawer in slots and name in slots[drawer]:
                return slots[drawer][name]
        hint = _HINT if name in Module.__annotations__ and "_modules" not in slots else ""
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'{hint}")

    def __delattr__(self, name: str) -> None:
        """Delete from the drawer that holds `name`, or as from any object."""
        if name in self._parameters:
            del self._parameters[name]
        elif name in self._buffers:
            del self._buffers[name]
            self._non_persistent_buffers_set.discard(name)
        elif name in self._modules:
            del self._modules[name]
        else:
            super().__delattr__(name)

    def __dir__(self) -> list[str]:
        """List also what lies in the drawers, except names such as "0" that cannot be typed."""
        names = [*dir(type(self)), *self.__dict__]
        for drawer in (self._parameters, self._modules, self._buffers):
            names += drawer
        return sorted(name for name in names if not name[0].isdigit())

    # ---- registration

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter under `name`; None keeps the place for an optional one.

        Raises:
            AttributeError: ``super().__init__()`` was not called yet.
            KeyError: `name` is empty, contains ".", or belongs to something else.
            TypeError: `name` is not a string, or `param` is not a Parameter.
            ValueError: `param` was made by a recorded operation.
        """
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call" + _HINT)
        self._check_name("parameter", name, self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{_type_name(param)}' object to parameter '{name}' "
                "(nbmodule.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created "
                f"explicitly. To express '{name}' as a function of another Tensor, compute the value in "
                "the forward() method."
            )
        if param is not None:
            param = passed_through(_global_hooks.parameter_registration, self, name, param)
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that belongs to the state but is not learned, such as a running mean.

        Args:
            name: under which ``module.name`` finds it.
            tensor: its value; None keeps the place.
            persistent: whether ``state_dict()`` holds it.

        Raises:
            AttributeError: ``super().__init__()`` was not called yet.
            KeyError: `name` is empty, contains ".", or belongs to something else.
            TypeError: `name` is not a string, or `tensor` is not a Tensor.
        """
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call" + _HINT)
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{_type_name(tensor)}' object to buffer '{name}' "
                "(nbmodule Tensor or None required)"
            )
        self._buffers[name] = passed_through(_global_hooks.buffer_registration, self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a child under `name`; ``module.name`` finds it.

        Raises:
            TypeError: `module` is not a Module, or `name` not a string.
            KeyError: `name` is empty, contains ".", or belongs to something else.
        """
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{_type_name(module)} is not a Module subclass")
        self._check_name("module", name, self._modules)
        self._put_child(name, module)

    def register_module(self, name: str, module: Module | None) -> None:
        """Do what `add_module` does, under the name that fits its sisters."""
        self.add_module(name, module)

    def _check_name(self, kind: str, name: str, drawer: dict[str, Any]) -> None:
        """Raise unless `name` can be the name of an entry in `drawer`."""
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {_type_name(name)}")
        if "." in name:
            got = f", got: {name}" if kind == "module" else ""
            raise KeyError(f'{kind} name can\'t contain "."{got}')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if name not in drawer and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")

    # ---- calling

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Say what a call computes. Every subclass that is called defines it.

        Call the module itself, ``module(x)``, not ``module.forward(x)``, which runs no hooks.
        """
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the forward pre-hooks, `forward`, and the forward hooks."""
        if not (
            self._forward_pre_hooks
            or self._forward_hooks
            or _global_hooks.forward_pre
            or _global_hooks.forward
        ):
            return self.forward(*args, **kwargs)
        return self._call_with_hooks(args, kwargs)

    def _call_with_hooks(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        result, done = None, set()
        try:
            args, kwargs = self._run_pre_hooks(args, kwargs)
            result = self.forward(*args, **kwargs)
            for number, hook in (*_global_hooks.forward.items(), *self._forward_hooks.items()):
                done.add(number)
                changed = self._run_hook(number, hook, args, kwargs, result)
                result = result if changed is None else changed
            return result
        except Exception:
            self._run_always_called(done, args, kwargs, result)
            raise

    def _run_pre_hooks(self, args: tuple, kwargs: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
        """Return the arguments as the pre-hooks, each after the other, have changed them."""
        for number, hook in (*_global_hooks.forward_pre.items(), *self._forward_pre_hooks.items()):
            if number in self._forward_pre_hooks_with_kwargs:
                changed = hook(self, args, kwargs)
                if changed is None:
                    continue
                if not (isinstance(changed, tuple) and len(changed) == 2):
                    raise RuntimeError(
                        "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got "
                        f"{changed}."
                    )
                args, kwargs = changed
            else:
                changed = hook(self, args)
                if changed is not None:
                    args = changed if isinstance(changed, tuple) else (changed,)
        return args, kwargs

    def _run_hook(self, number: int, hook: Callable, args: tuple, kwargs: dict[str, Any], result: Any) -> Any:  # fmt: skip
        if number in self._forward_hooks_with_kwargs or number in _global_hooks.forward_with_kwargs:
            return hook(self, args, kwargs, result)
        return hook(self, args, result)

    def _run_always_called(self, done: set[int], args: tuple, kwargs: dict[str, Any], result: Any) -> None:  # fmt: skip
        """After an error: run the hooks that asked for it and have not run yet."""
        for everywhere, hooks, asked in (
            ("global ", _global_hooks.forward, _global_hooks.forward_always_called),
            ("", self._forward_hooks, self._forward_hooks_always_called),
        ):
            for number in (n for n in hooks if n in asked and n not in done):
                try:
                    self._run_hook(number, hooks[number], args, kwargs, result)
                except Exception as error:
                    warnings.warn(
                        f"{everywhere}module forward hook with ``always_call=True`` raised an exception "
                        f"that was silenced as another error was raised in forward: {error}",
                        stacklevel=2,
                    )

    def register_forward_pre_hook(self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False) -> RemovableHandle:  # fmt: skip
        """Have ``hook(module, args)`` run before `forward`; what it returns replaces the arguments.

        Args:
            hook: with `with_kwargs` it is called as ``hook(module, args, kwargs)``.
            prepend: run it before the hooks that are there already.
            with_kwargs: pass the keyword arguments too.
        """
        handle = RemovableHandle(
            self._forward_pre_hooks, extra_dict=self._forward_pre_hooks_with_kwargs
        )
        self._forward_pre_hooks[handle.id] = hook
        if with_kwargs:
            self._forward_pre_hooks_with_kwargs[handle.id] = True
        if prepend:
            self._forward_pre_hooks.move_to_end(handle.id, last=False)  # type: ignore[attr-defined]
        return handle

    def register_forward_hook(self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False) -> RemovableHandle:  # fmt: skip
        """Have ``hook(module, args, output)`` run after `forward`; what it returns replaces the output.

        Args:
            hook: with `with_kwargs` it is called as ``hook(module, args, kwargs, output)``.
            prepend: run it before the hooks that are there already.
            with_kwargs: pass the keyword arguments too.
            always_call: run it also when `forward` raises, with None as output.
        """
        extra = [self._forward_hooks_with_kwargs, self._forward_hooks_always_called]
        handle = RemovableHandle(self._forward_hooks, extra_dict=extra)
        self._forward_hooks[handle.id] = hook
        if with_kwargs:
            self._forward_hooks_with_kwargs[handle.id] = True
        if always_call:
            self._forward_hooks_always_called[handle.id] = True
        if prepend:
            self._forward_hooks.move_to_end(handle.id, last=False)  # type: ignore[attr-defined]
        return handle

    # ---- walking the tree

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Yield the name and the module of each child, every module once."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """Yield the children, every module once."""
        for _, module in self.named_children():
            yield module

    def named_modules(self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True) -> Iterator[tuple[str, Module]]:  # fmt: skip
        """Yield the path and the module of this module and of all below, parents first.

        Args:
            memo: the modules that were met already.
            prefix: put before every path.
            remove_duplicate: yield a module that occurs in several places once.
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                path = f"{prefix}.{name}" if prefix else name
                yield from module.named_modules(memo, path, remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """Yield this module and all below, parents first."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def _named_members(self, drawer: str, prefix: str, recurse: bool, remove_duplicate: bool) -> Iterator[tuple[str, Any]]:  # fmt: skip
        seen = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        for path, module in modules if recurse else [(prefix, self)]:
            for name, value in module.__dict__[drawer].items():
                if value is not None and value not in seen:
                    if remove_duplicate:
                        seen.add(value)
                    yield (f"{path}.{name}" if path else name), value

    def named_parameters(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Iterator[tuple[str, Parameter]]:  # fmt: skip
        """Yield the path and the parameter of each parameter here and, with `recurse`, below."""
        self._parameters  # noqa: B018 (says what is missing where super().__init__() was not called)
        yield from self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Yield the parameters here and, with `recurse`, below; each once."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:  # fmt: skip
        """Yield the path and the tensor of each buffer here and, with `recurse`, below."""
        self._buffers  # noqa: B018 (as in named_parameters)
        yield from self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Yield the buffers here and, with `recurse`, below; each once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_submodule(self, target: str) -> Module:
        """Return the module at the path `target`, such as "net.0.conv"; "" is this one.

        Raises:
            AttributeError: a step of the path is missing, or is no Module.
        """
        module: Any = self
        for step in target.split(".") if target else ():
            if not hasattr(module, step):
                raise AttributeError(f"{type(module).__name__} has no attribute `{step}`")
            module = getattr(module, step)
            if not isinstance(module, Module):
                raise AttributeError(f"`{step}` is not an nn.Module")
        return module

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter at the path `target`.

        Raises:
            AttributeError: a step of the path is missing, or there is no parameter at its end.
        """
        return self._get_member(target, "_parameters", "an nn.Parameter")

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer at the path `target`.

        Raises:
            AttributeError: a step of the path is missing, or there is no buffer at its end.
        """
        return self._get_member(target, "_buffers", "a buffer")

    def _get_member(self, target: str, drawer: str, kind: str) -> Any:
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
        if name not in module.__dict__[drawer]:
            raise AttributeError(f"`{name}` is not {kind}")
        return module.__dict__[drawer][name]

    def apply(self: T, fn: Callable[[Module], None]) -> T:
        """Call `fn` on every module below and then on this one, and return this one."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    # ---- modes, gradients, types

    def train(self: T, mode: bool = True) -> T:
        """Set ``training`` here and below, and return the module.

        Raises:
            ValueError: `mode` is not a bool.
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self: T) -> T:
        """Set ``training`` to False here and below. Gradients are computed all the same."""
        return self.train(False)

    def requires_grad_(self: T, requires_grad: bool = True) -> T:
        """Freeze (False) or unfreeze all parameters, and return the module."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Take the gradients of all parameters away, or set them to 0 where `set_to_none` is False."""
        for parameter in self.parameters():
            if parameter.grad is not None:
                if set_to_none:
                    parameter.grad = None
                else:
                    parameter.grad.detach_().zero_()

    def _apply(self: T, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> T:
        """Replace the numbers of all parameters, gradients and buffers by ``fn`` of them.

        The Parameter objects stay the same, so an optimizer goes on knowing them.
        """
        for module in self.children() if recurse else ():
            module._apply(fn)
        for parameter in self._parameters.values():
            if parameter is not None:
                gradient = parameter.grad
                parameter.data = fn(parameter.detach())
                if gradient is not None:
                    parameter.grad = fn(gradient)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self: T, *args: Any, **kwargs: Any) -> T:
        """Move all parameters and buffers to a device, and the floating point ones to a dtype.

        Call it as ``to(dtype)``, ``to(device)``, ``to(device, dtype)`` or ``to(tensor)``.

        Raises:
            TypeError: the dtype is not a floating point one.
        """
        dtype, device, _ = parse_to(*args, **kwargs)
        if dtype is not None and not dtype.is_floating_point:
            raise TypeError(
                "nn.Module.to only accepts floating point or complex dtypes, but got desired "
                f"dtype={dtype!r}"
            )
        return self._apply(
            lambda t: t.to(dtype=dtype if t.is_floating_point() else None, device=device)
        )

    def type(self: T, dst_type: Any) -> T:
        """Cast all parameters and buffers to `dst_type`."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self: T) -> T:
        """Cast all floating point parameters and buffers to float32."""
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self: T) -> T:
        """Cast all floating point parameters and buffers to float64."""
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def half(self: T) -> T:
        """Cast all floating point parameters and buffers to float16."""
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def cpu(self: T) -> T:
        """Move all parameters and buffers to the CPU."""
        return self._apply(lambda t: t.cpu())

    def cuda(self: T, device: Any = None) -> T:
        """Move all parameters and buffers to a GPU."""
        return self.to(device="cuda" if device is None else f"cuda:{device}")

    # ---- showing itself

    def extra_repr(self) -> str:
        """Return what ``repr`` shows between the brackets; subclasses override it."""
        return ""

    def _get_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        if len(lines) == 1 and not self._modules:
            return f"{self._get_name()}({extra})"
        for name, module in self._modules.items():
            lines.append(f"({name}): " + repr(module).replace("\n", "\n  "))
        body = "".join(f"\n  {line}" for line in lines)
        return f"{self._get_name()}({body}\n)" if lines else f"{self._get_name()}()"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any] | None:
        """Show the module as a live tree where the views are installed; else Jupyter uses ``repr``."""
        try:  # by name, not by an import statement: the library must not depend on the views
            views = importlib.import_module("nbmodule_widgets")
        except ModuleNotFoundError:
            return None
        return views.mimebundle(self, include=include, exclude=exclude)


def _refuse_stray_arguments(name: str, args: tuple, kwargs: dict[str, Any]) -> None:
    if kwargs:
        raise TypeError(
            f"{name}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
        )
    if args:
        raise TypeError(
            f"{name}.__init__() takes 1 positional argument but {len(args) + 1} were given"
        )
