"""My own Module, exercise by exercise, from the nbmodule course.

Each exercise that I solve puts its code here, and the next chapter builds on it. This file is mine to edit.
"""


class Module:
    """An object that keeps books."""

    # exercise 01.1
    def __init__(self):
        self.training = True
        self._parameters = {}
        self._buffers = {}
        self._modules = {}
