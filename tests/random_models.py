"""Models made at random that do what readers' models do, and worse: for tests that looking at them changes nothing.

Each Module and each hook writes into `log` what it does, so that a test can compare what happened with what
a view says.
"""

from __future__ import annotations

import random
import threading
from collections import Counter, deque
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np


class Boom(Exception):
    """What these models raise."""


class RandomModel:
    """A model and something to run it on; two of one seed are alike.

    Args:
        lib: torch or nbmodule.
        seed: Decides everything.
        failing: How likely a hook, or a Module with a forward of its own, is to raise.

    Attributes:
        model: The model.
        x: Its input.
        log: `("in", path)`, `("out", path)` and `("hook", name, deed)`, as they happen.
        late: Names of the hooks that were added while a pass ran.
        arrived: `(kind, path)` of the gradients that arrive at what forwards get and make: how often; None counts none.
    """

    def __init__(self, lib: Any, seed: int, failing: float = 0.0) -> None:
        self.lib, self.nn, self._random, self._failing = lib, lib.nn, random.Random(seed), failing
        self.log: list[tuple[str, ...]] = []
        self.late: set[str] = set()
        self.arrived: Counter[tuple[str, str]] | None = None
        self._pool: list[Any] = []
        self._names, self._running = 0, False
        lib.manual_seed(seed)
        self.model = self._container(3)
        self.paths = {id(module): path for path, module in self.model.named_modules()}
        for _ in range(self._random.randrange(8)):
            self._hook(self._random.choice(list(self.model.modules())))
        gradient = lib.ones(4, 4)
        for parameter in self.model.parameters():
            parameter.requires_grad_(not self._chance(0.1))
            if parameter.requires_grad and self._chance(0.2):
                self._hook_on(parameter)
            if parameter.shape == (4, 4) and self._chance(0.3):
                parameter.grad = gradient  # one object for several
        self.x = lib.randn(3, 4, requires_grad=self._chance(0.5))
        self.model.train(self._chance(0.7))
        self._running = True

    def _chance(self, share: float) -> bool:
        return self._random.random() < share

    # ------------------------------------------------------------------ Modules

    def _container(self, depth: int) -> Any:
        children: list[Any] = []
        for _ in range(self._random.randrange(1, 4)):
            if self._pool and self._chance(0.15):
                children.append(self._random.choice(self._pool))  # shared
            else:
                deeper = depth and self._chance(0.45)
                children.append(self._container(depth - 1) if deeper else self._layer())
        made = (
            self._logged(self.nn.Sequential)(*children)
            if self._chance(0.4)
            else self._odd(children)
        )
        self._pool.append(made)
        return made

    def _layer(self) -> Any:
        nn, inplace = self.nn, self._chance(0.5)
        layers: list[tuple[Any, dict[str, Any]]] = [
            (nn.Linear, {"in_features": 4, "out_features": 4}), (nn.ReLU, {"inplace": inplace}), (nn.Dropout, {"p": 0.3}),
            (nn.BatchNorm1d, {"num_features": 4}), (nn.Tanh, {}), (nn.Identity, {}),
        ]  # fmt: skip
        kind, given = self._random.choice(layers)
        self._pool.append(self._logged(kind)(**given))
        return self._pool[-1]

    def _logged(self, kind: type) -> type:
        """A class like this one that writes down when its forward runs."""
        owner = self

        def forward(self: Any, x: Any) -> Any:
            path = owner.paths.get(id(self), "?")
            owner.log.append(("in", path))
            owner.count(x, "gradient out", path)
            result = kind.forward(self, x)  # type: ignore[attr-defined]
            owner.log.append(("out", path))
            owner.count(result, "gradient in", path)
            return result

        return type(kind.__name__, (kind,), {"forward": forward})

    def count(self, tensor: Any, kind: str, path: str) -> None:
        """Has the gradient of a tensor counted when it arrives."""
        arrived = self.arrived
        if arrived is not None and tensor.requires_grad:
            tensor.register_hook(lambda gradient: arrived.update([(kind, path)]))

    def _odd(self, children: list[Any]) -> Any:
        """A Module whose forward does some of `DEEDS` and then calls its children in one of some ways."""
        owner, deeds = self, self._random.sample(DEEDS, self._random.randrange(4))
        fails = self._chance(self._failing)
        way = self._random.choice(
            ["plain", "direct", "caught", "no_grad", "left out", "twice", "residual"]
        )

        class Odd(self.nn.Module):  # type: ignore[name-defined, misc]
            def __init__(self) -> None:
                super().__init__()
                for number, child in enumerate(children):
                    self.add_module(f"k{number}", child)
                self.register_buffer("seen", owner.lib.zeros(2))
                self.calls, self.cache, self.tags = 0, [], set()  # type: ignore[var-annotated]
                self.queue, self.nest = deque([1], maxlen=3), {"a": {"b": [1]}}
                self.meter = SimpleNamespace(count=0, total=owner.lib.zeros(1))
                self.sources = random.Random(3), np.random.RandomState(3), owner.lib.Generator()

            def forward(self, x: Any) -> Any:
                for deed in deeds:
                    x = deed(owner, self, x)
                if fails:
                    raise Boom("<b>\x00")
                for number, child in enumerate(children):
                    if way == "left out" and not number:
                        continue
                    y = x
                    try:
                        with owner.lib.set_grad_enabled(
                            way != "no_grad" or owner.lib.is_grad_enabled() is False
                        ):
                            y = child.forward(x) if way == "direct" else child(x)
                    except Boom:
                        if way != "caught":
                            raise
                    x = child(y) if way == "twice" else x + y if way == "residual" else y
                return x

        made = self._logged(Odd)()
        if self._chance(0.1):
            forward = type(made).forward
            made.forward = lambda x: forward(made, x)  # in the instance, before the method
        return made

    # ------------------------------------------------------------------ hooks

    def _named(self, hook: Callable[..., Any]) -> str:
        self._names += 1
        hook.__name__ = hook.__qualname__ = f"h{self._names}"
        if self._running:
            self.late.add(hook.__name__)
        return hook.__name__

    def _hook(self, module: Any) -> None:
        """Registers a hook of any kind that does anything."""
        kind = self._random.choice(["forward_pre", "forward", "full_backward_pre", "full_backward"])
        forward = kind.startswith("forward")
        deed = self._random.choice(
            ["nothing", "remove", "replace", *(["same", "in place", "add"] if forward else [])]
        )
        fails, done = self._chance(self._failing), []

        def hook(module: Any, *given: Any) -> Any:
            value = given[-1] if kind in ("forward", "full_backward_pre") else given[0]
            self.log.append(("hook", name, "raise" if fails else deed))
            if fails:
                raise Boom(name)
            tensor = value[0] if type(value) is tuple and value else value
            if deed == "in place" and tensor is not None:
                with self.lib.no_grad():
                    tensor.mul_(1.5)
            elif deed == "remove":
                handle.remove()
            elif deed == "add" and not done:
                done.append(self._hook(module))
            elif deed == "same":
                return value
            elif deed == "replace" and tensor is not None:
                return (
                    tuple(g if g is None else g * 2 for g in value)
                    if type(value) is tuple
                    else value * 2
                )
            return None

        name = self._named(hook)
        more: dict[str, Any] = {} if kind == "full_backward" else {"prepend": self._chance(0.3)}
        if kind == "forward":
            more["always_call"] = self._chance(0.3)
        handle = getattr(module, f"register_{kind}_hook")(hook, **more)

    def _hook_on(self, parameter: Any) -> None:
        deed = self._random.choice(["nothing", "replace", "accumulated"])

        def hook(given: Any) -> Any:
            self.log.append(("hook", name, "nothing" if deed == "accumulated" else deed))
            return given * 2 if deed == "replace" else None

        name = self._named(hook)
        if deed == "accumulated":
            parameter.register_post_accumulate_grad_hook(hook)
        else:
            parameter.register_hook(hook)

    def add_hook_to_first_child(self, module: Any) -> None:
        """What a forward may do: it registers a hook."""
        for child in list(module._modules.values())[:1]:
            self._hook(child)


