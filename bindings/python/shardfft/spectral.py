"""Ready operators on spectra, for Plan.apply.

They are made for a plan, collectively, and do not keep it. Each takes the box, or its points:

    lengths  of the box along each axis of the array, a period, or from end to end; one number: along all axes
    spacing  of the points, instead

Axes that are not transformed take any number. Their unit is the caller's: widths and distances have it; wave
numbers k and cutoffs are in radians per unit, 2 pi over the wavelength. Errors: InvalidArgument."""

from __future__ import annotations

import operator
from typing import Any, Sequence

from . import _core
from ._comm import made_by_each
from ._core import Operator
from ._errors import InvalidArgument
from ._given import along_axes, axis_of, real_number
from ._plan.apply import Applies
from ._plan.operators import factors_of, multiplied

__all__ = [
    "multiply", "convolve", "correlate", "inverse_laplace", "derivative", "gradient", "divergence", "curl", "project",
    "gaussian", "lowpass", "shift",
]


Along = float | Sequence[float]  # one number along all axes, or one for each


def box_of(plan: Applies, lengths: Along | None, spacing: Along | None) -> list[float]:
    if (lengths is None) == (spacing is None):
        raise InvalidArgument(f"an operator takes the lengths of its box, or the spacing of points; got "
                              f"{'neither' if lengths is None else 'both'}; give one of the two")
    if lengths is not None:
        return along_axes("lengths", lengths, len(plan.shape))
    return _core.lengths_from(plan._plan, along_axes("spacing", spacing, len(plan.shape)))


@made_by_each
def multiply(plan: Applies, factors: Any) -> Operator:
    """Each element times its own factor, an array in the plan's middle layout, real or complex. It stays the caller's
    memory, and is read in each run."""
    return multiplied(plan, factors)


@made_by_each
def convolve(plan: Applies, spectrum: Any) -> Operator:
    """Circular convolution with an array whose unscaled spectrum is given, in the middle layout."""
    return _core.convolve(plan._plan, factors_of(plan, spectrum))


@made_by_each
def correlate(plan: Applies, spectrum: Any) -> Operator:
    """Circular correlation with an array whose unscaled spectrum is given, in the middle layout."""
    return _core.correlate(plan._plan, factors_of(plan, spectrum))


@made_by_each
def inverse_laplace(plan: Applies, lengths: Along | None = None, *, differences: int = 0, shift: float = 0.0,
                    spacing: Along | None = None) -> Operator:
    """The solution u of shift u - laplacian(u) = values; without a shift the mean of u is zero. `differences` 2, 4, 6:
    the Laplacian is that of central differences of this order."""
    box = box_of(plan, lengths, spacing)
    return _core.inverse_laplace(plan._plan, box, operator.index(differences), real_number("shift", shift))


@made_by_each
def derivative(plan: Applies, axis: int, order: int = 1, length: float | None = None, *,
               spacing: Along | None = None) -> Operator:
    """The derivative of order 1, 2, ... along an axis; odd ones have none of the highest frequency of an even number of
    points. Without `length` along this axis and without `spacing` the box is 1 long."""
    along = 1.0 if length is None and spacing is None else None if length is None else real_number("length", length)
    box = box_of(plan, along, spacing)
    return _core.derivative(plan._plan, axis, order, box[axis_of(axis, len(box))])


@made_by_each
def gradient(plan: Applies, lengths: Along | None = None, *, spacing: Along | None = None) -> Operator:
    """From 1 component to one for each transformed axis, in the order of the axes."""
    return _core.gradient(plan._plan, box_of(plan, lengths, spacing))


@made_by_each
def divergence(plan: Applies, lengths: Along | None = None, *, spacing: Along | None = None) -> Operator:
    """From one component for each transformed axis to 1."""
    return _core.divergence(plan._plan, box_of(plan, lengths, spacing))


@made_by_each
def curl(plan: Applies, lengths: Along | None = None, *, spacing: Along | None = None) -> Operator:
    """Of 3 components along 3 transformed axes."""
    return _core.curl(plan._plan, box_of(plan, lengths, spacing))


@made_by_each
def project(plan: Applies, lengths: Along | None = None, *, spacing: Along | None = None) -> Operator:
    """The part without divergence, of one component for each transformed axis."""
    return _core.project(plan._plan, box_of(plan, lengths, spacing))


@made_by_each
def gaussian(plan: Applies, lengths: Along | None = None, sigma: float | None = None, *,
             spacing: Along | None = None) -> Operator:
    """Times exp(-sigma^2 k^2 / 2): smoothed with a Gaussian of that width, in the unit of `lengths` or `spacing`."""
    return _core.gaussian(plan._plan, box_of(plan, lengths, spacing), real_number("sigma", sigma))


@made_by_each
def lowpass(plan: Applies, lengths: Along | None = None, cutoff: float | None = None, *,
            spacing: Along | None = None) -> Operator:
    """Leaves wave numbers |k| <= cutoff, in radians per unit of `lengths` or `spacing`."""
    return _core.lowpass(plan._plan, box_of(plan, lengths, spacing), real_number("cutoff", cutoff))


@made_by_each
def filter(plan: Applies, lengths: Along | None = None, *, low_pass: float = 0.0, high_pass: float = 0.0,
           edge: str = "cosine", width: float = 0.0, order: int = 2, sigma: Along | None = None,
           derivatives: Sequence[tuple[int, int]] = (), laplacian: bool = False, shift: Along | None = None,
           spacing: Along | None = None) -> Operator:
    """All that is named, at once. shardfft.analysis.filter takes lengths as cutoffs, and no plan.

    low_pass, high_pass  cutoffs in radians per unit of `lengths` or `spacing`; 0: none
    edge         "hard"; "cosine", `width` long (0: 4 pi over the shortest side), 1/2 at the cutoff; "gaussian", 1/2;
                 "butterworth" of an order, 0.707
    sigma        width of a Gaussian that smooths, for all axes or each
    derivatives  (axis, order) of each"""
    box = box_of(plan, lengths, spacing)
    along = [[] if given is None else along_axes(name, given, len(box))
             for name, given in (("sigma", sigma), ("shift", shift))]
    return _core.filter(plan._plan, box, real_number("low_pass", low_pass), real_number("high_pass", high_pass), edge,
                        real_number("width", width), operator.index(order), along[0],
                        [(axis_of(axis, len(box)), operator.index(times)) for axis, times in derivatives],
                        bool(laplacian), along[1])


@made_by_each
def shift(plan: Applies, lengths: Along | None = None, distances: Along | None = None, *,
          spacing: Along | None = None) -> Operator:
    """u(x - distances), along each axis in the unit of `lengths` or `spacing`."""
    box = box_of(plan, lengths, spacing)
    return _core.shift(plan._plan, box, along_axes("distances", distances, len(plan.shape)))
