"""tune: what is measured is kept and found; candidates that fail are dropped; bad input."""
import json
import os
import unittest

from program import needs_launcher, own_lines
from tuning import OnAKnownMachine, Tuning


class Machine(Tuning):
    def test_the_machine_is_measured_once(self):
        self.tune("--shape", "8x8x8")
        with open(os.path.join(self.folder, "w", "machine.json")) as file:
            first = file.read()
        self.assertIn("memory_bytes_per_s", first)
        self.tune("--shape", "8x8x10")
        with open(os.path.join(self.folder, "w", "machine.json")) as file:
            self.assertEqual(file.read(), first)

    def test_info_says_what_was_measured(self):
        self.assertFalse(self.record("info")["machine_measured"])
        self.assertIn("not yet", self.done("info").stdout)
        self.tune("--shape", "8x8x8")
        record = self.record("info")
        self.assertEqual(record["wisdom_file"], self.path("w/wisdom.json"))
        self.assertGreater(record["machine"]["memory_bytes_per_s"], 1e6)
        self.assertIn("GB/s", self.done("info").stdout)

    def test_nothing_is_written_where_nothing_is_to_be_kept(self):
        self.assertIn("not kept", self.done("tune", "--shape", "8x8x8", "--seconds", 0.2, SHARDFFT_WISDOM="off").stdout)
        self.assertEqual(os.listdir(self.folder), [])


