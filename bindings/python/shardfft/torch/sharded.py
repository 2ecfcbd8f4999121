"""DTensors: all_to_all_single of c10d moves parts, pencils are transformed in the process where they are whole, by
shardfft on the CPU, elsewhere by torch.fft."""

from __future__ import annotations

import dataclasses
import math
import zlib
from typing import Any, Callable, NamedTuple, Sequence

import numpy as np
import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor, Shard

from .. import _linear
from .._sharded.exchanges import Cuts, one_by_one
from .._sharded.maps import Map, steps_of
from .._sharded.placements import box_of, cuts_of
from .by_torch import run_steps
from .passes import run_passes
from .tensors import COMPLEX, REAL, Tensor, typed


class _Job(NamedTuple):
    """What a call comes to. It is the same in all processes."""

    map: Map
    source: tuple[Any, ...]  # placements
    target: tuple[Any, ...]


def call(kind: str, x: Any, lengths: Callable[[], Any], dim: Any, norm: str | None, out: Any, placements: Any) -> Any:
    """A transform of a DTensor, with the arguments of shardfft.torch."""
    mesh, job, error = x.device_mesh, None, None
    try:
        if out is not None:
            raise RuntimeError("the result of a DTensor is a new one; got out=; leave it out")
        x = typed(x, not x.dtype.is_complex or kind in ("rfft", "ihfft"))
        job = _job(kind, x, lengths(), dim, norm, placements)
    except Exception as raised:
        error = raised
    _agree(mesh, (job, x.dtype), error)
    assert job is not None
    if not job.map.transform.axes and job.source == job.target:
        return typed(x, False)
    return _Function.apply(x, job)


def _job(asked: str, x: Any, s: Any, dim: Any, norm: str | None, placements: Any) -> _Job:
    kind, norm = _linear.without_hermitian(asked, norm)
    transform, shape, mesh = _linear.transform(kind, x.shape, s, dim, norm), tuple(x.shape), x.device_mesh
    what = Map(transform, shape, transform.output_shape(shape), from_reals=kind != "rfft" and not x.dtype.is_complex,
               conjugate=asked != kind)
    cuts, here = cuts_of(x.placements, x.ndim, mesh.shape), mesh.get_coordinate()
    if x.ndim == 1 and cuts[0] and transform.axes:
        raise ValueError(f"an axis is whole in a process while it is transformed, and others are sharded; got "
                         f"{list(x.placements)} of the only axis; share one long axis by shardfft.Plan")
    if here is not None:
        wanted, found = tuple(n for _, n in box_of(shape, cuts, mesh.shape, here)), tuple(_local(x).shape)
        if found != wanted:
            raise ValueError(f"a local tensor has the shape that its placements say, {wanted}; got {found} at {here} "
                             "of the mesh; make it by distribute_tensor()")
    return _Job(what, tuple(x.placements), _target(what, cuts, x, placements))


def _target(what: Map, cuts: Cuts, x: Any, asked: Any) -> tuple[Any, ...]:
    """Placements of the result."""
    sizes, result = tuple(x.device_mesh.shape), list(x.placements)
    if asked is None:
        for axis, names in enumerate(steps_of(what, one_by_one(sizes), cuts, None)[1]):
            for name in names:
                result[name] = Shard(axis)  # type: ignore[call-overload]
        return tuple(result)
    if isinstance(asked, str):
        if asked != "input":
            raise ValueError(f"out_placements are a list of placements, None or 'input'; got {asked!r}")
        return tuple(result)
    if len(asked) != x.device_mesh.ndim:
        raise ValueError(f"each of {x.device_mesh.ndim} axes of the mesh has one of out_placements; got {asked}")
    goal = cuts_of(asked, x.ndim, sizes)
    if {name for names in goal for name in names} != {name for names in cuts for name in names}:
        raise ValueError(f"out_placements are Shard along the axes of the mesh where the input's are; got {asked} and "
                         f"{result}; call redistribute() on the result")
    if not _reaches(what, sizes, cuts, goal):
        raise ValueError(f"one axis of the mesh at a time leaves an axis of the tensor for another one; got {asked} "
                         f"and {result}, for which there is no third one; call redistribute() on the result")
    return tuple(Shard(p.dim % x.ndim) if isinstance(p, Shard) else p for p in asked)


