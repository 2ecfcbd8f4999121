"""What tools/proofs/check_fftw_mpi.py reads in reports of plans, and what it refuses."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/proofs"))
import check_fftw_mpi as check

REPORT = """FFTW-MPI plans of rank 0
kind       by            plans   planning s     runs    running s
c2c        shardfft          8     0.142394     1574     0.413578
r2r        fftw              1     0.093250        2     0.000035
"""


class Reports(unittest.TestCase):
    def test_plans_are_added_up_over_all_reports_wherever_they_begin_in_a_line(self):
        self.assertEqual(check.plans_in(REPORT + "a line that was cut" + REPORT), {
            ("c2c", "shardfft"): 16, ("r2r", "fftw"): 2})

    def test_a_plan_that_was_passed_on_is_wrong(self):
        check.require_ours(check.plans_in(REPORT), ("c2c", "r2c"))
        with self.assertRaisesRegex(check.Wrong, "passed on were {'r2r': 1}"):
            check.require_ours(check.plans_in(REPORT), ("c2c", "r2r"))

    def test_no_plan_at_all_is_wrong(self):
        with self.assertRaisesRegex(check.Wrong, "is the library preloaded"):
            check.require_ours(check.plans_in("nothing"), ("c2c", ))


if __name__ == "__main__":
    unittest.main()
