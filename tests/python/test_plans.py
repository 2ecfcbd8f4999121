"""Plans, on threads as ranks."""

import builtins
import subprocess
import sys

import numpy as np
import pytest

import shardfft as sf

LAYOUTS = ["natural", "slabs:1", "pencils:2", "bricks", "cyclic:0", "grid:2x1x2"]


def field(shape, dtype, seed=3):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    return (x if np.dtype(dtype).kind == "f" else x + 1j * rng.standard_normal(shape)).astype(dtype)


def fill(array, whole):
    meshes = array.grid() if len(array.parts) > 1 else [array.grid()]
    for part, mesh in zip(array.parts, meshes):
        part[...] = whole[mesh]


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", ["c2c", "r2c", "c2r"])
def test_every_layout_gives_numpys_transform_and_one_hash(ranks, kind):
    shape = (6, 7, 10)
    whole = field((6, 7, 6) if kind == "c2r" else shape, "d" if kind == "r2c" else "D")
    if kind == "c2r":
        whole = np.fft.rfftn(field(shape, "d"))
    wanted = {"c2c": np.fft.fftn, "r2c": np.fft.rfftn}.get(kind)
    wanted = wanted(whole) if wanted else np.fft.irfftn(whole, shape, axes=(0, 1, 2), norm="forward")
    fitting = LAYOUTS if ranks >= 4 else LAYOUTS[:5]
    order = (0, 1, 2) if kind == "c2r" else (2, 1, 0)  # bits depend on it, and layouts may ask for another one
    hashes = set()
    for i, layout in enumerate(fitting):
        def work(comm, layout=layout, output=fitting[-1 - i]):
            plan = sf.Plan(shape, kind=kind, comm=comm, input=layout, output=output, axis_order=order)
            u = plan.make_input()
            fill(u, whole)
            u_hat = plan.forward(u)
            assert plan.verify(u, u_hat).ok
            back = plan.backward(u_hat)
            assert back.layout.same_owners(u.layout)
            return u_hat.gather(), plan.hash_output(u_hat), u_hat.hash(), back.gather()
        results = sf.on_ranks(ranks, work)
        spectrum, number, of_array, back = results[0]
        assert np.linalg.norm(spectrum - wanted) <= 1e-14 * np.linalg.norm(wanted)
        assert np.linalg.norm(back - whole) <= 1e-14 * np.linalg.norm(whole)
        assert all(r[0] is None for r in results[1:]) and len({r[1] for r in results}) == 1
        hashes.add((number, of_array))
    assert len({h for h, _ in hashes}) == 1


def test_norms_precisions_axes_and_factors():
    x = field((5, 6, 8), "F")
    for norm in ("backward", "ortho", "forward"):
        plan = sf.Plan(x.shape, dtype="complex64", axes=(0, 2), norm=norm)
        y = plan.forward(x, np.empty_like(x), 0.5)
        assert np.allclose(y, 0.5 * np.fft.fftn(x, axes=(0, 2), norm=norm), rtol=1e-5, atol=1e-5)
        assert plan.verify(x, y, factor=0.5).ok and plan.error_bound() > 0


def test_split_phase_samples_and_reports():
    x = field((16, 12), "D")
    plan = sf.Plan(x.shape)
    y = np.empty_like(x)
    plan.start(x, y)
    while not plan.test():
        pass
    plan.wait()
    samples = plan.exact_samples(x, [(0, 0), (3, 5)])
    assert np.allclose(samples, np.fft.fftn(x)[[0, 3], [0, 5]], rtol=1e-14)
    assert plan.last_run()[0]["seconds"] >= 0 and "sweep" in plan.describe()
    assert all(plan.last_run()[0][name] == 0 for name in ("bytes_link", "seconds_to_device", "seconds_staging"))
    assert plan.describe_json()["kind"] == "c2c" and "<pre>" in plan._repr_html_()
    assert plan.loss()["bits"] == 0


def test_strides_of_the_callers_memory():
    memory = np.zeros((6, 10), "D")
    inside = memory[1:5, 2:8]
    x = field((4, 6), "D")
    inside[...] = x
    plan = sf.Plan((4, 6), input_memory=[(0, (10, 1))])
    y = plan.forward(inside, np.empty((4, 6), "D"))
    assert np.allclose(y, np.fft.fftn(x))


