"""One transform of an ordinary array in this process, in whatever memory it lies."""

from __future__ import annotations

import operator
from typing import Any, Hashable, NamedTuple

import numpy as np

from .. import _cache, _core
from .._threads import in_child, threads_of

_MOST_DIMS = 8
MOST_AXES = _MOST_DIMS - 1  # of one run, where all other axes are one batch

Array = np.ndarray[Any, Any]


def lies_well(a: Array) -> bool:
    """Whether a plan can take the memory as it is: whole elements apart, upwards, and rows beyond the ends of
    others, so that no two elements can be in one place."""
    flags = a.flags
    if not flags.aligned or not a.dtype.isnative:
        return False
    if flags.c_contiguous:
        return True
    size = a.itemsize
    end = size
    for stride, n in sorted((stride, n) for stride, n in zip(a.strides, a.shape) if n > 1):
        if stride < end or stride % size != 0:
            return False
        end = stride * n
    return True


def _make(key: tuple[Any, ...]) -> Any:
    kind, shape, axes, char, first, last, threads, in_place, _, kinds, scaling, whole = key
    request = _core.Request()
    request.shape, request.kind, request.axes = list(shape), kind, list(axes)
    request.precision = "f32" if char in "fF" else "f64"
    request.kinds, request.forward_scaling, request.backward_scaling = list(kinds), scaling, scaling
    real = 4 if char in "fF" else 8
    request.input_memory = [(0, _elements(shape, first, real if kind in ("r2c", "r2r") else 2 * real))]
    request.output_memory = [(0, _elements(shape, last, real if kind in ("c2r", "r2r") else 2 * real))]
    request.options = [("threads", str(threads)), ("in_place", "true" if in_place else "false"),
                       *([("split", "never")] if whole else [])]
    return _core.Plan(_core.local(), request)


def _elements(shape: tuple[int, ...], strides: tuple[int, ...], size: int) -> list[int]:
    # Along an axis of one element any stride will do, but a positive one.
    return [stride // size if n > 1 and stride > 0 else 1 for n, stride in zip(shape, strides)]


def _with_few_dims(a: Array, axes: tuple[int, ...]) -> tuple[Array, tuple[int, ...]]:
    """The same elements with all axes that are not transformed as one, the first; a copy where they do not join."""
    rest = [axis for axis in range(a.ndim) if axis not in axes]
    moved = a.transpose(rest + list(axes))
    return moved.reshape((-1, *moved.shape[len(rest):])), tuple(range(1, 1 + len(axes)))


def _plans(kind: str, forward: bool, a: Array, out: Array, in_place: bool, axes: tuple[int, ...], workers: int | None,
           kinds: tuple[str, ...], scaling: str, whole: bool = False) -> tuple[_cache.Plans, bool]:
    """Plans for arrays that lie as these do, and whether they run forward."""
    reals = a if kind == "r2c" else out  # the larger extents
    if a.ndim > 1 and not out.flags.c_contiguous:  # axes as they lie in memory, the slowest first
        order = sorted(range(a.ndim), key=lambda axis: -out.strides[axis])
        a, out, reals = a.transpose(order), out.transpose(order), reals.transpose(order)
        place = {axis: i for i, axis in enumerate(order)}
        axes = tuple(place[axis] for axis in axes)
    threads = threads_of(workers, reals.size)
    runs_forward = forward or kind != "c2c"  # forward of c2r has the exponent +1; only c2c goes both ways
    first, last = (a, out) if runs_forward else (out, a)
    key = (kind, reals.shape, axes, out.dtype.char, first.strides, last.strides, threads, in_place, in_child(), kinds,
           scaling, whole)
    return _cache.plans(key, _make), runs_forward


def _run(plans: _cache.Plans, forward: bool, a: Array, out: Array, factor: float) -> bool:
    plan = plans.take()
    try:
        return plan.run_as_planned(forward, a, out, factor)  # type: ignore[no-any-return]
    finally:
        plans.give_back(plan)


def execute(kind: str, forward: bool, a: Array, out: Array, in_place: bool, axes: tuple[int, ...], factor: float,
            workers: int | None, kinds: tuple[str, ...] = (), scaling: str = "none", whole: bool = False) -> None:
    """out = the transform of `a` times `factor`, over at most MOST_AXES axes; of r2c and c2r the last one is real. Both
    lie well. They are the same memory if `in_place`, else they do not overlap. `forward` has the exponent -1. `kinds`:
    of these axes. `whole`: a single axis is not split into two, however long it is; several never are."""
    if a.ndim > _MOST_DIMS:
        small, few = _with_few_dims(a, axes)
        result = np.empty(small.shape if kind == "c2c" else _with_few_dims(out, axes)[0].shape, out.dtype)
        execute(kind, forward, np.ascontiguousarray(small), result, False, few, factor, workers, kinds, scaling, whole)
        rest = [axis for axis in range(a.ndim) if axis not in axes]
        order = rest + list(axes)
        out.transpose(order)[...] = result.reshape([out.shape[axis] for axis in order])
        return
    plans, runs_forward = _plans(kind, forward, a, out, in_place, axes, workers, kinds, scaling, whole)
    _run(plans, runs_forward, a, out, factor)


class _Known(NamedTuple):
    """What a call comes to: one run into a new array."""

    plans: _cache.Plans
    forward: bool
    factor: float
    shape: tuple[int, ...]
    dtype: Any
    order: Any  # of the new array, "C" or "F"


def known_call(what: tuple[Hashable, ...], a: Any, axes: Any, norm: Any, workers: Any) -> tuple[Hashable, Array | None]:
    """For a call that leaves `a` as it is, and makes its result: a key of all that it depends on, to be remembered
    with, and the result if it was remembered. `what`: the rest of what it depends on. None is the key of calls that are
    looked at each time: those with other arrays than NumPy's own, or that are refused."""
    if type(a) is not np.ndarray or (axes is not None and type(axes) is not tuple):
        return None, None
    try:
        whole = axes and tuple(map(operator.index, axes))
        key = (what, a.shape, a.strides, a.dtype, whole, norm, threads_of(workers, 2 * a.size))
        known = _cache.call(key)
    except (TypeError, ValueError):  # the call says what is wrong
        return None, None
    if known is None:
        return key, None
    plans, forward, factor, shape, dtype, order = known
    result = np.empty(shape, dtype, order)
    return key, result if _run(plans, forward, a, result, factor) else None


def remember_call(key: Hashable, kind: str, forward: bool, a: Array, result: Array, axes: tuple[int, ...],
                  factor: float, workers: int | None, kinds: tuple[str, ...] = (), scaling: str = "none") -> None:
    """The arguments of execute(), which has done what the call came to. Calls that it does in steps, or for which it
    copies, are not remembered."""
    if key is None or a.ndim > _MOST_DIMS or result.size == 0 or not lies_well(a) or not result.flags.forc:
        return
    plans, runs_forward = _plans(kind, forward, a, result, False, axes, workers, kinds, scaling)
    order = "F" if result.flags.fnc else "C"
    _cache.remember(key, _Known(plans, runs_forward, factor, result.shape, np.dtype(result.dtype.char), order))
