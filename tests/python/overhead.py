"""What a call of the package costs: python tests/python/overhead.py [--table]

Without an option: small calls beside the plans that they run, NumPy's and SciPy's, with one thread. --table: fftn and
rfftn beside those of scipy, ducc0, mkl_fft and pyfftw, where this Python has them, each with all cores and a warm
cache; the best of several."""

import sys
import time

import numpy as np

import shardfft
from shardfft import _cache


def best(call, seconds=0.3, round=1e-3):
    call()
    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 3:
        begin = time.perf_counter()
        repeat = 1 if not times or times[-1] > round else max(1, int(round / times[-1]))
        for _ in range(repeat):
            call()
        times.append((time.perf_counter() - begin) / repeat)
    return min(times)


def overhead():
    """In rounds so short that some of them are not interrupted."""
    import scipy.fft

    print("| call, us | array | shardfft | of which its plan | numpy | scipy |\n|---|---|---|---|---|---|")
    rng = np.random.default_rng(1)
    for shape in ((64,), (1024,), (4096,), (8, 8, 8), (32, 32)):
        for name in ("fft", "fftn", "rfftn", "ifftn"):
            x = rng.standard_normal(shape) + (0 if name[0] == "r" else 0j)
            shardfft.forget_plans()
            out = getattr(shardfft, name)(x)
            plan = next(iter(_cache._kept.values())).take()
            forward = name[0] != "i"
            run = best(lambda: plan.run_as_planned(forward, x, out, 1.0), round=2e-5)
            times = [best(lambda: getattr(library, name)(x), round=2e-5) for library in (shardfft, np.fft, scipy.fft)]
            print(f"| {name} | {' x '.join(map(str, shape))} |", " | ".join(
                f"{1e6 * t:.1f}" for t in (times[0], run, *times[1:])), "|", flush=True)


def others():
    found = {}
    cores = len(shardfft._threads.os.sched_getaffinity(0))
    try:
        import scipy.fft

        found["scipy"] = lambda name: lambda x: getattr(scipy.fft, name)(x, workers=cores)
    except ImportError:
        pass
    try:
        import ducc0

        ours = {"fftn": lambda x: ducc0.fft.c2c(x, nthreads=cores), "rfftn": lambda x: ducc0.fft.r2c(x, nthreads=cores)}
        rows = {"fft": lambda x: ducc0.fft.c2c(x, axes=(1,), nthreads=cores),
                "rfft": lambda x: ducc0.fft.r2c(x, axes=(1,), nthreads=cores)}
        found["ducc0"] = lambda name: {**ours, **rows}[name]
    except ImportError:
        pass
    try:
        import mkl_fft.interfaces.numpy_fft as mkl

        found["mkl_fft"] = lambda name: getattr(mkl, name)
    except ImportError:
        pass
    try:
        import pyfftw

        pyfftw.interfaces.cache.enable()
        found["pyfftw"] = lambda name: lambda x: getattr(pyfftw.interfaces.numpy_fft, name)(
            x, threads=cores, planner_effort="FFTW_MEASURE")
    except ImportError:
        pass
    return found


SHAPES = [(n, n) for n in (64, 256, 1024, 2048, 4096)] + [(n,) * 3 for n in (32, 64, 100, 128, 200, 256)] + \
    [(1000, n) for n in (256, 1000, 4096)] + [(1, 1 << k) for k in (10, 14, 18, 22)]


def table():
    found = others()
    print("| array | type | shardfft, ms |", " | ".join(f"{name} takes" for name in found), "|")
    print("|---|---|---|" + "---|" * len(found))
    rng = np.random.default_rng(1)
    for shape in SHAPES:
        rows = len(shape) == 2 and shape[0] in (1, 1000)
        for dtype in (np.complex128, np.complex64, np.float64, np.float32):
            x = rng.standard_normal(shape).astype(dtype)
            name = ("r" if x.dtype.kind == "f" else "") + ("fft" if rows else "fftn")
            ours = best(lambda: getattr(shardfft, name)(x))
            ratios = [f"{best(lambda: other(name)(x)) / ours:.2f}" for other in found.values()]
            print(f"| {' x '.join(map(str, shape))} | {x.dtype} | {1e3 * ours:.3f} |", " | ".join(ratios), "|",
                  flush=True)


if __name__ == "__main__":
    table() if "--table" in sys.argv[1:] else overhead()
