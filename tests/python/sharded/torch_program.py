"""Run by every process of a group: DTensors through shardfft.torch. torch_program.py RANK COUNT STORE

Prints a line for each check, "passed NAME" or "failed NAME", and stops at the first that fails: after it processes may
wait for each other."""

import datetime
import os
import sys
import traceback
import unittest.mock

import numpy as np
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from torch.utils._python_dispatch import TorchDispatchMode

import shardfft as sf
import shardfft.torch as fft
from shardfft.torch import passes, sharded

PROBLEMS = int(os.environ.get("SHARDFFT_TEST_PROBLEMS", "24"))
NAMES = [name + many for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft") for many in ("", "2", "n")]
MESHES = {1: [(1,), (1, 1)], 2: [(2,), (1, 2)], 3: [(3,)], 4: [(4,), (2, 2)]}


def meshes():
    for shape in MESHES[dist.get_world_size()]:
        yield DeviceMesh("cpu", torch.arange(dist.get_world_size()).reshape(shape))


def numbers(shape, dtype, seed):
    """The same in all processes."""
    return torch.randn(shape, dtype=dtype, generator=torch.Generator().manual_seed(seed))


def close(ours, theirs, unit=1e-12):
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    assert torch.linalg.vector_norm(ours - theirs) <= unit * torch.linalg.vector_norm(theirs), (ours, theirs)


def some_placements(rng, mesh, ndim):
    return [Replicate() if rng.random() < 0.15 else Shard(int(rng.integers(ndim))) for _ in range(mesh.ndim)]


def some_problem(rng, mesh, seed):
    """A function, its input and keywords."""
    name = str(rng.choice(NAMES))
    ndim = int(rng.integers(2, 5))
    shape = [int(n) for n in rng.choice([1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16], ndim)]
    if name.startswith(("irfft", "hfft")):
        shape = [max(n, 2) for n in shape]
    takes_reals = name.startswith(("rfft", "ihfft"))
    types = [torch.float32, torch.float64] + ([] if takes_reals else 2 * [torch.complex64, torch.complex128])
    x = numbers(shape, types[rng.integers(len(types))], seed)
    keywords = {"norm": rng.choice([None, "backward", "ortho", "forward"])}
    lengths = [int(max(1, n + rng.integers(-3, 4))) for n in shape]
    if not name.endswith(("2", "n")):
        keywords["dim"] = int(rng.integers(-ndim, ndim))
        if rng.random() < 0.5:
            keywords["n"] = lengths[keywords["dim"]]
    else:
        count = 2 if name.endswith("2") else rng.integers(1, ndim + 1)
        keywords["dim"] = tuple(int(axis) for axis in rng.permutation(ndim)[:count])
        if rng.random() < 0.5:
            keywords["s"] = tuple(lengths[axis] for axis in keywords["dim"])
    return name, x, some_placements(rng, mesh, ndim), keywords


def some_goal(rng, placements, ndim):
    """out_placements that shard along the same axes of the mesh. Of two axes that are both cut, none is left over."""
    kind = rng.integers(2 if ndim == 2 and len(placements) == 2 else 3)
    return "input" if kind == 0 else None if kind == 1 else [
        Shard(int(rng.integers(-ndim, ndim))) if isinstance(p, Shard) else p for p in placements]


def results_have_the_bits_of_the_whole_array():
    for mesh in meshes():
        for seed in range(PROBLEMS):
            rng = np.random.default_rng(seed)
            name, x, placements, keywords = some_problem(rng, mesh, seed)
            goal = some_goal(rng, placements, x.ndim)
            print(f"seed {seed}: {name} of {tuple(x.shape)} {x.dtype}, {placements} on {tuple(mesh.shape)} to {goal}, "
                  f"{keywords}", file=sys.stderr)
            whole = getattr(fft, name)(x, **keywords)
            ours = getattr(fft, name)(distribute_tensor(x, mesh, placements), **keywords, out_placements=goal)
            wanted = placements if goal == "input" else goal or ours.placements
            expected = distribute_tensor(whole, mesh, [Shard(p.dim % x.ndim) if isinstance(p, Shard) else p
                                                       for p in wanted])
            assert ours.placements == expected.placements and ours.shape == whole.shape and ours.dtype == whole.dtype
            assert ours.to_local().is_contiguous() and torch.equal(ours.to_local(), expected.to_local())
            close(whole, getattr(torch.fft, name)(x, **keywords), 2e-5 if whole.real.dtype == torch.float32 else 1e-12)


def torch_transforms_parts_where_shardfft_does_not_compute():
    with unittest.mock.patch.object(sharded, "computes_on", lambda x: False):
        for mesh in meshes():
            for seed in range(PROBLEMS // 2):
                rng = np.random.default_rng(2000 + seed)
                name, x, placements, keywords = some_problem(rng, mesh, seed)
                goal = some_goal(rng, placements, x.ndim)
                print(f"seed {seed}: {name} of {tuple(x.shape)} {x.dtype}, {placements} on {tuple(mesh.shape)} to "
                      f"{goal}, {keywords}", file=sys.stderr)
                whole = x.clone().requires_grad_()
                part = distribute_tensor(x, mesh, placements).requires_grad_()
                theirs = getattr(torch.fft, name)(whole, **keywords)
                ours = getattr(fft, name)(part, **keywords, out_placements=goal)
                unit = 1e-4 if theirs.real.dtype == torch.float32 else 1e-11
                close(ours.full_tensor(), theirs, unit)
                for result in (theirs, ours):
                    (result * result.conj()).real.sum().backward()
                close(part.grad.full_tensor(), whole.grad, unit)


class Collectives(TorchDispatchMode):
    """The collective calls that are made, and the most elements in one of each kind."""

    def __init__(self):
        super().__init__()
        self.names, self.elements = [], 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if "c10d" in func.namespace:
            name = func._schema.name.partition("::")[2]
            self.names.append(name)
            if name == "allreduce_":
                self.elements = max(self.elements, sum(t.numel() for t in args[0]))
        return func(*args, **(kwargs or {}))


def only_all_to_all_moves_elements():
    count = dist.get_world_size()
    if count == 1:
        return
    mesh = DeviceMesh("cpu", list(range(count)))
    for name, dtype in (("fftn", torch.complex128), ("rfftn", torch.float64)):
        x = distribute_tensor(numbers((13, 12, 7), dtype, 1), mesh, [Shard(0)]).requires_grad_()
        for goal, exchanges in (("input", 2), (None, 1), ([Shard(1)], 1)):
            with Collectives() as seen:
                y = getattr(fft, name)(x, out_placements=goal)
                y.backward(torch.ones_like(y))
            assert sorted(seen.names) == ["allreduce_"] + 2 * exchanges * ["alltoall_base_"], seen.names
            assert seen.elements <= 3  # all processes agree on the call
    pair = distribute_tensor(numbers((5, 6, 7), torch.complex128, 1), mesh, [Shard(0)])
    with Collectives() as seen:
        fft.fft2(pair)  # along whole axes
    assert "alltoall_base_" not in seen.names


def derivatives_are_adjoints_to_the_second_order():
    for mesh in meshes():
        for seed in range(PROBLEMS // 2):
            rng = np.random.default_rng(1000 + seed)
            name, x, placements, keywords = some_problem(rng, mesh, seed)
            x = x.to(torch.complex128 if x.dtype.is_complex else torch.float64)
            goal = some_goal(rng, placements, x.ndim)
            print(f"seed {seed}: {name} of {tuple(x.shape)} {x.dtype}, {placements} on {tuple(mesh.shape)} to {goal}, "
                  f"{keywords}", file=sys.stderr)

            def derivatives(x, place):
                x = place(x).requires_grad_()
                y = getattr(fft, name)(x, **keywords, **({"out_placements": goal} if isinstance(x, DTensor) else {}))
                w = place(numbers(y.shape, y.dtype, 2)).requires_grad_()
                v = place(numbers(x.shape, x.dtype, 3))
                (first,) = torch.autograd.grad(y, x, w, create_graph=True)
                (second,) = torch.autograd.grad(first, w, v)
                return y.detach(), first.detach(), second.detach(), w.detach(), v

            ours = derivatives(x, lambda t: distribute_tensor(t, mesh, placements))
            theirs = derivatives(x, lambda t: t.clone())
            assert ours[1].placements == ours[4].placements
            y, first, second, w, v = (t.full_tensor() for t in ours)
            for a, b in zip((y, first, second), theirs):
                close(a, b)
            product = lambda a, b: (a.conj() * b).sum().real
            scale = torch.linalg.vector_norm(y) * torch.linalg.vector_norm(w)
            assert abs(product(y, w) - product(x, first)) <= 1e-12 * scale


def a_loss_has_the_gradient_of_the_whole_array():
    def loss(x, w, n):
        y = fft.irfftn(fft.rfftn(x) * w, s=n)
        return (y * y * y).sum() + fft.fftn(x).abs().square().sum()

    for mesh in meshes():
        x, w = numbers((7, 6, 5), torch.float64, 1), numbers((7, 6, 3), torch.float64, 2)
        wanted = torch.autograd.grad(loss(x.requires_grad_(), w, (7, 6, 5)), x)[0]
        shards = [Shard(axis) for axis in range(mesh.ndim)]
        ours = distribute_tensor(x.detach(), mesh, shards).requires_grad_()
        loss(ours, distribute_tensor(w, mesh, shards), (7, 6, 5)).backward()
        close(ours.grad.full_tensor(), wanted)


def gradients_may_be_whole_or_sums():
    mesh = next(meshes())
    x = distribute_tensor(numbers((5, 6), torch.complex128, 1), mesh, [Shard(0)]).requires_grad_()
    w = numbers((5, 6), torch.complex128, 2)
    wanted = fft.ifftn(w, norm="forward")
    summed = DTensor.from_local(w / dist.get_world_size(), mesh, [Partial()])
    for gradient in (distribute_tensor(w, mesh, [Replicate()]), distribute_tensor(w, mesh, [Shard(1)]), summed):
        close(torch.autograd.grad(fft.fftn(x), x, gradient)[0].full_tensor(), wanted)


def a_tensor_that_is_still_coming_is_waited_for():
    mesh = next(meshes())
    x = numbers((6, 8), torch.complex128, 1)
    coming = distribute_tensor(x, mesh, [Replicate()]).redistribute(placements=[Shard(1)])
    coming = coming.redistribute(placements=[Shard(0)], async_op=True)
    assert torch.equal(fft.fftn(coming.conj()).full_tensor(), fft.fftn(x.conj()))
    odd = DTensor.from_local(numbers((3, 2), torch.float64, 5).T, mesh, [Shard(0)])  # not contiguous
    assert torch.equal(fft.rfftn(odd).full_tensor(), fft.rfftn(odd.full_tensor()))


def integers_and_no_axes_are_as_torchs():
    mesh = next(meshes())
    x = distribute_tensor(torch.arange(12).reshape(4, 3), mesh, [Shard(0)])
    close(fft.fft(x).full_tensor(), torch.fft.fft(torch.arange(12).reshape(4, 3)), 1e-6)
    y = fft.fftn(x.double(), dim=(), out_placements=[Shard(1)])
    assert y.placements == (Shard(1),) and torch.equal(y.full_tensor(), x.full_tensor().to(torch.complex128))


def exchanges_that_need_a_third_axis_are_refused_or_left_to_pytorch():
    if dist.get_world_size() < 4:
        return
    mesh = DeviceMesh("cpu", torch.arange(4).reshape(2, 2))
    x = distribute_tensor(numbers((5, 6), torch.complex128, 1), mesh, [Shard(0), Shard(1)]).requires_grad_()
    raises(ValueError, "there is no third one", lambda: fft.fftn(x, out_placements=[Shard(1), Shard(1)]))
    w = numbers((5, 6), torch.complex128, 2)
    gradient = distribute_tensor(w, mesh, [Shard(1), Shard(1)])
    close(torch.autograd.grad(fft.fftn(x), x, gradient)[0].full_tensor(), fft.ifftn(w, norm="forward"))


def memory_that_is_used_again_is_nobodys():
    mesh, whole = next(meshes()), numbers((12, 10, 9), torch.complex128, 1)
    x = distribute_tensor(whole.clone(), mesh, [Shard(0)])
    results = [fft.fftn(x, out_placements=goal) for goal in ("input", None, [Shard(2)], "input", [Shard(1)])]
    kept = sf._cache.call(passes._KEPT)
    assert kept is None if dist.get_world_size() == 1 else kept.size >= x.to_local().numel()
    assert torch.equal(x.to_local(), distribute_tensor(whole, mesh, [Shard(0)]).to_local())
    wanted = fft.fftn(whole)
    for y in results:
        assert torch.equal(y.to_local(), distribute_tensor(wanted, mesh, y.placements).to_local())
    sf.forget_plans()
    assert sf._cache.call(passes._KEPT) is None


def a_mesh_of_some_processes():
    count = dist.get_world_size()
    if count < 3:
        return
    mesh = DeviceMesh("cpu", list(range(count - 1)))
    x = numbers((6, 5), torch.float64, 1)
    y = fft.rfftn(distribute_tensor(x, mesh, [Shard(0)]))
    assert y.shape == (6, 3) and y.dtype == torch.complex128
    if dist.get_rank() < count - 1:
        assert torch.equal(y.full_tensor(), fft.rfftn(x))
    else:
        assert y.to_local().numel() == 0


def raises(error, said, call):
    try:
        call()
    except error as raised:
        assert type(raised) is error or error is IndexError, raised
        assert said in str(raised), raised
    else:
        raise AssertionError(f"{error.__name__} was not raised")


def what_is_wrong_is_said():
    mesh = next(meshes())
    x = distribute_tensor(numbers((4, 6), torch.float64, 1), mesh, [Shard(0)])
    partial = DTensor.from_local(torch.ones(4, 6), mesh, [Partial()])
    raises(ValueError, "Shard and Replicate; got", lambda: fft.fft(partial))
    raises(ValueError, "each of 1 axes of the mesh", lambda: fft.fft(x, out_placements=[Shard(0), Shard(1)]))
    raises(ValueError, "None or 'input'; got 'any'", lambda: fft.fft(x, out_placements="any"))
    raises(IndexError, "axis 2 is out of bounds", lambda: fft.fft(x, out_placements=[Shard(2)]))
    raises(IndexError, "axis 2 is out of bounds", lambda: fft.fft(x, dim=2))
    raises(ValueError, "data points (-1)", lambda: fft.fft(x, -1))
    raises(ValueError, "norm is None", lambda: fft.hfft(x, norm="full"))
    raises(RuntimeError, "got out=; leave it out", lambda: fft.fft(x, out=x))
    raises(TypeError, "use fft", lambda: fft.rfft(x + 0j))
    raises(TypeError, "4 or 8 bytes", lambda: fft.fft(x.half()))
    raises(TypeError, "out_placements belong to a DTensor", lambda: fft.fft(torch.ones(6), out_placements=None))
    line = distribute_tensor(torch.ones(6), mesh, [Shard(0)])
    if dist.get_world_size() == 1:
        close(fft.fft(line).full_tensor(), torch.fft.fft(torch.ones(6)), 1e-6)
    else:
        raises(ValueError, "shardfft.Plan", lambda: fft.fft(line))
        raises(ValueError, "call redistribute() on the result", lambda: fft.fft(x, out_placements=[Replicate()]))


def a_mistake_of_one_process_is_an_error_of_all():
    count, me = dist.get_world_size(), dist.get_rank()
    if count == 1:
        return
    for mesh in meshes():
        shards = [Shard(axis) for axis in range(mesh.ndim)]
        x = distribute_tensor(numbers((4 * count, 3 * count), torch.float64, 1), mesh, shards)
        wrong = DTensor.from_local(torch.ones(2, 2, dtype=torch.float64), mesh, shards, run_check=False, shape=x.shape,
                                   stride=x.stride())
        for culprit in range(count):
            mine = me == culprit
            raises(ValueError if mine else RuntimeError, "shape that its placements say" if mine else
                   f"process {culprit} refused its own", lambda: fft.fftn(wrong if mine else x))
            raises(ValueError if mine else RuntimeError, "norm is None" if mine else f"process {culprit} refused",
                   lambda: fft.fft(x, norm="full" if mine else None))
            raises(RuntimeError, "got others in other processes", lambda: fft.fft(x, dim=0 if mine else 1))
        assert torch.equal(fft.fftn(x).full_tensor(), fft.fftn(x.full_tensor()))  # nothing is left over


def a_layout_says_what_each_process_has():
    count, me = dist.get_world_size(), dist.get_rank()
    for mesh in meshes():
        for shape, placements in (((7, 5, 6), [Shard(0), Shard(1)]), ((7, 5, 6), [Shard(2), Shard(2)]),
                                  ((3, 2, 6), [Shard(1), Shard(0)])):
            indices = torch.arange(int(np.prod(shape))).reshape(shape)
            x = distribute_tensor(indices, mesh, placements[:mesh.ndim])
            layout = sf.layout_of(x)
            assert layout.ranks == count and layout.shape == shape
            boxes = layout.boxes(me)
            assert len(boxes) == (x.to_local().numel() > 0)
            for lo, hi in boxes:
                assert torch.equal(indices[tuple(map(slice, lo, hi))], x.to_local())
            plan = sf.Plan(shape, comm=sf.dry_run(count, me), input=x, output=layout)
            assert plan.input.boxes(me) == plan.output.boxes(me) == boxes
    if count > 1:
        raises(sf.InvalidLayout, "got an array that several hold",
               lambda: sf.layout_of(distribute_tensor(torch.ones(4, 4), mesh, [Replicate()] * mesh.ndim)))


CHECKS = [
    results_have_the_bits_of_the_whole_array, torch_transforms_parts_where_shardfft_does_not_compute,
    only_all_to_all_moves_elements,
    derivatives_are_adjoints_to_the_second_order, a_loss_has_the_gradient_of_the_whole_array,
    gradients_may_be_whole_or_sums, a_tensor_that_is_still_coming_is_waited_for, integers_and_no_axes_are_as_torchs,
    exchanges_that_need_a_third_axis_are_refused_or_left_to_pytorch, memory_that_is_used_again_is_nobodys,
    a_mesh_of_some_processes, what_is_wrong_is_said, a_mistake_of_one_process_is_an_error_of_all,
    a_layout_says_what_each_process_has,
]


def main(rank, count, store):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=count, store=dist.FileStore(store, count),
                            timeout=datetime.timedelta(seconds=60))
    for check in CHECKS:
        try:
            check()
        except BaseException:
            traceback.print_exc()
            print("failed", check.__name__, flush=True)
            os._exit(1)
        print("passed", check.__name__, flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
