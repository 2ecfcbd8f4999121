"""What the picture shows, against sums that are written out."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "pictures"))
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

    def test_a_half_spectrum_shows_what_the_full_one_does(self):
        random = np.random.default_rng(5)
        for shape, axes in [((6, 5, 8), [0, 1, 2]), ((6, 5, 7), [0, 1, 2]), ((4, 6, 5), [2, 1]), ((5, 4, 6), [1, 0]),
                            ((9, 6), [1]), ((3, 4, 1), [0, 2]), ((2, 3, 2), [0, 1, 2])]:
            with self.subTest(shape=shape, axes=axes):
                values = random.standard_normal(shape)
                full, half, n = np.fft.fftn(values, axes=axes), np.fft.rfftn(values, axes=axes), shape[axes[-1]]
                np.testing.assert_allclose(drawn.central_plane(half, axes, n), drawn.central_plane(full, axes),
                                           atol=1e-9)
                for got, want in zip(drawn.radial_mean(half, axes, 7, n), drawn.radial_mean(full, axes, 7)):
                    np.testing.assert_allclose(got, want, atol=1e-9)

    def test_the_program_takes_half_spectra_from_the_record_or_by_option(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            np.save(folder / "half.npy", np.fft.rfftn(np.random.default_rng(6).standard_normal((6, 9))))
            record = {"axes": [0, 1], "kind": "r2c", "direction": "forward", "shape": [6, 9], "shape_out": [6, 5]}
            (folder / "record.json").write_text(json.dumps(record))
            pictures = []
            for words in (["--record", folder / "record.json"], ["--half", "9"]):
                self.assertEqual(self.program(folder / "half.npy", folder / "p.png", *words).returncode, 0)
                pictures.append((folder / "p.png").read_bytes())
            self.assertEqual(*pictures)
            wrong = self.program(folder / "half.npy", folder / "q.png", "--half", "12")
            self.assertEqual((wrong.returncode, (folder / "q.png").exists()), (2, False))
            self.assertIn("a half spectrum of 12 reals has 7 elements along axis 1", wrong.stderr)

    def test_the_package_transforms_the_input_and_where_it_is_missing_a_line_says_so(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            values = np.random.default_rng(7).standard_normal((6, 9))
            np.save(folder / "in.npy", values)
            np.save(folder / "zeros.npy", np.zeros((6, 9), complex))
            np.save(folder / "right.npy", np.fft.fftn(values))
            pictures = []
            for package, spectrum in (("from numpy.fft import fftn", "zeros.npy"),
                                      ("raise ImportError('no such package')", "right.npy")):
                (folder / "shardfft.py").write_text(package)
                done = self.program(folder / spectrum, folder / "p.png", "--input", folder / "in.npy", PYTHONPATH=name)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(("no such package" in done.stdout, done.stdout.count("\n")), (bool(pictures),) * 2)
                pictures.append((folder / "p.png").read_bytes())
            self.assertEqual(*pictures)

    def program(self, *words, **variables):
        return subprocess.run([sys.executable, drawn.__file__, *map(str, words)], capture_output=True, text=True,
                              timeout=120, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **variables})

    def test_draws_one_to_eight_axes_and_zeros(self):
        with tempfile.TemporaryDirectory() as folder:
            for dims in range(1, 9):
                picture = pathlib.Path(folder) / f"{dims}.png"
                for half in (None, 4) if dims < 4 else (None,):
                    drawn.draw(np.zeros((3, ) * dims, complex), list(range(max(0, dims - 4), dims)), picture, "zeros",
                               half)
                    self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")


if __name__ == "__main__":
    unittest.main()
