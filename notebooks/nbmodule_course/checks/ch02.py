"""Chapter 02: the clerk at the door. Programs assign, in every order, and the referee looks where things are."""

from __future__ import annotations

from ..exercise import Exercise
from ..referee import Program, each, place, programs, put, write

_MODULES = ("child", "layer", "deep")
_ORDINARY = ("t", "trainable", "5", "7", "'text'", "items", "None", "print", "Layer", "shaped")

sorts = Exercise(
    "02.1",
    title="Three kinds of value",
    takes=("Module",),
    minutes=6,
    writes=("__setattr__",),
    hints=(
        "What kind of value is it? `isinstance` answers that, and there are three possible answers.",
        "A drawer is a dictionary, so `self._parameters[name] = value` stores a Parameter. For the third answer, "
        "call the method that yours overrides: the parent class still has it.",
        "`if isinstance(value, Parameter): self._parameters[name] = value`, then `elif isinstance(value, Module): "
        "self._modules[name] = value`, and at the end `else: super().__setattr__(name, value)`.",
    ),
)
_PARAMETERS = ("P", "Q", "frozen", "special")
sorts.compare(
    "a Parameter goes into `_parameters`",
    *(programs(write(n, *_PARAMETERS), write(n, *_PARAMETERS)) for n in ("w", "_w", "gamma")),
    programs(write("w", "P"), write("b", "Q"), write("w", "Q")),
)
sorts.compare(
    "a Module goes into `_modules`",
    *(programs(write(n, *_MODULES), write(n, *_MODULES)) for n in ("fc", "_fc", "weight")),
    programs(write("fc", "child"), write("act", "layer"), write("fc", "deep")),
    programs(write("w", "P"), write("fc", "layer"), write("b", "Q"), write("act", "child")),
)
sorts.compare(
    "anything else goes where the parent class puts it",
    each(write("w", *_ORDINARY)),
    *(programs(write(n, *_ORDINARY), write(n, *_ORDINARY)) for n in ("w", "_w", "bias")),
    each(write("heat", "5"), write("training", "False"), write("unit", "'text'")),
    each(write("lr", "5"), start=[*write("w", "P"), *write("fc", "child")]),
)
_P, _M = "self._parameters[name] = value", "self._modules[name] = value"
_ELSE = "else:\n    super().__setattr__(name, value)"
# fmt: off
sorts.wrongs(
    ("drops the rest", {_ELSE: ""}, "an ordinary value is stored nowhere; the parent's `__setattr__` stores it"),
    ("stored twice", {_ELSE: "super().__setattr__(name, value)"}, "a value for a drawer is also passed to `super()`, so it is stored twice; an `else` is missing"),
    ("a second if", {"elif isinstance(value, Module)": "if isinstance(value, Module)"}, "a Parameter also runs into the `else`, so it is in `__dict__`, too: is the second `if` meant as an `elif`?"),
    ("asks requires_grad", {"isinstance(value, Parameter)": "getattr(value, 'requires_grad', False)"}, "the value's class decides, not its `requires_grad`"),
    ("exact type", {"isinstance(value, Module)": "type(value) is Module"}, "a layer isn't taken for a Module, because its class is a subclass; ask `isinstance(value, Module)`"),
    ("calls itself", {"super().__setattr__(name, value)": "setattr(self, name, value)"}, "`setattr(self, …)` and `self.x = …` call your `__setattr__` again; call the parent's"),
    ("writes past properties", {"super().__setattr__(name, value)": "self.__dict__[name] = value"}, "writing to `__dict__` bypasses properties; `super().__setattr__` lets a property's setter run"),
    ("new drawer each time", {_P: 'self.__dict__["_parameters"] = {name: value}'}, "every assignment replaces the whole drawer; store in the one that is there"),
    ("sorts by name", {"isinstance(value, Parameter)": 'name in ("w", "b", "weight", "bias")'}, "the kind of the value decides, not the name"),
    ("the word as key", {_P: 'self._parameters["name"] = value'}, '`"name"` in quotes is always the same key; without quotes, `name` is the attribute\'s name'),
    ("duck typing", {"isinstance(value, Module)": "hasattr(value, 'forward') or hasattr(value, '_modules')"}, "a class has `_modules` or `forward` too; ask `isinstance(value, Module)`"),
    ("underscores are private", {"isinstance(value, Parameter)": 'isinstance(value, Parameter) and not name.startswith("_")'}, "names that begin with `_` get special treatment; only the kind of the value counts"),
    ("first one stays", {_P: "self._parameters.setdefault(name, value)"}, "the old value stays; an assignment replaces it"),
)
# fmt: on

