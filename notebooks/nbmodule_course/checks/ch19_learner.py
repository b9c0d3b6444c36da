"""Chapter 19: a loop with events, the numbers of an epoch, and learning rates that a callback sets."""

from __future__ import annotations

from textwrap import indent

from ..exercise import Exercise
from .dealing import uses

# ---- 19.4

looping = Exercise(
    "19.4",
    title="The loop, once and for all",
    takes=("Learner",),
    minutes=35,
    writes=("Learner",),
    hints=(
        "Write down the loop of chapter 14 first. Then put `self.event(…)` between its lines, and a `try` around each of the three parts that can be canceled.",
        "Each part catches its own exception and no other: `one_batch` catches CancelBatch, `one_epoch` catches CancelEpoch, and `fit` catches CancelFit. Whatever still has to happen comes after the `try`.",
        "In `one_batch`, the step is in an `if self.training:`. `validate` is `self.training = False`, `self.model.eval()`, and the loop in a `with nbmodule.no_grad():`.",
    ),
)
looping.compare_uses(
    "the events, in their order",
    uses(
        "log = Log(); made(log, train=(1,)).fit(1); log.lines",
        "log = Log(); made(log, train=(1,), valid=(1,)).fit(1); log.lines",
        "log = Log(); made(log).fit(2); log.lines",
        "log = Log(); made(log).fit(0); log.lines",
        "log = Log(); learner = made(train=(1,)); learner.fit(1, [log]); learner.fit(1); log.lines",
        "first, second = Log(), Log(); second.lines = first.lines; made(first, second, train=(1,)).fit(1); first.lines",
        "learner = made(train=(1,)); learner.event('anything'); learner.step",
    ),
)
looping.compare_uses(
    "what a batch does in training",
    uses(
        "learner = made(); learner.fit(1); learner.model.w",
        "learner = made(lr=0.02); learner.fit(3); learner.model.w",
        "learner = made(); learner.fit(1); learner.fit(1); learner.model.w",
        "learner = made(); learner.fit(1); learner.model.calls",
        "look = Look('after_loss', lambda learner: learner.loss.item()); made(look).fit(1); look.seen",
        "look = Look('after_loss', lambda learner: learner.prediction.tolist()); made(look).fit(1); look.seen",
        "look = Look('after_loss', lambda learner: learner.target.tolist()); made(look).fit(1); look.seen",
        "look = Look('before_batch', lambda learner: learner.batch[0].tolist()); made(look).fit(1); look.seen",
        "look = Look('before_step', lambda learner: learner.model.w.grad.item()); made(look).fit(2); look.seen",
        "look = Look('after_batch', lambda learner: learner.model.w.item()); made(look).fit(1); look.seen",
        "double = Look('before_batch', lambda learner: setattr(learner, 'batch', [2 * part for part in learner.batch])); learner = made(double); learner.fit(1); learner.model.w",
        "learner = made(train=[(b[0], b[0], b[1]) for b in three]); learner.fit(1); learner.model.w",
        "learner = made(loss=lambda p, t: (p - 3 * t).abs().sum()); learner.fit(1); learner.model.w",
    ),
)
looping.compare_uses(
    "validation: eval, no graph, no step",
    uses(
        "learner = made(valid=(1, 2)); learner.fit(1); learner.model.calls",
        "learner = made(valid=(1, 2)); learner.fit(2); learner.model.calls",
        "learner = made(valid=(1, 2)); learner.fit(2); learner.model.w",
        "learner = made(train=(), valid=(1, 2)); learner.fit(1); learner.model.w",
        "look = Look('after_loss', lambda learner: (learner.training, learner.loss.requires_grad)); made(look, valid=(1,)).fit(2); look.seen",
        "learner = made(valid=(1, 2)); learner.fit(1); nbmodule.is_grad_enabled()",
        "learner = made(at('after_loss', ZeroDivisionError, 4), valid=(1, 2)); tried(lambda: learner.fit(1)); nbmodule.is_grad_enabled()",
        "learner = made(valid=(1, 2)); learner.validate(); [learner.step, learner.training, learner.model.calls, learner.model.w]",
        "look = Look('before_batch', lambda learner: learner.model.training); made(look, train=(1,), valid=(1,)).fit(2); look.seen",
    ),
)
looping.compare_uses(
    "the counts, and what is None after a batch",
    uses(
        "learner = made(valid=(1, 2)); learner.fit(2); [learner.epoch, learner.step]",
        "learner = made(); learner.fit(2); learner.fit(1); [learner.epoch, learner.step]",
        "look = Look('after_batch', lambda learner: (learner.epoch, learner.step)); made(look, valid=(1,)).fit(2); look.seen",
        "look = Look('before_step', lambda learner: (learner.epoch, learner.step)); made(look, valid=(1,)).fit(2); look.seen",
        "look = Look('after_epoch', lambda learner: (learner.epoch, learner.step)); made(look).fit(2); look.seen",
        "learner = made(); learner.fit(1); [learner.loss, learner.prediction]",
        "look = Look('before_batch', lambda learner: getattr(learner, 'loss', None)); made(look, train=(1, 1)).fit(1); look.seen",
        "look = Look('after_batch', lambda learner: learner.loss.item()); made(look, train=(1, 1)).fit(1); look.seen",
    ),
)
_STOPPED = [
    f"log = Log(); learner = made(log, at('{event}', {cancel}, {time}), train=(1, 1), valid=(1,)); learner.fit(2); [log.lines, learner.epoch, learner.step, learner.model.w]"
    for event, time in (
        ("before_batch", 2),
        ("after_loss", 1),
        ("after_loss", 3),
        ("before_step", 2),
        ("before_epoch", 1),
        ("after_batch", 1),
    )
    for cancel in ("CancelBatch", "CancelEpoch", "CancelFit")
    if (cancel, event) not in {("CancelBatch", "after_batch"), ("CancelBatch", "before_epoch")}
]
looping.compare_uses(
    "each part can be canceled",
    uses(
        *_STOPPED,
        "log = Log(); made(log, at('before_fit', CancelFit)).fit(1); log.lines",
        "log = Log(); made(log, at('after_epoch', CancelFit)).fit(3); log.lines.count('after_fit')",
        "learner = made(at('after_loss', CancelBatch)); learner.fit(1); [learner.loss, learner.prediction]",
        "tried(lambda: made(at('after_loss', ZeroDivisionError)).fit(1))",
        "tried(lambda: made(at('before_step', SystemExit)).fit(1))",
        "log = Log(); learner = made(); learner.fit(1, [log, at('before_batch', CancelFit)]); learner.fit(1); log.lines",
        "log = Log(); learner = made(); tried(lambda: learner.fit(1, [log, at('before_batch', ValueError)])); lines = len(log.lines); learner.fit(1); len(log.lines) - lines",
        "log = Log(); learner = made(); tried(lambda: learner.fit(1, [log, at('after_fit', ValueError)])); lines = len(log.lines); learner.fit(1); len(log.lines) - lines",
        "own, guest = Log(), Log(); made(own).fit(1, [guest]); len(own.lines), len(guest.lines)",
        "log = Log(); learner = made(log); learner.fit(1, []); len(learner.callbacks)",
    ),
)

