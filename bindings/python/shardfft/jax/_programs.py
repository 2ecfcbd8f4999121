"""Programs of XLA for a transform: of arrays whose sharding is known, and of those whose sharding XLA will choose."""

from __future__ import annotations

import functools
import math
from typing import Any, Callable, Mapping, Sequence

import jax
from jax.experimental.custom_partitioning import custom_partitioning
from jax.sharding import AxisType, NamedSharding, PartitionSpec

from .._sharded.exchanges import Cuts, Mesh
from .._sharded.maps import Map
from ._shards import Array, Body, body_of, cuts_of, spec_of

Wanted = Cuts | str | None  # of the last axes; "input": as the input is cut, which holds for axes in front; None: any


def known(x: Any) -> tuple[Any, Cuts] | None:
    """Mesh and cuts of an array on devices of a mesh, or of a tracer over explicit axes. None: they are not known."""
    is_traced = isinstance(x, jax.core.Tracer)
    sharding = jax.typeof(x).sharding if is_traced else getattr(x, "sharding", None)
    if not isinstance(sharding, NamedSharding) or sharding.mesh.empty:
        return None
    types = set(sharding.mesh.axis_types)
    if len(types) > 1:
        raise NotImplementedError(f"axes of a mesh are all Auto, all Explicit or all Manual; got {sharding.mesh}; use "
                                  "jax.sharding.reshard() or a shard_map() over all axes")
    if is_traced and types != {AxisType.Explicit}:
        return None
    return sharding.mesh, cuts_of(sharding.spec, x.ndim)


def of_known(what: Map, mesh: Any, cuts: Cuts, wanted: Wanted) -> Callable[[Array], Array]:
    """A program for arrays that are cut like this."""
    before, goal, final = _ends(what, mesh, cuts, wanted)
    _check_room(what, before)
    try:
        body, last = body_of(what, _plan_mesh(mesh), before, goal, _blocks(mesh))
    except ValueError:
        raise ValueError(f"the mesh divides an axis that it cuts; got a result of shape {what.result}, "
                         f"which {dict(mesh.shape)} cannot cut; use other lengths or fewer devices") from None
    mapped = jax.shard_map(body, mesh=mesh, in_specs=spec_of(before), out_specs=spec_of(last), check_vma=False)
    move = jax.sharding.reshard if AxisType.Explicit in mesh.axis_types else jax.lax.with_sharding_constraint

    def program(x: Array) -> Array:
        y = mapped(x if before == cuts else move(x, NamedSharding(mesh, spec_of(before))))
        return y if final in (last, None) else move(y, NamedSharding(mesh, spec_of(final)))

    return program


@functools.lru_cache(maxsize=1024)
def compiled(what: Map, mesh: Any, cuts: Cuts, wanted: Wanted) -> Callable[[Array], Array]:
    return jax.jit(of_known(what, mesh, cuts, wanted))  # type: ignore[no-any-return]


def _plan_mesh(mesh: Any) -> Mesh:
    return Mesh({name: size for name, size in mesh.shape.items() if size > 1}, jointly=True, even=True)


def _blocks(mesh: Any) -> int:
    return min(int(mesh.size), int(jax.local_device_count()))


def _ends(what: Map, mesh: Any, cuts: Cuts, wanted: Wanted) -> Any:
    """How parts are cut at first, how they shall be cut at last, and what becomes of that; of the latter None: any."""
    plan_mesh, shape, after = _plan_mesh(mesh), what.shape, what.result
    before = _long(cuts, plan_mesh.sizes)
    if isinstance(wanted, tuple):
        final = cuts[:len(shape) - len(wanted)] + wanted
    elif wanted == "input" and plan_mesh.keeps(before, after):
        final = cuts
    else:
        return before, None, None
    goal = _long(final, plan_mesh.sizes)
    if not plan_mesh.keeps(goal, after):
        raise ValueError(f"the mesh divides an axis that it cuts; got out_sharding={spec_of(final)} for a result of "
                         f"shape {after} and {dict(mesh.shape)}; cut another axis, or use other lengths")
    return *_by_the_same(before, goal, shape, after, plan_mesh), final


def _check_room(what: Map, cuts: Cuts) -> None:
    if len(what.shape) == 1 and cuts[0] and what.transform.axes:
        raise ValueError(f"other axes are cut while one is transformed; got an array of one axis, of shape "
                         f"{what.shape}, cut by {cuts[0]}; use shardfft.Plan, or jax.device_put() to one device")


def _long(cuts: Any, sizes: Mapping[Any, int]) -> Cuts:
    """Without axes of the mesh that have one device."""
    return tuple(tuple(name for name in names if name in sizes) for names in cuts)


