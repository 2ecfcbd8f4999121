"""Answers about arrays outside memory, with the words of shardfft.analysis."""

from __future__ import annotations

import operator
from typing import Any, Sequence

import numpy as np

from .. import _core, analysis
from .._comm import Run, as_comm, collective
from .._errors import InvalidArgument
from .._given import along_axes, axis_of, real_number
from .._plan.request import request_of
from ..spectral import Along
from .ends import Source, Target, how_of, precision_of, same


def _two(first: Source, second: Source, call: str) -> tuple[str, Any]:
    """Kind and precision of arrays of one shape whose spectra meet."""
    if first.shape != second.shape:
        raise InvalidArgument(f"{call}() takes arrays of one shape; got {first.shape} and {second.shape}; cut one")
    kind = "c2c" if "c" in (first.dtype.kind, second.dtype.kind) else "r2c"
    single = all(precision_of(array.dtype) == np.dtype("f") for array in (first, second))
    return kind, np.dtype("f" if single else "d")


def _threads(threads: int | None) -> int:
    """0: as many as are allowed."""
    count = 0 if threads is None else operator.index(threads)
    if threads is not None and count < 1:
        raise InvalidArgument(f"threads are 1 or more; got {count}; leave them out to use all that are allowed")
    return count


@collective
def spectrum(source: Any, b: Any = None, *, spacing: Along = 1.0, shells: analysis.Cutoff | None = None,
             centred: bool = False, normalize: str = "power", axes: Sequence[int] | None = None,
             memory: int | str | None = None, scratch: Any = (), dataset: str = "data", comm: Any = None,
             threads: int | None = None) -> Run[analysis.Spectrum]:
    """Collective. shardfft.analysis.spectrum of one array, or of two: with their cross spectrum and correlation. In its
    words, with the same bits."""
    group, how = as_comm(comm), how_of(memory, scratch)
    whole = Source(source, dataset, how)
    second = None if b is None else Source(b, dataset, how)
    kind, precision = _two(whole, second or whole, "spectrum")
    dims = len(whole.shape)
    along = list(range(dims)) if axes is None else [axis_of(a, dims) for a in axes]
    steps, asked = along_axes("spacing", spacing, dims), analysis.spectrum_words(shells, centred, normalize)
    width, around, word = asked
    box = [n * step for n, step in zip(whole.shape, steps)]
    request = request_of(whole.shape, kind=kind, dtype=precision, axes=along, norm="forward", threads=threads,
                         axis_order=along[::-1])

    def run() -> analysis.Spectrum:
        rows = _core.spectrum_outside(group, whole.end, None if second is None else second.end, request, box, width,
                                      around, word, how)
        return analysis.spectrum_of(rows, second is not None)

    return same(run, source, b, list(request.axes), steps, list(asked), how.scratch, list(whole.shape), kind)


def _registered(a: Any, b: Any, target: Any, phase: bool, upsample: Any, memory: int | str | None, scratch: Any,
                dataset: str, comm: Any, threads: int | None) -> Run[analysis.Registration]:
    group, how = as_comm(comm), how_of(memory, scratch)
    first, second, fine = Source(a, dataset, how), Source(b, dataset, how), operator.index(upsample)
    kind, precision = _two(first, second, "register")
    request = request_of(first.shape, kind=kind, dtype=precision, threads=threads)
    dtype = precision if kind == "r2c" else np.result_type(precision, "F")
    to = None if target is None else Target(group, target, dataset, first.shape, dtype, how)

    def found(end: Any) -> analysis.Registration:
        shift, peak = _core.register_outside(group, first.end, second.end, end, request, bool(phase), fine, how)
        return analysis.Registration(np.array(shift), peak)

    return same(lambda: found(None) if to is None else to.fill(found), a, b, target, bool(phase), fine, how.scratch,
                list(first.shape), kind)


@collective
def register(a: Any, b: Any, *, upsample: int = 1, phase: bool = True, memory: int | str | None = None,
             scratch: Any = (), dataset: str = "data", comm: Any = None,
             threads: int | None = None) -> Run[analysis.Registration]:
    """Collective. shardfft.analysis.register: the shift that moves `b` onto `a`, to 1 / upsample points."""
    return _registered(a, b, None, phase, upsample, memory, scratch, dataset, comm, threads)


@collective
def correlate(a: Any, b: Any, target: Any, *, phase: bool = True, memory: int | str | None = None, scratch: Any = (),
              dataset: str = "data", comm: Any = None, threads: int | None = None) -> Run[analysis.Registration]:
    """Collective. shardfft.analysis.correlate in `target`, with the same bits. Returns the place of its peak, as
    register() does."""
    if target is None:
        raise InvalidArgument("correlate() writes to a path or an array; got none; register() finds the shift alone")
    return _registered(a, b, target, phase, 1, memory, scratch, dataset, comm, threads)


@collective
def convolve(source: Any, kernel: Any, target: Any, *, mode: str = "same", method: str = "auto",
             memory: int | str | None = None, scratch: Any = (), dataset: str = "data", comm: Any = None,
             threads: int | None = None) -> Run[str]:
    """Collective. shardfft.analysis.convolve in `target`, in its words. Returns the method: "tiles", which reads and
    writes once; or "spectrum", which goes in passes."""
    if method not in ("auto", "tiles", "spectrum"):
        raise InvalidArgument(f"method is 'auto', 'tiles' or 'spectrum'; got {method!r}")
    group, how = as_comm(comm), how_of(memory, scratch)
    whole, weights = Source(source, dataset, how), Source(kernel, dataset, how)
    is_complex, dtype = "c" in (whole.dtype.kind, weights.dtype.kind), precision_of(whole.dtype)
    what = _core.Convolution(whole.shape, weights.shape, mode, dtype == np.dtype("f"), is_complex)
    count, by_tiles = _threads(threads), bool(what.by_tiles) if method == "auto" else method == "tiles"
    to = Target(group, target, dataset, what.result, np.result_type(dtype, "F") if is_complex else dtype, how)

    def run(end: Any) -> str:
        _core.convolve_outside(group, whole.end, weights.end, end, what, by_tiles, count, how)
        return "tiles" if by_tiles else "spectrum"

    return same(lambda: to.fill(run), source, kernel, target, mode, method, how.scratch, list(whole.shape),
                list(weights.shape), is_complex, dtype.str)


@collective
def deconvolve(source: Any, psf: Any, target: Any, *, iterations: int | None = None, balance: float = 0.1,
               memory: int | str | None = None, scratch: Any = (), dataset: str = "data", comm: Any = None,
               threads: int | None = None) -> Run[None]:
    """Collective. shardfft.analysis.deconvolve in `target`, in its words, with the same bits."""
    group, how = as_comm(comm), how_of(memory, scratch)
    whole, spread = Source(source, dataset, how), Source(psf, dataset, how)
    steps, smooth, count = analysis.iterations_of(iterations), real_number("balance", balance), _threads(threads)
    dtype = precision_of(whole.dtype)
    to = Target(group, target, dataset, whole.shape, dtype, how)

    def run(end: Any) -> None:
        _core.deconvolve_outside(group, whole.end, spread.end, end, dtype == np.dtype("f"), steps, smooth,
                                 count, how)

    return same(lambda: to.fill(run), source, psf, target, steps, smooth, how.scratch, list(whole.shape),
                list(spread.shape), dtype.str)
