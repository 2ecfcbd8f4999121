"""Runs the commands that pages show: in an empty folder, with small arrays, the program first on PATH.

Sizes, ranks and repetitions are made few. Files that a command reads and that nobody has written are made.
"""
import functools
import os
import pathlib
import re
import shlex
import stat
import struct
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT_S = 120
MOST_POINTS = 4096
MOST_RANKS = 4
BUSY = "wait for cores"  # what compare says when it cannot measure the limit of the machine
QUICKER = {
    "bench": {"--iterations": "1"},
    "tune": {"--seconds": "0.5"},
    "compare": {"--launches": "1", "--iterations": "1", "--plan-seconds": "1"},
}
TWO_INPUTS = {"correlate", "convolve", "deconvolve", "compare-files", "--cross"}  # words of commands
# Commands that a scratch folder is not enough for, and why.
ELSEWHERE = [
    (r"(\./)?(quickstart|check)\b", "builds for minutes"),
    (r"(git clone|sudo|apt|apt-get|pip)\b", "network"),
    (r"(cmake --(preset|build|install)|ctest)\b", "builds; ./check does it"),
    (r"(tools|benchmarks)/", "a tool of the developers with tests of its own, or minutes"),
    (r"build/\w+/bin/\w+_test\b", "a program of tests; ./check runs it"),
    (r".*\bshardfft compare\b.* --cases\b", "a study takes hours"),
    (r"(srun|sbatch)\b", "Slurm"),
    (r"run-clang-tidy\b", "reads a build for minutes"),
    (r"python examples/cookbook_data|.*\b(brain|gray|galaxies|blurred|smooth\.nii)\b", "test_cookbook.py runs it"),
    (r"(cc|c\+\+|gfortran) ", "compiles what the reader has"),
]


def commands(block):
    """(line number, command) of a block; lines that end in a backslash go on."""
    found, begun = [], None
    for number, line in enumerate(block.text.splitlines(), start=block.line):
        begun = (begun[0], begun[1] + line) if begun else (number, line)
        if line.endswith("\\"):
            begun = (begun[0], begun[1][:-1])
            continue
        if begun[1].strip() and not begun[1].lstrip().startswith("#"):
            found.append((begun[0], begun[1].strip()))
        begun = None
    return found


def words_of(line):
    try:
        return shlex.split(line, comments=True)
    except ValueError:
        return line.split()


def why_elsewhere(line):
    """Why a command is not run, or an empty text."""
    words = re.sub(r"^(\w+=\S* +)+", "", line)  # without variables
    return next((why for pattern, why in ELSEWHERE if re.match(pattern, words)), "")


