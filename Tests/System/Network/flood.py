#!/usr/bin/env python3
"""Two hosts find each other though a third announces 1,100 instances that do not exist.

See Docs/Testing/Network.md. As root, on Linux; everything happens in namespaces of its own.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from Driver.checks import Broken, Checks  # noqa: E402
from Driver.control import Refusal  # noqa: E402
from Driver.daemon import Programs  # noqa: E402
from Driver.lab import Lab  # noqa: E402
from Driver.process import until  # noqa: E402
from node import Node  # noqa: E402
from run_faults import lacking  # noqa: E402

HERE = Path(__file__).resolve().parent
# Checked at five times what is promised: other programs run on the machine, too.
SLACK = 5
FLOOD_SECONDS = 12
FOUND_SECONDS = 10.0
CALL_SECONDS = 0.1
CONNECT_SECONDS = 2.0
STOP_SECONDS = 1.0
# Of each second once it is over, as long as one looks. While it lasts the loop reads what comes, as fast as it
# can; that it has time left for others the answers show.
PROCESSOR, CALM_SECONDS = 0.1, 2
MIB = 1 << 20
MEMORY_BYTES = 128 * MIB
# One of the hosts' own network, where nobody listens, and one that is nowhere.
NEAR, FAR = "10.77.0.3", "192.0.2.77"


class Flood:
    def __init__(self, options: argparse.Namespace, folder: Path, checks: Checks) -> None:
        self.checks = checks
        hosts = [1, 2, 3]
        self.lab = Lab(3, hosts if options.avahi else [], None, folder / "lab.log")
        discovery = "system" if options.avahi else "embedded"
        programs = Programs.within(options.programs)
        self.ada, self.bob = (Node(host, self.lab, programs, folder, discovery) for host in (1, 2))
        # Told where the other is, and looking for nobody.
        self.eve = Node(3, self.lab, programs, folder, "off")

    def send(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*self.lab.prefix(3), sys.executable, str(HERE / "announced.py"), str(FLOOD_SECONDS),
             NEAR, NEAR, FAR], stdout=subprocess.PIPE, text=True)

    @staticmethod
    def are_linked(one: Node, other: Node) -> bool:
        return any(
            peer["id"] == other.identity and peer["state"] == "linked"
            for peer in one.every("peers"))

    def slowest(self, node: Node) -> float:
        worst = 0.0
        with node.control() as control:
            for method in ("status", "peers", "conversations") * 10:
                began = time.monotonic()
                control.call(method)
                worst = max(worst, time.monotonic() - began)
        return worst

    def run(self) -> None:
        checks = self.checks
        self.ada.start()
        used, began = self.ada.processor_seconds(), time.monotonic()
        flood = self.send()
        time.sleep(3)
        self.bob.start()
        self.eve.start()
        # Who says where somebody is, is linked at once.
        connecting = time.monotonic()
        self.eve.call("connect", address=f"10.77.0.1:{self.ada.port}")
        until("eve has a link", lambda: self.are_linked(self.eve, self.ada))
        connecting = time.monotonic() - connecting
        checks.that(
            f"connect reaches a host in the flood in {SLACK * CONNECT_SECONDS:g} s",
            connecting <= SLACK * CONNECT_SECONDS, connecting)
        slowest = self.slowest(self.ada)
        checks.that(
            f"a daemon answers in {SLACK * CALL_SECONDS:g} s", slowest <= SLACK * CALL_SECONDS, slowest)
        far = [
            dial for dial in self.ada.every("dials")
            if any(address.startswith(FAR) for address in dial["addresses"])]
        checks.that(
            "no host of another network is dialled, which is said",
            bool(far) and all(
                dial.get("failure") == "otherNetwork" and not dial["dialling"] for dial in far),
            far[:3])
        sent = flood.communicate(timeout=FLOOD_SECONDS + 60)[0].strip()
        if flood.returncode != 0:
            raise Broken("nothing was announced")
        over = time.monotonic()
        share = (self.ada.processor_seconds() - used) / (over - began)
        while not (found := self.are_linked(self.ada, self.bob)):
            if time.monotonic() - over > SLACK * FOUND_SECONDS:
                break
            time.sleep(0.1)
        took = time.monotonic() - over
        checks.that(f"both are linked {SLACK * FOUND_SECONDS:g} s after its end", found)
        used = self.ada.processor_seconds()
        time.sleep(CALM_SECONDS)
        calm = (self.ada.processor_seconds() - used) / CALM_SECONDS
        checks.that(
            f"then at most {SLACK * PROCESSOR:g} of a processor is used", calm <= SLACK * PROCESSOR, calm)
        peak = max(node.memory_bytes("VmHWM") for node in (self.ada, self.bob))
        checks.that(f"no daemon took {MEMORY_BYTES // MIB} MiB", peak < MEMORY_BYTES, peak)
        codes = []
        for node in (self.ada, self.bob, self.eve):
            began = time.monotonic()
            codes.append(node.stop())
            ended = time.monotonic() - began
            checks.that(
                f"{node.name} ends in {SLACK * STOP_SECONDS:g} s", ended <= SLACK * STOP_SECONDS, ended)
        checks.same("every daemon ends well", codes, [0, 0, 0])
        print(
            f"MEASURED flood of announcements: {sent} packets; linked {took:.1f} s after its end; "
            f"{share:.2f} of a processor, then {calm:.2f}; slowest answer {slowest * 1e3:.0f} ms; {peak / MIB:.1f} MiB")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=Path, help="the folder with stoad and stoa")
    parser.add_argument("--avahi", action="store_true", help="each host has an Avahi daemon and uses it")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: exit(143))
    if reason := lacking():
        print(f"flood skipped: {reason}", file=sys.stderr)
        return 77
    checks = Checks(verbose=True)
    folder = Path(tempfile.mkdtemp(prefix="stoa-flood-", dir="/tmp"))
    flood = None
    try:
        flood = Flood(options, folder, checks)
        flood.run()
    except (Broken, Refusal, OSError) as broken:
        checks.fail("the run goes to its end", broken)
        if flood is not None:
            print(flood.ada.tail(), file=sys.stderr)
    finally:
        if flood is not None:
            flood.lab.end()
        shutil.rmtree(folder)
    return checks.report()


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)
