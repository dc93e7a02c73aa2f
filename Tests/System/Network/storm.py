"""Does the faults of a schedule to the lab, and undoes them."""

from __future__ import annotations

import random
import signal
import time
from collections import Counter

from Driver.checks import Checks
from Driver.lab import OTHER_ADDRESSES, Lab
from node import Node
from schedule import Fault, Schedule

CUTS = ("cut", "flap", "flap again")


class Storm:
    def __init__(self, lab: Lab, nodes: dict[int, Node], checks: Checks, seed: int) -> None:
        self.lab, self.nodes, self.checks = lab, nodes, checks
        self.random = random.Random(seed)
        self.done: Counter[str] = Counter()
        self.active: list[Fault] = []
        self.addresses = {host: f"10.77.0.{host}" for host in nodes}
        # What the switch was told.
        self.lanes: dict[tuple[int, str], str] = {}
        self.cut: set[int] = set()
        self.blocked: set[tuple[int, int]] = set()

    def run(self, schedule: Schedule) -> None:
        """Returns when the time is up, all faults are undone and all daemons answer."""
        began = time.monotonic()
        waiting = list(schedule.faults)
        while True:
            now = time.monotonic() - began
            for fault in [fault for fault in self.active if fault.end <= now]:
                self.active.remove(fault)
                self.end(fault)
            while waiting and waiting[0].start <= now:
                fault = waiting.pop(0)
                self.begin(fault)
                self.active.append(fault)
            self.tell_switch()
            times = [fault.end for fault in self.active] + [fault.start for fault in waiting[:1]]
            if not times:
                if now >= schedule.seconds:
                    return
                times = [schedule.seconds]
            time.sleep(max(0.0, began + min(times) - time.monotonic()))

    def begin(self, fault: Fault) -> None:
        # A flap is many short cuts of one cable.
        if fault.kind != "flap again":
            self.checks.say(str(fault))
        self.done[fault.kind] += 1
        if fault.kind == "kill":
            self.nodes[fault.hosts[0]].stop(signal.SIGKILL)
        elif fault.kind == "power":
            self.nodes[fault.hosts[0]].lose_power()
        elif fault.kind == "avahi":
            self.lab.kill_avahi(fault.hosts[0])
        elif fault.kind == "renumber":
            self.renumber(fault.hosts[0])

    def end(self, fault: Fault) -> None:
        host = fault.hosts[0]
        if fault.kind == "kill":
            self.nodes[host].start()
        elif fault.kind == "power":
            self.lab.boot(host)
            self.addresses[host] = f"10.77.0.{host}"
            self.nodes[host].start()
        elif fault.kind == "avahi":
            self.lab.start_avahi(host)

    def renumber(self, host: int) -> None:
        # Also one that another host had before: that is what lease servers do.
        free = [each for each in OTHER_ADDRESSES if each not in self.addresses.values()]
        self.addresses[host] = self.random.choice(free)
        self.lab.renumber(host, self.addresses[host])

    def tell_switch(self) -> None:
        """Brings the switch to what the faults that go on now amount to."""
        lanes = {(host, way): "" for host in self.nodes for way in ("in", "out")}
        for host, way in lanes:
            values: dict[str, float] = {}
            for fault in self.active:
                if host in fault.hosts and fault.direction in (way, "both"):
                    for name, value in fault.damage.items():
                        values[name] = max(value, values.get(name, 0))
            lanes[host, way] = " ".join(f"{name} {value:g}" for name, value in values.items())
        for (host, way), text in lanes.items():
            if self.lanes.get((host, way), "") != text:
                self.lab.command(f"port {host} {way} {text}")
        self.lanes = lanes
        blocked = {pair for fault in self.active for pair in fault.blocked}
        for sender, receiver in blocked - self.blocked:
            self.lab.command(f"block {sender} {receiver}")
        for sender, receiver in self.blocked - blocked:
            self.lab.command(f"open {sender} {receiver}")
        self.blocked = blocked
        cut = {fault.hosts[0] for fault in self.active if fault.kind in CUTS}
        for host in cut - self.cut:
            self.lab.command(f"cut {host}")
        for host in self.cut - cut:
            self.lab.command(f"mend {host}")
        self.cut = cut
