"""Arrays that other libraries distribute, as layouts and as memory of this process. They are known by the modules of
their types; no library is imported."""

from __future__ import annotations

import itertools
import sys
from typing import Any, Callable, Iterable, Sequence

import numpy as np

from .. import _core
from .._core import Layout
from .._errors import InvalidArgument, InvalidLayout
from .placements import box_of, cuts_of

Box = tuple[tuple[int, ...], tuple[int, ...]]  # lo, hi
Part = tuple[Box, Any]  # where it lies, and memory

_KNOWN = "a DistArray, or one of PyTorch (DTensor), JAX, Heat or dask"


def layout_of(x: Any, ranks: int | None = None) -> Layout:
    """The layout of an array that several processes hold, for Plan(..., input=) and output=.

    x      a DTensor: ranks are those of torch.distributed; an array of JAX, or jax.ShapeDtypeStruct with a sharding:
           ranks are processes of JAX; an array of Heat: ranks are those of its communicator (collective if Heat does
           not know where all parts begin); an array of dask; a DistArray
    ranks  of an array of dask only, whose blocks belong to no process: they are dealt out in order, as many to each

    Errors: InvalidLayout where several ranks hold the same elements; InvalidArgument for other arrays."""
    if isinstance(getattr(x, "layout", None), Layout):
        return x.layout  # type: ignore[no-any-return]
    library = _library(x)
    if library is None:
        raise InvalidArgument(f"a layout is that of {_KNOWN}; got {type(x).__name__}; see shardfft.custom")
    if (ranks is not None) != (library == "dask"):
        raise InvalidArgument(f"`ranks` are given for an array of dask, and for no other; got ranks={ranks} for one of "
                              f"{library}; call layout_of(x{', ranks=4' if ranks is None else ''})")
    per_rank = _BOXES[library](x, ranks)
    owners = [box for boxes in per_rank for box in boxes]
    if len(set(owners)) < len(owners):
        raise InvalidLayout("each element belongs to one rank; got an array that several hold; shard it along all axes "
                            "of the mesh")
    shape = tuple(map(int, x.shape))
    return Layout(_core.custom(per_rank), shape, len(per_rank))


def parts_of(x: Any) -> list[Part] | None:
    """What this process holds of an array that another library distributes; None: it is an ordinary one."""
    library = _library(x)
    return _PARTS[library](x) if library in _PARTS else None


def is_distributed(x: Any) -> bool:
    """Whether layout_of() knows the library that distributes it."""
    return _library(x) is not None


def _library(x: Any) -> str | None:
    name = type(x).__module__.partition(".")[0].replace("jaxlib", "jax")
    attribute = {"torch": "placements", "jax": "sharding", "heat": "split", "dask": "chunks"}.get(name)
    return name if attribute is not None and getattr(x, attribute, None) is not None else None


def _filled(boxes: Iterable[Box]) -> list[Box]:
    """Those with elements, each once."""
    return [box for box in dict.fromkeys(boxes) if all(lo < hi for lo, hi in zip(*box))]


def _box(ranges: Sequence[tuple[int, int]]) -> Box:
    """A box from (begin, length) along each axis."""
    return tuple(begin for begin, _ in ranges), tuple(begin + n for begin, n in ranges)


def _boxes_of_torch(x: Any, _: Any) -> list[list[Box]]:
    mesh = x.device_mesh
    cuts = cuts_of(x.placements, x.ndim, mesh.shape)
    per_rank: list[list[Box]] = [[] for _ in range(sys.modules["torch"].distributed.get_world_size())]
    for at in itertools.product(*map(range, mesh.shape)):
        per_rank[int(mesh.mesh[at])] = _filled([_box(box_of(x.shape, cuts, mesh.shape, at))])
    return per_rank


def _parts_of_torch(x: Any) -> list[Part]:
    sizes, here = x.device_mesh.shape, x.device_mesh.get_coordinate()
    if here is None:
        return []
    return [(_box(box_of(x.shape, cuts_of(x.placements, x.ndim, sizes), sizes, here)), x.detach().to_local())]


def _box_of_slices(index: Sequence[slice], shape: Sequence[int]) -> Box:
    bounds = [s.indices(n) for s, n in zip(index, shape)]
    return tuple(lo for lo, _, _ in bounds), tuple(hi for _, hi, _ in bounds)


def _boxes_of_jax(x: Any, _: Any) -> list[list[Box]]:
    per_rank: list[list[Box]] = [[] for _ in range(sys.modules["jax"].process_count())]
    for device, index in x.sharding.devices_indices_map(tuple(x.shape)).items():
        per_rank[device.process_index].append(_box_of_slices(index, x.shape))
    return [_filled(boxes) for boxes in per_rank]


def _parts_of_jax(x: Any) -> list[Part] | None:
    if len(x.sharding.device_set) == 1:
        return None
    return list({_box_of_slices(shard.index, x.shape): shard.data for shard in x.addressable_shards}.items())


def _ranges_of_heat(x: Any) -> list[Box]:
    result = []
    for count, begin in zip(*x.counts_displs()):
        ranges = [(0, n) for n in x.shape]
        ranges[x.split] = int(begin), int(count)
        result.append(_box(ranges))
    return result


def _boxes_of_heat(x: Any, _: Any) -> list[list[Box]]:
    return [_filled([box]) for box in _ranges_of_heat(x)]


def _parts_of_heat(x: Any) -> list[Part]:
    return [(_ranges_of_heat(x)[x.comm.rank], x.larray.detach())]


def _boxes_of_dask(x: Any, ranks: Any) -> list[list[Box]]:
    ends = [list(itertools.accumulate(map(int, chunks), initial=0)) for chunks in x.chunks]
    blocks = [tuple(zip(*corners)) for corners in itertools.product(*(itertools.pairwise(e) for e in ends))]
    per_rank: list[list[Box]] = [[] for _ in range(ranks)]
    filled = _filled(blocks)  # type: ignore[arg-type]
    for i, block in enumerate(filled):
        per_rank[i * ranks // len(filled)].append(block)
    return per_rank


_BOXES: dict[str, Callable[[Any, Any], list[list[Box]]]] = {
    "torch": _boxes_of_torch, "jax": _boxes_of_jax, "heat": _boxes_of_heat, "dask": _boxes_of_dask}
_PARTS: dict[str, Callable[[Any], list[Part] | None]] = {
    "torch": _parts_of_torch, "jax": _parts_of_jax, "heat": _parts_of_heat}


def joined(parts: Sequence[Part], layout: Layout, rank: int) -> Any:
    """The memory of these parts, as a rank of a layout has it: as it is if there is one, else a copy of all, one after
    the other."""
    wanted, found = layout.boxes(rank), {box: memory for box, memory in parts if 0 not in memory.shape}
    shapes = [tuple(hi - lo for lo, hi in zip(*box)) for box in found]
    if (set(wanted) != set(found) or tuple(layout.order) != tuple(range(len(layout.shape))) or
            shapes != [tuple(memory.shape) for memory in found.values()]):
        raise InvalidArgument(f"this rank's part is where the plan has it, {wanted} in memory order "
                              f"{list(layout.order)}; got {list(found)}; make the plan with layout_of(array)")
    if len(wanted) == 1:
        return found[wanted[0]]
    dtype = np.from_dlpack(parts[0][1]).dtype if parts else np.dtype("f8")
    return np.concatenate([np.empty(0, dtype), *(np.from_dlpack(found[box]).reshape(-1) for box in wanted)])
