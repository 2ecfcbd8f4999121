"""Times of shardfft.dask beside what users do without it, as a table: times.py [EXTENT...]

A complex array in 16 slabs along axis 0, in memory, is transformed along all axes; the result stays in dask's memory. A
time is the best of several. Bytes moved are those that lie in another block after a rechunk(), in megabytes."""

import itertools
import logging
import sys
import tempfile
import time
from unittest.mock import patch

import dask
import dask.array as da
import distributed
import scipy.fft

import shardfft.dask as fft
from shardfft.dask.layouts import moved

SLABS, REPEATS = 16, 6


def by_hand(transform, x, back):
    """Along the axes that are whole, then, after a move, along the other one."""
    x = transform(x, (1, 2)).rechunk((-1, x.chunks[0], -1))
    x = transform(x, (0,))
    return x.rechunk((x.shape[0] // SLABS, -1, -1)) if back else x


def by_scipy(x, axes):
    return x.map_blocks(scipy.fft.fftn, axes=axes, workers=1, dtype=x.dtype)


def by_dask(x, axes):
    return da.fft.fftn(x, axes=axes)


WAYS = {
    "`shardfft.dask`": lambda x, back: fft.fftn(x, order="natural" if back else "transposed"),
    "`scipy.fft` by `map_blocks`": lambda x, back: by_hand(by_scipy, x, back),
    "`dask.array.fft`": lambda x, back: by_hand(by_dask, x, back),
}


def described(way, x, back):
    """Megabytes that one call moves, and its tasks."""
    seen, original = [], da.Array.rechunk

    def spy(self, chunks, **keywords):
        with patch.object(da.Array, "rechunk", original):
            result = original(self, chunks, **keywords)
        seen.append(moved(self.chunks, result.chunks) * self.dtype.itemsize)
        return result

    with patch.object(da.Array, "rechunk", spy):
        result = way(x, back)
    return sum(seen) / 1e6, len(dask.optimize(result)[0].dask) - x.npartitions


def field(extent, seed, wait):
    x = da.random.default_rng(seed).standard_normal((extent,) * 3, chunks=(extent // SLABS, extent, extent))
    x = (x + 1j * x).persist()
    wait(x)
    return x


def rows(extent, where, wait):
    ways = list(itertools.product((True, False), WAYS))
    best = dict.fromkeys(ways, float("inf"))
    for seed in range(REPEATS):  # dask computes no array twice
        x = field(extent, seed, wait)
        first = seed % len(ways)  # whoever comes first also waits until the last array is freed
        for back, name in ways[first:] + ways[:first]:
            begin = time.perf_counter()
            result = WAYS[name](x, back).persist()
            wait(result)
            best[back, name] = min(best[back, name], time.perf_counter() - begin)
            del result
    for back, name in ways:
        megabytes, tasks = described(WAYS[name], x, back)
        print(f"| {extent}^3 | {where} | {'natural' if back else 'transposed'} | {name} | "
              f"{1e3 * best[back, name]:.0f} | {megabytes:.0f} | {tasks} |", flush=True)


def main():
    extents = [int(text) for text in sys.argv[1:]] or [128, 256]
    logging.getLogger("distributed").setLevel(logging.ERROR)
    print("| array | scheduler | order | with | ms | MB moved | tasks |\n|---|---|---|---|---|---|---|")
    with dask.config.set(scheduler="threads"):
        for extent in extents:
            rows(extent, "threads", lambda x: None)
    with tempfile.TemporaryDirectory() as folder:
        with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None,
                                      local_directory=folder) as cluster, distributed.Client(cluster):
            for extent in extents:
                rows(extent, "2 processes", distributed.wait)


if __name__ == "__main__":
    main()
