#!/usr/bin/env python3
"""check_fftw_mpi.py [--short] [--no-setup] [--build FOLDER] [--python PYTHON]: programs that others wrote run on
shardfft instead of FFTW-MPI, by preloading libshardfft_fftw3_mpi.so.

  mpi-bench  FFTW's own random checks, from Debian's source package, against Debian's FFTW: every c2c, r2c and c2r plan
             is shardfft's, and all checks pass
  mpb-mpi    photonic bands, Debian's program as it is: the same digits as with FFTW in all bands but the highest
  PETSc      MatCreateFFT (tests/fftw_mpi/petsc_fft.c): the same numbers as with FFTW to 1e-10, and other arrays, too
  Fortran    FFTW's Fortran module (tests/fftw_mpi/twins.f90): the same numbers
  fluidfft   its classes on FFTW-MPI, with its own tests, if PYTHON has them (pip install fluidfft fluidfft-fftwmpi
             mpi4py): the same energies to 1e-10

Installs what is missing of Debian's packages (tools/setup fftw), but for --no-setup and --short. Sources are fetched
and built in a folder that is removed at the end. --short: mpb and 12 random problems. What cannot run here is left out
with a line that says why. Exit status 1 if something was wrong.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PRECISIONS = {"f64": ("", []), "f32": ("f", ["--enable-float"])}  # the letter of the libraries, configure's option
OURS = ("c2c", "r2c", "c2r")
# mpi-bench prints for each problem: its name, and three errors.
CHECKED = re.compile(r"^\S+(?: [0-9.e+-]+){3}$", re.MULTILINE)
ROW = re.compile(r"(c2c|r2c|c2r|transpose|r2r) +(shardfft|fftw) +(\d+) +([0-9.]+) +(\d+) +([0-9.]+)")
BANDS = """(set! geometry-lattice (make lattice (size 1 1 no-size)))
(set! geometry (list (make cylinder (center 0 0 0) (radius 0.2) (height infinity)
                           (material (make dielectric (epsilon 11.56))))))
(set! k-points (interpolate 2 (list (vector3 0 0 0) (vector3 0.5 0 0) (vector3 0.5 0.5 0) (vector3 0 0 0))))
(set! resolution 32)
(set! num-bands 6)
(run-tm)
(run-te)
"""


class Wrong(Exception):
    """Something that must not be; the text says what."""


class LeftOut(Exception):
    """Something that cannot run here; the text says why."""


def plans_in(text):
    """Plans by (kind, who made them), summed over the reports of SHARDFFT_FFTW_REPORT in `text`."""
    plans = {}
    for kind, who, count, *_ in ROW.findall(text):
        plans[kind, who] = plans.get((kind, who), 0) + int(count)
    return plans


def require_ours(plans, kinds):
    """All plans of these kinds are shardfft's, and there are some."""
    passed_on = {kind: plans[kind, "fftw"] for kind in kinds if (kind, "fftw") in plans}
    if passed_on:
        raise Wrong(f"every plan of {', '.join(kinds)} must be shardfft's, but passed on were {passed_on}")
    if not any((kind, "shardfft") in plans for kind in kinds):
        raise Wrong(f"no plan of {', '.join(kinds)} was shardfft's: is the library preloaded?")


def words_of(plans):
    return ", ".join(f"{kind} {count}{'' if who == 'shardfft' else ' passed on'}"
                     for (kind, who), count in sorted(plans.items()))


