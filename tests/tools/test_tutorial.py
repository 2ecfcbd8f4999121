"""The programs that docs/tutorial.md and the guides of C and Fortran print are those of examples, which are built and
run as tests."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "examples" / "tutorial"


def printed(page="tutorial.md", language="cpp"):
    """Each block by the name of the file that the page says it is."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return dict(re.findall(rf"`(\w+\.{language})`[^`]*\n```{language}\n(.*?)```", text, re.DOTALL))


class Tutorial(unittest.TestCase):
    def test_the_page_prints_each_program_as_it_is(self):
        blocks = printed()
        self.assertEqual(sorted(blocks), sorted(path.name for path in PROGRAMS.glob("*.cpp")))
        for name, block in blocks.items():
            self.assertEqual(block, (PROGRAMS / name).read_text(encoding="utf-8"), name)

    def test_each_problem_is_solved_in_under_20_lines(self):
        for name, block in printed().items():
            if name != "main.cpp":
                self.assertLess(len(block[block.index("void solve("):].splitlines()), 20, name)

    def test_each_program_is_run_as_a_test(self):
        listed = re.findall(r"^shardfft_tutorial\((\w+) ", (PROGRAMS / "CMakeLists.txt").read_text(encoding="utf-8"),
                            re.MULTILINE)
        self.assertEqual(sorted(f"{name}.cpp" for name in listed + ["main"]), sorted(printed()))


class GuidesOfLanguages(unittest.TestCase):
    def check_pages(self, pages, language, suffix, long=()):
        """Pages print all programs but long ones, to which the first page links."""
        blocks, folder = {}, ROOT / "examples" / language
        for page in pages:
            blocks |= printed(page, suffix)
        programs = sorted(path.name for path in folder.glob(f"*.{suffix}"))
        self.assertEqual(sorted([*blocks, *long]), programs)
        for name, block in blocks.items():
            self.assertEqual(block, (folder / name).read_text(encoding="utf-8"), name)
        for name in long:
            self.assertIn(f"(../../examples/{language}/{name})", (ROOT / "docs" / pages[0]).read_text(encoding="utf-8"))
        cmake = (folder / "CMakeLists.txt").read_text(encoding="utf-8")
        listed = re.findall(rf"^ *shardfft_{language}_example\((\w+) ", cmake, re.MULTILINE)
        self.assertEqual(sorted(f"{name}.{suffix}" for name in listed), programs)

    def test_the_page_of_c_prints_each_program_as_it_is_and_runs_it_as_a_test(self):
        self.check_pages(["guide/c.md"], "c", "c")

    def test_the_pages_of_fortran_print_each_program_as_it_is_and_run_it_as_a_test(self):
        self.check_pages(["guide/fortran.md", "guide/from/2decomp_fft.md", "guide/from/p3dfft.md"], "fortran", "f90",
                         long=["taylor_green.f90"])


if __name__ == "__main__":
    unittest.main()
