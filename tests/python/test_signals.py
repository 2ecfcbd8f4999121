"""Convolutions and correlations are scipy.signal's; power spectra keep the mean square."""

import itertools

import numpy as np
import pytest
import scipy.signal
from test_functions import numbers

import shardfft as sf

PAIRS = [((9,), (4,)), ((4,), (9,)), ((1,), (5,)), ((8, 7), (3, 5)), ((6, 5, 4), (2, 5, 3))]


def expect_close(ours, theirs):
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
    unit = 1e-5 if ours.dtype.char in "fF" else 1e-13
    assert np.linalg.norm(ours - theirs) <= unit * np.linalg.norm(theirs)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("types", ["dd", "fD", "FF", "id"])
def test_they_are_scipys(mode, types):
    for (first, second), ours, theirs in itertools.product(
            PAIRS, (sf.convolve, sf.correlate), (scipy.signal.convolve, scipy.signal.correlate)):
        if ours.__name__ != theirs.__name__:
            continue
        a, b = numbers(first, types[0]), numbers(second, types[1], 2)
        if mode == "valid" and not (all(np.less_equal(second, first)) or all(np.less_equal(first, second))):
            continue
        expect_close(ours(a, b, mode), theirs(a, b, mode, method="direct"))


def test_axes_and_broadcasting():
    a, b = numbers((3, 10, 7), "d"), numbers((1, 4, 7), "d", 2)
    expect_close(sf.convolve(a, b, axes=1), scipy.signal.fftconvolve(a, b, axes=1))
    expect_close(sf.convolve(a, b[:, :, :1], "same", axes=(-2,)),
                 scipy.signal.fftconvolve(a, b[:, :, :1], "same", axes=1))
    expect_close(sf.convolve(a, b, "valid", (1, 2), workers=2), scipy.signal.fftconvolve(a, b, "valid", axes=(1, 2)))
    for first, second in [((1, 5), (7, 3)), ((6, 1), (2, 4)), ((5, 1, 3), (4, 6, 1))]:  # one element is no length
        a, b = numbers(first, "d"), numbers(second, "d", 2)
        expect_close(sf.convolve(a, b, "valid"), scipy.signal.fftconvolve(a, b, "valid"))


@pytest.mark.parametrize("dtype", ["d", "D"])
def test_circular_ones_wrap(dtype):
    a, b = numbers((6, 7), dtype), numbers((2, 3), dtype, 2)
    wrapped = sum(b[i, j] * np.roll(a, (i, j), (0, 1)) for i in range(2) for j in range(3))
    against = sum(np.conj(b[i, j]) * np.roll(a, (-i, -j), (0, 1)) for i in range(2) for j in range(3))
    expect_close(sf.convolve(a, b, "circular"), wrapped)
    expect_close(sf.correlate(a, b, "circular"), against)


@pytest.mark.parametrize("dtype", ["f", "d", "D"])
@pytest.mark.parametrize("shape, axes", [((8,), None), ((6, 9), None), ((3, 8, 5), (1, 2)), ((4, 5, 6), (0, 2))])
def test_power_spectra(dtype, shape, axes):
    x = numbers(shape, dtype)
    along = tuple(range(x.ndim)) if axes is None else axes
    power = np.abs(np.fft.fftn(x, axes=axes, norm="forward")) ** 2
    k2 = sum(np.square(np.fft.fftfreq(n, 1 / n).reshape([-1 if a == axis else 1 for a in range(x.ndim)]))
             for axis, n in enumerate(shape) if axis in along)
    shell = np.rint(np.sqrt(k2))
    ours = sf.power_spectrum(x, axes=axes)
    wanted = [np.where(shell == i, power, 0).sum(axis=along) for i in range(int(shell.max()) + 1)]
    assert np.allclose(ours, np.stack(wanted, axis=-1), rtol=1e-5 if dtype == "f" else 1e-12)
    modes = sf.power_spectrum(x, shells=False, axes=axes)
    assert np.isclose(modes.sum(), power.sum()) and (dtype != "D" or np.allclose(modes, power))


def by_shells_of_a_box(x, axes, spacing):
    """Sums over shells as wide as the lowest frequency in cycles per unit, in the order of frequencies of NumPy."""
    power = np.abs(np.fft.fftn(x, axes=axes, norm="forward")) ** 2
    f2 = sum(np.square(np.fft.fftfreq(x.shape[a], spacing[a])).reshape([-1 if b == a else 1 for b in range(x.ndim)])
             for a in axes)
    shell = np.sqrt(f2) * max(x.shape[a] * spacing[a] for a in axes)
    assert np.abs(shell - np.floor(shell) - .5).min() > 1e-9            # no tie, which rounding errors decide
    shell = np.rint(shell)
    return np.stack([np.where(shell == i, power, 0).sum(axis=axes) for i in range(int(shell.max()) + 1)], axis=-1)


