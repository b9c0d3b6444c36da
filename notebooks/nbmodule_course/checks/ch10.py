"""Chapter 10, packing: what one Module saves, what a tree saves, and a file that holds it."""

from __future__ import annotations

import nbmodule
from nbmodule import tensor
from nbmodule.nn import Parameter

from ..exercise import Exercise
from .states import lines, opened, saved, uses, written

# ---- 10.1

packing = Exercise(
    "10.1",
    title="What one Module saves",
    takes=("Module",),
    minutes=8,
    writes=("_save_to_state_dict",),
    hints=(
        "Three kinds of entries aren't saved. Two of them are in the exercise's list; which tensors of the object aren't in either dictionary?",
        "`{**self._parameters, **buffers}` is a new dictionary of both. Take each buffer whose name isn't in `self._non_persistent_buffers_set`, and keep what isn't None.",
        "`return {name: value for name, value in own.items() if value is not None}`, and in the other method `destination[prefix + name] = value if keep_vars else value.detach()`.",
    ),
)
_SAVE = tuple(f"m._save_to_state_dict(d, {prefix!r}, {keep})" for prefix in ("", "a.", "a.b.") for keep in (False, True))  # fmt: skip
packing.compare_uses(
    "Parameters and persistent buffers are packed, in order",
    uses(*lines(("m = tree()", "m = blank()", "m = Module()"), ("d = {}", "d = {'old': 1}", "d = OrderedDict()"), _SAVE[:2], ("show(d)",))),
)  # fmt: skip
packing.compare_uses(
    "the prefix comes in front of every name",
    uses(*lines(("m = tree()",), ("d = {}",), _SAVE[2:], ("show(d)",))),
)
packing.compare_uses(
    "a packed tensor shares the memory, without a gradient unless `keep_vars` is true",
    uses(
        *lines(("m = tree(); d = {}",), _SAVE[:2], ("d['weight'].data.fill_(9.0); numbers(m)", "d['mean'].data.fill_(9.0); numbers(m)", "d['weight'] is m._parameters['weight']", "d['mean'] is m._buffers['mean']")),
        *lines(("m = Module(); m._buffers['b'] = tensor([1.0], requires_grad=True); d = {}",), _SAVE[:2], ("show(d)",)),
    ),
)  # fmt: skip
packing.compare_uses(
    "names and numbers that are easily overlooked",
    uses(
        "m = tree(); m._parameters['mask'] = m._parameters.pop('scale'); m._buffers.clear(); d = {}; m._save_to_state_dict(d, '', False); show(d)",
        "m = tree(); m._non_persistent_buffers_set.add('mean'); d = {}; m._save_to_state_dict(d, '', False); show(d)",
        "m = tree(); m._buffers['0'] = tensor(0); d = {}; m._save_to_state_dict(d, '', False); show(d)",
        "m = tree(); m._save_to_state_dict({}, '', False); list(m._parameters), list(m._buffers), m._non_persistent_buffers_set",
        "m = tree(); m.__dict__['table'] = tensor([1.0]); d = {}; m._save_to_state_dict(d, '', False); show(d)",
        "m = tree(); d = {'mean': 5}; m._save_to_state_dict(d, '', False); show(d)",
    ),
)
_OWN, _PUT = "own = {**self._parameters, **buffers}", "destination[prefix + name] = value if keep_vars else value.detach()"  # fmt: skip
_NOT, _GIVE = " if name not in unsaved", "return {name: value for name, value in own.items() if value is not None}"  # fmt: skip
_EACH = "for name, value in self._own_state().items():"
# fmt: off
packing.wrongs(
    ("Parameters only", {_OWN: "own = self._parameters"}, "buffers are left out; the persistent ones belong to the state"),
    ("all buffers", {_NOT: ""}, "buffers with `persistent=False` are packed as well"),
    ("None too", {_GIVE: "return own"}, "entries that are None are taken as well, and None has no `detach`; leave them out"),
    ("buffers only", {_OWN: "own = buffers"}, "the Parameters are left out"),
    ("buffers first", {_OWN: "own = {**buffers, **self._parameters}"}, "the buffers come before the Parameters"),
    ("learned only", {_GIVE: "return {n: v for n, v in own.items() if v is not None and (v.requires_grad or n in self._buffers)}"}, "a frozen Parameter is left out; whether something is trained doesn't matter here"),
    ("None packed", {_GIVE: "return own", _PUT: "destination[prefix + name] = value if keep_vars or value is None else value.detach()"}, "entries that are None are packed; leave them out"),
    ("asks for truth", {_GIVE: "return {n: v for n, v in own.items() if v is not None and v.any()}"}, "a tensor of zeros is left out; test `value is not None`"),
    ("set for all", {_GIVE: "return {n: v for n, v in own.items() if v is not None and n not in self._non_persistent_buffers_set}"}, "a Parameter is left out if its name is in `_non_persistent_buffers_set`; that set is about buffers"),
    ("no prefix", {_PUT: _PUT.replace("prefix + name", "name")}, "`prefix` isn't used"),
    ("another dot", {_PUT: _PUT.replace("prefix + name", "f'{prefix}.{name}' if prefix else name")}, "a second dot is added; `prefix` ends with its own"),
    ("always itself", {_PUT: "destination[prefix + name] = value"}, "the Parameters themselves are packed; without `keep_vars`, pack `value.detach()`"),
    ("never itself", {_PUT: "destination[prefix + name] = value.detach()"}, "`keep_vars` has no effect"),
    ("the other way round", {_PUT: _PUT.replace("if keep_vars", "if not keep_vars")}, "`keep_vars` works the wrong way round"),
    ("copies", {_PUT: "destination[prefix + name] = value if keep_vars else value.detach().clone()"}, "the numbers are copied; `detach` alone shares the memory, as PyTorch does"),
    ("data of Parameters only", {_PUT: "destination[prefix + name] = value if keep_vars or name in self._buffers else value.detach()"}, "buffers are packed as they are; they can require a gradient too"),
    ("emptied", {_EACH: f"destination.clear()\n{_EACH}"}, "what is in `destination` already is thrown away; the other Modules of the tree are in there"),
    ("the set is emptied", {_OWN: f"{_OWN}\nself._non_persistent_buffers_set.clear()"}, "`_non_persistent_buffers_set` is changed; packing changes nothing in the Module"),
    ("every tensor", {_OWN: "own = {**self._parameters, **buffers, **{n: v for n, v in vars(self).items() if hasattr(v, 'detach')}}"}, "ordinary tensors in `__dict__` are packed as well; only Parameters and buffers belong to the state"),
    ("the first one stays", {_PUT: _PUT.replace("destination[prefix + name] = ", "destination.setdefault(prefix + name, ") + ")"}, "a key that `destination` has already keeps its old value; assign the new one"),
    ("a drawer is changed", {_OWN: "own = self._parameters\nown.update(buffers)"}, "the buffers end up in `_parameters`, because `own` is the same dictionary; copy it with `dict(…)`"),
    ("the whole tree", {_EACH: "tensors = [*self.named_parameters(), *((n, b) for n, b in self.named_buffers() if n not in self._non_persistent_buffers_set)]\nfor name, value in tensors:"}, "the children's tensors are packed as well; this method packs one Module"),
)
# fmt: on

