"""Views ask: the Module protocol, the library's observer, PyTorch's modes and hooks; they do not read how either is built.

What a library did is never worked out from frames, local variables or the names of functions: a reader's own method may
be called `loop` or `apply`, too.
"""

from __future__ import annotations

import ast
import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import nbmodule
import nbmodule_widgets
from nbmodule_widgets import graphing

HOME = Path(nbmodule_widgets.__file__).parent

FRAMES = {
    "_getframe", "currentframe", "getouterframes", "getinnerframes", "tb_frame", "gi_frame", "cr_frame",
    "setprofile", "getprofile", "settrace", "gettrace", "__code__", "__globals__", "__closure__",
}  # fmt: skip
PREFIXES = ("f_back", "f_code", "f_globals", "f_lasti", "f_lineno", "f_locals", "co_")

READERS_OWN = {
    # A lesson plays the lines of the reader's own `__setattr__`, one by one: Python's tracing is made for that.
    "lesson_facts/following.py",
    # The same for the reader's own walk: how often each of its lines ran.
    "lesson_facts/visits_lines.py",
    # What a function that the model keeps holds in its closure: a Module in there is in no drawer.
    "facts/within.py",
    # Whether two hooks are the same function with the same bound values: code and closures are compared, none is run.
    "facts/hooks.py",
    # Whether an error is a refusal of ours: the files of its own traceback, nobody's values.
    "refusing.py",
    # The names that the reader has given to tensors and models, in the reader's own code.
    "graphing/caller.py",
    # The lines of the reader's own code that an operation comes from: file, line and function, nothing else.
    "graphing/lines.py",
}
ADAPTERS = "engines/"

PROTOCOL = {"_base", "_version"}  # PyTorch's names of a Tensor, which every tensor of its kind has
PRIVATE = {
    name
    for whole in (nbmodule.ones(1), nbmodule.ones(1, requires_grad=True).sum().grad_fn)
    for name in dir(whole)
    if name.startswith("_") and not name.startswith("__")
} - PROTOCOL


def code() -> Iterator[tuple[str, ast.AST]]:
    for path in sorted(HOME.rglob("*.py")):
        place = path.relative_to(HOME).as_posix()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            yield place, node


def names_of(node: ast.AST) -> tuple[str, ...]:
    """The names that a piece of code takes from somebody else's object: as an attribute, or as a text."""
    if isinstance(node, ast.Attribute):
        own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        return () if own else (node.attr,)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return (node.value,)
    if isinstance(node, ast.ImportFrom):
        return tuple(alias.name for alias in node.names)
    return ()


def test_no_view_reads_frames_or_code() -> None:
    found = {
        f"{place}: {name}"
        for place, node in code()
        for name in names_of(node)
        if place not in READERS_OWN and (name in FRAMES or name.startswith(PREFIXES))
        if " " not in name
    }
    assert not found


def test_no_view_knows_how_a_library_is_built() -> None:
    assert {"_array", "_node", "_storage", "_grad"} <= PRIVATE
    found = {
        f"{place}: {name}"
        for place, node in code()
        for name in names_of(node)
        if not place.startswith(ADAPTERS)
        if name in PRIVATE or name == "_C" or name.startswith(("nbmodule._", "torch._"))
    }
    assert not found


@pytest.mark.parametrize("place", sorted(READERS_OWN))
def test_what_is_allowed_is_needed(place: str) -> None:
    names = {name for where, node in code() if where == place for name in names_of(node)}
    assert any(name in FRAMES or name.startswith(PREFIXES) for name in names)


# ---------------------------------------------------------------------------------- readers' own names


