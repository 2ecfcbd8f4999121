"""--device, on the emulated device: the same answers, from arrays that are larger than it, on every rank, and clear
words where there is no device."""
import json
import os
import subprocess
import unittest

import numpy as np

from program import MPIRUN, InFolder, command, needs_launcher, own_lines, run


class Device(InFolder):
    def check(self, a, expected, *words, ranks=0):
        self.save("a.npy", a)
        self.ok("transform", "a.npy", "b.npy", "--device", "emulated", *words, ranks=ranks)
        got = self.load("b.npy")
        error = np.linalg.norm(got - expected) / np.linalg.norm(expected)
        self.assertLess(error, 2e-7 if a.dtype in (np.float32, np.complex64) else 1e-15,
                        f"{a.dtype} {a.shape} {words} (seed {self.seed})")

    def known(self, *words, ranks=0):
        """With a folder of this test for what is measured, which steers no other one."""
        done = run(*words, ranks=ranks, cwd=self.folder, variables={"SHARDFFT_WISDOM": self.path("w")})
        self.assertEqual(done.returncode, 0, f"{words}: {done.stdout}{done.stderr}")
        return done.stdout

    def known_record(self, *words, ranks=0):
        return json.loads(self.known(*words, "--json", "-", ranks=ranks))

    def complexes(self, *shape):
        return self.random.standard_normal(shape) + 1j * self.random.standard_normal(shape)

    def test_a_file_through_the_device_is_numpy(self):
        a = self.complexes(12, 9, 10)
        self.check(a, np.fft.fftn(a))
        self.check(a, np.fft.fftn(a), "--tile", 3, "--fuse", 1)
        self.check(a.astype("c8"), np.fft.fftn(a.astype("c8")), "--verify")
        real = self.random.standard_normal((7, 6, 11))
        self.check(real, np.fft.rfftn(real), "--kind", "r2c", "--tile", 5)
        self.check(a, np.fft.ifftn(a, axes=(0, 2)), "--axes", "0,2", "--direction", "backward")

    def test_an_array_larger_than_the_device_goes_through_it(self):
        a = self.complexes(40, 32, 32)  # 655,360 bytes in, as many out
        self.save("a.npy", a)
        done = run("transform", "a.npy", "b.npy", "--device", "emulated", cwd=self.folder,
                   variables={"SHARDFFT_EMULATED_BYTES": "600000"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(np.linalg.norm(self.load("b.npy") - np.fft.fftn(a)) / np.linalg.norm(np.fft.fftn(a)), 1e-15)

    def test_a_tolerance_makes_what_lies_between_two_passes_shorter(self):
        a = self.complexes(12, 9, 10)
        self.save("a.npy", a)
        self.ok("transform", "a.npy", "b.npy", "--device", "emulated", "--tolerance", "1e-6", "--fuse", "1", "--verify")
        error = np.linalg.norm(self.load("b.npy") - np.fft.fftn(a)) / np.linalg.norm(np.fft.fftn(a))
        self.assertTrue(1e-9 < error < 1e-6, error)
        bench = [
            "bench", "--shape", "12x9x10", "--device", "emulated", "--arrays", "host", "--fuse", "1", "--iterations", 1
        ]
        exact, narrow = self.json(*bench), self.json(*bench, "--tolerance", "1e-6")
        self.assertTrue(narrow["verified"])
        self.assertEqual(narrow["loss"]["forward"]["bits_per_real"], 32)
        self.assertIn("f32 between sweeps", narrow["recipe"]["codec"])
        self.assertEqual((exact["bytes_link"], narrow["bytes_link"]), (6 * a.nbytes, 4 * a.nbytes))

    def test_an_array_that_does_not_fit_on_the_device_is_refused_with_the_remedy(self):
        done = run("bench", "--shape", "64x64x64", "--device", "emulated",
                   variables={"SHARDFFT_EMULATED_BYTES": "600000"})
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertRegex(done.stderr, r"has no 4194304 bytes, \d+ are free")

    @needs_launcher
    def test_ranks_share_the_devices_out(self):
        a = self.complexes(12, 10, 9)
        self.check(a, np.fft.fftn(a), ranks=3)
        for transport in ("via_host", "mpi_device"):
            record = self.json("bench", "--shape", "12x10x9", "--device", "emulated", "--transport", transport,
                               "--iterations", 2, ranks=3)
            self.assertTrue(record["verified"])
            self.assertEqual(record["arrays"], "device")

    @needs_launcher
    def test_ranks_with_a_tolerance_send_half_of_the_bytes_between_two_passes(self):
        words = [
            "bench", "--shape", "12x10x14", "--input", "slabs:0", "--output", "slabs:1", "--device", "emulated",
            "--arrays", "host", "--fuse", 1, "--iterations", 2
        ]
        for transport in ("mpi_p2p", "mpi_alltoallv", "shared_memory"):
            exact, narrow = (self.json(*words, "--transport", transport, *more, ranks=3)
                             for more in ((), ("--tolerance", "1e-6")))
            self.assertTrue(narrow["verified"])
            self.assertGreater(narrow["error_rel_l2"], 1e-9)
            for key in ("bytes_sent_network", "bytes_stored_at_peers"):
                self.assertEqual(2 * narrow[key], exact[key], (transport, key))
            self.assertGreater(narrow["bytes_sent_network"] + narrow["bytes_stored_at_peers"], 0)

    @needs_launcher
    def test_link_kernels_and_exchanges_are_told_apart_for_arrays_of_the_host(self):
        words = ["bench", "--shape", "12x10x14", "--input", "slabs:0", "--output", "slabs:1", "--device", "emulated",
                 "--fuse", 1, "--iterations", 1]
        link = self.json(*words, "--arrays", "host", "--streams", 2, ranks=2)["link_s"]
        self.assertEqual(link["forward"].keys(), link["backward"].keys())
        self.assertEqual(len(link["forward"]), 3, link)
        for part in ("to_device", "kernels", "from_device"):
            self.assertTrue(all(step[part] > 0 for step in link["forward"].values()), link)
        self.assertEqual(self.json(*words, ranks=2)["link_s"], {"forward": {}, "backward": {}})
        table = self.ok(*words, "--arrays", "host", ranks=2).stdout.split("through the device", 1)[1]
        self.assertRegex(table, r"^ +link +to device +kernels +from device +staging +exchanges\n")
        self.assertRegex(table, r"\n  exchange 1 +0 B( +0 s){4} +\d")

    @needs_launcher
    def test_equations_are_solved_there_as_on_the_host(self):
        self.save("f.npy", self.random.standard_normal((7, 8, 9)))
        for words in (["--boundary", "neumann,periodic,dirichlet"], ["--boundary", "open"],
                      ["--boundary", "dirichlet", "--values", "1:2,0:0,0:3"]):
            self.ok("solve", "poisson", "f.npy", "u.npy", *words)
            want = self.load("u.npy")
            for ranks in (0, 3):
                with self.subTest(words=words, ranks=ranks):
                    there = [*words, "--device", "emulated"]
                    record = self.json("solve", "poisson", "f.npy", "v.npy", *there, ranks=ranks)
                    np.testing.assert_allclose(self.load("v.npy"), want, rtol=0, atol=1e-14)
                    self.assertEqual(record["recipe"]["arrays"], "on the device")
        known = self.json("solve", "poisson", "--manufactured", "--shape", "16x16", "--boundary", "dirichlet",
                          "--device", "emulated")
        self.assertAlmostEqual(known["order_observed"], 2, delta=0.1)

    def test_every_choice_on_the_device_is_verified_by_the_tuner(self):
        record = self.known_record("tune", "--shape", "12x8x6", "--device", "emulated", "--seconds", 5, "--effort",
                                   "exhaustive")["results"][0]
        self.assertGreater(record["candidates"], 3)
        self.assertTrue(all(not row["dropped"] for row in record["rows"]), record["rows"])

    def test_plans_on_devices_are_explained_without_a_run_and_as_bench_has_them(self):
        few = ["--shape", "24x20x18", "--device", "emulated", "--kind", "r2c"]
        for words in (["--fuse", 1], ["--arrays", "host", "--fuse",
                                      1], ["--arrays", "host", "--fuse", 1, "--tolerance",
                                           "1e-6"], ["--arrays", "host"]):
            with self.subTest(words=words):
                plan = self.json("explain", *few, *words)["plan"]
                bench = self.json("bench", *few, *words, "--iterations", 1)
                self.assertEqual(plan["recipe"]["device"], bench["recipe"]["device"])
                for key in ("arrays", "codec", "fuse", "stages", "tile", "library"):
                    self.assertEqual(plan["recipe"][key], bench["recipe"][key], key)
                self.assertEqual(plan["bytes_moved_memory"]["forward"], bench["bytes_moved_memory"])
                self.assertEqual(plan["bytes_link"]["forward"], bench["bytes_link"])
                self.assertEqual(plan["tile_bytes_device"] > 0, "host" in words)

    def test_bytes_over_the_link_are_those_of_each_pass(self):
        done = run("explain", "--shape", "32x16x8", "--device", "emulated", "--arrays", "host", "--fuse", 1,
                   "--tolerance", "1e-6", variables={"SHARDFFT_WISDOM": "off"})
        self.assertEqual(done.returncode, 0, done.stderr)
        text = " ".join(done.stdout.split())  # as if its lines had never been broken
        self.assertIn("no times of this device are known yet", text)
        self.assertNotIn("s expected", text)
        self.assertEqual(4 * 32 * 16 * 8 * 16, 256 << 10)
        self.assertIn("256.0 KiB over the link", text)  # in, 2 x out and in by half, out
        self.assertIn("f32 between sweeps", text)
        self.assertIn("pinned memory of the host", text)

    def test_thousands_of_ranks_with_devices_are_explained_and_take_no_memory(self):
        words = [
            "--shape", "4096x4096x4096", "--ranks", 512, "--ranks-per-node", 4, "--rank", 511, "--device", "emulated"
        ]
        for more in ([], ["--arrays", "host"]):
            with subprocess.Popen(command("explain", *words, *more, "--json", "-"), stdout=subprocess.PIPE) as child:
                plan = json.loads(child.stdout.read())["plan"]
                usage = os.wait4(child.pid, 0)[2]
            self.assertLess(usage.ru_maxrss, 1 << 19)  # KiB
            self.assertEqual(plan["input_bytes"], 4096**3 * 16 // 512)
            self.assertGreater(plan["bytes_sent_network"]["forward"], plan["input_bytes"] / 2)

    def test_info_lists_devices_and_which_reach_each_other(self):
        devices = {d["space"]: d for d in self.json("info")["devices"]}
        self.assertEqual([d["reaches"] for d in devices["emulated"]["list"]][0], [1, 2, 3])
        for driver in devices.values():
            self.assertTrue(driver["list"] or driver["reason"])

    def pairs(self, **variables):
        done = run("info", "--pairs", "--json", "-", cwd=self.folder,
                   variables={"SHARDFFT_EMULATED_DEVICES": "3", **variables})
        self.assertEqual(done.returncode, 0, done.stderr)
        return [row for row in json.loads(done.stdout)["pairs"] if row["space"] == "emulated"]

    def test_each_pair_of_memories_swaps_in_every_way_with_one_and_two_streams(self):
        rows = self.pairs()
        ways = {pair: ("peer_kernel", "peer_copy", "staged", "via_host") for pair in ((0, 1), (0, 2), (1, 2))}
        ways |= {(device, "host"): ("copy", ) for device in range(3)}
        self.assertCountEqual([(row["one"], row["other"], row["way"], row["streams"]) for row in rows],
                              [(*pair, way, streams) for pair, names in ways.items() for way in names
                               for streams in (1, 2)])
        for row in rows:
            for direction in ("there", "back", "swap"):
                self.assertGreater(row[f"{direction}_bytes_per_s"], 0, row)

    def test_devices_out_of_reach_swap_through_the_host_alone_also_where_memory_is_short(self):
        rows = self.pairs(SHARDFFT_EMULATED_REACH="0", SHARDFFT_EMULATED_BYTES="600000")
        self.assertEqual({row["way"] for row in rows if row["other"] != "host"}, {"via_host"})
        self.assertEqual({row["streams"] for row in rows}, {1, 2})

    def test_numbers_of_emulated_pairs_are_said_to_mean_nothing(self):
        text = self.ok("info", "--pairs").stdout
        self.assertRegex(text, r"emulated:0 - 1 +peer_kernel +2 ")
        self.assertIn("their numbers mean nothing", text)
        self.assertNotIn("pairs", self.json("info"))

    @needs_launcher
    def test_one_rank_measures_the_pairs_and_prints_them_once(self):
        self.assertEqual(self.ok("info", "--pairs", ranks=2).stdout.count("pairs, GB/s"), 1)

    def test_a_device_that_was_measured_has_expected_times(self):
        words = ["--shape", "16x20x24", "--device", "emulated"]
        self.assertIsNone(self.known_record("explain", *words)["plan"]["model_s"])
        self.assertNotIn("model ", self.known("bench", *words, "--iterations", 1))
        self.assertRegex(self.known("info"), r"measured +emulated: not yet")
        self.assertRegex(self.known("info", "--measure"), r"measured +emulated: .*GB/s")
        numbers = {d["space"]: d for d in self.known_record("info")["devices"]}["emulated"]["machine"]
        for name, number in numbers.items():
            self.assertGreater(number, 0, name)
        for more in ([], ["--ranks", 4, "--ranks-per-node", 4], ["--ranks", 4, "--ranks-per-node",
                                                                 2], ["--arrays", "host", "--fuse", 1]):
            with self.subTest(more=more):
                plan = self.known_record("explain", *words, *more)["plan"]
                self.assertEqual(plan["device_machine"], numbers)
                self.assertGreater(plan["model_s"], 0)
                self.assertAlmostEqual(sum(step["seconds"] for step in plan["model_steps"]) / plan["model_s"], 1, 4)
                self.assertTrue(any("sweep" in step["label"] for step in plan["model_steps"]))
                self.assertGreater(plan["runner_up"]["seconds"], 0)
                text = " ".join(self.known("explain", *words, *more).split())
                for part in ("s expected, from measured rates of this device: ", "device ", "GB/s",
                             "times the expected time"):
                    self.assertIn(part, text)
        self.assertRegex(self.known("bench", *words, "--iterations", 1),
                         r"(?m)^model .* expected: forward took .* times as long$")
        self.assertGreater(self.known_record("bench", *words, "--iterations", 1)["model_s"], 0)

    @needs_launcher
    def test_the_tuner_measures_the_device_once_and_every_rank_plans_the_same(self):
        words = ["--shape", "12x8x6", "--device", "emulated"]
        self.known("tune", *words, "--seconds", 0.2, ranks=2)
        first = self.known_record("info")["devices"][-1]["machine"]
        row = self.known_record("tune", *words, "--seconds", 0.2, "--effort", "exhaustive",
                                ranks=2)["results"][0]["rows"][0]
        self.assertGreater(row["model_s"], 0)
        self.assertEqual(self.known_record("info")["devices"][-1]["machine"], first)
        self.assertTrue(self.known_record("bench", *words, "--no-wisdom", "--iterations", 1, ranks=3)["verified"])

    def test_bad_words_get_one_line_and_status_2(self):
        for words, part in [(("--device", "abacus"), "'abacus'"), (("--device", "emulated:9"), "numbered 0 to 3"),
                            (("--arrays", "host"), "belong to a device"),
                            (("--device", "emulated", "--arrays", "host", "--codec", "lossless"),
                             "one of none, f32, f16")]:
            with self.subTest(words=words):
                done = run("bench", "--shape", "8x8", *words)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertEqual(len(own_lines(done.stderr)), 1, done.stderr)
                self.assertIn(part, done.stderr)

    def test_a_flow_on_the_emulated_device_has_the_energy_of_others_and_a_break_down(self):
        words = ["navier-stokes", "--reynolds", 1600, "--dt", 0.01, "--device", "emulated"]
        record = self.json(*words, "--shape", "32x32x32", "--until", 0.1, ranks=3 if MPIRUN else 0)
        self.assertEqual(record["space"], "emulated")
        self.assertAlmostEqual(record["energy"], 0.124953117517, delta=1e-12)
        for batched in ["yes", "no"]:
            parts = self.json(*words, "--shape", "16x16x16", "--bench", "--steps", 1, "--batched", batched)["step_s"]
            step = parts.pop("step")
            self.assertAlmostEqual(sum(parts.values()), step, delta=1e-9)
            self.assertGreater(min(parts["FFT"], parts["products"], parts["Runge-Kutta, projection"]), 0)


if __name__ == "__main__":
    unittest.main()
