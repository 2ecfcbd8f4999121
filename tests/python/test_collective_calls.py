"""Every public call is either local, or reads its arguments inside the agreement of ranks. If an argument is
wrong on one rank alone, all ranks raise and none waits."""

import faulthandler
import inspect
import itertools

import numpy as np
import pytest

import shardfft as sf
from shardfft import analysis, files, solve, spectral

SHAPE = (6, 5, 4)


class Raises:
    """What raises whichever way it is read."""

    def _raise(self, *_, **__):
        raise ZeroDivisionError("read")

    __array__ = __index__ = __iter__ = __float__ = __len__ = __str__ = __bool__ = __fspath__ = __buffer__ = _raise
    dtype = property(_raise)
    __dlpack__ = _raise


MISTAKES = {"an object": object(), "a text": "none", "None": None, "NaN": float("nan"), "a far number": -99,
            "nothing": [], "numbers": [1, 2], "a list of texts": ["a"], "what raises": Raises()}


def plan_of(comm, **options):
    return sf.Plan(SHAPE, comm=comm, input="slabs:0", output="slabs:1", **options)


def on_plan(call, **options):
    def make(comm):
        plan = plan_of(comm, **options)
        return getattr(plan, call), {"plan": plan, "u": plan.make_input(), "v": plan.make_output()}
    return make


def given(make, **arguments):
    """A call and its arguments by name; functions get what `make` knows."""
    def call(comm):
        made, known = make(comm)
        return made, {name: a(known) if callable(a) else a for name, a in arguments.items()}
    return call


def on_array(call, **arguments):
    return given(lambda comm: (getattr(array_of(comm), call), {}), **arguments)


def array_of(comm):
    return sf.empty(SHAPE, "f8", comm)


def function(what, **arguments):
    return lambda comm: (what, {**arguments, "comm": comm})


def operator(what, **arguments):
    return lambda comm: (what, {"plan": plan_of(comm, apply="to_outputs"), **arguments})


def of_arrays(what, count, **arguments):
    return lambda comm: (lambda **more: what(*(array_of(comm) for _ in range(count)), **more), arguments)


def on_halo(call):
    def make(comm):
        halo = sf.Halo(SHAPE, 1, 1, comm=comm)
        return getattr(halo, call), {"array": halo.make_array()}
    return make


def on_solver(call, **more):
    def make(comm):
        solver = solve.Poisson(SHAPE, comm=comm, project=True)
        return getattr(solver, call), {"f": solver.make_array(), **{k: solver.make_array() for k in more}}
    return make


def on_flow(call, **arguments):
    def make(comm):
        flow = solve.NavierStokes((4, 4, 4), 1.0, comm=comm)
        flow.taylor_green()
        return getattr(flow, call), {k: a(flow) if callable(a) and k == "state" else a for k, a in arguments.items()}
    return make


def factors(name):
    def make(comm):
        plan = plan_of(comm, apply="to_outputs")
        return getattr(spectral, name), {"plan": plan, "factors" if name == "multiply" else "spectrum":
                                         plan.make_middle()}
    return make


