"""The switch for anomaly detection. See `anomaly_mode.py`."""

from __future__ import annotations

from .._engine import grad_mode


def is_anomaly_enabled() -> bool:
    """Return whether anomaly detection is on."""
    return grad_mode.anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """Return whether NaNs in gradients are errors while anomaly detection is on."""
    return grad_mode.check_nan


def set_anomaly_enabled(enabled: bool, check_nan: bool = True) -> None:
    """Switch anomaly detection on or off.

    Args:
        enabled: whether it is on.
        check_nan: raise as soon as a gradient contains NaN.

    Raises:
        TypeError: an argument is not a bool.
    """
    for position, (name, value) in enumerate((("enabled", enabled), ("check_nan", check_nan)), 1):
        if not isinstance(value, bool):
            raise TypeError(
                f"set_anomaly_enabled(): argument '{name}' (position {position}) must be bool, not "
                f"{type(value).__name__}"
            )
    grad_mode.switch(anomaly=enabled, check_nan=check_nan)
