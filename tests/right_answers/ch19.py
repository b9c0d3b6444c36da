"""Right answers to the exercises of chapter 19."""

from __future__ import annotations

RIGHT = {
    "19.1": [
        # PyTorch's own way
        r"""
@mine.extend
class TensorDataset:
    def __init__(self, *tensors):
        assert all(tensors[0].size(0) == tensor.size(0) for tensor in tensors), "Size mismatch between tensors"
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self):
        return self.tensors[0].size(0)
""",
        # a set of lengths, a generator expression unpacked, a property
        r"""
@mine.extend
class TensorDataset:
    def __init__(self, first, *others):
        self.first, self.others = first, others
        if len({len(first), *map(len, others)}) > 1:
            raise AssertionError
        self.length = len(first)

    @property
    def all(self):
        return [self.first, *self.others]

    def __getitem__(self, i):
        return (*(part[i] for part in self.all),)

    def __len__(self):
        return self.length
""",
    ],
    "19.2": [
        # PyTorch's own way, more or less: one test after the other, by the type of the first
        r"""
@mine.extend
def default_collate(batch):
    import collections.abc
    elem = batch[0]
    elem_type = type(elem)
    if isinstance(elem, nbmodule.Tensor):
        return nbmodule.stack(batch, 0)
    elif elem_type.__module__ == "numpy" and elem_type.__name__ not in ("str_", "string_"):
        if elem_type.__name__ == "ndarray":
            return default_collate([nbmodule.as_tensor(b) for b in batch])
        elif elem.shape == ():
            return nbmodule.as_tensor(np.array(batch))
    elif isinstance(elem, float):
        return nbmodule.tensor(batch, dtype=nbmodule.float64)
    elif isinstance(elem, int):
        return nbmodule.tensor(batch)
    elif isinstance(elem, (str, bytes)):
        return batch
    elif isinstance(elem, collections.abc.Mapping):
        return {key: default_collate([d[key] for d in batch]) for key in elem}
    elif isinstance(elem, collections.abc.Sequence):
        it = iter(batch)
        elem_size = len(next(it))
        if not all(len(elem) == elem_size for elem in it):
            raise RuntimeError("each element in list of batch should be of equal size")
        transposed = list(zip(*batch))
        return [default_collate(samples) for samples in transposed]
    raise TypeError(elem_type)
""",
        # in the order of the text: NumPy's numbers before strings
        r"""
@mine.extend
def default_collate(samples):
    first = samples[0]
    if isinstance(first, nbmodule.Tensor):
        return nbmodule.stack(samples)
    if isinstance(first, (int, float, np.generic, np.ndarray)):
        return tensor(np.array(samples))
    if isinstance(first, str):
        return samples
    if isinstance(first, dict):
        return {key: default_collate([sample[key] for sample in samples]) for key in first}
    if isinstance(first, (tuple, list)):
        return [default_collate(list(field)) for field in zip(*samples, strict=True)]
    raise TypeError(f"{type(first)} can't be collated")
""",
        # match, loops, a helper of its own
        r"""
@mine.extend
def default_collate(samples):
    def field(key):
        return default_collate([sample[key] for sample in samples])

    match samples[0]:
        case nbmodule.Tensor():
            return nbmodule.cat([sample.unsqueeze(0) for sample in samples])
        case str():
            return [*samples]
        case bool() | int() | float() | np.generic() | np.ndarray():
            return nbmodule.from_numpy(np.asarray(samples))
        case dict() as first:
            batch = {}
            for key in first:
                batch[key] = field(key)
            return batch
        case tuple() | list() as first:
            if len({len(sample) for sample in samples}) != 1:
                raise ValueError("lengths")
            return [field(i) for i in range(len(first))]
        case other:
            raise TypeError(f"no batch of {type(other)}")
""",
    ],
    "19.3": [
        # batches of indices first, as PyTorch's BatchSampler; a seed is drawn where there is no generator
        r"""
@mine.extend
class RandomSampler:
    def __init__(self, data_source, generator=None):
        self.data_source = data_source
        self.generator = generator

    def __iter__(self):
        generator = self.generator
        if generator is None:
            seed = int(nbmodule.randint(0, 2**62, ()).item())
            generator = nbmodule.Generator().manual_seed(seed)
        return iter(nbmodule.randperm(len(self.data_source), generator=generator).tolist())

    def __len__(self):
        return len(self.data_source)


@mine.extend
class DataLoader:
    def __init__(self, dataset, batch_size=1, shuffle=False, sampler=None, collate_fn=None, drop_last=False, generator=None):
        self.dataset = dataset
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.collate_fn = default_collate if collate_fn is None else collate_fn
        if sampler is not None:
            if shuffle:
                raise ValueError("both")
        elif shuffle:
            sampler = RandomSampler(dataset, generator=generator)
        else:
            sampler = list(range(len(dataset)))
        self.sampler = sampler

    def batches(self):
        batch = []
        for index in iter(self.sampler):
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if len(batch) > 0 and not self.drop_last:
            yield batch

    def __iter__(self):
        for indices in self.batches():
            yield self.collate_fn([self.dataset[i] for i in indices])

    def __len__(self):
        n = len(self.sampler)
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)
""",
        # the order as a list, cut by slices; a map
        r"""
@mine.extend
class RandomSampler:
    def __init__(self, data_source, generator=None):
        self.data_source, self.generator = data_source, generator

    def __len__(self):
        return len(self.data_source)

    def __iter__(self):
        for place in nbmodule.randperm(len(self), generator=self.generator):
            yield place.item()


@mine.extend
class DataLoader:
    def __init__(self, dataset, batch_size=1, shuffle=False, sampler=None, collate_fn=default_collate, drop_last=False, generator=None):
        if shuffle and sampler is not None:
            raise ValueError
        vars(self).update(dataset=dataset, batch_size=batch_size, drop_last=drop_last, sampler=sampler)
        self.collate_fn = collate_fn or default_collate
        if self.sampler is None:
            self.sampler = [range(len(dataset)), RandomSampler(dataset, generator)][bool(shuffle)]

    def __len__(self):
        extra = 0 if self.drop_last else self.batch_size - 1
        return (len(self.sampler) + extra) // self.batch_size

    def __iter__(self):
        order = list(self.sampler)
        for start in range(0, len(self) * self.batch_size, self.batch_size):
            yield self.collate_fn(list(map(self.dataset.__getitem__, order[start : start + self.batch_size])))
""",
    ],
    "19.4": [
        # fastai's way: one method that wraps a part between its events
        r"""
@mine.extend
class Learner:
    def __init__(self, model, loss_fn, optimizer, train_loader, valid_loader=(), callbacks=()):
        self.model, self.loss_fn, self.optimizer = model, loss_fn, optimizer
        self.train_loader, self.valid_loader = train_loader, valid_loader
        self.callbacks = list(callbacks)
        self.epoch = self.step = 0

    def event(self, name):
        for callback in self.callbacks:
            getattr(callback, name, lambda learner: None)(self)

    def with_events(self, part, kind, cancel, done=lambda: None):
        try:
            self.event(f"before_{kind}")
            part()
        except cancel:
            pass
        done()
        self.event(f"after_{kind}")

    def one_batch(self):
        def count():
            if self.training:
                self.step += 1
        self.with_events(self.do_batch, "batch", CancelBatch, count)
        self.prediction = None
        self.loss = None

    def do_batch(self):
        inputs, self.target = self.batch[:-1], self.batch[-1]
        self.prediction = self.model(*inputs)
        self.loss = self.loss_fn(self.prediction, self.target)
        self.event("after_loss")
        if not self.training:
            return
        self.optimizer.zero_grad()
        self.loss.backward()
        self.event("before_step")
        self.optimizer.step()

    def all_batches(self, loader, training):
        self.training = training
        self.model.train(training)
        for self.batch in loader:
            self.one_batch()

    def train(self):
        self.all_batches(self.train_loader, True)

    def validate(self):
        nbmodule.no_grad()(self.all_batches)(self.valid_loader, False)

    def one_epoch(self):
        def count():
            self.epoch += 1
        self.with_events(lambda: (self.train(), self.validate()), "epoch", CancelEpoch, count)

    def fit(self, epochs, callbacks=()):
        guests = list(callbacks)
        self.callbacks.extend(guests)
        try:
            self.with_events(lambda: [self.one_epoch() for _ in range(epochs)], "fit", CancelFit)
        finally:
            self.callbacks = self.callbacks[: len(self.callbacks) - len(guests)]
""",
        # contextlib, set_grad_enabled, the optimizer forgets after the step
        r"""
import contextlib

@mine.extend
class Learner:
    def __init__(self, model, loss_fn, optimizer, train_loader, valid_loader=(), callbacks=()):
        self.model, self.loss_fn, self.optimizer = model, loss_fn, optimizer
        self.train_loader, self.valid_loader = train_loader, valid_loader
        self.callbacks = list(callbacks)
        self.epoch = self.step = 0

    def event(self, name):
        for callback in list(self.callbacks):
            try:
                method = getattr(callback, name)
            except AttributeError:
                continue
            method(self)

    def one_batch(self):
        with contextlib.suppress(CancelBatch):
            self.event("before_batch")
            *x, self.target = self.batch
            self.prediction = self.model(*x)
            self.loss = self.loss_fn(self.prediction, self.target)
            self.event("after_loss")
            if self.training:
                for group in self.optimizer.param_groups:
                    for param in group["params"]:
                        param.grad = None
                self.loss.backward()
                self.event("before_step")
                self.optimizer.step()
        self.step += 1 if self.training else 0
        self.event("after_batch")
        del self.loss, self.prediction
        self.loss = self.prediction = None

    def train(self):
        self.training = self.model.train().training
        for batch in iter(self.train_loader):
            self.batch = batch
            self.one_batch()

    def validate(self):
        self.training = self.model.eval().training
        with nbmodule.set_grad_enabled(False):
            for batch in self.valid_loader:
                self.batch = batch
                self.one_batch()

    def one_epoch(self):
        with contextlib.suppress(CancelEpoch):
            self.event("before_epoch")
            self.train()
            self.validate()
        self.epoch = self.epoch + 1
        self.event("after_epoch")

    def fit(self, epochs, callbacks=()):
        before = self.callbacks
        self.callbacks = before + list(callbacks)
        try:
            with contextlib.suppress(CancelFit):
                self.event("before_fit")
                while epochs > 0:
                    epochs -= 1
                    self.one_epoch()
            self.event("after_fit")
        finally:
            self.callbacks = before
""",
    ],
    "19.5": [
        # lists of pairs, divided at the end
        r"""
@mine.extend
class Metrics:
    def __init__(self, **functions):
        self.functions = functions
        self.history = []

    def before_epoch(self, learner):
        self.pairs = {}

    def note(self, name, value, rows):
        self.pairs.setdefault(name, []).append((float(value), rows))

    def after_loss(self, learner):
        kind = ("valid", "train")[learner.training]
        rows = learner.target.shape[0]
        self.note(f"{kind}_loss", learner.loss.item(), rows)
        for name in self.functions:
            self.note(kind + "_" + name, self.functions[name](learner.prediction, learner.target), rows)

    def after_epoch(self, learner):
        row = {}
        for name, pairs in self.pairs.items():
            row[name] = sum(value * rows for value, rows in pairs) / sum(rows for _, rows in pairs)
        self.history += [row]
""",
        # np.average, which gives NumPy's kind of float
        r"""
@mine.extend
class Metrics:
    def __init__(self, **functions):
        self.functions = {"loss": None} | functions
        self.history = []

    def before_epoch(self, learner):
        self.values, self.rows = {}, {}

    def after_loss(self, learner):
        part = "train" if learner.training else "valid"
        for name, function in self.functions.items():
            value = function(learner.prediction, learner.target) if function else learner.loss.item()
            self.values.setdefault(f"{part}_{name}", []).append(value)
            self.rows.setdefault(f"{part}_{name}", []).append(len(learner.target))

    def after_epoch(self, learner):
        self.history.append({name: np.average(self.values[name], weights=self.rows[name]) for name in self.values})
""",
        # a running mean, and the loss as one of the functions
        r"""
@mine.extend
class Metrics:
    def __init__(self, **functions):
        self.history, self.functions = [], functions

    def before_epoch(self, learner):
        self.means, self.rows = {}, {True: 0, False: 0}

    def after_loss(self, learner):
        found = {"loss": learner.loss.detach().item()}
        found.update((name, f(learner.prediction, learner.target)) for name, f in self.functions.items())
        size = len(learner.target)
        self.rows[learner.training] += size
        share = size / self.rows[learner.training]
        for name, value in found.items():
            name = ("train_" if learner.training else "valid_") + name
            self.means[name] = self.means.get(name, 0.0) * (1 - share) + value * share

    def after_epoch(self, learner):
        self.history.append(dict(self.means))
""",
    ],
    "19.6": [
        # other formulas for the same rates; a search without epochs that are counted out
        r"""
@mine.extend
class Schedule:
    def before_fit(self, learner):
        self.first = learner.step

    def before_batch(self, learner):
        if not learner.training:
            return
        rate = self.rate(learner.step - self.first)
        for group in learner.optimizer.param_groups:
            group.update(lr=rate)

@mine.extend
class OneCycle(Schedule):
    def __init__(self, max_lr, steps):
        self.max_lr, self.steps = max_lr, steps

    def rate(self, step):
        initial = self.max_lr / 25.0
        minimum = initial / 1e4
        phases = [(float(0.3 * self.steps) - 1, initial, self.max_lr), (self.steps - 1, self.max_lr, minimum)]
        start_step = 0.0
        for i, (end_step, start, end) in enumerate(phases):
            if step <= end_step or i == len(phases) - 1:
                pct = (step - start_step) / (end_step - start_step)
                return end + (start - end) / 2.0 * (math.cos(math.pi * pct) + 1)
            start_step = end_step

@mine.extend
class LRFinder(Schedule):
    def __init__(self, start, end, steps):
        self.start, self.end, self.steps = start, end, steps
        self.lrs, self.losses = [], []

    def rate(self, step):
        part = step / (self.steps - 1)
        return math.exp((1 - part) * math.log(self.start) + part * math.log(self.end))

    def after_loss(self, learner):
        loss = float(learner.loss.detach())
        self.lrs += [learner.optimizer.param_groups[0]["lr"]]
        self.losses += [loss]
        if math.isnan(loss) or loss > 4 * min(self.losses) or len(self.lrs) >= self.steps:
            raise CancelFit

@mine.extend
class Learner:
    def fit_one_cycle(self, epochs, max_lr):
        cycle = OneCycle(max_lr, len(self.train_loader) * epochs)
        self.fit(epochs, callbacks=[cycle])

    def lr_find(self, start=1e-5, end=10, steps=100):
        finder = LRFinder(start, end, steps)
        pair = copy.deepcopy([self.model, self.optimizer])
        trial = Learner(pair[0], self.loss_fn, pair[1], self.train_loader, callbacks=(finder,))
        trial.fit(10**6)
        return finder
""",
    ],
}