# ---- 10.2

gathering = Exercise(
    "10.2",
    title="The whole tree",
    takes=("Module",),
    minutes=15,
    writes=("state_dict", "_version"),
    keeps=("10.1",),
    hints=(
        "The first call creates the dictionary, and every child is called with the same one. How does a call know that it's the first?",
        "`prefix[:-1]` is the path without its last dot. An OrderedDict takes attributes: `destination._metadata = OrderedDict()`. A dictionary that the caller passes may have none, so test with `hasattr`.",
        '`child.state_dict(destination=destination, prefix=prefix + name + ".", keep_vars=keep_vars)`, for each child that isn\'t None.',
    ),
)
_CALLS = ("m.state_dict()", "m.state_dict(keep_vars=True)", "m.state_dict(prefix='a.')", "m.state_dict(prefix='a.b.', keep_vars=True)")  # fmt: skip
gathering.compare_uses(
    "the tensors of the whole tree are there, by their paths",
    uses(
        *(f"m = {make}; show({call})" for make in ("Module()", "tree()") for call in _CALLS),
        *(f"m = Module(); m._modules['top'] = tree(); m._modules['again'] = m._modules['top']; show({call})" for call in _CALLS),
        "m = tree(); m._modules['fc']._modules['0'] = tree(); show(m.state_dict())",
    ),
)  # fmt: skip
gathering.compare_uses(
    "`destination` is filled and returned; without it, each call makes a new one",
    uses(
        "m = tree(); d = {'old': 1}; m.state_dict(destination=d) is d",
        "m = tree(); d = {'old': 1}; m.state_dict(destination=d); show(d)",
        "m = tree(); d = OrderedDict(); m.state_dict(destination=d, prefix='a.'); m.state_dict(destination=d); show(d)",
        "m = tree(); m.state_dict() is m.state_dict()",
        "m = tree(); d = m.state_dict(); m._parameters.clear(); show(m.state_dict())",
    ),
)
gathering.compare_uses(
    "each Module is asked for its own way",
    uses(*lines(("m = tree()", "m = Special()"), ("m._modules['x'] = Special()", "m._modules['x'] = Aside()", "m._modules['fc']._modules['x'] = Special()"), ("show(m.state_dict())", "show(m.state_dict(keep_vars=True, prefix='a.'))"))[:-2]),
)  # fmt: skip
gathering.compare_uses(
    "`_metadata` notes the version of each Module",
    uses(
        "Module._version",
        "m = tree(); dict(m.state_dict()._metadata)",
        "m = tree(); m._modules['x'] = Special(); dict(m.state_dict()._metadata)",
        "m = tree(); dict(m.state_dict(prefix='a.')._metadata)",
        "m = tree(); m.state_dict(prefix='a.'); dict(m.state_dict()._metadata)",
        "m = tree(); d = OrderedDict(); m.state_dict(destination=d); hasattr(d, '_metadata')",
        "m = tree(); d = Module().state_dict(); m.state_dict(destination=d, prefix='a.'); dict(d._metadata)",
    ),
)
gathering.compare_uses(
    "hooks run before and after, with their arguments",
    uses(
        *lines(("m = tree(); hooked(m, '_state_dict_pre_hooks')", "m = tree(); hooked(m, '_state_dict_hooks')"), ("m.state_dict()", "m.state_dict(prefix='a.', keep_vars=True)"), ("seen",)),
        "m = tree(); hooked(m, '_state_dict_pre_hooks', lambda m, *rest: m._parameters.clear()); show(m.state_dict())",
        "m = tree(); hooked(m, '_state_dict_hooks', lambda m, d, *rest: d.pop('fc.w')); show(m.state_dict())",
        "m = tree(); hooked(m, '_state_dict_hooks', lambda m, d, p, noted: noted.update(by='me')); dict(m.state_dict()._metadata)",
        "m = tree(); hooked(m, '_state_dict_hooks'); hooked(m, '_state_dict_hooks'); m.state_dict(); seen",
        "m = tree(); hooked(m, '_state_dict_pre_hooks'); hooked(m, '_state_dict_pre_hooks'); m.state_dict(); seen",
        *(f"m = tree(); [hooked(m, '{place}', lambda *given, n=n: seen.append(n)) for n in (1, 2)]; m.state_dict(); seen" for place in ("_state_dict_hooks", "_state_dict_pre_hooks")),
    ),
)  # fmt: skip
_NEW, _META = "if destination is None:", "destination._metadata[prefix[:-1]] = local_metadata"
_CHILD = "child.state_dict(destination=destination, prefix=path, keep_vars=keep_vars)"
_PRE, _POST = "hook(self, prefix, keep_vars)", "hook(self, destination, prefix, local_metadata)"
_MINE = "self._save_to_state_dict(destination, prefix, keep_vars)"
# fmt: off
gathering.wrongs(
    ("itself only", {_CHILD: "pass"}, "the children are left out; call the `state_dict` of each"),
    ("children only", {_MINE: ""}, "the object's own tensors are left out; call `self._save_to_state_dict`"),
    ("own tensors last", {_MINE: "", "return destination": f"{_MINE}\nreturn destination"}, "the object's own tensors are packed after those of its children; they come first"),
    ("no dot", {'path = prefix + name + "."': "path = prefix + name"}, "the path of a child lacks its dot at the end"),
    ("prefix lost", {'path = prefix + name + "."': 'path = name + "."'}, "the path of a child begins again at each level; put `prefix` in front"),
    ("new ones below", {_CHILD: _CHILD.replace("destination=destination, ", "")}, "each child fills a dictionary of its own, which is thrown away; pass `destination` on"),
    ("packed apart", {_CHILD: "destination.update(child.state_dict(prefix=path, keep_vars=keep_vars))"}, "each child makes a dictionary of its own, and its versions are lost; pass the same `destination` on"),
    ("keep_vars lost", {_CHILD: _CHILD.replace(", keep_vars=keep_vars", ", keep_vars=False")}, "`keep_vars` isn't passed on to the children"),
    ("None called", {"if child is not None:": "if True:"}, "a child may be None"),
    ("named_children", {"in self._modules.items():": "in self.named_children():"}, "a child with two names is packed under the first one; `named_children` skips the second, so go through `_modules`"),
    ("the child's own way", {_CHILD: "Module.state_dict(child, destination=destination, prefix=path, keep_vars=keep_vars)"}, "a child's own `state_dict` isn't called; call `child.state_dict`"),
    ("the Module's own way", {_MINE: "Module._save_to_state_dict(self, destination, prefix, keep_vars)"}, "a class's own `_save_to_state_dict` isn't called; call `self._save_to_state_dict`"),
    ("not returned", {"return destination": ""}, "nothing is returned; `return destination`"),
    ("asks for truth", {_NEW: "if not destination:"}, "an empty dictionary that the caller passes counts as None; test `destination is None`"),
    ("no versions", {_META: "pass"}, "`_metadata` stays empty"),
    ("always versions", {'if hasattr(destination, "_metadata"):': "if not hasattr(destination, '_metadata'):\n    destination = OrderedDict(destination)\n    destination._metadata = OrderedDict()\nif True:"}, "the caller's dictionary is replaced if it has no `_metadata`; fill it, and note no versions"),
    ("with the dot", {_META: "destination._metadata[prefix] = local_metadata"}, "the paths in `_metadata` end with a dot"),
    ("always 1", {"self._version}": "1}"}, "the version is always 1; a class may have another `_version`"),
    ("the version alone", {_META: "destination._metadata[prefix[:-1]] = self._version"}, "`_metadata` holds numbers; it should hold a dictionary for each Module, with its `version`"),
    ("no hook before", {_PRE: "pass"}, "the hooks in `_state_dict_pre_hooks` don't run"),
    ("no hook after", {_POST: "pass"}, "the hooks in `_state_dict_hooks` don't run"),
    ("before too late", {_MINE: "", _PRE: f"pass\n{_MINE}\nfor hook in self._state_dict_pre_hooks.values():\n    {_PRE}"}, "the hooks in `_state_dict_pre_hooks` run after the tensors are packed"),
    ("after too early", {_POST: "pass", _MINE: f"{_MINE}\nfor hook in self._state_dict_hooks.values():\n    {_POST}"}, "the hooks in `_state_dict_hooks` run before the children are packed"),
    ("last hook first", {"for hook in self._state_dict_hooks.values():": "for hook in reversed(self._state_dict_hooks.values()):"}, "the hooks in `_state_dict_hooks` run from the last to the first; they run in the order in which they were put there"),
    ("one `_metadata` for all", {"_version = 1": "_version, _noted = 1, OrderedDict()", "destination._metadata = OrderedDict()": "destination._metadata = self._noted"}, "all states share one `_metadata`; make a new one for each"),
    ("another note", {_POST: _POST.replace("local_metadata", "dict(local_metadata)")}, "a hook gets a copy of the note; what it adds doesn't reach `_metadata`"),
)
# fmt: on

