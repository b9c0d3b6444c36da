"""Chapter 17, resuming: what an optimizer remembers, and a file with all that the next step depends on."""

from __future__ import annotations

from ..exercise import Exercise
from .resuming import uses
from .states import lines

# ---- 17.1

remembering = Exercise(
    "17.1",
    title="What an optimizer remembers",
    takes=("Optimizer",),
    minutes=22,
    writes=("Optimizer",),
    keeps=("14.2",),
    hints=(
        "Write `state_dict` first. Give every Parameter a number. Then replace each Parameter by its number, both in the groups and in `self.state`.",
        "`numbers = {p: number for number, p in enumerate(params)}`, where `params` lists the Parameters of all groups. "
        "For `load_state_dict`, start with a deep copy and compare the lengths. Then you need the opposite dictionary, from each saved number to the Parameter in the same place.",
        '`groups.append({**group, "params": [numbers[p] for p in group["params"]]})`. When loading, for each pair of groups: '
        '`whose.update(zip(loaded["params"], group["params"]))`, then `loaded["params"] = group["params"]`. At the end, '
        '`self.state = {whose[number]: values for number, values in saved["state"].items()}`.',
    ),
)
_TWO, _ONE = "o = made([p], [q])", "o = made(p, q)"
remembering.compare_uses(
    "the state names each Parameter by its number",
    uses(
        *lines((_ONE, _TWO), ("", "step(o, a=1, b=2)", "step(o, b=2)", "step(o, a=1); step(o, a=1)"), ("plain(o.state_dict())",)),
        *lines((_ONE, _TWO), ("step(o, a=1, b=2)", "step(o, b=2)"), ("list(o.state_dict()['state'])", "[group['params'] for group in o.state_dict()['param_groups']]")),
        "sorted(made(p).state_dict())",
        "o = made(p); o.state_dict(); o.param_groups.append({'params': [q], 'lr': 2}); plain(o.state_dict())",
    ),
)  # fmt: skip
remembering.compare_uses(
    "`state_dict` leaves the optimizer as it is",
    uses(
        *lines((_ONE, _TWO), ("step(o, a=1, b=2)",), ("o.state_dict()",), ("told(o)", "[group['params'][0] is p for group in o.param_groups]", "step(o, a=1); p.tolist()")),
        *lines((_ONE,), ("step(o, a=1)",), ("o.state_dict()['param_groups'][0]['lr'] = 9; told(o)", "o.state_dict()['param_groups'].clear(); told(o)", "o.state_dict()['state'].clear(); told(o)")),
    ),
)  # fmt: skip
_NEW = "n = made(p, q); n.load_state_dict(s)"
_SAVED = ("s = made(p, q).state_dict()", "s = step(made(p, q), a=1, b=2).state_dict()", "s = step(made(p, q), b=2).state_dict()", "o = made(p, q); step(o, a=1); o.param_groups[0].update(lr=0.25, speed=7); s = o.state_dict()")  # fmt: skip
remembering.compare_uses(
    "what was saved is loaded, by the order of the Parameters",
    uses(
        *lines(_SAVED, (_NEW,), ("told(n)", "step(n, a=1, b=1); [p.tolist(), q.tolist()]", "[x is p for x in n.param_groups[0]['params']]")),
        *lines(_SAVED[1:3], ("n = made(q, p); n.load_state_dict(s)", "n = step(made(p, q), a=4, b=5); n.load_state_dict(s)"), ("told(n)",)),
        *lines(("s = step(made([p], [q]), a=1, b=2).state_dict()",), ("n = made([p], [q]); n.load_state_dict(s)", "n = made([q], [p]); n.load_state_dict(s)"), ("told(n)", "[group['params'][0] is p for group in n.param_groups]")),
        "s = made(p).state_dict(); made(p).load_state_dict(s)",
        "s = made(p, q).state_dict(); n = step(made(p, q), a=4, b=5); n.load_state_dict(s); told(n)",
        "s = step(made(p), a=1).state_dict(); s['param_groups'][0]['params'] = [7]; s['state'] = {7: s['state'][0]}; n = made(p); n.load_state_dict(s); told(n)",
    ),
)  # fmt: skip
remembering.compare_uses(
    "the state and the optimizer don't share anything",
    uses(
        *lines((_SAVED[1],), (_NEW,), ("step(n, a=1); plain(s)", "n.param_groups[0]['lr'] = 9; plain(s)", "s['state'].clear(); told(n)", "s['state'][0]['count'] = 9; told(n)", "s['param_groups'][0]['lr'] = 9; told(n)", "plain(s)")),
        "o = step(made(p), a=1); n = made(p); n.load_state_dict(o.state_dict()); step(o, a=1); told(n)",
        "o = step(made(p), a=1); n = made(p); n.load_state_dict(o.state_dict()); n.state[p]['sum'].fill_(9.0); told(o)",
    ),
)  # fmt: skip
_ODD = ("n = made(p); s = step(made(p, q), a=1).state_dict()", "n = made(p, q); s = step(made(p), a=1).state_dict()", "n = made(p, q); s = made([p], [q]).state_dict()", "n = made([p], [q]); s = step(made(p, q), a=1).state_dict()", "n = made([p], [q]); s = step(made([p, q], []), a=1).state_dict()",
        "n = made([p]); s = step(made([q], [p]), a=1).state_dict()", "n = made([p], [q]); s = step(made([p]), a=1).state_dict()", "n = made([p], [q]); s = made([p], []).state_dict(); s['param_groups'][0]['lr'] = 9")  # fmt: skip
