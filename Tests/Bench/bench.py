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

import report
import workloads
from nodes import Failure

HERE = pathlib.Path(__file__).resolve().parent


class Tools:
    """The programs: those that are measured, and those that measure, built here with cc and swiftc."""

    def __init__(self, programs, work):
        self.stoad = programs / "stoad"
        self.stoa = programs / "stoa"
        self.load = work / "load"
        self.floor = work / "floor"
        self.bare = work / "bare"
        self.commands = []
        for program in (self.stoad, self.stoa):
            if not os.access(program, os.X_OK):
                sys.exit(f"bench: there is no {program}; first: make build")
        warnings = ["-O2", "-Wall", "-Wextra", "-Werror"]
        self.build("cc", *warnings, "-o", self.load, HERE / "load.c")
        self.build("cc", *warnings, "-o", self.floor, HERE / "floor.c", "-lsodium", "-lsqlite3")
        if not self.bare.exists():
            source = work / "bare.swift"
            # Told to wait, it stays until its input ends, so that its memory can be read.
            source.write_text(
                'import Glibc\nprint("ready")\nfflush(stdout)\n'
                "if CommandLine.arguments.count > 1 { _ = readLine() }\n")
            self.build("swiftc", "-O", "-static-stdlib", "-o", self.bare, source)

    def note(self, node, system):
        """Keeps a command line for the report, with short names for the folders; two per kind."""
        short = pathlib.Path(node.command[0]).name
        for part in node.command[1:]:
            part = part.replace(str(system.folder), "FOLDER")
            short += " " + part.replace(str(system.sockets), "SOCKETS")
        if node.name in ("node0", "node1") and short not in self.commands:
            self.commands = sorted(self.commands + [short])

    @staticmethod
    def build(*command):
        subprocess.run([str(part) for part in command], check=True)

    @staticmethod
    def measure(command, seconds):
        """Runs a program that prints one line of JSON."""
        done = subprocess.run(
            [str(part) for part in command], capture_output=True, text=True, timeout=seconds)
        if done.returncode != 0:
            raise Failure(f"{command[2]}: {done.stderr.strip()}")
        return json.loads(done.stdout)


def check_network():
    # Not /sys, which may show another namespace: this file is that of the reading process.
    names = {
        line.split(":")[0].strip()
        for line in pathlib.Path("/proc/self/net/dev").read_text().splitlines()[2:]}
    if names != {"lo"}:
        sys.exit(
            f"bench: this network has {', '.join(sorted(names))}; it runs only where there is "
            "nothing but lo: make bench")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


def machine():
    model = "unknown"
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
    return {
        "processor": model, "cores": os.cpu_count(), "kernel": platform.release(),
        "load": os.getloadavg()[0], "time": time.strftime("%Y-%m-%d %H:%M", time.gmtime())}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="where stoad is")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="a folder on the disk")
    parser.add_argument("--runs", type=int, default=5, help="alternating runs of each workload")
    parser.add_argument("--only", default="", help="letters of workloads, such as ABD")
    parser.add_argument("--large", action="store_true", help="also with 1,000,000 messages")
    options = parser.parse_args()
    check_network()
    options.work.mkdir(parents=True, exist_ok=True)
    work = options.work.resolve()
    tools = Tools(options.programs.resolve(), work)
    before = machine()
    rows = []
    for workload in workloads.ALL:
        if options.only and workload.letter not in options.only:
            continue
        if workload.is_large and not options.large:
            continue
        samples = {}
        for run in range(1 if workload.is_large else options.runs):
            for variant, measure in workload.variants.items():
                try:
                    found = measure(tools, work)
                except (Failure, subprocess.TimeoutExpired) as error:
                    found = {}
                    print(f"bench: {workload.letter} {variant} failed: {error}", file=sys.stderr)
                for name, value in found.items():
                    samples.setdefault(name, {}).setdefault(variant, []).append(value)
            print(f"bench: {workload.letter} run {run + 1} done", file=sys.stderr)
        rows += workload.rows(samples)
    result = {
        "machine": before, "load_after": os.getloadavg()[0], "runs": options.runs,
        "commands": tools.commands, "rows": [vars(row) for row in rows]}
    (work / "report.json").write_text(json.dumps(result, indent=1) + "\n")
    text = report.markdown(result, rows)
    (work / "report.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
