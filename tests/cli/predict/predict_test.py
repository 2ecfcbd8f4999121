"""predict: what it promises to people and programs, machine files, published results."""
import json
import math
import pathlib
import sys
import unittest

from program import PROGRAM, InFolder, peak_bytes, run

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "docs" / "figures"))
import strong_scaling

MACHINES = sorted(path.stem for path in (ROOT / "docs/machines").glob("*.json") if path.stem != "published")
MOST_BYTES = 200 << 20
COLUMNS = 100


class Predicts(InFolder):
    SUMMIT = ["--machine", "summit", "--shape", "1024x1024x1024", "--ranks", 40960]

    def test_a_prediction_has_a_band_a_limit_and_terms_that_add_up(self):
        p = self.json("predict", *self.SUMMIT)["prediction"]
        self.assertLess(p["least_s"], p["seconds"])
        self.assertLess(p["seconds"], p["most_s"])
        self.assertEqual(p["limited_by"], max(p["terms_s"], key=p["terms_s"].get))
        self.assertAlmostEqual(sum(p["terms_s"].values()) / p["seconds"], 1, 2)
        self.assertEqual((p["nodes"], p["ranks_per_node"]), (1024, 40))

    def test_other_cuts_and_tolerances_are_beside_it(self):
        record = self.json("predict", *self.SUMMIT)
        self.assertEqual(list(record["decompositions"]), ["slab", "pencil"])
        self.assertEqual(list(record["tolerances"]), ["1e-3", "1e-6", "1e-9"])
        self.assertLess(record["tolerances"]["1e-3"]["bytes_of_busiest_node"],
                        record["tolerances"]["1e-9"]["bytes_of_busiest_node"])
        text = self.ok("predict", *self.SUMMIT).stdout
        for said in ["limited by", "other cuts", "tolerance"]:
            self.assertIn(said, text)
        self.assertLessEqual(max(map(len, text.splitlines())), COLUMNS)

    def test_a_million_ranks_take_less_memory_than_promised(self):
        for shape in ["10000x10000x10000", "997x1009x1013"]:
            words = ["predict", "--machine", "frontier", "--shape", shape, "--ranks", 1000000]
            self.assertLess(peak_bytes(*words), MOST_BYTES)

    def test_a_run_far_from_the_one_that_was_fitted_has_no_single_number(self):
        words = ["predict", "--machine", "t2k", "--shape", "512x512x512", "--ranks"]
        self.assertIsNotNone(self.json(*words, 65536)["prediction"]["seconds"])
        self.assertIsNone(self.json(*words, 65552)["prediction"]["seconds"])
        self.assertIn("no single number", self.ok(*words, 65552).stdout)

    def test_scaling_is_a_table_with_crossovers(self):
        record = self.json("predict", "--machine", "t2k", "--shape", "256^3", "--ranks", 4096, "--scaling", "strong",
                           "--from", 1)
        rows = record["rows"]
        self.assertEqual([row["ranks"] for row in rows], [2**i for i in range(13)])
        self.assertTrue(all(row["shape"] == [256, 256, 256] for row in rows))
        self.assertTrue(any("pencil from" in line for line in record["crossovers"]), record["crossovers"])
        weak = self.json("predict", "--machine", "t2k", "--shape", "64^3", "--ranks", 128, "--scaling", "weak")["rows"]
        self.assertEqual([math.prod(row["shape"]) // row["ranks"] for row in weak], [64**3 // 16] * 4)
        self.assertEqual(weak[1]["shape"], [128, 64, 64])
        for scaling in ["strong", "weak"]:
            text = self.ok("predict", "--machine", "summit", "--shape", "1024^3", "--ranks", 163840, "--scaling",
                           scaling).stdout
            self.assertLessEqual(max(map(len, text.splitlines())), COLUMNS, text)

    def test_every_known_machine_and_this_one_can_be_asked(self):
        for machine in MACHINES:
            self.assertGreater(self.json("predict", "--machine", machine, "--shape", "64^3",
                                         "--ranks", 64)["prediction"]["most_s"], 0)
        self.assertGreater(self.json("predict", "--shape", "64^3")["prediction"]["seconds"], 0)

    def test_info_writes_a_machine_file_of_this_machine(self):
        self.ok("info", "--json", "here.json")
        words = ["predict", "--shape", "128^3", "--ranks", 2]
        self.assertEqual(self.json(*words, "--machine", "here.json")["prediction"], self.json(*words)["prediction"])


class Refused(InFolder):
    def refused(self, *words, says):
        done = run("predict", *words, cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for text in says:
            self.assertIn(text, done.stderr)

    def test_words_that_make_no_sense(self):
        self.refused(says=["--shape", "got none"])
        self.refused("--shape", "8x8", "--machine", "sumit", says=["did you mean 'summit'"])
        self.refused("--shape", "8x8", "--machine", "published", says=["--machine must be one of"])
        self.refused("--shape", "8x8", "--machine", "none.json", says=["none.json"])
        self.refused("--shape", "8x8", "--scaling", "up", says=["strong or weak", "'up'"])
        self.refused("--shape", "8x8", "--ranks", 2000000, says=["1000000", "2000000"])
        self.refused("--shape", "8x8", "--ranks", -1, says=["got -1"])
        self.refused("--shape", "8x8", "--ranks", 4, "--from", 5, says=["--from", "got 5"])
        self.refused("--shape", "8x8", "--machine", "t2k", "--ranks-per-node", 17, says=["16", "got 17"])

    def test_machine_files_that_make_no_sense(self):
        for text in ["", "[]", "{", "null", "[" * 100000, json.dumps({"name": "x"})]:
            pathlib.Path(self.path("bad.json")).write_text(text)
            self.refused("--shape", "8x8", "--machine", "bad.json", says=["machine file bad.json"])


class Validated(InFolder):
    def test_published_rows_are_within_their_limits_or_shown_as_missing(self):
        record = self.json("predict", "--validate")
        rows = [row for row in record["rows"] if "not_predicted" not in row]
        self.assertGreaterEqual(len(rows), 12)
        for row in rows:
            limit = 3 if row["limited_by_messages"] else 1.5
            self.assertEqual(row["limit"], limit)
            ratio = row["predicted"] / row["published"]
            self.assertEqual(row["misses"], not 1 / limit <= ratio <= limit, row)
        within = {row["what"] for row in rows if not row["misses"]}
        for what in ["256^3 f64, 4096 cores, pencils", "1024^3 f64, 1024 nodes of 40, pencils",
                     "2048^3 f32, 2048 GPUs", "16384^3 f32, 4096 GPUs"]:
            self.assertIn(what, within)
        text = self.ok("predict", "--validate").stdout
        self.assertEqual(text.count(", misses "), sum(row["misses"] for row in rows))

    def test_machine_files_have_the_gaps_that_are_fitted(self):
        for gap in self.json("predict", "--validate")["gaps"]:
            in_file = gap["message_gap_s_in_file"]
            self.assertAlmostEqual(in_file / gap["message_gap_s"], 1, delta=0.05, msg=gap["machine"])


class Figure(unittest.TestCase):
    def test_the_figure_shows_what_the_program_predicts(self):
        shown = json.loads(strong_scaling.DATA.read_text(encoding="utf-8"))
        for line, now in zip(shown, strong_scaling.predicted(PROGRAM), strict=True):
            self.assertEqual(line["name"], now["name"])
            for row, predicted in zip(line["rows"], now["rows"], strict=True):
                for old, new in zip(row, predicted, strict=True):
                    self.assertTrue(old == new or math.isclose(old, new, rel_tol=1e-2), (line["name"], row, predicted))


if __name__ == "__main__":
    unittest.main()