remembering.compare_uses(
    "groups of other sizes are refused, and nothing is loaded",
    uses(*lines(_ODD, ("", "step(n, a=1)"), ("tried(lambda: n.load_state_dict(s))", "tried(lambda: n.load_state_dict(s)); told(n)"))),
)  # fmt: skip
_NUMBERS = "numbers = {p: number for number, p in enumerate(params)}"
_GROUP = 'groups.append({**group, "params": [numbers[p] for p in group["params"]]})'
_STATE = "state = {numbers[p]: values for p, values in self.state.items()}"
_COPY, _SIZES = "saved = deepcopy(state_dict)", 'if [len(group["params"]) for group in old] != [len(group["params"]) for group in new]:'  # fmt: skip
_KEEP = 'loaded["params"] = group["params"]'
_FOUND = 'self.state = {whose[number]: values for number, values in saved["state"].items()}'
_SET, _ERROR = "self.param_groups = new", 'raise ValueError("loaded state dict has parameter groups of other sizes")'  # fmt: skip
# fmt: off
remembering.wrongs(
    ("the Parameters", {_NUMBERS: "numbers = {p: p for p in params}"}, "the state holds the Parameters themselves; give them numbers, which mean the same in another Python"),
    ("the groups themselves", {"groups = []": "groups = self.param_groups", f"for group in self.param_groups:\n    {_GROUP}": "for group in groups:\n    group['params'] = [numbers[p] for p in group['params']]"}, "the optimizer's own groups are changed: their `params` are numbers now; make new dicts"),
    ("from 1", {_NUMBERS: "numbers = {p: number for number, p in enumerate(params, 1)}"}, "the numbers start at 1; start at 0"),
    ("by index", {_NUMBERS: "numbers = {p: params.index(p) for p in params}"}, "`list.index` compares with `==`, which compares tensors number by number; count with `enumerate`, and look Parameters up in a dict"),
    ("each group from 0", {_NUMBERS: 'numbers = {p: number for group in self.param_groups for number, p in enumerate(group["params"])}'}, "the numbers start again in each group, so two Parameters have the same one"),
    ("changed groups", {_GROUP: 'group["params"] = [numbers[p] for p in group["params"]]\ngroups.append(group)'}, "the optimizer's own groups are changed: their `params` are numbers now; make new dicts"),
    ("no options", {_GROUP: 'groups.append({"params": [numbers[p] for p in group["params"]]})'}, "the options, such as `lr`, are left out of the saved groups"),
    ("a state for each", {_STATE: "state = {numbers[p]: self.state.get(p, {}) for p in params}"}, "a Parameter without a state gets an empty one; save what is in `self.state`"),
    ("by order of state", {_STATE: "state = dict(enumerate(self.state.values()))"}, "the states get numbers of their own; use the numbers of their Parameters, because some Parameters may have no state yet"),
    ("no state", {_STATE: "state = {}"}, "the state of the Parameters is left out"),
    ("not copied", {_COPY: "saved = state_dict"}, "the optimizer uses the caller's dicts and changes them; start with `deepcopy(state_dict)`"),
    ("groups copied", {_COPY: 'saved = {**state_dict, "param_groups": deepcopy(state_dict["param_groups"])}'}, "the state of each Parameter is shared with the caller; copy that as well"),
    ("copied one level deep", {_COPY: 'saved = {"state": {n: dict(values) for n, values in state_dict["state"].items()}, "param_groups": [dict(group) for group in state_dict["param_groups"]]}'}, "the dicts are copied, but the tensors in them are shared with the caller; start with `deepcopy(state_dict)`"),
    ("any size", {_SIZES: "if False:", _FOUND: 'self.state = {whose[number]: values for number, values in saved["state"].items() if number in whose}'}, "groups of other sizes are accepted; raise a ValueError"),
    ("number of groups", {_SIZES: "if len(old) != len(new):", _FOUND: 'self.state = {whose[number]: values for number, values in saved["state"].items() if number in whose}'}, "only the number of groups is compared; compare the number of Parameters in each group too"),
    ("all together", {_SIZES: 'if sum(len(group["params"]) for group in old) != sum(len(group["params"]) for group in new):', _FOUND: 'self.state = {whose[number]: values for number, values in saved["state"].items() if number in whose}'}, "only the number of all Parameters is compared; compare it group by group"),
    ("AssertionError", {_ERROR: _ERROR.replace("ValueError", "AssertionError")}, "the exception is an AssertionError; PyTorch raises a ValueError"),
    ("KeyError", {_ERROR: _ERROR.replace("ValueError", "KeyError")}, "the exception is a KeyError; PyTorch raises a ValueError"),
    ("refused too late", {f"{_SIZES}\n    {_ERROR}": "self.state = {}", _SET: f"{_SIZES}\n    {_ERROR}\n{_SET}"}, "the old state is gone when the error is raised; compare the groups first"),
    ("refused halfway", {f"{_SIZES}\n    {_ERROR}": "", "for group, loaded in zip(old, new):": f"if len(old) != len(new):\n    {_ERROR}\nfor group, loaded in zip(old, new):\n    if len(group['params']) != len(loaded['params']):\n        {_ERROR}\n    group.update({{**loaded, 'params': group['params']}})"}, "the groups before the one that doesn't fit are loaded already when the error is raised; compare all of them first"),
    ("size of groups", {_SIZES: 'if any(len(group["params"]) != len(other["params"]) for group, other in zip(old, new)):', _FOUND: 'self.state = {whose[number]: values for number, values in saved["state"].items() if number in whose}'}, "`zip` stops at the shorter list, so the number of groups isn't compared"),
    ("only lr", {_SET: 'for group, loaded in zip(old, new):\n    group["lr"] = loaded["lr"]'}, "only `lr` is loaded; load every option of a group"),
    ("nothing to load", {_FOUND: f"if saved['state']:\n    {_FOUND}"}, "if the saved state is empty, the optimizer keeps its earlier one; the loaded state should replace it"),
    ("options not loaded", {_SET: "pass"}, "the options in the groups aren't loaded"),
    ("state not loaded", {_FOUND: "pass"}, "the groups are loaded, but not the state of the Parameters"),
    ("added", {_FOUND: _FOUND.replace("self.state = {", "self.state.update({") + ")"}, "the optimizer keeps its earlier state; the loaded state should replace it"),
    ("numbers kept", {_KEEP: "pass"}, "after loading, the groups hold numbers instead of Parameters"),
    ("in order of the state", {_FOUND: 'params = [p for group in old for p in group["params"]]\nself.state = dict(zip(params, saved["state"].values()))'}, "the states are handed out in order; look at their numbers, because some Parameters may have none"),
    ("counted anew", {'whose.update(zip(loaded["params"], group["params"]))': 'whose.update(enumerate(group["params"]))'}, "each group counts from 0 again when loading; take the numbers from the saved groups"),
    ("numbers as places", {_FOUND: 'params = [p for group in old for p in group["params"]]\nself.state = {params[number]: values for number, values in saved["state"].items()}'}, "this takes the numbers as places, counted from 0; look in the saved groups to see which number belongs where"),
)
# fmt: on

