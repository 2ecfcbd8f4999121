"""Transforms in passes, and operators between them."""

from __future__ import annotations

import operator as operators
from typing import Any, Callable, Sequence

import numpy as np

from .. import _core, analysis
from .._comm import Run, as_comm, collective
from .._core import Operator
from .._errors import InvalidArgument
from .._given import along_axes, axis_of, real_number
from .._plan.apply import is_forward
from .._plan.operators import ready
from .._plan.plan import Plan
from .._plan.request import request_of
from ..spectral import Along, box_of
from .ends import Source, Target, how_of, precision_of, same


def _half_axis(axes: Sequence[int] | None, kinds: Any, dims: int) -> int:
    """The last fourier one."""
    along = [axis_of(a, dims) for a in axes] if axes is not None else list(range(dims))
    words = [kinds] * len(along) if isinstance(kinds, str) or kinds is None else list(kinds)
    return next((a for a, word in reversed(list(zip(along, words))) if word in (None, "fourier")), along[-1])


def _shapes(kind: str, forward: bool, given: tuple[int, ...], shape: Sequence[int] | None, half: int) -> Any:
    """Logical extents, and those of the result."""
    logical = list(given if shape is None else map(operators.index, shape))
    if kind == "r2c" and not forward and shape is None:
        logical[half] = 2 * (given[half] - 1)
    result = list(logical)
    if kind == "r2c" and forward:
        result[half] = result[half] // 2 + 1
    return logical, tuple(result)


@collective
def transform(source: Any, target: Any, *, kind: str = "c2c", axes: Sequence[int] | None = None,
              kinds: str | Sequence[str] | None = None, norm: str | None = "backward", orthonormal: bool = False,
              direction: str | None = None, shape: Sequence[int] | None = None, memory: int | str | None = None,
              scratch: Any = (), resume: bool = False, verify: bool = False, dataset: str = "data", comm: Any = None,
              **options: Any) -> Run[dict[str, Any]]:
    """Collective. The transform of `source` in `target`, which has the extents of numpy.fft.fftn, rfftn or irfftn.

    kind       "c2c", "r2c", "r2r", or "c2r": from a half spectrum to reals, r2c backward
    axes, kinds, norm, orthonormal  as of Plan
    direction  "forward" or "backward"; None: forward, of c2r backward
    shape      logical extents; None: those of `source`, of a half spectrum 2 (m - 1) along the last axis
    resume     go on where a run of the same call was killed, and let this one be killed so; `target` is a path
    verify     measure the error of each tile; a target in which an error was found is not written

    Returns figures: passes (what each does, tiles, seconds), bytes_read, bytes_written, scratch_bytes, hash, error and
    bound (relative L2, with verify), right."""
    group = as_comm(comm)
    forward = is_forward(direction or ("backward" if kind == "c2r" else "forward"))
    if kind == "c2r":
        if forward:
            raise InvalidArgument("c2r goes backward, to reals; got direction='forward'; leave it out")
        kind = "r2c"
    how = how_of(memory, scratch, resume, verify)
    whole = Source(source, dataset, how)
    logical, result = _shapes(kind, forward, whole.shape, shape, _half_axis(axes, kinds, len(whole.shape)))
    request = request_of(logical, kind=kind, dtype=precision_of(whole.dtype), axes=axes, kinds=kinds, norm=norm,
                         orthonormal=orthonormal, **options)
    reals = kind == "r2r" or kind == "r2c" and not forward
    dtype = precision_of(whole.dtype)
    to = Target(group, target, dataset, result, dtype if reals else np.result_type(dtype, "F"), how)
    return same(
        lambda: to.fill(lambda end: _core.transform_outside(group, whole.end, end, request, forward, None, how),
                        lambda figures: bool(figures["right"])),
        source, target, kind, list(request.axes), list(request.kinds), norm, orthonormal, forward, list(logical),
        how.scratch, resume, verify, sorted(options.items()))


def _whole_plan(whole: Source, axes: Sequence[int] | None, kinds: Any, norm: str | None, **options: Any) -> Plan:
    """A plan of the whole array; it is asked, and never run."""
    kind = "c2c" if whole.dtype.kind == "c" else "r2c"
    if kinds is not None and kind == "r2c" and "fourier" not in ([kinds] if isinstance(kinds, str) else kinds):
        kind = "r2r"
    return Plan(whole.shape, kind=kind, dtype=precision_of(whole.dtype), axes=axes, kinds=kinds, norm=norm,
                comm=_core.dry_run(1, 0, 1), apply="to_outputs", **options)


