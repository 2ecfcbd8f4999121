#!/usr/bin/env python3
"""ctest_counts.py JUNIT.xml: "passed failed skipped" of a CTest run on one line, then one line for each test that
failed, and why, or was skipped. No file: 0 passed, 1 failed, 0 skipped.
ctest_counts.py --log FILE: "skipped" and these lines of what Python's unittest printed, with -v.
ctest_counts.py --times JUNIT.xml: "seconds name" of each test.

A test that did not run counts as failed, unless it said itself that it must be skipped; those are named, never silent.
So are tests that a program of GoogleTest, unittest (-v) or pytest (-rs) skips within a CTest test that passed.
"""
import re
import sys
import xml.etree.ElementTree as ElementTree


def verdict(case):
    """passed, failed or skipped."""
    status = case.get("status")
    if status == "run":
        return "passed"
    if status == "disabled":
        return "skipped"
    skipped = case.find("skipped")
    said_so = status == "notrun" and skipped is not None and skipped.get("message", "").startswith("SKIP_")
    return "skipped" if said_so else "failed"


# How what goes wrong begins: sanitizers, uncaught exceptions, assertions of GoogleTest and of Python, launchers of
# processes.
TELLING = re.compile(
    r"runtime error:|ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|terminate called|what\(\):|Failure$|Error:|died on "
    r"signal|BAD TERMINATION"
)


def reason(case):
    """The first line of a test's output that says what went wrong, with the line after it where that is an assertion's;
    where none does, how long it took: CTest does not write that it ran out of time."""
    lines = (case.findtext("system-out") or "").splitlines()
    for line, after in zip(lines, lines[1:] + [""]):
        if TELLING.search(line):
            return (f"{line.strip()}: {after.strip()}" if line.endswith("Failure") else line.strip())[:200]
    return f"said nothing that tells, {float(case.get('time') or 0):.1f} s"


COLOUR = re.compile(r"(?:\x1b|\[NON-XML-CHAR-0x1B\])\[[0-9;]*[mK]")
# One skipped test, and how many: with its name, as GoogleTest, unittest and pytest write it.
NAMED = [
    re.compile(r"^\[  SKIPPED \] (?P<what>.+) \(\d+ ms\)$"),
    re.compile(r"^(?P<what>.*) \.\.\. skipped .*$"),
    re.compile(r"^SKIPPED \[(?P<count>\d+)\] (?P<what>.*)$"),
]
# How many were skipped, in the line that ends a run.
TOTALS = [
    re.compile(r"^\[  SKIPPED \] (\d+) tests?, listed below:$"),
    re.compile(r"^(?:OK|FAILED) \(.*\bskipped=(\d+)"),
    re.compile(r"^(?:=+ )?(?:\d+ \w+, )*(\d+) skipped\b.* in [\d.]+s"),
]


def skips(output):
    """(count, texts) of the tests that a program skipped. More than it named: the rest has a text of its own."""
    lines = [COLOUR.sub("", line).rstrip() for line in output.splitlines()]
    named = [found for line in lines for pattern in NAMED if (found := pattern.match(line))]
    texts = [found[0] if "skipped" in found[0] else found["what"] for found in named]
    count = sum(int(found.groupdict().get("count") or 1) for found in named)
    total = sum(int(found[1]) for line in lines for pattern in TOTALS if (found := pattern.match(line)))
    if total > count:
        texts.append(f"{total - count} without a name: run unittest with -v, pytest with -rs")
    return max(count, total), texts


def count(cases):
    """(passed, failed, skipped, lines) of all tests of a run."""
    counts, lines = {"passed": 0, "failed": 0, "skipped": 0}, []
    for case in cases:
        kind, name = verdict(case), case.get("name")
        counts[kind] += 1
        if kind == "failed":
            lines.append(f"  failed: {name}: {reason(case)}")
        inner, texts = skips(case.findtext("system-out") or "")
        if kind == "skipped":
            lines.append(f"  skipped: {name}" + "".join(f": {text}" for text in texts[:1]))
        else:
            counts["skipped"] += inner
            lines += [f"  skipped in {name}: {text}" for text in texts]
    if not cases:
        counts["failed"], lines = 1, ["  no test was found"]
    return counts["passed"], counts["failed"], counts["skipped"], lines


def main():
    mode, file = sys.argv[1] if len(sys.argv) > 2 else "", sys.argv[-1]
    if mode == "--log":
        with open(file, encoding="utf-8", errors="replace") as log:
            skipped, texts = skips(log.read())
        print(skipped, *(f"  skipped: {text}" for text in texts), sep="\n")
        return
    try:
        cases = ElementTree.parse(file).getroot().findall("testcase")
    except (OSError, ElementTree.ParseError) as error:
        print("" if mode else f"0 1 0\n  no test results: {error}")
        return
    if mode == "--times":
        for case in cases:
            print(f"{float(case.get('time') or 0):.0f} {case.get('name')}")
        return
    passed, failed, skipped, lines = count(cases)
    print(passed, failed, skipped)
    print(*lines, sep="\n")


if __name__ == "__main__":
    main()