# ---- 10.5

writing = Exercise(
    "10.5",
    title="Write the file",
    takes=("save_file",),
    minutes=15,
    writes=("save_file",),
    hints=(
        "You can't write the header before you know where each tensor begins. So collect two things in one loop: the header's entries and the bytes.",
        '`value.detach().numpy()` is a NumPy array; `array.tobytes()` gives its bytes in the right order, and `array.dtype.name` is `"float32"`. A tensor begins where the bytes so far end: `len(numbers)`. `open(path, "wb")` writes bytes.',
        '`text = json.dumps(header).encode()`, then write `len(text).to_bytes(8, "little")`, `text` and the numbers.',
    ),
)
_F, _D = nbmodule.float32, nbmodule.float64
_STATES = {
    '{"w": tensor([1.0, 2.0])}': lambda: {"w": tensor([1.0, 2.0])},
    '{"w": tensor([[1.0, 2.0, 3.0]]), "b": tensor([4.0])}': lambda: {"w": tensor([[1.0, 2.0, 3.0]]), "b": tensor([4.0])},
    '{"n": tensor(7), "x": tensor([1.5]), "m": tensor([3, 4])}': lambda: {"n": tensor(7), "x": tensor([1.5]), "m": tensor([3, 4])},
    "{}": dict,
}  # fmt: skip
_ODD = {
    '{"w": tensor([0.1], dtype=float64), "yes": tensor([True, False, True]), "b": tensor([2.0])}': lambda: {"w": tensor([0.1], dtype=_D), "yes": tensor([True, False, True]), "b": tensor([2.0])},
    '{"w": tensor([0.1]).half(), "b": tensor([2.0])}': lambda: {"w": tensor([0.1]).half(), "b": tensor([2.0])},
    '{"w": tensor([[1.0, 2.0], [3.0, 4.0]])}': lambda: {"w": tensor([[1.0, 2.0], [3.0, 4.0]])},
    '{"w": tensor([[1.0, 2.0], [3.0, 4.0]]).T}': lambda: {"w": tensor([[1.0, 2.0], [3.0, 4.0]]).T},
    '{"none": zeros(0, 3), "b": tensor([2.0])}': lambda: {"none": nbmodule.zeros(0, 3), "b": tensor([2.0])},
    '{"w": Parameter(tensor([1.0]))}': lambda: {"w": Parameter(tensor([1.0]))},
    '{"größe": tensor([1.0]), "a b": tensor([2.0])}': lambda: {"größe": tensor([1.0]), "a b": tensor([2.0])},
    "{…}  # 70 tensors": lambda: {f"layer.{i}": tensor([float(i)]) for i in range(70)},
}  # fmt: skip


