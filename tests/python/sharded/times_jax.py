"""Times of shardfft.jax beside what users do without it, as rows of a table: times_jax.py [EXTENT...]

A complex array in slabs along axis 0 on two devices, of one process and of two, is transformed along all axes within
jit. A time is the best of several. `shardfft.Plan` runs on two ranks of MPI; jaxDecomp if it is installed."""

import os
import socket
import subprocess
import sys
import time

ROUNDS = 12


def ways(mesh):
    import jax
    import jax.numpy as jnp
    from jax.sharding import NamedSharding, PartitionSpec as P

    import shardfft.jax as fft

    slabs, whole = NamedSharding(mesh, P("x")), NamedSharding(mesh, P())
    held = jax.lax.with_sharding_constraint

    def exchanged(x):
        """Leading parts, which nobody cuts, transforms or joins."""
        for _ in range(2):
            x = jax.lax.optimization_barrier(jax.lax.all_to_all(x, "x", 0, 0, tiled=True))
        return x

    result = {
        "`shardfft.jax`": jax.jit(fft.fftn),
        "`shardfft.jax`, `out_sharding=None`": lambda x: fft.fftn(x, out_sharding=None),
        "two exchanges by XLA alone": jax.jit(jax.shard_map(exchanged, mesh=mesh, in_specs=P("x"), out_specs=P("x"))),
        "gather, `jnp.fft.fftn`": jax.jit(lambda x: held(jnp.fft.fftn(held(x, whole)), slabs)),
        "`jnp.fft.fftn` on the sharded array": jax.jit(jnp.fft.fftn, out_shardings=slabs),
    }
    try:
        import jaxdecomp  # leaves the result cut along another axis
        result["`jaxdecomp.fft.pfft3d`"] = jax.jit(jaxdecomp.fft.pfft3d)
    except ImportError:
        pass
    return result


def measured(extents, where, speaks):
    import jax
    import numpy as np
    from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

    mesh = Mesh(np.array(jax.devices()).reshape(2, 1), ("x", "y"))  # jaxDecomp wants two axes
    for extent in extents:
        rng = np.random.default_rng(1)
        local = rng.standard_normal((extent, extent, extent)) + 0j
        x = jax.make_array_from_callback(local.shape, NamedSharding(mesh, P("x", "y")), lambda index: local[index])
        todo = ways(mesh)
        best = dict.fromkeys(todo, float("inf"))
        for count in range(ROUNDS + 1):
            for name, way in todo.items():
                begin = time.perf_counter()
                with jax.set_mesh(mesh):
                    jax.block_until_ready(way(x))
                if count > 0:  # after it is compiled
                    best[name] = min(best[name], time.perf_counter() - begin)
        for name, seconds in best.items():
            if speaks:
                print(f"| {extent}³ | {where} | {name} | {1e3 * seconds:.0f} |", flush=True)


def in_devices(extents):
    import jax

    jax.config.update("jax_num_cpu_devices", 2)
    jax.config.update("jax_enable_x64", True)
    measured(extents, "2 devices", True)


def in_process(rank, port, extents):
    import jax

    jax.config.update("jax_num_cpu_devices", 1)
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(f"localhost:{port}", 2, rank)
    measured(extents, "2 processes", rank == 0)


def by_plan(extents):
    import numpy as np
    from mpi4py import MPI

    import shardfft

    world = MPI.COMM_WORLD
    for extent in extents:
        plan = shardfft.Plan((extent,) * 3, comm=shardfft.mpi(world), input="slabs:0", output="slabs:0")
        u, v = plan.make_input(), plan.make_output()
        u.local[...] = np.random.default_rng(world.rank).standard_normal(u.local.shape)
        best = float("inf")
        for _ in range(ROUNDS + 1):
            world.Barrier()
            begin = time.perf_counter()
            plan.forward(u, v)
            best = min(best, world.allreduce(time.perf_counter() - begin, MPI.MAX))
        if world.rank == 0:
            print(f"| {extent}³ | 2 ranks of MPI | `shardfft.Plan` | {1e3 * best:.0f} |", flush=True)


def main():
    mode, *others = sys.argv[1:] if sys.argv[1:2] in (["devices"], ["process"], ["plan"]) else ["all", *sys.argv[1:]]
    numbers = [int(text) for text in others]
    if mode == "devices":
        return in_devices(numbers)
    if mode == "process":
        return in_process(numbers[0], numbers[1], numbers[2:])
    if mode == "plan":
        return by_plan(numbers)
    extents = [str(n) for n in numbers or [128, 256]]
    this = [sys.executable, __file__]
    print("| array | on | with | ms |\n|---|---|---|---|", flush=True)
    subprocess.run([*this, "devices", *extents], check=True)
    with socket.socket() as s:
        s.bind(("localhost", 0))
        port = str(s.getsockname()[1])
    one_core = {**os.environ, "OMP_NUM_THREADS": "1"}
    ranks = [subprocess.Popen([*this, "process", str(rank), port, *extents], env=one_core) for rank in range(2)]
    assert [rank.wait() for rank in ranks] == [0, 0]
    subprocess.run(["mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "-n", "2", *this, "plan",
                    *extents], check=True)


if __name__ == "__main__":
    main()