def smaller(shape):
    """The shape in text, halved until it has few points; one number is a cube."""
    extents = [int(n) for n in shape.split("x")]
    cube = 3 if len(extents) == 1 else 1
    while functools.reduce(lambda a, b: a * b, extents) ** cube > MOST_POINTS:
        at = extents.index(max(extents))
        extents[at] = -(-extents[at] // 2)
    return "x".join(map(str, extents))


def fewer(ranks):
    """The words RANKSxTHREADS in text, none with many ranks, each once."""
    words = [re.sub(r"^[0-9]+(?=x)", lambda m: str(min(int(m[0]), MOST_RANKS)), word) for word in ranks.split(",")]
    return ",".join(dict.fromkeys(words))


def quicker(line):
    """The same command, for a moment's time."""
    if "explain" in line:
        return line
    line = re.sub(r"(--shapes?[ =])([0-9x,]+)", lambda m: m[1] + ",".join(dict.fromkeys(map(smaller, m[2].split(",")))),
                  line)
    line = re.sub(r"(--ranks[ =])([0-9x,]+)", lambda m: m[1] + fewer(m[2]), line)
    for command, options in QUICKER.items():
        for option, value in options.items():
            if re.search(rf"\bshardfft {command}(?![\w-])", line) and option in line:
                line = re.sub(rf"{option}[ =]\S+", f"{option} {value}", line)
            else:
                line = re.sub(rf"\bshardfft {command}(?![\w-])", rf"\g<0> {option} {value}", line)
    return line


def outputs(words):
    """Files that a command of the program promises to write."""
    named = [words[at + 1] for at, word in enumerate(words[:-1]) if word in ("--json", "--trace", "--csv") or
             (word == "--output" and "report" in words)]
    arrays = [word for word in words if word.endswith(".npy")]
    if {"transform", "filter"} & set(words) and len(arrays) == 2:
        named.append(arrays[1])
    if {"convolve", "deconvolve"} & set(words):
        named.append(arrays[2])
    return [name for name in named if name != "-"]


class Build:
    """A folder that CMake has built in."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.program = self.folder / "bin" / "shardfft"
        self.peers = self.folder / "libexec" / "shardfft" / "peers"
        self.results = None  # of a comparison, once one was needed

    def cached(self, name):
        text = (self.folder / "CMakeCache.txt").read_text(encoding="utf-8")
        found = re.search(rf"^{name}:\w+=(.*)$", text, re.MULTILINE)
        return found[1] if found else ""

    def launcher(self):
        """Words that start ranks; none without MPI."""
        found = self.cached("MPIEXEC_EXECUTABLE")
        off = self.cached("SHARDFFT_WITH_MPI") == "OFF" or not found or found.endswith("NOTFOUND")
        return [] if off else [str(ROOT / "tools" / "mpirun"), found]

    def python(self):
        """The interpreter that the package in this folder is for; empty where there is no package."""
        return self.cached("Python_EXECUTABLE") if (self.folder / "python" / "shardfft").exists() else ""

    @functools.cache
    def help(self, *command):
        done = subprocess.run([self.program, *command, "--help"], capture_output=True, text=True, timeout=LIMIT_S)
        return done.stdout if done.returncode == 0 else ""

    @functools.cache
    def devices(self):
        """Kinds of devices that can be used here."""
        said = subprocess.run([self.program, "info"], capture_output=True, text=True, timeout=LIMIT_S).stdout
        return set(re.findall(r"^device +(\w+)", said.split("not usable here")[0], re.MULTILINE))

    def wrong_options(self, line):
        """What is wrong with the command's and the options' names: checked of every command, also where none is run."""
        words = words_of(line)
        at = next((n for n, word in enumerate(words) if pathlib.Path(word).name == "shardfft"), None)
        if at is None or at + 1 >= len(words) or "-m" in words[:at] and words[at + 1] == "convert":  # of the package
            return []
        command = [word for word in words[at + 1:at + 3] if re.fullmatch("[a-z]+(-[a-z]+)*", word)]
        has_parts = command[:1] in (["wisdom"], ["solve"])
        helps = self.help(*command[:1]) + (self.help(*command) if has_parts else "")
        if command and not re.search(rf"^  {command[0]} ", self.help(), re.MULTILINE):
            return [f"shardfft has no command {command[0]}"]
        options = [word.split("=")[0] for word in words[at + 1:] if re.match(r"-{1,2}[a-z]", word)]
        known = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", helps if command else self.help()))
        return [f"shardfft {' '.join(command[:1])} has no option {option}" for option in options if option not in known]


class Scratch:
    """An empty folder with what a reader has: the clone's folders, the program, a launcher. Variables stay as
    exported."""

    def __init__(self, build, folder):
        self.build, self.folder = build, pathlib.Path(folder)
        self.bin, peers = self.folder / ".bin", self.folder / ".peers"
        for made in (self.bin, peers, self.folder / "build" / "release", self.folder / "build" / "data"):
            made.mkdir(parents=True)
        for name in ("bin", "libexec"):
            (self.folder / "build" / "release" / name).symlink_to(build.folder / name)
        for name in ("benchmarks", "cases", "examples", "tools", "docs"):
            (self.folder / name).symlink_to(ROOT / name)
        self.has_peer = (build.peers / "peer_shardfft").exists()
        for file in build.peers.glob("*") if build.peers.is_dir() else []:
            if file.name == "peer_shardfft" or file.suffix == ".py":
                (peers / file.name).symlink_to(file)
        self.write_launcher()
        kept = {k: v for k, v in os.environ.items() if not k.startswith("SHARDFFT")}
        path = os.pathsep.join([str(self.bin), str(build.program.parent), os.environ["PATH"]])
        self.variables = {**kept, "OMP_NUM_THREADS": "2", "PATH": path, "SHARDFFT_PEERS": str(peers),
                          "PYTHONPATH": str(build.folder / "python"), "SHARDFFT_WISDOM": str(self.folder / ".wisdom")}

        if build.python():
            self.write_script("python", f'exec {shlex.quote(build.python())} "$@"')

    def write_script(self, name, text):
        file = self.bin / name
        file.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)

    def write_launcher(self):
        # mpirun [--oversubscribe] -n N WORD...
        self.write_script("mpirun", 'while [ "$1" != -n ]; do shift; done\nshift\n'
                          f'exec {shlex.join(self.build.launcher())} "$@"')

    def run(self, line):
        words = ["bash", "-c", line]
        try:
            return subprocess.run(words, cwd=self.folder, env=self.variables, capture_output=True, text=True,
                                  timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(words, 124, "", f"not done after {LIMIT_S} s")

    def python(self, text):
        """Runs a block of Python by itself. What it printed, and what is wrong with it."""
        (self.folder / ".block.py").write_text(text, encoding="utf-8")
        done = self.run(shlex.join([self.build.python(), ".block.py"]))
        return done.stdout, "" if done.returncode == 0 else done.stderr

    def cannot(self, line):
        """What a command needs that this build lacks, or an empty text."""
        if "mpirun" in line and not self.build.launcher():
            return "built without MPI"
        device = re.search(r"--device[ =](cuda|hip|sycl)\b", line)
        if device and device[1] not in self.build.devices():
            return f"no device {device[1]} here"
        unbuilt = [
            word for word in words_of(line) if word.startswith("build/release/") and not (self.folder / word).exists()
        ]
        if unbuilt:
            return f"{unbuilt[0]} is not built"
        needs_results = self.missing_results(words_of(line))
        if (re.search(r"shardfft compare\b", line) or needs_results) and not self.has_peer:
            return "peer_shardfft is not built"
        return ""

    def missing_results(self, words):
        if "report" not in words and "--gate" not in words:
            return []
        return [word for word in words if word.endswith(".json") and not (self.folder / word).exists()]

    def make_inputs(self, line):
        """The arrays that a command reads, and files of results, where nobody has made them."""
        words = words_of(line)
        reads = 2 if TWO_INPUTS & set(words) else 1
        for array in [self.folder / word for word in words if word.endswith(".npy")][:reads]:
            if not array.exists():
                array.write_bytes(npy((8, 6, 10), is_complex="c2r" in words))
        for name in self.missing_results(words):
            if self.build.results is None:
                self.run(quicker("shardfft compare --shapes 6 --ranks 1x1 --with shardfft --json .results.json"))
                made = self.folder / ".results.json"
                self.build.results = made.read_bytes() if made.exists() else None
            if self.build.results is not None:
                (self.folder / name).write_bytes(self.build.results)

    def keep_variables(self, line):
        done = self.run(f"set -e\n{line}\nenv -0")
        self.variables = dict(entry.split("=", 1) for entry in done.stdout.split("\0") if "=" in entry)
        return done

    def complaint(self, line, done, status):
        """Empty when a command did what it promises."""
        if done.returncode != status:
            return f"status {done.returncode}, not {status}\n{done.stdout}{done.stderr}"
        missing = [name for name in outputs(words_of(line)) if not (self.folder / name).exists()]
        return f"did not write {', '.join(missing)}" if status == 0 and missing else ""

    def do(self, line, status=0, shrink=True):
        """What the command printed, and what is wrong with it."""
        if line.startswith("export "):
            done = self.keep_variables(line)
            return "", self.complaint("", done, 0)
        self.make_inputs(line)
        if self.missing_results(words_of(line)):
            return "", f"no results to read: other programs' ranks {BUSY}"
        run = quicker(line) if shrink else line
        done = self.run(run)
        said = self.complaint(line, done, status)
        return done.stdout, f"{run}\n{said}" if said else ""


def npy(shape, is_complex):
    """A .npy file of made-up numbers, without NumPy."""
    count = functools.reduce(lambda a, b: a * b, shape) * (2 if is_complex else 1)
    head = f"{{'descr': '{'<c16' if is_complex else '<f8'}', 'fortran_order': False, 'shape': {shape}, }}".ljust(
        117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(
        f"<{count}d", *((n * 7919 % 1000) / 1000 for n in range(count)))


def differs(shown, printed):
    """Empty, or the first line of `shown` that `printed` does not have there; `...` stands for anything."""
    got = printed.splitlines()
    for number, line in enumerate(shown.splitlines()):
        pattern = ".*".join(map(re.escape, line.rstrip().split("...")))
        if number >= len(got) or not re.fullmatch(pattern, got[number].rstrip()):
            return f"shown:   {line}\nprinted: {got[number] if number < len(got) else '(nothing)'}"
    return ""
