"""Transforms of functions: derivatives, and batches. Source: https://docs.pytorch.org/docs/stable/func.html."""

from ._functional_call import functional_call, stack_module_state
from .transforms import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp
from .vmap import vmap
