"""The output file appears whole or not at all, whenever the program is killed."""
import os
import re
import threading
import unittest

import numpy as np

from program import CONT, INT, KILL, STOP, TERM, InFolder, needs_launcher, own_lines, start, wait_for

SHAPE = (96, 128, 160)  # 31 MB: long enough to be hit at many points


class Killed(InFolder):
    @classmethod
    def setUpClass(cls):
        cls.want = None

    def setUp(self):
        super().setUp()
        a = self.complexes(*SHAPE)
        self.save("a.npy", a)
        self.want = np.fft.fftn(a)

    def whole_or_absent(self, name="b.npy"):
        if not os.path.exists(self.path(name)):
            return "absent"
        self.assert_close(self.load(name), self.want, "after a kill")
        return "whole"

    def kill(self, signal, after_s, ranks=0):
        process = start("transform", "a.npy", "b.npy", "--quiet", ranks=ranks, cwd=self.folder)
        wait_for(lambda: process.poll() is not None or self.leftovers())
        wait_for(lambda: process.poll() is not None, limit_s=after_s)
        process.send_signal(signal)
        process.communicate(timeout=60)
        state = self.whole_or_absent()
        if state == "whole":
            os.unlink(self.path("b.npy"))
        return state, process.returncode

    def test_the_next_run_names_what_killed_ones_have_left(self):
        a = self.complexes(4, 4)
        self.save("a.npy", a)
        self.want = np.fft.fftn(a)
        for other in ["c.npy.partial-0123456789abcdef", "b.npy.partial-012345678", "b.npy.partial-mine", "xb.npy"]:
            open(self.path(other), "w").close()
        self.assertEqual(self.ok("transform", "a.npy", "b.npy", "-q").stderr, "")
        for number, left in enumerate(["b.npy.partial-0123456789abcdef", "b.npy.scratch-0123456789abcdef"]):
            open(self.path(left), "w").close()
            more = " (and 1 more)" if number else ""
            for out in ["b.npy", "./b.npy", self.path("b.npy")]:
                says = self.ok("transform", "a.npy", out, "-q").stderr
                self.assertEqual(len(says.splitlines()), 1)
                self.assertIn(f"b.npy.partial-0123456789abcdef'{more} is left of a run that was killed", says)
                self.assertIn("remove it", says)
            self.assertEqual(self.whole_or_absent(), "whole")

    def test_term_and_int_leave_nothing_or_the_whole_file(self):
        states = set()
        for signal in [TERM, INT]:
            for after_s in [0, 0.01, 0.05, 0.1, 0.2, 60]:
                state, status = self.kill(signal, after_s)
                self.assertEqual(self.leftovers(), [])
                if state == "absent":
                    self.assertEqual(status, -signal)
                states.add(state)
        self.assertEqual(states, {"absent", "whole"})  # else the times above miss the run

    def test_kill_leaves_nothing_or_the_whole_file_but_for_a_partial_one(self):
        states = set()
        for after_s in [0, 0.01, 0.05, 0.1, 0.2, 60]:
            states.add(self.kill(KILL, after_s)[0])
            for name in self.leftovers():
                self.assertTrue(name.startswith("b.npy.partial-"))
                os.unlink(self.path(name))
        self.assertEqual(states, {"absent", "whole"})

    def test_a_kill_leaves_an_older_output_as_it_was(self):
        self.save("b.npy", np.arange(5.0))
        process = start("transform", "a.npy", "b.npy", cwd=self.folder)
        self.assertTrue(wait_for(self.leftovers))
        process.send_signal(TERM)
        process.communicate(timeout=60)
        np.testing.assert_array_equal(self.load("b.npy"), np.arange(5.0))
        self.assertEqual(self.leftovers(), [])

    @needs_launcher
    def test_a_killed_launcher_leaves_nothing_or_the_whole_file(self):
        for after_s in [0, 0.1]:
            self.kill(TERM, after_s, ranks=2)
            self.assertTrue(wait_for(lambda: not self.leftovers()))

    @needs_launcher
    def test_a_rank_that_dies_ends_all_and_leaves_nothing_or_the_whole_file(self):
        process = start("transform", self.path("a.npy"), self.path("b.npy"), "--quiet", ranks=3, cwd=self.folder)
        self.assertTrue(wait_for(lambda: process.poll() is not None or (self.leftovers() and len(self.ranks()) == 3)))
        for pid in self.ranks()[-1:]:
            os.kill(pid, KILL)
        process.communicate(timeout=60)
        if self.whole_or_absent() == "absent":
            self.assertNotEqual(process.returncode, 0)
        self.assertTrue(wait_for(lambda: not self.leftovers()))

    @needs_launcher
    def test_a_rank_that_dies_in_an_exchange_ends_all_soon_on_every_transport(self):
        for transport in ["shared_memory", "mpi_p2p", "mpi_alltoallv", "mpi_rma", "mixed", "mpi_node", "mixed_rma"]:
            with self.subTest(transport=transport):
                several = transport == "mpi_node" or transport.startswith("mixed")
                process = start("bench", "--shape", "32x32x32", "--iterations", "9999999", "--no-wisdom", "--transport",
                                transport, "--json", self.path("a.npy"), ranks=4, cwd=self.folder,
                                variables={"SHARDFFT_RANKS_PER_NODE": "2"} if several else {})
                self.assertTrue(wait_for(lambda: len(self.ranks()) == 4))
                wait_for(lambda: process.poll() is not None, limit_s=0.7)  # they run
                os.kill(self.ranks()[-1], KILL)
                process.communicate(timeout=20)  # else it hangs
                self.assertNotEqual(process.returncode, 0)
                self.assertEqual(self.ranks(), [])

    @needs_launcher
    def test_a_rank_that_stalls_is_named_and_the_run_goes_on_with_it(self):
        process = start("bench", "--shape", "32x32x32", "--iterations", "3000", "--no-wisdom", "--transport",
                        "shared_memory", "--json", self.path("a.npy"), ranks=3, cwd=self.folder,
                        variables={"SHARDFFT_STALL_SECONDS": "0.2"})
        self.assertTrue(wait_for(lambda: len(self.ranks()) == 3))
        last, = [pid for pid in self.ranks() if rank_of(pid) == 2]
        said = []
        reader = threading.Thread(target=lambda: said.extend(process.stderr))
        reader.start()
        named = re.compile(r"shardfft: rank [01] has waited 0.2 s over shared_memory for .*rank 2 on node 0")
        while process.poll() is None and not any(map(named.match, said)):
            os.kill(last, STOP)  # maybe before a run, or between two
            wait_for(lambda: any(map(named.match, said)), limit_s=0.5)
            os.kill(last, CONT)
            wait_for(lambda: process.poll() is not None, limit_s=0.1)
        self.assertEqual(process.wait(timeout=60), 0)
        reader.join()
        process.stdout.close()
        process.stderr.close()
        self.assertTrue(any(map(named.match, said)), said)

    @needs_launcher
    def test_a_wrong_limit_of_stalls_is_one_error(self):
        process = start("bench", "--shape", "8x8x8", ranks=2, cwd=self.folder,
                        variables={"SHARDFFT_STALL_SECONDS": "soon"})
        errors = own_lines(process.communicate(timeout=60)[1])
        self.assertEqual(process.returncode, 2)
        self.assertEqual(len(errors), 1)
        self.assertIn("SHARDFFT_STALL_SECONDS is a number of seconds, 0 to 1000000000; got 'soon'; unset it", errors[0])


def rank_of(pid):
    """The rank of a process that a launcher started."""
    with open(f"/proc/{pid}/environ") as file:
        variables = dict(v.split("=", 1) for v in file.read().split("\0") if "=" in v)
    return int(variables.get("OMPI_COMM_WORLD_RANK") or variables["PMI_RANK"])


if __name__ == "__main__":
    unittest.main()
