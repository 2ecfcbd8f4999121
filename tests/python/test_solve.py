"""shardfft.solve against eigenvalues by NumPy and SciPy."""

import numpy as np
import pytest
import scipy.fft

import shardfft
from shardfft.solve import Poisson, poisson


def second_order(n, h, offset, period):
    return 4 / h**2 * np.sin(np.pi * (np.arange(n) + offset) / period) ** 2


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_walls_are_what_scipy_makes_of_them(dtype):
    f = np.random.default_rng(1).standard_normal((9, 12)).astype(dtype)
    l = second_order(9, 0.5, 0, 18)[:, None] + second_order(12, 0.25, 1, 24)
    middle = scipy.fft.dst(scipy.fft.dct(f.astype(float), axis=0), axis=1) / (2 + l)
    want = scipy.fft.idst(scipy.fft.idct(middle, axis=0), axis=1)
    u = poisson(f, (0.5, 0.25), boundary=("neumann", "dirichlet"), shift=2)
    assert u.dtype == dtype
    np.testing.assert_allclose(u, want, rtol=0, atol=100 * np.finfo(dtype).eps * abs(want).max())


def test_a_solver_knows_its_points_and_reports():
    solver = Poisson((16, 16), boundary="neumann", order="spectral", project=True)
    x = solver.places(0)
    f = np.pi**2 * np.cos(np.pi * x)[:, None] + np.full((16, 16), 3.0)
    u = solver.solve(f)
    np.testing.assert_allclose(u, np.repeat(np.cos(np.pi * x)[:, None], 16, 1), atol=1e-14)
    assert solver.report.gauge and abs(solver.report.mean - 3) < 1e-14


def test_values_at_ends_stretched_cells_and_open_space():
    u = poisson(np.zeros((4, 3)), boundary=("dirichlet", "periodic"), values=[(1, 3), (0, 0)])
    np.testing.assert_allclose(u[:, 0], 1 + 2 * (np.arange(4) + 0.5) / 4, rtol=1e-14)
    faces = np.array([0, 0.1, 0.4, 1.0])
    u = poisson(np.ones((4, 3)), boundary=("periodic", "neumann-dirichlet"), stretched=1, faces=faces)
    np.testing.assert_allclose(-np.diff(u[0]) / np.diff((faces[1:] + faces[:-1]) / 2), faces[1:-1], rtol=1e-13)
    f = np.zeros((8, 8, 8))
    f[4, 4, 4] = 1
    u = poisson(f, 1.0, boundary="open")
    assert abs(u[4, 4, 6] - 1 / (8 * np.pi)) < 0.02


def test_ranks_give_the_same_bits():
    f = np.random.default_rng(2).standard_normal((6, 7, 8))
    want = poisson(f, 0.1, boundary=("periodic", "neumann", "dirichlet"))

    def body(comm):
        solver = Poisson(f.shape, 0.1, boundary=("periodic", "neumann", "dirichlet"), comm=comm)
        mine = solver.make_array()
        mine.local[...] = f[mine.box]
        u = solver.solve(mine)
        return np.array_equal(u.local, want[u.box])

    assert all(shardfft.on_ranks(3, body))


def test_a_tolerance_is_what_the_differences_deserve():
    def body(comm):
        solver = Poisson((32, 32, 32), boundary="dirichlet", comm=comm)
        f = solver.make_array()
        x, y, z = (solver.places(a)[i] for a, i in enumerate(f.grid()))
        f.local[...] = 3 * np.pi**2 * np.sin(np.pi * x) * np.sin(np.pi * y) * np.sin(np.pi * z)
        exact, (error, tolerance) = f.local / (3 * np.pi**2), solver.estimate(f)
        rough = Poisson((32, 32, 32), boundary="dirichlet", comm=comm, tolerance=tolerance, encode_near=True)
        u = rough.solve(f)
        assert rough.report.bytes_after < 0.5 * rough.report.bytes_before
        lost, size = comm.sum(((u.local - exact) ** 2).sum()), comm.sum((exact**2).sum())
        return np.sqrt(lost / size) / error

    assert all(0.5 < ratio < 2 for ratio in shardfft.on_ranks(2, body))
    with pytest.raises(shardfft.Error, match="open boundaries"):
        Poisson((4, 4, 4), boundary="open").estimate(np.zeros((4, 4, 4)))


def test_what_is_wrong_is_said():
    f = np.ones((4, 4))
    with pytest.raises(shardfft.InvalidArgument, match="got a mean of 1"):
        poisson(f, boundary="neumann")
    with pytest.raises(shardfft.InvalidArgument, match="a boundary is periodic, neumann"):
        poisson(f, boundary="wall")
    with pytest.raises(shardfft.InvalidProblem, match="got 1 for 2 axes"):
        poisson(f, boundary=("periodic",))
    with pytest.raises(shardfft.InvalidArgument, match="order is one of 2, 4, 6"):
        poisson(f, order=3)
    with pytest.raises(shardfft.InvalidArgument, match="f is real"):
        poisson(f * 1j)
    solver = Poisson((4, 4), shift=1.0)
    for other in (f.astype(int), f.astype("u8"), f.astype("f4"), f.astype(bool), f.tolist()):
        with pytest.raises(shardfft.InvalidArgument):
            solver.solve(other)
        with pytest.raises(shardfft.InvalidArgument):
            solver.solve(f, other)
    with pytest.raises(shardfft.InvalidArgument, match="leave it out"):
        poisson(f, boundary="open", shift=1)
    with pytest.raises(shardfft.InvalidArgument, match=r"arrays of \(4, 4\)"):
        Poisson((4, 4)).solve(np.ones((4, 5)))


@pytest.mark.parametrize("boundary", ["periodic", ("neumann", "periodic", "dirichlet"), "open"])
def test_a_device_gives_the_solution_of_the_host(boundary):
    f = np.random.default_rng(3).standard_normal((6, 7, 8))
    f -= f.mean()
    want = poisson(f, 0.1, boundary=boundary)
    np.testing.assert_allclose(poisson(f, 0.1, boundary=boundary, device="emulated"), want, rtol=0, atol=1e-14)

    def body(comm):
        solver = Poisson(f.shape, 0.1, boundary=boundary, comm=comm, device="emulated")
        mine = solver.make_array()
        mine.local[...] = f[mine.box]
        np.testing.assert_allclose(solver.solve(mine).local, want[mine.box], rtol=0, atol=1e-14)

    shardfft.on_ranks(3, body)
    with pytest.raises(shardfft.InvalidArgument, match="stretched axis"):
        poisson(f, boundary=("periodic", "periodic", "neumann"), stretched=2, faces=range(9), device="emulated")


@pytest.mark.parametrize("f", [np.ones((4, 4), np.longdouble), np.ones((4, 4), object), np.full((4, 4), "1.0"),
                               np.ones((4, 4), "M8[s]")])
def test_poisson_takes_the_numbers_that_transforms_take(f):
    with pytest.raises(TypeError, match="numbers"):
        poisson(f, project=True)


def test_axes_are_inside_of_the_array():
    solver = Poisson((4, 6))
    assert np.array_equal(solver.places(-1), solver.places(1)) and len(solver.places(-2)) == 4
    for axis in (2, -3, 99):
        with pytest.raises(ValueError, match="from -2 to 1"):
            solver.places(axis)
    with pytest.raises(TypeError):
        solver.places(0.5)
    with pytest.raises(ValueError):
        Poisson((4, 6), stretched=2, faces=range(7))
