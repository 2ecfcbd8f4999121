"""Filters are products of NumPy's spectra, spectra are its sums over shells; scipy.ndimage is the oracle where it has
one."""

import numpy as np
import pytest
import scipy.ndimage
import scipy.signal
from test_functions import numbers

import shardfft as sf
from shardfft import analysis

SHAPE, SPACING = (12, 15, 10), (2.0, 0.5, 0.7)


def wave_numbers(shape, spacing):
    return np.meshgrid(*(2 * np.pi * np.fft.fftfreq(n, h) for n, h in zip(shape, spacing)), indexing="ij")


def by(x, factor):
    back = np.fft.ifftn(np.fft.fftn(x) * factor)
    return back if np.iscomplexobj(x) else back.real


def expect_close(ours, theirs, dtype="d"):
    assert ours.shape == theirs.shape
    unit = 2e-6 if dtype in "fF" else 1e-13
    assert np.linalg.norm(ours - theirs) <= unit * np.linalg.norm(theirs)


def low_pass(k, kc, edge, width):
    if edge == "hard":
        return (k <= kc).astype(float)
    if edge == "cosine":
        return (1 + np.cos(np.pi * np.clip((k - kc + width / 2) / width, 0, 1))) / 2
    if edge == "gaussian":
        return 0.5 ** ((k / kc) ** 2)
    return 1 / np.sqrt(1 + (k / kc) ** (2 * int(edge[-1])))


@pytest.mark.parametrize("dtype", ["d", "f", "D"])
@pytest.mark.parametrize("edge", ["hard", "cosine", "gaussian", "butterworth:3"])
def test_passes(edge, dtype):
    x, k = numbers(SHAPE, dtype), np.sqrt(sum(k**2 for k in wave_numbers(SHAPE, SPACING)))
    width = 4 * np.pi / min(n * h for n, h in zip(SHAPE, SPACING))
    kc, high_kc = 2 * np.pi / 3.3, 2 * np.pi / 6.1
    low = low_pass(k, kc, edge, width)
    high = 1 - low_pass(k, high_kc, edge, width)
    if edge.startswith("butter"):
        with np.errstate(divide="ignore"):
            high = 1 / np.sqrt(1 + (high_kc / k) ** 6)
    for words, factor in [({"low_pass": 3.3}, low), ({"high_pass": 6.1}, high), ({"band": (6.1, 3.3)}, low * high),
                          ({"low_pass": f"k={kc!r}", "high_pass": f"f={1 / 6.1!r}"}, low * high)]:
        expect_close(analysis.filter(x, edge=edge, spacing=SPACING, **words), by(x, factor), dtype)


@pytest.mark.parametrize("edge, kept", [("gaussian", 0.5), ("cosine", 0.5), ("butterworth:4", np.sqrt(0.5))])
def test_what_is_left_at_the_cutoff(edge, kept):
    x = np.cos(2 * np.pi * np.arange(64) / 16)
    for words in ({"low_pass": 16}, {"high_pass": 16}):
        np.testing.assert_allclose(analysis.filter(x, edge=edge, **words), kept * x, atol=1e-13)


def test_they_are_ndimages():
    x = numbers((9, 14, 11), "d")
    spectrum = np.fft.fftn(x)
    for sigma in (1.3, (0.5, 0, 2)):
        smooth = np.fft.ifftn(scipy.ndimage.fourier_gaussian(spectrum, sigma)).real
        expect_close(analysis.filter(x, gaussian=sigma), smooth)
    x = numbers((9, 13, 11), "d")  # of an even number the highest frequency is a cosine here
    moved = np.fft.ifftn(scipy.ndimage.fourier_shift(np.fft.fftn(x), (0.3, -2.2, 1))).real
    expect_close(analysis.filter(x, shift=(0.3, -2.2, 1)), moved)
    expect_close(analysis.filter(x, shift=(0.6, -4.4, 2), spacing=2), moved)