@pytest.mark.parametrize("dtype", ["f", "d", "D"])
@pytest.mark.parametrize("shape, axes, spacing", [
    ((6, 10, 9), (0, 1, 2), (2.5, .3, 1.1)), ((3, 8, 5), (1, 2), (-1, .27, 1.3)), ((12, 7), (0, 1), (.1, .1))])
def test_shells_are_spheres_of_boxes_whose_points_are_no_cubes(dtype, shape, axes, spacing):
    x = numbers(shape, dtype)
    ours = sf.power_spectrum(x, axes=axes, spacing=spacing)
    wanted = by_shells_of_a_box(x, axes, spacing)
    assert ours.shape == wanted.shape and np.allclose(ours, wanted, rtol=1e-5 if dtype == "f" else 1e-12)
    if len(set(spacing)) == 1:
        assert np.array_equal(sf.power_spectrum(x, axes=axes, spacing=spacing[0]), ours)


def test_a_wave_is_in_the_same_shell_along_any_side():
    """0.2 cycles a voxel of a stack of 30 x 50 x 50, along each axis."""
    for axis in range(3):
        places = np.arange((30, 50, 50)[axis]).reshape([-1 if a == axis else 1 for a in range(3)])
        wave = np.cos(2 * np.pi * .2 * places) + np.zeros((30, 50, 50))
        power = sf.power_spectrum(wave, spacing=1)
        assert np.argmax(power) == 10 and np.isclose(power[10], .5)
        assert np.argmax(sf.power_spectrum(wave)) == (6 if axis == 0 else 10)


def test_arrays_without_elements_have_no_power():
    for shape in [(0,), (0, 8), (8, 0), (2, 0, 3), (0, 5, 4)]:
        for axes in [None, 0, -1]:
            for dtype in "fdFD":
                along = range(len(shape)) if axes is None else [axes % len(shape)]
                one = tuple(max(n, 1) for n in shape)                # with elements, which say the other extents
                shells, modes = (sf.power_spectrum(np.ones(one, dtype), whole, axes) for whole in (True, False))
                empty = [axis for axis, n in enumerate(shape) if n == 0]
                rest = [n for axis, n in enumerate(shape) if axis not in along]
                ours = sf.power_spectrum(np.ones(shape, dtype), axes=axes)
                nothing = any(axis in along for axis in empty)
                assert ours.shape == (*rest, 0 if nothing else shells.shape[-1]) and ours.dtype == shells.dtype
                ours = sf.power_spectrum(np.ones(shape, dtype), False, axes)
                wanted = tuple(0 if axis in empty else n for axis, n in enumerate(modes.shape))
                assert ours.shape == wanted and ours.dtype == modes.dtype


def test_convolutions_with_nothing_are_empty_as_scipys():
    for first, second in itertools.product([(0, 3), (3, 0), (2, 3)], repeat=2):
        if 0 in first + second:
            a, b = np.ones(first), np.ones(second)
            for mode in ["full", "same"]:
                assert sf.convolve(a, b, mode).shape == scipy.signal.fftconvolve(a, b, mode).shape == (0,)


def test_refusals_name_the_rule():
    a = np.ones((4, 5))
    for broken, match in [
        (lambda: sf.convolve(a, a, "some"), "mode is one of"),
        (lambda: sf.convolve(a, np.ones(3)), "as many axes"),
        (lambda: sf.convolve(a, np.ones((5, 4)), "valid"), "no shorter"),
        (lambda: sf.convolve(a, np.ones((5, 4)), "circular"), "no longer"),
        (lambda: sf.correlate(np.ones((4, 0)), a), "elements"),
        (lambda: sf.convolve(np.ones((3, 5)), a, axes=1), "broadcast"),
        (lambda: sf.correlate(a, a, axes=(0, 0)), "different"),
        (lambda: sf.correlate(a, a, axes=7), "out of bounds"),
        (lambda: sf.power_spectrum(np.ones((1,) * 5), axes=(0, -5)), "different ones"),
        (lambda: sf.power_spectrum(a, spacing=(1, 0)), "positive and finite; got 0.0 along axis 1"),
        (lambda: sf.power_spectrum(a, spacing=-1), "positive and finite; got -1.0 along axis 0"),
        (lambda: sf.power_spectrum(a, spacing=np.nan), "positive and finite; got nan"),
        (lambda: sf.power_spectrum(a, spacing=(1, 2, 3)), "each of 2 axes of the array; got 3"),
        (lambda: sf.power_spectrum(a, spacing="1"), "spacing is a real number"),
        (lambda: sf.power_spectrum(a, spacing=(1, 1e-9)), "at most 1048576 shells"),
    ]:
        with pytest.raises(ValueError, match=match):
            broken()
