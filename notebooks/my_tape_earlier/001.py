"""My own Tensor and its tape, exercise by exercise, from the nbmodule course.

It stands beside my_module.py, and stands alone. This file is mine to edit.
"""

import itertools


# exercise 13.1
numbers = itertools.count()


class Node:
    # exercise 13.1
    def __init__(self, name, inputs=(), vjps=(), variable=None):
        self._name, self.vjps, self.variable = name, vjps, variable
        self.next_functions = tuple((t._node(), 0) for t in inputs)
        self.saved = ()
        self.number = next(numbers)

    # exercise 13.1
    def topological_order(self):
        """Return this node and all below it, the newest first."""
        found, todo = {self}, [self]
        while todo:
            for node, _ in todo.pop().next_functions:
                if node is not None and node not in found:
                    found.add(node)
                    todo.append(node)
        return sorted(found, key=lambda node: node.number, reverse=True)
