"""What a `DataLoader` is made of: the steps from indices to a batch."""

from ...._utils import ExceptionWrapper as ExceptionWrapper
from . import collate, fetch, pin_memory, worker

MP_STATUS_CHECK_INTERVAL = 5.0
"""So many seconds one waits for a worker before looking whether it is still alive."""
