"""No finite result of shardfft transform is lost because of how large or small the numbers are."""
import unittest

import numpy as np

from program import InFolder, needs_launcher


def wide(a):
    return a.astype("c16" if np.iscomplexobj(a) else "f8")


class NumbersOfAnySize(InFolder):
    def result(self, a, *words, ranks=0):
        """What the program makes of `a`, and what it found when it verified that."""
        self.save("a.npy", a)
        record = self.json("transform", "a.npy", "b.npy", *words, "--verify", ranks=ranks)
        self.assertLessEqual(record["error_rel_l2"], record["verify_limit"])
        return self.load("b.npy")

    def test_sums_that_cancel_below_the_top_are_finite(self):
        k = np.arange(24)
        for dtype, size in [("c8", 1e29), ("c16", 1e291)]:
            small = ((k * 7 % 11 - 5) + 1j * (k * 5 % 13 - 6)).astype("c16")
            want = np.fft.fft(small)
            got = self.result((small * size).astype(dtype)) / size
            self.assertTrue(np.isfinite(got).all(), dtype)
            self.assertLess(np.linalg.norm(got - want), 8 * np.finfo(dtype).eps * 6 * np.linalg.norm(want))

    def test_lengths_of_every_kind_of_kernel(self):
        for n in [32, 40, 48, 60, 97, 101, 512, 1009, 1024, 4096]:
            for size in [1e-44, 1e32]:
                a = ((np.arange(n) * 7919 % 17 - 8 + 1j * (np.arange(n) * 104729 % 13 - 6)) * size).astype("c8")
                with self.subTest(n=n, size=size):
                    want = np.fft.fft(wide(a))
                    got = wide(self.result(a))
                    floor = 1.4e-45 * n * 40
                    self.assertLess(np.linalg.norm(got - want), 1e-6 * 4 * np.linalg.norm(want) + floor)

    def test_a_real_cube_near_the_top(self):
        a = (np.arange(32**3).reshape(32, 32, 32) * 7919 % 17 * 2e30 / 17).astype("f4")
        got = self.result(a, "--kind", "r2c")
        want = np.fft.rfftn(wide(a))
        self.assertTrue(np.isfinite(got).all())
        self.assertLess(np.linalg.norm(wide(got) - want), 4e-6 * np.linalg.norm(want))

    @needs_launcher
    def test_the_factor_backward_comes_axis_by_axis_on_any_number_of_ranks(self):
        a = (np.ones((16, 24, 32)) * 1e36).astype("c8")
        for ranks in [0, 3]:
            got = self.result(a, "--direction", "backward", ranks=ranks)
            self.assertEqual(got[0, 0, 0].real, np.float32(1e36))
            self.assertTrue(np.isfinite(got).all())


if __name__ == "__main__":
    unittest.main()