def run(command, log, cwd=None):
    """What `command` prints, kept in the file `log`, too. Reports come on another stream, and would cut its lines."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, text=True, capture_output=True, errors="replace",
                          check=False)
    text = f"{done.stdout}\n{done.stderr}"
    log.write_text(text, encoding="utf-8")
    if done.returncode != 0:
        raise Wrong(f"{' '.join(str(word) for word in command)[:200]}\nended with {done.returncode}; its last lines:\n"
                    + "\n".join(text.splitlines()[-15:]))
    return text


def require_program(*names):
    for name in names:
        if shutil.which(name) is None:
            raise LeftOut(f"{name} is not here; tools/setup fftw installs it")


class Check:
    """Where things are, and how programs are started."""

    def __init__(self, build, scratch, logs):
        self.library = build / "bindings/fftw_mpi/libshardfft_fftw3_mpi.so"
        self.scratch = scratch
        self.logs = logs
        self.source = None
        if not self.library.exists():
            raise SystemExit(f"check_fftw_mpi: {self.library} is not built; cmake --build {build} --target "
                             "shardfft_fftw3_mpi")
        linked = subprocess.run(["ldd", self.library], capture_output=True, text=True, check=True).stdout
        if "libmpi.so.40" not in linked:
            raise SystemExit("check_fftw_mpi: Debian's programs speak Open MPI 4, but the library is built for another "
                             "MPI; --build names another folder")

    def launch(self, ranks, program, preload):
        """The command that starts `program` on `ranks` ranks."""
        start = [ROOT / "tools/mpirun", shutil.which("mpiexec.openmpi") or "mpiexec", ranks, "env"]
        if preload:
            start += [f"LD_PRELOAD={self.library}", "SHARDFFT_FFTW_REPORT=1"]
        return [*start, *program]

    def timed(self, name, ranks, program, preload):
        begin = time.monotonic()
        log = self.logs / f"{name}_{ranks}_{'shardfft' if preload else 'fftw'}.log"
        text = run(self.launch(ranks, program, preload), log, cwd=self.scratch)
        return text, time.monotonic() - begin

    def fftw_source(self):
        """Debian's source package, by lists of our own: the system's need not name sources."""
        if self.source:
            return self.source
        require_program("apt-get", "dpkg-source")
        folder = self.scratch / "apt"
        for part in ("lists/partial", "cache/archives/partial"):
            (folder / part).mkdir(parents=True)
        release = dict(line.split("=", 1) for line in pathlib.Path("/etc/os-release").read_text().splitlines())
        (folder / "sources.list").write_text("deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] "
                                             f"http://deb.debian.org/debian {release['VERSION_CODENAME']} main\n")
        options = [f"-oDir::Etc::SourceList={folder}/sources.list", "-oDir::Etc::SourceParts=/dev/null",
                   f"-oDir::State::Lists={folder}/lists", f"-oDir::Cache={folder}/cache", "-oAPT::Sandbox::User="]
        try:
            run(["apt-get", *options, "update", "-q"], self.logs / "apt.log")
            run(["apt-get", *options, "source", "-q", "fftw3"], self.logs / "apt.log", cwd=self.scratch)
        except Wrong as failure:
            raise LeftOut(f"Debian's source package fftw3 cannot be fetched: {failure}") from failure
        self.source = next(path for path in self.scratch.glob("fftw3-*") if path.is_dir())
        return self.source

    def mpi_bench(self, precision):
        """FFTW's test program against Debian's shared libraries; nothing of FFTW itself is compiled."""
        letter, option = PRECISIONS[precision]
        source = self.fftw_source()
        require_program("perl", "make", "mpicc.openmpi")
        folder = self.scratch / f"bench_{precision}"
        folder.mkdir()
        log = self.logs / f"bench_{precision}.log"
        run([source / "configure", "--enable-mpi", "--enable-shared", "--enable-threads", *option,
             "MPICC=mpicc.openmpi"], log, cwd=folder)
        run(["make", "-C", "libbench2"], log, cwd=folder)
        includes = [f"-I{path}" for path in (folder, source, source / "libbench2")]
        files = [source / name for name in ("mpi/mpi-bench.c", "tests/fftw-bench.c", "tests/hook.c")]
        libraries = [f"-lfftw3{letter}{part}" for part in ("_mpi", "_threads", "")]
        run(["mpicc.openmpi", "-O1", "-w", "-DHAVE_CONFIG_H", *includes, *files, folder / "libbench2/libbench2.a",
             *libraries, "-lm", "-o", folder / "mpi-bench"], log)
        return folder / "mpi-bench"

    def random_problems(self, bench, precision, ranks, count, threads=1):
        """FFTW's own check of `count` random sizes, each in all its ways. Returns how many checks passed."""
        program = " ".join(str(word) for word in self.launch(ranks, [bench], preload=True))
        options = ["--mpi", *([f"--nthreads={threads}"] if threads > 1 else [])]
        text = run(["perl", "-w", self.source / "tests/check.pl", "--verbose", "--random", "--maxsize=10000",
                    f"-c={count}", *options, program], self.logs / f"check_{precision}_{ranks}_{threads}.log")
        plans = plans_in(text)
        require_ours(plans, OURS)
        checked = len(CHECKED.findall(text))
        words = f"{precision}, {ranks} ranks" + (f", {threads} threads" if threads > 1 else "")
        print(f"mpi-bench {words}: {count} random sizes, {checked} problems right; plans: {words_of(plans)}",
              flush=True)
        return checked

    def mpb(self, ranks):
        require_program("mpb-mpi")
        (self.scratch / "rods.ctl").write_text(BANDS)
        texts, seconds = zip(*(self.timed("mpb", ranks, ["mpb-mpi", "rods.ctl"], preload) for preload in (False, True)))
        # Without the highest band, which mpb has not found to all digits when it stops: FFTW's plans for its other
        # transforms, chosen by time, are enough to change it.
        theirs, ours = ([line.rpartition(",")[0] for line in text.splitlines() if "freqs:" in line] for text in texts)
        require_ours(plans_in(texts[1]), ["c2c"])
        if not theirs or theirs != ours:
            raise Wrong(f"mpb-mpi: band frequencies must be the same digits, but FFTW gave {theirs[:3]}..., shardfft "
                        f"{ours[:3]}...")
        print(f"mpb-mpi on {ranks} ranks: {len(ours)} lines of frequencies, the same digits; FFTW {seconds[0]:.2f} s, "
              f"shardfft {seconds[1]:.2f} s; plans: {words_of(plans_in(texts[1]))}", flush=True)

    def fortran(self, ranks):
        """A Fortran program, which binds to the twins of functions with a communicator."""
        module = pathlib.Path("/usr/include/fftw3-mpi.f03")
        if not module.exists():
            raise LeftOut("FFTW's fftw3-mpi.f03 is not here; tools/setup fftw installs it")
        require_program("mpif90.openmpi")
        program = self.scratch / "twins"
        run(["mpif90.openmpi", f"-I{module.parent}", ROOT / "tests/fftw_mpi/twins.f90", "-o", program, "-lfftw3_mpi",
             "-lfftw3"], self.logs / "fortran.log")
        theirs, ours = (self.timed("fortran", ranks, [program], preload)[0] for preload in (False, True))
        require_ours(plans_in(ours), ["c2c"])
        results = [re.findall(r"sum .*", text) for text in (theirs, ours)]
        if len(results[0]) != 1 or results[0] != results[1]:
            raise Wrong(f"Fortran: the same line, but FFTW gave {results[0]}, shardfft {results[1]}")
        print(f"Fortran on {ranks} ranks: the same numbers; plans: {words_of(plans_in(ours))}", flush=True)

    def petsc(self, ranks):
        require_program("pkg-config", "mpicc.openmpi")
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "PETSc"], capture_output=True, text=True,
                               check=False)
        if flags.returncode != 0:
            raise LeftOut("PETSc is not here; tools/setup fftw installs it")
        program = self.scratch / "petsc_fft"
        if not program.exists():
            run(["mpicc.openmpi", "-w", ROOT / "tests/fftw_mpi/petsc_fft.c", "-o", program, *flags.stdout.split(),
                 "-lm"], self.logs / "petsc.log")
        theirs, _ = self.timed("petsc", ranks, [program], preload=False)
        ours, _ = self.timed("petsc", ranks, [program, "-other_arrays"], preload=True)
        require_ours(plans_in(ours), ["r2c", "c2r"])
        numbers = [re.findall(r"spectrum (\S+) back (\S+) exact", text) for text in (theirs, ours)]
        if len(numbers[0]) != 1 or len(numbers[1]) != 2:
            raise Wrong(f"PETSc: one exact result with FFTW and two with shardfft, got {theirs}\n{ours}")
        for pair in numbers[1]:
            for a, b in zip(map(float, pair), map(float, numbers[0][0])):
                if abs(a - b) > 1e-10 * abs(b):
                    raise Wrong(f"PETSc: the same numbers to 1e-10, but FFTW gave {b}, shardfft {a}")
        seconds = [re.findall(r"seconds (\S+)", text)[0] for text in (theirs, ours)]
        print(f"PETSc on {ranks} ranks: the same numbers, other arrays too; FFTW {seconds[0]} s, shardfft {seconds[1]} "
              f"s; plans: {words_of(plans_in(ours))}", flush=True)


    def fluidfft(self, ranks, python):
        """fluidfft's own tests of its classes on FFTW-MPI, and energies of a field."""
        if subprocess.run([python, "-c", "import fluidfft_fftwmpi, mpi4py"], capture_output=True,
                          check=False).returncode != 0:
            raise LeftOut(f"{python} has no fluidfft_fftwmpi; --python names one that has")
        program = [python, ROOT / "tests/fftw_mpi/fluidfft_program.py"]
        theirs, ours = (self.timed("fluidfft", ranks, program, preload)[0] for preload in (False, True))
        require_ours(plans_in(ours), ["r2c", "c2r"])
        rows = [re.findall(r"(fft\S+) (right|wrong) energies (\S+) (\S+)", text) for text in (theirs, ours)]
        if [(row[0], row[1]) for row in rows[1]] != [(f"fft{n}d.mpi_with_fftwmpi{n}d", "right") for n in (3, 2)]:
            raise Wrong(f"fluidfft: two classes are right, got {rows[1]}")
        for one, other in zip(*rows):
            if any(abs(float(a) - float(b)) > 1e-10 * float(a) for a, b in zip(one[2:], other[2:])):
                raise Wrong(f"fluidfft: the same energies to 1e-10, but FFTW gave {one}, shardfft {other}")
        print(f"fluidfft on {ranks} ranks: its tests pass, the same energies; plans: {words_of(plans_in(ours))}",
              flush=True)


