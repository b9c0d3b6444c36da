"""Chapter 15: what each layer of a network returns, recorded by hooks."""

from __future__ import annotations

from ..exercise import Exercise
from .hooking import uses

# ---- 15.5

stats = Exercise(
    "15.5",
    title="What each layer returns",
    takes=("ActivationStats",),
    minutes=18,
    importance="useful",
    writes=("ActivationStats",),
    hints=(
        "A hook is called as `hook(module, args, output)`, and `record` takes the name as well. How can a hook know the name of its layer?",
        "`functools.partial(self.record, name)` is a function that calls `record` with the name in front. For the units, bring dimension 1 to the front and flatten the rest: "
        "each row then has all the numbers of one unit.",
        "`units = output.transpose(0, 1).flatten(1)`; `(units <= 0).all(1).sum().item()` counts the rows without a number above 0. "
        "`output.histc(bins, low, high).tolist()` is the histogram.",
    ),
)
stats.compare_uses(
    "each call adds one number for each child",
    uses(
        "net = small(); s = ActivationStats(net); net(x); s.means",
        "net = small(); s = ActivationStats(net); net(x); s.stds",
        "net = small(); s = ActivationStats(net); s.means, s.stds, s.dead, s.strips",
        "net = small(); s = ActivationStats(net); net(x); kinds(s.means), kinds(s.stds), kinds(s.dead)",
        "net = small(); s = ActivationStats(net); net(x); net(2 * x); s.means",
        "net = small(); s = ActivationStats(net); net(x); net(2 * x); s.stds",
        "net = picky(); s = ActivationStats(net); net(pictures); s.means, s.stds",
        "net = nn.Sequential(small(), nn.ReLU()); s = ActivationStats(net); net(x); s.means",
        "net = nn.Sequential(*[nn.ReLU()] * 2); s = ActivationStats(net); net(x); s.means",
        "net = nn.Sequential(nn.ReLU()); net.register_module('gap', None); s = ActivationStats(net); s.means",
        "net = small().eval(); s = ActivationStats(net); net(x); s.means",
        "net = nn.Sequential(nn.Dropout()); s = ActivationStats(net); y = net(x); s.means['0'] == [y.mean().item()]",
    ),
)
stats.compare_uses(
    "a unit is dead if none of its numbers is above 0",
    uses(
        "net = small(); s = ActivationStats(net); net(x); s.dead",
        "net = small(); s = ActivationStats(net); net(x); net(-x); net(x[:1]); s.dead",
        "net = picky(); s = ActivationStats(net); net(pictures); net(-pictures); s.dead",
        "net = small(); s = ActivationStats(net); net(0 * x); s.dead",
        "net = nn.Sequential(nn.Identity()); s = ActivationStats(net); net(x / 10000); s.dead",
        "net = small(); s = ActivationStats(net); net(x.reshape(1, 3, 2)); s.dead",
    ),
)
stats.compare_uses(
    "the histograms have the bins that were asked for",
    uses(
        "net = small(); s = ActivationStats(net); net(x); s.strips",
        "net = small(); s = ActivationStats(net, -2.0, 6.0, 8); net(x); net(-x); s.strips",
        "net = picky(); s = ActivationStats(net, low=0.0, high=2.0, bins=4); net(pictures); s.strips",
    ),
)
stats.compare_uses(
    "the network computes what it did before",
    uses(
        "net = small(); s = ActivationStats(net); net(x)",
        "net = small(); y = x.clone().requires_grad_(); s = ActivationStats(net); net(y).sum().backward(); y.grad",
        "net = small(); s = ActivationStats(net); net(x); grown(s.means, s.stds, s.dead, s.strips)",
        "net = small(); s = ActivationStats(net); net(x); hooks(net)",
        "net = small(); s = ActivationStats(net); net(x); [m.training for m in net.modules()]",
    ),
)
stats.compare_uses(
    "`remove` removes its own hooks",
    uses(
        "net = small(); s = ActivationStats(net); s.remove(); hooks(net)",
        "net = small(); s = ActivationStats(net); net(x); s.remove(); net(x); s.means",
        "net = small(); s = ActivationStats(net); s.remove(); s.remove(); hooks(net)",
        "net = small(); s = ActivationStats(net); t = ActivationStats(net); s.remove(); net(x); s.means, t.means",
        "net = small(); net[0].register_forward_hook(lambda *given: None); s = ActivationStats(net); s.remove(); hooks(net)",
    ),
)
_MEAN, _STD = (
    "self.means[name].append(output.mean().item())",
    "self.stds[name].append(output.std().item())",
)
_UNITS, _DEAD = (
    "units = output.transpose(0, 1).flatten(1)",
    "self.dead[name].append((units <= 0).all(1).sum().item())",
)
_STRIP = "self.strips[name].append(output.histc(*self.scale).tolist())"
_PARTIAL = "hook = functools.partial(self.record, name)"
_OFF = "for handle in self.handles:\n    handle.remove()"
# fmt: off
stats.wrongs(
    ("late name", {_PARTIAL: "hook = lambda *given: self.record(name, *given)"}, "every hook records under the last name, because `name` is looked up when the hook runs; bind it now: `functools.partial(self.record, name)`"),
    ("returns something", {_STRIP: f"{_STRIP}\nreturn output.mean()"}, "`record` returns something, and a hook's return value replaces the result; return nothing"),
    ("keeps tensors", {_MEAN: "self.means[name].append(output.mean())"}, "`means` holds tensors; `.item()` gives the number"),
    ("keeps tensors in stds", {_STD: "self.stds[name].append(output.std())"}, "`stds` holds tensors; `.item()` gives the number"),
    ("keeps tensors in dead", {_DEAD: "self.dead[name].append((units <= 0).all(1).sum())"}, "`dead` holds tensors; `.item()` gives the number"),
    ("keeps tensors everywhere", {_MEAN: "self.means[name].append(output.mean())", _STD: "self.stds[name].append(output.std())", _DEAD: "self.dead[name].append((units <= 0).all(1).sum())"}, "`means`, `stds` and `dead` hold tensors; `.item()` gives the number"),
    ("places as units", {_DEAD: "self.dead[name].append((output <= 0).all(0).sum().item())"}, "each place of a channel is counted on its own; a unit is a whole channel, so bring dimension 1 to the front and flatten the rest"),
    ("divided by n", {_STD: "self.stds[name].append(output.std(unbiased=False).item())"}, "the standard deviations are a little small: `output.std()` divides by one less than the number of values"),
    ("last call only", {_MEAN: "self.means[name] = [output.mean().item()]"}, "only the last call is in `means`; append each one"),
    ("rows as units", {_UNITS: "units = output.flatten(1)"}, "this counts the inputs of the batch instead of the units; a unit is a place in dimension 1"),
    ("above 0 sometimes", {_DEAD: "self.dead[name].append((units <= 0).any(1).sum().item())"}, "a unit counts as dead here if one of its numbers isn't above 0; it's dead if none is"),
    ("exactly 0", {_DEAD: "self.dead[name].append((units == 0).all(1).sum().item())"}, "only zeros count here; a number below 0 isn't above 0 either, and a ReLU turns it into 0"),
    ("below 0", {_DEAD: "self.dead[name].append((units < 0).all(1).sum().item())"}, "a unit that is exactly 0 everywhere isn't counted; it's dead as well"),
    ("alive ones", {_DEAD: "self.dead[name].append((units > 0).any(1).sum().item())"}, "this counts the living units; `dead` counts the others"),
    ("mean of each unit", {_DEAD: "self.dead[name].append((units.mean(1) <= 0).sum().item())"}, "a unit with a mean below 0 may still be above 0 for some inputs; all of its numbers must be at most 0"),
    ("default bins", {_STRIP: "self.strips[name].append(output.histc(16, -4.0, 4.0).tolist())"}, "`low`, `high` and `bins` are ignored"),
    ("not removed", {_OFF: "pass"}, "`remove` leaves the hooks on the layers; call `remove` on each handle"),
    ("forgets its handles", {_OFF: "self.handles.clear()"}, "`remove` leaves the hooks on the layers; call `remove` on each handle"),
    ("clears the drawers", {_OFF: "for handle in self.handles:\n    handle.drawers[0].clear() if hasattr(handle, 'drawers') else handle.hooks_dict_ref().clear()"}, "`remove` takes out other hooks as well; call `remove` on each of your handles"),
    ("all modules", {"for name, child in model.named_children():": "for name, child in model.named_modules():"}, "there are records for the model itself or for deeper layers; use `named_children()`"),
    ("every name", {"model.named_children()": "model._modules.items()"}, "a layer that has two names is recorded under both, and an empty place isn't a layer; use `named_children()`"),
    ("two or four dimensions", {_DEAD: "other = [d for d in (3, 2, 0) if d < output.ndim]\nunits = output > 0\nfor d in other if output.ndim != 3 else [0]:\n    units = units.any(d)\nself.dead[name].append((~units).flatten().sum().item())"}, "with three dimensions, the units are counted wrongly; however many dimensions there are, a unit is a place in dimension 1"),
    ("training only", {_MEAN: f"if not module.training:\n    return\n{_MEAN}"}, "nothing is recorded in eval mode; record every call"),
    ("computes it again", {_MEAN: f"output = module.forward(*args)\n{_MEAN}"}, "`record` runs the layer once more, and a Dropout gives something else the second time; use `output`"),
    ("nearly dead", {_DEAD: "self.dead[name].append((units.amax(1) < 0.01).sum().item())"}, "a unit with small numbers above 0 counts as dead; even a small one is above 0"),
    ("shared lists", {"for records in (self.means, self.stds, self.dead, self.strips):\n    records[name] = []": "self.means[name] = self.stds[name] = self.dead[name] = self.strips[name] = []"}, "the four dictionaries hold the same list; make a new one for each"),
    ("before the call", {"self.handles.append(child.register_forward_hook(hook))": "self.handles.append(child.register_forward_pre_hook(lambda m, a, n=name: self.record(n, m, a, a[0])))"}, "this records the inputs of the layers; record what they return, with `register_forward_hook`"),
)
# fmt: on
