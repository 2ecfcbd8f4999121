"""A device's part where shardfft does not compute, on a GPU: XLA exchanges by all_to_all, and transforms pencils."""

from __future__ import annotations

import math
from typing import Any, Mapping, Sequence

from jax import lax
from jax import numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import mlir

from .._sharded.exchanges import Cuts, Exchange
from .._sharded.maps import Run

Array = Any  # of JAX


def run_steps(x: Array, steps: Sequence[Exchange | Run], shape: Sequence[int], sizes: Mapping[Any, int],
              cuts: Cuts) -> Array:
    extents = list(shape)
    for step in steps:
        if isinstance(step, Exchange):
            x, cuts = _exchanged(x, step, sizes, cuts, extents), step.applied(cuts)
        else:
            x, extents = _pencils.bind(x, run=step), list(step.output_shape(extents))
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


def _transformed(x: Array, *, run: Run) -> Array:
    if run.part is not None:
        name, lengths, axes, norm, factor = run.call()
        x = getattr(jnp.fft, name)(x, lengths, axes, norm) * factor
    for axis, n in zip(run.axes, run.after):
        x = _resized(x, axis, 1, n)
    return x


def _described(x: Any, *, run: Run) -> Any:
    return x.update(shape=run.output_shape(x.shape), dtype=run.result_type(x.dtype), weak_type=False)


_pencils = Primitive("shardfft_pencils")  # has constants, which a branch of platform_dependent() may not have
_pencils.def_abstract_eval(_described)
mlir.register_lowering(_pencils, mlir.lower_fun(_transformed, multiple_results=False))
