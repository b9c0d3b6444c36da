"""Chapter 03, second half: `__delattr__`, `__dir__`, and a clearer message."""

from __future__ import annotations

from nbmodule import nn

from ..exercise import Exercise, attempt, expect
from .ch03 import furnished
from .drawers import held, places, said_places, weight

# ---- 03.3

removing = Exercise(
    "03.3",
    title="Take it out again",
    takes=("Remover",),
    hints=(
        "It is the mirror image of `__getattr__`: find the drawer that holds the name.",
        "In the drawer that holds the name, `del drawer[name]`, and you are done: `return`. If no drawer holds "
        "it, the name is an ordinary one: whose job is that?",
        "`for drawer in (self._parameters, self._buffers, self._modules):` / `if name in drawer:` / `del "
        "drawer[name]` / `return`; after the loop `super().__delattr__(name)`.",
    ),
)


def _expect_gone(module: object, name: str, drawer: str, likely: str) -> None:
    tried = attempt(lambda: delattr(module, name))
    found = places(module, name)
    expect(
        not found,
        did=f"`{name}` was in `{drawer}`; after `del m.{name}` ({tried.said}) it is {said_places(found)}"
        + (", with the value None" if found and held(module, found[0])[name] is None else ""),
        real="the name is gone altogether",
        likely=likely,
    )
    expect(
        tried.error is None,
        did=f"`del m.{name}` took `{name}` out of `{drawer}`, and then raised {tried.said}",
        real="it takes it out, and that is all",
        likely="after the drawer, the ordinary way is tried as well; a `return` is missing",
    )


def _removes(title: str, name: str, drawer: str) -> None:
    @removing.sub(title)
    def look(Remover):
        module, entries = furnished(Remover)
        neighbor = f"{name}2"
        held(module, drawer)[neighbor] = furnished(Remover)[1][name]
        _expect_gone(
            module, name, drawer, f"`{drawer}` is not looked into, or the value is overwritten"
        )
        others = [other for other in entries if other != name and not places(module, other)]
        expect(
            not others,
            did=f"`del m.{name}` took `{', '.join(others)}` out as well",
            real="only the named entry goes",
            likely="the whole drawer is emptied",
        )
        expect(
            places(module, neighbor) == [drawer],
            did=f"`del m.{name}` took its neighbor `{neighbor}` out as well",
            real="only the entry of exactly this name goes",
            likely="names that merely begin alike, or contain each other, are taken for the same",
        )


_removes("a parameter can be deleted", "w", "_parameters")
_removes("a buffer can be deleted", "mean", "_buffers")
_removes("a child can be deleted", "fc", "_modules")


@removing.sub("so can an entry that is None")
def removes_none(Remover):
    module, _ = furnished(Remover)
    held(module, "_parameters")["bias"] = None
    _expect_gone(
        module, "bias", "_parameters", "the value is looked at; ask whether the name is there"
    )


@removing.sub("and a plain attribute")
def removes_plain(Remover):
    module, _ = furnished(Remover)
    held(module, "__dict__")["lr"] = 0.1
    _expect_gone(
        module, "lr", "__dict__", "what is in no drawer is any object's business: `super()`"
    )


@removing.sub("a missing name is an AttributeError")
def missing_raises(Remover):
    module, _ = furnished(Remover)
    tried = attempt(lambda: delattr(module, "nope"))
    expect(
        tried.raised(AttributeError, "nope"),
        did=f"there is no `nope`, and `del m.nope` gave {tried.said}",
        real="it is an AttributeError that names `nope`",
        likely="a default in `pop(name, None)` hides the mistake, or a dictionary's KeyError comes through; "
        "`super().__delattr__(name)` raises the right one",
    )


@removing.sub("a property's own deleter runs")
def runs_deleter(Remover):
    class Cached(Remover):
        @property
        def table(self):
            return held(self, "__dict__")["_table"]

        @table.deleter
        def table(self):
            held(self, "__dict__").pop("_table", None)

    module = Cached()
    held(module, "__dict__")["_table"] = [1, 2, 3]
    tried = attempt(lambda: delattr(module, "table"))
    expect(
        tried.error is None and "_table" not in held(module, "__dict__"),
        did=f"a class has a property `table` with a deleter; `del m.table` gave {tried.said}, and the deleter "
        "did not run",
        real="for any object, the deleter of a property is called",
        likely="the name is deleted from `self.__dict__`; `super().__delattr__` knows about properties",
    )


# ---- 03.4

