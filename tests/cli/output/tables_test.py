"""What the program prints for people: it adds up, it fits, it has one unit system; words may be in capitals."""
import os
import re
import subprocess
import unittest

from program import MPIRUN, PROGRAM, InFolder, needs_launcher, run

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
COLUMNS = 100
ON_DEVICE = ("peer_kernel", "peer_copy", "nccl", "mpi_device", "via_host", "staged")


def seconds(cell):
    number, unit = cell.split()
    return float(number) * UNITS[unit]


def table(text):
    """{step: {column: cell}} of the table whose head begins with "step"; cells stand below the ends of their heads."""
    lines = text.splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("step "))
    ends = [(m.group().strip(), m.end()) for m in re.finditer(r"\S+( \S+)*", lines[begin])]
    rows = {}
    for line in lines[begin + 1 :]:
        name = re.match(r" *\S+( \S+)*", line).group()
        cells, last = {}, len(name)
        for head, end in ends[1:]:
            cells[head], last = line[last:end].strip(), end
        rows[name] = cells
        if name == "total":
            break
    return rows


class TransformTable(InFolder):
    def check_sums(self, ranks):
        self.save("a.npy", self.reals(24, 20, 18))
        text = self.ok("transform", "a.npy", "b.npy", "--kind", "r2c", "--axes", "0,2", "--verify", ranks=ranks).stdout
        rows = table(text)
        times = {name: seconds(cells["time"]) for name, cells in rows.items()}
        parts = [name for name in times if not name.startswith(" ") and name != "total"]
        self.assertEqual(parts, ["planning", "reading", "transforming", "verifying", "hashing", "writing", "other"])
        steps = [name for name in times if name.startswith(" ")]
        self.assertAlmostEqual(sum(times[name] for name in parts) / times["total"], 1, 2, text)
        self.assertAlmostEqual(sum(times[name] for name in steps) / times["transforming"], 1, 2, text)
        waits = [seconds(rows[name]["waiting"]) for name in steps if rows[name]["waiting"]]
        self.assertEqual(len(waits), sum("exchange" in name for name in steps))
        for name in ("transforming", "total"):
            self.assertAlmostEqual(seconds(rows[name]["waiting"]), sum(waits), delta=1e-2 * sum(waits) + 1e-9)
            self.assertEqual(rows[name]["messages"], str(sum(int(rows[step]["messages"] or 0) for step in steps)))
        return text

    def test_its_parts_add_up_to_the_total_and_its_steps_to_their_part(self):
        text = self.check_sums(ranks=0)
        self.assertRegex(text, r"r2c f64, axes 0 2, 1 rank on 1 node, 2 threads each")

    @needs_launcher
    def test_on_several_ranks_the_steps_of_the_slowest_one_add_up_too_and_waiting_is_told(self):
        text = self.check_sums(ranks=3)
        self.assertRegex(text, r"3 ranks on 1 node, \d+ threads? each")
        self.assertRegex(text, r"(?m)^  exchange 1 .*s .*s ")

    def test_the_record_has_the_same_sums(self):
        self.save("a.npy", self.complexes(12, 10))
        record = self.json("transform", "a.npy", "b.npy")
        parts = record["seconds"]
        self.assertAlmostEqual(sum(parts.values()) - parts["total"], parts["total"], 9)
        self.assertEqual(record["waiting_s"], 0)
        self.assertLessEqual(sum(step["seconds"] for step in record["steps"]), parts["transforming"])

    def test_the_smallest_array_has_a_table_too(self):
        self.save("a.npy", self.reals(1))
        rows = table(self.ok("transform", "a.npy", "b.npy", "--kind", "r2c").stdout)
        for cells in rows.values():
            self.assertNotRegex(cells["time"], r"^0\.0+ ")


