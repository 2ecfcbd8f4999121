"""What ./quickstart shows of a build, on a terminal and elsewhere, when it fails, and without a place for Python."""
import os
import pathlib
import pty
import re
import shutil
import subprocess
import tempfile
import unittest

QUICKSTART = pathlib.Path(__file__).resolve().parents[2] / "quickstart"


def functions():
    """progress() and build(), with a stand-in for cmake that prints what ninja prints."""
    text = QUICKSTART.read_text(encoding="utf-8")
    found = re.search(r"^progress\(\) \{.*?^\}\n.*?^\}\n", text, re.DOTALL | re.MULTILINE)
    return f"set -euo pipefail\nout=$1\n{found.group()}"


def script(lines, status=0):
    printed = "\n".join(lines)
    return f"{functions()}\ncmake() {{ cat <<'END'\n{printed}\nEND\nreturn {status}; }}\nbuild some_target\n"


def run(lines, status=0, folder="/tmp"):
    words = ["bash", "-c", script(lines, status), "bash", folder]
    return subprocess.run(words, capture_output=True, text=True, check=False)


STEPS = [f"[{i}/40] Building CXX object some.o" for i in range(1, 41)]


class Progress(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="shardfft-quickstart-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_elsewhere_there_is_a_line_for_every_tenth(self):
        done = run(STEPS, folder=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()], [str(10 * i) for i in range(1, 11)])

    def test_in_a_terminal_one_line_moves(self):
        ours, theirs = pty.openpty()
        words = ["bash", "-c", script(STEPS), "bash", self.folder]
        with subprocess.Popen(words, stdout=theirs, stderr=theirs) as process:
            self.assertEqual(process.wait(timeout=30), 0)
        os.close(theirs)
        shown = os.read(ours, 100000).decode()
        os.close(ours)
        self.assertEqual(shown.count("\r   "), 40, shown)
        self.assertIn("100 %, 40 of 40 files", shown)
        self.assertEqual(shown.count("\n"), 1, shown)

    def test_of_a_build_that_fails_the_words_of_the_compiler_are_shown(self):
        done = run(STEPS[:3] + ["FAILED: some.o", "some.cpp:1: error: no such thing"], status=1, folder=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("error: no such thing", done.stderr)
        self.assertIn("quickstart: failed", done.stderr)
        self.assertNotIn("Building CXX", done.stderr)


class Python(unittest.TestCase):
    def test_the_package_goes_into_the_virtual_environment_or_nowhere(self):
        with tempfile.TemporaryDirectory(prefix="shardfft-quickstart-") as folder:
            shutil.copy(QUICKSTART, folder)
            words = [f"{folder}/quickstart", "--python", "--no-setup"]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--python needs build/venv", done.stderr)


if __name__ == "__main__":
    unittest.main()
