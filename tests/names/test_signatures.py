"""Whoever asks for the source or the signature of a function arrives at the formula, with PyTorch's names."""

import inspect
import typing
from types import FunctionType

import numpy as np
import pytest
from test_names import find

from nbmodule._methods._signatures import signatures_of
from nbmodule_course.source import show_source

AREAS = ["", "Tensor", "linalg", "special", "nn.functional"]
"""Where all functions, methods and operators are looked at."""

PREFIX = {"linalg": "linalg_", "special": "special_"}
"""How PyTorch's table calls the functions of a module."""

STARRED = {
    "*tensors": (
        "atleast_1d atleast_2d atleast_3d block_diag broadcast_tensors cartesian_prod meshgrid"
    ),
    "*matrices": "chain_matmul",
    "*operands": "einsum",
    "*shapes": "broadcast_shapes",
    "*size": "empty ones zeros rand randn Tensor.expand Tensor.resize_ Tensor.sum_to_size",
    "*shape": "Tensor.reshape Tensor.view",
    "*dims": "Tensor.permute",
    "*repeats": "Tensor.repeat",
    "**pickle_load_args": "load",
}
"""What PyTorch documents with a star, too."""

VAGUE = {
    "``*args, **kwargs`` in PyTorch's documentation too": "Tensor.to Tensor.type",
    "one of PyTorch's constructors": "Tensor.new Tensor.__new__ Tensor.__init__ Tensor.__init_subclass__",
}
"""The signatures that do not name every argument, and why."""

OTHER_NAMES = {
    "out_dtype is for half precision on a GPU": "addmm baddbmm bmm mm addmm_ baddbmm_",
    "a tensor of places or one number: one name for both": "tensor_split",
    "out is not taken": "native_batch_norm where",
    "an alias of `div`": "true_divide true_divide_",
    "the documentation's name, where the table has none": "clone",
}
"""Functions whose arguments are not those of the table, and why."""

OWN_DEFAULTS = {
    "() and None both mean all dimensions": "amax amin roll",
    "1 is what None stands for, and `unbiased` an older spelling": "std var",
    "1/3 with all its digits": "rrelu rrelu_",
    "2.0 is 2": "pairwise_distance",
    "1 is the mean": (
        "binary_cross_entropy_with_logits cosine_embedding_loss ctc_loss hinge_embedding_loss kl_div "
        "margin_ranking_loss triplet_margin_loss"
    ),
    "the table's parentheses": "rot90 matrix_norm",
}
"""Functions with another default than the table's, and why."""


def callables(area):
    """Return the functions, or the methods and operators, of one place by name."""
    import nbmodule

    owner = find(nbmodule, area)
    found = {}
    for name in sorted(dir(owner)):
        value = (inspect.getattr_static if inspect.isclass(owner) else getattr)(owner, name)
        value = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        shown = name[0] != "_" or (area == "Tensor" and name.endswith("__"))
        if shown and isinstance(value, FunctionType) and value.__module__.startswith("nbmodule"):
            found[f"{area}.{name}".lstrip(".")] = value
    return found


EVERY = {name: f for area in AREAS for name, f in callables(area).items()}


def listed(reasons):
    return {name for names in reasons.values() for name in names.split()}


def signed():
    """Return for every function that PyTorch's table knows its name, its own and the table's parameters."""
    import nbmodule

    for full, function in EVERY.items():
        area, _, name = full.rpartition(".")
        if area == "nn.functional" and getattr(nbmodule, name, None) is not function:
            continue  # which takes other arguments than the function of the table
        if known := signatures_of(PREFIX.get(area, "") + name, area == "Tensor"):
            yield full, name, inspect.signature(function).parameters, known


def test_the_source_of_everything_is_a_formula_or_a_def():
    """A closure would be the code of a wrapper, the same for hundreds of functions."""
    closures = [n for n, f in EVERY.items() if "<locals>" in inspect.unwrap(f).__code__.co_qualname]
    assert closures == []


@pytest.mark.parametrize("area", AREAS)
def test_show_source_shows_it(area):
    for name, function in callables(area).items():
        view = show_source(function)
        assert view.file.startswith("nbmodule/"), name
        assert "def " in view.lines, name


def test_signatures_name_their_arguments():
    starred = {name: text for text, names in STARRED.items() for name in names.split()}
    stars = {
        (name, str(p.replace(annotation=p.empty)))
        for name, f in EVERY.items()
        for p in inspect.signature(f).parameters.values()
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    }
    assert {name for name, _ in stars - starred.items()} == listed(VAGUE)
    assert starred.items() <= stars


def test_arguments_have_pytorchs_names():
    other = set()
    for _, name, shown, known in signed():
        names = {"from_" if p.name == "from" else p.name for s in known for p in s}
        longest = {p.name for p in max(known, key=len)} - {"from", "data", "batch_sizes"}
        if shown.keys() - names - {"self"} or longest - shown.keys():
            other.add(name)
    assert other == listed(OTHER_NAMES)