def _saves(states: dict, old: bytes = b"") -> dict:
    """Return the uses for some states."""
    ask = "save_file({}, path); what the file says{}  # read by the rules above"
    before = ", in place of a longer one" if old else ""
    return {ask.format(text.partition("  # ")[0], before): saved(make, old) for text, make in states.items()}  # fmt: skip


writing.compare_uses("the file holds every tensor: type, shape and numbers", _saves(_STATES))
writing.compare_uses("other types, shapes and names", _saves(_ODD))
writing.compare_uses("a file of the same name is replaced", _saves(_STATES, b"\xff" * 500))
_LENGTH, _WB = 'len(text).to_bytes(8, "little")', 'open(path, "wb")'
_STEP, _ENDS = "start, numbers = len(numbers), numbers + array.tobytes()", '"data_offsets": [start, len(numbers)],'  # fmt: skip
# fmt: off
writing.wrongs(
    ("no length", {f"file.write({_LENGTH})": ""}, "the length of the header is missing at the start of the file"),
    ("big-endian", {_LENGTH: 'len(text).to_bytes(8, "big")'}, "the length has its bytes in the wrong order; the format is little-endian"),
    ("four bytes", {_LENGTH: 'len(text).to_bytes(4, "little")'}, "the length has 4 bytes; the format wants 8"),
    ("length as text", {_LENGTH: "str(len(text)).encode()"}, "the length is written as text; write it as 8 bytes with `to_bytes`"),
    ("all of it counted", {_LENGTH: '(len(text) + 8).to_bytes(8, "little")'}, "the length counts its own 8 bytes; it counts the header alone"),
    ("characters counted", {"json.dumps(header).encode()": "json.dumps(header, ensure_ascii=False).encode()", _LENGTH: 'len(json.dumps(header, ensure_ascii=False)).to_bytes(8, "little")'}, "the length counts characters; some take more than one byte, so count the encoded header"),
    ("Latin-1", {"json.dumps(header).encode()": "json.dumps(header, ensure_ascii=False).encode('latin-1')"}, "the header isn't UTF-8 if a key has other letters than English ones; `encode()` alone makes UTF-8"),
    ("UTF-16", {"json.dumps(header).encode()": "json.dumps(header).encode('utf-16')"}, "the header is UTF-16; the format wants UTF-8, which `encode()` makes"),
    ("as Python shows it", {"json.dumps(header).encode()": "str(header).encode()"}, "the header is what Python shows of a dictionary, with single quotes; `json.dumps` makes JSON"),
    ("from the file's start", {"text = json.dumps(header).encode()": "text = json.dumps({k: {**e, 'data_offsets': [o + 8 for o in e['data_offsets']]} for k, e in header.items()}).encode()"}, "the offsets don't start at 0; they count from the end of the header"),
    ("start and length", {_ENDS: '"data_offsets": [start, len(numbers) - start],'}, "the second offset is the number of bytes; it should be where the tensor ends"),
    ("last byte", {_ENDS: '"data_offsets": [start, len(numbers) - 1],'}, "the second offset is the place of the last byte; it should be one behind it"),
    ("always from 0", {_ENDS: '"data_offsets": [0, len(numbers) - start],'}, "every tensor begins at 0"),
    ("elements", {_STEP: "start = sum(e['data_offsets'][1] - e['data_offsets'][0] for e in header.values())\nnumbers += array.tobytes()", _ENDS: '"data_offsets": [start, start + array.size],'}, "the offsets count numbers; they count bytes"),
    ("names of NumPy", {"CODES[array.dtype.name]": "array.dtype.name"}, "the type has NumPy's name; the format has names of its own, such as F32"),
    ("looked up by dtype", {"CODES[array.dtype.name]": "CODES[value.dtype]"}, "`CODES` is asked for a dtype; its keys are names such as \"float32\", which `array.dtype.name` is"),
    ("looked up by its text", {"CODES[array.dtype.name]": "CODES[str(value.dtype)]"}, "`CODES` is asked for \"nbmodule.float32\"; its keys are the bare names, which `array.dtype.name` is"),
    ("all F32", {"CODES[array.dtype.name]": '"F32"'}, "the type is always F32"),
    ("converted", {"value.detach().numpy()": "value.detach().float().numpy()"}, "every tensor is converted to float32; write each in its own type"),
    ("flat", {"list(array.shape)": "[array.size]"}, "the shape is flat; write every dimension"),
    ("as it is stored", {"array.tobytes()": "array.tobytes('A')"}, "the numbers are in the order in which they're stored; a transposed tensor needs `tobytes()`, row by row"),
    ("column by column", {"array.tobytes()": "array.tobytes('F')"}, "the numbers are written column by column; the format wants them row by row"),
    ("with gradient", {"value.detach().numpy()": "value.numpy()"}, "a Parameter can't become an array; `detach` it first"),
    ("appended", {_WB: 'open(path, "ab")'}, "the file is appended to; replace it with `\"wb\"`"),
    ("not cut", {"open(path, \"wb\")": 'open(path, "r+b" if __import__("os").path.exists(path) else "wb")'}, "the end of an older, longer file stays; open it with `\"wb\"`"),
    ("header last", {"file.write(text)\nfile.write(numbers)": "file.write(numbers)\nfile.write(text)"}, "the numbers come before the header"),
    ("no numbers", {"file.write(numbers)": ""}, "the numbers aren't written"),
    ("last one only", {_STEP: "start, numbers = len(numbers), array.tobytes()"}, "only the last tensor's numbers are written; add each to those before"),
)
# fmt: on

