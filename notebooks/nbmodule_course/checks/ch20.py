"""Chapter 20: three Linears that are one, a network for small pictures, and a table of mistakes."""

from __future__ import annotations

from ..exercise import Exercise
from .transfers import uses

# ---- 20.1

merging = Exercise(
    "20.1",
    title="How many layers are there?",
    takes=("collapsed",),
    minutes=12,
    importance="useful",
    writes=("collapsed",),
    hints=(
        "Put the first formula into the second one: `(x @ w1.T + b1) @ w2.T + b2`. Multiply it out. What stands next to x, and what stands alone?",
        "Next to x there's `w1.T @ w2.T`, which is `(w2 @ w1).T`. Alone, there's `b1 @ w2.T + b2`, which is `w2 @ b1 + b2` as well. Go through the layers like this, one at a time.",
        "`weight, bias = layer.weight @ weight, layer.weight @ bias + layer.bias` for each layer but the first. Copy both into a new `MyLinear(…)`, inside `nbmodule.no_grad()`.",
    ),
)
merging.compare_uses(
    "the weight and the bias of two layers, and of more",
    uses(
        "told(collapsed(filled(nn.Linear(2, 3)), filled(nn.Linear(3, 4))))",
        "told(collapsed(filled(nn.Linear(2, 2)), filled(nn.Linear(2, 2))))",
        "told(collapsed(filled(nn.Linear(3, 1)), filled(nn.Linear(1, 2)), filled(nn.Linear(2, 3))))",
        "told(collapsed(*[filled(nn.Linear(2, 2)) for _ in range(4)]))",
        "told(collapsed(filled(nn.Linear(3, 2))))",
    ),
)
merging.compare_uses(
    "it gives the same results, in the dtype of the layers",
    uses(
        "a, b = filled(nn.Linear(2, 3)), filled(nn.Linear(3, 4)); nbmodule.allclose(collapsed(a, b)(x), b(a(x)))",
        "a, b = filled(nn.Linear(2, 3)).double(), filled(nn.Linear(3, 4)).double(); told(collapsed(a, b))",
        "a = filled(nn.Linear(2, 3)).double(); str(collapsed(a).weight.dtype)",
    ),
)
merging.compare_uses(
    "the old layers stay as they are, and share nothing with the new one",
    uses(
        "a, b = filled(nn.Linear(2, 2)), filled(nn.Linear(2, 2)); collapsed(a, b); [told(a), told(b)]",
        "a = filled(nn.Linear(2, 2)); m = collapsed(a); m is a, m.weight is a.weight",
        "a = filled(nn.Linear(2, 2)); m = collapsed(a); nn.init.zeros_(m.weight); a.weight.tolist()",
        "a, b = filled(nn.Linear(2, 2)), filled(nn.Linear(2, 2)); collapsed(a, b)(x).sum().backward(); [a.weight.grad, b.weight.grad]",
    ),
)
_STEP = "weight, bias = layer.weight @ weight, layer.weight @ bias + layer.bias"
# fmt: off
merging.wrongs(
    ("biases added", {_STEP: "weight, bias = layer.weight @ weight, bias[:1].sum() * 0 + layer.bias"}, "the earlier biases are lost; each goes through the weights of the layers after it"),
    ("last bias lost", {_STEP: "weight, bias = layer.weight @ weight, layer.weight @ bias"}, "only the first layer's bias is used; each layer adds its own"),
    ("the first two", {"for layer in layers[1:]:": "for layer in layers[1:2]:"}, "only the first two layers are collapsed; go through all of them"),
    ("the first layer twice", {"for layer in layers[1:]:": "for layer in layers:"}, "the first layer is used twice; the loop begins with the second one"),
    ("single precision", {".to(weight.dtype)": ""}, "the new layer is float32 although the old ones are float64"),
    ("bias left at random", {"single.bias.copy_(bias)": "pass"}, "the new layer's bias is what the layer began with; copy the one that you worked out"),
    ("weight left at random", {"single.weight.copy_(weight)": "pass"}, "the new layer's weight is what the layer began with; copy the one that you worked out"),
    ("nothing returned", {"return single": "pass"}, "nothing is returned; return the new layer"),
    ("memory shared", {"single.weight.copy_(weight)": "single.weight.data = weight.detach()", "single.bias.copy_(bias)": "single.bias.data = bias.detach()"}, "when there's one layer only, the new Parameters share their memory with the old ones; copy the numbers"),
    ("the first layer itself", {"single = MyLinear(weight.shape[1], weight.shape[0]).to(weight.dtype)": "single = layers[0]", "single.weight.copy_(weight)": "single.weight.data, single.out_features = weight.detach(), weight.shape[0]", "single.bias.copy_(bias)": "single.bias.data = bias.detach()"}, "the first layer itself is changed; create a new one"),
)
# fmt: on

