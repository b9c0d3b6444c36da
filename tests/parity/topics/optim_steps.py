"""What each optimizer makes of its parameters and remembers of them, after seven steps."""

from casebook import case
from optimizer_rows import ROWS, made, train


def steps_of(kind):
    def steps(t):
        found = []
        for options in ROWS[kind]:
            for dtype in (t.float32, t.float64):
                optimizer = made(t, kind, options, dtype)
                params = train(t, optimizer)
                states = [
                    [list(s), list(s.values())] for s in optimizer.state_dict()["state"].values()
                ]
                found.append([params, states, [p._version for p in params]])
        return [repr(made(t, kind, {})), list(optimizer.defaults), found]

    steps.__name__ = kind.lower()
    return steps


for name in ROWS:
    case(steps_of(name))
