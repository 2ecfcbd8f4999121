"""shardfft.solve.NavierStokes: known flows, figures that others keep, the same bits on any ranks."""

import numpy as np
import pytest

import shardfft
from shardfft.solve import NavierStokes


def taylor_green(x, y, z):
    return np.sin(x) * np.cos(y) * np.cos(z), -np.cos(x) * np.sin(y) * np.cos(z), 0


@pytest.mark.parametrize("arguments", [{}, {"form": "divergence"}, {"fused": True}])
def test_the_energy_is_that_of_other_programs(arguments):
    flow = NavierStokes((32, 32, 32), 1 / 1600, **arguments)
    flow.taylor_green()
    for _ in range(10):
        flow.step(0.01)
    sums = flow.sums()
    assert abs(sums.energy - 0.124953117517) < 1e-12 and abs(sums.enstrophy - 0.375249931) < 1e-9
    assert flow.dissipation() == 2 / 1600 * sums.enstrophy and sums.divergence < 1e-15
    assert flow.steps == 10 and abs(flow.time - 0.1) < 1e-15 and 0.05 < flow.stable_step() < 1
    assert abs(flow.spectrum().sum() - sums.energy) < 1e-15


def test_a_flow_may_begin_with_any_velocity():
    shape, lengths = (8, 12, 10), (1, 2, 3)
    flow = NavierStokes(shape, 0.1, lengths=lengths, dtype="float32")
    flow.set(lambda x, y, z: (np.sin(2 * np.pi * y / 2), np.cos(2 * np.pi * z / 3), np.sin(2 * np.pi * x)))
    assert abs(flow.sums().energy - 0.75) < 1e-6
    flow.set(lambda x, y, z: (np.sin(2 * np.pi * x), 0, 0))  # a gradient
    assert flow.sums().energy < 1e-12
    flow = NavierStokes((16, 16, 16), 0.1)
    flow.set(taylor_green)
    begun = flow.state().local.copy()
    flow.taylor_green()
    np.testing.assert_allclose(flow.state().local, begun, rtol=0, atol=1e-16)


def test_ranks_and_restarts_give_the_same_bits(tmp_path):
    def straight(comm, steps):
        flow = NavierStokes((12, 10, 8), 0.01, comm=comm)
        flow.set(taylor_green)
        for _ in range(steps):
            flow.step(0.02)
        flow.state().save(tmp_path / f"state_{comm.size}_{steps}.npy")
        return flow.hash()

    def goes_on(comm):
        flow = NavierStokes((12, 10, 8), 0.01, comm=comm)
        saved = shardfft.load(tmp_path / "state_2_2.npy", comm, flow.state().layout)
        flow.restore(saved, 0.04, 2)
        flow.step(0.02)
        return flow.hash(), flow.steps

    shardfft.on_ranks(2, lambda comm: straight(comm, 2))
    want = straight(shardfft.local(), 3)
    assert shardfft.on_ranks(3, goes_on) == [(want, 3)] * 3


def test_what_is_wrong_is_said():
    with pytest.raises(shardfft.InvalidArgument, match="form is one of rotational"):
        NavierStokes((8, 8, 8), 0.1, form="rotatonal")
    with pytest.raises(shardfft.InvalidArgument, match="float32 or float64"):
        NavierStokes((8, 8, 8), 0.1, dtype=complex)
    with pytest.raises(shardfft.InvalidArgument, match="lengths are of three axes"):
        NavierStokes((8, 8, 8), 0.1, lengths=(1, 2))
    with pytest.raises(shardfft.Error, match="three axes"):
        NavierStokes((8, 8), 0.1)
    flow = NavierStokes((8, 8, 8), 0.1)
    with pytest.raises(shardfft.InvalidArgument, match="give what state"):
        flow.restore(NavierStokes((10, 8, 8), 0.1).state(), 0, 0)
    flow.taylor_green()
    with pytest.raises(shardfft.InvalidArgument, match="smaller step"):
        for _ in range(200):
            flow.step(5)