u, v = (lambda known: known["u"]), (lambda known: known["v"])
LENGTHS = (1.0, 1.0, 1.0)
CALLS = {
    "Plan": function(sf.Plan, shape=SHAPE, kind="c2c", dtype="f8", axes=(0, 1), kinds="fourier", modes=0, support=0,
                     norm="ortho", orthonormal=False, input="slabs:0", output="slabs:1", input_memory=(), threads=1),
    "Plan.forward": given(on_plan("forward"), input=u, output=v, factor=1.0),
    "Plan.backward": given(on_plan("backward"), input=v, output=u, factor=1.0),
    "Plan.start": given(on_plan("start"), input=u, output=v, direction="forward", factor=1.0),
    "Plan.verify": given(on_plan("verify"), input=u, output=v, direction="forward", factor=1.0),
    "Plan.adjoint": given(on_plan("adjoint"), input=v, output=u, of="forward", factor=1.0),
    "Plan.apply": given(on_plan("apply", apply="to_outputs"), input=u, operator=lambda k: k["plan"].make_middle(),
                        output=lambda k: k["plan"].make_applied()),
    "Plan.apply_physical": given(on_plan("apply_physical", apply="to_inputs"), input=v,
                                 operator=lambda k: k["plan"].make_middle(),
                                 output=lambda k: k["plan"].make_applied()),
    "Plan.exact_samples": given(on_plan("exact_samples"), input=u, positions=[(0, 0, 0)], direction="forward"),
    "Plan.hash_input": given(on_plan("hash_input"), array=u),
    "Plan.hash_output": given(on_plan("hash_output"), array=v),
    "Plan.error_bound": given(on_plan("error_bound")),
    "Plan.loss": given(on_plan("loss")),
    "DistArray.redistribute": on_array("redistribute", layout="slabs:1"),
    "DistArray.gather": on_array("gather", root=0),
    "DistArray.hash": on_array("hash"), "DistArray.sum": on_array("sum"), "DistArray.norm": on_array("norm"),
    "DistArray.max": on_array("max"),
    "DistArray.save": on_array("save", path="saved.npy", dataset="data", chunks=None),
    "DistArray.__array_ufunc__": lambda comm: (lambda x, **more: np.add(array_of(comm), x, **more), {"x": 1.0}),
    "Halo": function(sf.Halo, shape=SHAPE, low=1, high=1, dtype="f8", layout="slabs:0", periodic=(0,), corners=True,
                     memory=None, threads=1),
    "Halo.exchange": on_halo("exchange"), "Halo.accumulate": on_halo("accumulate"),
    "Halo.start_exchange": on_halo("start_exchange"), "Halo.start_accumulate": on_halo("start_accumulate"),
    "Comm.barrier": lambda comm: (comm.barrier, {}),
    "Comm.broadcast": lambda comm: (comm.broadcast, {"data": b"ab", "root": 0}),
    "Comm.allgather": lambda comm: (comm.allgather, {"data": b"ab"}),
    "Comm.sum": lambda comm: (comm.sum, {"value": 1.0}), "Comm.max": lambda comm: (comm.max, {"value": 1.0}),
    "solve.Poisson": function(solve.Poisson, shape=SHAPE, spacing=0.1, boundary="periodic", points="cells", order=2,
                              shift=1.0, values=(), project=False, compatible=0.0, stretched=None, faces=(), dtype="f8",
                              layout="slabs:0", threads=1),
    "solve.Poisson.solve": on_solver("solve", u=0), "solve.Poisson.estimate": on_solver("estimate"),
    "solve.poisson": lambda comm: (lambda **more: solve.poisson(array_of(comm), **more),
                                   {"spacing": 0.1, "shift": 1.0}),
    "solve.NavierStokes": function(solve.NavierStokes, shape=(4, 4, 4), viscosity=1.0, lengths=1.0, form="rotational",
                                   dealias=True, fused=False, dtype="f8", threads=1),
    "solve.NavierStokes.set": on_flow("set", u=lambda x, y, z: (0, 0, 0)),
    "solve.NavierStokes.step": on_flow("step", dt=1e-3),
    "solve.NavierStokes.restore": on_flow("restore", state=lambda flow: flow.state(), time=0.0, steps=0),
    **{f"solve.NavierStokes.{name}": on_flow(name) for name in
       ("taylor_green", "sums", "dissipation", "spectrum", "hash", "state")},
    **{f"spectral.{name}": factors(name) for name in ("multiply", "convolve", "correlate")},
    "spectral.inverse_laplace": operator(spectral.inverse_laplace, lengths=LENGTHS, differences=2, shift=1.0),
    "spectral.derivative": operator(spectral.derivative, axis=0, order=1, length=1.0),
    **{f"spectral.{name}": operator(getattr(spectral, name), lengths=LENGTHS) for name in
       ("gradient", "divergence", "curl", "project")},
    "spectral.gaussian": operator(spectral.gaussian, lengths=LENGTHS, sigma=0.1),
    "spectral.lowpass": operator(spectral.lowpass, lengths=LENGTHS, cutoff=9.0),
    "spectral.filter": operator(spectral.filter, lengths=LENGTHS, low_pass=9.0, high_pass=1.0, edge="hard", width=0.0,
                                order=2, sigma=0.1, derivatives=[(0, 1)], laplacian=True, shift=LENGTHS),
    "analysis.filter": of_arrays(analysis.filter, 1, low_pass=2.0, high_pass=3.0, edge="hard", gaussian=1.0,
                                 derivative=0, laplacian=True, shift=0.5, spacing=1.0, axes=(0, 1)),
    "analysis.spectrum": of_arrays(analysis.spectrum, 2, spacing=1.0, shells=1.0, centred=True, normalize="sum",
                                   axes=(0, 1)),
    "analysis.register": of_arrays(analysis.register, 2, upsample=2, phase=True),
    "analysis.correlate": of_arrays(analysis.correlate, 2, phase=True),
    "spectral.shift": operator(spectral.shift, lengths=LENGTHS, distances=LENGTHS),
    "load": function(sf.load, path="a.npy", layout="slabs:0", dataset="data"),
    "tune": function(sf.tune, shape=(4, 4), tune_seconds=0.01), "info": function(sf.info),
    "files.transform": function(files.transform, source="a.npy", target="b.npy", kind="c2c", axes=(0, 1), norm="ortho",
                                direction="forward", memory="2M", scratch=(), threads=1),
    "files.apply": function(files.apply, source="a.npy", target="b.npy", operator=spectral.gaussian, lengths=LENGTHS,
                            sigma=0.1, memory="2M", threads=1),
    "files.filter": function(files.filter, source="a.npy", target="b.npy", low_pass=2.0, spacing=0.5, memory="2M",
                             threads=1),
    "files.spectrum": function(files.spectrum, source="a.npy", spacing=0.5, normalize="sum", memory="2M", threads=1),
    "files.register": function(files.register, a="a.npy", b="a.npy", upsample=2, phase=True, memory="2M", threads=1),
    "files.correlate": function(files.correlate, a="a.npy", b="a.npy", target="b.npy", phase=True, memory="2M",
                                threads=1),
    "files.convolve": function(files.convolve, source="a.npy", kernel="a.npy", target="b.npy", mode="same",
                               method="auto", memory="2M", threads=1),
    "files.deconvolve": function(files.deconvolve, source="a.npy", psf="a.npy", target="b.npy", iterations=1,
                                 memory="2M", threads=1),
    "files.power_spectrum": function(files.power_spectrum, source="a.npy", lengths=LENGTHS, width=1.0, memory="2M",
                                     threads=1),
    "bench": function(sf.bench, shape=(4, 4), seconds=0.0, kind="c2c"),
}
LOCAL = {  # what sends nothing; mpi and on_ranks make the groups
    "Plan": "apply applied describe describe_json destroy frequencies input last_run make_applied make_input "
            "make_middle make_output middle output test wait workspace_bytes",
    "DistArray": "box buffer comm copy dtype empty_like grid index layout local memory ndim parts shape size",
    "Halo": "box describe grown_box inside make_array memory test wait",
    "Comm": "kind node nodes rank size",
    "solve.Poisson": "layout make_array places", "solve.NavierStokes": "stable_step steps time",
    "solve": "Estimate FlowSums Report", "spectral": "", "files": "convert",
    "analysis": "Difference Registration Spectrum compare convolve deconvolve", "wisdom": "forget list",
    "sf": "CModes Comm DistArray Layout LayoutSpec Modes Operator Verdict analysis any_layout bricks c_operator "
          "convolve correlate custom cyclic dealiased dry_run empty explain files forget_plans kind_of layout_of local "
          "mpi on_ranks pencils power_spectrum process_grid scipy_backend slabs solve spectral wisdom",
}


