"""bench, explain, info and the help texts: what they promise to programs and people."""
import json
import os
import re
import subprocess
import sys
import unittest

from program import MPIRUN, PROGRAM, InFolder, environment, needs_launcher, peak_bytes, run

RECORD = [
    "shape", "kind", "precision", "ranks", "threads", "nodes", "input", "output", "recipe", "forward_s", "backward_s",
    "phases_s", "error_rel_l2", "hash", "bytes_moved_memory", "bytes_sent_network", "messages_sent",
    "memory_peak_bytes", "version"
]


class Bench(InFolder):
    def bench(self, *words, ranks=0):
        return self.json("bench", "--iterations", 3, "--warmup", 1, *words, ranks=ranks)

    def test_the_record_has_every_promised_field(self):
        record = self.bench("--shape", "12x10x14")
        for key in RECORD:
            self.assertIn(key, record)
        self.assertEqual((record["shape"], record["kind"], record["precision"], record["ranks"], record["nodes"]),
                         ([12, 10, 14], "c2c", "f64", 1, 1))
        for spread in [
                record["forward_s"], record["backward_s"], *record["phases_s"]["forward"].values(),
                *record["phases_s"]["backward"].values()
        ]:
            self.assertLessEqual(0, spread["min"])
            self.assertLessEqual(spread["min"], spread["median"])
            self.assertLessEqual(spread["median"], spread["max"])
        self.assertGreater(record["forward_s"]["min"], 0)
        limit = record["limit"]
        self.assertEqual(limit["limit_s"], max(limit["copy_s"], limit["arithmetic_s"]))
        self.assertGreater(
            min(limit["copy_s"], limit["arithmetic_s"], limit["copy_bytes_per_s"], limit["arithmetic_flops_per_s"]), 0)
        self.assertAlmostEqual(record["forward_times_limit"], record["forward_s"]["median"] / limit["limit_s"])
        self.assertGreaterEqual(record["threads"], 1)
        self.assertGreaterEqual(record["bytes_moved_memory"], 2 * 16 * 12 * 10 * 14)
        self.assertEqual(record["bytes_sent_network"], 0)
        self.assertGreater(record["memory_peak_bytes"], 16 * 12 * 10 * 14)
        self.assertRegex(record["hash"], "^[0-9a-f]{16}$")

    def test_every_kind_is_verified_in_every_layout_and_both_precisions(self):
        for k, kind in enumerate(["c2c", "r2c", "c2r"]):
            for l, layout in enumerate(["natural", "transposed", "pencils", "bricks"]):
                precision, eps = [("f32", 6e-8), ("f64", 1.2e-16)][(k + l) % 2]
                with self.subTest(kind=kind, precision=precision, layout=layout):
                    record = self.bench("--shape", "9x10x12", "--kind", kind, "--precision", precision, "--layout",
                                        layout)
                    self.assertTrue(record["verified"])
                    self.assertLess(eps / 100, record["error_rel_l2"])
                    self.assertLess(record["error_rel_l2"], 100 * eps)

    def test_what_a_run_promises_and_what_verifying_allows_are_two_figures(self):
        """Probes may find up to twice an error, so that a right result may seem to lose more than it was allowed."""
        exact = self.bench("--shape", "16x12x10")
        self.assertEqual(exact["error_bound"], exact["verify_limit"])
        words = ["--shape", "16x12x10", "--ranks", 2, "--encode-near", "--codec", "f32", "--tolerance", 1e-3]
        record = self.bench(*words)
        self.assertEqual(record["verify_limit"], 2e-3)
        self.assertEqual(record["error_bound"],
                         max(record["loss"][direction]["bound"] for direction in ["forward", "backward"]))
        self.assertLess(exact["error_bound"], record["error_bound"])
        self.assertLess(record["error_bound"], 1e-6)
        self.assertLessEqual(record["error_rel_l2"], 2 * record["error_bound"])
        self.assertIn(f"this run promises at most {record['error_bound']:.2e}, verifying allows 2.00e-03): verified",
                      self.ok("bench", "--iterations", 1, *words).stdout)

    def test_in_place_and_other_options_are_verified(self):
        for words in [["--in-place"], ["--in-place", "--kind", "r2c"], ["--in-place", "--kind", "c2r"],
                      ["--axes", "2,0"], ["--threads", 1], ["--input", "pencils:1", "--output", "any"]]:
            with self.subTest(words=words):
                self.assertTrue(self.bench("--shape", "8x9x10", *words)["verified"])

    def test_the_hash_depends_on_the_problem_and_not_on_the_layout(self):
        hashes = {
            self.bench("--shape", "8x9x10", "--layout", layout)["hash"]
            for layout in ["natural", "transposed", "pencils", "bricks"]
        }
        self.assertEqual(len(hashes), 1)
        self.assertNotIn(self.bench("--shape", "9x8x10")["hash"], hashes)

    @needs_launcher
    def test_ranks_give_the_same_hash_and_count_their_traffic(self):
        alone = self.bench("--shape", "8x9x10")
        for ranks in [2, 3]:
            record = self.bench("--shape", "8x9x10", ranks=ranks)
            self.assertEqual((record["ranks"], record["hash"]), (ranks, alone["hash"]))
            moved = self.bench("--shape", "8x9x10", "--transport", "mpi_p2p", ranks=ranks)
            self.assertEqual(moved["hash"], alone["hash"])
            self.assertGreater(moved["bytes_sent_network"], 0)
            self.assertGreater(moved["messages_sent"], 0)

    def test_the_table_shows_each_step_and_the_json_file_is_written_beside_it(self):
        text = self.ok("bench", "--shape", "16x16", "--iterations", 1, "--json", "record.json").stdout
        for word in ["forward", "backward", "min", "median", "max", "Gflop/s", "verified", "hash"]:
            self.assertIn(word, text)
        with open(self.path("record.json")) as file:
            record = json.load(file)
        for label in record["phases_s"]["forward"]:
            self.assertIn(label, text)


