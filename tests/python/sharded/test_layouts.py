"""layout_of(): layouts of arrays that other libraries distribute. Those of PyTorch and Heat are in the programs beside
this file, which need several processes."""

import subprocess
import sys

import numpy as np
import pytest

import shardfft as sf


def test_an_array_of_shardfft_has_its_own():
    a = sf.empty((6, 5), layout="slabs:1")
    assert sf.layout_of(a) is a.layout


def test_blocks_of_dask_are_dealt_out_in_order():
    da = pytest.importorskip("dask.array", reason="Dask is not installed; tools/setup bindings_check installs it")
    x = da.zeros((7, 6), chunks=((3, 0, 4), (2, 2, 2)))
    layout = sf.layout_of(x, ranks=4)
    assert layout.shape == (7, 6) and [len(layout.boxes(rank)) for rank in range(4)] == [2, 1, 2, 1]
    assert layout.boxes(0) == [((0, 0), (3, 2)), ((0, 2), (3, 4))] and layout.boxes(3) == [((3, 4), (7, 6))]
    assert sum(layout.count(rank) for rank in range(4)) == 42
    assert [sf.layout_of(da.zeros(8, chunks=8), 3).count(rank) for rank in range(3)] == [8, 0, 0]

    def work(comm):
        plan = sf.Plan(x.shape, comm=comm, input=sf.layout_of(x, ranks=2), output="slabs:0")
        u = plan.make_input()
        for part, (lo, hi) in zip(u.parts, plan.input.boxes(comm.rank)):
            part[...] = (x + 1)[tuple(map(slice, lo, hi))].compute()
        return plan.forward(u).gather()

    assert np.allclose(sf.on_ranks(2, work)[0], np.fft.fftn(np.ones((7, 6))))


@pytest.mark.parametrize("call, error, said", [
    (lambda: sf.layout_of(np.ones(3)), sf.InvalidArgument, "DTensor.*; got ndarray; see shardfft.custom"),
    (lambda: sf.Plan((3,), input=np.ones(3)), sf.InvalidLayout, "a layout is a word"),
])
def test_what_is_wrong_is_said(call, error, said):
    with pytest.raises(error, match=said):
        call()


def test_dask_needs_a_number_of_ranks():
    da = pytest.importorskip("dask.array", reason="Dask is not installed; tools/setup bindings_check installs it")
    for call in (lambda: sf.layout_of(da.zeros(8)), lambda: sf.Plan((8,), input=da.zeros(8))):
        with pytest.raises(sf.InvalidArgument, match="ranks=None for one of dask; call .*ranks=4"):
            call()


OF_JAX = """
import jax, numpy as np, shardfft as sf
from jax.sharding import NamedSharding, PartitionSpec
jax.config.update("jax_num_cpu_devices", 6)
jax.config.update("jax_enable_x64", True)
mesh = jax.make_mesh((3, 2), ("x", "y"))
whole = np.random.default_rng(1).standard_normal((6, 4, 5))
for spec, boxes in ((PartitionSpec("x", "y"), 6), (PartitionSpec(("x", "y")), 6), (PartitionSpec(None, "y"), 2),
                    (PartitionSpec(), 1)):
    x = jax.device_put(whole, NamedSharding(mesh, spec))
    layout = sf.layout_of(x)
    assert layout.ranks == 1 and layout.count(0) == 120, layout
    told = sf.layout_of(jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=x.sharding))
    assert told.boxes(0) == layout.boxes(0)
    assert len(layout.boxes(0)) == boxes
    plan = sf.Plan(x.shape, kind="r2c", input=x, output="slabs:0")
    assert np.allclose(plan.forward(x).local, np.fft.rfftn(whole))
one = jax.numpy.asarray(whole)  # of one device: an ordinary array
assert np.allclose(sf.Plan(one.shape, kind="r2c").forward(one).local, np.fft.rfftn(whole))
"""


def test_processes_of_jax_own_the_boxes_of_their_devices():
    pytest.importorskip("jax", reason="JAX is not installed; tools/setup bindings_check installs it")
    done = subprocess.run([sys.executable, "-c", OF_JAX], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr


def test_no_library_is_imported():
    code = ("import sys, shardfft; shardfft.Plan((4,)); assert not {'torch', 'jax', 'dask', 'heat'} & set(sys.modules)")
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