# ---- 17.2

resuming = Exercise(
    "17.2",
    title="A checkpoint",
    takes=("load_checkpoint",),
    minutes=10,
    writes=("save_checkpoint", "load_checkpoint"),
    hints=(
        "Four things go into one dictionary. Two of them have a `state_dict`, and one is a plain number.",
        "`nbmodule.get_rng_state()` is the state of the random numbers, and `nbmodule.set_rng_state(…)` puts it back. "
        "`nbmodule.save(checkpoint, path)` writes a dictionary of such things, and `nbmodule.load(path)` reads it.",
        '`checkpoint = {"step": step, "model": model.state_dict(), "optimizer": optimizer.state_dict(), "random": nbmodule.get_rng_state()}`. '
        'The other function calls `load_state_dict` twice, then `nbmodule.set_rng_state(checkpoint["random"])`, and returns `checkpoint["step"]`.',
    ),
)
_RUN, _SAVE = "r = Run(); l = r.go(2)", "save_checkpoint(path, 2, *r.parts)"
_BACK = "n = Run(5); load_checkpoint(path, *n.parts)"
resuming.compare_uses(
    "everything is put back",
    uses(
        *lines(("r = Run()",), ("r.model.eval()", ""), (_SAVE,), ("r.model.training", "n = Run(5); load_checkpoint(path, *n.parts); n.model.training", "n = Run(5); n.model.eval(); load_checkpoint(path, *n.parts); n.model.training")),
        "r = Run(); save_checkpoint(path, 1, *r.parts); tried(lambda: load_checkpoint(path, *Run(names='abcd').parts))",
        *lines((_RUN,), (_SAVE,), ("n = Run(5)", "r.go(1); n = Run(5); n.go(1)"), ("load_checkpoint(path, *n.parts)", "load_checkpoint(path, *n.parts); n.numbers()", "load_checkpoint(path, *n.parts); nbmodule.rand(2).tolist()")),
        "r = Run(); save_checkpoint(path, 0, *r.parts); n = Run(5); load_checkpoint(path, *n.parts); n.numbers()",
        "r = Run(); save_checkpoint(path, 1, *r.parts); r.go(1); save_checkpoint(path, 3, *r.parts); load_checkpoint(path, *Run(5).parts)",
        f"{_RUN}; {_SAVE}; load_checkpoint(path, *r.parts); load_checkpoint(path, *r.parts); r.go(1)",
    ),
)  # fmt: skip
resuming.compare_uses(
    "the run goes on as if it hadn't stopped",
    uses(
        *lines((_RUN,), (_SAVE,), (_BACK, "r.go(1); load_checkpoint(path, *r.parts); n = r"), ("n.go(2)", "n.go(1); n.numbers()")),
        f"{_RUN}; {_SAVE}; {_BACK}; l + n.go(2) == Run().go(4)",
    ),
)  # fmt: skip
resuming.compare_uses(
    "saving changes nothing",
    uses(f"{_RUN}; {_SAVE}; r.go(2)", f"{_RUN}; {_SAVE}; r.numbers()", f"{_RUN}; {_SAVE}", f"{_RUN}; {_SAVE}; r.grads()"),
)  # fmt: skip
resuming.compare_uses(
    "the file has the four keys, and goes where it should",
    uses(
        *lines((_RUN,), (_SAVE,), ("saved = found(path)",), ("[key in saved for key in ('step', 'model', 'optimizer', 'random')]", "saved['step']", "sorted(saved['model'])", "plain(saved['optimizer']) == plain(r.optimizer.state_dict())", "saved['random'].tolist() == nbmodule.get_rng_state().tolist()")),
        "r = Run(); save_checkpoint(path, 1, *r.parts); save_checkpoint(path + '2', 9, *r.parts); load_checkpoint(path, *r.parts)",
    ),
)  # fmt: skip
_RANDOM, _PUT = (
    '"random": nbmodule.get_rng_state(),',
    'nbmodule.set_rng_state(checkpoint["random"])',
)
_MODEL, _OPT = 'model.load_state_dict(checkpoint["model"])', 'optimizer.load_state_dict(checkpoint["optimizer"])'  # fmt: skip
_STEP = 'return checkpoint["step"]'
# fmt: off
resuming.wrongs(
    ("no random numbers", {_PUT: "pass"}, "the random numbers continue from wherever they are; put their saved state back"),
    ("random left out", {_RANDOM: "", _PUT: "pass"}, "the random numbers continue from wherever they are; save their state, and put it back"),
    ("seeded", {_PUT: "nbmodule.manual_seed(0)"}, "the random numbers start again from a seed; put the saved state back"),
    ("random at load", {_RANDOM: '"random": None,', _PUT: "nbmodule.set_rng_state(nbmodule.get_rng_state())"}, "the random numbers continue from wherever they are; put their saved state back"),
    ("drawn first", {_RANDOM: '"random": (nbmodule.rand(1), nbmodule.get_rng_state())[1],'}, "saving draws a random number, so a run with checkpoints differs from one without"),
    ("random after loading", {_STEP: f"nbmodule.rand(1)\n{_STEP}"}, "a random number is drawn after the state is put back; put it back last"),
    ("no optimizer", {_OPT: "pass"}, "the optimizer starts from nothing; load its state"),
    ("options only", {_OPT: 'optimizer.load_state_dict({**checkpoint["optimizer"], "state": {}})'}, "the optimizer's averages aren't put back"),
    ("no model", {_MODEL: "pass"}, "the model's numbers aren't put back"),
    ("Parameters only", {_MODEL: 'own = dict(model.named_parameters())\nmodel.load_state_dict({k: v for k, v in checkpoint["model"].items() if k in own}, strict=False)'}, "the buffers aren't put back"),
    ("nothing returned", {_STEP: "checkpoint['step']"}, "the step isn't returned"),
    ("the next step", {_STEP: 'return checkpoint["step"] + 1'}, "the step that is returned is one too large; return the one that was saved"),
    ("all returned", {_STEP: "return checkpoint"}, "the whole checkpoint is returned; return its step"),
    ("eval to save", {"checkpoint = {": "model.eval()\ncheckpoint = {"}, "saving switches the model to eval mode; leave its mode alone"),
    ("eval for a while", {"checkpoint = {": "model.eval()\ncheckpoint = {", "nbmodule.save(checkpoint, path)": "nbmodule.save(checkpoint, path)\nmodel.train()"}, "saving leaves the model in training mode, whatever it was in before; leave its mode alone"),
    ("another key for random", {'"random": nbmodule': '"rng": nbmodule', _PUT: _PUT.replace('"random"', '"rng"')}, "the state of the random numbers has another key in the file; call it `random`"),
    ("train", {_STEP: f"model.train()\n{_STEP}"}, "the model is switched to training mode; leave its mode alone"),
    ("other keys", {'"model": model.': '"model_state_dict": model.', _MODEL: _MODEL.replace('"model"', '"model_state_dict"')}, "the model's state has another key in the file; PyTorch reads these files too, so call it `model`"),
    ("not strict", {_MODEL: _MODEL.replace("])", "], strict=False)")}, "a file of another model is accepted, because of `strict=False`; a checkpoint has to fit"),
    ("pickled", {"nbmodule.save(checkpoint, path)": "import pickle\nwith open(path, 'wb') as file:\n    pickle.dump(checkpoint, file)", "checkpoint = nbmodule.load(path)": "import pickle\nwith open(path, 'rb') as file:\n    checkpoint = pickle.load(file)"}, "`nbmodule.load` can't read the file, and neither can PyTorch; write it with `nbmodule.save`"),
    ("gradients cleared", {"nbmodule.save(checkpoint, path)": "optimizer.zero_grad()\nnbmodule.save(checkpoint, path)"}, "saving clears the gradients; it should change nothing"),
    ("eval", {_STEP: f"model.eval()\n{_STEP}"}, "the model is switched to eval mode; leave its mode alone"),
    ("kept the first", {"nbmodule.save(checkpoint, path)": "import os\nif not os.path.exists(path):\n    nbmodule.save(checkpoint, path)"}, "an existing file isn't replaced"),
    ("in memory", {"nbmodule.save(checkpoint, path)": "nbmodule._kept = {**checkpoint}", "checkpoint = nbmodule.load(path)": "checkpoint = nbmodule._kept"}, "nothing is written to the file, and what is kept in memory goes on changing with the model"),
)
# fmt: on
