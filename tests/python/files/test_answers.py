"""Answers about arrays larger than memory: as SciPy and NumPy define them, with the bits of those in memory."""

import numpy as np
import pytest
from scipy import signal

import shardfft as sf

MEMORY = 900_000  # of arrays of 1.2 MB and more; of single precision 0.6 MB


def field(shape, dtype="d", seed=20261130):
    random = np.random.default_rng(seed)
    values = random.standard_normal(shape)
    return (values + 1j * random.standard_normal(shape)).astype(dtype) if np.dtype(dtype).kind == "c" \
        else values.astype(dtype)


def saved(folder, **arrays):
    """Paths of the arrays."""
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    return [folder / f"{name}.npy" for name in arrays]


def left(folder):
    return sorted(path.name for path in folder.iterdir())


def tolerance(dtype):
    return 1e-4 if np.dtype(dtype).char in "fF" else 1e-10


@pytest.mark.parametrize("dtype, mode, ranks", [("f", "full", 3), ("D", "circular", 1)])
def test_a_convolution_is_scipys_through_the_spectrum_and_in_tiles(tmp_path, dtype, mode, ranks):
    shape = (61, 45, 53)
    array, kernel = field(shape, dtype), field((4, 7, 5), dtype, 2)
    a, k = saved(tmp_path, a=array, k=kernel)
    expected = signal.fftconvolve(np.pad(array, [(m - 1, 0) for m in kernel.shape], "wrap"), kernel, "valid") \
        if mode == "circular" else signal.fftconvolve(array, kernel, mode)
    for method, memory in [("spectrum", MEMORY), ("auto", "32M")]:
        told = sf.on_ranks(ranks, lambda comm: sf.files.convolve(
            a, k, tmp_path / "out.npy", mode=mode, method=method, memory=memory, comm=comm, threads=1))
        found = np.load(tmp_path / "out.npy")
        assert found.dtype == array.dtype and found.shape == expected.shape
        assert np.allclose(found, expected, atol=tolerance(dtype))
        assert told == [{"auto": "tiles"}.get(method, method)] * ranks
        if method == "auto":
            assert np.array_equal(found, sf.analysis.convolve(array, kernel, mode, method="tiles", workers=1))
    assert left(tmp_path) == ["a.npy", "k.npy", "out.npy"]


@pytest.mark.parametrize("dtype, ranks", [("f", 2)])
def test_a_correlation_is_numpys_and_its_peak_the_shift(tmp_path, dtype, ranks):
    array, by = field((61, 45, 53), dtype), (5, -20, 23)
    a, b = saved(tmp_path, a=array, b=np.roll(array, by, (0, 1, 2)))
    found = sf.on_ranks(ranks, lambda comm: sf.files.correlate(
        a, b, tmp_path / "out.npy", phase=False, memory=MEMORY, comm=comm))
    expected = np.fft.ifftn(np.fft.fftn(array) * np.fft.fftn(np.load(b)).conj())
    out = np.load(tmp_path / "out.npy")
    assert out.dtype == array.dtype and np.allclose(out, expected, atol=tolerance(dtype) * array.size)
    for mine in found:
        assert np.array_equal(mine.shift, np.negative(by)) and np.isclose(mine.peak, np.abs(expected).max())
    phases = sf.files.correlate(a, b, tmp_path / "out.npy", memory=MEMORY)
    assert np.isclose(phases.peak, 1) and np.array_equal(phases.shift, np.negative(by))
    assert np.array_equal(np.load(tmp_path / "out.npy"), sf.analysis.correlate(array, np.load(b)))
    assert left(tmp_path) == ["a.npy", "b.npy", "out.npy"]


def test_a_shift_between_points_needs_no_target(tmp_path):
    array, by = field((61, 45, 53)), (1.4, -3, 0.73)
    a, b = saved(tmp_path, a=array, b=sf.analysis.filter(array, shift=by))
    found = sf.files.register(a, b, upsample=100, memory=2 * MEMORY)
    here = sf.analysis.register(array, np.load(b), upsample=100)
    assert np.allclose(found.shift, np.negative(by), atol=1e-9) and np.array_equal(found.shift, here.shift)
    assert np.isclose(found.peak, here.peak) and left(tmp_path) == ["a.npy", "b.npy"]


