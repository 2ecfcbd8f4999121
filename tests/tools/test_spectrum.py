"""What the picture shows, against sums that are written out."""
import pathlib
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import spectrum as drawn


class Spectrum(unittest.TestCase):
    def test_power_of_a_wave_lies_in_the_shell_of_its_frequency(self):
        n = 32
        wave = np.cos(2 * np.pi * 4 * np.arange(n) / n)[:, None, None] * np.ones((n, n, n))
        frequency, mean = drawn.radial_mean(np.fft.fftn(wave), [0, 1, 2], bins=64)
        width = 0.5 * np.sqrt(3) / 64
        self.assertAlmostEqual(frequency[np.argmax(mean)], 4 / n, delta=width)

    def test_shells_hold_all_the_power_once(self):
        values = np.fft.fftn(np.random.default_rng(3).standard_normal((6, 5, 4)))
        _, mean = drawn.radial_mean(values, [0, 1, 2], bins=1)
        self.assertAlmostEqual(mean[0], np.mean(np.abs(values) ** 2), places=9)

    def test_batch_axes_do_not_count_as_frequencies(self):
        values = np.zeros((7, 16), complex)
        values[:, 4] = 1
        frequency, mean = drawn.radial_mean(values, [1], bins=16)
        self.assertAlmostEqual(frequency[np.argmax(mean)], 0.25, delta=0.5 / 16)

    def test_frequency_zero_is_in_the_centre_of_the_plane(self):
        plane = drawn.central_plane(np.fft.fftn(np.ones((3, 9, 7))), [0, 1, 2])
        self.assertEqual(np.unravel_index(np.argmax(plane), plane.shape), (4, 3))

    def test_draws_one_to_eight_axes_and_zeros(self):
        with tempfile.TemporaryDirectory() as folder:
            for dims in range(1, 9):
                picture = pathlib.Path(folder) / f"{dims}.png"
                drawn.draw(np.zeros((3,) * dims, complex), list(range(max(0, dims - 4), dims)), picture, "zeros")
                self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")


if __name__ == "__main__":
    unittest.main()
