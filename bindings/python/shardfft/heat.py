"""The functions of heat.fft on arrays split along any axis, also a transformed one: import shardfft.heat as fft

A Plan on Heat's communicator reads and writes Heat's own memory. Results have the bits of shardfft's functions on the
whole array. Calls are collective. Beside the arguments of heat.fft there is

    out_split  where the result is split. "input": where the input is. An axis. "any": where it costs fewest exchanges

Errors: those of shardfft.torch, on all ranks; ValueError for an `out_split` that is no axis. The plans of the last four
kinds of calls are kept, with their memory."""

from __future__ import annotations

import functools
import weakref
from typing import Any, Callable, Sequence

import numpy as np

try:
    import heat as ht
except ImportError as error:
    raise ImportError("shardfft.heat needs Heat: pip install heat") from error
import torch
from heat.fft import fftfreq, fftshift, ifftshift, rfftfreq
from numpy.lib.array_utils import normalize_axis_index

from . import _comm, _core, _linear
from . import torch as local
from ._functions.arguments import fitted, one_length
from ._functions.forms import KINDS, family
from ._functions.fourier import RESULTS, Call, meaning
from ._plan.plan import Plan
from ._sharded.exchanges import one_by_one
from ._sharded.maps import CALLS, Map, steps_of
from .torch.tensors import numbers, view

__all__ = [
    "fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "rfft", "irfft", "rfft2", "irfft2", "rfftn", "irfftn", "hfft",
    "ihfft", "hfft2", "ihfft2", "hfftn", "ihfftn", "fftfreq", "rfftfreq", "fftshift", "ifftshift",
]

Array = Any  # of Heat
Sizes = Sequence[int]
Ranges = tuple[tuple[int, int], ...]  # along the split axis, begin and end of each rank's part

_groups: weakref.WeakKeyDictionary[Any, _core.Comm] = weakref.WeakKeyDictionary()


def _group(comm: Any) -> _core.Comm:
    """Collective the first time. The ranks of a communicator of Heat."""
    if comm.size == 1:
        return _core.local()
    if comm not in _groups:
        _groups[comm] = _comm.mpi(comm.handle)
    return _groups[comm]


def _call(asked: str, x: Any, lengths: Callable[[], Any], axes: Any, norm: str | None, out_split: Any) -> Array:
    if not isinstance(x, ht.DNDarray):
        raise TypeError(f"shardfft.heat takes arrays of Heat; got {type(x).__name__}; make one by heat.array()")
    group = _group(x.comm)
    run = _comm.collectively(group, f"heat.fft.{asked}",
                             lambda: _prepared(group, asked, x, lengths(), axes, norm, out_split))
    return run()


def _prepared(group: _core.Comm, asked: str, x: Array, s: Any, axes: Any, norm: str | None,
              out_split: Any) -> _comm.Same[Array]:
    """What is left to do when all ranks have read their arguments."""
    kind, scaled = _linear.without_hermitian(asked, norm)
    tensor = numbers(x.larray, kind == "rfft")
    transform = _linear.transform(kind, x.gshape, s, axes, scaled)
    what = Map.of(transform, x.gshape)
    split = _split_of(what, x.split, group.size, out_split)
    words = what, x.split, split, asked, tensor.dtype
    if not transform.axes and x.split == split:
        return _comm.Same(words, lambda: x if x.larray.is_complex() else _array(tensor, x.gshape, split, x))
    if split is None or group.size == 1:
        return _comm.Same(words, lambda: _array(getattr(local, asked + "n")(tensor, s, axes, norm), what.result, split,
                                                x))
    along = tuple(axis + x.ndim for axis in transform.axes)
    call = meaning(*CALLS[kind], tuple(x.gshape), transform.lengths, along, scaled)
    return _comm.Same(words, lambda: _transformed(group, asked, kind, x, tensor, call, split))


def _split_of(what: Map, split: int | None, ranks: int, asked: Any) -> int | None:
    if isinstance(asked, str) and asked == "input" or split is None and asked is None:
        return split
    if split is None or asked is None:
        raise ValueError(f"the result is split if the input is; got out_split={asked!r} for split={split}; call "
                         "resplit()")
    if isinstance(asked, str):
        if asked != "any":
            raise ValueError(f"out_split is an axis, 'input' or 'any'; got {asked!r}")
        if ranks == 1 or len(what.shape) == 1:
            return split
        cuts = tuple((0,) if axis == split else () for axis in range(len(what.shape)))
        return steps_of(what, one_by_one((ranks,)), cuts, None)[1].index((0,))
    return normalize_axis_index(asked, len(what.shape))


