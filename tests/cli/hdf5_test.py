"""shardfft transform reads and writes datasets of HDF5 files, beside h5py."""
import os
import resource
import subprocess
import sys
import unittest

import numpy as np

from program import InFolder, command, environment, needs_launcher, own_lines, run

try:
    import h5py
except ImportError:
    print("h5py is not installed")
    sys.exit(77)


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


class MessagesNameTheUsersFile(Hdf5):
    def test_and_no_partial_one_where_no_more_files_can_be_opened(self):
        """The system refuses each file in turn that HDF5 opens."""
        said = set()
        for files in range(3, 24):
            done = subprocess.run(command("transform", "a.h5:/fields/u", "b.h5"), cwd=self.folder, env=environment(),
                                  capture_output=True, text=True, check=False, preexec_fn=lambda files=files:
                                  resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)))
            self.assertNotIn("partial", done.stderr)
            self.assertNotIn("invalid", done.stderr)
            self.assertEqual(self.leftovers(), [])
            if "cannot be made as HDF5" in done.stderr:
                self.assertIn("b.h5", done.stderr)
                self.assertIn("Too many open files", done.stderr)
                said.add("HDF5")
            if done.returncode == 0:
                break
        self.assertEqual((done.returncode, said), (0, {"HDF5"}), done.stderr)


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

    def test_an_axis_longer_than_the_memory_has_no_chunks(self):
        a = self.complexes(1 << 18)
        self.save("a.npy", a)
        self.chunked("a.h5", a)
        want = self.json("transform", "a.npy", "b.npy", "--memory", "2M")["hash"]
        self.assertEqual(self.json("transform", "a.h5", "b.h5", "--memory", "2M")["hash"], want)
        np.testing.assert_array_equal(self.stored("b.h5", "data"), self.load("b.npy"))
        self.chunked("a.h5", a, chunks=(4096,))
        os.unlink(self.path("b.h5"))
        self.refused("copy the array to a .npy file, whose axis may be cut", "a.h5", "b.h5", "--memory", "2M")

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
            file["here"], inside = self.a, h5py.VirtualLayout(self.a.shape, self.a.dtype)
            inside[...] = h5py.VirtualSource(file["here"])
            file.create_virtual_dataset("inside", inside)
            file["soft"] = h5py.SoftLink("/virtual")
            file["external"] = h5py.ExternalLink("a.h5", "/fields/u")
            file.create_dataset("raw", data=self.a, external=[(self.path("raw"), 0, h5py.h5f.UNLIMITED)])
        with h5py.File(self.path("u.h5"), "w", userblock_size=512) as file:
            file["data"] = self.a
        self.save("a.npy", self.a)
        want = self.json("transform", "a.npy", "c.npy")["hash"]
        for name in ["v.h5:virtual", "v.h5:inside", "v.h5:soft", "v.h5:external", "v.h5:raw", "u.h5"]:
            for memory in ["1G", "2M"]:
                self.assertEqual(self.json("transform", name, "b.npy", "--memory", memory)["hash"], want, name)

    def test_what_was_never_written_has_its_fill_value(self):
        with h5py.File(self.path("c.h5"), "w") as file:
            for number, how in enumerate([{}, {"fillvalue": 2.5}, {"chunks": (2, 2), "fillvalue": -3}]):
                file.create_dataset(f"d{number}", (4, 4), "f8", **how)
            file.create_dataset("part", (6, 4), "i2", chunks=(2, 2), fillvalue=7)[2:4, :3] = 1
        for name in ["d0", "d1", "d2", "part"]:
            self.ok("transform", f"c.h5:/{name}", "o.npy")
            self.assert_close(self.load("o.npy"), np.fft.fftn(self.stored("c.h5", name).astype("f8")), name)

    def test_damage_is_an_error(self):
        self.chunked("c.h5", self.a, chunks=(64, 60, 50), fletcher32=True)
        with open(self.path("c.h5"), "r+b") as file:
            file.seek(os.path.getsize(file.name) // 2)
            file.write(b"damage")
        self.refused("HDF5 finds damage", "c.h5", "b.npy")

    def test_extents_that_chunks_do_not_have_are_an_error(self):
        """HDF5 1.10 copies past their end."""
        a = self.reals(24, 10, 6, dtype="f4")
        self.chunked("c.h5", a, chunks=(5, 4, 6), compression="gzip")
        with open(self.path("c.h5"), "rb") as file:
            whole = file.read()
        stored = np.array([5, 4, 6, 4], "<u4").tobytes()  # in the header; the last one is an element's bytes
        self.assertEqual(whole.count(stored), 1)
        for extents in [(5, 4, 6), (6, 4, 6), (70, 4, 6), (5, 4, 6), (2000, 4, 6)]:
            with open(self.path("c.h5"), "wb") as file:
                file.write(whole.replace(stored, np.array([*extents, 4], "<u4").tobytes()))
            if extents == (5, 4, 6):
                self.ok("transform", "c.h5", "b.npy")
                os.unlink(self.path("b.npy"))
            else:
                self.refused("the file is damaged", "c.h5", "b.npy")

    def test_elements_that_chunks_do_not_have_are_an_error(self):
        """HDF5 1.10 copies past their end, too."""
        whole = self.random.integers(-9, 9, (6, 5, 4)).astype("<i2")
        for how, word in (({}, "chunks without filters"), ({"compression": "gzip"}, "an element must have at most 64")):
            self.chunked("c.h5", whole, chunks=(3, 5, 4), **how)
            self.ok("transform", "c.h5", "b.npy")
            os.unlink(self.path("b.npy"))
            with open(self.path("c.h5"), "rb") as file:
                stored = file.read()
            type_ = bytes([0x10, 8, 0, 0]) + np.array([2, 16 << 16], "<u4").tobytes()  # size, and 16 bits from 0 on
            self.assertEqual(stored.count(type_), 1)
            with open(self.path("c.h5"), "wb") as file:
                file.write(stored.replace(type_, type_[:4] + np.array([4 if not how else 4000], "<u4").tobytes() +
                                          type_[8:]))
            self.refused(word, "c.h5", "b.npy")


class OtherCommands(Hdf5):
    def test_solve_reads_and_writes_datasets(self):
        f = self.reals(12, 10, 8)
        self.store(f=f), self.save("f.npy", f)
        words = ["--boundary", "periodic,dirichlet,neumann"]
        self.ok("solve", "poisson", "f.npy", "u.npy", *words)
        self.ok("solve", "poisson", "a.h5:/f", "u.h5:/x/b", *words)
        np.testing.assert_array_equal(self.stored("u.h5", "x/b"), self.load("u.npy"))

    def test_answers_read_and_write_datasets(self):
        a, k = self.reals(30, 20, 40), self.reals(3, 3, 3)
        self.store(a=a, k=k), self.save("a.npy", a), self.save("k.npy", k)
        with h5py.File(self.path("c.h5"), "w") as file:
            file.create_dataset("data", data=a, chunks=(8, 8, 8), compression="gzip")
        for command_, words in [("filter", ["--low-pass", "5"]), ("convolve", ["K"]),
                                ("convolve", ["K", "--method", "spectrum"]), ("deconvolve", ["K"])]:
            with self.subTest(command=command_, words=words):
                kernel, more = (["K"], words[1:]) if words[0] == "K" else ([], words)
                self.ok(command_, "a.npy", *["k.npy" for _ in kernel], "b.npy", *more)
                for number, name in enumerate(["a.h5:/a", "c.h5"]):
                    out = f"{command_}{number}{len(more)}.h5:/b"
                    self.ok(command_, name, *["a.h5:/k" for _ in kernel], out, *more)
                    np.testing.assert_array_equal(self.stored(out.partition(":")[0]), self.load("b.npy"))
                    self.assertTrue(self.json("compare-files", out, "b.npy")["equal"])


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
            file["empty"] = h5py.Empty("f8")
            file["text"] = "hello"
            file["record"] = np.zeros(4, [("x", "f4"), ("y", "f4")])
            file["type"] = np.dtype("f8")
            file["group/x"] = self.a
        self.refused("an array must have elements; it is a dataset without any", "a.h5:/empty", "b.npy")
        self.refused("elements must be integers, floats", "a.h5:/text", "b.npy")
        self.refused("elements must be integers, floats", "a.h5:/record", "b.npy")
        for name in ["group", "/", "/group/"]:
            self.refused("must be a dataset; it is a group", f"a.h5:{name}", "b.npy")
        self.refused("must be a dataset; it is a type", "a.h5:/type", "b.npy")
        self.refused("must be a dataset; '/text' is a dataset, and no group", "a.h5:/text/x", "b.npy")
        for name in ["nothing", "group/y", "nothing/y"]:
            self.refused("must be a dataset; there is none of this name", f"a.h5:/{name}", "b.npy")

    def test_links_that_lead_nowhere(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            file["soft"], file["circle"] = h5py.SoftLink("/x/y"), h5py.SoftLink("/circle")
            file["outside"] = h5py.ExternalLink("gone.h5", "/x")
            file.create_dataset("elsewhere", (4, 4), "f8", external=[("gone.raw", 0, 128)])
        self.refused("it is a link to '/x/y' that cannot be followed", "a.h5:/soft", "b.npy")
        self.refused("'/soft' is a link to '/x/y' that cannot be followed", "a.h5:/soft/z", "b.npy")
        self.refused("(too many links)", "a.h5:/circle", "b.npy")
        self.refused("a link to 'gone.h5:/x' that cannot be followed (No such file", "a.h5:/outside", "b.npy")
        self.refused("gone.raw' (No such file or directory)", "a.h5:/elsewhere", "b.npy")

    def test_what_this_hdf5_cannot_open(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("filtered", data=self.a, chunks=(8, 8, 8), compression="lzf")
        self.refused("HDF5 lacks the filter (required filter 'lzf' is not registered)", "a.h5:/filtered", "b.npy")
        with h5py.File(self.path("a.h5"), "w", libver="latest") as file:
            file["newer"] = self.a
        if self.ok_or_says("must be a dataset; it is there, and HDF5", "a.h5:/newer", "b.npy"):
            self.assertTrue(np.allclose(self.load("b.npy"), np.fft.fftn(self.a)))  # with an HDF5 as new as h5py's

    def ok_or_says(self, says, *words):
        done = run("transform", *words, cwd=self.folder)
        if done.returncode:
            self.assertIn(says, done.stderr)
            self.assertIn("of a newer format: store it with h5py.File(name, 'w', libver='earliest')", done.stderr)
        return done.returncode == 0

    def test_extents_beyond_their_maximum(self):
        """A damaged file: what follows the extent of 45 is its maximum of 77."""
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("data", data=np.zeros((45, 3)), maxshape=(77, 3), chunks=(9, 3))
        with open(self.path("a.h5"), "rb") as file:
            whole = file.read()
        sides = (45).to_bytes(8, "little") + (3).to_bytes(8, "little") + (77).to_bytes(8, "little")
        self.assertEqual(whole.count(sides), 1)
        for extent, says in [(78, "an extent must be at most its maximum; got 78, of 77, along axis 0"),
                             (2**40, "of 77"), (2**63, "'a.h5:/data'"), (2**64 - 1, "'a.h5:/data'")]:
            with open(self.path("a.h5"), "wb") as file:
                file.write(whole.replace(sides, extent.to_bytes(8, "little") + sides[8:]))
            self.refused(says, "a.h5", "b.npy")

    def test_files_of_other_kinds(self):
        for start, says in [(b"CDF\x01", "nccopy -k nc4"), (b"MATLAB 5.0 MAT-file", "save -v7.3"),
                            (b"MATLAB 7.3 MAT-file", "it is HDF5"),
                            (b"\x89HDF\r\n\x1a\n", "name a dataset of it")]:
            with open(self.path("x.mat"), "wb") as file:
                file.write(start.ljust(600))
            self.refused(says, "x.mat", "b.npy")
            self.refused("cannot be read as HDF5", "x.mat:x", "b.npy")
        for name in ["x.nc", "x.mat", "x.mat:u", "x.nc:/fields/u"]:
            with h5py.File(self.path(name.split(":")[0]), "w", userblock_size=512 * name.count("mat")) as file:
                file["u"] = file["fields/u"] = self.a
            if ":" in name:
                self.ok("transform", name, "b.npy")
                self.assert_close(self.load("b.npy"), np.fft.fftn(self.a), name)
                os.unlink(self.path("b.npy"))

    def test_files_that_are_none(self):
        self.save("a.npy", self.a)
        self.refused("cannot be read as HDF5", "a.npy:/x", "b.npy")
        os.rename(self.path("a.npy"), self.path("n.h5"))
        self.refused("cannot be read as HDF5", "n.h5", "b.npy")
        self.refused("cannot be read: No such file", "none.h5:/x", "b.npy")

    def test_an_output_that_is_there_already(self):
        self.refused("must be a new file", "a.h5:/fields/u", "a.h5:/b")
        self.assertTrue(np.array_equal(self.stored("a.h5", "fields/u"), self.a))

    def test_a_limit_of_file_lengths_is_said_and_ends_the_program_well(self):
        """At any length: HDF5 would crash at the end of a program whose file it could not close."""
        self.save("a.npy", self.a[:20, :20, :20])
        names = sorted(os.listdir(self.folder))
        for limit in [1, 1 << 16, 100000, 128000, 128001, 129000, 130047]:
            for out in ["b.h5", "b.h5:/x/y/z"]:
                done = subprocess.run(command("transform", "a.npy", out), capture_output=True, text=True, timeout=60,
                                      cwd=self.folder, env=environment(), check=False,
                                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
                self.assertEqual(done.returncode, 2, f"{limit}: {done.stderr}")
                self.assertRegex(done.stderr, r"\Ashardfft: the output 'b.h5.*File too large.*ulimit -f.*\n\Z")
                self.assertEqual(sorted(os.listdir(self.folder)), names)

    def test_a_file_that_was_cut_off(self):
        os.truncate(self.path("a.h5"), 100000)
        done = run("transform", "a.h5:/fields/u", "b.npy", cwd=self.folder)
        self.assertEqual((done.returncode, os.listdir(self.folder)), (2, ["a.h5"]))


if __name__ == "__main__":
    unittest.main()
