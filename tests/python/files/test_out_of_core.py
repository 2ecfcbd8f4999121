"""Transforms of arrays larger than memory: files, memory maps, datasets of h5py, arrays of zarr, objects of ours."""

import signal

import numpy as np
import pytest

import shardfft as sf

MEMORY = 1 << 20  # of arrays of 2 MB and more


def field(shape, dtype="D"):
    random = np.random.default_rng(20261130)
    values = random.standard_normal(shape) + 1j * random.standard_normal(shape)
    return values.astype(dtype) if np.dtype(dtype).kind == "c" else values.real.astype(dtype)


def in_memory(kind, dtype, array, **arguments):
    with sf.Plan(array.shape, kind=kind, dtype=dtype, **arguments) as plan:
        return np.asarray(plan.forward(array))


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("kind, dtype, axes", [("c2c", "D", None), ("r2c", "f", (0, 2)), ("c2c", "F", (1,))])
def test_files_have_the_bits_of_a_plan_in_memory(tmp_path, kind, dtype, axes, ranks):
    array = field((70, 60, 50), dtype)
    np.save(tmp_path / "in.npy", array)
    figures = sf.on_ranks(ranks, lambda comm: sf.files.transform(
        tmp_path / "in.npy", tmp_path / "out.npy", kind=kind, axes=axes, memory=MEMORY, comm=comm, threads=1))
    expected = in_memory(kind, dtype, array, axes=axes, threads=1)
    found = np.load(tmp_path / "out.npy")
    assert found.dtype == expected.dtype and np.array_equal(found, expected)
    assert np.allclose(found, np.fft.rfftn(array, axes=axes) if kind == "r2c" else np.fft.fftn(array, axes=axes),
                       rtol=1e-3, atol=1e-2)
    assert figures[0]["right"] and sum(p["tiles"] for p in figures[0]["passes"]) > 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.npy", "out.npy"]


def test_an_axis_longer_than_the_memory_is_read_of_npy_files(tmp_path):
    array = field(1 << 18)
    np.save(tmp_path / "in.npy", array)
    figures = sf.files.transform(tmp_path / "in.npy", tmp_path / "out.npy", memory=2 * MEMORY)
    assert np.array_equal(np.load(tmp_path / "out.npy"), in_memory("c2c", "D", array))
    assert [p["does"] for p in figures["passes"]] == ["move", "forward", "forward", "move"]
    with pytest.raises(sf.OutOfMemory, match="copy the array to a .npy file, whose axis may be cut"):
        sf.files.transform(array, tmp_path / "out.npy", memory=2 * MEMORY)
    with pytest.raises(sf.Unsupported, match="is written in short stretches"):
        sf.files.transform(tmp_path / "in.npy", np.empty_like(array), memory=2 * MEMORY)


def test_the_inverse_of_a_half_spectrum_is_real(tmp_path):
    array = field((40, 50, 60), "d")
    np.save(tmp_path / "half.npy", np.fft.rfftn(array))
    sf.files.transform(tmp_path / "half.npy", tmp_path / "out.npy", kind="c2r", memory=MEMORY, verify=True)
    assert np.allclose(np.load(tmp_path / "out.npy"), array)


def test_memory_maps_datasets_and_zarr_are_read_and_written_in_slices(tmp_path):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    array = field((70, 60, 50), "F")
    expected = in_memory("c2c", "F", array)
    np.save(tmp_path / "in.npy", array)
    mapped = np.lib.format.open_memmap(tmp_path / "mapped.npy", "w+", array.dtype, array.shape)
    stored = zarr.create_array(tmp_path / "a.zarr", shape=array.shape, chunks=(16, 16, 16), dtype=array.dtype)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        dataset = file.create_dataset("data", array.shape, array.dtype, chunks=(16, 60, 50), compression="gzip")
        for source, target in [(np.load(tmp_path / "in.npy", mmap_mode="r"), mapped), (array, dataset),
                               (array, stored)]:
            sf.files.transform(source, target, memory=4 * MEMORY)
            assert np.array_equal(target[...], expected)
        dataset[...] = array
        file.flush()
    stored[...] = array
    for path in (tmp_path / "a.h5", tmp_path / "a.zarr"):
        for out in (np.empty_like(array), tmp_path / f"out{path.suffix}"):
            sf.files.transform(path, out, memory=4 * MEMORY)
            assert np.array_equal(out if isinstance(out, np.ndarray) else sf.load(out).gather(), expected)
    assert len(list(tmp_path.glob("out*"))) == 2 == len(list(tmp_path.glob("*out*")))
    with pytest.raises(sf.InvalidArgument, match="on 2 rank"):
        sf.on_ranks(2, lambda comm: sf.files.transform(array, tmp_path / "b.h5", comm=comm))


@pytest.mark.parametrize("dtype", ["f", "D"])
def test_answers_have_the_bits_of_those_in_memory(tmp_path, dtype):
    array, spacing = field((60, 50, 44), dtype), (2.0, 0.5, 0.25)
    words = {"low_pass": 3.0, "derivative": 0, "spacing": spacing}
    np.save(tmp_path / "in.npy", array)
    figures = sf.files.filter(tmp_path / "in.npy", tmp_path / "out.npy", memory=MEMORY, **words)
    assert len(figures["passes"]) > 1
    assert np.array_equal(np.load(tmp_path / "out.npy"), sf.analysis.filter(array, **words))
    for asked in ({}, {"normalize": "sum", "centred": True, "shells": "f=0.3"}):
        here = sf.analysis.spectrum(array, spacing=spacing, **asked)
        there = sf.files.spectrum(tmp_path / "in.npy", spacing=spacing, memory=MEMORY, **asked)
        for name in ("k_low", "k", "modes", "power", "error", "beyond_nyquist"):
            assert np.array_equal(getattr(here, name), getattr(there, name), equal_nan=True), (name, asked)


