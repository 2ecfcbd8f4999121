"""studies/long_axis_table: a row of one rank, of ranks of MPI and of simulated ones. No rate is judged."""
import json
import math
import pathlib
import subprocess
import sys
import unittest

from program import MPIRUN, PROGRAM, environment

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "studies" / "long_axis_table"
PROGRAMS = pathlib.Path(PROGRAM).parent


def said(*words):
    return subprocess.run([sys.executable, SCRIPT, "--programs", PROGRAMS, *map(str, words)], capture_output=True,
                          text=True, timeout=100, stdin=subprocess.DEVNULL, check=False, env=environment())


class Table(unittest.TestCase):
    def rows(self, *words):
        done = said(*words, "--report", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_a_row_has_the_factors_of_the_plan_and_two_settings(self):
        (row,) = self.rows("--lengths", "2^16", "--ranks", "1", "--seconds", "0.3")
        self.assertEqual((row["n"], row["n1"], row["n2"], row["ranks"], row["simulated"]), (65536, 256, 256, 1, False))
        for setting in (row["before"], row["after"]):
            self.assertTrue(setting["gflops"] > 0 and setting["nb"] >= 0 and setting["ndiv"] >= 1, setting)
        self.assertGreaterEqual(row["after"]["gflops"], row["before"]["gflops"])

    @unittest.skipUnless(MPIRUN, "no MPI")
    def test_ranks_of_mpi_stand_below_in_markdown(self):
        done = said("--lengths", "36000", "--ranks", "2", "--seconds", "0.3", "--report", "markdown")
        self.assertEqual(done.returncode, 0, done.stderr)
        head, rule, row = done.stdout.splitlines()
        self.assertEqual(head.split(" | ")[:4], ["| N", "N1", "N2", "ranks"])
        self.assertEqual(rule.count("|"), head.count("|"))
        self.assertEqual(row.split(" | ")[0], "| 36000")
        self.assertEqual(row.split(" | ")[3], "2")

    @unittest.skipUnless((PROGRAMS / "simulated_transform").exists(), "no SimGrid")
    def test_simulated_ranks_are_called_so_and_the_best_of_all_parts_is_taken(self):
        row, other = self.rows("--lengths", "40000,40000", "--no-mpi", "--simulated", "4", "--most-ndiv", "2")
        self.assertEqual(row, other, "simulated times repeat")
        self.assertTrue(row["simulated"])
        self.assertEqual(row["n1"] * row["n2"], 40000)
        self.assertIn(row["after"]["ndiv"], (1, 2))
        limit = 5 * 40000 * math.log2(40000) / (16 * 40000 / 4 * 3 / 4 / 12.5e9) / 1e9  # one exchange through one link
        self.assertTrue(row["before"]["gflops"] <= row["after"]["gflops"] < limit, row)

    def test_says_in_one_line_what_is_wrong(self):
        done = subprocess.run([sys.executable, SCRIPT, "--programs", "/nowhere"], capture_output=True, text=True,
                              timeout=20, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "^long_axis_table: there is no /nowhere/shardfft; build first.*\n$")
        self.assertEqual(said("--lengths", "many").returncode, 2)


if __name__ == "__main__":
    unittest.main()
