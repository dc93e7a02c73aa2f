"""From samples to lines of a table."""

import dataclasses
import json
import math
import statistics
import sys


ALONE = ""


@dataclasses.dataclass
class Row:
    """One line: the median of Stoa, that of what it is compared with, and their ratio."""

    name: str
    text: str
    unit: str
    stoa: list
    other: list
    # What it is compared with; `ALONE` is nothing.
    against: str = "floor"
    must: float | None = None
    aim: float | None = None
    # Whether more is better, as with messages per second.
    is_rate: bool = False
    # Whether the bars are for how much more it is, not for how many times.
    is_difference: bool = False

    @property
    def is_compared(self):
        return self.against != ALONE

    @property
    def value(self):
        """The ratio, or what Stoa has by itself where there is nothing to compare it with."""
        if not self.stoa:
            return None
        median = statistics.median(self.stoa)
        if not self.other:
            # What is to be compared says nothing alone.
            return None if self.is_compared else median
        other = statistics.median(self.other)
        return median - other if self.is_difference else median / other

    def meets(self, bar):
        if bar is None or self.value is None:
            return None
        return self.value >= bar if self.is_rate else self.value <= bar


def number(value):
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def spread(values):
    if not values:
        return "–"
    if len(values) == 1:
        return number(values[0])
    return f"{number(statistics.median(values))} ({number(min(values))}–{number(max(values))})"


def sign(row, value):
    """A bar with its direction."""
    if value is None:
        return "–"
    return f"{'≥ ' if row.is_rate else '≤ +' if row.is_difference else '≤ '}{number(value)}"


def verdict(row):
    """One of met, missed, and not measured, for the must and for the aim."""
    words = {True: "met", False: "**missed**", None: "**not measured**"}
    return [
        "–" if value is None else words[row.meets(value)] for value in (row.must, row.aim)]


def bars(rows):
    """What must hold and what is aimed at, line by line, and how many of them do."""
    judged = [row for row in rows if row.must is not None or row.aim is not None]
    if not judged:
        return []
    lines = ["", "Bars:", "", "| | workload | value | must | | aim | |", "|---|---|---|---|---|---|---|"]
    counts = {}
    for row in judged:
        must, aim = verdict(row)
        counts[must] = counts.get(must, 0) + 1
        value = "–" if row.value is None else number(row.value)
        lines.append(
            f"| {row.name} | {row.text} | {value} | {sign(row, row.must)} | {must} | "
            f"{sign(row, row.aim)} | {aim} |")
    told = ", ".join(f"{counts.get(word, 0)} {word.strip('*')}" for word in (
        "met", "**missed**", "**not measured**"))
    return lines + ["", f"Musts: {told}."]


def read(path):
    """Reads the report.json of an earlier run; ends the program where it is none."""
    try:
        earlier = json.loads(path.read_text())
        for row in earlier["rows"]:
            if row["value"] is not None and not math.isfinite(row["value"]):
                raise ValueError
            _ = row["name"] + row["text"]
        _ = earlier["machine"]["time"] + ""
    except OSError as error:
        sys.exit(
            f"bench: {path} cannot be read: {error.strerror}; name the report.json that an earlier "
            "run has left in its folder")
    except (ValueError, KeyError, TypeError):
        sys.exit(
            f"bench: {path} is no report of a benchmark; name the report.json that an earlier run "
            "has left in its folder")
    return earlier


def beside(row, earlier):
    """What an earlier run found, and by how much this one differs from it."""
    found = next(
        (each["value"] for each in earlier["rows"]
         if (each["name"], each["text"]) == (row.name, row.text)), None)
    if not found or row.value is None:
        return " – | – |"
    return f" {number(found)} | {100 * (row.value / found - 1):+.0f} % |"


def markdown(result, rows, parts=(), earlier=None):
    """The whole report; `earlier` is the JSON of another run, to be put beside this one."""
    machine = result["machine"]
    lines = [
        f"{machine['time']} UTC, {machine['cores']} cores of {machine['processor']}, Linux "
        f"{machine['kernel']}, load {machine['load']:.1f} before and {result['load_after']:.1f} "
        f"after, {result['runs']} alternating runs; medians (minimum–maximum).", ""]
    lines += result.get("counts", [])
    columns = ["", "workload", "unit", "Stoa", "compared with", "", "ratio", "must", "aim"]
    if earlier:
        lines[0] += f" Earlier: {earlier['machine']['time']} UTC."
        columns += ["earlier", "differs"]
    lines += [f"| {' | '.join(columns)} |".replace("|  |", "| |"), "|---" * len(columns) + "|"]
    for row in rows:
        ratio = "–" if not row.other or row.value is None else f"{row.value:.2f}"
        if row.is_difference and row.value is not None and row.other:
            ratio = f"{row.value:+.1f}"
        must, aim = (
            "–" if word == "–" else f"{sign(row, value)}: {word}"
            for word, value in zip(verdict(row), (row.must, row.aim)))
        lines.append(
            f"| {row.name} | {row.text} | {row.unit} | {spread(row.stoa)} | "
            f"{row.against if row.other else '–'} | {spread(row.other)} | {ratio} | "
            f"{must} | {aim} |" + (beside(row, earlier) if earlier else ""))
    lines += bars(rows)
    lines += parts
    lines += ["", "What was started:", "", "```"]
    lines += result["commands"]
    lines += ["```", ""]
    return "\n".join(lines)
