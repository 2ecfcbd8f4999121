"""The programs that docs/tutorial.md prints are those of examples/tutorial, which are built and run as tests."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "examples" / "tutorial"


def printed():
    """Each block of C++ by the name of the file that the page says it is."""
    page = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    return dict(re.findall(r"`(\w+\.cpp)`[^`]*\n```cpp\n(.*?)```", page, re.DOTALL))


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


if __name__ == "__main__":
    unittest.main()
