"""Draws the growth of costs as an SVG, one panel for each axis, and as text."""

import html
import math

WIDTH, HEIGHT, MARGIN = 320, 220, 44
COLOURS = ["#1f6feb", "#d1580f", "#2a8a4a"]


def panels(series):
    """{axis: [(name, points)]} in the order in which they were measured."""
    found = {}
    for axis, name, points in series:
        found.setdefault(axis, []).append((name, points))
    return found


def text(series):
    """A table for each axis: the cost at each size, and how many times that at the first."""
    lines = []
    for axis, curves in panels(series).items():
        sizes = [size for size, _ in curves[0][1]]
        lines += ["", f"| {axis} | " + " | ".join(f"{size:,}" for size in sizes) + " |",
                  "|---|" + "---|" * len(sizes)]
        for name, points in curves:
            first = points[0][1]
            cells = [f"{cost:.3g} (×{cost / first:.2f})" for _, cost in points]
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def panel(left, top, axis, curves):
    """One axis: sizes on a logarithmic scale, costs as multiples of the first one."""
    sizes = [size for _, points in curves for size, _ in points]
    least, most = math.log10(min(sizes)), math.log10(max(sizes))
    highest = max(1.6, *(cost / points[0][1] for _, points in curves for _, cost in points))
    wide, high = WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN

    def place(size, ratio):
        across = (math.log10(size) - least) / max(most - least, 1e-9)
        return left + MARGIN + wide * across, top + MARGIN + high * (1 - ratio / highest)

    parts = [
        f'<text x="{left + MARGIN}" y="{top + 20}" font-weight="bold">{html.escape(axis)}</text>',
        f'<rect x="{left + MARGIN}" y="{top + MARGIN}" width="{wide}" height="{high}" '
        'fill="none" stroke="#999"/>',
    ]
    for ratio, name in ((1, "×1"), (1.5, "×1.5: must")):
        _, y = place(min(sizes), ratio)
        parts.append(
            f'<line x1="{left + MARGIN}" x2="{left + MARGIN + wide}" y1="{y:.1f}" y2="{y:.1f}" '
            f'stroke="#bbb" stroke-dasharray="4 3"/><text x="{left + MARGIN + 4}" '
            f'y="{y - 3:.1f}" fill="#777">{name}</text>')
    for size in sorted(set(sizes)):
        x, _ = place(size, 0)
        parts.append(
            f'<text x="{x:.1f}" y="{top + HEIGHT - MARGIN + 14}" text-anchor="middle">'
            f"{size:,}</text>")
    for number, (name, points) in enumerate(curves):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(
            "{:.1f},{:.1f}".format(*place(size, cost / points[0][1])) for size, cost in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(
            f'<text x="{left + MARGIN + number * 110}" y="{top + 36}" fill="{colour}">'
            f"{html.escape(name)}</text>")
    return parts


def svg(series):
    """The whole picture, two panels in a row."""
    found = panels(series)
    columns = min(2, len(found))
    rows = -(-len(found) // 2)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{columns * WIDTH}" '
        f'height="{rows * HEIGHT}" font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for number, (axis, curves) in enumerate(found.items()):
        parts += panel(number % 2 * WIDTH, number // 2 * HEIGHT, axis, curves)
    return "\n".join(parts + ["</svg>", ""])
