#!/usr/bin/env python3
"""Hosts that know each other talk, and others find them, though a crowd announces 1,100 instances: from 16 addresses,
with 100 keys that answer, and for the most part nobody.

See Docs/Testing/Network.md. As root, on Linux; everything happens in namespaces of its own.
"""

from __future__ import annotations

import argparse
import collections
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from announced import FAR, KEYS  # noqa: E402
from Driver.checks import Broken, Checks  # noqa: E402
from Driver.daemon import Programs  # noqa: E402
from Driver.honest import HANGS_SECONDS, ROOM, Calls, Talk, lacking as lacking_texts  # noqa: E402
from Driver.lab import Lab  # noqa: E402
from Driver.process import kinds, until  # noqa: E402
from labrun import LabRun, perform  # noqa: E402
from node import Node  # noqa: E402

HERE = Path(__file__).resolve().parent
# When in it the newcomers come, and how long the talk goes on at least.
NEWCOMERS_SECONDS, TALK_SECONDS = 2.0, 9.0
# Of each second once it is over, as long as one looks. While it lasts the loop reads what comes, as fast as it
# can; that it has time left for others the answers show.
PROCESSOR, CALM_SECONDS, CALM_LOOKS = 0.1, 2, 4
# Of the log of one of the two, the whole time.
LINES = 400
MIB = 1 << 20
MEMORY_BYTES = 128 * MIB
ADA, BOB, CLEO, EVE, CROWD = range(1, 6)
SOURCES = [f"10.77.0.{last}" for last in range(201, 217)]


def percentile(times: list[float], part: float) -> float:
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else float("inf")


