#!/usr/bin/env python3
"""Draws pencil_transform.svg: a 3-D transform of pencils on a 2 x 2 grid of ranks, as sweeps and exchanges.

pencil_transform.py [FILE]    writes FILE (default: pencil_transform.svg beside this script); - is standard output
"""
import pathlib
import sys

WIDTH, HEIGHT = 960, 400
CUBE = 130  # length of an edge
DEPTH = (58, -40)  # where axis 1 points, on paper
LEFTS, TOP = (60, 385, 710), 112
COLOURS = ("#4e79a7", "#f28e2b", "#59a14f", "#b07aa1")  # by rank
INK, PAPER, PALE = "#222222", "#ffffff", "#666666"
# Before each sweep: the process grid over the axes 0, 1, 2. A rank is its row-major position in the grid.
GRIDS = ((2, 2, 1), (2, 1, 2), (1, 2, 2))
SWEPT = (2, 1, 0)


def rank_of(grid, part):
    """Row-major position of `part`, which counts blocks along each axis."""
    rank = 0
    for blocks, index in zip(grid, part):
        rank = rank * blocks + index
    return rank


def partners(before, after):
    """Groups of ranks that exchange pieces when the grid `before` becomes `after`: they share some element."""
    ranks = range(4)
    halves = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]

    def owner(grid, half):
        return rank_of(grid, [i * n // 2 for i, n in zip(half, grid)])

    meets = {r: sorted({owner(after, h) for h in halves if owner(before, h) == r}) for r in ranks}
    return sorted({tuple(group) for group in meets.values()})


def number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


def point(left, at):
    """Where the element at (axis 0, axis 1, axis 2), each from 0 to 1, is on paper. Axis 0 points down."""
    x = left + at[2] * CUBE + at[1] * DEPTH[0]
    y = TOP + at[0] * CUBE + at[1] * DEPTH[1]
    return f"{number(x)},{number(y)}"


def text(x, y, words, size=14, colour=INK, weight="normal", anchor="middle"):
    return (f'<text x="{number(x)}" y="{number(y)}" font-size="{size}" font-weight="{weight}" fill="{colour}" '
            f'text-anchor="{anchor}">{words}</text>')


def face(left, grid, fixed, value):
    """The visible face where axis `fixed` is `value` (0 or 1), each part in its rank's colour."""
    u, v = [axis for axis in range(3) if axis != fixed]
    shade = {0: 1.0, 1: 0.85, 2: 0.7}[fixed]
    for i in range(grid[u]):
        for j in range(grid[v]):
            part = [0, 0, 0]
            part[u], part[v], part[fixed] = i, j, (grid[fixed] - 1) * value
            corners = []
            for a, b in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)):
                at = [0, 0, 0]
                at[u], at[v], at[fixed] = a / grid[u], b / grid[v], value
                corners.append(point(left, at))
            yield (f'<polygon points="{" ".join(corners)}" fill="{COLOURS[rank_of(grid, part)]}" '
                   f'fill-opacity="{shade}" stroke="{PAPER}" stroke-width="2"/>')


def pencil(left, axis):
    """A line along the swept axis, on the front face or the right one."""
    ends = {2: ((0.25, 0, 0.04), (0.25, 0, 0.96)), 1: ((0.25, 0.06, 1), (0.25, 0.94, 1)),
            0: ((0.04, 0, 0.25), (0.96, 0, 0.25))}[axis]
    (x1, y1), (x2, y2) = (point(left, at).split(",") for at in ends)
    return (f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{INK}" stroke-width="3" '
            f'marker-start="url(#head)" marker-end="url(#head)"/>')


def cube(left, grid, swept):
    yield from face(left, grid, fixed=1, value=0)  # in front
    yield from face(left, grid, fixed=0, value=0)  # on top
    yield from face(left, grid, fixed=2, value=1)  # at the right
    yield pencil(left, swept)
    middle = left + CUBE / 2 + DEPTH[0] / 2
    yield text(middle, 28, f"sweep axis {swept}", 18, weight="bold")
    yield text(middle, 47, f"process grid {' x '.join(map(str, grid))}", 13, PALE)
    yield text(middle, TOP + CUBE + 30, "gather, transform, scatter", 13)
    yield text(middle, TOP + CUBE + 48, f"pencils whole along axis {swept}", 13, PALE)


def exchange(number_, from_left, to_left, groups):
    x1, x2, y = from_left + CUBE + DEPTH[0] + 12, to_left - 16, TOP + CUBE / 2
    middle = (x1 + x2) / 2
    yield (f'<line x1="{x1}" y1="{number(y)}" x2="{x2}" y2="{number(y)}" stroke="{INK}" stroke-width="2" '
           f'marker-end="url(#head)"/>')
    yield text(middle, y - 30, f"exchange {number_}", 15, weight="bold")
    yield text(middle, y - 12, "among ranks", 12, PALE)
    yield text(middle, y + 20, ", ".join("{" + ",".join(map(str, g)) + "}" for g in groups), 13)


def axes():
    x, y = 20, TOP + CUBE + 8
    for dx, dy, axis in ((28, 0, 2), (18, -13, 1), (0, 28, 0)):
        yield (f'<line x1="{x}" y1="{y}" x2="{x + dx}" y2="{y + dy}" stroke="{PALE}" stroke-width="1.5" '
               f'marker-end="url(#grey)"/>')
        yield text(x + dx * 1.35 + (0 if dx else 9), y + dy * 1.35 + 4, str(axis), 12, PALE)


def legend():
    for rank, colour in enumerate(COLOURS):
        x = 300 + 95 * rank
        yield f'<rect x="{x}" y="318" width="16" height="16" fill="{colour}"/>'
        yield text(x + 24, 331, f"rank {rank}", 13, anchor="start")
    yield text(WIDTH / 2, 362, "forward: left to right; backward: the same list from right to left", 13)
    yield text(WIDTH / 2, 382, "a sweep scatters each piece to where its next owner reads it: no pack, unpack or "
                               "transpose pass", 13, PALE)


def head(name, colour):
    return (f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            f'markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="M0,0 L8,4 L0,8 z" fill="{colour}"/>'
            '</marker>')


def drawing():
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
             f'height="{HEIGHT}" font-family="sans-serif">',
             "<title>A pencil transform on 2 x 2 ranks: three sweeps and two exchanges</title>",
             f'<defs>{head("head", INK)}{head("grey", PALE)}</defs>',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}"/>']
    for left, grid, swept in zip(LEFTS, GRIDS, SWEPT):
        lines += cube(left, grid, swept)
    for i in (0, 1):
        lines += exchange(i + 1, LEFTS[i], LEFTS[i + 1], partners(GRIDS[i], GRIDS[i + 1]))
    lines += axes()
    lines += legend()
    return "\n".join(lines + ["</svg>", ""])


def main():
    default = pathlib.Path(__file__).with_suffix(".svg")
    target = sys.argv[1] if len(sys.argv) > 1 else str(default)
    if target == "-":
        sys.stdout.write(drawing())
    else:
        pathlib.Path(target).write_text(drawing(), encoding="utf-8")


if __name__ == "__main__":
    main()
