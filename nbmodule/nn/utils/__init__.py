"""Tools for modules and their parameters, as in ``torch.nn.utils``, one kind a file.

Parameters and gradients:

    clip_grad               gradients kept from growing too large
    convert_parameters      all parameters as one vector, and back
    init                    modules whose parameters are not drawn
    memory_format           weights in another order in memory
    stateless               a call with other parameters than a module's own
    _named_member_accessor  tensors and submodules by their paths

Parameters that are computed:

    parametrize             ... by modules, each time that they are asked for
    _parametrization_list   those modules, one after the other
    parametrizations        orthogonal matrices, learned lengths, singular values of 1
    weight_norm             ... by a hook, as it was done before: a length times a direction
    spectral_norm           ... and singular values of 1
    prune                   ... with zeros
    _pruning                what all pruning has in common
    _pruning_methods        which numbers or channels become 0
    _pruning_amounts        how many

Whole layers and their inputs:

    fusion                  a batch normalisation folded into the layer before it
    rnn                     sequences of different lengths
"""

from typing import TYPE_CHECKING
from typing import Any as _Any

from . import stateless
from .clip_grad import _clip_grads_with_norm_ as clip_grads_with_norm_
from .clip_grad import _get_total_norm as get_total_norm
from .clip_grad import clip_grad_norm, clip_grad_norm_, clip_grad_value_
from .convert_parameters import parameters_to_vector, vector_to_parameters
from .fusion import (
    fuse_conv_bn_eval,
    fuse_conv_bn_weights,
    fuse_linear_bn_eval,
    fuse_linear_bn_weights,
)
from .init import skip_init
from .memory_format import (
    convert_conv2d_weight_memory_format,
    convert_conv3d_weight_memory_format,
)
from .spectral_norm import remove_spectral_norm, spectral_norm
from .weight_norm import remove_weight_norm, weight_norm

if TYPE_CHECKING:
    from . import parametrizations, parametrize, rnn

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "convert_conv2d_weight_memory_format",
    "convert_conv3d_weight_memory_format",
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
    "get_total_norm",
    "parameters_to_vector",
    "parametrizations",
    "parametrize",
    "remove_spectral_norm",
    "remove_weight_norm",
    "rnn",
    "skip_init",
    "spectral_norm",
    "stateless",
    "vector_to_parameters",
    "weight_norm",
]

_LATE = {"parametrizations", "parametrize", "rnn"}


if not TYPE_CHECKING:  # checkers know all names, and so see a misspelt one

    def __getattr__(name: str) -> _Any:
        """Import what few programs need when it is first asked for: `import nbmodule` stays quick."""
        if name not in _LATE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return import_module(f".{name}", __name__)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATE})
