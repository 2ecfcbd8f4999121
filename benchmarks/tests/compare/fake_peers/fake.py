"""What the fake peers share: they obey the protocol of shardfft compare without transforming anything."""
import json
import os
import sys


def arguments():
    words = sys.argv[1:]
    return {words[i].removeprefix("--").replace("-", "_"): words[i + 1] for i in range(0, len(words) - 1, 2)}


def about(library, **differs):
    """Prints what --about prints, and ends, where that is asked."""
    if sys.argv[1:] != ["--about"]:
        return
    says = {
        "library": library, "version": "1.0", "mpi": True, "threads": True, "kinds": ["c2c", "r2c"],
        "precisions": ["f64", "f32"], "layouts": ["natural", "transposed", "pencils",
                                                  "bricks"], "dims": [2, 3], "available": True, "reason": ""
    }
    print(json.dumps({**says, **differs}))
    sys.exit(0)


def launches(a, library):
    """How often this library was launched with this folder before; kept there, as real ones keep plans."""
    path = os.path.join(a["scratch"], "launches")
    with open(path, "a", encoding="utf-8") as file:
        file.write("x")
    return os.path.getsize(path) - 1


def result(a, library, seconds, **differs):
    """A result of `iterations` times near `seconds` that differ from launch to launch, and the same for every
    machine."""
    if os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("PMI_RANK", "0")) != "0":
        return  # one rank writes
    launch = launches(a, library)
    iterations = int(a["iterations"])
    forward = [seconds * (1 + 0.001 * (launch % 7) + 0.0001 * i) for i in range(iterations)]
    told = {
        "status": "ok", "reason": "", "library": library, "version": "1.0", "call": a["call"], "configuration": "fake",
        "layout_in": a["layout"], "layout_out": a["layout"], "plan_s": 2.0 if launch == 0 else 0.01,
        "first_call_s": 2 * seconds, "forward_s": forward, "backward_s": [1.5 * s for s in forward],
        "error_rel_l2": 1e-16, "error_backward_rel_l2": 1.5e-16, "bound": 1e-15, "memory_peak_bytes": 1 << 20,
        "bytes_sent_network": None, "messages_sent": None,
        "energy_j": float(os.environ["FAKE_ENERGY_J"]) if "FAKE_ENERGY_J" in os.environ else None, "phases_s": {},
        "recipe": {}
    }
    if "FAKE_GPUS_J" in os.environ:
        told["energy_gpus_j"] = float(os.environ["FAKE_GPUS_J"])
    if "FAKE_NODES" in os.environ:
        told["nodes"] = int(os.environ["FAKE_NODES"])
    text = json.dumps({**told, **differs})
    with open(a["result"] + ".tmp", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(a["result"] + ".tmp", a["result"])
