#!/usr/bin/env python3
"""Draws strong_scaling.svg: predicted times of one transform on more and more nodes, with published ones.

strong_scaling.py [FILE]              writes FILE (default: strong_scaling.svg beside this script); - is standard output
strong_scaling.py --predict PROGRAM   first asks the program shardfft for the data, strong_scaling.json
"""
import json
import math
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve()
DATA = HERE.with_suffix(".json")
WIDTH, HEIGHT = 870, 460
LEFT, RIGHT, TOP, BOTTOM = 80, 600, 30, 400  # of the frame
NODES, SECONDS = (0, 12), (-4, 1)  # powers of 2, powers of 10
COLOURS = ("#4e79a7", "#f28e2b", "#59a14f")
INK, PAPER, PALE = "#222222", "#ffffff", "#666666"
# Name of the line, machine, ranks of the last row, words of the problem, published times by number of nodes.
LINES = (
    ("Summit, processors, 1024³ f64", "summit", 163840, ("--shape", "1024^3"), {1024: 0.020}),
    ("Summit, GPUs, 1024³ f64", "summit_gpu", 24576, ("--shape", "1024^3"), {1024: 0.010}),
    ("Selene, 2048³ f32", "selene", 4096, ("--shape", "2048^3", "--precision", "f32"), {1: 0.078, 256: 0.004}),
)


def predicted(program):
    """The rows of each line: nodes and seconds, the least and the most that are likely."""
    lines = []
    for name, machine, ranks, words, published in LINES:
        command = [program, "predict", "--machine", machine, "--ranks", str(ranks), *words, "--scaling", "strong",
                   "--chunks", "1", "--json", "-"]
        rows = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["rows"]
        lines.append({"name": name, "published": sorted(published.items()),
                      "rows": [[row["nodes"], *(round_to(row[key]) for key in ("seconds", "least_s", "most_s"))]
                               for row in rows]})
    return lines


def round_to(seconds):
    """Four digits: those that another compiler's arithmetic leaves alone."""
    return seconds and float(f"{seconds:.4g}")


def number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


def x_of(nodes):
    return LEFT + (math.log2(nodes) - NODES[0]) / (NODES[1] - NODES[0]) * (RIGHT - LEFT)


def y_of(seconds):
    return BOTTOM - (math.log10(seconds) - SECONDS[0]) / (SECONDS[1] - SECONDS[0]) * (BOTTOM - TOP)


def points(pairs):
    return " ".join(f"{number(x_of(nodes))},{number(y_of(seconds))}" for nodes, seconds in pairs)


def text(x, y, words, anchor="middle", colour=INK, size=13):
    return (f'<text x="{number(x)}" y="{number(y)}" font-size="{size}" fill="{colour}" '
            f'text-anchor="{anchor}">{words}</text>')


def frame():
    for power in range(NODES[0], NODES[1] + 1, 2):
        x = number(x_of(2**power))
        yield f'<line x1="{x}" y1="{TOP}" x2="{x}" y2="{BOTTOM}" stroke="#dddddd"/>'
        yield text(x_of(2**power), BOTTOM + 20, str(2**power))
    labels = {-4: "0.1 ms", -3: "1 ms", -2: "10 ms", -1: "0.1 s", 0: "1 s", 1: "10 s"}
    for power, label in labels.items():
        y = number(y_of(10**power))
        yield f'<line x1="{LEFT}" y1="{y}" x2="{RIGHT}" y2="{y}" stroke="#dddddd"/>'
        yield text(LEFT - 8, y_of(10**power) + 4, label, "end")
    yield text((LEFT + RIGHT) / 2, BOTTOM + 45, "nodes")
    yield text(LEFT, TOP - 12, "time of one transform", "start")


def drawn(line, colour):
    rows = line["rows"]
    band = [(row[0], row[2]) for row in rows] + [(row[0], row[3]) for row in reversed(rows)]
    yield f'<polygon points="{points(band)}" fill="{colour}" fill-opacity="0.15"/>'
    middle = [(row[0], row[1]) for row in rows if row[1]]
    yield f'<polyline points="{points(middle)}" fill="none" stroke="{colour}" stroke-width="2"/>'
    for nodes, seconds in line["published"]:
        yield (f'<circle cx="{number(x_of(nodes))}" cy="{number(y_of(seconds))}" r="6" fill="{colour}" '
               f'stroke="{INK}" stroke-width="1.5"/>')


def legend(lines):
    for i, line in enumerate(lines):
        y = TOP + 20 + 24 * i
        yield f'<line x1="{RIGHT + 12}" y1="{y}" x2="{RIGHT + 34}" y2="{y}" stroke="{COLOURS[i]}" stroke-width="3"/>'
        yield text(RIGHT + 40, y + 4, line["name"], "start")
    y = TOP + 20 + 24 * len(lines)
    yield f'<circle cx="{RIGHT + 23}" cy="{y}" r="6" fill="{PAPER}" stroke="{INK}" stroke-width="1.5"/>'
    yield text(RIGHT + 40, y + 4, "published", "start")
    yield text(RIGHT + 40, y + 28, "pale: likely", "start", PALE)


def drawing(lines):
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
             f'height="{HEIGHT}" font-family="sans-serif">',
             "<title>Strong scaling, predicted and published</title>",
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}"/>', *frame()]
    for line, colour in zip(lines, COLOURS):
        parts += drawn(line, colour)
    return "\n".join([*parts, *legend(lines), "</svg>", ""])


def main(words):
    if words[:1] == ["--predict"]:
        DATA.write_text(json.dumps(predicted(words[1]), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        words = words[2:]
    picture = drawing(json.loads(DATA.read_text(encoding="utf-8")))
    if words == ["-"]:
        sys.stdout.write(picture)
    else:
        pathlib.Path(words[0] if words else HERE.with_suffix(".svg")).write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
