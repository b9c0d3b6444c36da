"""From samples to batches: `default_collate`, `default_convert` and `collate`."""

import array
import datetime
import decimal
import enum
from collections import Counter, OrderedDict, UserDict, UserList, defaultdict, deque, namedtuple
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from casebook import case, error, heard

Point = namedtuple("Point", "x y")


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Tagged(dict):
    tag = 0


class TaggedList(list):
    tag = 0


class OwnMapping(Mapping):
    def __init__(self, items):
        self.items_ = dict(items)

    def __getitem__(self, key):
        return self.items_[key]

    def __len__(self):
        return len(self.items_)

    def __iter__(self):
        return iter(self.items_)


class StubbornMapping(OwnMapping):
    def __init__(self, items, more):
        super().__init__(items)


class OwnSequence(Sequence):
    def __init__(self, items):
        self.items_ = list(items)

    def __getitem__(self, i):
        return self.items_[i]

    def __len__(self):
        return len(self.items_)


class StubbornSequence(OwnSequence):
    def __init__(self, items, more):
        super().__init__(items)


class Uncopied(dict):
    def __copy__(self):
        raise TypeError("not this one")


class Broken(dict):
    def __copy__(self):
        raise ValueError("nor this one")


def shown(t, x):
    """Return `x` as a text, with the types of all that it holds."""
    kind = type(x).__name__
    if isinstance(x, t.Tensor):
        return f"{kind} {x.dtype} {tuple(x.shape)} {x.tolist()} {x.requires_grad}"
    if isinstance(x, Mapping):
        return f"{kind}{{{', '.join(f'{k}: {shown(t, x[k])}' for k in x)}}} {getattr(x, 'tag', '')}"
    if isinstance(x, (Sequence, deque, UserList)) and not isinstance(x, (str, bytes, range)):
        return f"{kind}[{', '.join(shown(t, v) for v in x)}] {getattr(x, 'tag', '')}"
    return f"{kind} {x}"


def batches(t):
    """Return lists of samples, by a name."""
    tagged, tagged_list = Tagged(a=1), TaggedList([1, 2])
    tagged.tag = tagged_list.tag = 7
    f, a, x = np.float32, np.arange(4).reshape(2, 2), t.arange(4.0).reshape(2, 2)
    return {
        "numbers": [[1, 2], [1.0, 2.0], [True, False], [1, 2.5], [1.5, 2], [1.5, None], [True, 2], ["a", "b"], [b"a"], [None], [object], [2**40, 1], [1, "a"], ["a", 1], [float("nan"), 1.0], [Level.LOW, Level.HIGH], [Level.LOW, 2.5], [1.5, Level.LOW]],
        "tensors": [[x[0], x[1]], [x[0, 0], x[1, 1]], [x[0], x[0, :1]], [x[0], x[0].long()], [x[0], x[0].double()], [x[0] > 0], [t.zeros(2, requires_grad=True)] * 2, [t.nn.Parameter(x[0])], [t.zeros(0)] * 2, [x[0], 1], [x[0], a[0]]],
        "arrays": [[a[0], a[1]], [a.astype(f)] * 2, [a[0], a[0, :1]], [np.array(1), np.array(2)], [np.array(["a"])], [np.array([b"a"])], [np.array([None])], [a[::-1]], [a.astype(">i4")], [a[0], a[0].astype(f)], [a[0], x[0]], [a[0], 1], [np.zeros(1, "M8[s]")]],
        "numpy's numbers": [[np.float64(1), np.float64(2)], [f(1), f(2)], [np.float16(1)], [np.int8(1)] * 2, [np.True_, np.False_], [np.uint8(3)], [f(1), 2], [np.int32(1), f(2.5)], [1, f(2)], [1.5, f(2)], [np.str_("a")], [np.bytes_(b"a")]],
        "sequences": [[[1, 2], [3, 4]], [[1, 2.0], [3, 4.0]], [[1, 2], [3]], [[1], [3, 4]], [[], []], [(1, 2.0), (3, 4.0)], [(1, 2), (3,)], [(), ()], [[x[0], 1], [x[1], 2]], [[1, 2], (3, 4)], [["a", "b"], ["c", "d"]], [[1, 2], "ab"], [[1, 2], 5], [Point(1, 2.0), Point(3, 4.0)],
                      [Point([1], {"a": 2})] * 2, [deque([1, 2])] * 2, [UserList([1, 2])] * 2, [OwnSequence([1, 2])] * 2, [StubbornSequence([1, 2], 0)] * 2, [tagged_list] * 2, [range(2)] * 2, [array.array("i", [1, 2])] * 2, [bytearray(b"ab")] * 2],
        "mappings": [[{"a": 1, "b": 2}, {"a": 3, "b": 4}], [{"a": 1}, {"b": 2}], [{"a": 1}, {"a": 2, "b": 3}], [{"a": 1, "b": 3}, {"a": 2}], [{}, {}], [{"a": None}], [OrderedDict(b=1, a=2)] * 2, [defaultdict(int, a=1)] * 2, [Counter("ab")], [UserDict(a=1)], [MappingProxyType({"a": 1})] * 2, [tagged] * 2,
                     [OwnMapping({"a": 1})] * 2, [StubbornMapping({"a": 1}, 0)] * 2, [Uncopied(a=1)], [Broken(a=1)], [{"a": 1}, 3], [{"a": [1, (2, "x")]}, {"a": [3, (4, "y")]}], [{"x": a[0].astype(f), "y": Point(1, "a")}] * 2],
        "others": [[{1, 2}], [decimal.Decimal(1)], [datetime.date(2020, 1, 1)], [...], [slice(1)], [], (), (1, 2), x, a, "abc", {0: 1}, None, 3, [t.Size([1, 2])] * 2],
    }  # fmt: skip