def test_every_public_call_is_local_or_tested():
    places = {"Plan": sf.Plan, "DistArray": sf.DistArray, "Halo": sf.Halo, "Comm": sf.Comm, "solve.Poisson":
              solve.Poisson, "solve.NavierStokes": solve.NavierStokes}
    named = {(place, name) for place, names in LOCAL.items() for name in names.split()} | \
        {tuple(name.rpartition(".")[::2]) for name in CALLS}
    for place, kind in places.items():
        for name in vars(kind) | {n: 0 for base in kind.__mro__[1:-1] for n in vars(base)}:
            assert name.startswith("_") or (place, name) in named, (place, name)
    functions = set(sf._functions_all) | set(sf._real_all)
    for name in sf.__all__:
        is_error = inspect.isclass(getattr(sf, name)) and issubclass(getattr(sf, name), Exception)
        assert is_error or name in functions or ("sf", name) in named or ("", name) in named, name
    for place, module in (("solve", solve), ("spectral", spectral), ("analysis", analysis), ("files", files)):
        for name in module.__all__:
            assert (place, name) in named, (place, name)


def wrong_ways(arguments):
    for name in arguments:
        if name not in ("comm", "plan"):
            yield from ((f"{name} is {what}", {**arguments, name: value}) for what, value in MISTAKES.items())
            if name != "x":  # NumPy itself counts the arguments of ufuncs
                yield f"{name} is missing", {k: a for k, a in arguments.items() if k != name}
    if "x" not in arguments:
        yield "an argument too many", {**arguments, "no_such_argument": 1}


