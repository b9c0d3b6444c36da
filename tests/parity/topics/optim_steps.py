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


@case
def a_rate_that_is_a_tensor(t):
    """A float32 rate rounds what is computed of it alone: seen in the ninth digit of float64 parameters."""
    found = {}
    for kind in ROWS:
        options = {**ROWS[kind][-1], "lr": 0.1}
        single = train(t, made(t, kind, {**options, "lr": t.tensor(0.1)}, t.float64), stop=2)
        double = train(t, made(t, kind, {**options, "lr": t.tensor(0.1).item()}, t.float64), stop=2)
        found[kind] = [(a.detach() - b.detach()) * 1e9 for a, b in zip(single, double, strict=True)]
    return found