_TRY = 'try:\n    self.event("before_batch")'
_TRAIN, _STEP = "if self.training:", "self.optimizer.step()"
_ZERO, _BACK = "self.optimizer.zero_grad()", "self.loss.backward()"
_FREE = "self.prediction = self.loss = None"
_FIT = 'except CancelFit:\n    pass\nself.event("after_fit")'
_COUNTED = (
    'self.step += self.training\nself.event("after_batch")\nself.prediction = self.loss = None'
)
_ENDED = 'self.epoch += 1\nself.event("after_epoch")'
_BATCH_ALWAYS = {_COUNTED: "finally:\n" + indent(_COUNTED, "    ")}
_EPOCH_ALWAYS = {_ENDED: "finally:\n" + indent(_ENDED, "    ")}
# fmt: off
looping.wrongs(
    ("no zero_grad", {_ZERO: "pass"}, "the gradients of all batches add up; forget the old ones before `backward`"),
    ("zero after backward", {f"{_ZERO}\n{_BACK}": f"{_BACK}\n{_ZERO}"}, "`zero_grad` runs between `backward` and `step`, so the model learns nothing"),
    ("no step", {_STEP: "pass"}, "the optimizer never takes its step"),
    ("trains on validation", {_TRAIN: "if nbmodule.is_grad_enabled() or self.loss.requires_grad_():"}, "the optimizer takes a step for validation batches too; test `self.training`"),
    ("no train mode", {"self.model.train()": "pass"}, "`model.train()` isn't called, so from the second epoch on the model trains in eval mode"),
    ("no eval mode", {"self.model.eval()": "pass"}, "the model is validated in training mode, so Dropout drops and BatchNorm learns; call `model.eval()`"),
    ("graph in validation", {"with nbmodule.no_grad():": "if True:"}, "validation records a graph that isn't used; put its loop in a `with nbmodule.no_grad():`"),
    ("gradients switched off", {"with nbmodule.no_grad():": "nbmodule.set_grad_enabled(False)\nif True:", "self.training = True": "self.training = True\nnbmodule.set_grad_enabled(True)"}, "after the fit, gradients stay switched off; a `with` block restores what was there before"),
    ("training stays True", {"self.training = False": "pass"}, "`training` is still True during validation"),
    ("zero after step", {f"{_ZERO}\n": "", _STEP: f"{_STEP}\n{_ZERO}"}, "after a batch that was canceled between `backward` and `step`, its gradient is still there and adds to the next one; call `zero_grad` before `backward`"),
    ("whatever cancels a batch", _BATCH_ALWAYS, "`after_batch` comes even if the epoch or the fit is canceled; these skip what is left of the batch as well, so write it after the `try`, without `finally`"),
    ("whatever cancels an epoch", _EPOCH_ALWAYS, "`after_epoch` comes even if the fit is canceled; write it after the `try`, without `finally`"),
    ("whatever cancels", {**_BATCH_ALWAYS, **_EPOCH_ALWAYS}, "`after_batch` and `after_epoch` come even if a larger part is canceled, which skips them, too; write them after the `try`, without `finally`"),
    ("graph kept", {_FREE: "pass"}, "`loss` and `prediction` stay, and so does the graph of the last batch; set both to None after `after_batch`"),
    ("only the loss freed", {_FREE: "self.loss = None"}, "`prediction` stays, and it holds the graph as well as `loss` does"),
    ("freed too soon", {f"self.event(\"after_batch\")\n{_FREE}": f"{_FREE}\nself.event(\"after_batch\")"}, "`loss` is None in `after_batch`; callbacks look at it there"),
    ("steps of validation counted", {"self.step += self.training": "self.step += 1"}, "`step` counts validation batches too; count only training batches"),
    ("counted after the event", {"self.step += self.training\nself.event(\"after_batch\")": "self.event(\"after_batch\")\nself.step += self.training"}, "`after_batch` comes before `step` counts the batch; count first"),
    ("epoch never counted", {"self.epoch += 1": "pass"}, "`epoch` doesn't count the epochs that are complete"),
    ("epoch counted late", {"self.epoch += 1\nself.event(\"after_epoch\")": "self.event(\"after_epoch\")\nself.epoch += 1"}, "`after_epoch` comes before `epoch` counts the epoch; count first"),
    ("nothing after a cancel", {"except CancelBatch:\n    pass": "except CancelBatch:\n    return"}, "a canceled batch has no `after_batch` and isn't counted"),
    ("epoch lost", {"except CancelEpoch:\n    pass": "except CancelEpoch:\n    return"}, "a canceled epoch has no `after_epoch` and isn't counted"),
    ("batch cancels the epoch", {"except CancelBatch:": "except ZeroDivisionError:", "except CancelEpoch:": "except (CancelBatch, CancelEpoch):"}, "`CancelBatch` ends the whole epoch; catch it in `one_batch`"),
    ("catches everything", {"except CancelFit:": "except Exception:"}, "every exception ends the fit quietly, even a mistake in the model; catch only `CancelFit`"),
    ("fit goes on", {"except CancelEpoch:": "except (CancelEpoch, CancelFit):"}, "`CancelFit` ends only the epoch; catch it in `fit`"),
    ("no validation", {"self.validate()": "pass"}, "an epoch ends without validation"),
    ("validation first", {"self.train()\nself.validate()": "self.validate()\nself.train()"}, "validation comes before the training of the epoch"),
    ("guests stay", {"self.callbacks = own": "pass"}, "the callbacks of one fit are still there in the next one"),
    ("guests leave only on success", {"finally:\n    self.callbacks = own": "except ():\n    pass\nself.callbacks = own"}, "after an error, the callbacks of that fit stay for the next one; put them away in a `finally`"),
    ("guests stay if after_fit fails", {_FIT: _FIT.removesuffix("self.event(\"after_fit\")"), "finally:\n    self.callbacks = own": "finally:\n    self.event(\"after_fit\")\n    self.callbacks = own"}, "if a callback fails in `after_fit`, the callbacks of that fit stay for the next one; let `self.callbacks` be restored in a `finally` around the event, too"),
    ("guests forgotten", {"[*self.callbacks, *callbacks]": "self.callbacks"}, "the callbacks that `fit` gets aren't called"),
    ("guests instead", {"[*self.callbacks, *callbacks]": "list(callbacks) or self.callbacks"}, "the callbacks that `fit` gets replace the Learner's own"),
    ("first one only", {"getattr(callback, name)(self)": "getattr(callback, name)(self)\nbreak"}, "only the first callback gets the event"),
    ("every event demanded", {"if hasattr(callback, name):": "if True:"}, "a callback without a method for the event raises an AttributeError; skip it"),
    ("no learner", {"getattr(callback, name)(self)": "getattr(callback, name)()"}, "callbacks are called without the Learner; pass `self`"),
    ("one input", {"self.model(*inputs)": "self.model(inputs[0])"}, "the model gets only the first input; every part of a batch but the last is an input"),
    ("swapped", {"self.loss_fn(self.prediction, self.target)": "self.loss_fn(self.target, self.prediction)"}, "the loss gets target and prediction in the wrong order"),
    ("its own batch", {"*inputs, self.target = self.batch\n": "*inputs, self.target = kept\n", _TRY: "kept = self.batch\ntry:\n    self.event(\"before_batch\")"}, "a callback that replaces `learner.batch` in `before_batch` has no effect; take the batch apart after the event"),
)
# fmt: on

