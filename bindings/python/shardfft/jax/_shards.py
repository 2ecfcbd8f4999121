"""A transform as each device runs it: XLA's all_to_all makes axes whole, shardfft transforms their pencils."""

from __future__ import annotations

import itertools
import math
from typing import Any, Callable, Mapping, Sequence

import jax
import numpy as np
from jax import lax
from jax import numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import mlir
from jax.sharding import PartitionSpec

from .._sharded.exchanges import Cuts, Exchange, Mesh, Step, shortest
from .._sharded.pencils import Part
from . import _custom_call
from ._fitted import Fitted, Pencils, pencils

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
    parts, after = fit.parts(shape), fit.output_shape(shape)
    part_along = {axis: part for part in parts for axis in part.axes}
    unmoved = [axis for axis, (m, n) in enumerate(zip(shape, after)) if m != n and axis not in part_along]
    steps, last = shortest(mesh, shape, after, [*unmoved, *part_along], cuts, goal)
    lengths = dict(zip((axis % len(shape) for axis in fit.transform.axes), fit.transform.input_extents()))

    def body(x: Array) -> Array:
        now, extents = cuts, list(shape)
        for part, turns in itertools.groupby(steps, lambda step: _turn(step, part_along)):
            axes = []
            for step in turns:
                if isinstance(step, Exchange):
                    x = _exchanged(x, step, mesh.sizes, now, extents)
                    now = step.applied(now)
                else:
                    axes.append(step.axis)
                    extents[step.axis] = after[step.axis]
            if isinstance(part, Part):
                job = Pencils(part, tuple(axes), tuple(after[axis] for axis in axes), blocks)
                x = _local.bind(x, job=job)
            else:  # one point is its own transform
                for axis in axes:
                    x = _resized(_resized(x, axis, 1, lengths[axis]), axis, 1, after[axis])
        return x

    return body, last


def _turn(step: Step, part_along: Mapping[int, Part]) -> Part | bool:
    """What neighbouring steps that run together have in common."""
    return True if isinstance(step, Exchange) else part_along.get(step.axis, False)


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


def _by_xla(x: Array, *, job: Pencils) -> Array:
    """Does what Pencils.run() does, on devices that shardfft does not compute on."""
    part, axes = job.part, job.axes
    ordered = axes[::-1] if part.forward else axes
    lengths = [part.points[axis] for axis in ordered]
    kind = {"c2c": "fftn" if part.forward else "ifftn", "r2c": "rfftn", "c2r": "irfftn"}[part.kind_along(axes)]
    y = getattr(jnp.fft, kind)(x, lengths, ordered, "backward" if part.forward else "forward")
    if axes[-1] == part.axes[-1]:
        y = y * np.asarray(part.factor, y.real.dtype)
    for axis, n in zip(axes, job.after):
        y = _resized(y, axis, 1, n)
    return y


def _compute(text: str, x: Any, out: Any) -> None:
    if out.size > 0:
        pencils(text).run(x, out)


_local = Primitive("shardfft_pencils")
_local.def_abstract_eval(lambda x, *, job: x.update(shape=job.output_shape(x.shape), dtype=job.output_type(x.dtype),
                                                    weak_type=False))
mlir.register_lowering(_local, mlir.lower_fun(_by_xla, multiple_results=False))
_called = _custom_call.register("shardfft_pencils", _compute)
mlir.register_lowering(_local, lambda context, x, *, job: _called(context, x, job.text()), platform="cpu")
