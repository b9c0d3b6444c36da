"""Spectral normalisation: a weight divided by its largest singular value σ.

σ is followed, not computed: ``u`` and ``v``, the singular vectors that go with it, are kept from call to call,
and each call in training takes a step of the power iteration, ``v = Wᵀu / ‖Wᵀu‖`` and ``u = Wv / ‖Wv‖``; then
``σ = uᵀWv``. This older form works by a hook before each call; see also `parametrizations.spectral_norm`.

Source: Miyato et al., https://arxiv.org/abs/1802.05957
"""

from __future__ import annotations

from typing import Any, TypeVar

from ..._functions.matrices import dot, mv
from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad
from .. import functional as F
from ..modules import conv
from ..modules._state_dict import as_it_was
from ..modules.module import Module
from ..parameter import Parameter, UninitializedParameter

__all__ = [
    "SpectralNorm",
    "SpectralNormLoadStateDictPreHook",
    "SpectralNormStateDictHook",
    "remove_spectral_norm",
    "spectral_norm",
]

M = TypeVar("M", bound=Module)


class SpectralNorm:
    """The hook that computes ``module.weight`` from ``weight_orig``, ``weight_u`` and ``weight_v``.

    Args:
        name: of the weight.
        n_power_iterations: steps that are taken in each call in training.
        dim: the dimension of the outputs.
        eps: the least length that is divided by.

    Raises:
        ValueError: `n_power_iterations` is not positive.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.spectral_norm.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn.utils.spectral_norm import SpectralNorm
        >>> SpectralNorm(dim=1).reshape_weight_to_matrix(nbmodule.zeros(4, 5, 2)).shape
        nbmodule.Size([5, 8])
    """

    # Version 1 made u and v buffers, and W the weight before it is normalised. What was saved before, by
    # version None, holds no v: `SpectralNormLoadStateDictPreHook` finds it.
    _version: int = 1
    name: str
    dim: int
    n_power_iterations: int
    eps: float

    def __init__(self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:  # fmt: skip
        self.name = name
        self.dim = dim
        if n_power_iterations <= 0:
            raise ValueError(
                "Expected n_power_iterations to be positive, but got "
                f"n_power_iterations={n_power_iterations}"
            )
        self.n_power_iterations = n_power_iterations
        self.eps = eps

    def reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        """Return the weight as a matrix with a row for each output."""
        weight = _outputs_first(weight, self.dim)
        return weight.reshape(weight.size(0), -1)

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        """Return ``weight_orig / σ``; u and v change in place if `do_power_iteration`."""
        weight = getattr(module, self.name + "_orig")
        u = getattr(module, self.name + "_u")
        v = getattr(module, self.name + "_v")
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v = F.normalize(mv(matrix.t(), u), dim=0, eps=self.eps, out=v)
                    u = F.normalize(mv(matrix, v), dim=0, eps=self.eps, out=u)
                # The next call writes into the buffers, the gradient of this one needs the values of now.
                u, v = u.clone(), v.clone()
        sigma = dot(u, mv(matrix, v))
        return weight / sigma

    def remove(self, module: Module) -> None:
        """Make the weight a parameter again, of the value that it has."""
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for suffix in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + suffix)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Module, inputs: Any) -> None:
        """Set the weight of `module`; a forward pre-hook."""
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    def _solve_v_and_rescale(self, weight_mat: Tensor, u: Tensor, target_sigma: Tensor) -> Tensor:
        """Return v such that ``u = W v`` up to a factor, and ``uᵀWv`` is `target_sigma`."""
        from ...linalg import multi_dot

        inverse = weight_mat.t().mm(weight_mat).pinverse()
        v = multi_dot([inverse, weight_mat.t(), u.unsqueeze(1)]).squeeze(1)
        return v.mul_(target_sigma / dot(u, mv(weight_mat, v)))

    @staticmethod
    def apply(
        module: Module, name: str, n_power_iterations: int, dim: int, eps: float
    ) -> SpectralNorm:
        """Put ``<name>_orig``, u and v in the place of ``module.<name>``, and the hook before each call."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, SpectralNorm) and hook.name == name:
                raise RuntimeError(
                    f"Cannot register two spectral_norm hooks on the same parameter {name}"
                )
        fn = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        if isinstance(weight, UninitializedParameter):
            raise ValueError(
                "The module passed to `SpectralNorm` can't have uninitialized parameters. "
                "Make sure to run the dummy forward before applying spectral normalization"
            )
        with no_grad():
            h, w = fn.reshape_weight_to_matrix(weight).size()
            u = F.normalize(weight.new_empty(h).normal_(0, 1), dim=0, eps=fn.eps)
            v = F.normalize(weight.new_empty(w).normal_(0, 1), dim=0, eps=fn.eps)
        with as_it_was(module):
            delattr(module, fn.name)
            module.register_parameter(fn.name + "_orig", weight)
            # A plain tensor until the first call, for what looks at ``module.weight`` before.
            setattr(module, fn.name, weight.data)
            module.register_buffer(fn.name + "_u", u)
            module.register_buffer(fn.name + "_v", v)
            module.register_forward_pre_hook(fn)
            module._register_state_dict_hook(SpectralNormStateDictHook(fn))
            module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(fn))
        return fn


class SpectralNormLoadStateDictPreHook:
    """Before a state is loaded that has no version: compute the v that it lacks from W, w = W/σ and u.

    Args:
        fn: the `SpectralNorm` of the module.

    Example:
        >>> from nbmodule import nn
        >>> m = nn.utils.spectral_norm(nn.Linear(2, 2))
        >>> [type(hook.hook).__name__ for hook in m._load_state_dict_pre_hooks.values()]
        ['SpectralNormLoadStateDictPreHook']
    """

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(self, state_dict: dict[str, Any], prefix: str, local_metadata: dict[str, Any], strict: bool, missing_keys: list[str], unexpected_keys: list[str], error_msgs: list[str]) -> None:  # fmt: skip
        """Add v to `state_dict`, and take w out; a hook of `load_state_dict`."""
        fn = self.fn
        version = local_metadata.get("spectral_norm", {}).get(fn.name + ".version", None)
        if version is not None and version >= 1:
            return
        key = prefix + fn.name
        complete = all(key + suffix in state_dict for suffix in ("_orig", "_u", "_v"))
        if version is None and complete and key not in state_dict:
            return  # a new state whose versions were lost
        missing = [key + suffix for suffix in ("_orig", "", "_u") if key + suffix not in state_dict]
        if missing:
            missing_keys.extend(missing if strict else ())
            return
        with no_grad():
            original = state_dict[key + "_orig"]
            sigma = (original / state_dict.pop(key)).mean()
            matrix = fn.reshape_weight_to_matrix(original)
            state_dict[key + "_v"] = fn._solve_v_and_rescale(matrix, state_dict[key + "_u"], sigma)


class SpectralNormStateDictHook:
    """After a state was taken: write the version of `SpectralNorm` into its metadata.

    Args:
        fn: the `SpectralNorm` of the module.

    Example:
        >>> from nbmodule import nn
        >>> m = nn.utils.spectral_norm(nn.Linear(2, 2))
        >>> m.state_dict()._metadata[""]["spectral_norm"]
        {'weight.version': 1}
    """

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(self, module: Module, state_dict: dict[str, Any], prefix: str, local_metadata: dict[str, Any]) -> None:  # fmt: skip
        """Add the version to `local_metadata`; a hook of `state_dict`."""
        versions = local_metadata.setdefault("spectral_norm", {})
        key = self.fn.name + ".version"
        if key in versions:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        versions[key] = self.fn._version


def spectral_norm(module: M, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None) -> M:  # fmt: skip
    """Divide a weight by its largest singular value, so that the layer stretches no input.

    In the place of the parameter ``weight`` the module gets ``weight_orig`` and the buffers ``weight_u`` and
    ``weight_v``; a hook computes ``weight`` before each call.

    Args:
        module: is changed, and returned.
        name: of the weight, a matrix after `dim` is moved to the front and the others are joined.
        n_power_iterations: steps towards the singular value that are taken in each call in training.
        eps: the least length that is divided by.
        dim: the dimension of the outputs; by default 1 for transposed convolutions, and 0 else.

    Raises:
        RuntimeError: the weight is normalised already.
        ValueError: `n_power_iterations` is not positive, or the weight has no values.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.spectral_norm.html

    Example:
        >>> import nbmodule
        >>> m = nbmodule.nn.utils.spectral_norm(nbmodule.nn.Linear(20, 40))
        >>> m.weight_u.shape, m.weight_v.shape
        (nbmodule.Size([40]), nbmodule.Size([20]))
        >>> for _ in range(50):
        ...     y = m(nbmodule.zeros(20))
        >>> round(nbmodule.linalg.svdvals(m.weight)[0].item(), 1)
        1.0
    """
    SpectralNorm.apply(module, name, n_power_iterations, _output_dim(module, dim), eps)
    return module


def _outputs_first(weight: Tensor, dim: int) -> Tensor:
    """Return `weight` with the dimension `dim`, that of the outputs, in front."""
    rest = [d for d in range(weight.dim()) if d != dim]
    return weight if dim == 0 else weight.permute(dim, *rest)


def _output_dim(module: Module, dim: int | None) -> int:
    if dim is not None:
        return dim
    transposed = (conv.ConvTranspose1d, conv.ConvTranspose2d, conv.ConvTranspose3d)
    return 1 if isinstance(module, transposed) else 0


def remove_spectral_norm(module: M, name: str = "weight") -> M:
    """Undo `spectral_norm`; the weight keeps the value that it has.

    Args:
        module: is changed, and returned.
        name: of the weight.

    Raises:
        ValueError: the weight is not normalised.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.remove_spectral_norm.html

    Example:
        >>> from nbmodule import nn
        >>> m = nn.utils.spectral_norm(nn.Linear(2, 3))
        >>> [name for name, _ in nn.utils.remove_spectral_norm(m).named_parameters()]
        ['bias', 'weight']
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            break
    else:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    _delete_hook(module._state_dict_hooks, SpectralNormStateDictHook, name)
    _delete_hook(module._load_state_dict_pre_hooks, SpectralNormLoadStateDictPreHook, name)
    return module


def _delete_hook(hooks: Any, kind: type, name: str) -> None:
    """Delete the first hook of class `kind` that belongs to the weight `name`."""
    for key, hook in hooks.items():
        hook = getattr(hook, "hook", hook)  # loading wraps its hooks
        if isinstance(hook, kind) and hook.fn.name == name:
            del hooks[key]
            return
