"""What placements of a DTensor say: which axes of the mesh cut which axis of a tensor, as torch.chunk() cuts. PyTorch
is not imported."""

from __future__ import annotations

from typing import Any, Sequence

from numpy.lib.array_utils import normalize_axis_index

from .exchanges import Cuts


def cuts_of(placements: Sequence[Any], ndim: int, sizes: Sequence[int]) -> Cuts:
    """Axes of the mesh are named by their numbers, and the first that shards an axis cuts it first. `sizes` of the
    mesh: axes of 1 cut nothing."""
    cuts: list[tuple[int, ...]] = [()] * ndim
    for name, placement in enumerate(placements):
        kind = type(placement).__name__  # other kinds of Shard cut differently
        if kind == "Shard":
            axis = normalize_axis_index(placement.dim, ndim)
            cuts[axis] += (name,) if sizes[name] > 1 else ()
        elif kind != "Replicate":
            raise ValueError(f"placements are Shard and Replicate; got {placement} along axis {name} of the mesh; call "
                             "redistribute() first")
    return tuple(cuts)


def chunk_sizes(extent: int, parts: int) -> list[int]:
    """Elements of each part: as many in the first ones, fewer or none in the last ones."""
    size = -(-extent // parts)
    return [max(0, min(size, extent - i * size)) for i in range(parts)]


def part_of(extent: int, names: Sequence[Any], sizes: Sequence[int], coordinate: Sequence[int]) -> tuple[int, int]:
    """Begin and length of the part of an axis, cut by these axes of a mesh, at a coordinate of the mesh."""
    begin = 0
    for name in names:
        chunks, at = chunk_sizes(extent, sizes[name]), coordinate[name]
        begin, extent = begin + sum(chunks[:at]), chunks[at]
    return begin, extent


def box_of(shape: Sequence[int], cuts: Cuts, sizes: Sequence[int],
           coordinate: Sequence[int]) -> list[tuple[int, int]]:
    """part_of() along each axis."""
    return [part_of(n, names, sizes, coordinate) for n, names in zip(shape, cuts)]
