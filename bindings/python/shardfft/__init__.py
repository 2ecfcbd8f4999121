"""Fast Fourier transforms: numpy.fft on all cores, and plans over many processes.

    import shardfft
    spectrum = shardfft.rfftn(volume)                    # as numpy.fft.rfftn

Functions always transform in this process alone, also under mpirun. Distributed arrays go through a Plan.
"""

from __future__ import annotations

from typing import Any

from . import _cache, _core, _errors, analysis, files, scipy_backend, solve, spectral, wisdom
from ._arrays import DistArray, empty, load
from ._comm import Run as _Run
from ._comm import as_comm as _as_comm
from ._comm import collective as _collective
from ._comm import dry_run, local, mpi, on_ranks
from ._core import (
    Comm, Layout, LayoutSpec, Modes, Operator, any_layout, bricks, custom, cyclic, pencils, process_grid, slabs,
)
from ._errors import (
    DeviceFailed, Error, Internal, InvalidArgument, InvalidLayout, InvalidProblem, IoFailed, Mismatch, OutOfMemory,
    TransportFailed, Unsupported,
)
from ._functions.numpy_fft import *  # noqa: F403
from ._functions.numpy_fft import __all__ as _functions_all
from ._functions.real import *  # noqa: F403
from ._functions.real import __all__ as _real_all
from ._functions.signals import convolve, correlate, power_spectrum
from ._halo import Halo
from ._plan.kinds import dealiased, kind_of
from ._plan.operators import CModes, c_operator
from ._plan.plan import Plan, Verdict
from ._sharded.layouts import layout_of
from ._tools import bench, explain, tune

__version__: str = _core.version

forget_plans = _cache.clear
any = any_layout  # an older name; not in __all__, for it would replace the builtin


@_collective
def info(comm: Any = None) -> _Run[dict[str, Any]]:
    """Collective. What this build has, and what of it these ranks can use: engines, transports, codecs, each as (name,
    why it cannot be used, what it is)."""
    group = _as_comm(comm)
    return lambda: {"version": __version__, "mpi": _core.mpi_library(), **_core.inventory(group)}


__all__ = [
    "CModes", "Comm", "DeviceFailed", "DistArray", "Error", "Halo", "Internal", "InvalidArgument", "InvalidLayout",
    "InvalidProblem", "IoFailed", "Layout", "LayoutSpec", "Mismatch", "Modes", "Operator", "OutOfMemory", "Plan",
    "TransportFailed", "Unsupported", "Verdict", "analysis", "any_layout", "bench", "bricks", "c_operator", "convolve",
    "correlate", "custom", "cyclic", "dealiased", "dry_run", "empty", "explain", "files", "forget_plans", "info",
    "kind_of", "layout_of", "load", "local", "mpi", "on_ranks", "pencils", "power_spectrum", "process_grid",
    "scipy_backend", "slabs", "solve", "spectral", "tune", "wisdom",
    *_functions_all, *_real_all,
]
