"""Equations that transforms solve.

    u = shardfft.solve.poisson(f, spacing=0.1, boundary=("periodic", "neumann"))     # -laplacian(u) = f
    flow = shardfft.solve.NavierStokes((64, 64, 64), viscosity=1e-2)
"""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

import numpy as np

from . import _core
from ._arrays import DistArray
from ._comm import Run, as_comm, collective, next_number
from ._core import Comm, Layout
from ._errors import InvalidArgument
from ._flow import FlowSums, NavierStokes
from ._functions.arguments import numbers
from ._given import along_axes, axis_of, option_texts, real_number, real_numbers, whole_numbers
from ._layouts import have_equal_places, spec_of

__all__ = ["Estimate", "FlowSums", "NavierStokes", "Poisson", "Report", "poisson"]

Array = np.ndarray[Any, Any]

_ENDS = {"periodic": "periodic", "neumann": "even", "dirichlet": "odd"}


class Report(NamedTuple):
    """What solving found."""

    gauge: bool  # u is one of many that differ by a constant: the one whose mean is zero
    mean: float  # of f and the values at the ends: what was dropped of them
    compatibility: float  # that, relative to the root mean square of f
    error_bound: float  # the transforms lose at most this times the norm of f; NaN with a stretched axis
    bytes_before: float  # of all encoded exchanges and ranks, without a codec
    bytes_after: float


class Estimate(NamedTuple):
    """What the differences lose, and what the transforms may lose then."""

    error: float  # relative L2 error of u against the solution of the differential equation
    tolerance: float  # an option of Poisson: transforms add at most that error once more; 0: exact ones lose as much


def _ends(word: str) -> tuple[str, str]:
    parts = word.lower().split("-") if isinstance(word, str) else [""]
    if len(parts) > 2 or any(part not in _ENDS for part in parts):
        raise InvalidArgument(f"a boundary is periodic, neumann, dirichlet, dirichlet-neumann or neumann-dirichlet, or "
                              f"'open' for all axes; got '{word}'")
    return _ENDS[parts[0]], _ENDS[parts[-1]]