# ---- 19.5

counting = Exercise(
    "19.5",
    title="The numbers of an epoch",
    takes=("Metrics",),
    minutes=12,
    writes=("Metrics",),
    hints=(
        "The last batch may be smaller than the others. How much should each batch count?",
        "For each name, keep two numbers: the sum of value times rows, and the rows. `after_epoch` divides the first by the second.",
        "In `after_loss`: `total, count = self.sums.get(name, (0, 0))`, then `self.sums[name] = total + value * size, count + size`, where `size` is `len(learner.target)`.",
    ),
)
_FED = "m = Metrics(); f = Fake(); m.before_epoch(f); f.feed(m, 1.0, 2); f.feed(m, 4.0, 1); "
_FEW = "m = Metrics(top=lambda p, t: p.max().item(), rows=lambda p, t: len(t)); f = Fake(); m.before_epoch(f); f.feed(m, 1.0, 3); f.feed(m, 4.0, 1); "
counting.compare_uses(
    "means over all rows of the epoch",
    uses(
        _FED + "m.after_epoch(f); m.history",
        _FED
        + "f.feed(m, 5.0, 2, training=False); f.feed(m, 2.0, 1, training=False); m.after_epoch(f); m.history",
        _FED
        + "m.after_epoch(f); m.before_epoch(f); f.feed(m, 7.0, 1); m.after_epoch(f); m.history",
        _FEW + "m.after_epoch(f); m.history",
        _FEW + "f.feed(m, 2.0, 1, training=False); m.after_epoch(f); list(m.history[0])",
        "m = Metrics(); f = Fake(); m.before_epoch(f); m.after_epoch(f); m.history",
        "m = Metrics(); f = Fake(); m.before_epoch(f); f.feed(m, 3.0, 2, training=False); m.after_epoch(f); m.history",
        "m = Metrics(); Metrics().history.append(1); m.history",
        _FED + "m.after_epoch(f); isinstance(m.history[0]['train_loss'], float)",
    ),
)

