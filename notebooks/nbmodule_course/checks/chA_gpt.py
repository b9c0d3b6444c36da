"""Appendix A, the model: tied tables, a loss near ln(vocabulary), and what it writes."""

from __future__ import annotations

from ..exercise import Exercise
from .attending import uses

# ---- A.4

gpt = Exercise(
    "A.4",
    title="GPT",
    takes=("GPT",),
    minutes=18,
    writes=("GPT",),
    hints=(
        "A row of a table is fetched by indexing: what's the shape of `self.tokens[index]` if `index` has the shape (N, T)?",
        "For the tie, assign the Parameter itself: `self.head.weight = self.tokens`. In `reset_parameters`, `named_parameters()` lists it once. In `forward`, the positions are the first T rows of their table.",
        "`x = self.tokens[index] + self.positions[:T]`, then `return self.head(self.norm(self.blocks(x)))`. The blocks are `Sequential(*(Block(embed_dim, num_heads, length, dropout) for _ in range(depth)))`.",
    ),
)
_G = "GPT(5, 3, 4, 2, 1)"
gpt.compare_uses(
    "its parts; one Parameter has two names",
    uses(
        f"sorted((name, tuple(p.shape)) for name, p in {_G}.named_parameters() if 'blocks' not in name)",
        "[name.split('.')[1] for name, _ in GPT(5, 3, 4, 2, 3).named_parameters() if name.endswith('qkv.bias')]",
        f"sorted({_G}.state_dict())",
        "model = GPT(5, 3, 4, 2, 0); model.head.weight is model.tokens",
        f"model = {_G}; [model.length, model.head.bias, list(model.named_buffers())[0][0]]",
        "model = GPT(5, 3, 4, 2, 2, 0.25); sorted({(name.rpartition('.')[2], m.p) for name, m in model.named_modules() if name.endswith('dropout')})",
        "model = GPT(5, 3, 4, 2, 2); model.blocks[0] is model.blocks[1]",
        "len(list(GPT(5, 3, 4, 2, 0).parameters()))",
    ),
)
gpt.compare_uses(
    "its first numbers",
    uses(
        f"drawn({_G})",
        f"[p.tolist() for name, p in {_G}.named_parameters() if p.dim() == 1]",
        "model = GPT(60, 50, 8, 2, 0); [round(p.std().item(), 2) for p in (model.tokens, model.positions)]",
        f"model = {_G}; old = model.tokens; model.reset_parameters(); model.tokens is old, model.head.weight is old",
        f"model = filled({_G}); model.norm.weight.data.fill_(3.0); model.reset_parameters(); model.norm.weight.tolist()",
    ),
)
gpt.compare_uses(
    "`__init__` calls `reset_parameters` at its end",
    uses("seen = []; Sub = type('Sub', (GPT,), {'reset_parameters': lambda self: seen.append(sorted(self.state_dict()))}); Sub(5, 3, 4, 2, 1); seen"),
)  # fmt: skip
gpt.compare_uses(
    "the scores",
    uses(
        f"filled({_G})(index)",
        f"filled({_G})(index[:1, :2])",
        "filled(GPT(5, 4, 4, 2, 2))(index)",
        "filled(GPT(6, 4, 6, 3, 0))(index)",
        "tuple(GPT(7, 3, 4, 2, 0)(index).shape)",
        f"sorted({{*called(filled({_G}), index)}} - {{'blocks'}})",
        f"model = filled({_G}); slope(model(index), model.tokens)",
        f"model = filled({_G}); slope(model(index[:, :2]), model.positions)",
    ),
)
gpt.compare_uses(
    "too many tokens are refused",
    uses(
        "tried(lambda: GPT(5, 2, 4, 2, 0)(index))",
        "tried(lambda: GPT(5, 1, 4, 2, 0)(index))",
        "tried(lambda: GPT(5, 3, 4, 2, 0)(index))",
    ),
)
_TIE, _RESET = "self.head.weight = self.tokens", "self.reset_parameters()"
_TOKENS, _SUM = "self.tokens = Parameter(nbmodule.empty(vocabulary, embed_dim))", "self.tokens[index] + self.positions[:T]"  # fmt: skip
_BLOCKS = "self.blocks = Sequential(*(Block(*sizes) for _ in range(depth)))"
_LONG, _DRAW, _ZERO = (
    "if T > self.length:",
    "init.normal_(p, std=0.02)",
    'elif name.endswith("bias"):',
)
_RESULT = "self.head(self.norm(self.blocks(x)))"
# fmt: off
gpt.wrongs(
    ("not tied", {_TIE: ""}, "`head.weight` and `tokens` are two Parameters, and each goes its own way from the first step; assign the one to the other"),
    ("the same memory", {_TIE: "self.head.weight.data = self.tokens.data"}, "`head.weight` is a second Parameter, although it has the memory of `tokens`, and an optimizer would take two steps; assign `tokens` itself"),
    ("a bias", {"vocabulary, bias=False)": "vocabulary)"}, "`head` has a bias; pass `bias=False`"),
    ("no positions", {_SUM: "self.tokens[index]"}, "the positions aren't added, so the model hardly knows the order"),
    ("last positions", {_SUM: "self.tokens[index] + self.positions[-T:]"}, "with fewer than `length` tokens, the *last* rows of `positions` are added; take the first T"),
    ("positions by token", {_SUM: "self.tokens[index] + self.positions[index % self.length]"}, "the row of `positions` is chosen by the token; choose it by the place"),
    ("one block", {_BLOCKS: "block = Block(*sizes)\nself.blocks = Sequential(*([block] * depth))"}, "all blocks are one object; create a new one for each"),
    ("no norm", {_RESULT: "self.head(self.blocks(x))"}, "`norm` isn't used"),
    ("norm first", {_RESULT: "self.head(self.blocks(self.norm(x)))"}, "`norm` comes before the blocks; it comes after them"),
    ("chances", {_RESULT: "self.head(self.norm(self.blocks(x))).softmax(-1)"}, "the result is chances; return the scores, since `cross_entropy` takes those"),
    ("never called", {"self.head.weight = self.tokens\nself.reset…": f"{_TIE}\ninit.zeros_(self.tokens)\ninit.zeros_(self.positions)"}, "`__init__` doesn't call `reset_parameters`"),
    ("called too early", {"self.norm = MyLayerNorm(embed_dim)": f"{_RESET}\nself.norm = MyLayerNorm(embed_dim)", f"{_TIE}\n{_RESET}": _TIE}, "`reset_parameters` is called before everything is there; call it at the end of `__init__`"),
    ("large numbers", {_DRAW: "init.normal_(p)"}, "the numbers have a standard deviation of 1; it's 0.02"),
    ("a mean of 0.02", {_DRAW: "init.normal_(p, 0.02)"}, "0.02 is used as the mean, and the standard deviation is 1; write `std=0.02`"),
    ("norms drawn", {"if p.dim() == 2:": 'if not name.endswith("bias"):'}, "the weights of the norms are drawn as well; leave them as they are, since they have one dimension"),
    ("biases stay", {f"{_ZERO}\n    init.zeros_(p)": ""}, "the biases keep the numbers that they're created with; fill them with zeros"),
    ("norms zeroed", {_ZERO: "else:"}, "the weights of the norms become zeros, so the model returns 0; only a Parameter whose name ends in `bias` does"),
    ("norms redrawn", {_ZERO: "else:\n    init.ones_(p)\nif name.endswith('bias'):"}, "the weights of the norms become ones; leave them as they are"),
    ("too long", {_LONG: "if False:"}, "more than `length` tokens don't raise a ValueError"),
    ("one too few", {_LONG: "if T >= self.length:"}, "`length` tokens are refused, but they fit"),
    ("dropout not passed", {"sizes = embed_dim, num_heads, length, dropout": "sizes = embed_dim, num_heads, length"}, "`dropout` isn't passed to the blocks"),
)
# fmt: on

