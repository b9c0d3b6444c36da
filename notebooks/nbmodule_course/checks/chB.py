"""Appendix B: data-parallel training. Shards, gradients that are averaged in hooks, and processes that send messages."""

from __future__ import annotations

from ..exercise import Exercise
from .dividing import uses

# ---- B.1

sharing = Exercise(
    "B.1",
    title="Shards",
    takes=("shards",),
    minutes=8,
    importance="useful",
    writes=("shards",),
    hints=(
        "How many rows does everybody get at least, and how many are left over? `divmod(len(rows), size)` answers both.",
        "Go through the ranks and keep the place where the next part starts. A part is one row longer if its rank is less than the number of rows left over.",
        "`end = start + least + (rank < more)`, `parts.append(rows[start:end])`, `start = end`. Before all that, raise a ValueError if `len(rows) < size`.",
    ),
)
_SIZES = [(n, size) for n in range(1, 10) for size in range(1, 6) if n >= size]
sharing.compare_uses(
    "the parts are in order, and the longer ones come first",
    uses(
        *(f"shards('abcdefghi'[:{n}], {size})" for n, size in _SIZES),
        "[len(part) for part in shards(range(1000), 7)]",
    ),
)
sharing.compare_uses(
    "tensors, arrays and lists are sliced",
    uses(
        "shards(tensor([1.0, 2.0, 3.0, 4.0, 5.0]), 2)",
        "shards([1, 2, 3], 2)",
        "shards(np.arange(6).reshape(3, 2), 2)[1].tolist()",
        "t = tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]); shards(t, 2)[0].zero_(); t",
        "shards(tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), 3)",
        "rows = [1, 2, 3]; shards(rows, 2); rows",
        "type(shards(tensor([1.0, 2.0]), 2)).__name__",
    ),
)
sharing.compare_uses(
    "too few rows are refused",
    uses(
        "tried(lambda: shards('ab', 3))",
        "tried(lambda: shards(tensor([1.0]), 2))",
        "tried(lambda: shards([], 1))",
        "tried(lambda: shards([1, 2], 2))",
    ),
)
_REFUSE, _END = "if len(rows) < size:", "end = start + least + (rank < more)"
# fmt: off
sharing.wrongs(
    ("the rest is lost", {_END: "end = start + least"}, "the rows that are left over are lost; the first parts get one more row each"),
    ("the rest goes last", {_END: "end = start + least + (rank >= size - more)"}, "the last parts get one row more; the first ones should"),
    ("the rest in one part", {_END: "end = start + least + (more if rank == size - 1 else 0)"}, "the last part gets all rows that are left over; give one to each of the first parts"),
    ("the rest in the first part", {_END: "end = start + least + (more if rank == 0 else 0)"}, "the first part gets all rows that are left over; give one to each of the first parts"),
    ("as chunk does", {_END: "end = min(len(rows), start + -(-len(rows) // size))"}, "each part is as long as the longest one allows, so the last ones are short or empty; that's what `torch.chunk` does"),
    ("dealt out", {"parts.append(rows[start:end])": "parts.append(rows[rank::size])"}, "the rows are dealt out in turn; each part should hold rows that follow each other"),
    ("overlapping", {"start = end": "start = max(0, end - 1)"}, "the parts overlap, so some rows count twice"),
    ("accepts anything", {_REFUSE: "if False:"}, "with fewer rows than parts, some parts are empty; raise a ValueError"),
    ("refuses one each", {_REFUSE: "if len(rows) <= size:"}, "as many rows as parts are refused, although everybody would get one"),
    ("refuses uneven ones", {_REFUSE: "if len(rows) % size:"}, "rows that don't divide evenly are refused; only too few rows are an error"),
    ("an IndexError", {"raise ValueError": "raise IndexError"}, "the exception for too few rows isn't a ValueError"),
    ("lists of rows", {"parts.append(rows[start:end])": "parts.append(list(rows[start:end]))"}, "each part is a list; a part should be a slice of `rows`, of the same kind"),
    ("a tuple", {"return parts": "return tuple(parts)"}, "a tuple comes back; return a list"),
)
# fmt: on

