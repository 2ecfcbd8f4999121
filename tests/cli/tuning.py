"""What the tests of tune and wisdom share: a place for wisdom of their own, and a machine that is known."""
import json
import os
import shutil

from program import InFolder, run


class Tuning(InFolder):
    """Each test has a place for wisdom of its own."""

    def setUp(self):
        super().setUp()
        self.variables = {"SHARDFFT_WISDOM": self.path("w"), "OMP_NUM_THREADS": "1"}

    def done(self, *words, ranks=0, status=0, **variables):
        result = run(*words, ranks=ranks, cwd=self.folder, variables={**self.variables, **variables})
        self.assertEqual(result.returncode, status, f"{' '.join(map(str, words))}: {result.stdout}{result.stderr}")
        return result

    def record(self, *words, ranks=0, **variables):
        return json.loads(self.done(*words, "--json", "-", ranks=ranks, **variables).stdout)

    def tune(self, *words, ranks=0, seconds=0.5, **variables):
        """What tune found. A busy machine keeps nothing of what it measures of itself, and says so: then again."""
        words = ["tune", "--seconds", seconds, *words, "--json", "-"]
        for _ in range(5):
            result = self.done(*words, ranks=ranks, **variables)
            if "the machine was busy" not in result.stderr:
                break
        return json.loads(result.stdout)["results"]

    def refused(self, *words, says, **variables):
        result = self.done(*words, status=2, **variables)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertEqual(result.stdout, "")
        for part in says:
            self.assertIn(part, result.stderr)


class OnAKnownMachine(Tuning):
    """The machine, which takes seconds to measure, is measured by the first test; the others are given what it
    found."""

    machine = None

    def setUp(self):
        super().setUp()
        file = os.path.join(self.folder, "w", "machine.json")
        if OnAKnownMachine.machine is None:
            self.tune("--shape", "8x8x8", seconds=0.1)
            with open(file) as measured:
                OnAKnownMachine.machine = measured.read()
            shutil.rmtree(self.path("w"))
        os.mkdir(self.path("w"))
        with open(file, "w") as known:
            known.write(OnAKnownMachine.machine)
