#!/usr/bin/env python3
"""Two hosts talk, the network between them loses everything for half a minute, and then nothing more.

See Docs/Testing/Network.md. As root, on Linux; everything happens in namespaces of its own.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from Driver.checks import Broken, Checks  # noqa: E402
from Driver.control import Refusal, message  # noqa: E402
from Driver.daemon import Programs  # noqa: E402
from Driver.lab import Lab  # noqa: E402
from Driver.process import until  # noqa: E402
from labrun import LabRun, perform  # noqa: E402
from node import Node  # noqa: E402

ROOM = "agora"
AGAIN_SECONDS = 120.0
SILENCE_SECONDS = 30.0
# Before the silence, so that the link has had traffic, and after it.
TALK_SECONDS = 5.0
# What was under way as the silence began has arrived, or has not.
BEGUN_SECONDS = 10.0
SWITCH_SEED = 1


class Speaker(threading.Thread):
    """Says something once a second; remembers when, and what was acknowledged."""

    def __init__(self, node: Node, checks: Checks) -> None:
        super().__init__(daemon=True)
        self.node, self.checks = node, checks
        self.begun: dict[str, float] = {}
        self.acknowledged: list[str] = []
        self.ends = threading.Event()

    def run(self) -> None:
        try:
            with self.node.control() as control:
                while not self.ends.wait(1.0):
                    text = f"{self.node.name} says {len(self.begun)}"
                    self.begun[text] = time.monotonic()
                    control.call("send", to=ROOM, text=text)
                    self.acknowledged.append(text)
        except (OSError, Refusal) as failure:
            self.checks.fail(f"{self.node.name} takes what is said", failure)


class Listener(threading.Thread):
    """Remembers when a node has shown what."""

    def __init__(self, node: Node) -> None:
        super().__init__(daemon=True)
        self.control = node.control()
        self.control.call("subscribe", to=ROOM)
        self.control.socket.settimeout(None)
        self.came: dict[str, float] = {}

    def run(self) -> None:
        try:
            while True:
                if (shown := message(self.control.next())) is not None:
                    self.came.setdefault(shown.get("text", ""), time.monotonic())
        except OSError:
            # The daemon has ended.
            return


class Silence(LabRun):
    name = "silence"

    def __init__(self, options: argparse.Namespace, folder: Path, checks: Checks) -> None:
        super().__init__(options, folder, checks)
        self.lab = Lab(2, [], SWITCH_SEED, folder / "lab.log")
        programs = Programs.within(options.programs)
        self.nodes = [Node(host, self.lab, programs, folder, "embedded") for host in (1, 2)]

    def start(self) -> None:
        for node in self.nodes:
            node.start()
            node.call("join", room=ROOM)
        for node in self.nodes:
            until("the two know each other", lambda: [
                each["members"] for each in node.every("conversations")] == [2])
        self.speakers = [Speaker(node, self.checks) for node in self.nodes]
        self.listeners = [Listener(node) for node in self.nodes]
        # Who speaks, and who listens to it.
        self.ways = list(zip(self.speakers, reversed(self.listeners)))
        for thread in (*self.listeners, *self.speakers):
            thread.start()

    def links(self) -> list[int]:
        return [int(node.call("status")["links"]) for node in self.nodes]

    def have_carrier(self) -> bool:
        return all("LOWER_UP" in subprocess.run(
            [*self.lab.prefix(node.host), "ip", "link", "show", "eth0"],
            capture_output=True, text=True).stdout for node in self.nodes)

    @staticmethod
    def taken(speaker: Speaker, listener: Listener, since: float) -> float | None:
        """Seconds from then until something came that was said after it."""
        came = dict(listener.came)
        return min((
            came[text] - since for text, begun in list(speaker.begun.items())
            if begun >= since and text in came), default=None)

    def fall_silent(self) -> None:
        began = time.monotonic()
        # All that one host sends, and all that it gets.
        self.lab.command("port 1 both loss 100")
        time.sleep(SILENCE_SECONDS)
        self.checks.that("no host has lost its carrier", self.have_carrier())
        self.left = self.links()
        came = [
            text for speaker, listener in self.ways for text in speaker.begun
            if listener.came.get(text, 0) > began + BEGUN_SECONDS]
        self.checks.that("nothing came in the silence", not came, came)

    def talk_again(self) -> None:
        self.lab.command("port 1 both")
        back = time.monotonic()
        while any(self.taken(*way, back) is None for way in self.ways):
            if time.monotonic() - back > AGAIN_SECONDS:
                break
            time.sleep(0.02)
        times = [self.taken(*way, back) for way in self.ways]
        self.checks.that(
            "what is said afterwards comes, both ways",
            all(took is not None for took in times), (times, self.left))
        self.took = max(float("inf") if took is None else took for took in times)

    def compare(self) -> None:
        """Both have all that was acknowledged, in one order, and nothing else."""
        due = sorted(text for speaker in self.speakers for text in speaker.acknowledged)
        histories: list[list[str]] = []

        def are_same() -> bool:
            histories[:] = [node.lines(ROOM) for node in self.nodes]
            return histories[0] == histories[1] and len(histories[0]) >= len(due)

        try:
            until("both have the same", are_same, AGAIN_SECONDS)
        except Broken:
            pass
        self.checks.that(
            "the history is the same on both, byte for byte", histories[0] == histories[1], histories)
        for node in self.nodes:
            shown = sorted(
                each["text"] for each in node.history(ROOM) if each["kind"] == "text")
            self.checks.that(
                f"{node.name} holds each of {len(due)} acknowledged messages once and nothing else",
                shown == due, set(shown) ^ set(due))

    def run(self) -> None:
        self.start()
        time.sleep(TALK_SECONDS)
        until("both heard each other before", lambda: all(
            set(speaker.begun) & set(listener.came) for speaker, listener in self.ways), AGAIN_SECONDS)
        self.checks.that("both heard each other before", True)
        self.fall_silent()
        self.talk_again()
        time.sleep(TALK_SECONDS)
        for speaker in self.speakers:
            speaker.ends.set()
            speaker.join()
        self.compare()
        codes = [node.stop() for node in self.nodes]
        self.checks.same("every daemon ends well", codes, [0, 0])
        said = sum(len(speaker.acknowledged) for speaker in self.speakers)
        print(
            f"MEASURED silence of {SILENCE_SECONDS:g} s: what is said afterwards comes "
            f"{self.took:.2f} s after its end, {said} messages, links at its end "
            f"{' and '.join(map(str, self.left))}")


if __name__ == "__main__":
    perform(Silence, __doc__)
