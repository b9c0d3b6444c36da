"""Functions that make tensors from nothing, under one roof."""

from __future__ import annotations

from ._creation import (
    empty,
    empty_like,
    empty_permuted,
    empty_strided,
    eye,
    full,
    full_like,
    ones,
    ones_like,
    scalar_tensor,
    zeros,
    zeros_like,
)
from ._drawing import (
    bernoulli,
    multinomial,
    normal,
    poisson,
    rand,
    rand_like,
    randint,
    randint_like,
    randn,
    randn_like,
    randperm,
)
from ._interop import as_tensor, asarray, from_dlpack, from_numpy, frombuffer, tensor
from ._spacing import arange, linspace, logspace, range

__all__ = [
    "arange",
    "as_tensor",
    "asarray",
    "bernoulli",
    "empty",
    "empty_like",
    "empty_permuted",
    "empty_strided",
    "eye",
    "from_dlpack",
    "from_numpy",
    "frombuffer",
    "full",
    "full_like",
    "linspace",
    "logspace",
    "multinomial",
    "normal",
    "ones",
    "ones_like",
    "poisson",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    "range",
    "scalar_tensor",
    "tensor",
    "zeros",
    "zeros_like",
]
