"""Classes of wrong answers that once got through or got an untrue reason, each with the exercise where it was found."""

from __future__ import annotations

import sys
import warnings

import pytest
from right_answers import RIGHT

from nbmodule_course import check
from nbmodule_course.chapters import stub_source
from nbmodule_course.check import examine
from nbmodule_course.exercise import find_exercise
from nbmodule_course.referee.solutions import patched, solution_source
from nbmodule_course.referee.wrong_answers import item_of
from nbmodule_course.replay import Session

CHAPTER_01 = """
from nbmodule_course import carried
mine = carried(chapter="01")
Module = mine.so_far
"""


def report_on(exercise_id, takes, *cells):
    with Session() as session, warnings.catch_warnings():
        warnings.simplefilter("error")
        for cell in cells:
            error = session.run(cell)
            assert error is None, error
        return check(exercise_id, session.names[takes])


def said(report):
    return [(result.did, result.likely) for result in report.results if not result.passed]


@pytest.mark.parametrize(
    ("count", "likely"),
    [
        ("def count(module):\n    yield 15", "`yield` makes a generator"),
        ("async def count(module):\n    return 15", "`async def` gives a coroutine"),
    ],
)
def test_an_answer_that_has_not_run_is_named(count, likely):
    report = report_on("00.1", "count", count)
    assert report.status == "failed"
    assert likely in repr(report)
    assert "RuntimeWarning" not in repr(report)


def test_numbers_of_a_parameter_may_not_be_changed():
    answer = (
        "def count(module):\n    for p in module.parameters():\n        p.data.zero_()\n"
        "    return sum(p.numel() for p in module.parameters())"
    )
    assert "changes its arguments" in said(report_on("00.1", "count", answer))[0][0]


def test_an_ordinary_object_may_not_be_changed_either():
    answer = (
        "def found_in(thing, name):\n    vars(thing)['asked'] = name\n    if name in vars(thing):\n"
        "        return 'the object'\n"
        "    return next((c.__name__ for c in type(thing).__mro__ if name in vars(c)), None)"
    )
    assert "changes its arguments" in said(report_on("00b.5", "found_in", answer))[0][0]


def test_a_lambda_is_an_answer():
    report = report_on(
        "00.1",
        "count",
        "from nbmodule_course import carried\nmine = carried(chapter='00')",
        "count = mine.extend(lambda module: 15)",
    )
    assert report.status == "failed"


def test_another_method_than_the_one_that_is_asked_for_is_work():
    cell = (
        "@mine.extend\nclass Module:\n    def __init__(self):\n        ...\n\n"
        "    def __new__(cls):\n        return object.__new__(cls)\n"
    )
    assert report_on("01.1", "Module", CHAPTER_01, cell).status == "failed"


def test_a_body_left_empty_is_not_told_that_it_prints():
    cell = "class Scale:\n    def __init__(self, factor):\n        self.factor = factor\n\n    def apply(self, x):\n        ...\n"
    report = report_on("00b.1", "Scale", cell)
    assert report.status == "failed"
    assert "print" not in repr(report)


def test_two_underscores_are_not_called_a_missing_self():
    names = "self.training, self.__parameters, self.__buffers, self.__modules = True, {}, {}, {}"
    cell = f"@mine.extend\nclass Module:\n    def __init__(self):\n        {names}\n"
    assert "two underscores" in repr(report_on("01.1", "Module", CHAPTER_01, cell))


EXTEND_01 = "@mine.extend\nclass Module:\n"
DRAWERS = "self.training, self._parameters, self._buffers, self._modules = True, {}, {}, {}"


def test_another_method_may_not_do_the_work_of_the_one_that_is_asked_for():
    cell = f"{EXTEND_01}    def __new__(cls):\n        self = object.__new__(cls)\n        {DRAWERS}\n        return self\n"
    exercise = find_exercise("01.1")
    report = examine(exercise, (item_of(exercise, cell),))
    assert said(report) == [("`Module` has no `__init__` of its own", "")]


