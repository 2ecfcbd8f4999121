"""A mistake on one rank alone is the same error on all of them: nobody waits."""

import numpy as np
import pytest

import shardfft as sf
from shardfft.solve import NavierStokes, Poisson

SHAPE = (6, 5, 4)


def plan_of(comm, **options):
    return sf.Plan(SHAPE, comm=comm, input="slabs:0", output="slabs:1", **options)


def run(comm, wrong, make=lambda plan: plan.make_input()):
    """A forward run that takes make_input()'s array, on ranks with `wrong` what make() gives."""
    plan = plan_of(comm)
    return plan.forward(make(plan) if wrong else plan.make_input())


def read_only(plan):
    array = plan.make_output().local
    array.flags.writeable = False
    return array


RUNS = {
    "another shape": lambda plan: np.zeros((1, 5, 4), complex),
    "another layout": lambda plan: plan.make_output(),
    "gaps": lambda plan: np.zeros((2, 5, 8), complex)[:, :, ::2],
    "columns": lambda plan: np.zeros((2, 5, 4), complex, order="F"),
    "negative strides": lambda plan: np.zeros(40, complex)[::-1],
    "another type": lambda plan: np.zeros((2, 5, 4), np.complex64),
    "another byte order": lambda plan: np.zeros((2, 5, 4), ">c16"),
    "whole numbers": lambda plan: np.zeros(80, int),
    "a list": lambda plan: [[1]],
    "nothing": lambda plan: None,
    "too short": lambda plan: np.zeros(3, complex),
}


def applied(comm, wrong):
    plan = plan_of(comm, apply="to_outputs")
    return plan.apply(plan.make_input(), np.zeros(3) if wrong else plan.make_middle())


def solved(comm, wrong):
    solver = Poisson(SHAPE, comm=comm, project=True)
    return solver.solve(np.zeros(SHAPE) if wrong else solver.make_array(), solver.make_array())


def restored(comm, wrong):
    flow = NavierStokes((4, 4, 4), 1.0, comm=comm)
    return flow.restore(sf.empty((3, 4), "c16", comm) if wrong else flow.state(), 0.0, 0)


def raised(*_):
    raise RuntimeError("mine")


CALLS = {
    **{f"an input of {what}": lambda comm, wrong, make=make: run(comm, wrong, make) for what, make in RUNS.items()},
    "an output that is read-only": lambda comm, wrong: (lambda plan: plan.forward(
        plan.make_input(), read_only(plan) if wrong else plan.make_output()))(plan_of(comm)),
    "the dtype of a plan": lambda comm, wrong: plan_of(comm, dtype="i4" if wrong else "f8"),
    "the name of an option": lambda comm, wrong: plan_of(comm, **{"tolerence" if wrong else "tolerance": 0.1}),
    "the value of an option": lambda comm, wrong: plan_of(comm, chunks="a" if wrong else 1),
    "a norm": lambda comm, wrong: plan_of(comm, norm="orto" if wrong else "ortho"),
    "a kind": lambda comm, wrong: plan_of(comm, kind="r2x" if wrong else "c2c"),
    "a shape of no numbers": lambda comm, wrong: sf.Plan("abc" if wrong else SHAPE, comm=comm),
    "a layout": lambda comm, wrong: sf.Plan(SHAPE, comm=comm, input="slab:0" if wrong else "slabs:0"),
    "the layout to redistribute to": lambda comm, wrong: sf.empty(SHAPE, comm=comm).redistribute(
        "slabs:9" if wrong else "slabs:1"),
    "factors": applied,
    "what verify() compares": lambda comm, wrong: (lambda plan: plan.verify(
        [1] if wrong else plan.make_input(), plan.make_output()))(plan_of(comm)),
    "what is hashed": lambda comm, wrong: (lambda plan: plan.hash_input(
        plan.make_output() if wrong else plan.make_input()))(plan_of(comm)),
    "what an adjoint reads": lambda comm, wrong: (lambda plan: plan.adjoint(
        plan.make_input() if wrong else plan.make_output()))(plan_of(comm)),
    "a distributed array of whole numbers": lambda comm, wrong: (lambda plan: plan.forward(
        plan.make_input().empty_like("i8" if wrong else "f8")))(plan_of(comm, kind="r2c")),
    "the layout of a halo": lambda comm, wrong: sf.Halo(SHAPE, 1, 1, comm=comm, layout="no" if wrong else "slabs:0"),
    "an array with a halo": lambda comm, wrong: (lambda halo: halo.exchange(
        np.zeros(3, "f4") if wrong else halo.make_array()))(sf.Halo(SHAPE, 1, 1, comm=comm)),
    "the strides of an array with a halo": lambda comm, wrong: (lambda halo: halo.exchange(
        np.zeros((4, 14, 6))[:, ::2] if wrong else halo.make_array()))(sf.Halo(SHAPE, 1, 1, comm=comm)),
    "a boundary": lambda comm, wrong: Poisson(SHAPE, comm=comm, boundary="no" if wrong else "periodic"),
    "the order of differences": lambda comm, wrong: Poisson(SHAPE, comm=comm, order=5 if wrong else 4),
    "what is solved": solved,
    "whole numbers to solve for": lambda comm, wrong: (lambda solver: solver.solve(
        solver.make_array().empty_like("i8" if wrong else "f8")))(Poisson(SHAPE, comm=comm, shift=1.0)),
    "the root of gather()": lambda comm, wrong: sf.empty(SHAPE, comm=comm).gather(3 if wrong else 0),
    "the form of a flow": lambda comm, wrong: NavierStokes((4, 4, 4), 1, comm=comm,
                                                           form="no" if wrong else "rotational"),
    "a function of velocities": lambda comm, wrong: NavierStokes((4, 4, 4), 1, comm=comm).set(
        raised if wrong else lambda x, y, z: (0, 0, 0)),
    "a state": restored,
    "the layout of a file's array": lambda comm, wrong: sf.load("a.npy", comm, "no" if wrong else "slabs:0"),
    "the name of a file": lambda comm, wrong: sf.load("b.npy" if wrong else "a.npy", comm),
}


def told(call, comm, wrong):
    try:
        call(comm, wrong)
    except sf.Error as error:
        return type(error).__name__, str(error)
    except (TypeError, ValueError, RuntimeError) as error:
        return type(error).__name__, str(error)
    return "", ""


@pytest.mark.parametrize("what", CALLS)
def test_is_told_to_all_ranks(what, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("a.npy", np.zeros(SHAPE))
    for bad in (0, 2):
        heard = sf.on_ranks(3, lambda comm: told(CALLS[what], comm, comm.rank == bad))
        assert len(set(heard)) == 1 and heard[0][0], heard
        assert f"rank {bad}: " in heard[0][1] and "incompatible function arguments" not in heard[0][1]


@pytest.mark.parametrize("what", CALLS)
def test_on_all_ranks_is_told_without_a_rank(what, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("a.npy", np.zeros(SHAPE))
    if what not in ("an input of too short", "factors", "what is solved"):  # these texts have sizes of the rank
        heard = sf.on_ranks(2, lambda comm: told(CALLS[what], comm, True))
        assert len(set(heard)) == 1 and heard[0][0] and "rank 0: " not in heard[0][1], heard
    kind, text = told(CALLS[what], sf.local(), True)
    assert (kind and "rank 0: " not in text) or what in ("an input of another layout", "what is solved",
                                                         "what is hashed", "what an adjoint reads")