class Explained(InFolder):
    CASES = [
        ["--shape", "512x512x512", "--ranks", 16, "--ranks-per-node", 4],
        ["--shape", "2x3x4x5x6x7x8x9", "--axes", "0,3,5,7", "--ranks", 1000, "--ranks-per-node", 7, "--rank", 999],
        ["--shape", "262144x1048576x1048576", "--ranks", 1024, "--ranks-per-node", 1000],
        ["--shape", "40000x40000x40000", "--ranks", 100000, "--rank", 99999, "--input", "cyclic:1"],
        ["--shape", "1007x2011x3001", "--kind", "r2c", "--ranks", 1024, "--ranks-per-node", 64, "--tolerance", "1e-6"],
        ["--shape", "512x512x512", "--ranks", 64, "--ranks-per-node", 4, "--tolerance", "1e-3", "--kind", "c2r"],
        ["--shape", "1", "--ranks", 3],
        ["--shape", "97x89x83x79", "--ranks", 12, "--ranks-grid", "2x3x2", "--precision", "f32", "--in-place"],
        ["--shape", "1x1x1x1x1x1x1x1048573", "--axes", "7", "--ranks", 1],
    ]

    def test_fits_its_columns_and_has_one_unit_system_for_every_input(self):
        for words in self.CASES:
            with self.subTest(words=words):
                text = self.ok("explain", *words).stdout
                self.assertLessEqual(max(map(len, text.splitlines())), COLUMNS, text)
                self.assertNotRegex(text, r"\d bytes|\d [kMGT]B\b(?!/s)|1024\.0")
                self.assertNotRegex(text, r"\s$(?<!\n)")

    def test_a_device_and_wisdom_fit_too(self):
        for more in ([], ["--arrays", "host", "--tolerance", "1e-6"]):
            words = ["--shape", "512x512x512", "--ranks", 8, "--device", "emulated", *more]
            done = run("explain", *words, cwd=self.folder)
            if "compiled in" in done.stderr:
                self.skipTest("built without emulated devices")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), COLUMNS, done.stdout)

    def test_nodes_and_ranks_are_told_apart(self):
        for words, said in [
            (["--ranks", 16, "--ranks-per-node", 4], "16 ranks on 4 nodes, 4 on each; this is rank 0, on node 0"),
            (["--ranks", 10, "--ranks-per-node", 4, "--rank", 9],
             "10 ranks on 3 nodes, 2 to 4 on each; this is rank 9, on node 2"),
            (["--ranks", 5], "5 ranks on 5 nodes, 1 on each; this is rank 0, on node 0"),
            (["--ranks", 2, "--ranks-per-node", 2], "2 ranks on 1 node; this is rank 0, on node 0"),
            ([], "1 rank on 1 node"),
        ]:
            self.assertRegex(self.ok("explain", "--shape", "64x64x64", *words).stdout, rf"(?m)^ranks     {said}$")


class Brief(InFolder):
    def test_bench_quiet_is_one_line_of_the_medians_the_error_and_the_verdict(self):
        line = r"^forward [\d.]+ [num]?s, backward [\d.]+ [num]?s, error [\d.e-]+, verified\n$"
        for flag in ("-q", "--quiet"):
            done = self.ok("bench", "--shape", "12x10", "--iterations", 2, flag)
            self.assertRegex(done.stdout, line)
            self.assertEqual(done.stderr, "")

    def test_tune_quiet_is_one_line_for_each_shape(self):
        done = self.ok("tune", "--shape", "8x8,12x10", "--seconds", 0.1, "-q")
        line = r"{} c2c f64.*: [\d.]+ [num]?s: native .*\n"
        self.assertRegex(done.stdout, "^" + line.format("8 x 8") + line.format("12 x 10") + "$")

    def test_transform_quiet_prints_nothing(self):
        self.save("a.npy", self.reals(4))
        done = self.ok("transform", "a.npy", "b.npy", "-q")
        self.assertEqual(done.stdout + done.stderr, "")


