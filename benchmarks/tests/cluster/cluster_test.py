"""The scripts of benchmarks/cluster under stand-ins of Slurm, PBS and Flux: two ranks on this machine."""
import getpass
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tarfile
import time
import unittest

from program import MPIRUN, PROGRAM, InFolder, environment

CLUSTER = pathlib.Path(__file__).resolve().parents[2] / "cluster"
ROOT = CLUSTER.parents[1]
LIMIT_S = 120
CASES = """
launches = 1
iterations = 2
warmup = 0
call = ["default"]
[[cases]]
shapes = [8, 12]
ranks = ["2x1"]
with = ["shardfft+again"]
"""
HOST = "node-of-a-test"

# What a scheduler does with the script and what its launcher does with the ranks, each in a few lines.
BATCH = "while [[ ${1-} == -* ]]; do shift; done; echo batch >>$CALLS; "
STAND_INS = {
    # Measuring takes seconds.
    "shardfft": f'echo shardfft $* >>$CALLS; [[ $1 == info ]] && set -- "${{@/--measure/--bits}}"; exec {PROGRAM} "$@"',
    "hostname": f"echo {HOST}",
    "scontrol": f"echo {HOST}",
    "sbatch": BATCH + "grep -q '^#SBATCH --time' $1 && SLURM_JOB_ID=1 SLURM_JOB_NUM_NODES=1 "
              f"SLURM_JOB_NODELIST={HOST} exec bash $@",
    "srun": "echo srun $* >>$CALLS; while [[ $1 == -* ]]; do [[ $1 == -n ]] && ranks=$2; "
            "[[ $1 == *=* ]] || shift; shift; done; exec $LAUNCH $ranks $@",
    "qsub": "while [[ ${1-} == -* ]]; do [[ $1 == -v ]] && export \"${2%%,*}\" \"${2#*,}\"; shift 2; done; "
            f"grep -q '^#PBS -l walltime' $1 && echo {HOST} >$CALLS.hosts && "
            "PBS_NODEFILE=$CALLS.hosts PBS_O_WORKDIR=$PWD exec bash $1",
    "mpiexec": "echo mpiexec $* >>$CALLS; [[ $1 != --version ]] || exec echo HYDRA; [[ $1 == -f ]] || exit 9; "
               "grep -qx '" + HOST + ":2' $2 || exit 8; shift 2; ranks=$2; shift 2; exec $LAUNCH $ranks $@",
    "flux": "echo flux $* >>$CALLS; sub=$1; shift; [[ $sub == getattr ]] && exec echo 1; "
            "if [[ $sub == batch ]]; then while [[ $1 == -* ]]; do shift; done; "
            "grep -q '^# flux: --time-limit' $1 && exec bash $@; fi; "
            "while [[ $1 == -* ]]; do [[ $1 == -n ]] && ranks=$2; shift 2; done; exec $LAUNCH $ranks $@",
}


