"""convolve and deconvolve are sums of products, tile by tile and through the spectrum."""
import unittest

import numpy as np

from answers import Answers
from program import needs_launcher


class Convolve(Answers):
    def direct(self, a, k, mode):
        """Sums of shifted arrays."""
        full = np.zeros([n + m - 1 for n, m in zip(a.shape, k.shape)], np.result_type(a, k))
        for at in np.ndindex(k.shape):
            full[tuple(slice(i, i + n) for i, n in zip(at, a.shape))] += k[at] * a
        if mode == "same":
            return np.ascontiguousarray(full[tuple(slice((m - 1) // 2, (m - 1) // 2 + n)
                                                   for n, m in zip(a.shape, k.shape))])
        if mode == "circular":
            return sum(k[at] * np.roll(a, at, tuple(range(a.ndim))) for at in np.ndindex(k.shape))
        return full

    def test_each_way_is_the_sum_of_products(self):
        for shape, kernel, dtypes in [((40, 30, 280), (3, 4, 5), ["f4"]), ((150, 600), (5, 2), ["c16"]),
                                      ((9000,), (31,), ["f8"])]:
            for dtype in dtypes:
                a, k = self.reals(*shape).astype(dtype), self.reals(*kernel).astype(dtype)
                self.save("a.npy", a), self.save("k.npy", k)
                for mode in ("same", "full", "circular"):
                    for method in ("tiles", "spectrum"):
                        with self.subTest(shape=shape, dtype=dtype, mode=mode, method=method):
                            self.ok("convolve", "a.npy", "k.npy", "b.npy", "--mode", mode, "--method", method)
                            self.assert_close(self.load("b.npy"), self.direct(a, k, mode), f"{shape} {mode} {method}")

    def test_the_way_is_chosen_by_cost_and_told(self):
        self.save("a.npy", self.reals(64, 64, 256).astype("f4"))
        self.save("small.npy", self.reals(3, 3, 3)), self.save("large.npy", self.reals(64, 64, 300))
        self.assertEqual(self.json("convolve", "a.npy", "small.npy", "b.npy")["method"], "tiles")
        self.assertEqual(self.json("convolve", "a.npy", "large.npy", "b.npy")["method"], "spectrum")
        self.assertIn("in tiles of 36 x 36 x 270", self.ok("convolve", "a.npy", "small.npy", "b.npy").stdout)

    @needs_launcher
    def test_the_same_bits_on_ranks(self):
        self.save("a.npy", self.reals(40, 30, 280)), self.save("k.npy", self.reals(3, 4, 5))
        for words in (["--method", "tiles"], ["--method", "spectrum"], ["--mode", "full", "--method", "spectrum"]):
            self.ok("convolve", "a.npy", "k.npy", "b.npy", *words)
            for ranks in (2, 3):
                self.ok("convolve", "a.npy", "k.npy", "c.npy", *words, ranks=ranks)
                np.testing.assert_array_equal(self.load("b.npy"), self.load("c.npy"))

    def test_deconvolution(self):
        psf = np.exp(-0.5 * (np.arange(-2, 3)[:, None]**2 + np.arange(-1, 2)**2))
        psf /= psf.sum()
        a = np.abs(self.reals(24, 20))
        self.save("a.npy", a), self.save("psf.npy", psf)
        spread = np.zeros(a.shape)
        spread[:5, :3] = psf
        h = np.fft.fftn(np.roll(spread, (-2, -1), (0, 1)))
        k = np.meshgrid(*(2 * np.pi * np.fft.fftfreq(n) for n in a.shape), indexing="ij")
        laplace = sum(2 - 2 * np.cos(x) for x in k)
        self.ok("deconvolve", "a.npy", "psf.npy", "b.npy", "--balance", 0.01)
        self.assert_close(self.load("b.npy"),
                          np.fft.ifftn(np.fft.fftn(a) * h.conj() / (np.abs(h)**2 + 0.01 * laplace**2)).real, "Wiener")
        wanted = np.full(a.shape, 0.5)
        for _ in range(5):
            wanted *= self.direct(a / (self.direct(wanted, psf, "same") + 1e-12), psf[::-1, ::-1], "same")
        self.ok("deconvolve", "a.npy", "psf.npy", "b.npy", "--iterations", 5)
        self.assertLess(np.max(np.abs(self.load("b.npy") - wanted)), 1e-12)

    @needs_launcher
    def test_deconvolution_on_ranks(self):
        self.save("a.npy", np.abs(self.reals(24, 20, 7))), self.save("psf.npy", np.abs(self.reals(5, 3, 3)))
        for words in (["--balance", 0.1], ["--iterations", 3]):
            self.ok("deconvolve", "a.npy", "psf.npy", "b.npy", *words)
            self.ok("deconvolve", "a.npy", "psf.npy", "c.npy", *words, ranks=3)
            np.testing.assert_allclose(self.load("c.npy"), self.load("b.npy"), rtol=1e-9)

    def test_what_is_wrong_is_one_line_and_leaves_nothing(self):
        self.save("a.npy", self.reals(6, 8)), self.save("k.npy", self.reals(3))
        self.save("c.npy", self.complexes(3, 3)), self.save("long.npy", self.reals(7, 3))
        self.save("f.npy", np.asfortranarray(self.reals(6, 8)))
        for words, saying in {"convolve a.npy k.npy b.npy": "as many axes", "convolve f.npy a.npy b.npy": "C order",
                              "convolve a.npy long.npy b.npy --mode circular": "no longer than the array",
                              "convolve a.npy a.npy b.npy --mode x": "got 'x'",
                              "convolve a.npy a.npy b.npy --method x": "got 'x'",
                              "deconvolve a.npy c.npy b.npy": "are real",
                              "deconvolve a.npy long.npy b.npy": "no longer",
                              "deconvolve a.npy a.npy b.npy --iterations=-1": "got -1",
                              "deconvolve a.npy a.npy b.npy --balance=-1": "got -1"}.items():
            with self.subTest(words=words):
                self.refused(*words.split(), saying=saying)
        self.assertEqual(self.leftovers(), [])
        with self.assertRaises(OSError):
            self.load("b.npy")


if __name__ == "__main__":
    unittest.main()