def of_each(t, function):
    return {
        kind: [heard(lambda: error(lambda: shown(t, function(b)))) for b in listed]  # noqa: B023
        for kind, listed in batches(t).items()
    }


@case
def collated(t):
    return of_each(t, t.utils.data.default_collate)


@case
def converted(t):
    return of_each(t, lambda batch: [t.utils.data.default_convert(sample) for sample in batch])


@case
def by_own_functions(t):
    """`collate` knows what its map says, first the exact type, then instances in order."""
    from importlib import import_module

    home = import_module(f"{t.__name__}.utils.data._utils.collate")

    def told(name):
        return lambda batch, *, collate_fn_map=None: (name, len(batch), collate_fn_map is own)

    own = {int: told("int"), (str, bytes): told("text"), bool: told("bool"), Tagged: told("tagged")}  # fmt: skip
    samples = [
        [1, 2],
        [True],
        ["a"],
        [b"a"],
        [1.5],
        [{"a": 1, "b": ("x", True)}],
        [Tagged(a=1)],
        [[1, 2.5]],
        [None],
    ]
    return [
        [error(lambda: home.collate(s, collate_fn_map=own)) for s in samples], [error(lambda: home.collate(s)) for s in samples], [error(lambda: home.collate(s, collate_fn_map={})) for s in samples],  # noqa: B023
        error(lambda: home.collate([1], own)), home.default_collate_err_msg_format, [str(k).replace("nbmodule", "torch") for k in home.default_collate_fn_map],
    ]  # fmt: skip


@case
def taught(t):
    """What is added to the map, `default_collate` knows."""
    from importlib import import_module

    home = import_module(f"{t.__name__}.utils.data._utils.collate")

    class Pair:
        def __init__(self, a, b):
            self.a, self.b = a, b

    def collate_pairs(batch, *, collate_fn_map=None):
        return home.collate([p.a for p in batch], collate_fn_map=collate_fn_map)

    home.default_collate_fn_map[Pair] = collate_pairs
    try:
        return t.utils.data.default_collate([{"p": Pair(1.5, 2)}, {"p": Pair(2.5, 3)}])
    finally:
        del home.default_collate_fn_map[Pair]


@case
def memory(t):
    """A batch has its own memory; converted arrays share theirs. Gradients go through a batch."""
    x, a = t.zeros(2), np.zeros(2)
    batch, shared = t.utils.data.default_collate([x, x]), t.utils.data.default_convert(a)
    x += 1
    a += 1
    leaf = t.ones(2, requires_grad=True)
    (t.utils.data.default_collate([leaf, leaf * 2]) * t.arange(4.0).reshape(2, 2)).sum().backward()
    return [batch, shared, leaf.grad]
