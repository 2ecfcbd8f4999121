"""The functions of scipy.fft for real transforms: cosines and sines of types 1 to 4, over any axes."""

from __future__ import annotations

import math
import operator
from typing import Any, Sequence

import numpy as np

from .._errors import InvalidProblem
from .arguments import asked_axes, factor_of, fitted, lengths_and_axes, numbers, one_length, parts_of, run
from .callers import array_function
from .execute import Array, known_call, lies_well, remember_call
from .fourier import Call, unchanged

__all__ = ["dct", "idct", "dctn", "idctn", "dst", "idst", "dstn", "idstn"]

_INVERSES = {1: 1, 2: 3, 3: 2, 4: 4}


def _period(kind: str, n: int) -> int:
    """What an unscaled pair multiplies by."""
    if kind == "cosine1" and n < 2:
        raise InvalidProblem(f"a cosine transform of type 1 has 2 points or more; got {n}; use another type")
    return 2 * (n - 1 if kind == "cosine1" else n + 1 if kind == "sine1" else n)


def _factor(norm: str | None, forward: bool, periods: Sequence[int], weighted: bool) -> float:
    """Beside the plan's own, which is that of orthogonal matrices where ends are weighted."""
    factor = factor_of(norm, forward, periods)
    if not weighted:
        return factor
    return 1.0 if norm == "ortho" else factor * math.sqrt(math.prod(periods))


def _axes_of(shape: tuple[int, ...], s: Any, axes: Any) -> tuple[list[int], tuple[int, ...]]:
    if s is not None:
        s = [operator.index(n) for n in (s if hasattr(s, "__iter__") else (s,))]
        axes = tuple(range(-len(s), 0)) if axes is None else axes
    lengths, axes = lengths_and_axes(shape, s, asked_axes(axes), False)
    if len(set(axes)) < len(axes):
        raise ValueError(f"all axes must be unique; got {axes}")
    return lengths, axes


def meaning(family: str, forward: bool, shape: tuple[int, ...], type: int, s: Any, axes: Any, norm: str | None,
            orthogonalize: bool | None) -> tuple[Call, str, str]:
    """What a call with these arguments comes to for an array of this shape; the kind of its axes; their scaling."""
    if type not in _INVERSES:
        raise ValueError(f"invalid type: transforms of cosines and sines have types 1 to 4; got {type!r}")
    kind = f"{family}{type if forward else _INVERSES[type]}"
    lengths, axes = _axes_of(shape, s, axes)
    weighted = norm == "ortho" if orthogonalize is None else bool(orthogonalize)
    factor = _factor(norm, forward, [_period(kind, n) for n in lengths], weighted)
    extents = list(shape)
    for axis, n in zip(axes, lengths):
        extents[axis] = n
    call = Call(axes, tuple(lengths), tuple(extents), tuple(extents), factor, parts_of(axes))
    return call, kind, "orthonormal" if weighted else "none"


def _transform(family: str, forward: bool, given: Any, type: int, s: Any, axes: Any, norm: str | None, overwrite: bool,
               workers: int | None, orthogonalize: bool | None) -> Array:
    key = None
    if s is None and not overwrite:
        key, known = known_call((family, forward, type, orthogonalize), given, axes, norm, workers)
        if known is not None:
            return known
    given = np.asarray(given)
    call, kind, scaling = meaning(family, forward, given.shape, type, s, axes, norm, orthogonalize)
    if not call.axes:
        return unchanged(given, None)
    x = fitted(numbers(given, real=given.dtype.kind != "c"), call.read)
    own = overwrite or not np.may_share_memory(x, given)
    result = x if own and x.flags.writeable and lies_well(x) else np.empty_like(x, subok=False)
    inside = "c2c" if x.dtype.kind == "c" else "r2r"
    first, *others = call.parts
    run(inside, True, x, result, first, call.factor, workers, (kind,) * len(first), scaling)
    for part in others:
        run(inside, True, result, result, part, 1.0, workers, (kind,) * len(part), scaling)
    if x is given and not others:
        remember_call(key, inside, True, x, result, first, call.factor, workers, (kind,) * len(first), scaling)
    return result


def _one(what: tuple[str, bool], x: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None,
         overwrite_x: bool = False, workers: int | None = None, orthogonalize: bool | None = None) -> Array:
    return _transform(*what, x, type, one_length(n), (axis,), norm, overwrite_x, workers, orthogonalize)


def _all(what: tuple[str, bool], x: Any, type: int = 2, s: int | Sequence[int] | None = None,
         axes: int | Sequence[int] | None = None, norm: str | None = None, overwrite_x: bool = False,
         workers: int | None = None, orthogonalize: bool | None = None) -> Array:
    return _transform(*what, x, type, s, axes, norm, overwrite_x, workers, orthogonalize)


def _all_of_dctn(what: tuple[str, bool], x: Any, type: int = 2, s: int | Sequence[int] | None = None,
                 axes: int | Sequence[int] | None = None, norm: str | None = None, overwrite_x: bool = False,
                 workers: int | None = None, *, orthogonalize: bool | None = None) -> Array:
    return _all(what, x, type, s, axes, norm, overwrite_x, workers, orthogonalize)


dct = array_function(
    "dct", _one, ("cosine", True),
    "Cosine transform of type 1 to 4 along one axis, as scipy.fft.dct. Of complex numbers both parts.")
idct = array_function("idct", _one, ("cosine", False), "Inverse of dct() of the same type, as scipy.fft.idct.")
dctn = array_function("dctn", _all_of_dctn, ("cosine", True), "dct() over several axes, as scipy.fft.dctn.")
idctn = array_function("idctn", _all, ("cosine", False), "idct() over several axes, as scipy.fft.idctn.")
dst = array_function(
    "dst", _one, ("sine", True),
    "Sine transform of type 1 to 4 along one axis, as scipy.fft.dst. Of complex numbers both parts.")
idst = array_function("idst", _one, ("sine", False), "Inverse of dst() of the same type, as scipy.fft.idst.")
dstn = array_function("dstn", _all, ("sine", True), "dst() over several axes, as scipy.fft.dstn.")
idstn = array_function("idstn", _all, ("sine", False), "idst() over several axes, as scipy.fft.idstn.")
