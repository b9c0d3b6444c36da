"""What the checks of chapter 16 use: networks that are called and played backward, their hooks, and lines about gradients.

Everything here works on PyTorch's tensors as well, so that its own Module can be asked the same questions.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ..referee import Step, Words, add_value
from ..referee.library import library_of
from ..referee.world import World, slots_of
from .hooked import Boom, Two
from .lines import compiled, tried, vocabulary

PRE, FULL = "_backward_pre_hooks", "_backward_hooks"
_METHODS = {PRE: "register_full_backward_pre_hook", FULL: "register_full_backward_hook"}


def _numbers(value: Any) -> Any:
    """Return a tensor as numbers, and what holds tensors likewise."""
    if isinstance(value, tuple | list):
        return tuple(map(_numbers, value))
    return value.tolist() if hasattr(value, "tolist") else value


# ---- networks of a program


def _forward(name: str, log: list[str]) -> Callable[..., Any]:
    def forward(self: Any, x: Any, y: Any = None) -> Any:
        log.append("forward")
        if name == "fork":
            return x * self.weight, y, x * 2, 5
        if name == "listed":
            return [x * self.weight]
        if name == "labeled":
            return Two(x * self.weight, 5)
        if name == "around":
            return self.core(x) * self.weight
        if name == "echo" and y is None:
            return self(x, 1) * 2
        self.aside = x * 7  # reaches the input, and not by way of the result
        return {"x": x * 2} if name == "packed" else x * self.weight

    forward.__qualname__ = "forward"  # what an error says of it
    return forward


for _name, _words in (
    ("scale", "a Module that multiplies by its `weight`, 3"),
    ("beside", "another Module that multiplies by its `weight`, 3"),
    ("around", "a Module that calls its child `core` and multiplies by its `weight`, 3"),
    ("core", "a Module that multiplies by its `weight`, 3"),
    (
        "echo",
        "a Module that multiplies by its `weight`, 3; `echo(x)` calls `echo(x, 1)` for that, and doubles it",
    ),
    ("fork", "a Module whose result for `x, y` is `(x * weight, y, x * 2, 5)`"),
    ("listed", "a Module whose result is a list"),
    ("labeled", "a Module whose result is a namedtuple"),
    ("packed", "a Module whose result is a dictionary"),
):
    add_value(_name, _words, lambda Module: None)


def net_of(world: World, name: str) -> Any:
    """Return the network of this name in a world; all of them share one log."""
    nets, log = vars(world).setdefault("listeners", {}), vars(world).setdefault("heard", [])
    if name not in nets:
        made = type("Net", (world.Module,), {"forward": _forward(name, log), "__module__": "__main__"})()  # fmt: skip
        library = library_of(world.Module)
        made.weight = library.nn.Parameter(library.tensor(3.0))
        nets[name] = made
        slots_of(made)["log"] = log
        if name == "around":
            made.core = net_of(world, "core")
    return nets[name]


# ---- steps


def listen(drawer: str, *hooks: str, to: str = "a", net: str = "scale", **options: bool) -> list[Step]:  # fmt: skip
    """Return the steps `a = net.register_full_backward_hook(hook)`, one for each of the `hooks`.

    "note, True" gives `prepend` by position.
    """
    method, more = _METHODS[drawer], "".join(f", {name}={on}" for name, on in options.items())

    def act(world: World, hook: str) -> Words:
        hook, *placed = hook.split(", ")
        register, place = getattr(net_of(world, net), method), [True for _ in placed]
        try:
            handle = register(world.value(hook), *place, **options)
        except RuntimeError as error:
            if type(error) is not RuntimeError:
                raise
            return Words("raises a RuntimeError")  # its words are free
        vars(world).setdefault("handles", {})[to] = handle
        good = hasattr(handle, "id") and callable(getattr(handle, "remove", None))
        kind = "None" if handle is None else f"a {type(handle).__name__}"
        return Words("gives a handle" if good else f"gives {kind}, not a handle")

    return [
        Step(
            f"{to} = {net}.{method}({h}{more})",
            lambda w, h=h: act(w, h),
            (),
            (h.partition(",")[0], net),
        )
        for h in hooks
    ]


def put(drawer: str, *hooks: str, net: str = "scale") -> list[Step]:
    """Return the steps `hook in scale._backward_hooks`: programs of 16.4 don't depend on 16.3."""

    def act(world: World, hook: str) -> None:
        held = slots_of(net_of(world, net))[drawer]
        held[len(held)] = world.value(hook)
        if drawer == FULL:
            slots_of(net_of(world, net))["_is_full_backward_hook"] = True

    return [
        Step(f"{h} in {net}.{drawer}", lambda w, h=h: act(w, h), (), (h, net), True, False)
        for h in hooks
    ]


