"""shardfft transform --kinds is scipy.fft, axis by axis, for any mix of kinds and any number of ranks."""
import itertools
import unittest

import numpy as np

from program import InFolder, needs_launcher, own_lines, run

try:
    import scipy.fft
except ImportError:
    scipy = None

COSINES = [f"cosine{t}" for t in range(1, 5)]
SINES = [f"sine{t}" for t in range(1, 5)]
KINDS = [*COSINES, *SINES, "hartley"]


def hartley(x, axis, norm, inverse):
    h = np.fft.fft(x, axis=axis)
    reverse = np.roll(np.flip(h, axis), 1, axis)  # of complex numbers: of both parts
    h = (h + reverse) / 2 - (h - reverse) / 2j
    n = x.shape[axis]
    return h / {None: n if inverse else 1, "ortho": n**0.5, "forward": 1 if inverse else n}[norm]


def along(x, kind, axis, norm=None, inverse=False):
    if kind == "hartley":
        h = hartley(x, axis, norm, inverse)
        return h if np.iscomplexobj(x) else h.real
    if kind == "fourier":
        return (np.fft.ifft if inverse else np.fft.fft)(x, axis=axis, norm=norm)
    functions = (scipy.fft.idct, scipy.fft.idst) if inverse else (scipy.fft.dct, scipy.fft.dst)
    f = functions[kind.startswith("sine")]
    one = lambda part: f(part, type=int(kind[-1]), axis=axis, norm=norm)
    return one(x.real) + 1j * one(x.imag) if np.iscomplexobj(x) else one(x)


def composed(x, kinds, norm=None, inverse=False):
    for axis, kind in enumerate(kinds):
        x = along(x, kind, axis, norm, inverse)
    return x


@unittest.skipUnless(scipy, "SciPy is not installed")
class KindsAreScipys(InFolder):
    def check(self, a, kinds, *words, ranks=0, **scipy_words):
        self.save("a.npy", a)
        done = self.ok("transform", "a.npy", "b.npy", "--kinds", ",".join(kinds), *words, ranks=ranks)
        self.assert_close(self.load("b.npy"), composed(a, kinds, **scipy_words), f"{a.shape} {kinds} {words} {ranks}")
        return done.stdout

    def test_every_pair_of_kinds_on_every_two_of_three_axes(self):
        a = self.reals(5, 6, 7)
        for first, second in itertools.product(range(len(KINDS)), repeat=2):
            kinds = KINDS[first], KINDS[second], KINDS[(first + second) % len(KINDS)]  # a Latin square
            with self.subTest(kinds=kinds):
                self.check(a, kinds)

    def test_norms_and_directions(self):
        a = self.reals(5, 6, 7)
        for kinds in [("cosine1", "cosine2", "cosine3"), ("sine2", "sine3", "cosine4"), ("sine1", "hartley", "sine4")]:
            for norm in ("ortho", "forward"):
                with self.subTest(kinds=kinds, norm=norm):
                    self.check(a, kinds, "--norm", norm, norm=norm)
                    self.check(a, kinds, "--norm", norm, "--direction", "backward", norm=norm, inverse=True)
            self.check(a, kinds, "--direction", "backward", inverse=True)

    def test_fourier_axes_between_them_have_complex_results(self):
        for kinds in itertools.product(["fourier", "cosine2", "sine1", "hartley"], repeat=3):
            if "fourier" in kinds:
                with self.subTest(kinds=kinds):
                    self.check(self.complexes(5, 6, 7), kinds)
        self.check(self.reals(5, 6, 7).astype("c16"), ("cosine1", "sine4", "sine2"))

    def test_a_half_spectrum_is_that_of_the_last_fourier_axis(self):
        a = self.save("a.npy", self.reals(6, 10, 7))
        kinds = ("cosine2", "fourier", "sine3")
        self.ok("transform", a, "b.npy", "--kinds", ",".join(kinds), "--kind", "r2c")
        want = np.fft.rfft(along(along(self.load("a.npy"), "cosine2", 0), "sine3", 2), axis=1)
        self.assert_close(self.load("b.npy"), want, "r2c")
        self.ok("transform", "b.npy", "c.npy", "--kinds", ",".join(kinds), "--kind", "c2r")
        self.assert_close(self.load("c.npy"), self.load("a.npy"), "c2r")

    def test_some_axes_of_an_array(self):
        a = self.save("a.npy", self.reals(4, 6, 5, dtype="f4"))
        self.ok("transform", a, "b.npy", "--axes", "2,0", "--kinds", "cosine4,sine2")
        want = along(along(self.load("a.npy"), "cosine4", 2), "sine2", 0)
        self.assert_close(self.load("b.npy"), want, "axes")

    @needs_launcher
    def test_any_number_of_ranks_has_one_hash_and_is_verified(self):
        some, many = (1, 2, 3, 5), (1, 8)
        for shape, counts in [((5, 6, 7), some), ((17, 13, 11), some), ((64, 64, 64), many), ((97, 113, 89), many)]:
            a = self.complexes(*shape)
            kinds = ("cosine2", "sine1", "fourier")
            hashes = {
                self.check(a, kinds, "--verify", ranks=ranks).split("hash ")[1]
                for ranks in counts
            }
            self.assertEqual(len(hashes), 1, shape)


class KindsThatMakeNoSense(InFolder):
    def refused(self, *words):
        self.save("a.npy", self.reals(1, 4))
        done = run("transform", "a.npy", "b.npy", *words, cwd=self.folder)
        self.assertNotEqual(done.returncode, 0)
        return "\n".join(own_lines(done.stderr))

    def test_words_are_looked_up(self):
        self.assertIn("did you mean 'cosine2'", self.refused("--kinds", "cosin2"))

    def test_there_is_one_for_each_axis_or_one_for_all(self):
        self.assertIn("2 transformed axes, or one for all", self.refused("--kinds", "cosine2,cosine2,sine1"))

    def test_cosine1_of_one_point_names_the_remedy(self):
        self.assertIn("use cosine2", self.refused("--kinds", "cosine1"))

    def test_a_half_spectrum_needs_a_fourier_axis(self):
        self.assertIn("use r2r", self.refused("--kinds", "cosine2", "--kind", "r2c"))


if __name__ == "__main__":
    unittest.main()