class EitherCase(InFolder):
    def test_words_of_the_command_line_mean_the_same_in_capitals(self):
        small = ["--shape", "16x12", "--kind", "r2c", "--precision", "f32", "--layout", "transposed", "--codec", "none"]
        small += ["--transport", "threads", "--engine", "native", "--decomposition", "slab", "--input", "slabs:1"]
        small += ["--output", "grid:1x1", "--ranks-grid", "1x1", "--guarantee", "worst", "--effort", "model"]
        capitals = [word.upper() if i % 2 else word for i, word in enumerate(small)]
        for first in ("bench", "explain"):
            more = ["--iterations", 1] if first == "bench" else []
            a, b = (self.json(first, *words, *more) for words in (small, capitals))
            for key in {"kind", "precision", "input", "output", "recipe", "hash"} & set(a):
                self.assertEqual(a[key], b[key], key)

    def test_and_those_of_transform(self):
        self.save("a.npy", self.reals(6, 5))
        small = ["--kind", "r2c", "--norm", "ortho", "--direction", "forward", "--precision", "f32"]
        small += ["--input", "pencils:0"]
        capitals = [word if word.startswith("--") else word.upper() for word in small]
        a, b = (self.json("transform", "a.npy", "b.npy", *words) for words in (small, capitals))
        self.assertEqual((a["hash"], a["kind"], a["direction"]), (b["hash"], b["kind"], b["direction"]))

    def test_and_of_the_environment(self):
        words = {"ENGINE": "NATIVE", "TRANSPORT": "Threads", "DECOMPOSITION": "SLAB", "RANKS_GRID": "1X1",
                 "EFFORT": "Model", "CODEC": "NONE", "GUARANTEE": "Certified", "WISDOM": "OFF"}
        variables = {f"SHARDFFT_{name}": value for name, value in words.items()}
        done = run("bench", "--shape", "8x8", "--iterations", 1, "-q", cwd=self.folder, variables=variables)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(os.listdir(self.folder), [], "OFF is no folder")

    def test_a_word_that_is_none_is_told_back(self):
        done = run("bench", "--shape", "8X8Y", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("8X8Y", done.stderr)


class Usable(InFolder):
    def test_what_info_lists_as_usable_runs_and_what_it_does_not_is_refused(self):
        for ranks in [0, 2] if MPIRUN else [0]:
            record = self.json("info", ranks=ranks)
            devices = [d["space"] for d in record["devices"] if d["usable_here"]]
            for transport in record["transports"]:
                on_device = transport["name"] in ON_DEVICE
                words = ["bench", "--shape", "8x6x4", "--iterations", 1, "--warmup", 0, "-q"]
                words += ["--transport", transport["name"]]
                words += ["--device", devices[0]] if on_device and devices else []
                if transport["name"] == "dry_run":
                    self.assertFalse(transport["usable_here"])
                    continue
                if ranks and not on_device and transport["name"] not in ("threads", "shared_memory"):
                    continue  # other tests start those
                with self.subTest(ranks=ranks, transport=transport):
                    done = run(*words, ranks=ranks, cwd=self.folder)
                    self.assertEqual(done.returncode == 0, transport["usable_here"], done.stderr)
                    self.assertEqual(transport["usable_here"], transport["reason"] == "")
            for device in record["devices"]:
                self.assertEqual(device["usable_here"], bool(device["list"]))
                self.assertEqual(device["usable_here"], device["reason"] == "")

    def test_what_is_not_built_or_not_here_stands_apart_with_the_reason(self):
        text, record = self.ok("info").stdout, self.json("info")
        usable, _, rest = text.partition("not usable here:\n")
        self.assertLessEqual(max(map(len, text.splitlines())), COLUMNS)
        for transport in record["transports"]:
            where, other = (usable, rest) if transport["usable_here"] else (rest, usable)
            self.assertRegex(where, rf"(?m)^ *transport +{transport['name']}\b")
            self.assertNotRegex(other, rf"(?m)^ *transport +{transport['name']}\b")
        for kind, names in record["not_built"].items():
            for name in names:
                self.assertRegex(rest, rf"(?m)^  {kind} +{name}: not built in$")
                self.assertNotRegex(usable, rf"(?m)^{kind} +{name}\b")


class Program(InFolder):
    def test_needs_no_library_of_a_device_to_start(self):
        needed = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
        self.assertNotRegex(needed, r"lib(cufft|cudart|cuda|nccl|hipfft|rccl)\b")

    def test_finds_that_library_when_devices_are_listed(self):
        for device in self.json("info")["devices"]:
            if device["space"] == "cuda":
                self.assertRegex(device["library"], r"^CUDA \d+\.\d+, cuFFT (\d+\.\d+|not loaded)$")


if __name__ == "__main__":
    unittest.main()
