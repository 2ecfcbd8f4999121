"""The functions of scipy.fft for real transforms: cosines and sines of types 1 to 4, over any axes."""

from __future__ import annotations

import math
import operator
from typing import Any, Sequence

import numpy as np

from .._errors import InvalidProblem
from .arguments import factor_of, fitted, lengths_and_axes, numbers, one_length, parts_of, run
from .callers import in_callers_library
from .execute import Array, lies_well
from .fourier import unchanged

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


def _axes_of(x: Array, s: Any, axes: Any) -> tuple[list[int], tuple[int, ...]]:
    if s is not None:
        s = [operator.index(n) for n in (s if hasattr(s, "__iter__") else (s,))]
        axes = tuple(range(-len(s), 0)) if axes is None else axes
    lengths, axes = lengths_and_axes(x.shape, s, axes, False, None)
    if len(set(axes)) < len(axes):
        raise ValueError(f"all axes must be unique; got {axes}")
    return lengths, axes


def _transform(family: str, forward: bool, given: Any, type: int, s: Any, axes: Any, norm: str | None, overwrite: bool,
               workers: int | None, orthogonalize: bool | None) -> Array:
    if type not in _INVERSES:
        raise ValueError(f"invalid type: transforms of cosines and sines have types 1 to 4; got {type!r}")
    kind = f"{family}{type if forward else _INVERSES[type]}"
    given = np.asarray(given)
    lengths, axes = _axes_of(given, s, axes)
    if not axes:
        return unchanged(given, None)
    weighted = norm == "ortho" if orthogonalize is None else bool(orthogonalize)
    factor = _factor(norm, forward, [_period(kind, n) for n in lengths], weighted)
    x = fitted(numbers(given, real=given.dtype.kind != "c"), axes, lengths)
    own = overwrite or not np.may_share_memory(x, given)
    result = x if own and x.flags.writeable and lies_well(x) else np.empty_like(x, subok=False)
    for i, part in enumerate(parts_of(axes)):
        run("c2c" if x.dtype.kind == "c" else "r2r", True, x if i == 0 else result, result, part,
            factor if i == 0 else 1.0, workers, (kind,) * len(part), "orthonormal" if weighted else "none")
    return result


@in_callers_library
def dct(x: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None,
        overwrite_x: bool = False, workers: int | None = None, orthogonalize: bool | None = None) -> Array:
    """Cosine transform of type 1 to 4 along one axis, as scipy.fft.dct. Of complex numbers both parts."""
    return _transform("cosine", True, x, type, one_length(n), (axis,), norm, overwrite_x, workers, orthogonalize)


@in_callers_library
def idct(x: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None,
         overwrite_x: bool = False, workers: int | None = None, orthogonalize: bool | None = None) -> Array:
    """Inverse of dct() of the same type, as scipy.fft.idct."""
    return _transform("cosine", False, x, type, one_length(n), (axis,), norm, overwrite_x, workers, orthogonalize)


@in_callers_library
def dctn(x: Any, type: int = 2, s: int | Sequence[int] | None = None, axes: int | Sequence[int] | None = None,
         norm: str | None = None, overwrite_x: bool = False, workers: int | None = None, *,
         orthogonalize: bool | None = None) -> Array:
    """dct() over several axes, as scipy.fft.dctn."""
    return _transform("cosine", True, x, type, s, axes, norm, overwrite_x, workers, orthogonalize)


@in_callers_library
def idctn(x: Any, type: int = 2, s: int | Sequence[int] | None = None, axes: int | Sequence[int] | None = None,
          norm: str | None = None, overwrite_x: bool = False, workers: int | None = None,
          orthogonalize: bool | None = None) -> Array:
    """idct() over several axes, as scipy.fft.idctn."""
    return _transform("cosine", False, x, type, s, axes, norm, overwrite_x, workers, orthogonalize)


@in_callers_library
def dst(x: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None,
        overwrite_x: bool = False, workers: int | None = None, orthogonalize: bool | None = None) -> Array:
    """Sine transform of type 1 to 4 along one axis, as scipy.fft.dst. Of complex numbers both parts."""
    return _transform("sine", True, x, type, one_length(n), (axis,), norm, overwrite_x, workers, orthogonalize)


@in_callers_library
def idst(x: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None,
         overwrite_x: bool = False, workers: int | None = None, orthogonalize: bool | None = None) -> Array:
    """Inverse of dst() of the same type, as scipy.fft.idst."""
    return _transform("sine", False, x, type, one_length(n), (axis,), norm, overwrite_x, workers, orthogonalize)


@in_callers_library
def dstn(x: Any, type: int = 2, s: int | Sequence[int] | None = None, axes: int | Sequence[int] | None = None,
         norm: str | None = None, overwrite_x: bool = False, workers: int | None = None,
         orthogonalize: bool | None = None) -> Array:
    """dst() over several axes, as scipy.fft.dstn."""
    return _transform("sine", True, x, type, s, axes, norm, overwrite_x, workers, orthogonalize)


@in_callers_library
def idstn(x: Any, type: int = 2, s: int | Sequence[int] | None = None, axes: int | Sequence[int] | None = None,
          norm: str | None = None, overwrite_x: bool = False, workers: int | None = None,
          orthogonalize: bool | None = None) -> Array:
    """idst() over several axes, as scipy.fft.idstn."""
    return _transform("sine", False, x, type, s, axes, norm, overwrite_x, workers, orthogonalize)
