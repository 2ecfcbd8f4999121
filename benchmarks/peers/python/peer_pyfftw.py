#!@SHARDFFT_PEERS_PYTHON@
"""pyFFTW: FFTW's plans for NumPy arrays; its wheels bring an FFTW of their own, with threads."""
import ast
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
import peer_common as common

WAYS = ["out of place", "out of place, input destroyed", "in place"]


class Planned:
    """The best call: plans that were measured, kept between launches."""
    layout_in = layout_out = common.IN_ONE_PROCESS

    def __init__(self, task):
        import pyfftw
        file = pathlib.Path(task.scratch, f"pyfftw-{task.name}.wisdom") if task.scratch else None
        if file and file.exists():
            pyfftw.import_wisdom(ast.literal_eval(file.read_text()))
        real, complex_ = common.dtypes(task)
        self.x = pyfftw.empty_aligned(common.input_shape(task), real)
        self.y = self.x if "in place" in task.way else pyfftw.empty_aligned(common.spectrum_shape(task), complex_)
        words = {
            "axes": task.axes, "flags": ["FFTW_MEASURE"] + (["FFTW_DESTROY_INPUT"] if "destroyed" in task.way else []),
            "threads": task.threads, "planning_timelimit": task.plan_seconds / (2 * len(WAYS))
        }
        forward = pyfftw.FFTW(self.x, self.y, direction="FFTW_FORWARD", **words)
        backward = pyfftw.FFTW(self.y, self.x, direction="FFTW_BACKWARD", **words)
        self.forward, self.backward, self.gain = forward.execute, backward.execute, common.points(task)
        self.configuration = f"FFTW_MEASURE, {task.way}, {task.threads} threads"
        if file:
            file.write_text(repr(pyfftw.export_wisdom()))

    def input(self):
        return [([0] * self.x.ndim, self.x)]

    def spectrum(self):
        return [([0] * self.y.ndim, self.y)]


class Interface:
    """The documentation's first example: NumPy's calls."""
    gain, configuration = 1, "interfaces.numpy_fft"
    layout_in = layout_out = common.IN_ONE_PROCESS
    input, spectrum = Planned.input, Planned.spectrum

    def __init__(self, task):
        import numpy as np
        import pyfftw.interfaces
        self.fft, self.axes, self.lengths = pyfftw.interfaces.numpy_fft, task.axes, common.lengths(task)
        self.real = task.kind == "r2c"
        real, complex_ = common.dtypes(task)
        self.x, self.y = np.zeros(common.input_shape(task), real), np.zeros(common.spectrum_shape(task), complex_)

    def forward(self):
        self.y = (self.fft.rfftn if self.real else self.fft.fftn)(self.x, axes=self.axes)

    def backward(self):
        self.x = (self.fft.irfftn if self.real else self.fft.ifftn)(self.y, s=self.lengths, axes=self.axes)


class Library:
    modules = ["numpy", "pyfftw"]
    about = common.about("pyfftw", "pyfftw", "pyfftw", threads=True, batch=True, axes=True)

    def ways(self, task):
        return WAYS if task.kind == "c2c" else WAYS[:2]

    def plan(self, task):
        return Planned(task) if task.best else Interface(task)


common.run(Library())
