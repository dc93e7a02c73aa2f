#!/usr/bin/env python3
"""Puts a node under attacks and loads, and looks at an honest pair beside them.

Two daemons are linked; one of them is attacked. Of that one the highest memory and the number of
descriptors are read from /proc, and messages go one by one from it to the other, first in peace,
then under the attack. A message that does not come, more memory or more descriptors than its limits
allow, or a daemon that ended, is a failure; times are reported. Docs/Testing/Load.md has the figures.

    load.py --programs FOLDER --work FOLDER [--only NAME] [--long]

Runs only in a network that has nothing but a loopback interface. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import pathlib
import sys
import threading
import time
from typing import Any, Iterator

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [
    str(HERE), str(HERE.parent), str(HERE.parent / "Interop"), str(HERE.parent / "Bench")]

import alone_loads  # noqa: E402
import attacks  # noqa: E402
import cheap_loads  # noqa: E402
import clock_loads  # noqa: E402
import crowd_loads  # noqa: E402
import file_loads  # noqa: E402
import giveway_loads  # noqa: E402
import name_loads  # noqa: E402
import room_loads  # noqa: E402
import stranger_loads  # noqa: E402
from Driver.checks import Checks  # noqa: E402
from Driver.honest import HANGS_SECONDS, Disk, Meter  # noqa: E402
from Driver.network import demand_own_network  # noqa: E402
from Driver.process import Program, descriptors, until  # noqa: E402
from bench import Tools  # noqa: E402
from bounds import (  # noqa: E402
    CLIENTS, HALF_OPEN, INCOMING, LINK_BYTES, LINKS, MIB, OWN_DESCRIPTORS)
from systems import FIRST_PORT, Stoa  # noqa: E402


class Watch:
    """The highest memory and most descriptors of a program while it is watched."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.descriptors = 0
        self.ends = threading.Event()
        pathlib.Path(f"/proc/{program.pid}/clear_refs").write_text("5")
        self.thread = threading.Thread(target=self.look, daemon=True)
        self.thread.start()

    def look(self) -> None:
        while not self.ends.wait(0.02):
            try:
                count = descriptors(self.program.pid)
            except OSError:
                return
            self.descriptors = max(self.descriptors, count)

    def end(self) -> tuple[float, int]:
        self.ends.set()
        self.thread.join()
        return mebibytes(self.program, "VmHWM"), self.descriptors


def mebibytes(program: Program, name: str = "VmRSS") -> float:
    return program.memory_bytes(name) / MIB


def percentile(times: list[float], part: float) -> float:
    return 1_000 * times[min(len(times) - 1, int(len(times) * part))]


