"""Chapter 09, the two exercises of BatchNorm1d: it is asked what it does with a batch in each mode."""

from __future__ import annotations

from ..exercise import Exercise
from .modes import uses

# ---- 09.3

normal = Exercise(
    "09.3",
    title="Normalize a batch",
    takes=("BatchNorm1d",),
    minutes=10,
    writes=("BatchNorm1d",),
    hints=(
        "Assign a `Parameter` and it's registered. For a buffer, you wrote a method in chapter 05.",
        '`self.register_buffer("running_mean", nbmodule.zeros(num_features))`. In `forward`, `x.mean(0)` is the mean of each column, and `len(x)` is the number of rows.',
        "`mean, var = x.mean(0), x.var(0, correction=0)`, then `(x - mean) / (var + self.eps).sqrt() * self.weight + self.bias`.",
    ),
)
normal.compare_uses(
    "Parameters, buffers and settings",
    uses(
        'state(BatchNorm1d(3), "_parameters")',
        "state(BatchNorm1d(2))",
        "[p.requires_grad for p in BatchNorm1d(2)._parameters.values()]",
        "norm = BatchNorm1d(2); norm.eps, norm.momentum",
        "norm = BatchNorm1d(2, 0.5, 0.25); norm.eps, norm.momentum",
        "norm = BatchNorm1d(num_features=2, eps=0.5, momentum=0.25); norm.eps, norm.momentum",
        "sorted(BatchNorm1d(1)._non_persistent_buffers_set)",
    ),
)
normal.compare_uses(
    "each column gets mean 0 and variance 1",
    uses("BatchNorm1d(1)(pair)", "BatchNorm1d(3)(x)", "BatchNorm1d(3)(x[:2])", "BatchNorm1d(1)(ones(3, 1))"),
)  # fmt: skip
normal.compare_uses(
    "`eps`, `weight` and `bias` count",
    uses(
        "BatchNorm1d(1, eps=0.5)(pair)",
        "BatchNorm1d(1)(pair / 1000)",
        "counted(BatchNorm1d(3))(x)",
        "norm = counted(BatchNorm1d(3)); norm(x); norm(x)",
    ),
)
normal.compare_uses(
    "gradients pass, and the input stays as it was",
    uses(
        "x = needs(x); slope(wide(counted(BatchNorm1d(3)))(x), x)",
        "norm = wide(counted(BatchNorm1d(3))); slope(norm(x.double()), norm.weight)",
        "BatchNorm1d(3)(x); x",
    ),
)
normal.compare_uses(
    "one row is refused", uses("BatchNorm1d(3)(x[:1])", "BatchNorm1d(1)(ones(1, 1))")
)
_MEAN, _FORMULA = (
    "x.mean(0), x.var(0, correction=0)",
    "(x - mean) / (var + self.eps).sqrt() * self.weight + self.bias",
)
_ONE = "if len(x) == 1:"
# fmt: off
normal.wrongs(
    ("no Parameters", {"Parameter(nbmodule.ones(num_features))": "nbmodule.ones(num_features)"}, "`weight` is a tensor, so it isn't learned; wrap it in `Parameter`"),
    ("weight of zeros", {"Parameter(nbmodule.ones(num_features))": "Parameter(nbmodule.zeros(num_features))"}, "`weight` starts at 0, so every output is the bias; start it at 1"),
    ("plain mean", {'self.register_buffer("running_mean", nbmodule.zeros(num_features))': "self.running_mean = nbmodule.zeros(num_features)"}, "`running_mean` is an ordinary attribute, so it isn't saved or moved; register it as a buffer"),
    ("plain count", {'self.register_buffer("num_batches_tracked", tensor(0))': "self.num_batches_tracked = 0"}, "`num_batches_tracked` is an ordinary attribute; register it as a buffer"),
    ("variance of zeros", {'"running_var", nbmodule.ones': '"running_var", nbmodule.zeros'}, "`running_var` starts at 0; a new layer should assume variance 1"),
    ("not saved", {'"running_var", nbmodule.ones(num_features)': '"running_var", nbmodule.ones(num_features), persistent=False'}, "`running_var` is registered with `persistent=False`, so it isn't saved"),
    ("divides by n - 1", {_MEAN: "x.mean(0), x.var(0)"}, "`x.var(0)` divides by n − 1; the batch is normalized with the variance over n"),
    ("of all numbers", {_MEAN: "x.mean(), x.var(correction=0)"}, "one mean and one variance are taken over all columns; take them for each column"),
    ("of each row", {_MEAN: "x.mean(1, keepdim=True), x.var(1, correction=0, keepdim=True)"}, "the mean and variance are those of each row; BatchNorm takes them for each column"),
    ("no eps", {_FORMULA: "(x - mean) / var.sqrt() * self.weight + self.bias"}, "`eps` is left out; a column with variance 0 gives nan"),
    ("eps outside", {_FORMULA: "(x - mean) / (var.sqrt() + self.eps) * self.weight + self.bias"}, "`eps` is added to the root; it belongs under it"),
    ("no root", {_FORMULA: "(x - mean) / (var + self.eps) * self.weight + self.bias"}, "the division is by the variance; divide by its square root"),
    ("no weight", {_FORMULA: "(x - mean) / (var + self.eps).sqrt()"}, "`weight` and `bias` aren't used"),
    ("bias first", {_FORMULA: "((x - mean) / (var + self.eps).sqrt() + self.bias) * self.weight"}, "`bias` is added before the multiplication by `weight`; add it last"),
    ("cut off", {_MEAN: "x.detach().mean(0), x.detach().var(0, correction=0)"}, "the gradient doesn't pass through the mean and the variance; don't detach them"),
    ("one row", {_ONE: "if False:"}, "a batch of one row is accepted, and all its numbers become the bias"),
    ("two rows refused", {_ONE: "if len(x) <= 2:"}, "two rows are refused; they have a variance"),
    ("in place", {f"return {_FORMULA}": f"x.data.copy_({_FORMULA})\nreturn x"}, "the input itself is changed; return a new tensor"),
)
# fmt: on