def model_with_telling_names(lib: Any) -> Any:
    """A model whose methods and variables are called as an engine might call its own."""

    class Reader(lib.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, columns: int = 4) -> None:
            super().__init__()
            self.fc = lib.nn.Linear(4, 4)
            self.weight = lib.nn.Parameter(lib.ones(columns, 2))

        def loop(self, args: Any) -> Any:
            called = args.tanh()
            return self.apply_twice(called, rule=lambda t: t * 2)

        def apply_twice(self, args: Any, rule: Any) -> Any:
            for _ in range(2):
                args = rule(args)
            return args

        def call(self, found: Any) -> Any:
            return found @ self.weight

        def rule(self, args: Any) -> Any:
            """Returns what is no tensor's business, and raises."""
            called, operation = "no such operation", args
            raise KeyError(called, operation.shape)

        def detach(self, args: Any) -> Any:
            return args + 1

        def forward(self, args: Any) -> Any:
            return self.call(self.detach(self.loop(self.fc(args))))

    return Reader


def test_a_model_whose_methods_are_called_as_the_engine_s_is_shown_as_it_is(lib: Any) -> None:
    net = model_with_telling_names(lib)()
    graph = graphing.run(net, lib.ones(3, 4))
    assert graph.failure is None
    assert graph.cuts == ()
    assert graph.notes == ()
    words = [node.word for node in graph.nodes if node.kind == "operation"]
    assert words[-5:] == ["tanh", "multiply", "multiply", "add", "matrix product"]
    texts = [graph.lines[node.line].text for node in graph.nodes if node.kind == "operation"]
    assert texts[-5:-1] == [
        "called = args.tanh()",
        "return self.apply_twice(called, rule=lambda t: t * 2)",
        "return self.apply_twice(called, rule=lambda t: t * 2)",
        "return args + 1",
    ]
    assert {group.path for group in graph.groups if group.kind == "module"} == {"", "fc"}
    trace = nbmodule_widgets.trace(net, lib.ones(3, 4))
    assert [call.path for call in trace.facts.calls] == ["", "fc"]
    assert not any(call.direct for call in trace.facts.calls)


def test_what_a_pass_broke_off_at_is_what_the_engine_says(lib: Any) -> None:
    failed = graphing.run(model_with_telling_names(lib)(columns=5), lib.ones(3, 4)).failure
    assert failed is not None
    assert failed.words == "(3, 4) @ (5, 2)"
    assert failed.operation in ("matmul", "mm")
    assert failed.path == ""


def test_an_error_of_the_reader_s_own_is_no_operation_s(lib: Any) -> None:
    net = model_with_telling_names(lib)()

    def loop(args: Any) -> Any:
        called = "relu"  # noqa: F841  named as the engine might name it
        return net.rule(net.fc(args))

    graph = graphing.run(loop, lib.ones(3, 4))
    assert graph.failure is not None
    assert (graph.failure.operation, graph.failure.operands) == ("", ())
    assert "no such operation" in graph.failure.error
    assert graph.lines[graph.failure.line].text == "raise KeyError(called, operation.shape)"


def test_an_error_that_was_caught_is_not_taken_for_a_later_one(lib: Any) -> None:
    def work() -> Any:
        x = lib.ones(2, 3, requires_grad=True)
        with contextlib.suppress(RuntimeError):
            x @ x
        raise KeyError("something else")

    failed = graphing.run(work).failure
    assert failed is not None
    assert (failed.operation, failed.operands) == ("", ())


