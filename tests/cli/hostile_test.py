"""What others planted, nested or wrote at length: one line, no hang, and nothing of anybody else's is touched."""
import json
import os
import unittest

from program import ABSENT, own_lines, run
from tuning import OnAKnownMachine

DEEP = "[" * 200000 + "]" * 200000
BUSY = {"memory_bytes_per_s": 10.6e9, "node_bytes_per_s": 37.9e12, "cache_bytes_per_s": 7.3e9}


class Hostile(OnAKnownMachine):
    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def one_line(self, *words, status=0, says=(), **variables):
        result = self.done(*words, status=status, **variables)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr[:2000])
        for part in says:
            self.assertIn(part, result.stderr)
        return result.stderr

    def test_links_in_the_folder_of_wisdom_lead_nowhere(self):
        victim = self.write("victim", "precious")
        for name in ["wisdom.json", "machine.json", "tuning.json"]:
            os.symlink(victim, self.path(f"w/{name}.lock"))
        self.done("tune", "--shape", "8x8x8", "--seconds", 0.2, "--engine", "native", status=2)
        self.assertEqual(self.read("victim"), "precious")

    def test_files_that_are_nested_or_no_files_are_one_line_and_no_harm(self):
        bench = ["bench", "--shape", "8x8x8", "--iterations", 1]
        machine = self.read("w/machine.json")
        for name in ["wisdom.json", "machine.json"]:
            place = self.path(f"w/{name}")
            for text in ['{"format": "shardfft %s 1", "entries": {"a": %s}}' % (name.split(".")[0], DEEP), DEEP]:
                self.write(f"w/{name}", text)
                self.one_line(*bench, says=[name, "nested"])
            os.remove(place)
            os.mkfifo(place)
            self.one_line(*bench, says=[name, "pipe"])
            os.remove(place)
            self.write("w/machine.json", machine)

    def test_tune_does_not_end_on_a_nested_file(self):
        for name in ["wisdom.json", "tuning.json"]:
            kind = {"wisdom.json": "wisdom", "tuning.json": "tuning"}[name]
            self.write(f"w/{name}", '{"format": "shardfft %s 1", "entries": {"a": %s}}' % (kind, DEEP))
        result = self.done("tune", "--shape", "8x8x8", "--seconds", 0.2, "--engine", "native", status=2)
        self.assertIn("nested", result.stderr)

    def test_results_and_cases_are_nested_so_far_and_no_further(self):
        for words, text in [(["report", "x", "--output", "y"], DEEP), (["compare", "--cases", "x"], "cases = " + DEEP),
                            (["compare", "--cases", "x"], "[" + ".".join(["a"] * 200000) + "]\n"),
                            (["compare", "--cases", "x"], ".".join(["a"] * 200000) + " = 1\n"),
                            (["compare", "x", "--gate", "x"], DEEP), (["wisdom", "merge", "x"], DEEP)]:
            if words[0] in ABSENT:
                continue
            with self.subTest(words=words):
                self.write("x", text)
                self.assertLess(len(self.one_line(*words, status=2, says=["x"])), 2000)

    def test_pipes_are_not_waited_for(self):
        os.mkfifo(self.path("p"))
        for words in [["report", "p", "--output", "y"], ["compare", "--cases", "p"], ["wisdom", "merge", "p"]]:
            if words[0] in ABSENT:
                continue
            with self.subTest(words=words):
                self.one_line(*words, status=2, says=["p", "pipe"])

    def test_errors_repeat_two_hundred_characters(self):
        long = "x" * 5000
        bench = ["bench", "--shape", "8x8x8"]
        for words in [["bench", "--shape", long], ["bench", "--shape", "8x" * 3000], [*bench, "--kind", long],
                      [*bench, "--precision", long], [*bench, "--layout", long], [*bench, "--input", long],
                      [*bench, "--axes", "0," * 3000], [*bench, "--engine", long], [*bench, "--transport", long],
                      [*bench, "--codec", long], [*bench, "--threads", "9" * 5000], [*bench, "--" + long],
                      [*bench, "--effort", long], [*bench, "--guarantee", long], [*bench, "--device", long],
                      [*bench, "--ranks-grid", long], [*bench, "--decomposition", long], [*bench, "--tolerance", long],
                      [long], ["transform", long, "out.npy"], ["report", long, "--output", "y"],
                      ["compare", "--cases", long], ["compare", "--with", long, "--shapes", "8x8"],
                      ["wisdom", "show", long], ["wisdom", "merge", long],
                      ["explain", "--shape", "8x8", "--ranks", long], ["tune", "--shape", "8x8", "--report", long]]:
            if words[0] in ABSENT:
                continue
            with self.subTest(words=[w[:30] for w in map(str, words)]):
                said = self.one_line(*words, status=2)
                self.assertNotIn("x" * 201, said)
                self.assertLess(len(said), 1500)

    def test_variables_are_repeated_as_shortly(self):
        for name in ["ENGINE", "TRANSPORT", "EFFORT", "THREADS", "CHUNKS", "DEVICE", "CODEC"]:
            with self.subTest(name=name):
                said = self.one_line("bench", "--shape", "8x8x8", status=2, **{f"SHARDFFT_{name}": "x" * 5000})
                self.assertNotIn("x" * 201, said)

    def test_control_characters_are_escaped(self):
        said = self.one_line("bench", "--shape", "8x8x8", "--kind", "\x1b[2J\r\x07", status=2,
                             says=["\\x1b[2J\\x0d\\x07"])
        self.assertTrue(said.rstrip("\n").isprintable(), said)
        said = self.one_line("bench", "--shape", "8x8x8", "--kind", "é" * 300, status=2, says=["é" * 200 + "..."])
        self.assertNotIn("é" * 201, said)

    def contradict(self):
        kept = json.loads(OnAKnownMachine.machine)
        for entry in kept["entries"].values():
            entry.update(BUSY)
        self.write("w/machine.json", json.dumps(kept))

    def test_a_machine_that_contradicts_itself_is_one_line_and_measured_anew(self):
        self.contradict()
        self.one_line("bench", "--shape", "8x8x8", "--iterations", 1,
                      says=["machine.json", "7.3 GB/s in cache", "10.6 GB/s", "info --measure"])
        self.tune("--shape", "8x8x8", seconds=0.1)
        for entry in json.loads(self.read("w/machine.json"))["entries"].values():
            self.assertNotEqual(entry["node_bytes_per_s"], BUSY["node_bytes_per_s"])

    def test_the_machine_is_forgotten_by_a_word(self):
        self.tune("--shape", "8x8x8")
        self.assertEqual(self.record("wisdom", "forget", "--machine")["forgotten"], 1)
        self.assertFalse(self.record("info")["machine_measured"])
        self.assertEqual(len(self.record("wisdom", "list")["entries"]), 1)
        self.assertIn("nothing", self.done("wisdom", "forget", "--machine").stdout)

    def test_no_wisdom_neither_reads_nor_writes(self):
        self.contradict()
        before = {name: os.stat(self.path(f"w/{name}")).st_mtime_ns for name in os.listdir(self.path("w"))}
        for effort in ["model", "measure"]:
            result = self.done("bench", "--shape", "8x8x8", "--iterations", 1, "--no-wisdom", "--effort", effort,
                               "--tune-seconds", 0.1)
            self.assertEqual(result.stderr, "")
        self.assertEqual({name: os.stat(self.path(f"w/{name}")).st_mtime_ns for name in os.listdir(self.path("w"))},
                         before)

    def test_tune_ends_with_what_it_kept_and_why(self):
        last = self.done("tune", "--shape", "16x16x16", "--seconds", 0.3, "--engine", "native").stdout.splitlines()[-2:]
        self.assertTrue(last[0].startswith("best: ") and "default" in last[0], last)
        self.assertEqual(last[1], "kept in " + self.path("w/wisdom.json"))


if __name__ == "__main__":
    unittest.main()