def whole(check, short, python):
    """All parts, in turn; counts what was wrong. That nothing could run is wrong, too."""
    wrong, ran = 0, 0

    def part(name, work):
        nonlocal wrong, ran
        try:
            result = work()
            ran += 1
            return result
        except LeftOut as reason:
            print(f"-- {name}: left out: {reason}")
        except Wrong as failure:
            wrong += 1
            print(f"WRONG {name}: {failure}")
        return 0

    def benches(precision, runs):
        bench = check.mpi_bench(precision)
        return sum(check.random_problems(bench, precision, ranks, count, threads) for ranks, count, threads in runs)

    if short:
        part("mpb-mpi", lambda: check.mpb(2))
        part("mpi-bench", lambda: benches("f64", [(2, 6, 1), (3, 6, 1)]))
        return wrong + nothing_ran(ran)
    for ranks in (2, 3):
        part("mpb-mpi", lambda n=ranks: check.mpb(n))
        part("PETSc", lambda n=ranks: check.petsc(n))
        part("Fortran", lambda n=ranks: check.fortran(n))
    for ranks in (1, 2, 4):  # its 2-D class refuses 3
        part("fluidfft", lambda n=ranks: check.fluidfft(n, python))
    runs = [(ranks, 10, 1) for ranks in (1, 2, 3, 4, 6)] + [(3, 10, 2)]
    checked = sum(part(f"mpi-bench {precision}", lambda p=precision: benches(p, runs)) for precision in PRECISIONS)
    print(f"mpi-bench: {checked} problems right")
    return wrong + nothing_ran(ran)


def nothing_ran(ran):
    """1 part that is wrong if none ran."""
    print(f"{ran} parts ran")
    if ran == 0:
        print("WRONG: every part was left out; install one of the programs that the lines above name")
    return int(ran == 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--no-setup", action="store_true")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--python", default=sys.executable)
    arguments = parser.parse_args()
    if not (arguments.short or arguments.no_setup):
        subprocess.run([ROOT / "tools/setup", "fftw"], check=False)
    logs = ROOT / "build/check_fftw_mpi"
    logs.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        wrong = whole(Check(arguments.build.resolve(), pathlib.Path(scratch), logs), arguments.short, arguments.python)
    print("check_fftw_mpi:", f"{wrong} parts were wrong; logs are in {logs}" if wrong else "all that ran was right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