rooms = Exercise(
    "02.2",
    title="Make room",
    takes=("Module",),
    minutes=8,
    writes=("__setattr__", "_make_room"),
    keeps=("02.1",),
    hints=(
        "A name can be in four places: `self.__dict__` and the three drawers. Which of them may keep it?",
        "Loop over the four places, and remove the name from each place that isn't `keep`. The name may not be "
        "there, and `dict.pop` has a second argument for that. Compare with `is not`, because two empty "
        "dictionaries are equal.",
        "In `_make_room`, write `for place in (self.__dict__, self._parameters, self._buffers, self._modules):`, "
        "and inside it `if place is not keep: place.pop(name, None)`. In `__setattr__`, call "
        "`self._make_room(name, keep=self._parameters)` before you store a Parameter, and do the same with "
        "`self._modules` before you store a Module.",
    ),
)
_MOVERS = ("P", "Q", "child", "layer")
rooms.compare(
    "a name that moves leaves its old home",
    *(
        programs(
            [*write(n, *_MOVERS, "5", "None", "config"), *place("_buffers", **{n: "t"})],
            write(n, *_MOVERS),
            write(n, *_MOVERS),
        )
        for n in ("w", "_w")
    ),
    programs(write("w", "P", "child"), place("_buffers", w="P"), write("w", "Q")),
    programs(place("_buffers", w="t"), place("_modules", w="child"), write("w", "P")),
)
_OTHERS = [
    *write("b", "Q"),
    *write("ww", "Q"),
    *write("fc", "layer"),
    *write("lr", "5"),
    put("_buffers", "mean", "t"),
]
rooms.compare(
    "what the class has under that name stays there",
    each(write("unit", "P", "child"), write("heat", "Q", "layer")),
)
rooms.compare(
    "its neighbors stay where they are",
    programs(write("w", "P", "child"), write("w", "Q", "layer", "P"), start=_OTHERS),
    programs(write("b", "P", "child"), write("w", "P"), start=[*write("w", "Q"), *_OTHERS]),
)
_LOOP = "for place in (self.__dict__, self._parameters, self._buffers, self._modules):"
# fmt: off
rooms.wrongs(
    ("del without asking", {"place.pop(name, None)": "del place[name]"}, "most places don't hold the name, and removing it fails there; `place.pop(name, None)` doesn't"),
    ("only __dict__", {_LOOP: "for place in (self.__dict__,):"}, "only `__dict__` is cleared; the name may be in one of the three drawers"),
    ("__dict__ forgotten", {_LOOP: "for place in (self._parameters, self._buffers, self._modules):"}, "`__dict__` isn't cleared, so an ordinary value stays there and hides the new one"),
    ("buffers forgotten", {_LOOP: "for place in (self.__dict__, self._parameters, self._modules):"}, "`_buffers` isn't cleared"),
    ("keep too", {"if place is not keep:\n    place.pop(name, None)": "place.pop(name, None)"}, "the place that keeps the name is cleared too, so the name loses its position there"),
    ("backwards", {"is not keep": "is keep"}, "the test is the wrong way round: `keep` is cleared, and the others are not"),
    ("equal for the same", {"is not keep": "!= keep"}, "`!=` compares what two dictionaries hold; `is not` asks whether they are two"),
    ("stops at the first", {"place.pop(name, None)": "if name in place:\n    del place[name]\n    return"}, "the `return` ends the loop at the first place; look in all of them"),
    ("whatever hasattr finds", {_LOOP: "if hasattr(self, name):\n    delattr(self, name)\nfor place in (self._parameters, self._buffers, self._modules):"}, "the name is also deleted when only the class has it, as with a property; clear the four places of the object"),
    ("clears everything", {"place.pop(name, None)": "place.clear()"}, "the whole place is emptied; only `name` must go"),
)
# fmt: on

