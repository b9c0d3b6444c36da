"""Chapter 19: samples, their order, and the batches made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..exercise import Exercise, attempt, expect
from .dealing import same_batch, samples, uses

# ---- 19.1

asking = Exercise(
    "19.1",
    title="Two questions",
    takes=("TensorDataset",),
    minutes=6,
    writes=("TensorDataset",),
    hints=(
        "Which Python methods run for `len(data)` and for `data[i]`?",
        "Keep the tensors in `__init__`. `data[i]` is a `tuple(… for each in self.tensors)`.",
        "`return tuple(each[index] for each in self.tensors)`, and `return len(self.tensors[0])`.",
    ),
)
asking.compare_uses(
    "`data[i]` is a tuple with sample i of each tensor",
    uses(
        "TensorDataset(x)[1]",
        "TensorDataset(x, y)[1]",
        "TensorDataset(x, y, x)[3]",
        "TensorDataset(x, y)[-1]",
        "TensorDataset(x, y)[[0, 2]]",
        "TensorDataset(x, y)[1:3]",
        "data = TensorDataset(x, y); TensorDataset(y); data[0]",
        "next(iter(TensorDataset(x, y)))",
        "tried(lambda: TensorDataset(x, y)[9])",
    ),
)
asking.compare_uses(
    "`len(data)` counts samples, and all tensors have the same number of them",
    uses(
        "len(TensorDataset(x))",
        "len(TensorDataset(x, y))",
        "tried(lambda: TensorDataset(x, y[:3]))",
        "tried(lambda: TensorDataset(x, y, y[:3]))",
        "tried(lambda: TensorDataset(x[:3], y))",
        "tried(lambda: TensorDataset(x[:1], y))",
    ),
)
_TEST = "if any(len(each) != len(tensors[0]) for each in tensors):"
_ITEM = "return tuple(each[index] for each in self.tensors)"
# fmt: off
asking.wrongs(
    ("a list", {_ITEM: "return [each[index] for each in self.tensors]"}, "`data[i]` is a list; PyTorch's is a tuple"),
    ("a generator", {_ITEM: "return (each[index] for each in self.tensors)"}, "`(… for …)` makes a generator, which has not run yet; write `tuple(… for …)`"),
    ("the first one", {_ITEM: "return self.tensors[0][index]"}, "`data[i]` holds only the first tensor's sample; return a tuple with one sample for each tensor"),
    ("number of tensors", {"return len(self.tensors[0])": "return len(self.tensors)"}, "`len(data)` counts the tensors; it should count the samples"),
    ("any lengths", {_TEST: "if False:"}, "tensors of different lengths are accepted"),
    ("first two compared", {_TEST: _TEST.replace("in tensors)", "in tensors[:2])")}, "only the first two lengths are compared; compare all of them"),
    ("shorter ones accepted", {_TEST: _TEST.replace("!=", ">")}, "a tensor that's shorter than the first one is accepted, and `data[i]` fails in the middle of an epoch"),
    ("longer ones accepted", {_TEST: _TEST.replace("!=", "<")}, "a tensor that's longer than the first one is accepted, and its last rows are never used"),
    ("ValueError", {"raise AssertionError(": "raise ValueError("}, "different lengths raise a ValueError; PyTorch raises an AssertionError"),
)
# fmt: on

# ---- 19.2

collating = Exercise(
    "19.2",
    title="Samples become a batch",
    takes=("default_collate",),
    minutes=10,
    writes=("default_collate",),
    hints=(
        "All samples have the same structure, so look at the first one. Which kinds of values are there, and which of them contain other values?",
        "Tensors are stacked, numbers and arrays become one tensor, strings stay in a list. For a dict or a tuple, the function calls itself, once for each field. `zip(*samples)` gives the fields of tuples.",
        "`return {key: default_collate([sample[key] for sample in samples]) for key in first}` for a dict, and `return [default_collate(column) for column in zip(*samples, strict=True)]` for a tuple or a list.",
    ),
)
_T = "tensor([1.0, 2.0]), tensor([3.0, 4.0])"


def _calls(*texts: str) -> dict[str, Callable[[], tuple[Any, ...]]]:
    """Return a call of `default_collate` for each list of samples."""
    return {f"default_collate({text})": lambda text=text: (samples(text),) for text in texts}


collating.compare_calls(
    "tensors are stacked, and numbers become a tensor",
    _calls(
        f"[{_T}]", "[tensor(1.0), tensor(2.0)]", "[tensor([[1]]), tensor([[2]]), tensor([[3]])]", "[tensor([1.0])]",
        "[1, 2, 3]", "[1.0, 2.5]", "[True, False]", "[7]", "[np.float32(1), np.float32(2)]", "[np.int64(5), np.int64(6)]",
        "[np.ones(2), np.zeros(2)]", "[np.ones((1, 2), np.float32)] * 3", "[Parameter(tensor([1.0]))] * 2", "[tensor([1, 2]), tensor([3, 4])]",
    ),
    same_batch,
)  # fmt: skip
collating.compare_calls(
    "what contains values is collated field by field",
    _calls(
        "[(tensor([1.0]), 2), (tensor([3.0]), 4)]", "[(1, 'a'), (2, 'b')]", "['a', 'b']", "['a']", "[[1, 2], [3, 4], [5, 6]]",
        "[{'x': 1, 'name': 'a'}, {'x': 2, 'name': 'b'}]", "[{'x': tensor([1.0]), 'y': (1, 2)}, {'x': tensor([2.0]), 'y': (3, 4)}]",
        "[((1, 2.0), 3), ((4, 5.0), 6)]", "[(1,)]", "[[]]", "[{}]", "[OrderedDict(a=1), OrderedDict(a=2)]", "[{'b': 1, 'a': 2}, {'a': 3, 'b': 4}]",
    ),
    same_batch,
)  # fmt: skip
collating.compare_calls(
    "what can't be a batch is refused",
    _calls("[object(), object()]", "[None, None]", "[print]", "[{1}, {2}]"),
)


@collating.sub("so are samples of different lengths")
def refuses(default_collate: Callable[[Any], Any]) -> None:
    """Try samples that don't fit together."""
    for text in ("[(1, 2), (1,)]", "[(1,), (1, 2)]"):
        found = attempt(lambda text=text: default_collate(samples(text)))
        expect(
            isinstance(found.error, Exception),
            did=f"`default_collate({text})` gives `{found.value!r}`",
            real="PyTorch raises an error",
            likely="`zip` stops at the end of the shortest sample, unless you pass `strict=True`",
        )