# ---- 20.2

zebra = Exercise(
    "20.2",
    title="ZebraNet",
    takes=("ZebraNet",),
    minutes=20,
    writes=("initialize", "ZebraNet"),
    hints=(
        "The three rounds differ in two numbers only: the channels before and after. Which layers does each round have, and where does the pool come?",
        "Collect the layers in a list, and pass it as `layers.Sequential(*parts)`. In `initialize`, `module.named_parameters(recurse=False)` gives the names and the Parameters of this Module alone. `self.apply(initialize)` calls it for every Module.",
        "`features` is `self.avgpooling(self.convpart(x)).flatten(1)`. In `initialize`: `init.normal_(param, std=math.sqrt(2 / param[0].numel()))` if `param.dim() > 1`, and otherwise `init.constant_(param, 1.0)` or `0.0`, depending on the name.",
    ),
)
zebra.compare_uses(
    "its layers, in their order",
    uses(
        "parts(ZebraNet(layers))",
        "parts(ZebraNet(layers, 5))",
        "parts(ZebraNet(layers=layers, num_classes=3))[-1]",
        "net = ZebraNet(layers); [type(part) is getattr(layers, type(part).__name__) for part in [*net.convpart, net.avgpooling, net.classifier]]",
        "net = ZebraNet(layers); tuple(net.convpart[3](nbmodule.zeros(1, 8, 14, 14)).shape), tuple(net.avgpooling(nbmodule.zeros(1, 32, 7, 7)).shape)",
    ),
)
_SOME = "x = nbmodule.linspace(0, 1, 392).reshape(2, 1, 14, 14)"
zebra.compare_uses(
    "`features` and `forward`",
    uses(
        f"{_SOME}; net = filled(ZebraNet(layers)).eval(); net.features(x)[:, ::48]",
        f"{_SOME}; net = filled(ZebraNet(layers, 2)).eval(); net(x)",
        f"{_SOME}; tuple(ZebraNet(layers)(x).shape), tuple(ZebraNet(layers, 3).features(x).shape)",
        f"{_SOME}; net = filled(ZebraNet(layers, 2)).eval(); [nbmodule.equal(net(x), net.classifier(net.features(x))), len(net(x[:1]))]",
        "tuple(ZebraNet(layers)(nbmodule.zeros(2, 1, 28, 20)).shape)",
        f"{_SOME}; net = ZebraNet(layers); net.classifier = net.avgpooling; tried(lambda: net.features(x))",
    ),
)
zebra.compare_uses(
    "`initialize` fills one Module's Parameters",
    uses(
        "layer = nn.Linear(50, 400); initialize(layer); spread(layer.weight), layer.bias.unique()",
        "layer = nn.Linear(2, 9000); initialize(layer); spread(layer.weight)",
        "layer = nn.Conv2d(2, 300, 5); initialize(layer); spread(4 * layer.weight), layer.bias.unique()",
        "layer = nn.Conv2d(8, 300, 1); initialize(layer); spread(layer.weight)",
        "layer = filled(nn.BatchNorm2d(3)); initialize(layer); layer.weight, layer.bias",
        "layer = filled(nn.Linear(2, 2, bias=False)); tried(lambda: initialize(layer))",
        "tried(lambda: initialize(nn.ReLU()))",
        "layer = filled(nn.Linear(2, 2)); initialize(nn.Sequential(layer)); layer.weight.tolist()",
        "layer = filled(nn.Linear(2, 2)); initialize(layer); learns(layer)",
    ),
)
zebra.compare_uses(
    "ZebraNet applies it",
    uses(
        "net = ZebraNet(layers); spread(4 * net.convpart[7].weight), 0.3 < net.convpart[0].weight.std().item() < 0.7",
        "spread(2 * ZebraNet(layers, 100).classifier.weight)",
        "ZebraNet(layers).classifier.bias",
        "net = ZebraNet(layers); net.convpart[5].weight.unique(), net.convpart[5].bias.unique()",
    ),
)
_CONV = "parts.append(layers.Conv2d(before, after, 3, padding=1, bias=False))"
_STD = "init.normal_(param, std=math.sqrt(2 / param[0].numel()))"
_FEATURES = "return self.avgpooling(self.convpart(x)).flatten(1)"
# fmt: off
zebra.wrongs(
    ("a bias in the convolutions", {_CONV: _CONV.replace(", bias=False", "")}, "the convolutions have a bias; the norm after each one subtracts the mean, so it would do nothing"),
    ("no padding", {_CONV: _CONV.replace("padding=1, ", "")}, "the convolutions have no padding, so each takes a border of one pixel away"),
    ("a pool after each", {"layers.MaxPool2d(2), *parts[3:]": "layers.MaxPool2d(2), *parts[3:6], layers.MaxPool2d(2), *parts[6:], layers.MaxPool2d(2)"}, "there's a pool after each convolution; it comes after the first three layers only"),
    ("the library's", {_CONV: _CONV.replace("layers.Conv2d", "nn.Conv2d")}, "the convolutions aren't taken from `layers`; take every layer from there"),
    ("a pool at the end", {"*parts[:3], layers.MaxPool2d(2), *parts[3:]": "*parts, layers.MaxPool2d(2)"}, "the pool comes at the end; put it after the first ReLU"),
    ("no pool", {"layers.MaxPool2d(2), ": ""}, "the `MaxPool2d(2)` after the first three layers is missing"),
    ("no ReLU", {"parts += [layers.BatchNorm2d(after), layers.ReLU()]": "parts += [layers.BatchNorm2d(after), layers.Identity()]"}, "there's no ReLU, so this network has the flaw of the printed one"),
    ("ReLU before the norm", {"[layers.BatchNorm2d(after), layers.ReLU()]": "[layers.ReLU(), layers.BatchNorm2d(after)]"}, "the ReLU comes before the norm; put the norm first"),
    ("always ten classes", {"layers.Linear(288, num_classes)": "layers.Linear(288, 10)"}, "`num_classes` is ignored"),
    ("view of the batch", {_FEATURES: _FEATURES.replace("flatten(1)", "flatten()")}, "`flatten()` puts all pictures into one row; `flatten(1)` keeps a row for each"),
    ("no average pool", {_FEATURES: "return self.convpart(x)[:, :, 1:6:2, 1:6:2].flatten(1)"}, "`features` leaves out `avgpooling`"),
    ("probabilities", {"return self.classifier(self.features(x))": "return self.classifier(self.features(x)).softmax(1)"}, "`forward` returns probabilities; return what the classifier returns, because that's what `cross_entropy` takes"),
    ("applied too early", {"self.classifier = layers.Linear(288, num_classes)\n        self.apply(initialize)": "self.apply(initialize)\nself.classifier = layers.Linear(288, num_classes)"}, "`initialize` doesn't reach the classifier; call `apply` when all three children are there"),
    ("not initialized", {"self.apply(initialize)": "pass"}, "`initialize` doesn't reach the layers; end `__init__` with `self.apply(initialize)`"),
    ("one instead of two", {_STD: _STD.replace("2 /", "1 /")}, "the standard deviation is √(1 / n); the 2 makes up for what the ReLU drops"),
    ("no root", {_STD: "init.normal_(param, std=2 / param[0].numel())"}, "the standard deviation is 2 / n; take the square root"),
    ("outputs counted", {_STD: _STD.replace("param[0].numel()", "len(param)")}, "n is the number of outputs here; count the products in one output, `param[0].numel()`"),
    ("channels counted", {_STD: _STD.replace("param[0].numel()", "param.shape[1]")}, "n leaves out the kernel's rows and columns; `param[0].numel()` counts everything"),
    ("uniform", {_STD: "init.uniform_(param, -math.sqrt(2 / param[0].numel()), math.sqrt(2 / param[0].numel()))"}, "the numbers are uniform between ±√(2 / n), so their standard deviation is smaller than that"),
    ("norms of zeros", {"1.0 if name == \"weight\" else 0.0": "0.0"}, "a norm's weight is 0, so it lets nothing through; fill it with ones"),
    ("biases of ones", {"1.0 if name == \"weight\" else 0.0": "1.0"}, "the biases are 1; fill them with zeros"),
    ("biases as they come", {"else:": 'elif name == "weight":'}, "the biases stay as they were; fill them with zeros"),
    ("its children's too", {"recurse=False": "recurse=True"}, "`initialize` fills the children's Parameters as well, and `apply` calls it for each of them anyway"),
)
# fmt: on

