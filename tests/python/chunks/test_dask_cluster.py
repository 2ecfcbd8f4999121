"""shardfft.dask on a cluster of processes: the bits of the whole array, moved by P2P; an array that workers spill."""

import numpy as np
import pytest
from test_functions import numbers

import shardfft as sf

dask = pytest.importorskip("dask", reason="Dask is not installed; tools/setup bindings_check installs it")
distributed = pytest.importorskip("distributed", reason="it is not installed; tools/setup bindings_check installs it")
import dask.array as da

import shardfft.dask as fft


def cluster(tmp_path, **keywords):
    return distributed.LocalCluster(threads_per_worker=1, processes=True, dashboard_address=None,
                                    local_directory=str(tmp_path), **keywords)


def test_one_two_and_four_workers_give_the_same_bits(tmp_path):
    x = numbers((24, 20, 18), "d")
    blocks = da.from_array(x, (6, 10, 18))
    with cluster(tmp_path, n_workers=1) as workers, distributed.Client(workers) as client:
        for count, method in ((1, "p2p"), (2, "p2p"), (4, "p2p"), (4, "tasks")):
            workers.scale(count)
            client.wait_for_workers(count)
            with dask.config.set({"array.rechunk.method": method}):
                result = fft.rfftn(blocks)
            assert (method == "p2p") == any("p2p" in layer for layer in result.dask.layers)
            assert np.array_equal(result.compute(), sf.rfftn(x))


def test_an_array_that_workers_spill(tmp_path):
    n = 256  # 134 MB of reals, and as much of the spectrum; of a worker's memory Python takes some 130 MB
    f, g, h = np.random.default_rng(1).standard_normal((3, n))
    with cluster(tmp_path, n_workers=2, memory_limit="256MB") as workers, distributed.Client(workers) as client:
        x = da.from_array(f, n // 32)[:, None, None] * da.from_array(g)[:, None] * da.from_array(h)
        with dask.config.set({"array.rechunk.method": "tasks"}):
            spectrum = fft.rfftn(x, order="transposed").persist()
        f, g, h = (da.from_array(k, c) for k, c in zip((np.fft.fft(f), np.fft.fft(g), np.fft.rfft(h)), spectrum.chunks))
        wanted = f[:, None, None] * g[:, None] * h
        assert abs(spectrum - wanted).max().compute() < 1e-13 * abs(wanted).max().compute()
        seen = client.run(lambda dask_worker: dask_worker.data.spilled_total.disk)
        assert len(seen) == 2 and sum(seen.values()) > 0
