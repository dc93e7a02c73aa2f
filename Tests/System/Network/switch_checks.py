"""That the switch does to frames what it is told, measured between two hosts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from Driver.checks import Broken, Checks
from Driver.lab import Lab
from Driver.process import until

DATAGRAMS = str(Path(__file__).resolve().with_name("datagrams.py"))
COUNT = 1_000
# A fifth of them, give or take this: five times the standard deviation.
SPREAD = 64


class SwitchChecks:
    def __init__(self, checks: Checks, folder: Path) -> None:
        self.checks = checks
        self.lab = Lab(2, [], 1, folder / "switch.log")

    def pass_on(self, count: int = COUNT, sender: int = 1, receiver: int = 2) -> dict[str, Any]:
        """Sends datagrams and tells what came of them."""
        with subprocess.Popen(
                [*self.lab.prefix(receiver), sys.executable, DATAGRAMS, "receive"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdin and process.stdout
            if process.stdout.readline() != "ready\n":
                raise Broken("the receiver does not run")
            subprocess.run(
                [*self.lab.prefix(sender), sys.executable, DATAGRAMS, "send",
                 f"10.77.0.{receiver}", str(count)], check=True, timeout=300)
            process.stdin.close()
            return dict(json.loads(process.stdout.readline()))

    def faults(self, text: str) -> None:
        self.lab.command(f"port 1 in {text}")

    def run(self) -> None:
        try:
            self.whole()
            self.faulty()
            self.severed()
        finally:
            self.lab.end()

    def whole(self) -> None:
        for sender, receiver in ((1, 2), (2, 1)):
            # Lets each know the other's address, for which nothing may be lost. What a host sends
            # before it does waits in its kernel, and may leave behind what is sent when it does.
            self.pass_on(1, sender, receiver)
            seen = self.pass_on(COUNT, sender, receiver)
            self.checks.that(
                f"switch: passes everything on, once and in order, from {sender} to {receiver}",
                (seen["count"], seen["distinct"], seen["outOfOrder"], seen["damaged"])
                == (COUNT, COUNT, 0, 0), seen)

    def faulty(self) -> None:
        self.faults("loss 20")
        seen = self.pass_on()
        self.checks.that(
            "switch: loses a fifth", abs(seen["count"] - COUNT * 0.8) < SPREAD, seen)
        self.faults("duplicate 20")
        seen = self.pass_on()
        self.checks.that(
            "switch: sends a fifth twice",
            seen["distinct"] == COUNT and abs(seen["count"] - COUNT * 1.2) < SPREAD, seen)
        self.faults("delay 100 jitter 50")
        seen = self.pass_on()
        self.checks.that(
            "switch: delays by 50 to 150 ms and keeps the order",
            seen["count"] == COUNT and seen["outOfOrder"] == 0
            and seen["leastMilliseconds"] >= 50 and seen["meanMilliseconds"] >= 100, seen)
        self.faults("reorder 20")
        seen = self.pass_on()
        self.checks.that(
            "switch: changes the order, and nothing else",
            seen["distinct"] == COUNT == seen["count"] and seen["outOfOrder"] > 50, seen)
        self.faults("corrupt 20")
        seen = self.pass_on()
        self.checks.that(
            "switch: damages a fifth so that checksums find it",
            abs(seen["count"] - COUNT * 0.8) < SPREAD and seen["damaged"] == 0, seen)
        self.faults("corrupt-checked 20")
        seen = self.pass_on()
        self.checks.that(
            "switch: damages a fifth so that checksums do not find it",
            seen["count"] + seen["damaged"] == COUNT and abs(seen["damaged"] - COUNT * 0.2) < SPREAD,
            seen)
        # Each has 544 bytes beside its Ethernet header.
        for mtu, passed in ((544, 100), (543, 0)):
            self.faults(f"mtu {mtu}")
            seen = self.pass_on(100)
            self.checks.same(f"switch: passes on packets of {mtu} bytes at most", seen["count"], passed)
        self.faults("rate 200")
        seen = self.pass_on(300)
        # 300 frames of 558 bytes need 0.8 s, so the mean one waits for about half of that.
        self.checks.that(
            "switch: passes on no faster than told", seen["meanMilliseconds"] > 200, seen)
        self.faults("")

    def link(self) -> str:
        return subprocess.run(
            [*self.lab.prefix(2), "ip", "link", "show", "eth0"], capture_output=True, text=True,
            check=True).stdout

    def severed(self) -> None:
        self.lab.command("block 1 2")
        there, back = self.pass_on(100), self.pass_on(100, 2, 1)
        self.checks.that(
            "switch: blocks one way only", (there["count"], back["count"]) == (0, 100),
            (there, back))
        self.lab.command("open 1 2")
        self.lab.command("cut 2")
        cut = self.pass_on(100)
        link = self.link()
        self.checks.that(
            "switch: takes the carrier away with the cable",
            cut["count"] == 0 and "NO-CARRIER" in link, (cut, link))
        self.lab.command("mend 2")
        # The kernel takes a moment to look.
        until("the cable is back", lambda: "LOWER_UP" in self.link())
        mended = self.pass_on(100)
        self.checks.that("switch: gives the cable back", mended["count"] == 100, mended)
