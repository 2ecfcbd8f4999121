"""Transforms of arrays in parts, without a framework: each step on the blocks of all processes, one after the other."""

import itertools
import math
import os

import numpy as np
import pytest
from test_functions import numbers

import shardfft as sf
from shardfft import _linear
from shardfft._functions.fourier import meaning
from shardfft._sharded.exchanges import Exchange, one_by_one
from shardfft._sharded.maps import Map, steps_of
from shardfft._sharded.pencils import parts_of_call, transformed
from shardfft._sharded.placements import box_of, chunk_sizes, cuts_of

PROBLEMS = int(os.environ.get("SHARDFFT_TEST_PROBLEMS", "30"))


class Shard:
    def __init__(self, dim):
        self.dim = dim


class Replicate:
    pass


def mapped(what, sizes, cuts, goal, x):
    """All of the result, from what each process computes of its blocks."""
    steps, last = steps_of(what, one_by_one(sizes), cuts, goal)
    shape = list(what.shape)
    for step in steps:
        if isinstance(step, Exchange):
            cuts = step.applied(cuts)
            continue
        assert all(cuts[axis] == () for axis in step.axes)
        before = list(shape)
        for axis in step.axes:
            shape[axis] = what.result[axis]
        whole = None
        for at in itertools.product(*map(range, sizes)):
            place = [slice(begin, begin + n) for begin, n in box_of(before, cuts, sizes, at)]
            block = step.applied(x[tuple(place)].copy(), None, 1, bool(sum(at) % 2))
            whole = np.full(shape, np.nan, block.dtype) if whole is None else whole
            for axis in step.axes:
                place[axis] = slice(None)
            whole[tuple(place)] = block
        x = whole
    assert cuts == last and goal in (None, last)
    return x


@pytest.mark.parametrize("seed", range(PROBLEMS))
def test_random_maps_have_the_bits_of_whole_arrays_and_adjoints(seed):
    rng = np.random.default_rng(seed)
    kind, ndim = str(rng.choice(["fft", "ifft", "rfft", "irfft"])), int(rng.integers(2, 5))
    shape = tuple(int(n) for n in rng.choice([2, 3, 4, 5, 6, 7, 8, 11, 13], ndim))
    axes = tuple(int(axis) for axis in rng.permutation(ndim)[:rng.integers(1, ndim + 1)])
    s = None if rng.random() < 0.5 else [int(max(1, shape[axis] + rng.integers(-3, 4))) for axis in axes]
    norm = str(rng.choice(["backward", "ortho", "forward"]))
    x = numbers(shape, "d" if kind == "rfft" else rng.choice(list("FD")), seed)
    transform = _linear.transform(kind, shape, s, axes, norm)
    what = Map.of(transform, shape)
    sizes = ((2,), (3,), (2, 2), (5,), (2, 3))[rng.integers(5)]
    cuts = cuts_of([Replicate() if rng.random() < 0.1 else Shard(int(rng.integers(ndim))) for _ in sizes], ndim, sizes)
    print(f"seed {seed}: {kind} of {shape} {x.dtype} along {axes}, s={s}, norm={norm}, {cuts} on {sizes}")
    y = mapped(what, sizes, cuts, cuts if rng.random() < 0.5 else None, x)
    lengths = [transform.lengths[i] for i in range(len(axes))]
    assert np.array_equal(y, getattr(sf, kind + "n")(x, s=lengths, axes=axes, norm=norm))
    x = x.astype("d" if kind == "rfft" else "D")
    y = mapped(what, sizes, cuts, cuts, x)
    w = numbers(y.shape, y.dtype.char, seed + 1)
    back = mapped(what.adjoint(), sizes, cuts, cuts, w)
    assert back.dtype == x.dtype and back.shape == x.shape and what.adjoint().adjoint() == what
    product = lambda a, b: np.vdot(a, b).real
    assert abs(product(y, w) - product(x, back)) <= 1e-12 * np.linalg.norm(y) * np.linalg.norm(w)


@pytest.mark.parametrize("n, parts, sizes", [
    (7, 4, [2, 2, 2, 1]), (5, 4, [2, 2, 1, 0]), (3, 5, [1, 1, 1, 0, 0]), (0, 3, [0, 0, 0]), (8, 2, [4, 4]),
])
def test_parts_are_those_of_torch_chunk(n, parts, sizes):
    assert chunk_sizes(n, parts) == sizes
    assert [box_of((n,), ((0,),), (parts,), (i,)) for i in range(parts)] == [
        [(sum(sizes[:i]), sizes[i])] for i in range(parts)]


def test_two_axes_of_a_mesh_cut_one_axis_one_after_the_other():
    cuts = cuts_of([Shard(-1), Replicate(), Shard(1), Shard(1)], 2, (2, 3, 2, 1))
    assert cuts == ((), (0, 2))
    boxes = [box_of((4, 7), cuts, (2, 3, 2, 1), (i, 0, j, 0))[1] for i in range(2) for j in range(2)]
    assert boxes == [(0, 2), (2, 2), (4, 2), (6, 1)]
    for placement, error in ((object(), ValueError), (Shard(2), IndexError)):
        with pytest.raises(error, match="Shard and Replicate; got|out of bounds"):
            cuts_of([placement], 2, (2,))


@pytest.mark.parametrize("kind, forward, dtype", [("c2c", True, "D"), ("c2c", False, "F"), ("r2c", True, "d"),
                                                  ("c2r", False, "D")])
def test_blocks_without_elements_have_a_result(kind, forward, dtype):
    shape = (70, 6)
    call = meaning(kind, forward, shape, None, (0,), None)
    (part,) = parts_of_call(kind, forward, call)
    result = transformed(np.empty((70, 0), dtype), part, (0,))
    assert result.shape == (call.written[0], 0)
    assert result.dtype == getattr(np.fft, {"r2c": "rfft", "c2r": "irfft"}.get(kind, "fft"))(np.ones(4, dtype)).dtype


def test_memory_is_used_again_only_if_it_is_the_callers():
    (part,) = parts_of_call("c2c", True, meaning("c2c", True, (8, 6), None, (0,), None))
    x = numbers((8, 6), "D", 1)
    kept = x.copy()
    y = transformed(x, part, (0,))
    assert not np.may_share_memory(x, y) and np.array_equal(x, kept)
    assert transformed(x, part, (0,), own=True) is x and np.array_equal(x, y)
    assert math.isclose(np.linalg.norm(y), np.linalg.norm(kept) * 8**0.5)
