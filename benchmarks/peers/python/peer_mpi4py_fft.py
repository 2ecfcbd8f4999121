#!@SHARDFFT_PEERS_PYTHON@
"""mpi4py-fft: FFTW's transforms and MPI_Alltoallw between them. Slabs ("transposed": its output is cut along axis 1 and
stays in C order) and pencils."""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
import peer_common as common

SLABS, PENCILS = "transposed", "pencils"


def with_wisdom(action, task):
    """Runs mpi4py-fft's import_wisdom or export_wisdom, which put a prefix before the name of the file, in the scratch
    folder."""
    if not (task.best and task.scratch):
        return
    before = os.getcwd()
    os.chdir(task.scratch)
    try:
        action(f"mpi4py_fft-{task.name}.wisdom")
    except AssertionError:
        pass  # the first launch finds none
    finally:
        os.chdir(before)


class Transform:
    def __init__(self, task):
        from mpi4py import MPI
        from mpi4py_fft import PFFT, fftw, newDistArray
        if MPI.COMM_WORLD.size != task.ranks:
            raise common.Unsupported(
                f"mpi4py must be built for the MPI of this program; it sees {MPI.COMM_WORLD.size} ranks of {task.ranks}"
            )
        with_wisdom(fftw.import_wisdom, task)
        if task.best:
            fftw.set_timelimit(task.plan_seconds / 2)
        words = {"slab": task.layout != PENCILS, "dtype": common.dtypes(task)[0], "axes": tuple(range(len(task.shape)))}
        if task.best:
            words |= {"collapse": "collapse" in task.way, "planner_effort": "FFTW_MEASURE"}
        self.fft = PFFT(MPI.COMM_WORLD, task.shape, **words)
        with_wisdom(fftw.export_wisdom, task)
        self.own = "own arrays" in task.way
        if self.own:
            self.x, self.y = self.fft.forward.input_array, self.fft.forward.output_array
        else:
            self.x, self.y = newDistArray(self.fft, False), newDistArray(self.fft, True)
        self.gain = common.points(task)
        self.configuration = f"PFFT, {task.way}, FFTW_MEASURE" if task.best else "PFFT, newDistArray, forward(u, u_hat)"
        said = "slabs along axis {}, C order" if words["slab"] else "pencils along axis {}, C order"
        self.layout_in = said.format(0 if words["slab"] else len(task.shape) - 1)
        self.layout_out = said.format(1 if words["slab"] else 0)

    def input(self):
        return [([s.start for s in self.fft.local_slice(False)], self.x)]

    def spectrum(self):
        return [([s.start for s in self.fft.local_slice(True)], self.y)]

    def forward(self):
        self.fft.forward(normalize=False) if self.own else self.fft.forward(self.x, self.y, normalize=False)

    def backward(self):
        self.fft.backward(normalize=False) if self.own else self.fft.backward(self.y, self.x, normalize=False)


class Library:
    modules = ["mpi4py.MPI", "mpi4py_fft"]
    about = common.about("mpi4py_fft", "mpi4py_fft", "mpi4py-fft", mpi=True, layouts=[SLABS, PENCILS], dims=[2, 3, 4])

    def ways(self, task):
        return ["own arrays, collapse", "own arrays", "collapse"]

    def plan(self, task):
        if task.ranks > 1 and task.layout not in (SLABS, PENCILS):
            raise common.Unsupported(
                "mpi4py-fft's output is never cut as its input is; it serves transposed and pencils")
        if len(task.shape) < 2:
            raise common.Unsupported("mpi4py-fft needs 2 dimensions or more")
        return Transform(task)


common.run(Library())