@pytest.mark.parametrize("source,target", [("a.tif", "b.nii"), ("a.mrc", "b.zarr"), ("a.nii", "b.h5"),
                                           ("a.zarr", "b.tif"), ("a.ome.zarr", "b.mrc")])
def test_files_of_other_formats_are_ends_of_passes(tmp_path, source, target):
    array = field((60, 50, 44), "f")
    np.save(tmp_path / "a.npy", array)
    sf.files.convert(tmp_path / "a.npy", tmp_path / source, spacing=(1.0, 1.0, 1.0), unit="um")
    figures = sf.files.filter(tmp_path / source, tmp_path / target, gaussian=1.5, memory=MEMORY)
    assert len(figures["passes"]) > 1
    sf.files.convert(tmp_path / target, tmp_path / "back.npy")
    assert np.array_equal(np.load(tmp_path / "back.npy"), sf.analysis.filter(array, gaussian=1.5))
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(["a.npy", source, target, "back.npy"])


def test_operators_have_the_bits_of_apply_in_memory(tmp_path):
    array = field((70, 60, 50), "d")
    np.save(tmp_path / "in.npy", array)
    with sf.Plan(array.shape, kind="r2c", apply="to_outputs") as plan:
        expected = np.asarray(plan.apply(array, sf.spectral.gaussian(plan, spacing=(1, 2, 3), sigma=2.0)))
    figures = sf.files.apply(tmp_path / "in.npy", tmp_path / "out.npy", sf.spectral.gaussian, spacing=(1, 2, 3),
                             sigma=2.0, memory=MEMORY)
    assert np.array_equal(np.load(tmp_path / "out.npy"), expected)
    assert [p["does"] for p in figures["passes"]].count("apply") == 1 and len(figures["passes"]) > 2
    doubled = np.empty_like(array)
    sf.files.apply(array, doubled, lambda plan: 2 * np.ones(plan.middle.shape), memory=4 * MEMORY)
    assert np.allclose(doubled, 2 * array)


def test_power_spectra_are_sums_over_shells_with_the_same_bits_on_any_ranks(tmp_path):
    array = field((48, 40, 36), "d")
    np.save(tmp_path / "in.npy", array)
    found = sf.on_ranks(2, lambda comm: sf.files.power_spectrum(tmp_path / "in.npy", lengths=(1.1, 2.3, 3.7),
                                                                memory=MEMORY, comm=comm))
    k = np.sqrt(sum(np.square(w) for w in np.ix_(*(2 * np.pi * np.fft.fftfreq(n, length / n)
                                                   for n, length in zip(array.shape, (1.1, 2.3, 3.7))))))
    shells = np.floor(k / (2 * np.pi / 3.7) + 0.5).astype(int)
    expected = np.bincount(shells.ravel(), (np.abs(np.fft.fftn(array))**2).ravel())
    assert np.array_equal(found[0], found[1]) and np.allclose(found[0][:len(expected)], expected)


class Torn:
    """Fails at the second block."""

    shape, dtype, blocks = (70, 60, 50), np.dtype("D"), 0

    def __getitem__(self, slices):
        self.blocks += 1
        if self.blocks == 2:
            raise KeyError("the tape is torn")
        return field([s.stop - s.start for s in slices])


def test_what_an_object_raises_is_told_on_every_rank(tmp_path):
    def work(comm):
        source = Torn() if comm.rank == 1 else field(Torn.shape)
        with pytest.raises(sf.IoFailed, match="KeyError: 'the tape is torn'"):
            sf.files.transform(source, tmp_path / "out.npy", memory="2M", comm=comm, threads=1)

    sf.on_ranks(2, work)
    assert not list(tmp_path.iterdir())


class Interrupting(Torn):
    """Ctrl-C while the second block is read."""

    def __getitem__(self, slices):
        self.blocks += 1
        if self.blocks == 2:
            signal.raise_signal(signal.SIGINT)
        return field([s.stop - s.start for s in slices])


def test_a_signal_ends_a_transform_and_leaves_nothing(tmp_path):
    source = Interrupting()
    with pytest.raises(KeyboardInterrupt):
        sf.files.transform(source, tmp_path / "out.npy", memory="2M")
    assert source.blocks < 40 and not list(tmp_path.iterdir())


def test_mistakes_say_what_would_be_right(tmp_path):
    array = field((20, 30))
    np.save(tmp_path / "in.npy", array)
    for arguments, told in [((array, tmp_path / "out.tif"), "TIFF files hold"),
                            ((array, np.empty((20, 31))), "(20, 30)"),
                            ((3, tmp_path / "out.npy"), "shape, dtype and slices")]:
        with pytest.raises(sf.InvalidArgument) as error:
            sf.files.transform(*arguments)
        assert told in str(error.value)
    with pytest.raises(sf.InvalidArgument, match="such as 4000000000 or '4G'"):
        sf.files.transform(array, tmp_path / "out.npy", memory="much")
    with pytest.raises(sf.IoFailed):
        sf.files.transform(tmp_path / "none.npy", tmp_path / "out.npy")
    with pytest.raises(sf.OutOfMemory, match="must hold tiles of each pass"):
        sf.files.transform(array, tmp_path / "out.npy", memory=50000)
