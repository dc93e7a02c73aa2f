"""What is measured: each workload once for Stoa and once for what it is compared with."""

import pathlib
import subprocess
import time

from Driver.checks import Broken
from Driver.process import memory_bytes, until
from systems import Floor, Stoa, measured
from report import Row

LATENCY_MESSAGES = 2_000
BURST_MESSAGES = 20_000
ROOM_MESSAGES = 5_000
ROOM_READERS = 8
PROCESS_RUNS = 100
MEBIBYTE = 1 << 20


def wire_bytes():
    """All that was ever sent over lo, which only this benchmark uses."""
    for line in pathlib.Path("/proc/self/net/dev").read_text().splitlines():
        if line.strip().startswith("lo:"):
            return int(line.split(":")[1].split()[8])
    return 0


def settle(condition, seconds=60, rest=0.5):
    """Until a condition holds and then nothing more is sent for `rest` seconds, but for pings."""
    until("the condition to settle", condition, seconds)
    deadline = time.monotonic() + seconds
    before = wire_bytes()
    while time.monotonic() < deadline:
        time.sleep(rest)
        now = wire_bytes()
        if now - before < 2_000:
            return
        before = now
    raise Broken(f"after {seconds} seconds the network is not yet quiet")


def bare_memory(tools):
    """Mebibytes of the bare program while it waits for its input to end."""
    process = subprocess.Popen(
        [tools.bare, "wait"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdout.readline()
    memory = memory_bytes(process.pid)
    process.communicate()
    return memory / MEBIBYTE


class Workload:
    """Variants are run one after the other, each time with daemons of their own."""

    # A letter, and a number or word where a letter has several.
    name = ""
    # Whether one call gives the samples of all runs, told by `runs`.
    is_once = False
    runs = 1

    @property
    def variants(self):
        return {"stoa": self.stoa, "other": self.floor}

    def series(self, samples):
        """Lines for the plot of growth: (axis, what, [(x, median)])."""
        return []

    def notes(self):
        """What the report says besides, as lines of Markdown."""
        return []

    def row(self, samples, name, text, unit, **rest):
        found = samples.get(name, {})
        return Row(
            self.name, text, unit, found.get("stoa", []), found.get("other", []), **rest)


class Compared(Workload):
    """The same measurement of Stoa and of the floor."""

    def stoa(self, tools, work):
        return self.measure(Stoa(tools, work))

    def floor(self, tools, work):
        return self.measure(Floor(tools, work))


class Latency(Compared):
    name = "A"

    def measure(self, system):
        with system:
            system.together(2)
            used = system.processor_seconds()
            found = system.load("latency", LATENCY_MESSAGES, 0, 1)
            used = system.processor_seconds() - used
            return {
                "p50": found["p50"] * 1e6, "p99": found["p99"] * 1e6,
                "processor": used / LATENCY_MESSAGES * 1e6}

    def rows(self, samples):
        text = "one message at a time, send to event, "
        return [
            self.row(samples, "p50", text + "p50", "µs", must=1.5, aim=1.25),
            self.row(samples, "p99", text + "p99", "µs", must=2, aim=1.5),
            self.row(samples, "processor", "processor time of both nodes per message", "µs"),
        ]


class Burst(Compared):
    name = "B"

    def measure(self, system):
        with system:
            system.together(2)
            before, used = wire_bytes(), system.processor_seconds()
            found = system.load("burst", BURST_MESSAGES, 0, 1)
            return {
                "processor": (system.processor_seconds() - used) / BURST_MESSAGES * 1e6,
                "rate": BURST_MESSAGES / found["seconds"],
                "acknowledged": BURST_MESSAGES / found["acknowledged"],
                "wire": (wire_bytes() - before) / BURST_MESSAGES}

    def rows(self, samples):
        return [
            self.row(
                samples, "rate", "20,000 messages pipelined, until the peer's subscriber has them",
                "messages/s", must=2, aim=3.4, is_rate=True),
            self.row(
                samples, "acknowledged", "the same, until the sender has all answers",
                "messages/s", is_rate=True),
            self.row(samples, "processor", "processor time of both nodes per message", "µs"),
            self.row(samples, "wire", "bytes on loopback per message", "bytes"),
        ]


class Room(Compared):
    name = "C"

    def measure(self, system):
        with system:
            system.together(1 + ROOM_READERS)
            found = system.load("burst", ROOM_MESSAGES, *range(1 + ROOM_READERS))
            return {"rate": ROOM_READERS * ROOM_MESSAGES / found["seconds"]}

    def rows(self, samples):
        return [
            self.row(
                samples, "rate", "5,000 messages, 1 to 8 nodes in one room", "deliveries/s",
                must=1.2, aim=2, is_rate=True)
        ]


class Process(Workload):
    name = "K"

    def stoa(self, tools, work):
        with Stoa(tools, work) as system:
            system.add()
            system.call(0, "join", room="bench")
            command = [
                tools.load, "-", "spawn", PROCESS_RUNS, tools.programs.stoa, "--socket", system.socket(0),
                "send", "bench", "x" * 100]
            return {"p50": measured(command, 120)["p50"] * 1e3}

    def floor(self, tools, work):
        command = [tools.load, "-", "spawn", PROCESS_RUNS, tools.bare]
        return {"p50": measured(command, 120)["p50"] * 1e3}

    def rows(self, samples):
        return [
            self.row(
                samples, "p50", "`stoa send` as a process, p50", "ms",
                against="bare Swift program", must=3, aim=1.5)
        ]


ALL = [Latency(), Burst(), Room(), Process()]
