"""From samples to lines of a table."""

import dataclasses
import statistics


@dataclasses.dataclass
class Row:
    """One line: the median of Stoa, that of what it is compared with, and their ratio."""

    letter: str
    text: str
    unit: str
    stoa: list
    other: list
    against: str = "floor"
    must: float | None = None
    aim: float | None = None
    # Whether more is better, as with messages per second.
    is_rate: bool = False
    # Whether the bars are for how much more it is, not for how many times.
    is_difference: bool = False

    @property
    def value(self):
        """The ratio, or what Stoa has by itself where there is nothing to compare it with."""
        if not self.stoa:
            return None
        median = statistics.median(self.stoa)
        if not self.other:
            return median
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


def bar(row, value):
    if value is None:
        return "–"
    sign = "≥" if row.is_rate else "≤ +" if row.is_difference else "≤"
    verdict = {True: "met", False: "**missed**", None: "not measured"}[row.meets(value)]
    space = "" if row.is_difference else " "
    return f"{sign}{space}{number(value)}: {verdict}"


def markdown(result, rows):
    machine = result["machine"]
    lines = [
        f"{machine['time']} UTC, {machine['cores']} cores of {machine['processor']}, Linux "
        f"{machine['kernel']}, load {machine['load']:.1f} before and {result['load_after']:.1f} "
        f"after, {result['runs']} alternating runs; medians (minimum–maximum).", "",
        "| | workload | unit | Stoa | compared with | | ratio | must | aim |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        ratio = "–" if not row.other or row.value is None else f"{row.value:.2f}"
        if row.is_difference and row.value is not None:
            ratio = f"{row.value:+.1f}"
        lines.append(
            f"| {row.letter} | {row.text} | {row.unit} | {spread(row.stoa)} | "
            f"{row.against if row.other else '–'} | {spread(row.other)} | {ratio} | "
            f"{bar(row, row.must)} | {bar(row, row.aim)} |")
    lines += ["", "What was started:", "", "```"]
    lines += result["commands"]
    lines += ["```", ""]
    return "\n".join(lines)
