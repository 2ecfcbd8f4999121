"""Transforms of complex numbers, from reals and to reals, over any axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arguments import factor_of, fitted, into, lengths_and_axes, numbers, parts_of, result_array, run
from .execute import MOST_AXES, Array, execute_packed, lies_well

# What calls on arrays in C order came to, by shape, axes and norm: transformed axes, factor, shape of the result.
_plain: dict[Any, tuple[tuple[int, ...], float, tuple[int, ...]]] = {}
_MOST_PLAIN = 1024


def _as_tuple(axes: Any) -> Any:
    """Axes as they are told apart: one axis is a number, all are None."""
    return tuple(axes) if hasattr(axes, "__iter__") else axes


def _is_plain(a: Any) -> bool:
    return type(a) is np.ndarray and a.flags.carray and a.dtype.isnative and 0 < a.ndim <= 8


def _remember_plain(key: Any, axes: tuple[int, ...], factor: float, shape: tuple[int, ...]) -> None:
    if len(axes) <= MOST_AXES and 0 not in shape:
        if len(_plain) >= _MOST_PLAIN:
            _plain.clear()
        _plain[key] = axes, factor, shape


def _quickly(key: Any, kind: str, forward: bool, a: Array, dtype: Any, workers: int | None) -> Array | None:
    """The result of a call that came before, with other numbers; None where there was none."""
    known = _plain.get(key)
    if known is None:
        return None
    axes, factor, shape = known
    out = np.empty(shape, dtype)
    execute_packed(kind, forward, a, out, axes, factor, workers)
    return out


def transform(forward: bool, a: Any, s: Any, axes: Any, norm: str | None, out: Any, workers: int | None,
             overwrite: bool, default_axes: Any = None) -> Array:
    key = None
    if s is None and out is None and not overwrite and _is_plain(a) and a.dtype.char in "FD":
        key = forward, a.shape, _as_tuple(axes), norm
        if (quick := _quickly(key, "c2c", forward, a, a.dtype, workers)) is not None:
            return quick
    given = np.asarray(a)
    lengths, axes = lengths_and_axes(given.shape, s, axes, False, default_axes)
    if not axes:
        factor_of(norm, forward, [])
        return unchanged(given, out)
    if len(set(axes)) < len(axes):  # one after the other, the last one first
        result = given
        for n, axis in zip(reversed(lengths), reversed(axes)):
            result = transform(forward, result, (n,), (axis,), norm, None, workers, False)
        return into(out, result)
    factor = factor_of(norm, forward, lengths)
    x = fitted(numbers(given, real=False), axes, lengths)
    own = x.base is not given and not np.may_share_memory(x, given)  # made here: may be overwritten
    if key is not None:
        _remember_plain(key, axes, factor, x.shape)
    result = result_array(out, x.shape, x.dtype, x)
    if out is None and (own or overwrite) and x.flags.writeable and lies_well(x):
        result = x
    for i, part in enumerate(parts_of(axes)):
        run("c2c", forward, x if i == 0 else result, result, part, factor if i == 0 else 1.0, workers)
    return into(out, result)


def unchanged(given: Array, out: Any) -> Array:
    return into(out, given if given.dtype.kind in "fc" else given.astype(np.float64))


def _complex_of(x: Array) -> Any:
    return np.complex64 if x.dtype.char == "f" else np.complex128


def to_half(a: Any, s: Any, axes: Any, norm: str | None, out: Any, workers: int | None,
             default_axes: Any = None) -> Array:
    key = None
    if s is None and out is None and _is_plain(a) and a.dtype.char in "fd":
        key = "r2c", a.shape, _as_tuple(axes), norm
        if (quick := _quickly(key, "r2c", True, a, _complex_of(a), workers)) is not None:
            return quick
    x = numbers(a, real=True)
    lengths, axes = lengths_and_axes(x.shape, s, axes, False, default_axes)
    if not axes:
        raise ValueError("at least 1 axis must be transformed")
    if len(set(axes)) < len(axes):
        result = to_half(x, (lengths[-1],), (axes[-1],), norm, None, workers)
        return into(out, transform(True, result, lengths[:-1], axes[:-1], norm, None, workers, True))
    x = fitted(x, axes, lengths)
    shape = list(x.shape)
    shape[axes[-1]] = lengths[-1] // 2 + 1
    result = result_array(out, tuple(shape), _complex_of(x), x)
    factor = factor_of(norm, True, lengths)
    if key is not None:
        _remember_plain(key, axes, factor, tuple(shape))
    for i, part in enumerate(parts_of(axes)):
        if i == 0:
            run("r2c", True, x, result, part, factor, workers)
        else:
            run("c2c", True, result, result, part, 1.0, workers)
    return into(out, result)


def to_reals(a: Any, s: Any, axes: Any, norm: str | None, out: Any, workers: int | None, overwrite: bool,
              default_axes: Any = None) -> Array:
    given = np.asarray(a)
    lengths, axes = lengths_and_axes(given.shape, s, axes, True, default_axes)
    if not axes:
        raise ValueError("at least 1 axis must be transformed")
    if len(set(axes)) < len(axes):
        # NumPy takes the first one first here: the last of several lengths of an axis is what is left.
        result = transform(False, given, lengths[-2::-1], axes[-2::-1], norm, None, workers, False)
        return to_reals(result, (lengths[-1],), (axes[-1],), norm, out, workers, True)
    half = [*lengths[:-1], lengths[-1] // 2 + 1]
    x = fitted(numbers(given, real=False), axes, half)
    shape = list(x.shape)
    shape[axes[-1]] = lengths[-1]
    result = result_array(out, tuple(shape), np.float32 if x.dtype == np.complex64 else np.float64, x)
    factor = factor_of(norm, False, lengths)
    parts = parts_of(axes)
    if len(parts) > 1 and not overwrite:
        x = x.copy(order="K")
    for part in reversed(parts[1:]):
        run("c2c", False, x, x, part, 1.0, workers)
    run("c2r", False, x, result, parts[0], factor, workers)
    return into(out, result)
