"""The fft extension of the array API standard: names, signatures and types."""

import inspect
import subprocess
import sys

import numpy as np
import pytest

from shardfft import array_api as xp

ONE = {"fft", "ifft", "rfft", "irfft", "hfft", "ihfft"}
SEVERAL = {"fftn", "ifftn", "rfftn", "irfftn"}


@pytest.mark.parametrize("name", sorted(ONE | SEVERAL))
def test_signatures_and_types(name):
    function = getattr(xp.fft, name)
    parameters = inspect.signature(function).parameters
    wanted = ["x", "n", "axis", "norm"] if name in ONE else ["x", "s", "axes", "norm"]
    assert list(parameters) == wanted
    assert parameters["x"].kind is inspect.Parameter.POSITIONAL_ONLY
    assert all(parameters[p].kind is inspect.Parameter.KEYWORD_ONLY for p in wanted[1:])
    takes_reals = name in ("rfft", "rfftn", "ihfft")
    for real, complex_ in ((xp.float32, xp.complex64), (xp.float64, xp.complex128)):
        x = xp.ones((4, 6), dtype=real if takes_reals else complex_)
        result = function(x)
        assert result.dtype == (real if name in ("irfft", "irfftn", "hfft") else complex_)
        assert np.allclose(result, getattr(np.fft, name)(x))


def test_frequencies_have_a_dtype():
    assert xp.fft.fftfreq(5, d=0.5, dtype=xp.float32).dtype == xp.float32
    assert np.array_equal(xp.fft.rfftfreq(6, d=2.0), np.fft.rfftfreq(6, 2.0))
    assert np.array_equal(xp.fft.ifftshift(xp.fft.fftshift(xp.arange(5))), xp.arange(5))


def test_arrays_of_other_libraries_come_in_and_go_back():
    import array_api_strict as strict

    import shardfft

    x = np.random.default_rng(1).standard_normal((4, 6))
    result = shardfft.rfftn(strict.asarray(x), norm="ortho")
    assert type(result) is type(strict.asarray(x))
    assert np.array_equal(np.from_dlpack(result), shardfft.rfftn(x, norm="ortho"))


def test_pytorch_and_jax_are_imported_on_request_alone():
    program = """
import sys
import shardfft
assert not {"torch", "jax", "jaxlib"} & set(sys.modules)
for name, package in (("torch", "PyTorch"), ("jax", "JAX")):
    sys.modules[name] = None
    try:
        __import__("shardfft." + name)
    except ImportError as error:
        assert str(error) == f"shardfft.{name} needs {package}: pip install {name}", error
    else:
        raise AssertionError(name)
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_arrays_on_several_ranks_are_refused():
    import shardfft

    def work(comm):
        with pytest.raises(TypeError, match="Plan"):
            shardfft.fft(shardfft.empty((4, 4), "D", comm))

    shardfft.on_ranks(2, work)
    assert shardfft.fft(shardfft.empty((4, 4), "D")).shape == (4, 4)