def _reaches(what: Map, sizes: tuple[int, ...], cuts: Cuts, goal: Cuts) -> bool:
    try:
        return bool(steps_of(what, one_by_one(sizes), cuts, goal))
    except ValueError:
        return False


def _agree(mesh: Any, job: Any, error: Exception | None) -> None:
    """Collective. Raises this process's error; in processes that have none says that others have, or another job."""
    if mesh.get_coordinate() is not None and mesh.size() > 1:
        code = zlib.crc32(repr(job).encode())
        told = torch.tensor([0, code, -code] if error is None else [dist.get_rank() + 1, 0, 0],
                            device=mesh.device_type)
        for name in range(mesh.ndim):
            dist.all_reduce(told, dist.ReduceOp.MAX, mesh.get_group(name))
        failed, most, least = told.tolist()
        if error is None and failed:
            raise RuntimeError(f"every process makes the same call; process {failed - 1} refused its own; see its "
                               "error")
        if error is None and most != -least:
            raise RuntimeError("every process makes the same call; got others in other processes; pass the same "
                               f"arguments and tensors of one shape and placement; here {job}")
    if error is not None:
        raise error


def _local(x: Any) -> Tensor:
    """The local tensor, when it has come."""
    with torch.no_grad():
        local = x.to_local()
    return local.wait() if hasattr(local, "wait") else local


class _Function(torch.autograd.Function):  # type: ignore[misc]
    """A job, whose derivative is the adjoint, and runs the other way."""

    @staticmethod
    def forward(ctx: Any, x: Any, job: _Job) -> Any:
        ctx.job, mesh, shape = job, x.device_mesh, job.map.result
        strides = tuple(math.prod(shape[axis + 1:]) for axis in range(len(shape)))
        return DTensor.from_local(_applied(_local(x), job, mesh), mesh, job.target, run_check=False,
                                  shape=torch.Size(shape), stride=strides)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        job, mesh, ndim = ctx.job, gradient.device_mesh, gradient.ndim
        back = job.map.adjoint()
        # Sums that are not complete, and parts where the result is whole or the other way round, are placed as it is.
        source = tuple(g if type(g) is type(p) else p for g, p in zip(gradient.placements, job.target))
        cuts, goal = (cuts_of(placements, ndim, mesh.shape) for placements in (source, job.source))
        if not _reaches(back, tuple(mesh.shape), cuts, goal):
            source = job.target
        if source != gradient.placements:
            gradient = gradient.redistribute(placements=source)
        return _Function.apply(gradient, _Job(back, source, job.source)), None


def _applied(x: Tensor, job: _Job, mesh: Any) -> Tensor:
    """This process's part of the result."""
    what, sizes, here = job.map, tuple(mesh.shape), mesh.get_coordinate()
    if here is None:  # it has no part
        return x.new_empty(0, dtype=_result_type(what, x.dtype))
    cuts, goal = (cuts_of(placements, len(what.shape), sizes) for placements in (job.source, job.target))

    x = x if what.transform.axes else typed(x, False)
    x = (x.conj() if what.conjugate and what.transform.kind == "irfft" else x).resolve_conj().resolve_neg()
    run = run_passes if computes_on(x) else run_steps
    x = run(x, steps_of(what, one_by_one(sizes), cuts, goal)[0], what.shape, cuts, mesh)
    x = (x.real if what.to_reals else x).contiguous()
    return x.conj_physical_() if what.conjugate and what.transform.kind == "rfft" else x


def computes_on(x: Tensor) -> bool:
    """Whether shardfft does, where the tensor is."""
    return bool(x.device.type == "cpu")


def _result_type(what: Map, dtype: Any) -> Any:
    to_reals = what.to_reals or what.transform.kind == "irfft"
    return (REAL if to_reals else COMPLEX).get(dtype, dtype)
