"""What a `DataLoader` refuses: options that make no sense together, and states of other loaders."""

from __future__ import annotations

from typing import Any

from ...._generator import Generator
from .position import Position, generators_of


def check_worker_options(num_workers: int, timeout: float, prefetch_factor: int | None, persistent_workers: bool) -> None:  # fmt: skip
    """Refuse negative numbers, and without workers what is said of workers."""
    if num_workers < 0:
        raise ValueError(
            "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
        )
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing."
            "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def check_order_options(batch_size: int | None, shuffle: bool | None, sampler: Any, batch_sampler: Any, drop_last: bool) -> None:  # fmt: skip
    """Refuse a second word about which indices come, or about which of them make a batch."""
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None:
        if batch_size != 1 or shuffle or sampler is not None or drop_last:
            raise ValueError(
                "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
            )
    elif batch_size is None and drop_last:
        raise ValueError(
            "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
        )


def check_stream_options(shuffle: Any, sampler: Any, batch_sampler: Any) -> None:
    """Refuse what decides on an order: a stream has its own."""
    usual = "DataLoader with IterableDataset: expected unspecified"
    if shuffle not in {False, None}:
        raise ValueError(f"{usual} shuffle option, but got shuffle={shuffle}")
    if sampler is not None:
        raise ValueError(f"{usual} sampler option, but got sampler={sampler}")
    if batch_sampler is not None:
        raise ValueError(f"{usual} batch_sampler option, but got batch_sampler={batch_sampler}")


def checked_context(context: Any, num_workers: int) -> Any:
    """Return the context of multiprocessing that `context` is or names."""
    import multiprocessing.context

    if num_workers <= 0:
        raise ValueError(
            "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
            f"num_workers={num_workers}"
        )
    if isinstance(context, str):
        valid_start_methods = multiprocessing.get_all_start_methods()
        if context not in valid_start_methods:
            raise ValueError(
                "multiprocessing_context option "
                f"should specify a valid start method in {valid_start_methods!r}, but got "
                f"multiprocessing_context={context!r}"
            )
        context = multiprocessing.get_context(context)
    if not isinstance(context, multiprocessing.context.BaseContext):
        raise TypeError(
            "multiprocessing_context option should be a valid context object or a string specifying the start "
            f"method, but got multiprocessing_context={context}"
        )
    return context


def checked_position(loader: Any, state: Any) -> Position | None:
    """Return the position in a state, if the state fits the loader."""
    keys = ("num_workers", "batch_size", "generators", "sampler", "dataset", "epoch")
    if not isinstance(state, dict) or set(state) != set(keys):
        raise ValueError(f"load_state_dict: expected what DataLoader.state_dict returns, a dict with {', '.join(keys)}")  # fmt: skip
    own = {"num_workers": loader.num_workers, "batch_size": loader.batch_size}
    for name, value in own.items():
        if state[name] != value:
            raise ValueError(f"load_state_dict: the state is of a loader with {name}={state[name]}, this one has {name}={value}")  # fmt: skip
    count = len(generators_of(loader))
    if len(state["generators"]) != count:
        raise ValueError(f"load_state_dict: the state is of a loader with {len(state['generators'])} generators, this one has {count}")  # fmt: skip
    for name, thing in (("dataset", loader.dataset), ("sampler", loader._index_sampler)):
        if state[name] is not None and not hasattr(thing, "load_state_dict"):
            raise ValueError(f"load_state_dict: the state holds one of the {name}, which has no load_state_dict")  # fmt: skip
    epoch = state["epoch"]
    try:
        for generator in state["generators"]:
            Generator().set_state(generator)
        position = None if epoch is None else Position.of(epoch)
        if position is not None and len(position.workers) != loader.num_workers:
            raise KeyError("workers")
        return position
    except (KeyError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        raise ValueError(f"load_state_dict: the state is damaged: {error!r}") from error
