"""--device sycl on Intel's CPU device: NumPy's results, from slabs, pencils and several ranks, and clear words where
the runtime or the device is missing."""
import unittest

import numpy as np

from program import InFolder, needs_launcher, own_lines, run


class Sycl(InFolder):
    def check(self, a, expected, *words, ranks=0):
        self.save("a.npy", a)
        self.ok("transform", "a.npy", "b.npy", "--device", "sycl", *words, ranks=ranks)
        error = np.linalg.norm(self.load("b.npy") - expected) / np.linalg.norm(expected)
        self.assertLess(error, 2e-7 if a.dtype in (np.float32, np.complex64) else 1e-15,
                        f"{a.dtype} {a.shape} {words} (seed {self.seed})")

    def test_a_file_through_the_device_is_numpy(self):
        a = self.random.standard_normal((12, 9, 10)) + 1j * self.random.standard_normal((12, 9, 10))
        self.check(a, np.fft.fftn(a))
        self.check(a.astype("c8"), np.fft.fftn(a.astype("c8")), "--tile", 3, "--fuse", 1)
        real = self.random.standard_normal((7, 6, 11))
        self.check(real, np.fft.rfftn(real), "--kind", "r2c")

    def test_arrays_on_the_device_are_verified(self):
        for words in (["--kind", "r2c"], ["--arrays", "host"], ["--in-place"], ["--tolerance", "1e-4"]):
            record = self.json("bench", "--shape", "13x10x14", "--device", "sycl", "--iterations", 1, *words)
            self.assertTrue(record["verified"], words)
            self.assertIn("sycl", record["recipe"]["device"])

    @needs_launcher
    def test_ranks_share_the_device(self):
        a = self.random.standard_normal((12, 10, 9)) + 1j * self.random.standard_normal((12, 10, 9))
        self.check(a, np.fft.fftn(a), ranks=3)
        for kind, first, last in (("slabs", 0, 1), ("pencils", 2, 0)):
            layouts = ["--input", f"{kind}:{first}", "--output", f"{kind}:{last}"]
            record = self.json("bench", "--shape", "12x10x9", "--device", "sycl", "--iterations", 1, *layouts, ranks=4)
            self.assertTrue(record["verified"], layouts)
            self.assertEqual(record["arrays"], "device")

    def test_what_is_not_there_gets_one_line_and_status_2(self):
        nowhere = {"ONEAPI_DEVICE_SELECTOR": "level_zero:gpu"}
        for word, variables, part in [("sycl:99", {}, "numbered 0 to"), ("sycl", nowhere, "SYCL"),
                                      ("syc", {}, "did you mean 'sycl'")]:
            with self.subTest(word=word):
                done = run("bench", "--shape", "8x8", "--device", word, variables=variables)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertEqual(len(own_lines(done.stderr)), 1, done.stderr)
                self.assertIn(part, done.stderr)


if __name__ == "__main__":
    unittest.main()
