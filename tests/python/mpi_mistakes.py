"""Run by every rank under mpirun: a mistake on one rank alone is raised on all, and none waits."""

import faulthandler
import os
import tempfile

import numpy as np
import test_collective_calls as table
from mpi4py import MPI

import shardfft as sf

world = MPI.COMM_WORLD
faulthandler.dump_traceback_later(120, exit=True)
place = world.bcast(tempfile.mkdtemp() if world.rank == 0 else None)
os.chdir(place)
if world.rank == 0:
    np.save("a.npy", np.zeros(table.SHAPE))
world.Barrier()
comm, tried = sf.mpi(), 0
for number, name in enumerate(table.CALLS):
    ways = list(table.wrong_ways(table.CALLS[name](sf.local())[1]))
    for way in {*range(number % 5, len(ways), 5), len(ways) - 1}:
        call, arguments = table.CALLS[name](comm)
        what, wrong = list(table.wrong_ways(arguments))[way]
        try:
            call(**(wrong if world.rank == way % world.size else arguments))
            heard = ""
        except Exception as error:  # of any kind
            heard = f"{type(error).__name__}: {error}"
        all_heard = world.allgather(heard)
        assert all(all_heard) or not any(all_heard), (name, what, all_heard)
        tried += 1
assert tried > 200
