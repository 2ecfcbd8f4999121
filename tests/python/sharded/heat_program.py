"""Run by every rank under mpirun: arrays of Heat through shardfft.heat, and those of Heat and PyTorch through plans."""

import datetime
import os
import sys
import tempfile

import numpy as np
from mpi4py import MPI

try:
    import heat as ht
    import torch
except ImportError:
    print("SKIPPED [1] heat_program.py: Heat is not installed; pip install heat")
    sys.exit(0)

import shardfft as sf
import shardfft.heat as fft
import shardfft.torch as whole_fft

PROBLEMS = int(os.environ.get("SHARDFFT_TEST_PROBLEMS", "30"))
NAMES = [name + many for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft") for many in ("", "2", "n")]
world = MPI.COMM_WORLD


def numbers(shape, dtype, seed):
    return torch.randn(shape, dtype=dtype, generator=torch.Generator().manual_seed(seed))


def check_parts(ours, whole, split):
    """Each rank has the bits of its part, as Heat deals parts out."""
    assert ours.split == split and tuple(ours.shape) == tuple(whole.shape) and ours.larray.dtype == whole.dtype
    _, _, here = ours.comm.chunk(whole.shape, split)
    assert torch.equal(ours.larray, whole[here])


def random_calls_have_the_bits_of_the_whole_array():
    for seed in range(PROBLEMS):
        rng = np.random.default_rng(seed)
        name = str(rng.choice(NAMES))
        ndim = int(rng.integers(2 if name.endswith("2") else 1, 5))
        shape = [int(n) for n in rng.choice([1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16], ndim)]
        if name.startswith(("irfft", "hfft")):
            shape = [max(n, 2) for n in shape]
        types = [torch.float32, torch.float64]
        types += [] if name.startswith(("rfft", "ihfft")) else 2 * [torch.complex64, torch.complex128]
        keywords = {"norm": rng.choice([None, "backward", "ortho", "forward"])}
        lengths = [int(max(1, n + rng.integers(-3, 4))) for n in shape]
        if not name.endswith(("2", "n")):
            axis = int(rng.integers(-ndim, ndim))
            arguments = (lengths[axis] if rng.random() < 0.5 else None, axis)
        else:
            axes = tuple(int(a) for a in rng.permutation(ndim)[:2 if name.endswith("2") else rng.integers(1, ndim + 1)])
            arguments = (tuple(lengths[a] for a in axes) if rng.random() < 0.5 else None, axes)
        x = numbers(shape, types[rng.integers(len(types))], seed)
        split = None if rng.random() < 0.1 else int(rng.integers(ndim))
        to = "input" if split is None else ("input", "any", int(rng.integers(ndim)))[rng.integers(3)]
        print(f"seed {seed}: {name} of {shape} {x.dtype}, {arguments} {keywords}, split {split} to {to}",
              file=sys.stderr)
        array = ht.array(x, split=split)
        if split is not None and rng.random() < 0.3:
            array = lopsided(x, split)
        whole = getattr(whole_fft, name)(x, *arguments, **keywords)
        unit = 2e-5 if whole.real.dtype == torch.float32 else 1e-12
        assert torch.linalg.vector_norm(whole - getattr(torch.fft, name)(x, *arguments, **keywords)) <= \
            unit * torch.linalg.vector_norm(whole)
        ours = getattr(fft, name)(array, *arguments, **keywords, out_split=to)
        check_parts(ours, whole, split if to == "input" else ours.split if to == "any" else to)


def lopsided(x, split):
    """An array that Heat has not balanced: the first rank has most of it."""
    n = x.shape[split]
    ends = [0, *sorted(n - n // 2 ** (rank + 1) for rank in range(world.size - 1)), n]
    part = x.narrow(split, ends[world.rank], ends[world.rank + 1] - ends[world.rank]).contiguous()
    return ht.DNDarray(part, tuple(x.shape), ht.types.canonical_heat_type(x.dtype), split, ht.cpu,
                       ht.communication.MPI_WORLD, None)


def memory_is_heats_own():
    x = ht.array(numbers((8, 6), torch.complex128, 1), split=0)
    seen, forward = [], sf.Plan.forward

    def spy(plan, source, target, factor):
        seen.append((source.ctypes.data, target.ctypes.data))
        return forward(plan, source, target, factor)

    sf.Plan.forward = spy
    try:
        y = fft.fftn(x)
    finally:
        sf.Plan.forward = forward
    assert seen == ([(x.larray.data_ptr(), y.larray.data_ptr())] if world.size > 1 else [])


def raises(error, said, call):
    try:
        call()
    except error as raised:
        assert said in str(raised), raised
    else:
        raise AssertionError(f"{error.__name__} was not raised")


def a_mistake_of_one_rank_is_an_error_of_all():
    x = ht.array(numbers((8, 6), torch.float64, 1), split=0)
    raises(ValueError, "'input' or 'any'; got 'all'", lambda: fft.fft(x, out_split="all"))
    raises(ValueError, "call resplit()", lambda: fft.fft(x, out_split=None))
    raises(IndexError, "out of bounds", lambda: fft.fft(x, out_split=2))
    raises(TypeError, "use fft", lambda: fft.rfft(fft.fft(x)))
    raises(TypeError, "takes arrays of Heat", lambda: fft.fft(x.larray))
    for culprit in range(world.size if world.size > 1 else 0):
        mine = world.rank == culprit
        raises(ValueError, "norm is None", lambda: fft.fft(x, norm="full" if mine else None))
        raises(sf.Mismatch, "fft", lambda: fft.fft(x, axis=1 if mine else 0))


def the_callers_communicator_is_used():
    half = ht.communication.MPICommunication(world.Split(world.rank % 2, world.rank))
    x = numbers((7, 5), torch.float32, 3)
    check_parts(fft.rfftn(ht.array(x, split=0, comm=half)), whole_fft.rfftn(x), 0)
    check_parts(fft.irfft(ht.array(x, split=1, comm=half), axis=0), whole_fft.irfft(x, dim=0), 1)


def plans_take_arrays_of_heat():
    x = numbers((9, 7, 5), torch.float64, 1)
    for array in (ht.array(x, split=1), lopsided(x, 0)):
        layout = sf.layout_of(array)
        assert layout.ranks == world.size
        plan = sf.Plan(array.shape, kind="r2c", comm=world, input=array, output="slabs:0")
        assert plan.input.boxes(world.rank) == layout.boxes(world.rank)
        spectrum = plan.forward(array)
        assert plan.verify(array, spectrum).ok
        back = ht.DNDarray(torch.zeros_like(array.larray), array.gshape, array.dtype, array.split, array.device,
                           array.comm, array.balanced)
        plan.backward(spectrum, back)
        assert torch.allclose(back.larray, array.larray, rtol=0, atol=1e-14)
    if world.size > 1:
        raises(sf.InvalidArgument, "layout_of(array)", lambda: plan.forward(ht.array(x, split=2)))


def plans_take_dtensors():
    import torch.distributed as dist
    from torch.distributed.device_mesh import DeviceMesh
    from torch.distributed.tensor import Shard, distribute_tensor

    store = world.bcast(os.path.join(tempfile.mkdtemp(), "store") if world.rank == 0 else None)
    dist.init_process_group("gloo", rank=world.rank, world_size=world.size, store=dist.FileStore(store, world.size),
                            timeout=datetime.timedelta(seconds=60))
    x = numbers((9, 7, 5), torch.complex128, 1)
    mesh = DeviceMesh("cpu", list(range(world.size)))
    source, target = distribute_tensor(x, mesh, [Shard(0)]), distribute_tensor(0 * x, mesh, [Shard(1)])
    plan = sf.Plan(x.shape, comm=world, input=source, output=target)
    assert plan.forward(source, target) is target
    assert torch.equal(target.full_tensor(), whole_fft.fftn(x))
    if world.size > 1:
        raises(sf.InvalidArgument, "layout_of(array)", lambda: plan.forward(target, source))
    dist.destroy_process_group()


for check in (random_calls_have_the_bits_of_the_whole_array, memory_is_heats_own,
              a_mistake_of_one_rank_is_an_error_of_all, the_callers_communicator_is_used, plans_take_arrays_of_heat,
              plans_take_dtensors):
    check()
    if world.rank == 0:
        print("passed", check.__name__, flush=True)
