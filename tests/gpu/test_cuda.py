"""`nbmodule.cuda` and `nbmodule.accelerator`: what there is, which card is meant, memory, streams, seeds."""

import pytest

import nbmodule
from nbmodule import accelerator, cuda


def test_what_there_is(gpu):
    assert cuda.is_available()
    assert cuda.is_initialized()
    assert cuda.device_count() == accelerator.device_count() >= 1
    assert cuda.current_device() == accelerator.current_device_index() == 0
    assert accelerator.current_accelerator() == nbmodule.device("cuda:0")
    properties = cuda.get_device_properties(0)
    assert properties.name == cuda.get_device_name()
    assert (properties.major, properties.minor) == cuda.get_device_capability("cuda:0")
    free, total = cuda.mem_get_info()
    assert 0 < free <= total
    with pytest.raises(AssertionError, match="Invalid device id"):
        cuda.get_device_properties(99)
    with pytest.raises(ValueError, match="Expected a cuda device, but got: cpu"):
        cuda.get_device_name("cpu")


def test_which_card_is_meant(two_cards):
    with cuda.device(1):
        assert cuda.current_device() == nbmodule.ones(1, device="cuda").get_device() == 1
    assert cuda.current_device() == 0
    with cuda.device_of(nbmodule.ones(1, device="cuda:1")):
        assert nbmodule.ones(1).cuda().get_device() == 1
    cuda.set_device("cuda:1")
    assert nbmodule.device(0) == nbmodule.device("cuda:0")
    assert nbmodule.ones(1).cuda().get_device() == 1
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        cuda.set_device(99)


def test_memory(gpu):
    before = cuda.memory_allocated()
    x = nbmodule.zeros(1 << 20, device="cuda")
    assert cuda.memory_allocated() == before + (4 << 20)
    assert cuda.max_memory_allocated() >= cuda.memory_allocated()
    assert cuda.memory_reserved() >= cuda.memory_allocated()
    del x
    assert cuda.memory_allocated() == before
    cuda.reset_peak_memory_stats()
    cuda.empty_cache()


def test_events_and_streams(gpu):
    start, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
    start.record()
    nbmodule.ones(100, device="cuda") + 1
    end.record()
    end.synchronize()
    assert end.query()
    assert start.elapsed_time(end) >= 0
    other = cuda.Stream()
    other.wait_stream(cuda.current_stream())
    with cuda.stream(other):
        x = nbmodule.ones(2, device="cuda") * 2
    cuda.current_stream().wait_event(other.record_event())
    assert x.tolist() == [2, 2]
    other.synchronize()
    cuda.synchronize()
    accelerator.synchronize()
    assert other.device == nbmodule.device("cuda:0")


def test_seeds(gpu):
    """One generator draws for all devices, and that of `nbmodule.manual_seed` is its seed."""
    nbmodule.manual_seed(3)
    cuda.manual_seed_all(99)
    state = cuda.get_rng_state()
    a = nbmodule.rand(3, device="cuda")
    cuda.set_rng_state(state)
    assert nbmodule.rand(3).tolist() == a.tolist()
    assert cuda.initial_seed() == 3


def test_without_a_gpu():
    """These hold on any machine: programs ask before they use a GPU."""
    if not cuda.is_available():
        assert cuda.device_count() == cuda.memory_allocated() == 0
        assert accelerator.current_accelerator() is None
        cuda.empty_cache()
        cuda.manual_seed_all(0)
        for use in (
            cuda.current_device,
            cuda.synchronize,
            cuda.Event,
            lambda: nbmodule.ones(2).cuda(),
        ):
            with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
                use()


@pytest.mark.gpu
def test_a_gpu_is_at_hand():
    """``pytest tests -m gpu`` where there is none says so."""
    if not cuda.is_available():
        pytest.skip("needs an NVIDIA GPU, its driver, and CuPy: pip install cupy-cuda12x")
    assert nbmodule.ones(2, device="cuda").sum().item() == 2
