"""Programs that people write with `nn.Module`: the twenty commonest diseases with their cures, and healthy neighbors.

`DISEASES["forgot-eval"](torch)` runs the broken program, on PyTorch or on nbmodule in its place, and `shows` is true;
with `cured=True` it runs what it should have been, and `shows` is false: that one is healthy.
`HEALTHY["tied-weights"](torch)` runs a program that looks like one of them and is right; `shows` is its proof.
`MORE` and `MORE_HEALTHY` hold further programs, which only return what `diagnose` is told.
Seed the generator before: `torch.manual_seed(0)`.
"""

from __future__ import annotations

from . import (
    healthy_models,
    healthy_training,
    models,
    more_diseases,
    more_errors,
    more_healthy,
    more_healthy_layers,
    more_traces,
    more_training,
    more_values,
    training,
)
from .ran import Program, Ran
from .small import MORE, MORE_HEALTHY, spelled


def _table(*programs: Program) -> dict[str, Program]:
    return {spelled(program): program for program in programs}


DISEASES = _table(
    models.forgot_eval,
    training.plain_list,
    models.strict_false,
    training.train_not_restored,
    models.key_prefix,
    training.loss_off_the_tape,
    training.best_is_live,
    training.bn_running_stats,
    models.plain_tensor,
    training.no_zero_grad,
    models.in_place,
    training.frozen_bn,
    training.broadcast_loss,
    training.double_softmax,
    training.graph_kept,
    training.backward_twice,
    training.nan_gradient,
    models.bn_batch_of_one,
    models.head_shape,
    models.pickled_model,
)
"""In the order of the Clinic."""

HEALTHY = _table(*healthy_models.ALL, *healthy_training.ALL)
