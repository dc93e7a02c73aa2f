"""What is measured: each workload once for Stoa and once for what it is compared with."""

import pathlib
import subprocess

from nodes import Floor, Stoa
from report import Row

LATENCY_MESSAGES = 2_000
BURST_MESSAGES = 20_000
ROOM_MESSAGES = 5_000
ROOM_READERS = 8
HISTORY_MESSAGES = 100_000
PROCESS_RUNS = 100
MEBIBYTE = 1 << 20


class Workload:
    """Variants are run one after the other, each time with daemons of their own."""

    letter = ""
    is_large = False

    @property
    def variants(self):
        return {"stoa": self.stoa, "other": self.floor}

    def row(self, samples, name, text, unit, **rest):
        found = samples.get(name, {})
        return Row(
            self.letter, text, unit, found.get("stoa", []), found.get("other", []), **rest)


class Latency(Workload):
    letter = "A"

    def measure(self, system):
        with system:
            system.together(2)
            used = system.processor_seconds()
            found = system.load("latency", LATENCY_MESSAGES, 0, 1)
            used = system.processor_seconds() - used
            return {
                "p50": found["p50"] * 1e6, "p99": found["p99"] * 1e6,
                "processor": used / LATENCY_MESSAGES * 1e6}

    def stoa(self, tools, work):
        return self.measure(Stoa(tools, work))

    def floor(self, tools, work):
        return self.measure(Floor(tools, work))

    def rows(self, samples):
        text = "one message at a time, send to event, "
        return [
            self.row(samples, "p50", text + "p50", "µs", must=1.5, aim=1.25),
            self.row(samples, "p99", text + "p99", "µs", must=2, aim=1.5),
            self.row(samples, "processor", "processor time of both nodes per message", "µs"),
        ]


class Burst(Workload):
    letter = "B"

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

    def stoa(self, tools, work):
        return self.measure(Stoa(tools, work))

    def floor(self, tools, work):
        return self.measure(Floor(tools, work))

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


class Room(Workload):
    letter = "C"

    def measure(self, system):
        with system:
            system.together(1 + ROOM_READERS)
            found = system.load("burst", ROOM_MESSAGES, *range(1 + ROOM_READERS))
            return {"rate": ROOM_READERS * ROOM_MESSAGES / found["seconds"]}

    def stoa(self, tools, work):
        return self.measure(Stoa(tools, work))

    def floor(self, tools, work):
        return self.measure(Floor(tools, work))

    def rows(self, samples):
        return [
            self.row(
                samples, "rate", "5,000 messages, 1 to 8 nodes in one room", "deliveries/s",
                must=1.2, aim=2, is_rate=True)
        ]


def wire_bytes():
    """All that was ever sent over lo, which only this benchmark uses."""
    for line in pathlib.Path("/proc/self/net/dev").read_text().splitlines():
        if line.strip().startswith("lo:"):
            return int(line.split(":")[1].split()[8])
    return 0


class History(Workload):
    letter = "D"
    messages = HISTORY_MESSAGES
    must, aim = 0.5, 0.8

    @property
    def variants(self):
        return {
            "stoa": lambda tools, work: self.stoa(tools, work, "catchup", ""),
            "other": lambda tools, work: self.floor(tools, work, True, ""),
            "stoa-events": lambda tools, work: self.stoa(tools, work, "events", "events."),
            "each": lambda tools, work: self.floor(tools, work, False, "each."),
        }

    def found(self, system, mode, prefix):
        before, used = wire_bytes(), system.processor_seconds()
        seconds = system.load(mode, self.messages, 1)["seconds"]
        return {
            prefix + "processor": (system.processor_seconds() - used) / self.messages * 1e6,
            prefix + "rate": self.messages / seconds,
            prefix + "memory": system.nodes[1].resident_bytes() / MEBIBYTE,
            prefix + "wire": (wire_bytes() - before) / self.messages,
            prefix + "disk": system.disk_bytes(system.nodes[1]) / self.messages,
        }

    def stoa(self, tools, work, mode, prefix):
        with Stoa(tools, work) as system:
            system.add()
            system.call(0, "join", room="bench")
            system.load("fill", self.messages, 0)
            system.add()
            system.await_links(1)
            return self.found(system, mode, prefix)

    def floor(self, tools, work, chained, prefix):
        with Floor(tools, work, chained) as system:
            system.together(2)
            system.load("fill", self.messages, 0)
            return self.found(system, "catchup", prefix)

    def rows(self, samples):
        def line(name, text, unit, stoa="stoa", other="other", prefix="", **rest):
            found = samples.get(prefix + name, {})
            mine = samples.get(("events." if stoa == "stoa-events" else "") + name, {})
            return Row(
                self.letter, text, unit, mine.get(stoa, []), found.get(other, []), **rest)

        many = f"{self.messages:,} messages of history"
        return [
            line(
                "rate", f"{many}, until `history` has the last", "messages/s",
                against="floor, chained", must=self.must, aim=self.aim, is_rate=True),
            line(
                "rate", f"{many}, until a subscriber has the last", "messages/s",
                stoa="stoa-events", against="floor, chained", is_rate=True),
            line(
                "rate", "the same against a floor that checks every signature", "messages/s",
                other="each", prefix="each.", against="floor", is_rate=True),
            line("processor", "processor time of both nodes per message", "µs"),
            line("wire", "bytes on loopback per message", "bytes"),
            line("disk", "bytes on disk per message", "bytes"),
            line("memory", "resident after it", "MiB"),
        ]


