"""An axis of prime length that ranks share is NumPy's transform, with the same bits on any number of ranks of MPI."""
import os
import time
import unittest

import numpy as np

from program import InFolder, needs_launcher


class PrimeAxis(InFolder):
    def setUp(self):
        super().setUp()
        self.seed = int(os.environ.get("SHARDFFT_TEST_SEED", time.time_ns() % 10**9))
        self.random = np.random.default_rng(self.seed)

    def hash_of(self, ranks, *words):
        return self.json("transform", "a.npy", "b.npy", "--no-wisdom", "--split", "always", *words, ranks=ranks)["hash"]

    @needs_launcher
    def test_any_number_of_ranks_beside_numpy(self):
        for n, ranks, kind, words in ((11, 3, "c16", []), (20011, 2, "c16", ["--norm", "ortho"]), (10007, 7, "c8", []),
                                      (int(self.random.choice([2003, 4099, 7919])), 5, "c16", [])):
            with self.subTest(n=n, ranks=ranks, seed=self.seed):
                a = self.complexes(n, dtype=kind)
                self.save("a.npy", a)
                norm = words[1] if words else "backward"
                alone = self.hash_of(0, *words)
                self.assertEqual(self.hash_of(ranks, *words), alone)
                self.assert_close(self.load("b.npy"), np.fft.fft(a, norm=norm), "forward")
                self.hash_of(ranks, "--direction", "backward", *words)
                self.assert_close(self.load("b.npy"), np.fft.ifft(a, norm=norm), "backward")

    def test_from_subnormal_numbers_to_the_largest_sums(self):
        def usual(x):
            return (x.view("f8") / magnitude).view("c16")

        for magnitude, limit in ((2.0**-1060, 1e-2), (2.0**-900, 1e-14), (2.0**1010 / 2003, 1e-14)):
            with self.subTest(magnitude=magnitude, seed=self.seed):
                a = self.complexes(2003) * magnitude
                self.save("a.npy", a)
                self.hash_of(0)
                expected = np.fft.fft(usual(a))
                error = np.linalg.norm(usual(self.load("b.npy")) - expected) / np.linalg.norm(expected)
                self.assertLess(error, limit)

    def test_explain_counts_the_factors_that_the_plan_keeps(self):
        n, ranks = 1048583, 4
        plan = self.json("explain", "--shape", n, "--ranks", ranks, "--split", "always", "--no-wisdom")
        self.assertGreater(plan["plan"]["table_bytes"], 5 * 16 * n // ranks)


if __name__ == "__main__":
    unittest.main()
