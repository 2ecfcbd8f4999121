"""Groups of ranks."""

from __future__ import annotations

import ctypes
import os
import re
from pathlib import Path
from typing import Any, Callable, TypeVar

from . import _core
from ._core import Comm
from ._errors import Error, InvalidArgument, Unsupported

T = TypeVar("T")


def local() -> Comm:
    """This process alone."""
    return _core.local()


def mpi(comm: Any = None) -> Comm:
    """Collective: the ranks of an mpi4py communicator; None: all processes of mpirun. The communicator is duplicated.
    Errors: InvalidArgument or Unsupported where mpi4py runs with an MPI that shardfft was not built for."""
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise InvalidArgument("ranks of MPI need the package mpi4py; pip install mpi4py") from error
    comm = MPI.COMM_WORLD if comm is None else comm
    theirs = MPI.Get_library_version()
    if not _core.mpi_library():
        _load_plugin(MPI)
    ours = _core.mpi_library()
    if not theirs.startswith(ours):
        raise InvalidArgument(
            f"shardfft and mpi4py use one MPI; shardfft was built with {ours}, mpi4py runs with "
            f"{theirs.split(',')[0].strip()}; build both with the same mpicc"
        )
    return _core.comm_of_mpi(MPI._addressof(comm), MPI._sizeof(comm))


def _load_plugin(MPI: Any) -> None:
    """The part of shardfft that calls MPI, for the one that mpi4py has loaded."""
    name = "openmpi" if hasattr(ctypes.CDLL(MPI.__file__), "ompi_mpi_comm_self") else "mpich"
    plugin = Path(_core.__file__).with_name(f"shardfft_mpi_{name}.so")
    if not plugin.exists():
        there = sorted(file.stem.removeprefix("shardfft_mpi_") for file in plugin.parent.glob("shardfft_mpi_*.so"))
        raise Unsupported(
            f"mpi4py runs with {MPI.Get_library_version().split(',')[0].strip()}, and this shardfft was built for "
            f"{' and '.join(there) or 'no MPI'}; install shardfft again where mpicc is that one's"
        )
    for library in _libraries_of_mpi():  # for the plug-in to see; they are there already
        ctypes.CDLL(library, ctypes.RTLD_GLOBAL | os.RTLD_NOLOAD)
    _core.load_mpi(str(plugin))


def _libraries_of_mpi() -> list[str]:
    with open("/proc/self/maps", encoding="utf-8") as maps:
        files = {line.split()[-1] for line in maps if "/" in line}
    return sorted(file for file in files if re.match(r"libmpi(ch)?(_abi)?\.so", os.path.basename(file)))


def dry_run(ranks: int, rank: int = 0, ranks_per_node: int = 1) -> Comm:
    """Ranks of which only one exists, for plans that are described but never run."""
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


def collectively(comm: Comm, work: Callable[[], T]) -> T:
    """Collective: what work() gives, which sends nothing. What it raises on any rank is raised on all, for the others
    would wait: that of the lowest rank."""
    if comm.size == 1:
        return work()
    try:
        result = work()
    except Exception as error:
        text = str(error) if isinstance(error, Error) else f"{type(error).__name__}: {error}"
        try:
            _core.agree(comm, getattr(error, "status", InvalidArgument.status), text)
        except Error as agreed:
            if str(agreed) != text:
                raise agreed from error
        raise  # all ranks failed alike
    _core.agree(comm, "", "")
    return result
