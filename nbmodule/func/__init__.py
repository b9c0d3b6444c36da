"""Transforms of functions: derivatives, and batches. Source: https://docs.pytorch.org/docs/stable/func.html."""

from ._functional_call import (
    functional_call as functional_call,
    stack_module_state as stack_module_state,
)
from .transforms import (
    grad as grad,
    grad_and_value as grad_and_value,
    hessian as hessian,
    jacfwd as jacfwd,
    jacrev as jacrev,
    jvp as jvp,
    vjp as vjp,
)
from .vmap import vmap as vmap
