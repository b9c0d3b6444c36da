"""Double backward with custom functions: what may be saved, and how to see that it is right."""

import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, grad_out):
        (x,) = ctx.saved_tensors
        return grad_out * 2 * x


x = torch.tensor([0.5, -1.0, 2.0], requires_grad=True, dtype=torch.double)
print(torch.autograd.gradcheck(Square.apply, x))
print(torch.autograd.gradgradcheck(Square.apply, x))


class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        result = torch.exp(x)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_out):
        (result,) = ctx.saved_tensors
        return result * grad_out


print(torch.autograd.gradcheck(Exp.apply, x), torch.autograd.gradgradcheck(Exp.apply, x))


class Sinh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        expx = torch.exp(x)
        expnegx = torch.exp(-x)
        ctx.save_for_backward(expx, expnegx)
        return (expx - expnegx) / 2, expx, expnegx

    @staticmethod
    def backward(ctx, grad_out, _grad_out_exp, _grad_out_negexp):
        expx, expnegx = ctx.saved_tensors
        grad_input = grad_out * (expx + expnegx) / 2
        grad_input = grad_input + _grad_out_exp * expx
        return grad_input - _grad_out_negexp * expnegx


def sinh(x):
    return Sinh.apply(x)[0]


print(torch.autograd.gradcheck(sinh, x), torch.autograd.gradgradcheck(sinh, x))
out = sinh(x)
(grad_x,) = torch.autograd.grad(out.sum(), x, create_graph=True)
(grad_x2,) = torch.autograd.grad(grad_x.sum(), x)
print(grad_x, grad_x2)


class SinhBad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.expx = torch.exp(x)
        ctx.expnegx = torch.exp(-x)
        return (ctx.expx - ctx.expnegx) / 2

    @staticmethod
    def backward(ctx, grad_out):
        return grad_out * (ctx.expx + ctx.expnegx) / 2


(g,) = torch.autograd.grad(SinhBad.apply(x).sum(), x, create_graph=True)
print(g, g.requires_grad)


class CubeForward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad_out):
        (x,) = ctx.saved_tensors
        return CubeBackward.apply(grad_out, x)


class CubeBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, grad_out, x):
        ctx.save_for_backward(x, grad_out)
        return grad_out * 3 * x**2

    @staticmethod
    def backward(ctx, grad_out):
        x, double_grad_out = ctx.saved_tensors
        return grad_out * 3 * x**2, grad_out * double_grad_out * 6 * x


print(torch.autograd.gradcheck(CubeForward.apply, x))
print(torch.autograd.gradgradcheck(CubeForward.apply, x))


class Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad_out):
        return grad_out * 2


(g,) = torch.autograd.grad(Once.apply(x).sum(), x, create_graph=True)
print(g)


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias):
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight, bias)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(input)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


torch.manual_seed(0)
inputs = (
    torch.randn(4, 3, dtype=torch.double, requires_grad=True),
    torch.randn(2, 3, dtype=torch.double, requires_grad=True),
    torch.randn(2, dtype=torch.double, requires_grad=True),
)
print(torch.autograd.gradcheck(LinearFunction.apply, inputs, eps=1e-6, atol=1e-4))


class MulConstant(torch.autograd.Function):
    @staticmethod
    def forward(tensor, constant):
        return tensor * constant

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, constant = inputs
        ctx.set_materialize_grads(False)
        ctx.constant = constant

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None, None
        return grad_output * ctx.constant, None


print(torch.autograd.gradcheck(lambda t: MulConstant.apply(t, 3.0), inputs[2]))