# ---- A.5

writing = Exercise(
    "A.5",
    title="generate",
    takes=("GPT",),
    minutes=12,
    writes=("GPT",),
    keeps=("A.4",),
    hints=(
        "One turn of the loop asks, draws and appends. `index[:, -5:]` are the last five columns, or all of them if there are fewer.",
        "`evaluate(self, …)` calls the model in eval mode, records nothing, and restores every mode. Its result has the shape (N, T, vocabulary), and `[:, -1]` is the last place.",
        "`chances = (scores / temperature).softmax(-1)`, `drawn = nbmodule.multinomial(chances, 1, generator=generator)`, and `index = nbmodule.cat([index, drawn], 1)`.",
    ),
)
_M = "model = filled(GPT(5, 3, 4, 2, 0))"
writing.compare_uses(
    "what it writes",
    uses(
        f"{_M}; model.generate(index, 1)",
        f"{_M}; model.generate(index, 5)",
        f"{_M}; model.generate(index[:, :1], 4)",
        f"{_M}; model.generate(index, 0)",
        f"{_M}; model.generate(index, 6, 0.25)",
        f"{_M}; model.generate(index, count=6, temperature=4)",
        f"{_M}; model.generate(index, 3); index",
        "model = filled(GPT(5, 3, 4, 2, 1)); model.generate(index, 4)",
    ),
)
writing.compare_uses(
    "what it asks the model: the last `length` tokens, in eval mode, without recording",
    uses(
        f"{_M}; asked(model, index[:, :1], 4)",
        f"{_M}; asked(model, tensor([[0, 1, 2, 3, 4]]), 2)",
        f"{_M}.eval(); asked(model, index, 2)",
        f"{_M}; asked(model, index, 0)",
        "model = filled(GPT(5, 1, 4, 2, 0)); asked(model, index[:1], 2)",
    ),
)
writing.compare_uses(
    "afterwards, every mode is as before",
    uses(
        f"{_M}; model.generate(index, 1); modes(model)",
        f"{_M}.eval(); model.generate(index, 1); modes(model)",
        f"{_M}; model.blocks.eval(); model.generate(index, 2); modes(model)",
        f"{_M}.eval(); model.norm.train(); model.generate(index, 2); modes(model)",
        f"{_M}; tried(lambda: model.generate(index + 9, 1)), modes(model)",
        f"{_M}; model.generate(index, 1); nbmodule.is_grad_enabled()",
    ),
)
writing.compare_uses(
    "its generator and its temperature",
    uses(
        f"{_M}; model.generate(index, 6, generator=nbmodule.Generator().manual_seed(5))",
        f"{_M}; before = nbmodule.get_rng_state(); model.generate(index, 2, generator=nbmodule.Generator()); bool((before == nbmodule.get_rng_state()).all())",
        *(f"{_M}; tried(lambda: model.generate(index, 2, {temperature}))" for temperature in ("0", "-1.0", "0.001", "float('nan')")),
        f"{_M}; tried(lambda: model.generate(index, 0, 0))",
    ),
)  # fmt: skip
_ASK = "evaluate(self, index[:, -self.length :])[:, -1]"
_SCORES, _CHANCES = f"scores = {_ASK}", "chances = (scores / temperature).softmax(-1)"
_DRAWN, _CAT = "drawn = nbmodule.multinomial(chances, 1, generator=generator)", "index = nbmodule.cat([index, drawn], 1)"  # fmt: skip
_REFUSE, _LOOP = "if not temperature > 0:", "for _ in range(count):"
# fmt: off
writing.wrongs(
    ("not cropped", {_ASK: "evaluate(self, index)[:, -1]"}, "the model is given all tokens, and refuses them as soon as there are more than `length`"),
    ("first tokens", {_ASK: "evaluate(self, index[:, : self.length])[:, -1]"}, "the model is given the *first* `length` tokens, so it doesn't read what it has written; take the last ones"),
    ("last token only", {_ASK: "evaluate(self, index[:, -1:])[:, -1]"}, "the model is given only the last token"),
    ("first place", {_ASK: _ASK.replace("[:, -1]", "[:, 0]")}, "the scores of the first place are taken; take those of the last one"),
    ("no eval", {_SCORES: "with nbmodule.no_grad():\n    scores = self(index[:, -self.length :])[:, -1]"}, "the model is asked in training mode, so dropout is on; call `evaluate`"),
    ("recorded", {_SCORES: "modes = [(m, m.training) for m in self.modules()]\nself.eval()\nscores = self(index[:, -self.length :])[:, -1]\nfor m, mode in modes:\n    m.training = mode"}, "the calls are recorded for `backward`, and nobody needs that; call `evaluate`"),
    ("stays in eval", {_SCORES: "self.eval()\nwith nbmodule.no_grad():\n    scores = self(index[:, -self.length :])[:, -1]"}, "the model stays in eval mode, so the next epoch trains without dropout; call `evaluate`"),
    ("always train", {_SCORES: "self.eval()\nwith nbmodule.no_grad():\n    scores = self(index[:, -self.length :])[:, -1]\nself.train()"}, "afterwards, everything is in training mode, even if it wasn't before; call `evaluate`"),
    ("one mode for all", {_SCORES: "mode = self.training\nself.eval()\ntry:\n    with nbmodule.no_grad():\n        scores = self(index[:, -self.length :])[:, -1]\nfinally:\n    self.train(mode)"}, "a layer that was switched by hand has another mode afterwards; `evaluate` restores each one"),
    ("the likeliest", {_DRAWN: "drawn = chances.argmax(-1, keepdim=True)"}, "the likeliest token is taken each time, so the model always writes the same; draw one"),
    ("no temperature", {_CHANCES: "chances = scores.softmax(-1)"}, "`temperature` changes nothing; divide the scores by it, before `softmax`"),
    ("times temperature", {_CHANCES: "chances = (scores * temperature).softmax(-1)"}, "the scores are multiplied by `temperature`; divide them by it"),
    ("generator unused", {_DRAWN: "drawn = nbmodule.multinomial(chances, 1)"}, "the generator that was passed isn't used"),
    ("one draw", {_DRAWN: "drawn = nbmodule.multinomial(chances[:1], 1, generator=generator).expand(len(index), 1)"}, "all texts get the token that was drawn for the first one; draw one for each row"),
    ("new ones only", {_LOOP: f"first = index.shape[1]\n{_LOOP}", "return index": "return index[:, first:]"}, "only the new tokens are returned; return `index` with the new columns"),
    ("one too many", {_LOOP: "for _ in range(count + 1):"}, "it writes one token more than `count`"),
    ("any temperature", {_REFUSE: "if False:"}, "a temperature that isn't greater than 0 is accepted; raise a ValueError"),
    ("nan allowed", {_REFUSE: "if temperature <= 0:"}, "a temperature of nan is accepted: `nan <= 0` is False, so ask whether it's *not* greater than 0"),
    ("zero allowed", {_REFUSE: "if temperature < 0:"}, "a temperature of 0 is accepted, and the scores become infinite; raise a ValueError"),
    ("forward", {_SCORES: "modes = [(m, m.training) for m in self.modules()]\nself.eval()\nwith nbmodule.no_grad():\n    scores = self.forward(index[:, -self.length :])[:, -1]\nfor m, mode in modes:\n    m.training = mode"}, "`self.forward(…)` skips the hooks of the model; call it, or `evaluate`"),
)
# fmt: on