# Shows: mdns.targets, mdns.crowd
class Flood(LabRun):
    name = "flood of announcements"
    python = ""

    def __init__(self, options: argparse.Namespace, folder: Path, checks: Checks) -> None:
        super().__init__(options, folder, checks)
        honest = [ADA, BOB, CLEO, EVE]
        self.lab = Lab(CROWD, honest if options.avahi else [], None, folder / "lab.log")
        discovery = "system" if options.avahi else "embedded"
        programs = Programs.within(options.programs)
        self.nodes = [
            # The last is told where another one is, and looks for nobody.
            Node(host, self.lab, programs, folder, "off" if host == EVE else discovery) for host in honest]
        self.ada, self.bob, self.cleo, self.eve = self.nodes
        self.lab.run(CROWD, "; ".join(f"ip address add {source}/24 dev eth0" for source in SOURCES))
        self.acknowledged: set[str] = set()
        self.said: list[str] = []
        # After the flood's end.
        self.took = 0.0

    @staticmethod
    def arguments(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--avahi", action="store_true", help="each host has an Avahi daemon and uses it")

    @classmethod
    def lacking(cls) -> str | None:
        venv = subprocess.run([str(HERE.parent / "Interop" / "venv.sh")], capture_output=True, text=True)
        # The Python of the independent peer.
        cls.python = f"{venv.stdout.strip()}/bin/python"
        return None if venv.returncode == 0 else venv.stderr.strip()

    # What the hosts say.

    @staticmethod
    def are_linked(one: Node, other: Node) -> bool:
        return any(
            peer["id"] == other.identity and peer["state"] == "linked"
            for peer in one.every("peers"))

    def stands(self, node: Node) -> dict[str, object]:
        """What a node lists of the two who know each other."""
        honest = {self.ada.identity, self.bob.identity}
        members = [each["id"] for each in node.call("members", to=ROOM)["items"]]
        return {
            "members": sorted(honest & set(members)),
            "peers": sorted(
                (each["id"], each["name"], each["tier"], each["state"], "ambiguous" in each)
                for each in node.every("peers") if each["id"] in honest),
            "rooms": sorted(each["name"] for each in node.every("rooms") if each["joined"]),
            "alerts": [each["code"] for each in node.call("status")["alerts"]]}

    # What happens.

    def prepare(self) -> None:
        for node in (self.ada, self.bob):
            node.start()
            node.call("join", room=ROOM)
        until("the two are linked", lambda: self.are_linked(self.ada, self.bob))
        for node, other in ((self.ada, self.bob), (self.bob, self.ada)):
            node.output("people", "add", "@" + other.identity)
        until("the two know each other", lambda: all(
            each["members"] == 2 for node in (self.ada, self.bob) for each in node.every("conversations")))
        self.before = [self.stands(node) for node in (self.ada, self.bob)]

    def begin(self) -> None:
        prefix = self.lab.prefix(CROWD)
        self.answering = subprocess.Popen(
            [*prefix, self.python, str(HERE / "answering.py"), ROOM, *SOURCES],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.answering.stdout
        if self.answering.stdout.readline().strip() != "ready":
            raise Broken("nobody answers")
        self.announcing = subprocess.Popen(
            [*prefix, sys.executable, str(HERE / "announced.py"), *SOURCES],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.began, self.used = time.monotonic(), self.ada.processor_seconds()

    def wait(self, seconds: float) -> None:
        """Until so long after the beginning."""
        time.sleep(max(0.0, self.began + seconds - time.monotonic()))

    def newcomers(self) -> None:
        """One who looks for others, and one who says where somebody is and is linked at once."""
        self.cleo.start()
        self.cleo.call("join", room=ROOM)
        self.eve.start()
        began = time.monotonic()
        self.eve.call("connect", address=f"10.77.0.{ADA}:{self.ada.port}")
        until("eve has a link", lambda: self.are_linked(self.eve, self.ada), HANGS_SECONDS)
        self.checks.that("connect reaches a host in the flood", True)
        self.said.append(f"connect {time.monotonic() - began:.2f} s")

    def far(self) -> list[dict]:
        """The hosts of another network of which Ada tells."""
        return [
            dial for dial in self.ada.every("dials")
            if any(address.startswith(FAR) for address in dial["addresses"])]

    def talk(self) -> None:
        ways = [
            Talk(name, one.socket, other.socket)
            for name, one, other in (("ada to bob", self.ada, self.bob), ("bob to ada", self.bob, self.ada))]
        calls = Calls(self.ada.socket)
        self.wait(NEWCOMERS_SECONDS)
        self.newcomers()
        # Of which she hears is left to chance; she looks again within seconds.
        while not (far := self.far()) and not self.options.avahi and time.monotonic() < self.began + HANGS_SECONDS:
            time.sleep(0.1)
        # An Avahi daemon tells who has links, and rests, of nobody.
        self.checks.that(
            "no host of another network is dialled, which is said",
            bool(far or self.options.avahi) and all(
                dial.get("failure") == "otherNetwork" and not dial["dialling"] for dial in far),
            far[:3])
        self.wait(TALK_SECONDS)
        calls.end()
        self.acknowledged.update(calls.acknowledged)
        for way in ways:
            way.end()
            self.acknowledged.update(way.meter.acknowledged)
            self.checks.that(f"{way.name}: nothing is lost", not way.failures, way.failures)
            worst = max(way.times, default=float("inf"))
            self.checks.that(f"{way.name}: nothing hangs", worst <= HANGS_SECONDS, worst)
            self.said.append(f"{way.name} {1e3 * worst:.0f} ms at most")
        self.checks.that("every call is answered", bool(calls.times) and not calls.failures, calls.failures)
        self.said.append(f"answers p99 {1e3 * percentile(calls.times, 0.99):.0f} ms")

    def stop_and_start(self) -> None:
        """One of the two is ended in the flood, and comes back."""
        self.peak = self.ada.memory_bytes("VmHWM")
        began = time.monotonic()
        code = self.ada.stop(signal.SIGTERM)
        took = time.monotonic() - began
        self.checks.same("SIGTERM ends it well in the flood", code, 0)
        self.checks.that("while it lasts", self.announcing.poll() is None)
        self.ada.start()
        began = time.monotonic()
        until("the two are linked again", lambda: self.are_linked(self.ada, self.bob), HANGS_SECONDS)
        self.said.append(f"ended in {took:.2f} s, linked again in {time.monotonic() - began:.1f} s")

    def end(self) -> None:
        """The flood ends, and whoever answered goes away."""
        sent = self.announcing.communicate("", timeout=HANGS_SECONDS)[0].strip()
        if self.announcing.returncode != 0:
            raise Broken("nothing was announced")
        self.over = time.monotonic()
        self.share = (self.ada.processor_seconds() - self.used) / (self.over - self.began)
        links = self.answering.communicate("", timeout=HANGS_SECONDS)[0].strip()
        self.checks.that("some of the crowd were dialled", self.options.avahi or int(links) > 0, links)
        self.said.append(f"{sent} packets, {links} links with {KEYS} keys of the crowd")

    def look(self, what: str, holds: Callable[[], bool], saw: Callable[[], object]) -> None:
        """Whether something comes to hold after the flood's end; how soon is measured."""
        while not (found := holds()) and time.monotonic() - self.over < HANGS_SECONDS:
            time.sleep(0.1)
        took = time.monotonic() - self.over
        self.checks.that(f"{what} after its end", found, saw())
        self.took = max(self.took, took)

    def newcomer(self) -> dict[str, object]:
        """What whoever came in the flood makes of it."""
        dials = collections.Counter(
            (dial["source"], dial.get("failure"), dial["dialling"]) for dial in self.cleo.every("dials"))
        honest = {f"10.77.0.{host}" for host in (ADA, BOB, EVE)}
        return {
            "status": self.cleo.call("status"), "dials": dials.most_common(5),
            "honest": [dial for dial in self.cleo.every("dials")
                       if {each.rpartition(":")[0] for each in dial["addresses"]} & honest],
            "linked": [each for each in self.cleo.every("peers") if each["state"] == "linked"][:3]}

    def compare(self) -> None:
        left = set(self.acknowledged)

        def has_all(node: Node) -> bool:
            nonlocal left
            with node.control() as control:
                left = lacking_texts(control, ROOM, self.acknowledged)
            return not left

        self.look(
            "a newcomer is linked with one of the two",
            lambda: any(self.are_linked(node, self.cleo) for node in (self.ada, self.bob)), self.newcomer)
        self.said.append(f"a newcomer linked {self.took:.1f} s after its end")
        for node in (self.cleo, self.ada, self.bob):
            self.look(
                f"{node.name} has all {len(self.acknowledged)} messages",
                lambda: has_all(node), lambda: (len(left), sorted(left)[:5]))
        for node, before in zip((self.ada, self.bob), self.before):
            self.look(
                f"all is as before for {node.name}", lambda: self.stands(node) == before,
                lambda: (self.stands(node), before))
        self.said.append(f"all as before after {self.took:.1f} s")

    def calm(self) -> None:
        # What has come before the end may still be looked at.
        for _ in range(CALM_LOOKS):
            used, limit = self.ada.processor_seconds(), self.slack * PROCESSOR
            time.sleep(CALM_SECONDS)
            calm = (self.ada.processor_seconds() - used) / CALM_SECONDS
            if calm <= limit:
                break
        self.checks.that(f"then at most {limit:g} of a processor is used", calm <= limit, calm)
        self.said.append(f"{self.share:.2f} of a processor, then {calm:.2f}")
        # An Avahi daemon tells who has links, and rests, of nobody. What has come is looked up a little later.
        told = [node.name for node in self.nodes if "hosts announce themselves" in node.log.read_text(errors="replace")]
        self.checks.that("users have been told of it", bool(told or self.options.avahi), told)
        lines = self.ada.log.read_text(errors="replace").count("\n")
        self.checks.that("the log stays short", lines <= LINES, (lines, kinds(self.ada.log)))
        self.said.append(f"{lines} lines")
        peak = max(self.peak, *(node.memory_bytes("VmHWM") for node in self.nodes))
        self.checks.that(f"no daemon took {MEMORY_BYTES // MIB} MiB", peak < MEMORY_BYTES, peak)
        self.said.append(f"{peak / MIB:.1f} MiB")

    def run(self) -> None:
        self.prepare()
        self.begin()
        self.talk()
        self.stop_and_start()
        self.end()
        self.compare()
        self.calm()
        self.checks.same("every daemon ends well", [node.stop() for node in self.nodes], [0] * len(self.nodes))
        print(f"MEASURED {self.name}: {', '.join(self.said)}")


if __name__ == "__main__":
    perform(Flood, __doc__)
