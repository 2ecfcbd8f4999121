"""tools/proofs/check_array_api says what is missing before it installs or runs anything."""
import pathlib
import subprocess
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "tools/proofs/check_array_api"


class CheckArrayApi(unittest.TestCase):
    def test_a_folder_without_the_standards_text_is_refused_with_the_remedy(self):
        with tempfile.TemporaryDirectory() as folder:
            ran = subprocess.run([CHECK, folder], capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("git submodule update --init", ran.stderr)


if __name__ == "__main__":
    unittest.main()
