"""The functions of jax.numpy.fft on the CPU, under jit, vmap, grad and jvp: import shardfft.jax as fft

Arrays may be sharded, also along transformed axes, over devices of one or many processes. Devices exchange pieces and
gather nothing. The bits are those of shardfft's functions on the whole array. Beside the arguments of
jax.numpy.fft there is

    out_sharding  "input" (default): as the input. None: whatever takes the fewest exchanges; as the input within jit
                  over automatic axes, where functions do not know the input's. A PartitionSpec or NamedSharding: this

JAX keeps no array of which the mesh does not divide an axis that it cuts. If an axis gets such a length, as that of a
half spectrum may, "input" means None. Within jit over automatic axes XLA chooses then, and may gather: name an
out_sharding.

A gradient is sharded like the input, but within jit over automatic axes, where XLA chooses. On GPUs XLA's own FFT
transforms the parts.

Errors: TypeError for numbers of 2 bytes, for one array on one device that is no CPU, for arrays on several devices
without a NamedSharding; ValueError for other wrong arguments, for results that the mesh cannot cut, and for an array
with a single axis that is cut; NotImplementedError for a mesh with axes of several types."""

from __future__ import annotations

from typing import Any, Sequence

from .. import _linear
from .._functions.arguments import one_length
from .._functions.forms import KINDS, family
from .._sharded.maps import Map

try:
    import jax
except ImportError as error:
    raise ImportError("shardfft.jax needs JAX: pip install jax") from error
from jax import numpy as jnp
from jax.numpy.fft import fftfreq, fftshift, ifftshift, rfftfreq
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from ._primitive import bind
from ._programs import Wanted, known
from ._shards import Array, cuts_of

__all__ = [
    "fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "rfft", "irfft", "rfft2", "irfft2", "rfftn", "irfftn", "hfft",
    "ihfft", "fftfreq", "rfftfreq", "fftshift", "ifftshift",
]

Sizes = Sequence[int]
Sharding = Any  # "input", None, a PartitionSpec or a NamedSharding


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


def _wanted(x: Array, out: Sharding) -> tuple[Array, Wanted, Any]:
    """`x` on the mesh of the result, how this is cut, and its mesh, unless that is the input's."""
    if out is None or (isinstance(out, str) and out == "input"):
        return x, out, None
    if not isinstance(out, (NamedSharding, PartitionSpec)):
        raise TypeError(f'out_sharding is "input", None, a PartitionSpec or a NamedSharding; got {out!r}')
    mesh, spec = (out.mesh, out.spec) if isinstance(out, NamedSharding) else (None, out)
    if len(spec) > x.ndim or PartitionSpec.UNCONSTRAINED in tuple(spec):
        raise ValueError(f"out_sharding says of each of {x.ndim} axes how it is cut; got {spec}")
    found = known(x)
    if found is not None:
        NamedSharding(found[0], spec)  # refuses what is none
        if mesh is not None and not _same(mesh, found[0]):
            raise ValueError(f"the result is on the mesh of the input; got out_sharding on {mesh} and an input on "
                             f"{found[0]}; use jax.device_put()")
    elif not isinstance(x, jax.core.Tracer):
        if mesh is None:
            raise ValueError(f"a PartitionSpec is of the input's mesh; got {spec} and an array on one device; use a "
                             "NamedSharding")
        x = jax.device_put(x, NamedSharding(mesh, PartitionSpec()))
    return x, cuts_of(spec, x.ndim), mesh


def _same(a: Any, b: Any) -> bool:
    """Whether meshes have the same axes, and devices where these are known."""
    are_known = isinstance(a, Mesh) and isinstance(b, Mesh)
    return dict(a.shape) == dict(b.shape) and (not are_known or bool((a.devices == b.devices).all()))


def _call(kind: str, a: Any, s: Any, axes: Any, norm: str | None, out_sharding: Sharding) -> Array:
    asked, (kind, norm) = kind, _linear.without_hermitian(kind, norm)
    x = _numbers(jnp.conj(a) if asked == "hfft" else a, kind == "rfft")
    transform = _linear.transform(kind, x.shape, s, axes, norm)
    x, wanted, mesh = _wanted(x, out_sharding)
    result = x
    if transform.axes or isinstance(wanted, tuple):
        result = bind(x, Map.of(transform, x.shape), wanted, mesh=mesh)
    return jnp.conj(result) if asked == "ihfft" else result


def _one(kind: str, a: Array, n: int | None = None, axis: int = -1, norm: str | None = None, *,
         out_sharding: Sharding = "input") -> Array:
    return _call(kind, a, one_length(n), (axis,), norm, out_sharding)


def _two(kind: str, a: Array, s: Sizes | None = None, axes: Sizes = (-2, -1), norm: str | None = None, *,
         out_sharding: Sharding = "input") -> Array:
    return _call(kind, a, s, axes, norm, out_sharding)


def _all(kind: str, a: Array, s: Sizes | None = None, axes: Sizes | None = None, norm: str | None = None, *,
         out_sharding: Sharding = "input") -> Array:
    return _call(kind, a, s, axes, norm, out_sharding)


_KINDS = {kind: kind for kind in KINDS}
_SEVERAL = {kind: kind for kind in KINDS[:4]}
fft, ifft, rfft, irfft, hfft, ihfft = family("", _one, _KINDS, "jax.numpy.fft")
fft2, ifft2, rfft2, irfft2 = family("2", _two, _SEVERAL, "jax.numpy.fft")
fftn, ifftn, rfftn, irfftn = family("n", _all, _SEVERAL, "jax.numpy.fft")
