"""Passes between exchanges, without a framework: all processes one after the other, in blocks of a few pencils."""

import os

import numpy as np
import pytest
from test_functions import numbers

import shardfft as sf
from shardfft import _linear
from shardfft._sharded import passes
from shardfft._sharded.exchanges import one_by_one
from shardfft._sharded.maps import Map, steps_of
from shardfft._sharded.placements import box_of
from shardfft._threads import in_threads

PROBLEMS = int(os.environ.get("SHARDFFT_TEST_PROBLEMS", "30"))


def arrays(pieces, shape, dtype, room):
    """Memory that a pass writes: of pieces, with some more behind each."""
    if pieces is None:
        return [np.full(shape, np.nan, dtype)]
    longer = lambda n: [n + room if axis == pieces.axis else m for axis, m in enumerate(shape)]
    return [np.full(longer(n), np.nan, dtype) for _, n in pieces.places()]


def passed(what, count, cuts, goal, whole, workers, room):
    """Parts of the result, and how it is cut."""
    steps, last = steps_of(what, one_by_one((count,)), cuts, goal)
    box = lambda shape, cuts, me: tuple(slice(at, at + n) for at, n in box_of(shape, cuts, (count,), (me,)))
    every = [passes.passes_of(steps, what.shape, {0: count}, cuts,
                              lambda shape, cuts: [s.stop - s.start for s in box(shape, cuts, me)])
             for me in range(count)]
    held = [[whole[box(what.shape, cuts, me)]] for me in range(count)]
    for turn in zip(*every):
        for me, (one, _) in enumerate(turn):
            wanted = arrays(one.cut, one.after, one.result_type(held[me][0].dtype), room)
            passes.run_pass(one, held[me], wanted, workers)
            held[me] = wanted
        if turn[0][0].cut is not None:
            held = [[held[other][me] for other in range(count)] for me in range(count)]
    return [(box(what.result, last, me), held[me][0]) for me in range(count)]


@pytest.mark.parametrize("seed", range(PROBLEMS))
def test_random_passes_in_small_blocks_have_the_bits_of_whole_arrays(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    kind, ndim = str(rng.choice(["fft", "ifft", "rfft", "irfft"])), int(rng.integers(2, 5))
    shape = tuple(int(n) for n in rng.choice([2, 3, 4, 5, 7, 8, 13, 16, 31], ndim))
    axes = tuple(int(axis) for axis in rng.permutation(ndim)[:rng.integers(1, ndim + 1)])
    s = None if rng.random() < 0.5 else [int(max(1, shape[axis] + rng.integers(-3, 4))) for axis in axes]
    count, workers = (int(n) for n in rng.integers(1, [5, 4]))
    first, last = (int(axis) for axis in rng.integers(ndim, size=2))
    cuts, goal = (tuple((0,) if axis == which else () for axis in range(ndim)) for which in (first, last))
    print(f"seed {seed}: {kind} of {shape} along {axes}, s={s}, {count} processes, axis {first} to {last}")
    monkeypatch.setattr(passes, "_BLOCK_BYTES", int(rng.integers(64, 4096)))
    x = numbers(shape, "d" if kind == "rfft" else rng.choice(list("FD")), seed)
    transform = _linear.transform(kind, shape, s, axes, None)
    wanted = getattr(sf, kind + "n")(x, s=list(transform.lengths), axes=axes)
    for box, part in passed(Map.of(transform, shape), count, cuts, goal, x, workers, int(rng.integers(2))):
        assert part.dtype == wanted.dtype and np.array_equal(part, wanted[box])


def test_blocks_are_small_and_cover_what_is_read():
    one = passes.Pass((40, 50, 60), None, (), passes.Pieces(1, 50, (3,)))
    places = one.places(1 << 12)
    seen = np.zeros(one.shape, int)
    for place in places:
        seen[place] += 1
        assert seen[place].size << 12 <= passes._BLOCK_BYTES
    assert (seen == 1).all() and len(places) > 100


def test_threads_take_each_item_once_and_raise_what_one_raised():
    taken = []
    in_threads(3, taken.append, range(100))
    assert sorted(taken) == list(range(100))
    with pytest.raises(ZeroDivisionError):
        in_threads(3, lambda i: 1 / (i - 5), range(100))
