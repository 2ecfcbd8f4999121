"""shardfft compare with fake peers: what it runs, keeps, discards and shows."""
import os
import pty
import signal
import statistics
import subprocess
import unittest

from fake_run import WithFakePeers
from program import command, needs_launcher, wait_for

QUICK = ("--shapes", "8", "--ranks", "1x1", "--iterations", "3", "--warmup", "0")


class Compare(WithFakePeers):
    def test_every_library_runs_once_in_every_turn_and_the_order_rotates(self):
        done = self.compare("--with", "slow,narrow", *QUICK, "--launches", "3", "--json", "r.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line for line in done.stderr.splitlines() if " turn " in line]
        order = [line.split("turn ")[1].split(" best")[0] for line in lines]
        self.assertEqual(order, [
            "1, shardfft", "1, slow", "1, narrow", "2, slow", "2, narrow", "2, shardfft", "3, narrow", "3, shardfft",
            "3, slow"
        ])
        for entry in self.results()["cases"][0]["entries"]:
            self.assertEqual(sorted(launch["turn"] for launch in entry["launches"]), [0, 1, 2])

    def test_the_summary_is_what_the_launches_say(self):
        case = self.measured("--with", "slow", *QUICK, "--launches", "7")["cases"][0]
        slow = self.entries(case)["slow"]
        medians = sorted(statistics.median(launch["forward_s"]) for launch in slow["launches"])
        summary = slow["summary"]
        self.assertAlmostEqual(summary["forward_s"]["median"], medians[3])
        self.assertAlmostEqual(summary["forward_s"]["low"], medians[0])
        self.assertAlmostEqual(summary["forward_s"]["high"], medians[-1])
        self.assertAlmostEqual(summary["forward_s"]["min"],
                               min(min(launch["forward_s"]) for launch in slow["launches"]))
        self.assertAlmostEqual(summary["ratio_to_shardfft"]["median"], 3, places=6)
        self.assertEqual((summary["plan_s"], summary["plan_first_s"]), (0.01, 2.0))
        self.assertIsNone(summary["energy_j"])

    def test_the_table_shows_medians_ratio_and_the_limit_of_the_machine(self):
        done = self.compare("--with", "slow", *QUICK, "--launches", "6")
        self.assertIn("8x8x8 c2c f64 natural 1x1 (1 rank x 1 thread): 6 launches in turn, medians [97 % interval]",
                      done.stdout)
        self.assertRegex(done.stdout,
                         r"limit \S+ \S+: two passes take \S+ \S+ at \S+ GB/s, arithmetic \S+ \S+ at \S+ Gflop/s")
        self.assertRegex(done.stdout,
                         r"slow +best +30\.\d+ ms \[30\.\d+ ms, 30\.\d+ ms\] +45\.\d+ ms .* 3\.00 \[3\.00, 3\.00\]")
        self.assertIn("10.00 ms (first 2.000 s)", done.stdout)
        self.assertEqual(os.listdir(self.folder), [])

    def test_the_table_shows_the_energy_of_a_pair_of_transforms_as_the_peers_tell_it(self):
        done = self.compare("--with", "slow", *QUICK, "--launches", "1", FAKE_ENERGY_J="12.5")
        self.assertEqual(done.stdout.count("12.50 J"), 2, done.stdout)
        done = self.compare("--with", "slow", *QUICK, "--launches", "1", FAKE_ENERGY_J="12.5", FAKE_GPUS_J="7")
        self.assertEqual(done.stdout.count("12.50 J, GPUs 7.00 J"), 2, done.stdout)

    def test_whoever_fails_is_named_with_the_reason_and_the_others_go_on(self):
        done = self.compare("--with", "wrong,crashing,garbage,silent,flaky,slow", *QUICK, "--launches", "2", "--json",
                            "r.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        entries = self.entries(self.results()["cases"][0])
        for library, status, reason in [("wrong", "wrong", "above its bound"), ("crashing", "failed", "signal 11"),
                                        ("crashing", "failed", "the last word"), ("garbage", "failed", "result is not"),
                                        ("silent", "failed", "wrote no result"),
                                        ("flaky", "failed", "exit status 1: flaky: no more")]:
            self.assertEqual(entries[library]["status"], status, library)
            self.assertIn(reason, entries[library]["reason"])
            self.assertIsNone(entries[library]["summary"])
            self.assertNotIn("forward_s", entries[library]["launches"][-1])
            self.assertIn(f"no time: {library} best: {status}: ", done.stdout)
        self.assertEqual(len(entries["wrong"]["launches"]), 1)  # launched no more
        self.assertEqual([len(entries[name]["launches"]) for name in ("shardfft", "slow", "flaky")], [2, 2, 2])

    def test_whoever_hangs_is_ended_with_all_its_processes(self):
        pids = self.path("pids")
        case = self.measured("--with", "hanging", *QUICK, "--launches", "2", "--time-limit", "1.5",
                             FAKE_PIDS=pids)["cases"][0]
        hanging = self.entries(case)["hanging"]
        self.assertEqual((hanging["status"], hanging["reason"]), ("timeout", "not done after 1.5 s"))
        self.assertEqual(len(self.entries(case)["shardfft"]["launches"]), 2)
        with open(pids, encoding="utf-8") as file:
            numbers = file.read().split()
        self.assertEqual(len(numbers), 2)
        self.assertEqual([pid for pid in numbers if os.path.exists(f"/proc/{pid}")], [])

    def test_a_wrong_answer_of_shardfft_itself_ends_with_status_1(self):
        os.mkdir(self.path("peers"))
        for name, of in [("peer_shardfft.py", "peer_wrong.py"), ("fake.py", "fake.py")]:
            os.symlink(os.path.join(self.peers, of), self.path(f"peers/{name}"))
        self.peers = self.path("peers")
        done = self.compare(*QUICK, "--launches", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("shardfft: no time for shardfft itself: 8x8x8 c2c f64 natural 1x1: wrong", done.stderr)

    def test_a_failure_of_shardfft_with_options_is_one_of_shardfft(self):
        os.mkdir(self.path("peers"))
        for name, of in [("peer_shardfft.py", "peer_shardfft.py"), ("peer_shardfft_cuda.py", "peer_flaky.py"),
                         ("fake.py", "fake.py")]:
            os.symlink(os.path.join(self.peers, of), self.path(f"peers/{name}"))
        self.peers = self.path("peers")
        done = self.compare("--with", "shardfft_cuda+engine=nosuch", *QUICK, "--launches", "2")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(
            "shardfft: no time for shardfft_cuda+engine=nosuch: 8x8x8 c2c f64 natural 1x1: failed: exit status 1: "
            "flaky: no more",
            done.stderr)

    def test_what_a_library_does_not_do_is_not_launched(self):
        results = self.measured("--with", "narrow", "--shapes", "8,8x8", "--ranks", "1x1,1x2", "--kinds", "c2c,r2c",
                                "--layouts", "natural,bricks", "--launches", "1", "--iterations", "1",
                                "--oversubscribe")
        found = {}
        for case in results["cases"]:
            narrow = self.entries(case)["narrow"]
            found[(len(case["shape"]), case["kind"], case["layout"],
                   case["threads"])] = narrow["reason"] or narrow["status"]
        self.assertEqual(found[(3, "c2c", "bricks", 1)], "ok")  # the whole array in one process
        self.assertEqual(found[(3, "c2c", "natural", 2)], "does not use threads")
        self.assertEqual(found[(3, "r2c", "natural", 1)], "does no r2c")
        self.assertEqual(found[(2, "c2c", "natural", 1)], "does no 2-dimensional transforms")

    def test_dimensions_are_counted_by_the_axes_that_are_transformed(self):
        results = self.measured("--with", "narrow,slow", "--shapes", "8,64^1,8^2", "--axes", "0", "--ranks", "1x1",
                                "--launches", "1", "--iterations", "1")
        reasons = [(case["shape"], self.entries(case)["narrow"]["reason"]) for case in results["cases"]]
        self.assertEqual(reasons, [([8, 8, 8], "transforms all axes"), ([64], "does no 1-dimensional transforms"),
                                   ([8, 8], "transforms all axes")])

    def test_shardfft_beside_itself_tells_the_noise(self):
        done = self.compare("--with", "shardfft+again,slow", *QUICK, "--launches", "3", "--json", "r.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        entries = self.entries(self.results()["cases"][0])
        self.assertEqual(list(entries), ["shardfft", "shardfft+again", "slow"])
        again = entries["shardfft+again"]["summary"]
        self.assertEqual((again["ratio_to_shardfft"]["median"], again["ratio_backward_to_shardfft"]["median"]), (1, 1))
        self.assertTrue(done.stdout.endswith(
            "noise: shardfft's time / its own in 2 directions: 1.00 to 1.00, half of them within 0.0 %\n"), done.stdout)
        self.assertNotIn("noise", self.compare("--with", "slow", *QUICK, "--launches", "1").stdout)

    def test_it_runs_beside_itself_only_where_it_is_named(self):
        with open(self.path("c.toml"), "w", encoding="utf-8") as file:
            file.write('launches = 1\niterations = 1\n[[cases]]\nshapes = [8]\nranks = [1]\nwith = ["shardfft+again"]\n'
                       '[[cases]]\nshapes = [9]\nranks = [1]\nwith = ["all"]\n')
        first, second = self.measured("--cases", "c.toml", "--time-limit", "2")["cases"]
        self.assertIn("shardfft+again", self.entries(first))
        self.assertNotIn("shardfft+again", self.entries(second))

    def test_all_are_those_that_are_available_and_the_others_are_named(self):
        done = self.compare("--with", "all", *QUICK, "--launches", "1", "--time-limit", "2", "--json", "r.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("left out: unavailable: no module named unavailable", done.stderr)
        self.assertIn("left out: mute: ", done.stderr)
        names = set(self.entries(self.results()["cases"][0]))
        self.assertEqual(names,
                         {"shardfft", "crashing", "flaky", "garbage", "hanging", "narrow", "silent", "slow", "wrong"})

    def test_a_library_that_is_known_but_not_built_is_named(self):
        done = self.compare("--with", "heffte", *QUICK, "--launches", "1", "--json", "r.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        heffte = self.entries(self.results()["cases"][0])["heffte"]
        self.assertEqual(heffte["status"], "unsupported")
        self.assertIn("not built: no peer_heffte", heffte["reason"])

    def test_options_of_shardfft_make_contestants_of_their_own(self):
        os.mkdir(self.path("peers"))
        for name in ("peer_shardfft.py", "fake.py"):
            os.symlink(os.path.join(self.peers, name), self.path(f"peers/{name}"))
        with open(self.path("peers/peer_shardfft_cuda.py"), "w", encoding="utf-8") as file:
            file.write(
                'import os\nimport fake\nfake.about("shardfft_cuda", available=os.environ.get("SHARDFFT_PEER_DEVICE") '
                '!= "none", reason="it is none")\n'
                'a = fake.arguments()\nfake.result(a, "shardfft_cuda", 0.01, '
                'configuration=f"{os.environ.get(\'SHARDFFT_TRANSPORT\')} {os.environ.get(\'SHARDFFT_CHUNKS\')}")\n'
            )
        self.peers = self.path("peers")
        names = [
            "shardfft_cuda", "shardfft_cuda+transport=peer_copy", "shardfft_cuda+transport=nccl+chunks=4",
            "shardfft_cuda+device=none"
        ]
        case = self.measured("--with", ",".join(names), *QUICK, "--launches", "2")["cases"][0]
        entries = self.entries(case)
        self.assertEqual(list(entries), ["shardfft", *names])
        self.assertEqual([entries[name]["configuration"] for name in names[:3]],
                         ["None None", "peer_copy None", "nccl 4"])
        self.assertEqual([len(entries[name]["launches"]) for name in names], [2, 2, 2, 0])
        self.assertEqual((entries[names[3]]["status"], entries[names[3]]["reason"]), ("unsupported", "it is none"))
        for wrong, told in (("slow+chunks=2", "options behind a + are those of shardfft"),
                            ("shardfft_cuda+colour=red", "must be one of engine, transport"),
                            ("shardfft_cuda+chunks", "chunks must have a value"), ("shardfft_abacus+chunks=2",
                                                                                   "must name libraries among")):
            done = self.compare("--with", wrong, *QUICK, "--launches", "1")
            self.assertEqual(done.returncode, 2, wrong)
            self.assertIn(told, done.stderr)

    def test_calls_are_compared_with_the_same_call_of_shardfft(self):
        case = self.measured("--with", "slow", *QUICK, "--launches", "2", "--call", "best,default")["cases"][0]
        self.assertEqual([(e["library"], e["call"]) for e in case["entries"]], [("shardfft", "best"),
                                                                                ("shardfft", "default"),
                                                                                ("slow", "best"), ("slow", "default")])

    @needs_launcher
    def test_ranks_that_were_on_other_nodes_than_the_case_names_have_no_time(self):
        words = [
            "--with", "slow", "--shapes", "8", "--ranks", "2x1", "--nodes", "2", "--max-nodes", "2", "--iterations",
            "1", "--launches", "1"
        ]
        for nodes, status in (("1", "failed"), ("2", "ok")):
            case = self.measured(*words, status=nodes != "2", FAKE_NODES=nodes)["cases"][0]
            self.assertEqual([e["status"] for e in case["entries"]], [status, status], case)
            os.unlink(self.path("r.json"))

    @needs_launcher
    def test_several_ranks_are_started_by_the_launcher(self):
        case = self.measured("--with", "slow", "--shapes", "8", "--ranks", "3x1", "--oversubscribe", "--iterations",
                             "1", "--launches", "1")["cases"][0]
        self.assertEqual([e["status"] for e in case["entries"]], ["ok", "ok"], case)


def everything(terminal):
    """What was written to a terminal whose other end is closed; it comes in pieces, and ends with an error."""
    told = b""
    while True:
        try:
            piece = os.read(terminal, 1 << 16)
        except OSError:
            piece = b""
        if not piece:
            return told.decode()
        told += piece


class Progress(WithFakePeers):
    def test_on_a_terminal_one_line_is_written_over_and_over_and_wiped_at_the_end(self):
        here, there = pty.openpty()
        process = subprocess.Popen(command("compare", "--with", "slow", *QUICK, "--launches", "2"),
                                   stdout=subprocess.PIPE, stderr=there, cwd=self.folder, env=self.environment())
        process.communicate(timeout=60)
        os.close(there)
        told = everything(here)
        os.close(here)
        self.assertIn("4 of 4: 8x8x8 c2c f64 natural 1x1, turn 2, shardfft best, about ", told)
        self.assertEqual((told.count("\n"), told[-4:]), (0, "\r\033[K"))


class Fitting(WithFakePeers):
    def test_cases_that_do_not_fit_are_named_and_left_out_unless_oversubscribed(self):
        done = self.compare("--with", "slow", "--shapes", "8", "--ranks", "1x1,1x4096", "--launches", "1",
                            "--iterations", "1", "--json", "r.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("left out: 8x8x8 c2c f64 natural 1x4096: needs 4096 cores", done.stderr)
        self.assertEqual(len(self.results()["cases"]), 1)
        done = self.compare("--with", "slow", "--shapes", "20000", "--ranks", "1x1", "--launches", "1",
                            "--oversubscribe")
        self.assertEqual(done.returncode, 2)
        self.assertIn("of memory on a node", done.stderr)

    def test_a_case_file_runs_with_one_command(self):
        with open(self.path("c.toml"), "w", encoding="utf-8") as file:
            file.write(
                'study = "mine"\nlaunches = 2\niterations = 1\nwith = ["slow"]\n[[cases]]\nshapes = [8]\nranks = '
                '["1x1"]\n[[cases]]\nshapes = [8]\nranks = [4096]\n'
            )
        results = self.measured("--cases", "c.toml")
        self.assertEqual([(c["study"], c["ranks"]) for c in results["cases"]], [("mine", 1)])
        self.assertEqual(results["settings"]["launches"], 2)


    def test_a_case_has_iterations_of_its_own_unless_the_command_line_names_some(self):
        with open(self.path("c.toml"), "w", encoding="utf-8") as file:
            file.write('launches = 1\niterations = 2\nwith = ["slow"]\n[[cases]]\nshapes = [8]\nranks = [1]\n'
                       '[[cases]]\nshapes = ["8^2"]\nranks = [1]\niterations = 5\n')
        for words, iterations in (((), [2, 5]), (("--iterations", "3"), [3, 3])):
            cases = self.measured("--cases", "c.toml", *words)["cases"]
            found = [len(self.entries(case)["slow"]["launches"][0]["forward_s"]) for case in cases]
            self.assertEqual(found, iterations)
            os.unlink(self.path("r.json"))

    def test_a_study_of_a_file_can_be_measured_alone(self):
        with open(self.path("c.toml"), "w", encoding="utf-8") as file:
            file.write('launches = 1\niterations = 1\nwith = ["slow"]\n[[cases]]\nstudy = "one"\nshapes = [8]\n'
                       'ranks = [1]\n[[cases]]\nstudy = "The other"\nshapes = [9]\nranks = [1]\n')
        results = self.measured("--cases", "c.toml", "--study", "The other")
        self.assertEqual([(case["study"], case["shape"]) for case in results["cases"]], [("The other", [9, 9, 9])])


class Resume(WithFakePeers):
    words = ("--with", "slow,narrow", *QUICK, "--launches", "4", "--json", "r.json", "--resume")

    def test_a_killed_comparison_keeps_what_it_has_and_goes_on(self):
        for signal_number in [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]:
            with self.subTest(signal=signal_number):
                process = self.start(*self.words)
                self.assertTrue(wait_for(lambda: os.path.exists(self.path("r.json")) and len(self.launches()) >= 5, 60))
                process.send_signal(signal_number)
                process.communicate(timeout=60)
                self.assertEqual(process.returncode, -signal_number)
                kept = {key: value for key, value in self.launches().items() if key[1] == 0}
                self.assertEqual(len(kept), 3)
                done = self.compare(*self.words)
                self.assertEqual(done.returncode, 0, done.stderr)
                after = self.launches()
                self.assertEqual(sorted(after),
                                 sorted((name, turn) for name in ("shardfft", "slow", "narrow") for turn in range(4)))
                for key, value in kept.items():
                    self.assertEqual(after[key], value)
                os.unlink(self.path("r.json"))
                self.assertEqual([name for name in os.listdir(self.folder) if ".partial" not in name], [])

    def launches(self):
        return {(e["library"], launch["turn"]): launch
                for case in self.results()["cases"]
                for e in case["entries"]
                for launch in e["launches"]}

    def test_a_finished_comparison_runs_nothing_again_and_more_launches_only_the_new_ones(self):
        self.compare(*self.words)
        before = self.launches()
        done = self.compare(*self.words)
        self.assertEqual((done.returncode, self.launches(), " turn " in done.stderr), (0, before, False))
        more = [w if w != "4" else "5" for w in self.words]
        done = self.compare(*more)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.launches()), 15)
        self.assertEqual({key: self.launches()[key] for key in before}, before)

    def test_what_is_measured_stays_where_a_library_has_gone(self):
        self.compare(*self.words)
        before = self.launches()
        others = [w if w != "slow,narrow" else "narrow" for w in self.words]
        done = self.compare(*others)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.launches(), before)
        slow = self.entries(self.results()["cases"][0])["slow"]
        self.assertEqual((slow["status"], slow["summary"] is None), ("ok", False))
        more = [w if w != "4" else "6" for w in others]
        self.assertIn(
            "no time: slow best: unsupported: 2 of 6 launches are missing, and it is not here now, or not in --with; "
            "--resume --retry",
            self.compare(*more).stdout)
        self.compare(*[w if w != "4" else "6" for w in self.words], "--retry")
        self.assertEqual(self.entries(self.results()["cases"][0])["slow"]["status"], "ok")
        self.assertEqual({key: self.launches()[key] for key in before}, before)
        self.assertEqual(len(self.launches()), 18)

    def test_a_library_or_call_that_is_asked_for_later_does_not_join_and_is_named(self):
        first = ["--with", "slow", *QUICK, "--launches", "2", "--json", "r.json"]
        self.compare(*first)
        before = self.launches()
        done = self.compare(*first, "--resume")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.compare(*[w if w != "slow" else "slow,narrow" for w in first], "--call", "best,default", "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.splitlines(), [
            f"left out: {name}: 1 case was begun without it, and ratios are formed within turns; measure it into "
            f"another file"
            for name in ("narrow best", "narrow default", "shardfft default", "slow default")
        ])
        self.assertEqual(self.launches(), before)

    def test_two_comparisons_never_write_one_file(self):
        first = self.start("--with", "hanging", *QUICK, "--launches", "2", "--json", "r.json", "--resume")
        try:
            self.assertTrue(wait_for(lambda: os.path.exists(self.path("r.json")), 60))
            before = self.results()
            second = self.compare(*self.words)
            self.assertEqual(second.returncode, 2)
            self.assertIn("'r.json' is being written by one; wait for its end, or name another file", second.stderr)
            self.assertEqual(len(second.stderr.splitlines()), 1)
            self.assertEqual(before["settings"], self.results()["settings"])
        finally:
            first.terminate()
            first.communicate(timeout=60)
        done = self.compare("--with", "slow", *QUICK, "--launches", "2", "--json", "other.json")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_other_settings_are_refused_and_the_file_stays_as_it_was(self):
        self.compare(*self.words)
        before = self.results()
        done = self.compare(*self.words, "--seed", "7")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--resume needs the --seed that the file was begun with, 1; got 7", done.stderr)
        self.assertEqual(self.results(), before)

    def test_what_failed_is_tried_again_when_it_is_asked_for(self):
        words = ["--with", "hanging", *QUICK, "--launches", "2", "--json", "r.json", "--time-limit", "1"]
        self.compare(*words)
        done = self.compare(*words, "--resume")
        self.assertNotIn(" turn ", done.stderr)
        done = self.compare(*words, "--resume", "--retry")
        self.assertIn("turn 1, hanging", done.stderr)
        self.assertIn("tried again: hanging best: launches that had failed: 1\n", done.stdout)
        self.assertEqual(self.entries(self.results()["cases"][0])["hanging"]["failed_before"], 1)
        again = self.compare(*words, "--resume", "--retry").stdout
        self.assertIn("tried again: hanging best: launches that had failed: 2\n", again)


class Gate(WithFakePeers):
    words = ("--with", "slow", *QUICK, "--launches", "6")

    def test_a_slower_shardfft_ends_with_status_1_and_a_table(self):
        self.measured(*self.words)
        os.rename(self.path("r.json"), self.path("baseline.json"))
        for seconds, status, verdict in [("0.010", 0, "same"), ("0.0108", 1, "slower!"), ("0.0102", 0, "same"),
                                         ("0.008", 0, "faster")]:
            with self.subTest(seconds=seconds):
                done = self.compare("--gate", "baseline.json", FAKE_SECONDS=seconds)  # measures the baseline's cases
                self.assertEqual(done.returncode, status, done.stdout + done.stderr)
                self.assertRegex(done.stdout, rf"8x8x8 c2c f64 natural 1x1 +shardfft +best +forward .* {verdict}")
        self.measured(*self.words, FAKE_SECONDS="0.012")
        done = self.compare("--gate", "baseline.json", "r.json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED", done.stdout)
        self.assertNotIn(" turn ", done.stderr)

    def test_it_does_not_pass_where_it_could_not_fail(self):
        self.measured("--with", "slow", *QUICK, "--launches", "3")
        os.rename(self.path("r.json"), self.path("baseline.json"))
        done = self.compare("--gate", "baseline.json", FAKE_SECONDS="0.1")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(
            "2 of 2 undecided: 3 and 3 launches can never be told apart with p < 0.01; measure 7 or more now, or 5 or "
            "more in both files",
            done.stdout)
        self.assertRegex(done.stdout, "gate: 0 of 2 slower or without a time, 2 undecided, 0 missing: FAILED")

    @needs_launcher
    def test_it_measures_with_the_seed_of_the_baseline_and_as_many_ranks_as_then(self):
        ranks = f"{2 * len(os.sched_getaffinity(0))}x1"
        self.measured("--shapes", "8", "--with", "shardfft", "--ranks", ranks, "--iterations", "1", "--launches", "5",
                      "--seed", "7", "--oversubscribe")
        os.rename(self.path("r.json"), self.path("baseline.json"))
        now = self.measured("--gate", "baseline.json")
        self.assertEqual((now["seed"], [c["ranks"] for c in now["cases"]]), (7, [int(ranks[:-2])]))
        done = self.compare("--gate", "baseline.json", "--seed", "8")
        self.assertEqual((done.returncode, " turn " in done.stderr), (2, False), done.stderr)
        self.assertIn("--gate needs the --seed of the baseline, 7; got 8", done.stderr)

    def test_cases_that_are_missing_do_not_pass_unless_that_is_said(self):
        self.measured("--with", "slow", "--shapes", "8,9", *QUICK[2:], "--launches", "6")
        os.rename(self.path("r.json"), self.path("baseline.json"))
        self.measured(*self.words)
        done = self.compare("--gate", "baseline.json", "r.json")
        self.assertEqual((done.returncode, "2 missing: FAILED" in done.stdout), (1, True), done.stdout)
        done = self.compare("--gate", "baseline.json", "r.json", "--gate-missing-ok")
        self.assertEqual((done.returncode, "2 missing (--gate-missing-ok): passed" in done.stdout), (0, True),
                         done.stdout)


if __name__ == "__main__":
    unittest.main()