@pytest.mark.parametrize("ranks", [1, 3, 5])
@pytest.mark.parametrize("kind", ["c2c", "r2c"])
@pytest.mark.parametrize("layout", [*LAYOUTS[:5], None])
def test_in_place_an_array_becomes_its_transform_and_comes_back(ranks, kind, layout):
    whole = field((8, 6, 5), "d")

    def work(comm):
        plan = sf.Plan(whole.shape, kind=kind, comm=comm, in_place=True, input="slabs:0", output=layout)
        u = plan.make_input()
        fill(u, whole)
        v = plan.forward(u)
        there = v.gather()
        back = plan.backward(v)
        assert v.memory is u.memory is back.memory and plan.backward(plan.make_output()).norm() == 0
        if kind == "r2c":
            with pytest.raises(sf.InvalidArgument, match="room for both ends"):
                plan.forward(sf.empty(whole.shape, "d", comm, "slabs:0"))
        return there, back.gather()

    there, back = sf.on_ranks(ranks, work)[0]
    assert np.allclose(there, (np.fft.rfftn if kind == "r2c" else np.fft.fftn)(whole)) and np.allclose(back, whole)


def test_padded_rows_are_the_callers_views():
    plan = sf.Plan((4, 6), kind="r2c", in_place=True, padded_reals=True)
    spectrum = np.zeros((4, 4), "D")
    rows = spectrum.view("d")[:, :6]
    rows[...] = x = field((4, 6), "d")
    assert np.allclose(plan.forward(rows, spectrum), np.fft.rfftn(x))
    assert np.allclose(plan.backward(spectrum, rows), x)


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("kind, memory", [("r2c", (0, 1, 2)), ("r2c", (1, 0, 2)), ("c2r", (0, 1, 2))])
def test_padded_rows_are_made_with_room_for_their_half_spectra(ranks, kind, memory):
    x = field((4, 6, 7), "d")

    def work(comm):
        reals = sf.slabs(1).ordered(memory) if memory != (0, 1, 2) else "slabs:1"
        ends = {"input": reals, "output": "slabs:0"} if kind == "r2c" else {"input": "slabs:0", "output": reals}
        plan = sf.Plan(x.shape, kind=kind, comm=comm, in_place=True, padded_reals=True, **ends)
        if kind == "r2c":
            u = plan.make_input()
            fill(u, x)
            v = plan.forward(u)
            spectrum = v.gather()
            back = plan.backward(v)
        else:
            v = plan.make_input()
            fill(v, np.fft.rfftn(x))
            spectrum = v.gather()
            back = plan.forward(v)
        assert back.memory is v.memory and back.local.strides[memory[1]] == 8 * 8  # a row of 7 has room for 8
        assert not back.buffer.flags.writeable and np.array_equal((back + 0).local, back.local)
        scale = 1 if kind == "r2c" else x.size
        assert np.isclose(back.norm(), np.linalg.norm(x) * scale) and back.hash() == back.copy().hash()
        return spectrum, back.gather(), scale

    spectrum, back, scale = sf.on_ranks(ranks, work)[0]
    assert np.allclose(spectrum, np.fft.rfftn(x)) and np.allclose(back, x * scale)


def test_a_tolerance_is_kept():
    def work(comm):
        plan = sf.Plan((16, 16, 16), comm=comm, tolerance=1e-3, codec="f16", encode_near=True)
        u = plan.make_input()
        fill(u, field((16, 16, 16), "D"))
        v = plan.forward(u)
        verdict = plan.verify(u, v)
        return verdict.ok, plan.error_bound()

    for ok, bound in sf.on_ranks(2, work):
        assert ok and 0 < bound <= 1e-3


@pytest.mark.parametrize("kind", ["c2c", "r2c"])
@pytest.mark.parametrize("dtype", ["f", "d"])
def test_memory_of_any_other_type_is_refused(kind, dtype):
    plan = sf.Plan((4, 6), kind=kind, dtype=dtype)
    u, v = plan.make_input(), plan.make_output()
    for type in np.typecodes["All"]:
        if type in ("O", u.dtype.char, "B"):  # of single bytes: whatever they hold
            continue
        type += "8" if type in "SUV" else ""
        other = np.zeros(8 * u.size, type)
        with pytest.raises(sf.InvalidArgument):
            plan.forward(other, v)
        with pytest.raises(sf.InvalidArgument):
            plan.backward(v, other)
        with pytest.raises(sf.InvalidArgument):
            plan.forward(u.empty_like(type), v)
    assert sf.empty((3, 2), "i8").redistribute("slabs:1").dtype == "i8"  # moved as they are


