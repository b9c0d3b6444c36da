# Made by scripts/make_stubs.py: do not edit.
# pyright: reportOverlappingOverload=false
# (The first form that a call fits decides its type.)

from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy as np
from typing_extensions import TypeIs

from ._dtypes import dtype as _dtype
from ._formats import layout as _layout, memory_format as _memory_format
from ._tensor import Device, Number

from . import storage as storage
from math import e as e, inf as inf, nan as nan, pi as pi
from . import (
    autograd as autograd,
    random as random,
    return_types as return_types,
    version as version,
)
from ._cores import get_num_threads as get_num_threads, set_num_threads as set_num_threads
from ._device import device as device, get_default_device as get_default_device
from ._dtypes import (
    can_cast as can_cast,
    cdouble as cdouble,
    cfloat as cfloat,
    complex32 as complex32,
    complex64 as complex64,
    complex128 as complex128,
    double as double,
    dtype as dtype,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    get_default_dtype as get_default_dtype,
    half as half,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    long as long,
    promote_types as promote_types,
    set_default_dtype as set_default_dtype,
    short as short,
    uint8 as uint8,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
)
from ._engine import (
    is_grad_enabled as is_grad_enabled,
    is_inference_mode_enabled as is_inference_mode_enabled,
)
from ._factories import multinomial as multinomial, poisson as poisson
from ._formats import (
    channels_last as channels_last,
    channels_last_3d as channels_last_3d,
    contiguous_format as contiguous_format,
    layout as layout,
    memory_format as memory_format,
    preserve_format as preserve_format,
    strided as strided,
)
from ._functions.coordinates import newaxis as newaxis, unravel_index as unravel_index
from ._functions.elementwise import polygamma as polygamma
from ._functions.indexing import split as split
from ._functions.joining import (
    column_stack as column_stack,
    dstack as dstack,
    hstack as hstack,
    vstack as vstack,
)
from ._functions.matrices import chain_matmul as chain_matmul, vander as vander
from ._functions.reductions import (
    cumulative_trapezoid as cumulative_trapezoid,
    trapezoid as trapezoid,
)
from ._functions.shapes import combinations as combinations
from ._generator import default_generator as default_generator
from ._legacy import set_default_tensor_type as set_default_tensor_type, typename as typename
from ._limits import finfo as finfo, iinfo as iinfo
from ._settings import (
    are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled,
    get_float32_matmul_precision as get_float32_matmul_precision,
    is_deterministic_algorithms_warn_only_enabled as is_deterministic_algorithms_warn_only_enabled,
    is_warn_always_enabled as is_warn_always_enabled,
    set_float32_matmul_precision as set_float32_matmul_precision,
    set_warn_always as set_warn_always,
    use_deterministic_algorithms as use_deterministic_algorithms,
)
from ._tensor import Size as Size, Tensor as Tensor
from ._tensor_str import set_printoptions as set_printoptions
from .autograd._anomaly import (
    is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled,
    is_anomaly_enabled as is_anomaly_enabled,
    set_anomaly_enabled as set_anomaly_enabled,
)
from .autograd.grad_mode import (
    enable_grad as enable_grad,
    inference_mode as inference_mode,
    no_grad as no_grad,
    set_grad_enabled as set_grad_enabled,
)
from .random import (
    Generator as Generator,
    get_rng_state as get_rng_state,
    initial_seed as initial_seed,
    seed as seed,
    set_rng_state as set_rng_state,
)
from .storage import (
    TypedStorage as TypedStorage,
    UntypedStorage as UntypedStorage,
    is_storage as is_storage,
)
from .version import __version__ as __version__
from . import (
    accelerator as accelerator,
    amp as amp,
    ao as ao,
    backends as backends,
    cuda as cuda,
    datasets as datasets,
    func as func,
    functional as functional,
    learner as learner,
    linalg as linalg,
    nn as nn,
    observer as observer,
    onnx as onnx,
    optim as optim,
    quantization as quantization,
    serialization as serialization,
    special as special,
    testing as testing,
    utils as utils,
)
from .amp import GradScaler as GradScaler, autocast as autocast
from .amp._state import (
    get_autocast_dtype as get_autocast_dtype,
    is_autocast_enabled as is_autocast_enabled,
)
from .func import vmap as vmap
from .nn.functional._activation import (
    _rrelu,
    relu_ as relu_,
    rrelu_ as rrelu_,
    threshold as threshold,
    threshold_ as threshold_,
)
from .nn.functional._adaptive_pooling import (
    _adaptive_max_pool1d,
    adaptive_avg_pool1d as adaptive_avg_pool1d,
)
from .nn.functional._conv import (
    conv1d as conv1d,
    conv2d as conv2d,
    conv3d as conv3d,
    conv_tbc as conv_tbc,
    conv_transpose1d as conv_transpose1d,
    conv_transpose2d as conv_transpose2d,
    conv_transpose3d as conv_transpose3d,
    convolution as convolution,
)
from .nn.functional._distance import (
    cosine_similarity as cosine_similarity,
    pairwise_distance as pairwise_distance,
)
from .nn.functional._dropout import native_dropout as native_dropout
from .nn.functional._embedding_losses import (
    _cosine_embedding_loss,
    _hinge_embedding_loss,
    _margin_ranking_loss,
    _triplet_margin_loss,
)
from .nn.functional._grid_sampling import (
    affine_grid_generator as affine_grid_generator,
    grid_sampler as grid_sampler,
    grid_sampler_2d as grid_sampler_2d,
    grid_sampler_3d as grid_sampler_3d,
)
from .nn.functional._linear import bilinear as bilinear
from .nn.functional._normalization import (
    _batch_norm,
    _group_norm,
    _instance_norm,
    _layer_norm,
    native_batch_norm as native_batch_norm,
    native_group_norm as native_group_norm,
    native_layer_norm as native_layer_norm,
    rms_norm as rms_norm,
)
from .nn.functional._padding import constant_pad_nd as constant_pad_nd
from .nn.functional._pooling import (
    _max_pool1d,
    _max_pool1d_with_indices,
    _max_pool2d,
    _max_pool3d,
    avg_pool1d as avg_pool1d,
)
from .nn.functional._probability_losses import (
    _binary_cross_entropy_with_logits,
    _kl_div,
    _poisson_nll_loss,
)
from .nn.functional._recurrent import (
    gru_cell as gru_cell,
    lstm_cell as lstm_cell,
    rnn_relu_cell as rnn_relu_cell,
    rnn_tanh_cell as rnn_tanh_cell,
)
from .nn.functional._shuffling import (
    channel_shuffle as channel_shuffle,
    native_channel_shuffle as native_channel_shuffle,
    pixel_shuffle as pixel_shuffle,
    pixel_unshuffle as pixel_unshuffle,
)
from .nn.functional._smooth_activation import _celu, _selu, celu_ as celu_, selu_ as selu_
from .nn.functional._sparse import _embedding, embedding_renorm_ as embedding_renorm_
from .nn.functional._weight_norm import norm_except_dim as norm_except_dim
from .serialization import load as load, save as save

bool: _dtype
float: _dtype
int: _dtype

