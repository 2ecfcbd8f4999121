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


class WhatCannotBeReadIsSaid(Hdf5):
    def test_datasets_without_a_place_of_their_own(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("chunked", data=self.a, chunks=(8, 8, 8))
            file.create_dataset("empty", (4, 4), "f8")
            file["text"] = "hello"
            file["record"] = np.zeros(4, [("x", "f4"), ("y", "f4")])
            file.create_group("group")
        self.refused("must be contiguous; got a chunked one; copy it with h5repack", "a.h5:/chunked", "b.npy")
        self.refused("nothing was ever written to it", "a.h5:/empty", "b.npy")
        self.refused("elements must be integers, floats", "a.h5:/text", "b.npy")
        self.refused("elements must be integers, floats", "a.h5:/record", "b.npy")
        self.refused("must be a dataset; there is none of this name", "a.h5:/group", "b.npy")
        self.refused("must be a dataset; there is none of this name", "a.h5:/nothing", "b.npy")

    def test_files_that_are_none(self):
        self.save("a.npy", self.a)
        self.refused("cannot be read as HDF5", "a.npy:/x", "b.npy")
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