_SUM = "self.sums[name] = total + value * size, count + size"
_PART = "name = f\"{'train' if learner.training else 'valid'}_{name}\""
# fmt: off
counting.wrongs(
    ("mean of means", {_SUM: "self.sums[name] = total + value, count + 1"}, "every batch counts the same, although the last one has fewer rows; weight each by its rows"),
    ("not divided", {"name: total / count for": "name: total for"}, "the history holds sums; divide them by the number of rows"),
    ("last batch", {_SUM: "self.sums[name] = value * size, size"}, "the history holds the last batch only; add the batches up"),
    ("sums kept", {"self.sums = {}": "self.sums = getattr(self, \"sums\", {})"}, "the sums go on into the next epoch; begin again in `before_epoch`"),
    ("together", {_PART: "name = f\"train_{name}\""}, "training and validation are added together; `learner.training` tells them apart"),
    ("swapped", {_PART: "name = f\"{'valid' if learner.training else 'train'}_{name}\""}, "the names are swapped: `learner.training` is True in training"),
    ("graph kept", {"learner.loss.item()": "learner.loss"}, "the history holds a tensor instead of a number; call `.item()`"),
    ("no functions", {"found[name] = function(learner.prediction, learner.target)": "pass"}, "only the loss is recorded; call the functions too"),
    ("arguments swapped", {"function(learner.prediction, learner.target)": "function(learner.target, learner.prediction)"}, "functions get the target first; they take the prediction first"),
    ("functions not weighted", {_SUM: "self.sums[name] = (total + value * size, count + size) if name.endswith(\"loss\") else (total + value, count + 1)"}, "the loss is weighted by the rows, but the other numbers aren't"),
    ("one epoch only", {"self.history.append(": "self.history[:] = [", "for name, (total, count) in self.sums.items()})": "for name, (total, count) in self.sums.items()}]"}, "only the last epoch is in the history; append one dict for each epoch"),
    ("training only", {"size = len(learner.target)": "if not learner.training:\n    return\nsize = len(learner.target)"}, "validation isn't recorded; record it under names that begin with `valid_`"),
)
# fmt: on

