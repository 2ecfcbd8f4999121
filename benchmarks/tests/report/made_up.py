"""Results as shardfft compare writes them, made up: figures of the size that real ones have, every way in which a run
can end, and hostile texts.

made_up.py FILE [HOST]    writes one such file
"""
import json
import random
import sys

PEERS = {
    "fftw_mpi": 4.6, "mkl": 2.0, "mkl_cluster": 3.6, "spfft": 4.1, "mpi4py_fft": 5.2, "heffte": 4.4, "2decomp": 3.9,
    "p3dfftpp": 5.9, "accfft": 4.8, "ducc0": 2.4
}
ON_GPUS = {"shardfft_cuda": 0.25, "cufft": 0.3}
HOSTILE = 'plan failed: <script>alert("1 & 2")</script> \'é\' \u0007'
COPY_BYTES_PER_S = 18e9


def interval(median, spread, launches):
    """As of fewer than 6 launches: from the least to the largest."""
    return {
        "min": 0.95 * median, "median": median, "max": 1.2 * median, "low": median * (1 - spread),
        "high": median * (1 + spread), "coverage": 1 - 2.0**(1 - launches)
    }


def product(shape):
    n = 1
    for extent in shape:
        n *= extent
    return n


class Maker:
    launches = 5

    def __init__(self, host="node-17", seed=7):
        self.random = random.Random(seed)
        self.host = host

    def launch(self, library, call, turn, seconds, error, bound, phases):
        times = [seconds * self.random.uniform(0.98, 1.05) for _ in range(7)]
        return {
            "status": "ok", "reason": "", "library": library, "version": "1.2.3", "call": call, "turn": turn,
            "forward_s": times, "backward_s": times, "plan_s": 0.02, "first_call_s": 1.4 * seconds,
            "error_rel_l2": error, "error_backward_rel_l2": error, "bound": bound, "memory_peak_bytes": 1 << 28,
            "bytes_sent_network": None, "messages_sent": None, "energy_j": None, "phases_s": phases, "recipe": {}
        }

    def entry(self, case, library, factor, call="best"):
        elements = product(
            case["shape"]) * (1 if case["kind"] == "c2c" else 0.5) * (1 if case["precision"] == "f64" else 0.5)
        cores = case["ranks"] * case["threads"]
        ours = 1.45 * 4 * 16 * elements / COPY_BYTES_PER_S / cores**0.9
        seconds = ours * factor * self.random.uniform(0.9, 1.1) * (1.6 if call == "default" else 1)
        eps = 1.1e-16 if case["precision"] == "f64" else 6e-8
        error, bound = eps * self.random.uniform(1.4, 4), 16 * eps
        phases = {"sweep axes 2 1": 0.52 * seconds, "exchange 1": 0.06 * seconds, "sweep axis 0": 0.42 *
                  seconds} if library == "shardfft" else {}
        entry = {
            "library": library, "version": "0.2.0" if library == "shardfft" else "3.3.10", "call": call, "status": "ok",
            "reason": "",
            "configuration": "FFTW_MEASURE, out of place, workspace given, reordered collectives; best of 6 calls "
            "within 60 s",
            "launches": [self.launch(library, call, t, seconds, error, bound, phases) for t in range(self.launches)]
        }
        ratio = interval(seconds / ours, 0.03, self.launches)
        entry["summary"] = {
            "forward_s": interval(seconds, 0.02,
                                  self.launches), "backward_s": interval(1.04 * seconds, 0.025, self.launches),
            "plan_s": 0.011 * factor**3, "first_call_s": 1.4 * seconds, "error_rel_l2": error,
            "error_backward_rel_l2": 1.1 * error, "memory_peak_bytes": int(48 * elements),
            "bytes_sent_network": int(16 * elements / 2) if library in ("fftw_mpi", "heffte") else None,
            "energy_j": 55 * seconds if library == "shardfft" else None, "ratio_to_shardfft": None if
            library == "shardfft" and call == "best" else {k: ratio[k] for k in ("median", "low", "high", "coverage")}
        }
        return entry

    def failure(self, library, status, reason):
        launches = [{"status": status, "error_rel_l2": 3.2e-2, "bound": 1.8e-15}] if status == "wrong" else []
        return {
            "library": library, "version": "", "call": "best", "status": status, "reason": reason, "configuration": "",
            "launches": launches, "summary": None
        }

    def case(self, shape, kind="c2c", precision="f64", layout="natural", ranks=2, threads=1, nodes=1, study="",
             peers=tuple(PEERS)):
        case = {
            "shape": list(shape), "kind": kind, "precision": precision, "layout": layout, "ranks": ranks,
            "threads": threads, "nodes": nodes, "study": study
        }
        copy_s = 4 * 16 * product(shape) * (1 if kind == "c2c" else 0.5) / COPY_BYTES_PER_S / ranks**0.9
        case["limit"] = {"copy_s": copy_s, "arithmetic_s": 0.6 * copy_s, "limit_s": copy_s}
        case["entries"] = [self.entry(case, "shardfft", 1.0)] + [self.entry(case, p, PEERS[p]) for p in peers]
        return case

    def results(self, cases):
        return {
            "format": "shardfft-results", "format_version": 1, "created": "2026-11-20T14:03:11Z", "version": "0.2.0",
            "command": "shardfft compare --with all --shapes 64x64x64,256x256x256 --kinds c2c,r2c --ranks 1,2,4 "
            "--layouts natural,transposed --json results.json",
            "seed": 1, "machine": {
                "host": self.host, "processor": "AMD EPYC 9554 64-Core Processor", "cores": 128,
                "memory_bytes": 811 * 2**30, "os": "Linux 6.1.0-26-amd64 x86_64", "compiler": "GNU 12.2.0",
                "mpi": "Open MPI 4.1.4", "l2_bytes": 1 << 20, "copy_bytes_per_s": COPY_BYTES_PER_S
            }, "settings": {"launches": 5, "iterations": 7, "warmup": 2, "plan_seconds": 60}, "cases": cases
        }

    def survey(self):
        """More cases than other drawings show well, some of them lost."""
        cases = [
            self.case(shape, kind=kind, precision=precision, ranks=1, threads=2, peers=("mkl", "ducc0"))
            for shape in ([n] * dims for dims in (1, 2, 3) for n in (8, 16, 24, 32, 100, 128, 200, 256))
            for kind, precision in (("c2c", "f64"), ("r2c", "f32"))
        ]
        for case in cases:
            ours, mkl, ducc0 = case["entries"]
            ours["launches"][-1]["plan"] = "plan: made up\nsweep axes 2 1\n"
            for entry in (mkl, ducc0):
                factor = self.random.choice((0.5, 0.9, 1, 1.1, 1.5, 20))
                for direction, name in (("forward_s", "ratio_to_shardfft"), ("backward_s",
                                                                             "ratio_backward_to_shardfft")):
                    seconds = factor * ours["summary"][direction]["median"]
                    entry["summary"][direction] = interval(seconds, 0.02, self.launches)
                    entry["summary"][name] = interval(factor, 0.03, self.launches)
        results = self.results(cases)
        results["machine"] |= {"l1_bytes": 48 << 10, "l3_bytes": 32 << 20}
        return results

    def everything(self):
        few = ("fftw_mpi", "mpi4py_fft", "heffte")
        cases = [
            self.case([n] * 3, peers=("fftw_mpi", "mkl_cluster", "spfft", "mpi4py_fft", "heffte", "2decomp", "p3dfftpp",
                                      "accfft")) for n in (64, 128, 256, 512)
        ]
        cases[2]["entries"].insert(1, self.entry(cases[2], "shardfft", 1.2, "default"))
        cases[2]["entries"].append(self.entry(cases[2], "fftw_mpi", 4.6, "default"))
        cases[2]["entries"] += [
            self.failure("pfft", "failed", HOSTILE),
            self.failure("flups", "wrong", "forward result beyond its bound"),
            self.failure("dtfft", "unsupported", "no c2c in natural order"),
            self.failure("fftmpi", "timeout", "no result after 600 s")
        ]
        cases += [
            self.case([256] * 3, kind="r2c", peers=few),
            self.case([256] * 3, precision="f32", peers=few),
            self.case([197, 233, 189], layout="transposed", peers=few)
        ]
        cases += [self.case([512] * 3, ranks=r, peers=few, study="strong scaling") for r in (1, 2, 4, 8, 16)]
        cases += [
            self.case(s, ranks=r, peers=few, study="weak scaling")
            for r, s in ((1, (128, 128, 128)), (2, (256, 128, 128)), (4, (256, 256, 128)), (8, (256, 256, 256)))
        ]
        cases.append(self.case([256] * 3, ranks=1, threads=2, peers=("mkl", "ducc0")))
        slower = self.case([64] * 3, ranks=1, peers=("mkl",))
        slower["entries"] = [slower["entries"][0], self.entry(slower, "ducc0", 0.8), self.entry(slower, "mkl", 1.0)]
        gpu = self.case([96] * 3, ranks=1, peers=("mkl",))
        gpu["entries"] += [self.entry(gpu, "shardfft+engine=native", 1.2)
                           ] + [self.entry(gpu, name, factor) for name, factor in ON_GPUS.items()]
        cases.append(gpu)
        self.launches = 3
        few_launches = self.case([32] * 3, ranks=1, peers=("mkl",))
        return self.results([*cases, slower, few_launches])


if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(Maker(*sys.argv[2:3]).everything(), file)
