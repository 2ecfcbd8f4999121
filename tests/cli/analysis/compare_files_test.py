"""compare-files says what NumPy says of two arrays."""
import unittest

import numpy as np

from answers import Answers
from program import needs_launcher, run


class CompareFiles(Answers):
    def test_differences_are_numpys(self):
        for dtype in ("f4", "f8", "c16", "i4"):
            a = (100 * self.reals(7, 30, 11)).astype(dtype)
            b = a.copy()
            b[2, 3, 4] += 5
            b[6, 0, 1] -= 3
            self.save("a.npy", a), self.save("b.npy", np.asfortranarray(b)), self.save("same.npy", a.copy())
            same = self.json("compare-files", "a.npy", "same.npy")
            self.assertEqual((same["equal"], same["max"], same["where"]), (True, 0, []))
            told = self.json("compare-files", "a.npy", "b.npy")
            self.assertEqual((told["equal"], told["where"]), (False, [2, 3, 4]))
            difference = (b - a).astype("c16")
            for name, number in {"max": np.abs(difference).max(), "rms": np.sqrt(np.mean(np.abs(difference)**2)),
                                 "relative": np.linalg.norm(difference) / np.linalg.norm(a.astype("c16"))}.items():
                np.testing.assert_allclose(told[name], number, rtol=1e-12, err_msg=name)
            self.assertIn("at [2, 3, 4]", self.ok("compare-files", "a.npy", "b.npy").stdout)

    def test_the_tolerance_decides_the_status(self):
        a = self.reals(9, 8)
        self.save("a.npy", a), self.save("b.npy", a * (1 + 1e-6))
        self.ok("compare-files", "a.npy", "b.npy", "--tolerance", "1.1e-6")
        self.assertEqual(run("compare-files", "a.npy", "b.npy", "--tolerance", "9e-7", cwd=self.folder).returncode, 1)
        self.refused("compare-files", "a.npy", "b.npy", "--tolerance=-1", saying="got -1")
        self.save("c.npy", a[1:])
        self.refused("compare-files", "a.npy", "c.npy", saying="have one shape")
        self.save("number.npy", np.array(3.5))
        self.refused("compare-files", "number.npy", "number.npy", saying="one axis or more")
        self.save("none.npy", np.ones((0, 3)))
        self.assertTrue(self.json("compare-files", "none.npy", "none.npy")["equal"])

    def test_the_hash_is_that_of_transform(self):
        self.save("a.npy", self.reals(9, 8))
        told = self.json("transform", "a.npy", "b.npy")
        self.assertEqual(self.json("compare-files", "b.npy", "b.npy")["hashes"], [told["hash"]] * 2)

    @needs_launcher
    def test_the_same_on_ranks(self):
        self.save("a.npy", self.reals(12, 9, 10)), self.save("b.npy", self.reals(12, 9, 10))
        alone = self.json("compare-files", "a.npy", "b.npy")
        for ranks in (2, 3):
            self.assertEqual(self.json("compare-files", "a.npy", "b.npy", ranks=ranks), alone)


if __name__ == "__main__":
    unittest.main()