def test_derivatives():
    x, k = numbers((9, 15, 11), "d"), wave_numbers((9, 15, 11), SPACING)
    for words, factor in [({"derivative": 0}, 1j * k[0]), ({"derivative": (-1, 2)}, -k[2]**2),
                          ({"derivative": [0, (1, 3)]}, k[0] * k[1]**3), ({"laplacian": True}, -sum(q**2 for q in k)),
                          ({"derivative": 1, "gaussian": 0.4, "shift": 0.2},
                           1j * k[1] * np.exp(-0.08 * sum(q**2 for q in k) - 0.2j * sum(k)))]:
        expect_close(analysis.filter(x, spacing=SPACING, **words), by(x, factor))
    even = numbers((8,), "d")  # its highest frequency has no derivative of odd order
    k = 2 * np.pi * np.fft.fftfreq(8)
    k[4] = 0
    expect_close(analysis.filter(even, derivative=0), by(even, 1j * k))


def test_axes_and_memory_maps(tmp_path):
    x = numbers((4, 9, 8), "f")
    np.save(tmp_path / "x.npy", x)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    k = np.sqrt(sum(k**2 for k in wave_numbers((1, 9, 8), (1, 1, 1))))
    expect_close(analysis.filter(mapped, low_pass=3.9, edge="hard", axes=(1, 2)), by(x, k <= 2 * np.pi / 3.9), "f")


def shells_of(x, b, spacing, width, centred):
    """Sums over shells, mode by mode: |F|^2/N^2, |G|^2/N^2, F conj(G)/N^2, |k|, modes."""
    k = np.sqrt(sum(k**2 for k in wave_numbers(x.shape, spacing)))
    first, second = np.fft.fftn(x) / x.size, np.fft.fftn(b) / x.size
    shell = np.floor(k / width + (0.5 if centred else 0) + 1e-9).astype(int).ravel()
    sums = [np.bincount(shell, np.ravel(v)) for v in (np.abs(first)**2, np.abs(second)**2,
                                                      (first * second.conj()).real, k, np.ones(k.shape))]
    return sums, (1j * np.bincount(shell, np.ravel((first * second.conj()).imag)))


@pytest.mark.parametrize("dtype", ["d", "f", "D"])
@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("shape, spacing", [((12, 12, 12), (1, 1, 1)), (SHAPE, SPACING), ((16, 9), (0.5, 2))])
def test_spectra(shape, spacing, centred, dtype):
    x, b = numbers(shape, dtype), numbers(shape, dtype, 3) + numbers(shape, dtype)
    lengths = np.multiply(shape, spacing)
    width, volume, d = 2 * np.pi / min(lengths), np.prod(lengths), len(shape)
    (power, power_b, cross, k, modes), imaginary = shells_of(x, b, spacing, width, centred)
    found = analysis.spectrum(x, b, spacing=spacing, centred=centred)
    rtol = 1e-5 if dtype == "f" else 1e-12
    close = lambda a, b, **more: np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * np.max(np.abs(b)), **more)
    np.testing.assert_array_equal(found.modes, modes)
    close(found.k, k / modes)
    close(found.power, volume * power / modes)
    close(found.power_b, volume * power_b / modes)
    close(found.cross, volume * (cross + imaginary) / modes)
    close(found.correlation, cross / np.sqrt(power * power_b))
    close(found.error, found.power * np.sqrt((1 if dtype == "D" else 2) / modes))
    close(analysis.spectrum(x, spacing=spacing, centred=centred, normalize="sum").power, power)
    close(analysis.spectrum(x, spacing=spacing, centred=centred, normalize="energy").power, power / 2 / width)
    factor = k**3 / modes**3 / (2 * np.pi**2) if d == 3 else k**2 / modes**2 / (2 * np.pi)
    close(analysis.spectrum(x, spacing=spacing, centred=centred, normalize="dimensionless").power,
          volume * power / modes * factor)
    np.testing.assert_array_equal(found.beyond_nyquist, found.k_high > np.pi / max(spacing) * (1 + 1e-9))
    close(sum(found.modes * found.power) / volume, np.mean(np.abs(x)**2))  # the sum rule


