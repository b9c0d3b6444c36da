"""The tensors tutorial: making them, their attributes, operations, and the bridge to NumPy."""

import numpy as np
import torch

data = [[1, 2], [3, 4]]
x_data = torch.tensor(data)
np_array = np.array(data)
x_np = torch.from_numpy(np_array)
print(x_data, x_np)

torch.manual_seed(0)
x_ones = torch.ones_like(x_data)
print(f"Ones Tensor: \n {x_ones} \n")
x_rand = torch.rand_like(x_data, dtype=torch.float)
print(f"Random Tensor: \n {x_rand} \n")

shape = (2, 3)
print(torch.rand(shape), torch.ones(shape), torch.zeros(shape))

tensor = torch.rand(3, 4)
print(f"Shape of tensor: {tensor.shape}")
print(f"Datatype of tensor: {tensor.dtype}")
print(f"Device tensor is stored on: {tensor.device}")

tensor = torch.ones(4, 4)
print(f"First row: {tensor[0]}")
print(f"First column: {tensor[:, 0]}")
print(f"Last column: {tensor[..., -1]}")
tensor[:, 1] = 0
print(tensor)

print(torch.cat([tensor, tensor, tensor], dim=1))

y1 = tensor @ tensor.T
y2 = tensor.matmul(tensor.T)
y3 = torch.rand_like(y1)
torch.matmul(tensor, tensor.T, out=y3)
print((y1 == y2).all(), (y1 == y3).all())
z1 = tensor * tensor
z2 = tensor.mul(tensor)
z3 = torch.rand_like(tensor)
torch.mul(tensor, tensor, out=z3)
print((z1 == z2).all(), (z1 == z3).all())

agg = tensor.sum()
agg_item = agg.item()
print(agg_item, type(agg_item))

print(f"{tensor} \n")
tensor.add_(5)
print(tensor)

t = torch.ones(5)
n = t.numpy()
t.add_(1)
print(f"t: {t}")
print(f"n: {n}")

n = np.ones(5)
t = torch.from_numpy(n)
np.add(n, 1, out=n)
print(f"t: {t}")
print(f"n: {n}")

# the notebook "Introduction to PyTorch tensors"
z = torch.zeros(5, 3)
print(z)
print(z.dtype)
i = torch.ones((5, 3), dtype=torch.int16)
print(i)
torch.manual_seed(1729)
r1 = torch.rand(2, 2)
print("A random tensor:")
print(r1)
r2 = torch.rand(2, 2)
print("A different random tensor:")
print(r2)
torch.manual_seed(1729)
r3 = torch.rand(2, 2)
print("Should match r1:")
print(r3)
ones = torch.ones(2, 3)
twos = torch.ones(2, 3) * 2
threes = ones + twos
print(threes)
r = (torch.rand(2, 2) - 0.5) * 2
print("A random matrix, r:")
print(r)
print("Absolute value of r:")
print(torch.abs(r))
print("Inverse sine of r:")
print(torch.asin(r))
print("Determinant of r:")
print(torch.det(r))
print("Average and standard deviation of r:")
print(torch.std_mean(r))
print("Maximum value of r:")
print(torch.max(r))
powers2 = twos ** torch.tensor([[1, 2, 3], [4, 5, 6]])
print(powers2)
fours = torch.sqrt(powers2)
print(fours)
a = torch.rand(1, 20)
print(a.squeeze(0).shape, a.unsqueeze(0).shape)
output3d = torch.rand(6, 20, 20)
print(output3d.shape, output3d.reshape(6 * 20 * 20).shape)
print(torch.reshape(output3d, (6 * 20 * 20,)).shape)
c = torch.linspace(0, 1, 5)
print(c.repeat(2), c.expand(2, 5), c[None, :, None].shape)
m1, m2 = torch.rand(2, 3), torch.rand(3, 2)
try:
    print(m1 * m2)
except RuntimeError as error:
    print("RuntimeError:", str(error).splitlines()[0])