refuses = Exercise(
    "02.3",
    title="All six rows",
    takes=("Module",),
    minutes=15,
    writes=("__setattr__",),
    keeps=("02.1", "02.2"),
    hints=(
        "Each row of the table is one `if` or `elif`, in the order of the table. Where does the test for missing "
        "drawers go?",
        "The test for missing drawers comes before row 1, and it's about Parameters and Modules alone. In rows 2, "
        "4 and 5, first raise the TypeError if the value isn't allowed, and then store it in the drawer that "
        "already has the name.",
        'Row 2 is `elif name in self.__dict__.get("_parameters", {}):`, and inside it `if value is not None: raise '
        "TypeError(f\"'{name}' is a parameter\")`, then `self._parameters[name] = None`. Row 4 is the same with "
        "`_modules`. Row 5 allows a `Tensor` as well, and stores the value. Before row 1 comes `if "
        'isinstance(value, (Parameter, Module)) and "_modules" not in self.__dict__:` with its AttributeError.',
    ),
)
_ALL = (
    "5",
    "P",
    "None",
    "t",
    "child",
    "layer",
    "Q",
    "'text'",
    "items",
    "shaped",
    "False",
    "measured",
)
_BUFFERS = [*place("_buffers", w="t"), *place("_buffers", w="None")]
for _title, _first in (
    ("a Parameter's name", write("w", "P")),
    ("a Module's name", write("w", "child", "layer")),
    ("a buffer's name", _BUFFERS),
    ("any other name", write("w", "t", "5", "'text'", "None")),
):
    refuses.compare(
        f"{_title} takes what its row says",
        programs(_first, write("w", *_ALL), write("w", *_ALL)),
        programs(
            _first,
            write("b", "Q", "5"),
            write("w", "P", "Q", "child", "5", "None"),
            write("b", "P", "t"),
        ),
    )
refuses.compare(
    "before `super().__init__()` there are no drawers, and the message says what to do",
    programs(write("w", *_ALL), write("w", "P", "child", "5"), made="blank"),
    [Program((*write("w", "5"), *write("heat", "5")), "blank")],
)
_BEFORE = """
if isinstance(value, (Parameter, Module)) and "_modules" not in slots:
    raise AttributeError(f"call super().__init__() before you assign '{name}'")
"""
_ROW2 = """raise TypeError(f"'{name}' is a parameter…"""
_ROW4 = """raise TypeError(f"'{name}' is a child…"""
_ROW5 = """raise TypeError(f"'{name}' is a buffer…"""
_IN2 = """elif name in slots.get("_parameters", {}):"""
_IN4, _IN5 = _IN2.replace("_parameters", "_modules"), _IN2.replace("_parameters", "_buffers")
# fmt: off
refuses.wrongs(
    ("nothing refused over a Parameter", {_ROW2: "self._make_room(name, keep=self.__dict__)\nreturn super().__setattr__(name, value)"}, "row 2 is missing its `TypeError`: a Parameter's name takes a Parameter or None"),
    ("row 3 before row 2", {_IN2: 'elif name in slots.get("_parameters", {}) and not isinstance(value, Module):'}, "row 2 comes before row 3: a Module over a Parameter's name is refused, too"),
    ("None deletes", {"self._parameters[name] = None": "del self._parameters[name]"}, "None deletes the name; it must stay in `_parameters`, with the value None"),
    ("None refused", {f"if value is not None:\n    {_ROW2}": "raise TypeError(name)"}, "None is refused; row 2 lets None through"),
    ("buffers take anything", {"if value is not None and not isinstance(value, Tensor):": "if False:"}, "row 5 is missing its `TypeError`: a buffer's name takes a tensor or None"),
    ("no check before __init__", {_BEFORE: ""}, "without drawers, the message says nothing of `super().__init__()`: before row 1, ask whether they exist, and raise an AttributeError that names it"),
    ("makes the drawers", {"""raise AttributeError(f"call super().__init__() before you assign '{name}'")""": "Module.__init__(self)"}, "missing drawers are created on the spot, so a forgotten `super().__init__()` is never noticed"),
    ("row 5 first", {"if isinstance(value, Parameter):": 'if name in slots.get("_buffers", {}) and isinstance(value, Tensor):\n    self._buffers[name] = value\nelif isinstance(value, Parameter):'}, "over a buffer's name, a Parameter stays in `_buffers`: row 1 comes before row 5, and a Parameter is a tensor, too"),
    ("TypeError returned", {_ROW2: "return TypeError(name)"}, "the TypeError is handed back, and nothing sees it; `raise` refuses"),
    ("clears first, refuses later", {_IN2: f"{_IN2}\n    if value is not None: self._parameters.pop(name)"}, "the old value is taken out before the new one is refused; a refusal changes nothing"),
    ("ordinary values stay ordinary", {"if isinstance(value, Parameter):": "if name in slots:\n    slots[name] = value\nelif isinstance(value, Parameter):"}, "a name in `__dict__` stays there, whatever is assigned; the kind of the new value decides"),
    ("children take anything", {f"if value is not None:\n    {_ROW4}\nself._modules[name] = None": "self._modules[name] = value"}, "row 4 is missing its `TypeError`: a child's name takes a Module or None"),
    ("asserts", {_ROW2: "raise AssertionError(name)", _ROW4: "raise AssertionError(name)", _ROW5: "raise AssertionError(name)"}, "a refusal must be a `TypeError`, not an AssertionError"),
)
# fmt: on