def old_kind() -> list[Step]:
    """Return the step after which the network says that its backward hooks are of the old kind."""

    def act(world: World) -> None:
        slots_of(net_of(world, "scale"))["_is_full_backward_hook"] = False

    return [Step("scale._is_full_backward_hook = False", act, (), ("scale",), True, False)]


def stored(net: str = "scale") -> list[Step]:
    """Return the step that looks into the drawers: which hooks are there, in which order, and the flag."""

    def act(world: World) -> Words:
        slots = slots_of(net_of(world, net))
        held = [
            f"`{d}`: {', '.join(getattr(h, '__name__', 'partly') for h in slots[d].values()) or 'nothing'}"
            for d in (PRE, FULL)
        ]
        flag = f"`_is_full_backward_hook` is {slots['_is_full_backward_hook']}"
        return Words(f"holds {'; '.join(held)}; {flag}")

    return [Step(f"vars({net})", act, (), (net,))]


def play(text: str, net: str = "scale") -> list[Step]:
    """Return the step that runs a line with the network and a backward pass, and tells what was heard and what arrived.

    Args:
        text: the line. `x` and `y` require a gradient, `c` and `d` don't.
        net: which network it names.
    """

    def act(world: World) -> Words:
        called, library = net_of(world, net), library_of(world.Module)
        log = vars(world)["heard"]
        log.clear()
        names = {net: called, "no_grad": library.no_grad, "log": log}
        for name, needs in (("x", True), ("y", True), ("c", False), ("d", False)):
            names[name] = library.tensor([1.0, 2.0], requires_grad=needs)
        leaves = {n: names[n] for n in "xy"}
        called.weight.grad = None
        ends = ""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # PyTorch warns where no input requires a gradient
                exec(text, names)
        except (Boom, RuntimeError) as error:
            ends = f", and raises {type(error).__name__}"
        arrived = {f"`{n}.grad`": leaf.grad for n, leaf in leaves.items()}
        arrived["`weight.grad`"] = called.weight.grad
        shown = {n: _numbers(g) for n, g in arrived.items() if g is not None}
        if net == "fork":  # what isn't used may have zeros, or no gradient
            shown = {n: g for n, g in shown.items() if g and g != [0, 0]}
        got = [f"{n} {g}" for n, g in shown.items()]
        return Words(f"runs `{' → '.join(log) or 'nothing'}`{ends}, with {', '.join(got) or 'no gradients'}")  # fmt: skip

    return [Step(text, act, (), (net,))]


# ---- hooks


def _hook(name: str, words: str, gives: Callable[..., Any]) -> str:
    def make(Module: type) -> Callable[..., Any]:
        def hook(module: Any, *given: Any) -> Any:
            shown = [
                _numbers(g) if isinstance(g, tuple) else f"a {type(g).__name__}" for g in given
            ]
            if len(given[-1]) > 1:  # several outputs
                shown = [_without_zeros(g) if isinstance(g, tuple) else g for g in given]
            slots_of(module)["log"].append(f"{name}({', '.join(map(str, shown))})")
            return gives(*given)

        hook.__name__ = hook.__qualname__ = name
        return hook

    return add_value(name, words, make)


def _without_zeros(gradients: Any) -> Any:
    """Return gradients as numbers; zeros count as none at all, since a tensor that isn't used may have either."""
    shown = _numbers(gradients)
    return tuple(g if g and any(g) else None for g in shown)


def _times(factor: float, gradients: Any) -> tuple[Any, ...]:
    return tuple(None if g is None else g * factor for g in gradients)


def _explode(*given: Any) -> None:
    raise Boom


