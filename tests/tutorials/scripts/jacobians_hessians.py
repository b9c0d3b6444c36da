"""Jacobians, Hessians, hvp and vhp: row by row, by autograd.functional and by torch.func."""

import torch
import torch.nn.functional as F
from torch.func import hessian, jacfwd, jacrev, jvp, vjp, vmap

torch.manual_seed(0)


def predict(weight, bias, x):
    return F.linear(x, weight, bias).tanh()


D = 4
weight = torch.randn(D, D)
bias = torch.randn(D)
x = torch.randn(D)

xp = x.clone().requires_grad_()
unit_vectors = torch.eye(D)


def compute_jac(xp):
    jacobian_rows = [
        torch.autograd.grad(predict(weight, bias, xp), xp, vec)[0] for vec in unit_vectors
    ]
    return torch.stack(jacobian_rows)


jacobian = compute_jac(xp)
print(jacobian.shape)
print(jacobian[0])
ft_jacobian = jacrev(predict, argnums=2)(weight, bias, x)
print(torch.allclose(ft_jacobian, jacobian))
print(torch.allclose(jacfwd(predict, argnums=2)(weight, bias, x), jacobian))
_, vjp_fn = vjp(lambda x: predict(weight, bias, x), x)
(by_vmap,) = vmap(vjp_fn)(unit_vectors)
print(torch.allclose(by_vmap, jacobian))
print(torch.autograd.functional.jacobian(lambda x: predict(weight, bias, x), x))

hess_api = hessian(predict, argnums=2)(weight, bias, x)
hess_rev = jacrev(jacrev(predict, argnums=2), argnums=2)(weight, bias, x)
print(hess_api.shape, torch.allclose(hess_api, hess_rev, atol=1e-6))


def f(x):
    return x.sin().sum()


def hvp(f, primals, tangents):
    return jvp(lambda x: torch.func.grad(f)(x), primals, tangents)[1]


tangent = torch.randn(D)
print(hvp(f, (x,), (tangent,)), -x.sin() * tangent)
print(torch.autograd.functional.hvp(f, x, tangent)[1])
print(torch.autograd.functional.vhp(f, x, tangent)[1])


def pow_adder_reducer(x, y):
    return (2 * x.pow(2) + 3 * y.pow(2)).sum()


inputs = (torch.rand(2), torch.rand(2))
print(torch.autograd.functional.hessian(pow_adder_reducer, inputs))
print(torch.autograd.functional.hessian(lambda x: x.pow(3).sum(), torch.ones(2), create_graph=True))
print(torch.autograd.functional.jvp(lambda x: x.exp().sum(dim=1), torch.eye(2), torch.ones(2, 2)))
batch = torch.randn(3, D)
print(vmap(jacrev(predict, argnums=2), in_dims=(None, None, 0))(weight, bias, batch).shape)
