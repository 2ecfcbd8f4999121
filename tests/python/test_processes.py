"""Threads, fork() and garbage collection."""

import gc
import os
import subprocess
import sys
import tempfile
import threading

import numpy as np
import pytest

import shardfft as sf
from shardfft import _cache


def test_many_threads_share_the_cache_and_no_plan():
    arrays = [np.random.default_rng(i).standard_normal((40, 30 + i % 3)) for i in range(12)]
    wanted = [np.fft.rfftn(a) for a in arrays]
    wrong = []

    def work(i):
        for _ in range(40):
            if not np.allclose(sf.rfftn(arrays[i]), wanted[i], rtol=0, atol=1e-11):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(arrays))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


def test_threads_share_a_cache_that_is_too_small_for_them(monkeypatch):
    monkeypatch.setattr(_cache, "_MOST", 3)
    sf.forget_plans()
    arrays = [np.random.default_rng(n).standard_normal(n) for n in range(4, 12)]
    wanted = [np.fft.rfft(a) for a in arrays]
    wrong = []

    def work(seed):
        for i in np.random.default_rng(seed).integers(0, len(arrays), 60):
            if i == 0 and seed == 0:
                sf.forget_plans()
            if not np.allclose(sf.rfft(arrays[i]), wanted[i], rtol=0, atol=1e-12):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []
    assert 0 < _cache.size() <= 3 and _cache.held_bytes() > 0
    monkeypatch.undo()
    for a in arrays:  # what was forgotten is made anew, and counted
        sf.rfft(a), sf.rfft(a)
    assert _cache.size() == len(arrays)


def test_plans_that_run_count_when_they_are_given_back(monkeypatch):
    class Tiny:
        def describe_json(self):
            return {"workspace_bytes": 0, "shared_bytes": 0, "table_bytes": 0}

    monkeypatch.setattr(_cache, "_MOST", 1)
    sf.forget_plans()
    taken = [(plans, plans.take()) for plans in (_cache.plans(key, lambda key: Tiny()) for key in "abc")]
    assert _cache.size() == 0
    for plans, plan in taken:
        plans.give_back(plan)
    assert _cache.size() == 1
    plans, _ = taken[0]  # its plan was dropped
    plan = plans.take()
    sf.forget_plans()
    plans.give_back(plan)
    assert _cache.size() == 0 and plans.take() is not plan
    sf.forget_plans()


def test_the_cache_keeps_64_plans_at_most():
    sf.forget_plans()
    for n in range(2, 102):
        sf.fft(np.ones(n))
    assert _cache.size() == 64
    sf.forget_plans()
    assert _cache.size() == 0 and _cache.held_bytes() == 0


def test_the_cache_keeps_so_many_bytes_at_most(monkeypatch):
    sf.forget_plans()
    lengths = range(300_001, 300_001 + 400, 40)
    wanted = {n: np.fft.fft(np.arange(n)) for n in lengths}
    sf.fft(np.arange(lengths[0]))
    one = _cache.held_bytes()
    assert one > 16 * lengths[0]                             # memory for the array between two passes
    monkeypatch.setattr(_cache, "_MOST_BYTES", 3 * one)
    for n in lengths:
        assert np.allclose(sf.fft(np.arange(n)), wanted[n])
        assert 0 < _cache.held_bytes() <= 3 * one
    assert 0 < _cache.size() < len(lengths)
    monkeypatch.setattr(_cache, "_MOST_BYTES", 0)            # less than one plan: it works, and is not kept
    sf.forget_plans()
    assert np.allclose(sf.fft(np.arange(lengths[0])), wanted[lengths[0]])
    assert _cache.size() == 0 and _cache.held_bytes() == 0


