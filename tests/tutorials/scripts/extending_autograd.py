"""The notes on extending: functions with a derivative of their own, checked against numbers."""

import torch
from torch import nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class LinearFunction(Function):
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


linear = LinearFunction.apply
torch.manual_seed(0)
x = torch.randn(3, 4, dtype=torch.double, requires_grad=True)
w = torch.randn(2, 4, dtype=torch.double, requires_grad=True)
b = torch.randn(2, dtype=torch.double, requires_grad=True)
out = linear(x, w, b)
print(out)
out.sum().backward()
print(x.grad, w.grad, b.grad, sep="\n")
print(torch.autograd.gradcheck(linear, (x, w, b), eps=1e-6, atol=1e-4))
print(linear(x, w, None).grad_fn.name(), linear(x.detach(), w.detach(), None).requires_grad)


class MulConstant(Function):
    @staticmethod
    def forward(tensor, constant):
        return tensor * constant

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, constant = inputs
        ctx.constant = constant

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.constant, None


a = torch.tensor([1.0, 2.0], requires_grad=True)
y = MulConstant.apply(a, 5.5)
print(y)
y.sum().backward()
print(a.grad)


class QuietMulConstant(MulConstant):
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.set_materialize_grads(False)
        ctx.constant = inputs[1]

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None, None
        return grad_output * ctx.constant, None


print(torch.autograd.grad(QuietMulConstant.apply(a, 2.0).sum(), a))


class MyCube(Function):
    @staticmethod
    def forward(x):
        dx = 3 * x**2
        return x**3, dx

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        _, dx = output
        ctx.save_for_backward(x, dx)

    @staticmethod
    def backward(ctx, grad_output, grad_dx):
        x, dx = ctx.saved_tensors
        return grad_output * dx + grad_dx * 6 * x


def my_cube(x):
    result, _ = MyCube.apply(x)
    return result


x = torch.tensor([2.0, -1.0], dtype=torch.double, requires_grad=True)
(first,) = torch.autograd.grad(my_cube(x).sum(), x, create_graph=True)
(second,) = torch.autograd.grad(first.sum(), x)
print(first, second)
print(torch.autograd.gradgradcheck(my_cube, (x,)))


class Exp(Function):
    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result


x = torch.tensor([0.5, 1.0], requires_grad=True)
g = torch.autograd.grad(Exp.apply(x).sum(), x, create_graph=True)[0]
print(g)
try:
    g.sum().backward()
except RuntimeError as error:
    print(str(error).splitlines()[0])


class MyReLU(Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[input < 0] = 0
        return grad_input


x = torch.linspace(-1, 1, 5, requires_grad=True)
out = MyReLU.apply(x)
print(out)
out.backward(torch.arange(5.0))
print(x.grad)


class Inplace(Function):
    @staticmethod
    def forward(ctx, x):
        x_npy = x.detach().numpy()
        x_npy += 1
        ctx.mark_dirty(x)
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        return grad_output


a = torch.tensor(1.0, requires_grad=True).clone()
b = a * a
print(Inplace.apply(a))
try:
    b.backward()
except RuntimeError as error:
    print(type(error).__name__)


class SortBoth(Function):
    @staticmethod
    def forward(ctx, x):
        values, idx = x.sort()
        ctx.mark_non_differentiable(idx)
        ctx.save_for_backward(idx)
        return values, idx

    @staticmethod
    def backward(ctx, g1, g2):
        (idx,) = ctx.saved_tensors
        grad_input = torch.zeros_like(g1)
        grad_input.index_add_(0, idx, g1)
        return grad_input


x = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
values, idx = SortBoth.apply(x)
print(values, idx, idx.requires_grad)
(values * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
print(x.grad)


class Linear(nn.Module):
    def __init__(self, input_features, output_features, bias=True):
        super().__init__()
        self.input_features = input_features
        self.output_features = output_features
        self.weight = nn.Parameter(torch.empty(output_features, input_features))
        if bias:
            self.bias = nn.Parameter(torch.empty(output_features))
        else:
            self.register_parameter("bias", None)
        nn.init.uniform_(self.weight, -0.1, 0.1)
        if self.bias is not None:
            nn.init.uniform_(self.bias, -0.1, 0.1)

    def forward(self, input):
        return LinearFunction.apply(input, self.weight, self.bias)

    def extra_repr(self):
        return f"input_features={self.input_features}, output_features={self.output_features}, bias={self.bias is not None}"


layer = Linear(3, 2)
print(layer, Linear(2, 2, bias=False), sep="\n")
print(layer(torch.ones(2, 3)))