class Pair:
    """The attacked node and its honest peer."""

    def __init__(self, options: argparse.Namespace, checks: Checks) -> None:
        self.options, self.checks = options, checks
        self.system = Stoa(options.tools, options.work)
        self.system.__enter__()
        self.system.together(2)
        self.meter = Meter(self.system.socket(0), self.system.socket(1))
        self.meter.measure(20, 0)

    @property
    def attacked(self) -> Program:
        return self.system.nodes[0]

    def remeter(self) -> None:
        self.meter = Meter(self.system.socket(0), self.system.socket(1))

    def end(self) -> None:
        self.meter.close()
        self.system.__exit__(*sys.exc_info())

    def report(
        self, name: str, peace: list[float], load: list[float], before: float, peak: float,
        descriptors: int, figures: dict[str, Any], bytes_: int, most: int, stall: float = 0,
    ) -> None:
        """Judges one load; `bytes_` is the memory that it may cost, `most` the descriptors. `stall`, how long the
        disk itself took at most, is told alone."""
        that = self.checks.that
        that(f"{name}: the node lives", self.attacked.process.poll() is None)
        that(f"{name}: no error", "error" not in figures, figures)
        slowest = load[-1]
        if not that(f"{name}: every message is there", slowest <= HANGS_SECONDS, (slowest, stall)):
            for node in self.system.nodes:
                print(node.tail(), file=sys.stderr, flush=True)
        that(f"{name}: memory", peak - before <= bytes_ / MIB, (before, peak))
        that(f"{name}: descriptors", descriptors <= most, descriptors)
        said = ", ".join(f"{key} {value}" for key, value in figures.items())
        print(
            f"MEASURED load, {name}: p50 {percentile(peace, 0.5):.1f} -> "
            f"{percentile(load, 0.5):.1f} ms, p99 {percentile(peace, 0.99):.1f} -> "
            f"{percentile(load, 0.99):.1f} ms, at most {1_000 * slowest:.0f} ms, memory {before:.1f} -> {peak:.1f} MiB, "
            f"{descriptors} descriptors; {said}"
            + (f"; the disk {1_000 * stall:.0f} ms" if stall else ""), flush=True)

    @contextlib.contextmanager
    def under(self, function: str, *more: str | int) -> Iterator[dict[str, Any]]:
        """Has an attack going on; its figures are there once it has ended."""
        signals = attacks.Signals()
        figures: dict[str, Any] = {}
        child = multiprocessing.get_context("spawn").Process(
            target=attacks.run,
            args=(function, FIRST_PORT, self.system.socket(0), signals, *more), daemon=True)
        child.start()
        try:
            deadline = time.monotonic() + (1_200 if self.options.long else 600)
            while not signals.ready.wait(0.1):
                if not child.is_alive() or time.monotonic() > deadline:
                    raise RuntimeError(f"{function} did not get going")
            yield figures
        finally:
            signals.stop.set()
        figures.update(signals.figures.get(timeout=600))
        child.join(HANGS_SECONDS)

    def attack(
        self, name: str, function: str, count: int, pause: float, bytes_: int, most: int
    ) -> dict[str, Any]:
        # Only told, not judged, so that it need not last as long as the attack.
        peace = self.meter.measure(count, pause if self.options.long else 0)
        before = mebibytes(self.attacked)
        watch, disk = Watch(self.attacked), Disk(self.options.work / "disk")
        try:
            with self.under(function) as figures:
                load = self.meter.measure(count, pause)
        finally:
            disk.end()
        peak, descriptors = watch.end()
        self.report(
            name, peace, load, before, peak, descriptors, figures, bytes_, most, disk.longest)
        after = self.meter.measure(20, 0)
        self.checks.that(f"{name}: all is well afterwards", after[-1] <= HANGS_SECONDS, after)
        return figures


def peers(pair: Pair) -> None:
    count, before = 40, pair.meter.count
    figures = pair.attack(
        "200 peers", "many_peers", count, 0.2, LINKS * LINK_BYTES, LINKS + OWN_DESCRIPTORS)
    that = pair.checks.that
    # One link is that of the honest peer.
    that("200 peers: as many links as are allowed", figures["linked"] in (INCOMING - 1, INCOMING), figures)
    that("200 peers: the others are refused", figures["refused"] == 200 - figures["linked"], figures)
    least = pair.meter.count - before - 20
    that("200 peers: all got every message", figures["texts"][0] >= least, figures)


def half_open(pair: Pair) -> None:
    pair.attack(
        "10,000 half-open connections", "half_open", 200, 0.02, 16 * MIB,
        LINKS + HALF_OPEN + OWN_DESCRIPTORS)


def slow_handshakes(pair: Pair) -> None:
    pair.attack(
        "400 slow handshakes", "slow_handshakes", 200, 0.02, 16 * MIB,
        LINKS + HALF_OPEN + OWN_DESCRIPTORS)


def pings(pair: Pair) -> None:
    # 64 KiB of input are 3,640 pings; the events and answers of one turn are some MiB.
    pair.attack("pings at line rate", "pings", 200, 0.01, 32 * MIB, OWN_DESCRIPTORS)


def entries(pair: Pair) -> None:
    # SQLite's cache is 8 MiB; a commit is bounded by Limits.runsPerBatch.
    pair.attack("entries at line rate", "entries", 200, 0.01, 32 * MIB, OWN_DESCRIPTORS)


def mute_clients(pair: Pair) -> None:
    # What is kept for a client that does not read: a queue of answers and one of requests each.
    pair.attack(
        "32 clients that never read", "mute_clients", 200, 0.01, 32 * 3 * MIB,
        CLIENTS + OWN_DESCRIPTORS)