class Explain(InFolder):
    def flat(self, *words):
        """The text for people, as if its lines had never been broken."""
        return " ".join(self.ok(*words).stdout.split())

    def test_any_number_of_ranks_is_explained(self):
        for ranks in [1, 2, 7, 1000, 100000]:
            with self.subTest(ranks=ranks):
                record = self.json("explain", "--shape", "512x512x512", "--ranks", ranks, "--ranks-per-node", 8)
                self.assertEqual((record["ranks"], record["shape"]), (ranks, [512, 512, 512]))
                for key in ["recipe", "plan", "input", "output", "input_bytes", "workspace_bytes", "version"]:
                    self.assertIn(key, record)

    def test_sizes_beyond_32_bits_are_counted_right(self):
        record = self.json("explain", "--shape", "40000x40000x40000", "--ranks", 100000, "--layout", "pencils",
                           "--rank", 99999)
        self.assertAlmostEqual(record["input_bytes"] / (16 * 40000**3 / 100000), 1, delta=0.02)

    def test_a_plan_of_a_hundred_thousand_ranks_takes_little_memory(self):
        for layout in ["natural", "transposed", "pencils", "bricks"]:
            words = ["explain", "--shape", "40000x40000x40000", "--ranks", 100000, "--layout", layout]
            self.assertLess(peak_bytes(*words), 200 << 20, layout)

    def test_the_bytes_of_all_ranks_to_other_nodes_are_explained(self):
        for layouts in (["--input", "slabs:0", "--output", "slabs:1"], ["--input", "bricks", "--output", "pencils:0"]):
            with self.subTest(layouts):
                words = ["explain", "--shape", "12x10x8", "--ranks", 7, "--ranks-per-node", 3, "--no-wisdom", *layouts]
                plans = [self.json(*words, "--rank", rank)["plan"] for rank in range(7)]
                for way in ("forward", "backward"):
                    sent = [plan["bytes_sent_network"][way] for plan in plans]
                    self.assertEqual(plans[0]["bytes_to_other_nodes"][way], self.over_ranks(sent))
                self.assertRegex(self.flat(*words), r"forward all ranks: \S+ \S+ to other nodes, at most \S+ \S+ from "
                                                    r"one, rank \d; \S+ \S+ within nodes, at most \S+ \S+ from one, "
                                                    r"rank \d rank 0: ")
        words = ["explain", "--shape", "64x64x64", "--ranks", 4, "--no-wisdom"]
        self.assertIsNone(self.json(*words, "--ranks-per-node", 4)["plan"]["bytes_to_other_nodes"]["forward"])
        self.assertIsNone(self.json(*words, "--ranks-per-node", 1)["plan"]["bytes_within_nodes"]["forward"])

    def over_ranks(self, bytes_of_ranks):
        most = max(bytes_of_ranks)
        return {"all_ranks": sum(bytes_of_ranks), "most": most, "rank_of_most": bytes_of_ranks.index(most)}

    def test_uneven_ranks_are_told_by_all_and_the_largest_however_little_rank_0_has(self):
        words = ["explain", "--shape", "5x9x2", "--ranks", 5, "--ranks-per-node", 2, "--no-wisdom"]
        for layouts in (["--input", "any", "--output", "any", "--decomposition", "slab"],
                        ["--input", "slabs:2", "--output", "slabs:1/3"]):
            with self.subTest(layouts):
                records = [self.json(*words, *layouts, "--rank", rank) for rank in range(5)]
                for way in ("forward", "backward"):
                    near = [record["plan"]["bytes_stored_shared"][way] for record in records]
                    self.assertEqual(records[0]["plan"]["bytes_within_nodes"][way], self.over_ranks(near))
                held = {side: self.over_ranks([r[f"{side}_bytes"] for r in records]) for side in ("input", "output")}
                self.assertEqual({h["all_ranks"] for h in held.values()}, {5 * 9 * 2 * 16})
                for rank, record in enumerate(records):
                    said = self.flat(*words, *layouts, "--rank", rank)
                    for side, h in held.items():
                        self.assertIn(f"1.4 KiB {side}, at most {h['most']} B on one, rank {h['rank_of_most']}", said)
                    self.assertIn(f"rank {rank}: {record['input_bytes']} B input, {record['output_bytes']} B output",
                                  said)
                    self.assertIn(f"threads {record['plan']['recipe']['threads']} on rank {rank} (", said)
        self.assertNotIn("rank 0", self.flat("explain", "--shape", "5x9x2"))

    def test_a_transport_that_ranks_like_these_could_have_is_priced_and_one_that_they_could_not_is_refused(self):
        transports = [t["name"] for t in self.json("info")["transports"]]
        words = ["explain", "--shape", "256x256x256", "--ranks", 8, "--no-wisdom"]
        one_node, nodes, single = [*words, "--ranks-per-node", 8], [*words, "--ranks-per-node",
                                                                    4], [*words, "--ranks-per-node", 1]
        for case, names in [(one_node, ["threads", "shared_memory", "mpi_p2p", "mpi_alltoallv", "mpi_rma"]),
                            (nodes, ["mpi_p2p", "mpi_alltoallv", "mpi_rma", "mixed", "mpi_node", "mixed_rma"])]:
            for name in set(names) & set(transports):
                with self.subTest(name=name, case=case):
                    plan = self.json(*case, "--transport", name)["plan"]
                    self.assertEqual((plan["recipe"]["transport"], plan["origins"]["transport"]), (name, "option"))
                    self.assertGreater(plan["model_s"], 0)
                    self.assertIn(f"{name} is priced as ", self.flat(*case, "--transport", name))
        for case, name, why in [(nodes, "threads", "threads of one process"),
                                (nodes, "shared_memory", "one node, but the group is on 2 nodes"),
                                (one_node, "mixed", "several nodes, but the group is on one"),
                                (single, "mpi_node", "every rank has a node of its own"),
                                (single, "mixed", "every rank has a node of its own"),
                                (nodes, "via_host", "the arrays are on the host")]:
            if name not in transports:
                continue
            with self.subTest(name=name, case=case):
                done = run(*case, "--transport", name, cwd=self.folder)
                self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
                self.assertIn(f"transport {name} cannot serve these ranks: ", done.stderr)
                self.assertIn(why, done.stderr)
        unknown = run(*nodes, "--transport", "pigeons", cwd=self.folder)
        self.assertEqual(unknown.returncode, 2)
        self.assertRegex(unknown.stderr,
                         "transport is one of those compiled in: shared_memory, .*; got 'pigeons'; name one of these")

    @needs_launcher
    def test_messages_between_nodes_travel_as_one(self):
        def bench(shape, *words):
            done = run("bench", "--shape", shape, "--decomposition", "slab", "--iterations", 1, "--warmup", 0, "--json",
                       "-", *words, ranks=4, cwd=self.folder, variables={"SHARDFFT_RANKS_PER_NODE": "2"})
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(done.stdout)

        joined, single = bench("16x16x16", "--transport", "mpi_node"), bench("16x16x16")
        self.assertEqual((joined["recipe"]["transport"], single["recipe"]["transport"]), ("mpi_node", "mixed"))
        self.assertEqual((joined["hash"], joined["bytes_sent_network"]), (single["hash"], single["bytes_sent_network"]))
        self.assertGreater(joined["messages_sent"], 0)
        self.assertEqual(single["messages_sent"], 4 * joined["messages_sent"])  # two ranks on each side

    def test_transports_by_mpi_cost_more_inside_a_node_than_stores_and_send_all_of_it(self):
        if "mpi_p2p" not in [t["name"] for t in self.json("info")["transports"]]:
            self.skipTest("built without MPI")
        words = [
            "explain", "--shape", "256x256x256", "--ranks", 8, "--ranks-per-node", 8, "--no-wisdom", "--intermediate",
            "buffers", "--decomposition", "slab"
        ]
        stored, sent = self.json(*words, "--transport",
                                 "shared_memory")["plan"], self.json(*words, "--transport", "mpi_p2p")["plan"]
        self.assertLess(stored["model_s"], sent["model_s"])
        self.assertEqual(stored["bytes_sent_network"]["forward"], 0)
        self.assertEqual(sent["bytes_sent_network"]["forward"], stored["bytes_stored_shared"]["forward"])

    def test_with_a_tolerance_bytes_are_told_before_and_after_encoding(self):
        words = ["explain", "--shape", "256x256x256", "--ranks", 8, "--ranks-per-node", 4, "--no-wisdom"]
        exact = self.json(*words)["plan"]
        self.assertEqual((exact["usual_bits_per_real"], exact["bytes_sent_network_encoded"]),
                         (None, {"forward": None, "backward": None}))
        self.assertNotIn("encoding", self.ok(*words).stdout)
        half = self.json(*words, "--tolerance", 1e-4, "--codec", "f32")["plan"]
        before = half["bytes_sent_network"]
        self.assertGreater(min(before.values()), 0)
        self.assertEqual(half["usual_bits_per_real"], 32)
        self.assertEqual(half["bytes_sent_network_encoded"], {direction: before[direction] / 2 for direction in before})
        text = self.flat(*words, "--tolerance", 1e-4, "--codec", "f32")
        self.assertEqual(before["forward"], 16 << 20)
        self.assertIn("16.0 MiB before encoding, about 8.0 MiB after it (32 bits per real number instead of 64)", text)
        bits = [
            self.json(*words, "--tolerance", t, "--codec", "block_float")["plan"]["usual_bits_per_real"]
            for t in [1e-3, 1e-6, 1e-9]
        ]
        self.assertEqual(bits, sorted(set(bits)), "a smaller tolerance takes more bits")
        self.assertIn("MiB before encoding, fewer after it, depending on the data, in ",
                      self.flat(*words, "--tolerance-absolute", 1e-4))

    def test_people_get_a_text(self):
        self.assertIn("sweep", self.ok("explain", "--shape", "64x64x64", "--ranks", 4).stdout)


