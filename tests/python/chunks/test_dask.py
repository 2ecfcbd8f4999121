"""shardfft.dask: arrays in chunks have the bits of shardfft's functions on the whole array, and are moved lazily, by
dask, in blocks of bounded size."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.fft
from test_functions import numbers

import shardfft as sf

dask = pytest.importorskip("dask", reason="Dask is not installed; tools/setup bindings_check installs it")
import dask.array as da
from dask.callbacks import Callback

import shardfft.dask as fft
from shardfft.dask import layouts

FOURIER = [name + many for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft") for many in ("", "2", "n")]
REAL = [name + many for name in ("dct", "idct", "dst", "idst") for many in ("", "n")]
PROBLEMS = int(os.environ.get("SHARDFFT_TEST_PROBLEMS", "80"))


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def cut(rng, n, zeros=True):
    """Random chunks along an axis; now and then of no element."""
    ends = sorted(rng.integers(0 if zeros else 1, n + 1, rng.integers(0, 5)))
    if not zeros:
        ends = sorted(set(ends) - {n})
    return tuple(int(end - begin) for begin, end in zip([0, *ends], [*ends, n]))


def expect_bits(ours, whole, theirs):
    assert ours.dtype == whole.dtype and ours.shape == whole.shape
    found = ours.compute()
    assert found.dtype == whole.dtype and np.array_equal(found, whole)
    tolerance = 2e-5 if whole.dtype.char in "fF" else 1e-12
    assert np.linalg.norm(found - theirs) <= tolerance * np.linalg.norm(theirs)


def random_call(rng, name, ndim, shape):
    """Arguments of a call by keyword."""
    keywords = {"norm": rng.choice([None, "backward", "ortho", "forward"])}
    lengths = [int(max(2 if name in REAL else 1, n + rng.integers(-3, 4))) for n in shape]
    if not name.endswith(("2", "n")):
        axis = int(rng.integers(-ndim, ndim))
        keywords["axis"] = axis
        if rng.random() < 0.5:
            keywords["n"] = lengths[axis]
    else:
        count = 2 if name.endswith("2") else rng.integers(1, ndim + 1)
        axes = tuple(int(axis) for axis in rng.permutation(ndim)[:count])
        keywords["axes"] = axes
        if rng.random() < 0.5:
            keywords["s"] = tuple(lengths[axis] for axis in axes)
    if name in REAL:
        keywords["type"] = int(rng.integers(1, 5))
    return keywords


@pytest.mark.parametrize("seed", range(PROBLEMS))
def test_random_calls_have_the_bits_of_the_whole_array(seed):
    rng = np.random.default_rng(seed)
    name = str(rng.choice(FOURIER + REAL))
    ndim = int(rng.integers(2 if name.endswith("2") else 1, 5))
    shape = tuple(int(n) for n in rng.choice([1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16], ndim))
    takes_reals = name.startswith(("rfft", "ihfft"))
    if name in REAL or name.startswith(("irfft", "hfft")):
        shape = tuple(max(n, 2) for n in shape)
    x = numbers(shape, rng.choice(list("fd" if takes_reals else "fdFD")), seed)
    keywords = random_call(rng, name, ndim, shape)
    chunks = tuple(cut(rng, n) for n in shape)
    order, block = str(rng.choice(["natural", "transposed"])), rng.choice([None, 2000, 20000])
    print(f"seed {seed}: {name} of {shape} {x.dtype} in {chunks}, {keywords}, order={order}, block={block}")
    ours = getattr(fft, name)(da.from_array(x, chunks), **keywords, order=order, block=block)
    if order == "natural":
        assert all(a == tuple(n for n in b if n > 0) for a, b in zip(ours.chunks, chunks) if sum(a) == sum(b))
    theirs = getattr(scipy.fft, name)(x, **keywords)
    expect_bits(ours, getattr(sf, name)(x, **keywords), theirs)


# Whether an axis is split, and how long pencils are computed, depends on how many pencils the whole array has.
@pytest.mark.parametrize("shape, axes", [
    ((20, 4096), (1,)), ((4096, 3), (0,)), ((4099, 2, 9), (0,)), ((100, 3), (0,)), ((70, 1, 4), (0,)),
    ((2, 2, 96), (2,)), ((30000,), (0,)), ((100, 3), (0, 1)), ((2, 4096, 3), (0, 1)), ((1, 4098, 1), (0, 1)),
    ((9, 2**17), (1,)),
    ((2, 1, 2, 1, 1, 1, 1, 100), (7,)), ((2, 3, 1, 1, 2, 1, 2, 2, 2), None), ((2, 1, 2, 1, 2, 1, 80, 1, 3), (6,)),
    ((2, 1, 1, 1, 1, 1, 1, 100, 3), (1, 2, 3, 4, 5, 6, 7)), ((1, 1, 1, 1, 1, 3, 100), (0, 1, 2, 3, 4, 6)),
])
def test_long_pencils_and_many_axes_have_the_same_bits(shape, axes):
    rng = np.random.default_rng(1)
    chunks = tuple(cut(rng, n, zeros=False) if n > 60 else (1,) * n for n in shape)
    for name in ("fftn", "rfftn") if 2**17 in shape else ("fftn", "rfftn", "irfftn", "dctn"):
        x = numbers(shape, "D" if name in ("fftn", "irfftn") else "d")
        ours = getattr(fft, name)(da.from_array(x, chunks), axes=axes, block=16 * max(shape))
        theirs = getattr(np.fft if "fft" in name else scipy.fft, name)(x, axes=axes)
        expect_bits(ours, getattr(sf, name)(x, axes=axes), theirs)


def test_the_zeros_of_longer_arrays_stay_positive():
    x = da.zeros((8, 9), chunks=3)
    for name in FOURIER:
        if not name.endswith(("2", "n")):
            for n in (7, 12, 17, 64, 101):
                assert not np.signbit(getattr(fft, name)(x, n=n).compute().real).any()


def test_repeated_axes_are_done_one_after_the_other():
    x = numbers((6, 7), "D")
    blocks = da.from_array(x, (2, 3))
    for name in ("fftn", "ifftn", "irfftn"):
        expect_bits(getattr(fft, name)(blocks, axes=(1, 0, 1)), getattr(sf, name)(x, axes=(1, 0, 1)),
                    getattr(np.fft, name)(x, axes=(1, 0, 1)))


@pytest.mark.parametrize("dtype", ["?", "i2", "u8", "e", ">f4", ">c16"])
def test_numbers_of_any_type(dtype):
    x = numbers((6, 8), dtype)
    for name in ("fftn", "hfft") + (("rfft2", "ihfft", "dctn") if x.dtype.kind != "c" else ()):
        ours, whole = getattr(fft, name)(da.from_array(x, (2, 4))), getattr(sf, name)(x)
        assert ours.dtype == whole.dtype and np.array_equal(ours.compute(), whole)


def test_arrays_of_numpy_and_blocks_of_any_memory():
    x = numbers((12, 10), "D")
    blocks = da.from_array(np.asfortranarray(x), (4, 5)).map_blocks(np.asfortranarray)
    for given in (x, blocks, da.from_array(x.T.copy(), 5).T, da.from_array(np.flip(x).copy(), 3)[::-1, ::-1]):
        assert np.array_equal(fft.fftn(given).compute(), sf.fftn(x))


def test_nothing_is_computed_before_it_is_asked_for():
    def fail(block):
        raise AssertionError("computed")

    x = da.zeros((8, 8, 8), chunks=2).map_blocks(fail, dtype=float, meta=np.empty((0, 0, 0)))
    for result in (fft.rfftn(x), fft.irfftn(fft.rfftn(x)), fft.dctn(x), fft.apply(x, lambda modes: None),
                   fft.convolve(x, x), fft.power_spectrum(x), fft.fftshift(fft.fftn(x))):
        with pytest.raises(AssertionError, match="computed"):
            result.compute()


class Sizes(Callback):
    """Bytes of the largest result of a task, and how many tasks there are."""

    def __init__(self):
        super().__init__(posttask=self.look)
        self.largest = self.count = 0

    def look(self, key, result, graph, state, worker):
        self.largest, self.count = max(self.largest, getattr(result, "nbytes", 0)), self.count + 1


@pytest.mark.parametrize("chunks", [(4, 64, 60), (64, 64, 3), (16, 32, 15), (64, 4, 60), (1, 64, 60)])
@pytest.mark.parametrize("name", ["fftn", "rfftn"])
def test_no_task_holds_more_than_a_block(name, chunks):
    x = da.random.default_rng(1).standard_normal((64, 64, 60), chunks=chunks)
    own = 2 * 8 * math.prod(map(max, x.chunks))
    for order, block in (("natural", None), ("transposed", None), ("transposed", 100_000)):
        with Sizes() as sizes:
            getattr(fft, name)(x, order=order, block=block).persist(optimize_graph=False)
        assert sizes.largest <= max(own, 2 * 8 * x.size / 8 if block is None else block)


def tasks_of(result):
    return len(dict(result.__dask_graph__()))


def test_tasks_grow_little_faster_than_blocks():
    counts = []
    for blocks in (16, 32, 64, 128):
        x = da.zeros((blocks, 512, 512), chunks=(1, 512, 512), dtype=complex)
        counts.append(tasks_of(fft.fftn(x, order="transposed")))
    print(counts)
    assert all(after < 2.6 * before for before, after in zip(counts, counts[1:])) and counts[-1] < 20 * 128
    assert tasks_of(fft.fftn(da.zeros((64, 64, 64), chunks=(1, 64, 64)), axes=(1, 2))) <= 2 * 64


def moves(result):
    """How often chunks were moved on the way."""
    layers = result.__dask_graph__().layers
    return sum(name.startswith("rechunk-merge") for name in layers)


def test_the_shortest_way_is_taken():
    slabs = da.zeros((8, 32, 32), chunks=(4, 32, 32))
    assert moves(fft.fftn(slabs)) == 2 and moves(fft.fftn(slabs, order="transposed")) == 1
    assert moves(fft.fftn(slabs, axes=(1, 2))) == 0 and moves(fft.apply(slabs, lambda modes: None)) == 2
    columns = da.zeros((8, 32, 32), chunks=(8, 32, 16))
    assert moves(fft.fftn(columns, order="transposed")) == 2  # the last axis comes first
    assert moves(fft.ifftn(columns, order="transposed")) == 1
    whole = da.zeros((32, 32, 32), chunks=-1)
    assert moves(fft.fftn(whole)) == 0 and fft.fftn(whole).numblocks == (1, 1, 1)


def test_results_come_back_in_the_chunks_of_the_input():
    x = da.zeros((12, 10, 9), chunks=(4, 5, 3))
    half = fft.rfftn(x)
    assert half.chunks == ((4, 4, 4), (5, 5), (2, 2, 1))
    assert fft.irfftn(half, s=x.shape, axes=(0, 1, 2)).chunks == x.chunks
    assert fft.fftn(x.rechunk(((1, 11), (10,), (2, 7)))).chunks == ((1, 11), (10,), (2, 7))
    assert layouts.as_many((2, 2), 7) == (4, 3) and layouts.as_many((1, 1, 1, 1), 2) == (1, 1)
    assert layouts.divided((7, 0, 2), 3) == (2, 2, 3, 0, 2)


def test_layouts_stay_below_the_bound_whatever_the_chunks():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        shape = rng.integers(1, 40, rng.integers(1, 5))
        chunks = tuple(cut(rng, int(n), zeros=False) for n in shape)
        axes = rng.permutation(len(shape))[:rng.integers(1, len(shape) + 1)]
        order = [layouts.Axis(int(a), int(shape[a]), int(shape[a]) + 3, int(shape[a]) + 3, 8) for a in axes]
        bound = 16 * int(max(step.room for step in order) * rng.integers(1, 9))
        print(f"seed {seed}: {chunks}, {order}, {bound}")
        reached, left = chunks, order
        for stop in layouts.shortest(chunks, order, 16, bound, chunks):
            assert [sum(c) for c in stop.chunks] == [sum(c) for c in reached]
            reached = stop.chunks
            for step in left[:stop.count]:
                assert reached[step.axis] == (step.before,)
                reached = step.written(reached)
            assert 16 * layouts.block_elements(reached) <= bound
            left = left[stop.count:]
        assert not left


def test_arrays_of_no_elements_and_of_no_axes():
    for shape, chunks in (((0, 5), (1, 5)), ((4, 0, 6), (2, 1, 3))):
        x = da.zeros(shape, chunks=chunks)
        for name in ("fft", "rfft", "hfft", "dct"):
            ours, whole = getattr(fft, name)(x), getattr(sf, name)(np.zeros(shape))
            assert ours.shape == whole.shape and ours.dtype == whole.dtype and ours.compute().shape == whole.shape
    assert np.array_equal(fft.fftn(da.zeros((0, 3), chunks=1), s=(4, 2), axes=(0, 1)).compute(), np.zeros((4, 2)))
    for name in ("fftn", "dctn"):
        assert getattr(fft, name)(da.asarray(np.array(2))).compute() == 2
    assert fft.power_spectrum(da.zeros((0, 3), chunks=1)).compute().shape == (0,)


@pytest.mark.parametrize("call, error, said", [
    (lambda x: fft.fft(x[x[:, 0] > 0]), ValueError, r"compute_chunk_sizes\(\)"),
    (lambda x: fft.fft(x.astype(object)), TypeError, "arrays are of numbers; got dtype object"),
    (lambda x: fft.fft(x.astype(np.longdouble)), TypeError, "4 or 8 bytes"),
    (lambda x: fft.rfft(x.astype(complex)), TypeError, "use fft"),
    (lambda x: fft.fft(x, 0), ValueError, r"data points \(0\)"),
    (lambda x: fft.fft(da.zeros((3, 0))), ValueError, r"data points \(0\)"),
    (lambda x: fft.fft(da.asarray(1.0)), IndexError, "out of bounds"),
    (lambda x: fft.rfftn(da.asarray(1.0)), ValueError, "at least 1 axis"),
    (lambda x: fft.fft(x, axis=2), IndexError, "axis 2 is out of bounds"),
    (lambda x: fft.fft(x, norm="full"), ValueError, "norm is None"),
    (lambda x: fft.fftn(x, (3,), (0, 1)), ValueError, "different lengths"),
    (lambda x: fft.fft(x, order="any"), sf.InvalidArgument, "order is 'natural' or 'transposed'; got 'any'"),
    (lambda x: fft.fft(x, block=50), sf.InvalidArgument, "got 96 bytes along axis 1 and blocks of 50; .* block=96"),
    (lambda x: fft.dct(x, 5), ValueError, "types 1 to 4"),
    (lambda x: fft.dct(x[:, :1], 1), sf.InvalidProblem, "2 points or more"),
    (lambda x: fft.apply(x, lambda modes: modes.values[:1]).compute(), sf.InvalidArgument, "as many values"),
    (lambda x: fft.convolve(x, x, "wrap"), ValueError, "mode is one of"),
    (lambda x: fft.convolve(x, x[0]), ValueError, "as many axes"),
])
def test_what_is_wrong_is_said(call, error, said):
    x = da.zeros((6, 6), chunks=3)
    with pytest.raises(error, match=said):
        call(x)


def test_dask_is_imported_with_this_module_only():
    code = ("import sys, shardfft; assert 'dask' not in sys.modules; sys.modules['dask'] = None\n"
            "try:\n    import shardfft.dask\nexcept ImportError as error:\n    print(error)")
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "pip install 'dask[array]'" in said
