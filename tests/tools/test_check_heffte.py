"""What tools/proofs/check_heffte makes of the output of heFFTe's programs, and which programs it knows."""
import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import unittest

FILE = pathlib.Path(__file__).resolve().parents[2] / "tools/proofs/check_heffte"
loader = importlib.machinery.SourceFileLoader("check_heffte", str(FILE))
check = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_heffte", loader))
sys.modules["check_heffte"] = check
loader.exec_module(check)

CASES = """
     float                 -np 2  test heffte::fft3d<stock>              pass
    double                 -np 2  test heffte::fft3d<stock>              pass

                 heffte::fft class  pass
"""
SPEED = "Time per run: 0.0012 (s)\nTolerance:    1e-11\nMax error:    {}\n"


class Verdicts(unittest.TestCase):
    def test_a_case_that_fails_is_wrong_and_so_is_a_program_without_cases(self):
        self.assertEqual(check.cases(CASES), "2 cases")
        with self.assertRaisesRegex(check.Wrong, "1 of 3 cases failed"):
            check.cases(CASES.replace("pass", "fail", 1))
        with self.assertRaises(check.Wrong):
            check.cases("")

    def test_each_rank_of_an_example_has_a_small_error(self):
        self.assertEqual(check.below(1e-11)("rank 0 error: 1.5e-15\nrank 1 computed error: 2e-15"), "error 2.0e-15")
        for text in ("rank 0 error: 1e-15\nrank 1 error: 0.25", "rank 0 error: nan", "set to 2 mpi ranks, exiting"):
            with self.assertRaises(check.Wrong):
                check.below(1e-11)(text)

    def test_a_benchmark_beyond_its_tolerance_is_wrong_though_it_exits_with_0(self):
        self.assertEqual(check.speed(SPEED.format("3.1e-16")), "error 3.1e-16")
        for text in (SPEED.format("1") + "ERROR: observed error", "Invalid backend fftw"):
            with self.assertRaises(check.Wrong):
                check.speed(text)

    def test_a_program_that_no_table_has_is_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            heffte = pathlib.Path(folder)
            (heffte / "test").mkdir()
            for name in ("test_c.c", "test_trace.cpp", "test_new.cpp", "CMakeLists.txt"):
                (heffte / "test" / name).touch()
            self.assertEqual(check.unknown(heffte), ["test/test_new.cpp"])


if __name__ == "__main__":
    unittest.main()
