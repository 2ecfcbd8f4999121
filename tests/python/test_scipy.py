"""SciPy's own tests of its transforms pass with shardfft behind them."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import scipy.fft

import shardfft as sf
from shardfft import scipy_backend
from shardfft._functions import execute


def test_scipys_functions_call_ours():
    x = np.random.default_rng(1).standard_normal((8, 9))
    with scipy.fft.set_backend(scipy_backend, only=True):
        assert np.array_equal(scipy.fft.fftn(x, workers=1), sf.fftn(x, workers=1))
        assert np.array_equal(scipy.fft.hfft2(x), sf.hfft2(x))
    with scipy.fft.set_backend(scipy_backend):
        assert np.array_equal(scipy.fft.idstn(x, 3, axes=0), sf.idstn(x, 3, axes=0))
        assert scipy.fft.fht(x[0], 0.1, 0.5).shape == (9,)
        assert scipy.fft.fft(x.astype(np.longdouble)).dtype == np.clongdouble
        assert scipy.fft.dct(x=x.astype(np.longdouble)).dtype == np.longdouble


MANY = ["fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn", "dctn", "idctn", "dstn", "idstn"]
TWO = ["fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2"]


def outcome(name, *args, **kwargs):
    try:
        return getattr(scipy.fft, name)(*args, **kwargs)
    except (TypeError, ValueError, IndexError, RuntimeError) as error:
        return type(error)


def expect_scipys(name, *args, **kwargs):
    theirs = outcome(name, *args, **kwargs)
    with scipy.fft.set_backend(scipy_backend):
        ours = outcome(name, *args, **kwargs)
    if isinstance(theirs, type):
        assert ours is theirs, (name, args, kwargs, ours)
        return
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype, (name, args, kwargs)
    unit = 1e-5 if theirs.dtype in (np.float32, np.complex64) else 1e-13
    largest = np.abs(theirs).max(initial=0)
    assert np.allclose(ours, theirs, rtol=0, atol=unit * max(1, largest), equal_nan=True), (name, args, kwargs)


def test_axes_none_are_all_axes():
    for shape in [(5,), (4, 6), (3, 4, 6), (2, 3, 1)]:
        for name in TWO + MANY:
            x = np.random.default_rng(2).standard_normal(shape)
            expect_scipys(name, x, axes=None)
            expect_scipys(name, x, None, None) if name in TWO else expect_scipys(name, x)
            expect_scipys(name, x, s=[4], axes=None)


def test_integers_of_any_length_and_numbers_in_lists():
    for x in ([2**70, 3, 4, 5], [[2**65, -(2**80)]], [2**63, -1], [np.longdouble(1), 2], ["1", "2"], [None]):
        for name in ["fft", "rfft", "irfft", "hfft", "dct", "idst", *TWO, *MANY]:
            expect_scipys(name, x)


def test_random_arguments_mean_what_they_mean_in_scipy():
    seed = 3
    print("seed", seed)
    rng = np.random.default_rng(seed)
    for _ in range(1500):
        x = rng.standard_normal(rng.integers(0, 6, rng.integers(0, 4)))
        x = x.astype(rng.choice(["?", "i8", "u8", "e", "f", "d", ">f8", "g"]))
        count = rng.integers(0, x.ndim + 2)
        choices = [None, -1, 0, 1, 1, 2, 3, 5]
        arguments = {"s": [choices[i] for i in rng.integers(0, 8, count)],
                     "axes": [int(axis) for axis in rng.integers(-2, 3, count)],
                     "norm": [None, "ortho", "bad"][rng.integers(3)], "workers": [None, 1, 0, -99][rng.integers(4)]}
        kept = {key: value for key, value in arguments.items() if rng.random() < 0.4}
        expect_scipys(str(rng.choice(MANY + TWO)), x, **kept)


def test_set_workers_says_how_many_threads(monkeypatch):
    asked = []
    monkeypatch.setattr(execute, "threads_of", lambda workers, points: asked.append(workers) or 1)
    x = np.ones((8, 8))
    with scipy.fft.set_backend(scipy_backend, only=True), scipy.fft.set_workers(2):
        for name in ["fft", "irfft", "dct", *TWO, *MANY]:
            for workers, wanted in ((None, 2), (1, 1)):
                getattr(scipy.fft, name)(x, workers=workers)
                assert set(asked) == {wanted}, name
                asked.clear()


def test_scipys_own_tests_pass():
    tests = Path(scipy.fft.__file__).parent / "tests"
    names = "test_backend.py", "test_basic.py", "test_helper.py", "test_multithreading.py", "test_real_transforms.py"
    files = [str(tests / name) for name in names]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    ran = subprocess.run(
        # Left out: it compares numbers near 0, of this process and of one that does not see the backend.
        [sys.executable, "-m", "pytest", "-q", "-p", "scipy_plugin", "-p", "no:cacheprovider",
         "--deselect=fft/tests/test_basic.py::test_multiprocess[irfft]",
         "-k", "not (test_real_transforms and overwrite)",  # thousands; ours are in test_real.py
         f"--rootdir={tests.parents[1]}", f"--confcutdir={tests.parents[1]}", *files],
        env=environment, capture_output=True, text=True, timeout=280, cwd=tests)
    assert ran.returncode == 0, ran.stdout[-3000:]
    calls = int(ran.stdout.split("calls of shardfft: ")[1].split()[0])
    assert calls > 5500, ran.stdout[-500:]
