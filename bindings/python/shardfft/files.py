"""Transforms of arrays that are larger than memory: of files, memory maps, datasets of h5py, arrays of zarr.

    shardfft.files.transform("volume.npy", "spectrum.npy", memory="4G")
    shardfft.files.filter("volume.npy", "smooth.tif", low_pass=10.0, spacing=(2.0, 0.5, 0.5))
    shardfft.files.apply("volume.npy", "smooth.npy", shardfft.spectral.gaussian, spacing=0.5, sigma=2.0)
    power = shardfft.files.power_spectrum(h5py.File("volume.h5")["density"], spacing=(2, 0.5, 0.5))

The array is read, transformed and written tile by tile, in passes through scratch files. Results have the bits of a
Plan of the whole array in memory. All calls are collective, and return on every rank. They take:

    source   path of a .npy file, or of HDF5, Zarr, TIFF, MRC or NIfTI, which their Python packages read ("f.h5:/name"
             names a dataset); or any object with shape, dtype and slices: source[slices] is read, by one thread
    target   path of a .npy file, on one rank also of these formats, which appears whole or not at all; or such an
             object: target[slices] = block
    memory   bytes, or a text such as "4G", that each rank may take; None: three quarters of what is free
    scratch  folders for scratch files, on several disks; (): beside the target, or the system's for such files
    comm     None: this process; a communicator of mpi4py; or what local(), mpi() and on_ranks() give. On several ranks,
             each has an object for the same array
    **options  options of Plan that say how, such as threads=4

Errors: IoFailed, also with the text of what an object raises; InvalidArgument and InvalidProblem for arrays that do not
fit; OutOfMemory, which says the least that is needed."""

from __future__ import annotations

import operator as _operators
import os
import re
from typing import Any, Callable, Sequence

import numpy as np

from . import _core, _formats, analysis
from ._comm import Run, Same, as_comm, collective
from ._core import Comm, Operator
from ._errors import InvalidArgument
from ._formats.convert import convert, replacing
from ._given import along_axes, axis_of, real_number
from ._plan.apply import is_forward
from ._plan.operators import ready
from ._plan.plan import Plan
from ._plan.request import request_of
from .spectral import Along, box_of

__all__ = ["transform", "apply", "spectrum", "power_spectrum", "convert"]  # filter is a name of Python's, too

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


def _bytes(memory: int | str | None) -> int:
    if memory is None:
        return 0
    found = re.fullmatch(r"\s*([0-9.]+)\s*([kmgt]?i?)b?\s*", str(memory).lower())
    number = float(found[1]) * _UNITS[found[2]] if found and found[2] in _UNITS and found[1].count(".") < 2 else 0
    if number < 1:
        raise InvalidArgument(f"memory is a number of bytes, such as 4000000000 or '4G'; got {memory!r}")
    return int(number)


def _how(memory: int | str | None, scratch: Any, resume: bool = False, verify: bool = False) -> Any:
    how = _core.OutOfCore()
    how.memory_bytes = _bytes(memory)
    how.scratch = [os.fspath(scratch)] if isinstance(scratch, (str, os.PathLike)) else [os.fspath(s) for s in scratch]
    how.resume, how.verify = bool(resume), bool(verify)
    return how


def _is_path(end: Any) -> bool:
    return isinstance(end, (str, os.PathLike))


