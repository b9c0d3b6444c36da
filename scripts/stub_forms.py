"""Signatures that `make_stubs.py` cannot read off the table of PyTorch's signatures or the source.

They are the lines of a stub, without their final ``...``. Two lines of one name are two forms of it. The types
of the stubs are written `_int`, `_float`, `_bool`: in `nbmodule`, `int` is a dtype, and in `Tensor` a method.
"""

OPTIONS = "dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False"
NEW = f"out: Tensor | None = None, {OPTIONS}"
LIKE = f"{OPTIONS}, memory_format: _memory_format | None = None"
DRAWN = f"generator: Generator | None = None, {NEW}"
DRAWN_LIKE = f"generator: Generator | None = None, {LIKE}"
DIM = "dim: _int | Sequence[_int] | None = None"
SPREAD = "keepdim: _bool = False, *, correction: _float | None = 1"

FUNCTIONS = f"""
def arange(end: Number, *, {NEW}) -> Tensor
def arange(start: Number, end: Number, step: Number = 1, *, {NEW}) -> Tensor
def as_tensor(data: Any, dtype: _dtype | None = None, device: Device = None) -> Tensor
def asarray(obj: Any, *, dtype: _dtype | None = None, device: Device = None, copy: _bool | None = None, requires_grad: _bool | None = None) -> Tensor
def atleast_1d(tensor: Tensor, /) -> Tensor  # type: ignore[overload-overlap]
def atleast_1d(*tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]
def atleast_2d(tensor: Tensor, /) -> Tensor  # type: ignore[overload-overlap]
def atleast_2d(*tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]
def atleast_3d(tensor: Tensor, /) -> Tensor  # type: ignore[overload-overlap]
def atleast_3d(*tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]
def bartlett_window(window_length: _int, periodic: _bool = True, *, {OPTIONS}) -> Tensor
def blackman_window(window_length: _int, periodic: _bool = True, *, {OPTIONS}) -> Tensor
def hamming_window(window_length: _int, periodic: _bool = True, alpha: _float = 0.54, beta: _float = 0.46, *, {OPTIONS}) -> Tensor
def hann_window(window_length: _int, periodic: _bool = True, *, {OPTIONS}) -> Tensor
def kaiser_window(window_length: _int, periodic: _bool = True, beta: _float = 12.0, *, {OPTIONS}) -> Tensor
def clone(input: Tensor, *, memory_format: _memory_format | None = None) -> Tensor
def block_diag(*tensors: Tensor) -> Tensor
def broadcast_shapes(*shapes: _int | Sequence[_int]) -> Size
def broadcast_tensors(*tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]
def bucketize(input: Tensor | Number, boundaries: Tensor, *, out_int32: _bool = False, right: _bool = False) -> Tensor
def cartesian_prod(*tensors: Tensor) -> Tensor
def einsum(equation: str, *operands: Tensor | Sequence[Tensor]) -> Tensor
def einsum(operand: Tensor, sublist: Sequence[Any], *operands_and_sublists: Tensor | Sequence[Any]) -> Tensor
def empty(size: Sequence[_int], *, memory_format: _memory_format | None = None, {NEW}) -> Tensor
def empty(*size: _int, memory_format: _memory_format | None = None, {NEW}) -> Tensor
def empty_like(input: Tensor, *, {LIKE}) -> Tensor
def empty_permuted(size: Sequence[_int], physical_layout: Sequence[_int], *, {OPTIONS}) -> Tensor
def empty_strided(size: Sequence[_int], stride: Sequence[_int], *, {OPTIONS}) -> Tensor
def eye(n: _int, *, {NEW}) -> Tensor
def eye(n: _int, m: _int, *, {NEW}) -> Tensor
def fill(input: Tensor, value: Tensor | Number) -> Tensor
def fill_(input: Tensor, value: Tensor | Number) -> Tensor
def flip(input: Tensor, dims: Sequence[_int]) -> Tensor
def from_dlpack(ext_tensor: Any, *, device: Device = None, copy: _bool | None = None) -> Tensor
def from_numpy(ndarray: np.ndarray) -> Tensor
def frombuffer(buffer: Any, *, dtype: _dtype, count: _int = -1, offset: _int = 0, requires_grad: _bool = False) -> Tensor
def full(size: Sequence[_int], fill_value: Number, *, {NEW}) -> Tensor
def full_like(input: Tensor, fill_value: Number, *, {LIKE}) -> Tensor
def gradient(input: Tensor, *, spacing: Number | Sequence[Number] | Sequence[Tensor] | None = None, dim: _int | Sequence[_int] | None = None, edge_order: _int = 1) -> tuple[Tensor, ...]
def linspace(start: Tensor | Number, end: Tensor | Number, steps: _int, *, {NEW}) -> Tensor
def logspace(start: Tensor | Number, end: Tensor | Number, steps: _int, base: _float = 10.0, *, {NEW}) -> Tensor
def lu(A: Tensor, pivot: _bool = True, get_infos: Literal[False] = False) -> tuple[Tensor, Tensor]
def lu(A: Tensor, pivot: _bool = True, *, get_infos: Literal[True]) -> tuple[Tensor, Tensor, Tensor]
def lu(A: Tensor, pivot: _bool = True, get_infos: _bool = False) -> tuple[Tensor, ...]
def manual_seed(seed: _int) -> Generator
def meshgrid(*tensors: Tensor | Sequence[Tensor], indexing: str | None = None) -> tuple[Tensor, ...]
def nonzero(input: Tensor, *, as_tuple: Literal[False] = False, out: Tensor | None = None) -> Tensor
def nonzero(input: Tensor, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]
def norm(input: Tensor, p: _float | str | None = "fro", {DIM}, keepdim: _bool = False, out: Tensor | None = None, dtype: _dtype | None = None) -> Tensor
def normal(mean: Tensor, std: Tensor | _float = 1.0, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor
def normal(mean: _float, std: Tensor, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor
def normal(mean: _float, std: _float, size: Sequence[_int], *, {DRAWN}) -> Tensor
def ones(size: Sequence[_int], *, {NEW}) -> Tensor
def ones(*size: _int, {NEW}) -> Tensor
def ones_like(input: Tensor, *, {LIKE}) -> Tensor
def rand(size: Sequence[_int], *, {DRAWN}) -> Tensor
def rand(*size: _int, {DRAWN}) -> Tensor
def rand_like(input: Tensor, *, {DRAWN_LIKE}) -> Tensor
def randint(high: _int, size: Sequence[_int], *, {DRAWN}) -> Tensor
def randint(low: _int, high: _int, size: Sequence[_int], *, {DRAWN}) -> Tensor
def randint_like(input: Tensor, high: Tensor | _int, *, {DRAWN_LIKE}) -> Tensor
def randint_like(input: Tensor, low: Tensor | _int, high: Tensor | _int, *, {DRAWN_LIKE}) -> Tensor
def randn(size: Sequence[_int], *, {DRAWN}) -> Tensor
def randn(*size: _int, {DRAWN}) -> Tensor
def randn_like(input: Tensor, *, {DRAWN_LIKE}) -> Tensor
def randperm(n: _int, *, {DRAWN}) -> Tensor
def range(end: Number, *, {NEW}) -> Tensor
def range(start: Number, end: Number, step: Number = 1, *, {NEW}) -> Tensor
def reshape(input: Tensor, shape: Sequence[_int]) -> Tensor
def result_type(tensor1: Tensor | Number, tensor2: Tensor | Number) -> _dtype
def scalar_tensor(s: Number, *, {NEW}) -> Tensor
def searchsorted(sorted_sequence: Tensor, input: Tensor | Number, *, out_int32: _bool = False, right: _bool = False, side: str | None = None, sorter: Tensor | None = None) -> Tensor
def set_default_device(device: Device) -> None
def spmm(input: Tensor, mat2: Tensor) -> Tensor
def std_mean(input: Tensor, dim: _int | Sequence[_int] | None = None, *, correction: _float | None = 1, keepdim: _bool = False) -> tuple[Tensor, Tensor]
def std_mean(input: Tensor, dim: _int | Sequence[_int] | None, unbiased: _bool, keepdim: _bool = False) -> tuple[Tensor, Tensor]
def std_mean(input: Tensor, unbiased: _bool) -> tuple[Tensor, Tensor]
def tensor(data: Any, *, dtype: _dtype | None = None, device: Device = None, requires_grad: _bool = False, pin_memory: _bool = False) -> Tensor
def tensordot(a: Tensor, b: Tensor, dims: _int | Tensor | Sequence[Sequence[_int]] = 2, out: Tensor | None = None) -> Tensor
def tile(input: Tensor, dims: Sequence[_int]) -> Tensor
def tril_indices(row: _int, col: _int, offset: _int = 0, *, dtype: _dtype | None = None, device: Device = None, layout: _layout | None = None, requires_grad: _bool = False) -> Tensor
def triu_indices(row: _int, col: _int, offset: _int = 0, *, dtype: _dtype | None = None, device: Device = None, layout: _layout | None = None, requires_grad: _bool = False) -> Tensor
def unique(input: Tensor, sorted: _bool = True, return_inverse: Literal[False] = False, return_counts: Literal[False] = False, dim: _int | None = None) -> Tensor
def unique(input: Tensor, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None) -> tuple[Tensor, ...]
def unique_consecutive(input: Tensor, return_inverse: Literal[False] = False, return_counts: Literal[False] = False, dim: _int | None = None) -> Tensor
def unique_consecutive(input: Tensor, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None) -> tuple[Tensor, ...]
def var_mean(input: Tensor, dim: _int | Sequence[_int] | None = None, *, correction: _float | None = 1, keepdim: _bool = False) -> tuple[Tensor, Tensor]
def var_mean(input: Tensor, dim: _int | Sequence[_int] | None, unbiased: _bool, keepdim: _bool = False) -> tuple[Tensor, Tensor]
def var_mean(input: Tensor, unbiased: _bool) -> tuple[Tensor, Tensor]
def where(condition: Tensor) -> tuple[Tensor, ...]
def where(condition: Tensor, input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor
def zeros(size: Sequence[_int], *, {NEW}) -> Tensor
def zeros(*size: _int, {NEW}) -> Tensor
def zeros_like(input: Tensor, *, {LIKE}) -> Tensor
def alias_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor
def as_strided_copy(input: Tensor, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None, *, out: Tensor | None = None) -> Tensor
def detach_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor
def diagonal_copy(input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1, *, out: Tensor | None = None) -> Tensor
def expand_copy(input: Tensor, size: Sequence[_int], *, implicit: _bool = False, out: Tensor | None = None) -> Tensor
def permute_copy(input: Tensor, dims: Sequence[_int], *, out: Tensor | None = None) -> Tensor
def select_copy(input: Tensor, dim: _int, index: _int, *, out: Tensor | None = None) -> Tensor
def slice_copy(input: Tensor, dim: _int = 0, start: _int | None = None, end: _int | None = None, step: _int = 1, *, out: Tensor | None = None) -> Tensor
def split_copy(input: Tensor, split_size: _int, dim: _int = 0, *, out: Sequence[Tensor] | None = None) -> tuple[Tensor, ...]
def split_with_sizes_copy(input: Tensor, split_sizes: Sequence[_int], dim: _int = 0, *, out: Sequence[Tensor] | None = None) -> tuple[Tensor, ...]
def squeeze_copy(input: Tensor, dim: _int | Sequence[_int] = ..., *, out: Tensor | None = None) -> Tensor
def t_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor
def transpose_copy(input: Tensor, dim0: _int, dim1: _int, *, out: Tensor | None = None) -> Tensor
def unbind_copy(input: Tensor, dim: _int = 0, *, out: Sequence[Tensor] | None = None) -> tuple[Tensor, ...]
def unfold_copy(input: Tensor, dimension: _int, size: _int, step: _int, *, out: Tensor | None = None) -> Tensor
def unsqueeze_copy(input: Tensor, dim: _int, *, out: Tensor | None = None) -> Tensor
def view_copy(input: Tensor, size: Sequence[_int], *, out: Tensor | None = None) -> Tensor
def view_copy(input: Tensor, dtype: _dtype, *, out: Tensor | None = None) -> Tensor
def is_tensor(obj: object) -> TypeIs[Tensor]
"""

