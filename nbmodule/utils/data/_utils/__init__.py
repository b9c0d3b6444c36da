"""What a `DataLoader` is made of: the steps from indices to a batch."""

MP_STATUS_CHECK_INTERVAL = 5.0
"""So many seconds one waits for a worker before looking whether it is still alive."""

from . import collate, fetch, pin_memory, worker