# ---- B.2

averaging = Exercise(
    "B.2",
    title="Average in a hook",
    takes=("average_gradients",),
    minutes=10,
    importance="useful",
    writes=("average_gradients",),
    hints=(
        "It's `mask_gradient` from exercise 16.1 for several Parameters, with a message in place of the mask.",
        "Inside the function, define a hook that takes a gradient. `(gradient * share).numpy()` is what this replica sends. What comes back is an array, so make a tensor of it.",
        "`def average(gradient): return tensor(world.allreduce((gradient * share).numpy()))`, and then `return [p.register_hook(average) for p in parameters if p.requires_grad]`.",
    ),
)
averaging.compare_uses(
    "each gradient becomes the sum over all replicas",
    uses(
        "average_gradients([p], Others(10), 0.5); (p * 3).sum().backward(); p.grad",
        "average_gradients([p], Others(0), 0.125); (p * p).sum().backward(); p.grad",
        "average_gradients([p, q], Others(1), 0.5); ((p * 3).sum() * (q * 2).sum()).backward(); p.grad, q.grad",
        "average_gradients([p], Others(1), 0.5); (p * 3).sum().backward(); (p * 5).sum().backward(); p.grad",
        "average_gradients([d], Others(1), 0.5); (d * 3).sum().backward(); d.grad",
        "average_gradients([q], Others(1), 0.1); (q * 3).sum().backward(); q.grad.dtype, q.grad.shape",
        "g = tensor([4.0, 2.0]); average_gradients([p], Others(1), 0.5); p.backward(g); g",
        "f = lambda w: [average_gradients(m := [Parameter(tensor([1.0]))], w, [0.25, 0.75][w.rank]), (m[0] * (w.rank + 1)).sum().backward(), m[0].grad][2]; run_replicas(2, f)",
    ),
)
averaging.compare_uses(
    "one message for each gradient, in the order in which they arrive",
    uses(
        "w = Others(1); average_gradients([p], w, 0.5); (p * 3).sum().backward(); w.log",
        "w = Others(1); average_gradients([p, q], w, 0.5); (p * 3).sum().backward(); w.log",
        "w = Others(1); average_gradients([p, q], w, 0.5); w.log",
        "w = Others(1); average_gradients([p], w, 0.5); (p * 3).sum().backward(); (p * 3).sum().backward(); len(w.log)",
    ),
)
averaging.compare_uses(
    "handles come back, and frozen Parameters are skipped",
    uses(
        "w = Others(1); h = average_gradients([p, q], w, 0.5); h[0].remove(); (p * 3).sum().backward(); (q * 3).sum().backward(); p.grad, q.grad, len(h)",
        "len(average_gradients([p, frozen, q], Others(1), 0.5))",
        "average_gradients([frozen], Others(1), 0.5)",
        "len(average_gradients((each for each in [p, q]), Others(1), 0.5))",
        "average_gradients([p], Others(1), 0.5); p.detach()",
    ),
)
_SEND = "return tensor(world.allreduce((gradient * share).numpy()))"
_LIST = "return [p.register_hook(average) for p in parameters if p.requires_grad]"
# fmt: off
averaging.wrongs(
    ("the plain mean", {_SEND: "return tensor(world.allreduce(gradient.numpy())) / world.size"}, "the sum is divided by the number of replicas; multiply each gradient by its `share` before it's sent"),
    ("weighted too late", {_SEND: "return tensor(world.allreduce(gradient.numpy())) * share"}, "the sum is multiplied by this replica's share; each replica multiplies its own gradient, before it's sent"),
    ("not weighted", {_SEND: "return tensor(world.allreduce(gradient.numpy()))"}, "`share` isn't used"),
    ("divided", {_SEND: "return tensor(world.allreduce((gradient / share).numpy()))"}, "the gradient is divided by the share; multiply it"),
    ("weighted twice", {_SEND: "return tensor(world.allreduce((gradient * share).numpy())) * share"}, "the share is used twice, before the message and after it"),
    ("and once more divided", {_SEND: "return tensor(world.allreduce((gradient * share).numpy())) / world.size"}, "the sum of the weighted gradients is divided once more; the shares add up to 1 already"),
    ("the answer is dropped", {_SEND: "world.allreduce((gradient * share).numpy())"}, "the sum is dropped, so each replica keeps its own gradient; return it from the hook"),
    ("set in the hook", {_LIST: "def hook(p):\n    def set_grad(gradient):\n        p.grad = average(gradient)\n    return p.register_hook(set_grad)\nreturn [hook(p) for p in parameters if p.requires_grad]"}, "the hook sets `grad` itself, and afterwards `backward` adds this replica's own gradient to it; return the sum instead"),
    ("in place", {_SEND: "gradient *= share\nreturn tensor(world.allreduce(gradient.numpy()))"}, "the hook changes the gradient that it's given; make a new tensor"),
    ("nothing sent", {_SEND: "return gradient * share"}, "nothing is sent; `world.allreduce` adds up what all replicas have"),
    ("in float32", {_SEND: "return tensor(world.allreduce((gradient * share).numpy()).astype('float32'))"}, "the gradient of a float64 Parameter comes back as float32; keep its dtype"),
    ("the weights", {_SEND: f"world.allreduce((gradient * share).numpy())\n{_LIST.replace('return ', '')[1:-1].split(' for ')[0].replace('p.register_hook(average)', 'None')}\nreturn gradient"}, "the sum is dropped, so each replica keeps its own gradient; return it from the hook"),
    ("only the first", {_LIST: "return [p.register_hook(average) for p in list(parameters)[:1] if p.requires_grad]"}, "only the first Parameter gets the hook"),
    ("frozen ones too", {_LIST: "return [p.register_hook(average) for p in parameters]"}, "a Parameter that doesn't require a gradient can't have such a hook; skip it"),
    ("no handles", {_LIST: _LIST.replace("return ", "")}, "None comes back; return the list of handles"),
    ("after adding up", {_LIST: "def added(p):\n    p.grad = average(p.grad)\nreturn [p.register_post_accumulate_grad_hook(added) for p in parameters if p.requires_grad]"}, "what was in `grad` before is sent as well; average each gradient as it arrives, with `register_hook`"),
)
# fmt: on

