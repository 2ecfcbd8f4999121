"""studies/phases_in_place: its table of one launch in place and one out of place. No time is judged."""
import os
import pathlib
import subprocess
import sys
import unittest

from program import MPIRUN, PROGRAM

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "studies" / "phases_in_place"


def said(*words, **variables):
    return subprocess.run([sys.executable, SCRIPT, "--program", PROGRAM, *map(str, words)], capture_output=True,
                          text=True, timeout=100, stdin=subprocess.DEVNULL, check=False, env=os.environ | variables)


class Tables(unittest.TestCase):
    @unittest.skipUnless(MPIRUN, "no launcher")
    def test_each_number_of_ranks_has_a_row_in_place_and_one_out_of_place(self):
        done = said("--ranks", 1, 2, "--shape", "16x12x10", "--iterations", 2, "--launches", 1)
        self.assertEqual(done.returncode, 0, done.stderr)
        _, _, *rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines()]
        self.assertEqual([row[:2] for row in rows], [["1", "in place"], ["1", "out of place"], ["2", "in place"],
                                                     ["2", "out of place"]])
        for row in rows:
            self.assertGreater(float(row[2]), 0, "sweeps")
            self.assertGreater(float(row[5]), 0, "run")
        self.assertEqual([float(row[4]) > 0 for row in rows], [False, False, True, True], "exchanges")

    def test_says_in_one_line_what_is_wrong(self):
        for words, variables, text in ((["--ranks", "0"], {}, "ranks, iterations and launches are at least 1"),
                                       ([], {"SHARDFFT_MPIRUN": "/nowhere"}, "cannot start /nowhere")):
            done = said(*words, **variables)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, f"^phases_in_place: {text}.*\n$")


if __name__ == "__main__":
    unittest.main()