class Tune(OnAKnownMachine):
    def test_what_was_found_is_what_bench_and_explain_take(self):
        result = self.tune("--shape", "16x12x20", "--engine", "native")[0]
        self.assertEqual(result["rows"][0]["dropped"], "")
        self.assertEqual(sum(row["untuned"] for row in result["rows"]), 1)
        self.assertLessEqual(result["tuned_s"], result["untuned_s"])
        explained = self.record("explain", "--shape", "16x12x20", "--engine", "native")["plan"]
        self.assertEqual(explained["wisdom"]["measured_s"], result["tuned_s"])
        self.assertIn("wisdom of 20", explained["origins"]["non_temporal"])
        self.assertEqual(explained["origins"]["engine"], "option")
        self.assertTrue(explained["runner_up"]["measured"])
        self.assertIsNone(
            self.record("explain", "--shape", "16x12x20", "--engine", "native", "--no-wisdom")["plan"]["wisdom"])
        self.assertIn("wisdom", self.done("explain", "--shape", "16x12x20", "--engine", "native").stdout)

    def test_the_hash_of_a_result_is_the_same_before_and_after(self):
        words = ["bench", "--shape", "16x12x20", "--iterations", 1]
        before = self.record(*words)["hash"]
        self.tune("--shape", "16x12x20")
        self.assertEqual(self.record(*words)["hash"], before)

    def test_without_wisdom_explain_names_the_models_runner_up(self):
        plan = self.record("explain", "--shape", "256x256x256", "--ranks", 4, "--ranks-per-node", 4)["plan"]
        self.assertFalse(plan["runner_up"]["measured"])
        self.assertGreaterEqual(plan["runner_up"]["seconds"], 0)
        self.assertNotEqual(plan["runner_up"]["recipe"], "")

    def test_effort_measures_once(self):
        words = ["bench", "--shape", "12x12x20", "--iterations", 1, "--effort", "measure", "--tune-seconds", 0.3]
        self.done(*words)
        with open(os.path.join(self.folder, "w", "wisdom.json")) as file:
            first = file.read()
        self.done(*words)
        with open(os.path.join(self.folder, "w", "wisdom.json")) as file:
            self.assertEqual(file.read(), first)

    def test_the_report_has_the_columns_of_the_lecture(self):
        text = self.done("tune", "--shape", "8x8x8,16x16x16", "--seconds", 0.2, "--report").stdout.splitlines()
        self.assertEqual(text[0].split(), [
            "N", "before:", "N1", "N2", "NB", "NDIV", "GFlops", "after:", "N1", "N2", "NB", "NDIV", "GFlops",
            "after/before"
        ])
        self.assertEqual(len(text), 3)
        markdown = self.done("tune", "--shape", "8x8x8", "--seconds", 0.2, "--report", "markdown").stdout.splitlines()
        self.assertTrue(all(line.count("|") == 13 for line in markdown), markdown)
        self.assertEqual(
            json.loads(self.done("tune", "--shape", "8x8x8", "--seconds", 0.2, "--report", "json").stdout)[0]["shape"],
            [8, 8, 8])

    def test_what_cannot_be_kept_is_said_with_the_remedy_whatever_is_printed(self):
        os.makedirs(self.path("w/wisdom.json.lock"), exist_ok=True)  # so that nobody can write there, root neither
        words = ["tune", "--shape", "8x8x8", "--seconds", 0.2, "--engine", "native"]
        self.assertIn("not kept: " + self.path("w/wisdom.json") + ": cannot be locked",
                      self.done(*words, status=2).stdout)
        for kind in ["text", "markdown", "json"]:
            result = self.done(*words, "--report", kind, status=2)
            self.assertIn("wisdom.json: cannot be locked: Is a directory; repair it, move it away, or", result.stderr)
            self.assertNotIn("not kept: ", "" if kind == "json" else result.stdout)
        found = json.loads(self.done(*words, "--json", "-", status=2).stdout)["results"][0]
        self.assertIsNone(found["wisdom_file"])
        self.assertIn("cannot be locked", found["not_kept"])
        os.rmdir(self.path("w/wisdom.json.lock"))
        found = self.tune(*words[1:3])[0]
        self.assertEqual((found["wisdom_file"], found["not_kept"]), (self.path("w/wisdom.json"), ""))

    def test_tuning_whose_result_later_plans_will_not_find_is_no_success(self):
        """Unless that was asked for."""
        words = ["tune", "--shape", "8x8x8", "--seconds", 0.2, "--engine", "native"]
        homeless = {"SHARDFFT_WISDOM": "", "HOME": "", "XDG_CACHE_HOME": ""}
        result = self.done(*words, status=2, **homeless)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn("not kept: 8 x 8 x 8: there is no folder for it; set SHARDFFT_WISDOM", result.stderr)
        self.assertEqual(self.done(*words, SHARDFFT_WISDOM="off").stderr, "")
        os.makedirs(self.path("w/wisdom.json.lock"), exist_ok=True)
        lost = self.done(*words[:2], "8x8x8,4x4", *words[3:], "--report", status=2)
        self.assertEqual([line.split(": ")[2] for line in lost.stderr.splitlines()], ["8 x 8 x 8", "4 x 4"],
                         lost.stderr)

    @needs_launcher
    def test_ranks_that_write_nothing_end_with_the_status_of_the_one_that_cannot(self):
        os.makedirs(self.path("w/wisdom.json.lock"), exist_ok=True)
        result = self.done("tune", "--shape", "8x8x8", "--seconds", 0.2, "--engine", "native", ranks=2, status=2)
        self.assertEqual(len([line for line in own_lines(result.stderr) if "not kept: 8 x 8 x 8: " in line]), 1,
                         result.stderr)

    def test_explain_names_the_transport_that_wisdom_knows_and_no_other(self):
        words = ["explain", "--shape", "16x12x20", "--ranks", 1, "--threads", 1]
        plan = self.record(*words, "--no-wisdom")["plan"]
        self.assertEqual((plan["recipe"]["transport"], plan["origins"]["transport"]),
                         ("dry_run", "dry run: ranks that run choose theirs"))
        self.tune("--shape", "16x12x20", "--engine", "native", "--transport", "threads", "--threads", 1)
        plan = self.record(*words, "--engine", "native", "--transport", "dry_run")["plan"]
        self.assertEqual((plan["recipe"]["transport"], plan["origins"]["transport"]), ("dry_run", "option"))
        plan = self.record(*words, "--engine", "native", "--transport", "threads")["plan"]
        self.assertEqual((plan["recipe"]["transport"], plan["origins"]["transport"]), ("threads", "option"))
        # of one engine, which plans that name it take, however few candidates had their turn
        self.tune("--shape", "16x12x20", "--engine", "native", "--threads", 1, seconds=20)
        plan = self.record(*words, "--engine", "native")["plan"]
        self.assertEqual(plan["recipe"]["transport"], "threads")
        self.assertIn("wisdom of 20", plan["origins"]["transport"])

    @needs_launcher
    def test_ranks_agree_and_a_transport_that_cannot_be_opened_is_dropped(self):
        for ranks in [2, 3]:
            result = self.tune("--shape", "12x10x8", "--engine", "native", "--tile", 16, "--chunks", 1, "--fuse", 2,
                               "--non-temporal", 0, ranks=ranks, seconds=60, SHARDFFT_SHM_LIMIT="100")[0]
            self.assertNotIn("shared_memory", result["rows"][0]["recipe"])
            self.assertEqual(result["rows"][0]["dropped"], "")
            dropped = [row for row in result["rows"] if row["dropped"]]
            self.assertTrue(
                dropped and all("shared_memory" in row["recipe"] and "/dev/shm" in row["dropped"] for row in dropped),
                dropped)

    def test_bad_input(self):
        self.refused("tune", says=["--shape"])
        self.refused("tune", "--shape", "8x8,0x4", says=["--shape"])
        self.refused("tune", "--shape", "8x8", "--seconds", "-1", says=["--seconds", "-1"])
        self.refused("tune", "--shape", "8x8", "--limit", "0", says=["--limit"])
        self.refused("tune", "--shape", "8x8", "--effort", "model", says=["--effort", "model"])
        self.refused("tune", "--shape", "8x8", "--report", "poem", says=["--report", "poem"])
        self.refused("tune", "--shape", "8x8", "--engine", "abacus", says=["abacus"])
        self.refused("tune", "--shape", "8x8", "--launch", "no-such-launcher", says=["--launch", "no-such-launcher"])
        self.refused("bench", "--shape", "8x8", "--effort", "much", says=["much"])
        self.refused("bench", "--shape", "8x8", "--tune-seconds", "-3", says=["-3"])
        self.refused("bench", "--shape", "8x8", says=["SHARDFFT_TUNE_SECONDS", "long"], SHARDFFT_TUNE_SECONDS="long")


if __name__ == "__main__":
    unittest.main()
