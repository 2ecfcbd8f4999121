"""Reductions of distributed arrays are NumPy's of the whole array, with the same bits on any ranks in any layout."""

import math

import numpy as np
import pytest

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
                for part, mesh in zip(a.parts, [a.grid()] if len(a.parts) == 1 else a.grid()):
                    part[...] = whole[mesh]
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
