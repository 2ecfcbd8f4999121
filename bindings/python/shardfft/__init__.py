"""Fast Fourier transforms: numpy.fft on all cores, and plans over many processes.

    import shardfft
    spectrum = shardfft.rfftn(volume)                    # as numpy.fft.rfftn

Functions always transform in this process alone, also under mpirun. Distributed arrays go through a Plan.
"""

from __future__ import annotations

from typing import Any

from . import _cache, _core, _errors, scipy_backend, wisdom
from ._arrays import DistArray, empty
from ._comm import dry_run, local, mpi, on_ranks
from ._core import Comm, Layout, LayoutSpec, any, bricks, custom, cyclic, pencils, process_grid, slabs
from ._errors import (
    DeviceFailed, Error, Internal, InvalidArgument, InvalidLayout, InvalidProblem, IoFailed, Mismatch, OutOfMemory,
    TransportFailed, Unsupported,
)
from ._files import load
from ._functions import *  # noqa: F403
from ._functions import __all__ as _functions_all
from ._plan import Plan, Verdict, bench, explain, tune

__version__: str = _core.version

forget_plans = _cache.clear


def info(comm: Any = None) -> dict[str, Any]:
    """Collective. What this build has, and what of it these ranks can use: engines, transports, codecs, each as (name,
    why it cannot be used, what it is)."""
    from ._comm import as_comm

    return {"version": __version__, "mpi": _core.mpi_library(), **_core.inventory(as_comm(comm))}


__all__ = [
    "Comm", "DeviceFailed", "DistArray", "Error", "Internal", "InvalidArgument", "InvalidLayout", "InvalidProblem",
    "IoFailed", "Layout", "LayoutSpec", "Mismatch", "OutOfMemory", "Plan", "TransportFailed", "Unsupported", "Verdict",
    "any", "bench", "bricks", "custom", "cyclic", "dry_run", "empty", "explain", "forget_plans", "info", "load",
    "local", "mpi", "on_ranks", "pencils", "process_grid", "scipy_backend", "slabs", "tune", "wisdom",
    *_functions_all,
]
