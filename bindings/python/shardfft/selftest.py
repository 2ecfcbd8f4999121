"""python -m shardfft.selftest: transforms, verifies, prints a hash that is the same on any number of ranks."""

from __future__ import annotations

import sys

import numpy as np

import shardfft


def main() -> int:
    """Under mpirun on all ranks; exit status 1 where a result is wrong."""
    comm = shardfft.local()
    if "--mpi" in sys.argv[1:]:
        comm = shardfft.mpi()
    plan = shardfft.Plan((24, 30, 28), kind="r2c", comm=comm)
    u = plan.make_input()
    for part, (x, y, z) in zip(u.parts, [u.grid()] if len(u.parts) == 1 else u.grid()):
        part[...] = np.sin(x * 0.7) + np.cos(1.3 * y) * z / (1 + x)
    u_hat = plan.forward(u)
    verdict, number = plan.verify(u, u_hat), plan.hash_output(u_hat)
    if comm.rank == 0:
        print(f"shardfft {shardfft.__version__}: {comm.size} rank(s), error {verdict.error:.1e}, hash {number:016x}")
    return 0 if verdict.ok else 1


if __name__ == "__main__":
    sys.exit(main())
