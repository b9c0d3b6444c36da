"""The notes on broadcasting, the bridge to NumPy, and views that share memory."""

import copy
import pickle

import numpy as np
import torch

x = torch.empty(5, 7, 3)
y = torch.empty(5, 7, 3)
print((x + y).size())
x = torch.empty((0,))
y = torch.empty(2, 2)
try:
    (x + y).size()
except RuntimeError as error:
    print(str(error).splitlines()[0])
x = torch.empty(5, 3, 4, 1)
y = torch.empty(3, 1, 1)
print((x + y).size())
x = torch.empty(1)
y = torch.empty(3, 1, 7)
print((x + y).size())
x = torch.empty(5, 2, 4, 1)
y = torch.empty(3, 1, 1)
try:
    (x + y).size()
except RuntimeError as error:
    print(str(error).splitlines()[0])
x = torch.zeros(5, 3, 4, 1)
y = torch.zeros(3, 1, 1)
print(x.add_(y).size())
x = torch.zeros(1, 3, 1)
y = torch.zeros(3, 1, 7)
try:
    x.add_(y)
except RuntimeError as error:
    print(str(error).splitlines()[0])
print(torch.add(torch.ones(4, 1), torch.randn(4)).size())
print(torch.broadcast_shapes((2,), (3, 1), (1, 1, 1)))
for t in torch.broadcast_tensors(torch.arange(3).view(1, 3), torch.arange(2).view(2, 1)):
    print(t, t.stride())

# the bridge
t = torch.ones(5)
n = t.numpy()
t.add_(1)
print(t, n)
n = np.ones(5)
t = torch.from_numpy(n)
np.add(n, 1, out=n)
print(t, n)
print(torch.as_tensor(n).data_ptr() == t.data_ptr(), torch.tensor(n).data_ptr() == t.data_ptr())
print(torch.from_numpy(np.arange(4, dtype=np.uint8)), torch.tensor(np.float32(2.5)))
a = torch.tensor([1.0, 2.0], requires_grad=True)
try:
    a.numpy()
except RuntimeError as error:
    print(str(error).splitlines()[0])
print(a.detach().numpy(), np.asarray(a.detach()), np.sin(a.detach()))
print(torch.arange(6).reshape(2, 3).numpy().T)
print(torch.ones(2) * np.float64(3), np.array([1.0, 2.0]) @ np.array([3.0, 4.0]))
print(torch.tensor([[1, 2], [3, 4]]).tolist(), torch.tensor(3.5).item(), float(torch.tensor([2])))

# views
base = torch.tensor([[0, 1], [2, 3]])
view = base.view(4)
view[0] = 10
print(base, base.storage().data_ptr() == view.storage().data_ptr())
t = base.transpose(0, 1)
print(t.is_contiguous(), t.contiguous().is_contiguous(), t.stride(), t._base is base)
x = torch.arange(12).reshape(3, 4)
for v in (x[1:], x[:, 1], x.T, x.diagonal(), x.expand(2, 3, 4), x.unfold(1, 2, 1), x.unsqueeze(0)):
    print(tuple(v.shape), v.stride(), v.storage_offset(), v._is_view(), v.is_contiguous())
for parts in (x.split(2), x.chunk(2, 1), x.unbind(), x.tensor_split(3, 1)):
    print([tuple(p.shape) for p in parts], parts[-1]._is_view())
x[:, 0].mul_(-1)
print(x)

# views keep sharing memory in a copy
numbers = torch.arange(1, 10)
evens = numbers[1::2]
loaded_numbers, loaded_evens = copy.deepcopy([numbers, evens])
loaded_evens *= 2
print(loaded_numbers, loaded_evens)
large = torch.arange(1, 1000)
small = large[0:5]
(loaded_small,) = pickle.loads(pickle.dumps([small]))
print(loaded_small, loaded_small.storage().size())
(loaded_clone,) = pickle.loads(pickle.dumps([small.clone()]))
print(loaded_clone.storage().size())

# randomness that can be repeated
torch.manual_seed(0)
first = torch.rand(2)
state = torch.get_rng_state()
second = torch.rand(2)
torch.set_rng_state(state)
print(torch.equal(second, torch.rand(2)), torch.initial_seed())
g = torch.Generator().manual_seed(2147483647)
print(
    torch.rand(3, generator=g), torch.randperm(5, generator=g), torch.randint(10, (4,), generator=g)
)
with torch.random.fork_rng():
    torch.manual_seed(1)
    inside = torch.rand(1)
print(inside, torch.rand(1))
