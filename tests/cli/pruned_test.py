"""Fewer modes and points: transform against numpy, and the bytes that explain counts."""
import unittest

import numpy as np

from program import InFolder, run


def lowest(spectrum, modes, axes):
    """The modes of lowest frequency; an even number has the two outermost ones in one place."""
    for axis, m in zip(axes, modes):
        n = spectrum.shape[axis]
        if m == n:
            continue
        a = np.moveaxis(spectrum, axis, 0)
        kept = np.concatenate([a[:(m + 1) // 2], a[n - m // 2:]])
        if m % 2 == 0:
            kept[m // 2] = a[m // 2] + a[n - m // 2]
        spectrum = np.moveaxis(kept, 0, axis)
    return spectrum


def padded(spectrum, shape, axes):
    for axis in axes:
        m, n = spectrum.shape[axis], shape[axis]
        if m == n:
            continue
        a = np.moveaxis(spectrum, axis, 0)
        whole = np.zeros((n, *a.shape[1:]), a.dtype)
        whole[:(m + 1) // 2] = a[:(m + 1) // 2]
        whole[n - (m - 1) // 2:] = a[m - (m - 1) // 2:]
        if m % 2 == 0:
            whole[m // 2] += a[m // 2] / 2
            whole[n - m // 2] += a[m // 2] / 2
        spectrum = np.moveaxis(whole, 0, axis)
    return spectrum


class TransformWithFewerModes(InFolder):
    def test_forward_keeps_the_lowest_modes(self):
        a = self.complexes(12, 9, 10)
        self.save("a.npy", a)
        for modes in [(7, 9, 5), (6, 4, 8), (12, 1, 2)]:
            self.ok("transform", "a.npy", "b.npy", "--modes", "x".join(map(str, modes)), "--verify")
            self.assert_close(self.load("b.npy"), np.ascontiguousarray(lowest(np.fft.fftn(a), modes, range(3))), modes)

    def test_of_real_arrays_too(self):
        a = self.reals(16, 15)
        self.save("a.npy", a)
        for m in [5, 10, 11]:
            self.ok("transform", "a.npy", "b.npy", "--kind", "r2c", "--modes", m, "--verify", ranks=0)
            whole = lowest(np.fft.fftn(a), (m, m), range(2))
            self.assert_close(self.load("b.npy"), np.ascontiguousarray(whole[:, :m // 2 + 1]), m)

    def test_one_number_is_for_all_transformed_axes_and_no_other(self):
        a = self.complexes(3, 8, 6)
        self.save("a.npy", a)
        self.ok("transform", "a.npy", "b.npy", "--axes", "1,2", "--modes", 7)
        want = lowest(np.fft.fftn(a, axes=(1, 2)), (7, 6), (1, 2))
        self.assert_close(self.load("b.npy"), np.ascontiguousarray(want), "7 of 8, all of 6")

    def test_a_larger_shape_pads_points_forward_and_modes_backward(self):
        a = self.complexes(10, 11)
        self.save("a.npy", a)
        self.ok("transform", "a.npy", "b.npy", "--shape", "16x16", "--verify")
        self.assert_close(self.load("b.npy"), np.fft.fftn(a, s=(16, 16), axes=(0, 1)), "points")
        self.ok("transform", "a.npy", "b.npy", "--shape", "16x16", "--direction", "backward", "--verify")
        self.assert_close(self.load("b.npy"), np.fft.ifftn(padded(a, (16, 16), range(2))), "modes")
        self.ok("transform", "a.npy", "b.npy", "--shape", "16x16", "--direction", "backward", "--support", "12x9")
        self.assert_close(self.load("b.npy"),
                          np.ascontiguousarray(np.fft.ifftn(padded(a, (16, 16), range(2)))[:12, :9]), "support")

    def test_padding_a_spectrum_interpolates(self):
        for m in [10, 11]:
            coarse = self.reals(m)
            np.save(self.path("a.npy"), np.fft.rfft(coarse) / m)
            words = ["--kind", "c2r", "--norm", "forward", "--shape", 16, "--real-length", m]
            self.ok("transform", "a.npy", "b.npy", *words)
            k = np.fft.fftfreq(m, 1 / m)
            c = np.fft.fft(coarse) / m
            x = np.arange(16) / 16
            want = sum(c[i].real * np.cos(2 * np.pi * k[i] * x) - c[i].imag * np.sin(2 * np.pi * k[i] * x)
                       for i in range(m))
            self.assertLess(np.linalg.norm(self.load("b.npy") - want) / np.linalg.norm(want), 1e-15, m)

    def test_a_half_spectrum_of_an_odd_number_of_modes_goes_back_as_in_numpy(self):
        for n in [1, 2, 3, 8, 9, 15, 16]:
            a = self.reals(n)
            self.save("a.npy", a)
            for m in sorted({1, 2, 3, n // 2, n - 2, n - 1, n}):
                if not 0 < m <= n:
                    continue
                self.ok("transform", "a.npy", "low.npy", "--kind", "r2c", "--modes", m)
                low = self.load("low.npy")
                odd = m % 2 == 1 or m == n
                words = [] if odd else ["--real-length", m]
                self.ok("transform", "low.npy", "b.npy", "--kind", "c2r", "--shape", n, *words, "--verify")
                halved = low.copy()
                if not odd:
                    halved[-1] = halved[-1].real / 2
                self.assert_close(self.load("b.npy"), np.fft.irfft(halved, n), (n, m))

    def test_what_makes_no_sense_is_said(self):
        self.save("a.npy", self.reals(8))
        for words, said in [(["--modes", 9], "from 1 to its 8 points"), (["--support", 3], "give --shape"),
                            (["--shape", "8x8"], "1 dimensions"), (["--shape", 4], "got 4 along axis 0"),
                            (["--modes", "x"], "write for example --modes 171")]:
            done = run("transform", "a.npy", "b.npy", *words, cwd=self.folder)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(said, done.stderr)


class ExplainCountsWhatIsLeft(InFolder):
    """docs/theory/pruned.md: the elements after a sweep are what an exchange there sends."""

    def sent(self, *words):
        """Of each exchange, over the network, all ranks together."""
        total = []
        for rank in range(4):
            steps = self.json("explain", "--shape", "256x256x256", "--ranks", 4, "--rank", rank, "--no-wisdom",
                              *words)["plan"]["forward"]
            total.append([s["bytes_network"] for s in steps if s["bytes_network"] > 0])
        return [sum(of_ranks) for of_ranks in zip(*total)]

    def test_slabs_send_the_square_of_the_fraction_exactly(self):
        words = ["--decomposition", "slab", "--output", "any"]
        (whole,), (kept,) = self.sent(*words), self.sent(*words, "--modes", 171)
        self.assertEqual(kept * 256**2, whole * 171**2)

    def test_pencils_send_the_fraction_and_its_square_exactly(self):
        words = ["--ranks-grid", "2x2", "--input", "grid:2x2x1", "--output", "grid:1x2x2"]
        whole, kept = self.sent(*words), self.sent(*words, "--modes", 171)
        self.assertEqual(len(whole), 2)
        self.assertEqual([k * 256**e for k, e in zip(kept, (1, 2))], [w * 171**e for w, e in zip(whole, (1, 2))])

    def test_the_text_says_what_is_kept(self):
        lines = self.ok("explain", "--shape", "64x64x64", "--modes", 43, "--support", "64x32x64").stdout
        text = " ".join(lines.split())
        self.assertIn("43 of 64 modes", text)
        self.assertIn("32 of 64 points", text)


if __name__ == "__main__":
    unittest.main()
