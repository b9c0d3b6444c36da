"""Anomaly detection: say which line of the forward pass a failing backward step came from.

While it is on, every recorded operation keeps the stack that called it, and the walk looks for NaNs.

Source: https://docs.pytorch.org/docs/stable/autograd.html#anomaly-detection
"""

from __future__ import annotations

import warnings

from ._anomaly import is_anomaly_check_nan_enabled, is_anomaly_enabled, set_anomaly_enabled

__all__ = ["detect_anomaly", "set_detect_anomaly"]


class detect_anomaly:
    """Inside, a failing backward step shows where its operation was called; NaNs are errors.

    Everything gets slower: it is for debugging only.

    Args:
        check_nan: raise as soon as a gradient contains NaN.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.anomaly_mode.detect_anomaly.html
    """

    def __init__(self, check_nan: bool = True) -> None:
        self.prev, self.prev_check_nan = is_anomaly_enabled(), is_anomaly_check_nan_enabled()
        self.check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be "
            "enabled for debugging.",
            stacklevel=2,
        )

    def __enter__(self) -> None:
        set_anomaly_enabled(True, self.check_nan)

    def __exit__(self, *args: object) -> None:
        set_anomaly_enabled(self.prev, self.prev_check_nan)


class set_detect_anomaly:
    """Switch anomaly detection on or off: at once, and in a ``with`` statement until its block ends.

    Args:
        mode: whether it is on.
        check_nan: raise as soon as a gradient contains NaN.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.anomaly_mode.set_detect_anomaly.html
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.prev, self.prev_check_nan = is_anomaly_enabled(), is_anomaly_check_nan_enabled()
        set_anomaly_enabled(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *args: object) -> None:
        set_anomaly_enabled(self.prev, self.prev_check_nan)
