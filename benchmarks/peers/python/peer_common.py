"""What peers in Python share. Words, timing, data, checks and the result file are those of the C++ peers
(python_peer.cpp, called through ctypes); a peer in
Python answers questions. A library is an object with

    about      dict: library, version, mpi, threads, layouts, and where they differ from the defaults below kinds,
    precisions, dims, batch, axes, available, reason
    modules    names of what plan() imports; imported after MPI was started, outside of what is timed
    ways(task) names of the ways to try for the best call
    plan(task) an object with forward(), backward(), input(), spectrum(), gain, configuration, layout_in, layout_out

`task` has shape (of one of batch fields, which lie along an axis in front where there are several), axes (the
transformed ones of the arrays), kind, precision, layout, threads, best, plan_seconds, scratch, name, ranks, and way
(empty for the default call). input() and spectrum() return [(lo, array)]: where the local array's first element lies in
the global array, and the array; they are asked again after each run.
"""
import ctypes
import gc
import importlib
import importlib.metadata
import importlib.util
import json
import math
import os
import pathlib
import sys
import types

DONE, FAILED, UNSUPPORTED = 0, 1, 2
EVERY_LAYOUT = ["natural", "transposed", "pencils", "bricks"]
IN_ONE_PROCESS = "the whole array in C order"


class Unsupported(Exception):
    """The library cannot do what is asked; the same on all ranks."""


def about(library, module, package, **more):
    """`module` is looked for and not imported: importing may start MPI."""
    found = importlib.util.find_spec(module) is not None
    return {
        "library": library, "version": importlib.metadata.version(package) if found else "", "mpi": False,
        "threads": False, "batch": False, "axes": False, "kinds": ["c2c", "r2c"], "precisions": ["f64", "f32"],
        "layouts": EVERY_LAYOUT, "dims": [1, 2, 3, 4], "available": found,
        "reason": "" if found else f"{sys.executable} has no module {module}; run benchmarks/setup_peers", **more
    }


def dtypes(task):
    """Of the input and of the spectrum."""
    complex_ = "c8" if task.precision == "f32" else "c16"
    return (complex_ if task.kind == "c2c" else "f4" if task.precision == "f32" else "f8"), complex_


def input_shape(task):
    return task.shape if task.batch == 1 else [task.batch, *task.shape]


def spectrum_shape(task):
    shape = list(input_shape(task))
    if task.kind == "r2c":
        shape[task.axes[-1]] = shape[task.axes[-1]] // 2 + 1
    return shape


def lengths(task):
    """Of the transformed axes."""
    return [input_shape(task)[axis] for axis in task.axes]


def points(task):
    """Of one transform: by what it and its inverse multiply where nothing is scaled."""
    return float(math.prod(lengths(task)))


def parts_of(pairs):
    return [{
        "lo": list(lo), "hi": [first + n for first, n in zip(lo, array.shape)], "data": array.ctypes.data,
        "strides": list(array.strides)
    } for lo, array in pairs]


class Answers:
    """The other side of python_peer.cpp's questions."""

    def __init__(self, library):
        self.library, self.plan = library, None

    def answer(self, question, argument):
        if question == "about":
            return self.library.about
        if question == "load":
            # libraries take these for the most that they may use
            os.environ["OMP_NUM_THREADS"] = os.environ["DUCC0_NUM_THREADS"] = argument
            for module in self.library.modules:
                importlib.import_module(module)
            return None
        if question in ("ways", "plan"):
            task = types.SimpleNamespace(**json.loads(argument))
            if question == "ways":
                return self.library.ways(task)
            self.plan = self.library.plan(task)
            return {key: getattr(self.plan, key) for key in ("gain", "configuration", "layout_in", "layout_out")}
        if question in ("input", "spectrum"):
            return parts_of(getattr(self.plan, question)())
        if question == "drop":
            self.plan = None
            gc.collect()
        else:
            getattr(self.plan, question)()  # forward, backward
        return None


def run(library):
    """Does not return: ends with the peer's exit status."""
    # For all to see: what is imported after it then finds the functions of MPI that it counts, before MPI's own.
    support = ctypes.CDLL(str(pathlib.Path(__file__).with_name("libpeer_support.so")), mode=ctypes.RTLD_GLOBAL)
    answers = Answers(library)

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)
    def ask(question, argument):
        try:
            answer = answers.answer(question.decode(), argument.decode())
            if answer is not None:
                support.shardfft_peer_answer(json.dumps(answer).encode())
            return DONE
        except Unsupported as error:
            support.shardfft_peer_answer(str(error).encode())
            return UNSUPPORTED
        except BaseException as error:  # nothing may pass through C++
            support.shardfft_peer_answer(f"{type(error).__name__}: {error}".encode())
            return FAILED

    words = [word.encode() for word in sys.argv[1:]]
    program = ("peer_" + library.about["library"]).encode()
    status = support.shardfft_peer_run(program, len(words), (ctypes.c_char_p * len(words))(*words), ask)
    sys.stdout.flush()
    os._exit(status)  # MPI has ended: nothing may be left to Python's own end
