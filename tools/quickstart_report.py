#!/usr/bin/env python3
"""quickstart_report.py NAME=RECORD.json OUT.npy [NAME=RECORD.json OUT.npy ...]: one table of several runs of `shardfft
transform --verify --json`.

Exit status 1, after the table, when an error is above its bound or when the runs did not give the same bits.
"""
import filecmp
import json
import sys

COLUMNS = ("run", "step", "time", "memory", "shared", "network", "messages", "error", "bound", "hash")
# What the columns mean, printed under the table.
LEGEND = (
    "time: slowest rank; of an exchange, the time that was waited.  memory: read and written by a sweep; shared: "
    "stored into a peer's memory;",
    "network: sent through MPI; each summed over ranks.  error: relative L2, measured by random probes; bound: what "
    "it must not exceed.",
)


def milliseconds(seconds):
    return f"{seconds * 1e3:.1f} ms"


def mebibytes(count):
    """Nothing where the record does not say."""
    if count is None:
        return ""
    return f"{count / 2**20:.1f} MiB" if count else "-"


def steps_of(record):
    """The record's steps; from its phases, with times alone, where it does not list the bytes of each step."""
    return record.get("steps") or [{"label": label, "seconds": seconds["max"]}
                                   for label, seconds in record["phases_s"].items()]


def step_row(name, step):
    messages = step.get("messages")
    return (name, step["label"], milliseconds(step["seconds"]), mebibytes(step.get("bytes_memory")),
            mebibytes(step.get("bytes_shared")), mebibytes(step.get("bytes_network")),
            "" if messages is None else str(messages or "-"), "", "", "")


def total_row(name, record):
    total = {
        "label": "all", "seconds": record["seconds"]["transforming"], "bytes_memory": record["bytes_moved_memory"],
        "bytes_shared": record["bytes_stored_at_peers"], "bytes_network": record["bytes_sent_network"],
        "messages": record["messages_sent"]
    }
    return (*step_row(name, total)[:7], f"{record['error_rel_l2']:.1e}", f"{record['verify_limit']:.1e}",
            record["hash"])


def rows(runs):
    for name, record in runs.items():
        for step in steps_of(record):
            yield step_row(name, step)
        yield total_row(name, record)


def table(runs):
    """Text with aligned columns; a line under the head and under each run."""
    body = list(rows(runs))
    widths = [max(len(row[i]) for row in (COLUMNS, *body)) for i in range(len(COLUMNS))]
    rule = "  ".join("-" * width for width in widths)
    lines = [aligned(COLUMNS, widths), rule]
    for row in body:
        lines.append(aligned(row, widths))
        if row[1] == "all":
            lines.append(rule)
    return "\n".join(lines)


def aligned(row, widths):
    """Names to the left, numbers to the right."""
    return "  ".join(
        cell.ljust(width) if i in (0, 1, 9) else cell.rjust(width)
        for i, (cell, width) in enumerate(zip(row, widths))).rstrip()


def complaints(runs, files):
    """What is wrong with the runs; nothing when all is well."""
    for name, record in runs.items():
        if not record["error_rel_l2"] <= record["verify_limit"]:  # NaN is wrong too
            yield (f"{name}: the measured error {record['error_rel_l2']:.2e} is above its bound "
                   f"{record['verify_limit']:.2e}")
    if len({record["hash"] for record in runs.values()}) != 1:
        yield "the runs have different hashes: " + ", ".join(f"{name} {record['hash']}"
                                                             for name, record in runs.items())
    first, *others = files
    for other in others:
        if not filecmp.cmp(first, other, shallow=False):
            yield f"{first} and {other} differ"


def main():
    runs, files = {}, []
    for argument, out in zip(sys.argv[1::2], sys.argv[2::2]):
        name, _, path = argument.partition("=")
        with open(path, encoding="utf-8") as file:
            runs[name] = json.load(file)
        files.append(out)
    print(table(runs))
    print(*LEGEND, sep="\n")
    wrong = list(complaints(runs, files))
    print("\n" + (
        "\n".join(f"WRONG: {line}" for line in wrong) or
        "The results of all runs are the same to the last bit (same hash, same file), and each keeps its error bound."))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
