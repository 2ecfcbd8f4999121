"""What tests of these commands share."""
from program import InFolder, own_lines, run


class Answers(InFolder):
    def refused(self, *words, saying, ranks=0):
        done = run(*words, cwd=self.folder, ranks=ranks)
        self.assertEqual((done.returncode, len(own_lines(done.stderr))), (2, 1), done.stderr)
        self.assertIn(saying, done.stderr)
        return done
