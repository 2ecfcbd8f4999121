#!/usr/bin/env python3
"""ctest_counts.py JUNIT.xml: "passed failed" of a CTest run on one line, then one line for each test that failed or was skipped. No file: 0 passed, 1 failed.

A test that did not run counts as failed, unless it said itself that it must be skipped; those are named, never silent.
"""
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


def main():
    try:
        cases = ElementTree.parse(sys.argv[1]).getroot().findall("testcase")
    except (OSError, ElementTree.ParseError) as error:
        print(f"0 1\n  no test results: {error}")
        return
    verdicts = [(verdict(case), case.get("name")) for case in cases]
    passed = sum(v == "passed" for v, _ in verdicts)
    failed = sum(v == "failed" for v, _ in verdicts) + (not verdicts)
    print(passed, failed)
    for kind, name in verdicts:
        if kind != "passed":
            print(f"  {kind}: {name}")
    if not verdicts:
        print("  no test was found")


if __name__ == "__main__":
    main()
