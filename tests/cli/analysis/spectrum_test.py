"""spectrum is NumPy's sums over shells, and one CSV on any number of ranks."""
import csv
import unittest

import numpy as np

from answers import Answers
from program import needs_launcher


class Spectrum(Answers):
    def rows(self, name="p.csv"):
        with open(self.path(name), encoding="utf-8") as file:
            lines = [line for line in file if not line.startswith("#")]
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(lines)]

    def test_shells_are_numpys(self):
        a, b = self.reals(12, 10, 8), self.reals(12, 10, 8)
        b += a
        self.save("a.npy", a), self.save("b.npy", np.asfortranarray(b))
        self.ok("spectrum", "a.npy", "--cross", "b.npy", "--csv", "p.csv", "--spacing", "1,1,2nm")
        k = np.sqrt(sum(x**2 for x in np.meshgrid(
            *(2 * np.pi * np.fft.fftfreq(n, h) for n, h in zip(a.shape, (1, 1, 2))), indexing="ij")))
        width, volume = 2 * np.pi / 10, 12 * 10 * 16
        shell = np.floor(k / width + 1e-9).astype(int)
        first, second = np.fft.fftn(a) / a.size, np.fft.fftn(b) / a.size
        for s, row in enumerate(self.rows()):
            of = shell == s
            power, other = np.abs(first[of])**2, np.abs(second[of])**2
            cross = (first[of] * second[of].conj()).sum()
            wanted = {"shell": s, "k_lo": s * width, "k_hi": (s + 1) * width, "k_mean": k[of].mean(),
                      "length": 2 * np.pi / k[of].mean(), "modes": of.sum(),
                      "power": volume * power.mean(), "stderr": volume * power.mean() * np.sqrt(2 / of.sum()),
                      "beyond_nyquist": (s + 1) * width > np.pi / 2 + 1e-9, "power_b": volume * other.mean(),
                      "cross_re": volume * cross.real / of.sum(),
                      "correlation": cross.real / np.sqrt(power.sum() * other.sum())}
            for name, number in wanted.items():
                np.testing.assert_allclose(row[name], number, rtol=1e-12, err_msg=f"{name} of shell {s}")
        self.assertEqual(len(self.rows()), shell.max() + 1)

    def test_the_json_and_the_table_say_the_same(self):
        self.save("a.npy", self.reals(8, 8))
        told = self.json("spectrum", "a.npy", "--normalize", "sum", "--centred")
        self.ok("spectrum", "a.npy", "--normalize", "sum", "--centred", "--csv", "p.csv")
        self.assertEqual([row["power"] for row in told["shells"]], [row["power"] for row in self.rows()])
        np.testing.assert_allclose(sum(row["power"] for row in told["shells"]), np.mean(self.load("a.npy")**2))
        self.assertIn("modes", self.ok("spectrum", "a.npy").stdout)

    @needs_launcher
    def test_one_csv_on_any_number_of_ranks(self):
        for dtype in ("f4", "f8", "c8"):
            self.save("a.npy", self.reals(12, 9, 10).astype(dtype)), self.save("b.npy", self.reals(12, 9, 10))
            texts = set()
            for ranks in (0, 2, 3):
                self.ok("spectrum", "a.npy", "--cross", "b.npy", "--csv", "p.csv", "--spacing", "0.3,1,0.7",
                        ranks=ranks)
                with open(self.path("p.csv"), encoding="utf-8") as file:
                    texts.add(file.read())
            self.assertEqual(len(texts), 1, dtype)

    def test_what_is_wrong_is_one_line_and_leaves_nothing(self):
        self.save("a.npy", self.reals(6, 8)), self.save("b.npy", self.reals(6, 7)), self.save("e.npy", np.ones((0, 3)))
        for words, saying in {"--cross b.npy": "of the same shape", "--normalize p": "got 'p'",
                              "--shells 0": "positive", "--shells x": "--shells", "--csv a.npy": "a file of its own",
                              "--spacing 1,2,3": "for each of 2 axes", "--shells 1e-9": "make them wider"}.items():
            with self.subTest(words=words):
                self.refused("spectrum", "a.npy", *(["--csv", "p.csv"] if "--csv" not in words else []),
                             *words.split(), saying=saying)
        self.refused("spectrum", "e.npy", saying="an array with elements")
        self.assertEqual(self.leftovers(), [])
        with self.assertRaises(OSError):
            self.rows()


if __name__ == "__main__":
    unittest.main()
