"""SciPy's own tests of its transforms pass with shardfft behind them."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import scipy.fft

import shardfft as sf
from shardfft import scipy_backend


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


def test_scipys_own_tests_pass():
    tests = Path(scipy.fft.__file__).parent / "tests"
    names = "test_basic.py", "test_helper.py", "test_multithreading.py", "test_real_transforms.py"
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
