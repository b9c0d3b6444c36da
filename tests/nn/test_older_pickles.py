"""A pickle that an earlier nbmodule wrote opens, though the class of its hooks lies elsewhere now."""

import pickle

from nbmodule import nn

HEARD = []


def hear(module, *_):
    HEARD.append(module)


def test_hooks_of_loading():
    m = nn.Linear(2, 2)
    m.register_load_state_dict_pre_hook(hear)
    written = pickle.dumps(m, protocol=0)
    older = written.replace(b"cnbmodule.nn.modules.module\n_WrappedHook\n", b"cnbmodule.nn.modules._hooks\nWrappedHook\n")  # fmt: skip
    assert older != written
    again = pickle.loads(older)
    again.load_state_dict(m.state_dict())
    assert [again] == HEARD
