"""Run by every rank under mpirun: mpi4py's ranks transform together, and the bits are those of one rank."""

import gc
import os
import sys

import numpy as np
from mpi4py import MPI

import shardfft as sf

assert os.path.samefile(sf._core.__file__, sys.argv[1])  # the module that was built, and no other
world = MPI.COMM_WORLD
shape = (12, 10, 14)
whole = np.random.default_rng(5).standard_normal(shape)


def hash_of(comm, layout):
    plan = sf.Plan(shape, kind="r2c", comm=comm, input=layout, output="slabs:1")
    u = plan.make_input()
    for part, mesh in zip(u.parts, [u.grid()] if len(u.parts) == 1 else u.grid()):
        part[...] = whole[mesh]
    u_hat = plan.forward(u)
    assert plan.verify(u, u_hat).ok
    gathered = u_hat.gather()
    if gathered is not None:
        assert np.allclose(gathered, np.fft.rfftn(whole), rtol=0, atol=1e-12)
    return plan.hash_output(u_hat)


def hash_of_applied(comm, layout):
    """Of a field that a function of Python smoothed; its halo is filled and added back on the way."""
    plan = sf.Plan(shape, kind="r2c", comm=comm, input=layout, apply="to_outputs")
    u = plan.make_input()
    u.local[...] = whole[u.box]
    v = plan.apply(u, lambda m: m.values / (1 + sum(k * k for k in m.frequencies())))
    halo = sf.Halo(shape, 1, 1, comm=comm, layout=layout, periodic=(0, 1, 2))
    cells = halo.make_array()
    halo.inside(cells)[...] = v.local
    total = plan.comm.sum(float(halo.exchange(cells).sum()))
    assert np.isclose(plan.comm.sum(float(halo.inside(halo.accumulate(cells)).sum())), total)
    return v.hash()


hashes = {hash_of(world, layout) for layout in ("natural", "pencils:0", "bricks")}
applied = {hash_of_applied(world, layout) for layout in ("slabs:0", "bricks")} | {hash_of_applied(None, "slabs:0")}
half = world.Split(world.rank % 2, world.rank)
hashes.add(hash_of(half, "natural"))
hashes.add(hash_of(MPI.COMM_SELF, "natural"))
if world.rank % 2:
    gc.collect()  # plans go at different times on different ranks
else:
    again = sf.Plan(shape, comm=MPI.COMM_SELF)
    del again
gc.collect()
try:
    sf.Plan((4, 4 + world.rank), comm=world)
    assert world.size == 1
except sf.Mismatch:
    pass
assert len(set().union(*world.allgather(hashes))) == len(set().union(*world.allgather(applied))) == 1
assert world.allreduce(sf.fft(np.ones(8))[0].real) == 8 * world.size  # functions know one process only
