"""One axis longer than --memory is transformed in four steps through the file, with the bits of the transform in
memory."""
import glob
import os
import resource
import subprocess
import time
import unittest

import numpy as np

from program import KILL, InFolder, command, environment, needs_launcher, own_lines, run, start, wait_for

MB = 1 << 20


class LongAxis(InFolder):
    def setUp(self):
        super().setUp()
        self.seed = int(os.environ.get("SHARDFFT_TEST_SEED", time.time_ns() % 10**9))
        self.random = np.random.default_rng(self.seed)

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def in_memory(self, a, *words):
        self.save("a.npy", a)
        self.hash = self.json("transform", "a.npy", "whole.npy", "--no-wisdom", *words)["hash"]
        return self.bytes_of("whole.npy")

    def same(self, a, memory, *words, ranks=0):
        """Both ways give the same file; and the record of passes."""
        whole = self.in_memory(a, *words)
        record = self.json("transform", "a.npy", "b.npy", "--no-wisdom", "--memory", memory, *words, ranks=ranks)
        what = f"{a.shape} {a.dtype} {words} in {memory} on {ranks} ranks (seed {self.seed})"
        self.assertGreaterEqual(len(record["passes"]), 2, what)
        self.assertEqual((record["hash"], self.bytes_of("b.npy")), (self.hash, whole), what)
        return record

    def refused(self, saying, *words):
        done = run("transform", *words, cwd=self.folder)
        self.assertEqual((done.returncode, len(own_lines(done.stderr))), (2, 1), done.stderr)
        self.assertIn(saying, done.stderr)


class HasTheBitsOfTheTransformInMemory(LongAxis):
    def test_forward_and_backward_beside_numpy(self):
        a = self.complexes(1 << 18)
        record = self.same(a, "2M")
        self.assert_close(self.load("b.npy"), np.fft.fft(a), "forward")
        self.assertEqual([p["does"] for p in record["passes"]], ["move", "forward", "forward", "move"])
        self.same(a, "2M", "--direction", "backward")
        self.assert_close(self.load("b.npy"), np.fft.ifft(a), "backward")
        self.same(a.astype("c8"), "1M", "--norm", "ortho")

    def test_random_lengths_and_arrays_of_several_axes(self):
        for case in range(int(os.environ.get("SHARDFFT_TEST_PROBLEMS", "4"))):
            # longer than what passes take at least for factors with large primes
            slow, fast = (int(n) for n in self.random.integers(800, 900, 2))
            shape = [slow * fast]
            for others in self.random.integers(1, 3, self.random.integers(0, 3)):
                shape.insert(int(self.random.integers(0, len(shape) + 1)), int(others))
            axis = shape.index(slow * fast)
            a = self.complexes(*shape, dtype=str(self.random.choice(["c8", "c16"])))
            if self.random.integers(2):
                a = np.asfortranarray(a)
            words = ["--axes", axis, "--direction", str(self.random.choice(["forward", "backward"]))]
            if self.random.integers(3) == 0:
                words.append("--verify")
            with self.subTest(case=case, shape=shape, words=words, seed=self.seed):
                self.same(a, 7 * a.nbytes // 8, *words)

    @needs_launcher
    def test_any_number_of_ranks(self):
        for ranks in [2, 3]:
            self.same(self.complexes(1 << 18), ranks * 2 * MB, ranks=ranks)

    def test_other_types_are_converted(self):
        self.same(self.reals(1 << 18).astype(">f4"), "1M", "--kind", "c2c")


class Goes(LongAxis):
    def test_on_after_a_kill(self):
        """In more memory, too: the passes are those that were begun."""
        whole = self.in_memory(self.complexes(1 << 19))
        words = ["transform", self.path("a.npy"), "b.npy", "--no-wisdom", "--resume", "-q", "--memory"]

        def tiles():
            return sum(len(self.bytes_of(file).splitlines()) for file in glob.glob(self.path("b.npy.resume-*/tiles.*")))

        for after, memory in [(int(self.random.integers(1, 60)), "2M"), (3, "6M")]:
            process = start(*words, "2M", cwd=self.folder)
            self.assertTrue(wait_for(lambda: process.poll() is not None or tiles() >= after))
            process.send_signal(KILL)
            process.communicate(timeout=60)
            if process.returncode != 0:
                record = self.json(*words, memory)
                self.assertGreaterEqual(record["tiles_done_before"], after, f"seed {self.seed}")
            self.assertEqual(self.bytes_of("b.npy"), whole, f"after {after} tiles (seed {self.seed})")
            os.unlink(self.path("b.npy"))
            self.assertEqual(sorted(os.listdir(self.folder)), ["a.npy", "whole.npy"])

    def test_with_no_more_memory_than_it_was_given(self):
        """The transform of 64 MB takes 16 MB beside those of the program and its threads."""
        self.save("a.npy", self.complexes(1 << 23, dtype="c8"))
        own = 144 * MB  # stacks of threads, most of them never touched

        def limit():
            resource.setrlimit(resource.RLIMIT_DATA, (own + 16 * MB, own + 16 * MB))

        def limited(memory):
            return subprocess.run(command("transform", "a.npy", "b.npy", "--no-wisdom", "--memory", memory, "-q"),
                                  preexec_fn=limit, capture_output=True, text=True, timeout=120, cwd=self.folder,
                                  env=environment(), check=False)

        done = limited("16M")
        self.assertEqual(done.returncode, 0, done.stderr)
        a, b = self.load("a.npy"), np.load(self.path("b.npy"), mmap_mode="r")
        for k in self.random.integers(0, 1 << 23, 2):
            wave = np.exp(-2j * np.pi * ((np.arange(1 << 23, dtype="i8") * k) % (1 << 23)) / (1 << 23))
            self.assertLess(abs(np.dot(a, wave) - b[k]), 1e-5 * np.sqrt(2.0 * a.size), f"mode {k} (seed {self.seed})")
        self.assertNotEqual(limited("400M").returncode, 0, "the limit limits nothing")


class IsRefused(LongAxis):
    def test_where_the_length_has_no_two_factors(self):
        self.save("a.npy", self.complexes(262139))  # prime
        self.refused("raise --memory", "a.npy", "b.npy", "--memory", "2M")
        self.save("a.npy", self.complexes(8 * 32771))  # a factor of 8 and a prime: tiles of 8 pencils are all
        self.refused("raise --memory", "a.npy", "b.npy", "--memory", "2M")

    def test_in_too_little_memory_and_the_least_is_enough(self):
        self.save("a.npy", self.complexes(1 << 18))
        done = run("transform", "a.npy", "b.npy", "--memory", "100K", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        least, unit = done.stderr.split("about ")[1].split()[:2]
        self.assertLess(float(least), 1024 if unit == "KiB" else 2)
        self.ok("transform", "a.npy", "b.npy", "--memory", f"{float(least) * 1.01}{unit[0]}")

    def test_for_reals_and_operators(self):
        self.save("a.npy", self.reals(1 << 20))
        self.refused("raise --memory", "a.npy", "b.npy", "--kind", "r2c", "--memory", "2M")
        self.save("a.npy", self.complexes(1 << 18))
        self.refused("raise --memory", "a.npy", "b.npy", "--apply", "gaussian:1", "--memory", "2M")


if __name__ == "__main__":
    unittest.main()
