"""What a plan is made from."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from .. import _core
from .._errors import InvalidProblem
from .._given import option_texts, whole_numbers
from .._layouts import spec_of
from .kinds import kinds_of_axes, lengths_of_axes, scalings_of

_TYPES = {"f": "f32", "F": "f32", "d": "f64", "D": "f64"}


def request_of(shape: Sequence[int], *, kind: str = "c2c", dtype: Any = np.float64, axes: Sequence[int] | None = None,
               kinds: Any = None, modes: Any = None, support: Any = None, norm: str | None = "backward",
               orthonormal: bool = False, input: Any = None, output: Any = None, input_memory: Any = None,
               output_memory: Any = None, **options: Any) -> Any:
    """What a plan is made from; arguments are those of Plan."""
    request = _core.Request()
    request.shape, request.kind = whole_numbers("extents", shape), kind
    dtype = np.dtype(dtype)
    if kind == "move":
        request.element_bytes = dtype.itemsize
    elif dtype.char not in _TYPES:
        raise InvalidProblem(f"plans are of float32, float64, complex64 or complex128; got dtype {dtype}")
    else:
        request.precision = _TYPES[dtype.char]
    request.axes = whole_numbers("axes", axes) if axes is not None else []
    request.kinds = kinds_of_axes(kinds, request.axes, len(request.shape))
    request.modes = lengths_of_axes("modes", modes, request.axes, len(request.shape))
    request.support = lengths_of_axes("support", support, request.axes, len(request.shape))
    request.forward_scaling, request.backward_scaling = scalings_of(norm, orthonormal)
    request.input, request.output = spec_of(input, len(request.shape)), spec_of(output, len(request.shape))
    request.input_memory, request.output_memory = list(input_memory or ()), list(output_memory or ())
    request.options = option_texts(options)
    return request
