"""studies/approximate_tables on tiny arrays: every table has its rows, and numbers that can be true."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TABLES = pathlib.Path(__file__).resolve().parents[2] / "studies" / "approximate_tables"
PROGRAMS = os.environ["SHARDFFT_PROGRAMS"]
LIMIT_S = 500


def tables(*words):
    return subprocess.run([sys.executable, str(TABLES), "--programs", PROGRAMS, *map(str, words)], capture_output=True,
                          text=True, timeout=LIMIT_S, check=False)


def rows_of(text):
    """Of all tables, without their heads, as lists of cells."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def has_codec(name):
    return subprocess.run([os.path.join(PROGRAMS, "approximate_study"), "--n", "8", "--codec", name],
                          capture_output=True, timeout=LIMIT_S, check=False).returncode == 0


class Tables(unittest.TestCase):
    def ok(self, *words):
        done = tables(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_volume_falls_with_the_tolerance_and_is_least_for_noise(self):
        rows = rows_of(self.ok("volume", "--largest", 16))[1:]
        self.assertEqual([row[:2] for row in rows], [[guarantee, e]
                                                     for guarantee in ("certified", "worst", "statistical")
                                                     for e in ("0.01", "0.001", "0.0001", "1e-06", "1e-09")])
        found = [[tuple(map(float,
                            re.match(r"([\d.]+) / ([\d.]+) \(([\d.]+)\)$", cell).groups()))
                  for cell in row[2:]]
                 for row in rows]
        for at, row in enumerate(found):
            white, _, dns = row
            for forward, backward, bits in row:
                self.assertGreater(min(forward, backward), 1)
                self.assertAlmostEqual(forward, 64 / bits, delta=0.05 * forward)
            self.assertGreater(dns[0], white[0])
            self.assertGreater(dns[1], white[1])
            if at % 5:
                self.assertLess(white[0], found[at - 1][0][0])

    @unittest.skipUnless(has_codec("zfp"), "built without zfp, which the table compares with")
    def test_rates_are_those_of_each_codec(self):
        rows = [row for row in rows_of(self.ok("rate", "--largest", 16)) if row[0] != "codec"]
        codecs = ["block_float", "mantissa", "f16", "f32", "zfp"]
        self.assertEqual([row[0] for row in rows], 3 * codecs)
        by_e = [dict((row[0], row[1:]) for row in rows[at:at + len(codecs)]) for at in range(0, len(rows), len(codecs))]
        for e in by_e:
            self.assertEqual({len(row) for row in e.values()}, {6})
        self.assertAlmostEqual(float(by_e[0]["f32"][0]), 32, delta=4)  # heads of small messages
        self.assertEqual(by_e[2]["f32"][0], "–", "f32 cannot keep 1e-9")
        bits = [float(e["block_float"][0]) for e in by_e]
        for less, more in zip(bits, bits[1:]):
            self.assertAlmostEqual(more - less, 9.97, delta=0.5)  # log2(1000)

    def test_the_mantissa_gains_a_bit_of_accuracy_for_a_bit_and_makes_a_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            rows = rows_of(self.ok("mantissa", "--largest", 16, "--pictures", folder))[1:]
            picture = (pathlib.Path(folder) / "approximate_mantissa.svg").read_text()
        self.assertTrue(picture.startswith("<svg") and picture.rstrip().endswith("</svg>"))
        errors = {row[0]: float(row[3]) for row in rows}
        self.assertEqual(list(errors),
                         [str(bits) for bits in range(2, 53, 2)] + ["f32", "f16", "all in f32", "all in f64"])
        self.assertTrue(2 ** 17 < errors["2"] / errors["22"] < 2 ** 23, errors)
        self.assertLess(errors["f32"], errors["all in f32"])
        self.assertLess(errors["all in f64"], 1e-15)

    def test_precision_compares_six_ways(self):
        rows = rows_of(self.ok("precision", "--largest", 64))[1:]
        self.assertEqual([row[:2] for row in rows], [["4", "64³"], ["8", "64³"], ["12", "64³"]])
        for row in rows:
            f64, f32, f64_f32 = (float(cell.split()[0]) for cell in row[2:5])
            self.assertLess(f64, 1e-15)
            self.assertLess(f64_f32, f32)
            self.assertLess(float(row[6].split()[0]), 2 * 3e-9)
            self.assertLess(float(row[7].split()[0]), 2 * 2e-4)

    def test_says_in_one_line_what_is_wrong(self):
        done = tables("volumes")
        self.assertEqual(done.returncode, 2)
        self.assertIn("a table is one of precision, mantissa, rate, volume, poisson; got 'volumes'", done.stderr)


if __name__ == "__main__":
    unittest.main()
