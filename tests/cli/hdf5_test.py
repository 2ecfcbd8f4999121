"""shardfft transform reads and writes datasets of HDF5 files, beside h5py."""
import os
import unittest

import numpy as np

from program import InFolder, needs_launcher, own_lines, run

try:
    import h5py
except ImportError:
    h5py = None


@unittest.skipUnless(h5py, "h5py is not installed")
class Hdf5(InFolder):
    def setUp(self):
        super().setUp()
        self.a = self.complexes(64, 60, 50)
        with h5py.File(self.path("a.h5"), "w") as file:
            file["fields/u"] = self.a

    def store(self, **datasets):
        with h5py.File(self.path("a.h5"), "w") as file:
            for name, array in datasets.items():
                file[name] = array

    def stored(self, name, dataset="b"):
        with h5py.File(self.path(name), "r") as file:
            return file[dataset][...]

    def refused(self, says, *words):
        done = run("transform", *words, cwd=self.folder)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(len(own_lines(done.stderr)), 1, done.stderr)
        self.assertIn(says, done.stderr)
        self.assertEqual(self.leftovers(), [])


class DatasetsAreTransformed(Hdf5):
    def test_in_memory_and_in_passes_with_the_bits_of_npy_files(self):
        self.save("a.npy", self.a)
        want = self.json("transform", "a.npy", "b.npy")["hash"]
        for memory, out in [("1G", "m.h5"), ("2M", "p.h5")]:
            record = self.json("transform", "a.h5:/fields/u", f"{out}:/spectra/b", "--memory", memory, "--verify")
            self.assertEqual((record["hash"], "passes" in record), (want, memory == "2M"))
            self.assertTrue(np.array_equal(self.stored(out, "spectra/b"), self.load("b.npy")))
        self.assertEqual(self.json("transform", "a.npy", "n.h5:/b")["hash"], want)
        self.assertEqual(self.json("transform", "a.h5:/fields/u", "c.npy")["hash"], want)
        self.assertEqual(sorted(os.listdir(self.folder)),
                         ["a.h5", "a.npy", "b.npy", "c.npy", "m.h5", "n.h5", "p.h5"])

    @needs_launcher
    def test_by_several_ranks(self):
        for memory in ["1G", "6M"]:
            self.ok("transform", "a.h5:/fields/u", f"{memory}.h5:/b", "--memory", memory, ranks=3)
            self.assert_close(self.stored(f"{memory}.h5"), np.fft.fftn(self.a), memory)

    def test_of_every_type_that_has_numbers(self):
        whole = self.random.integers(-100, 100, (6, 5, 7))
        types = ["?", "i1", "u1", ">i2", "<i4", ">u8", "f2", "<f4", ">f8", "<c8", "c16"]
        self.store(**{f"t{i}": whole.astype(t) for i, t in enumerate(types)})
        for i, t in enumerate(types):
            with self.subTest(t):
                self.ok("transform", f"a.h5:/t{i}", f"{i}.h5:/b")
                got, wide = self.stored(f"{i}.h5"), np.fft.fftn(whole.astype(t).astype("c16"))
                self.assert_close(got, wide.astype("c8" if t in ["f2", "<f4", "<c8"] else "c16"), t)

    def test_reals_come_out_as_floats(self):
        r = self.reals(6, 8, dtype="f4")
        self.store(r=r, h=np.fft.rfftn(r).astype("c8"))
        self.ok("transform", "a.h5:/h", "b.h5:/b", "--kind", "c2r")
        self.assert_close(self.stored("b.h5"), r, "c2r")


