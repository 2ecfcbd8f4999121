"""Times of shardfft.torch on DTensors beside what users do without it, as a table: mpirun -n 2 times.py [EXTENT...]

A complex array is sharded along axis 0 and transformed along all axes, by one thread in each process. A time is that of
the slowest process, and the best of several, in turns. Bytes are those that all processes together send, in
megabytes: exchanges send what is not its own, a gather sends each part to every other process."""

import os
import random
import sys
import tempfile
import time

import torch
import torch.distributed as dist
from mpi4py import MPI
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Shard, distribute_tensor

import shardfft as sf
import shardfft.torch as fft

REPEATS = 16
world = MPI.COMM_WORLD


def gathered(x):
    return distribute_tensor(torch.fft.fftn(x.full_tensor()), x.device_mesh, [Shard(0)], src_data_rank=None)


def knows_dtensors(x):
    try:
        torch.fft.fft(x[:1, :1, :1])
    except NotImplementedError:  # in PyTorch 2.9
        return False
    return True


def ways(x):
    """Name: call, and how many times all elements that are not a process's own are sent, and by how many processes."""
    y = DTensor.from_local(torch.empty_like(x.to_local()), x.device_mesh, [Shard(0)])
    z = fft.fftn(x, out_placements=[Shard(1)])
    to_same = sf.Plan(x.shape, comm=world, input=x, output=y, threads=1)
    to_other = sf.Plan(x.shape, comm=world, input=x, output=z, threads=1)
    source, target = (torch.zeros(x.to_local().numel(), 2, dtype=torch.float64) for _ in range(2))

    def exchanged():
        for _ in range(2):
            dist.all_to_all_single(target, source)

    everyone = world.size
    return {
        "`shardfft.torch`, natural": (lambda: fft.fftn(x), 2),
        "`shardfft.torch`, cheapest": (lambda: fft.fftn(x, out_placements=None), 1),
        "two exchanges by gloo alone": (exchanged, 2),
        "`Plan`, natural": (lambda: to_same.forward(x, y), 2),
        "`Plan`, cheapest": (lambda: to_other.forward(x, z), 1),
        "`torch.fft` of the DTensor": (lambda: torch.fft.fftn(x), everyone),
        "gather, `torch.fft`, distribute": (lambda: gathered(x), everyone),
    }


def main():
    folder = world.bcast(tempfile.mkdtemp() if world.rank == 0 else None)
    store = dist.FileStore(os.path.join(folder, "store"), world.size)
    dist.init_process_group("gloo", rank=world.rank, world_size=world.size, store=store)
    torch.set_num_threads(1)
    mesh = DeviceMesh("cpu", list(range(world.size)))
    if world.rank == 0:
        print("| array | with | ms | MB sent |\n|---|---|---|---|")
    for extent in [int(text) for text in sys.argv[1:]] or [128, 256]:
        x = distribute_tensor(torch.randn((extent,) * 3, dtype=torch.complex128), mesh, [Shard(0)])
        calls = ways(x)
        if not knows_dtensors(x):
            del calls["`torch.fft` of the DTensor"]
        best = dict.fromkeys(calls, float("inf"))
        for turn in range(REPEATS):
            # In another order each time: whoever comes next also waits until memory of the last one is freed.
            for name, (call, _) in random.Random(turn).sample([*calls.items()], len(calls)):
                world.Barrier()
                begin = time.perf_counter()
                call()
                best[name] = min(best[name], world.allreduce(time.perf_counter() - begin, MPI.MAX))
        part = x.numel() * 16 / world.size * (world.size - 1) / 1e6
        for name, (_, times) in calls.items():
            if world.rank == 0:
                print(f"| {extent}^3 | {name} | {1e3 * best[name]:.1f} | {times * part:.0f} |", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