def test_energies_add_up_components():
    u = numbers((3, 12, 10, 8), "d")
    k = np.sqrt(sum(k**2 for k in wave_numbers((12, 10, 8), SPACING)))
    width = 2 * np.pi / min(n * h for n, h in zip((12, 10, 8), SPACING))
    energy = 0.5 * np.sum(np.abs(np.fft.fftn(u, axes=(1, 2, 3)) / 960)**2, 0)
    wanted = np.bincount(np.floor(k / width + 0.5 + 1e-9).astype(int).ravel(), energy.ravel()) / width
    found = analysis.spectrum(u, axes=(1, 2, 3), spacing=(1, *SPACING), normalize="energy", centred=True)
    np.testing.assert_allclose(found.power, wanted, rtol=1e-12)
    np.testing.assert_allclose(width * found.power.sum(), 1.5 * np.mean(u**2))


def test_shells_of_a_width():
    x = numbers((16, 16), "d")
    for shells, width in [(0.9, 0.9), ("k=0.9", 0.9), ("f=0.2", 0.4 * np.pi)]:
        (power, _, _, _, modes), _ = shells_of(x, x, (1, 1), width, False)
        found = analysis.spectrum(x, shells=shells, normalize="sum")
        np.testing.assert_array_equal(found.modes, modes)
        np.testing.assert_allclose(found.power, power, rtol=1e-12)
        np.testing.assert_allclose(found.k_low, width * np.arange(len(modes)))


@pytest.mark.parametrize("ranks", [2, 3])
def test_distributed_arrays(ranks):
    x, b = numbers(SHAPE, "d"), numbers(SHAPE, "d", 3)
    smooth, found = analysis.filter(x, low_pass=3, spacing=SPACING), analysis.spectrum(x, b, spacing=SPACING)

    def work(comm):
        mine, other = (sf.empty(SHAPE, dtype="d", comm=comm, layout="slabs:1") for _ in range(2))
        mine.local[...], other.local[...] = x[mine.box], b[other.box]
        filtered = analysis.filter(mine, low_pass=3, spacing=SPACING)
        np.testing.assert_array_equal(filtered.local, smooth[filtered.box])
        of_ranks = analysis.spectrum(mine, other, spacing=SPACING)
        np.testing.assert_array_equal(of_ranks.power, found.power)
        np.testing.assert_array_equal(of_ranks.cross, found.cross)

    sf.on_ranks(ranks, work)


def test_mistakes():
    x = np.zeros((4, 4))
    for words, saying in [({"low_pass": 0}, "low_pass is positive"), ({"low_pass": "k=x"}, "got 'k=x'"),
                          ({}, "does nothing"), ({"low_pass": 2, "edge": "soft"}, "got 'soft'"),
                          ({"low_pass": 2, "edge": "hard:2"}, "got 'hard:2'"), ({"derivative": 2}, "got 2"),
                          ({"band": (2, 3), "low_pass": 2}, "leave it out"), ({"gaussian": (1, 2, 3)}, "got 3"),
                          ({"low_pass": 2, "edge": "butterworth:99"}, "from 1 to 16"), ({"gaussian": -1}, "got -1")]:
        with pytest.raises(sf.InvalidArgument, match=saying):
            analysis.filter(x, **words)
    for words, saying in [({"normalize": "p"}, "got 'p'"), ({"shells": -1}, "positive"), ({"b": x[1:]}, "one shape")]:
        with pytest.raises(sf.InvalidArgument, match=saying):
            analysis.spectrum(x, **words)


def correlation(a, b, phase):
    product = np.fft.fftn(a) * np.fft.fftn(b).conj()
    if phase:
        product /= np.maximum(np.abs(product), 100 * np.finfo(a.dtype).eps)
    back = np.fft.ifftn(product)
    return back if np.iscomplexobj(a) else back.real


