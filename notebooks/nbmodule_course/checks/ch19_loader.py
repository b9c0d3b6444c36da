"""Chapter 19: the order of the samples, and the loader that deals them out."""

from __future__ import annotations

from ..exercise import Exercise
from .dealing import uses

dealing = Exercise(
    "19.3",
    title="The loader",
    takes=("DataLoader",),
    minutes=15,
    writes=("RandomSampler", "DataLoader"),
    hints=(
        "A sampler only knows indices. What does the loader need to do with each index, and when is a batch full?",
        "In `__iter__`, append `self.dataset[index]` to a list for each `index in self.sampler`. When the list has `batch_size` samples, collate them, yield the result and begin a new list. What's left in it at the end?",
        "After the loop: `if samples and not self.drop_last: yield self.collate_fn(samples)`. The sampler is `RandomSampler(dataset, generator) if shuffle else range(len(dataset))`, unless the caller passed one.",
    ),
)
dealing.compare_uses(
    "batches in the order of the data, the last one too",
    uses(
        "list(DataLoader(tens, collate_fn=plain))",
        "list(DataLoader(tens, 2, collate_fn=plain))",
        "list(DataLoader(tens, batch_size=5, collate_fn=plain))",
        "list(DataLoader(tens, batch_size=9, collate_fn=plain))",
        "list(DataLoader(tens, 2, drop_last=True, collate_fn=plain))",
        "list(DataLoader(tens, 5, drop_last=True, collate_fn=plain))",
        "list(DataLoader(tens, 9, drop_last=True, collate_fn=plain))",
        "list(DataLoader([], 2, collate_fn=plain))",
        "loader = DataLoader(tens, 2, collate_fn=plain); list(loader); list(loader)",
        "loader = DataLoader(tens, 2, collate_fn=plain); [(a[0], b[0]) for a, b in zip(loader, loader)]",
    ),
)
dealing.compare_uses(
    "`len(loader)` counts batches",
    uses(
        "[len(DataLoader(tens, size)) for size in (1, 2, 3, 5, 9)]",
        "[len(DataLoader(tens, size, drop_last=True)) for size in (1, 2, 3, 5, 9)]",
        "len(DataLoader([]))",
        "len(DataLoader(tens, 2, sampler=[1, 4, 1, 0, 2, 3, 3]))",
        "len(DataLoader(tens, 2, shuffle=True))",
    ),
)
dealing.compare_uses(
    "a `sampler` and a `collate_fn` of your own",
    uses(
        "list(DataLoader(tens, 2, sampler=[4, 0, 4], collate_fn=plain))",
        "list(DataLoader(tens, 2, sampler=range(3), drop_last=True, collate_fn=plain))",
        "list(DataLoader(letters, 2, collate_fn=plain))",
        "list(map(list, list(DataLoader(letters, 2, collate_fn=kept))))",
        "list(DataLoader(letters, 2, collate_fn=''.join))",
        "list(DataLoader(letters, 2, collate_fn=len, drop_last=True))",
        "loader = DataLoader(letters, 2, collate_fn=plain); [loader.batch_size, loader.drop_last, loader.dataset, loader.collate_fn is plain]",
        "list(DataLoader(tens, sampler=[3, 1]).sampler)",
        "list(DataLoader(tens).sampler)",
        "tried(lambda: DataLoader(tens, 2, shuffle=True, sampler=[0, 1]))",
        "tried(lambda: DataLoader(tens, 2, shuffle=True, sampler=[]))",
        "list(DataLoader(tens, 2, sampler=[], collate_fn=plain))",
        "taken = []; data = type('D', (), {'__len__': lambda s: 5, '__getitem__': lambda s, i: taken.append(i) or i})(); loader = DataLoader(data, 2, collate_fn=plain); next(iter(loader)); taken",
    ),
)
dealing.compare_uses(
    "without a `collate_fn`, your `default_collate` makes the batches",
    uses(
        "repr(list(DataLoader(tens, 2))) == repr(list(DataLoader(tens, 2, collate_fn=default_collate)))",
    ),
)
dealing.compare_uses(
    "shuffled: every sample once, a new order in each epoch, the same order for the same seed",
    uses(
        "sorted(letter for some in DataLoader(letters, 2, shuffle=True, collate_fn=plain) for letter in some)",
        "first, second, third = orders(lambda: DataLoader(range(99), 99, shuffle=True, collate_fn=plain)); first != second != third",
        "orders(lambda: DataLoader(range(9), 4, shuffle=True, collate_fn=plain)) == orders(lambda: DataLoader(range(9), 4, shuffle=True, collate_fn=plain))",
        "[sorted(some[0]) == list(range(99)) != some[0] for some in orders(lambda: DataLoader(range(99), 99, shuffle=True, collate_fn=plain))]",
        "list(DataLoader(tens, 2, shuffle=True, generator=seeded(3), collate_fn=plain))",
        "loader = DataLoader(tens, 2, shuffle=True, generator=seeded(3), collate_fn=plain); list(loader); list(loader)",
        "len(DataLoader(tens, 2, shuffle=True).sampler)",
        "[type(index).__name__ for index in DataLoader(tens, shuffle=True).sampler]",
        "sorted(DataLoader(tens, 2, shuffle=True).sampler)",
        "list(DataLoader(tens, 2, shuffle=True, generator=seeded(3)).sampler)",
        "before = nbmodule.get_rng_state(); list(DataLoader(tens, 2, shuffle=True, generator=seeded(3), collate_fn=plain)); bool((before == nbmodule.get_rng_state()).all())",
    ),
)
_LAST = "if samples and not self.drop_last:"
_COUNT = "return whole if self.drop_last or not rest else whole + 1"
_ORDER = "yield from nbmodule.randperm(len(self), generator=self.generator).tolist()"
_SAMPLER = "sampler = RandomSampler(dataset, generator) if shuffle else range(len(dataset))"
_REFUSE = "if sampler is not None and shuffle:"
# fmt: off
dealing.wrongs(
    ("last batch lost", {_LAST: "if False:"}, "samples that don't fill a batch are left out; yield them too, unless `drop_last` is True"),
    ("last batch always", {_LAST: "if samples:"}, "`drop_last` is ignored: the last batch is yielded even if it isn't full"),
    ("an empty batch", {_LAST: "if not self.drop_last:"}, "when all batches are full, an empty one follows; test whether samples are left"),
    ("one list for all", {"samples = []\n        if": "samples.clear()\n        if"}, "all batches are the same list, which is emptied after each; begin a new one with `samples = []`"),
    ("tensors as indices", {_ORDER: _ORDER.replace(".tolist()", "")}, "the sampler yields tensors; `.tolist()` makes Python ints of them"),
    ("list kept", {"samples = []\n        if": "pass\n        if"}, "the list of samples keeps growing; begin a new one after each batch"),
    ("length rounded down", {_COUNT: "return whole"}, "`len` leaves out the last batch, which isn't full"),
    ("length rounded up", {_COUNT: "return whole + bool(rest)"}, "`len` counts the batch that `drop_last` leaves out"),
    ("always one more", {_COUNT: "return whole if self.drop_last else whole + 1"}, "`len` counts one batch too many when all of them are full"),
    ("length of the data", {"divmod(len(self.sampler), self.batch_size)": "divmod(len(self.dataset), self.batch_size)"}, "`len` counts the samples of the dataset; the sampler may deal out more or fewer"),
    ("one order for ever", {_ORDER: "if not hasattr(self, 'order'):\n    self.order = nbmodule.randperm(len(self), generator=self.generator).tolist()\nyield from self.order"}, "every epoch has the same order; draw a new permutation in each `__iter__`"),
    ("drawn with replacement", {_ORDER: "yield from nbmodule.randint(0, len(self), (len(self),), generator=self.generator).tolist()"}, "some samples come twice and others never; a permutation contains each index once"),
    ("generator forgotten", {_ORDER: "yield from nbmodule.randperm(len(self)).tolist()"}, "the generator that was passed isn't used"),
    ("generator not passed on", {_SAMPLER: "sampler = RandomSampler(dataset) if shuffle else range(len(dataset))"}, "the generator that was passed isn't used"),
    ("never shuffled", {_SAMPLER: "sampler = range(len(dataset))"}, "`shuffle=True` is ignored"),
    ("always shuffled", {_SAMPLER: "sampler = RandomSampler(dataset, generator)"}, "the order is random although `shuffle` is False"),
    ("sampler ignored", {"if sampler is None:": "if True:"}, "the sampler that was passed isn't used"),
    ("an empty sampler", {"if sampler is None:": "if not sampler:"}, "an empty sampler is replaced by one for all samples; test `sampler is None`"),
    ("both accepted", {_REFUSE: "if False:"}, "`shuffle=True` and a sampler are accepted together; raise a ValueError"),
    ("tested as a truth", {_REFUSE: "if sampler and shuffle:"}, "an empty sampler is accepted together with `shuffle=True`; test `sampler is not None`"),
    ("seed zero", {_ORDER: "import random\nyield from random.Random(0).sample(range(len(self)), len(self))"}, "the order comes from a seed that is fixed in the class"),
    ("not collated", {"collate_fn or default_collate": "collate_fn or list"}, "without a `collate_fn`, a batch stays a list of samples; use your `default_collate`"),
    ("collate_fn ignored", {"collate_fn or default_collate": "default_collate"}, "the `collate_fn` that was passed isn't used"),
    ("collates the indices", {"samples.append(self.dataset[index])": "samples.append(index)"}, "the batches hold indices; `self.dataset[index]` is the sample"),
    ("all at once", {"for index in self.sampler:\n    samples.append(self.dataset[index])": "everything = [self.dataset[i] for i in self.sampler]\nfor item in everything:\n    samples.append(item)"}, "all samples are fetched before the first batch; fetch them as they're needed"),
)
# fmt: on