class Info(InFolder):
    def test_the_record_tells_machine_and_build(self):
        record = self.json("info")
        for key in [
                "version", "cpu", "cores", "caches", "memory_bytes", "shared_memory_bytes", "simd", "mpi", "engines",
                "transports"
        ]:
            self.assertIn(key, record)
        self.assertIn("native", [engine["name"] for engine in record["engines"]])
        self.assertGreater(record["memory_bytes"], 2**28)
        self.assertLessEqual(record["cores"], os.cpu_count())

    def test_people_get_a_text(self):
        text = self.ok("info").stdout
        self.assertIn("engine", text)
        self.assertNotIn("seen by", text)

    @needs_launcher
    def test_the_rank_whose_machine_it_is_is_named(self):
        self.assertRegex(self.ok("info", ranks=2).stdout, r"^shardfft .* on .*, seen by rank 0\n")
        self.assertEqual(self.json("info", ranks=2)["rank"], 0)

    def test_bits_are_compared_with_the_list(self):
        bits = self.json("info", "--bits")["bits"]
        self.assertGreater(bits["checked"], 200)
        self.assertTrue(not bits["fused"] or bits["differ"] == [])
        self.assertIn("as listed" if bits["fused"] else "fused", self.ok("info", "--bits").stdout)


class Compare(InFolder):
    def test_without_peers_it_says_how_to_build_them(self):
        os.mkdir(self.path("none"))
        for folder in ["none", "missing"]:
            done = run("compare", "--shapes", "8", "--ranks", "1x1", variables={"SHARDFFT_PEERS": self.path(folder)})
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, "cmake --build .* --target peers")


