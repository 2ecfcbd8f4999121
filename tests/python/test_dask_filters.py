"""dask and xrft with shardfft behind them."""

from unittest.mock import patch

import numpy as np
import pytest

import shardfft as sf

da = pytest.importorskip("dask.array", reason="Dask is not installed; tools/setup bindings_check installs it")


def field(*shape):
    return np.random.default_rng(1).standard_normal(shape)


@pytest.mark.parametrize("name", ["fft", "ifft2", "fftn", "rfft", "rfft2", "irfftn", "hfft"])
def test_dask_transforms_its_blocks_with_shardfft(name):
    x = field(6, 8, 10) if name[0] == "r" else field(6, 8, 10) + 0j
    blocks = da.from_array(x, chunks=(2, 8, 10))
    axes = {"axis": 1} if name.endswith("fft") else {"axes": (1, 2)}
    wrapped = da.fft.fft_wrap(getattr(sf, name))
    result = wrapped(blocks, **axes)
    wanted = getattr(np.fft, name)(x, **axes)
    assert result.dtype == wanted.dtype and result.numblocks == (3, 1, 1)
    assert np.allclose(result.compute(), wanted) and np.allclose(result.compute(scheduler="synchronous"), wanted)
    with pytest.raises(ValueError, match="chunk"):
        wrapped(blocks.rechunk(3), **axes)


def test_xrft_takes_the_functions_of_dask():
    xrft = pytest.importorskip("xrft", reason="xrft is not installed; tools/setup bindings_check installs it")
    xr = pytest.importorskip("xarray", reason="xarray is not installed; tools/setup bindings_check installs it")
    x = field(4, 16, 12)
    blocks = xr.DataArray(x, dims=("time", "y", "x"), coords={"y": np.arange(16.0), "x": np.arange(12.0)})
    blocks = blocks.chunk({"time": 1})
    calls = []

    def fftn(a, s=None, axes=None, norm=None):
        calls.append(a.shape)
        return sf.fftn(a, s, axes, norm)

    with patch.object(da.fft, "fftn", da.fft.fft_wrap(fftn)):
        ours = xrft.fft(blocks, dim=("y", "x"), true_phase=False).compute()
        spectrum = xrft.power_spectrum(blocks, dim=("y", "x"), scaling="spectrum").compute()
    assert (1, 16, 12) in calls
    assert np.allclose(np.fft.ifftshift(ours.values, axes=(1, 2)), np.fft.fftn(x, axes=(1, 2)))
    assert np.isclose(spectrum.sum(), np.mean(x**2, axis=(1, 2)).sum())
