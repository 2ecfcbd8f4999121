"""studies/bandwidth_by_size: its table of measured files, and of one launch of this build. No rate is judged."""
import json
import pathlib
import subprocess
import sys
import unittest

from program import MPIRUN, PROGRAM, InFolder

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "studies" / "bandwidth_by_size"
BUILD = pathlib.Path(PROGRAM).parents[1]


def said(*words):
    return subprocess.run([sys.executable, SCRIPT, *map(str, words)], capture_output=True, text=True, timeout=100,
                          stdin=subprocess.DEVNULL, check=False)


class Tables(InFolder):
    def file(self, name, rates):
        lines = [json.dumps({"way": way, "message_bytes": size, "mb_per_s": rate}) for (way, size), rate in rates]
        path = pathlib.Path(self.folder) / name
        path.write_text("\n".join(lines) + "\n")
        return path

    def test_files_stand_side_by_side_with_the_best_launch_and_way(self):
        a = self.file("a", [(("collective", 64), 10), (("messages", 64), 20), (("paced", 64), 30),
                            (("messages", 64), 10), (("messages", 64), 11), (("collective", 512), 7)])
        b = self.file("b", [(("collective", 64), 5)])
        done = said(f"first={a}", f"second={b}")
        self.assertEqual(done.stdout.splitlines(), [
            "| bytes | first, collective | first, messages | second, collective | second, messages |",
            "|---|---|---|---|---|", "| 64 | 10 | 30 paced | 5 |  |", "| 512 | 7 |  |  |  |"], done.stderr)

    @unittest.skipUnless(MPIRUN and BUILD.parent.name == "build", "no build of a preset with MPI")
    def test_a_build_is_launched(self):
        done = said("--builds", BUILD.name, "--sizes", "64,4096", "--launches", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        head, _, *rows = done.stdout.splitlines()
        self.assertRegex(head, r"\| (Open MPI|MPICH) [0-9.]+, collective \|")
        self.assertEqual([row.split(" | ")[0] for row in rows], ["| 64", "| 4096"])
        self.assertTrue(all(float(row.split(" | ")[1]) > 0 for row in rows))

    def test_says_in_one_line_what_is_wrong(self):
        for words, text in (([], "which MPIs"), (["x=/nowhere"], "files are NAME=FILE"),
                            (["nonsense"], "files are NAME=FILE"),
                            (["--builds", "nowhere"], "there is no .*nowhere/bin/all_to_all; build first")):
            done = said(*words)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, f"^bandwidth_by_size: {text}.*\n$")


if __name__ == "__main__":
    unittest.main()