def test_errors_are_one_class_for_each_kind_and_the_same_on_all_ranks():
    for error, also, broken in [
        (sf.InvalidProblem, ValueError, lambda: sf.Plan((0, 4))),
        (sf.InvalidProblem, ValueError, lambda: sf.Plan((4, 4), dtype="int32")),
        (sf.InvalidProblem, ValueError, lambda: sf.Plan((4, 4), norm="other")),
        (sf.InvalidLayout, ValueError, lambda: sf.Plan((4, 4), input="slabs:7")),
        (sf.InvalidArgument, ValueError, lambda: sf.Plan((4, 4), colour="red")),
        (sf.InvalidArgument, ValueError, lambda: sf.Plan((4, 4)).forward(np.zeros((3, 4), "D"))),
        (sf.InvalidArgument, ValueError, lambda: sf.Plan((4, 4)).forward(np.zeros((4, 4)), np.zeros((4, 4), "D"))),
        (sf.InvalidArgument, ValueError, lambda: sf.Plan((4, 4)).forward(np.zeros((8, 4), "D")[::2])),
        (sf.InvalidArgument, ValueError, lambda: sf.Plan((4, 4)).verify(1, 2, direction="up")),
    ]:
        with pytest.raises(error) as raised:
            broken()
        assert isinstance(raised.value, also) and isinstance(raised.value, sf.Error)
    plan = sf.Plan((4, 4))
    plan.destroy()
    with pytest.raises(sf.InvalidArgument, match="destroyed"):
        plan.describe()

    def work(comm):
        with pytest.raises(sf.Mismatch) as error:
            sf.Plan((4, 4 + comm.rank), comm=comm)
        return str(error.value)

    assert len(set(sf.on_ranks(3, work))) == 1
    with pytest.raises(ZeroDivisionError):
        sf.on_ranks(3, lambda comm: 1 // (comm.rank - 1) if comm.rank else comm.barrier())


def test_importing_all_names_replaces_no_builtin():
    for module in (sf, sf.solve, sf.spectral, sf.analysis, sf.files):
        assert not set(module.__all__) & set(dir(builtins))
    assert sf.any is sf.any_layout
    assert sf.Plan((6, 4), output=sf.any_layout).output.shape == (6, 4)


def test_the_program_is_the_packages_main():
    ran = subprocess.run([sys.executable, "-m", "shardfft", "explain", "--shape", "8x8", "--ranks", "2"],
                         capture_output=True, text=True, timeout=60)
    from shardfft.__main__ import program

    assert (ran.returncode == 0 and "sweep" in ran.stdout) if program() else "no program" in ran.stderr


def test_a_wrong_communicator_or_a_second_mpi_is_refused():
    if not sf.info()["mpi"]:
        with pytest.raises(sf.Unsupported, match="no MPI"):
            sf._core.comm_of_mpi(0, 8)
        return
    with pytest.raises(sf.InvalidArgument, match="3 bytes"):
        sf._core.comm_of_mpi(0, 3)
    with pytest.raises(sf.Unsupported, match="loads no other"):
        sf._core.load_mpi("shardfft_mpi_none.so")


def test_tools_around_plans():
    assert "64 ranks" in sf.explain((64, 64, 64), ranks=64) or "sweep" in sf.explain((64, 64, 64), ranks=64)
    rows = sf.tune((16, 16), tune_seconds=0.2, threads=1)
    assert rows and rows[0]["seconds"] > 0
    assert sf.bench((16, 16), seconds=0.01)["forward_best"] > 0
    assert "native" in [name for name, _, _ in sf.info()["engines"]]
    assert isinstance(sf.wisdom.list(), list)
    layout = sf.Plan((6, 4), comm=sf.dry_run(3), input=sf.slabs(0)).input
    assert layout.boxes(1) == [((2, 0), (4, 4))] and layout.count(2) == 8 and layout.owners((0, 0), (3, 4))[1][0] == 1


def test_shapes_and_axes_are_whole_numbers():
    assert sf.Plan(8).shape == sf.Plan(np.int64(8)).shape == (8,)
    assert sf.Plan((4, 6), axes=1).shape == (4, 6)
    for wrong in ({"shape": (4.7,)}, {"shape": (4, None)}, {"shape": (4, 6), "axes": 0.5}, {"shape": "46"}):
        with pytest.raises(sf.InvalidProblem, match="whole numbers"):
            sf.Plan(**wrong)


def test_numbers_of_numpy_are_options_as_those_of_python_are():
    def told(**options):
        return sf.Plan((8, 6, 4), **options).describe()

    assert told(tolerance=np.float64(1e-3)) == told(tolerance=1e-3) != told()
    assert told(in_place=np.True_) == told(in_place=True)
    assert told(chunks=np.int32(2), axis_order=np.array([0, 1, 2])) == told(chunks=2, axis_order=(0, 1, 2))
    with pytest.raises(sf.InvalidProblem, match="modes are whole numbers; got 3.7"):
        sf.Plan((8, 8), modes=3.7)
    with pytest.raises(sf.InvalidProblem, match="widths are whole numbers; got 1.5"):
        sf.Halo((8, 8), 1.5, 1)


def test_an_array_of_another_shape_is_told_with_both_shapes():
    plan = sf.Plan((4, 6), kind="r2c")
    with pytest.raises(sf.InvalidArgument, match=r"4 x 6 in .*; got 4 x 4 in .*; see make_input\(\)"):
        plan.forward(plan.make_output())