PRES = (
    _hook("peek", "a pre-hook that returns None", lambda go: None),
    _hook("tenfold", "a pre-hook that returns `grad_output` times 10", lambda go: _times(10, go)),
    _hook("less", "a pre-hook that returns `grad_output` times 0", lambda go: _times(0, go)),
)
FULLS = (
    _hook("note", "a hook that returns None", lambda gi, go: None),
    _hook("double_", "a hook that returns `grad_input` times 2", lambda gi, go: None if gi[:1] in ((), (None,)) else _times(2, gi)),
    _hook("blank", "a hook that returns `grad_input` times 0", lambda gi, go: None if gi[:1] in ((), (None,)) else _times(0, gi)),
)  # fmt: skip
_hook("few", "a pre-hook that returns `()`", lambda go: ())
_hook("many", "a hook that returns two gradients for one", lambda gi, go: (gi[0], gi[0]))
_hook("bang", "a pre-hook that raises Boom", _explode)
_hook("crash", "a hook that raises Boom", _explode)


def _around(name: str, words: str, gives: Callable[..., Any] | None) -> str:
    def make(Module: type) -> Callable[..., Any]:
        def hook(module: Any, *given: Any) -> Any:
            log = slots_of(module)["log"]
            log.append(name)
            if gives is not None:
                return gives(*given)
            for drawer in (PRE, FULL) if name == "sweep" else ():
                slots_of(module)[drawer].clear()
            if name == "enroll":
                slots_of(module)[FULL]["new"] = lambda *_: log.append("the new hook")

        return hook

    return add_value(name, words, make)


_around("fourfold", "a forward pre-hook that returns `(args[0] * 4,)`", lambda args: (args[0] * 4,))
_around(
    "adding",
    "a forward hook that adds its input to the result",
    lambda args, result: result + args[0],
)
_around("sweep", "a forward pre-hook that empties both drawers of backward hooks", None)
_around("enroll", "a forward hook that puts another hook into `_backward_hooks`", None)
_around("again", "a forward hook that returns the first of several outputs, or one output times 5", lambda args, result: (result[0] * 5,) if isinstance(result, tuple) else result * 5)  # fmt: skip


# ---- lines about a function

_MEANING = {
    "w": "`w` is `[2, 5]` and `v` is `[3, 1]`, and both require a gradient",
    "c": "`c` is a tensor that doesn't require a gradient",
    "look": "`look` records the gradients in `log`, zeros as None",
    "ends": "`ends` records how many gradients there are, and the first and the last one, in `log`",
    "ten": "`ten` returns the gradients times 10",
    "first": "`first` returns the gradients, the first one times 10",
    "bomb": "`bomb` raises Boom",
    "tried": "`tried` names the exception",
    "p": "`p` and `q` are Parameters",
    "give": "`give` sets the gradient",
}


def _value_of(text: str, given: Any) -> Any:
    before, last = compiled(text)
    library, log = library_of(given), []
    made = {
        name: library.tensor(numbers, requires_grad=needs)
        for name, numbers, needs in (("w", [2.0, 5.0], True), ("v", [3.0, 1.0], True), ("c", [4.0, 6.0], False))
    }  # fmt: skip
    made |= {
        n: library.nn.Parameter(library.tensor(k)) for n, k in (("p", [1.0, -2.0]), ("q", [3.0]))
    }

    def look(gradients: Any) -> None:
        log.append(_without_zeros(gradients) if isinstance(gradients, tuple) else "not a tuple")

    def ends(gradients: Any) -> None:
        log.append((len(gradients), _without_zeros((gradients[0], gradients[-1]))))

    def give(param: Any, *numbers: float) -> Any:
        param.grad = library.tensor(list(map(float, numbers)))
        return param.grad

    names = {
        **made, "look": look, "ends": ends, "log": log, "bomb": _explode, "give": give, "tensor": library.tensor,
        "ten": lambda gradients: _times(10, gradients), "numbers": _numbers, "no_grad": library.no_grad,
        "first": lambda gradients: (gradients[0] * 10, *gradients[1:]),
        "tried": tried,
    }  # fmt: skip
    names[getattr(given, "__name__", "function")] = given
    exec(before, names)
    return _numbers(eval(last, names))


uses = vocabulary(_MEANING, _value_of)
