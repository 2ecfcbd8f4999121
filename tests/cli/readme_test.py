"""Every command that README shows works with what ./quickstart builds: the program and its own peer.

The commands are taken from README. The program's folder is on PATH, and `mpirun` is the launcher of the MPI that was
found. Sizes and repetitions are made small.
"""
import os
import re
import shlex
import stat
import subprocess
import unittest

from program import LIMIT_S, MPIRUN, PROGRAM, InFolder, environment

README = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "README.md")
SMALLER = [("256x256x256", "16x12x10"), ("512x512x512", "64x64x64"), ("--shapes 64,256", "--shapes 6,8")]
QUICKER = {
    "bench": ["--iterations", "1"],
    "tune": ["--seconds", "0.5"],
    "compare": ["--launches", "1", "--iterations", "1"],
}


def commands():
    """Of the section about the program: those that a user types."""
    with open(README, encoding="utf-8") as file:
        section = file.read().split("## The program")[1].split("\n## ")[0]
    blocks = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    lines = [line.split("#")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line and not line.startswith("export PATH")]  # run_words does that


def quicker(line):
    for big, small in SMALLER:
        line = line.replace(big, small)
    words = shlex.split(line)
    for command, more in QUICKER.items():
        if command in words:
            words += more
    return words


class Readme(InFolder):
    def setUp(self):
        super().setUp()
        self.bin, self.peers = self.path("bin"), self.path("peers")
        os.mkdir(self.bin)
        os.mkdir(self.peers)
        with open(os.path.join(self.bin, "mpirun"), "w", encoding="utf-8") as file:  # mpirun -n N WORD...
            file.write(f'#!/bin/sh\nshift; exec {shlex.join(MPIRUN)} "$@"\n')
        os.chmod(file.name, os.stat(file.name).st_mode | stat.S_IXUSR)
        self.built = os.path.join(os.path.dirname(os.path.dirname(PROGRAM)), "libexec", "shardfft", "peers")
        for name in os.listdir(self.built) if os.path.isdir(self.built) else []:
            if name == "peer_shardfft" or name.endswith(".py"):  # scripts are there as soon as CMake has run
                os.symlink(os.path.join(self.built, name), os.path.join(self.peers, name))

    def run_words(self, words, **variables):
        return subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=LIMIT_S,
                              env={**environment(), **variables})

    def can_run(self, words):
        if "mpirun" in words and not MPIRUN:
            return False
        return "compare" not in words or os.path.exists(os.path.join(self.peers, "peer_shardfft"))

    def test_every_command_works_one_after_the_other(self):
        os.makedirs(self.path("build/data"))
        self.save("build/data/mni152.npy", self.reals(8, 6, 10))
        path = os.pathsep.join([self.bin, os.path.dirname(PROGRAM), os.environ["PATH"]])
        lines, skipped = commands(), []
        self.assertGreaterEqual(len(lines), 7, lines)
        for line in lines:
            words = quicker(line)
            if not self.can_run(words):
                skipped.append(line)
                continue
            if "report" in words and any("compare" in other for other in skipped):
                continue
            done = self.run_words(words, PATH=path, SHARDFFT_PEERS=self.peers, SHARDFFT_WISDOM=self.path("wisdom"))
            self.assertEqual(done.returncode, 0, f"{line}\n{shlex.join(words)}\n{done.stdout}{done.stderr}")
        for made in ["spectrum.npy"] + ([] if skipped else ["results.json", "results.html"]):
            self.assertTrue(os.path.exists(self.path(made)), made)

    def test_compare_without_peers_says_how_to_build_them(self):
        os.mkdir(self.path("none"))
        for folder in ["none", "missing"]:
            words = [PROGRAM, "compare", "--shapes", "8", "--ranks", "1x1"]
            done = self.run_words(words, SHARDFFT_PEERS=self.path(folder))
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, "cmake --build .* --target peers")


if __name__ == "__main__":
    unittest.main()
