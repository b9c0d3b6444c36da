"""What readers write when they make drawers for the first time, and look into them."""

from wrong_answer import WrongAnswer

WRONG = {
    "01.1": [
        WrongAnswer(
            name="drawers of the class, one set for all objects",
            source="""
class MyModule:
    _parameters = {}
    _buffers = {}
    _modules = {}

    def __init__(self):
        self.training = True
""",
            expect="written in the class, outside of `__init__`",
        ),
        WrongAnswer(
            name="forgets the switch",
            source="""
class MyModule:
    def __init__(self):
        self._parameters = {}
        self._buffers = {}
        self._modules = {}
""",
            expect="`training` is missing",
        ),
        WrongAnswer(
            name="lists instead of dictionaries",
            source="""
class MyModule:
    def __init__(self):
        self.training = True
        self._parameters = []
        self._buffers = []
        self._modules = []
""",
            expect="a list has no names",
        ),
        WrongAnswer(
            name="one dictionary under three names",
            source="""
class MyModule:
    def __init__(self):
        self.training = True
        self._parameters = self._buffers = self._modules = {}
""",
            expect="makes one dictionary with two names",
        ),
        WrongAnswer(
            name="begins in eval mode",
            source="""
class MyModule:
    def __init__(self):
        self.training = False
        self._parameters, self._buffers, self._modules = {}, {}, {}
""",
            expect="it is not False at the start",
        ),
        WrongAnswer(
            name="default arguments, made once",
            source="""
class MyModule:
    def __init__(self, parameters={}, buffers={}, modules={}):
        self.training = True
        self._parameters, self._buffers, self._modules = parameters, buffers, modules
""",
            expect="two objects share one `_parameters`",
        ),
        WrongAnswer(
            name="inherits the finished one",
            source="""
class MyModule(nn.Module):
    def __init__(self):
        super().__init__()
""",
            expect="you inherited it; here it is to be built",
        ),
    ],
    "01.2": [
        WrongAnswer(
            name="assigns as in 01.1",
            source="""
class MyModule:
    def __init__(self):
        self.training = True
        self._parameters = {}
        self._buffers = {}
        self._modules = {}
""",
            expect="in your line: `self.training = True`",
        ),
        WrongAnswer(
            name="setattr is the same door",
            source="""
class MyModule:
    def __init__(self):
        for name, value in dict(training=True, _parameters={}, _buffers={}, _modules={}).items():
            setattr(self, name, value)
""",
            expect="in your line: `setattr(self, name, value)`",
        ),
        WrongAnswer(
            name="a new __dict__",
            source="""
class MyModule:
    def __init__(self):
        slots = dict(training=True, _parameters={}, _buffers={}, _modules={})
        object.__setattr__(self, "__dict__", slots)
""",
            expect="`__dict__` was replaced by a new dictionary",
        ),
        WrongAnswer(
            name="hands self over twice",
            source="""
class MyModule:
    def __init__(self):
        super().__setattr__(self, "training", True)
        super().__setattr__(self, "_parameters", {})
        super().__setattr__(self, "_buffers", {})
        super().__setattr__(self, "_modules", {})
""",
            expect="takes the object first",
        ),
        WrongAnswer(
            name="the drawers past the clerk, the switch before him",
            source="""
class MyModule:
    def __init__(self):
        for name in ("_parameters", "_buffers", "_modules"):
            self.__dict__[name] = {}
        self.training = True
""",
            expect="`__setattr__` was called for `training`",
        ),
        WrongAnswer(
            name="drawers of the class, so that the clerk finds some",
            source="""
class MyModule:
    _parameters, _buffers, _modules = {}, {}, {}

    def __init__(self):
        super().__setattr__("training", True)
""",
            expect="`_modules` are missing",
        ),
    ],
    "01.3": [
        WrongAnswer(
            name="asks Python with hasattr",
            source="""
def where_is(module, name):
    for drawer in ("_parameters", "_buffers", "_modules"):
        if name in vars(module).get(drawer, {}):
            return drawer
    return "__dict__" if hasattr(module, name) else None
""",
            expect="`where_is(m, \"forward\")` is '__dict__'",
        ),
        WrongAnswer(
            name="looks only into __dict__",
            source="""
def where_is(module, name):
    return "__dict__" if name in module.__dict__ else None
""",
            expect="among the keys of `_parameters`",
        ),
        WrongAnswer(
            name="needs every drawer",
            source="""
def where_is(module, name):
    for drawer in ("_parameters", "_buffers", "_modules"):
        if name in module.__dict__[drawer]:
            return drawer
    return "__dict__" if name in module.__dict__ else None
""",
            expect="your code raised: KeyError: '_parameters'",
        ),
        WrongAnswer(
            name="looks at the value",
            source="""
def where_is(module, name):
    for drawer in ("_parameters", "_buffers", "_modules"):
        if vars(module).get(drawer, {}).get(name) is not None:
            return drawer
    return "__dict__" if name in vars(module) else None
""",
            expect="the place is kept for a bias, and None lies there",
        ),
        WrongAnswer(
            name="asks the whole tree",
            source="""
def where_is(module, name):
    places = {
        "_parameters": module.named_parameters(),
        "_buffers": module.named_buffers(),
        "_modules": module.named_modules(),
    }
    for drawer, pairs in places.items():
        if name in dict(pairs):
            return drawer
    return "__dict__" if name in vars(module) else None
""",
            expect="`where_is(m, \"fc.weight\")` is '_parameters'",
        ),
        WrongAnswer(
            name="gives the drawer instead of its name",
            source="""
def where_is(module, name):
    for drawer in (module._parameters, module._buffers, module._modules, module.__dict__):
        if name in drawer:
            return drawer
""",
            expect="that is the drawer itself",
        ),
        WrongAnswer(
            name="prints instead of returning",
            source="""
def where_is(module, name):
    for drawer in ("_parameters", "_buffers", "_modules"):
        if name in vars(module).get(drawer, {}):
            print(drawer)
            return
    print("__dict__" if name in vars(module) else None)
""",
            expect="the answer was printed",
        ),
    ],
}