def _remembers(owner: RandomModel, module: Any, x: Any) -> Any:
    module.calls += 1
    module.cache.append(x)
    module.nest["a"]["b"].append(x)
    module.tags.add(module.calls)
    module.queue.append(x)
    module.new, module.meter.count = x, module.meter.count + 1
    module.meter.total += 1
    return x


def _draws(owner: RandomModel, module: Any, x: Any) -> Any:
    python, numpy, generator = module.sources
    for source in (random, np.random, python):  # the global generators are what a pass may move
        source.random()
    numpy.rand()
    owner.lib.rand(1, generator=generator)
    return x + owner.lib.rand(1)


def _writes_to_its_buffer(owner: RandomModel, module: Any, x: Any) -> Any:
    module.seen += 1
    module.seen = module.seen * 2
    return x


def _writes_to_its_input(owner: RandomModel, module: Any, x: Any) -> Any:
    with owner.lib.no_grad():
        x.add_(1)
    return x


def _registers(owner: RandomModel, module: Any, x: Any) -> Any:
    module.register_buffer("late", owner.lib.ones(1))
    module.late_parameter = owner.nn.Parameter(owner.lib.ones(1))
    module.add_module("late_module", owner.nn.Tanh())
    return module.late_module(x) * module.late_parameter


def _changes_parameters(owner: RandomModel, module: Any, x: Any) -> Any:
    for child in module._modules.values():
        if isinstance(child, owner.nn.Linear):
            child.weight.data = child.weight.data * 1
            child.bias.requires_grad_(False)
    return x


def _forgets(owner: RandomModel, module: Any, x: Any) -> Any:
    del module.nest
    module.zero_grad()
    module.train(not module.training)
    owner.lib.set_grad_enabled(True)
    return x


def _hooks(owner: RandomModel, module: Any, x: Any) -> Any:
    owner.add_hook_to_first_child(module)
    return x


def _threads(owner: RandomModel, module: Any, x: Any) -> Any:
    thread = threading.Thread(target=_remembers, args=(owner, module, x))
    thread.start()
    thread.join()
    return x


def _becomes_another(owner: RandomModel, module: Any, x: Any) -> Any:
    module.__class__ = type("Another", (type(module),), {})
    return x


DEEDS = [
    _remembers, _draws, _writes_to_its_buffer, _writes_to_its_input, _registers, _changes_parameters, _hooks, _threads,
    _becomes_another,
]  # fmt: skip
