"""navier-stokes: figures that others keep, the same bits on any ranks and after a restart, and bad input."""
import csv
import json
import os
import unittest

import numpy as np

from program import MPIRUN, InFolder, own_lines, run

SMALL = ["navier-stokes", "--shape", "16x16x16", "--reynolds", 100, "--dt", 0.02]


class NavierStokes(InFolder):
    def refused(self, *words, rule):
        done = run(*words, cwd=self.folder)
        lines = own_lines(done.stderr)
        self.assertEqual((done.returncode, len(lines)), (2, 1), f"{words}: {done.stderr}")
        self.assertIn(rule, lines[0])

    def test_the_energy_is_that_of_other_programs_in_every_form_on_any_ranks(self):
        words = ["navier-stokes", "--shape", "32x32x32", "--reynolds", 1600, "--dt", 0.01, "--until", 0.1]
        for form in ["rotational", "convective", "divergence"]:
            hashes = set()
            for ranks in ([1, 2, 3] if MPIRUN else [0]):
                record = self.json(*words, "--form", form, ranks=ranks)
                self.assertAlmostEqual(record["energy"], 0.124953117517, delta=1e-12)
                self.assertAlmostEqual(record["enstrophy"], 0.375249931, delta=1e-9)
                self.assertEqual((record["modes"], record["steps"]), ([21, 21, 21], 10))
                hashes.add((record["hash"], record["energy"], record["enstrophy"]))
            self.assertEqual(len(hashes), 1)

    def test_a_restart_on_another_number_of_ranks_has_the_same_bits(self):
        straight = self.json(*SMALL, "--until", 0.2)
        self.ok(*SMALL, "--until", 0.12, "--checkpoint", "a.npy", "--every", 4, "--ranks", 3)
        self.assertEqual(self.load("a.npy").shape, (3, 11, 11, 6))
        with open(self.path("a.npy.json")) as file:
            self.assertEqual([s["steps"] for s in json.load(file)["states"]], [6, 4])
        again = self.json(*SMALL, "--until", 0.2, "--restart", "a.npy", "--checkpoint", "b.npy", "--every", 100,
                          "--ranks", 2)
        for key in ["hash", "energy", "enstrophy", "dissipation", "steps"]:
            self.assertEqual(again[key], straight[key], key)
        self.assertEqual(self.leftovers(), [])
        # The energy of the file itself: modes off the plane k = 0 stand for their conjugates, too.
        weight = np.where(np.arange(6) == 0, 0.5, 1)
        self.assertAlmostEqual(np.sum(np.abs(self.load("b.npy"))**2 * weight), straight["energy"], delta=1e-15)

    def test_a_restart_goes_on_with_the_record_of_the_run_before(self):
        self.ok(*SMALL, "--until", 0.2, "--csv", "whole.csv")
        self.ok(*SMALL, "--until", 0.12, "--csv", "parts.csv", "--checkpoint", "a.npy", "--every", 4)
        with open(self.path("parts.csv")) as file:
            first = file.read()
        go_on = [*SMALL, "--until", 0.2, "--restart", "a.npy", "--csv"]
        self.ok(*go_on, "parts.csv", "--ranks", 2)
        self.assertEqual(self.text("parts.csv"), self.text("whole.csv"))
        self.refused(*go_on, "parts.csv", rule="one that ends with step 6")
        self.assertEqual(self.text("parts.csv"), self.text("whole.csv"))
        for wrong in ["", first[:-3], first + "\n", first.replace("6,0.12", "5,0.12"), first.replace("energy", "heat")]:
            with open(self.path("other.csv"), "w") as file:
                file.write(wrong)
            self.refused(*go_on, "other.csv", rule="--csv with --restart must name a new file")
            self.assertEqual(self.text("other.csv"), wrong)
        self.ok(*go_on, "new.csv")
        self.assertEqual(len(self.text("new.csv").splitlines()), 1 + 5)
        for option in ["--spectrum", "--json"]:
            self.refused(*go_on, "late.csv", option, "whole.csv", rule=f"{option} with --restart must name a new file")

    def text(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def test_a_run_that_ended_between_the_two_files_of_a_checkpoint_leaves_the_one_before(self):
        self.ok(*SMALL, "--until", 0.08, "--checkpoint", "a.npy", "--every", 4)
        before = self.load("a.npy")
        self.ok(*SMALL, "--until", 0.16, "--checkpoint", "a.npy", "--every", 4, "--restart", "a.npy")
        np.save(self.path("a.npy"), before)
        self.assertEqual(
            self.json(*SMALL, "--until", 0.16, "--restart", "a.npy")["hash"],
            self.json(*SMALL, "--until", 0.16)["hash"])

    def test_a_checkpoint_of_another_problem_or_a_damaged_one_is_refused(self):
        self.ok(*SMALL, "--until", 0.08, "--checkpoint", "a.npy", "--every", 4)
        go_on = ["--dt", 0.02, "--until", 0.2, "--restart", "a.npy"]
        self.refused("navier-stokes", "--shape", "16x16x16", "--reynolds", 200, *go_on, rule="another viscosity")
        self.refused("navier-stokes", "--shape", "20x16x16", "--reynolds", 100, *go_on, rule="another shape")
        self.refused(*SMALL, "--until", 0.2, "--restart", "a.npy", "--precision", "f32", rule="another precision")
        self.refused(*SMALL, "--until", 0.04, "--restart", "a.npy", rule="whole number of steps after 0.08")
        with open(self.path("a.npy.json")) as file:
            record = json.load(file)
        for key, values in [("steps", [-1, -2**63, 2**63, 2**64, 2**63 - 1, 4.0, "4", None]), ("time", ["0", None]),
                            ("hash", [1, None])]:
            for value in values:
                states = [{**state, key: value} for state in record["states"]]
                with open(self.path("a.npy.json"), "w") as file:
                    json.dump({**record, "states": states}, file)
                self.refused(*SMALL, "--until", 0.2, "--restart", "a.npy", rule="is damaged; copy it again")
        with open(self.path("a.npy.json"), "w") as file:
            json.dump(record, file)
        modes = self.load("a.npy")
        modes[1, 2, 3, 4] += 1e-16
        np.save(self.path("a.npy"), modes)
        self.refused(*SMALL, "--until", 0.2, "--restart", "a.npy", rule="does not hold the numbers")
        np.save(self.path("a.npy"), modes[:2])
        self.refused(*SMALL, "--until", 0.2, "--restart", "a.npy", rule="holds 2 x 11")
        for text in ["{", "[]", '{"problem": 1, "states": []}', "[" * 100]:
            with open(self.path("a.npy.json"), "w") as file:
                file.write(text)
            self.refused(*SMALL, "--until", 0.2, "--restart", "a.npy", rule="a.npy.json")
        os.remove(self.path("a.npy.json"))
        self.refused(*SMALL, "--until", 0.2, "--restart", "a.npy", rule="a.npy.json")

    def test_a_fused_flow_has_the_same_bits(self):
        plain, fused = (self.json(*SMALL, "--until", 0.1, "--fused", word) for word in ("no", "yes"))
        self.assertEqual((plain["hash"], plain["fused"], fused["fused"]), (fused["hash"], False, True))

    def test_files_hold_every_step_and_every_shell(self):
        record = self.json(*SMALL, "--until", 0.1, "--csv", "flow.csv", "--spectrum", "shells.csv")
        with open(self.path("flow.csv")) as file:
            rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
        self.assertEqual([row["step"] for row in rows], [0, 1, 2, 3, 4, 5])
        self.assertEqual((rows[-1]["energy"], rows[-1]["dissipation"]), (record["energy"], record["dissipation"]))
        self.assertEqual(record["peak"]["dissipation"], max(row["dissipation"] for row in rows))
        with open(self.path("shells.csv")) as file:
            energies = [float(row["energy"]) for row in csv.DictReader(file)]
        self.assertAlmostEqual(sum(energies), record["energy"], delta=1e-15)

    def test_a_step_is_broken_down_into_parts_that_add_up(self):
        for form in ["rotational", "convective"]:
            parts = self.json(*SMALL, "--bench", "--steps", 2, "--form", form, "--batched", "no",
                              "--ranks", 2)["step_s"]
            step = parts.pop("step")
            self.assertAlmostEqual(sum(parts.values()), step, delta=1e-9)
            self.assertEqual([parts[name] for name in ["unpack", "pack", "normalise"]], [0, 0, 0])
            self.assertGreater(min(parts["FFT"], parts["products"], parts["Runge-Kutta, projection"]), 0)

    def test_bad_input(self):
        given = {"shape": "16x16x16", "reynolds": 100, "dt": 0.02, "until": 0.2}
        for rule, words in [("--reynolds must be positive", {"reynolds": -1}), ("--dt must be positive", {"dt": 0}),
                            ("--until must be a whole number", {"until": 0.13}),
                            ("did you mean 'rotational'?", {"form": "rotatonal"}),
                            ("--batched must be yes or no", {"batched": "perhaps"}),
                            ("--every counts steps", {"checkpoint": "a.npy"}), ("--every counts steps", {"every": 3}),
                            ("three axes", {"shape": "16x16"}), ("a.npy.json", {"restart": "a.npy"}),
                            ("a file of its own", {"csv": "a.npy", "checkpoint": "a.npy", "every": 1}),
                            ("smaller step", {"dt": 3, "until": 300})]:
            options = {**given, **words}.items()
            self.refused("navier-stokes", *(word for name, value in options for word in (f"--{name}", value)),
                         rule=rule)


if __name__ == "__main__":
    unittest.main()