WINDOW = "input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False"
ADAPTED = "input: Tensor, output_size: _int | Sequence[_int | None] | None"
AT_RANDOM = "input: Tensor, kernel_size: _int | Sequence[_int], output_size: _int | Sequence[_int] | None = None, output_ratio: _float | Sequence[_float] | None = None"
POOLS = {
    **{f"max_pool{n}d": (WINDOW, "") for n in (1, 2, 3)},
    **{f"adaptive_max_pool{n}d": (ADAPTED, "") for n in (1, 2, 3)},
    **{
        f"fractional_max_pool{n}d": (AT_RANDOM, ", _random_samples: Tensor | None = None")
        for n in (2, 3)
    },
}
FUNCTIONAL = "\n".join(
    f"def {name}({first}, return_indices: {asked} = False{last}) -> {result}"
    for name, (first, last) in POOLS.items()
    for asked, result in (("Literal[False]", "Tensor"), ("_bool", "tuple[Tensor, Tensor]"))
)

SIZES = "size: Sequence[_int], /"
METHODS = f"""
def __init__(self, *data: Any, **named: Any) -> None
def __abs__(self) -> Tensor
def __add__(self, other: Tensor | Number) -> Tensor
def __and__(self, other: Tensor | Number) -> Tensor
def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray
def __bool__(self) -> _bool
def __complex__(self) -> complex
def __contains__(self, element: Any, /) -> _bool
def __deepcopy__(self, memo: dict[_int, Any]) -> Self
def __delitem__(self, key: Index, /) -> None
def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Any = None) -> Any
def __dlpack_device__(self) -> tuple[Any, _int]
def __eq__(self, other: Any, /) -> Tensor  # type: ignore[override]
def __float__(self) -> _float
def __floordiv__(self, other: Tensor | Number) -> Tensor
def __ge__(self, other: Tensor | Number) -> Tensor
def __getitem__(self, key: Index, /) -> Tensor
def __gt__(self, other: Tensor | Number) -> Tensor
def __hash__(self) -> _int
def __iadd__(self, other: Tensor | Number) -> Self
def __iand__(self, other: Tensor | Number) -> Self
def __ifloordiv__(self, other: Tensor | Number) -> Self
def __ilshift__(self, other: Tensor | Number) -> Self
def __imod__(self, other: Tensor | Number) -> Self
def __imul__(self, other: Tensor | Number) -> Self
def __index__(self) -> _int
def __int__(self) -> _int
def __invert__(self) -> Tensor
def __ior__(self, other: Tensor | Number) -> Self
def __ipow__(self, other: Tensor | Number) -> Self
def __irshift__(self, other: Tensor | Number) -> Self
def __isub__(self, other: Tensor | Number) -> Self
def __iter__(self) -> Iterator[Tensor]
def __itruediv__(self, other: Tensor | Number) -> Self
def __ixor__(self, other: Tensor | Number) -> Self
def __le__(self, other: Tensor | Number) -> Tensor
def __len__(self) -> _int
def __lshift__(self, other: Tensor | Number) -> Tensor
def __lt__(self, other: Tensor | Number) -> Tensor
def __matmul__(self, other: Tensor) -> Tensor
def __mod__(self, other: Tensor | Number) -> Tensor
def __mul__(self, other: Tensor | Number) -> Tensor
def __ne__(self, other: Any, /) -> Tensor  # type: ignore[override]
def __neg__(self) -> Tensor
def __nonzero__(self) -> _bool
def __or__(self, other: Tensor | Number) -> Tensor
def __pos__(self) -> Tensor
def __pow__(self, other: Tensor | Number) -> Tensor
def __radd__(self, other: Tensor | Number) -> Tensor
def __rand__(self, other: Tensor | Number) -> Tensor
def __repr__(self, *, tensor_contents: Any = None) -> str
def __reversed__(self) -> Tensor
def __rfloordiv__(self, other: Tensor | Number) -> Tensor
def __rlshift__(self, other: Tensor | Number) -> Tensor
def __rmatmul__(self, other: Tensor) -> Tensor
def __rmod__(self, other: Tensor | Number) -> Tensor
def __rmul__(self, other: Tensor | Number) -> Tensor
def __ror__(self, other: Tensor | Number) -> Tensor
def __rpow__(self, other: Tensor | Number) -> Tensor
def __rrshift__(self, other: Tensor | Number) -> Tensor
def __rshift__(self, other: Tensor | Number) -> Tensor
def __rsub__(self, other: Tensor | Number) -> Tensor
def __rtruediv__(self, other: Tensor | Number) -> Tensor
def __rxor__(self, other: Tensor | Number) -> Tensor
def __setitem__(self, key: Index, value: Tensor | Number, /) -> None
def __sub__(self, other: Tensor | Number) -> Tensor
def __truediv__(self, other: Tensor | Number) -> Tensor
def __xor__(self, other: Tensor | Number) -> Tensor
def _is_view(self) -> _bool
def apply_(self, callable: Callable[[Any], Any]) -> Self
def as_strided_(self, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None) -> Self
def as_subclass(self, cls: type[_T]) -> _T
def backward(self, gradient: Tensor | None = None, retain_graph: _bool | None = None, create_graph: _bool = False, inputs: Tensor | Sequence[Tensor] | None = None) -> None
def bool(self, memory_format: _memory_format | None = None) -> Tensor
def bernoulli(self, p: _float | None = None, *, generator: Generator | None = None) -> Tensor
def byte(self, memory_format: _memory_format | None = None) -> Tensor
def char(self, memory_format: _memory_format | None = None) -> Tensor
def clone(self, *, memory_format: _memory_format | None = None) -> Tensor
def copy_(self, other: Tensor | Number, non_blocking: _bool = False) -> Self
def cpu(self, memory_format: _memory_format | None = None) -> Tensor
def cuda(self, device: Device = None, non_blocking: _bool = False, memory_format: _memory_format | None = None) -> Tensor
def detach_(self) -> Self
def dim_order(self, *, ambiguity_check: _bool | Sequence[Any] = False) -> tuple[_int, ...]
def double(self, memory_format: _memory_format | None = None) -> Tensor
def expand({"self, " + SIZES}) -> Tensor
def expand(self, *size: _int) -> Tensor
def fill_(self, value: Tensor | Number) -> Self
def flip(self, dims: Sequence[_int], /) -> Tensor
def flip(self, *dims: _int) -> Tensor
def float(self, memory_format: _memory_format | None = None) -> Tensor
def half(self, memory_format: _memory_format | None = None) -> Tensor
def int(self, memory_format: _memory_format | None = None) -> Tensor
def item(self) -> Any
def long(self, memory_format: _memory_format | None = None) -> Tensor
def lu(self, pivot: _bool = True, get_infos: Literal[False] = False) -> tuple[Tensor, Tensor]
def lu(self, pivot: _bool = True, *, get_infos: Literal[True]) -> tuple[Tensor, Tensor, Tensor]
def lu(self, pivot: _bool = True, get_infos: _bool = False) -> tuple[Tensor, ...]
def map_(self, tensor: Tensor, callable: Callable[[Any, Any], Any]) -> Self
def new(self, *args: Any, **kwargs: Any) -> Tensor
def new_empty(self, size: Sequence[_int], *, {OPTIONS}) -> Tensor
def new_empty(self, *size: _int, {OPTIONS}) -> Tensor
def new_empty_strided(self, size: Sequence[_int], stride: Sequence[_int], *, {OPTIONS}) -> Tensor
def new_full(self, size: Sequence[_int], fill_value: Number, *, {OPTIONS}) -> Tensor
def new_ones(self, size: Sequence[_int], *, {OPTIONS}) -> Tensor
def new_ones(self, *size: _int, {OPTIONS}) -> Tensor
def new_tensor(self, data: Any, *, {OPTIONS}) -> Tensor
def new_zeros(self, size: Sequence[_int], *, {OPTIONS}) -> Tensor
def new_zeros(self, *size: _int, {OPTIONS}) -> Tensor
def nonzero(self, *, as_tuple: Literal[False] = False) -> Tensor
def nonzero(self, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]
def norm(self, p: _float | str | None = "fro", {DIM}, keepdim: _bool = False, dtype: _dtype | None = None) -> Tensor
def numpy(self, *, force: _bool = False) -> np.ndarray
def permute(self, dims: Sequence[_int]) -> Tensor
def permute(self, *dims: _int) -> Tensor
def pin_memory(self, device: Device = None) -> Tensor
def random_(self, *, generator: Generator | None = None) -> Self
def random_(self, to: _int, *, generator: Generator | None = None) -> Self
def random_(self, from_: _int, to: _int | None, /, *, generator: Generator | None = None) -> Self
def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle
def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle
def repeat(self, repeats: Sequence[_int], /) -> Tensor
def repeat(self, *repeats: _int) -> Tensor
def requires_grad_(self, requires_grad: _bool = True) -> Self
def reshape(self, shape: Sequence[_int], /) -> Tensor
def reshape(self, *shape: _int) -> Tensor
def resize_({"self, " + SIZES}, *, memory_format: _memory_format | None = None) -> Self
def resize_(self, *size: _int, memory_format: _memory_format | None = None) -> Self
def resize_as_(self, the_template: Tensor, *, memory_format: _memory_format | None = None) -> Self
def retain_grad(self) -> None
def set_(self, source: Any = None, storage_offset: _int = 0, size: Sequence[_int] | None = None, stride: Sequence[_int] | None = None) -> Self
def short(self, memory_format: _memory_format | None = None) -> Tensor
def size(self, dim: None = None) -> Size
def size(self, dim: _int) -> _int
def split(self, split_size: _int | Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]
def storage(self) -> TypedStorage
def stride(self, dim: None = None) -> tuple[_int, ...]
def stride(self, dim: _int) -> _int
def sum_to_size({"self, " + SIZES}) -> Tensor
def sum_to_size(self, *size: _int) -> Tensor
def tile(self, dims: Sequence[_int], /) -> Tensor
def tile(self, *dims: _int) -> Tensor
def to(self, dtype: _dtype, non_blocking: _bool = False, copy: _bool = False, *, memory_format: _memory_format | None = None) -> Tensor
def to(self, device: Device = None, dtype: _dtype | None = None, non_blocking: _bool = False, copy: _bool = False, *, memory_format: _memory_format | None = None) -> Tensor
def to(self, other: Tensor, non_blocking: _bool = False, copy: _bool = False, *, memory_format: _memory_format | None = None) -> Tensor
def to_dense(self) -> Tensor
def tolist(self) -> Any
def type(self, dtype: None = None, non_blocking: _bool = False) -> str
def type(self, dtype: str | _dtype | type[Any], non_blocking: _bool = False) -> Tensor
def type_as(self, other: Tensor) -> Tensor
def uniform_(self, from_: _float = 0.0, to: _float = 1.0, /, *, generator: Generator | None = None) -> Self
def uniform_(self, *, to: _float = 1.0, generator: Generator | None = None) -> Self
def unique(self, sorted: _bool = True, return_inverse: Literal[False] = False, return_counts: Literal[False] = False, dim: _int | None = None) -> Tensor
def unique(self, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None) -> tuple[Tensor, ...]
def unique_consecutive(self, return_inverse: Literal[False] = False, return_counts: Literal[False] = False, dim: _int | None = None) -> Tensor
def unique_consecutive(self, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None) -> tuple[Tensor, ...]
def untyped_storage(self) -> UntypedStorage
def view(self, shape: Sequence[_int], /) -> Tensor
def view(self, *shape: _int) -> Tensor
def view(self, dtype: _dtype) -> Tensor
"""

RESULTS = {
    "bool": "allclose equal is_contiguous",
    "int": "data_ptr",
    "tuple[Tensor, Tensor, Tensor]": "lstm",
    "tuple[Tensor, Tensor, Tensor, Tensor]": "embedding_bag",
    "tuple[Tensor, ...]": "broadcast_tensors chunk dsplit hsplit split_with_sizes tensor_split unbind unsafe_chunk unsafe_split unsafe_split_with_sizes vsplit",
}
"""The results of functions that return no tensor, where the source does not say it."""

BY_DIM = "max median min nanmedian"
"""Functions that return a tuple with names where a dimension is given."""
