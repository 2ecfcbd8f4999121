"""tune and wisdom: what is measured is kept, found, shown, forgotten, merged; candidates that fail or hang are dropped; bad input."""
import json
import os
import shutil
import socket
import subprocess
import time
import unittest

from program import KILL, MPIRUN, InFolder, needs_launcher, own_lines, run, start, wait_for


class Tuning(InFolder):
    """Each test has a place for wisdom of its own."""

    def setUp(self):
        super().setUp()
        self.variables = {"SHARDFFT_WISDOM": self.path("w"), "OMP_NUM_THREADS": "1"}

    def done(self, *words, ranks=0, status=0, **variables):
        result = run(*words, ranks=ranks, cwd=self.folder, variables={**self.variables, **variables})
        self.assertEqual(result.returncode, status, f"{' '.join(map(str, words))}: {result.stdout}{result.stderr}")
        return result

    def record(self, *words, ranks=0, **variables):
        return json.loads(self.done(*words, "--json", "-", ranks=ranks, **variables).stdout)

    def tune(self, *words, ranks=0, seconds=0.5, **variables):
        return self.record("tune", "--seconds", seconds, *words, ranks=ranks, **variables)["results"]

    def refused(self, *words, says, **variables):
        result = self.done(*words, status=2, **variables)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertEqual(result.stdout, "")
        for part in says:
            self.assertIn(part, result.stderr)


class Machine(Tuning):
    def test_the_machine_is_measured_once(self):
        self.tune("--shape", "8x8x8")
        with open(os.path.join(self.folder, "w", "machine.json")) as file:
            first = file.read()
        self.assertIn("memory_bytes_per_s", first)
        self.tune("--shape", "8x8x10")
        with open(os.path.join(self.folder, "w", "machine.json")) as file:
            self.assertEqual(file.read(), first)

    def test_info_says_what_was_measured(self):
        self.assertFalse(self.record("info")["machine_measured"])
        self.assertIn("not yet", self.done("info").stdout)
        self.tune("--shape", "8x8x8")
        record = self.record("info")
        self.assertEqual(record["wisdom_file"], self.path("w/wisdom.json"))
        self.assertGreater(record["machine"]["memory_bytes_per_s"], 1e6)
        self.assertIn("GB/s", self.done("info").stdout)

    def test_nothing_is_written_where_nothing_is_to_be_kept(self):
        self.assertIn("not kept", self.done("tune", "--shape", "8x8x8", "--seconds", 0.2, SHARDFFT_WISDOM="off").stdout)
        self.assertEqual(os.listdir(self.folder), [])


class OnAKnownMachine(Tuning):
    """The machine, which takes seconds to measure, is measured by the first test; the others are given what it found."""

    machine = None

    def setUp(self):
        super().setUp()
        file = os.path.join(self.folder, "w", "machine.json")
        if OnAKnownMachine.machine is None:
            self.tune("--shape", "8x8x8", seconds=0.1)
            with open(file) as measured:
                OnAKnownMachine.machine = measured.read()
            shutil.rmtree(self.path("w"))
        os.mkdir(self.path("w"))
        with open(file, "w") as known:
            known.write(OnAKnownMachine.machine)


