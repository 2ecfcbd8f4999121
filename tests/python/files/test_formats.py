"""Arrays in files of other programs: each format against its own library."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import mrcfile
import nibabel
import numpy as np
import pytest
import tifffile
import zarr
from shardfft import InvalidArgument, IoFailed
from shardfft._formats import Grid, convert, create, open_array, place_of

SEED = int(os.environ.get("SHARDFFT_TEST_SEED", "20261130"))
rng = np.random.default_rng(SEED)


def array(dtype: str, *shape: int) -> Any:
    values = 100 * rng.standard_normal((2, *shape))
    return (values[0] + 1j * values[1] if np.dtype(dtype).kind == "c" else values[0]).astype(dtype)


def whole(path: Path | str, **raw: Any) -> Any:
    opened = open_array(place_of(path), **raw)
    result = opened[...] if len(opened.shape) != 3 else opened[:, :, :]
    opened.close()
    return np.array(result)


def read_by_its_library(path: Path) -> Any:
    name = path.name
    if name.endswith(".npy"):
        return np.load(path)
    if name.endswith(".h5"):
        with h5py.File(path) as file:
            return file["data"][...]
    if name.endswith(".ome.zarr"):
        return zarr.open_group(path, mode="r")["0"][...]  # type: ignore[index]
    if name.endswith(".zarr"):
        return zarr.open_array(path, mode="r")[...]
    if name.endswith(".tif"):
        return tifffile.imread(path)
    if name.endswith(".mrc"):
        return mrcfile.read(path)
    if name.endswith(".nii"):
        return np.asarray(nibabel.load(path).dataobj).T  # type: ignore[attr-defined]
    return np.fromfile(path, np.float32)


TYPES = {
    "npy": "f4 f8 c8 c16 i2 u1", "h5": "f4 f8 c8 c16 i2", "zarr": "f4 f8 c8 c16 i2", "ome.zarr": "f4 u2",
    "tif": "f4 f8 u2 i4", "ome.tif": "f4 u1", "mrc": "f4 c8 i2 u2 i1", "nii": "f4 f8 c8 c16 u1 i2",
}


@pytest.mark.parametrize("ending,dtype", [(e, t) for e, types in TYPES.items() for t in types.split()])
def test_every_type_is_what_its_library_reads_and_comes_back(tmp_path: Path, ending: str, dtype: str) -> None:
    shape = tuple(map(int, rng.integers(2, 9, 3)))
    values, file, back = array(dtype, *shape), tmp_path / f"file.{ending}", tmp_path / "back.npy"
    np.save(tmp_path / "in.npy", values)
    convert.convert(tmp_path / "in.npy", file, spacing=(2.0, 0.5, 0.25), unit="um")
    np.testing.assert_array_equal(read_by_its_library(file), values, err_msg=f"seed {SEED}")
    convert.convert(file, back)
    np.testing.assert_array_equal(np.load(back), values)
    assert np.load(back).dtype == values.dtype
    grid = open_array(place_of(file)).grid
    if ending not in ("npy", "tif") or (ending == "tif" and dtype in ("f4", "u2")):
        np.testing.assert_allclose(grid.spacing, (2, 0.5, 0.25), rtol=1e-6)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(["in.npy", "back.npy", file.name])


def test_parts_cover_every_element_once() -> None:
    for _ in range(200):
        shape = tuple(map(int, rng.integers(1, 12, rng.integers(1, 5))))
        chunks = tuple(map(int, rng.integers(1, 6, len(shape))))
        most, seen = int(rng.integers(1, 4000)), np.zeros(shape, int)
        for where in convert.parts(shape, chunks, 8, most):
            seen[where] += 1
            extents = [w.stop - w.start for w in where]
            assert 8 * np.prod(extents) <= max(most, 8 * np.prod(chunks)), (shape, chunks, most)
        assert (seen == 1).all(), (shape, chunks, most)
    assert list(convert.parts((3, 0), (1, 1), 8)) == []


@pytest.mark.parametrize("version", [2, 3])
def test_zarr_of_both_versions_compressed_with_gaps(tmp_path: Path, version: Any) -> None:
    values = array("f4", 11, 12, 13)
    made = zarr.create_array(tmp_path / "a.zarr", shape=values.shape, chunks=(4, 5, 6), dtype="f4", fill_value=7,
                             zarr_format=version)
    made[:6] = values[:6]
    values[8:] = 7  # chunks of rows 4 to 7 are there
    values[6:8] = 7
    np.testing.assert_array_equal(whole(tmp_path / "a.zarr"), values)


def test_zarr_shards_and_groups(tmp_path: Path) -> None:
    values = array("f8", 16, 12, 10)
    group = zarr.open_group(tmp_path / "g.zarr", mode="w")
    made = group.create_array("one/a", shape=values.shape, chunks=(4, 4, 5), shards=(8, 12, 10), dtype="f8")
    made[...] = values
    np.testing.assert_array_equal(whole(f"{tmp_path}/g.zarr:/one/a"), values)
    with pytest.raises(IoFailed, match="must be named"):
        open_array(place_of(tmp_path / "g.zarr"))


def test_ome_zarr_of_version_0_4(tmp_path: Path) -> None:
    values = array("u2", 3, 6, 7)
    group = zarr.open_group(tmp_path / "old.zarr", mode="w", zarr_format=2)
    scale = {"type": "scale", "scale": [2.0, 0.5, 0.5]}
    axes = [{"name": n, "type": "space", "unit": "micrometer"} for n in "zyx"]
    group.attrs["multiscales"] = [{"version": "0.4", "axes": axes, "datasets": [
        {"path": "0", "coordinateTransformations": [scale]}]}]
    group.create_array("0", shape=values.shape, chunks=(1, 6, 7), dtype="u2")[...] = values
    opened = open_array(place_of(tmp_path / "old.zarr"))
    assert (opened.grid.spacing, opened.grid.unit) == ((2.0, 0.5, 0.5), "um")
    np.testing.assert_array_equal(opened[:, :, :], values)


@pytest.mark.parametrize("options", [
    {"compression": "zlib"}, {"byteorder": ">"}, {"compression": "zlib", "tile": (16, 16)},
    {"imagej": True, "metadata": {"spacing": 2.0, "unit": "um", "axes": "ZYX"}, "resolution": (2, 4)},
    {"ome": True, "compression": "zlib", "metadata": {"axes": "TZYX"}}])
def test_tiff_compressed_tiled_and_of_either_byte_order(tmp_path: Path, options: Any) -> None:
    values = array("u2", *((2, 3, 20, 30) if options.get("ome") else (5, 20, 30)))
    tifffile.imwrite(tmp_path / "a.tif", values, **options)
    opened = open_array(place_of(tmp_path / "a.tif"))
    assert opened.shape == values.shape
    where = tuple(slice(*sorted(rng.integers(0, n + 1, 2))) for n in values.shape)
    np.testing.assert_array_equal(opened[where], values[where], err_msg=f"seed {SEED} {where}")
    np.testing.assert_array_equal(opened[tuple(slice(None) for _ in values.shape)], values)
    if "imagej" in options:
        assert opened.grid == Grid((2.0, 0.25, 0.5), "um")


def test_mrc_of_other_byte_order_and_axes(tmp_path: Path) -> None:
    values = array("f4", 4, 5, 6)  # z, y, x
    with mrcfile.new(tmp_path / "a.mrc") as file:  # sections along x, rows along z, columns along y
        file.set_data(np.ascontiguousarray(values.transpose(2, 0, 1)))
        file.header.maps, file.header.mapr, file.header.mapc = 1, 3, 2
    np.testing.assert_array_equal(whole(tmp_path / "a.mrc"), values)
    with mrcfile.new(tmp_path / "b.mrc") as file:
        file.set_data(values)
    raw = np.fromfile(tmp_path / "b.mrc", "<i4")
    header, rest = raw[:256].byteswap(), raw[256:].byteswap()
    header = header.view("u1")
    header[208:216] = np.frombuffer(b"MAP \x11\x11\x00\x00", "u1")
    header[104:108] = 0  # extended header's type
    (tmp_path / "big.mrc").write_bytes(header.tobytes() + rest.tobytes())
    np.testing.assert_array_equal(whole(tmp_path / "big.mrc"), values)


def test_nifti_scaled_compressed_and_with_its_affine(tmp_path: Path) -> None:
    stored = rng.integers(-99, 99, (4, 5, 6)).astype("i2")
    image = nibabel.Nifti1Image(stored, np.diag([1, 2, 3, 1]))  # type: ignore[no-untyped-call]
    image.header.set_slope_inter(0.5, 3)  # type: ignore[no-untyped-call]
    image.header.set_xyzt_units("mm")  # type: ignore[no-untyped-call]
    nibabel.save(image, tmp_path / "a.nii.gz")  # type: ignore[attr-defined]
    want = np.asarray(nibabel.load(tmp_path / "a.nii.gz").dataobj).T  # type: ignore[attr-defined]
    got = whole(tmp_path / "a.nii.gz")
    assert got.dtype == np.float32 and got.shape == (6, 5, 4)
    np.testing.assert_array_equal(got, want.astype("f4"))
    convert.convert(tmp_path / "a.nii.gz", tmp_path / "b.nii")
    copy = nibabel.load(tmp_path / "b.nii")  # type: ignore[attr-defined]
    np.testing.assert_array_equal(copy.affine, image.affine)
    assert copy.header.get_xyzt_units()[0] == "mm"
    assert open_array(place_of(tmp_path / "b.nii")).grid.spacing == (3, 2, 1)


@pytest.mark.parametrize("order", "CF")
def test_raw_files_of_either_order_behind_an_offset(tmp_path: Path, order: str) -> None:
    values = array(">f8", 3, 4, 5)
    (tmp_path / "a.raw").write_bytes(b"header!" + values.tobytes(order=order))
    got = whole(tmp_path / "a.raw", dtype=">f8", shape=(3, 4, 5), order=order, offset=7)
    np.testing.assert_array_equal(got, values)
    with pytest.raises(InvalidArgument, match="described by its type and shape"):
        open_array(place_of(tmp_path / "a.raw"), dtype="f8")
    with pytest.raises(IoFailed, match="must hold all its elements, 495 bytes; .* has 487"):
        open_array(place_of(tmp_path / "a.raw"), dtype="f8", shape=(3, 4, 5), offset=15)


def test_hdf5_keeps_attributes_and_names_what_it_has(tmp_path: Path) -> None:
    values = array("f4", 20, 30, 4)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        made = file.create_dataset("x/volume", data=values, chunks=(8, 8, 4), compression="gzip", shuffle=True)
        made.attrs["element_size_um"], made.attrs["note"] = [2.0, 1.0, 1.0], "mine"
        file["y"] = values
    with pytest.raises(IoFailed, match="must be named.*x/volume"):
        open_array(place_of(tmp_path / "a.h5"))
    convert.convert(f"{tmp_path}/a.h5:/x/volume", f"{tmp_path}/b.h5:/z")
    with h5py.File(tmp_path / "b.h5") as file:
        np.testing.assert_array_equal(file["z"][...], values)
        assert file["z"].attrs["note"] == "mine"
    assert open_array(place_of(tmp_path / "b.h5")).grid.spacing == (2, 1, 1)


def test_numbers_of_other_types_are_the_nearest_ones(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([-3.0, 0.5, 1.5, 254.7, 300.0]))
    convert.convert(tmp_path / "a.npy", tmp_path / "b.npy", to="u1")
    assert np.load(tmp_path / "b.npy").tolist() == [0, 0, 2, 255, 255]


@pytest.mark.parametrize("target,dtype,said", [("b.tif", "c8", "TIFF files hold"), ("b.mrc", "f8", "--to float32"),
                                               ("b.mrc", "c16", "--to complex64"), ("b.nii", "f2", "NIfTI files hold"),
                                               ("b.nii.gz", "f4", "uncompressed"), ("b.xyz", "f4", "ending")])
def test_what_a_format_lacks_is_refused_and_nothing_is_left(tmp_path: Path, target: str, dtype: str, said: str) -> None:
    np.save(tmp_path / "a.npy", array(dtype, 3, 4, 5))
    (tmp_path / target).write_bytes(b"old")
    with pytest.raises(InvalidArgument, match=said):
        convert.convert(tmp_path / "a.npy", tmp_path / target)
    assert (tmp_path / target).read_bytes() == b"old" and len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("ending", [".tif", ".mrc", ".nii", ".h5", ".npy", ".zarr"])
def test_damaged_files_are_refused(tmp_path: Path, ending: str) -> None:
    path = tmp_path / ("a" + ending)
    for size in (0, 3, 400):
        path.write_bytes(rng.bytes(size))
        with pytest.raises(IoFailed, match="must be a file that its package understands"):
            open_array(place_of(path))


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.save(tmp_path / "a.npy", array("f4", 3, 4))
    monkeypatch.setitem(sys.modules, "tifffile", None)
    with pytest.raises(IoFailed, match="pip install tifffile"):
        convert.convert(tmp_path / "a.npy", tmp_path / "a.tif")


def test_a_source_that_changes_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.save(tmp_path / "a.npy", array("f4", 3, 4))
    copied = convert.copy

    def late(source: Any, target: Any) -> None:
        copied(source, target)
        os.utime(tmp_path / "a.npy", ns=(1, 1))

    monkeypatch.setattr(convert, "copy", late)
    with pytest.raises(IoFailed, match="has changed"):
        convert.convert(tmp_path / "a.npy", tmp_path / "b.npy")
    assert not (tmp_path / "b.npy").exists()


def program(folder: Path, *words: str) -> Any:
    return subprocess.run([sys.executable, "-m", "shardfft", *words], capture_output=True, text=True, cwd=folder)


def test_the_program_reads_and_writes_every_format(tmp_path: Path) -> None:
    values = array("f4", 6, 8, 10)
    tifffile.imwrite(tmp_path / "a.tif", values)
    for words in [("convert", "a.tif", "a.zarr"), ("transform", "a.tif", "b.zarr", "--kind", "r2c", "--norm", "ortho"),
                  ("transform", "b.zarr", "c.mrc", "--kind", "c2r", "--norm", "ortho"),
                  ("transform", "a.zarr", "d.npy", "--kind=r2c", "--norm=ortho")]:
        done = program(tmp_path, *words)
        assert (done.returncode, done.stderr) == (0, ""), (words, done)
    np.testing.assert_allclose(whole(tmp_path / "b.zarr"), np.fft.rfftn(values, norm="ortho"), rtol=0, atol=1e-3)
    np.testing.assert_array_equal(whole(tmp_path / "b.zarr"), np.load(tmp_path / "d.npy"))
    np.testing.assert_allclose(mrcfile.read(tmp_path / "c.mrc"), values, rtol=0, atol=1e-3)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.tif", "a.zarr", "b.zarr", "c.mrc", "d.npy"]


def test_the_last_file_is_the_output_of_commands_that_write_one(tmp_path: Path) -> None:
    values = array("f4", 6, 8, 10)
    for name in ("a.tif", "b.tif"):
        tifffile.imwrite(tmp_path / name, values)
    for words, made in [(("correlate", "a.tif", "b.tif", "c.zarr"), "c.zarr"), (("correlate", "a.tif", "b.tif"), None),
                        (("transform", "--kind", "r2c", "a.tif", "out", "--quiet"), "out"),
                        (("convolve", "a.tif", "b.tif", "d.mrc", "--mode", "circular"), "d.mrc")]:
        before = {p.name for p in tmp_path.iterdir()}
        done = program(tmp_path, *words)
        assert (done.returncode, done.stderr) == (0, ""), (words, done)
        assert {p.name for p in tmp_path.iterdir()} - before == ({made} if made else set()), words
    assert np.load(tmp_path / "out").shape == (6, 8, 6)


def test_a_spectrum_is_drawn(tmp_path: Path) -> None:
    image = pytest.importorskip("matplotlib.image", reason="matplotlib is not installed")
    random = np.random.default_rng(3)
    for name in ("a", "b"):
        np.save(tmp_path / f"{name}.npy", random.random((9, 8, 7)))
    shown = []
    for words in (["--png", "a.png"], ["--png=b.png", "--cross", "b.npy"], ["--csv", "c.csv", "--png", "c.png"]):
        done = program(tmp_path, "spectrum", "a.npy", "-q", *words)
        assert (done.returncode, done.stderr) == (0, ""), words
        shown.append(image.imread(tmp_path / next(word[-5:] for word in words if word.endswith(".png"))))
    assert np.ptp(shown[0]) > 0 and not np.array_equal(shown[0], shown[1]) and (tmp_path / "c.csv").exists()
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".csv", ".npy", ".npy", ".png", ".png", ".png"]
    for words, said in ((["--png", "a.pdf"], "ends in .png"), (["--png", "no/a.png"], "a folder that exists"),
                        (["--png", "a.png", "--shells", "x"], "--shells")):
        done = program(tmp_path, "spectrum", "a.npy", *words)
        assert done.returncode == 2 and said in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr



def test_ranks_read_what_the_program_reads_itself(tmp_path: Path) -> None:
    launcher = os.environ.get("LAUNCHER_OF_TESTS", "").split()
    if not launcher:
        pytest.skip("built without MPI")
    values = array("f8", 6, 8, 10)
    np.save(tmp_path / "a.npy", values)
    tifffile.imwrite(tmp_path / "a.tif", values.astype("f4"))
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["data"] = values
    reads = '".h5"' in program(tmp_path, "info", "--json", "-").stdout
    for name, status in [("a.npy", 0), ("a.h5", 0 if reads else 2), ("a.tif", 2)]:
        done = subprocess.run([*launcher, "2", sys.executable, "-m", "shardfft", "transform", name, "b.npy", "-q"],
                              capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == status, (name, done)
        assert done.stderr.count("shardfft: ") == (1 if status else 0), (name, done.stderr)
        if status == 0:
            np.testing.assert_allclose(np.load(tmp_path / "b.npy"), np.fft.fftn(values), rtol=0, atol=1e-9)


@pytest.mark.parametrize("words,said", [
    (["convert", "a.tif", "a.tif"], "another one"), (["convert", "none.tif", "b.npy"], "none.tif"),
    (["convert", "a.tif"], "--help"), (["convert", "a.tif", "b.npy", "--spacing", "0,1,1"], "positive"),
    (["convert", "a.tif", "b.npy", "--spacing", "1,1"], "3 axes"), (["convert", "a.raw", "b.npy"], "a.raw"),
    (["convert", "a.tif", "b.npy", "--dtype", "f4"], "describe raw"),
    (["convert", "a.tif", "b.npy", "--to", "text"], "NumPy's for numbers"),
    (["transform", "none.zarr", "b.npy"], "none.zarr"), (["transform", "a.tif", "no/b.npy"], "no"),
    (["correlate", "a.tif", "none.tif", "c.npy"], "none.tif"), (["transform", "a.tif", "b.tif"], "TIFF files hold"),
    (["transform", "a.tif", "b.zarr", "--axes", "7"], "axes")])
def test_mistakes_end_with_status_2_and_one_line(tmp_path: Path, words: list[str], said: str) -> None:
    tifffile.imwrite(tmp_path / "a.tif", array("f4", 6, 8, 10))
    before = (tmp_path / "a.tif").read_bytes()
    done = program(tmp_path, *words)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and done.stderr.startswith("shardfft: "), done
    assert re.search(said, done.stderr), done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["a.tif"] and (tmp_path / "a.tif").read_bytes() == before
