"""Runs `shardfft compare` with fake peers for the tests."""
import json
import os
import subprocess
import sys

from program import InFolder, command, environment

HERE = os.path.dirname(os.path.abspath(__file__))
FAKE_PEERS = os.path.join(HERE, "fake_peers")


class WithFakePeers(InFolder):
    peers = FAKE_PEERS

    def environment(self, **more):
        return {**environment(), "SHARDFFT_PEERS": self.peers, "SHARDFFT_PYTHON": sys.executable, **more}

    def compare(self, *words, **more):
        return subprocess.run(command("compare", *words), capture_output=True, text=True, timeout=300, cwd=self.folder,
                              env=self.environment(**more))

    def start(self, *words, **more):
        return subprocess.Popen(command("compare", *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                cwd=self.folder, env=self.environment(**more))

    def results(self, name="r.json"):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def measured(self, *words, status=0, **more):
        done = self.compare(*words, "--json", "r.json", **more)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return self.results()

    @staticmethod
    def entries(case):
        return {entry["library"]: entry for entry in case["entries"]}