@pytest.mark.parametrize("dtype", ["f", "D"])
def test_a_cross_spectrum_has_the_bits_of_that_in_memory(tmp_path, dtype):
    array, other, spacing = field((60, 45, 53), dtype), field((60, 45, 53), dtype, 3), (2.0, 0.5, 0.25)
    a, b = saved(tmp_path, a=array, b=array + other)
    here = sf.analysis.spectrum(array, array + other, spacing=spacing)
    there = sf.files.spectrum(a, b, spacing=spacing, memory=MEMORY)
    for name in ("k", "modes", "power", "error", "power_b", "cross", "correlation"):
        assert np.array_equal(getattr(here, name), getattr(there, name), equal_nan=True), name
    full = np.fft.fftn(array) * np.fft.fftn(array + other).conj() / array.size**2
    assert np.allclose(sf.files.spectrum(a, b, normalize="sum", memory=MEMORY).cross.sum(), full.sum())


@pytest.mark.parametrize("dtype, ranks", [("d", 3)])
def test_a_deconvolution_is_wieners_filter_or_the_iterations(tmp_path, dtype, ranks):
    array, psf = np.abs(field((61, 45, 53), dtype)), np.abs(field((5, 4, 3), "d", 2))
    psf /= psf.sum()
    a, k = saved(tmp_path, a=array, k=psf)

    def deconvolve(comm, **words):
        return sf.files.deconvolve(a, k, tmp_path / "out.npy", comm=comm, **words)

    spread = np.zeros(array.shape)
    spread[:5, :4, :3] = psf
    h = np.fft.fftn(np.roll(spread, (-2, -2, -1), (0, 1, 2)))
    waves = np.meshgrid(*(2 * np.pi * np.fft.fftfreq(n) for n in array.shape), indexing="ij", sparse=True)
    laplace = sum(2 - 2 * np.cos(k) for k in waves)
    expected = np.fft.ifftn(np.fft.fftn(array) * h.conj() / (np.abs(h)**2 + 0.01 * laplace**2)).real
    assert sf.on_ranks(ranks, lambda comm: deconvolve(comm, balance=0.01, memory=MEMORY)) == [None] * ranks
    found = np.load(tmp_path / "out.npy")
    assert found.dtype == array.dtype and np.allclose(found, expected, atol=tolerance(dtype))
    assert np.array_equal(found, sf.analysis.deconvolve(array, psf, balance=0.01))
    expected, odd = np.full(array.shape, 0.5), np.pad(psf, [(0, 0), (0, 1), (0, 0)])
    for _ in range(2):
        lacks = array / (signal.fftconvolve(expected, odd, "same") + 1e-12)
        expected *= signal.fftconvolve(lacks, odd[::-1, ::-1, ::-1], "same")
    sf.on_ranks(ranks, lambda comm: deconvolve(comm, iterations=2, memory=4 * MEMORY))
    assert np.allclose(np.load(tmp_path / "out.npy"), expected, atol=tolerance(dtype) * 10)
    assert left(tmp_path) == ["a.npy", "k.npy", "out.npy"]


def test_objects_and_other_formats_are_ends(tmp_path):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    pytest.importorskip("zarr", reason="zarr is not installed")
    array, kernel = field((60, 45, 53), "f"), field((3, 3, 3), "f", 2)
    saved(tmp_path, a=array)
    sf.files.convert(tmp_path / "a.npy", tmp_path / "a.zarr")
    with h5py.File(tmp_path / "k.h5", "w") as file:
        file.create_dataset("kernel", data=kernel, chunks=(2, 3, 3), compression="gzip")
    expected = sf.analysis.convolve(array, kernel, method="tiles")
    for source, target in [(tmp_path / "a.zarr", tmp_path / "out.tif"), (array, np.empty_like(array)),
                           (np.load(tmp_path / "a.npy", mmap_mode="r"), tmp_path / "out.zarr")]:
        sf.files.convolve(source, f"{tmp_path}/k.h5:/kernel", target, method="tiles", memory="64M")
        if not isinstance(target, np.ndarray):
            sf.files.convert(target, tmp_path / "back.npy")
            target = np.load(tmp_path / "back.npy")
        assert np.array_equal(target, expected)
    found = sf.files.correlate(tmp_path / "a.zarr", array, tmp_path / "peak.h5", memory=4 * MEMORY)
    assert np.array_equal(found.shift, [0, 0, 0]) and np.isclose(found.peak, 1)
    with h5py.File(tmp_path / "peak.h5") as file:
        assert file["data"].shape == array.shape and np.isclose(file["data"][0, 0, 0], 1)


