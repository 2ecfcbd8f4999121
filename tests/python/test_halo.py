"""Halos hold what the neighbours own, and give it back."""

import itertools
import pickle

import numpy as np
import pytest
from test_plans import field

import shardfft as sf

SHAPE = (7, 6, 5)


def owners_view(whole, lo, hi, periodic):
    """Elements of [lo, hi) of the endless array; NaN beyond the ends of axes that are not periodic."""
    indices = [np.arange(a, b) for a, b in zip(lo, hi)]
    found = whole[np.ix_(*(i % n for i, n in zip(indices, whole.shape)))].copy()
    for axis, (i, n) in enumerate(zip(indices, whole.shape)):
        if axis not in periodic:
            found[(slice(None),) * axis + ((i < 0) | (i >= n),)] = np.nan
    return found


@pytest.mark.parametrize("ranks", [1, 3, 4])
@pytest.mark.parametrize("layout", ["slabs:0", "pencils:1", "bricks"])
@pytest.mark.parametrize("periodic", [(), (0, 2), (0, 1, 2)])
def test_an_exchange_brings_what_the_owners_have(ranks, layout, periodic):
    whole = field(SHAPE, "d")

    def work(comm):
        halo = sf.Halo(SHAPE, (1, 2, 0), 1, comm=comm, layout=layout, periodic=periodic)
        u = halo.make_array()
        u[...] = np.nan
        halo.inside(u)[...] = whole[tuple(map(slice, *halo.box))]
        halo.start_exchange(u)
        while not halo.test():
            pass
        halo.wait()
        return np.array_equal(u, owners_view(whole, *halo.grown_box, periodic), equal_nan=True)

    assert sf.on_ranks(ranks, work) == [True] * ranks


@pytest.mark.parametrize("dtype", ["f", "D"])
def test_accumulate_adds_every_cell_to_its_owner(dtype):
    def work(comm):
        halo = sf.Halo(SHAPE, 1, 1, dtype=dtype, comm=comm, layout="bricks", periodic=(0, 1, 2))
        u = halo.make_array()
        u[...] = 1
        halo.accumulate(u)
        covered = np.zeros(SHAPE)  # how many grown boxes hold each element
        for rank in range(comm.size):
            for lo, hi in halo.layout.boxes(rank):
                for at in itertools.product(*(range(a - 1, b + 1) for a, b in zip(lo, hi))):
                    covered[tuple(np.mod(at, SHAPE))] += 1
        assert "with corners" in halo.describe()
        return np.array_equal(halo.inside(u), covered[tuple(map(slice, *halo.box))])

    assert all(sf.on_ranks(4, work))


@pytest.mark.parametrize("dtype", ["f", "d", "F", "D"])
def test_accumulate_goes_on_where_ranks_own_nothing(dtype):
    def work(comm):
        halo = sf.Halo((2, 3), 1, 1, dtype=dtype, comm=comm, periodic=(0, 1))
        sums = []
        for add in (halo.accumulate, lambda u: (halo.start_accumulate(u), halo.wait())):
            u = halo.make_array()
            u[...] = 1
            add(u)
            sums.append(halo.inside(u).sum())
        return sums

    # Each row has the 3 x 5 cells of its own grown box and those of the other one, twice periodic along axis 0.
    assert [sum(parts) for parts in zip(*sf.on_ranks(5, work))] == [2 * 3 * 5, 2 * 3 * 5]


def test_a_plan_transforms_the_inside_of_a_halo():
    whole = field((8, 6), "d")

    def work(comm):
        halo = sf.Halo((8, 6), 2, 2, comm=comm, layout="slabs:0", periodic=(0, 1), corners=False)
        plan = sf.Plan((8, 6), kind="r2c", comm=comm, input="slabs:0", input_memory=halo.memory)
        u = halo.make_array()
        halo.inside(u)[...] = whole[tuple(map(slice, *halo.box))]
        return plan.forward(halo.exchange(u)).gather()

    assert np.allclose(sf.on_ranks(2, work)[0], np.fft.rfftn(whole))


def test_memory_of_the_callers_own():
    whole = np.zeros((8, 10))
    halo = sf.Halo((4, 6), 1, 1, periodic=(0, 1), memory=(2 * 10 + 2, (10, 1)))
    whole[2:6, 2:8] = field((4, 6), "d")
    halo.exchange(whole)
    assert np.array_equal(whole[1:7, 1:9], np.pad(whole[2:6, 2:8], 1, mode="wrap")) and not whole[0].any()
    assert halo.memory == [(22, (10, 1))]


def test_refusals_name_the_rule():
    halo = sf.Halo((4, 4), 1, 1, dtype="i4")
    for broken, match in [
        (lambda: sf.Halo((4, 4), -1, 0), "0 or more|negative"),
        (lambda: sf.Halo((4, 4), 1, (1, 1, 1)), "axis|axes"),
        (lambda: sf.Halo((4, 4), 1, 1, layout="cyclic:0", comm=sf.dry_run(2)), "box"),
        (lambda: sf.Halo((4, 4), 1, 1, colour="red"), "colour"),
        (lambda: halo.exchange(np.zeros((6, 6))), "int32"),
        (lambda: halo.exchange(np.zeros(3, "i4")), "bytes"),
        (lambda: halo.accumulate(halo.make_array()), "float32"),
        (lambda: halo.exchange(np.zeros((12, 12), "i4")[::2, ::2]), "make_array"),
        (lambda: halo.exchange(np.zeros((6, 6), "i4", order="F")), "make_array"),
        (lambda: halo.exchange(np.zeros((4, 9), "i4")), "make_array"),
        (lambda: halo.exchange(np.zeros(72, "i4")[::2]), "make_array"),
    ]:
        with pytest.raises(ValueError, match=match) as raised:
            broken()
        assert isinstance(raised.value, sf.Error)
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(halo)
