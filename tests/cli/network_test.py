"""Several hosts, simulated by benchmarks/studies/netcluster: their ranks are different nodes, and results are the same.
Exit status 77, and one line, where this machine has no simulated network."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from program import MPIRUN, PROGRAM, InFolder, environment

NETCLUSTER = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "studies" / "netcluster"
NOBODY = 65534
SKIPPED = 77
LIMIT_S = 200
if tempfile.gettempdir().startswith("/dev/shm"):  # hosts have one of their own
    tempfile.tempdir = "/tmp"


def netcluster(*words, **more):
    return subprocess.run([str(word) for word in (NETCLUSTER, *words)], capture_output=True, text=True, timeout=LIMIT_S,
                          check=False, stdin=subprocess.DEVNULL, **more)


class Network(InFolder):
    def record(self, *words, hosts=2, ranks=1):
        """Of `bench`, verified."""
        done = netcluster("--hosts", hosts, "--ranks", ranks, "--mpirun", MPIRUN[1], "--bytes", self.path("bytes"),
                          "--", PROGRAM, "bench", "--shape", "32x24x40", "--iterations", 2, "--warmup", 0, "--threads",
                          1, "--json", self.path("record.json"), *words, env=environment())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(self.path("record.json"), encoding="utf-8") as file:
            record = json.load(file)
        self.assertTrue(record["verified"])
        return record

    def test_ranks_of_different_hosts_are_different_nodes_and_send_over_the_network(self):
        record = self.record()
        self.assertEqual((record["ranks"], record["nodes"]), (2, 2))
        self.assertGreater(record["bytes_sent_network"], 0)
        lines = pathlib.Path(self.path("bytes")).read_text(encoding="utf-8").split("\n")[:-1]
        self.assertEqual([line.split()[0] for line in lines], ["0", "1"])
        for line in lines:
            self.assertGreater(int(line.split()[1]), record["bytes_sent_network"] / 2)

    def test_inside_a_host_memory_is_shared_and_bits_are_those_of_one_host(self):
        record = self.record(ranks=2)
        self.assertEqual((record["ranks"], record["nodes"]), (4, 2))
        self.assertGreater(record["bytes_stored_at_peers"], 0)
        self.assertEqual(record["hash"], self.record(hosts=1)["hash"])

    def test_one_sided_messages_or_what_serves_instead_give_the_same_bits(self):
        record = self.record("--transport", "mpi_rma")
        for notice in record["notices"]:
            self.assertRegex(notice, "transport mpi_rma cannot be used .*; using mpi_p2p")
        self.assertEqual(record["hash"], self.record(hosts=1)["hash"])

    def test_a_failing_program_ends_it_with_its_status(self):
        done = netcluster("--hosts", 2, "--each", "--", "sh", "-c", "exit $((3 * NETCLUSTER_HOST))")
        self.assertEqual(done.returncode, 3, done.stderr)

    def test_a_cluster_leaves_nothing_behind(self):
        before = subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True).stdout
        done = netcluster("--hosts", 3, "--racks", 2, "--uplink", "100mbit", "--each", "--", "sh", "-c",
                          "hostname; echo $NETCLUSTER_HOST $NETCLUSTER_ADDRESS; sleep 1000 &")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(line.split()[1] for line in done.stdout.splitlines() if " " in line),
                         ["10.77.0.1", "10.77.0.2", "10.77.0.3"])
        self.assertEqual(len({line for line in done.stdout.splitlines() if " " not in line}), 3)
        after = subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(before, after)

    def test_refuses_who_is_not_root(self):
        copy = shutil.copy(NETCLUSTER, self.path("netcluster"))
        os.chmod(self.folder, 0o755)
        done = subprocess.run(["bash", copy, "--check"], capture_output=True, text=True, user=NOBODY, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "^netcluster: needs root to make network namespaces; this is user .*\n$")


class BadInput(InFolder):
    def test_says_in_one_line_what_is_wrong(self):
        for words, text in ((["--hosts", "0", "--", "true"], "--hosts is a number from 1 to 250, got 0"),
                            (["--speed", "9"], "no option called --speed; see --help"),
                            (["--hosts", "3", "--racks", "4", "--",
                              "true"], "--racks is a number from 1 to 3, got 4"), (["--rate"],
                                                                                   "--rate needs a value; see --help"),
                            ([], "which program? netcluster [OPTION...] -- PROGRAM [ARGUMENT...]"),
                            (["--mpirun", "no-such", "--",
                              "true"], "needs an MPI launcher; there is no no-such; see --mpirun")):
            done = netcluster(*words)
            self.assertEqual((done.returncode, done.stderr), (2, f"netcluster: {text}\n"))

    def test_help_names_every_option(self):
        text = netcluster("--help").stdout
        for option in ("--hosts", "--ranks", "--rate", "--racks", "--uplink", "--mtu", "--mpirun", "--option", "--each",
                       "--bytes", "--check"):
            self.assertIn(option, text)


if __name__ == "__main__":
    can = netcluster("--check")
    if can.returncode != 0 or not MPIRUN:
        print(f"left out: {can.stderr.strip() or 'built without MPI'}")
        done = unittest.main(defaultTest="BadInput", exit=False)
        sys.exit(SKIPPED if done.result.wasSuccessful() else 1)
    unittest.main()
