"""Appendix B, continued: several gradients in one message, and a Module around a Module."""

from __future__ import annotations

from ..exercise import Exercise
from .dividing import uses

# ---- B.3

bucketing = Exercise(
    "B.3",
    title="Buckets",
    takes=("Buckets",),
    minutes=40,
    importance="useful",
    writes=("Buckets",),
    hints=(
        "In `__init__`, keep how many numbers still fit into the latest bucket. In `arrived`, only the bucket with the number `self.sent` may leave; while all its Parameters are in `self.ready`, send it and look at the next.",
        "`send` has three parts: the numbers to send, the message, and the sum taken apart again. `nbmodule.cat` joins flat tensors, `total.split([2, 3, 1])` takes them apart, and `piece.view(param.shape)` gives a piece its shape.",
        "`message = nbmodule.cat([*[self.share * g.flatten() for g in grads], known])`, where `known = tensor([float(p.grad is not None) for p in bucket])`; `total = tensor(self.world.allreduce(message.numpy()))`; "
        "`*pieces, known = total.split([*[p.numel() for p in bucket], len(bucket)])`. In `arrived`: `while self.sent < len(self.buckets) and self.ready.issuperset(self.buckets[self.sent]): self.send()`.",
    ),
)
_ROOMS = (1, 2, 3, 4, 5, 6, 7, 100)
bucketing.compare_uses(
    "buckets from the last Parameter to the first",
    uses(
        *(f"named(Buckets([p, q, r], Others(1), {room}))" for room in _ROOMS),
        *(f"named(Buckets([r, p, q], Others(1), {room}))" for room in (2, 4, 5)),
        "named(Buckets([p, r, q], Others(1), 4))",
        "named(Buckets([p, Parameter(tensor([]))], Others(1), 3))",
        "named(Buckets([p, frozen, r], Others(1), 3))",
        "named(Buckets((each for each in [p, q]), Others(1), 2))",
        "named(Buckets([frozen], Others(1), 5))",
        "named(Buckets([], Others(1), 5))",
        "b = Buckets([p, q], Others(1), 2); [b.share, b.sent, len(b.ready)]",
        "params = [p, q]; Buckets(params, Others(1), 2); [each is p for each in params]",
    ),
)
bucketing.compare_uses(
    "one message for each bucket, and the sum is in `grad`",
    uses(
        *(f"w = Others(10); b = Buckets([p, q], w, {room}); ((p * 3).sum() + (q * 5).sum()).backward(); {seen}" for room in (1, 3, 4) for seen in ("w.log", "p.grad, q.grad")),
        "w = Others(10); b = Buckets([p, q, r], w, 4); ((p * 3).sum() + (q * 5).sum() + (r * r).sum()).backward(); sorted(w.log), p.grad, q.grad, r.grad",
        "w = Others(10); b = Buckets([p, q], w, 9); b.start(0.1); ((p * 3).sum() + (q * 5).sum()).backward(); w.log, p.grad, q.grad",
        "w = Others(1); b = Buckets([d], w, 9); (d * 3).sum().backward(); d.grad",
        "w = Others(1); b = Buckets([p, d], w, 9); ((p * 3).sum() + (d * 3).sum()).backward(); p.grad, d.grad",
        "w = Others(1); b = Buckets([p], w, 9); (p * 3).sum().backward(); b.start(0.5); (p * 5).sum().backward(); p.grad, w.log",
        "w = Others(1); b = Buckets([p], w, 9); g = tensor([4.0, 2.0]); p.backward(g); g, p.detach()",
    ),
)  # fmt: skip
bucketing.compare_uses(
    "a bucket is sent when it's full, and strictly in order",
    uses(
        *(f"w = Others(1); b = Buckets([p, q, r], w, 3); give(p=[1, 2], q=[3, 4], r=[5, 6, 7]); b.arrived({first}); one = len(w.log); b.arrived({second}); two = len(w.log); b.arrived({third}); [one, two, *w.log]"
          for first, second, third in ("pqr", "prq", "qpr", "qrp", "rpq", "rqp")),
        *(f"w = Others(1); b = Buckets([p, q, r], w, 5); give(p=[1, 2], q=[3, 4], r=[5, 6, 7]); b.arrived({first}); one = len(w.log); b.arrived({second}); [one, len(w.log)]" for first, second in ("pq", "rq", "qr", "rp")),
        "w = Others(1); b = Buckets([p, q], w, 2); (q * 5).sum().backward(); one = len(w.log); (p * 3).sum().backward(); [one, len(w.log)]",
        "w = Others(1); b = Buckets([p, q], w, 2); (p * 5).sum().backward(); one = len(w.log); (q * 3).sum().backward(); [one, len(w.log)]",
    ),
)  # fmt: skip
bucketing.compare_uses(
    "`finish` sends the rest, and what nobody has stays None",
    uses(
        *(f"w = Others({n}); b = Buckets([p, q, r], w, {room}); (q * 5).sum().backward(); b.finish(); w.log, p.grad, q.grad, r.grad" for n in (0, 1) for room in (2, 5, 9)),
        "w = Others(1); b = Buckets([p, q], w, 2); ((p * 3).sum() + (q * 5).sum()).backward(); b.finish(); len(w.log)",
        "w = Others(1); b = Buckets([p, q], w, 2); b.finish(); b.finish(); len(w.log)",
        "w = Others(1); b = Buckets([p, q], w, 2); b.finish(); b.start(1); b.finish(); w.log",
        "w = Others(0); b = Buckets([p, q], w, 9); give(p=[0, 0]); (q * 5).sum().backward(); b.finish(); p.grad, w.log",
        "w = Others(0); b = Buckets([d, p], w, 9); (p * 5).sum().backward(); b.finish(); w.log, d.grad",
        "in_two(Buckets)",
    ),
)  # fmt: skip
bucketing.compare_uses(
    "a Parameter arrives once in a pass",
    uses(
        "w = Others(1); b = Buckets([p, q], w, 9); give(p=[1, 2]); b.arrived(p); tried(lambda: b.arrived(p)), w.log",
        "w = Others(1); b = Buckets([p], w, 9); (p * 3).sum().backward(); tried(lambda: (p * 3).sum().backward()), len(w.log)",
        "w = Others(1); b = Buckets([p, q], w, 9); give(p=[1, 2]); b.arrived(p); b.start(0.5); b.arrived(p); w.log",
    ),
)
_FULL, _NEW, _TAKE = "if not self.buckets or param.numel() > left:", "left = room", "left -= param.numel()"  # fmt: skip
_EACH = "for param in reversed([p for p in parameters if p.requires_grad]):"
_WHILE = "while self.sent < len(self.buckets) and self.ready.issuperset(self.buckets[self.sent]):"
_TWICE, _ADD, _COUNT = "if param in self.ready:", "self.ready.add(param)", "self.sent += 1"
_GRADS = "grads = [nbmodule.zeros_like(p) if p.grad is None else p.grad for p in bucket]"
_KNOWN = "known = tensor([float(p.grad is not None) for p in bucket])"
_CAT = "message = nbmodule.cat([*[self.share * g.flatten() for g in grads], known])"
_IF, _SET = "if has_grad:", "param.grad = piece.view(param.shape).to(param.dtype)"
_HOOK, _FINISH = "param.register_post_accumulate_grad_hook(self.arrived)", "while self.sent < len(self.buckets):\n    self.send()"  # fmt: skip
# fmt: off
bucketing.wrongs(
    ("from the first", {_EACH: "for param in [p for p in parameters if p.requires_grad]:"}, "the buckets begin with the first Parameter; the last one's gradient arrives first, so begin there"),
    ("one each", {_FULL: "if True:"}, "each Parameter has a bucket to itself"),
    ("all in one", {_FULL: "if not self.buckets:"}, "all Parameters are in one bucket; `room` is the limit"),
    ("counts Parameters", {_TAKE: "left -= 1"}, "`room` is compared with the number of Parameters, not with the number of their numbers"),
    ("one too many", {_FULL: "if not self.buckets or left <= 0:"}, "a bucket takes one more Parameter although it doesn't fit; test that before"),
    ("not quite full", {_FULL: "if not self.buckets or param.numel() >= left:"}, "a Parameter that would just fit gets a new bucket"),
    ("frozen ones too", {_EACH: "for param in reversed(list(parameters)):", _HOOK: f"if param.requires_grad:\n    {_HOOK}"}, "a Parameter that doesn't require a gradient is in a bucket, which then waits for it"),
    ("the first hole", {_FULL: "hole = [b for b in self.buckets if sum(p.numel() for p in b) + param.numel() <= room]\nif hole:\n    hole[0].append(param)\n    param.register_post_accumulate_grad_hook(self.arrived)\n    continue\nif True:"}, "a Parameter goes into an earlier bucket that has room; only the latest one counts, so that the buckets keep the order in which gradients arrive"),
    ("out of order", {_WHILE + "\n    self.send()": "for number, bucket in enumerate(self.buckets):\n    if param in bucket and self.ready.issuperset(bucket):\n        before, self.sent = self.sent, number\n        self.send()\n        self.sent = before + 1"}, "a bucket is sent as soon as it's full, even if one before it isn't; the replicas would then send different ones"),
    ("one at a time", {_WHILE: _WHILE.replace("while", "if")}, "when a bucket was sent, the next one isn't looked at, although it may be full already"),
    ("only at the end", {_WHILE: "while len(self.ready) == sum(map(len, self.buckets)) and self.sent < len(self.buckets):"}, "nothing is sent until all gradients are there; send each bucket as soon as it's full"),
    ("never in backward", {_WHILE + "\n    self.send()": "pass"}, "nothing is sent before `finish`"),
    ("any of them", {_WHILE: "while self.sent < len(self.buckets) and self.ready.intersection(self.buckets[self.sent]):"}, "a bucket is sent when one of its gradients is there; wait for all of them"),
    ("twice is fine", {_TWICE: "if False:"}, "a second gradient in one pass is accepted, although the first one may have been sent already"),
    ("not weighted", {_CAT: _CAT.replace("self.share * ", "")}, "the share isn't used"),
    ("weights the ones too", {_CAT: "message = self.share * nbmodule.cat([*[g.flatten() for g in grads], known])"}, "the last numbers, 1 or 0, are multiplied by the share as well"),
    ("the mean", {_SET: "param.grad = piece.view(param.shape).to(param.dtype) / self.world.size"}, "the sum is divided by the number of replicas; the shares add up to 1 already"),
    ("zeros for nobody", {_IF: "if True:"}, "a Parameter without a gradient in any replica gets zeros; its `grad` should stay None"),
    ("only where there was one", {_IF: "if param.grad is not None:"}, "a Parameter that this replica didn't use keeps None, even if others have a gradient for it"),
    ("left out", {_GRADS: "bucket = [p for p in bucket if p.grad is not None]\ngrads = [p.grad for p in bucket]"}, "a Parameter without a gradient is left out of the message, so the messages of the replicas have different lengths"),
    ("always known", {_KNOWN: "known = tensor([1.0 for p in bucket])"}, "the last numbers are always 1; they say whether there is a gradient"),
    ("known first", {_CAT: _CAT.replace("[*[", "[known, *[").replace(", known]", "]"), "*pieces, known = total.split([*[p.numel() for p in bucket], len(bucket)])": "known, *pieces = total.split([len(bucket), *[p.numel() for p in bucket]])"}, "the ones and zeros come first in the message; they should be last"),
    ("flat", {_SET: "param.grad = piece.to(param.dtype)", _IF: "if has_grad and param.dim() == 1:"}, "only a Parameter with one dimension gets its sum; use `view` to give the others their shape"),
    ("wrong places", {"for param, piece, has_grad in zip(bucket, pieces, known):": "for param, piece, has_grad in zip(bucket, sorted(pieces, key=len), known):"}, "the pieces go to the wrong Parameters; keep the order of the bucket"),
    ("finish sends one", {_FINISH: "if self.sent < len(self.buckets):\n    self.send()"}, "`finish` sends one bucket; send all that are left"),
    ("finish sends all", {_FINISH: "self.sent = 0\nwhile self.sent < len(self.buckets):\n    self.send()"}, "`finish` also sends the buckets that were sent already"),
    ("finish does nothing", {_FINISH: "pass"}, "`finish` doesn't send anything"),
    ("finish looks", {_FINISH: "while self.sent < len(self.buckets) and any(p.grad is not None for p in self.buckets[self.sent]):\n    self.send()"}, "`finish` doesn't send buckets without a gradient, but another replica may have one and wait"),
    ("no start", {"self.start(1 / world.size)": "self.start(1.0)"}, "at first, the share isn't 1 / `world.size`"),
)
# fmt: on