class Tune(OnAKnownMachine):
    def test_what_was_found_is_what_bench_and_explain_take(self):
        result = self.tune("--shape", "16x12x20", "--engine", "native")[0]
        self.assertEqual(result["rows"][0]["dropped"], "")
        self.assertEqual(sum(row["untuned"] for row in result["rows"]), 1)
        self.assertLessEqual(result["tuned_s"], result["untuned_s"])
        explained = self.record("explain", "--shape", "16x12x20", "--engine", "native")["plan"]
        self.assertEqual(explained["wisdom"]["measured_s"], result["tuned_s"])
        self.assertIn("wisdom of 20", explained["origins"]["stream"])
        self.assertEqual(explained["origins"]["engine"], "option")
        self.assertTrue(explained["runner_up"]["measured"])
        self.assertIsNone(self.record("explain", "--shape", "16x12x20", "--engine", "native", "--no-wisdom")["plan"]["wisdom"])
        self.assertIn("wisdom", self.done("explain", "--shape", "16x12x20", "--engine", "native").stdout)

    def test_the_hash_of_a_result_is_the_same_before_and_after(self):
        words = ["bench", "--shape", "16x12x20", "--iterations", 1]
        before = self.record(*words)["hash"]
        self.tune("--shape", "16x12x20")
        self.assertEqual(self.record(*words)["hash"], before)

    def test_without_wisdom_explain_names_the_models_runner_up(self):
        plan = self.record("explain", "--shape", "256x256x256", "--ranks", 4, "--ranks-per-node", 4)["plan"]
        self.assertFalse(plan["runner_up"]["measured"])
        self.assertGreaterEqual(plan["runner_up"]["seconds"], 0)
        self.assertNotEqual(plan["runner_up"]["recipe"], "")

    def test_effort_measures_once(self):
        words = ["bench", "--shape", "12x12x20", "--iterations", 1, "--effort", "measure", "--tune-seconds", 0.3]
        self.done(*words)
        with open(os.path.join(self.folder, "w", "wisdom.json")) as file:
            first = file.read()
        self.done(*words)
        with open(os.path.join(self.folder, "w", "wisdom.json")) as file:
            self.assertEqual(file.read(), first)

    def test_the_report_has_the_columns_of_the_lecture(self):
        text = self.done("tune", "--shape", "8x8x8,16x16x16", "--seconds", 0.2, "--report").stdout.splitlines()
        self.assertEqual(text[0].split(), ["N", "before:", "N1", "N2", "NB", "NDIV", "GFlops", "after:", "N1", "N2", "NB", "NDIV", "GFlops", "after/before"])
        self.assertEqual(len(text), 3)
        markdown = self.done("tune", "--shape", "8x8x8", "--seconds", 0.2, "--report", "markdown").stdout.splitlines()
        self.assertTrue(all(line.count("|") == 13 for line in markdown), markdown)
        self.assertEqual(json.loads(self.done("tune", "--shape", "8x8x8", "--seconds", 0.2, "--report", "json").stdout)[0]["shape"], [8, 8, 8])

    def test_what_cannot_be_kept_is_said_with_the_remedy_whatever_is_printed(self):
        os.makedirs(self.path("w/wisdom.json.lock"), exist_ok=True)  # so that nobody can write there, root neither
        words = ["tune", "--shape", "8x8x8", "--seconds", 0.2, "--engine", "native"]
        self.assertIn("not kept: " + self.path("w/wisdom.json") + ": cannot be locked", self.done(*words, status=2).stdout)
        for kind in ["text", "markdown", "json"]:
            result = self.done(*words, "--report", kind, status=2)
            self.assertIn("wisdom.json: cannot be locked: Is a directory; make its folder one that may be written, or", result.stderr)
            self.assertNotIn("not kept: ", "" if kind == "json" else result.stdout)
        found = json.loads(self.done(*words, "--json", "-", status=2).stdout)["results"][0]
        self.assertIsNone(found["wisdom_file"])
        self.assertIn("cannot be locked", found["not_kept"])
        os.rmdir(self.path("w/wisdom.json.lock"))
        found = self.tune(*words[1:3])[0]
        self.assertEqual((found["wisdom_file"], found["not_kept"]), (self.path("w/wisdom.json"), ""))

    def test_tuning_whose_result_later_plans_will_not_find_is_no_success(self):
        """Unless that was asked for."""
        words = ["tune", "--shape", "8x8x8", "--seconds", 0.2, "--engine", "native"]
        homeless = {"SHARDFFT_WISDOM": "", "HOME": "", "XDG_CACHE_HOME": ""}
        result = self.done(*words, status=2, **homeless)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn("not kept: 8 x 8 x 8: there is no folder for it; set SHARDFFT_WISDOM", result.stderr)
        self.assertEqual(self.done(*words, SHARDFFT_WISDOM="off").stderr, "")
        os.makedirs(self.path("w/wisdom.json.lock"), exist_ok=True)
        lost = self.done(*words[:2], "8x8x8,4x4", *words[3:], "--report", status=2)
        self.assertEqual([line.split(": ")[2] for line in lost.stderr.splitlines()], ["8 x 8 x 8", "4 x 4"], lost.stderr)

    @needs_launcher
    def test_ranks_that_write_nothing_end_with_the_status_of_the_one_that_cannot(self):
        os.makedirs(self.path("w/wisdom.json.lock"), exist_ok=True)
        result = self.done("tune", "--shape", "8x8x8", "--seconds", 0.2, "--engine", "native", ranks=2, status=2)
        self.assertEqual(len([line for line in own_lines(result.stderr) if "not kept: 8 x 8 x 8: " in line]), 1, result.stderr)

    def test_explain_names_the_transport_that_wisdom_knows_and_no_other(self):
        words = ["explain", "--shape", "16x12x20", "--ranks", 1, "--threads", 1]
        plan = self.record(*words, "--no-wisdom")["plan"]
        self.assertEqual((plan["recipe"]["transport"], plan["origins"]["transport"]), ("dry_run", "ranks that run choose theirs"))
        self.tune("--shape", "16x12x20", "--engine", "native", "--transport", "threads", "--threads", 1)
        plan = self.record(*words, "--engine", "native", "--transport", "dry_run")["plan"]
        self.assertEqual((plan["recipe"]["transport"], plan["origins"]["transport"]), ("dry_run", "option"))
        plan = self.record(*words, "--engine", "native", "--transport", "threads")["plan"]
        self.assertEqual((plan["recipe"]["transport"], plan["origins"]["transport"]), ("threads", "option"))
        self.tune("--shape", "16x12x20", "--engine", "native", "--threads", 1, seconds=20)  # of one engine, which plans that name it take, however few candidates had their turn
        plan = self.record(*words, "--engine", "native")["plan"]
        self.assertEqual(plan["recipe"]["transport"], "threads")
        self.assertIn("wisdom of 20", plan["origins"]["transport"])

    # Few candidates, so that all of them have their turn well before the time is up, however slow the machine is.
    HANGS = ["tune", "--shape", "8x8x8", "--seconds", 60, "--limit", 3, "--engine", "native", "--tile", 16, "--chunks", 1, "--windows", 1]

    def test_a_trial_that_takes_too_long_ends_the_job_and_is_left_out_of_the_next_one(self):
        result = self.done(*self.HANGS, status=3, SHARDFFT_TUNE_HANG="fuse 1 windows 1 stream 1")
        self.assertEqual(len(own_lines(result.stderr)), 1, result.stderr)
        self.assertIn("it took more than 3 s", result.stderr)
        dropped = [row for row in self.record(*self.HANGS)["results"][0]["rows"] if row["dropped"]]
        self.assertEqual(len(dropped), 1)
        self.assertIn(dropped[0]["recipe"], result.stderr)
        self.assertEqual([row for row in self.record(*self.HANGS)["results"][0]["rows"] if row["dropped"]], [], "after a run that ended well all begin anew")

    def test_a_candidate_that_ends_the_job_twice_is_left_out(self):
        words = self.HANGS[:self.HANGS.index("--limit")] + self.HANGS[self.HANGS.index("--engine"):]
        for ended_before in [False, True]:
            job = start(*words, cwd=self.folder, variables={**self.variables, "SHARDFFT_TUNE_HANG": "fuse 1 windows 1 stream 1"})
            self.assertTrue(wait_for(lambda: self.is_trying("fuse 1 windows 1 stream 1", ended_before)), "the candidate's turn comes")
            job.send_signal(KILL)
            job.communicate()
        dropped = [row for row in self.record(*words)["results"][0]["rows"] if row["dropped"]]
        self.assertEqual([row["dropped"] for row in dropped], ["the job ended twice while it ran"])

    def journal(self):
        """What is written down, by key; nothing while nothing is."""
        try:
            with open(os.path.join(self.folder, "w", "tuning.json")) as file:
                return json.load(file)["entries"]
        except (OSError, ValueError):
            return {}

    def tried(self):
        """What jobs are trying, or were when they ended."""
        return [job["recipe"] for entry in self.journal().values() for job in entry.get("running", {}).values()]

    def is_trying(self, recipe, ended_before):
        """Whether the journal says that a candidate is being tried, and that an earlier job ended while one was."""
        return any(recipe in tried for tried in self.tried()) and any("ended_before" in entry for entry in self.journal().values()) == ended_before

    def test_jobs_that_tune_the_same_at_the_same_time_leave_each_other_alone(self):
        words = self.HANGS[:self.HANGS.index("--limit")] + self.HANGS[self.HANGS.index("--engine"):]
        jobs = []
        try:
            for count in [1, 2]:
                jobs.append(start(*words, cwd=self.folder, variables={**self.variables, "SHARDFFT_TUNE_HANG": "fuse 1 windows 1 stream 1"}))
                self.assertTrue(wait_for(lambda: sum("fuse 1 windows 1 stream 1" in recipe for recipe in self.tried()) == count), "the candidate's turn comes")
            self.assertEqual([row["dropped"] for row in self.record(*words)["results"][0]["rows"] if row["dropped"]], [], "no job has ended")
            self.assertEqual(len(self.tried()), 2, "who ends well forgets what it wrote, and no more")
        finally:
            for job in jobs:
                job.send_signal(KILL)
                job.communicate()

    def test_only_what_a_job_left_that_is_gone_counts_as_ended(self):
        words = ["--shape", "8x8x8", "--engine", "native", "--tile", 16, "--chunks", 1, "--windows", 1]
        first = self.tune(*words, seconds=60)[0]
        recipe = first["rows"][-1]["recipe"]
        here = f"{socket.gethostname()} {os.readlink('/proc/self/ns/pid')}"
        with open("/proc/self/stat") as file:
            beginning = int(file.read().rsplit(")", 1)[1].split()[19])
        gone = subprocess.Popen(["true"])
        gone.wait()
        for about, job, ended in [("this very process", {"host": here, "pid": os.getpid(), "beginning": beginning}, False),
                                  ("another one with its number", {"host": here, "pid": os.getpid(), "beginning": beginning - 1}, True),
                                  ("a process that is gone", {"host": here, "pid": gone.pid, "beginning": beginning}, True),
                                  ("a job elsewhere that has time left", {"host": "elsewhere", "since": time.time(), "limit": 1000}, False),
                                  ("a job elsewhere whose time is up", {"host": "elsewhere", "since": time.time() - 2000, "limit": 1000}, True)]:
            with open(os.path.join(self.folder, "w", "tuning.json"), "w") as file:
                entry = {"ended_before": recipe, "running": {"a job": {"recipe": recipe, **job}}}
                json.dump({"format": "shardfft tuning 1", "entries": {first["key"]: entry}}, file)
            rows = self.tune(*words, seconds=60)[0]["rows"]
            self.assertEqual([row["dropped"] for row in rows if row["dropped"]], ["the job ended twice while it ran"] if ended else [], about)
            self.assertEqual(self.tried(), [] if ended else [recipe], about)

    def test_what_other_problems_and_options_left_is_not_about_this_one(self):
        words = ["tune", "--shape", "8x8x8", "--engine", "native", "--chunks", 1, "--windows", 1]
        keys = {self.tune(*words[1:], *more)[0]["key"] for more in [[], ["--in-place"], ["--tile", 16]]}
        self.assertEqual(len(keys), 3)
        job = start(*self.HANGS, cwd=self.folder, variables={**self.variables, "SHARDFFT_TUNE_HANG": "fuse 1"})
        try:
            self.assertTrue(wait_for(lambda: self.tried()))
            self.assertIn("given", list(self.journal())[0], "the journal names it as wisdom does")
        finally:
            job.send_signal(KILL)
            job.communicate()

    def test_what_people_wrote_into_the_journal_is_no_reason_to_stop(self):
        words = ["--shape", "8x8x8", "--engine", "native", "--tile", 16, "--chunks", 1, "--windows", 1]
        first = self.tune(*words, seconds=60)[0]
        recipe = first["rows"][-1]["recipe"]
        for entry in [{"dropped": {recipe: 5}}, {"dropped": [recipe], "running": recipe, "ended_before": 3}, {"running": {"a job": 7, "another": {"pid": "x"}}}, 9]:
            with open(os.path.join(self.folder, "w", "tuning.json"), "w") as file:
                json.dump({"format": "shardfft tuning 1", "entries": {first["key"]: entry}}, file)
            rows = self.tune(*words, seconds=60)[0]["rows"]
            dropped = [row["recipe"] for row in rows if row["dropped"]]
            self.assertEqual(dropped, [recipe] if entry == {"dropped": {recipe: 5}} else [], entry)

    def test_a_launcher_that_cannot_start_the_job_is_asked_once(self):
        words = ["tune", "--shape", "8x8x8", "--launch", "false"]
        for variables, says in [({}, "the launcher could not start the job, which ended with status 1"), ({"SHARDFFT_WISDOM": "off"}, "ended with status 1: the launcher could not start it, or")]:
            result = self.done(*words, status=1, **variables)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
            self.assertIn(says, result.stderr)

    def launcher(self, text):
        """A launcher that writes down with what it was called."""
        path = self.path("launcher")
        with open(path, "w") as file:
            file.write("#!/bin/sh\necho \"$@\" >> " + self.path("calls") + "\n" + text)
        os.chmod(path, 0o755)
        return path

    def calls(self):
        with open(self.path("calls")) as file:
            return file.read().splitlines()

    def test_child_jobs_share_the_time(self):
        """A launcher whose jobs crash once, and end well then."""
        journal = os.path.join(self.folder, "w", "tuning.json")
        note = json.dumps({"format": "shardfft tuning 1", "entries": {"a problem": {"running": {"a job": {"recipe": "this one"}}}}})
        path = self.launcher(f"test -e {journal} && exit 0\nsleep 1\necho '{note}' > {journal}\nexit 7\n")
        result = self.done("tune", "--shape", "8x8x8,8x8x10", "--seconds", 30, "--limit", 5, "--launch", path)
        self.assertIn("goes on without the candidate that ended the job (status 7)", result.stderr)
        seconds = [float(call.split("--seconds ")[1].split()[0]) for call in self.calls()]
        self.assertEqual(len(seconds), 2)
        self.assertEqual(seconds[0], 30)
        self.assertLessEqual(seconds[1], 29.5, "the first job took a second, half of it for each shape")
        self.assertGreaterEqual(seconds[1], 7.5, "a quarter is left in any case")

    def test_a_job_that_ends_otherwise_is_not_started_again(self):
        journal = os.path.join(self.folder, "w", "tuning.json")
        path = self.launcher(f"echo '{json.dumps({'format': 'shardfft tuning 1', 'entries': {}})}' > {journal}\nexit 1\n")
        self.assertEqual(self.done("tune", "--shape", "8x8x8", "--launch", path, status=1).stderr, "", "it says itself why")
        self.assertEqual(len(self.calls()), 1)

    def test_a_hung_candidate_that_cannot_be_written_down_ends_the_tuning(self):
        os.makedirs(self.path("w/tuning.json.lock"), exist_ok=True)  # so that nobody can write there, root neither
        result = self.done("tune", "--shape", "8x8x8", "--launch", self.launcher("exit 3\n"), status=3)
        self.assertIn("could not be written down", result.stderr)
        self.assertEqual(len(self.calls()), 1)

    @needs_launcher
    def test_ranks_agree_and_a_transport_that_cannot_be_opened_is_dropped(self):
        for ranks in [2, 3]:
            result = self.tune("--shape", "12x10x8", "--engine", "native", "--tile", 16, "--chunks", 1, "--fuse", 2, "--stream", 0, ranks=ranks, seconds=60,
                               SHARDFFT_SHM_LIMIT="100")[0]
            self.assertNotIn("shared_memory", result["rows"][0]["recipe"])
            self.assertEqual(result["rows"][0]["dropped"], "")
            dropped = [row for row in result["rows"] if row["dropped"]]
            self.assertTrue(dropped and all("shared_memory" in row["recipe"] and "/dev/shm" in row["dropped"] for row in dropped), dropped)

    @needs_launcher
    def test_child_jobs_go_on_without_what_hangs(self):
        result = self.done(*self.HANGS, "--transport", "shared_memory", "--launch", " ".join([*MPIRUN, "2"]), "--json", "t.json", SHARDFFT_TUNE_HANG="fuse 1 windows 1 stream 1")
        self.assertIn("goes on without", result.stderr)
        with open(self.path("t.json")) as file:
            record = json.load(file)
        self.assertEqual(record["ranks"], 2)
        rows = record["results"][0]["rows"]
        self.assertEqual(rows[0]["dropped"], "")
        self.assertTrue([row for row in rows if row["dropped"]])

    def test_bad_input(self):
        self.refused("tune", says=["--shape"])
        self.refused("tune", "--shape", "8x8,0x4", says=["--shape"])
        self.refused("tune", "--shape", "8x8", "--seconds", "-1", says=["--seconds", "-1"])
        self.refused("tune", "--shape", "8x8", "--limit", "0", says=["--limit"])
        self.refused("tune", "--shape", "8x8", "--effort", "model", says=["--effort", "model"])
        self.refused("tune", "--shape", "8x8", "--report", "poem", says=["--report", "poem"])
        self.refused("tune", "--shape", "8x8", "--engine", "abacus", says=["abacus"])
        self.refused("tune", "--shape", "8x8", "--launch", "no-such-launcher", says=["--launch", "no-such-launcher"])
        self.refused("bench", "--shape", "8x8", "--effort", "much", says=["much"])
        self.refused("bench", "--shape", "8x8", "--tune-seconds", "-3", says=["-3"])
        self.refused("bench", "--shape", "8x8", says=["SHARDFFT_TUNE_SECONDS", "long"], SHARDFFT_TUNE_SECONDS="long")


