"""The table of ./quickstart: shows every step, and does not call a wrong result right."""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
import quickstart_report as report

ONE = {
    "steps": [{
        "label": "sweep axes 2 1", "seconds": 0.25, "bytes_memory": 4 << 20, "bytes_shared": 0, "bytes_network": 0,
        "messages": 0
    }, {
        "label": "exchange 1", "seconds": 0.125, "bytes_memory": 0, "bytes_shared": 2 << 20, "bytes_network": 1 << 20,
        "messages": 6
    }],
    "bytes_moved_memory": 4 << 20,
    "bytes_stored_at_peers": 2 << 20,
    "bytes_sent_network": 1 << 20,
    "messages_sent": 6,
    "seconds": {"transforming": 0.5},
    "error_rel_l2": 2e-16,
    "error_bound": 1e-15,
    "verify_limit": 3e-15,
    "hash": "00c0ffee00c0ffee",
}


def report_of(records, contents):
    """Exit status and text of the program for these records and result files."""
    with tempfile.TemporaryDirectory() as folder:
        words = []
        for i, (record, content) in enumerate(zip(records, contents)):
            (pathlib.Path(folder) / f"{i}.json").write_text(json.dumps(record), encoding="utf-8")
            (pathlib.Path(folder) / f"{i}.npy").write_bytes(content)
            words += [f"run {i}={folder}/{i}.json", f"{folder}/{i}.npy"]
        done = subprocess.run([sys.executable, TOOLS / "quickstart_report.py", *words], capture_output=True, text=True,
                              check=False)
        return done.returncode, done.stdout


class QuickstartReport(unittest.TestCase):
    def test_shows_every_step_and_the_sums(self):
        status, text = report_of([ONE, ONE], [b"same", b"same"])
        self.assertEqual(status, 0, text)
        for words in ("sweep axes 2 1", "250.0 ms", "exchange 1", "125.0 ms", "500.0 ms", "4.0 MiB", "2.0 MiB",
                      "1.0 MiB", "2.0e-16", "3.0e-15", "00c0ffee00c0ffee", "same to the last bit"):
            self.assertIn(words, text)

    def test_takes_the_times_from_the_phases_where_steps_are_not_listed(self):
        record = {key: value for key, value in ONE.items() if key != "steps"
                  } | {"phases_s": {"sweep axis 0": {"min": 1, "median": 1, "max": 1}}}
        status, text = report_of([record, record], [b"same", b"same"])
        self.assertEqual(status, 0, text)
        self.assertIn("sweep axis 0  1000.0 ms", text)

    def test_refuses_different_hashes(self):
        other = copy.deepcopy(ONE) | {"hash": "00c0ffee00c0ffef"}
        status, text = report_of([ONE, other], [b"same", b"same"])
        self.assertEqual(status, 1)
        self.assertIn("different hashes", text)

    def test_refuses_different_files_even_when_the_hashes_agree(self):
        status, text = report_of([ONE, ONE], [b"same", b"sane"])
        self.assertEqual(status, 1)
        self.assertIn("differ", text)

    def test_refuses_an_error_above_its_bound_and_one_that_is_not_a_number(self):
        for error in (4e-15, float("nan")):
            wrong = list(report.complaints({"run": ONE | {"error_rel_l2": error}}, [__file__]))
            self.assertEqual(len(wrong), 1, wrong)


if __name__ == "__main__":
    unittest.main()