# ---- B.4

wrapping = Exercise(
    "B.4",
    title="A Module around a Module",
    takes=("DistributedDataParallel",),
    minutes=20,
    importance="useful",
    writes=("DistributedDataParallel",),
    hints=(
        "`super().__init__()` comes first. `take_first` is a loop over tensors, and `__init__` and `forward` both use it.",
        "`self.world.broadcast(each.detach().numpy())` is what replica 0 has, as an array, and in `nbmodule.no_grad()` a Parameter may be overwritten with `copy_`. For the rows: `self.world.allreduce(np.array([rows])).item()`.",
        "`take_first`: `with nbmodule.no_grad():` and in it `for each in tensors: each.copy_(tensor(self.world.broadcast(each.detach().numpy())))`. "
        "`forward`: `self.buckets.start(rows / self.world.allreduce(np.array([rows])).item())`, then `self.take_first(self.module.buffers())`, both only if `nbmodule.is_grad_enabled()`.",
    ),
)
_D, _MADE = "DistributedDataParallel", "net = Net(); w = Others(6); m = DistributedDataParallel(net, w)"  # fmt: skip
wrapping.compare_uses(
    "all replicas begin with the values of replica 0",
    uses(
        *(f"{_MADE}; {seen}" for seen in ("w.log", "net.w, net.v, net.mean, net.count", "m.module is net, m.world is w", "list(m.state_dict())", "[each.requires_grad for each in net.parameters()]", "named(m.buckets)", "len(m.buckets.buckets)", "net.count.dtype, net.count.shape")),
        "net = Net(); before = [net.w, net.v, net.mean]; m = DistributedDataParallel(net, Others(6)); [a is b for a, b in zip(before, [net.w, net.v, net.mean])], net.w.is_leaf",
        "net = Net(); view = net.w.detach(); m = DistributedDataParallel(net, Others(6)); view",
        "net = Net(); net.v.requires_grad_(False); w = Others(6); m = DistributedDataParallel(net, w, 1); len(m.buckets.buckets), w.log",
        *(f"m = {_D}(Net(), Others(6), {room}); len(m.buckets.buckets)" for room in ("1", "room=2", "room=3")),
        "net = Net(); m = DistributedDataParallel(net, Others(6)); m.take_first([p, d]); p, d",
        "net = Net(); net.register_buffer('table', tensor([7.0]), persistent=False); DistributedDataParallel(net, Others(6)); net.table",
    ),
)  # fmt: skip
wrapping.compare_uses(
    "a call returns what the module returns, and learns its share",
    uses(
        *(f"{_MADE}; y = m(x); {seen}" for seen in ("y", "w.log[4:]", "m.buckets.share", "net.mean, net.count")),
        f"{_MADE}; m(x, False)",
        f"{_MADE}; net.register_forward_hook(lambda module, inputs, output: output * 2); m(x)",
        f"{_MADE}; m(x[:1]); m.buckets.share",
        f"{_MADE}; m(x); m(x[:1]); m.buckets.share, w.log[4:]",
        f"{_MADE}; m.eval(); m(x); len(w.log)",
        f"{_MADE}; quiet(lambda: m(x)), len(w.log), m.buckets.share",
        f"{_MADE}; m.train(False); net.training",
    ),
)  # fmt: skip
wrapping.compare_uses(
    "gradients are sent in `backward`, and the rest in `finish`",
    uses(
        f"{_MADE}; m(x).sum().backward(); w.log[7:], net.w.grad, net.v.grad",
        f"{_MADE}; m(x, False).sum().backward(); one = len(w.log); m.finish(); [one, len(w.log)], net.w.grad, net.v.grad",
        f"{_MADE}; m(x).sum().backward(); m.finish(); len(w.log)",
        f"{_MADE}; m(x).sum().backward(); m(x).sum().backward(); net.w.grad, len(w.log)",
        "in_two(DistributedDataParallel, Net)",
    ),
)  # fmt: skip
_COPY = "each.copy_(tensor(self.world.broadcast(each.detach().numpy())))"
_FIRST = "self.take_first([*module.parameters(), *module.buffers()])"
_START = "self.buckets.start(rows / self.world.allreduce(np.array([rows])).item())"
_BUFFERS, _GRAD = "self.take_first(self.module.buffers())", "if nbmodule.is_grad_enabled():"
_MAKE = "self.buckets = Buckets(module.parameters(), world, room)"
# fmt: off
wrapping.wrongs(
    ("no first values", {_FIRST: "pass"}, "the replicas keep the values that they began with; take those of replica 0"),
    ("no buffers at first", {_FIRST: "self.take_first(module.parameters())"}, "at the start, only the Parameters are taken from replica 0; take the buffers too"),
    ("from the state_dict", {_FIRST: "self.take_first(module.state_dict().values())"}, "a buffer that isn't saved keeps its own values: the `state_dict` leaves it out, and `buffers()` doesn't"),
    ("buffers only", {_FIRST: "self.take_first(module.buffers())"}, "at the start, only the buffers are taken from replica 0; take the Parameters too"),
    ("buffers first", {_FIRST: "self.take_first([*module.buffers(), *module.parameters()])"}, "the buffers are sent before the Parameters; all replicas must send in the same order, Parameters first"),
    ("the answer is dropped", {_COPY: "self.world.broadcast(each.detach().numpy())"}, "what replica 0 has is dropped; copy it into the tensor"),
    ("added up", {_COPY: "each.copy_(tensor(self.world.allreduce(each.detach().numpy())))"}, "the values of all replicas are added up; `broadcast` returns those of replica 0"),
    ("other memory", {_COPY: "each.data = tensor(self.world.broadcast(each.detach().numpy()))"}, "the tensor gets another piece of memory, so a view of it keeps the old values; use `copy_`"),
    ("frozen ones left out", {_FIRST: "self.take_first([*[p for p in module.parameters() if p.requires_grad], *module.buffers()])"}, "frozen Parameters keep their own values; they must be the same in all replicas as well"),
    ("room ignored", {_MAKE: "self.buckets = Buckets(module.parameters(), world, 100_000)"}, "`room` isn't passed on to the buckets"),
    ("shares never set", {_START: "self.buckets.start(1 / self.world.size)"}, "every replica counts the same; the share is this replica's part of all rows"),
    ("only its own rows", {_START: "self.world.allreduce(np.array([rows]))\nself.buckets.start(1.0)"}, "the share is 1 in every replica; it's this replica's part of all rows"),
    ("upside down", {_START: "self.buckets.start(self.world.allreduce(np.array([rows])).item() / rows)"}, "the share is upside down: its own rows, divided by all rows"),
    ("no start", {_START: "self.world.allreduce(np.array([rows]))"}, "`self.buckets.start` isn't called, so a second pass finds the marks of the first"),
    ("buffers never again", {_BUFFERS: "pass"}, "the buffers are taken from replica 0 at the start only; take them before each pass, because each replica changes its own"),
    ("everything again", {_BUFFERS: "self.take_first([*self.module.parameters(), *self.module.buffers()])"}, "the Parameters are sent before each pass; after equal steps, they're equal already"),
    ("always", {_GRAD: "if True:"}, "messages are sent although no gradients are recorded, so one replica alone can't be evaluated"),
    ("in training mode", {_GRAD: "if self.training:"}, "this looks at the mode; what counts is whether gradients are recorded, `nbmodule.is_grad_enabled()`"),
    ("rows of the second", {"return self.module(*inputs)": "return self.module(inputs[0])"}, "only the first input is passed on"),
    ("past the hooks", {"return self.module(*inputs)": "return self.module.forward(*inputs)"}, "the hooks of the module don't run; call the module, not its `forward`"),
    ("returns nothing", {"return self.module(*inputs)": "self.module(*inputs)"}, "a call returns None"),
    ("finish forgotten", {"self.buckets.finish()": "pass"}, "`finish` doesn't send the rest"),
    ("buffers before rows", {f"{_START}\n": "", _BUFFERS: f"{_BUFFERS}\n{_START}"}, "the buffers are sent before the numbers of rows; the order is part of what all replicas agree on"),
)
# fmt: on
