"""studies/network_benchmark on a tiny array: launches everything once and prints its table. Exit status 77, and one
line, where this machine has no simulated network. No number of it is judged but those that are counted."""
import os
import pathlib
import subprocess
import sys
import unittest

from program import MPIRUN, PROGRAM

STUDIES = pathlib.Path(__file__).resolve().parents[2] / "studies"
NETCLUSTER, BENCHMARK = STUDIES / "netcluster", STUDIES / "network_benchmark"
BUILD = pathlib.Path(PROGRAM).parents[1]
SKIPPED = 77
LIMIT_S = 300


def benchmark(*words):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SHARDFFT")}
    return subprocess.run([sys.executable, str(BENCHMARK), "--build",
                           str(BUILD), *map(str, words)], capture_output=True, text=True, timeout=LIMIT_S, check=False,
                          stdin=subprocess.DEVNULL, env=environment)


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


class Smoke(unittest.TestCase):
    def test_measures_every_mode_at_every_rate_and_prints_a_table(self):
        modes = ["exact", "codec f32", "tolerance 1e-3"]
        done = benchmark("--hosts", 2, "--rates", "1gbit,200mbit", "--shape", "32x32x32", "--layouts", "natural",
                         "--modes", ",".join(modes), "--launches", 1, "--iterations", 1, "--limit", 60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("left out", done.stderr)
        rows = [cells(line) for line in done.stdout.splitlines() if line.startswith("| ")]
        head, rows = rows[0], rows[1:]
        self.assertEqual([row[:3] for row in rows],
                         [[rate, "natural", mode] for rate in ("1gbit", "200mbit") for mode in modes], done.stdout)
        for row in rows:
            found = dict(zip(head, row))
            self.assertGreater(float(found["time (range)"].split()[0]), 0)
            self.assertGreater(float(found["all-to-all"].split()[0]), 0)
            self.assertGreater(float(found["share"].strip("*% ")), 0)
            self.assertEqual(found["speed-up (range)"] == "", found["mode"] == "exact")
        sent = {row[2]: float(row[head.index("sent by a host")].split()[0]) for row in rows}
        errors = {row[2]: float(row[head.index("error")]) for row in rows}
        # natural order, two exchanges: half of the array each time, by two hosts
        self.assertAlmostEqual(sent["exact"], 32**3 * 16 / 2 / 1e6, delta=0.1)
        self.assertLess(sent["codec f32"], sent["exact"])
        self.assertLess(sent["tolerance 1e-3"], sent["codec f32"])
        self.assertLess(errors["exact"], 1e-14)
        self.assertLess(errors["codec f32"], 1e-6)
        self.assertLess(errors["tolerance 1e-3"], 1e-3)
        self.assertGreater(errors["tolerance 1e-3"], 1e-6)


class BadInput(unittest.TestCase):
    def test_says_in_one_line_what_is_wrong(self):
        done = benchmark("--modes", "exact,codec f99")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^network_benchmark: no mode called codec f99; there are: exact, .*\n$")
        done = benchmark("--build", "/nowhere")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^network_benchmark: there is no /nowhere/bin/shardfft; build first: .*\n$")


if __name__ == "__main__":
    can = subprocess.run([str(NETCLUSTER), "--check"], capture_output=True, text=True, check=False)
    if can.returncode != 0 or not MPIRUN or not (BUILD / "bin" / "all_to_all").exists():
        print(f"left out: {can.stderr.strip() if can.returncode else 'built without MPI'}")
        done = unittest.main(defaultTest="BadInput", exit=False)
        sys.exit(SKIPPED if done.result.wasSuccessful() else 1)
    unittest.main()