class LargeHistory(History):
    letter = "D"
    is_large = True
    messages = 1_000_000


class Process(Workload):
    letter = "K"

    def stoa(self, tools, work):
        with Stoa(tools, work) as system:
            system.add()
            system.call(0, "join", room="bench")
            command = [
                tools.load, "-", "spawn", PROCESS_RUNS, tools.stoa, "--socket", system.socket(0),
                "send", "bench", "x" * 100]
            return {"p50": tools.measure(command, 120)["p50"] * 1e3}

    def floor(self, tools, work):
        command = [tools.load, "-", "spawn", PROCESS_RUNS, tools.bare]
        return {"p50": tools.measure(command, 120)["p50"] * 1e3}

    def rows(self, samples):
        return [
            self.row(
                samples, "p50", "`stoa send` as a process, p50", "ms",
                against="bare Swift program", must=3, aim=1.5)
        ]


def bare_memory(tools):
    """Mebibytes of the bare program while it waits for its input to end."""
    process = subprocess.Popen(
        [tools.bare, "wait"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdout.readline()
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    process.communicate()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


class Resting(Workload):
    """Memory, start and disk; the bare program's start is what a start is compared with."""

    letter = "L"

    def stoa(self, tools, work):
        with Stoa(tools, work) as system:
            system.add()
            idle = system.nodes[0].resident_bytes() / MEBIBYTE
            system.nodes[0].stop()
            empty = system.start(0) * 1e3
            system.call(0, "join", room="bench")
            system.load("fill", BURST_MESSAGES, 0)
            used = system.nodes[0].resident_bytes() / MEBIBYTE
            disk = system.disk_bytes(system.nodes[0]) / BURST_MESSAGES
            filled = system.start(0) * 1e3
            return {
                "idle": idle, "used": used, "disk": disk, "empty": empty, "filled": filled,
                "above": idle}

    def floor(self, tools, work):
        with Floor(tools, work) as system:
            system.add()
            idle = system.nodes[0].resident_bytes() / MEBIBYTE
            system.load("fill", BURST_MESSAGES, 0)
            used = system.nodes[0].resident_bytes() / MEBIBYTE
            disk = system.disk_bytes(system.nodes[0]) / BURST_MESSAGES
        command = [tools.load, "-", "spawn", 20, tools.bare]
        bare = tools.measure(command, 120)["p50"] * 1e3
        return {
            "idle": idle, "used": used, "disk": disk, "empty": bare, "filled": bare,
            "above": bare_memory(tools)}

    def rows(self, samples):
        bare = "bare Swift program"
        return [
            self.row(samples, "idle", "resident, idle", "MiB"),
            self.row(
                samples, "above", "the same against the bare program", "MiB", against=bare,
                must=8, aim=4, is_difference=True),
            self.row(samples, "used", "resident after 20,000 own messages", "MiB"),
            self.row(samples, "disk", "bytes on disk per message and copy", "bytes", must=1.4, aim=1),
            self.row(samples, "empty", "start to ready, empty", "ms", against=bare, must=5, aim=2.5),
            self.row(
                samples, "filled", "start to ready, 20,000 messages", "ms", against=bare, must=6,
                aim=3),
        ]


ALL = [Latency(), Burst(), Room(), History(), LargeHistory(), Process(), Resting()]
