"""Numbers of the rows added up along the tree."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace

import numpy as np

from nbmodule_widgets.facts import ModuleFacts
from nbmodule_widgets.facts.counting import (
    Tree,
    subtree_sums,
    subtree_sums_with_sharing,
    whole_numbers,
)


def sums_below(model: ModuleFacts, own: list[int]) -> np.ndarray:
    """For each row the sum over it and those below it.

    Args:
        model: The tree.
        own: The number of each row.
    """
    numbers = whole_numbers(own)
    return subtree_sums(_tree(model), numbers, numbers).numel


def frozen_sums(model: ModuleFacts) -> np.ndarray:
    """For each row how many numbers of its parameters, and of those below it, take no gradient; each object counts once."""
    nodes = model.nodes
    held = [
        {
            (row if tensor.twin < 0 else tensor.twin): replace(tensor, twin=-1)
            for row, tensor in enumerate(nodes.of(index).tensors, start=nodes.row[index] + 1)
            if tensor.frozen
        }
        for index in range(len(nodes))
    ]
    return subtree_sums_with_sharing(_tree(model), held).numel


def _tree(model: ModuleFacts) -> Tree:
    nodes = model.nodes
    twins = {
        index: bisect_right(nodes.row, nodes.of(index).twin) - 1
        for index in range(len(nodes))
        if nodes.of(index).twin >= 0
    }
    return Tree(nodes.parent, nodes.depth, nodes.end, twins)