def test_only_the_reader_s_own_no_grad_is_a_cut(lib: Any) -> None:
    class Twice(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

    w = lib.ones(3, requires_grad=True)
    assert graphing.run(lambda: Twice.apply(w).sum()).cuts == ()

    @lib.no_grad()
    def frozen(x: Any) -> Any:
        return x * 3

    (cut,) = graphing.run(lambda: w.sum() + frozen(w).sum()).cuts
    assert cut.what == "no_grad()"


def test_a_class_of_the_reader_s_own_is_left_as_it_was() -> None:
    class Own:
        def __init__(self) -> None:
            self._parameters: dict[str, Any] = {"w": nbmodule.ones(2, requires_grad=True)}
            self._modules: dict[str, Any] = {}
            self._buffers: dict[str, Any] = {}

        def __call__(self, x: Any) -> Any:
            return self._parameters["w"] * x

    before = dict(vars(Own)), dict(vars(nbmodule.nn.Module))
    graph = graphing.run(Own(), nbmodule.ones(2))
    assert [(g.class_name) for g in graph.groups if g.kind == "module"] == ["Own"]
    nbmodule_widgets.trace(Own(), nbmodule.ones(2))
    assert (dict(vars(Own)), dict(vars(nbmodule.nn.Module))) == before


# ---------------------------------------------------------------------------------- every sentence is so


def words_of(work: Any) -> str:
    return str(nbmodule_widgets.graph(work))


def test_what_the_reader_raises_while_handling_an_error_is_no_operation_s(lib: Any) -> None:
    def work() -> Any:
        x = lib.ones(2, 3, requires_grad=True)
        try:
            return x @ x
        except RuntimeError:
            raise KeyError("something else")  # noqa: B904

    assert "broke off in Python code\n" in words_of(work)


def test_an_error_that_the_reader_raises_from_an_operation_s_names_it(lib: Any) -> None:
    def work() -> Any:
        x = lib.ones(2, 3, requires_grad=True)
        try:
            return x @ x
        except RuntimeError as error:
            raise ValueError("mine") from error

    assert "broke off at mm: (2, 3) @ (2, 3)" in words_of(work)


@pytest.mark.parametrize(
    ("work", "name"),
    [
        (lambda lib, w: lib.cat([w + 1, w[:, :2]]), "cat"),
        (lambda lib, w: (w + 1).reshape(5, 5), "reshape"),
        (
            lambda lib, w: lib.nn.functional.cross_entropy(w + 1, lib.zeros(4).long()),
            "cross_entropy",
        ),
    ],
)
def test_tensors_that_no_name_stands_for_met_all_the_same(lib: Any, work: Any, name: str) -> None:
    w = lib.ones(2, 3, requires_grad=True)
    said = words_of(lambda: work(lib, w))
    assert "no tensors" not in said
    if lib is nbmodule:
        assert f"broke off at {name}" in said


def test_a_function_of_the_reader_s_breaks_off_where_its_lines_say(lib: Any) -> None:
    class Twice(lib.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            wrong = lib.ones(5, 5)
            return x @ wrong

    w = lib.ones(2, 3, requires_grad=True)
    failed = graphing.run(lambda: Twice.apply(w)).failure
    assert failed is not None
    assert failed.operation in ("mm", "matmul")
    assert failed.words == "(2, 3) @ (5, 5)"


def test_a_tensor_without_a_graph_leaves_none(lib: Any) -> None:
    x, w = lib.ones(3), lib.ones(3, requires_grad=True)
    assert graphing.run(lambda: w * x.detach()).cuts == ()
    (cut,) = graphing.run(lambda: w * (w * 2).detach()).cuts
    assert cut.what == "detach()"


def test_the_leaves_of_a_module_that_the_pass_made_are_leaves(lib: Any) -> None:
    net = lib.nn.Linear(4, 4)
    graph = graphing.run(lambda: lib.nn.Linear(4, 2)(net(lib.ones(3, 4))))
    assert sum(node.kind == "leaf" for node in graph.nodes) == 4


def test_a_write_to_a_view_belongs_where_it_was_written(lib: Any) -> None:
    class Writer(lib.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            y = x * 1
            y[1].mul_(3)
            return y

    net = lib.nn.Sequential(Writer(), lib.nn.Linear(4, 2))
    graph = graphing.run(net, lib.ones(3, 4, requires_grad=True))
    homes = {n.name: graph.groups[n.group].path for n in graph.nodes if n.kind == "operation"}
    assert homes["CopySlices"] == "0"
    assert homes["MulBackward0"] == "0"


def test_a_call_in_a_thread_of_the_pass_goes_through_call(lib: Any) -> None:
    class Threaded(lib.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.fc = lib.nn.Linear(4, 4)

        def forward(self, x: Any) -> Any:
            made: list[Any] = []
            other = threading.Thread(target=lambda: made.append(self.fc(x)))
            other.start()
            other.join()
            return self.fc.forward(made[0])

    trace = nbmodule_widgets.trace(Threaded(), lib.ones(3, 4))
    assert [(call.path, call.direct) for call in trace.facts.calls] == [
        ("", False), ("fc", False), ("fc", True),
    ]  # fmt: skip