@collective
def apply(source: Any, target: Any, operator: Callable[..., Any], *, axes: Sequence[int] | None = None,
          kinds: str | Sequence[str] | None = None, memory: int | str | None = None, scratch: Any = (),
          resume: bool = False, dataset: str = "data", comm: Any = None, threads: int | None = None,
          **arguments: Any) -> Run[dict[str, Any]]:
    """Collective. backward(operator(forward(source))) in `target`, of the shape of `source`, real if that is: a filter,
    a derivative, the solution of an equation. Three passes of a 3-D array.

    operator   one of shardfft.spectral, such as spectral.gaussian; or a function that gets a plan of the whole array
               and gives an operator, a C function, or an array of factors in the plan's middle layout
    arguments  of the operator beside the plan: lengths or spacing, sigma, cutoff ...; lengths have the unit of spacing
    resume     as of transform(); the operator and its arguments are those of the killed run

    Returns figures as transform() does."""
    if not callable(operator) or isinstance(operator, Operator):
        raise InvalidArgument(f"an operator is made for a plan, by a function such as spectral.gaussian; got "
                              f"{type(operator).__name__}")
    words = f"{getattr(operator, '__qualname__', operator)} {sorted(arguments.items())}"
    return _applied(source, target, lambda plan: operator(plan, **arguments), words, axes=axes, kinds=kinds,
                    memory=memory, scratch=scratch, resume=resume, dataset=dataset, comm=comm, threads=threads)


def _applied(source: Any, target: Any, made_for: Callable[[Plan], Any], words: str, *, axes: Sequence[int] | None,
             kinds: str | Sequence[str] | None, memory: int | str | None, scratch: Any, resume: bool, dataset: str,
             comm: Any, threads: int | None) -> Run[dict[str, Any]]:
    group, how = as_comm(comm), how_of(memory, scratch, resume)
    whole = Source(source, dataset, how)
    plan = _whole_plan(whole, axes, kinds, "backward", threads=threads)
    made = ready(plan, made_for(plan))
    request = request_of(whole.shape, kind=plan.kind, dtype=precision_of(whole.dtype), axes=axes, kinds=kinds,
                         threads=threads)
    dtype = precision_of(whole.dtype)
    to = Target(group, target, dataset, whole.shape, np.result_type(dtype, "F") if plan.kind == "c2c" else dtype, how)
    how.resumed_with = words
    return same(
        lambda: to.fill(lambda end: _core.transform_outside(group, whole.end, end, request, True, made, how)),
        source, target, list(request.axes), list(request.kinds), how.scratch, resume, list(whole.shape), plan.kind)


@collective
def filter(source: Any, target: Any, *, spacing: Along = 1.0, axes: Sequence[int] | None = None,
           memory: int | str | None = None, scratch: Any = (), resume: bool = False, dataset: str = "data",
           comm: Any = None, threads: int | None = None, **words: Any) -> Run[dict[str, Any]]:
    """Collective. shardfft.analysis.filter, in its words: low_pass, high_pass, band, edge, gaussian, derivative,
    laplacian, shift. `spacing` of the points along each axis; its unit is that of all lengths. Returns figures as
    transform() does."""

    def made_for(plan: Plan) -> Any:
        dims = len(plan.shape)
        steps = along_axes("spacing", spacing, dims)
        return _core.filter(plan._plan, _core.lengths_from(plan._plan, steps), *analysis.filter_words(dims, **words))

    return _applied(source, target, made_for, f"filter {spacing!r} {sorted(words.items())}", axes=axes, kinds=None,
                    memory=memory, scratch=scratch, resume=resume, dataset=dataset, comm=comm, threads=threads)


@collective
def power_spectrum(source: Any, *, lengths: Along | None = None, spacing: Along | None = None, width: float = 0,
                   axes: Sequence[int] | None = None, kinds: str | Sequence[str] | None = None,
                   norm: str | None = "backward", memory: int | str | None = None, scratch: Any = (),
                   dataset: str = "data", comm: Any = None, threads: int | None = None) -> Run[Any]:
    """Collective. What the spectrum has of each wave number; the spectrum is not written.

    lengths  of the box along each axis, or spacing of its points: one of the two; one number stands for all axes
    width    of a shell, in radians per unit of length; 0: the lowest wave number that there is but 0

    Returns an array of float64: element s is the sum of |u|^2 over the modes with
    (s - 1/2) width <= |k| < (s + 1/2) width, on every rank, with the same bits on any number of ranks."""
    group, how = as_comm(comm), how_of(memory, scratch)
    whole = Source(source, dataset, how)
    plan = _whole_plan(whole, axes, kinds, norm, threads=threads)
    box = box_of(plan, lengths, spacing)
    request = request_of(whole.shape, kind=plan.kind, dtype=precision_of(whole.dtype), axes=axes, kinds=kinds,
                         norm=norm, threads=threads)
    by = real_number("width", width)
    return same(
        lambda: np.array(_core.power_spectrum_outside(group, whole.end, request, box, by, how)),
        source, list(request.axes), list(request.kinds), norm, box, by, how.scratch, list(whole.shape), plan.kind)
