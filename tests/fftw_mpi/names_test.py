"""What libshardfft_fftw3_mpi.so exports: all functions of its headers in three precisions, their Fortran twins, those
of FORTRAN 77 for wisdom and threads, nothing else; and all that FFTW's own headers declare, where they are installed. A
function that is missing would hand a plan of ours to FFTW, which crashes, or its program would not link.
Usage: names_test.py HEADERS LIBRARY [FFTW_HEADER]"""
import pathlib
import re
import subprocess
import sys
import unittest

FFTW_HEADER = pathlib.Path(sys.argv.pop(3)) if len(sys.argv) > 3 else None
LIBRARY = sys.argv.pop(2)
HEADERS = pathlib.Path(sys.argv.pop(1))
PREFIXES = ("fftw_", "fftwf_", "fftwl_")
FORTRAN_77 = {f"{precision}fftw_{name}_" for precision in "sdl" for name in (
    "init_threads", "plan_with_nthreads", "planner_nthreads", "cleanup_threads", "export_wisdom", "import_wisdom",
    "import_system_wisdom", "forget_wisdom", "cleanup")}


def exported():
    lines = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1].split("@")[0] for line in lines.splitlines()}


def declared():
    """name -> its arguments, as the headers have them."""
    text = "".join((HEADERS / name).read_text(encoding="utf-8") for name in ("fftw3.h", "fftw3-mpi.h"))
    text = re.sub(r"\\\n", " ", text)
    return {name: " ".join(arguments.split()) for name, arguments in re.findall(
        r"X\((\w+)\)\s*\(((?:[^()]|\(\w+\))*)\);", text)}


class Names(unittest.TestCase):
    def test_every_function_is_exported_and_nothing_else(self):
        functions = declared()
        self.assertEqual(sum(name.startswith("mpi_") for name in functions), 37)
        twins = {name + "_f03" for name, arguments in functions.items() if "MPI_Comm comm" in arguments}
        self.assertEqual(len(twins), 31)
        in_c = {prefix + name for prefix in PREFIXES for name in {*functions, *twins}}
        self.assertEqual(exported(), in_c | FORTRAN_77)

    @unittest.skipUnless(FFTW_HEADER, "FFTW's header is not installed")
    def test_fftw_declares_no_mpi_function_that_is_missing(self):
        theirs = set(re.findall(r"FFTW_EXTERN[^;]*?XM\((\w+)\)\s*\\?\s*\(", FFTW_HEADER.read_text(encoding="utf-8")))
        self.assertGreater(len(theirs), 30)
        self.assertEqual({name for name in theirs if "fftw_mpi_" + name not in exported()}, set())

    @unittest.skipUnless(FFTW_HEADER, "FFTW's header is not installed")
    def test_fftw_declares_no_function_of_wisdom_or_threads_that_is_missing(self):
        text = FFTW_HEADER.with_name("fftw3.h").read_text(encoding="utf-8")
        theirs = set(re.findall(r"FFTW_CDECL X\((\w*(?:wisdom|thread|cleanup)\w*)\)", text))
        self.assertGreater(len(theirs), 14)
        self.assertEqual({name for name in theirs if "fftw_" + name not in exported()}, set())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