class Wisdom(OnAKnownMachine):
    def ids(self):
        return [entry["id"] for entry in self.record("wisdom", "list")["entries"]]

    def test_entries_are_listed_shown_and_forgotten(self):
        self.assertIn("no entries", self.done("wisdom", "list").stdout)
        self.tune("--shape", "8x8x8,8x8x10")
        ids = self.ids()
        self.assertEqual(len(set(ids)), 2)
        text = self.done("wisdom", "list").stdout
        self.assertTrue(all(i in text for i in ids) and "8 x 8 x 10" in text)
        self.assertIn("chunks", self.done("wisdom", "show", ids[0]).stdout)
        self.assertEqual(self.record("wisdom", "show", ids[1])["entries"][0]["id"], ids[1])
        self.assertEqual(self.record("wisdom", "forget", ids[0])["forgotten"], 1)
        self.assertEqual(self.ids(), [ids[1]])
        self.assertEqual(self.record("wisdom", "forget", "--all")["forgotten"], 1)
        self.assertEqual(self.ids(), [])

    def damage(self, change, place="w"):
        """Calls change(key, entry) on every entry of the file."""
        name = self.path(place + "/wisdom.json")
        with open(name) as file:
            kept = json.load(file)
        for key, entry in kept["entries"].items():
            change(key, entry)
        with open(name, "w") as file:
            json.dump(kept, file)

    @staticmethod
    def row(name, value):
        def change(_, entry):
            for row in entry["measured"]:
                row[name] = value
        return change

    def test_an_entry_that_makes_no_sense_is_one_line_and_no_harm(self):
        words = ["bench", "--shape", "8x8x8", "--iterations", 1]
        self.tune("--shape", "8x8x8")
        with open(self.path("w/wisdom.json")) as file:
            good = file.read()
        for name, value in [("ranks_grid", [0, 2]), ("ranks_grid", [7, 7]), ("ranks_grid", [-2, -1]), ("ranks_grid", [2**62, 2**62]), ("decomposition", "foo"), ("tile", 1 << 24), ("fuse", 3)]:
            with self.subTest(name=name, value=value), open(self.path("w/wisdom.json"), "w") as file:
                file.write(good)
                file.close()
                self.damage(self.row(name, value))
                stderr = self.done(*words).stderr
                self.assertEqual(len(stderr.splitlines()), 1, stderr)
                for part in ["w/wisdom.json", name, "shardfft wisdom forget " + self.id_by_key()]:
                    self.assertIn(part, stderr)
        self.done("wisdom", "forget", self.id_by_key())
        self.assertEqual(self.done(*words).stderr, "", "the remedy helps")

    def id_by_key(self):
        record = self.record("wisdom", "list")
        return (record["entries"] + record["damaged"])[0]["id"]

    @needs_launcher
    def test_ranks_go_on_together_without_an_entry_that_does_not_fit(self):
        self.tune("--shape", "8x8x8", ranks=2)
        for value in [[7, 7], [0, 2]]:
            self.damage(self.row("ranks_grid", value))
            result = self.done("bench", "--shape", "8x8x8", "--iterations", 1, ranks=2)
            self.assertEqual(len(own_lines(result.stderr)), 1, result.stderr)

    def test_a_damaged_entry_leaves_the_others_and_can_be_forgotten(self):
        self.tune("--shape", "8x8x8,8x8x10")
        ids = {key: i for i, key in [(entry["id"], entry["key"]) for entry in self.record("wisdom", "list")["entries"]]}
        bad = next(i for key, i in ids.items() if "8 x 8 x 10" in key)
        good = next(i for key, i in ids.items() if "8 x 8 x 8 " in key)
        self.damage(lambda key, entry: entry.update(date=3) if "8 x 8 x 10" in key else None)
        record = self.record("wisdom", "list")
        self.assertEqual(([e["id"] for e in record["entries"]], [e["id"] for e in record["damaged"]]), ([good], [bad]))
        self.assertIn("date", record["damaged"][0]["why"])
        self.assertRegex(self.done("wisdom", "list").stdout, bad + ".*damaged.*date is a text")
        self.assertIn("chunks", self.done("wisdom", "show", good).stdout)
        self.refused("wisdom", "show", bad, says=["damaged", "date is a text", "wisdom forget " + bad])
        shutil.copytree(self.path("w"), self.path("other"))
        self.assertEqual(self.record("wisdom", "forget", bad)["forgotten"], 1)
        self.assertEqual(self.ids(), [good])
        self.done("wisdom", "forget", good)
        merged = self.done("wisdom", "merge", "other/wisdom.json")
        self.assertIn("1 of 2 entries", merged.stdout)
        self.assertEqual(len(merged.stderr.splitlines()), 1, merged.stderr)
        self.assertIn("leaves out", merged.stderr)
        self.assertEqual(self.record("wisdom", "forget", "--all", SHARDFFT_WISDOM=self.path("other"))["forgotten"], 2)

    def test_a_shorter_tuning_does_not_take_the_place_of_a_longer_one(self):
        rows = lambda: [len(entry["measured"]) for entry in self.record("wisdom", "list")["entries"]]
        self.tune("--shape", "16x16x16", "--engine", "native", seconds=3)
        before = rows()
        self.assertGreater(before[0], 1)
        result = self.done("tune", "--shape", "16x16x16", "--engine", "native", "--seconds", 0.000001)
        self.assertEqual(rows(), before)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn("more thorough", result.stderr)

    def test_huge_pages_that_are_given_have_an_entry_of_their_own(self):
        for value in [0, 1]:
            self.tune("--shape", "8x8x8", "--huge-pages", value)
        self.assertEqual(len(self.ids()), 2)

    def test_a_rate_of_nothing_is_one_line_and_measured_anew(self):
        name = self.path("w/machine.json")
        for rate in ["memory_bytes_per_s", "cache_bytes_per_s"]:
            with open(name, "w") as file:
                kept = json.loads(OnAKnownMachine.machine)
                for entry in kept["entries"].values():
                    entry[rate] = 0
                json.dump(kept, file)
            for words in [["explain", "--shape", "64x64x64", "--ranks", 4], ["bench", "--shape", "64x64x64", "--iterations", 1]]:
                result = self.done(*words)
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                for part in [name, rate, "got 0", "info --measure"]:
                    self.assertIn(part, result.stderr)
        self.tune("--shape", "8x8x8", seconds=0.1)
        self.assertEqual(self.done("bench", "--shape", "8x8x8", "--iterations", 1).stderr, "")

    def test_files_are_merged(self):
        self.tune("--shape", "8x8x8")
        os.rename(self.path("w"), self.path("other"))
        self.tune("--shape", "8x8x10")
        self.assertEqual(self.record("wisdom", "merge", "other/wisdom.json")["taken"], 1)
        self.assertEqual(len(self.ids()), 2)

    def test_bad_input(self):
        self.refused("wisdom", says=["--help"])
        self.refused("wisdom", "praise", says=["praise"])
        self.refused("wisdom", "show", says=["ID"])
        self.refused("wisdom", "show", "12345678", says=["12345678", "wisdom list"])
        self.refused("wisdom", "forget", says=["--all"])
        self.refused("wisdom", "forget", "12345678", "--all", says=["both"])
        self.refused("wisdom", "merge", "absent.json", says=["absent.json"])
        self.refused("wisdom", "list", says=["SHARDFFT_WISDOM"], SHARDFFT_WISDOM="off")
        with open(self.path("text.json"), "w") as file:
            file.write("hello")
        self.refused("wisdom", "merge", "text.json", says=["text.json", "damaged"])
        self.refused("wisdom", "list", says=["text.json"], SHARDFFT_WISDOM=self.path("text.json"))

    def test_a_damaged_file_is_one_line_and_no_harm(self):
        with open(self.path("w/wisdom.json"), "w") as file:
            file.write('{"format": "shardfft wisdom 1", "ent')
        result = self.done("bench", "--shape", "8x8x8", "--iterations", 1)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn("wisdom.json", result.stderr)
        self.assertIn("not kept", self.done("tune", "--shape", "8x8x8", "--seconds", 0.2, status=2).stdout)
        with open(self.path("w/wisdom.json")) as file:
            self.assertEqual(file.read(), '{"format": "shardfft wisdom 1", "ent')


if __name__ == "__main__":
    unittest.main()
