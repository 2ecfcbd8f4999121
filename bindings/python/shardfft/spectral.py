"""Ready operators on spectra, for Plan.apply.

They are made for a plan, and do not keep it. `lengths`: of the periodic box along each axis of the array; those of axes
that are not transformed are any number. Errors: InvalidArgument."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from . import _core
from ._core import Operator

if TYPE_CHECKING:
    from ._plan.apply import Applies

__all__ = [
    "multiply", "convolve", "correlate", "inverse_laplace", "derivative", "gradient", "divergence", "curl", "project",
    "gaussian", "lowpass", "shift",
]


def _floats(lengths: Sequence[float]) -> list[float]:
    return [float(length) for length in lengths]


def _factors(plan: Applies, factors: Any) -> Any:
    """In the plan's precision; what has it already is not copied."""
    memory: np.ndarray[Any, Any] = plan._checked_memory(factors, 2)
    return memory.astype(plan._complex if memory.dtype.kind == "c" else plan._real, copy=False)


def multiply(plan: Applies, factors: Any) -> Operator:
    """Each element times its own factor, an array in the plan's middle layout, real or complex. It stays the caller's
    memory, and is read in each run."""
    by = _factors(plan, factors)
    return _core.multiply(plan._plan, by) if by.dtype.kind == "c" else _core.multiply_by_reals(plan._plan, by)


def convolve(plan: Applies, spectrum: Any) -> Operator:
    """Circular convolution with an array whose unscaled spectrum is given, in the middle layout."""
    return _core.convolve(plan._plan, _factors(plan, spectrum))


def correlate(plan: Applies, spectrum: Any) -> Operator:
    """Circular correlation with an array whose unscaled spectrum is given, in the middle layout."""
    return _core.correlate(plan._plan, _factors(plan, spectrum))


def inverse_laplace(plan: Applies, lengths: Sequence[float], *, differences: int = 0, shift: float = 0.0) -> Operator:
    """The solution u of shift u - laplacian(u) = values; without a shift the mean of u is zero. `differences` 2, 4, 6:
    the Laplacian is that of central differences of this order."""
    return _core.inverse_laplace(plan._plan, _floats(lengths), differences, shift)


def derivative(plan: Applies, axis: int, order: int = 1, length: float = 1.0) -> Operator:
    """The derivative of order 1, 2, ... along an axis; odd ones have none of the highest frequency of an even number of
    points."""
    return _core.derivative(plan._plan, axis, order, length)


def gradient(plan: Applies, lengths: Sequence[float]) -> Operator:
    """From 1 component to one for each transformed axis, in the order of the axes."""
    return _core.gradient(plan._plan, _floats(lengths))


def divergence(plan: Applies, lengths: Sequence[float]) -> Operator:
    """From one component for each transformed axis to 1."""
    return _core.divergence(plan._plan, _floats(lengths))


def curl(plan: Applies, lengths: Sequence[float]) -> Operator:
    """Of 3 components along 3 transformed axes."""
    return _core.curl(plan._plan, _floats(lengths))


def project(plan: Applies, lengths: Sequence[float]) -> Operator:
    """The part without divergence, of one component for each transformed axis."""
    return _core.project(plan._plan, _floats(lengths))


def gaussian(plan: Applies, lengths: Sequence[float], sigma: float) -> Operator:
    """Times exp(-sigma^2 k^2 / 2): smoothed with a Gaussian of that width."""
    return _core.gaussian(plan._plan, _floats(lengths), sigma)


def lowpass(plan: Applies, lengths: Sequence[float], cutoff: float) -> Operator:
    """Leaves wave numbers |k| <= cutoff."""
    return _core.lowpass(plan._plan, _floats(lengths), cutoff)


def shift(plan: Applies, lengths: Sequence[float], distances: Sequence[float]) -> Operator:
    """u(x - distances)."""
    return _core.shift(plan._plan, _floats(lengths), _floats(distances))
