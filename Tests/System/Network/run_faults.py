#!/usr/bin/env python3
"""Ten hosts talk while the network between them, and they themselves, fail in every way.

See Docs/Testing/Network.md. As root, on Linux; everything happens in namespaces of its own.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from Driver.checks import Broken, Checks  # noqa: E402
from Driver.daemon import Programs  # noqa: E402
from Driver.lab import Lab  # noqa: E402
from labrun import lacking  # noqa: E402
from node import Node  # noqa: E402
from schedule import KINDS, Schedule  # noqa: E402
from storm import Storm  # noqa: E402
from switch_checks import SwitchChecks  # noqa: E402
from talk import Ledger, Sender, Watcher, pause, resume  # noqa: E402

HOSTS = list(range(1, 11))
# These two run a real Avahi daemon and use it; the others have discovery inside.
AVAHI = [9, 10]
ROOMS = {
    "agora": HOSTS,
    "low": [1, 2, 3, 4, 5, 6],
    "high": [5, 6, 7, 8, 9, 10],
    "odd": [1, 3, 5, 7, 9],
    "ends": [1, 10],
}
# Messages a second and host, on average, beside bursts.
RATE = 1.0
ROUND_SECONDS = 300.0
# When all faults have ended, all are the same, and every pair has a link, well before this; the time needed is
# measured. It is due after 60 s; for links 90 s: the longest wait between two dials, its jitter, a dial.
SETTLE_SECONDS = LINK_SECONDS = 600.0
SAMPLE_SECONDS = 1.0
MIB = 1 << 20
# What a daemon may take at most, whatever happens around it.
MEMORY_BYTES = 64 * MIB
DESCRIPTORS = 256
# Reasons for which an honest peer may be refused, whatever fails.
HONEST = (
    "no handshake in time",
    "too many handshakes are under way",
    "connections come too fast",
    "too many connections or handshakes at a time",
    # A remembered address that another host got.
    "another key answered",
)
# What a bit that was flipped behind the back of the checksums does to a link.
DAMAGED = (
    "a message did not decrypt", "a message length of", "the first bytes are not Stoa's",
    "no common version", "no common realm", "the handshake is too large",
    # How the other end says so. It names what broke the protocol; of damage it says nothing.
    r"the peer said goodbye: protocolViolation ( \(\d+ times\))?$",
)


class Run:
    def __init__(self, options: argparse.Namespace, folder: Path, checks: Checks) -> None:
        self.minutes, self.seed, self.checks = options.minutes, options.seed, checks
        self.kinds = [kind for kind in KINDS if kind not in options.without]
        seed, programs = options.seed, Programs.within(options.programs)
        self.lab = Lab(len(HOSTS), AVAHI, seed, folder / "lab.log")
        self.nodes = {
            host: Node(
                host, self.lab, programs, folder, "auto" if host in AVAHI else "embedded")
            for host in HOSTS}
        self.ledger = Ledger()
        self.storm = Storm(self.lab, self.nodes, self.checks, seed)
        self.rooms = {
            host: [room for room, members in ROOMS.items() if host in members]
            for host in HOSTS}
        self.senders = [
            Sender(node, self.rooms[host], self.ledger, self.checks, seed * 1000 + host, RATE)
            for host, node in self.nodes.items()]
        self.watchers = {
            host: Watcher(node, self.ledger, self.checks) for host, node in self.nodes.items()}
        # How much of each log was looked at.
        self.read = {host: 0 for host in HOSTS}
        self.settled: list[float] = []
        self.meshed: list[float] = []
        self.over = threading.Event()

    def start(self) -> None:
        for node in self.nodes.values():
            node.start()
        identities = {host: node.identity for host, node in self.nodes.items()}
        self.checks.that("each host is somebody", len(set(identities.values())) == len(HOSTS))
        for host, node in self.nodes.items():
            for room in self.rooms[host]:
                node.call("join", room=room)
        self.await_links(time.monotonic())
        backends = {
            host: node.call("status")["discovery"]["backend"] for host, node in self.nodes.items()}
        due = {host: "system" if host in AVAHI else "embedded" for host in HOSTS}
        self.checks.that("each host finds others in its way", backends == due, backends)
        for watcher in self.watchers.values():
            watcher.identities = identities
            watcher.start()
        for sender in self.senders:
            sender.start()
        threading.Thread(target=self.watch_processes, daemon=True).start()

    def watch_processes(self) -> None:
        while not self.over.wait(SAMPLE_SECONDS):
            for node in self.nodes.values():
                if ended := node.sample():
                    self.checks.fail(f"{node.name} runs until it is ended", ended)

    def round(self, number: int, seconds: float) -> None:
        self.checks.context = f"round {number}: "
        kinds = list(self.kinds)
        # Without it nothing that a peer sends may ever look wrong.
        if number % 2 == 0 and "corrupt-checked" in kinds:
            kinds.remove("corrupt-checked")
        schedule = Schedule(self.seed * 100 + number, seconds, HOSTS, AVAHI, kinds)
        self.checks.say(f"{len(schedule.faults)} faults in {seconds:.0f} s")
        resume(self.senders)
        self.storm.run(schedule)
        calm = time.monotonic()
        self.checks.that(
            "every message is acknowledged once the faults are over",
            pause(self.senders, SETTLE_SECONDS))
        self.await_same(calm)
        self.await_links(calm)
        self.check_histories()
        self.check_nodes(damaged="corrupt-checked" in kinds)

    def await_same(self, since: float) -> None:
        while True:
            behind = {
                node.name: {
                    room: self.ledger.counts[room] - self.watchers[host].counts[room]
                    for room in self.rooms[host]
                    if self.ledger.counts[room] != self.watchers[host].counts[room]}
                for host, node in self.nodes.items()
                if not self.watchers[host].has_all(self.rooms[host])}
            took = time.monotonic() - since
            if not behind or took > SETTLE_SECONDS:
                break
            time.sleep(0.02)
        if self.checks.that(
                "after the last fault every node has shown everything",
                not behind, f"lacking: {behind}"):
            self.settled.append(took)
            self.checks.say(f"all had everything {took:.2f} s after the last fault")

    def await_links(self, since: float) -> None:
        due = {node.name: len(HOSTS) - 1 for node in self.nodes.values()}
        while True:
            links = {
                node.name: int(node.call("status")["links"]) for node in self.nodes.values()}
            took = time.monotonic() - since
            if links == due or took > LINK_SECONDS:
                break
            time.sleep(0.1)
        if self.checks.that("every host is linked to every other one", links == due, links):
            self.meshed.append(took)
            self.checks.say(f"all were linked after {took:.2f} s")

    def check_histories(self) -> None:
        for room, members in ROOMS.items():
            histories = {host: self.nodes[host].lines(room) for host in members}
            first = histories[members[0]]
            different = [host for host in members if histories[host] != first]
            self.checks.that(
                f"{room} is the same on {len(members)} hosts, byte for byte: "
                f"{len(first)} messages", not different, f"{different} differ from {members[0]}")
            self.check_content(room, first)

    def check_content(self, room: str, history: list[str]) -> None:
        messages = [json.loads(line) for line in history]
        texts = [message for message in messages if message["kind"] == "text"]
        due = self.ledger.texts(room)
        found = {message["text"]: message for message in texts}
        self.checks.that(
            f"{room} holds each of {len(due)} messages once and nothing else",
            len(found) == len(texts) and found.keys() == due.keys(),
            f"{len(texts)} shown, {len(due.keys() - found.keys())} lacking, "
            f"{len(found.keys() - due.keys())} that nobody sent, "
            f"{len(texts) - len(found)} repeated")
        self.checks.that(
            f"{room} has them from who sent them, under the id that was told",
            all(sent.id == found[text]["id"]
                and found[text]["author"] == self.nodes[sent.host].identity
                for text, sent in due.items() if text in found))

    def check_nodes(self, damaged: bool) -> None:
        alerts = {
            node.name: alerts for node in self.nodes.values()
            if (alerts := node.call("status")["alerts"])}
        self.checks.that("no node alerts anybody", not alerts, alerts)
        for host, node in self.nodes.items():
            outside = [room for room in ROOMS if room not in self.rooms[host]]
            for room in outside:
                code, out, _ = node.stoa("--json", "history", room)
                if code == 0 and out:
                    self.checks.fail(f"{node.name} holds nothing of {room}", out)
        wrong: list[str] = []
        undecrypted = 0
        allowed = HONEST + DAMAGED if damaged else HONEST
        for host, node in self.nodes.items():
            with node.log.open("rb") as log:
                log.seek(self.read[host])
                said = log.read()
            self.read[host] += len(said)
            for line in said.decode(errors="replace").splitlines():
                is_refusal = ": refused " in line
                undecrypted += "a message did not decrypt" in line
                if "error:" in line or "Fatal" in line or (
                        is_refusal and not any(re.search(reason, line) for reason in allowed)):
                    wrong.append(f"{node.name}: {line}")
        self.checks.that(
            "no log tells of an error, or of a peer that broke the protocol"
            + (" but where bits were flipped" if damaged else ""), not wrong,
            "\n".join(wrong[:20]))
        if damaged:
            self.checks.that("damage has come as far as decryption", undecrypted > 0)

    def end(self) -> None:
        self.checks.context = ""
        self.over.set()
        for sender in self.senders:
            sender.stopped.set()
        for watcher in self.watchers.values():
            watcher.stopped.set()
        starts = {node.name: node.starts for node in self.nodes.values()}
        due = sum(self.storm.done[kind] for kind in ("kill", "power")) + len(HOSTS)
        self.checks.that(
            "no daemon was started more often than it was killed",
            sum(starts.values()) == due, starts)
        missing = [kind for kind in self.kinds if self.storm.done[kind] == 0]
        self.checks.that(f"all {len(self.kinds)} kinds of faults have happened", not missing, missing)
        stats = self.lab.stats()
        idle = [name for name in (
            "lost", "blocked", "delayed", "duplicated", "reordered", "corrupted",
            "corruptCheckedTCP", "cuts") if stats[name] == 0]
        self.checks.that("the switch did what it was told", not idle, f"never: {idle}")
        with ThreadPoolExecutor(len(HOSTS)) as pool:
            codes = list(pool.map(Node.stop, self.nodes.values()))
            found = list(pool.map(Node.check, self.nodes.values()))
        self.checks.that("every daemon ends well", set(codes) == {0}, codes)
        self.checks.that(
            "every database is in order", {code for code, _ in found} == {0}, found)
        peak = max(node.peak_bytes for node in self.nodes.values())
        descriptors = max(node.peak_descriptors for node in self.nodes.values())
        self.checks.that(
            f"no daemon ever held more than {MEMORY_BYTES // MIB} MiB",
            peak <= MEMORY_BYTES, f"{peak} bytes")
        self.checks.that(
            f"no daemon ever had more than {DESCRIPTORS} descriptors",
            descriptors <= DESCRIPTORS, descriptors)
        self.tell(stats, peak, descriptors)

    def tell(self, stats: dict[str, int], peak: int, descriptors: int) -> None:
        seconds = time.monotonic() - self.checks.began
        own = resource.getrusage(resource.RUSAGE_SELF)
        driver = own.ru_utime + own.ru_stime
        switch = self.lab.switch_seconds()
        daemons = sum(node.ended_seconds for node in self.nodes.values())
        print("switch: " + ", ".join(f"{name} {value}" for name, value in stats.items()))
        print("faults: " + ", ".join(f"{kind} {self.storm.done[kind]}" for kind in KINDS))
        print(
            f"processor seconds in {seconds:.0f} s: switch {switch:.1f}, senders and watchers "
            f"{driver:.1f}, ten daemons {daemons:.1f}")
        for node in self.nodes.values():
            print(f"{node.name}: started {node.starts} times, at most "
                  f"{node.peak_bytes / MIB:.1f} MiB and {node.peak_descriptors} descriptors, "
                  f"at the end {node.bytes / MIB:.1f} MiB and {node.descriptors}")
        sent = len(self.ledger.sent)
        print(
            f"MEASURED network faults, {self.minutes:g} minutes, seed {self.seed}: "
            f"{sum(self.storm.done.values())} faults, {sent} messages ({self.ledger.repeated} "
            f"sent again), all the same {', '.join(f'{each:.1f}' for each in self.settled)} s "
            f"after the last fault (due 60 s), all linked after "
            f"{', '.join(f'{each:.1f}' for each in self.meshed[1:])} s, at most "
            f"{peak / MIB:.1f} MiB and {descriptors} descriptors a daemon")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=Path, help="the folder with stoad and stoa")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--without", action="append", default=[], choices=KINDS, help="leave a kind of fault out")
    parser.add_argument("--keep", action="store_true", help="keep the folder of logs and data")
    options = parser.parse_args()
    if not (options.programs / "stoad").exists():
        parser.error(f"there is no {options.programs / 'stoad'}; first: make build")
    if not 0 < options.minutes <= 1440:
        parser.error("--minutes takes a number up to 1440")
    signal.signal(signal.SIGTERM, lambda *_: exit(143))
    if reason := lacking():
        print(f"network faults skipped: {reason}", file=sys.stderr)
        return 77
    checks = Checks(verbose=True)
    # A socket's path has at most 107 bytes, so the folder lies directly below.
    folder = Path(tempfile.mkdtemp(prefix="stoa-faults-", dir="/tmp"))
    run = None
    try:
        SwitchChecks(checks, folder).run()
        run = Run(options, folder, checks)
        run.start()
        rounds = max(1, round(options.minutes * 60 / ROUND_SECONDS))
        for number in range(1, rounds + 1):
            run.round(number, options.minutes * 60 / rounds)
        run.end()
    except Broken as broken:
        checks.fail("the run goes to its end", broken)
    finally:
        if run is not None:
            run.over.set()
            run.lab.end()
        if options.keep:
            print(f"kept {folder}")
        else:
            shutil.rmtree(folder)
    return checks.report()


if __name__ == "__main__":
    raise SystemExit(main())
