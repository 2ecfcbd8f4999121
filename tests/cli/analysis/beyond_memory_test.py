"""Answers about arrays beyond --memory are those in memory, bit by bit, and nothing is left of scratch files."""
import resource
import subprocess
import unittest

import numpy as np

from answers import Answers
from program import LIMIT_S, MPIRUN, command, environment


class BeyondMemory(Answers):
    def shape(self, low=40, high=64):
        return tuple(int(n) for n in self.random.integers(low, high, 3))

    def both(self, *words, memory="2M", ranks=0):
        """JSON of a command in memory and in passes; with an output, `b.npy` of the former, `c.npy` of the latter."""
        known = self.json(*(word.format("b.npy") for word in words))
        told = self.json(*(word.format("c.npy") for word in words), "--memory", memory, ranks=ranks)
        self.assertEqual((known.pop("in_passes"), told.pop("in_passes")), (False, True), words)
        self.assertEqual(self.leftovers(), [])
        return known, told

    def same(self, what):
        np.testing.assert_array_equal(self.load("c.npy"), self.load("b.npy"), err_msg=f"{what} (seed {self.seed})")

    def test_a_correlation_and_its_shift(self):
        for dtype, ranks in [("f8", 0), ("f8", 2), ("c16", 3)]:
            ranks = ranks if MPIRUN else 0
            a = self.reals(*self.shape()).astype(dtype)
            by = tuple(int(s) for s in self.random.integers(-9, 9, 3))
            self.save("a.npy", a), self.save("m.npy", np.roll(a, by, (0, 1, 2)))
            for words in ([], ["--normalize", "none"]):
                known, told = self.both("correlate", "a.npy", "m.npy", "{}", *words, memory="2M", ranks=ranks)
                self.assertEqual(told["shift"], [-s for s in by])
                self.assertEqual((told["shift"], told["peak"]), (known["shift"], known["peak"]))
                self.same(f"correlate {a.shape} {dtype} {words} on {ranks} ranks")

    def test_a_shift_between_points_without_an_output(self):
        a = self.reals(45, 51, 47)
        k = np.meshgrid(*map(np.fft.fftfreq, a.shape), indexing="ij")
        turn = np.exp(-2j * np.pi * (1.4 * k[0] - 3 * k[1] + 0.73 * k[2]))
        self.save("a.npy", a), self.save("m.npy", np.fft.ifftn(np.fft.fftn(a) * turn).real)
        known, told = self.both("correlate", "a.npy", "m.npy", "--upsample", "100")
        np.testing.assert_allclose(told["shift"], (-1.4, 3, -0.73), atol=1e-9)
        self.assertEqual(told["shift"], known["shift"])
        np.testing.assert_allclose(told["peak"], known["peak"], rtol=1e-12)

    def test_a_cross_spectrum(self):
        for dtype in ("f8", "f4", "c8"):
            shape = self.shape()
            self.save("a.npy", self.reals(*shape).astype(dtype)), self.save("m.npy", self.reals(*shape).astype(dtype))
            for ranks in (0, 3) if MPIRUN and dtype == "f4" else (0,):
                known, told = self.both("spectrum", "a.npy", "--cross", "m.npy", ranks=ranks)
                self.assertEqual(told["shells"], known["shells"], f"{shape} {dtype} (seed {self.seed})")

    def test_a_convolution_with_a_large_kernel(self):
        for dtype, mode, ranks in [("f8", "same", 0), ("f4", "full", 2), ("f8", "circular", 3), ("c8", "full", 0)]:
            a, k = self.reals(*self.shape()).astype(dtype), self.reals(*self.shape(8, 30)).astype(dtype)
            self.save("a.npy", a), self.save("k.npy", k)
            self.both("convolve", "a.npy", "k.npy", "{}", "--mode", mode, "--method", "spectrum",
                      memory="4M", ranks=ranks if MPIRUN else 0)
            self.same(f"convolve {a.shape} {k.shape} {dtype} {mode}")
            whole = [n + m - 1 for n, m in zip(a.shape, k.shape)] if mode != "circular" else a.shape
            wanted = np.fft.ifftn(np.fft.fftn(a, whole, (0, 1, 2)) * np.fft.fftn(k, whole, (0, 1, 2)))
            if mode == "same":
                wanted = wanted[tuple(slice((m - 1) // 2, (m - 1) // 2 + n) for n, m in zip(a.shape, k.shape))]
            self.assert_close(self.load("c.npy"), wanted if dtype == "c8" else wanted.real, f"{a.shape} {mode}")

    def test_a_deconvolution(self):
        for dtype, words, memory, ranks in [("f8", ["--balance", "0.01"], "2M", 0), ("f4", [], "2M", 3),
                                            ("f4", ["--iterations", "3"], "4M", 0),
                                            ("f8", ["--iterations", "2"], "6M", 2)]:
            a, psf = np.abs(self.reals(*self.shape())), np.abs(self.reals(*self.shape(3, 8)))
            self.save("a.npy", a.astype(dtype)), self.save("k.npy", psf / psf.sum())
            self.both("deconvolve", "a.npy", "k.npy", "{}", *words, memory=memory, ranks=ranks if MPIRUN else 0)
            self.same(f"deconvolve {a.shape} {psf.shape} {dtype} {words}")

    def test_planes(self):
        a, k = self.reals(900, 700), self.reals(120, 90)
        self.save("a.npy", a), self.save("k.npy", k), self.save("m.npy", np.roll(a, (70, -3), (0, 1)))
        self.both("convolve", "a.npy", "k.npy", "{}", "--method", "spectrum", memory="4M")
        self.same("convolve in two dimensions")
        self.assertEqual(self.both("correlate", "a.npy", "m.npy", memory="6M")[1]["shift"], [-70, 3])

    def test_memory_has_a_limit(self):
        """--memory and what the program takes for itself are enough; what the answers need in memory is not."""
        self.save("a.npy", np.abs(self.reals(200, 210, 220, dtype="f4")))
        self.save("k.npy", np.abs(self.reals(21, 22, 23, dtype="f4")))

        def limit():
            resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, 1 << 20))  # also of threads
            resource.setrlimit(resource.RLIMIT_DATA, (32 << 20, 32 << 20))

        def limited(*words):
            return subprocess.run(command(*words, "-q"), preexec_fn=limit, capture_output=True, text=True,
                                  timeout=LIMIT_S, cwd=self.folder, check=False, env=environment())

        for words in ("correlate a.npy a.npy", "spectrum a.npy --cross a.npy", "deconvolve a.npy k.npy c.npy",
                      "deconvolve a.npy k.npy c.npy --iterations 1", "convolve a.npy k.npy c.npy --method spectrum"):
            with self.subTest(words=words):
                done = limited(*words.split(), "--memory", "10M")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(limited(*words.split(), "--memory", "4G").returncode, 2)

    def test_what_is_wrong_is_one_line_and_leaves_nothing(self):
        self.save("a.npy", self.reals(40, 40, 40)), self.save("k.npy", self.reals(40, 41, 40))
        self.save("f.npy", np.asfortranarray(self.reals(40, 40, 40)))
        for words, saying in {"correlate a.npy a.npy c.npy --memory 1K": "raise --memory",
                              "convolve a.npy a.npy c.npy --method spectrum --memory 20K": "raise --memory",
                              "deconvolve a.npy a.npy c.npy --iterations 2 --memory 20K": "raise --memory",
                              "deconvolve a.npy k.npy c.npy --memory 1M": "no longer than IN",
                              "correlate a.npy a.npy --memory x": "write for example --memory 4G",
                              "correlate a.npy a.npy c.npy --memory 2M --scratch gone": "gone",
                              "spectrum a.npy --cross f.npy --memory 1M": "one order of axes",
                              "correlate a.npy a.npy --upsample 0 --memory 1M": "from 1 to 1000"}.items():
            for ranks in (0, 2) if MPIRUN and "--cross" in words else (0,):
                with self.subTest(words=words, ranks=ranks):
                    self.refused(*words.split(), saying=saying, ranks=ranks)
        self.assertEqual(self.leftovers(), [])
        with self.assertRaises(OSError):
            self.load("c.npy")


if __name__ == "__main__":
    unittest.main()
