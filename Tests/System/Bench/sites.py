#!/usr/bin/env python3
"""Two nodes that only a NATS server joins, beside a program with libnats that publishes and reads the same bytes.

Times are reported; what one message costs in system calls and bytes on the network must not grow. See
Docs/Testing/Sites.md. As root, on Linux, in a network of its own.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from Driver.checks import Checks  # noqa: E402
from Driver.network import enter_own_network  # noqa: E402
from Driver.process import processor_seconds, until  # noqa: E402
from Driver.sites import Carrier, Server, enter_realm, options  # noqa: E402
from counts import SKIPPED, Tools, Tracer, calls_in  # noqa: E402
from systems import Stoa, measured  # noqa: E402
from workloads import settle, wire_bytes  # noqa: E402

ROOM = "office/ops"
PACED = 20
FLOOR_MESSAGES = 400
MEDIAN_SECONDS = 0.1
# The most that one message may cost: the greatest of six runs, one beside a load of 10, and a third more, since threads
# of libnats wake each other more or less often. A burst may cost half as much again: how fast texts come decides how
# many are one item.
LIMITS = {
    "single: bytes on the network": 8_800,
    "single: system calls of stoad, sender": 108,
    "single: system calls of stoa-sites, sender": 121,
    "single: system calls of stoa-sites, receiver": 98,
    "single: system calls of stoad, receiver": 113,
    "burst: bytes on the network": 1_020,
    "burst: system calls of stoad, sender": 0.9,
    "burst: system calls of stoa-sites, sender": 1.1,
    "burst: system calls of stoa-sites, receiver": 0.6,
    "burst: system calls of stoad, receiver": 1.0,
}


class Sites:
    """The server, the two nodes, and their stoa-sites."""

    def __init__(self, tools, work):
        self.work = work
        self.server = Server(work)
        self.system = Stoa(tools, work)
        self.nodes = self.system.nodes
        self.carriers = []

    def start(self):
        self.server.start()
        for _ in range(2):
            self.system.add(peers=(), options=options(self.server))
        enter_realm(*self.nodes)
        self.carriers += [Carrier(node, self.work) for node in self.nodes]
        self.carriers[0].set_up()
        for index, carrier in enumerate(self.carriers):
            self.system.call(index, "join", room=ROOM)
            carrier.start()
        for carrier in self.carriers:
            until("stoa-sites is linked", carrier.is_linked)

    @property
    def programs(self):
        """What a message goes through, in its order."""
        pairs = [
            ("stoad, sender", self.nodes[0]), ("stoa-sites, sender", self.carriers[0]), ("nats-server", self.server),
            ("stoa-sites, receiver", self.carriers[1]), ("stoad, receiver", self.nodes[1])]
        return {name: program for name, program in pairs}

    def send(self, mode, count):
        return self.system.load(mode, count, 0, 1, room=ROOM, seconds=1_200)

    def settle(self):
        """Until what was sent is in the stream, and read from it once more."""
        settle(lambda: True, rest=3)

    def stored(self):
        found = self.server.stream()
        return found["messages"], found["bytes"]

    def end(self):
        codes = [program.stop() for program in (*self.carriers, *self.nodes)]
        self.server.stop()
        self.system.close()
        return codes


def floor(tools, sites, mode, count, size):
    """The other program; what it prints."""
    return measured([tools.floor, mode, sites.server.url, count, size], 600)


def floor_costs(tools, sites, count, size):
    """System calls and bytes on lo for each of some single messages."""
    wire = wire_bytes()
    floor(tools, sites, "live", count, size)
    wire = wire_bytes() - wire
    path = sites.work / "calls.floor"
    measured(["strace", "-f", "-c", "-o", path, tools.floor, "live", sites.server.url, count, size], 600)
    return sum(calls_in(path).values()) / count, wire / count


def costs(sites, mode, count):
    """What each of so many messages costs: bytes on lo and items by themselves, system calls under strace."""
    found = {}
    messages, stored = sites.stored()
    wire = wire_bytes()
    sites.send(mode, count)
    sites.settle()
    found["bytes on the network"] = (wire_bytes() - wire) / count
    more, bytes_now = sites.stored()
    found["items"] = more - messages
    found["bytes of an item"] = round((bytes_now - stored) / max(1, more - messages))
    tracers = {
        name: Tracer(program, sites.work / f"calls.{name.replace(', ', '.')}")
        for name, program in sites.programs.items() if name != "nats-server"}
    sites.send(mode, count)
    sites.settle()
    for name, tracer in tracers.items():
        found[f"system calls of {name}"] = sum(tracer.end().values()) / count
    return found


def measure_costs(tools, sites, checks, burst):
    sites.send("latency", 20)
    sites.settle()
    found = {}
    for shape, (mode, count) in {"single": ("paced", PACED), "burst": ("burst", burst)}.items():
        found |= {f"{shape}: {name}": value for name, value in costs(sites, mode, count).items()}
    for name, limit in LIMITS.items():
        checks.that(f"{name}, for each message: {found[name]:.3g}, at most {limit:.3g}", found[name] <= limit)
    return found


def measure_times(tools, sites, checks, options_, found):
    single, burst = found["single: bytes of an item"], options_.burst
    calls, wire = floor_costs(tools, sites, FLOOR_MESSAGES, single)
    latency = sites.send("latency", options_.latency)
    sites.settle()
    before = {name: processor_seconds(program.pid) for name, program in sites.programs.items()}
    messages, stored = sites.stored()
    took = sites.send("burst", burst)
    used = {name: processor_seconds(program.pid) - before[name] for name, program in sites.programs.items()}
    sites.settle()
    more, bytes_now = sites.stored()
    size = round((bytes_now - stored) / (more - messages))
    other = floor(tools, sites, "live", options_.latency, single)
    # Once as many items as there were texts; once as many and as large as stoa-sites made of them.
    singly = floor(tools, sites, "through", burst, single)
    alike = floor(tools, sites, "through", more - messages, size)
    # A median, ten times above what was measured: a busy machine does not come near it, and a timer that
    # waits for others does.
    checks.that(
        f"half of the live messages take at most {MEDIAN_SECONDS:g} s", latency["p50"] <= MEDIAN_SECONDS, latency)
    said = [
        f"a live message {latency['p50'] * 1e3:.1f} ms (p99 {latency['p99'] * 1e3:.1f}), by libnats alone "
        f"{other['p50'] * 1e3:.1f} ms (p99 {other['p99'] * 1e3:.1f})",
        f"{burst} at once in {took['seconds']:.2f} s, as {more - messages} items of {size} bytes; by libnats alone "
        f"{alike['seconds']:.3f} s, and {singly['seconds']:.2f} s as {burst} items of {single} bytes",
        "processor meanwhile: " + ", ".join(f"{name} {seconds:.3f} s" for name, seconds in used.items()),
        f"single, by libnats alone: system calls {calls:.1f}, bytes on the network {wire:.0f}"]
    return said + [f"{name} {value:.4g}" for name, value in found.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", type=pathlib.Path, help="the folder with stoad, stoa and stoa-sites")
    parser.add_argument("--latency", type=int, default=200, help="messages one by one")
    parser.add_argument("--burst", type=int, default=2_000, help="messages at once")
    options_ = parser.parse_args()
    for tool in ("strace", "cc", "ip", "nats-server"):
        if not shutil.which(tool):
            print(f"skipped: there is no {tool}: Tests/System/Tools/setup.sh --labs")
            sys.exit(SKIPPED)
    if os.geteuid() != 0:
        print("skipped: a network of its own needs root")
        sys.exit(SKIPPED)
    enter_own_network()
    checks, said = Checks(verbose=True), []
    with tempfile.TemporaryDirectory(prefix="stoa-sites.") as work:
        work = pathlib.Path(work)
        tools = Tools(options_.programs, work, is_building=True)
        tools.floor = work / "sitesfloor"
        subprocess.run(
            ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", tools.floor, HERE / "sitesfloor.c", "-lnats",
             "-lpthread"], check=True)
        sites = Sites(tools, work)
        try:
            sites.start()
            found = measure_costs(tools, sites, checks, options_.burst)
            said = measure_times(tools, sites, checks, options_, found)
        finally:
            codes = sites.end()
        checks.same("every program ends well", codes, [0] * 4)
    for line in said:
        print(f"MEASURED sites-bench: {line}")
    sys.exit(checks.report())


if __name__ == "__main__":
    main()