def test_arguments_have_pytorchs_defaults():
    other = set()
    for _, name, shown, known in signed():
        for p in shown.values():
            texts = {q.default for s in known for q in s if q.name == p.name}
            wanted = {t and t.replace('"', "'") for t in texts}
            if p.default is not p.empty and wanted - {None} and repr(p.default) not in wanted:
                other.add(name)
    assert other == listed(OWN_DEFAULTS)


def test_the_tensor_comes_first():
    first = {name: next(iter(inspect.signature(f).parameters), None) for name, f in EVERY.items()}
    methods = [n for n in first if n.startswith("Tensor.") and first[n] not in ("self", "cls")]
    assert methods == [
        "Tensor.__abs__",
        "Tensor.__invert__",
        "Tensor.__neg__",
    ]  # which are operations as they stand
    assert [n for n in first if first[n] == "self" and not n.startswith("Tensor.")] == []


def test_a_bound_method_does_without_its_tensor():
    import nbmodule

    x = nbmodule.ones(2)
    assert str(inspect.signature(x.clamp_min).replace(return_annotation="")).startswith("(min: ")
    assert list(inspect.signature(x.exp).parameters) == []
    assert list(inspect.signature(x.__neg__).parameters) == []


def test_jupyter_shows_the_arguments():
    jedi = pytest.importorskip("jedi")
    import nbmodule

    for call in ("nbmodule.maximum(", "nbmodule.sum(", "x.lerp(", "x.exp_("):
        found = jedi.Interpreter(call, [{"nbmodule": nbmodule, "x": nbmodule.ones(2)}])
        (shown,) = found.get_signatures()
        names = [p.name for p in shown.params]
        assert (
            names
            == {
                "nbmodule.maximum(": ["input", "other", "out"],
                "nbmodule.sum(": ["input", "dim", "keepdim", "dtype", "out"],
                "x.lerp(": ["end", "weight"],
                "x.exp_(": [],
            }[call]
        )


NUMPYS_INTS = {
    "amax": lambda t, x, n: x.amax(n),
    "argmin": lambda t, x, n: x.argmin(n),
    "avg_pool1d": lambda t, x, n: t.avg_pool1d(x, n, n),
    "max_pool1d_with_indices": lambda t, x, n: t.max_pool1d_with_indices(x, n, n)[0],
    "norm": lambda t, x, n: x.norm(2, n),
    "norm_smallest": lambda t, x, n: x.norm(-2, n),
    "prod": lambda t, x, n: x.prod(n),
    "squeeze": lambda t, x, n: x[:, None].squeeze(n),
    "lp_pool1d": lambda t, x, n: t.nn.functional.lp_pool1d(x, 2.0, n, n),
}
"""Calls in which an int decides between one place and several."""


@pytest.mark.parametrize("call", NUMPYS_INTS.values(), ids=NUMPYS_INTS)
def test_an_int_of_numpy_is_an_int(call):
    """``n == []`` would ask it element by element."""
    import nbmodule

    x = nbmodule.arange(1.0, 7.0).reshape(2, 3).requires_grad_()
    plain, numpys = call(nbmodule, x, 1), call(nbmodule, x, np.int64(1))
    assert plain.tolist() == numpys.tolist()
    assert getattr(plain.grad_fn, "name", str)() == getattr(numpys.grad_fn, "name", str)()


NO_NUMBERS = {
    "max_norm": lambda t, x: t.embedding_renorm_(x, t.tensor([0]), [1.0], 2.0),
    "divisor_override": lambda t, x: t.nn.functional.avg_pool2d(x[None], 1, divisor_override=()),
    "input": lambda t, x: t.nn.functional.batch_norm(x.numpy(), t.zeros(3), t.ones(3)),
}
"""Calls with something that NumPy would compute with, by the argument that PyTorch refuses."""


@pytest.mark.parametrize("argument", NO_NUMBERS)
def test_what_numpy_would_take_is_refused(argument):
    import nbmodule

    with pytest.raises(TypeError, match=f"argument '{argument}'"):
        NO_NUMBERS[argument](nbmodule, nbmodule.ones(3, 3))


def test_sort_takes_what_its_signature_shows():
    import nbmodule

    x = nbmodule.tensor([3.0, 1.0, 2.0])
    for function in (nbmodule.sort, nbmodule.argsort):
        bound = inspect.signature(function).bind(x)
        bound.apply_defaults()
        assert repr(function(**bound.arguments)) == repr(function(x))


def test_type_hints_of_what_is_made_of_a_rule_or_a_method():
    """PyTorch's have none; a name that only type checkers see would be an error."""
    import nbmodule
    from nbmodule.nn import functional

    t = nbmodule.Tensor
    for function in (
        nbmodule.abs,
        nbmodule.add,
        nbmodule.abs_,
        t.abs,
        t.add_,
        t.all,
        functional.relu,
    ):
        typing.get_type_hints(function)
