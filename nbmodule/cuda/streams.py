"""The order of work on a GPU: streams, and events in them.

A program hands work to the GPU and goes on at once; the GPU does what lies in one stream in order. To know how
long something takes, put an event before and one after it, and wait for the second.

Source: https://docs.pytorch.org/docs/stable/generated/torch.cuda.Event.html
"""

from __future__ import annotations

from typing import Any

from .._backend import import_cupy
from .._device import device as Device
from . import card_of


class Event:
    """A moment in the work of a GPU.

    Args:
        enable_timing: whether `elapsed_time` can be asked for.
        blocking: whether `synchronize` lets other threads have the processor.
        interprocess: whether another process may see it.

    Raises:
        AssertionError: there is no GPU.
    """

    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> None:  # fmt: skip
        cupy = import_cupy()
        cupy.cuda.Device(card_of(None)).use()
        self._event = cupy.cuda.Event(blocking, not enable_timing, interprocess)

    def record(self, stream: Stream | None = None) -> None:
        """Be the moment at which all work handed to `stream` until now is done."""
        stream = stream or current_stream()
        import_cupy().cuda.Device(stream._card).use()
        self._event.record(stream._stream)

    def wait(self, stream: Stream | None = None) -> None:
        """Let later work in `stream` wait for this moment."""
        (stream or current_stream())._stream.wait_event(self._event)

    def query(self) -> bool:
        """Return whether the moment has come."""
        return self._event.done

    def synchronize(self) -> None:
        """Wait for the moment."""
        self._event.synchronize()

    def elapsed_time(self, end_event: Event) -> float:
        """Return how many milliseconds lie between this event and `end_event`; both must have come."""
        return import_cupy().cuda.get_elapsed_time(self._event, end_event._event)


class Stream:
    """A row of work on one GPU. Rows do not wait for each other.

    Args:
        device: the GPU; by default the current one.
        priority: the lower, the sooner.

    Raises:
        AssertionError: there is no GPU.
    """

    def __init__(self, device: Any = None, priority: int = 0, **kwargs: Any) -> None:
        cupy = import_cupy()
        self._card = card_of(device)
        cupy.cuda.Device(self._card).use()
        self._stream = kwargs.get("stream") or cupy.cuda.Stream(
            non_blocking=True, priority=priority
        )

    @property
    def device(self) -> Device:
        """The GPU that does the work."""
        return Device("cuda", self._card)

    @property
    def cuda_stream(self) -> int:
        """The number by which CUDA knows this stream."""
        return self._stream.ptr

    def query(self) -> bool:
        """Return whether all work is done."""
        return self._stream.done

    def synchronize(self) -> None:
        """Wait until all work is done."""
        self._stream.synchronize()

    def record_event(self, event: Event | None = None) -> Event:
        """Return `event`, or a new one, recorded here and now."""
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        """Let later work wait for `event`."""
        event.wait(self)

    def wait_stream(self, stream: Stream) -> None:
        """Let later work wait for what `stream` has to do now."""
        self.wait_event(stream.record_event())

    def __repr__(self) -> str:
        return f"<nbmodule.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"


class StreamContext:
    """Within ``with``, work goes to `stream`; None changes nothing."""

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        if self.stream is not None:
            self.stream._stream.__enter__()

    def __exit__(self, type: Any, value: Any, traceback: Any) -> None:
        if self.stream is not None:
            self.stream._stream.__exit__(type, value, traceback)


def stream(stream: Stream | None) -> StreamContext:
    """Return a block in which work goes to `stream`."""
    return StreamContext(stream)


def set_stream(stream: Stream | None) -> None:
    """Hand all work to `stream` from now on."""
    if stream is not None:
        stream._stream.use()


def current_stream(device: Any = None) -> Stream:
    """Return the stream that work goes to.

    Raises:
        AssertionError: there is no GPU.
    """
    return Stream(device, stream=import_cupy().cuda.get_current_stream(card_of(device)))


def default_stream(device: Any = None) -> Stream:
    """Return the stream that work goes to unless another one is asked for.

    Raises:
        AssertionError: there is no GPU.
    """
    return Stream(device, stream=import_cupy().cuda.Stream.null)