def heard_by(ranks, name, bad, way):
    def work(comm):
        call, arguments = CALLS[name](comm)
        ways = list(wrong_ways(arguments))
        try:
            call(**(ways[way][1] if comm.rank == bad else arguments))
        except Exception as error:  # of any kind
            return ways[way][0], f"{type(error).__name__}: {error}"
        return ways[way][0], ""

    return sf.on_ranks(ranks, work)


@pytest.mark.parametrize("name", CALLS)
def test_a_mistake_on_one_rank_is_raised_on_all(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("a.npy", np.zeros(SHAPE))
    faulthandler.dump_traceback_later(60, exit=True)  # a rank waits
    for way in range(len(list(wrong_ways(CALLS[name](sf.local())[1])))):
        ranks, bad = [(2, 0), (2, 1), (3, 0), (3, 2)][way % 4]
        heard = heard_by(ranks, name, bad, way)
        errors = [bool(text) for _, text in heard]
        assert all(errors) or not any(errors), (name, heard)
        assert "has returned" not in str(heard), (name, heard)  # one has waited
        if all(errors) and len({text for _, text in heard}) > 1:
            assert all(f"rank {bad}" in text for rank, (_, text) in enumerate(heard) if rank != bad), (name, heard)
    assert errors[0]  # an argument too many
    faulthandler.cancel_dump_traceback_later()


@pytest.mark.parametrize("pair", [pair for pair in itertools.combinations(
    ("Plan.forward", "Plan.backward", "Plan.hash_input", "DistArray.sum", "DistArray.gather",
     "DistArray.__array_ufunc__", "Comm.barrier", "Halo.exchange", "solve.NavierStokes.step", "spectral.gaussian",
     "load", "info"), 2)])
def test_different_calls_are_an_error_of_all(pair, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("a.npy", np.zeros(SHAPE))
    faulthandler.dump_traceback_later(60, exit=True)

    def work(comm):
        first, second = (CALLS[name](comm) for name in pair)
        call, arguments = first if comm.rank == 1 else second
        with pytest.raises(sf.Mismatch, match="rank"):
            call(**arguments)

    sf.on_ranks(3, work)
    faulthandler.cancel_dump_traceback_later()


def test_an_operator_and_a_function_are_different_calls():
    def work(comm):
        plan = plan_of(comm, apply="to_outputs")
        field, smooth = plan.make_input(), spectral.gaussian(plan, LENGTHS, 0.1)
        with pytest.raises(sf.Mismatch, match="a function of Python"):
            plan.apply(field, smooth if comm.rank else lambda modes: None)
        return comm.sum(1.0)

    assert sf.on_ranks(2, work) == [2.0, 2.0]


@pytest.mark.parametrize("call", ["forward", "start"])
def test_runs_go_on_after_a_mistake_on_one_rank(call):
    def work(comm):
        plan = plan_of(comm)
        u, v = plan.make_input(), plan.make_output()
        u.local[...] = 1
        for bad in range(comm.size):
            with pytest.raises(sf.InvalidArgument, match="factor"):
                getattr(plan, call)(u, v, factor="none" if comm.rank == bad else 1.0)
            with pytest.raises(sf.Mismatch, match=f"Plan.{call} of"):
                getattr(plan, call)(u, v, factor=2.0 if comm.rank == bad else 1.0)
        getattr(plan, call)(u, v)
        if call == "start":
            plan.wait()
        return v.gather()

    assert np.allclose(sf.on_ranks(3, work)[0], np.fft.fftn(np.ones(SHAPE)))


def test_calls_of_two_plans_that_look_alike_are_different():
    def work(comm):
        one, other = plan_of(comm), plan_of(comm)
        with pytest.raises(sf.Mismatch):
            (one if comm.rank else other).forward(one.make_input())

    sf.on_ranks(3, work)