listing_names = Exercise(
    "03.4",
    title="Tell Tab what there is",
    takes=("Lister",),
    hints=(
        "What does any object list? `super().__dir__()` knows: the names of the class and of `__dict__`.",
        "Add the names in the three drawers. A dictionary, walked over, gives its names. Then leave out those "
        "that cannot be typed after a dot: which first character is impossible?",
        "`names = {*super().__dir__(), *self._parameters, *self._buffers, *self._modules}`, a set, so that no "
        "name comes twice; and `return sorted(name for name in names if not name[0].isdigit())`.",
    ),
)


def _names(module: object) -> list[str]:
    """Return what the reader's `__dir__` gives, before Python sorts it."""
    return list(type(module).__dir__(module))


def _lists(title: str, wanted: tuple[str, ...], likely: str) -> None:
    @listing_names.sub(title)
    def look(Lister):
        class Net(Lister):
            depth = 3

            def forward(self, x):
                return x

        module, _ = furnished(Net)
        held(module, "__dict__")["lr"] = 0.1
        names = _names(module)
        lacking = [name for name in wanted if name not in names]
        expect(
            not lacking,
            did=f"`{'`, `'.join(lacking)}` {'is' if len(lacking) == 1 else 'are'} not in `dir(m)`",
            real="everything that can be typed after the dot is listed",
            likely=likely,
        )
        strays = [n for n in names if n in ("weight", "bias") or n.startswith("fc.")]
        expect(
            not strays,
            did=f"`{'`, `'.join(strays)}` in `dir(m)`: only the child `m.fc` has that",
            real="a module lists its children, and not what they hold: `m.weight` finds nothing",
            likely="the whole tree was asked (`named_parameters()`, `dir` of a child), not the drawers of `self`",
        )


_lists("parameters are listed", ("w",), "`_parameters` is not asked")
_lists("buffers are listed", ("mean",), "`_buffers` is not asked")
_lists("children are listed", ("fc",), "`_modules` is not asked")
_lists(
    "so are plain attributes",
    ("lr", "training"),
    "what lies in `__dict__` is missing; `super().__dir__()` has it",
)
_lists(
    "and what the class has",
    ("forward", "depth", "__init__", "__class__"),
    "methods and class attributes are missing, also the inherited ones; `super().__dir__()` has them",
)


@listing_names.sub("names that begin with a digit are not")
def hides_digits(Lister):
    module, _ = furnished(Lister)
    for name in ("0", "10", "2nd"):
        held(module, "_modules")[name] = nn.Linear(2, 1)
    held(module, "_modules")["conv2"] = nn.Linear(2, 1)
    names = _names(module)
    shown_digits = [name for name in ("0", "10", "2nd") if name in names]
    removing_in_loop = 0 < len(shown_digits) < 3 and shown_digits != ["2nd"]
    expect(
        not shown_digits,
        did=f'children are named "0", "10" and "2nd"; `dir(m)` lists {shown_digits}',
        real='none of them: `m.0` and `m.2nd` are no Python; they are still there for `getattr(m, "0")`',
        likely=_SKIPPED
        if removing_in_loop
        else "names are not sifted, or only those that are digits all through",
    )
    expect(
        "conv2" in names,
        did='a child is named "conv2"; `dir(m)` does not list it',
        real="it is listed: only a digit in *first* place makes a name impossible",
        likely="all names with a digit anywhere are left out",
    )
    many = [str(number) for number in range(60)]
    held(module, "_modules").update((name, nn.Linear(2, 1)) for name in many)
    left = sorted(set(many) & set(_names(module)), key=int)
    expect(
        not left,
        did=f'children are named "0" to "59"; `dir(m)` lists {len(left)} of these names',
        real="it lists none of them",
        likely=_SKIPPED,
    )


_SKIPPED = (
    "names are removed from a list while a loop walks over it: the loop skips the name after each one that "
    "is removed. Build a new list of those that stay"
)


@listing_names.sub("no name comes twice")
def no_duplicates(Lister):
    module, _ = furnished(Lister)
    names = _names(module)
    twice = sorted({name for name in names if names.count(name) > 1})
    expect(
        not twice,
        did=f"{len(twice)} names come more than once, such as `{twice[0] if twice else ''}`",
        real="ours lists every name once (PyTorch does not promise that)",
        likely="`super().__dir__()` holds the class and `__dict__` already; adding them again doubles them",
    )


@listing_names.sub("a name that was added later is there at once")
def lists_live(Lister):
    module, _ = furnished(Lister)
    _names(module)
    held(module, "_parameters")["late"] = weight()
    expect(
        "late" in _names(module),
        did="`late` was put into `_parameters` after a first `dir(m)`; a second one does not list it",
        real="`dir(m)` looks afresh each time",
        likely="the list is kept from the first call",
    )
