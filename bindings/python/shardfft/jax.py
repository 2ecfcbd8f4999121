"""The functions of jax.numpy.fft on the CPU, under jit, vmap, grad and jvp: import shardfft.jax as fft

Outside of jit arrays are not copied on the way in or out. Inside, XLA copies results."""

from __future__ import annotations

import math
from typing import Any, Sequence

import numpy as np

from . import _linear
from ._functions.arguments import one_length, swapped
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
    x = _numbers(a, kind == "rfft")
    transform = _linear.transform(kind, x.shape, s, axes, norm)
    x = _fitted(x, transform)
    return _primitive.bind(x, transform=transform) if transform.axes else x


def fft(a: Array, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """1-D transform with the exponent -1, as jax.numpy.fft.fft."""
    return _call("fft", a, one_length(n), (axis,), norm)


def ifft(a: Array, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """1-D transform with the exponent +1, as jax.numpy.fft.ifft."""
    return _call("ifft", a, one_length(n), (axis,), norm)


def rfft(a: Array, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """Half spectrum of reals, n/2 + 1 elements, as jax.numpy.fft.rfft."""
    return _call("rfft", a, one_length(n), (axis,), norm)


def irfft(a: Array, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """Reals of a half spectrum, as jax.numpy.fft.irfft; n is 2 (elements - 1) where it is not given."""
    return _call("irfft", a, one_length(n), (axis,), norm)


def hfft(a: Array, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """Spectrum, of reals, of a signal with Hermitian symmetry, as jax.numpy.fft.hfft."""
    return _call("irfft", jnp.conj(a), one_length(n), (axis,), swapped(norm))


def ihfft(a: Array, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """Inverse of hfft(), as jax.numpy.fft.ihfft."""
    return jnp.conj(_call("rfft", a, one_length(n), (axis,), swapped(norm)))


def fft2(a: Array, s: Sizes | None = None, axes: Sizes = (-2, -1), norm: str | None = None) -> Array:
    """fftn() of the last two axes, as jax.numpy.fft.fft2."""
    return _call("fft", a, s, axes, norm)


def ifft2(a: Array, s: Sizes | None = None, axes: Sizes = (-2, -1), norm: str | None = None) -> Array:
    """ifftn() of the last two axes, as jax.numpy.fft.ifft2."""
    return _call("ifft", a, s, axes, norm)


def rfft2(a: Array, s: Sizes | None = None, axes: Sizes = (-2, -1), norm: str | None = None) -> Array:
    """rfftn() of the last two axes, as jax.numpy.fft.rfft2."""
    return _call("rfft", a, s, axes, norm)


def irfft2(a: Array, s: Sizes | None = None, axes: Sizes = (-2, -1), norm: str | None = None) -> Array:
    """irfftn() of the last two axes, as jax.numpy.fft.irfft2."""
    return _call("irfft", a, s, axes, norm)


def fftn(a: Array, s: Sizes | None = None, axes: Sizes | None = None, norm: str | None = None) -> Array:
    """N-D transform with the exponent -1, as jax.numpy.fft.fftn."""
    return _call("fft", a, s, axes, norm)


def ifftn(a: Array, s: Sizes | None = None, axes: Sizes | None = None, norm: str | None = None) -> Array:
    """N-D transform with the exponent +1, as jax.numpy.fft.ifftn."""
    return _call("ifft", a, s, axes, norm)


def rfftn(a: Array, s: Sizes | None = None, axes: Sizes | None = None, norm: str | None = None) -> Array:
    """Half spectrum of reals over several axes, as jax.numpy.fft.rfftn."""
    return _call("rfft", a, s, axes, norm)


def irfftn(a: Array, s: Sizes | None = None, axes: Sizes | None = None, norm: str | None = None) -> Array:
    """Reals of a half spectrum over several axes, as jax.numpy.fft.irfftn."""
    return _call("irfft", a, s, axes, norm)
