"""What each device runs: exchanges make axes whole, and their pencils are transformed."""

from __future__ import annotations

from typing import Any, Callable

from jax import lax
from jax.sharding import PartitionSpec

from .._sharded.exchanges import Cuts, Mesh
from .._sharded.maps import Map, steps_of
from ._by_xla import run_steps
from ._passes import run_passes

Array = Any  # of JAX
Body = Callable[[Array], Array]


def cuts_of(spec: Any, ndim: int) -> Cuts:
    """What a PartitionSpec says of each axis."""
    entries = tuple(spec) + (None,) * (ndim - len(spec))
    return tuple(() if e is None else tuple(e) if isinstance(e, (tuple, list)) else (e,) for e in entries)


def spec_of(cuts: Cuts) -> Any:
    return PartitionSpec(*(names[0] if len(names) == 1 else names or None for names in cuts))


def body_of(what: Map, mesh: Mesh, cuts: Cuts, goal: Cuts | None, blocks: int = 1) -> tuple[Body, Cuts]:
    """A function of one device's part of what is mapped, and how its results are cut. A part has ceil(n / p) of n
    elements along an axis in p parts, with anything behind the last element of the array.

    blocks  devices that share this processor"""
    steps, last = steps_of(what, mesh, cuts, goal)

    def body(x: Array) -> Array:
        if not steps:
            return x
        return lax.platform_dependent(
            x, cpu=lambda x: run_passes(x, steps, what.shape, mesh.sizes, cuts, blocks),
            default=lambda x: run_steps(x, steps, what.shape, mesh.sizes, cuts))

    return body, last