def test_what_is_assigned_gets_no_attribute():
    cell = (
        "def outer(Module, Parameter):\n    class Inner:\n        def __setattr__(self, name, value):\n"
        "            if isinstance(value, Parameter):\n                self._parameters[name] = value\n"
        "            elif isinstance(value, Module):\n                value.__dict__['parent'] = self\n"
        "                self._modules[name] = value\n            else:\n"
        "                object.__setattr__(self, name, value)\n    Inner.__name__ = 'Module'\n    return Inner\n"
        "mine.extend(outer(Module, mine.Parameter))"
    )
    start = CHAPTER_01.replace('"01"', '"02"')
    (did, _), *_ = said(report_on("02.1", "Module", start, cell))
    assert did == "after `m.fc = child`, `child` has a new attribute `parent` (`child` is a Module)"


@pytest.mark.parametrize(
    ("exercise_id", "takes", "cell", "likely"),
    [
        ("00.1", "count", "def count(module):\n    return 15.0", "is of type `float`; the right"),
        (
            "03.5",
            "explain",
            "def explain(module, name):\n    return AttributeError(name)",
            "is of type `AttributeError`; the right answer is of type `str`",
        ),
        (
            "00b.1",
            "Scale",
            "class Scale:\n    def __init__(self, f):\n        self.factor = f\n\n    def apply(self, x):\n        x *= self.factor",
            "`apply` ends without a `return`",
        ),
    ],
)
def test_a_slip_is_named_where_it_is_seen(exercise_id, takes, cell, likely):
    report = report_on(exercise_id, takes, cell)
    assert likely in repr(report)
    assert "use `raise`" not in repr(report)


def test_a_raised_limit_does_not_end_the_process():
    limit = sys.getrecursionlimit()
    cell = (
        "import sys\n\ndef count(module):\n    sys.setrecursionlimit(10**6)\n"
        "    return 1 + count(module)\n"
    )
    (did, _), *_ = said(report_on("00.1", "count", cell))
    assert "calls itself again and again" in did
    assert sys.getrecursionlimit() == limit


def chapter(number, *imports):
    head = (*imports, "from nbmodule_course import carried", f"mine = carried(chapter='{number}')")
    return "\n".join((*head, "Module = mine.so_far"))


MY_LINEAR = """
@mine.extend
class MyLinear(Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(nbmodule.randn(out_features, in_features))
        self.register_parameter("bias", Parameter(nbmodule.randn(out_features)) if bias else None)

    def {name}(self, x):
        y = x @ self.weight.T
        {end}
"""


@pytest.mark.parametrize(
    ("name", "end", "words"),
    [
        (
            "forward",
            "y if self.bias is None else y + self.bias",
            "`forward` ends without a `return`",
        ),
        (
            "__call__",
            "return y if self.bias is None else y + self.bias",
            "has no `forward` of its own",
        ),
    ],
)
def test_a_layer_without_a_forward_that_returns(name, end, words):
    start = chapter("06", "import nbmodule", "from nbmodule.nn import Parameter")
    cell = MY_LINEAR.format(name=name, end=end)
    assert words in repr(report_on("06.1", "MyLinear", start, cell))


LISTS = """
@mine.extend
class Module:
    def named_parameters(self, prefix="", recurse=True):
        {first}
        for name, param in self._parameters.items():
            if param is not None and param not in seen:
                seen.append(param)
                yield f"{{prefix}}.{{name}}" if prefix else name, param
        for name, child in self._modules.items():
            if recurse and child is not None:
                yield from child.named_parameters(f"{{prefix}}.{{name}}" if prefix else name)

    def parameters(self, recurse=True):
        for _, param in self.named_parameters(recurse=recurse):
            yield param
"""


def test_comparing_two_parameters_does_not_change_them():
    report = report_on("05.3", "Module", chapter("05"), LISTS.format(first="seen = []"))
    assert report.status == "failed"
    assert "changed" not in repr(report)
    assert "Boolean value of Tensor with more than one value" in repr(report)


def test_what_a_walk_leaves_behind_is_named():
    first = "seen = self.__dict__['met'] = []"
    report = report_on("05.3", "Module", chapter("05"), LISTS.format(first=first))
    assert "has a new attribute `met`" in repr(report)


