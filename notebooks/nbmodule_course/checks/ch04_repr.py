"""Chapter 04, second half: a Module prints itself, and hooks tell the shape of every step."""

from __future__ import annotations

from typing import Any

from nbmodule import nn, ones
from nbmodule.nn import functional as F

from ..exercise import Exercise, attempt, expect
from ..referee import Step, add_value, each, place, programs, put, run
from ..referee.world import slots_of

# ---- 04.4


def _module(Module: type, name: str, extra: str = "", **children: Any) -> Any:
    """Return an object of a subclass called `name`; its children are laid into the drawer by hand."""
    body = {"extra_repr": lambda self: extra} if extra else {}
    module = type(name, (Module,), body)()
    slots_of(module).setdefault("_modules", {}).update(children)
    return module


def _with(Module: type, name: str, **methods: Any) -> Any:
    return type(name, (Module,), methods)()


def _tree(Module: type) -> Any:
    return _module(Module, "Tree", a=_module(Module, "Leaf"), b=_module(Module, "Scale", "k=1"))


add_value("leaf", "a Module without children", lambda Module: _module(Module, "Leaf"))
add_value("scale", "a Module whose `extra_repr` is 'k=1'", lambda M: _module(M, "Scale", "k=1"))
add_value(
    "long", "a Module whose `extra_repr` has two lines", lambda M: _module(M, "Long", "k=1\nn=2")
)
add_value("tree", "a Module with two children", _tree)
add_value(
    "posh",
    "a Module whose class has a `__str__`, which returns 'posh!'",
    lambda M: _with(M, "Posh", __str__=lambda self: "posh!"),
)
add_value(
    "queue",
    "a Module whose `len` is 0, so it is false in an `if`",
    lambda M: _with(M, "Queue", __len__=lambda self: 0),
)
add_value(
    "forest",
    "a Module whose `extra_repr` is 'n=2', with a tree in it",
    lambda M: _module(M, "Forest", "n=2", t=_tree(M)),
)
add_value(
    "wood",
    "a Module whose `extra_repr` has two lines, with a child",
    lambda M: _module(M, "Wood", "k=1\nn=2", a=_module(M, "Leaf")),
)


def _lines(name: str) -> list[Step]:
    """Return the step that compares the `repr` of a value, or of `m`, line by line."""
    uses = () if name == "m" else (name,)
    return run(
        f"repr({name}).split('\\n')",
        lambda world: repr(world.m if name == "m" else world.value(name)).split("\n"),
        uses=uses,
    )


