"""The notes on the mechanics of autograd: modes, edges, writes in place, hooks."""

import torch

# modes
x = torch.ones(3, requires_grad=True)
with torch.no_grad():
    y = x * 2
print(y.requires_grad, torch.is_grad_enabled())
with torch.inference_mode():
    z = x * 2
    print(z.is_inference(), torch.is_inference_mode_enabled())
try:
    z.requires_grad_()
except RuntimeError as error:
    print(str(error).splitlines()[0])
try:
    (z * x).sum().backward()
except RuntimeError as error:
    print(str(error).splitlines()[0])


@torch.no_grad()
def doubler(x):
    return x * 2


print(doubler(x).requires_grad)
with torch.set_grad_enabled(False):
    print((x * 2).requires_grad)
    with torch.enable_grad():
        print((x * 2).requires_grad)

# subgradients at the edges
x = torch.tensor([0.0, -1.0, 1.0], requires_grad=True)
for f in (torch.relu, torch.abs, torch.sqrt, torch.sign, torch.floor, torch.log):
    print(f.__name__, torch.autograd.grad(f(x).sum(), x)[0])
x = torch.tensor([2.0, 2.0], requires_grad=True)
print(torch.autograd.grad(x.max(), x), torch.autograd.grad(x.max(0).values, x))
print(torch.autograd.grad(torch.linalg.vector_norm(x * 0), x))
x = torch.tensor([1.0, 0.0], requires_grad=True)
y = torch.where(x > 0, x.log(), torch.zeros(2))
print(torch.autograd.grad(y.sum(), x))

# writes in place
w = torch.ones(2, requires_grad=True)
try:
    w += 1
except RuntimeError as error:
    print(str(error).splitlines()[0])
v = w * 2
s = v.sin()
v += 1
print(v._version, v.grad_fn.name())
try:
    s.sum().backward()
except RuntimeError as error:
    print(str(error).partition("is at version")[2].partition(".")[0])
base = torch.zeros(4, requires_grad=True).clone()
view = base[:2]
view.mul_(3)
base[2:] = w
print(base, view.grad_fn.name())
base.sum().backward()
print(w.grad)

# hooks on tensors
v = torch.tensor([0.0, 0.0, 0.0], requires_grad=True)
h = v.register_hook(lambda grad: grad * 2)
v.backward(torch.tensor([1.0, 2.0, 3.0]))
print(v.grad)
h.remove()
order = []
t = torch.tensor([1.0, 2.0], requires_grad=True)
u = t.clone()
u.register_hook(lambda g: order.append("first"))
u.retain_grad()
u.register_hook(lambda g: order.append("second") or g * 10)
t.register_post_accumulate_grad_hook(lambda p: order.append(p.grad.tolist()))
u.grad_fn.register_prehook(lambda gs: order.append("prehook"))
u.grad_fn.register_hook(lambda gi, go: order.append("posthook"))
u.sum().backward()
print(order, u.grad, t.grad)

# accumulation, several roots, retained graphs
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x**2).sum()
y.backward(retain_graph=True)
y.backward()
print(x.grad)
try:
    y.backward()
except RuntimeError as error:
    print(str(error).splitlines()[0])
torch.autograd.backward([(x * 2).sum(), (x * 3).sum()])
print(x.grad)
z = torch.tensor(1.0, requires_grad=True)
print(torch.autograd.grad(x.sum(), [x, z], allow_unused=True))
print(torch.autograd.grad(x.sum(), [x, z], materialize_grads=True))
try:
    (x * 2).backward()
except RuntimeError as error:
    print(str(error).splitlines()[0])
with torch.autograd.detect_anomaly(check_nan=True):
    bad = torch.tensor([-1.0], requires_grad=True)
    try:
        bad.sqrt().sum().backward()
    except RuntimeError as error:
        print(str(error).splitlines()[0])