class HowElementsAreStored(Hdf5):
    def chunked(self, name, array, **how):
        with h5py.File(self.path(name), "w") as file:
            file.create_dataset("data", data=array, **how)

    def test_chunked_and_compressed_ones_are_read_in_memory_and_in_passes(self):
        self.save("a.npy", self.a)
        want = self.json("transform", "a.npy", "b.npy")["hash"]
        for number, how in enumerate([{"chunks": (8, 8, 8)}, {"chunks": (1, 60, 50), "compression": "gzip"},
                                      {"chunks": (64, 7, 3), "shuffle": True, "fletcher32": True}]):
            self.chunked("c.h5", self.a, **how)
            for memory in ["1G", "2M"]:
                record = self.json("transform", "c.h5", f"{number}{memory}.h5", "--memory", memory)
                self.assertEqual((record["hash"], "passes" in record), (want, memory == "2M"), how)

    def test_of_any_type_shape_and_chunks(self):
        for number in range(20):
            shape = tuple(self.random.integers(1, 9, self.random.integers(1, 5)))
            chunks = tuple(int(self.random.integers(1, n + 1)) for n in shape)
            dtype = self.random.choice(["?", "i2", ">u4", "f2", ">f8", "c8"])
            array = self.random.integers(-99, 99, shape).astype(dtype)
            with self.subTest(seed=self.seed, number=number, shape=shape, chunks=chunks, dtype=dtype):
                self.chunked("c.h5", array, chunks=chunks, compression=self.random.choice([None, "gzip"]))
                self.save("c.npy", array)
                want, got = (self.json("transform", name, "o.npy")["hash"] for name in ("c.npy", "c.h5"))
                self.assertEqual(got, want)

    @needs_launcher
    def test_each_rank_reads_its_part(self):
        self.chunked("c.h5", self.a, chunks=(9, 9, 9), compression="gzip")
        for layout in ["slabs:0", "pencils:1", "cyclic:2"]:
            self.ok("transform", "c.h5", f"{layout[:2]}.h5", "--input", layout, ranks=3)
            self.assert_close(self.stored(f"{layout[:2]}.h5", "data"), np.fft.fftn(self.a), layout)

    def test_other_places_are_found(self):
        with h5py.File(self.path("v.h5"), "w") as file:
            layout = h5py.VirtualLayout(self.a.shape, self.a.dtype)
            layout[...] = h5py.VirtualSource("a.h5", "fields/u", self.a.shape)
            file.create_virtual_dataset("virtual", layout)
            file["soft"] = h5py.SoftLink("/virtual")
            file["external"] = h5py.ExternalLink("a.h5", "/fields/u")
            file.create_dataset("raw", data=self.a, external=[(self.path("raw"), 0, h5py.h5f.UNLIMITED)])
        with h5py.File(self.path("u.h5"), "w", userblock_size=512) as file:
            file["data"] = self.a
        self.save("a.npy", self.a)
        want = self.json("transform", "a.npy", "c.npy")["hash"]
        for name in ["v.h5:virtual", "v.h5:soft", "v.h5:external", "v.h5:raw", "u.h5"]:
            self.assertEqual(self.json("transform", name, "b.npy")["hash"], want, name)

    def test_damage_is_an_error(self):
        self.chunked("c.h5", self.a, chunks=(64, 60, 50), fletcher32=True)
        with open(self.path("c.h5"), "r+b") as file:
            file.seek(os.path.getsize(file.name) // 2)
            file.write(b"damage")
        self.refused("HDF5 finds damage", "c.h5", "b.npy")


class NamesOfDatasets(Hdf5):
    def test_a_file_alone_is_its_dataset_data_as_in_python(self):
        self.store(data=self.a)
        for out in ["b.h5", "b.HDF5"]:
            self.ok("transform", "a.h5", out)
            self.assert_close(self.stored(out, "data"), np.fft.fftn(self.a), out)

    def test_a_name_needs_no_slash(self):
        self.ok("transform", "a.h5:fields/u", "b.h5:x/y")
        self.assert_close(self.stored("b.h5", "x/y"), np.fft.fftn(self.a), "x/y")

    def test_other_files_may_have_colons(self):
        for name in ["a:b.npy", "a.h5:b.npy"]:  # there already
            self.save(name, self.a)
            self.ok("transform", name, name)
            self.assert_close(self.load(name), np.fft.fftn(self.a), name)


class WhatCannotBeReadIsSaid(Hdf5):
    def test_datasets_without_numbers(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("empty", (4, 4), "f8")
            file["text"] = "hello"
            file["record"] = np.zeros(4, [("x", "f4"), ("y", "f4")])
            file.create_group("group")
        self.refused("nothing was ever written to it", "a.h5:/empty", "b.npy")
        self.refused("elements must be integers, floats", "a.h5:/text", "b.npy")
        self.refused("elements must be integers, floats", "a.h5:/record", "b.npy")
        self.refused("must be a dataset; there is none of this name", "a.h5:/group", "b.npy")
        self.refused("must be a dataset; there is none of this name", "a.h5:/nothing", "b.npy")

    def test_files_that_are_none(self):
        self.save("a.npy", self.a)
        self.refused("cannot be read as HDF5", "a.npy:/x", "b.npy")
        os.rename(self.path("a.npy"), self.path("n.h5"))
        self.refused("cannot be read as HDF5", "n.h5", "b.npy")
        self.refused("cannot be read: No such file", "none.h5:/x", "b.npy")

    def test_an_output_that_is_there_already(self):
        self.refused("must be a new file", "a.h5:/fields/u", "a.h5:/b")
        self.assertTrue(np.array_equal(self.stored("a.h5", "fields/u"), self.a))

    def test_a_file_that_was_cut_off(self):
        os.truncate(self.path("a.h5"), 100000)
        done = run("transform", "a.h5:/fields/u", "b.npy", cwd=self.folder)
        self.assertEqual((done.returncode, os.listdir(self.folder)), (2, ["a.h5"]))


if __name__ == "__main__":
    unittest.main()
