#!/usr/bin/env python3
"""ctest_counts.py JUNIT.xml: "passed failed" of a CTest run on one line, then one line for each test that failed, and
why, or was skipped. No file: 0 passed, 1 failed.

A test that did not run counts as failed, unless it said itself that it must be skipped; those are named, never silent.
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


def main():
    try:
        cases = ElementTree.parse(sys.argv[1]).getroot().findall("testcase")
    except (OSError, ElementTree.ParseError) as error:
        print(f"0 1\n  no test results: {error}")
        return
    verdicts = [(verdict(case), case) for case in cases]
    passed = sum(v == "passed" for v, _ in verdicts)
    failed = sum(v == "failed" for v, _ in verdicts) + (not verdicts)
    print(passed, failed)
    for kind, case in verdicts:
        if kind != "passed":
            print(f"  {kind}: {case.get('name')}{': ' + reason(case) if kind == 'failed' else ''}")
    if not verdicts:
        print("  no test was found")


if __name__ == "__main__":
    main()
