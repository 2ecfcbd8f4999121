"""tune, when jobs hang, crash, run beside each other or cannot be started: what is written down for the next one."""
import json
import os
import socket
import subprocess
import time
import unittest

from program import KILL, MPIRUN, needs_launcher, own_lines, start, wait_for
from tuning import OnAKnownMachine

CANDIDATE = "fuse 1 intermediate buffers non_temporal all"


class Jobs(OnAKnownMachine):
    # Few candidates, so that all of them have their turn well before the time is up, however slow the machine is.
    HANGS = [
        "tune", "--shape", "8x8x8", "--seconds", 60, "--limit", 3, "--engine", "native", "--tile", 16, "--chunks", 1,
        "--intermediate", "buffers"
    ]

    def test_a_trial_that_takes_too_long_ends_the_job_and_is_left_out_of_the_next_one(self):
        result = self.done(*self.HANGS, status=3, SHARDFFT_TUNE_HANG=CANDIDATE)
        self.assertEqual(len(own_lines(result.stderr)), 1, result.stderr)
        self.assertIn("it took more than 3 s", result.stderr)
        dropped = [row for row in self.record(*self.HANGS)["results"][0]["rows"] if row["dropped"]]
        self.assertEqual(len(dropped), 1)
        self.assertIn(dropped[0]["recipe"], result.stderr)
        self.assertEqual([row for row in self.record(*self.HANGS)["results"][0]["rows"] if row["dropped"]], [],
                         "after a run that ended well all begin anew")

    def test_where_the_only_candidate_hung_the_next_run_says_so_and_what_to_do(self):
        words = [*self.HANGS, "--fuse", 1, "--non-temporal", "all", "--threads", 1]
        self.done(*words, status=3, SHARDFFT_TUNE_HANG=CANDIDATE)
        self.assertIn("every candidate was dropped, 1 of 1 for this: it took more than 3 s; leave out what was chosen "
                      "for it (--engine, --transport), or give it more time", self.done(*words, status=1).stderr)

    def test_a_candidate_that_ends_the_job_twice_is_left_out(self):
        words = self.HANGS[:self.HANGS.index("--limit")] + self.HANGS[self.HANGS.index("--engine"):]
        for ended_before in [False, True]:
            job = self.start_hanging(*words, at=CANDIDATE)
            self.assertTrue(
                wait_for(lambda: self.is_trying(CANDIDATE, ended_before)),
                "the candidate's turn comes")
            self.kill(job)
        dropped = [row for row in self.record(*words)["results"][0]["rows"] if row["dropped"]]
        self.assertEqual([row["dropped"] for row in dropped], ["the job ended twice while it ran"])

    def start_hanging(self, *words, at):
        """A job that hangs at a candidate, until it is killed or the test ends."""
        job = start(*words, cwd=self.folder, variables={**self.variables, "SHARDFFT_TUNE_HANG": at})
        self.addCleanup(self.kill, job)
        return job

    @staticmethod
    def kill(job):
        if job.returncode is None:
            job.send_signal(KILL)
            job.communicate()

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
        return any(recipe in tried
                   for tried in self.tried()) and any("ended_before" in entry
                                                      for entry in self.journal().values()) == ended_before

    def test_jobs_that_tune_the_same_at_the_same_time_leave_each_other_alone(self):
        words = self.HANGS[:self.HANGS.index("--limit")] + self.HANGS[self.HANGS.index("--engine"):]
        for count in [1, 2]:
            self.start_hanging(*words, at=CANDIDATE)
            self.assertTrue(
                wait_for(lambda: sum(CANDIDATE in recipe for recipe in self.tried())
                         == count), "the candidate's turn comes")
        self.assertEqual([row["dropped"] for row in self.record(*words)["results"][0]["rows"] if row["dropped"]], [],
                         "no job has ended")
        self.assertEqual(len(self.tried()), 2, "who ends well forgets what it wrote, and no more")

    def test_only_what_a_job_left_that_is_gone_counts_as_ended(self):
        words = ["--shape", "8x8x8", "--engine", "native", "--tile", 16, "--chunks", 1, "--intermediate", "buffers"]
        first = self.tune(*words, seconds=60)[0]
        recipe = first["rows"][-1]["recipe"]
        here = f"{socket.gethostname()} {os.readlink('/proc/self/ns/pid')}"
        with open("/proc/self/stat") as file:
            beginning = int(file.read().rsplit(")", 1)[1].split()[19])
        gone = subprocess.Popen(["true"])
        gone.wait()
        for about, job, ended in [
            ("this very process", {"host": here, "pid": os.getpid(), "beginning": beginning}, False),
            ("another one with its number", {"host": here, "pid": os.getpid(), "beginning": beginning - 1}, True),
            ("a process that is gone", {"host": here, "pid": gone.pid, "beginning": beginning}, True),
            ("a job elsewhere that has time left", {"host": "elsewhere", "since": time.time(), "limit": 1000}, False),
            ("a job elsewhere whose time is up", {"host": "elsewhere", "since": time.time() - 2000,
                                                  "limit": 1000}, True)
        ]:
            with open(os.path.join(self.folder, "w", "tuning.json"), "w") as file:
                entry = {"ended_before": recipe, "running": {"a job": {"recipe": recipe, **job}}}
                json.dump({"format": "shardfft tuning 1", "entries": {first["key"]: entry}}, file)
            rows = self.tune(*words, seconds=60)[0]["rows"]
            self.assertEqual([row["dropped"] for row in rows if row["dropped"]],
                             ["the job ended twice while it ran"] if ended else [], about)
            self.assertEqual(self.tried(), [] if ended else [recipe], about)

    def test_what_other_problems_and_options_left_is_not_about_this_one(self):
        words = ["tune", "--shape", "8x8x8", "--engine", "native", "--chunks", 1, "--intermediate", "buffers"]
        keys = {self.tune(*words[1:], *more)[0]["key"] for more in [[], ["--in-place"], ["--tile", 16]]}
        self.assertEqual(len(keys), 3)
        self.start_hanging(*self.HANGS, at="fuse 1")
        self.assertTrue(wait_for(lambda: self.tried()))
        self.assertIn("given", list(self.journal())[0], "the journal names it as wisdom does")

    def test_what_people_wrote_into_the_journal_is_no_reason_to_stop(self):
        words = ["--shape", "8x8x8", "--engine", "native", "--tile", 16, "--chunks", 1, "--intermediate", "buffers"]
        first = self.tune(*words, seconds=60)[0]
        recipe = first["rows"][-1]["recipe"]
        for entry in [{"dropped": {recipe: 5}}, {"dropped": [recipe], "running": recipe, "ended_before": 3},
                      {"running": {"a job": 7, "another": {"pid": "x"}}}, 9]:
            with open(os.path.join(self.folder, "w", "tuning.json"), "w") as file:
                json.dump({"format": "shardfft tuning 1", "entries": {first["key"]: entry}}, file)
            rows = self.tune(*words, seconds=60)[0]["rows"]
            dropped = [row["recipe"] for row in rows if row["dropped"]]
            self.assertEqual(dropped, [recipe] if entry == {"dropped": {recipe: 5}} else [], entry)

    def test_a_launcher_that_cannot_start_the_job_is_asked_once(self):
        words = ["tune", "--shape", "8x8x8", "--launch", "false"]
        for variables, says in [({}, "the launcher could not start the job, which ended with status 1"),
                                ({"SHARDFFT_WISDOM": "off"}, "ended with status 1: the launcher could not start it, or")
                                ]:
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
        note = json.dumps(
            {"format": "shardfft tuning 1", "entries": {"a problem": {"running": {"a job": {"recipe": "this one"}}}}})
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
        path = self.launcher(
            f"echo '{json.dumps({'format': 'shardfft tuning 1', 'entries': {}})}' > {journal}\nexit 1\n")
        self.assertEqual(
            self.done("tune", "--shape", "8x8x8", "--launch", path, status=1).stderr, "", "it says itself why")
        self.assertEqual(len(self.calls()), 1)

    def test_a_hung_candidate_that_cannot_be_written_down_ends_the_tuning(self):
        os.makedirs(self.path("w/tuning.json.lock"), exist_ok=True)  # so that nobody can write there, root neither
        result = self.done("tune", "--shape", "8x8x8", "--launch", self.launcher("exit 3\n"), status=3)
        self.assertIn("could not be written down", result.stderr)
        self.assertEqual(len(self.calls()), 1)

    @needs_launcher
    def test_child_jobs_go_on_without_what_hangs(self):
        result = self.done(*self.HANGS, "--transport", "shared_memory", "--launch", " ".join([*MPIRUN, "2"]), "--json",
                           "t.json", SHARDFFT_TUNE_HANG=CANDIDATE)
        self.assertIn("goes on without", result.stderr)
        with open(self.path("t.json")) as file:
            record = json.load(file)
        self.assertEqual(record["ranks"], 2)
        rows = record["results"][0]["rows"]
        self.assertEqual(rows[0]["dropped"], "")
        self.assertTrue([row for row in rows if row["dropped"]])


if __name__ == "__main__":
    unittest.main()
