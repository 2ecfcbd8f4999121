"""shardfft.dask: filters between transforms, spectra and convolutions of arrays in chunks; Zarr, xarray and xrft."""

from unittest.mock import patch

import numpy as np
import pytest
from test_functions import numbers

import shardfft as sf

dask = pytest.importorskip("dask", reason="Dask is not installed; tools/setup bindings_check installs it")
import dask.array as da

import shardfft.dask as fft


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def expect_close(ours, theirs):
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
    found = ours.compute()
    assert found.dtype == theirs.dtype
    unit = 1e-5 if theirs.dtype.char in "fF" else 1e-13
    assert np.linalg.norm(found - theirs) <= unit * np.linalg.norm(theirs)


def helmholtz(modes):
    return modes.values / (1 + sum(k * k for k in modes.frequencies()))


def helmholtz_in_place(modes):
    modes.values /= 1 + sum(k * k for k in modes.frequencies())


@pytest.mark.parametrize("dtype", ["f", "F", "D", "i4"])
@pytest.mark.parametrize("shape, axes", [((12, 9, 10), None), ((7, 8), (0,)), ((3, 8, 6), (2, 1)), ((4, 2), (0, 1))])
def test_a_function_of_modes_runs_between_two_transforms(dtype, shape, axes):
    x = numbers(shape, dtype)
    along = tuple(range(x.ndim)) if axes is None else axes
    reals = x.dtype.kind != "c"
    forward, backward = (sf.rfftn, sf.irfftn) if reals else (sf.fftn, sf.ifftn)
    spectrum = forward(x, axes=along)
    k2 = np.zeros(spectrum.shape)
    for axis in along:
        k = sf.fftfreq(shape[axis], 1 / shape[axis])[:spectrum.shape[axis]]
        k2 = k2 + np.square(k).reshape([-1 if a == axis else 1 for a in range(x.ndim)])
    wanted = backward((spectrum / (1 + k2)).astype(spectrum.dtype), s=[shape[axis] for axis in along], axes=along)
    blocks = da.from_array(x, tuple(-(-n // 2) for n in shape))
    for operator in (helmholtz, helmholtz_in_place, 1 / (1 + k2), da.from_array(1 / (1 + k2), 3)):
        ours = fft.apply(blocks, operator, axes)
        assert ours.chunks == blocks.chunks
        expect_close(ours, wanted)


def test_a_function_sees_the_frequencies_that_a_plan_tells():
    shape = (6, 7, 8)
    seen = np.zeros((2, 6, 7, 5))

    def note(modes):
        place = tuple(slice(first, first + n) for first, n in zip(modes.first, modes.values.shape))
        seen[0][place] = sum(10**axis * k for axis, k in enumerate(modes.frequencies()))
        seen[1][place] += 1

    fft.apply(da.zeros(shape, chunks=(2, 7, 8)), note, (1, 2)).compute()
    plan = sf.Plan(shape, kind="r2c", axes=(1, 2), apply="to_outputs")
    told = sum(10**axis * k for axis, k in enumerate(plan.frequencies()))
    assert np.array_equal(seen[0], np.broadcast_to(told, seen[0].shape)) and (seen[1] == 1).all()


def test_a_filter_leaves_blocks_that_others_use():
    x = da.from_array(numbers((8, 8), "d"), 4).persist()
    before = x.compute().copy()
    fft.apply(x, helmholtz_in_place).compute()
    fft.ifftn(x.astype(complex).persist()).compute()
    assert np.array_equal(x.compute(), before)


@pytest.mark.parametrize("mode", ["full", "same", "valid", "circular"])
@pytest.mark.parametrize("types", ["fD", "id"])
def test_convolutions_are_those_of_whole_arrays(mode, types):
    for first, second, axes in (((9,), (4,), None), ((12, 11), (3, 5), None), ((6, 15, 8), (1, 4, 3), (1, 2)),
                                ((1, 15), (4, 6), 1), ((16, 16), (16, 16), (0, 1))):
        a, b = numbers(first, types[0]), numbers(second, types[1], 2)
        ours = fft.convolve(da.from_array(a, 6), da.from_array(b, 3), mode, axes)
        expect_close(ours, sf.convolve(a, b, mode, axes))


@pytest.mark.parametrize("dtype", ["f", "d", "D"])
@pytest.mark.parametrize("shape, axes, spacing", [
    ((8,), None, None), ((6, 9), None, None), ((3, 8, 5), (1, 2), None), ((4, 5, 6), (0, 2), None),
    ((12, 8, 9), None, (2.5, 1, 1)), ((2, 2), (1, 0), None),
])
def test_power_spectra_are_those_of_whole_arrays(dtype, shape, axes, spacing):
    x = numbers(shape, dtype)
    blocks = da.from_array(x, 4)
    for shells in (True, False):
        expect_close(fft.power_spectrum(blocks, shells, axes, spacing=spacing),
                     sf.power_spectrum(x, shells, axes, spacing=spacing))


def test_frequencies_and_shifts_fit_arrays_in_chunks():
    x = da.from_array(numbers((9, 8), "d"), 4)
    assert np.array_equal(fft.fftshift(fft.fftn(x)).compute(), sf.fftshift(sf.fftn(x.compute())))
    assert np.array_equal(fft.ifftshift(x, 0).compute(), sf.ifftshift(x.compute(), 0))
    assert np.array_equal(fft.fftfreq(9, 0.5, chunks=4).compute(), sf.fftfreq(9, 0.5))
    assert fft.rfftfreq(9, chunks=2).numblocks == (3,)


def test_from_zarr_and_back(tmp_path):
    pytest.importorskip("zarr", reason="zarr is not installed; tools/setup bindings_check installs it")
    x = numbers((20, 18, 16), "f")
    da.from_array(x, (5, 9, 16)).to_zarr(tmp_path / "x.zarr")
    fft.rfftn(da.from_zarr(tmp_path / "x.zarr")).to_zarr(tmp_path / "spectrum.zarr")
    spectrum = da.from_zarr(tmp_path / "spectrum.zarr")
    assert spectrum.numblocks == (4, 2, 1) and np.array_equal(spectrum.compute(), sf.rfftn(x))


def data_array(shape, dims, chunks):
    xr = pytest.importorskip("xarray", reason="xarray is not installed; tools/setup bindings_check installs it")
    array = xr.DataArray(numbers(shape, "d"), dims=dims, coords={d: np.arange(n) / 2 for d, n in zip(dims, shape)})
    return xr, array, array.chunk(chunks)


def test_arrays_of_xarray():
    xr, whole, blocks = data_array((6, 16, 12), ("time", "y", "x"), {"y": 4, "x": 5})
    ours = xr.apply_ufunc(fft.fftn, blocks, kwargs={"axes": (1, 2)}, dask="allowed")
    assert ours.dims == blocks.dims and np.array_equal(ours.values, sf.fftn(whole.values, axes=(1, 2)))
    assert np.array_equal(fft.fftn(blocks).compute(), sf.fftn(whole.values))


@pytest.mark.parametrize("true_phase", [False, True])
def test_xrft_transforms_along_chunks(true_phase):
    xrft = pytest.importorskip("xrft", reason="xrft is not installed; tools/setup bindings_check installs it")
    _, whole, blocks = data_array((4, 16, 12), ("time", "y", "x"), {"time": 2, "y": 4, "x": 5})
    with pytest.raises(ValueError, match="single chunk"):
        xrft.fft(blocks, dim=("y", "x"), true_phase=true_phase)
    with patch.multiple(da.fft, fftn=fft.fftn, rfftn=fft.rfftn, ifftn=fft.ifftn, irfftn=fft.irfftn):
        for function, keywords in ((xrft.fft, {}), (xrft.fft, {"real_dim": "x"}), (xrft.power_spectrum, {})):
            ours = function(blocks, dim=("y", "x"), true_phase=true_phase, **keywords)
            theirs = function(whole, dim=("y", "x"), true_phase=true_phase, **keywords)
            assert ours.dims == theirs.dims and np.allclose(ours.values, theirs.values)
        assert np.allclose(xrft.ifft(xrft.fft(blocks, dim="y", true_phase=True), dim="freq_y", true_phase=True).values,
                           whole.transpose("time", "y", "x").values)
