"""Activations and dropout."""

from ..module_row import Row

A, B, IMAGE = (3, 4), (2, 3, 4), (2, 3, 2, 2)


def row(name, *args, shape=A, label=""):
    return Row(name + label, lambda t: getattr(t.nn, name)(*args), (shape,), half=name != "RReLU")


def inplace(name, *args):
    """Call on a copy: a leaf must not be overwritten."""

    def make(t):
        return getattr(t.nn, name)(*args, inplace=True)

    skip = {"backward hooks": "they make a view of the input, which must not be overwritten"}
    call = lambda module, x: module(x * 1)  # noqa: E731
    return Row(f"{name}_inplace", make, (A,), call, half=name != "RReLU", skip=skip)


ROWS = [
    *(row(name) for name in ("ReLU", "ReLU6", "Hardtanh", "Hardsigmoid", "Hardswish", "LeakyReLU", "Hardshrink", "Softshrink")),
    *(row(name) for name in ("Sigmoid", "Tanh", "SiLU", "Mish", "ELU", "CELU", "SELU", "GLU", "GELU", "LogSigmoid")),
    *(row(name) for name in ("Softplus", "Softsign", "Tanhshrink", "PReLU")),
    row("Threshold", 0.1, 20.0),
    row("RReLU", 0.1, 0.9, label="_bounds"),
    row("Hardtanh", -0.5, 2.0, label="_limits"),
    row("LeakyReLU", 0.2, label="_slope"),
    row("Hardshrink", 0.2, label="_lambd"),
    row("Softshrink", 0.0, label="_lambd"),
    row("ELU", 0.3, label="_alpha"),
    row("CELU", 2.0, label="_alpha"),
    row("GLU", 1, shape=(2, 4, 3), label="_dim"),
    row("GELU", "tanh", label="_tanh"),
    row("Softplus", 2.0, 1.0, label="_beta"),
    row("PReLU", 3, 0.1, shape=B, label="_channels"),
    row("Softmin", 1),
    row("Softmax", 0),
    row("Softmax", -2, shape=B, label="_middle"),
    row("LogSoftmax", 1),
    row("Softmax2d", shape=IMAGE),
    row("Softmax2d", shape=B, label="_unbatched"),
    *(inplace(name) for name in ("ReLU", "ReLU6", "Hardtanh", "Hardsigmoid", "Hardswish", "LeakyReLU", "RReLU")),
    *(inplace(name) for name in ("SiLU", "Mish", "ELU", "CELU", "SELU", "Dropout")),
    inplace("Threshold", 0.1, 20.0),
    row("Dropout", 0.3),
    row("Dropout1d", 0.4, shape=B),
    row("Dropout1d", 0.4, label="_unbatched"),
    row("Dropout2d", 0.4, shape=IMAGE),
    row("Dropout3d", 0.4, shape=(2, 3, 2, 1, 2)),
    row("Dropout3d", 0.4, shape=IMAGE, label="_unbatched"),
    row("AlphaDropout", 0.2),
    row("FeatureAlphaDropout", 0.4, shape=B),
]  # fmt: skip