# ---- 20.3

counting = Exercise(
    "20.3",
    title="A table of mistakes",
    takes=("confusion",),
    minutes=6,
    importance="useful",
    writes=("confusion",),
    hints=(
        "Begin with a table of zeros. What changes in it for one picture?",
        "`nbmodule.zeros(n, n, dtype=nbmodule.int64)` is the table. Go through the pairs of both lists with `zip`. (`table[truth, guesses] += 1` in a single line adds only once where a pair occurs twice.)",
        "`for row, column in zip(truth.tolist(), guesses.tolist()): table[row, column] += 1`.",
    ),
)
_A, _B = "tensor([0, 0, 1, 2, 2, 2])", "tensor([0, 1, 1, 0, 0, 2])"
counting.compare_uses(
    "each pair is counted in its row and column",
    uses(
        f"confusion({_A}, {_B}, 3)",
        f"confusion({_B}, {_A}, 3)",
        "confusion(tensor([1, 1, 1]), tensor([0, 0, 0]), 2)",
        "confusion(tensor([0]), tensor([0]), 1)",
    ),
)
counting.compare_uses(
    "the table has integers, and all its classes",
    uses(
        f"confusion({_A}, {_B}, 5)",
        f"str(confusion({_A}, {_B}, 3).dtype)",
        f"tuple(confusion({_A}, {_B}, 4).shape)",
        "confusion(tensor([], dtype=nbmodule.int64), tensor([], dtype=nbmodule.int64), 2)",
        f"t, g = {_A}, {_B}; confusion(t, g, 3); t, g",
    ),
)
_ADD = "table[row, column] += 1"
_LOOP = "for row, column in zip(truth.tolist(), guesses.tolist()):\n    table[row, column] += 1"
# fmt: off
counting.wrongs(
    ("guesses as rows", {_ADD: "table[column, row] += 1"}, "rows and columns are exchanged; the truth chooses the row"),
    ("added once", {_LOOP: "table[truth, guesses] += 1"}, "a pair that occurs twice is counted once, because `table[i, j] += 1` on index tensors adds only one of them; count the pairs one at a time"),
    ("one row many times", {"table = nbmodule.zeros(num_classes, num_classes, dtype=nbmodule.int64)": "table = [[0] * num_classes] * num_classes", _ADD: "table[row][column] += 1", "return table": "return tensor(table)"}, "each row has the counts of all classes together (in Python, `[[0] * n] * n` is the same row n times)"),
    ("hits only", {_ADD: "table[row, column] += row == column"}, "only the right guesses are counted"),
    ("mistakes only", {_ADD: "table[row, column] += row != column"}, "only the mistakes are counted; the right guesses belong on the diagonal"),
    ("floats", {", dtype=nbmodule.int64": ""}, "the table has floats; counts are integers"),
    ("shares", {"return table": "return table / table.sum(1, keepdim=True)"}, "these are shares of each row; return the counts"),
    ("classes that occur", {"nbmodule.zeros(num_classes, num_classes, ": "nbmodule.zeros(*[max([*truth.tolist(), *guesses.tolist()], default=0) + 1] * 2, "}, "the table is as large as the highest class that occurs; `num_classes` says how large"),
)
# fmt: on