# ---- B.5

sending = Exercise(
    "B.5",
    title="A world of processes",
    takes=("MPIWorld",),
    minutes=15,
    importance="useful",
    writes=("MPIWorld",),
    hints=(
        "Each method makes a copy of `array` first. What does `comm.Allreduce` need besides?",
        "`np.empty_like(sent)` is an array to receive in. `Bcast` needs no second array: it overwrites the copy.",
        'In `allreduce`: `sent = np.array(array, order="C")`, `received = np.empty_like(sent)`, `self.comm.Allreduce(sent, received)`, `return received`. '
        'In `broadcast`: `array = np.array(array, order="C")`, `self.comm.Bcast(array, root=0)`, `return array`.',
    ),
)
_ARRAYS = {
    "two numbers": "a = np.array([1.0, 2.0])",
    "ints": "a = np.array([[1, 2], [3, 4]])",
    "float32": "a = np.array([1, 2], 'float32')",
    "no dimension": "a = np.array(3.0)",
    "every other": "a = np.arange(6.0)[::2]",
    "transposed": "a = np.arange(6.0).reshape(2, 3).T",
    "a part": "a = np.arange(6.0).reshape(2, 3)[:, 1:]",
    "empty": "a = np.zeros((0, 2))",
    "read-only": "a = np.ones(2); a.setflags(write=False)",
}
sending.compare_uses(
    "rank and size",
    uses("w = MPIWorld(comm); (w.rank, w.size)", "type(MPIWorld(comm).rank).__name__"),
)
for _method in ("allreduce", "broadcast"):
    sending.compare_uses(
        f"`{_method}`, for arrays of all kinds",
        uses(
            *(f"{made}; b = MPIWorld(comm).{_method}(a); (b.tolist(), b.shape, b.dtype.name)" for made in _ARRAYS.values()),
            *(f"{made}; MPIWorld(comm).{_method}(a); a.tolist()" for made in _ARRAYS.values()),
            f"a = np.ones(2); w = MPIWorld(comm); b = w.{_method}(a); c = w.{_method}(a * 3); (b.tolist(), c.tolist())",
            f"type(MPIWorld(comm).{_method}(np.ones(2))).__name__",
        ),
    )  # fmt: skip
