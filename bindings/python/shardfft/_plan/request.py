"""What a plan is made from."""

from __future__ import annotations

import operator
from typing import Any, Sequence

import numpy as np

from .. import _core
from .._arrays import spec_of
from .._errors import InvalidProblem
from .kinds import kinds_of_axes, lengths_of_axes, scalings_of

_TYPES = {"f": "f32", "F": "f32", "d": "f64", "D": "f64"}


def _text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        return ("x" if name == "ranks_grid" else ",").join(map(str, value))
    return repr(value) if isinstance(value, float) else str(value)


def _whole(what: str, numbers: Any) -> list[int]:
    """Whole numbers; one stands for a list of one."""
    try:
        return [operator.index(n) for n in (numbers if hasattr(numbers, "__iter__") else [numbers])]
    except TypeError:
        raise InvalidProblem(f"{what} are whole numbers; got {numbers!r}") from None


def request_of(shape: Sequence[int], *, kind: str = "c2c", dtype: Any = np.float64, axes: Sequence[int] | None = None,
               kinds: Any = None, modes: Any = None, support: Any = None, norm: str | None = "backward",
               orthonormal: bool = False, input: Any = None, output: Any = None, input_memory: Any = None,
               output_memory: Any = None, **options: Any) -> Any:
    """What a plan is made from; arguments are those of Plan."""
    request = _core.Request()
    request.shape, request.kind = _whole("extents", shape), kind
    dtype = np.dtype(dtype)
    if kind == "move":
        request.element_bytes = dtype.itemsize
    elif dtype.char not in _TYPES:
        raise InvalidProblem(f"plans are of float32, float64, complex64 or complex128; got dtype {dtype}")
    else:
        request.precision = _TYPES[dtype.char]
    request.axes = _whole("axes", axes) if axes is not None else []
    request.kinds = kinds_of_axes(kinds, request.axes, len(request.shape))
    request.modes = lengths_of_axes("modes", modes, request.axes, len(request.shape))
    request.support = lengths_of_axes("support", support, request.axes, len(request.shape))
    request.forward_scaling, request.backward_scaling = scalings_of(norm, orthonormal)
    request.input, request.output = spec_of(input, len(request.shape)), spec_of(output, len(request.shape))
    request.input_memory, request.output_memory = list(input_memory or ()), list(output_memory or ())
    request.options = [(name, _text(name, value)) for name, value in options.items() if value is not None]
    return request
