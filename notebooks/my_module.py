"""My own Module, exercise by exercise, from the nbmodule course.

Each exercise that I solve puts its code here, and the next chapter builds on it. This file is mine to edit.
"""

from collections import OrderedDict


# exercise 00.1
def count(module):
    """Return how many numbers `module` can learn."""
    return sum(p.numel() for p in module.parameters())


# exercise 01.3
def where_is(module, name):
    """Return the place in `module` that holds `name`, or None."""
    slots = vars(module)
    for drawer in ("_parameters", "_buffers", "_modules"):
        if name in slots.get(drawer, {}):
            return drawer
    if name in slots:
        return "__dict__"
    return None


# exercise 01.4
def count_tree(module):
    """Return how many numbers the tree below `module` can learn, from its drawers alone."""
    total = 0
    for parameter in module._parameters.values():
        if parameter is not None:
            total += parameter.numel()
    for child in module._modules.values():
        if child is not None:
            total += count_tree(child)
    return total


# exercise 01.5
def outline(module):
    """Return one line for each Module of the tree, indented by its depth."""
    lines = [type(module).__name__]
    for name, child in module._modules.items():
        if child is not None:
            first, *below = outline(child)
            lines.append(f"  {name}: {first}")
            for line in below:
                lines.append(f"  {line}")
    return lines


class Module:
    """An object that keeps books."""

    # exercise 01.2
    def __init__(self):
        slots = self.__dict__  # bypasses __setattr__, which reads drawers that don't exist yet
        slots["training"] = True
        slots["_parameters"] = {}
        slots["_buffers"] = {}
        slots["_non_persistent_buffers_set"] = set()
        slots["_backward_pre_hooks"] = OrderedDict()
        slots["_backward_hooks"] = OrderedDict()
        slots["_is_full_backward_hook"] = None
        slots["_forward_hooks"] = OrderedDict()
        slots["_forward_hooks_with_kwargs"] = OrderedDict()
        slots["_forward_hooks_always_called"] = OrderedDict()
        slots["_forward_pre_hooks"] = OrderedDict()
        slots["_forward_pre_hooks_with_kwargs"] = OrderedDict()
        slots["_state_dict_hooks"] = OrderedDict()
        slots["_state_dict_pre_hooks"] = OrderedDict()
        slots["_load_state_dict_pre_hooks"] = OrderedDict()
        slots["_load_state_dict_post_hooks"] = OrderedDict()
        slots["_modules"] = {}
