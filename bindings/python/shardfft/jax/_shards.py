"""A transform as each device runs it: XLA's all_to_all makes axes whole, shardfft transforms their pencils."""

from __future__ import annotations

import ast
import dataclasses
import functools
import math
from typing import Any, Callable, Mapping, Sequence

import jax
import numpy as np
from jax import lax
from jax import numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import mlir
from jax.sharding import PartitionSpec

from .._functions.arguments import fitted
from .._sharded.exchanges import Cuts, Exchange, Mesh
from .._sharded.maps import Run, steps_of
from .._sharded.pencils import Part, result_type, transformed
from .._threads import threads_of
from . import _custom_call
from ._fitted import Fitted

Array = Any  # of JAX
Body = Callable[[Array], Array]


def cuts_of(spec: Any, ndim: int) -> Cuts:
    """What a PartitionSpec says of each axis."""
    entries = tuple(spec) + (None,) * (ndim - len(spec))
    return tuple(() if e is None else tuple(e) if isinstance(e, (tuple, list)) else (e,) for e in entries)


def spec_of(cuts: Cuts) -> Any:
    return PartitionSpec(*(names[0] if len(names) == 1 else names or None for names in cuts))


def body_of(fit: Fitted, shape: Sequence[int], mesh: Mesh, cuts: Cuts, goal: Cuts | None,
            blocks: int = 1) -> tuple[Body, Cuts]:
    """A function of one device's part of an array of this shape, and how its results are cut. A part has ceil(n / p) of
    n elements along an axis in p parts, with anything behind the last element of the array.

    blocks  devices that share this processor"""
    steps, last = steps_of(fit.of_shape(shape), mesh, cuts, goal)

    def body(x: Array) -> Array:
        now, extents = cuts, list(shape)
        for step in steps:
            if isinstance(step, Exchange):
                x = _exchanged(x, step, mesh.sizes, now, extents)
                now = step.applied(now)
                continue
            extents = list(step.output_shape(extents))
            x = _filled(x, step) if step.part is None else _local.bind(x, run=step, blocks=blocks)
        return x

    return body, last


def _filled(x: Array, run: Run) -> Array:
    for axis, n in zip(run.axes, run.after):
        x = _resized(x, axis, 1, n)
    return x


def _exchanged(x: Array, step: Exchange, sizes: Mapping[Any, int], cuts: Cuts, extents: Sequence[int]) -> Array:
    counts = [sizes[name] for name in step.names]
    n = x.shape[step.target]
    for i, count in enumerate(counts):  # each part of an axis has whole parts, so another exchange can join some
        groups, n = math.prod(counts[:i]), -(-n // count)
        x = _resized(x, step.target, groups, count * n)
    pieces = [lax.slice_in_dim(x, i * n, (i + 1) * n, axis=step.target) for i in range(math.prod(counts))]
    pieces = lax.all_to_all(jnp.stack(pieces), step.names, 0, 0, tiled=True)  # XLA moves leading parts as they are
    x = jnp.concatenate([pieces[i] for i in range(math.prod(counts))], step.source)
    kept = [sizes[name] for name in cuts[step.source][:-len(step.names)]]
    for i in reversed(range(len(counts))):
        x = _resized(x, step.source, math.prod(counts[:i]), -(-extents[step.source] // math.prod(kept + counts[:i])))
    return x


def _resized(x: Array, axis: int, groups: int, n: int) -> Array:
    """`x` whose axis consists of so many runs, with each cut or filled to n elements."""
    front, behind, have = x.shape[:axis], x.shape[axis + 1:], x.shape[axis] // groups
    if have == n:
        return x
    runs = x.reshape(*front, groups, have, *behind)
    config = [(0, n - have if i == axis + 1 else 0, 0) for i in range(runs.ndim)]
    return lax.pad(runs, jnp.zeros((), x.dtype), config).reshape(*front, groups * n, *behind)


def _by_xla(x: Array, *, run: Run, blocks: int) -> Array:
    """Does what _compute() does, on devices that shardfft does not compute on."""
    part, axes = run.part, run.axes
    assert part is not None
    ordered = axes[::-1] if part.forward else axes
    lengths = [part.points[axis] for axis in ordered]
    kind = {"c2c": "fftn" if part.forward else "ifftn", "r2c": "rfftn", "c2r": "irfftn"}[part.kind_along(axes)]
    y = getattr(jnp.fft, kind)(x, lengths, ordered, "backward" if part.forward else "forward")
    if axes[-1] == part.axes[-1]:
        y = y * np.asarray(part.factor, y.real.dtype)
    return _filled(y, run)


def _compute(text: str, x: Any, out: Any) -> None:
    if out.size > 0:
        part, axes, blocks = pencils(text)
        workers = max(1, threads_of(None, max(x.size, out.size)) // blocks)
        if all(part.extents(axis)[1] == out.shape[axis] for axis in axes):
            transformed(x, part, axes, out, workers)
        else:
            out[...] = fitted(transformed(x, part, axes, None, workers), out.shape)


@functools.lru_cache(maxsize=1024)
def pencils(text: str) -> tuple[Part, tuple[int, ...], int]:
    """Part, axes and blocks, as _lowered() writes them."""
    part, axes, blocks = ast.literal_eval(text)
    return Part(*part), axes, blocks


def _lowered(context: Any, x: Any, *, run: Run, blocks: int) -> Any:
    assert run.part is not None
    return _called(context, x, repr((dataclasses.astuple(run.part), run.axes, blocks)))


def _described(x: Any, *, run: Run, blocks: int) -> Any:
    assert run.part is not None
    dtype = result_type(run.part.kind_along(run.axes), x.dtype)
    return x.update(shape=run.output_shape(x.shape), dtype=dtype, weak_type=False)


_local = Primitive("shardfft_pencils")
_local.def_abstract_eval(_described)
mlir.register_lowering(_local, mlir.lower_fun(_by_xla, multiple_results=False))
_called = _custom_call.register("shardfft_pencils", _compute)
mlir.register_lowering(_local, _lowered, platform="cpu")
