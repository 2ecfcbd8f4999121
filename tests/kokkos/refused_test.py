"""refused_test.py COMPILER FLAG...: each call in refused.cpp is refused, in the words that stand behind it."""
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent / "refused.cpp"


def refusals(compiler, lines, wrong):
    """What the compiler says of the source with the calls at `wrong` alone."""
    kept = [line for number, line in enumerate(lines) if number in wrong or not is_call(line)]
    done = subprocess.run([*compiler, "-std=c++20", "-w", "-fsyntax-only", "-x", "c++", "-"], input="\n".join(kept),
                          capture_output=True, text=True)
    return done.returncode, set(re.findall(r"static assertion failed[^\n]*?shardfft: ([^\n\"]*)", done.stderr)), done


def is_call(line):
    return line.strip().startswith("sk::") and "//" in line


class Refused(unittest.TestCase):
    compiler = []

    def test_calls_do_not_compile_and_the_compiler_says_why(self):
        lines = SOURCE.read_text(encoding="utf-8").splitlines()
        calls = [number for number, line in enumerate(lines) if is_call(line)]
        self.assertGreater(len(calls), 8)
        status, said, done = refusals(self.compiler, lines, set(calls))
        self.assertNotEqual(status, 0)
        self.assertEqual(said, {lines[number].split("//")[1].strip() for number in calls}, done.stderr[-3000:])

    def test_without_them_the_source_compiles(self):
        status, _, done = refusals(self.compiler, SOURCE.read_text(encoding="utf-8").splitlines(), set())
        self.assertEqual(status, 0, done.stderr)


if __name__ == "__main__":
    Refused.compiler = sys.argv[1:]
    unittest.main(argv=[sys.argv[0], "-v"])