# ---- 09.4

running = Exercise(
    "09.4",
    title="Two modes",
    takes=("BatchNorm1d",),
    minutes=10,
    writes=("BatchNorm1d",),
    keeps=("09.3",),
    hints=(
        "Which mean and variance are used in which mode? Begin with the running ones, and replace them in training.",
        "Move the buffers inside `with nbmodule.no_grad():`, so that no graph is kept. There, `self.running_mean = 0.9 * self.running_mean + 0.1 * mean` stores a new buffer, with `momentum` in place of 0.1.",
        "`keep = 1 - self.momentum`, then `self.running_mean = keep * self.running_mean + self.momentum * mean`, the same for `running_var` with `x.var(0)`, and `self.num_batches_tracked += 1`.",
    ),
)
_OFF_MODE = "norm.training = False"
running.compare_uses(
    "each training batch moves the running statistics",
    uses(
        "norm = BatchNorm1d(1); norm(pair); state(norm)",
        "norm = BatchNorm1d(3); norm(x); norm(x + 1); state(norm)",
        "norm = BatchNorm1d(3, momentum=0.5); norm(x); norm(x[:2]); norm(x); state(norm)",
        "norm = BatchNorm1d(3, momentum=1); norm(x); state(norm)",
        "norm = BatchNorm1d(3, eps=0.5, momentum=0); norm(x); state(norm)",
        "norm = BatchNorm1d(3); quiet(lambda: norm(x)); state(norm)",
        "one, other = BatchNorm1d(1), BatchNorm1d(1); one(pair); state(other)",
    ),
)
running.compare_uses(
    "in training, the batch normalizes",
    uses("norm = counted(BatchNorm1d(3)); norm(x); norm(x + 1)", "norm = BatchNorm1d(1, momentum=1); norm(pair); norm(pair)"),
)  # fmt: skip
running.compare_uses(
    "in eval mode, the running statistics normalize, and stay",
    uses(
        f"norm = counted(BatchNorm1d(3)); {_OFF_MODE}; norm(x)",
        f"norm = counted(BatchNorm1d(3, momentum=0.5)); norm(x); {_OFF_MODE}; norm(x + 2)",
        f"norm = BatchNorm1d(3, eps=0.5); norm(x); {_OFF_MODE}; norm(x[:1])",
        f"norm = BatchNorm1d(3); norm(x); {_OFF_MODE}; norm(x + 5); state(norm)",
        f"norm = BatchNorm1d(1); {_OFF_MODE}; norm(pair); norm.training = True; norm(pair); state(norm)",
    ),
)
running.compare_uses(
    "no gradient flows into the running statistics",
    uses(
        "norm = wide(BatchNorm1d(3)); norm(needs(x)); recorded(norm)",
        "norm = wide(counted(BatchNorm1d(3))); x = needs(x); norm(x).sum().backward(); slope(norm(x), norm.weight)",
        f"norm = wide(counted(BatchNorm1d(3))); {_OFF_MODE}; x = needs(x); slope(norm(x), x)",
        f"norm = wide(counted(BatchNorm1d(3))); norm(x.double()); {_OFF_MODE}; slope(norm(x.double()), norm.bias)",
        "norm = BatchNorm1d(3); norm(x); sorted(norm._parameters)",
    ),
)
running.compare_uses(
    "one row is refused in training, before the statistics move",  # PyTorch has counted it by then
    uses(
        "norm = BatchNorm1d(1); tried(lambda: norm(pair[1:])), norm.running_mean, norm.running_var"
    ),
)
_KEEP, _NO_GRAPH = "keep = 1 - self.momentum", "with nbmodule.no_grad():"
_TO_MEAN = "self.running_mean.mul_(keep).add_(self.momentum * mean)"
_TO_VAR = "self.running_var.mul_(keep).add_(self.momentum * x.var(0))"
_COUNT, _RETURN, _BATCH = "self.num_batches_tracked += 1", f"return {_FORMULA}", f"mean, var = {_MEAN}"  # fmt: skip
# fmt: off
running.wrongs(
    ("variance over n", {_TO_VAR: "self.running_var.mul_(keep).add_(self.momentum * var)"}, "`running_var` takes the variance over n; it should take the one over n − 1"),
    ("normalizes with n - 1", {_MEAN: "x.mean(0), x.var(0)"}, "the batch is normalized with the variance over n − 1; that one is for `running_var`"),
    ("momentum reversed", {_KEEP: "keep = self.momentum", _TO_MEAN: "self.running_mean.mul_(keep).add_((1 - keep) * mean)", _TO_VAR: "self.running_var.mul_(keep).add_((1 - keep) * x.var(0))"}, "`momentum` is used as the share of the old value; in PyTorch it's the share of the new batch"),
    ("sums up", {_KEEP: "keep = 1"}, "the batch is added, but the old value isn't reduced; multiply it by 1 − momentum"),
    ("latest batch", {_KEEP: "keep = 0", _TO_MEAN: "self.running_mean.copy_(mean)", _TO_VAR: "self.running_var.copy_(x.var(0))"}, "the running statistics are those of the latest batch; move them there by `momentum`"),
    ("mean alone", {_TO_VAR: ""}, "`running_var` never moves"),
    ("variance alone", {_TO_MEAN: ""}, "`running_mean` never moves"),
    ("a tenth always", {_KEEP: "keep = 0.9", _TO_MEAN: "self.running_mean.mul_(keep).add_(0.1 * mean)", _TO_VAR: "self.running_var.mul_(keep).add_(0.1 * x.var(0))"}, "the share is always 0.1; use `self.momentum`"),
    ("root recorded", {_TO_VAR: "self.running_var.mul_(keep).add_(self.momentum * x.std(0))"}, "`running_var` takes the standard deviation; it should take the variance"),
    ("eps recorded", {_TO_VAR: "self.running_var.mul_(keep).add_(self.momentum * (x.var(0) + self.eps))"}, "`eps` is added to `running_var`; add it only where you take the root"),
    ("not counted", {_COUNT: ""}, "`num_batches_tracked` stays 0; add 1 for each training batch"),
    ("rows counted", {_COUNT: "self.num_batches_tracked += len(x)"}, "`num_batches_tracked` counts rows; add 1 for each batch"),
    ("running in training", {_RETURN: f"mean, var = self.running_mean, self.running_var\n{_RETURN}"}, "the running statistics normalize in training too; in training it's the batch"),
    ("batch in eval", {"mean, var = self.running_mean, self.running_var": f"mean, var = {_MEAN}"}, "eval mode normalizes with the batch; it should use the running statistics"),
    ("modes swapped", {"if self.training:": "if not self.training:"}, "the modes are mixed up, so the running statistics move in eval mode"),
    ("always training", {"if self.training:": "if True:"}, "both modes do the same; ask `self.training`"),
    ("moves in eval", {_BATCH: f"{_BATCH}\nif True:\n    pass", "mean, var = self.running_mean, self.running_var": "mean, var = self.running_mean.clone(), self.running_var.clone()\nif not self.training and len(x) > 1:\n    with nbmodule.no_grad():\n        self.running_mean.mul_(1 - self.momentum).add_(self.momentum * x.mean(0))"}, "`running_mean` moves in eval mode as well; change nothing there"),
    ("graph kept", {_NO_GRAPH: "if True:"}, "the running statistics become part of the graph, which grows with each batch; move them inside `with nbmodule.no_grad():`"),
    ("result cut off", {_NO_GRAPH: "mean, var = mean.detach(), var.detach()\nwith nbmodule.no_grad():"}, "the mean and variance are detached before they normalize, which changes the gradients; detach only what goes into the running statistics"),
    ("one row refused in eval", {_ONE: "if False:", "if self.training:": f"{_ONE}\n    raise ValueError('one row')\nif self.training:"}, "one row is refused in eval mode too; there it's fine"),
    ("one row", {_ONE: "if False:"}, "one row is accepted in training; its variance over n − 1 is nan, and `running_var` stays nan from then on"),
    ("one row too late", {_ONE: "if False:", _TO_MEAN: f"{_TO_MEAN}\n{_ONE}\n    raise ValueError('one row')"}, "`running_mean` has moved when the error is raised; test for one row first"),
)
# fmt: on
