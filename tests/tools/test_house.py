"""The measures of the house, on small repositories that break one bound each."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HOUSE = pathlib.Path(__file__).resolve().parents[2] / "tools" / "house"
CLASS = """class Walker final : public Base {
 public:
  Walker(int a,
         int b);
  [[nodiscard]] int steps() const { return n_; }
  void walk() {
    if (n_) {
      rest();
    }
  }

 private:
  std::function<void(int)> done_;
  int n_ = f(3);
};

void far_away(int a,
              int b) {
  while (a) {
    a -= b;
  }
}
"""


class House(unittest.TestCase):
    def house(self, files, *words):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return subprocess.run([sys.executable, HOUSE, *words, folder], capture_output=True, text=True, timeout=60)

    def assert_found(self, files, complaint):
        done = self.house(files, "--assert")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stdout, complaint)

    def test_a_house_in_order_passes(self):
        done = self.house({"README.md": "# Title\n\nFew words.\n", "src/a/a.cpp": CLASS}, "--assert")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("every bound is kept", done.stdout)

    def test_wide_lines_are_found_in_code_scripts_and_prose(self):
        for name in ["a.cpp", "a.py", "a.md", "CMakeLists.txt", "script"]:
            with self.subTest(name=name):
                self.assert_found({name: "short\n" + "x" * 121 + "\n"}, rf"{name}:2: lines have at most 120")
        self.assertEqual(self.house({"a.cpp": "ü" * 120}, "--assert").returncode, 0)

    def test_a_long_paragraph_a_long_cell_and_long_pages_are_found(self):
        long = "word\n" * 91
        self.assert_found({"a.md": "Head.\n\n" + long}, "a.md:3: a paragraph has at most 90 words.* 91")
        self.assert_found({"README.md": ("word " * 20 + "\n\n") * 36},
                          "README.md: it has at most 700 words, but now 720")
        self.assert_found({"CHANGELOG.md": "a\n\n" * 21}, "CHANGELOG.md: it has at most 40 lines, but now 42")
        self.assertEqual(self.house({"a.md": "```text\n" + long + "```\n"}, "--assert").returncode, 0)

    def test_two_headers_of_tests_that_define_one_type_are_found(self):
        header = "namespace shardfft::testing {\n\nstruct Case {\n  struct Inner {\n  };\n};\n\n}\n"
        self.assert_found({"tests/a/a.hpp": header, "tests/b/b.hpp": header}, r"Case: .*tests/a/a.hpp, tests/b/b.hpp")
        self.assertEqual(self.house({"tests/a/a.hpp": header, "tests/b/b_test.cpp": header}, "--assert").returncode, 0)

    def test_tests_that_cannot_fail_or_are_left_out_without_a_word_are_found(self):
        for name, text, said in [
            ("a_test.cpp", "  GTEST_SKIP();\n", "says why"),
            ("test_a.py", 'jax = pytest.importorskip("jax")\n', "importorskip"),
            ("test_a.py", "    @unittest.skip\n", "says why"),
            ("a_test.cpp", "  EXPECT_TRUE(true);\n", "compares nothing"),
            ("a_test.cpp", "  EXPECT_EQ(got, got);\n", "the same twice"),
            ("a_test.cpp", "  if (a) {\n    f();\n  } else {\n    f();\n  }\n", "these two are equal"),
            ("CMakeLists.txt", "add_test(NAME a CONFIGURATIONS long COMMAND a)\n", "ctest -C long"),
        ]:
            with self.subTest(text=text):
                self.assert_found({f"tests/a/{name}": text}, f"tests/a/{name}.*{said}")
        right = {"check": "ctest -C long\n", "tests/a/CMakeLists.txt": "add_test(NAME a CONFIGURATIONS long COMMAND a)",
                 "tests/a/a_test.cpp": '  GTEST_SKIP() << "no disk";\n  EXPECT_EQ(f(a), f(a));\n',
                 "tests/a/test_a.py": 'jax = pytest.importorskip("jax", reason="no JAX")\n'}
        self.assertEqual(self.house(right, "--assert").returncode, 0)

    def test_a_crowded_folder_is_found(self):
        self.assert_found({f"src/a/{n}.cpp": "" for n in range(26)}, "src/a: a folder has at most 25 files.* 26")

    def test_lengths_of_functions_and_classes(self):
        said = self.house({"src/a/walker.hpp": CLASS}).stdout
        self.assertRegex(said, r"\b6  src/a/walker.hpp:17  far_away")
        self.assertRegex(said, r"\b5  src/a/walker.hpp:6  walk")
        self.assertRegex(said, r"methods of a class +3  src/a/walker.hpp:1  Walker")
        self.assertRegex(said, r"members of a class +2  src/a/walker.hpp:1  Walker")

    def test_seconds_of_the_last_check_where_it_has_run(self):
        said = self.house({"a.md": "", "build/check/seconds": "2100\n"}).stdout
        self.assertRegex(said, "last ./check +2100  seconds")
        self.assertNotIn("last ./", self.house({"a.md": ""}).stdout)

    def test_includes_that_cross_rooms_and_names_of_several_types(self):
        said = self.house({"src/sweep/a.cpp": '#include "device/b.hpp"\nstruct Part {\n};\n',
                           "src/device/b.hpp": '#include "device/c.hpp"\nstruct Part {\n  int n;\n};\nstruct Part;\n',
                           "apps/cli/p.cpp": '#include "sweep/a.hpp"\n#include "cli/q.hpp"\n'}).stdout
        self.assertRegex(said, r"host rooms -> device +1 includes in 1 files")
        self.assertRegex(said, r"programs -> src +1 includes in 1 files")
        self.assertEqual(re.search(r"names of several types +(\d+)  (.*)", said).groups(), ("1", "Part 2"))


if __name__ == "__main__":
    unittest.main()
