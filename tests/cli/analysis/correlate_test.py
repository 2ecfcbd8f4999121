"""correlate finds the shifts that arrays were given."""
import unittest

import numpy as np

from answers import Answers
from program import MPIRUN


def fourier_shift(a, by):
    k = np.meshgrid(*map(np.fft.fftfreq, a.shape), indexing="ij")
    return np.fft.ifftn(np.fft.fftn(a) * np.exp(-2j * np.pi * sum(f * s for f, s in zip(k, by)))).real


class Correlate(Answers):
    def test_shifts_are_found_in_points_and_in_units(self):
        a = self.reals(15, 21, 17)
        self.save("a.npy", a), self.save("b.npy", fourier_shift(a, (1.4, -3, 0.7)))
        for ranks in (0, 2, 3) if MPIRUN else (0,):
            told = self.json("correlate", "a.npy", "b.npy", "--upsample", 10, "--spacing", "2,0.5,0.5um", ranks=ranks)
            np.testing.assert_allclose(told["shift"], (-1.4, 3, -0.7), atol=1e-9)
            np.testing.assert_allclose(told["shift_length"], (-2.8, 1.5, -0.35), atol=1e-9)
        said = self.ok("correlate", "a.npy", "b.npy", "--upsample", 10, "--spacing", "2,0.5,0.5um").stdout
        self.assertIn("moved by [-1.4, 3, -0.7] points, [-2.8, 1.5, -0.35] um", said)

    def test_the_correlation_is_numpys(self):
        a, b = self.reals(12, 10), self.reals(12, 10)
        self.save("a.npy", a), self.save("b.npy", b)
        product = np.fft.fftn(a) * np.fft.fftn(b).conj()
        for normalize, factor in [("phase", 1 / np.abs(product)), ("none", 1)]:
            self.ok("correlate", "a.npy", "b.npy", "c.npy", "--normalize", normalize)
            self.assert_close(self.load("c.npy"), np.fft.ifftn(product * factor).real, normalize)

    def test_what_is_wrong_is_one_line(self):
        self.save("a.npy", self.reals(6, 8)), self.save("b.npy", self.reals(6, 7))
        for words, saying in {"b.npy": "have one shape", "a.npy --upsample 0": "from 1 to 1000",
                              "a.npy --normalize x": "got 'x'", "a.npy --spacing 1,2,3": "for each of 2 axes"}.items():
            with self.subTest(words=words):
                self.refused("correlate", "a.npy", *words.split(), saying=saying)


if __name__ == "__main__":
    unittest.main()
