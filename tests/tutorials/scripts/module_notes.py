"""The notes on modules: layers of one's own, state, containers, initialization, hooks, transfer."""

import torch
from torch import nn


class MyLinear(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(in_features, out_features))
        self.bias = nn.Parameter(torch.randn(out_features))

    def forward(self, input):
        return (input @ self.weight) + self.bias


torch.manual_seed(0)
m = MyLinear(4, 3)
sample_input = torch.randn(4)
print(m(sample_input))
for parameter in m.named_parameters():
    print(parameter)

net = nn.Sequential(MyLinear(4, 3), nn.ReLU(), MyLinear(3, 1))
print(net(sample_input))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l0 = MyLinear(4, 3)
        self.l1 = MyLinear(3, 1)

    def forward(self, x):
        x = self.l0(x)
        x = nn.functional.relu(x)
        return self.l1(x)


net = Net()
for child in net.named_children():
    print(child)


class BigNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = MyLinear(5, 4)
        self.net = Net()

    def forward(self, x):
        return self.net(self.l1(x))


big_net = BigNet()
for module in big_net.named_modules():
    print(module)
for name, parameter in big_net.named_parameters():
    print(name, tuple(parameter.shape))


class DynamicNet(nn.Module):
    def __init__(self, num_layers):
        super().__init__()
        self.linears = nn.ModuleList([MyLinear(4, 4) for _ in range(num_layers)])
        self.activations = nn.ModuleDict({"relu": nn.ReLU(), "sigmoid": nn.Sigmoid()})
        self.final = MyLinear(4, 1)

    def forward(self, x, act):
        for linear in self.linears:
            x = linear(x)
        x = self.activations[act](x)
        return self.final(x)


dynamic_net = DynamicNet(3)
output = dynamic_net(torch.randn(4), "relu")
print(output)
print(dynamic_net)
print(len(list(dynamic_net.parameters())))
dynamic_net.to(dtype=torch.float64)
print(dynamic_net(torch.randn(5, 4, dtype=torch.float64), "sigmoid"))


@torch.no_grad()
def init_weights(m):
    print(type(m).__name__)
    if type(m) is nn.Linear:
        m.weight.fill_(1.0)
        print(m.weight)


layers = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
layers.apply(init_weights)

# training
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=1e-4, weight_decay=1e-2, momentum=0.9)
losses = []
for _ in range(100):
    input = torch.randn(4)
    output = net(input)
    loss = torch.abs(output)
    losses.append(loss.item())
    net.zero_grad()
    loss.backward()
    optimizer.step()
print(losses[0], losses[-1])
print(net.l1.weight)


class ModalModule(nn.Module):
    def forward(self, x):
        return x + 1.0 if self.training else x


m = ModalModule()
print(m(torch.zeros(2)), m.eval()(torch.zeros(2)), m.train()(torch.zeros(2)))


class RunningMean(nn.Module):
    def __init__(self, num_features, momentum=0.9):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("mean", torch.zeros(num_features))

    def forward(self, x):
        self.mean = self.momentum * self.mean + (1.0 - self.momentum) * x
        return self.mean


m = RunningMean(4)
for _ in range(10):
    m(torch.ones(4))
print(m.state_dict())
m_loaded = RunningMean(4)
print(m_loaded.load_state_dict(m.state_dict()))
print(torch.all(m.mean == m_loaded.mean))


class StatefulModule(nn.Module):
    def __init__(self):
        super().__init__()
        self.param1 = nn.Parameter(torch.randn(2))
        self.register_parameter("param2", nn.Parameter(torch.randn(3)))
        self.param3 = nn.Parameter(torch.randn(3))
        self.param3 = None
        self.param_list = nn.ParameterList([nn.Parameter(torch.randn(2)) for i in range(3)])
        self.param_dict = nn.ParameterDict(
            {"foo": nn.Parameter(torch.randn(3)), "bar": nn.Parameter(torch.randn(4))}
        )
        self.register_buffer("buffer1", torch.randn(4), persistent=True)
        self.register_buffer("buffer2", torch.randn(5), persistent=False)
        self.register_buffer("buffer3", None)
        self.linear = nn.Linear(2, 3)


m = StatefulModule()
torch_state = m.state_dict()
print(list(torch_state))
m_loaded = StatefulModule()
print(m_loaded.load_state_dict(torch_state))
print("buffer2" in torch_state, torch.equal(m.buffer2, m_loaded.buffer2))
print(m)

# initialization
m = nn.Linear(5, 3, dtype=torch.float64)
nn.init.orthogonal_(m.weight) if hasattr(nn.init, "orthogonal_") else None
print(m.weight.dtype, m.weight.shape)

# hooks
m = MyLinear(4, 3)


def forward_pre_hook(m, inputs):
    return inputs[0] + 1.0


def forward_hook(m, inputs, output):
    return output + inputs[0].sum()


def backward_hook(m, grad_inputs, grad_outputs):
    return (torch.ones_like(grad_inputs[0]),)


with torch.no_grad():
    m.weight.fill_(1.0)
    m.bias.fill_(0.0)
forward_pre_hook_handle = m.register_forward_pre_hook(forward_pre_hook)
print(m(torch.zeros(4)))
forward_hook_handle = m.register_forward_hook(forward_hook)
print(m(torch.zeros(4)))
forward_pre_hook_handle.remove()
forward_hook_handle.remove()
backward_hook_handle = m.register_full_backward_hook(backward_hook)
x = torch.randn(4, requires_grad=True)
m(x).sum().backward()
print(x.grad)
