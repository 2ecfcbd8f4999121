"""--trace: all ranks' sweeps and exchanges on one clock, in a file that Perfetto and chrome://tracing read."""
import collections
import json
import unittest

import numpy as np

from program import InFolder, needs_launcher, own_lines, run

STEPS, EXCHANGES = 0, 1


class Trace(InFolder):
    def bench(self, *words, ranks=0, iterations=3):
        """The trace's events and the record of the same run."""
        record = self.json("bench", "--shape", "24x20x32", "--iterations", iterations, "--warmup", 1, "--trace",
                           "trace.json", *words, ranks=ranks)
        return self.events("trace.json"), record

    def events(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            trace = json.load(file)
        self.assertEqual(trace["displayTimeUnit"], "ms")
        self.assertIn("version", trace["otherData"])
        return trace["traceEvents"]

    def check_format(self, events, ranks):
        """What the format demands, and that spans of a row nest: each one lies in another or beside it."""
        rows = collections.defaultdict(list)
        for event in events:
            self.assertIn(event["ph"], "MX")
            self.assertIsInstance(event["name"], str)
            if event["ph"] == "X":
                self.assertGreaterEqual(min(event["ts"], event["dur"]), 0)
                rows[event["pid"], event["tid"]].append(event)
        names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
        self.assertEqual({pid for pid, _ in rows}, set(range(ranks)))
        self.assertEqual({e["pid"] for e in events if e["name"] == "process_name"}, set(range(ranks)))
        self.assertLessEqual(set(rows), set(names))
        self.assertEqual(min(e["ts"] for row in rows.values() for e in row), 0)
        for row in rows.values():
            self.check_nesting(row)
        return rows

    def check_nesting(self, row):
        open_ends = []
        for event in sorted(row, key=lambda e: (e["ts"], -e["dur"])):
            begin, end = round(1000 * event["ts"]), round(1000 * (event["ts"] + event["dur"]))
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            if open_ends:
                self.assertLessEqual(end, open_ends[-1], event)
            open_ends.append(end)

    def check_names(self, events, record):
        """Steps and exchanges are called as in the record, in either direction."""
        for run, direction in enumerate(["forward", "backward"]):
            said = {label.split(" (")[0] for label in record["phases_s"][direction]}
            for rank in range(record["ranks"]):
                mine = [e for e in events if e["ph"] == "X" and e["pid"] == rank and e["args"]["run"] == run]
                self.assertEqual({e["name"] for e in mine if e["cat"] in ("step", "exchange")}, said)
                self.assertEqual([e["name"] for e in mine if e["cat"] == "run"], [direction])

    def check_times(self, events, record, iterations):
        """Parts of a run are not longer than the run, and a run is not longer than what was measured around it."""
        runs = [e for e in events if e.get("cat") == "run"]
        self.assertEqual(len(runs), 2 * iterations * record["ranks"])
        for whole in runs:
            same = [
                e for e in events
                if e.get("cat") in ("step", "wait") and (e["pid"], e["args"]["run"]) == (whole["pid"],
                                                                                         whole["args"]["run"])
            ]
            self.assertLessEqual(sum(e["dur"] for e in same), whole["dur"] + 0.001 * len(same))
            self.assertLessEqual(whole["dur"] * 1e-6, record[whole["name"] + "_s"]["max"])
        longest = [max(e["dur"] for e in runs if e["args"]["run"] == 2 * i) * 1e-6 for i in range(iterations)]
        self.assertLessEqual(np.median(longest), record["forward_s"]["median"])

    def check_bytes(self, events, record):
        of = lambda category: sum(e["args"].get("bytes", 0)
                                  for e in events
                                  if e.get("cat") == category and e["args"]["run"] == 0)
        self.assertEqual(of("step"), record["bytes_moved_memory"])
        self.assertEqual(of("exchange"), record["bytes_stored_at_peers"] + record["bytes_sent_network"])

    def check_all(self, ranks, *words, launched=True):
        events, record = self.bench(*words, ranks=ranks if launched else 0)
        self.check_format(events, ranks)
        self.check_names(events, record)
        self.check_times(events, record, 3)
        self.check_bytes(events, record)
        return events

    def test_one_rank_has_its_sweeps(self):
        for words in [[], ["--in-place"], ["--kind", "r2c", "--layout", "bricks"]]:
            with self.subTest(words=words):
                self.check_all(1, *words, launched=False)

    @needs_launcher
    def test_all_ranks_are_there_whatever_moves_their_bytes(self):
        for ranks, words in [(2, []), (2, ["--transport", "mpi_p2p", "--chunks", 4]),
                             (3, ["--transport", "mpi_alltoallv"]),
                             (3, ["--layout", "pencils", "--ranks-grid", "3x1"])]:
            with self.subTest(ranks=ranks, words=words):
                self.check_all(ranks, *words)

    @needs_launcher
    def test_chunks_and_exchanges_lie_side_by_side_so_that_overlap_is_seen(self):
        events = self.check_all(2, "--transport", "mpi_p2p", "--chunks", 4)
        for rank in (0, 1):
            mine = [e for e in events if e["ph"] == "X" and e["pid"] == rank and e["args"]["run"] == 0]
            flights = [e for e in mine if e["tid"] == EXCHANGES]
            self.assertTrue(flights)
            for flight in flights:
                self.assertEqual(flight["cat"], "exchange")
                during = [
                    e for e in mine if e["cat"] == "chunk" and flight["ts"] < e["ts"] < flight["ts"] + flight["dur"]
                ]
                self.assertGreaterEqual(len(during), 3, "all chunks but the first are computed while it is under way")

    @needs_launcher
    def test_ranks_share_a_clock(self):
        """Nobody has all parts of an exchange before everybody has begun to send."""
        events = self.check_all(3)
        flights = collections.defaultdict(list)
        for e in events:
            if e.get("cat") == "exchange":
                flights[e["args"]["run"], e["name"]].append((e["ts"], e["ts"] + e["dur"]))
        for ranks in flights.values():
            self.assertEqual(len(ranks), 3)
            self.assertGreaterEqual(min(end for _, end in ranks) + 0.001, max(begin for begin, _ in ranks))

    @needs_launcher
    def test_transform_is_traced_once(self):
        a = self.complexes(16, 12, 10)
        self.save("a.npy", a)
        self.ok("transform", "a.npy", "b.npy", "--trace", "trace.json", ranks=2)
        events = self.events("trace.json")
        self.check_format(events, 2)
        self.assertEqual([e["name"] for e in events if e.get("cat") == "run"], ["forward"] * 2)
        self.assert_close(self.load("b.npy"), np.fft.fftn(a), "traced")

    def test_a_place_that_cannot_be_written_is_bad_input_and_leaves_nothing(self):
        done = run("bench", "--shape", "8x8x8", "--iterations", 1, "--trace", "no/such/folder/trace.json",
                   cwd=self.folder)
        self.assertEqual((done.returncode, len(own_lines(done.stderr))), (2, 1), done.stderr)
        self.assertEqual(self.leftovers(), [])

    def test_a_trace_that_is_there_is_replaced_whole(self):
        with open(self.path("trace.json"), "w") as file:
            file.write("x" * 10**6)
        self.bench()
        self.events("trace.json")
        self.assertEqual(self.leftovers(), [])


if __name__ == "__main__":
    unittest.main()
