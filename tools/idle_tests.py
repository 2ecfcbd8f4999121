"""Tests that cannot fail, or are left out without a word, as far as their text shows it."""
import re

FOLDERS = ("tests/", "benchmarks/tests/")
# What a line must not have, and what would be right.
RULES = [
    (re.compile(r"GTEST_SKIP\(\)\s*;"), "a skipped test says why: GTEST_SKIP() << reason"),
    (re.compile(r"\bskipTest\(\)|unittest\.skip(?:\(\)|\s*$)|pytest\.skip\(\)|mark\.skip\s*$"),
     "a skipped test says why: give a reason"),
    (re.compile(r"importorskip\((?!.*reason=)"), "a skipped test says why: importorskip(..., reason=...)"),
    (re.compile(r"\b(?:EXPECT|ASSERT)_TRUE\(true\)|\bassertTrue\(True\)|^\s*assert True\b"),
     "a check can fail, but this one compares nothing"),
    (re.compile(r"\b(?:EXPECT|ASSERT)_(?:EQ|STREQ|DOUBLE_EQ)\((\w+), \1\)|\bassertEqual\((\w+), \2\)"),
     "a check compares two things, but this one takes the same twice"),
    (re.compile(r"--no-tests=ignore|noTestsAction\": \"ignore"),
     "a run of no tests is an error: leave this option out"),
]
CONFIGURATION = re.compile(r"\bCONFIGURATIONS\s+(\w+)")
BRANCHES = re.compile(r"^( *)if \(.*\{\n((?:\1 +.*\n)+)\1\} else \{\n((?:\1 +.*\n)+)\1\}", re.MULTILINE)


def in_lines(name, text):
    for number, line in enumerate(text.splitlines(), start=1):
        yield from (f"{name}:{number}: {said}" for pattern, said in RULES if pattern.search(line))


def in_branches(name, text):
    for found in BRANCHES.finditer(text):
        if found[2] == found[3]:
            line = text.count("\n", 0, found.start()) + 1
            yield f"{name}:{line}: branches differ, but these two are equal; leave the condition out"


def never_run(name, text, commands):
    """Configurations of CTest that no command gives with -C."""
    for configuration in CONFIGURATION.findall(text):
        if not re.search(rf"-C {configuration}\b", commands):
            yield (f"{name}: a command runs every test, but none gives ctest -C {configuration}; "
                   f"give the test a label in place of the configuration")


def find(files):
    """A line for each finding in the tests among `files`, which have a name and a text."""
    scripts = [file.text for file in files if file.name == "check" or file.name.startswith((".ci/", "tools/")) and
               file.name.rpartition("/")[2].startswith(("run", "check"))]
    for file in files:
        if file.name.startswith(FOLDERS) and not file.name.startswith("tests/tools/test_house"):
            yield from in_lines(file.name, file.text)
            yield from in_branches(file.name, file.text)
            yield from never_run(file.name, file.text, "\n".join(scripts))
