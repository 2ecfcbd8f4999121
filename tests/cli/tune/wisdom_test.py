"""wisdom: what tune found is shown, forgotten and merged; what makes no sense does no harm; bad input."""
import json
import os
import shutil
import unittest

from program import needs_launcher, own_lines
from tuning import OnAKnownMachine


class Wisdom(OnAKnownMachine):
    def ids(self):
        return [entry["id"] for entry in self.record("wisdom", "list")["entries"]]

    def test_entries_are_listed_shown_and_forgotten(self):
        self.assertIn("no entries", self.done("wisdom", "list").stdout)
        self.tune("--shape", "8x8x8,8x8x10")
        ids = self.ids()
        self.assertEqual(len(set(ids)), 2)
        text = self.done("wisdom", "list").stdout
        self.assertTrue(all(i in text for i in ids) and "8 x 8 x 10" in text)
        self.assertIn("chunks", self.done("wisdom", "show", ids[0]).stdout)
        self.assertEqual(self.record("wisdom", "show", ids[1])["entries"][0]["id"], ids[1])
        self.assertEqual(self.record("wisdom", "forget", ids[0])["forgotten"], 1)
        self.assertEqual(self.ids(), [ids[1]])
        self.assertEqual(self.record("wisdom", "forget", "--all")["forgotten"], 1)
        self.assertEqual(self.ids(), [])

    def damage(self, change, place="w"):
        """Calls change(key, entry) on every entry of the file."""
        name = self.path(place + "/wisdom.json")
        with open(name) as file:
            kept = json.load(file)
        for key, entry in kept["entries"].items():
            change(key, entry)
        with open(name, "w") as file:
            json.dump(kept, file)

    @staticmethod
    def row(name, value):
        def change(_, entry):
            for row in entry["measured"]:
                row[name] = value
        return change

    def test_an_entry_that_makes_no_sense_is_one_line_and_no_harm(self):
        words = ["bench", "--shape", "8x8x8", "--iterations", 1]
        self.tune("--shape", "8x8x8")
        with open(self.path("w/wisdom.json")) as file:
            good = file.read()
        for name, value in [("ranks_grid", [0, 2]), ("ranks_grid", [7, 7]), ("ranks_grid", [-2, -1]),
                            ("ranks_grid", [2**62, 2**62]), ("decomposition", "foo"), ("tile", 1 << 24), ("fuse", 3)]:
            with self.subTest(name=name, value=value), open(self.path("w/wisdom.json"), "w") as file:
                file.write(good)
                file.close()
                self.damage(self.row(name, value))
                stderr = self.done(*words).stderr
                self.assertEqual(len(stderr.splitlines()), 1, stderr)
                for part in ["w/wisdom.json", name, "shardfft wisdom forget " + self.id_by_key()]:
                    self.assertIn(part, stderr)
        self.done("wisdom", "forget", self.id_by_key())
        self.assertEqual(self.done(*words).stderr, "", "the remedy helps")

    def id_by_key(self):
        record = self.record("wisdom", "list")
        return (record["entries"] + record["damaged"])[0]["id"]

    @needs_launcher
    def test_ranks_go_on_together_without_an_entry_that_does_not_fit(self):
        self.tune("--shape", "8x8x8", ranks=2)
        for value in [[7, 7], [0, 2]]:
            self.damage(self.row("ranks_grid", value))
            result = self.done("bench", "--shape", "8x8x8", "--iterations", 1, ranks=2)
            self.assertEqual(len(own_lines(result.stderr)), 1, result.stderr)

    def test_a_damaged_entry_leaves_the_others_and_can_be_forgotten(self):
        self.tune("--shape", "8x8x8,8x8x10")
        ids = {key: i for i, key in [(entry["id"], entry["key"]) for entry in self.record("wisdom", "list")["entries"]]}
        bad = next(i for key, i in ids.items() if "8 x 8 x 10" in key)
        good = next(i for key, i in ids.items() if "8 x 8 x 8 " in key)
        self.damage(lambda key, entry: entry.update(date=3) if "8 x 8 x 10" in key else None)
        record = self.record("wisdom", "list")
        self.assertEqual(([e["id"] for e in record["entries"]], [e["id"] for e in record["damaged"]]), ([good], [bad]))
        self.assertIn("date", record["damaged"][0]["why"])
        self.assertRegex(self.done("wisdom", "list").stdout, bad + ".*damaged.*date is a text")
        self.assertIn("chunks", self.done("wisdom", "show", good).stdout)
        self.refused("wisdom", "show", bad, says=["damaged", "date is a text", "wisdom forget " + bad])
        shutil.copytree(self.path("w"), self.path("other"))
        self.assertEqual(self.record("wisdom", "forget", bad)["forgotten"], 1)
        self.assertEqual(self.ids(), [good])
        self.done("wisdom", "forget", good)
        merged = self.done("wisdom", "merge", "other/wisdom.json")
        self.assertIn("1 of 2 entries", merged.stdout)
        self.assertEqual(len(merged.stderr.splitlines()), 1, merged.stderr)
        self.assertIn("leaves out", merged.stderr)
        self.assertEqual(self.record("wisdom", "forget", "--all", SHARDFFT_WISDOM=self.path("other"))["forgotten"], 2)

    def test_a_shorter_tuning_does_not_take_the_place_of_a_longer_one(self):
        rows = lambda: [len(entry["measured"]) for entry in self.record("wisdom", "list")["entries"]]
        self.tune("--shape", "16x16x16", "--engine", "native", seconds=3)
        before = rows()
        self.assertGreater(before[0], 1)
        result = self.done("tune", "--shape", "16x16x16", "--engine", "native", "--seconds", 0.000001)
        self.assertEqual(rows(), before)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn("more thorough", result.stderr)

    def test_huge_pages_that_are_given_have_an_entry_of_their_own(self):
        for value in [0, 1]:
            self.tune("--shape", "8x8x8", "--huge-pages", value)
        self.assertEqual(len(self.ids()), 2)

    def test_a_rate_of_nothing_is_one_line_and_measured_anew(self):
        name = self.path("w/machine.json")
        for rate in ["memory_bytes_per_s", "cache_bytes_per_s"]:
            with open(name, "w") as file:
                kept = json.loads(OnAKnownMachine.machine)
                for entry in kept["entries"].values():
                    entry[rate] = 0
                json.dump(kept, file)
            for words in [["explain", "--shape", "64x64x64", "--ranks", 4],
                          ["bench", "--shape", "64x64x64", "--iterations", 1]]:
                result = self.done(*words)
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                for part in [name, rate, "got 0", "info --measure"]:
                    self.assertIn(part, result.stderr)
        self.tune("--shape", "8x8x8", seconds=0.1)
        self.assertEqual(self.done("bench", "--shape", "8x8x8", "--iterations", 1).stderr, "")

    def test_files_are_merged(self):
        self.tune("--shape", "8x8x8")
        os.rename(self.path("w"), self.path("other"))
        self.tune("--shape", "8x8x10")
        self.assertEqual(self.record("wisdom", "merge", "other/wisdom.json")["taken"], 1)
        self.assertEqual(len(self.ids()), 2)

    def test_bad_input(self):
        self.refused("wisdom", says=["--help"])
        self.refused("wisdom", "praise", says=["praise"])
        self.refused("wisdom", "show", says=["ID"])
        self.refused("wisdom", "show", "12345678", says=["12345678", "wisdom list"])
        self.refused("wisdom", "forget", says=["--all"])
        self.refused("wisdom", "forget", "12345678", "--all", says=["both"])
        self.refused("wisdom", "merge", "absent.json", says=["absent.json"])
        self.refused("wisdom", "list", says=["SHARDFFT_WISDOM"], SHARDFFT_WISDOM="off")
        with open(self.path("text.json"), "w") as file:
            file.write("hello")
        self.refused("wisdom", "merge", "text.json", says=["text.json", "damaged"])
        self.refused("wisdom", "list", says=["text.json"], SHARDFFT_WISDOM=self.path("text.json"))

    def test_a_damaged_file_is_one_line_and_no_harm(self):
        with open(self.path("w/wisdom.json"), "w") as file:
            file.write('{"format": "shardfft wisdom 1", "ent')
        result = self.done("bench", "--shape", "8x8x8", "--iterations", 1)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn("wisdom.json", result.stderr)
        self.assertIn("not kept", self.done("tune", "--shape", "8x8x8", "--seconds", 0.2, status=2).stdout)
        with open(self.path("w/wisdom.json")) as file:
            self.assertEqual(file.read(), '{"format": "shardfft wisdom 1", "ent')


if __name__ == "__main__":
    unittest.main()