@pytest.mark.parametrize("name, length, megabytes", [("fft", 20_001, 24), ("dct", 300_001, 96)])
def test_the_process_holds_no_more_bytes_than_the_cache_may(name, length, megabytes):
    program = f"""
import ctypes, numpy as np, shardfft as sf
from shardfft import _cache

def resident():
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

x, transform = np.ones(400_000), sf.{name}
transform(x[:1000], workers=1)
sf.forget_plans()
_cache._MOST_BYTES = {megabytes} << 20
begin = resident()
for n in range({length}, {length} + {25 if length < 100_000 else 4}):
    transform(x[:n], workers=1)
print(_cache.held_bytes(), resident() - begin)
"""
    told, held = map(int, subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True,
                                         timeout=100).stdout.split())
    assert 0.6 * megabytes * 2**20 < told and held < 1.1 * megabytes * 2**20, (told, held)


def test_a_child_of_fork_transforms_by_itself():
    program = """
import os, signal, numpy as np, shardfft as sf
x = np.random.default_rng(1).standard_normal((256, 256))
wanted = sf.rfftn(x, workers=2)
child = os.fork()
if child == 0:
    signal.alarm(20)
    os._exit(0 if np.array_equal(sf.rfftn(x, workers=2), wanted) else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert np.array_equal(sf.rfftn(x, workers=2), wanted)
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_a_child_of_fork_goes_on_with_flows_solvers_and_halos():
    program = """
import os, signal, numpy as np, shardfft as sf
flow = sf.solve.NavierStokes((32, 32, 32), viscosity=.01, threads=2)
flow.taylor_green()
flow.step(.01)
poisson = sf.solve.Poisson((64, 64, 64), threads=2, project=True)
f = np.random.default_rng(1).standard_normal((64, 64, 64))
poisson.solve(f)
halo = sf.Halo((96, 96, 96), 1, 1, periodic=(0, 1, 2), threads=2)
cells = halo.make_array()
halo.inside(cells)[:] = np.arange(96**3).reshape(96, 96, 96)
def work():
    flow.step(.01)
    return (flow.hash(), flow.sums().energy, flow.spectrum().tobytes(), np.array(poisson.solve(f)).tobytes(),
            halo.exchange(cells).tobytes())
child = os.fork()
if child == 0:
    signal.alarm(20)
    said = work()
    with open('child', 'w') as file:
        file.write(repr(said))
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert repr(work()) == open('child').read()
"""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-c", program], check=True, timeout=60, cwd=folder)


def test_ranks_collect_plans_in_opposite_orders():
    def work(comm):
        plans = [sf.Plan((12, 10 + i), comm=comm) for i in range(6)]
        for plan in plans if comm.rank else reversed(plans):
            plan.destroy()
        kept = [sf.Plan((12, 10 + i), comm=comm) for i in range(6)]
        while kept:
            kept.pop(0 if comm.rank else -1)
            gc.collect()
        plan = sf.Plan((8, 8), comm=comm)
        u = plan.make_input()
        return plan.verify(u, plan.forward(u)).bound > 0

    assert sf.on_ranks(3, work) == [True] * 3


def test_a_plan_waits_for_the_other_thread():
    plan = sf.Plan((64, 64, 16))
    arrays = [(np.random.default_rng(i).standard_normal((64, 64, 16)) + 0j, np.empty((64, 64, 16), "D"))
              for i in range(4)]
    threads = [threading.Thread(target=plan.forward, args=pair) for pair in arrays]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for a, b in arrays:
        assert np.allclose(b, np.fft.fftn(a), rtol=0, atol=1e-9)


def test_threads_of_a_call(monkeypatch):
    from shardfft._threads import cores, threads_of

    mine = len(os.sched_getaffinity(0))
    for variable in ("OMP_NUM_THREADS", "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_TASKS_PER_NODE"):
        monkeypatch.delenv(variable, raising=False)
    assert cores() == mine and threads_of(None, 100) == 1 and threads_of(None, 1 << 20) == mine
    monkeypatch.setenv("OMPI_COMM_WORLD_LOCAL_SIZE", str(mine))
    assert cores() == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert cores() == 1 and threads_of(3, 1) == 3
