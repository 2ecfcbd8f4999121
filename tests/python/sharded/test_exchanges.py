"""The choice of exchanges: each axis is whole when it is transformed, and no other way is cheaper."""

import itertools
import math
import os

import numpy as np
import pytest

from shardfft._sharded.exchanges import Exchange, Mesh, Transform, shortest

PROBLEMS = int(os.environ.get("SHARDFFT_TEST_PROBLEMS", "300"))


def random_cuts(rng, names, ndim, in_order):
    """Some of the names, each at an axis."""
    cuts = [[] for _ in range(ndim)]
    for name in names if in_order else rng.permutation(names):
        cuts[rng.integers(ndim)].append(str(name))
    return tuple(map(tuple, cuts))


def problem(seed, least, most):
    rng = np.random.default_rng(seed)
    ndim, jointly = int(rng.integers(least, most + 1)), bool(rng.integers(2))
    sizes = {f"m{i}": int(rng.integers(1, 5)) for i in range(rng.integers(1, 4))}
    mesh = Mesh(sizes, jointly, even=bool(rng.integers(2)))
    before = [int(n) for n in rng.choice([1, 2, 3, 4, 6, 7, 8, 12, 60, 64], ndim)]
    after = [n if rng.random() < 0.7 else int(rng.integers(1, 70)) for n in before]
    order = [int(axis) for axis in rng.permutation(ndim)[:rng.integers(0, ndim + 1)]]
    after = [after[axis] if axis in order else before[axis] for axis in range(ndim)]
    names = [name for name in sizes if rng.random() < 0.8]
    cuts, goal = (random_cuts(rng, names, ndim, not jointly) for _ in range(2))
    goal = goal if rng.integers(2) else None
    print(f"seed {seed}: {mesh}, {before} to {after}, order {order}, from {cuts} to {goal}")
    return mesh, before, after, order, cuts, goal


def sent(mesh, shape, cuts, names):
    """What a process sends, and what each exchange costs besides."""
    part = math.prod(-(-n // math.prod(mesh.sizes[name] for name in along)) for n, along in zip(shape, cuts))
    count = math.prod(mesh.sizes[name] for name in names)
    return 4096 + part - part / count


def shape_after(before, after, order, done):
    return [after[axis] if axis in order[:done] else n for axis, n in enumerate(before)]


def followed(mesh, before, after, order, cuts, steps):
    """The cuts at the end and the cost, of steps that are all possible."""
    done, cost = 0, 0
    for step in steps:
        if isinstance(step, Transform):
            assert step.axis == order[done] and cuts[step.axis] == ()
            done += 1
            continue
        assert isinstance(step, Exchange) and step.source != step.target and len(step.names) > 0
        assert mesh.jointly or len(step.names) == 1
        now, kept = list(cuts), len(cuts[step.source]) - len(step.names)
        assert cuts[step.source][kept:] == step.names
        now[step.source], now[step.target] = cuts[step.source][:kept], cuts[step.target] + step.names
        cuts = tuple(now)
        cost += sent(mesh, shape_after(before, after, order, done), cuts, step.names)
    assert done == len(order)
    return cuts, cost


def ways(mesh, cuts):
    """Exchanges from here, as cuts after them and names."""
    for a, b in itertools.permutations(range(len(cuts)), 2):
        for count in range(1, len(cuts[a]) + 1 if mesh.jointly else min(2, len(cuts[a]) + 1)):
            names, now = cuts[a][-count:], list(cuts)
            now[a], now[b] = cuts[a][:-count], cuts[b] + names
            yield tuple(now), names


def costs(mesh, before, after, order, cuts):
    """The least cost of each layout, with all axes transformed: improved until nothing changes."""
    reached = {cuts: 0}
    for done in range(len(order) + 1):
        shape, changed = shape_after(before, after, order, done), list(reached)
        while changed:
            now = changed.pop()
            for then, names in ways(mesh, now):
                cost = reached[now] + sent(mesh, shape, then, names)
                if cost < reached.get(then, math.inf) - 1e-9:
                    reached[then] = cost
                    changed.append(then)
        if done < len(order):
            reached = {now: cost for now, cost in reached.items() if now[order[done]] == ()}
    return reached


def kept(mesh, cuts, shape):
    ordered = all(list(along) == sorted(along) for along in cuts)
    whole = all(n % math.prod(mesh.sizes[name] for name in along) == 0 for n, along in zip(shape, cuts))
    return (mesh.jointly or ordered) and (whole or not mesh.even)


@pytest.mark.parametrize("seed", range(PROBLEMS))
def test_no_way_is_cheaper(seed):
    mesh, before, after, order, cuts, goal = problem(seed, 1, 3)
    reached = costs(mesh, before, after, order, cuts)
    ends = {end: cost for end, cost in reached.items() if end == goal or (goal is None and kept(mesh, end, after))}
    if not ends:
        with pytest.raises(ValueError, match="is whole"):
            shortest(mesh, before, after, order, cuts, goal)
        return
    steps, last = shortest(mesh, before, after, order, cuts, goal)
    end, cost = followed(mesh, before, after, order, cuts, steps)
    assert end == last and last in ends and cost == pytest.approx(min(ends.values()))


@pytest.mark.parametrize("seed", range(PROBLEMS // 10))
def test_arrays_of_five_axes_on_meshes_of_three(seed):
    mesh, before, after, order, cuts, goal = problem(1000 + seed, 4, 5)
    mesh = Mesh(mesh.sizes, mesh.jointly, even=False)
    steps, last = shortest(mesh, before, after, order, cuts, goal)
    assert followed(mesh, before, after, order, cuts, steps)[0] == last and goal in (None, last)


def exchanges(mesh, cuts, goal, order=(2, 1, 0)):
    shape = (64,) * len(cuts)
    return sum(isinstance(step, Exchange) for step in shortest(mesh, shape, shape, order, cuts, goal)[0])


def test_known_problems_take_as_few_exchanges_as_by_hand():
    slab, pencils = (("x",), (), ()), (("x",), ("y",), ())
    for jointly in (False, True):
        mesh = Mesh({"x": 2, "y": 4}, jointly, even=True)
        assert exchanges(mesh, slab, slab) == 2 and exchanges(mesh, slab, None) == 1
        assert exchanges(mesh, slab, slab, (2, 1)) == 0 and exchanges(mesh, slab, ((), ("x",), ())) == 1
        assert exchanges(mesh, pencils, pencils) == 4 and exchanges(mesh, pencils, None) == 2
    both = (("x", "y"), (), ())
    assert exchanges(Mesh({"x": 2, "y": 4}, True, True), both, both) == 2
    assert exchanges(Mesh({"x": 2, "y": 4}, False, True), both, both) == 4


def test_cuts_of_another_mesh_are_refused():
    with pytest.raises(ValueError, match="exchanges keep the axes of the mesh"):
        shortest(Mesh({"x": 2}, True, True), (4, 4), (4, 4), (0,), ((), ("x",)), (("y",), ()))
