"""Workload I: what a message costs as something grows: messages stored, conversations, peers,
subscribers. The cost is processor time of all daemons, which other load hardly changes."""

import statistics
import time

from Driver.process import until
from systems import ROOM, Stoa
from report import Row
from workloads import Workload, settle

SINGLE_MESSAGES = 300
BURST_MESSAGES = 5_000
# Sixty-four nodes link up in seconds, on a busy machine in many.
MESH_SECONDS = 120
# So that clocks and credits that follow messages are counted with them.
AFTERWARDS_SECONDS = 0.6
# How long many nodes are left alone, and watched, before they are measured.
REST_SECONDS = 3
WARM_UP = 20


class Growth(Workload):
    """One axis; a step prepares `size` of it, and all ways of sending are measured there."""

    # Ways of sending: what a sample is called, the load generator's mode, what a row says, and
    # whether there are bars for it.
    ways = [("latency", "latency", "one at a time", True), ("burst", "burst", "pipelined", True)]
    axis = ""
    unit = "message"
    steps = []
    singles = SINGLE_MESSAGES
    burst = BURST_MESSAGES

    @property
    def variants(self):
        return {"stoa": self.stoa}

    def prepare(self, system, size):
        """Brings the system to this size."""

    def receivers(self, size):
        return [1]

    def deliveries(self, size):
        """How many deliveries a message is, over which its cost is spread."""
        return 1

    def room(self, size, way):
        return ROOM

    def stoa(self, tools, work):
        found = {}
        with Stoa(tools, work) as system:
            for size in self.steps:
                self.prepare(system, size)
                idle = self.idle(system)
                for way, mode, _, _ in self.ways:
                    count = self.singles if mode == "latency" else self.burst
                    used, start = system.processor_seconds(), time.monotonic()
                    system.load(mode, count, 0, *self.receivers(size), room=self.room(size, way))
                    time.sleep(AFTERWARDS_SECONDS)
                    used = system.processor_seconds() - used
                    used -= idle * (time.monotonic() - start)
                    # The load generator's first messages are not measured, but sent.
                    sent = count + (WARM_UP if mode == "latency" else 0)
                    found[f"{way}.{size}"] = used / sent / self.deliveries(size) * 1e6
        return found

    def idle(self, system):
        """What the nodes use per second anyway, which is not the messages': of two, nothing."""
        settle(lambda: True)
        return 0.0

    def rows(self, samples):
        rows = []
        for way, _, text, has_bars in self.ways:
            bottom, top = (
                samples.get(f"{way}.{size}", {}).get("stoa", [])
                for size in (self.steps[0], self.steps[-1]))
            rows.append(
                Row(
                    self.name,
                    f"processor time per {self.unit} at {self.steps[-1]:,} {self.axis}, {text}",
                    "µs", top, bottom, against=f"at {self.steps[0]:,}",
                    must=1.5 if has_bars else None, aim=1.1 if has_bars else None))
        return rows

    def series(self, samples):
        lines = []
        for way, _, text, _ in self.ways:
            points = [
                (size, statistics.median(samples[f"{way}.{size}"]["stoa"]))
                for size in self.steps if f"{way}.{size}" in samples]
            if points:
                lines.append((f"{self.axis}, µs per {self.unit}", text, points))
        return lines


class Messages(Growth):
    """Messages that both nodes have stored."""

    name = "Imessages"
    axis = "messages stored"
    steps = [1_000, 10_000, 100_000, 1_000_000]

    def prepare(self, system, size):
        if not system.nodes:
            system.together(2)
            self.stored = 0
        if size > self.stored:
            system.load("burst", size - self.stored, 0, 1)
        self.stored = size + self.singles + self.burst


class Conversations(Growth):
    """Rooms that both nodes are in.

    Single messages go to one after the other. A pipeline goes to one of them, as where other things
    grow; in a row without bars also to one after the other, which makes nearly each message a run
    of its own, signed, sent, verified and noted in its log's row by itself.
    """

    ways = [
        ("latency", "latency", "one at a time, in turn", True),
        ("burst", "burst", "pipelined into one", True),
        ("spread", "burst", "pipelined, in turn", False),
    ]

    name = "Irooms"
    axis = "conversations"
    steps = [1, 10, 100, 1_000]
    singles = 1_000

    def prepare(self, system, size):
        if not system.nodes:
            system.together(2, room="r0")
            self.joined = 1
        for number in range(self.joined, size):
            for index in range(2):
                system.call(index, "join", room=f"r{number}")
        self.joined = size
        system.await_members(2, f"r{size - 1}")
        # The first message of a log is dearer than those that follow.
        system.load("burst", max(size, 100), 0, 1, room=self.room(size, "spread"))

    def room(self, size, way):
        return "r0" if way == "burst" else f"r*{size}"


class Peers(Growth):
    """Nodes in the room, each linked to all others; one sends.

    Without discovery, which on a busy machine keeps so many nodes on one machine busy for minutes.
    """

    name = "Ipeers"
    axis = "peers"
    unit = "delivery"
    steps = [1, 4, 16, 64]
    singles = 200
    burst = 2_000

    def prepare(self, system, size):
        system.options = ["--discovery", "off"]
        for index in range(len(system.nodes), 1 + size):
            system.add(peers=range(index))
            system.call(index, "join", room=ROOM)
        for index in range(1 + size):
            until(
                f"{size} links", lambda: system.call(index, "status")["links"] >= size,
                MESH_SECONDS)
        system.await_members(1 + size)

    def idle(self, system):
        """Thousands of links with their pings are never quiet."""
        time.sleep(REST_SECONDS)
        used, start = system.processor_seconds(), time.monotonic()
        time.sleep(REST_SECONDS)
        return (system.processor_seconds() - used) / (time.monotonic() - start)

    def receivers(self, size):
        return range(1, 1 + size)

    def deliveries(self, size):
        return size


class Subscribers(Growth):
    """Clients of the receiving node that follow the room."""

    name = "Isubs"
    axis = "subscribers"
    unit = "delivery"
    steps = [1, 10, 100]

    def prepare(self, system, size):
        if not system.nodes:
            system.together(2)

    def receivers(self, size):
        return [1] * size

    def deliveries(self, size):
        return size


ALL = [Messages(), Conversations(), Peers(), Subscribers()]