@pytest.mark.parametrize("dtype", ["d", "f", "D"])
@pytest.mark.parametrize("phase", [True, False])
def test_correlations_are_numpys(phase, dtype):
    a, b = numbers((6, 9, 8), dtype), numbers((6, 9, 8), dtype, 3)
    expect_close(analysis.correlate(a, b, phase=phase), correlation(a, b, phase), dtype)


@pytest.mark.parametrize("shape, shift, upsample", [
    ((31, 25), (3.0, -7.0), 1), ((31, 25), (-2.37, 5.81), 100), ((15, 17, 13), (1.4, -2.7, 0.3), 10),
    ((63,), (11.25,), 4),
    ((24, 32), (0.125, -3.625), 8), ((15, 17, 13), (-6.0, 0.02, 3.11), 100)])
@pytest.mark.parametrize("dtype", ["d", "D"])
def test_shifts_are_found(shape, shift, upsample, dtype):
    a = scipy.ndimage.gaussian_filter(numbers(shape, "d"), 1.5, mode="wrap").astype(dtype)
    b = np.fft.ifftn(scipy.ndimage.fourier_shift(np.fft.fftn(a), np.negative(shift)))
    b = b if dtype == "D" else b.real
    for phase in (True, False):
        found = analysis.register(a, b, upsample=upsample, phase=phase)
        np.testing.assert_allclose(found.shift, shift, atol=0.51 / upsample)
    moved = analysis.filter(b, shift=found.shift)
    assert np.linalg.norm(moved - a) < 0.2 / upsample * np.linalg.norm(a) + 1e-9


def test_registration_of_distributed_arrays():
    a = scipy.ndimage.gaussian_filter(numbers((15, 17, 13), "d"), 1.5, mode="wrap")
    b = np.fft.ifftn(scipy.ndimage.fourier_shift(np.fft.fftn(a), (-1.3, 2.6, 4))).real

    def work(comm):
        mine, other = (sf.empty(a.shape, dtype="d", comm=comm, layout="slabs:0") for _ in range(2))
        mine.local[...], other.local[...] = a[mine.box], b[other.box]
        np.testing.assert_allclose(analysis.register(mine, other, upsample=10).shift, (1.3, -2.6, -4))

    sf.on_ranks(3, work)


@pytest.mark.parametrize("mode", ["same", "full", "circular"])
@pytest.mark.parametrize("types", ["dd", "ff", "dD"])
@pytest.mark.parametrize("shape, kernel", [
    ((5000,), (7,)), ((150, 600), (4, 9)), ((40, 5, 270), (3, 1, 6)), ((9, 8), (9, 8))])
def test_convolutions_tile_by_tile(shape, kernel, types, mode):
    x, k = numbers(shape, types[0]), numbers(kernel, types[1], 3)
    if mode == "circular":
        padded = np.zeros(shape, k.dtype)
        padded[tuple(map(slice, kernel))] = k
        wanted = np.fft.ifftn(np.fft.fftn(x) * np.fft.fftn(padded))
        wanted = wanted if types[1] == "D" else wanted.real
    else:
        wanted = scipy.signal.fftconvolve(x, k, mode)
    for method in ("tiles", "spectrum", "auto"):
        expect_close(analysis.convolve(x, k, mode, method=method), wanted, types[0])
    np.testing.assert_array_equal(analysis.convolve(x, k, mode, method="tiles", workers=1),
                                  analysis.convolve(x, k, mode, method="tiles", workers=3))


def test_convolutions_of_strided_arrays():
    x = numbers((300, 260), "d")[::2, ::-1].T
    k = numbers((3, 5), "d", 3)
    expect_close(analysis.convolve(x, k, method="tiles"), scipy.signal.fftconvolve(x, k, "same"))


