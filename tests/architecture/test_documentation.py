"""Whatever is public under `nn`, `optim`, `utils.data`, ... is documented, and the examples print what they say."""

import doctest
import enum
import importlib
import inspect

import pytest

import nbmodule

PATHS = [
    "nn", "nn.functional", "nn.init", "nn.utils", "nn.utils.prune", "nn.utils.parametrize",
    "nn.utils.parametrizations", "nn.utils.rnn", "nn.utils.stateless", "nn.attention", "nn.attention.bias", "nn.grad",
    "optim", "optim.lr_scheduler", "optim.swa_utils", "utils.data", "serialization", "learner", "observer", "datasets",
    "amp", "cuda.amp",
]  # fmt: skip


def shown():
    """Return what is public, by its path: classes and functions, each once."""
    found = {}
    for path in PATHS:
        module = importlib.import_module(f"nbmodule.{path}")
        for name in dir(module):  # with what is loaded when it is first asked for
            value = getattr(module, name)
            home = f"nbmodule.{path.partition('.')[0]}"
            ours = (getattr(value, "__module__", None) or "").startswith(home)
            if name.startswith("_") or not ours or not (inspect.isclass(value) or callable(value)):
                continue
            if id(value) not in {id(v) for v in found.values()}:
                found[f"{path}.{name}"] = value
    top = {name: getattr(nbmodule, name) for name in dir(nbmodule)}
    return found | {name: f for name, f in top.items() if is_of_networks(name, f)}


def is_of_networks(name, value):
    """Whether `nbmodule.<name>` is a function of networks, such as `nbmodule.layer_norm`."""
    home = getattr(inspect.unwrap(value), "__globals__", {}) if callable(value) else {}
    own = getattr(value, "__module__", None) == "nbmodule"  # the others are `nn.functional`'s
    return own and not name.startswith("_") and home.get("__name__", "").startswith("nbmodule.nn")


SHOWN = shown()
each = pytest.mark.parametrize("path", SHOWN)


SAID_ONCE = ("self", "args", "kwargs", "out")
"""Arguments that mean the same wherever they are taken."""


@each
def test_it_is_documented(path):
    """It says what it does, its arguments, where it comes from, and shows a call."""
    thing = SHOWN[path]
    text = inspect.getdoc(thing) or ""
    own = vars(thing).get("__doc__") if inspect.isclass(thing) else thing.__doc__
    assert own, "no docstring"
    sourced = not path.startswith(
        ("learner", "observer", "datasets")
    )  # ours: there may be no source
    missing = [word for word in ("Source: ", ">>> ") if word not in text]
    missing = [word for word in missing if sourced or word != "Source: "]
    missing += ["Source: before the example"] if text.rfind("Source: ") > text.find(">>> ") else []
    call = thing.__init__ if inspect.isclass(thing) else thing
    asked = [p for p in inspect.signature(call).parameters if p not in SAID_ONCE]
    asked = [p for p in asked if p[0] != "_" and not issubclass(type(thing), enum.EnumMeta)]
    missing += [] if "Args:" in text or not asked else ["Args:"]
    told = "Args:" not in text or "*args:" in text  # there, they are described together
    untold = [p for p in asked if not told and f"{p}:" not in text and f"{p}," not in text]
    assert (missing, untold) == ([], []), (missing, untold)


@each
def test_the_example_prints_what_it_says(path):
    thing = SHOWN[path]
    finder, runner = doctest.DocTestFinder(recurse=inspect.isclass(thing)), doctest.DocTestRunner()
    for test in finder.find(thing, path, module=False, globs={}):
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0
