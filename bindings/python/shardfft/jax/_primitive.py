"""Transforms as a primitive of JAX: what they are outside of programs and within, their derivatives, many at a time."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp
from jax.extend.core import Primitive, jaxpr_as_fun
from jax.interpreters import ad, batching, mlir
from jax.sharding import AxisType, NamedSharding

from .._functions.arguments import fitted
from .._sharded.maps import Map, with_extents
from . import _programs
from ._programs import Wanted
from ._shards import Array

_ALIGNMENT = 64  # of memory that JAX takes as it is


def bind(x: Array, what: Map, wanted: Wanted, given: Wanted = "input", mesh: Any = None) -> Array:
    """The transform of `x`.

    wanted  how the result is cut
    given   how the cotangent of `x` is cut, unless it is known how `x` is
    mesh    of both"""
    found = _programs.known(x)
    program = None
    if not isinstance(x, jax.core.Tracer):
        pass
    elif found is not None:
        program = jax.make_jaxpr(_programs.of_known(what, found[0], found[1], wanted))(x)
    elif set(jax.typeof(x).sharding.mesh.axis_types) == {AxisType.Manual}:  # a part, within shard_map()
        program = jax.make_jaxpr(functools.partial(_programs.in_one_place, what=what))(x)
    elif isinstance(wanted, tuple):
        program = jax.make_jaxpr(_programs.of_unknown(what, wanted, mesh))(x)
    else:
        program = _programs.traced_of_unknown(what, x.dtype)
    mesh, given = found or (mesh, given)
    return _primitive.bind(x, what=what, wanted=wanted, given=given, mesh=mesh, program=program)


def _now(x: Array, *, what: Map, wanted: Wanted, given: Wanted, mesh: Any, program: Any) -> Array:
    sharding = getattr(x, "sharding", None)
    devices = sharding.device_set if sharding is not None else ()
    if len(devices) > 1:
        if not isinstance(sharding, NamedSharding):
            raise TypeError(f"arrays on several devices have a NamedSharding; got {sharding}; use jax.device_put()")
        found = _programs.known(x)
        assert found is not None
        return _programs.compiled(what, found[0], found[1], wanted)(x)
    for device in devices:
        if device.platform != "cpu":
            raise TypeError(f"arrays are on the CPU; got one on {device}; use jax.device_put() or jax.numpy.fft")
    dtype = what.result_type(x.dtype)
    size = math.prod(what.result) * dtype.itemsize
    memory = np.empty(size + _ALIGNMENT, np.uint8)
    begin = -memory.ctypes.data % _ALIGNMENT
    out = memory[begin:begin + size].view(dtype).reshape(what.result)
    _run(what, np.asarray(x), out)
    if isinstance(sharding, NamedSharding):  # of a mesh of one device
        sharding = _programs.final_sharding(sharding, x.ndim, wanted)
    return jax.device_put(out, sharding if getattr(x, "committed", False) else None)


def _run(what: Map, x: Any, out: Any) -> None:
    """Maps a whole array in memory."""
    transform = what.transform
    x = fitted(x, with_extents(x.shape, transform.axes, transform.input_extents()))
    if transform.output_shape(x.shape) == out.shape:
        transform.run(x, out)
    else:
        out[...] = fitted(transform.run(x), out.shape)


def _jvp(primals: Any, tangents: Any, *, what: Map, wanted: Wanted, given: Wanted, mesh: Any, program: Any) -> Any:
    mesh, given = _programs.known(primals[0]) or (mesh, given)
    return tuple(bind(x, what, wanted, given, mesh) for x in (primals[0], tangents[0]))


def _transposed(cotangent: Array, x: Any, *, what: Map, wanted: Wanted, given: Wanted, mesh: Any,
                program: Any) -> Any:
    """JAX's transpose does not conjugate: that of a transform of complex numbers is itself."""
    kind, adjoint = what.transform.kind, what.adjoint()
    alone = dataclasses.replace(adjoint, weight=1.0)
    if kind in ("fft", "ifft"):
        same = dataclasses.replace(alone, transform=what.transform)
        return (bind(cotangent, same, given, wanted, mesh),)
    if kind == "rfft":
        weights = adjoint.weights(what.result, adjoint.result_type(cotangent.dtype))
        return (bind(weights * jnp.conj(cotangent), alone, given, wanted, mesh),)
    result = bind(cotangent, alone, given, wanted, mesh)
    return (adjoint.weights(what.shape, cotangent.dtype) * jnp.conj(result),)


def _batched(arguments: Any, axes: Any, *, what: Map, wanted: Wanted, given: Wanted, mesh: Any, program: Any) -> Any:
    x = jnp.moveaxis(arguments[0], axes[0], 0)
    return bind(x, what.of_many(x.shape[0]), wanted, given, mesh), 0


_primitive = Primitive("shardfft")
_primitive.def_impl(_now)
_primitive.def_abstract_eval(lambda x, *, program, **_: program.out_avals[0])
ad.deflinear2(_primitive, _transposed)
ad.primitive_jvps[_primitive] = _jvp
batching.primitive_batchers[_primitive] = _batched
mlir.register_lowering(_primitive, lambda context, x, *, program, **_: mlir.lower_fun(
    jaxpr_as_fun(program), multiple_results=True)(context, x))