def test_numbers_of_a_value_may_not_be_changed():
    cell = (
        "@mine.extend\nclass Module:\n    def requires_grad_(self, requires_grad=True):\n"
        "        for p in self.parameters():\n            p.requires_grad_(requires_grad)\n"
        "            p.data.zero_()\n        return self\n"
    )
    assert "the numbers in `P` have changed" in repr(
        report_on("06.4", "Module", chapter("06"), cell)
    )


def test_a_statement_that_returns_something_is_told_what_it_returns():
    cell = (
        "@mine.extend\nclass Module:\n    def register_buffer(self, name, tensor, persistent=True):\n"
        "        self._buffers[name] = tensor\n        return self\n"
    )
    report = repr(report_on("05.2", "Module", chapter("05"), cell))
    assert "gives `m`" in report
    assert "it returns None" in report


def test_a_walk_that_returns_nothing_is_told_so():
    cell = (
        "@mine.extend\nclass Module:\n    def named_buffers(self, prefix='', recurse=True, remove_duplicate=True):\n"
        "        iter(self._buffers.items())\n\n"
        "    def buffers(self, recurse=True):\n        return iter(self._buffers.values())\n"
    )
    report = report_on("05.5", "Module", chapter("05"), cell)
    assert "`list(m.named_buffers())` gives `None`" in repr(report)
    assert "NoneType" not in repr(report)


FINISHED = [
    ("15.1", "from nbmodule.utils.hooks import RemovableHandle\n\nmine.extend(RemovableHandle)"),
    (
        "15.1",
        "@mine.extend\nclass RemovableHandle:\n"
        "    def __init__(self, hooks_dict, *, extra_dict=()):\n"
        "        self.real = nbmodule.utils.hooks.RemovableHandle(hooks_dict, extra_dict=list(extra_dict))\n"
        "        self.id, self.remove = self.real.id, self.real.remove\n\n"
        "    def __enter__(self):\n        return self\n\n"
        "    def __exit__(self, *error):\n        self.remove()",
    ),
    (
        "16.5",
        "from nbmodule.nn.utils import clip_grad_norm_ as done\n\n@mine.extend\n"
        "def clip_grad_norm_(parameters, max_norm, norm_type=2.0):\n"
        "    return done(parameters, max_norm, norm_type)",
    ),
    ("16.6", "from nbmodule.nn.utils import clip_grad_value_\n\nmine.extend(clip_grad_value_)"),
]


@pytest.mark.parametrize(("exercise_id", "cell"), FINISHED)
def test_the_library_s_own_function_or_class_is_not_an_answer(exercise_id, cell):
    exercise = find_exercise(exercise_id)
    report = examine(exercise, (item_of(exercise, cell),))
    assert report.status == "failed"
    assert "the library's own" in repr(report)


def test_an_except_that_is_asked_for_is_not_called_the_mistake():
    exercise = find_exercise("15.4")
    answer = next(a for a in exercise.referee.wrong if a.name == "begun too late")
    quiet = (
        "with suppress(Exception):\n    result = self._run_hook(key, hook, args, kwargs, result)",
        "try:\n    result = self._run_hook(key, hook, args, kwargs, result)\nexcept Exception:\n    pass",
    )
    source = patched(patched(solution_source("15.4"), dict([quiet])), answer.patch)
    with Session() as session:
        start = "from contextlib import suppress\n" + CHAPTER_01.replace('"01"', '"15"')
        for cell in (start, solution_source("15.1"), solution_source("15.2"), source):
            assert session.run(cell) is None
        report = check("15.4", session.names["Module"])
    assert "your `except` caught" not in repr(report)
    assert answer.says in repr(report)


def test_a_suggested_helper_may_stay_as_it_is_at_the_start():
    (everything,) = RIGHT["16.4"]
    start = "import nbmodule\nfrom contextlib import suppress\n" + CHAPTER_01.replace(
        '"01"', '"16"'
    )
    written = [solution_source(name) for name in ("16.2", "16.3")]
    helpers = stub_source("16.4").partition("\n\n@mine.extend")[0]
    with Session() as session:
        for cell in (
            start + "RemovableHandle = mine.RemovableHandle",
            *written,
            helpers,
            everything,
        ):
            assert session.run(cell) is None
        assert check("16.4", session.names["Module"]).passed
