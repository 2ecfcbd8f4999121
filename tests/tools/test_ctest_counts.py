"""The counts of ./check: a test that did not run is not a test that passed."""
import pathlib
import subprocess
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

    def test_names_and_counts_what_programs_skip_within_a_test_that_passed(self):
        program = "\n".join([
            "import unittest", "class A(unittest.TestCase):", "    @unittest.skip('no disk')",
            "    def test_b(self): pass", "    def test_c(self):", "        with self.subTest(part=1):",
            "            self.skipTest('no net')", "unittest.main()"])
        said = subprocess.run([sys.executable, "-c", program, "-v"], capture_output=True, text=True).stderr
        count, texts = ctest_counts.skips(said)
        self.assertEqual((count, len(texts)), (2, 2), said)
        self.assertRegex(texts[0], "test_b .*no disk")
        self.assertRegex(texts[1], "test_c .*no net")

    def test_counts_skips_that_have_no_name(self):
        self.assertEqual(ctest_counts.skips("..s\nRan 3 tests in 0.1s\n\nOK (skipped=7)\n")[0], 7)
        self.assertRegex(ctest_counts.skips("OK (skipped=7)")[1][0], "^7 without a name")
        self.assertEqual(ctest_counts.skips("5 passed, 2 skipped in 0.71s")[0], 2)
        self.assertEqual(ctest_counts.skips("5 passed in 0.71s\nOK\nskipped work"), (0, []))

    def test_reads_what_google_test_and_pytest_say_of_skips(self):
        mpi = ("[NON-XML-CHAR-0x1B][0;32m[  SKIPPED ] [NON-XML-CHAR-0x1B][mThreads.Call/mpi (0 ms)\n"
               "[  SKIPPED ] 1 test, listed below:\n[  SKIPPED ] Threads.Call/mpi\n")
        self.assertEqual(ctest_counts.skips(mpi), (1, ["Threads.Call/mpi"]))
        pytest = "SKIPPED [3] test_torch.py:138: torch.func is not in PyTorch 1\n5 passed, 3 skipped in 0.71s\n"
        self.assertEqual(ctest_counts.skips(pytest), (3, ["test_torch.py:138: torch.func is not in PyTorch 1"]))

    def test_says_passed_failed_and_skipped_of_a_run(self):
        cases = ElementTree.fromstring(
            '<s><testcase name="a" status="run"><system-out>OK (skipped=2)</system-out></testcase>'
            '<testcase name="b" status="disabled"/><testcase name="c" status="fail"/></s>').findall("testcase")
        passed, failed, skipped, lines = ctest_counts.count(cases)
        self.assertEqual((passed, failed, skipped), (1, 1, 3))
        self.assertRegex("\n".join(lines), "(?s)skipped in a: 2 without.*skipped: b.*failed: c")
        self.assertEqual(ctest_counts.count([])[:3], (0, 1, 0))
        whole = ElementTree.fromstring(
            '<testcase name="d" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>'
            '<system-out>SKIPPED [1] test_jax.py:6: JAX is not installed</system-out></testcase>')
        self.assertEqual(ctest_counts.count([whole]),
                         (0, 0, 1, ["  skipped: d: test_jax.py:6: JAX is not installed"]))

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
