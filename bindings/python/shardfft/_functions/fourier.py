"""Transforms of complex numbers, from reals and to reals, over any axes."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from .arguments import (
    asked_axes, asked_lengths, check_norm, factor_of, fitted, into, lengths_and_axes, numbers, parts_of, result_array,
    run,
)
from .execute import Array, known_call, lies_well, remember_call

RESULTS = {("r2c", "f"): np.complex64, ("r2c", "d"): np.complex128, ("c2r", "F"): np.float32, ("c2r", "D"): np.float64}


class Call(NamedTuple):
    """What a call comes to, whatever the numbers are."""

    axes: tuple[int, ...]
    lengths: tuple[int, ...]  # along these axes, of reals where there are some
    read: tuple[int, ...]  # shape of what is transformed
    written: tuple[int, ...]  # shape of the result
    factor: float
    parts: list[tuple[int, ...]]  # axes of each run


@functools.lru_cache(maxsize=1024)
def meaning(kind: str, forward: bool, shape: tuple[int, ...], s: Any, axes: Any, norm: str | None) -> Call:
    """What a call with these arguments comes to for an array of this shape."""
    lengths, axes = lengths_and_axes(shape, s, axes, kind == "c2r")
    if not axes and kind != "c2c":
        raise ValueError("at least 1 axis must be transformed")
    read, written = list(shape), list(shape)
    for axis, n in zip(axes, lengths):
        read[axis] = written[axis] = n
    if kind != "c2c":
        (written if kind == "r2c" else read)[axes[-1]] = lengths[-1] // 2 + 1
    return Call(axes, tuple(lengths), tuple(read), tuple(written), factor_of(norm, forward, lengths), parts_of(axes))


def transform(kind: str, forward: bool, a: Any, s: Any, axes: Any, norm: str | None, out: Any, workers: int | None,
              overwrite: bool) -> Array:
    """A transform of numpy.fft: c2c, r2c or c2r along the last of the axes."""
    key = None
    if s is None and out is None and not overwrite:
        key, known = known_call((kind, forward), a, axes, norm, workers)
        if known is not None:
            return known
    given = np.asarray(a)
    check_norm(norm)
    call = meaning(kind, forward, given.shape, asked_lengths(s, axes), asked_axes(axes), norm)
    if not call.axes:
        return unchanged(given, out)
    x = numbers(given, real=kind == "r2c")
    if len(set(call.axes)) < len(call.axes):
        for step, n, axis in one_by_one(kind, call):
            x = transform(step, forward, x, (n,), (axis,), norm, None, workers, False)
        return into(out, x)
    x = fitted(x, call.read)
    owned = overwrite or (x is not given and x.base is not given and not np.may_share_memory(x, given))
    if kind == "c2c" and out is None and owned and x.flags.writeable and lies_well(x):
        result = x
    else:
        result = result_array(out, call.written, RESULTS.get((kind, x.dtype.char), x.dtype), x)
    first, *others = call.parts
    if others and kind == "c2r":  # reals come last
        x = x.copy(order="K")
        for part in reversed(others):
            run("c2c", False, x, x, part, 1.0, workers)
    run(kind, forward, x, result, first, call.factor, workers)
    if kind != "c2r":
        for part in others:
            run("c2c", forward, result, result, part, 1.0, workers)
    if x is a and not others:
        remember_call(key, kind, forward, x, result, first, call.factor, workers)
    return into(out, result)


def one_by_one(kind: str, call: Call) -> list[tuple[str, int, int]]:
    """Kind, length and axis of each transform of a call that names an axis twice: in NumPy's order, the last first; for
    c2r the last one last."""
    steps = list(zip(["c2c"] * (len(call.axes) - 1) + [kind], call.lengths, call.axes))
    return steps if kind == "c2r" else steps[::-1]


def unchanged(given: Array, out: Any) -> Array:
    return into(out, given if given.dtype.kind in "fc" else given.astype(np.float64))