@unittest.skipUnless(MPIRUN, "built without MPI")
class Jobs(InFolder):
    def setUp(self):
        super().setUp()
        self.folder = pathlib.Path(self.folder)
        self.results = self.folder / "results"
        (self.folder / "small.toml").write_text(CASES)
        programs = self.folder / "programs"
        programs.mkdir()
        for name, script in STAND_INS.items():
            (programs / name).write_text(f"#!/usr/bin/env bash\n{script}\n")
            (programs / name).chmod(0o755)
        self.variables = {
            **environment(), "PATH": f"{programs}:{os.environ['PATH']}", "CALLS": str(self.folder / "calls"),
            "SHARDFFT": str(programs / "shardfft"), "LAUNCH": " ".join(MPIRUN), "LOGNAME": getpass.getuser(),
            "CLUSTER_OPTIONS": "--oversubscribe", "ALL_TO_ALL": "true"}

    def submit(self, scheduler):
        files = [self.results, self.folder / "small.toml"]
        words = {
            "slurm": ["sbatch", "--nodes=1", CLUSTER / "slurm.sh", *files],
            "pbs": ["qsub", "-l", "select=1:ncpus=2", "-v", f"FOLDER={files[0]},FILES={files[1]}", CLUSTER / "pbs.sh"],
            "flux": ["flux", "batch", "--nodes=1", CLUSTER / "flux.sh", *files],
        }[scheduler]
        return subprocess.Popen([*map(str, words)], cwd=ROOT, env=self.variables, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, start_new_session=True)

    def launches(self):
        """Results by shape of the case."""
        with open(self.results / "small.json", encoding="utf-8") as file:
            cases = json.load(file)["cases"]
        return {tuple(case["shape"]): [launch for entry in case["entries"] for launch in entry["launches"]]
                for case in cases}

    def measured(self, scheduler):
        job = self.submit(scheduler)
        said = job.communicate(timeout=LIMIT_S)[0]
        self.assertEqual(job.returncode, 0, said)
        return said

    def test_pbs_and_flux_measure_all_cases_and_a_report_reads_them(self):
        for scheduler, launcher in (("pbs", "mpiexec -f"), ("flux", "flux run -N 1 -n 2 -c 1")):
            with self.subTest(scheduler):
                self.results = self.folder / scheduler
                said = self.measured(scheduler)
                self.assertEqual({shape: len(launches) for shape, launches in self.launches().items()},
                                 {(8, 8, 8): 2, (12, 12, 12): 2}, said)
                self.assertIn(launcher, (self.folder / "calls").read_text())
        page = self.folder / "page.html"
        subprocess.run([PROGRAM, "report", *(self.folder / name / "small.json" for name in ("pbs", "flux")),
                        "--output", page], check=True, env=environment(), capture_output=True)
        self.assertIn("12³ c2c", page.read_text())

    def test_a_job_of_slurm_that_was_ended_goes_on_and_repeats_nothing(self):
        job = self.submit("slurm")
        while not (self.results / "small.json").exists() or len(self.launches().get((8, 8, 8), ())) < 2:
            self.assertIsNone(job.poll(), "ended before it was stopped")
            time.sleep(0.01)
        os.killpg(job.pid, signal.SIGKILL)
        job.communicate()
        first = self.launches()[8, 8, 8]
        said = self.measured("slurm")
        again = self.launches()
        self.assertEqual({shape: len(launches) for shape, launches in again.items()},
                         {(8, 8, 8): 2, (12, 12, 12): 2}, said)
        self.assertEqual(again[8, 8, 8], first)
        self.assertIn("srun -N 1 -n 2 -c 1", (self.folder / "calls").read_text())

    def test_the_archive_holds_what_is_promised_and_no_names(self):
        self.results.mkdir()
        (self.results / "small.json").write_text(f'{{"folder": "/home/{getpass.getuser()}/x", "on": "{HOST}"}}')
        self.variables |= {
            "ALL_TO_ALL": str(pathlib.Path(PROGRAM).with_name("all_to_all")), "SLURM_JOB_NODELIST": HOST,
            "SHARDFFT_MPIRUN": f"{' '.join(MPIRUN)} {{ranks}}", "OMPI_MCA_note": "kept"}
        subprocess.run([CLUSTER / "collect", self.results], check=True, env=self.variables, timeout=LIMIT_S,
                       capture_output=True)
        with tarfile.open(self.results / "shardfft-machine.tar.gz") as archive:
            texts = {name.split("/", 1)[1]: archive.extractfile(name).read().decode() for name in archive.getnames()
                     if archive.getmember(name).isfile()}
            self.assertEqual({member.uname for member in archive.getmembers()}, {""})
        self.assertIn("shardfft info --measure", (self.folder / "calls").read_text())
        self.assertGreater(json.loads(texts["info.json"])["cores"], 0)
        sizes = [json.loads(line) for line in texts["bandwidth_within_a_node.json"].splitlines()]
        self.assertGreater(min(line["mb_per_s"] for line in sizes), 0)
        for file, word in (("about.txt", "shardfft"), ("processor.txt", "Model name"), ("memory.txt", "MemTotal"),
                           ("mpi.txt", "MPI"), ("network.txt", "driver"), ("variables.txt", "OMPI_MCA_note=kept"),
                           ("info.txt", "wisdom"), ("results/small.json", '"on": "host"')):
            self.assertIn(word, texts[file])
        for name, text in texts.items():
            for hidden in {HOST, getpass.getuser(), socket.gethostname()} - {"localhost"}:
                self.assertNotRegex(text, rf"\b{hidden}\b", name)


class Scripts(InFolder):
    @unittest.skipUnless(shutil.which("shellcheck"), "no shellcheck here")
    def test_shellcheck_finds_nothing(self):
        done = subprocess.run(["shellcheck", *CLUSTER.iterdir()], capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout, "")

    def test_says_in_one_line_what_is_wrong(self):
        for words, said in (
                (["studies", "out", "nothing"], "studies: there is no case file .*nothing.toml; benchmarks/cases has"),
                (["collect", "nowhere"], "collect: there is no folder nowhere; ")):
            done = subprocess.run([CLUSTER / words[0], *words[1:]], capture_output=True, text=True, cwd=self.folder,
                                  env={**environment(), "SHARDFFT": PROGRAM}, timeout=LIMIT_S, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, f"^{said}.*\n$")


if __name__ == "__main__":
    unittest.main()