printing = Exercise(
    "04.4",
    title="Print it",
    takes=("Module",),
    minutes=10,
    writes=("extra_repr", "__repr__"),
    hints=(
        "Collect the entries between the parentheses in a list: the extra text first, then one string for each child. When is one line enough?",
        '`f"({name}): {child!r}"` is the entry of a child. Join all entries with `"\\n"`. A child\'s text may have several lines, so indent afterwards.',
        '`body = "\\n".join(entries).replace("\\n", "\\n  ")` indents every line but the first. '
        'Then return `f"{name}(\\n  {body}\\n)"`.',
    ),
)
printing.compare(
    "`extra_repr` returns an empty string",
    programs(run("m.extra_repr()", lambda world: world.m.extra_repr())),
    programs(
        run("m.extra_repr()", lambda world: world.m.extra_repr()),
        start=[put("__dict__", "size", "5")],
    ),
)
printing.compare(
    "without children, it's one line",
    each(_lines("m"), _lines("leaf"), _lines("scale"), _lines("long")),
)
_CHILDREN = ("leaf", "scale", "None", "tree")
printing.compare(
    "each child is an entry under its name",
    programs([put("_modules", "fc", v) for v in (*_CHILDREN, "posh", "queue")], _lines("m")),
    programs(
        [put("_modules", "b", v) for v in _CHILDREN],
        [put("_modules", "a", v) for v in _CHILDREN],
        _lines("m"),
    ),
    each(
        _lines("m"),
        start=[
            *place("_parameters", w="P"),
            *place("_buffers", mean="t"),
            put("_modules", "fc", "leaf"),
        ],
    ),
)
printing.compare(
    "whole trees are indented",
    each(_lines("tree"), _lines("forest"), _lines("wood")),
    programs([put("_modules", "f", v) for v in ("forest", "wood", "long")], _lines("m")),
)
_BODY = 'body = "\\n".join(entries).replace("\\n", "\\n  ")'
_ENTRY = 'entries.append(f"({child_name}): {child!r}")'
# fmt: off
for _name, _patch, _says in (
    ("no indentation", {_BODY: 'body = "\\n".join(entries)'}, "the entries aren't indented"),
    ("first lines only", {_BODY: 'body = "\\n  ".join(entries)'}, "only the first line of a child is indented; indent all of its lines"),
    ("first lines of children", {"entries = [extra] if extra else []": 'entries = extra.split("\\n") if extra else []', _BODY: 'body = "\\n  ".join(entries)'}, "only the first line of a child is indented; indent all of its lines"),
    ("four spaces", {'replace("\\n", "\\n  ")': 'replace("\\n", "\\n    ")', '(\\n  {body}': '(\\n    {body}'}, "each level is indented by four spaces instead of two"),
    ("names left out", {_ENTRY: "entries.append(repr(child))"}, "the entry of a child leaves out its name, `(name): …`"),
    ("no parentheses", {_ENTRY: 'entries.append(f"{child_name}: {child!r}")'}, "the name of a child is written in parentheses, `(name): …`"),
    ("children in quotes", {_ENTRY: 'entries.append(f"({child_name}): {repr(child)!r}")'}, "the text of a child is converted by `repr` twice"),
    ("child's class only", {_ENTRY: 'entries.append(f"({child_name}): {type(child).__name__}()")'}, "only the class of a child is printed, so its extra text and its own children are missing; use `repr(child)`"),
    ("str of a child", {_ENTRY: 'entries.append(f"({child_name}): {child}")'}, "a child that has a `__str__` is shown by it; an entry holds the child's `repr`: `{child!r}`"),
    ("truth of a child", {_ENTRY: f"if child or child is None:\n    {_ENTRY}"}, "a child that is false in an `if`, as an empty list is, is left out; print every child"),
    ("None is skipped", {_ENTRY: f"if child is not None:\n    {_ENTRY}"}, "a child that is None is skipped; its entry is `(name): None`"),
    ("extra forgotten", {"entries = [extra] if extra else []": "entries = []"}, "the extra text is missing when there are children"),
    ("empty line", {"entries = [extra] if extra else []": "entries = [extra]"}, "an empty extra text becomes an empty line; leave it out"),
    ("always several lines", {'if not self._modules and "\\n" not in extra:': "if not self._modules and not extra:"}, "without children, an extra text of one line goes between the parentheses on the same line"),
    ("lines on one line", {'if not self._modules and "\\n" not in extra:': "if not self._modules:"}, "an extra text of several lines gets lines of its own, even without children"),
    ("children lost", {'if not self._modules and "\\n" not in extra:': 'if "\\n" not in extra:'}, "the children are left out"),
    ("empty parentheses apart", {'if not self._modules and "\\n" not in extra:': 'if extra and not self._modules and "\\n" not in extra:'}, "a Module with nothing to show is `Name()`, on one line"),
    ("Module for all", {"type(self).__name__": '"Module"'}, "the name is always `Module`; `type(self).__name__` is the class of the object"),
    ("extra is None", {'return ""': "return None"}, "`extra_repr` returns None; return an empty string"),
    ("sorted", {"self._modules.items()": "sorted(self._modules.items(), key=lambda item: item[0])"}, "the children are sorted by name; keep the order of the drawer"),
    ("every child once", {_ENTRY: f"if repr(child) not in str(entries):\n    {_ENTRY}"}, "a child that looks like another one is left out; print every name"),
    ("comma", {_BODY: 'body = ",\\n".join(entries).replace("\\n", "\\n  ")'}, "put only a line break between the entries, without a comma"),
):
    printing.wrong(_name, _patch, says=_says)
# fmt: on

# ---- 04.5


