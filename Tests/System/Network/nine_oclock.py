#!/usr/bin/env python3
"""An office that starts at nine: many hosts on one bridge find each other at once, and then rest.

See Docs/Testing/Network.md. As root, on Linux; everything happens in namespaces of its own, but for
the size of the kernel's neighbour tables, which all namespaces share: it is raised for the run.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from Driver.checks import Checks  # noqa: E402
from Driver.control import Control, message  # noqa: E402
from Driver.daemon import Programs  # noqa: E402
from Driver.lab import Lab  # noqa: E402
from labrun import LabRun, perform  # noqa: E402
from neighbours import NeighbourTables  # noqa: E402
from node import Node  # noqa: E402

ROOM = "agora"
# Time of the processor and memory are checked at five times what was measured: other programs run on the machine, too.
SLACK = 5
# What takes longer hangs; how long it takes is reported.
WAIT_SECONDS = 180.0
# Of the processor, for each daemon from its start until all are one piece.
START_SECONDS = 1.0
MESSAGES = 20
# Each of two that start together dials the other; on a machine that is busy some at their second address, too.
CONNECTIONS = 4
# Of the processor, for each daemon and minute, when nothing happens: twice what one of two takes. Of many links each
# is pinged once in four minutes, most of them at the same time.
IDLE_SECONDS_A_MINUTE = 0.008
IDLE_SECONDS = 240.0
SETTLE_SECONDS = 60.0
REST_SECONDS = 40.0
# With few hosts in a check that is run often.
FEW_HOSTS = 20
FEW_IDLE_SECONDS = 8.0
# Their links are not all at rest so soon.
FEW_IDLE_SECONDS_A_MINUTE = 0.02
FEW_SETTLE_SECONDS = 10.0
MIB = 1 << 20
MEMORY_BYTES = 16 * MIB


class Office(LabRun):
    name = "nine o'clock"

    def __init__(self, options: argparse.Namespace, folder: Path, checks: Checks) -> None:
        super().__init__(options, folder, checks)
        hosts = list(range(1, options.hosts + 1))
        system = hosts if options.avahi else []
        self.lab = Lab(options.hosts, system, None, folder / "lab.log")
        programs = Programs.within(options.programs)
        self.nodes = [
            Node(host, self.lab, programs, folder, "system" if options.avahi else "embedded")
            for host in hosts]
        self.pool = ThreadPoolExecutor(options.hosts)
        self.found: dict[str, float] = {}

    @staticmethod
    def arguments(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--hosts", type=int, default=20)
        parser.add_argument(
            "--mesh", type=int, default=48, help="the links that each must have in the end, if there are so many")
        parser.add_argument("--no-room", action="store_true", help="look at the links only")
        parser.add_argument("--avahi", action="store_true", help="each host has an Avahi daemon and uses it")

    @staticmethod
    def refuse(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
        if not 2 <= options.hosts <= 250:
            parser.error("--hosts takes 2 to 250")

    @staticmethod
    def machine(options: argparse.Namespace) -> NeighbourTables:
        return NeighbourTables(options.hosts)

    # What the hosts say.

    def every(self, method: str) -> list[list[dict]]:
        """The lists of all, one after another: that costs the daemons the least."""
        return [node.every(method) for node in self.nodes]

    def links(self) -> list[int]:
        return [int(node.call("status")["links"]) for node in self.nodes]

    def pieces(self) -> int:
        """How many islands the links leave."""
        near = {
            node.identity: {
                peer["id"] for peer in peers if peer["state"] == "linked"}
            for node, peers in zip(self.nodes, self.every("peers"))}
        left, count = set(near), 0
        while left:
            reached, edge = set(), [left.pop()]
            while edge:
                reached |= (new := near.get(edge.pop(), set()) & left)
                left -= new
                edge += new
            count += 1
        return count

    def members(self) -> list[int]:
        return [
            int(conversation["members"]) for conversations in self.every("conversations")
            for conversation in conversations if conversation["name"] == ROOM]

    def seconds(self) -> list[float]:
        return [node.processor_seconds() for node in self.nodes]

    # What happens.

    def start(self) -> float:
        began = time.monotonic()
        list(self.pool.map(Node.start, self.nodes))
        self.checks.say(f"{len(self.nodes)} daemons are ready")
        return began

    def limit(self) -> float:
        """For the links: of those there are, above 60 hosts, as many more as there are pairs."""
        return WAIT_SECONDS * max(1.0, len(self.nodes) / 60) ** 2

    def find(self, began: float) -> None:
        limit = self.limit()
        while True:
            links = self.links()
            # Who has no link is a piece of its own; the whole answer is asked for only then.
            pieces = self.pieces() if min(links) > 0 else 2
            took = time.monotonic() - began
            if pieces == 1 or took > limit:
                break
            time.sleep(0.2)
        seconds = self.seconds()
        self.found["piece"] = took
        self.found["piece seconds"] = max(seconds)
        self.found["piece seconds on average"] = sum(seconds) / len(seconds)
        self.checks.that(
            "all are one piece", pieces == 1,
            f"{pieces} pieces after {took:.1f} s, links {links}")
        self.checks.say(
            f"one piece after {took:.1f} s, links {min(links)} to {max(links)}, processor "
            f"{sum(seconds) / len(seconds):.2f} s each, {max(seconds):.2f} s at most")
        self.checks.that(
            f"no daemon has used more than {SLACK * START_SECONDS:g} s of processor time",
            max(seconds) <= SLACK * START_SECONDS, max(seconds))

    def mesh(self, began: float) -> None:
        wanted = min(len(self.nodes) - 1, self.options.mesh)
        limit = self.limit()
        while min(links := self.links()) < wanted and time.monotonic() - began < limit:
            time.sleep(0.2)
        took, seconds = time.monotonic() - began, self.seconds()
        self.found["mesh"], self.found["links"] = took, wanted
        self.checks.that(f"each has {wanted} links", min(links) >= wanted, links)
        self.checks.say(
            f"{min(links)} to {max(links)} links after {took:.1f} s, processor "
            f"{sum(seconds) / len(seconds):.2f} s each, {max(seconds):.2f} s at most")

    def count_connections(self) -> None:
        """Nobody who is linked is dialled again and again."""
        opened = sum(node.connections() for node in self.nodes)
        pairs = len(self.nodes) * (len(self.nodes) - 1) // 2
        self.found["connections"] = opened / pairs
        self.checks.that(
            f"there were at most {CONNECTIONS} connections for each pair", opened <= CONNECTIONS * pairs,
            f"{opened} for {pairs} pairs")

    def join(self) -> None:
        began = time.monotonic()
        for control in [node.control() for node in self.nodes]:
            control.post("join", room=ROOM)
        due = [len(self.nodes)] * len(self.nodes)
        while True:
            members = self.members()
            took = time.monotonic() - began
            if members == due or took > WAIT_SECONDS:
                break
            time.sleep(0.2)
        self.found["members"] = took
        self.checks.that("all know all members", members == due, members)
        self.checks.say(f"all know all {len(self.nodes)} members after {took:.1f} s")

    def talk(self) -> None:
        came: list[float] = []
        sent: dict[str, float] = {}
        lock = threading.Lock()
        controls = [node.control() for node in self.nodes]

        def read(control: Control) -> None:
            count = 0
            while count < MESSAGES:
                found = message(control.next())
                now = time.monotonic()
                if found is not None and (text := found.get("text")) in sent:
                    count += 1
                    with lock:
                        came.append(now - sent[text])

        for control in controls:
            control.call("subscribe")
        readers = [self.pool.submit(read, control) for control in controls]
        for number in range(MESSAGES):
            node = self.nodes[number * len(self.nodes) // MESSAGES]
            sent[f"message {number}"] = time.monotonic()
            node.call("send", to=ROOM, text=f"message {number}")
            time.sleep(0.2)
        due = MESSAGES * len(self.nodes)
        deadline = time.monotonic() + WAIT_SECONDS
        while not all(reader.done() for reader in readers) and time.monotonic() < deadline:
            time.sleep(0.05)
        for control in controls:
            control.socket.shutdown(2)
        came.sort()
        last = came[max(0, len(came) * 99 // 100 - 1)] if came else float("inf")
        self.found["message"] = last
        self.checks.that("each message reaches all", len(came) == due, f"{len(came)} of {due}")
        self.checks.say(f"messages: {came[len(came) // 2]:.3f} s in the middle, {last:.3f} s at p99")

    def rest(self) -> None:
        """What is under way ends first: the daemons use ever less, or the wait is over."""
        few = len(self.nodes) <= FEW_HOSTS
        settle = FEW_SETTLE_SECONDS if few else SETTLE_SECONDS
        deadline, before = time.monotonic() + settle, None
        # Links are looked at more rarely once they have been looked at since the last message.
        soonest = time.monotonic() + (0 if few else REST_SECONDS)
        while time.monotonic() < deadline:
            used = self.used(5.0)
            if before is not None and used > 0.8 * before and time.monotonic() > soonest:
                break
            before = used
        used = self.used(FEW_IDLE_SECONDS if few else IDLE_SECONDS)
        memory = max(node.memory_bytes() for node in self.nodes)
        self.found["idle"], self.found["memory"] = used, memory / MIB
        self.checks.say(
            f"idle: {used:.3f} s of the processor each a minute; at most {memory / MIB:.1f} MiB")
        due = SLACK * (FEW_IDLE_SECONDS_A_MINUTE if few else IDLE_SECONDS_A_MINUTE)
        self.checks.that(f"an idle daemon uses at most {due:g} s a minute", used <= due, used)
        self.checks.that(
            f"no daemon holds more than {SLACK * MEMORY_BYTES // MIB} MiB",
            memory <= SLACK * MEMORY_BYTES, memory)

    def used(self, seconds: float) -> float:
        """Processor seconds that a daemon uses a minute, on average, looked at for so long."""
        before = sum(self.seconds())
        began = time.monotonic()
        time.sleep(seconds)
        took = time.monotonic() - began
        return (sum(self.seconds()) - before) / len(self.nodes) / took * 60

    def come_late(self) -> None:
        """A new one comes when all others rest."""
        late = self.nodes[-1]
        late.stop()
        # Or it would dial whom it remembers.
        shutil.rmtree(late.data)
        began = time.monotonic()
        late.start()
        wanted = min(len(self.nodes) - 1, self.options.mesh)
        while True:
            links = int(late.call("status")["links"])
            took = time.monotonic() - began
            if links >= wanted or took > WAIT_SECONDS:
                break
            time.sleep(0.02)
        self.found["late"] = took
        self.checks.that(f"who comes late has {wanted} links", links >= wanted, links)
        self.checks.say(f"who came late had {links} links after {took:.2f} s")

    def run(self) -> None:
        began = self.start()
        self.find(began)
        self.mesh(began)
        if not self.options.no_room:
            self.join()
            self.talk()
        self.rest()
        self.count_connections()
        self.come_late()
        self.end()

    def end(self) -> None:
        codes = list(self.pool.map(Node.stop, self.nodes))
        self.checks.that("every daemon ends well", set(codes) == {0}, codes)
        found = self.found
        talk = (
            "" if self.options.no_room else
            f"all members known {found['members']:.1f} s after joining, p99 of messages "
            f"{found['message']:.2f} s; ")
        print(
            f"MEASURED nine o'clock, {len(self.nodes)} hosts: one piece after "
            f"{found['piece']:.1f} s with {found['piece seconds on average']:.2f} s of processor time "
            f"each ({found['piece seconds']:.2f} s at most), {found['links']:.0f} links each after "
            f"{found['mesh']:.1f} s, {found['connections']:.2f} connections a pair; {talk}who came late "
            f"{found['late']:.1f} s; idle {found['idle']:.3f} s a minute, "
            f"{found['memory']:.1f} MiB")


if __name__ == "__main__":
    perform(Office, __doc__)