# ---- 19.6

rating = Exercise(
    "19.6",
    title="Rates that rise and fall",
    takes=("Learner",),
    minutes=25,
    writes=("Schedule", "OneCycle", "LRFinder", "Learner"),
    hints=(
        "`Schedule` knows when to set a rate, and the classes below it know which. How many steps has this fit taken?",
        "`OneCycle.rate` has two pieces that meet at `top`. In both, `part` goes from 0 to 1, and `(1 + cos(pi * part)) / 2` goes from 1 to 0.",
        "In `LRFinder.after_loss`, append the rate and the loss, then raise CancelFit at the last step, or if the loss isn't `<= 4 * min(self.losses)`. In `lr_find`, train a copy: `copy.deepcopy((self.model, self.optimizer))`.",
    ),
)
_RATES = "rates = Rates(); "
rating.compare_uses(
    "one cycle",
    uses(
        _RATES
        + "learner = made(rates, train=(1,) * 10); learner.fit_one_cycle(1, 0.5); rates.seen",
        _RATES
        + "learner = made(rates, train=(1,) * 5, valid=(1, 1)); learner.fit_one_cycle(4, 0.5); rates.seen",
        _RATES
        + "learner = made(train=(1,) * 10); learner.fit_one_cycle(1, 0.5); learner.callbacks.append(rates); learner.fit_one_cycle(1, 0.25); rates.seen",
        _RATES
        + "learner = made(rates, train=(1, 1)); learner.optimizer.add_param_group({'params': [tensor(1.0, requires_grad=True)], 'lr': 7.0}); learner.fit_one_cycle(2, 0.01); rates.seen",
        "learner = made(train=(1,) * 10); learner.fit_one_cycle(2, 0.01); [learner.epoch, learner.step, learner.model.w]",
        "learner = made(train=(1,) * 10); learner.fit_one_cycle(1, 0.5); len(learner.callbacks)",
        _RATES
        + "learner = made(rates, train=(1,) * 10, loss=lambda p, t: 0 * p.sum()); learner.fit_one_cycle(1, 250000.0); f'{rates.seen[-1]:.6f}'",
        "learner = made(train=(1,) * 10, valid=(1,)); learner.fit_one_cycle(1, 0.5); round(learner.optimizer.param_groups[0]['lr'], 9)",
    ),
)
rating.compare_uses(
    "the learning rate finder",
    uses(
        "found = made(train=[three[0]] * 4, lr=0.1).lr_find(1e-6, 1e-4, steps=9); found.lrs",
        "found = made(train=[three[0]] * 4, lr=0.1).lr_find(1e-6, 1e-4, steps=9); found.losses",
        "found = made(train=[three[0]] * 4).lr_find(1e-4, 1, steps=3); [type(loss).__name__ for loss in found.losses]",
        "found = made(train=[three[0]] * 4).lr_find(1e-4, 100, steps=30); [found.lrs, found.losses]",
        "found = made(train=[three[0]] * 4, loss=lambda p, t: p.sum() * (math.nan if t.sum() > 4 else 1)).lr_find(1e-4, 1, steps=9); len(found.losses)",
        "learner = made(train=[three[0]] * 4); learner.lr_find(1e-4, 1, steps=9); [learner.model.w, learner.epoch, learner.step]",
        "learner = made(train=[three[0]] * 4, lr=0.125); learner.lr_find(1e-4, 1, steps=9); learner.optimizer.param_groups[0]['lr']",
        "log = Log(); learner = made(log, train=[three[0]] * 4, valid=(1,)); learner.lr_find(1e-4, 1, steps=9); log.lines",
        "losses = iter([1.0, 3.9, 4.0, 4.5, 1.0]); found = made(train=[three[0]] * 4, loss=lambda p, t: 0 * p.sum() + next(losses)).lr_find(1, 2, 5); found.losses",
        "found = made(train=[three[0]] * 4, loss=lambda p, t: 0 * p.sum()).lr_find(); [len(found.lrs), round(found.lrs[0], 8), round(found.lrs[-1], 6)]",
    ),
)
_CYCLE = "self.fit(epochs, [OneCycle(max_lr, epochs * len(self.train_loader))])"
_TOP = "top, last = 0.3 * self.steps - 1, self.steps - 1"
_RATE = "self.rate(learner.step - self.began)"
_LOW = "self.max_lr, self.max_lr / 250_000, (step - top) / (last - top)"
_COPY = "model, optimizer = copy.deepcopy((self.model, self.optimizer))"
_GROWN = "self.start * (self.end / self.start) ** (step / (self.steps - 1))"
_END = "if not goes_on or len(self.losses) == self.steps:"
# fmt: off
rating.wrongs(
    ("begins too high", {"self.max_lr / 25, self.max_lr, step / top": "0.0, self.max_lr, step / top"}, "the cycle begins at 0; it should begin at a twenty-fifth of `max_lr`"),
    ("ends too high", {_LOW: _LOW.replace("self.max_lr / 250_000", "self.max_lr / 25")}, "the cycle ends where it began; it should end at a ten-thousandth of that"),
    ("top too late", {_TOP: "top, last = 0.3 * self.steps, self.steps - 1"}, "the highest rate comes one step too late; steps count from 0"),
    ("top in the middle", {_TOP: "top, last = 0.5 * self.steps - 1, self.steps - 1"}, "the rate rises for half of the steps; it should rise for 30 percent of them"),
    ("never arrives", {_LOW: _LOW.replace("last - top", "last + 1 - top")}, "the last step doesn't reach the lowest rate; from the first step to the last, there are `steps - 1`"),
    ("straight lines", {"end + (start - end) * (1 + math.cos(math.pi * part)) / 2": "start + (end - start) * part"}, "the rate follows straight lines; it should follow half a cosine"),
    ("upside down", {"(1 + math.cos(math.pi * part)) / 2": "(1 - math.cos(math.pi * part)) / 2"}, "each piece runs backward; with a `part` of 0, the rate should be `start`"),
    ("steps of one epoch", {"epochs * len(self.train_loader)": "len(self.train_loader)"}, "the cycle is complete after one epoch; it spans all of them"),
    ("counts from the first fit", {_RATE: "self.rate(learner.step)"}, "a second fit continues where the first cycle ended; count from the step at which this fit began"),
    ("in validation, too", {"if learner.training:": "if True:"}, "the rate is set for validation batches too, one step too far; test `learner.training`"),
    ("losses kept", {"self.losses.append(learner.loss.item())": "self.losses.append(learner.loss)"}, "`losses` holds tensors, each with its graph; append `learner.loss.item()`"),
    ("first group", {"for group in learner.optimizer.param_groups:": "for group in learner.optimizer.param_groups[:1]:"}, "only the first group gets the rate"),
    ("stays in the list", {_CYCLE: "self.callbacks.append(OneCycle(max_lr, epochs * len(self.train_loader)))\nself.fit(epochs)"}, "the schedule stays among the callbacks, and steers the next fit too"),
    ("skips batches", {"raise CancelFit": "raise CancelBatch"}, "`CancelBatch` skips one batch, and the search goes on with the next; raise `CancelFit`"),
    ("a cycle in each epoch", {_CYCLE: "for _ in range(epochs):\n    self.fit(1, [OneCycle(max_lr, epochs * len(self.train_loader))])"}, "each epoch is a fit of its own, so the cycle begins again with each; fit all epochs at once"),
    ("equal steps", {_GROWN: "self.start + (self.end - self.start) * (step / (self.steps - 1))"}, "the rates grow by the same amount; they should grow by the same factor"),
    ("one rate short", {_GROWN: "self.start * (self.end / self.start) ** (step / self.steps)"}, "the last rate isn't `end`; from the first to the last there are `steps - 1` factors"),
    ("trains the model", {_COPY: "model, optimizer = self.model, self.optimizer"}, "the search trains the model itself; train a copy"),
    ("copied apart", {_COPY: "model, optimizer = copy.deepcopy(self.model), copy.deepcopy(self.optimizer)"}, "the copied optimizer holds different Parameters from the copied model, so the loss never moves; copy both in one `deepcopy`"),
    ("model only", {_COPY: "model, optimizer = copy.deepcopy(self.model), self.optimizer"}, "the copied model is used with the original optimizer, which knows only the original Parameters and keeps the last rate; copy both"),
    ("callbacks too", {"optimizer, self.train_loader).fit": "optimizer, self.train_loader, callbacks=self.callbacks).fit"}, "the Learner's callbacks take part in the search, and record batches that don't count"),
    ("never too much", {_END: "if len(self.losses) == self.steps:"}, "the search goes on after the loss has exploded"),
    ("stops at the first rise", {"4 * min(self.losses)": "1 * min(self.losses)"}, "the search ends as soon as a loss is higher than the lowest so far; wait until it's more than four times as high"),
    ("nan goes on", {"goes_on = self.losses[-1] <= 4 * min(self.losses)": "goes_on = not self.losses[-1] > 4 * min(self.losses)"}, "the search goes on with a loss of nan, since every comparison with nan is False"),
    ("one epoch", {".fit(steps, [finder])": ".fit(1, [finder])"}, "the search ends with the first epoch, before the last rate"),
    ("nothing returned", {"return finder": "return finder.lrs"}, "`lr_find` returns the rates; return the finder, which has the losses too"),
)
# fmt: on
