#!@SHARDFFT_PEERS_PYTHON@
"""ducc0.fft: in one process, with threads of its own."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
import peer_common as common

# The best call gives the output; ducc0 can make arrays whose strides do not fall together in the cache ("noncritical").
WAYS = ["out of place", "out of place, noncritical strides", "in place", "in place, noncritical strides"]


class Transform:
    layout_in = layout_out = common.IN_ONE_PROCESS

    def __init__(self, task):
        import ducc0
        import numpy as np
        self.fft, self.real, self.n = ducc0.fft, task.kind == "r2c", common.lengths(task)[-1]
        self.best, self.threads, self.gain = task.best, task.threads, common.points(task)
        default = "c2c(a)" if len(task.axes) == len(common.input_shape(task)) else "c2c(a, axes)"
        self.configuration = f"{task.way}, nthreads={task.threads}" if task.best else default
        self.axes = task.axes
        real, complex_ = common.dtypes(task)

        def make(shape, dtype):
            array = np.zeros(shape, dtype)
            return ducc0.misc.make_noncritical(array) if "noncritical" in task.way else array
        self.x = make(common.input_shape(task), real)
        self.y = self.x if "in place" in task.way else make(common.spectrum_shape(task), complex_)

    def input(self):
        return [([0] * self.x.ndim, self.x)]

    def spectrum(self):
        return [([0] * self.y.ndim, self.y)]

    def forward(self):
        words = {"out": self.y, "nthreads": self.threads} if self.best else {}
        self.y = self.fft.r2c(self.x, axes=self.axes, **words) if self.real else self.fft.c2c(
            self.x, axes=self.axes, **words)

    def backward(self):
        words = {"out": self.x, "nthreads": self.threads} if self.best else {}
        if self.real:
            if self.best:
                words["allow_overwriting_input"] = True
            self.x = self.fft.c2r(self.y, axes=self.axes, lastsize=self.n, forward=False, **words)
        else:
            self.x = self.fft.c2c(self.y, axes=self.axes, forward=False, **words)


class Library:
    modules = ["numpy", "ducc0"]
    about = common.about("ducc0", "ducc0", "ducc0", threads=True, batch=True, axes=True)

    def ways(self, task):
        return WAYS[:2] if task.kind == "r2c" else WAYS

    def plan(self, task):
        return Transform(task)


common.run(Library())
