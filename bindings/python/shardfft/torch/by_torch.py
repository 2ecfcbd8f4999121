"""A process's part where shardfft does not compute, on a GPU: c10d moves parts, and torch.fft transforms pencils."""

from __future__ import annotations

import math
from typing import Any, Sequence

import torch
import torch.distributed as dist

from .._sharded.exchanges import Cuts, Exchange
from .._sharded.maps import Run
from .._sharded.placements import box_of, chunk_sizes
from .tensors import Tensor, real_type


def run_steps(x: Tensor, steps: Sequence[Exchange | Run], shape: Sequence[int], cuts: Cuts, mesh: Any) -> Tensor:
    """Collective in the mesh. What a part of a tensor of this shape becomes."""
    sizes, here, extents = tuple(mesh.shape), mesh.get_coordinate(), tuple(shape)
    for step in steps:
        if isinstance(step, Exchange):
            cuts = step.applied(cuts)
            x = _exchanged(x, step, box_of(extents, cuts, sizes, here)[step.source][1], mesh)
        else:
            x, extents = _transformed(x, step), step.output_shape(extents)
    return x


def _exchanged(x: Tensor, step: Exchange, extent: int, mesh: Any) -> Tensor:
    """Collective in the processes along an axis of the mesh: the source axis gets this extent, the target is cut."""
    (name,) = step.names
    count, source = mesh.size(name), step.source
    pieces = x.split(chunk_sizes(x.shape[step.target], count), step.target)
    mine = pieces[mesh.get_local_rank(name)].shape
    shapes = [[*mine[:source], n, *mine[source + 1:]] for n in chunk_sizes(extent, count)]
    sent = torch.cat([piece.reshape(-1) for piece in pieces])
    sizes = [math.prod(shape) for shape in shapes]
    received = sent.new_empty(sum(sizes))
    dist.all_to_all_single(_as_reals(received), _as_reals(sent), sizes, [piece.numel() for piece in pieces],
                           mesh.get_group(name))
    return torch.cat([part.view(shape) for part, shape in zip(received.split(sizes), shapes)], source)


def _as_reals(x: Tensor) -> Tensor:
    """c10d moves real numbers."""
    return torch.view_as_real(x) if x.is_complex() else x


def _transformed(x: Tensor, run: Run) -> Tensor:
    part = run.part
    if part is not None:
        name, lengths, axes, norm, factor = run.call()
        if run.weight != 1 and part.kind == "c2r":
            x = _weighted(x, run)
        x = getattr(torch.fft, name)(x, lengths, axes, norm) * factor
        if run.weight != 1 and part.kind == "r2c":
            x = _weighted(x, run)
    for axis, n in zip(run.axes, run.after):
        x = x.narrow(axis, 0, min(n, x.shape[axis]))
        missing = list(x.shape)
        missing[axis] = n - x.shape[axis]
        x = torch.cat([x, x.new_zeros(missing)], axis) if missing[axis] > 0 else x
    return x


def _weighted(spectrum: Tensor, run: Run) -> Tensor:
    weights = run.weights(tuple(spectrum.shape), real_type(spectrum.dtype))
    return spectrum * torch.from_dlpack(weights).to(spectrum.device)
