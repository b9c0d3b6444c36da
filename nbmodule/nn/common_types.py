"""Names for types of arguments that come in one, two or three dimensions.

Source: https://docs.pytorch.org/docs/stable/nn.html
"""

from collections.abc import Sequence

_size_any_t = int | Sequence[int]
_size_1_t = _size_any_t
_size_2_t = _size_any_t
_size_3_t = _size_any_t
_size_any_opt_t = int | None | Sequence[int | None]
_size_2_opt_t = _size_any_opt_t
_size_3_opt_t = _size_any_opt_t
_ratio_any_t = float | Sequence[float]
_ratio_2_t = _ratio_any_t
_ratio_3_t = _ratio_any_t