def blurred(shape=(20, 18, 21), dtype="d"):
    x = np.abs(scipy.ndimage.gaussian_filter(numbers(shape, "d"), 1)).astype(dtype)
    psf = np.exp(-0.5 * sum(q**2 for q in np.ogrid[-2:3, -1:2, -3:4][:len(shape)])).astype(dtype)
    return x, psf / psf.sum()


@pytest.mark.parametrize("dtype", ["d", "f"])
def test_wieners_filter(dtype):
    """The formula of skimage.restoration.wiener, with its Laplacian as regularisation."""
    x, psf = blurred(dtype=dtype)
    spread, laplace = np.zeros(x.shape), np.zeros(x.shape)
    spread[tuple(map(slice, psf.shape))] = psf
    h = np.fft.fftn(np.roll(spread, [-(m // 2) for m in psf.shape], (0, 1, 2)))
    laplace[0, 0, 0] = 6
    for axis in range(3):
        for step in (-1, 1):
            laplace[tuple(step if a == axis else 0 for a in range(3))] = -1
    for balance in (0.1, 1e-3):
        factor = h.conj() / (np.abs(h)**2 + balance * np.abs(np.fft.fftn(laplace))**2)
        expect_close(analysis.deconvolve(x, psf, balance=balance), by(x.astype("d"), factor), dtype)


def test_richardson_and_lucy():
    """The formula of skimage.restoration.richardson_lucy."""
    x, psf = blurred()
    wanted = np.full(x.shape, 0.5)
    for _ in range(7):
        lacks = x / (scipy.signal.convolve(wanted, psf, "same") + 1e-12)
        wanted *= scipy.signal.convolve(lacks, np.flip(psf), "same")
    expect_close(analysis.deconvolve(x, psf, iterations=7), wanted)
    single, psf = blurred(dtype="f")
    expect_close(analysis.deconvolve(single, psf, iterations=7), wanted.astype("f"), "f")


@pytest.mark.parametrize("dtype", ["d", "f", "D", "i"])
def test_comparisons(dtype):
    a = (10 * numbers((7, 8), "d" if dtype != "D" else "D")).astype(dtype)
    b = a.copy()
    assert analysis.compare(a, b) == analysis.Difference(0, (), 0, 0)
    b[3, 2] += 4
    b[5, 1] -= 4
    found = analysis.compare(a, b)
    assert found.where == (3, 2)
    np.testing.assert_allclose(found.max, 4, rtol=1e-6)
    np.testing.assert_allclose(found.rms, np.sqrt(32 / 56), rtol=1e-6)
    np.testing.assert_allclose(found.relative, np.sqrt(32) / np.linalg.norm(a), rtol=1e-6)
    if dtype != "i":
        a[0, 0] = b[0, 0] = np.nan
        assert analysis.compare(a, b).where == (3, 2)
        b[6, 6] = np.nan
        assert analysis.compare(a, b).where == (6, 6) and analysis.compare(a, b).max == np.inf
    assert analysis.compare(np.zeros(3), np.ones(3)).relative == np.inf


def test_mistakes_with_two_arrays():
    x = np.zeros((4, 4))
    for call, saying in [
            (lambda: analysis.register(x, x[1:]), "one shape"), (lambda: analysis.register(x, x, upsample=0), "got 0"),
            (lambda: analysis.convolve(x, x, "middle"), "got 'middle'"),
            (lambda: analysis.compare(x, x[1:]), "one shape"),
            (lambda: analysis.convolve(x, x, method="fast"), "got 'fast'"),
            (lambda: analysis.convolve(x, x[0]), "as many axes"),
            (lambda: analysis.convolve(x, np.zeros((5, 5)), "circular"), "no longer than"),
            (lambda: analysis.deconvolve(x, np.zeros((5, 5))), "no longer"),
            (lambda: analysis.deconvolve(x, x, iterations=0), "1 or more"),
            (lambda: analysis.deconvolve(x, x, balance=-1), "got -1")]:
        with pytest.raises(sf.InvalidArgument, match=saying):
            call()
