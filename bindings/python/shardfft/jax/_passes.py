"""A device's part on the CPU: XLA moves pieces between passes, and cuts and joins nothing."""

from __future__ import annotations

import ast
import dataclasses
import functools
import math
from typing import Any, Mapping, Sequence

import numpy as np
from jax import lax
from jax.extend.core import Primitive
from jax.interpreters import mlir

from .._sharded.exchanges import Cuts, Exchange
from .._sharded.maps import Run
from .._sharded.passes import Pass, Pieces, passes_of, run_pass
from .._sharded.pencils import Part
from .._threads import threads_of
from . import _custom_call

Array = Any  # of JAX


def run_passes(x: Array, steps: Sequence[Exchange | Run], shape: Sequence[int], sizes: Mapping[Any, int], cuts: Cuts,
               blocks: int) -> Array:
    """What a device's part becomes. Pieces are of one size, with anything behind the last element.

    blocks  devices that share this processor"""
    def part(extents: Sequence[int], now: Cuts) -> list[int]:
        return [-(-n // math.prod(sizes[name] for name in names)) for n, names in zip(extents, now)]

    pieces, here = [x], lax.full((), 0, np.int32)
    for one, names in passes_of(steps, shape, sizes, cuts, part):
        before, here = here, lax.axis_index(names) if names else here
        pieces = _pass.bind(*pieces, before, here, one=one, blocks=blocks)
        devices = _devices(names, sizes)
        for k in range(1, len(pieces)):  # the k-th piece is for the k-th device behind this one
            pieces[k] = lax.ppermute(pieces[k], names, list(zip(devices, [*devices[k:], *devices[:k]])))
    return pieces[0]


def _devices(names: Sequence[Any], sizes: Mapping[Any, int]) -> list[int]:
    """The devices of an exchange, by their positions along these axes, as ppermute() numbers them: in the order of
    the mesh."""
    in_order = [name for name in sizes if name in names]
    numbers = np.arange(math.prod(sizes[name] for name in names)).reshape([sizes[name] for name in in_order])
    return [int(i) for i in numbers.transpose([in_order.index(name) for name in names]).flat]


def _compute(text: str, given: Sequence[Any], wanted: Sequence[Any]) -> None:
    one, blocks = written_pass(text)
    *given, before, here = given
    given = [given[(int(before) - i) % len(given)] for i in range(len(given))]
    wanted = [wanted[(i - int(here)) % len(wanted)] for i in range(len(wanted))]
    workers = threads_of(None, max(math.prod(one.shape), math.prod(one.after))) // blocks
    run_pass(one, given, wanted, max(1, workers))


@functools.lru_cache(maxsize=1024)
def written_pass(text: str) -> tuple[Pass, int]:
    """A pass and blocks, as _lowered() writes them."""
    (shape, joined, runs, cut), blocks = ast.literal_eval(text)
    restored = tuple(Run(part and Part(*part), *others) for part, *others in runs)
    return Pass(shape, joined and Pieces(*joined), restored, cut and Pieces(*cut)), blocks


def _lowered(context: Any, *operands: Any, one: Pass, blocks: int) -> Any:
    return _called(context, *operands, text=repr((dataclasses.astuple(one), blocks)))


def _described(x: Any, *_: Any, one: Pass, blocks: int) -> Any:
    shape = list(one.after)
    if one.cut is not None:
        shape[one.cut.axis] = one.cut.longest
    result = x.update(shape=tuple(shape), dtype=one.result_type(x.dtype), weak_type=False)
    return [result] * (1 if one.cut is None else one.cut.count)


_pass = Primitive("shardfft_pass")
_pass.multiple_results = True
_pass.def_abstract_eval(_described)
_called = _custom_call.register("shardfft_pass", _compute)
mlir.register_lowering(_pass, _lowered, platform="cpu")
