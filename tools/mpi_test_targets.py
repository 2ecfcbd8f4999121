#!/usr/bin/env python3
"""mpi_test_targets.py BUILD_FOLDER: the programs that tests start through tools/mpirun, as Ninja targets, so that only
these need to be built."""
import json
import os
import pathlib
import subprocess
import sys


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    listing = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True,
                             text=True).stdout
    targets = set()
    for test in json.loads(listing)["tests"]:
        words = [word for word in test.get("command", []) if word.startswith(f"{build}{os.sep}")]
        if any(word.endswith("tools/mpirun") for word in test.get("command", [])):
            targets.update(str(pathlib.Path(word).relative_to(build)) for word in words)
    print("\n".join(sorted(targets)))


if __name__ == "__main__":
    main()
