"""Groups of ranks."""

from __future__ import annotations

from typing import Any, Callable, TypeVar

from . import _core
from ._core import Comm
from ._errors import InvalidArgument

T = TypeVar("T")


def local() -> Comm:
    """This process alone."""
    return _core.local()


def mpi(comm: Any = None) -> Comm:
    """Collective: the ranks of an mpi4py communicator; None: all processes of mpirun. The communicator is duplicated.
    Errors: InvalidArgument where mpi4py runs with another MPI than the one that shardfft was built with."""
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise InvalidArgument("ranks of MPI need the package mpi4py; pip install mpi4py") from error
    comm = MPI.COMM_WORLD if comm is None else comm
    ours, theirs = _core.mpi_library(), MPI.Get_library_version()
    if ours and not theirs.startswith(ours):
        raise InvalidArgument(
            f"shardfft and mpi4py use one MPI; shardfft was built with {ours}, mpi4py runs with "
            f"{theirs.split(',')[0].strip()}; build both with the same mpicc"
        )
    return _core.comm_of_mpi(MPI._addressof(comm), MPI._sizeof(comm))


def dry_run(ranks: int, rank: int = 0, ranks_per_node: int = 1) -> Comm:
    """Ranks of which only one exists, for plans that are looked at and never run."""
    return _core.dry_run(ranks, rank, ranks_per_node)


def on_ranks(ranks: int, work: Callable[[Comm], T]) -> list[T]:
    """Runs work(comm) on as many threads of this process, each a rank of one group; returns what each of them did. For
    notebooks and tests: no launcher is needed. The first exception is raised again."""
    results: list[Any] = [None] * ranks

    def body(comm: Comm) -> None:
        results[comm.rank] = work(comm)

    _core.on_ranks(ranks, body)
    return results


def as_comm(comm: Any) -> Comm:
    """None: this process; a communicator of mpi4py: its ranks."""
    if comm is None:
        return _core.local()
    return comm if isinstance(comm, Comm) else mpi(comm)
