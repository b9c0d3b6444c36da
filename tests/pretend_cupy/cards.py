"""The pretend cards: which one is current, their memory, streams and events."""

import threading
import time

CARDS = 2


class Counters:
    """What the tests ask about."""

    synchronisations = 0
    used = [0] * CARDS
    peak = [0] * CARDS


class Current(threading.local):
    """The card that this thread computes on."""

    card = 0


current = Current()


class Device:
    """A card. Within ``with`` it is the current one."""

    def __init__(self, number=None):
        self.id = current.card if number is None else int(number)
        if not 0 <= self.id < CARDS:
            raise RuntimeError("cudaErrorInvalidDevice: invalid device ordinal")
        self._before = []

    def __enter__(self):
        self._before.append(current.card)
        current.card = self.id
        return self

    def __exit__(self, *error):
        current.card = self._before.pop()

    def __eq__(self, other):
        return isinstance(other, Device) and other.id == self.id

    def __hash__(self):
        return hash(self.id)

    def __int__(self):
        return self.id

    def __repr__(self):
        return f"<CUDA Device {self.id}>"

    def use(self):
        current.card = self.id

    def synchronize(self):
        Counters.synchronisations += 1

    compute_capability = "90"
    mem_info = (2**33, 2**34)


class Event:
    """A moment in the stream of work."""

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self.moment, self.done = None, True

    def record(self, stream=None):
        self.moment = time.perf_counter()

    def synchronize(self):
        Counters.synchronisations += 1


class Stream:
    """Work is done in order."""

    null: "Stream"

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        self.ptr, self.done, self.device_id = 0, True, current.card

    def synchronize(self):
        Counters.synchronisations += 1

    def record(self, event=None):
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event):
        pass

    def use(self):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


Stream.null = Stream()


class PinnedMemoryPointer(bytearray):
    """Memory of the host that the system does not move."""


class Pool:
    """The memory that arrays take from the card."""

    def used_bytes(self):
        return Counters.used[current.card]

    def total_bytes(self):
        return Counters.used[current.card]

    def free_all_blocks(self, stream=None):
        pass
