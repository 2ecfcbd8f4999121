"""Run as each of several processes: jax_program.py RANK PROCESSES PORT. Shards have the bits of the whole array."""

import atexit
import os
import sys

import jax
import numpy as np

rank, processes, port = map(int, sys.argv[1:])
jax.config.update("jax_enable_x64", True)
jax.config.update("jax_disable_most_optimizations", True)  # compiling takes most of the time
jax.config.update("jax_num_cpu_devices", 1)
collectives = os.environ.get("JAX_CPU_COLLECTIVES_IMPLEMENTATION", "gloo")
jax.config.update("jax_cpu_collectives_implementation", collectives)
jax.distributed.initialize(f"localhost:{port}", processes, rank)

import jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

import shardfft
import shardfft.jax as fft

assert len(jax.devices()) == processes
mesh = Mesh(np.array(jax.devices()), "x")
slabs = NamedSharding(mesh, P("x"))


def shared(whole, sharding=slabs):
    return jax.make_array_from_callback(whole.shape, sharding, lambda index: whole[index])


def expect_bits(ours, whole):
    assert ours.shape == whole.shape and ours.dtype == whole.dtype
    for shard in ours.addressable_shards:
        assert np.array_equal(shard.data, whole[shard.index])


def both(function, *arguments):
    """Outside of a program and within."""
    return function(*arguments), jax.jit(function)(*arguments)


real, imaginary = np.random.default_rng(1).standard_normal((2, 6 * processes, 5, 4 * processes))
x = real + 1j * imaginary
for result in both(fft.fftn, shared(x)):
    assert result.sharding.is_equivalent_to(slabs, 3)
    expect_bits(result, shardfft.fftn(x))
back = jax.jit(lambda x: fft.irfftn(fft.rfftn(x), real.shape, (0, 1, 2)))(shared(real))
expect_bits(back, shardfft.irfftn(shardfft.rfftn(real), real.shape, (0, 1, 2)))
moved = fft.fft2(shared(x), out_sharding=P(None, None, "x"))
assert moved.addressable_shards[0].data.shape == (6 * processes, 5, 4)
expect_bits(moved, shardfft.fft2(x))

weights = np.random.default_rng(2).standard_normal(x.shape)
loss = lambda r, weights: jnp.sum(weights * jnp.real(fft.fftn(r + 0j)))
wanted = np.fft.fftn(weights).real
for shard in jax.jit(jax.grad(loss))(shared(real), shared(weights)).addressable_shards:
    assert np.abs(shard.data - wanted[shard.index]).max() < 1e-12 * np.abs(wanted).max()

print("passed", flush=True)
if collectives == "mpi":  # JAX frees communicators after MPI_Finalize, for which Open MPI aborts
    atexit._run_exitfuncs()
    os._exit(0)
