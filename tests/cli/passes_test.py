"""Files larger than --memory are transformed in passes, with the bits of the transform in memory; nothing is left."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import numpy as np

from program import (INT, MPIRUN, TERM, InFolder, needs_launcher, own_lines, run, scratch_files, start,
                     wait_for)


class Passes(InFolder):
    def in_memory(self, a, *words):
        """Hash and bytes of the file, of array `a` saved as a.npy."""
        self.save("a.npy", a)
        record = self.json("transform", "a.npy", "whole.npy", "--no-wisdom", *words)
        self.assertNotIn("passes", record)
        return record["hash"], self.bytes_of("whole.npy")

    def in_passes(self, memory, *words, ranks=0):
        record = self.json("transform", "a.npy", "b.npy", "--no-wisdom", "--memory", memory, *words, ranks=ranks)
        self.assertLessEqual(set(os.listdir(self.folder)), {"a.npy", "b.npy", "whole.npy"})
        return record

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def same(self, a, memory, *words, passes=None, least=2):
        """The record, where both ways give the same file."""
        whole = self.in_memory(a, *words)
        record = self.in_passes(memory, *words)
        what = f"{a.shape} {a.dtype} {words} in {memory} (seed {self.seed})"
        self.assertEqual((record["hash"], self.bytes_of("b.npy")), whole, what)
        self.assertGreaterEqual(len(record["passes"]), least, what)
        if passes:
            self.assertEqual([p["axes"] for p in record["passes"]], passes, what)
        return record


class HaveTheBitsOfTheTransformInMemory(Passes):
    def test_operators_between_forward_and_backward(self):
        a = self.reals(64, 60, 51)
        box = ["--spacing", "1,2,3"]
        record = self.same(a, "1500K", "--apply", "gaussian:2", *box, least=3)
        self.assertEqual([p["does"] for p in record["passes"]].count("apply"), 1)
        k = np.meshgrid(*(2 * np.pi * np.fft.fftfreq(n, step) for n, step in zip(a.shape, (1, 2, 3))), indexing="ij")
        smooth = np.fft.ifftn(np.fft.fftn(a) * np.exp(-2 * sum(x**2 for x in k))).real
        self.assert_close(self.load("b.npy"), smooth, "gaussian")
        record = self.same(self.complexes(64, 60, 50), "3M", "--apply", "derivative:0", *box,
                           passes=[[2, 1], [0], [1, 2]])
        self.assertEqual([p["does"] for p in record["passes"]], ["forward", "apply", "backward"])
        self.same(a, "2M", "--apply", "gaussian:2", *box, least=1)  # plans of whole tiles would be too large
        self.same(self.reals(64, 60, 51), "1M", "--kinds", "cosine2", "--apply", "inverse_laplace")
        self.same(self.complexes(40, 64, 60), "2M", "--axes", "1,2", "--apply", "shift:0.1", passes=[[2, 1]], least=1)

    def test_complex_arrays_forward_and_backward_beside_numpy(self):
        a = self.complexes(64, 60, 50)
        self.same(a, "2M", passes=[[2, 1], [0]])
        self.assert_close(self.load("b.npy"), np.fft.fftn(a), "two passes")
        self.same(self.complexes(24, 200, 190), "1M", passes=[[2], [1], [0]])  # a plane is more than a tile
        self.same(a, "2M", "--direction", "backward", "--norm", "ortho")
        self.assert_close(self.load("b.npy"), np.fft.ifftn(a, norm="ortho"), "backward")
        self.same(a.astype("c8"), "1M")
        self.same(self.complexes(300, 300), "800K", "--norm", "forward")
        self.same(self.complexes(16, 18, 20, 22), "1M")

    def test_half_spectra_and_back(self):
        a = self.reals(64, 60, 51)
        self.same(a, "1500K", "--kind", "r2c")
        self.assert_close(self.load("b.npy"), np.fft.rfftn(a), "r2c")
        half = np.fft.rfftn(a)
        self.same(half, "1500K", "--kind", "c2r", "--real-length", 51)
        self.assert_close(self.load("b.npy"), np.fft.irfftn(half, s=a.shape, axes=(0, 1, 2)), "c2r")
        self.same(a, "1500K", "--kind", "r2c", "--axes", "2,0,1")
        self.same(a.astype("f4"), "1M", "--kind", "r2c", "--norm", "ortho")

    def test_cosines_sines_and_mixed_kinds(self):
        a = self.reals(64, 60, 51)
        for direction in ["forward", "backward"]:
            self.same(a, "1M", "--kinds", "cosine2,sine1,hartley", "--direction", direction, "--norm", "ortho")
        self.same(a, "2M", "--kind", "r2c", "--kinds", "cosine2,sine1,fourier")
        self.same(self.complexes(64, 60, 51), "2M", "--kinds", "cosine1,fourier,sine4")

    def test_fewer_modes_and_points(self):
        a = self.complexes(64, 60, 50)
        self.same(a, "2500K", "--modes", 20)
        self.same(a, "2500K", "--shape", "70x64x60")
        self.same(a, "2500K", "--direction", "backward", "--shape", "70x64x60", "--support", "20x64x31")

    def test_every_order_type_and_layout_of_files(self):
        a = self.complexes(64, 60, 50)
        self.same(np.asfortranarray(a), "2M")
        self.same(np.asfortranarray(self.reals(64, 60, 50).astype(">i4")), "2M")
        self.same(a, "2M", "--input", "pencils:0", "--output", "pencils:2")
        self.same(a, "2M", "--input", "cyclic:1", "--output", "bricks", "--direction", "backward")

    def test_long_axes_whose_kernels_depend_on_how_many_there_are(self):
        """From 4096 points on, fewer than 8 pencils are computed otherwise than many."""
        self.same(self.complexes(5000, 160), "10M")
        self.same(self.reals(160, 4099), "7M", "--kind", "r2c")
        self.same(self.complexes(40, 8192), "9M", "--axes", 1, least=1)

    def test_tiles_are_verified_and_nan_is_no_answer(self):
        a = self.complexes(64, 60, 50)
        record = self.same(a, "2M", "--verify")
        self.assertLess(0, record["error_rel_l2"])
        self.assertLess(record["error_rel_l2"], record["verify_limit"])
        self.assertLess(0, record["passes"][0]["seconds"]["verifying"])
        a[60, 3, 7] = np.nan
        self.save("a.npy", a)
        os.unlink(self.path("b.npy"))
        done = run("transform", "a.npy", "b.npy", "--memory", "2M", "--verify", "-q", cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("because the data hold NaN or Inf; b.npy was not written", done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.npy", "whole.npy"])

    def test_random_problems(self):
        """Each in as little memory as it takes; nearly all are more than one tile."""
        cases, tiled = int(os.environ.get("SHARDFFT_TEST_PROBLEMS", "12")), 0
        for case in range(cases):
            dims = int(self.random.integers(2, 5))
            shape = tuple(int(n) for n in self.random.integers(2, [0, 0, 500, 70, 30][dims], dims))
            axes = [int(a) for a in self.random.permutation(dims)[:self.random.integers(1, dims + 1)]]
            kind = str(self.random.choice(["c2c", "r2c", "r2r"]))
            words = ["--kind", kind, f"--axes={','.join(map(str, axes))}", "--norm", "ortho"]
            if kind == "r2r":
                words += ["--kinds", str(self.random.choice(["cosine2", "sine3", "hartley"]))]
            if kind != "r2c" and self.random.integers(2):
                words += ["--direction", "backward"]
            a = self.complexes(*shape) if kind == "c2c" else self.reals(*shape)
            a = np.asfortranarray(a) if self.random.integers(2) else a
            with self.subTest(case=case, shape=shape, words=words, seed=self.seed):
                whole = self.in_memory(a, *words)
                for memory in range(a.nbytes // 4, 40 * a.nbytes, a.nbytes // 4):
                    done = run("transform", "a.npy", "b.npy", *words, "--no-wisdom", "--json", "-", "--memory", memory,
                               cwd=self.folder)
                    if done.returncode != 2 or "raise --memory" not in done.stderr:
                        break  # else what plans take beside the tiles is more than that
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(self.bytes_of("b.npy"), whole[1])
                tiled += sum(p["tiles"] for p in json.loads(done.stdout).get("passes", [])) > 1
        self.assertGreaterEqual(tiled, 3 * cases // 4, f"seed {self.seed}")

    @needs_launcher
    def test_any_number_of_ranks(self):
        for words in [(), ("--kind", "r2c"), ("--apply", "gaussian:0.1")]:
            whole = self.in_memory(self.reals(60, 64, 50), *words)
            for ranks in [1, 2, 3, 5]:
                record = self.in_passes(1500000 * ranks, *words, ranks=ranks)
                self.assertGreaterEqual(len(record["passes"]), 2)
                self.assertEqual((record["hash"], self.bytes_of("b.npy")), whole, f"{words} on {ranks} ranks")


class TakeNoMoreThanTheyShould(Passes):
    def test_two_passes_read_and_write_every_byte_twice(self):
        a = self.complexes(64, 60, 50)
        record = self.same(a, "2M")
        self.assertEqual([record[k] for k in ["bytes_read", "bytes_written", "bytes_scratch"]],
                         [2 * a.nbytes, 2 * a.nbytes, a.nbytes])

    def test_a_batch_takes_one_pass_and_no_scratch(self):
        a = self.complexes(40, 64, 50)
        for axes, direction in [("1,2", "forward"), ("0", "backward")]:
            record = self.same(a, "2M", f"--axes={axes}", "--direction", direction, least=1)
            self.assertEqual((len(record["passes"]), record["bytes_scratch"]), (1, 0))

    def test_arrays_that_fit_take_none(self):
        self.in_memory(self.complexes(20, 20), "--memory", "1G")

    def test_the_output_may_be_the_input(self):
        a = self.complexes(64, 60, 50)
        whole = self.in_memory(a)
        self.ok("transform", "a.npy", "a.npy", "--memory", "2M", "--no-wisdom")
        self.assertEqual(self.bytes_of("a.npy"), whole[1])

    def test_the_text_says_before_and_after_what_is_done(self):
        self.save("a.npy", self.complexes(64, 60, 50))
        text = " ".join(self.ok("transform", "a.npy", "b.npy", "--memory", "2M").stdout.split())
        found = re.search("passes 2, because the arrays do not fit into 2.0 MiB per rank: axes 2 1 in ([0-9]+) tiles "
                          "of ([0-9]+) x 60 x 50, then axes 0 in ([0-9]+) tiles of 64 x ([0-9]+) x 50", text)
        self.assertTrue(found, text)
        # How many tiles there are depends on the plan's own memory, and so on the processor.
        first, planes, second, rows = map(int, found.groups())
        self.assertEqual((first, second), (-(-64 // planes), -(-60 // rows)))
        self.assertIn("all ranks read 5.9 MiB and write 5.9 MiB, 2.9 MiB of each in scratch files beside b.npy", text)
        self.assertRegex(text, f"pass tiles time reading transforming writing axes 2 1 {first} .* axes 0 {second} .* "
                               "hash [0-9a-f]{16}")


class EndWell(Passes):
    def refused(self, *words):
        done = run("transform", "a.npy", "b.npy", *words, cwd=self.folder)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(len(own_lines(done.stderr)), 1, done.stderr)
        self.assertEqual(os.listdir(self.folder), ["a.npy"])
        return done.stderr

    def test_too_little_memory_is_refused_and_the_least_is_named(self):
        self.save("a.npy", self.complexes(64, 60, 50))
        says = self.refused("--memory", "100K")
        self.assertRegex(says, "must hold tiles of each pass, about [0-9.]+ [KM]iB for each of 1 rank; got 100.0 KiB")
        self.assertIn("raise --memory", says)

    def test_words_are_checked(self):
        self.save("a.npy", self.complexes(4, 4))
        for word in ["0", "-1", "4X", "G", "", "1e40", "nan", "4GG"]:
            if word:
                self.assertIn("write for example --memory 4G", self.refused("--memory", word))
        for word in ["1M", "1m", "1MiB", "1MB", "0.5g", "1000000"]:
            self.ok("transform", "a.npy", "b.npy", "--memory", word)

    def test_what_needs_the_whole_array_says_so(self):
        self.save("a.npy", self.complexes(64, 60, 50))
        self.assertIn("--trace takes arrays that fit", self.refused("--memory", "2M", "--trace", "t.json"))
        self.save("a.npy", self.complexes(262139))  # prime
        self.assertIn("must hold tiles of each pass", self.refused("--memory", "2M"))

    def started(self):
        """A run of 2 passes over 49 MB, and how many bytes it has written so far."""
        self.save("a.npy", self.complexes(128, 128, 188))
        process = start("transform", "a.npy", "b.npy", "-q", "--no-wisdom", "--memory", "6M", cwd=self.folder)
        def written():
            try:
                with open(f"/proc/{process.pid}/io") as file:
                    return int(dict(line.split(":") for line in file)["wchar"])
            except OSError:
                return 1 << 60  # it has ended
        return process, written

    def test_a_signal_in_any_pass_leaves_nothing(self):
        size = 16 * 128 * 128 * 188
        for signal in [TERM, INT]:
            for share in [0.02, 0.5, 0.98, 1.3, 1.9]:
                process, written = self.started()
                self.assertTrue(wait_for(lambda: written() > share * size))
                process.send_signal(signal)
                process.communicate(timeout=60)
                names = sorted(os.listdir(self.folder))
                self.assertIn(names, [["a.npy"], ["a.npy", "b.npy"]])
                self.assertEqual(process.returncode, -signal if names == ["a.npy"] else 0)
                if len(names) == 2:
                    self.assertGreater(share, 1)
                    os.unlink(self.path("b.npy"))

    def test_a_scratch_that_changes_is_an_error_and_no_answer(self):
        process, written = self.started()
        self.assertTrue(wait_for(lambda: written() > 1 << 20))
        scratch = scratch_files(process.pid)
        self.assertTrue(scratch)
        with open(scratch[0], "r+b", buffering=0) as file:
            noise = 0
            while process.poll() is None:
                noise += 1
                file.seek(16)
                file.write(noise.to_bytes(4, "little"))
        self.assertEqual(process.returncode, 2)
        self.assertIn("must give back what was written to it", process.stderr.read())
        self.assertEqual(os.listdir(self.folder), ["a.npy"])
        process.communicate()

    def test_an_input_that_changes_is_an_error_and_no_answer(self):
        """In any pass, by what was written into it, its length, or another file of its name."""
        def write_into(path):
            with open(path, "r+b") as file:
                file.seek(1000)
                file.write(b"other")

        def replace(path):
            np.save(path + ".new.npy", np.zeros(3))
            os.replace(path + ".new.npy", path)

        def write_as_if_nothing_was(path):
            before = os.stat(path)
            write_into(path)
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

        for says, change in [("it was written to", write_into), ("bytes and has", lambda p: os.truncate(p, 1000)),
                             ("bytes and has", lambda p: os.truncate(p, os.path.getsize(p) + 1)),
                             ("it was written to", os.utime),
                             ("it was written to, or its rights", write_as_if_nothing_was),
                             ("another file took its place", replace)]:
            process, written = self.started()
            self.assertTrue(wait_for(lambda: written() > 1 << 20))
            change(self.path("a.npy"))
            _, stderr = process.communicate(timeout=60)
            self.assertEqual((process.returncode, os.listdir(self.folder)), (2, ["a.npy"]), stderr)
            self.assertRegex(stderr, r"\Ashardfft: .*a.npy' (must stay as it is until the output is written; |"
                             r"cannot be read: it became shorter).*\n\Z")
            if "shorter" not in stderr:
                self.assertIn(says, stderr)

    def test_an_input_of_hdf5_that_changes_is_one_too_wherever_its_elements_are(self):
        a = self.complexes(64, 60, 50)
        a.tofile(self.path("raw"))
        try:
            import h5py
        except ImportError:
            self.skipTest("h5py is not installed")
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("raw", data=a, external=[(self.path("raw"), 0, a.nbytes)])
            file.create_dataset("data", data=a, chunks=(8, 8, 8))
        for name, changed in [("a.h5:/raw", "raw"), ("a.h5", "a.h5")]:
            names = sorted(os.listdir(self.folder))
            process = start("transform", name, "b.npy", "-q", "--no-wisdom", "--memory", "2M", cwd=self.folder)
            self.assertTrue(wait_for(lambda: self.leftovers() or process.poll() is not None))
            os.utime(self.path(changed))
            _, stderr = process.communicate(timeout=60)
            self.assertEqual((process.returncode, sorted(os.listdir(self.folder))), (2, names), stderr)
            self.assertIn("must stay as it is until the output is written; it was written to", stderr)

    def test_a_full_disk_is_said_before_anything_is_read(self):
        self.save("a.npy", self.complexes(64, 60, 50))
        disk = tempfile.mkdtemp(prefix="shardfft-disk-")
        self.addCleanup(os.rmdir, disk)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=5M", "tmpfs", disk], capture_output=True,
                          check=False).returncode:
            self.skipTest("this user mounts no file systems")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        for ranks in [0, 2] if MPIRUN else [0]:
            done = run("transform", "a.npy", os.path.join(disk, "b.npy"), "--memory", "4M" if ranks else "2M",
                       ranks=ranks, cwd=self.folder)
            self.assertEqual((done.returncode, len(own_lines(done.stderr))), (2, 1), done.stderr)
            self.assertIn("cannot grow to", done.stderr)  # OUT and as much scratch take 6 MB
            self.assertIn("name a file system with more room", done.stderr)
            self.assertEqual(os.listdir(disk), [])

    def test_a_small_file_system_in_memory_takes_passes_too(self):
        """It may refuse to bypass the system's cache."""
        a = self.complexes(64, 60, 50)
        whole = self.in_memory(a)
        if not os.path.isdir("/dev/shm"):
            self.skipTest("there is no file system in memory")
        disk = tempfile.mkdtemp(prefix="shardfft-disk-", dir="/dev/shm")
        self.addCleanup(os.rmdir, disk)
        shutil.move(self.path("a.npy"), os.path.join(disk, "a.npy"))
        self.ok("transform", os.path.join(disk, "a.npy"), "b.npy", "--memory", "2M", "--scratch", disk)
        os.unlink(os.path.join(disk, "a.npy"))
        self.assertEqual(self.bytes_of("b.npy"), whole[1])

    @needs_launcher
    def test_an_input_that_changes_is_one_error_of_several_ranks(self):
        self.save("a.npy", self.complexes(128, 128, 188))
        process = start("transform", self.path("a.npy"), "b.npy", "-q", "--no-wisdom", "--memory", "12M", ranks=2,
                        cwd=self.folder)
        self.assertTrue(wait_for(lambda: scratch_files(*self.ranks())))
        before = os.stat(self.path("a.npy"))
        os.utime(self.path("a.npy"), ns=(before.st_atime_ns, before.st_mtime_ns))  # but for its ctime
        _, stderr = process.communicate(timeout=60)
        self.assertEqual((process.returncode, os.listdir(self.folder)), (2, ["a.npy"]), stderr)
        self.assertEqual(len(own_lines(stderr)), 1, stderr)


if __name__ == "__main__":
    unittest.main()