class _Twice(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.last, self.first, self.unused = nn.Linear(2, 1), nn.Linear(4, 2), nn.ReLU()

    def forward(self, x: Any, y: Any = 0) -> Any:
        return F.relu(self.last(self.first(x + y)) + self.last(self.first(x)))


class _Positive(nn.Module):
    def forward(self, x: Any) -> Any:
        return x[: int(x.sum().item())]


def _nested() -> nn.Module:
    return nn.Sequential(nn.Sequential(nn.Linear(4, 3), nn.ReLU()), nn.Linear(3, 5))


def _observed() -> nn.Sequential:
    """Return a model that has a hook itself, which changes what goes in."""
    model = nn.Sequential(nn.Linear(4, 3), nn.ReLU())
    model._forward_pre_hooks[1] = lambda module, args: (args[0][:1],)
    return model


def _hooked() -> nn.Sequential:
    model = nn.Sequential(nn.Linear(4, 3), nn.ReLU())
    for key in (0, 1):  # the keys that come to mind first
        model[0]._forward_hooks[key] = lambda module, args, result: result[:1]
    return model


tracing = Exercise(
    "04.5",
    title="The shape of every step",
    takes=("shapes",),
    minutes=10,
    importance="useful",
    writes=("shapes",),
    hints=(
        "Each child gets a hook, and every hook appends to the same list. How does the hook know the name of its child?",
        "A function that is defined in a loop sees the *last* value of the loop's variable. A default argument keeps the current one: "
        "`def note(module, args, result, name=name):`.",
        'Put `child._forward_hooks["shapes"] = note` in the loop. Then `try:` call the model, and in `finally:` remove that key from each child.',
    ),
)
tracing.compare_calls(
    "names and shapes, in the order of the calls",
    {
        "shapes(Sequential(Linear(4, 3), ReLU()), x)": lambda: (
            nn.Sequential(nn.Linear(4, 3), nn.ReLU()),
            ones(2, 4),
        ),
        "shapes(Sequential(Conv2d(1, 2, 3), Flatten()), x)": lambda: (
            nn.Sequential(nn.Conv2d(1, 2, 3), nn.Flatten()),
            ones(1, 1, 5, 5),
        ),
        "shapes(Sequential(), x)": lambda: (nn.Sequential(), ones(2)),
        "shapes(model, x)  # with a network in the network": lambda: (_nested(), ones(4)),
        "shapes(model, x)  # where first is called before last, and both twice": lambda: (
            _Twice(),
            ones(4),
        ),
        "shapes(model, x, y)": lambda: (_Twice(), ones(4), ones(3, 4)),
        "shapes(model, x)  # where another hook changes a result": lambda: (_hooked(), ones(2, 4)),
        "shapes(model, x)  # a pre-hook of the model itself keeps only the first row of `x`": lambda: (
            _observed(),
            ones(2, 4),
        ),
        "shapes(model, x)  # the last child keeps as many numbers as the sum of them says": lambda: (
            nn.Sequential(nn.ReLU(), _Positive()),
            ones(3),
        ),
        "shapes(model, x)  # where x doesn't fit": lambda: (
            nn.Sequential(nn.Linear(4, 3)),
            ones(2, 5),
        ),
    },
)


@tracing.sub("afterwards every child has the hooks that it had before")
def cleans_up(shapes):
    for x, how in (
        (ones(2, 4), "shapes(model, x)"),
        (ones(2, 5), "shapes(model, x), where x doesn't fit"),
    ):
        model = _hooked()
        before = [list(child._forward_hooks.items()) for child in model]
        drawers = [child._forward_hooks for child in model]
        attempt(lambda model=model, x=x: shapes(model, x))
        after = [list(child._forward_hooks.items()) for child in model]
        more, fewer = len(after[0]) > len(before[0]), len(after[0]) < len(before[0])
        expect(
            before == after,
            did=f"after `{how}`, the first child has {len(after[0])} hooks",
            real=f"it has {len(before[0])}, as before",
            likely="the hooks are removed only if the call succeeds; put that into `finally:`"
            if more and x.shape[1] == 5
            else "the hooks of `shapes` are never removed"
            if more
            else "this also removes hooks that were there before; remove your own key only"
            if fewer
            else "",
        )
        expect(
            all(child._forward_hooks is one for child, one in zip(model, drawers, strict=True)),
            did=f"after `{how}`, `_forward_hooks` of a child is another dictionary",
            real="it is the one that was there, without the hook of `shapes`",
            likely="remove your own key, and leave the dictionary where it is",
        )


_ADD = 'child._forward_hooks["shapes"] = note'
_CLEAN = 'child._forward_hooks.pop("shapes", None)'
# fmt: off
for _name, _patch, _says in (
    ("late name", {"def note(module, args, result, name=name):": "def note(module, args, result):"}, "every pair has the name of the last child, because the hook reads `name` after the loop; keep it with `name=name`"),
    ("late name, a Size", {"def note(module, args, result, name=name):": "def note(module, args, result):", "tuple(result.shape)": "result.shape"}, "every pair has the name of the last child, because the hook reads `name` after the loop; keep it with `name=name`"),
    ("shape of the input", {"result.shape": "args[0].shape"}, "these are the shapes of what the children are given; the hook's `result` is what they return"),
    ("changes the results", {"found.append((name, tuple(result.shape)))": "found.append((name, tuple(result.shape)))\nreturn result * 0"}, "the hook returns something, which replaces what the child returned; it should return None"),
    ("a dictionary", {"return found": "return dict(found)"}, "a dictionary holds each name once; return the list of pairs"),
    ("in the order of the drawer", {"return found": "return sorted(found, key=lambda pair: [n for n, _ in children].index(pair[0]))"}, "the list is in the order of `_modules`; it should be in the order of the calls"),
    ("one input", {"model(*inputs)": "model(inputs[0])"}, "only the first input reaches the model; pass `*inputs`"),
    ("past the model's hooks", {"model(*inputs)": "model.forward(*inputs)"}, "hooks of the model itself don't run; call the model, and not its `forward`"),
    ("forward", {"model(*inputs)": "[child(inputs[0]) for _, child in children]"}, "the children are called one by one, each with the first input; call the model"),
    ("names only", {"found.append((name, tuple(result.shape)))": "found.append(name)"}, "the shapes are missing; each entry is a pair"),
    ("swallows", {"finally:": "except Exception:\n    pass\nfinally:"}, "an exception of the model is swallowed; let it pass"),
):
    tracing.wrong(_name, _patch, says=_says)
# fmt: on
