#!@SHARDFFT_PEERS_PYTHON@
"""scipy.fft: pocketfft in one process, with `workers` threads. It always makes a new array for its result."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
import peer_common as common


class Transform:
    gain = 1
    layout_in = layout_out = common.IN_ONE_PROCESS

    def __init__(self, task):
        import numpy as np
        import scipy.fft
        self.fft, self.lengths, self.real = scipy.fft, common.lengths(task), task.kind == "r2c"
        real, complex_ = common.dtypes(task)
        self.x, self.y = np.zeros(common.input_shape(task), real), np.zeros(common.spectrum_shape(task), complex_)
        self.words = {"axes": task.axes}
        if task.best:
            self.words |= {"workers": task.threads, "overwrite_x": task.way == "overwrite_x"}
        best = f"workers={task.threads}, overwrite_x={task.way == 'overwrite_x'}"
        default = "fftn(x)" if len(task.axes) == self.x.ndim else "fftn(x, axes)"
        self.configuration = best if task.best else default

    def input(self):
        return [([0] * self.x.ndim, self.x)]

    def spectrum(self):
        return [([0] * self.y.ndim, self.y)]

    def forward(self):
        self.y = None  # its memory can be had again
        self.y = (self.fft.rfftn if self.real else self.fft.fftn)(self.x, **self.words)

    def backward(self):
        self.x = None
        self.x = self.fft.irfftn(self.y, s=self.lengths, **self.words) if self.real else self.fft.ifftn(
            self.y, **self.words)


class Library:
    modules = ["numpy", "scipy.fft"]
    about = common.about("scipy", "scipy", "scipy", threads=True, batch=True, axes=True)

    def ways(self, task):
        return ["overwrite_x", "input kept"]

    def plan(self, task):
        return Transform(task)


common.run(Library())