def rooms(pair: Pair) -> None:
    """Both are in 1,000 rooms; the link is made anew."""
    system, count = pair.system, 1_000
    peace = pair.meter.measure(200, 0)
    before, watch = mebibytes(pair.attacked), Watch(pair.attacked)
    begin = time.monotonic()
    controls = [node.control() for node in system.nodes]
    for number in range(count - 1):
        for control in controls:
            control.call("join", room=f"room-{number}")
    joined = time.monotonic() - begin
    for control in controls:
        control.close()
    pair.meter.close()
    system.nodes[1].stop()
    begin = time.monotonic()
    system.start(1)
    system.await_links(1)

    def met() -> bool:
        return all(one["members"] == 2 for one in system.every(1, "conversations"))

    until("each knows the other in every room", met, HANGS_SECONDS)
    again = time.monotonic() - begin
    pair.remeter()
    load = pair.meter.measure(200, 0)
    peak, descriptors = watch.end()
    figures = {"joined in s": round(joined, 1), "linked and agreed in s": round(again, 2)}
    pair.report(
        "1,000 rooms", peace, load, before, peak, descriptors, figures, 32 * MIB, OWN_DESCRIPTORS)


def long_log(pair: Pair) -> None:
    """A log of many entries in the store of both."""
    system, long = pair.system, pair.options.long
    count = 5_000_000 if long else 100_000
    peace = pair.meter.measure(200, 0)
    before, watch = mebibytes(pair.attacked), Watch(pair.attacked)
    # Who reads nothing for a minute is closed, and this one does not read what the log is filled with.
    pair.meter.close()
    begin = time.monotonic()
    # In portions, so that the peer is never far behind.
    for _ in range(count // 50_000):
        system.load("fill", 50_000, 0)
    filled = time.monotonic() - begin
    newest = json.dumps(system.call(0, "history", to="bench", limit=1)["messages"][0]["id"])
    until(
        "the peer has all",
        lambda: newest in json.dumps(system.call(1, "history", to="bench", limit=1)), 600)
    pair.remeter()
    load = pair.meter.measure(200, 0)
    peak, descriptors = watch.end()
    begin = time.monotonic()
    page = system.call(0, "history", to="bench", limit=50)
    pair.checks.that("long log: a page", len(page["messages"]) == 50)
    paged = time.monotonic() - begin
    system.nodes[0].stop()
    start = system.start(0)
    figures = {
        "entries": count, "entries/s": round(count / filled), "page ms": round(1_000 * paged, 1),
        "start ms": round(1_000 * start, 1),
        "after start MiB": round(mebibytes(pair.attacked), 1)}
    pair.report(
        "a long log", peace, load, before, peak, descriptors, figures, 32 * MIB, OWN_DESCRIPTORS)


LOADS = (
    peers, half_open, slow_handshakes, pings, entries, mute_clients, rooms, *clock_loads.LOADS,
    *stranger_loads.LOADS, *room_loads.LOADS, *cheap_loads.LOADS, *alone_loads.LOADS,
    *name_loads.LOADS, *file_loads.LOADS, *giveway_loads.LOADS,
    *crowd_loads.LOADS, long_log)
# Those that only `--long`, or their names, have run.
LONG_LOADS = (*alone_loads.LONG_LOADS, *crowd_loads.LONG_LOADS)


def chosen(only: str | None, is_long: bool) -> Iterator[Any]:
    if only is not None:
        return (load for load in (*LOADS, *LONG_LOADS) if load.__name__ == only)
    return iter((*LOADS, *LONG_LOADS) if is_long else LOADS)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--only", choices=[load.__name__ for load in (*LOADS, *LONG_LOADS)])
    parser.add_argument("--long", action="store_true", help="5,000,000 entries instead of 100,000, and each attack of a crowd by itself")
    options = parser.parse_args()
    demand_own_network("make load")
    options.work.mkdir(parents=True, exist_ok=True)
    options.work = options.work.resolve()
    options.tools = Tools(options.programs.resolve(), options.work)
    checks = Checks()
    for load in chosen(options.only, options.long):
        pair = Pair(options, checks)
        try:
            load(pair)
        except Exception as error:
            checks.that(f"{load.__name__} ran to its end", False, repr(error))
            print(pair.attacked.tail(), file=sys.stderr)
        finally:
            pair.end()
    return checks.report()


if __name__ == "__main__":
    sys.exit(main())