_COPY, _EMPTY = 'sent = np.array(array, order="C")', "received = np.empty_like(sent)"
_SENT, _OWN, _CAST = "self.comm.Allreduce(sent, received)", 'array = np.array(array, order="C")', "self.comm.Bcast(array, root=0)"  # fmt: skip
# fmt: off
sending.wrongs(
    ("what was sent", {"return received": "return sent"}, "`allreduce` returns what this process has sent; the sum is in the other array"),
    ("nothing returned", {"return received": "return self.comm.Allreduce(sent, received)"}, "`allreduce` returns None; `comm.Allreduce` writes the sum into its second argument"),
    ("sent twice", {_SENT: f"{_SENT}\nself.comm.Allreduce(received.copy(), received)"}, "the sum is added up a second time"),
    ("not copied for the sum", {_COPY: "sent = array"}, "`allreduce` hands an array to MPI whose numbers aren't next to each other; make a copy in the order that MPI needs"),
    ("another order", {_COPY: "sent = np.array(array)", _EMPTY: "received = np.empty(sent.shape, sent.dtype)"}, "the copy of a transposed array keeps its order in memory, and the sum is received in another; make both in the same order"),
    ("received in another order", {_EMPTY: "received = np.empty_like(array)"}, "`np.empty_like` keeps the order in memory of a transposed array, and the sum arrives in another; receive in an array like the copy"),
    ("one array for both", {_SENT: "self.comm.Allreduce(sent, sent)", "return received": "return sent"}, "MPI gets the same array to send and to receive in; its rules forbid that, so receive in a second one"),
    ("a list of one", {_COPY: "sent = np.ascontiguousarray(array)"}, "an array without dimensions comes back with one: `np.ascontiguousarray` adds it, and `np.array` doesn't"),
    ("broadcast adds a dimension", {_OWN: "array = np.ascontiguousarray(array).copy()"}, "an array without dimensions comes back with one: `np.ascontiguousarray` adds it, and `np.array` doesn't"),
    ("in the caller's array", {_OWN: "array = np.asarray(array, order='C')"}, "`broadcast` overwrites the array that it's given; make a copy first"),
    ("no copy at all", {_OWN: "pass"}, "`broadcast` hands its argument itself to MPI; make a copy first"),
    ("in float64", {_EMPTY: "received = np.empty(sent.shape)"}, "the sum is received as float64, whatever was sent; `np.empty_like` keeps the dtype"),
    ("one dimension", {_EMPTY: "received = np.empty(sent.size, sent.dtype)"}, "the sum comes back with one dimension; keep the shape"),
    ("from the wrong one", {_CAST: "self.comm.Bcast(array, root=self.rank)"}, "each process takes its own array; the one from process 0 counts"),
    ("from the last one", {_CAST: "self.comm.Bcast(array, root=self.size - 1)"}, "the array of the last process is taken; the one from process 0 counts"),
    ("no broadcast", {_CAST: "pass"}, "`broadcast` returns this process's own numbers"),
    ("added up instead", {_CAST: "self.comm.Allreduce(array.copy(), array)"}, "`broadcast` adds up the arrays of all processes; it should return the one from process 0"),
    ("the mean", {"return received": "return received / self.size"}, "`allreduce` divides the sum by the number of processes; return the sum"),
    ("rank and size swapped", {"comm.Get_rank(), comm.Get_size()": "comm.Get_size(), comm.Get_rank()"}, "`rank` and `size` are swapped"),
)
# fmt: on
