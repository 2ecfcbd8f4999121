"""The programs that docs/tutorial.md and docs/guide/c.md print are those of examples, which are built and run as
tests."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "examples" / "tutorial"
C_PROGRAMS = ROOT / "examples" / "c"


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


class GuideOfC(unittest.TestCase):
    def test_the_page_prints_each_program_as_it_is_and_runs_it_as_a_test(self):
        blocks = printed("guide/c.md", "c")
        self.assertEqual(sorted(blocks), sorted(path.name for path in C_PROGRAMS.glob("*.c")))
        for name, block in blocks.items():
            self.assertEqual(block, (C_PROGRAMS / name).read_text(encoding="utf-8"), name)
        cmake = (C_PROGRAMS / "CMakeLists.txt").read_text(encoding="utf-8")
        listed = re.findall(r"^ *shardfft_c_example\((\w+) ", cmake, re.MULTILINE)
        self.assertEqual(sorted(f"{name}.c" for name in listed), sorted(blocks))


if __name__ == "__main__":
    unittest.main()