class Poisson:
    """shift u - laplacian(u) = f, made ready once and solved any number of times.

    shape      points that are stored, along 1 to 3 axes
    spacing, lengths  of the points, or of the box from end to end; one number: along all axes; neither: lengths 1
    boundary   what holds at the ends of each axis, or one word for all: periodic, neumann, dirichlet,
               dirichlet-neumann, neumann-dirichlet (low end first); "open": there are none
    points     "cells", or "nodes": those at neumann ends are stored, those at dirichlet ends not
    order      of the differences: 2, 4, 6, "compact" or "spectral"
    values     (low, high) of each axis: values at dirichlet ends, slopes outwards at neumann ends
    project    where nothing fixes u: drop the mean of f, whatever it is; `compatible`: at most so much of it
    stretched, faces  one axis whose cells lie between these faces
    dtype, comm, layout  as those of a Plan
    **options  of plans; with `device` the work is done there: arrays of NumPy are copied there and back, those that lie
               there already are given as this rank's part by DLPack

    Making it and solving are collective."""

    @collective
    def __init__(self, shape: Sequence[int], spacing: Any = None, *, lengths: Any = None,  # type: ignore[misc]
                 boundary: str | Sequence[str] = "periodic", points: str = "cells", order: int | str = 2,
                 shift: float = 0.0, values: Sequence[tuple[float, float]] = (), project: bool = False,
                 compatible: float = 0.0, stretched: int | None = None, faces: Sequence[float] = (),
                 dtype: Any = np.float64, comm: Any = None, layout: Any = "natural", **options: Any) -> Run[None]:
        self.comm: Comm = as_comm(comm)
        self.dtype = np.dtype(dtype)
        if self.dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
            raise InvalidArgument(f"f and u are float32 or float64; got {self.dtype}")
        words, request = _core.PoissonWords(), _core.Request()
        request.shape = whole_numbers("points", shape)
        dims = len(request.shape)
        if isinstance(boundary, str) and boundary == "open":
            if (points, order, shift, len(values), stretched) != ("cells", 2, 0.0, 0, None):
                raise InvalidArgument("open boundaries have a kernel instead of differences; got another argument "
                                      "of boxes with boundaries; leave it out")
        else:
            words.ends = [_ends(one) for one in ([boundary] * dims if isinstance(boundary, str) else boundary)]
        words.lengths = [] if lengths is None else along_axes("lengths", lengths, dims)
        words.spacing = [] if spacing is None else along_axes("spacing", spacing, dims)
        words.points, words.scheme, words.shift = points, str(order), real_number("shift", shift)
        words.values = [(real_number("a value", low), real_number("a value", high)) for low, high in values]
        words.project, words.compatible = project, real_number("compatible", compatible)
        words.stretched = -1 if stretched is None else axis_of(stretched, dims)
        words.faces = real_numbers("faces", tuple(faces))
        request.precision = "f32" if self.dtype.itemsize == 4 else "f64"
        request.input = spec_of(layout, dims)
        request.options = option_texts(options)
        self.report: Report | None = None

        def make() -> None:
            self._poisson = _core.Poisson(self.comm, request, words)
            self._number = next_number(self.comm)

        return make

    @property
    def layout(self) -> Layout:
        """Who owns what of f and u."""
        return self._poisson.layout

    def make_array(self) -> DistArray:
        """A distributed array for f or u, zero."""
        return DistArray(self.comm, self.layout, self.dtype)

    def places(self, axis: int) -> Array:
        """Where the points are along an axis."""
        return np.array(self._poisson.places(axis_of(axis, len(self.layout.shape))))

    @collective
    def solve(self, f: Any, u: Any = None) -> Run[Any]:
        """Collective. u, which may be f; None: a new array of the host. What was found is in `report`."""
        if u is None:
            u = f.empty_like() if isinstance(f, DistArray) else np.empty(self.layout.shape, self.dtype)
        source, target = self._memory(f), self._memory(u)

        def run() -> Any:
            self.report = Report(**self._poisson.solve(source, target))
            return u

        return run

    @collective
    def estimate(self, f: Any) -> Run[Estimate]:
        """Collective. Of this f, by its modes. Neither of open boundaries, stretched axes nor values at the ends."""
        source = self._memory(f)
        return lambda: Estimate(*self._poisson.estimate(source))

    def _memory(self, array: Any) -> Any:
        """What the library takes."""
        if isinstance(array, DistArray):
            if not have_equal_places(array.layout, self.layout):
                raise InvalidArgument(f"f and u lie as {self.layout.describe()}; got {array.layout.describe()}; make "
                                      "them with make_array()")
            elements: Array = array.buffer.view(array.dtype)
            return elements
        if hasattr(array, "__dlpack__") and not isinstance(array, np.ndarray):
            return array
        whole: Array = np.asarray(array)
        fits = whole.shape == tuple(self.layout.shape) and whole.flags.c_contiguous
        if not fits or self.comm.size > 1 or not hasattr(array, "dtype"):
            raise InvalidArgument(f"f and u are arrays of {self.layout.shape} in C order in one process, or of "
                                  f"make_array(); got {type(array).__name__} of shape {whole.shape} on "
                                  f"{self.comm.size} ranks")
        return whole


@collective
def poisson(f: Any, spacing: Any = None, **arguments: Any) -> Run[Any]:
    """The solution u of -laplacian(u) = f, or with `shift` of shift u - laplacian(u) = f. Arguments as for Poisson. f:
    an array of NumPy, real numbers of any type, or a distributed one (collective)."""
    if isinstance(f, DistArray):
        given: dict[str, Any] = {"dtype": f.dtype, "comm": f.comm, "layout": f.layout}
        if twice := given.keys() & arguments.keys():
            raise InvalidArgument(f"a distributed array has its {min(twice)}; leave {min(twice)}= out")
        return lambda: Poisson(f.shape, spacing, **given, **arguments).solve(f)
    f = np.asarray(f)
    if np.iscomplexobj(f):
        raise InvalidArgument(f"f is real; got {f.dtype}; solve for its real and imaginary part")
    f = numbers(f, True)
    u = np.array(f, order="C")
    return lambda: Poisson(f.shape, spacing, **{"dtype": f.dtype, **arguments}).solve(u, u)
