#!/usr/bin/env python3
"""Counts what two daemons do for a fixed number of messages, and compares with what is committed.

    counts.py --programs FOLDER                            compares; ends with 1 when one grew
    counts.py --programs FOLDER --record [--reason TEXT]   writes baselines.json

System calls, syncs, allocations, bytes on loopback and on disk, and instructions, of the node that
sends and of the one that receives. `single` sends one message, waits until the other node's
subscriber has it, and then until all that follows a message is done; `batch` sends a hundred in
one line and waits for all of them. So nothing depends on how fast this machine is, and counts
compare where times do not.

A count that is more than 5 % above its baseline fails. Timers and checkpoints that happen to fall
into a count only add to it, so where one is above, all are counted once more and the lower of both
holds. Where a higher count is wanted, --record --reason writes the new value and the reason beside
it; without a reason a count can only be lowered.

Each way of counting has daemons and a network of its own, for which it needs root; without that,
or without a tool, it ends with 77.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from Driver.checks import Broken  # noqa: E402
from Driver.daemon import Programs  # noqa: E402
from Driver.network import enter_own_network  # noqa: E402
from Driver.process import until  # noqa: E402
from systems import ROOM, Stoa  # noqa: E402
from workloads import settle, wire_bytes  # noqa: E402

BASELINES = HERE / "baselines.json"
LIMIT = 1.05
SHAPES = {"single": ("paced", 40), "batch": ("batches", 5_000)}
# Callgrind takes fifty times as long.
CALLGRIND_SHAPES = {"single": ("paced", 40), "batch": ("batches", 2_000)}
NODES = ["sender", "receiver"]
SKIPPED = 77
# Twenty times what it takes on a quiet machine.
TIME_LIMIT_SECONDS = 1_800
# What steady.c adds to each sync.
PAUSES = "clock_nanosleep"


class Tools:
    """What a system needs to start daemons and the load generator; built here with cc."""

    def __init__(self, programs, work, is_building=False):
        self.programs = Programs.within(programs)
        self.load = work / "load"
        self.steady = work / "steady.so"
        if not is_building:
            return
        warnings = ["-O2", "-Wall", "-Wextra", "-Werror"]
        for command in (
            ["cc", *warnings, "-o", self.load, HERE / "load.c"],
            ["cc", *warnings, "-shared", "-fPIC", "-o", self.steady, HERE / "steady.c"],
        ):
            subprocess.run([str(part) for part in command], check=True)

    def note(self, node, system):
        """The report has the command lines of the workloads."""


def send(system, sent):
    mode, count = sent
    system.load(mode, count, 0, 1, seconds=600)


# ---- System calls and syncs ----

CALL = re.compile(r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$")


def calls_in(path):
    """What `strace -c` has written: how often each call."""
    calls = {}
    for line in path.read_text().splitlines():
        found = CALL.match(line)
        if found and found.group(2) != "total":
            calls[found.group(2)] = int(found.group(1))
    if not calls:
        raise Broken("strace counted nothing")
    return calls


class Tracer:
    """Counts the system calls of a running node from now on."""

    def __init__(self, node, path):
        self.path = path
        self.process = subprocess.Popen(
            ["strace", "-f", "-c", "-o", str(path), "-p", str(node.pid)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        # One line for each thread, or one that names them; the first says that it is attached.
        line = self.process.stderr.readline()
        if "attached" not in line:
            raise Broken(f"strace: {line.strip()}")

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(120)
        self.process.stderr.close()
        return calls_in(self.path)


def count_calls(system, found):
    for shape, sent in SHAPES.items():
        settle(lambda: True)
        tracers = [
            Tracer(node, system.folder / f"calls.{node.name}") for node in system.nodes]
        send(system, sent)
        for name, tracer in zip(NODES, tracers):
            calls = tracer.end()
            calls.pop(PAUSES, None)
            found[f"{shape}.{name}", "system calls"] = sum(calls.values())
            found[f"{shape}.{name}", "syncs"] = calls.get("fsync", 0) + calls.get("fdatasync", 0)


# ---- Allocations, and bytes ----

def allocations(node):
    return struct.unpack("QQ", (node.folder / "allocations").read_bytes()[:16])


def count_memory(system, found):
    for shape, sent in SHAPES.items():
        settle(lambda: True)
        before = [allocations(node) for node in system.nodes]
        written = [node.written_bytes() for node in system.nodes]
        wire = wire_bytes()
        send(system, sent)
        found[shape, "bytes on loopback"] = wire_bytes() - wire
        for name, node, (calls, amount), bytes_before in zip(
            NODES, system.nodes, before, written
        ):
            now = allocations(node)
            found[f"{shape}.{name}", "allocations"] = now[0] - calls
            found[f"{shape}.{name}", "bytes allocated"] = now[1] - amount
            found[f"{shape}.{name}", "bytes written to disk"] = node.written_bytes() - bytes_before
    for name, node in zip(NODES, system.nodes):
        found[f"both.{name}", "bytes on disk"] = system.disk_bytes(node)


# ---- Instructions ----

def control(node, option):
    """Tells callgrind something; it answers when it has done it."""
    done = subprocess.run(
        ["callgrind_control", option, str(node.pid)], capture_output=True, text=True,
        timeout=300)
    if done.returncode != 0 or "OK" not in done.stdout:
        raise Broken(f"callgrind_control {option}: {done.stdout} {done.stderr}")


def dumped_instructions(node, number):
    """The instructions of the last dump, whose file has a line `totals: N` or `summary: N`."""
    path = node.folder / f"callgrind.{node.pid}.{number}"
    until("callgrind has written its dump", lambda: path.exists() and "summary:" in path.read_text())
    total = 0
    for part in node.folder.glob(f"callgrind.{node.pid}.{number}*"):
        found = re.search(r"^summary: (\d+)", part.read_text(), re.MULTILINE)
        total += int(found.group(1))
    return total


def count_instructions(system, found):
    for number, (shape, sent) in enumerate(CALLGRIND_SHAPES.items(), 1):
        # Slow as they are, they compare their clocks late: not among what is counted.
        settle(lambda: True, rest=4)
        for node in system.nodes:
            control(node, "--zero")
        send(system, sent)
        for node in system.nodes:
            control(node, "--dump")
        for name, node in zip(NODES, system.nodes):
            found[f"{shape}.{name}", "instructions"] = dumped_instructions(node, number)


def linked(tools, work, settings):
    """Two nodes with a room, and `settings(name)` for each."""
    system = Stoa(tools, work)
    try:
        for name in ("node0", "node1"):
            system.add(**settings(system.folder / name))
        for index in range(2):
            system.call(index, "join", room=ROOM)
        system.await_links(1)
        system.await_members(2)
        # The first messages after a start are dearer: logs, pages and clocks are new.
        system.load("latency", 20, 0, 1, seconds=600)
    except BaseException as error:
        system.close(error)
        raise
    return system


def steady(tools, folder, wrapper=()):
    """Settings under which nothing depends on seeds of dictionaries, the disk or announcements."""
    folder.mkdir(mode=0o700)
    (folder / "allocations").write_bytes(bytes(16))
    return {
        "wrapper": wrapper, "options": ["--discovery", "off"],
        "environment": {
            "SWIFT_DETERMINISTIC_HASHING": "1", "LD_PRELOAD": str(tools.steady),
            "STOA_BENCH_ALLOCATIONS": str(folder / "allocations")}}


def with_callgrind(tools, folder):
    return steady(tools, folder, [
        "valgrind", "--tool=callgrind", "--quiet", f"--callgrind-out-file={folder}/callgrind.%p"])


PARTS = {
    "calls": (steady, count_calls),
    "memory": (steady, count_memory),
    "instructions": (with_callgrind, count_instructions),
}


def count_part(name, tools, work):
    """One way of counting, with daemons and a network of its own; prints what it found."""
    enter_own_network()
    settings, counting = PARTS[name]
    found = {}
    with linked(tools, work, lambda folder: settings(tools, folder)) as system:
        counting(system, found)
    print(json.dumps([[*key, value] for key, value in found.items()]))


def stripped(programs, folder):
    """The programs as they are installed: valgrind cannot read what compilers say of them today."""
    folder.mkdir()
    for name in ("stoad", "stoa"):
        subprocess.run(["strip", "-o", folder / name, programs / name], check=True)
    return folder


def count(programs):
    """{(workload, count): value}; the ways of counting run side by side, as processes."""
    found = {}
    with tempfile.TemporaryDirectory(prefix="stoa-counts.") as work:
        programs = stripped(programs, pathlib.Path(work) / "programs")
        Tools(programs, pathlib.Path(work), is_building=True)
        start = time.monotonic()
        parts = {
            name: subprocess.Popen(
                [sys.executable, __file__, "--programs", str(programs), "--part", name, work],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
            for name in PARTS}
        try:
            for name, process in parts.items():
                out, _ = process.communicate(timeout=TIME_LIMIT_SECONDS)
                if process.returncode != 0:
                    raise Broken(f"counting {name} ended with {process.returncode}")
                found |= {(shape, each): value for shape, each, value in json.loads(out)}
                took = time.monotonic() - start
                print(f"counted {name} after {took:.0f} s", file=sys.stderr)
        finally:
            for process in parts.values():
                # It ends what it has started.
                process.terminate()
                process.wait()
    return found


# ---- Baselines ----

def toolchain():
    """What counts depend on besides the source."""
    def line(*command):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return (done.stdout + done.stderr).strip().splitlines()[0]

    return {
        "swift": line("swift", "--version"),
        "libsodium": line("pkg-config", "--modversion", "libsodium"),
        "sqlite": line("pkg-config", "--modversion", "sqlite3"),
        "libc": line("ldd", "--version"),
        "valgrind": line("valgrind", "--version"),
    }


def read_baselines():
    if not BASELINES.exists():
        return {"toolchain": {}, "counts": []}
    return json.loads(BASELINES.read_text())


def by_key(baselines):
    return {(each["workload"], each["count"]): each for each in baselines["counts"]}


def record(found, reason):
    """Lowers what is lower now; raises what has grown, for a reason only. Gives what it refused."""
    before = by_key(read_baselines())
    refused, lines = [], []
    for (workload, name), value in found.items():
        old = before.get((workload, name))
        why = old["reason"] if old else "first measured"
        if old and is_above(value, old):
            if not reason:
                refused.append(f"{workload}: {name}: {value:,} for {old['value']:,}")
                value = old["value"]
            else:
                why = reason
        elif old:
            value = min(value, old["value"])
        lines.append({"workload": workload, "count": name, "value": value, "reason": why})
    body = ",\n".join("  " + json.dumps(line) for line in lines)
    BASELINES.write_text(
        f'{{"toolchain": {json.dumps(toolchain(), indent=1)},\n "counts": [\n{body}\n]}}\n')
    return refused


def is_above(value, old):
    return value > old["value"] * LIMIT


def count_again(found, programs):
    """The lower of what was found and what another count finds."""
    again = count(programs)
    return {key: min(value, again.get(key, value)) for key, value in found.items()}


def compare(found):
    """Prints one line for each count; how many held and how many grew."""
    baselines = read_baselines()
    before = by_key(baselines)
    now = toolchain()
    for name, version in baselines["toolchain"].items():
        if now.get(name) != version:
            print(f"recorded with {name} {version}, this is {now.get(name)}: counts may differ")
    good = bad = 0
    for key in list(found) + [key for key in before if key not in found]:
        what, value, old = f"{key[0]}: {key[1]}", found.get(key), before.get(key)
        if value is None or old is None:
            bad += 1
            print(f"not ok {what} is " + (
                f"{value:,} and has no baseline" if old is None else "no longer counted")
                + ": Tests/System/Bench/counts.py --record")
            continue
        change = (value / old["value"] - 1) * 100 if old["value"] else 100.0 * bool(value)
        if is_above(value, old):
            bad += 1
            print(
                f"not ok {what}: {value:,}, {change:.1f} % above its baseline of "
                f"{old['value']:,}. If that is wanted, say why beside it: make counts "
                "COUNTS=\"--record --reason '...'\"")
        else:
            good += 1
            tighten = "; tighten it: make counts COUNTS=--record" if change < -5 else ""
            print(f"ok {what}: {value:,} ({change:+.1f} %){tighten}")
    print(f"{good} passed, {bad} failed")
    return bad


def table(programs):
    """The counts as lines of Markdown, for the report."""
    found = count(programs)
    before = by_key(read_baselines())
    lines = [
        "Counts, of 40 single messages and of 5,000 in batches of 100 (instructions: 2,000):", "",
        "| workload | count | value | baseline | |", "|---|---|---|---|---|"]
    for (workload, name), value in found.items():
        old = before.get((workload, name), {}).get("value")
        told = f"{old:,} | {(value / old - 1) * 100:+.1f} %" if old else "– | –"
        lines.append(f"| {workload} | {name} | {value:,} | {told} |")
    return lines + [""]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="where stoad is")
    parser.add_argument("--record", action="store_true", help="write baselines.json")
    parser.add_argument("--reason", help="why counts that grew may")
    parser.add_argument("--part", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        # A signal ends it as an error does, with its daemons.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        name, work = options.part
        count_part(name, Tools(options.programs.resolve(), pathlib.Path(work)), pathlib.Path(work))
        return
    for tool in ("strace", "valgrind", "callgrind_control", "cc", "ip"):
        if not shutil.which(tool):
            print(f"skipped: there is no {tool}: Tests/System/Tools/setup.sh --labs")
            sys.exit(SKIPPED)
    if os.geteuid() != 0:
        print("skipped: counting needs root, for networks of its own")
        sys.exit(SKIPPED)
    if not (options.programs / "stoad").exists():
        parser.error(f"there is no {options.programs / 'stoad'}; first: make build")
    found = count(options.programs.resolve())
    before = by_key(read_baselines())
    if any(key in before and is_above(value, before[key]) for key, value in found.items()):
        print("counted once more, since some are above their baselines", file=sys.stderr)
        found = count_again(found, options.programs.resolve())
    if not options.record:
        sys.exit(1 if compare(found) else 0)
    refused = record(found, options.reason)
    for line in refused:
        print(f"counts: not raised, for that say why (--reason): {line}", file=sys.stderr)
    sys.exit(1 if refused else 0)


if __name__ == "__main__":
    main()
