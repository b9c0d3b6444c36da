"""Right answers to the exercises of appendix B."""

from __future__ import annotations

RIGHT = {
    "B.1": [
        # the ends of all parts at once
        r"""
@mine.extend
def shards(rows, size):
    n = len(rows)
    if n < size:
        raise ValueError("too few rows")
    ends = [(n // size) * rank + min(rank, n % size) for rank in range(size + 1)]
    return [rows[a:b] for a, b in zip(ends, ends[1:])]
""",
        # one after the other, each with its part of what is left
        r"""
@mine.extend
def shards(rows, size):
    if size > len(rows):
        raise ValueError
    parts, rest = [], rows
    while size:
        length = -(-len(rest) // size)
        parts.append(rest[:length])
        rest, size = rest[length:], size - 1
    return parts
""",
    ],
    "B.2": [
        # a loop with a lambda, and flat messages
        r"""
@mine.extend
def average_gradients(parameters, world, share):
    handles = []
    for param in parameters:
        if param.requires_grad:
            handles.append(param.register_hook(lambda g: nbmodule.from_numpy(
                world.allreduce(g.mul(share).flatten().numpy())).view(g.shape)))
    return handles
""",
        # an object that can be called
        r"""
@mine.extend
def average_gradients(parameters, world, share):
    class Average:
        def __call__(self, gradient):
            mine_ = np.multiply(gradient.detach().numpy(), share, dtype=gradient.numpy().dtype)
            return nbmodule.as_tensor(world.allreduce(mine_))

    return [p.register_hook(Average()) for p in filter(lambda p: p.requires_grad, parameters)]
""",
    ],
    "B.3": [
        # sums are counted again, flags in NumPy, a cast at the end
        r"""
@mine.extend
class Buckets:
    def __init__(self, parameters, world, room):
        self.world = world
        self.buckets = []
        left = -1
        for param in reversed([p for p in parameters if p.requires_grad]):
            if param.numel() > left:
                self.buckets.append([])
                left = room
            left -= param.numel()
            self.buckets[-1].append(param)
            param.register_post_accumulate_grad_hook(self.arrived)
        self.start(1 / world.size)

    def start(self, share):
        self.share, self.ready, self.sent = share, set(), 0

    def finish(self):
        while self.sent < len(self.buckets):
            self.send()

    def arrived(self, param):
        if param in self.ready:
            raise RuntimeError("a Parameter arrived twice in one pass")
        self.ready.add(param)
        while self.sent < len(self.buckets) and all(p in self.ready for p in self.buckets[self.sent]):
            self.send()

    def send(self):
        bucket = self.buckets[self.sent]
        parts = []
        for p in bucket:
            g = p.grad if p.grad is not None else nbmodule.zeros_like(p)
            parts.append((self.share * g).numpy().flatten())
        flags = np.array([0.0 if p.grad is None else 1.0 for p in bucket], dtype=parts[0].dtype)
        result = self.world.allreduce(np.concatenate(parts + [flags]))
        flags = result[-len(bucket):]
        i = 0
        for p, flag in zip(bucket, flags):
            n = p.numel()
            if flag > 0:
                p.grad = tensor(result[i:i + n].reshape(p.shape)).to(p.dtype)
            i += n
        self.sent += 1
""",
        # NumPy instead of tensors, a count instead of sets, recursion instead of loops
        r"""
@mine.extend
class Buckets:
    def __init__(self, parameters, world, room):
        self.world, self.room, self.buckets = world, room, []
        for p in list(parameters)[::-1]:
            if p.requires_grad:
                if self.buckets and sum(q.numel() for q in self.buckets[-1]) + p.numel() <= room:
                    self.buckets[-1].append(p)
                else:
                    self.buckets.append([p])
                p.register_post_accumulate_grad_hook(lambda p: self.arrived(p))
        self.start(1 / world.size)

    def start(self, share):
        self.share, self.ready, self.sent = share, set(), 0

    def finish(self):
        if self.sent < len(self.buckets):
            self.send()
            self.finish()

    def arrived(self, param):
        if any(param is other for other in self.ready):
            raise RuntimeError("twice")
        self.ready |= {param}
        for bucket in self.buckets[self.sent:]:
            if not all(p in self.ready for p in bucket):
                break
            self.send()

    def send(self):
        bucket = self.buckets[self.sent]
        message = []
        for p in bucket:
            kind = p.detach().numpy().dtype
            message.append(np.zeros(p.numel(), kind) if p.grad is None else (p.grad.numpy() * kind.type(self.share)).ravel())
        message.append(np.array([p.grad is not None for p in bucket], message[0].dtype))
        answer, at = self.world.allreduce(np.concatenate(message)), 0
        for p, known in zip(bucket, answer[len(answer) - len(bucket):]):
            piece = answer[at:at + p.numel()].reshape(tuple(p.shape))
            at += p.numel()
            if known > 0:
                p.grad = tensor(piece, dtype=p.dtype)
        self.sent += 1
""",
    ],
    "B.4": [
        # everything by hand, in other words
        r"""
@mine.extend
class DistributedDataParallel(Module):
    def __init__(self, module, world, room=100_000):
        super().__init__()
        self.world = world
        self.module = module
        self.take_first(list(module.parameters()) + list(module.buffers()))
        self.buckets = Buckets(self.parameters(), world, room)

    @nbmodule.no_grad()
    def take_first(self, tensors):
        for t in tensors:
            theirs = self.world.broadcast(t.detach().numpy())
            t.copy_(nbmodule.from_numpy(np.array(theirs)).to(t.dtype))

    def forward(self, *inputs, **named):
        if not nbmodule.is_grad_enabled():
            return self.module(*inputs, **named)
        (total,) = self.world.allreduce(np.array([len(inputs[0])]))
        self.buckets.start(len(inputs[0]) / float(total))
        self.take_first(list(self.module.buffers()))
        return self.module(*inputs, **named)

    def finish(self):
        return self.buckets.finish()
""",
    ],
    "B.5": [
        # mpi4py's methods for any object
        r"""
@mine.extend
class MPIWorld:
    def __init__(self, comm):
        self.comm, self.rank, self.size = comm, comm.Get_rank(), comm.Get_size()

    def allreduce(self, array):
        return np.asarray(self.comm.allreduce(array))

    def broadcast(self, array):
        return np.array(self.comm.bcast(array))
""",
        # flat copies, and a shape at the end
        r"""
@mine.extend
class MPIWorld:
    def __init__(self, comm):
        self.rank, self.size = comm.Get_rank(), comm.Get_size()
        self._comm = comm

    def allreduce(self, array):
        flat = array.ravel().copy()
        total = np.zeros(flat.size, flat.dtype)
        self._comm.Allreduce(flat, total)
        return total.reshape(array.shape)

    def broadcast(self, array):
        flat = array.flatten()
        self._comm.Bcast(flat)
        return flat.reshape(array.shape)
""",
        # what is in order already isn't copied to be sent
        r"""
@mine.extend
class MPIWorld:
    def __init__(self, comm):
        self.comm, self.rank, self.size = comm, comm.Get_rank(), comm.Get_size()

    def allreduce(self, array):
        received = np.zeros(array.shape, array.dtype)
        self.comm.Allreduce(np.ascontiguousarray(array), received)
        return received

    def broadcast(self, array):
        received = array.copy()
        self.comm.Bcast(received)
        return received
""",
        # lists of buffers, and attributes of the communicator
        r"""
@mine.extend
class MPIWorld:
    def __init__(self, comm):
        self.comm = comm

    rank = property(lambda self: self.comm.rank)
    size = property(lambda self: self.comm.size)

    def allreduce(self, array):
        received = np.empty(array.shape, array.dtype)
        self.comm.Allreduce([np.require(array, requirements="C").copy()], [received])
        return received

    def broadcast(self, array):
        buffer = np.empty(array.shape, array.dtype)
        buffer[...] = array
        self.comm.Bcast([buffer], 0)
        return buffer
""",
    ],
}
