"""Every function of shardfft.h is exported, nothing else is, and each has a test of its name.

names_test.py HEADER LIBRARY TESTS
"""
import pathlib
import re
import subprocess
import sys
import unittest

HEADER, LIBRARY, TESTS = sys.argv[1:4]


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def declared():
    code = re.sub(r"//[^\n]*|/\*.*?\*/", "", pathlib.Path(HEADER).read_text(encoding="utf-8"), flags=re.S)
    return set(re.findall(r"\b(shardfft_\w+)\(", code))


class Names(unittest.TestCase):

    def test_exported_are_those_of_the_header(self):
        lines = output("nm", "-D", "--defined-only", LIBRARY).splitlines()
        exported = {line.split()[-1].split("@")[0] for line in lines}
        self.assertEqual(exported, declared())

    def test_each_function_has_a_case(self):
        cases = set(re.findall(r"^  (\w+)$", output(TESTS, "--gtest_list_tests", "--gtest_filter=Calls.*"), flags=re.M))
        self.assertEqual(cases, declared())

    def test_there_are_functions(self):
        self.assertGreater(len(declared()), 85)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