# ---- 10.6

reading = Exercise(
    "10.6",
    title="Read it back",
    takes=("load_file",),
    minutes=10,
    writes=("load_file",),
    hints=(
        "Read the file in the order in which it was written. The first 8 bytes say how many come next.",
        '`int.from_bytes(file.read(8), "little")`, then `json.loads(file.read(size))`, and `file.read()` gives the rest. Skip the key `__metadata__`.',
        '`np.frombuffer(numbers[start:end], TYPES[entry["dtype"]])` makes an array of bytes. `tensor(array.reshape(entry["shape"]))` copies it.',
    ),
)


def _entry(kind: str, shape: list[int], start: int, end: int) -> dict:
    return {"dtype": kind, "shape": shape, "data_offsets": [start, end]}


_NUMBERS = nbmodule.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).numpy().tobytes()
_INTS = nbmodule.tensor([7, 8]).numpy().tobytes()
_TWO = {"w": _entry("F32", [2, 2], 0, 16), "b": _entry("F32", [2], 16, 24)}
_FILES = {
    "one tensor": written({"w": _entry("F32", [6], 0, 24)}, _NUMBERS),
    "two tensors": written(_TWO, _NUMBERS),
    "no tensor": written({}, b""),
    "a matrix, a whole number and two of them": written({"w": _entry("F32", [3, 2], 0, 24), "n": _entry("I64", [], 24, 32), "m": _entry("I64", [1], 32, 40)}, _NUMBERS + _INTS),
    "float64, float16 and True or False": written({"d": _entry("F64", [1], 0, 8), "h": _entry("F16", [2], 8, 12), "yes": _entry("BOOL", [2], 12, 14)}, tensor([0.1], dtype=_D).numpy().tobytes() + tensor([1.5, 2.5]).half().numpy().tobytes() + b"\x01\x00"),
}  # fmt: skip
_HARD = {
    "the header lists the second tensor first": written(dict(reversed(_TWO.items())), _NUMBERS),
    "a header with `__metadata__`": written({"__metadata__": {"format": "pt"}, **_TWO}, _NUMBERS),
    "five spaces behind the header": written(_TWO, _NUMBERS, spaces=5),
    "a header with `__metadata__` at its end": written({**_TWO, "__metadata__": {"format": "pt"}}, _NUMBERS),
    "keys that begin with `_`": written({"_w": _entry("F32", [2, 2], 0, 16), "__b": _entry("F32", [2], 16, 24)}, _NUMBERS),
    "a key with an emoji, written as JSON does without other letters": written({"🔑": _entry("F32", [6], 0, 24)}, _NUMBERS, escaped=True),
    "a key with an umlaut": written({"größe": _entry("F32", [6], 0, 24)}, _NUMBERS),
    "a tensor without numbers": written({"none": _entry("F32", [0, 3], 0, 0), "b": _entry("F32", [6], 0, 24)}, _NUMBERS),
}  # fmt: skip
_LOAD = "load_file(path)  # the file holds {}"
reading.compare_uses("every tensor comes back: type, shape and numbers", {_LOAD.format(name): opened(data) for name, data in _FILES.items()})  # fmt: skip
reading.compare_uses("files that others write", {f"load_file(path)  # in the file: {name}": opened(data) for name, data in _HARD.items()})  # fmt: skip
_CUT, _SIZE = "numbers[start:end]", 'size = int.from_bytes(file.read(8), "little")'
_MAKE, _SKIP = 'state[key] = tensor(array.reshape(entry["shape"]))', 'if key != "__metadata__":'
# fmt: off
reading.wrongs(
    ("metadata too", {_SKIP: "if True:"}, "`__metadata__` is taken for a tensor; skip it"),
    ("metadata at the start only", {_SKIP: 'if not (key == "__metadata__" and key == next(iter(header))):'}, "`__metadata__` is skipped only if it comes first; it may be anywhere in the header"),
    ("private keys skipped", {_SKIP: 'if not key.startswith("_"):'}, "every key that begins with `_` is skipped; a tensor may have such a name"),
    ("run as Python", {"header = json.loads(file.read(size))": "header = eval(file.read(size))"}, "the header is run as Python code, so a file from others could do anything, and some JSON means something else there; use `json.loads`"),
    ("read-only", {_MAKE: 'state[key] = nbmodule.from_numpy(array.reshape(entry["shape"]))'}, "the tensors can't be changed in place, because they share the memory of the bytes; `tensor(…)` copies"),
    ("metadata returned", {_SKIP: f'if key == "__metadata__":\n    state[key] = entry\n{_SKIP}'}, "`__metadata__` is among the tensors"),
    ("big-endian", {_SIZE: 'size = int.from_bytes(file.read(8), "big")'}, "the length is read with its bytes in the wrong order"),
    ("one line", {_SIZE: "file.read(8)", "header = json.loads(file.read(size))": "rest = file.read()\nsize = rest.rindex(b'}') + 1\nheader = json.loads(rest[:size])", "numbers = file.read()": "numbers = rest[size:]"}, "the header's end is guessed; the first 8 bytes say how long it is, and there may be spaces at its end"),
    ("one after the other", {"state = {}": "state, at = {}, 0", "start, end = entry[\"data_offsets\"]": "start, end = entry[\"data_offsets\"]\nstart, end = at, at + end - start\nat = end"}, "the tensors are taken one after the other; the header may list them in another order, so use the offsets"),
    ("to the end", {_CUT: "numbers[start:]"}, "the bytes aren't cut at the end of the tensor"),
    ("from the start", {_CUT: "numbers[:end]"}, "the bytes aren't cut at the start of the tensor"),
    ("the second is a length", {_CUT: "numbers[start : start + end]"}, "the second offset is taken for a length; it's where the tensor ends"),
    ("not reshaped", {_MAKE: "state[key] = tensor(array)"}, "the tensors are flat; give each its shape"),
    ("all float32", {'TYPES[entry["dtype"]]': '"float32"'}, "every tensor is read as float32"),
    ("made float32", {_MAKE: 'state[key] = tensor(array.reshape(entry["shape"]).tolist())'}, "a list of Python's numbers has lost the type; give `tensor` the array"),
    ("arrays", {_MAKE: 'state[key] = array.reshape(entry["shape"])'}, "the values are NumPy arrays; make tensors of them"),
    ("Parameters", {_MAKE: 'array = array.reshape(entry["shape"])\nstate[key] = tensor(array)\nif array.dtype.kind == "f":\n    state[key] = Parameter(state[key])'}, "the values are Parameters; a state holds ordinary tensors"),
    ("last one only", {_MAKE: f"state = {{}}\n{_MAKE}"}, "only the last tensor is returned"),
)
# fmt: on
