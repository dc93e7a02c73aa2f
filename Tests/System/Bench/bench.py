#!/usr/bin/env python3
"""Measures Stoa against the floor (floor.c) in alternating runs; see Docs/Performance.md.

Runs in a network namespace that has only a loopback interface, and refuses any other, so that
nothing it sends can leave this machine and nothing else is counted.
"""

import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import counts  # noqa: E402
import growth  # noqa: E402
import history  # noqa: E402
import idle  # noqa: E402
import indexed  # noqa: E402
import plot  # noqa: E402
import queries  # noqa: E402
import report  # noqa: E402
import resting  # noqa: E402
import sealed  # noqa: E402
import touched  # noqa: E402
import transfers  # noqa: E402
import workloads  # noqa: E402
from Driver.checks import Broken  # noqa: E402
from Driver.control import Refusal  # noqa: E402
from Driver.daemon import Programs  # noqa: E402
from Driver.network import demand_own_network  # noqa: E402
from prepared import Prepared  # noqa: E402

# Queries before histories, whose readers leave their joins behind in the store they share.
ALL = (
    workloads.ALL + queries.ALL + history.ALL + growth.ALL + resting.ALL + idle.ALL + sealed.ALL
    + touched.ALL + transfers.ALL + indexed.ALL)


class Tools:
    """The programs: those that are measured, and those that measure, built here with cc and swiftc."""

    def __init__(self, programs, work):
        self.programs = Programs.within(programs)
        self.load = work / "load"
        self.floor = work / "floor"
        self.queries = work / "queries"
        self.filefloor = work / "filefloor"
        self.bare = work / "bare"
        self.commands = []
        self.prepared = Prepared(self, work)
        for program in (self.programs.stoad, self.programs.stoa):
            if not os.access(program, os.X_OK):
                sys.exit(f"bench: there is no {program}; first: make build")
        warnings = ["-O2", "-Wall", "-Wextra", "-Werror"]
        self.build("cc", *warnings, "-o", self.load, HERE / "load.c")
        self.build("cc", *warnings, "-o", self.floor, HERE / "floor.c", "-lsodium", "-lsqlite3")
        self.build("cc", *warnings, "-o", self.queries, HERE / "queries.c", "-lsqlite3")
        self.build("cc", *warnings, "-o", self.filefloor, HERE / "filefloor.c", "-lsodium")
        if not self.bare.exists():
            source = work / "bare.swift"
            # Told to wait, it stays until its input ends, so that its memory can be read.
            source.write_text(
                'import Glibc\nprint("ready")\nfflush(stdout)\n'
                "if CommandLine.arguments.count > 1 { _ = readLine() }\n")
            self.build("swiftc", "-O", "-static-stdlib", "-o", self.bare, source)

    def note(self, node, system):
        """Keeps a command line for the report, with short names for the folders; two per kind."""
        names = [pathlib.Path(part).name for part in node.command]
        start = names.index("stoad") if "stoad" in names else 0
        short = names[start]
        for part in node.command[start + 1:]:
            part = part.replace(str(system.folder), "FOLDER")
            short += " " + part.replace(str(system.sockets), "SOCKETS")
        if node.name in ("node0", "node1") and short not in self.commands:
            self.commands = sorted(self.commands + [short])

    @staticmethod
    def build(*command):
        subprocess.run([str(part) for part in command], check=True)


def machine():
    model = "unknown"
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
    return {
        "processor": model, "cores": os.cpu_count(), "kernel": platform.release(),
        "load": os.getloadavg()[0], "time": time.strftime("%Y-%m-%d %H:%M", time.gmtime())}


def measure(workload, tools, work, runs):
    """All samples of a workload, by name and variant: the variants in turn, run after run."""
    samples = {}
    workload.runs = runs
    for run in range(1 if workload.is_once else runs):
        start = time.monotonic()
        for variant, measured in workload.variants.items():
            try:
                found = measured(tools, work)
            except (Broken, Refusal, OSError, subprocess.TimeoutExpired) as error:
                found = {}
                print(f"bench: {workload.name} {variant} failed: {error}", file=sys.stderr)
            finally:
                # Else the next ones would find it, and take its million messages.
                tools.prepared.stop()
            for name, value in found.items():
                values = value if isinstance(value, list) else [value]
                samples.setdefault(name, {}).setdefault(variant, []).extend(values)
        took = time.monotonic() - start
        print(f"bench: {workload.name} run {run + 1} took {took:.0f} s", file=sys.stderr)
    return samples


def chosen(only):
    """The workloads of which a name or its first letter is told; all when nothing is."""
    names = [name for name in only.split(",") if name]
    for name in names:
        if not any(name in (each.name, each.name[0]) for each in ALL) and name != "counts":
            sys.exit(
                f"bench: there is no workload {name}; there are counts, "
                + ", ".join(each.name for each in ALL))
    if not names:
        return ALL, True
    wanted = [each for each in ALL if each.name in names or each.name[0] in names]
    return wanted, "counts" in names


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="where stoad is")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="a folder on the disk")
    parser.add_argument("--runs", type=int, default=5, help="alternating runs of each workload")
    parser.add_argument("--only", default="", help="names or letters, such as A,D2,counts")
    parser.add_argument(
        "--earlier", type=pathlib.Path, help="the report.json of another run, to be put beside")
    options = parser.parse_args()
    wanted, has_counts = chosen(options.only)
    earlier = report.read(options.earlier) if options.earlier else None
    demand_own_network("make bench")
    options.work.mkdir(parents=True, exist_ok=True)
    work = options.work.resolve()
    tools = Tools(options.programs.resolve(), work)
    before = machine()
    result = {"machine": before, "runs": options.runs}
    if has_counts:
        result["counts"] = counts.table(tools.programs.stoad.parent)
    rows, series, notes = [], [], []
    try:
        for workload in wanted:
            samples = measure(workload, tools, work, options.runs)
            rows += workload.rows(samples)
            series += workload.series(samples)
            notes += workload.notes()
            # After each, so that what was measured is not lost with a run that is ended.
            write(work, result, tools.commands, rows, series, notes, earlier)
    finally:
        tools.prepared.close()
    print(write(work, result, tools.commands, rows, series, notes, earlier))


def write(work, result, commands, rows, series, notes, earlier):
    """Writes report.json, report.md and growth.svg; gives the text of the second."""
    parts = list(notes)
    if series:
        (work / "growth.svg").write_text(plot.svg(series))
        parts += ["", "Growth (growth.svg):", *plot.text(series), ""]
    result |= {
        "load_after": os.getloadavg()[0], "commands": commands,
        "rows": [vars(row) | {"value": row.value} for row in rows], "growth": series}
    (work / "report.json").write_text(json.dumps(result, indent=1) + "\n")
    text = report.markdown(result, rows, parts, earlier)
    (work / "report.md").write_text(text)
    return text


if __name__ == "__main__":
    main()