_STACK = "return nbmodule.stack(list(samples))"
_NUMBERS = "return nbmodule.tensor(np.array(samples))"
# fmt: off
collating.wrongs(
    ("tensors end to end", {_STACK: "return nbmodule.cat(list(samples))"}, "tensors are joined end to end; `stack` gives the batch a new dimension"),
    ("tensors in a list", {_STACK: "return list(samples)"}, "tensors stay in a list; stack them"),
    ("numbers in a list", {_NUMBERS: "return list(samples)"}, "numbers stay in a list; make one tensor of them"),
    ("single precision", {_NUMBERS: "return nbmodule.tensor(np.array(samples)).float()"}, "integers become floats, but labels and indices have to stay integers; keep the dtype"),
    ("a tuple", {"return [default_collate(column) for column in zip(*samples, strict=True)]": "return tuple(default_collate(column) for column in zip(*samples, strict=True))"}, "the fields of a tuple come back as a tuple; PyTorch gives a list"),
    ("fields not collated", {"return [default_collate(column) for column in zip(*samples, strict=True)]": "return [list(column) for column in zip(*samples, strict=True)]"}, "the fields stay lists of samples; call `default_collate` for each field"),
    ("tuples only", {"isinstance(first, tuple | list)": "isinstance(first, tuple)"}, "a sample that's a list raises an error; treat it as a tuple"),
    ("first keys", {"[sample[key] for sample in samples]": "[first[key] for sample in samples]"}, "every row of a dict's field comes from the first sample; use `sample[key]`"),
    ("by order", {"{key: default_collate([sample[key] for sample in samples]) for key in first}": "dict(zip(first, default_collate([tuple(sample.values()) for sample in samples]), strict=True))"}, "the fields of a dict are matched by their order; match them by their keys"),
    ("strings refused", {"if isinstance(first, str):\n    return list(samples)": ""}, "strings raise an error; keep them in a list"),
    ("anything goes", {"raise TypeError(f\"default_collate can't make a batch of {type(first).__name__}\")": "return list(samples)"}, "values that can't be a batch are returned in a list; raise a TypeError"),
)
# fmt: on