def _at_once(how: Any) -> int:
    """Bytes that an object reads or takes in one call: a small part of the memory."""
    return min(max(how.memory_bytes // 32, 1 << 16), 8 << 20) if how.memory_bytes else 8 << 20


def _same(run: Callable[[], Any], *words: Any) -> Same[Any]:
    """`run`, of which ranks compare the words; objects may differ."""
    return Same([os.fspath(w) if _is_path(w) else w if isinstance(w, (tuple, list, dict, int, float, type(None)))
                 else "an object" for w in words], run)


def _copier(array: Any, dtype: Any, reads: bool, at_once: int) -> Callable[[Any, Any, Any], str]:
    """Copies a box from or to memory, in slabs along the first axis that has any."""

    def copy(low: Sequence[int], high: Sequence[int], memory: Any) -> str:
        try:
            block = memory.view(dtype).reshape([h - l for l, h in zip(low, high)])
            axis = next((a for a, n in enumerate(block.shape) if n > 1), 0)
            rows = max(1, at_once * block.shape[axis] // max(block.nbytes, 1))
            for first in range(0, block.shape[axis], rows):
                last = min(first + rows, block.shape[axis])
                inside: Any = (slice(None),) * axis + (slice(first, last),)
                where = tuple(slice(l, h) for l, h in zip(low, high))
                where = (*where[:axis], slice(low[axis] + first, low[axis] + last), *where[axis + 1:])
                if reads:
                    block[inside] = array[where]
                else:
                    array[where] = block[inside]
        except BaseException as error:  # of whatever package reads and writes; the transform ends with it
            return f"{type(error).__name__}: {error}"
        return ""

    return copy


class _Source:
    """An array to read: its shape and dtype, and what the library takes."""

    def __init__(self, source: Any, dataset: str, how: Any) -> None:
        self.end: Any
        if _is_path(source):
            place = _formats.of_python(source, dataset)
            if place is None:
                self.shape, dtype = _core.info_of_file(_core.local(), os.fspath(source))
                self.dtype, self.end = np.dtype(dtype), os.fspath(source)
                return
            source = _formats.open_array(place)
        if not all(hasattr(source, name) for name in ("shape", "dtype", "__getitem__")):
            raise InvalidArgument(f"a source is a path, or has shape, dtype and slices; got {type(source).__name__}")
        self.shape, self.dtype = tuple(int(n) for n in source.shape), np.dtype(source.dtype)
        self.end = (f"source {type(source).__name__}", self.shape, self.dtype.str,
                    _copier(source, self.dtype, True, _at_once(how)), 2 * _at_once(how))


class _Target:
    """A place for the result, which has this `dtype`."""

    def __init__(self, comm: Comm, target: Any, dataset: str, shape: tuple[int, ...], dtype: Any, how: Any) -> None:
        self._place = _formats.of_python(target, dataset) if _is_path(target) else None
        self._shape, self._dtype, self._how = shape, np.dtype(dtype), how
        if self._place and comm.size > 1:
            raise InvalidArgument(f"several ranks write a .npy file, or an array that each has opened; got {target!r} "
                                  f"on {comm.size} ranks; name it so, or give an open array")
        if not self._place:
            self._end = os.fspath(target) if _is_path(target) else _written(target, shape, dtype, how)

    def fill(self, run: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        """What `run` gives, which takes the end of the library."""
        if self._place is None:
            return run(self._end)
        with replacing(self._place, self._shape, self._dtype) as (array, keep):
            figures = run(_written(array, self._shape, self._dtype, self._how))
            if figures["right"]:
                keep()
            return figures


def _written(target: Any, shape: tuple[int, ...], dtype: Any, how: Any) -> Any:
    """What the library takes of an object."""
    if not hasattr(target, "__setitem__") or not hasattr(target, "shape"):
        raise InvalidArgument(f"a target is a path, or has shape and takes slices; got {type(target).__name__}")
    if tuple(target.shape) != shape:
        raise InvalidArgument(f"the result has shape {shape}; got a target of {tuple(target.shape)}")
    return (f"target {type(target).__name__}", list(shape), np.dtype(dtype).str,
            _copier(target, dtype, False, _at_once(how)), 2 * _at_once(how))


def _precision(dtype: Any) -> Any:
    return np.dtype("f" if dtype.kind == "f" and dtype.itemsize <= 4 or dtype.char == "F" else "d")


def _half_axis(axes: Sequence[int] | None, kinds: Any, dims: int) -> int:
    """The last fourier one."""
    along = [axis_of(a, dims) for a in axes] if axes is not None else list(range(dims))
    words = [kinds] * len(along) if isinstance(kinds, str) or kinds is None else list(kinds)
    return next((a for a, word in reversed(list(zip(along, words))) if word in (None, "fourier")), along[-1])


def _shapes(kind: str, forward: bool, given: tuple[int, ...], shape: Sequence[int] | None, half: int) -> Any:
    """Logical extents, and those of the result."""
    logical = list(given if shape is None else map(_operators.index, shape))
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
    how = _how(memory, scratch, resume, verify)
    whole = _Source(source, dataset, how)
    logical, result = _shapes(kind, forward, whole.shape, shape, _half_axis(axes, kinds, len(whole.shape)))
    request = request_of(logical, kind=kind, dtype=_precision(whole.dtype), axes=axes, kinds=kinds, norm=norm,
                         orthonormal=orthonormal, **options)
    reals = kind == "r2r" or kind == "r2c" and not forward
    dtype = _precision(whole.dtype)
    to = _Target(group, target, dataset, result, dtype if reals else np.result_type(dtype, "F"), how)
    return _same(
        lambda: to.fill(lambda end: _core.transform_outside(group, whole.end, end, request, forward, None, how)),
        source, target, kind, list(request.axes), list(request.kinds), norm, orthonormal, forward, list(logical),
        how.scratch, resume, verify, sorted(options.items()))


def _whole_plan(whole: _Source, axes: Sequence[int] | None, kinds: Any, norm: str | None, **options: Any) -> Plan:
    """A plan of the whole array; it is asked, and never run."""
    kind = "c2c" if whole.dtype.kind == "c" else "r2c"
    if kinds is not None and kind == "r2c" and "fourier" not in ([kinds] if isinstance(kinds, str) else kinds):
        kind = "r2r"
    return Plan(whole.shape, kind=kind, dtype=_precision(whole.dtype), axes=axes, kinds=kinds, norm=norm,
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
    group, how = as_comm(comm), _how(memory, scratch, resume)
    whole = _Source(source, dataset, how)
    plan = _whole_plan(whole, axes, kinds, "backward", threads=threads)
    made = ready(plan, made_for(plan))
    request = request_of(whole.shape, kind=plan.kind, dtype=_precision(whole.dtype), axes=axes, kinds=kinds,
                         threads=threads)
    dtype = _precision(whole.dtype)
    to = _Target(group, target, dataset, whole.shape, np.result_type(dtype, "F") if plan.kind == "c2c" else dtype, how)
    how.resumed_with = words
    return _same(
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
def spectrum(source: Any, *, spacing: Along = 1.0, shells: analysis.Cutoff | None = None, centred: bool = False,
             normalize: str = "power", axes: Sequence[int] | None = None, memory: int | str | None = None,
             scratch: Any = (), dataset: str = "data", comm: Any = None,
             threads: int | None = None) -> Run[analysis.Spectrum]:
    """Collective. shardfft.analysis.spectrum of one array, in its words, with the same bits."""
    group, how = as_comm(comm), _how(memory, scratch)
    whole = _Source(source, dataset, how)
    dims = len(whole.shape)
    along = list(range(dims)) if axes is None else [axis_of(a, dims) for a in axes]
    kind = "c2c" if whole.dtype.kind == "c" else "r2c"
    steps, asked = along_axes("spacing", spacing, dims), analysis.spectrum_words(shells, centred, normalize)
    width, around, word = asked
    box = [n * step for n, step in zip(whole.shape, steps)]
    request = request_of(whole.shape, kind=kind, dtype=_precision(whole.dtype), axes=along, norm="forward",
                         threads=threads, axis_order=along[::-1])

    def run() -> analysis.Spectrum:
        rows = _core.spectrum_outside(group, whole.end, request, box, width, around, word, how)
        return analysis.spectrum_of(rows, False)

    return _same(run, source, list(request.axes), steps, list(asked), how.scratch, list(whole.shape), kind)


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
    group, how = as_comm(comm), _how(memory, scratch)
    whole = _Source(source, dataset, how)
    plan = _whole_plan(whole, axes, kinds, norm, threads=threads)
    box = box_of(plan, lengths, spacing)
    request = request_of(whole.shape, kind=plan.kind, dtype=_precision(whole.dtype), axes=axes, kinds=kinds, norm=norm,
                         threads=threads)
    by = real_number("width", width)
    return _same(
        lambda: np.array(_core.power_spectrum_outside(group, whole.end, request, box, by, how)),
        source, list(request.axes), list(request.kinds), norm, box, by, how.scratch, list(whole.shape), plan.kind)