class Help(InFolder):
    def test_every_command_has_help_with_examples(self):
        for words in [[], ["transform"], ["bench"], ["explain"], ["predict"], ["tune"], ["wisdom"], ["info"]]:
            text = self.ok(*words, "--help").stdout
            self.assertIn("Example", text)
            self.assertIn("shardfft " + (words or ["transform"])[0], text)

    def test_the_version_is_one_line(self):
        self.assertRegex(self.ok("--version").stdout, r"^shardfft \d+\.\d+\.\d+\n$")

    def test_nothing_but_the_result_is_printed_where_there_is_no_terminal(self):
        self.assertEqual(run("bench", "--shape", "16x16", "--iterations", 1, cwd=self.folder).stderr, "")

    @needs_launcher
    def test_one_rank_speaks_for_all(self):
        self.assertEqual(self.ok("--version", ranks=3).stdout.count("shardfft"), 1)
        self.assertEqual(self.ok("info", ranks=3).stdout.count("processor"), 1)


@needs_launcher
class UnderARankOfAnotherProgram(InFolder):
    """A rank with MPI that starts the program, which inherits the launcher's variables."""

    def test_it_says_how_to_run_alone_and_does(self):
        libraries = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
        library = re.search(r"(/\S*/libmpi\S*)", libraries)
        if library is None:
            self.skipTest("MPI is no shared library")
        program = f"""
import ctypes, os, subprocess
mpi = ctypes.CDLL({library[1]!r}, mode=ctypes.RTLD_GLOBAL)
mpi.MPI_Init(None, None)
words = [{PROGRAM!r}, "bench", "--shape", "8x8", "--iterations", "1", "--quiet"]
for value in [None, "none"]:
    done = subprocess.run(words, env={{**os.environ, **({{"SHARDFFT_MPI": value}} if value else {{}})}},
                          capture_output=True, text=True, timeout=60)
    assert (done.returncode, "SHARDFFT_MPI=none" in done.stderr) == ((0, False) if value else (2, True)), done
mpi.MPI_Finalize()
"""
        done = subprocess.run([*MPIRUN, "2", sys.executable, "-c", program], env=environment(), capture_output=True,
                              text=True, timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
