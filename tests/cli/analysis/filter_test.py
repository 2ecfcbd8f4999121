"""filter is NumPy's product of spectra, in people's units, and the same on any number of ranks."""
import unittest

import numpy as np

from answers import Answers
from program import needs_launcher


class Filter(Answers):
    def test_words_are_numpys_products(self):
        a, spacing = self.reals(11, 9, 13), [2, 0.5, 0.5]
        k = np.meshgrid(*(2 * np.pi * np.fft.fftfreq(n, h) for n, h in zip(a.shape, spacing)), indexing="ij")
        k2 = sum(x**2 for x in k)
        self.save("a.npy", a)
        for words, factor in {
                "--low-pass 1.6um --edge hard": k2 <= (2 * np.pi / 1.6)**2,
                "--low-pass 1500nm --edge gaussian": 0.5**(k2 / (2 * np.pi / 1.5)**2),
                "--high-pass k=1.1 --edge hard": k2 > 1.1**2,
                "--band 1.6,6 --edge hard": (k2 <= (2 * np.pi / 1.6)**2) & (k2 > (2 * np.pi / 6)**2),
                "--low-pass f=0.4 --edge butterworth:3": 1 / np.sqrt(1 + (k2 / (0.8 * np.pi)**2)**3),
                "--gaussian 0.7": np.exp(-0.245 * k2),
                "--gaussian 1,0,0.3um": np.exp(-0.5 * k[0]**2 - 0.045 * k[2]**2),
                "--derivative 1": 1j * k[1],
                "--derivative 0:2,2": -1j * k[0]**2 * k[2],
                "--laplacian": -k2,
                "--shift 1,0.25,-3um": np.exp(-1j * (k[0] + 0.25 * k[1] - 3 * k[2]))}.items():
            with self.subTest(words=words):
                self.ok("filter", "a.npy", "b.npy", *words.split(), "--spacing", "2,0.5,0.5um")
                self.assert_close(self.load("b.npy"), np.fft.ifftn(np.fft.fftn(a) * factor).real, words)

    def test_cutoffs_are_told_in_three_units(self):
        self.save("a.npy", self.reals(8, 8))
        text = self.ok("filter", "a.npy", "b.npy", "--low-pass", "10um", "--spacing", "2um").stdout
        self.assertIn("low pass: length 10 um, k = 0.628319 rad/um, f = 0.1 cycles/um\n", text)
        told = self.json("filter", "a.npy", "b.npy", "--band", "k=0.5,k=2")
        self.assertEqual((told["command"], told["apply"]), ("filter", "band k=0.5,k=2"))
        self.assertEqual((told["filter"]["high_pass"]["k"], told["filter"]["low_pass"]["k"]), (0.5, 2))

    def test_types_stay(self):
        for dtype, found in [("f4", "f4"), ("c8", "c8"), ("i2", "f8")]:
            self.save("a.npy", (10 * self.reals(6, 8)).astype(dtype))
            self.ok("filter", "a.npy", "b.npy", "--gaussian", "1")
            self.assertEqual(self.load("b.npy").dtype, np.dtype(found))

    @needs_launcher
    def test_the_same_bits_on_ranks(self):
        self.save("a.npy", self.reals(11, 9, 13))
        words = ["--band", "3,9", "--derivative", "0"]
        self.ok("filter", "a.npy", "b.npy", *words)
        for ranks in (2, 3):
            self.ok("filter", "a.npy", "c.npy", *words, ranks=ranks)
            np.testing.assert_array_equal(self.load("b.npy"), self.load("c.npy"))

    def test_what_is_wrong_is_one_line_and_leaves_nothing(self):
        self.save("a.npy", self.reals(6, 8))
        for words, saying in {
                "": "got 'none of these'", "--low-pass 10um": "in the unit of --spacing, which names none",
                "--low-pass x": "got 'x'", "--low-pass 0": "positive", "--low-pass k=-1": "positive",
                "--low-pass 3 --edge soft": "got 'soft'", "--edge butterworth:0 --low-pass 3": "from 1 to 16",
                "--band 3": "two cutoffs", "--band 3,4 --low-pass 2": "leave these out",
                "--derivative 2": "from -2 to 1", "--derivative x": "AXIS:ORDER", "--derivative 0:0": "order of 1",
                "--gaussian 1,2,3": "a value for each of 2 axes",
                "--gaussian 1 --spacing 0": "positive numbers",
                "--shift 1,z": "names none", "--shift z,1": "a length",
                "--low-pass 3s --spacing 1um": "another one of metres"}.items():
            with self.subTest(words=words):
                self.refused("filter", "a.npy", "b.npy", *words.split(), saying=saying)
        self.save("a.npy", np.asfortranarray(self.reals(6, 8)))
        self.refused("filter", "a.npy", "b.npy", "--laplacian", saying="filter takes arrays in C order")
        self.assertEqual(self.leftovers(), [])
        with self.assertRaises(OSError):
            self.load("b.npy")


if __name__ == "__main__":
    unittest.main()
