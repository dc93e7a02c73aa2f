"""Workload L: what a daemon costs that has little to do: memory, start, disk, and being found."""

import os
import statistics
import time

from Driver.process import Program
from systems import ROOM, Floor, Stoa
from report import ALONE, Row
from workloads import BURST_MESSAGES, MEBIBYTE, Workload, bare_memory

LINKS = 50
STARTS = 5
PAUSE_SECONDS = 0.2
BARE = "bare Swift program"


def median_start(start):
    """Milliseconds, of some starts after a pause: a processor that was busy is faster.

    A start syncs a file, which on a disk that still writes what was measured before takes much longer.
    """
    os.sync()
    times = []
    for _ in range(STARTS):
        time.sleep(PAUSE_SECONDS)
        times.append(start())
    return statistics.median(times) * 1e3


def bare_start(tools, work):
    """What the bare program takes from its start, as a daemon is started, to its end."""
    node = Program(work, "bare-start")

    def start():
        node.launch([tools.bare])
        node.process.wait()
        return time.monotonic() - node.started

    return median_start(start)


def daemon_start(system):
    """What a daemon takes from its start until it answers a client."""
    def start():
        seconds = system.start(0)
        system.nodes[0].stop()
        return seconds

    system.nodes[0].stop()
    return median_start(start)


class Resting(Workload):
    """Memory, start and disk; the bare program's start is what a start is compared with."""

    name = "L1"

    def stoa(self, tools, work):
        with Stoa(tools, work) as system:
            system.add()
            started = system.nodes[0].memory_bytes() / MEBIBYTE
            idle = system.resting_bytes(0) / MEBIBYTE
            empty = daemon_start(system)
            system.start(0)
            system.call(0, "join", room=ROOM)
            system.load("fill", BURST_MESSAGES, 0)
            used = system.nodes[0].memory_bytes() / MEBIBYTE
            disk = system.disk_bytes(system.nodes[0]) / BURST_MESSAGES
            filled = daemon_start(system)
            return {
                "started": started, "idle": idle, "used": used, "disk": disk, "empty": empty, "filled": filled,
                "above": idle}

    def floor(self, tools, work):
        with Floor(tools, work) as system:
            system.add()
            started = idle = system.nodes[0].memory_bytes() / MEBIBYTE
            system.load("fill", BURST_MESSAGES, 0)
            used = system.nodes[0].memory_bytes() / MEBIBYTE
            disk = system.disk_bytes(system.nodes[0]) / BURST_MESSAGES
        bare = bare_start(tools, work)
        return {
            "started": started, "idle": idle, "used": used, "disk": disk, "empty": bare, "filled": bare,
            "above": bare_memory(tools)}

    def rows(self, samples):
        return [
            self.row(samples, "started", "resident, just started", "MiB"),
            self.row(samples, "idle", "resident, idle", "MiB"),
            self.row(
                samples, "above", "the same against the bare program", "MiB", against=BARE,
                must=8, aim=4, is_difference=True),
            self.row(samples, "used", "resident after 20,000 own messages", "MiB"),
            self.row(
                samples, "disk", "bytes on disk per message and copy", "bytes", must=1.4, aim=1),
            self.row(
                samples, "empty", "start to ready, empty", "ms", against=BARE, must=5, aim=2.5),
            self.row(
                samples, "filled", "start to ready, 20,000 messages", "ms", against=BARE, must=6,
                aim=3),
        ]


class Links(Workload):
    """Fifty other daemons linked to one, all in its room."""

    name = "L50"

    def stoa(self, tools, work):
        with Stoa(tools, work) as system:
            system.together(1 + LINKS)
            return {"memory": system.resting_bytes(0) / MEBIBYTE}

    def floor(self, tools, work):
        return {"memory": bare_memory(tools)}

    def rows(self, samples):
        return [
            self.row(
                samples, "memory", f"resident with {LINKS} links, against the bare program", "MiB",
                against=BARE, must=16, is_difference=True)
        ]


class LargeStart(Workload):
    name = "L6"

    def stoa(self, tools, work):
        system = tools.prepared.stoa()
        ready = daemon_start(system)
        system.start(0)
        return {"ready": ready, "memory": system.nodes[0].memory_bytes() / MEBIBYTE}

    def floor(self, tools, work):
        return {"ready": bare_start(tools, work), "memory": bare_memory(tools)}

    def rows(self, samples):
        return [
            self.row(
                samples, "ready", "start to ready, 1,000,000 messages", "ms", against=BARE, must=6,
                aim=3),
            self.row(
                samples, "memory", "resident then, against the bare program", "MiB", against=BARE,
                is_difference=True),
        ]


class Found(Workload):
    """Two new daemons that know nothing of each other, by the embedded discovery on loopback."""

    name = "Lfound"
    OPTIONS = ["--interface", "lo", "--discovery", "embedded"]

    @property
    def variants(self):
        return {"stoa": self.stoa}

    def stoa(self, tools, work):
        with Stoa(tools, work) as system:
            for index in range(2):
                system.make(peers=(), options=self.OPTIONS)
            for index in range(2):
                system.launch(index)
            start = min(node.started for node in system.nodes)
            controls = []
            for index in range(2):
                system.await_ready(system.nodes[index], index)
                system.call(index, "join", room=ROOM)
                controls.append(system.nodes[index].control())
            controls[1].call("subscribe", to=ROOM)
            controls[0].call("send", to=ROOM, text="hello")
            controls[1].message(lambda message: message["kind"] == "text", 30)
            heard = time.monotonic()
            for control in controls:
                control.close()
            return {"seconds": heard - start}

    def rows(self, samples):
        return [
            Row(
                self.name, "two new daemons, from start to a message between them, by discovery",
                "s", samples.get("seconds", {}).get("stoa", []), [], against=ALONE, must=1.1)
        ]


ALL = [Resting(), Links(), LargeStart(), Found()]
