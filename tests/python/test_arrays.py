"""Distributed arrays: reductions are NumPy's of the whole array, with the same bits on any ranks in any layout."""

import math
import pickle

import numpy as np
import pytest
from test_plans import field, fill

import shardfft as sf

LAYOUTS = ["natural", "slabs:1", "bricks", "cyclic:0", "slabs:0/7"]
SEED = 11


def boxes(ranks):
    """Rank 0 owns nothing, the others several boxes: rows in turn."""
    if ranks == 1:
        return sf.custom([[((r, 0), (r + 1, 6)) for r in range(7)]])
    others = range(ranks - 1)
    return sf.custom([[]] + [[((r, 0), (r + 1, 6)) for r in range(7) if r % (ranks - 1) == k] for k in others])


def of_all(whole, what):
    """The answers of all ranks, numbers of ranks and layouts."""
    found = []
    for ranks in (1, 2, 3, 5):
        for layout in (*LAYOUTS, boxes(ranks)):
            def work(comm):
                a = sf.empty(whole.shape, whole.dtype, comm, layout)
                fill(a, whole)
                return getattr(a, what)()

            found += sf.on_ranks(ranks, work)
    assert len({repr(x) for x in found}) == 1, found
    return found[0]


@pytest.mark.parametrize("dtype", ["f4", "f8", ">f8", "f2", "c8", "c16", "i8", "u8", "i1", "?"])
def test_they_are_numpys(dtype):
    rng = np.random.default_rng(SEED)
    whole = (rng.standard_normal((7, 6)) * 100).astype(dtype)
    if whole.dtype.kind == "c":
        whole += (1j * rng.standard_normal((7, 6))).astype(dtype)
        with pytest.raises(sf.InvalidArgument, match="no largest one"):
            of_all(whole, "max")
    else:
        largest = of_all(whole, "max")
        assert largest == whole.max() and type(largest) is type(whole.max().item())
    wide = whole.astype("c16" if whole.dtype.kind == "c" else "f8")
    total = of_all(whole, "sum")
    assert total == whole.sum() if whole.dtype.kind in "iub" else np.isclose(total, wide.sum(), rtol=1e-14, atol=1e-12)
    assert math.isclose(of_all(whole, "norm"), np.linalg.norm(wide), rel_tol=1e-14)


@pytest.mark.parametrize("row", range(7))
def test_not_a_number_anywhere_is_found(row):
    whole = np.ones((7, 6))
    whole[row, 2] = np.nan
    assert all(math.isnan(of_all(whole, what)) for what in ("max", "sum", "norm"))


def test_large_numbers():
    whole = np.full((7, 6), 2**63 - 1)
    whole[0, 0] -= 1
    assert of_all(whole, "max") == 2**63 - 1 and of_all(whole, "sum") == int(whole.sum())  # wraps as NumPy
    huge = np.full((7, 6), 1e300)
    assert math.isclose(of_all(huge, "norm"), 1e300 * math.sqrt(42), rel_tol=1e-15)
    assert of_all(np.full((7, 6), -np.inf), "max") == -math.inf


def test_products_of_matrices_are_not_elementwise():
    a = sf.empty((4, 4), "f8")
    with pytest.raises(sf.InvalidArgument, match="elementwise"):
        np.matmul(a, a)


def test_elementwise_work_and_reductions():
    whole = field((6, 5, 4), "d")

    def work(comm):
        a = sf.empty(whole.shape, "d", comm, "pencils:1")
        fill(a, whole)
        b = np.exp(a) * 2 - a / 3 + (-a) ** 2
        a += 1
        np.add(a, a, out=a)
        with pytest.raises(sf.InvalidArgument, match="redistribute"):
            a + a.redistribute("slabs:1")
        with pytest.raises(sf.InvalidArgument, match="local"):
            a + np.ones(3)
        with pytest.raises(sf.InvalidArgument, match=r"use sum\(\)"):
            np.add.outer(a, a)
        assert b.dtype == np.float64 and abs(b * 1j).max() == abs(b).max()
        with pytest.raises(sf.InvalidArgument, match="abs"):
            (b * 1j).max()
        return b.gather(), a.gather(), a.sum(), a.norm(), a.max()

    b, a, total, norm, largest = sf.on_ranks(3, work)[0]
    assert np.array_equal(b, np.exp(whole) * 2 - whole / 3 + (-whole) ** 2)
    assert np.array_equal(a, 2 * (whole + 1))
    assert np.isclose(total, a.sum()) and np.isclose(norm, np.linalg.norm(a)) and largest == a.max()


def test_arrays_lend_their_memory_and_refuse_what_would_be_wrong():
    a = sf.empty((3, 4), "d")
    a.local[...] = np.arange(12).reshape(3, 4)
    assert np.array_equal(np.from_dlpack(a), a.local) and np.array_equal(np.asarray(a), a.local)
    assert np.array_equal(pickle.loads(pickle.dumps(a)).local, a.local)
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(sf.Plan((4, 4)))

    def work(comm):
        b = sf.empty((4, 4), "d", comm)
        with pytest.raises(TypeError, match="gather"):
            np.asarray(b)
        with pytest.raises(TypeError, match="save"):
            pickle.dumps(b)
        assert b.index((0, 1)) == (2 * comm.rank, 1) and b.box[0] == slice(2 * comm.rank, 2 * comm.rank + 2)

    sf.on_ranks(2, work)


def test_arrays_are_compared_element_by_element_and_are_no_truth_value():
    def work(comm):
        a = sf.empty((4, 6), "f8", comm, "slabs:0")
        a.local[...] = sum(a.grid())
        big = a > 3
        assert big.dtype == bool and (a.size, a.ndim) == (24, 2)
        with pytest.raises(ValueError, match="neither true nor false"):
            bool(a == a)
        return big.gather(), (a == a).gather(), (a != 2).gather()

    x = sum(np.ix_(range(4), range(6)))
    big, same, other = sf.on_ranks(3, work)[0]
    assert (big == (x > 3)).all() and same.all() and (other == (x != 2)).all()
