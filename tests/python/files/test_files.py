"""Distributed arrays in files, on threads as ranks."""

import errno
import os
import re

import numpy as np
import pytest
from test_plans import LAYOUTS, field, fill

import shardfft as sf


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["i2", "f", "D", "?"])
def test_files_are_numpys_and_bits_survive_other_ranks(tmp_path, layout, dtype):
    whole = (10 * field((5, 6, 7), "d")).astype(dtype)
    path, again = tmp_path / "a.npy", tmp_path / "b.npy"
    np.save(path, whole)

    def work(comm):
        a = sf.load(path, comm, layout)
        a.redistribute("bricks").save(again)
        return a.hash()

    hashes = sf.on_ranks(4, work)
    assert np.array_equal(np.load(again), whole) and [p.name for p in tmp_path.iterdir()].count("b.npy") == 1
    assert sf.load(again).hash() == hashes[0]


def test_room_for_a_file_is_taken_before_it_is_written(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)

    def work(comm):
        with pytest.raises(sf.IoFailed, match="No space left"):
            sf.empty((40, 40), "d", comm).save(tmp_path / "a.npy")

    sf.on_ranks(3, work)
    assert not list(tmp_path.iterdir())


def test_what_a_link_names_is_replaced(tmp_path):
    (tmp_path / "link.npy").symlink_to("a.npy")
    sf.empty((4, 4), "d").save(tmp_path / "link.npy")
    assert (tmp_path / "link.npy").is_symlink() and np.load(tmp_path / "a.npy").shape == (4, 4)


@pytest.mark.parametrize("suffix", [".h5", ".zarr", ".HDF5"])
@pytest.mark.parametrize("layout", LAYOUTS[:5])
def test_hdf5_and_zarr_keep_every_bit(tmp_path, suffix, layout):
    package = __import__("zarr" if suffix == ".zarr" else "h5py")
    whole = field((7, 6, 5), "d")
    path = tmp_path / f"a{suffix}"

    def work(comm):
        a = sf.empty(whole.shape, "d", comm, layout)
        for chunks in (None, (2, 3, 5)):
            fill(a, 0 * whole)
            a.save(path, chunks=chunks)  # over an older one
            fill(a, whole)
            a.save(path, chunks=chunks)
            assert sf.load(path, comm, "bricks").hash() == a.hash()

    sf.on_ranks(3, work)
    stored = package.open_array(path, mode="r")[...] if suffix == ".zarr" else package.File(path)["data"][...]
    assert np.array_equal(stored, whole) and [p.name for p in tmp_path.iterdir()] == [path.name]


def test_unfinished_files_have_names_that_nobody_knows_and_are_named_when_they_stay(tmp_path, monkeypatch):
    mine = {tmp_path / f".{name}.{end}": b"mine" for name in ("a.npy", "a.h5", "a.zarr") for end in ("part", "old")}
    for path, text in mine.items():
        path.write_bytes(text)
    made = []

    def interrupted(temporary, target):
        made.append(temporary.name)
        raise KeyboardInterrupt

    for name in ("a.npy", "a.h5", "a.zarr"):
        for _ in range(2):
            sf.empty((4, 4), "d").save(tmp_path / name)  # the second one takes the place of the first
            with monkeypatch.context() as patch:
                patch.setattr("shardfft._files._replace", interrupted)
                with pytest.raises(KeyboardInterrupt):
                    sf.empty((4, 4), "d").save(tmp_path / name)
    assert len(set(made)) == len(made) == 6 and all(re.fullmatch(r"a\.\w+\.partial-[0-9a-f]{16}", m) for m in made)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([*(p.name for p in mine), "a.npy", "a.h5", "a.zarr"])
    assert all(path.read_bytes() == text for path, text in mine.items())
    (tmp_path / "a.npy.partial-0123456789abcdef").touch()
    with pytest.warns(UserWarning, match="a.npy.partial-0123456789abcdef is left of a run that was killed"):
        sf.empty((4, 4), "d").save(tmp_path / "a.npy")


@pytest.mark.parametrize("name", ["a.npy", "a.h5", "a.zarr"])
def test_bytes_and_names_are_on_the_disk_before_a_file_takes_its_name(tmp_path, monkeypatch, name):
    done = []
    sync, rename = os.fsync, os.replace

    def recorded_sync(fd):
        done.append(os.readlink(f"/proc/self/fd/{fd}"))
        sync(fd)

    def recorded_rename(a, b):
        done.append("rename")
        rename(a, b)

    monkeypatch.setattr(os, "fsync", recorded_sync)
    monkeypatch.setattr(os, "replace", recorded_rename)
    sf.on_ranks(2, lambda comm: sf.empty((4, 4), "d", comm).save(tmp_path / name))
    renamed = len(done) - 1 - done[::-1].index("rename")  # zarr renames chunks
    assert any(".partial-" in path for path in done[:renamed]) and done[renamed + 1:] == [str(tmp_path)]
    if name == "a.zarr":
        assert any(path.endswith("zarr.json") for path in done[:renamed])


def test_files_of_other_formats_are_refused_or_read_as_what_they_are(tmp_path):
    for name in ("x.nc", "b.npz", "b.MAT", "b.csv"):
        with pytest.raises(sf.InvalidArgument, match="written as .npy, .h5, .hdf5 or .zarr; got a file"):
            sf.empty((4, 4), "d").save(tmp_path / name)
    assert not list(tmp_path.iterdir())
    h5py, whole = __import__("h5py"), field((4, 5), "d")
    for name, block in (("x.nc", 0), ("x.mat", 512)):
        with h5py.File(tmp_path / name, "w", userblock_size=block) as file:
            file["u"] = whole
        assert np.array_equal(sf.load(tmp_path / name, dataset="u").local, whole)


def test_files_that_cannot_be_read_or_written_are_one_error_on_all_ranks(tmp_path):
    (tmp_path / "text.npy").write_text("nothing")

    def work(comm):
        for broken in (lambda: sf.load(tmp_path / "missing.npy", comm), lambda: sf.load(tmp_path / "text.npy", comm),
                       lambda: sf.empty((4, 4), "d", comm).save(tmp_path / "no" / "folder.npy")):
            with pytest.raises(sf.IoFailed) as error:
                broken()
            assert isinstance(error.value, OSError)
        return True

    assert sf.on_ranks(3, work) == [True] * 3
    assert sorted(p.name for p in tmp_path.iterdir()) == ["text.npy"]
