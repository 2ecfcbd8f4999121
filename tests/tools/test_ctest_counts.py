"""The counts of ./check: a test that did not run is not a test that passed."""
import pathlib
import sys
import unittest
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import ctest_counts


def verdict(status, message=None):
    skipped = "" if message is None else f'<skipped message="{message}"/>'
    return ctest_counts.verdict(ElementTree.fromstring(f'<testcase name="a" status="{status}">{skipped}</testcase>'))


class CtestCounts(unittest.TestCase):
    def test_calls_only_a_test_that_ran_well_passed(self):
        self.assertEqual(verdict("run"), "passed")
        self.assertEqual(verdict("fail"), "failed")

    def test_calls_a_program_that_was_not_built_failed(self):
        self.assertEqual(verdict("notrun", "Unable to find executable"), "failed")

    def test_tells_what_asked_to_be_skipped(self):
        self.assertEqual(verdict("notrun", "SKIP_REGULAR_EXPRESSION_MATCHED"), "skipped")
        self.assertEqual(verdict("disabled"), "skipped")

    def test_says_why_a_test_failed(self):
        def reason(output):
            case = ElementTree.Element("testcase", time="300.04")
            ElementTree.SubElement(case, "system-out").text = output
            return ctest_counts.reason(case)

        self.assertEqual(reason("[ RUN ] A.B\n==7==ERROR: AddressSanitizer: SEGV on 0x0\n  #0 f\n"),
                         "==7==ERROR: AddressSanitizer: SEGV on 0x0")
        self.assertEqual(reason("a.cpp:3: Failure\nExpected: x\n"), "a.cpp:3: Failure: Expected: x")
        self.assertEqual(reason("[ RUN ] A.B\n"), "said nothing that tells, 300.0 s")


if __name__ == "__main__":
    unittest.main()