def _by_the_same(before: Cuts, goal: Cuts, shape: Sequence[int], after: Sequence[int],
                 mesh: Mesh) -> tuple[Cuts, Cuts]:
    """Both cut by the axes of the mesh that cut one of them, which costs nothing before, and a gather behind."""
    before, goal = _cut_by_all(before, goal, shape, mesh), _cut_by_all(goal, before, after, mesh)
    common = {name: n for name, n in mesh.sizes.items() if any(name in names for names in before)
              and any(name in names for names in goal)}
    return _long(before, common), _long(goal, common)


def _cut_by_all(cuts: Cuts, others: Cuts, shape: Sequence[int], mesh: Mesh) -> Cuts:
    """Cut by those of `others`, too: in the same place, or in the first one where the engine keeps it."""
    result = list(cuts)
    for axis, names in enumerate(others):
        for name in names:
            if not any(name in mine for mine in cuts):
                places = [[*result[:a], (*result[a], name), *result[a + 1:]] for a in (axis, *range(len(shape)))]
                result = next((place for place in places if mesh.keeps(tuple(place), shape)), result)
    return tuple(result)


def final_sharding(sharding: Any, ndim: int, wanted: Wanted) -> Any:
    """Sharding of the result, for an input with this one on one device."""
    if not isinstance(wanted, tuple):
        return sharding
    return NamedSharding(sharding.mesh, spec_of(cuts_of(sharding.spec, ndim)[:ndim - len(wanted)] + wanted))


def of_unknown(what: Map, wanted: Wanted, mesh: Any) -> Callable[[Array], Array]:
    """A program for arrays whose sharding XLA chooses; so it does for the result unless `wanted` says it."""

    def program(x: Array) -> Array:
        y = _partitioned(x, what)
        if not isinstance(wanted, tuple):
            return y
        spec = PartitionSpec(*[PartitionSpec.UNCONSTRAINED] * (x.ndim - len(wanted)), *spec_of(wanted))
        return jax.lax.with_sharding_constraint(y, spec if mesh is None else NamedSharding(mesh, spec))

    return program


@functools.lru_cache(maxsize=1024)
def traced_of_unknown(what: Map, dtype: Any) -> Any:
    """of_unknown() as an expression, for any result."""
    return jax.make_jaxpr(of_unknown(what, "input", None))(jax.ShapeDtypeStruct(what.shape, dtype))


def in_one_place(x: Array, what: Map) -> Array:
    nothing: Cuts = ((),) * x.ndim
    return body_of(what, Mesh({}, jointly=True, even=False), nothing, nothing)[0](x)


def _partition(what: Map, mesh: Any, given: Any, result: Any) -> tuple[Any, Body, Any, Any]:
    """What each device runs, where XLA has chosen how arrays are cut, perhaps unevenly."""
    if mesh.empty and given[0].sharding.is_fully_replicated:  # nothing in the program has a NamedSharding
        return mesh, functools.partial(in_one_place, what=what), given[0].sharding, (given[0].sharding,)
    sizes = _plan_mesh(mesh).sizes
    shapes = given[0].shape, result.shape
    before, goal = (_long(cuts_of(x.sharding.spec, len(x.shape)), sizes) for x in (given[0], result))
    before, goal = _by_the_same(before, goal, *shapes, Mesh(sizes, jointly=True, even=False))
    while lost := {name for cuts, shape in zip((before, goal), shapes) for name in _ragged(cuts, shape, sizes)}:
        before, goal = (_long(cuts, {name: n for name, n in sizes.items() if name not in lost})
                        for cuts in (before, goal))
    _check_room(what, before)
    body, last = body_of(what, _plan_mesh(mesh), before, goal, _blocks(mesh))
    return mesh, body, NamedSharding(mesh, spec_of(last)), (NamedSharding(mesh, spec_of(before)),)


def _ragged(cuts: Cuts, shape: Sequence[int], sizes: Mapping[Any, int]) -> list[Any]:
    """Axes of the mesh that cut parts of others, where XLA does so in other places than body_of()."""
    found = []
    for names, n in zip(cuts, shape):
        counts = [sizes[name] for name in names]
        if counts and -(-n // counts[0]) % math.prod(counts[1:]) != 0:
            found.append(names[-1])
    return found


def _rule(what: Map, mesh: Any, given: Any, results: Any) -> str:
    """How XLA carries shardings from one side to the other."""
    axes = " ".join(f"a{axis}" for axis in range(given[0].rank))
    return f"{axes} -> {axes}"


_partitioned = custom_partitioning(in_one_place, static_argnums=(1,))
_partitioned.def_partition(partition=_partition, sharding_rule=_rule)
