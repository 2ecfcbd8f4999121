"""tools/check_includes.py: which files are found, and which are not."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Includes(unittest.TestCase):
    def found(self, files):
        """What the checker says of a tree with these files, and its exit status."""
        with tempfile.TemporaryDirectory() as folder:
            for path, text in files.items():
                place = pathlib.Path(folder, path)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text)
            ran = subprocess.run([sys.executable, ROOT / "tools/check_includes.py", folder], capture_output=True,
                                 text=True, check=False)
            return ran.stdout.splitlines(), ran.returncode

    def test_a_header_that_is_missing_is_named_with_its_use(self):
        lines, status = self.found({"src/a.cpp": "#include <span>\nstd::vector<int> f(std::span<int>);\n"})
        self.assertEqual(lines, ["src/a.cpp: uses std::vector, so it must include <vector>, itself or through a header "
                                 "of ours"])
        self.assertEqual(status, 1)
        lines, _ = self.found({"include/b.hpp": '#include <string>\nvoid g() { fmt::format("{}", 1); }\n'})
        self.assertEqual(len(lines), 1)
        self.assertIn("<fmt/format.h>", lines[0])

    def test_headers_of_ours_bring_theirs_with_them(self):
        files = {"src/deep/a.hpp": "#include <vector>\n", "src/deep/b.hpp": '#include "a.hpp"\n',
                 "tests/c.cpp": '#include "deep/b.hpp"\nstd::vector<int> x;\n'}
        self.assertEqual(self.found(files), (["every file includes what it uses"], 0))
        files["src/deep/a.hpp"] = "// #include <vector>\n"
        self.assertEqual(self.found(files)[1], 1)

    def test_comments_texts_and_other_names_use_nothing(self):
        text = 'const char* what = "std::vector";  // std::span\n/* std::map */ int size = std::vector_of_mine();\n'
        self.assertEqual(self.found({"src/a.cpp": text})[1], 0)

    def test_abs_is_that_of_any_header_that_has_one(self):
        for header in ("cmath", "complex", "cstdlib"):
            self.assertEqual(self.found({"src/a.cpp": f"#include <{header}>\nauto x = std::abs(-1);\n"})[1], 0, header)
        self.assertEqual(self.found({"src/a.cpp": "#include <vector>\nauto x = std::abs(-1);\n"})[1], 1)


if __name__ == "__main__":
    unittest.main()
