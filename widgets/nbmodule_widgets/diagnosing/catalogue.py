"""The diseases that `diagnose` knows by name: the cure of each, as code, and the chapter that explains it."""

from __future__ import annotations

from typing import NamedTuple


class Disease(NamedTuple):
    """What is known of a disease, whoever has it.

    Attributes:
        cure: What to write.
        chapter: Where the course explains it.
        explains: Findings that are only another view of it, and are left out beside it.
    """

    cure: str
    chapter: str = ""
    explains: tuple[str, ...] = ()


_05, _08 = "05 Parameters and buffers", "08 Containers and the plain-list trap"
_09, _10, _12 = "09 train() and eval()", "10 state_dict", "12 A tape"
_13, _14, _17 = "13 An engine that survives", "14 Optimizers", "17 Checkpoints"
_19, _20, _11, _06, _04 = (
    "19 DataLoader, Learner",
    "20 Transfer learning",
    "11 Hooks",
    "06 Initialization",
    "04 Module",
)

CATALOGUE: dict[str, Disease] = {
    "plain-list": Disease("self.layers = nn.ModuleList(layers)  # nn.ModuleDict, nn.ParameterList", _08),
    "parameter-became-tensor": Disease("self.w = nn.Parameter(0.1 * torch.randn(3))  # compute first, wrap last", _05, ("plain-tensor", "graph-kept", "backward-twice")),
    "layer-made-in-forward": Disease("self.fc = nn.Linear(4, 4)  # in __init__, not in forward", _08),
    "layer-outside": Disease("self.fc = fc  # in __init__", _08),
    "loss-off-the-tape": Disease("loss = loss_fn(model(x), y)  # tensors all the way; .item() only to print", _12),
    "no-grad-in-forward": Disease("# take `with torch.no_grad():` away from the training pass", _12),
    "tape-cut-in-forward": Disease("# no .detach(), .data, .numpy() or argmax between the input and the output", _12),
    "all-frozen": Disease("model.head.requires_grad_(True)", _20, ("loss-off-the-tape",)),
    "unused-layer": Disease("# use the layer in forward, or take it out of the model"),
    "optimizer-of-another-model": Disease("optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  # after the model is complete", _14),
    "stale-optimizer": Disease("model.fc = nn.Linear(512, 10); optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  # in this order", _14, ("optimizer-misses-parameters",)),
    "optimizer-empty": Disease("optimizer = torch.optim.SGD(model.parameters(), lr=0.1)", _14),
    "optimizer-duplicates": Disease("# each parameter in one group, once", _14),
    "optimizer-misses-parameters": Disease("optimizer.add_param_group({'params': model.head.parameters()})", _14),
    "optimizer-given-model": Disease("optimizer = torch.optim.SGD(model.parameters(), lr=0.1)", _14),
    "optimizer-state-other-model": Disease("# load it into an optimizer over the same parameters in the same order", _17),
    "optimizer-state-for-model": Disease("model.load_state_dict(checkpoint['model'])", _17),
    "lr-zero": Disease("optimizer.param_groups[0]['lr'] = 0.01", _14),
    "lr-negative": Disease("optimizer.param_groups[0]['lr'] = 0.01", _14),
    "training-flag-by-hand": Disease("model.eval()  # not model.training = False", _09, ("forgot-eval", "train-not-restored")),
    "forgot-eval": Disease("model.eval()  # before inference; model.train() before training", _09),
    "functional-dropout": Disease("F.dropout(x, 0.5, training=self.training)  # or nn.Dropout", _09, ("forgot-eval",)),
    "train-not-restored": Disease("model.train()  # at the head of each training epoch", _09, ("bn-without-statistics",)),
    "bn-running-stats": Disease("# one pass over training data in train() with momentum=None, or larger batches, or GroupNorm", _09),
    "bn-momentum": Disease("nn.BatchNorm1d(8, momentum=0.1)", _09),
    "bn-without-statistics": Disease("model.load_state_dict(saved)  # strictly, with running_mean and running_var", _10),
    "frozen-bn": Disease("model.train(); model.backbone.eval()  # after every train()", _20),
    "bn-batch-of-one": Disease("DataLoader(data, batch_size=16, drop_last=True)  # or model.eval(), if this is inference", _09),
    "broadcast-loss": Disease("loss_fn(model(x).squeeze(1), y)  # or y.unsqueeze(1)", _19, ("target-size",)),
    "one-class": Disease("nn.BCEWithLogitsLoss()(model(x).squeeze(1), y.float())  # or two outputs", _19, ("zero-gradient",)),
    "double-softmax": Disease("# return logits; softmax only to show probabilities", _19),
    "softmax-wrong-dim": Disease("logits.softmax(dim=1)  # and none at all before cross entropy", _19, ("samples-mixed",)),
    "activation-on-logits": Disease("# no activation after the last layer: the loss has its own", _19),
    "sigmoid-twice": Disease("# return logits with BCEWithLogitsLoss, or use BCELoss on probabilities", _19),
    "nll-without-log-softmax": Disease("nn.CrossEntropyLoss()(logits, y)  # or nn.NLLLoss()(logits.log_softmax(1), y)", _19),
    "kl-on-probabilities": Disease("F.kl_div(logits.log_softmax(1), target, reduction='batchmean')", _19),
    "target-out-of-reach": Disease("# no activation after the last layer, or scale the targets into its range", _19),
    "strict-false": Disease("report = model.load_state_dict(saved, strict=False); print(report)  # rename the keys, then load strictly", _10),
    "key-prefix": Disease("saved = {k.removeprefix('module.'): v for k, v in saved.items()}", _10, ("keys-differ",)),
    "keys-differ": Disease("nw.match_keys(model, saved)  # what fits, what is missing, and why", _10),
    "missing-buffers": Disease("# save model.state_dict(), not named_parameters()", _10, ("bn-without-statistics",)),
    "nested-checkpoint": Disease("model.load_state_dict(checkpoint['model_state_dict'])", _17),
    "nan-in-file": Disease("# load an earlier checkpoint, and look for the first NaN", _17),
    "best-is-live": Disease("best = copy.deepcopy(model.state_dict())", _10),
    "file-not-loaded": Disease("model.load_state_dict(torch.load(path))", _10),
    "transposed-weight": Disease("saved['fc.weight'] = saved['fc.weight'].T", _10),
    "head-shape": Disease("rest = {k: v for k, v in saved.items() if not k.startswith('fc.')}; model.load_state_dict(rest, strict=False)", _10, ("shape-mismatch",)),
    "shape-mismatch": Disease("# build the model with the file's own sizes", _10),
    "pickled-model": Disease("torch.save(model.state_dict(), path)  # build the model from code, then load", _17),
    "state-dict-given-object": Disease("model.load_state_dict(torch.load(path))", _10),
    "in-place": Disease("h = h + 1  # not h += 1; ReLU(inplace=False); every backward before the step", _13),
    "in-place-leaf": Disease("with torch.no_grad(): weight.add_(1)", _13),
    "backward-twice": Disease("h = h.detach()  # between steps", _13, ("graph-kept",)),
    "graph-kept": Disease("history.append(loss.item())  # or .detach() for everything that is kept", _13),
    "backward-of-many": Disease("loss_fn(model(x), y).mean().backward()", _12),
    "numpy-on-tape": Disease("out.detach().numpy()  # only outside of the loss", _12),
    "forward-missing": Disease("def forward(self, x): ...", _04),
    "super-init-forgotten": Disease("def __init__(self):\n    super().__init__()", _04),
    "tensor-for-parameter": Disease("self.weight = nn.Parameter(tensor)", _05),
    "device-mismatch": Disease("x = x.to(device); self.register_buffer('mask', mask)", _05),
    "dtype-mismatch": Disease("x = x.float()", _05),
    "index-dtype": Disease("embedding(x.long())"),
    "target-dtype": Disease("loss_fn(out, y.long())  # cross entropy; y.float() for the others", _19),
    "one-hot-target": Disease("loss_fn(out, y.argmax(1))  # or y.squeeze(1)", _19),
    "label-out-of-range": Disease("nn.Linear(features, int(y.max()) + 1)  # labels begin at 0", _19),
    "index-out-of-range": Disease("nn.Embedding(int(x.max()) + 1, features)"),
    "bce-on-logits": Disease("nn.BCEWithLogitsLoss()(logits, y)", _19),
    "target-size": Disease("loss_fn(model(x).squeeze(1), y)", _19),
    "batch-size-mismatch": Disease("x.flatten(1)  # keep dimension 0: the batch", _19),
    "channels-last": Disease("x.permute(0, 3, 1, 2)  # (N, H, W, C) to (N, C, H, W)"),
    "rnn-input-size": Disease("nn.LSTM(features, hidden, batch_first=True)"),
    "features-mismatch": Disease("nn.Linear(x.shape[-1], out_features)  # or x.flatten(1) before it"),
    "needs-batch-dimension": Disease("model(x.unsqueeze(0))"),
    "input-not-tensor": Disease("model(torch.as_tensor(x))"),
    "shapes-differ": Disease("# print the two shapes at the line that the traceback names"),
    "arguments-differ": Disease("# call the model with what its forward takes"),
    "none-returned": Disease("return x  # at the end of forward"),
    "no-such-attribute": Disease("self.fc = nn.Linear(4, 4)  # in __init__"),
    "out-of-memory": Disease("# smaller batches; .item() for what is logged; no_grad() in validation", _13),
}  # fmt: skip