def _transformed(group: _core.Comm, asked: str, kind: str, x: Array, tensor: Any, call: Call, split: int) -> Array:
    ranges, here = _ranges(x, call.read[x.split]), x.comm.rank
    shape = list(call.read)
    shape[x.split] = ranges[here][1] - ranges[here][0]
    block = np.ascontiguousarray(fitted(view(tensor.resolve_conj().resolve_neg()), tuple(shape)))
    if asked == "hfft":
        block = np.conjugate(block)
    dtype = np.dtype(RESULTS.get((CALLS[kind][0], block.dtype.char), block.dtype))
    placed = [x.comm.chunk(call.written, split, rank=rank) for rank in range(x.comm.size)]
    target: Ranges = tuple((begin, begin + part[split]) for begin, part, _ in placed)
    result = np.empty(placed[here][1], dtype)
    if 0 not in call.read + call.written:
        forward = kind != "ifft"
        plan = _plan(group, kind, call.axes, call.written if kind == "irfft" else call.read, block.dtype.char,
                     _boxes(call.read, x.split, ranges), _boxes(call.written, split, target))
        (plan.forward if forward else plan.backward)(block, result, call.factor)
    if asked == "ihfft":
        np.conjugate(result, out=result)
    return _array(torch.from_dlpack(result), call.written, split, x)


def _array(tensor: Any, shape: Sequence[int], split: int | None, like: Array) -> Array:
    return ht.DNDarray(tensor, tuple(shape), ht.types.canonical_heat_type(tensor.dtype), split, like.device, like.comm,
                       True)


def _ranges(x: Array, extent: int) -> Ranges:
    """Parts along the split axis, cut to this extent, or with what it has more in the last one."""
    ends = [(min(begin, extent), min(begin + count, extent)) for count, begin in zip(*x.counts_displs())]
    return (*ends[:-1], (ends[-1][0], extent))


def _boxes(shape: tuple[int, ...], axis: int, ranges: Ranges) -> Any:
    """For each rank its box, or none."""
    def corners(ends: tuple[int, int]) -> Any:
        lo, hi = [0] * len(shape), list(shape)
        lo[axis], hi[axis] = ends
        return tuple(lo), tuple(hi)

    return tuple((corners(ends),) if ends[0] < ends[1] else () for ends in ranges)


@functools.lru_cache(maxsize=4)
def _plan(group: _core.Comm, kind: str, axes: tuple[int, ...], shape: tuple[int, ...], dtype: str, first: Any,
          last: Any) -> Plan:
    """Collective when it is made. Neither direction that is run has a factor of its own."""
    layouts = (first, last) if kind != "ifft" else (last, first)
    source, target = (_core.custom([list(boxes) for boxes in layout]) for layout in layouts)
    return Plan(shape, kind=CALLS[kind][0], dtype=dtype, axes=axes, comm=group, input=source, output=target,
                norm="forward" if kind == "ifft" else "backward")


def _one(kind: str, x: Array, n: int | None = None, axis: int = -1, norm: str | None = None, *,
         out_split: Any = "input") -> Array:
    return _call(kind, x, lambda: one_length(n), (axis,), norm, out_split)


def _two(kind: str, x: Array, s: Sizes | None = None, axes: Sizes = (-2, -1), norm: str | None = None, *,
         out_split: Any = "input") -> Array:
    return _call(kind, x, lambda: s, axes, norm, out_split)


def _all(kind: str, x: Array, s: Sizes | None = None, axes: Sizes | None = None, norm: str | None = None, *,
         out_split: Any = "input") -> Array:
    return _call(kind, x, lambda: s, axes, norm, out_split)


_KINDS = {kind: kind for kind in KINDS}
fft, ifft, rfft, irfft, hfft, ihfft = family("", _one, _KINDS, "heat.fft")
fft2, ifft2, rfft2, irfft2, hfft2, ihfft2 = family("2", _two, _KINDS, "heat.fft")
fftn, ifftn, rfftn, irfftn, hfftn, ihfftn = family("n", _all, _KINDS, "heat.fft")
