"""Incompressible flow in a periodic box."""

from __future__ import annotations

import math
import operator
from typing import Any, Callable, NamedTuple, Sequence

import numpy as np

from . import _core
from ._arrays import DistArray
from ._comm import Run, Same, as_comm, collective, next_number
from ._core import Comm
from ._errors import InvalidArgument
from ._given import along_axes, option_texts, real_number, whole_numbers
from ._layouts import have_equal_places

Array = np.ndarray[Any, Any]


class FlowSums(NamedTuple):
    """What is known of a flow: the same bits on any number of ranks."""

    energy: float  # mean of |u|^2 / 2
    enstrophy: float  # mean of |curl u|^2 / 2
    divergence: float  # largest |k . u_k|


class NavierStokes:
    """du/dt = N(u) - grad p + viscosity laplacian(u), div u = 0: Fourier modes in space, Runge-Kutta of order 4 in time

    shape      points along x, y and z
    lengths    of the box; one number: along all axes
    form       of N: "rotational", "convective" or "divergence"
    dealias    the 2/3 rule
    fused      a right-hand side in one run, without arrays of points; of the rotational form
    dtype, comm  as those of a Plan; dtype is that of velocities
    **options  of plans

    Making it and all methods but stable_step() are collective."""

    @collective
    def __init__(self, shape: Sequence[int], viscosity: float, *, lengths: Any = 2 * math.pi,  # type: ignore[misc]
                 form: str = "rotational", dealias: bool = True, fused: bool = False, dtype: Any = np.float64,
                 comm: Any = None, **options: Any) -> Run[None]:
        self.comm: Comm = as_comm(comm)
        self.shape = tuple(whole_numbers("points", shape))
        self.viscosity = real_number("viscosity", viscosity)
        self.lengths = tuple(along_axes("lengths", lengths, 3))
        self.dtype = np.dtype(dtype)
        if self.dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
            raise InvalidArgument(f"velocities are float32 or float64; got {self.dtype}")
        if len(self.lengths) != 3:
            raise InvalidArgument(f"lengths are of three axes; got {len(self.lengths)}; give one number, or three")
        request, switches = _core.Request(), (str(form), bool(dealias), bool(fused))
        request.shape, request.precision = list(self.shape), "f32" if self.dtype.itemsize == 4 else "f64"
        request.options = option_texts(options)

        def make() -> None:
            self._flow = _core.NavierStokes(self.comm, request, self.viscosity, self.lengths, *switches)
            self._number = next_number(self.comm)

        return make

    @collective
    def taylor_green(self) -> Run[None]:
        """Starts at time 0 from u = (sin x cos y cos z, -cos x sin y cos z, 0), in units of the box over 2 pi."""
        return self._flow.taylor_green

    @collective
    def set(self, u: Callable[[Array, Array, Array], Sequence[Any]]) -> Run[None]:
        """Starts at time 0 from the part of u(x, y, z) without divergence. u takes the points as an open mesh, as from
        numpy.ix_, and gives three components. Each rank calls it with all points."""
        places = [np.arange(n) * length / n for n, length in zip(self.shape, self.lengths)]
        velocity = np.empty((3, *self.shape))
        components = tuple(u(*np.ix_(*places)))
        if len(components) != 3:
            raise InvalidArgument(f"a velocity has three components; got {len(components)}")
        for part, component in zip(velocity, components):
            part[...] = component
        return lambda: self._flow.set(velocity)

    @collective
    def step(self, dt: float) -> Run[None]:
        """One step. Raises InvalidArgument where velocities blow up; the flow is lost then."""
        of = real_number("a time step", dt)
        return Same(f"dt {of!r}", lambda: self._flow.step(of))

    @property
    def time(self) -> float:
        """Of the flow."""
        return self._flow.time

    @property
    def steps(self) -> int:
        """Since time 0."""
        return self._flow.steps

    @collective
    def sums(self) -> Run[FlowSums]:
        """Energy, enstrophy and the largest divergence."""
        return lambda: FlowSums(*self._flow.sums())

    @collective
    def dissipation(self) -> Run[float]:
        """-dE/dt = 2 viscosity enstrophy"""
        return lambda: 2 * self.viscosity * self.sums().enstrophy

    @collective
    def spectrum(self) -> Run[Array]:
        """Energy of the shells of wave numbers s - 1/2 <= |k| L / 2 pi < s + 1/2, where L is the longest length."""
        return lambda: np.array(self._flow.spectrum())

    def stable_step(self) -> float:
        """Largest stable time step for the velocity when the last step began, and the viscosity."""
        return self._flow.stable_step()

    @collective
    def hash(self) -> Run[int]:
        """Of the state, on any number of ranks."""
        return self._flow.hash

    @collective
    def state(self) -> Run[DistArray]:
        """A copy of the modes that are kept, 3 x mx x my x (mz + 1) / 2: u = sum of u_k exp(i k x)."""
        dtype = np.complex64 if self.dtype.itemsize == 4 else np.complex128

        def copied() -> DistArray:
            buffer: Any = self._flow.state()
            return DistArray(self.comm, self._flow.layout, dtype, buffer)

        return copied

    @collective
    def restore(self, state: DistArray, time: float, steps: int) -> Run[None]:
        """Goes on from what state() was, of this or of another run."""
        itemsize = 2 * self.dtype.itemsize
        if not isinstance(state, DistArray):
            raise InvalidArgument(f"a state is a distributed array; got {type(state).__name__}; give what state() was")
        if not have_equal_places(state.layout, self._flow.layout) or state.dtype.itemsize != itemsize:
            raise InvalidArgument(f"a state lies as {self._flow.layout.describe()}, {itemsize} bytes a mode; got "
                                  f"{state.layout.describe()}, {state.dtype}; give what state() was")
        at, count = real_number("a time", time), operator.index(steps)
        return Same(f"time {at!r}, step {count}", lambda: self._flow.restore(state.buffer, at, count))
