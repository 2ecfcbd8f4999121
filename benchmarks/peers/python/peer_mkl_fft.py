#!@SHARDFFT_PEERS_PYTHON@
"""mkl_fft: MKL's transforms of NumPy arrays, with MKL's own OpenMP threads."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
import peer_common as common

OUT, IN_PLACE, NEW = "out given", "in place", "new array"


class Transform:
    gain = 1
    layout_in = layout_out = common.IN_ONE_PROCESS

    def __init__(self, task):
        import mkl_fft
        import numpy as np
        real, complex_ = common.dtypes(task)
        self.x = np.zeros(common.input_shape(task), real)
        self.y = self.x if task.way == IN_PLACE else np.zeros(common.spectrum_shape(task), complex_)
        self.given = task.way in (OUT, IN_PLACE)
        lengths = common.lengths(task)
        # its calls for several axes loop over the others in Python
        one = len(lengths) == 1
        self.words = {"axis": task.axes[0]} if one else {"axes": task.axes}
        self.back = {"n" if one else "s": lengths[0] if one else lengths} if task.kind == "r2c" else {}
        names = ("fft", "ifft") if task.kind == "c2c" else ("rfft", "irfft")
        self.there_and_back = [getattr(mkl_fft, name if one else f"{name}n") for name in names]
        default = f"{names[0]}{'' if one else 'n'}(x)"
        self.configuration = f"{task.way}, {task.threads} threads" if task.best else default

    def input(self):
        return [([0] * self.x.ndim, self.x)]

    def spectrum(self):
        return [([0] * self.y.ndim, self.y)]

    def forward(self):
        self.y = self.there_and_back[0](self.x, **self.words, **({"out": self.y} if self.given else {}))

    def backward(self):
        self.x = self.there_and_back[1](self.y, **self.words, **self.back, **({"out": self.x} if self.given else {}))


class Library:
    modules = ["numpy", "mkl_fft"]
    about = common.about("mkl_fft", "mkl_fft", "mkl-fft", threads=True, batch=True, axes=True)

    def ways(self, task):
        return [OUT, NEW] + ([IN_PLACE] if task.kind == "c2c" else [])

    def plan(self, task):
        return Transform(task)


common.run(Library())
