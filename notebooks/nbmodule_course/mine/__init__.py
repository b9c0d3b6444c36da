"""`my_module.py`: the one class Module that the reader writes, and our layers on it; `my_tape.py`: their tape.

mine = carried()            # the reader's class so far, completed by ours
mine.Conv2d(1, 20, 5)       # a layer on it: no `nn.Module` is left in the model

again       the layer files run a second time, on another class
completed   our methods for those that the class does not have yet
together    ... unless they would have no effect beside the reader's
blame       an exception in a layer's constructor that the reader's method raised
layers      layers of the reader's own, and the classes of the tape
on_tape     the reader's Module on the reader's tape
cells       the definitions in a cell, with their own text
given       what one cell has given
imports     what a definition uses, as lines that import it
kept_blocks what the two files define
kept_text   how a definition goes in or out
kept_file   ... and on the disk
loading     what a chapter starts from
solutions   our solutions, out of the chapters
here        which chapter and which of its cells is running
carried     all of it together
pickling    how pickle writes these classes
"""

from . import pickling as _pickling
from .carried import Carried, carried

__all__ = ["Carried", "carried"]
