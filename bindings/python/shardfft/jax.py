"""The functions of jax.numpy.fft on the CPU, under jit, vmap, grad and jvp: import shardfft.jax as fft

Outside of jit arrays are not copied on the way in or out. Inside, XLA copies results."""

from __future__ import annotations

import math
from typing import Any, Sequence

import numpy as np

from . import _linear
from ._functions.arguments import one_length
from ._functions.forms import KINDS, family
from ._linear import Transform

try:
    import jax
except ImportError as error:
    raise ImportError("shardfft.jax needs JAX: pip install jax") from error
from jax import lax
from jax import numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
from jax.numpy.fft import fftfreq, fftshift, ifftshift, rfftfreq

__all__ = [
    "fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "rfft", "irfft", "rfft2", "irfft2", "rfftn", "irfftn", "hfft",
    "ihfft", "fftfreq", "rfftfreq", "fftshift", "ifftshift",
]

Array = Any
Sizes = Sequence[int]

_ALIGNMENT = 64  # of memory that JAX takes as it is


def _result_type(x: Any, transform: Transform) -> Any:
    """Shape and dtype of the result, as arguments."""
    dtype = np.dtype(x.dtype)
    if transform.kind == "rfft":
        dtype = np.result_type(dtype, np.complex64)
    elif transform.kind == "irfft":
        dtype = np.empty(0, dtype).real.dtype
    return transform.output_shape(x.shape), dtype


def _run(x: Array, transform: Transform) -> Any:
    shape, dtype = _result_type(x, transform)
    size = math.prod(shape) * dtype.itemsize
    memory = np.empty(size + _ALIGNMENT, np.uint8)
    begin = -memory.ctypes.data % _ALIGNMENT
    out = memory[begin:begin + size].view(dtype).reshape(shape)
    return transform.run(np.asarray(x), out)


def _now(x: Array, *, transform: Transform) -> Array:
    for device in x.devices() if isinstance(x, jax.Array) else ():
        if device.platform != "cpu":
            raise TypeError(f"arrays are on the CPU; got one on {device}; use jax.device_put() or jax.numpy.fft")
    return jax.device_put(_run(x, transform))


def _in_a_program(x: Array, *, transform: Transform) -> Array:
    return jax.pure_callback(lambda x: _run(x, transform), jax.ShapeDtypeStruct(*_result_type(x, transform)), x)


def _transposed(cotangent: Array, x: Any, *, transform: Transform) -> Any:
    """JAX's transpose does not conjugate: that of a transform of complex numbers is itself."""
    if transform.kind in ("fft", "ifft"):
        return (_primitive.bind(cotangent, transform=transform),)
    if transform.kind == "rfft":
        weights = transform.weights(0.5, _result_type(cotangent, transform.adjoint())[1])
        return (_primitive.bind(weights * jnp.conj(cotangent), transform=transform.adjoint()),)
    result = _primitive.bind(cotangent, transform=transform.adjoint())
    return (transform.weights(2, cotangent.dtype) * jnp.conj(result),)


def _batched(arguments: Any, axes: Any, *, transform: Transform) -> Any:
    return _primitive.bind(jnp.moveaxis(arguments[0], axes[0], 0), transform=transform), 0


_primitive = Primitive("shardfft")
_primitive.def_impl(_now)
_primitive.def_abstract_eval(lambda x, *, transform: jax.core.ShapedArray(*_result_type(x, transform)))
ad.deflinear2(_primitive, _transposed)
batching.primitive_batchers[_primitive] = _batched
mlir.register_lowering(_primitive, mlir.lower_fun(_in_a_program, multiple_results=False), platform="cpu")


def _numbers(a: Any, real: bool) -> Array:
    """`a` with the type of a transform's input."""
    x = jnp.asarray(a)
    if not jnp.issubdtype(x.dtype, jnp.inexact):
        x = x.astype(float)
    if x.dtype.itemsize < 4:
        raise TypeError(f"numbers have 4 or 8 bytes; got {x.dtype}; convert it to float32")
    if real and jnp.iscomplexobj(x):
        raise TypeError(f"a transform of reals takes no complex numbers; got {x.dtype}; use fft")
    return x if real else x.astype(jnp.result_type(x.dtype, jnp.complex64))


def _fitted(x: Array, transform: Transform) -> Array:
    """`x` cut to the extents of an input, or with zeros behind."""
    behind = [0] * x.ndim
    for axis, extent in zip(transform.axes, transform.input_extents()):
        behind[axis] = extent - x.shape[axis]
    return lax.pad(x, jnp.zeros((), x.dtype), [(0, n, 0) for n in behind]) if any(behind) else x


def _call(kind: str, a: Any, s: Any, axes: Any, norm: str | None) -> Array:
    asked, (kind, norm) = kind, _linear.without_hermitian(kind, norm)
    x = _numbers(jnp.conj(a) if asked == "hfft" else a, kind == "rfft")
    transform = _linear.transform(kind, x.shape, s, axes, norm)
    x = _fitted(x, transform)
    result = _primitive.bind(x, transform=transform) if transform.axes else x
    return jnp.conj(result) if asked == "ihfft" else result


def _one(kind: str, a: Array, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    return _call(kind, a, one_length(n), (axis,), norm)


def _two(kind: str, a: Array, s: Sizes | None = None, axes: Sizes = (-2, -1), norm: str | None = None) -> Array:
    return _call(kind, a, s, axes, norm)


def _all(kind: str, a: Array, s: Sizes | None = None, axes: Sizes | None = None, norm: str | None = None) -> Array:
    return _call(kind, a, s, axes, norm)


_KINDS = {kind: kind for kind in KINDS}
_SEVERAL = {kind: kind for kind in KINDS[:4]}
fft, ifft, rfft, irfft, hfft, ihfft = family("", _one, _KINDS, "jax.numpy.fft")
fft2, ifft2, rfft2, irfft2 = family("2", _two, _SEVERAL, "jax.numpy.fft")
fftn, ifftn, rfftn, irfftn = family("n", _all, _SEVERAL, "jax.numpy.fft")