class Torn:
    """Fails at the second block."""

    shape, dtype, blocks = (61, 45, 53), np.dtype("d"), 0

    def __getitem__(self, slices):
        self.blocks += 1
        if self.blocks == 2:
            raise KeyError("the tape is torn")
        return field([s.stop - s.start for s in slices])


def test_what_an_object_raises_ends_the_call_on_every_rank(tmp_path):
    kernel = field((3, 3, 3))
    calls = [lambda source, **way: sf.files.convolve(source, kernel, tmp_path / "out.npy", method="tiles", **way),
             lambda source, **way: sf.files.deconvolve(source, kernel, tmp_path / "out.npy", **way),
             lambda source, **way: sf.files.correlate(source, source, tmp_path / "out.npy", **way)]

    for call in calls:
        def work(comm):
            source = Torn() if comm.rank == 1 else field(Torn.shape)
            with pytest.raises(sf.IoFailed, match="KeyError: 'the tape is torn'"):
                call(source, memory="16M" if call is calls[0] else "1M", comm=comm, threads=1)

        sf.on_ranks(2, work)
        assert not list(tmp_path.iterdir())


def test_mistakes_say_what_would_be_right(tmp_path):
    array, kernel = field((20, 30)), field((3, 3))
    a, f = saved(tmp_path, a=array, f=np.asfortranarray(array))
    out = tmp_path / "out.npy"
    for told, call in [
            ("arrays of one shape", lambda: sf.files.correlate(a, kernel, out)),
            ("arrays of one shape", lambda: sf.files.spectrum(a, kernel)),
            ("register() finds the shift alone", lambda: sf.files.correlate(a, a, None)),
            ("from 1 to 1000; got 0", lambda: sf.files.register(a, a, upsample=0)),
            ("as many axes as the array", lambda: sf.files.convolve(a, kernel[0], out)),
            ("method is 'auto'", lambda: sf.files.convolve(a, kernel, out, method="direct")),
            ("mode is same, full or circular", lambda: sf.files.convolve(a, kernel, out, mode="valid")),
            ("the result has shape (22, 32)", lambda: sf.files.convolve(a, kernel, np.empty_like(array), mode="full")),
            ("no longer than the array", lambda: sf.files.deconvolve(kernel, a, out)),
            ("of real arrays", lambda: sf.files.deconvolve(a, 1j * kernel, out)),
            ("iterations are 1 or more", lambda: sf.files.deconvolve(a, kernel, out, iterations=0)),
            ("the balance of Wiener's filter", lambda: sf.files.deconvolve(a, kernel, out, balance=-1)),
            ("shape, dtype and slices", lambda: sf.files.convolve(a, 3, out))]:
        with pytest.raises(sf.InvalidArgument) as error:
            call()
        assert told in str(error.value)
    for call in (lambda: sf.files.convolve(f, kernel, out), lambda: sf.files.deconvolve(f, kernel, out),
                 lambda: sf.files.correlate(f, f, out)):
        with pytest.raises(sf.Unsupported, match="numpy.ascontiguousarray"):
            call()
    with pytest.raises(sf.OutOfMemory, match="go through the spectrum"):
        sf.files.convolve(a, kernel, out, memory=10000)
    with pytest.raises(sf.Mismatch):
        sf.on_ranks(2, lambda comm: sf.files.convolve(a, kernel, out, mode=("same", "full")[comm.rank], comm=comm))
    assert left(tmp_path) == ["a.npy", "f.npy"]