def set_default_device(device: Device) -> None: ...
@overload
def arange(
    end: Number,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def arange(
    start: Number,
    end: Number,
    step: Number = 1,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def as_tensor(data: Any, dtype: _dtype | None = None, device: Device = None) -> Tensor: ...
def asarray(
    obj: Any,
    *,
    dtype: _dtype | None = None,
    device: Device = None,
    copy: _bool | None = None,
    requires_grad: _bool | None = None,
) -> Tensor: ...
@overload
def bernoulli(
    input: Tensor, *, generator: Generator | None = None, out: Tensor | None = None
) -> Tensor: ...
@overload
def bernoulli(input: Tensor, p: _float, *, generator: Generator | None = None) -> Tensor: ...
@overload
def empty(
    size: Sequence[_int],
    *,
    memory_format: _memory_format | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def empty(
    *size: _int,
    memory_format: _memory_format | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def empty_like(
    input: Tensor,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
def empty_permuted(
    size: Sequence[_int],
    physical_layout: Sequence[_int],
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def empty_strided(
    size: Sequence[_int],
    stride: Sequence[_int],
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def eye(
    n: _int,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def eye(
    n: _int,
    m: _int,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def from_numpy(ndarray: np.ndarray) -> Tensor: ...
def frombuffer(
    buffer: Any, *, dtype: _dtype, count: _int = -1, offset: _int = 0, requires_grad: _bool = False
) -> Tensor: ...
def full(
    size: Sequence[_int],
    fill_value: Number,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def full_like(
    input: Tensor,
    fill_value: Number,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
def linspace(
    start: Tensor | Number,
    end: Tensor | Number,
    steps: _int,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def logspace(
    start: Tensor | Number,
    end: Tensor | Number,
    steps: _int,
    base: _float = 10.0,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def normal(
    mean: Tensor,
    std: Tensor | _float = 1.0,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def normal(
    mean: _float, std: Tensor, *, generator: Generator | None = None, out: Tensor | None = None
) -> Tensor: ...
@overload
def normal(
    mean: _float,
    std: _float,
    size: Sequence[_int],
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def ones(
    size: Sequence[_int],
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def ones(
    *size: _int,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def ones_like(
    input: Tensor,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
@overload
def rand(
    size: Sequence[_int],
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def rand(
    *size: _int,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def rand_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
@overload
def randint(
    high: _int,
    size: Sequence[_int],
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def randint(
    low: _int,
    high: _int,
    size: Sequence[_int],
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def randint_like(
    input: Tensor,
    high: Tensor | _int,
    *,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
@overload
def randint_like(
    input: Tensor,
    low: Tensor | _int,
    high: Tensor | _int,
    *,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
@overload
def randn(
    size: Sequence[_int],
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def randn(
    *size: _int,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def randn_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
def randperm(
    n: _int,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def range(
    end: Number,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def range(
    start: Number,
    end: Number,
    step: Number = 1,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def scalar_tensor(
    s: Number,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def tensor(
    data: Any,
    *,
    dtype: _dtype | None = None,
    device: Device = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor: ...
@overload
def zeros(
    size: Sequence[_int],
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def zeros(
    *size: _int,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def zeros_like(
    input: Tensor,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
def gradient(
    input: Tensor,
    *,
    spacing: Number | Sequence[Number] | Sequence[Tensor] | None = None,
    dim: _int | Sequence[_int] | None = None,
    edge_order: _int = 1,
) -> tuple[Tensor, ...]: ...
def alias_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of what `alias` shows."""

def as_strided_copy(
    input: Tensor,
    size: Sequence[_int],
    stride: Sequence[_int],
    storage_offset: _int | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return a copy of what `as_strided` shows."""

def detach_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of what `detach` shows."""

def diagonal_copy(
    input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1, *, out: Tensor | None = None
) -> Tensor:
    """Return a copy of what `diagonal` shows."""

def expand_copy(
    input: Tensor, size: Sequence[_int], *, implicit: _bool = False, out: Tensor | None = None
) -> Tensor:
    """Return a copy of what `expand` shows."""

def fill(input: Tensor, value: Tensor | Number) -> Tensor: ...
def permute_copy(input: Tensor, dims: Sequence[_int], *, out: Tensor | None = None) -> Tensor:
    """Return a copy of what `permute` shows."""

def select_copy(input: Tensor, dim: _int, index: _int, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of what `select` shows."""

def slice_copy(
    input: Tensor,
    dim: _int = 0,
    start: _int | None = None,
    end: _int | None = None,
    step: _int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return a copy of what `slice` shows."""

def split_copy(
    input: Tensor, split_size: _int, dim: _int = 0, *, out: Sequence[Tensor] | None = None
) -> tuple[Tensor, ...]:
    """Return a copy of what `split` shows."""

def split_with_sizes_copy(
    input: Tensor,
    split_sizes: Sequence[_int],
    dim: _int = 0,
    *,
    out: Sequence[Tensor] | None = None,
) -> tuple[Tensor, ...]:
    """Return a copy of what `split_with_sizes` shows."""

def squeeze_copy(
    input: Tensor, dim: _int | Sequence[_int] = ..., *, out: Tensor | None = None
) -> Tensor:
    """Return a copy of what `squeeze` shows."""

def t_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of what `t` shows."""

def transpose_copy(input: Tensor, dim0: _int, dim1: _int, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of what `transpose` shows."""

def unbind_copy(
    input: Tensor, dim: _int = 0, *, out: Sequence[Tensor] | None = None
) -> tuple[Tensor, ...]:
    """Return a copy of what `unbind` shows."""

def unfold_copy(
    input: Tensor, dimension: _int, size: _int, step: _int, *, out: Tensor | None = None
) -> Tensor:
    """Return a copy of what `unfold` shows."""

def unsqueeze_copy(input: Tensor, dim: _int, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of what `unsqueeze` shows."""

@overload
def view_copy(input: Tensor, size: Sequence[_int], *, out: Tensor | None = None) -> Tensor:
    """Return a copy of what `view` shows."""

@overload
def view_copy(input: Tensor, dtype: _dtype, *, out: Tensor | None = None) -> Tensor: ...
@overload
def einsum(equation: str, *operands: Tensor | Sequence[Tensor]) -> Tensor: ...
@overload
def einsum(
    operand: Tensor, sublist: Sequence[Any], *operands_and_sublists: Tensor | Sequence[Any]
) -> Tensor: ...
def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The absolute value. At 0 and at NaN its gradient is 0."""

def abs_(input: Tensor) -> Tensor:
    """Do what `abs` does, in place, and return `self`."""

def absolute(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The absolute value. At 0 and at NaN its gradient is 0."""

def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose cosine is x."""

def acos_(input: Tensor) -> Tensor:
    """Do what `acos` does, in place, and return `self`."""

def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The number whose hyperbolic cosine is x."""

def acosh_(input: Tensor) -> Tensor:
    """Do what `acosh` does, in place, and return `self`."""

def add(
    input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1, out: Tensor | None = None
) -> Tensor:
    """Return ``self + alpha * other``."""

def addcdiv(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1, out: Tensor | None = None
) -> Tensor:
    """Return ``self + value * tensor1 / tensor2``."""

def addcmul(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1, out: Tensor | None = None
) -> Tensor:
    """Return ``self + value * tensor1 * tensor2``."""

def allclose(
    input: Tensor,
    other: Tensor,
    rtol: _float = 1e-05,
    atol: _float = 1e-08,
    equal_nan: _bool = False,
) -> _bool:
    """Return whether all elements are close."""

def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return pi for negative numbers, NaN for NaN, else 0."""

def arccos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose cosine is x."""

def arccos_(input: Tensor) -> Tensor:
    """Do what `acos` does, in place, and return `self`."""

def arccosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The number whose hyperbolic cosine is x."""

def arccosh_(input: Tensor) -> Tensor:
    """Do what `acosh` does, in place, and return `self`."""

def arcsin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose sine is x."""

def arcsin_(input: Tensor) -> Tensor:
    """Do what `asin` does, in place, and return `self`."""

def arcsinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The number whose hyperbolic sine is x."""

def arcsinh_(input: Tensor) -> Tensor:
    """Do what `asinh` does, in place, and return `self`."""

def arctan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose tangent is x."""

def arctan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle of the point (x, y), in (-pi, pi]."""

def arctan_(input: Tensor) -> Tensor:
    """Do what `atan` does, in place, and return `self`."""

def arctanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The number whose hyperbolic tangent is x."""

def arctanh_(input: Tensor) -> Tensor:
    """Do what `atanh` does, in place, and return `self`."""

def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose sine is x."""

def asin_(input: Tensor) -> Tensor:
    """Do what `asin` does, in place, and return `self`."""

def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The number whose hyperbolic sine is x."""

def asinh_(input: Tensor) -> Tensor:
    """Do what `asinh` does, in place, and return `self`."""

def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose tangent is x."""

def atan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle of the point (x, y), in (-pi, pi]."""

def atan_(input: Tensor) -> Tensor:
    """Do what `atan` does, in place, and return `self`."""

def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The number whose hyperbolic tangent is x."""

def atanh_(input: Tensor) -> Tensor:
    """Do what `atanh` does, in place, and return `self`."""

@overload
def bitwise_and(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The bitwise and."""

@overload
def bitwise_and(self: Number, other: Tensor) -> Tensor: ...
@overload
def bitwise_left_shift(
    input: Tensor, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """The bits moved `b` places up; 0 where nothing is left."""

@overload
def bitwise_left_shift(self: Number, other: Tensor) -> Tensor: ...
def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The bitwise complement."""

@overload
def bitwise_or(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The bitwise or."""

@overload
def bitwise_or(self: Number, other: Tensor) -> Tensor: ...
@overload
def bitwise_right_shift(
    input: Tensor, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """The bits moved `b` places down; the sign alone where nothing is left."""

@overload
def bitwise_right_shift(self: Number, other: Tensor) -> Tensor: ...
@overload
def bitwise_xor(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The bitwise exclusive or."""

@overload
def bitwise_xor(self: Number, other: Tensor) -> Tensor: ...
def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smallest integer that is at least x."""

def ceil_(input: Tensor) -> Tensor:
    """Do what `ceil` does, in place, and return `self`."""

@overload
def clamp(
    input: Tensor,
    min: Tensor | None = None,
    max: Tensor | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return `self` with every element moved into [min, max]; None leaves that end open."""

@overload
def clamp(
    input: Tensor,
    min: Number | None = None,
    max: Number | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def clamp_(input: Tensor, min: Tensor | None = None, max: Tensor | None = None) -> Tensor:
    """Do what `clamp` does, in place, and return `self`."""

@overload
def clamp_(input: Tensor, min: Number | None = None, max: Number | None = None) -> Tensor: ...
def clamp_max(input: Tensor, max: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Return `self` where it is at most `max`, else `max`."""

def clamp_max_(input: Tensor, max: Tensor | Number) -> Tensor:
    """Do what `clamp_max` does, in place, and return `self`."""

def clamp_min(input: Tensor, min: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Return `self` where it is at least `min`, else `min`."""

def clamp_min_(input: Tensor, min: Tensor | Number) -> Tensor:
    """Do what `clamp_min` does, in place, and return `self`."""

@overload
def clip(
    input: Tensor,
    min: Tensor | None = None,
    max: Tensor | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return `self` with every element moved into [min, max]; None leaves that end open."""

@overload
def clip(
    input: Tensor,
    min: Number | None = None,
    max: Number | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def clip_(input: Tensor, min: Tensor | None = None, max: Tensor | None = None) -> Tensor:
    """Do what `clamp` does, in place, and return `self`."""

@overload
def clip_(input: Tensor, min: Number | None = None, max: Number | None = None) -> Tensor: ...
def conj(input: Tensor) -> Tensor:
    """Return `self`, which is its own conjugate."""

def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return `self`, which is its own conjugate."""

def conj_physical_(input: Tensor) -> Tensor:
    """Do what `conj_physical` does, in place, and return `self`."""

def copysign(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Return the size of `self` with the sign of `other`; integers become floats."""

def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The cosine of x in radians."""

def cos_(input: Tensor) -> Tensor:
    """Do what `cos` does, in place, and return `self`."""

def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic cosine."""

def cosh_(input: Tensor) -> Tensor:
    """Do what `cosh` does, in place, and return `self`."""

def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Degrees in radians."""

def deg2rad_(input: Tensor) -> Tensor:
    """Do what `deg2rad` does, in place, and return `self`."""

def detach_(input: Tensor) -> Tensor:
    """Take this tensor out of the graph, and return it."""

def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of `lgamma`."""

@overload
def div(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Return ``self / other``, rounded towards zero ("trunc"), down ("floor"), or not (None)."""

@overload
def div(
    input: Tensor | Number, other: Tensor | Number, *, rounding_mode: str, out: Tensor | None = None
) -> Tensor: ...
@overload
def divide(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Return ``self / other``, rounded towards zero ("trunc"), down ("floor"), or not (None)."""

@overload
def divide(
    input: Tensor | Number, other: Tensor | Number, *, rounding_mode: str, out: Tensor | None = None
) -> Tensor: ...
def eq(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Whether a equals b."""

def equal(input: Tensor, other: Tensor) -> _bool:
    """Return whether both have the same shape and the same elements."""

def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The error function."""

def erf_(input: Tensor) -> Tensor:
    """Do what `erf` does, in place, and return `self`."""

def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """One minus the error function, exact also where that is nearly 1."""

def erfc_(input: Tensor) -> Tensor:
    """Do what `erfc` does, in place, and return `self`."""

def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The number whose error function is x."""

def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The exponential."""

def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """2 to the power of x."""

def exp2_(input: Tensor) -> Tensor:
    """Do what `exp2` does, in place, and return `self`."""

def exp_(input: Tensor) -> Tensor:
    """Do what `exp` does, in place, and return `self`."""

def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The exponential minus 1, exact also near 0."""

def expm1_(input: Tensor) -> Tensor:
    """Do what `expm1` does, in place, and return `self`."""

def fill_(input: Tensor, value: Tensor | Number) -> Tensor:
    """Set every element to `value`, a number or a tensor of one without dimensions."""

def fix(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """What is left of x without the digits after the point."""

def fix_(input: Tensor) -> Tensor:
    """Do what `trunc` does, in place, and return `self`."""

@overload
def float_power(input: Tensor, exponent: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Return ``self ** exponent``, computed in float64."""

@overload
def float_power(self: Number, exponent: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The largest integer that is at most x."""

def floor_(input: Tensor) -> Tensor:
    """Do what `floor` does, in place, and return `self`."""

def floor_divide(
    input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """The quotient, rounded down."""

def fmax(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The larger; a number wins over NaN. The gradient goes to a where it is at least b."""

def fmin(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smaller; a number wins over NaN. The gradient goes to a where it is at most b."""

def fmod(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Return what is left after division by `other`, with the sign of `self`."""

def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The digits after the point, with the sign of x."""

def frac_(input: Tensor) -> Tensor:
    """Do what `frac` does, in place, and return `self`."""

def frexp(input: Tensor, *, out: Sequence[Tensor] | None = None) -> return_types.frexp:
    """Return `mantissa` in [0.5, 1) and `exponent` with ``self == mantissa * 2**exponent``."""

def gcd(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The greatest common divisor."""

def gcd_(input: Tensor, other: Tensor) -> Tensor:
    """Do what `gcd` does, in place, and return `self`."""

def ge(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Whether a is at least b."""

def greater(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Whether a is greater than b."""

def greater_equal(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Whether a is at least b."""

def gt(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Whether a is greater than b."""

def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return 0 where `self` is negative, 1 where it is positive, and `values` where it is 0."""

def hypot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The length of the vector (a, b), without overflow on the way."""

def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of order 0."""

def i0_(input: Tensor) -> Tensor:
    """Do what `i0` does, in place, and return `self`."""

def igamma(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The regularised lower incomplete gamma function; only x has a derivative."""

def igammac(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The regularised upper incomplete gamma function; only x has a derivative."""

def isclose(
    input: Tensor,
    other: Tensor,
    rtol: _float = 1e-05,
    atol: _float = 1e-08,
    equal_nan: _bool = False,
) -> Tensor:
    """Return for each element whether ``|self - other| <= atol + rtol * |other|``."""

def isfinite(input: Tensor) -> Tensor:
    """Whether x is neither infinite nor NaN."""

@overload
def isin(
    elements: Tensor,
    test_elements: Tensor,
    *,
    assume_unique: _bool = False,
    invert: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def isin(
    element: Number,
    test_elements: Tensor,
    *,
    assume_unique: _bool = False,
    invert: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def isin(
    elements: Tensor,
    test_element: Number,
    *,
    assume_unique: _bool = False,
    invert: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
def isinf(input: Tensor) -> Tensor:
    """Whether x is infinite."""

def isnan(input: Tensor) -> Tensor:
    """Whether x is not a number."""

def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether x is minus infinity."""

def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether x is plus infinity."""

def isreal(input: Tensor) -> Tensor:
    """Return True for every element: there are no complex numbers here."""

def lcm(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The least common multiple."""

def lcm_(input: Tensor, other: Tensor) -> Tensor:
    """Do what `lcm` does, in place, and return `self`."""

def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return ``self * 2**other``."""

def ldexp_(input: Tensor, other: Tensor) -> Tensor:
    """Do what `ldexp` does, in place, and return `self`."""

def le(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Whether a is at most b."""

def lerp(
    input: Tensor, end: Tensor, weight: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """Return ``self + weight * (end - self)``."""

def less(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Whether a is less than b."""

def less_equal(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Whether a is at most b."""

def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the size of the gamma function."""

def log(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The natural logarithm."""

def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The natural logarithm of 1 + x, accurate also near 0."""

def log1p_(input: Tensor) -> Tensor:
    """Do what `log1p` does, in place, and return `self`."""

def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to base 2."""

def log2_(input: Tensor) -> Tensor:
    """Do what `log2` does, in place, and return `self`."""

def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to base 10."""

def log10_(input: Tensor) -> Tensor:
    """Do what `log10` does, in place, and return `self`."""

def log_(input: Tensor) -> Tensor:
    """Do what `log` does, in place, and return `self`."""

def logaddexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of ``exp(a) + exp(b)``, without overflow."""

def logaddexp2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to base 2 of ``2**a + 2**b``, without overflow."""

def logical_and(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether both differ from 0."""

def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether x is 0."""

def logical_or(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether at least one differs from 0."""

def logical_xor(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether exactly one differs from 0."""

def logit(input: Tensor, eps: _float | None = None, *, out: Tensor | None = None) -> Tensor:
    """Return ``log(x / (1 - x))``; with `eps`, of x moved into [eps, 1 - eps]."""

def logit_(input: Tensor, eps: _float | None = None) -> Tensor:
    """Do what `logit` does, in place, and return `self`."""

def lt(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Whether a is less than b."""

def masked_fill(input: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor:
    """Return `self` with `value` where `mask` is True."""

def maximum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The larger of both; at a tie each side gets half of the gradient, as in PyTorch."""

def minimum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smaller of both; at a tie each side gets half of the gradient, as in PyTorch."""

def mul(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Return ``self * other``."""

def multiply(
    input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """Return ``self * other``."""

def mvlgamma(input: Tensor, p: _int, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithm of the multivariate gamma function of dimension `p` >= 1."""

def nan_to_num(
    input: Tensor,
    nan: _float | None = None,
    posinf: _float | None = None,
    neginf: _float | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return `self` with numbers for NaN (0) and the infinities (the largest and smallest finite)."""

def nan_to_num_(
    input: Tensor,
    nan: _float | None = None,
    posinf: _float | None = None,
    neginf: _float | None = None,
) -> Tensor:
    """Do what `nan_to_num` does, in place, and return `self`."""

def ne(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Whether a differs from b."""

def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Minus x."""

def neg_(input: Tensor) -> Tensor:
    """Do what `neg` does, in place, and return `self`."""

def negative(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Minus x."""

def negative_(input: Tensor) -> Tensor:
    """Do what `neg` does, in place, and return `self`."""

def nextafter(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The number next to a in the direction of b."""

def not_equal(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Whether a differs from b."""

def positive(input: Tensor) -> Tensor:
    """Return `self`."""

@overload
def pow(input: Tensor, exponent: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Return ``self ** exponent``."""

@overload
def pow(self: Number, exponent: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Radians in degrees."""

def rad2deg_(input: Tensor) -> Tensor:
    """Do what `rad2deg` does, in place, and return `self`."""

def real(input: Tensor) -> Tensor:
    """Return `self`, which is its own conjugate."""

def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """One over x."""

def reciprocal_(input: Tensor) -> Tensor:
    """Do what `reciprocal` does, in place, and return `self`."""

def relu(input: Tensor) -> Tensor:
    """Positive elements and NaN stay, others become 0."""

@overload
def remainder(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The remainder of a / b, with the sign of b."""

@overload
def remainder(self: Number, other: Tensor) -> Tensor: ...
def resolve_conj(input: Tensor) -> Tensor:
    """Return `self`, which is its own conjugate."""

def resolve_neg(input: Tensor) -> Tensor:
    """Return `self`, which is its own conjugate."""

@overload
def round(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the elements rounded to so many `decimals`; halves go to the even digit."""

@overload
def round(input: Tensor, *, decimals: _int, out: Tensor | None = None) -> Tensor: ...
@overload
def round_(input: Tensor) -> Tensor:
    """Do what `round` does, in place, and return `self`."""

@overload
def round_(input: Tensor, *, decimals: _int) -> Tensor: ...
def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """One over the square root."""

def rsqrt_(input: Tensor) -> Tensor:
    """Do what `rsqrt` does, in place, and return `self`."""

@overload
def rsub(input: Tensor, other: Tensor, *, alpha: Number = 1) -> Tensor:
    """Return ``other - alpha * self``."""

@overload
def rsub(input: Tensor, other: Number, alpha: Number = 1) -> Tensor: ...
def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return -1, 0 or 1."""

def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 / (1 + exp(-x))``: where the exponential overflows the quotient is 0, as it should be."""

def sigmoid_(input: Tensor) -> Tensor:
    """Do what `sigmoid` does, in place, and return `self`."""

def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """-1, 0 or 1; 0 also for NaN."""

def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether the sign is minus; also for -0."""

def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sine of x in radians."""

def sin_(input: Tensor) -> Tensor:
    """Do what `sin` does, in place, and return `self`."""

def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sine of pi x over pi x; 1 at 0."""

def sinc_(input: Tensor) -> Tensor:
    """Do what `sinc` does, in place, and return `self`."""

def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic sine."""

def sinh_(input: Tensor) -> Tensor:
    """Do what `sinh` does, in place, and return `self`."""

def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The square root."""

def sqrt_(input: Tensor) -> Tensor:
    """Do what `sqrt` does, in place, and return `self`."""

def square(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return ``self ** 2``."""

def square_(input: Tensor) -> Tensor:
    """Do what `square` does, in place, and return `self`."""

def sub(
    input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1, out: Tensor | None = None
) -> Tensor:
    """Return ``self - alpha * other``."""

@overload
def subtract(
    input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1, out: Tensor | None = None
) -> Tensor:
    """Return ``self - alpha * other``."""

@overload
def subtract(input: Tensor, other: Number, alpha: Number = 1) -> Tensor: ...
def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The tangent of x in radians."""

def tan_(input: Tensor) -> Tensor:
    """Do what `tan` does, in place, and return `self`."""

def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic tangent."""

def tanh_(input: Tensor) -> Tensor:
    """Do what `tanh` does, in place, and return `self`."""

def true_divide(
    input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """Return ``self / other``, rounded towards zero ("trunc"), down ("floor"), or not (None)."""

def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """What is left of x without the digits after the point."""

def trunc_(input: Tensor) -> Tensor:
    """Do what `trunc` does, in place, and return `self`."""

@overload
def xlogy(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Return ``self * log(other)``, 0 where `self` is 0."""

@overload
def xlogy(self: Number, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def xlogy_(input: Tensor, other: Tensor | Number) -> Tensor:
    """Do what `xlogy` does, in place, and return `self`."""

def zero_(input: Tensor) -> Tensor:
    """Set every element to 0."""

def clone(input: Tensor, *, memory_format: _memory_format | None = None) -> Tensor:
    """Return a recorded copy."""

def detach(input: Tensor) -> Tensor:
    """Return a tensor on the same memory that is not part of the graph."""

def get_device(input: Tensor) -> _int:
    """Return the number of the GPU that holds the elements, -1 where none does."""

def is_complex(input: Tensor) -> _bool:
    """Return False: there are no complex tensors."""

def is_conj(input: Tensor) -> _bool:
    """Return False: there are no complex tensors."""

def is_floating_point(input: Tensor) -> _bool:
    """Return whether the elements are float16, float32 or float64."""

def is_inference(input: Tensor) -> _bool:
    """Return whether the tensor was made in `inference_mode`."""

def is_neg(input: Tensor) -> _bool:
    """Return False: no tensor waits to be negated."""

def is_nonzero(input: Tensor) -> _bool:
    """Return whether the only element is not 0."""

def is_same_size(input: Tensor, other: Tensor) -> _bool:
    """Return whether `other` has the same shape."""

def is_signed(input: Tensor) -> _bool:
    """Return whether negative numbers fit."""

def is_tensor(obj: object) -> TypeIs[Tensor]: ...
def numel(input: Tensor) -> _int:
    """Return how many elements there are."""

def result_type(tensor1: Tensor | Number, tensor2: Tensor | Number) -> _dtype: ...
def argwhere(input: Tensor) -> Tensor:
    """Return where the elements are not 0: a row of indices for each."""

def as_strided_scatter(
    input: Tensor,
    src: Tensor,
    size: Sequence[_int],
    stride: Sequence[_int],
    storage_offset: _int | None = None,
) -> Tensor:
    """Return a copy with `src` in place of the elements that ``as_strided(size, stride)`` shows."""

def chunk(input: Tensor, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]:
    """Return at most `chunks` views of equal size along `dim`; the last may be smaller."""

def diagonal_scatter(
    input: Tensor, src: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1
) -> Tensor:
    """Return a copy with `src` in place of a diagonal."""

@overload
def dsplit(input: Tensor, sections: _int) -> tuple[Tensor, ...]:
    """Return views along dimension 2: so many equal ones, or between the listed places."""

@overload
def dsplit(input: Tensor, indices: Sequence[_int]) -> tuple[Tensor, ...]: ...
def gather(
    input: Tensor,
    dim: _int,
    index: Tensor,
    *,
    sparse_grad: _bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return ``out[index[i][j]][j]`` of `self` for dim 0, and so on."""

@overload
def hsplit(input: Tensor, sections: _int) -> tuple[Tensor, ...]:
    """Return views along dimension 1, or 0 of a vector: so many equal ones, or between the places."""

@overload
def hsplit(input: Tensor, indices: Sequence[_int]) -> tuple[Tensor, ...]: ...
def index_add(
    input: Tensor,
    dim: _int,
    index: Tensor,
    source: Tensor,
    *,
    alpha: Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """Return a copy with ``alpha * source`` added to the slices along `dim` that `index` names."""

def index_copy(
    input: Tensor, dim: _int, index: Tensor, source: Tensor, *, out: Tensor | None = None
) -> Tensor:
    """Return a copy with the slices along `dim` that `index` names replaced by those of `source`."""

def index_fill(input: Tensor, dim: _int, index: Tensor, value: Tensor | Number) -> Tensor:
    """Return a copy with the slices along `dim` that `index` names full of `value`."""

def index_put(
    input: Tensor, indices: Sequence[Tensor] | None, values: Tensor, accumulate: _bool = False
) -> Tensor:
    """Return a copy with ``copy[indices] = values``, or ``+=`` to `accumulate`."""

def index_put_(
    input: Tensor, indices: Sequence[Tensor] | None, values: Tensor, accumulate: _bool = False
) -> Tensor:
    """Do what `index_put` does, in place, and return `self`."""

def index_reduce(
    input: Tensor,
    dim: _int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: _bool = True,
    out: Tensor | None = None,
) -> Tensor:
    """Return a copy with the slices of `source` folded into those along `dim` that `index` names."""

def index_select(input: Tensor, dim: _int, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the slices that the vector `index` names along `dim`."""

def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Return a copy with the elements of `source`, in order, where `mask` is True."""

def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the elements where `mask` is True, as a vector."""

def narrow(input: Tensor, dim: _int, start: Tensor | _int, length: _int) -> Tensor:
    """Return a view of `length` elements along `dim`, from `start` on."""

def narrow_copy(
    input: Tensor, dim: _int, start: _int, length: _int, *, out: Tensor | None = None
) -> Tensor:
    """Return a copy of `length` elements along `dim`, from `start` on."""

@overload
def nonzero(
    input: Tensor, *, as_tuple: Literal[False] = False, out: Tensor | None = None
) -> Tensor:
    """Return where the elements are not 0: a row of indices for each, or a vector for each dimension."""

@overload
def nonzero(input: Tensor, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...
def nonzero_static(
    input: Tensor, *, size: _int, fill_value: _int = -1, out: Tensor | None = None
) -> Tensor:
    """Return `size` rows of `nonzero`, cut off or filled up with `fill_value`."""

def put(input: Tensor, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
    """Return a copy with `source` at the places `index` of the flattened tensor."""

@overload
def scatter(
    input: Tensor, dim: _int, index: Tensor, src: Tensor, *, reduce: str, out: Tensor | None = None
) -> Tensor:
    """Return a copy with ``out[index[i][j]][j] = src[i][j]`` for dim 0, and so on."""

@overload
def scatter(
    input: Tensor, dim: _int, index: Tensor, src: Tensor, *, out: Tensor | None = None
) -> Tensor: ...
@overload
def scatter(
    input: Tensor,
    dim: _int,
    index: Tensor,
    value: Number,
    *,
    reduce: str,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def scatter(
    input: Tensor, dim: _int, index: Tensor, value: Number, *, out: Tensor | None = None
) -> Tensor: ...
def scatter_add(
    input: Tensor, dim: _int, index: Tensor, src: Tensor, *, out: Tensor | None = None
) -> Tensor:
    """Return a copy with the elements of `src` added at ``index`` along `dim`; repeats add up."""

def scatter_reduce(
    input: Tensor,
    dim: _int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: _bool = True,
    out: Tensor | None = None,
) -> Tensor:
    """Return a copy in which all elements of `src` that go to one place are folded into one."""

def select(input: Tensor, dim: _int, index: _int) -> Tensor:
    """Return the slice at `index` along `dim`, without that dimension."""

def select_scatter(input: Tensor, src: Tensor, dim: _int, index: _int) -> Tensor:
    """Return a copy with `src` in place of the slice at `index` along `dim`."""

def slice_scatter(
    input: Tensor,
    src: Tensor,
    dim: _int = 0,
    start: _int | None = None,
    end: _int | None = None,
    step: _int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return a copy with `src` in place of the slices from `start` to `end` along `dim`."""

def split_with_sizes(
    input: Tensor, split_sizes: Sequence[_int], dim: _int = 0
) -> tuple[Tensor, ...]:
    """Return views of the listed sizes along `dim`."""

def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the elements at the places `index` of the flattened tensor, in the shape of `index`."""

def take_along_dim(
    input: Tensor, indices: Tensor, dim: _int | None = None, *, out: Tensor | None = None
) -> Tensor:
    """Return what `gather` does, of both tensors broadcast; without `dim`, of both flattened."""

@overload
def tensor_split(
    input: Tensor, tensor_indices_or_sections: Tensor, dim: _int = 0
) -> tuple[Tensor, ...]:
    """Return views along `dim`: so many of nearly equal size, or those between the listed places."""

@overload
def tensor_split(input: Tensor, sections: _int, dim: _int = 0) -> tuple[Tensor, ...]: ...
@overload
def tensor_split(input: Tensor, indices: Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]: ...
def unbind(input: Tensor, dim: _int = 0) -> tuple[Tensor, ...]:
    """Return the slices along `dim`, without that dimension."""

def unsafe_chunk(input: Tensor, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]:
    """Return what `chunk` does."""

def unsafe_split(input: Tensor, split_size: _int, dim: _int = 0) -> tuple[Tensor, ...]:
    """Return what `split` does."""

def unsafe_split_with_sizes(
    input: Tensor, split_sizes: Sequence[_int], dim: _int = 0
) -> tuple[Tensor, ...]:
    """Return what `split_with_sizes` does."""

@overload
def vsplit(input: Tensor, sections: _int) -> tuple[Tensor, ...]:
    """Return views along dimension 0: so many equal ones, or between the listed places."""

@overload
def vsplit(input: Tensor, indices: Sequence[_int]) -> tuple[Tensor, ...]: ...
@overload
def where(condition: Tensor) -> tuple[Tensor, ...]: ...
@overload
def where(
    condition: Tensor, input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor: ...
def block_diag(*tensors: Tensor) -> Tensor: ...
def cat(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def concat(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """Return the tensors one after the other along `dim`."""

def concatenate(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """Return the tensors one after the other along `dim`."""

def row_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Return the tensors on top of each other, along dimension 0; vectors are rows."""

def stack(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def addbmm(
    input: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *,
    beta: Number = 1,
    alpha: Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """Return ``beta * self + alpha * (batch1 @ batch2).sum(0)``, of batches (B, N, K) and (B, K, M)."""

@overload
def addmm(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: Number = 1,
    alpha: Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """Return ``beta * self + alpha * (mat1 @ mat2)``."""

@overload
def addmm(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    out_dtype: _dtype,
    *,
    beta: Number = 1,
    alpha: Number = 1,
    out: Tensor | None = None,
) -> Tensor: ...
def addmv(
    input: Tensor,
    mat: Tensor,
    vec: Tensor,
    *,
    beta: Number = 1,
    alpha: Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """Return ``beta * self + alpha * (mat @ vec)``, with `mat` (N, K), `vec` (K,), `self` (N,)."""

def addr(
    input: Tensor,
    vec1: Tensor,
    vec2: Tensor,
    *,
    beta: Number = 1,
    alpha: Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """Return ``beta * self + alpha * vec1.outer(vec2)``, with `vec1` (N,), `vec2` (M,)."""

@overload
def baddbmm(
    input: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *,
    beta: Number = 1,
    alpha: Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """Return ``beta * self + alpha * (batch1 @ batch2)``, of batches (B, N, K) and (B, K, M)."""

@overload
def baddbmm(
    input: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    out_dtype: _dtype,
    *,
    beta: Number = 1,
    alpha: Number = 1,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the matrix product of each pair of matrices in two batches (N, ., .)."""

@overload
def bmm(input: Tensor, mat2: Tensor, out_dtype: _dtype, *, out: Tensor | None = None) -> Tensor: ...
def cdist(
    x1: Tensor,
    x2: Tensor,
    p: _float = 2.0,
    compute_mode: str = "use_mm_for_euclid_dist_if_necessary",
) -> Tensor:
    """Return the distance of each row of `x1` from each row of `x2`."""

def cholesky(input: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """Return the triangular factor of each matrix."""

def cholesky_inverse(input: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse of the matrix of which `self` is the triangular factor."""

def cholesky_solve(
    input: Tensor, input2: Tensor, upper: _bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Return the solution for the right sides `self`, by the triangular factor `input2`."""

def cross(
    input: Tensor, other: Tensor, dim: _int | None = None, *, out: Tensor | None = None
) -> Tensor:
    """Return the vectors orthogonal to both, along `dim`, or the first dimension of length 3."""

def det(input: Tensor) -> Tensor:
    """Return the determinant of each matrix."""

def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inner product of two vectors."""

def geqrf(input: Tensor, *, out: Sequence[Tensor] | None = None) -> return_types.geqrf:
    """Return R with the vectors of reflections below it, and the factors of the reflections."""

def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the products of each element of a vector with each of another."""

def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inner products of the last dimensions of both; a number multiplies."""

def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse of each matrix."""

def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the Kronecker product: `other` times each element of `self`, as blocks."""

def logdet(input: Tensor) -> Tensor:
    """Return the logarithm of the determinant of each matrix."""

@overload
def lu(
    A: Tensor, pivot: _bool = True, get_infos: Literal[False] = False
) -> tuple[Tensor, Tensor]: ...
@overload
def lu(
    A: Tensor, pivot: _bool = True, *, get_infos: Literal[True]
) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def lu(A: Tensor, pivot: _bool = True, get_infos: _bool = False) -> tuple[Tensor, ...]: ...
def lu_solve(
    input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None
) -> Tensor:
    """Return the solution for the right sides `self`, by the result of `lu`."""

def lu_unpack(
    LU_data: Tensor,
    LU_pivots: Tensor,
    unpack_data: _bool = True,
    unpack_pivots: _bool = True,
    *,
    out: Sequence[Tensor] | None = None,
) -> return_types.lu_unpack:
    """Return P, L and U from what `lu_factor` returns; what is not wanted is an empty tensor."""

def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the matrix product; leading dimensions broadcast."""

def matrix_exp(input: Tensor) -> Tensor:
    """Return the exponential of each matrix."""

def matrix_power(input: Tensor, n: _int, *, out: Tensor | None = None) -> Tensor:
    """Return each matrix to the power `n`."""

@overload
def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the matrix product of two matrices."""

@overload
def mm(input: Tensor, mat2: Tensor, out_dtype: _dtype, *, out: Tensor | None = None) -> Tensor: ...
def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the product of a matrix and a vector."""

def orgqr(input: Tensor, input2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the first columns of the product of reflections with factors `input2`."""

def ormqr(
    input: Tensor,
    input2: Tensor,
    input3: Tensor,
    left: _bool = True,
    transpose: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return the product of the reflections with factors `input2` and the matrix `input3`."""

def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the products of each element of a vector with each of another."""

def pdist(input: Tensor, p: _float = 2) -> Tensor:
    """Return the p-norm of the difference of each row of `input` from each later row."""

def pinverse(input: Tensor, rcond: _float = 1e-15) -> Tensor:
    """Return the pseudoinverse of each matrix."""

def qr(
    input: Tensor, some: _bool = True, *, out: Sequence[Tensor] | None = None
) -> return_types.qr:
    """Return Q and R; `some`: no more columns of Q than needed."""

def slogdet(input: Tensor, *, out: Sequence[Tensor] | None = None) -> return_types.slogdet:
    """Return the sign of the determinant of each matrix, and the logarithm of its size."""

def spmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Return the matrix product of two matrices."""

def svd(
    input: Tensor,
    some: _bool = True,
    compute_uv: _bool = True,
    *,
    out: Sequence[Tensor] | None = None,
) -> return_types.svd:
    """Return U, S and V (not transposed); zeros for U and V without `compute_uv`."""

def tensordot(
    a: Tensor,
    b: Tensor,
    dims: _int | Tensor | Sequence[Sequence[_int]] = 2,
    out: Tensor | None = None,
) -> Tensor: ...
def triangular_solve(
    input: Tensor,
    A: Tensor,
    upper: _bool = True,
    transpose: _bool = False,
    unitriangular: _bool = False,
    *,
    out: Sequence[Tensor] | None = None,
) -> return_types.triangular_solve:
    """Return the solution for the right sides `self`, and a copy of `A`."""

def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inner product of two vectors."""

def all(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return whether all elements over `dim` are nonzero."""

def amax(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return the maximum over `dim`; elements that tie share the gradient."""

def amin(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return the minimum over `dim`; elements that tie share the gradient."""

def aminmax(
    input: Tensor,
    *,
    dim: _int | None = None,
    keepdim: _bool = False,
    out: Sequence[Tensor] | None = None,
) -> return_types.aminmax:
    """Return ``(min, max)`` over `dim`, or of all elements."""

def any(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return whether any element over `dim` is nonzero."""

def argmax(
    input: Tensor, dim: _int | None = None, keepdim: _bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Return where the maximum is, along `dim` or in the flattened tensor; the first of several."""

def argmin(
    input: Tensor, dim: _int | None = None, keepdim: _bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Return where the minimum is, along `dim` or in the flattened tensor; the first of several."""

def bincount(input: Tensor, weights: Tensor | None = None, minlength: _int = 0) -> Tensor:
    """Return how often each number from 0 on occurs, or the sum of its `weights`."""

def corrcoef(input: Tensor) -> Tensor:
    """Return the correlations of the rows of `self`, each the samples of one variable."""

def count_nonzero(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """Return how many elements over `dim` are not 0."""

def cov(
    input: Tensor,
    *,
    correction: _int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """Return the covariances of the rows of `self`, each the samples of one variable."""

def cummax(input: Tensor, dim: _int, *, out: Sequence[Tensor] | None = None) -> return_types.cummax:
    """Return ``(values, indices)`` of the largest element so far along `dim`, the last of several."""

def cummin(input: Tensor, dim: _int, *, out: Sequence[Tensor] | None = None) -> return_types.cummin:
    """Return ``(values, indices)`` of the smallest element so far along `dim`, the last of several."""

def cumprod(
    input: Tensor, dim: _int, *, dtype: _dtype | None = None, out: Tensor | None = None
) -> Tensor:
    """Return the running product along `dim`; integers multiply as int64."""

def cumsum(
    input: Tensor, dim: _int, *, dtype: _dtype | None = None, out: Tensor | None = None
) -> Tensor:
    """Return the running sum along `dim`; integers add up as int64."""

def diff(
    input: Tensor,
    n: _int = 1,
    dim: _int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return the differences of neighbours along `dim`, taken `n` times."""

def dist(input: Tensor, other: Tensor, p: Number = 2) -> Tensor:
    """Return the p-norm of ``self - other``."""

def histc(
    input: Tensor, bins: _int = 100, min: Number = 0, max: Number = 0, *, out: Tensor | None = None
) -> Tensor:
    """Return how many elements lie in each of `bins` equal intervals from `min` to `max`."""

@overload
def histogram(
    input: Tensor,
    bins: Tensor,
    *,
    weight: Tensor | None = None,
    density: _bool = False,
    out: Sequence[Tensor] | None = None,
) -> return_types.histogram:
    """Return ``(hist, bin_edges)``: how many elements lie in each bin."""

@overload
def histogram(
    input: Tensor,
    bins: _int = 100,
    *,
    range: Sequence[_float] | None = None,
    weight: Tensor | None = None,
    density: _bool = False,
    out: Sequence[Tensor] | None = None,
) -> return_types.histogram: ...
def kthvalue(
    input: Tensor,
    k: _int,
    dim: _int = -1,
    keepdim: _bool = False,
    *,
    out: Sequence[Tensor] | None = None,
) -> return_types.kthvalue:
    """Return ``(values, indices)`` of the `k`-th smallest element along `dim`, counted from 1."""

def logcumsumexp(input: Tensor, dim: _int, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithm of the running sum of exponentials along `dim`."""

def log_softmax(
    input: Tensor, dim: _int, dtype: _dtype | None = None, *, out: Tensor | None = None
) -> Tensor:
    """Return the logarithm of `softmax`, computed without taking it."""

def logsumexp(
    input: Tensor, dim: _int | Sequence[_int], keepdim: _bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Return the log of the sum of exponentials over `dim`, without overflow."""

@overload
def max(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the maximum of all; with a tensor the larger of each two; with `dim` also where it is."""

@overload
def max(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def max(
    input: Tensor, dim: _int, keepdim: _bool = False, *, out: Sequence[Tensor] | None = None
) -> return_types.max: ...
@overload
def mean(input: Tensor, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """Return the mean over `dim`."""

@overload
def mean(
    input: Tensor,
    dim: _int | Sequence[_int] | None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def median(input: Tensor) -> Tensor:
    """Return the middle element, the lower of two; with `dim` also where it is. NaN wins."""

@overload
def median(
    input: Tensor, dim: _int, keepdim: _bool = False, *, out: Sequence[Tensor] | None = None
) -> return_types.median: ...
@overload
def min(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the minimum of all; with a tensor the smaller of each two; with `dim` also where it is."""

@overload
def min(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def min(
    input: Tensor, dim: _int, keepdim: _bool = False, *, out: Sequence[Tensor] | None = None
) -> return_types.min: ...
def mode(
    input: Tensor, dim: _int = -1, keepdim: _bool = False, *, out: Sequence[Tensor] | None = None
) -> return_types.mode:
    """Return ``(values, indices)`` of the most frequent element along `dim`, the smallest of several."""

def nanmean(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the mean over `dim` of the elements that are not NaN."""

@overload
def nanmedian(input: Tensor) -> Tensor:
    """Return the middle element of those that are not NaN, the lower of two; with `dim` where it is."""

@overload
def nanmedian(
    input: Tensor, dim: _int, keepdim: _bool = False, *, out: Sequence[Tensor] | None = None
) -> return_types.nanmedian: ...
def nanquantile(
    input: Tensor,
    q: Tensor | _float,
    dim: _int | None = None,
    keepdim: _bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    """Return what `quantile` does, of the elements that are not NaN."""

def nansum(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the sum over `dim` of the elements that are not NaN."""

def norm(
    input: Tensor,
    p: _float | str | None = "fro",
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
) -> Tensor:
    """Return the p-norm over `dim`: the p-th root of the sum of absolute values to the power p."""

@overload
def prod(input: Tensor, *, dtype: _dtype | None = None) -> Tensor:
    """Return the product over `dim`; integers multiply as int64."""

@overload
def prod(
    input: Tensor,
    dim: _int,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def quantile(
    input: Tensor,
    q: Tensor | _float,
    dim: _int | None = None,
    keepdim: _bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    """Return the elements at the fractions `q` of the order along `dim`."""

def renorm(
    input: Tensor, p: Number, dim: _int, maxnorm: Number, *, out: Tensor | None = None
) -> Tensor:
    """Return `self` with each slice along `dim` scaled down to a p-norm of at most `maxnorm`."""

@overload
def std(
    input: Tensor,
    dim: _int | Sequence[_int] | None,
    unbiased: _bool = True,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return the standard deviation over `dim`."""

@overload
def std(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    *,
    correction: Number | None = None,
    keepdim: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def std(input: Tensor, unbiased: _bool = True) -> Tensor: ...
def softmax(
    input: Tensor, dim: _int, dtype: _dtype | None = None, *, out: Tensor | None = None
) -> Tensor:
    """Return exponentials that sum to 1 along `dim`."""

@overload
def std_mean(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    *,
    correction: _float | None = 1,
    keepdim: _bool = False,
) -> tuple[Tensor, Tensor]: ...
@overload
def std_mean(
    input: Tensor, dim: _int | Sequence[_int] | None, unbiased: _bool, keepdim: _bool = False
) -> tuple[Tensor, Tensor]: ...
@overload
def std_mean(input: Tensor, unbiased: _bool) -> tuple[Tensor, Tensor]: ...
@overload
def sum(input: Tensor, *, dtype: _dtype | None = None) -> Tensor:
    """Return the sum over `dim` (an int, several, or None for all); integers add up as int64."""

@overload
def sum(
    input: Tensor,
    dim: _int | Sequence[_int] | None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def trapz(y: Tensor, x: Tensor | None = None, *, dx: _float = 1, dim: _int = -1) -> Tensor:
    """Return the area under the points `y` along `dim`, by the trapezoid rule."""

@overload
def var(
    input: Tensor,
    dim: _int | Sequence[_int] | None,
    unbiased: _bool = True,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return the variance over `dim`; `correction` is taken off the count of elements."""

@overload
def var(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    *,
    correction: Number | None = None,
    keepdim: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def var(input: Tensor, unbiased: _bool = True) -> Tensor: ...
@overload
def var_mean(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    *,
    correction: _float | None = 1,
    keepdim: _bool = False,
) -> tuple[Tensor, Tensor]: ...
@overload
def var_mean(
    input: Tensor, dim: _int | Sequence[_int] | None, unbiased: _bool, keepdim: _bool = False
) -> tuple[Tensor, Tensor]: ...
@overload
def var_mean(input: Tensor, unbiased: _bool) -> tuple[Tensor, Tensor]: ...
def adjoint(input: Tensor) -> Tensor:
    """Return the view with the last two dimensions swapped."""

def as_strided(
    input: Tensor, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None
) -> Tensor:
    """Return a view of the memory under `self`: element `i` lies at ``offset + sum(i * stride)``."""

@overload
def atleast_1d(tensor: Tensor, /) -> Tensor: ...  # type: ignore[overload-overlap]
@overload
def atleast_1d(*tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]: ...
@overload
def atleast_2d(tensor: Tensor, /) -> Tensor: ...  # type: ignore[overload-overlap]
@overload
def atleast_2d(*tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]: ...
@overload
def atleast_3d(tensor: Tensor, /) -> Tensor: ...  # type: ignore[overload-overlap]
@overload
def atleast_3d(*tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]: ...
def broadcast_shapes(*shapes: _int | Sequence[_int]) -> Size: ...
def broadcast_tensors(*tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]: ...
def broadcast_to(input: Tensor, size: Sequence[_int]) -> Tensor:
    """Return `self` expanded to the shape `size`."""

def cartesian_prod(*tensors: Tensor) -> Tensor: ...
def diag(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """Return the diagonal of a matrix, or a matrix with this vector on its diagonal."""

def diag_embed(input: Tensor, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
    """Return zeros with the last dimension of `self` on the diagonal of two new ones."""

def diagflat(input: Tensor, offset: _int = 0) -> Tensor:
    """Return a matrix with the elements of `self`, flattened, on its diagonal."""

def diagonal(input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
    """Return a view of the elements ``i, i + offset`` of two dimensions, along a new last one."""

def flatten(input: Tensor, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
    """Return the dimensions from `start_dim` to `end_dim` rolled into one."""

def flip(input: Tensor, dims: Sequence[_int]) -> Tensor:
    """Return a copy with the order along `dims` reversed."""

def fliplr(input: Tensor) -> Tensor:
    """Return a copy with the columns (dimension 1) in reverse order."""

def flipud(input: Tensor) -> Tensor:
    """Return a copy with the rows (dimension 0) in reverse order."""

def meshgrid(
    *tensors: Tensor | Sequence[Tensor], indexing: str | None = None
) -> tuple[Tensor, ...]: ...
@overload
def moveaxis(input: Tensor, source: _int, destination: _int) -> Tensor:
    """Return a view with the dimensions `source` at the places `destination`, the others in order."""

@overload
def moveaxis(input: Tensor, source: Sequence[_int], destination: Sequence[_int]) -> Tensor: ...
@overload
def movedim(input: Tensor, source: _int, destination: _int) -> Tensor:
    """Return a view with the dimensions `source` at the places `destination`, the others in order."""

@overload
def movedim(input: Tensor, source: Sequence[_int], destination: Sequence[_int]) -> Tensor: ...
def permute(input: Tensor, dims: Sequence[_int]) -> Tensor:
    """Return a view with the dimensions in the order `dims`."""

def ravel(input: Tensor) -> Tensor:
    """Return the elements as a vector."""

@overload
def repeat_interleave(
    input: Tensor,
    repeats: Tensor | _int,
    dim: _int | None = None,
    *,
    output_size: _int | None = None,
) -> Tensor: ...
@overload
def repeat_interleave(repeats: Tensor, *, output_size: _int | None = None) -> Tensor: ...
def reshape(input: Tensor, shape: Sequence[_int]) -> Tensor:
    """Return the elements in another shape, sharing memory where possible; one size may be -1."""

def roll(
    input: Tensor, shifts: _int | Sequence[_int], dims: _int | Sequence[_int] | None = None
) -> Tensor:
    """Return a copy moved by `shifts` along `dims`; what leaves at the end comes in at the front."""

def rot90(input: Tensor, k: _int = 1, dims: Sequence[_int] = (0, 1)) -> Tensor:
    """Return a copy turned `k` times by 90 degrees in the plane of `dims`, from the first to the second."""

@overload
def squeeze(input: Tensor) -> Tensor:
    """Return a view without dimensions of length 1: all of them, or those in `dim`."""

@overload
def squeeze(input: Tensor, dim: _int | Sequence[_int]) -> Tensor: ...
def swapaxes(input: Tensor, axis0: _int, axis1: _int) -> Tensor:
    """Return a view with two dimensions swapped."""

def swapdims(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """Return a view with two dimensions swapped."""

def t(input: Tensor) -> Tensor:
    """Return the transpose of a matrix; a vector stays."""

def tile(input: Tensor, dims: Sequence[_int]) -> Tensor:
    """Return `self` laid side by side; missing counts at the front are 1."""

def trace(input: Tensor) -> Tensor:
    """Return the sum of the diagonal of a matrix."""

def transpose(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """Return a view with two dimensions swapped."""

def tril(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """Return what lies on or below a diagonal of the last two dimensions, and zeros above."""

def tril_indices(
    row: _int,
    col: _int,
    offset: _int = 0,
    *,
    dtype: _dtype | None = None,
    device: Device = None,
    layout: _layout | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def triu(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """Return what lies on or above a diagonal of the last two dimensions, and zeros below."""

def triu_indices(
    row: _int,
    col: _int,
    offset: _int = 0,
    *,
    dtype: _dtype | None = None,
    device: Device = None,
    layout: _layout | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def unflatten(input: Tensor, dim: _int, sizes: Sequence[_int]) -> Tensor:
    """Return `dim` unrolled into several dimensions."""

def unsqueeze(input: Tensor, dim: _int) -> Tensor:
    """Return a view with a dimension of length 1 put in at `dim`."""

@overload
def argsort(
    input: Tensor,
    *,
    stable: _bool,
    dim: _int = -1,
    descending: _bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return the indices that sort `self` along `dim`."""

@overload
def argsort(input: Tensor, dim: _int = -1, descending: _bool = False) -> Tensor: ...
def bucketize(
    input: Tensor | Number, boundaries: Tensor, *, out_int32: _bool = False, right: _bool = False
) -> Tensor: ...
def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the elements in order along the first dimension."""

def searchsorted(
    sorted_sequence: Tensor,
    input: Tensor | Number,
    *,
    out_int32: _bool = False,
    right: _bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor: ...
@overload
def sort(
    input: Tensor,
    *,
    stable: _bool | None,
    dim: _int = -1,
    descending: _bool = False,
    out: Sequence[Tensor] | None = None,
) -> return_types.sort:
    """Return ``(values, indices)`` in order along `dim`; NaN counts as the largest."""

@overload
def sort(
    input: Tensor, dim: _int = -1, descending: _bool = False, *, out: Sequence[Tensor] | None = None
) -> return_types.sort: ...
def topk(
    input: Tensor,
    k: _int,
    dim: _int = -1,
    largest: _bool = True,
    sorted: _bool = True,
    *,
    out: Sequence[Tensor] | None = None,
) -> return_types.topk:
    """Return ``(values, indices)`` of the `k` largest (or smallest) elements along `dim`, in order."""

@overload
def unique(
    input: Tensor,
    sorted: _bool = True,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    dim: _int | None = None,
) -> Tensor:
    """Return each different element (or slice along `dim`) once, in order."""

@overload
def unique(
    input: Tensor,
    sorted: _bool = True,
    return_inverse: _bool = False,
    return_counts: _bool = False,
    dim: _int | None = None,
) -> tuple[Tensor, ...]: ...
@overload
def unique_consecutive(
    input: Tensor,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    dim: _int | None = None,
) -> Tensor:
    """Return the elements (or slices along `dim`) that differ from the one before them."""

@overload
def unique_consecutive(
    input: Tensor,
    return_inverse: _bool = False,
    return_counts: _bool = False,
    dim: _int | None = None,
) -> tuple[Tensor, ...]: ...
def bartlett_window(
    window_length: _int,
    periodic: _bool = True,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def blackman_window(
    window_length: _int,
    periodic: _bool = True,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def hamming_window(
    window_length: _int,
    periodic: _bool = True,
    alpha: _float = 0.54,
    beta: _float = 0.46,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def hann_window(
    window_length: _int,
    periodic: _bool = True,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def kaiser_window(
    window_length: _int,
    periodic: _bool = True,
    beta: _float = 12.0,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...

class BoolTensor(Tensor): ...
class ByteTensor(Tensor): ...
class CharTensor(Tensor): ...
class DoubleTensor(Tensor): ...
class FloatTensor(Tensor): ...
class HalfTensor(Tensor): ...
class IntTensor(Tensor): ...
class LongTensor(Tensor): ...
class ShortTensor(Tensor): ...

def manual_seed(seed: _int) -> Generator: ...
def from_dlpack(ext_tensor: Any, *, device: Device = None, copy: _bool | None = None) -> Tensor: ...

rrelu = _rrelu

def hardshrink(input: Tensor, lambd: Number = 0.5, *, out: Tensor | None = None) -> Tensor:
    """Return `input` where it is outside of [-lambd, lambd], else 0."""

def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Return `input` where it is positive, else `input` times `weight`."""

adaptive_max_pool1d = _adaptive_max_pool1d

@overload
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Sequence[_int],
    target_lengths: Sequence[_int],
    blank: _int = 0,
    reduction: _int = ...,
    zero_infinity: _bool = False,
) -> Tensor: ...
@overload
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor,
    target_lengths: Tensor,
    blank: _int = 0,
    reduction: _int = ...,
    zero_infinity: _bool = False,
) -> Tensor: ...
def alpha_dropout(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def alpha_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def dropout(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def dropout_(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def feature_alpha_dropout(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def feature_alpha_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def feature_dropout(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def feature_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor: ...

cosine_embedding_loss = _cosine_embedding_loss
hinge_embedding_loss = _hinge_embedding_loss
margin_ranking_loss = _margin_ranking_loss
triplet_margin_loss = _triplet_margin_loss
batch_norm = _batch_norm
group_norm = _group_norm
instance_norm = _instance_norm
layer_norm = _layer_norm
max_pool1d = _max_pool1d
max_pool1d_with_indices = _max_pool1d_with_indices
max_pool2d = _max_pool2d
max_pool3d = _max_pool3d
binary_cross_entropy_with_logits = _binary_cross_entropy_with_logits
kl_div = _kl_div
poisson_nll_loss = _poisson_nll_loss

@overload
def gru(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
) -> tuple[Tensor, Tensor]: ...
@overload
def gru(
    input: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
    batch_first: _bool,
) -> tuple[Tensor, Tensor]: ...
@overload
def lstm(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Sequence[Tensor],
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def lstm(
    input: Tensor,
    hx: Sequence[Tensor],
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
    batch_first: _bool,
) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def rnn_relu(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
) -> tuple[Tensor, Tensor]: ...
@overload
def rnn_relu(
    input: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
    batch_first: _bool,
) -> tuple[Tensor, Tensor]: ...
@overload
def rnn_tanh(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
) -> tuple[Tensor, Tensor]: ...
@overload
def rnn_tanh(
    input: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
    batch_first: _bool,
) -> tuple[Tensor, Tensor]: ...

celu = _celu
selu = _selu
embedding = _embedding

@overload
def embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: _bool = False,
    mode: _int = 0,
    sparse: _bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: _bool = False,
) -> tuple[Tensor, Tensor, Tensor, Tensor]: ...
@overload
def embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: _bool,
    mode: _int,
    sparse: _bool,
    per_sample_weights: Tensor | None,
    include_last_offset: _bool,
    padding_idx: _int | None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]: ...
