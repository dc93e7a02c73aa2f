#!/usr/bin/env python3
"""Somebody floods the subjects of a room on a NATS server, without its keys and as a member who has them.

Two nodes that only this server joins refuse all of it, say so, and keep talking. See Docs/Testing/Network.md. As root,
on Linux, in a network of its own.
"""

from __future__ import annotations

import argparse
import collections
import ctypes
import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from Driver.checks import Broken, Checks  # noqa: E402
from Driver.daemon import Daemon, Programs  # noqa: E402
from Driver.network import enter_own_network  # noqa: E402
from Driver.process import until  # noqa: E402
from Driver.sites import (  # noqa: E402
    Carrier, Connection, Root, Server, base32, enter_realm, join_realm, options, unbase32)

ROOM, OTHER_ROOM = "office/ops", "office/lab"
MEMORY_BYTES = 64 << 20
REAL_MESSAGES = 40
# How many of a thousand are of each kind.
SHARES = {
    "unsealed": 538, "altered": 150, "moved": 100, "repeated": 50, "foreign": 50, "forged": 50, "invented": 10,
    "elsewhere": 50, "large": 2}
# What the nodes make of each; what is repeated is known, and what is elsewhere nobody reads.
VERDICTS = {"unsealed": "unsealed", "altered": "unsealed", "moved": "unsealed", "large": "unsealed", "forged": "forged"}
LARGE_BYTES = 200_000
# So often the flood waits until the stream has what was sent.
ACKNOWLEDGED_EVERY = 500
AGAIN_SECONDS = 3_600.0
TALK_SECONDS = 120.0
# A kind of records that means nothing yet.
RECORD_KIND = 9


class Flood:
    """What is sent, a message after the other; the same with each run."""

    def __init__(
        self, real: list[tuple[str, bytes]], conversation: bytes, room: Root, others: list[tuple[bytes, bytes]],
    ) -> None:
        self.random = random.Random(1)
        self.real, self.conversation, self.room, self.others = real, conversation, room, others
        self.sent: collections.Counter[str] = collections.Counter()

    def anywhere(self) -> str:
        return f"stoa.{self.room.tag}.{base32(self.random.randbytes(16))}"

    def altered(self, data: bytes) -> bytes:
        place = self.random.randrange(len(data))
        return data[:place] + bytes([data[place] ^ 1 << self.random.randrange(8)]) + data[place + 1:]

    def next(self) -> tuple[str, bytes]:
        kind = self.random.choices(list(SHARES), list(SHARES.values()))[0]
        self.sent[kind] += 1
        (subject, data) = self.random.choice(self.real)
        match kind:
            case "unsealed": return self.anywhere(), self.random.randbytes(len(data))
            case "altered": return self.anywhere(), self.altered(data)
            case "moved": return self.anywhere(), data
            case "repeated": return subject, data
            case "elsewhere":
                tag, name = (base32(self.random.randbytes(16)) for _ in range(2))
                return f"stoa.{tag}.{name}", data
            case "large": return self.anywhere(), self.random.randbytes(LARGE_BYTES)
            case "foreign":
                # Of another room, by somebody who is in both.
                name, item = self.random.choice(self.others)
            case "forged": name, item = self.record(self.random.randbytes(32), None)
            case _:
                key = ctypes.create_string_buffer(64)
                author = ctypes.create_string_buffer(32)
                Root.sodium.crypto_sign_seed_keypair(author, key, self.random.randbytes(32))
                name, item = self.record(author.raw, key)
        subject = self.room.subject(name)
        return subject, self.room.seal(subject, item)

    def record(self, author: bytes, key: ctypes.Array[ctypes.c_char] | None) -> tuple[bytes, bytes]:
        """A record of the room, signed by its author or by nobody; its item's name, and the item."""
        about = bytes([RECORD_KIND]) + author + b"\1" + self.conversation
        body = b"\2" + about + (int(time.time() * 1000) << 16).to_bytes(8, "big") + self.random.randbytes(200)
        signature = ctypes.create_string_buffer(self.random.randbytes(64), 64)
        if key is not None:
            signed = b"stoa.record.v2\0" + body
            Root.sodium.crypto_sign_detached(signature, None, signed, ctypes.c_ulonglong(len(signed)), key)
        return b"\2" + about, b"\2" + body + signature.raw


class Site:
    """A node, and what carries its rooms."""

    def __init__(self, name: str, programs: Programs, folder: Path, server: Server) -> None:
        self.node = Daemon(programs, folder, name, ["--listen", "127.0.0.1:0", "--name", name, *options(server)])
        self.carrier = Carrier(self.node, folder)

    def counted(self) -> dict[str, int]:
        """What it says it has refused."""
        return {each["verdict"]: each["count"] for each in self.carrier.says().get("refused", [])}

    def texts(self) -> set[str]:
        page = self.node.call("history", to=ROOM, limit=1_000)["messages"]
        return {each.get("text", "") for each in page}

    def peaks(self) -> dict[str, int]:
        programs = {f"stoad of {self.node.name}": self.node, f"stoa-sites of {self.node.name}": self.carrier}
        return {name: program.memory_bytes("VmHWM") for name, program in programs.items()}


class SitesFlood:
    def __init__(self, options_: argparse.Namespace, folder: Path, checks: Checks) -> None:
        self.count, self.checks = options_.messages, checks
        self.server = Server(folder)
        self.folder, self.programs = folder, Programs.within(options_.programs)
        self.sites: list[Site] = []

    def start(self) -> None:
        self.server.start()
        self.sites = [Site(name, self.programs, self.folder, self.server) for name in ("ada", "ben")]
        for site in self.sites:
            site.node.start()
        self.ada, self.ben = self.sites
        self.invitation = enter_realm(self.ada.node, self.ben.node)
        self.ada.carrier.set_up()
        for site in self.sites:
            site.node.call("join", room=ROOM)
            site.carrier.start()
            until(f"{site.node.name} is linked", site.carrier.is_linked)
        # Ben is not in the other one.
        self.ada.node.call("join", room=OTHER_ROOM)
        self.intruder = Connection(self.server.url)

    def conversation(self, room: str) -> str:
        rooms = self.ada.node.every("conversations")
        name = room.partition("/")[2]
        return next(each["id"] for each in rooms if each["name"] in (room, name))

    def root(self, room: str) -> Root:
        return Root.of_room(self.invitation, self.conversation(room))

    def say(self, text: str) -> float:
        """Ada says it; how long until Ben has it."""
        began = time.monotonic()
        self.ada.node.call("send", to=ROOM, text=text)
        until(f"ben has: {text}", lambda: text in self.ben.texts(), TALK_SECONDS)
        return time.monotonic() - began

    def gather(self, room: str) -> tuple[list[tuple[str, bytes]], list[tuple[bytes, bytes]]]:
        """Has Ada write in a room, and gives what is published: as it is, and opened, under the names of its items."""
        root = self.root(room)
        self.intruder.subscribe(f"stoa.{root.tag}.*")
        sealed, opened = [], []
        for number in range(REAL_MESSAGES):
            name = b"\1" + unbase32(self.ada.node.call("send", to=room, text=f"real {number}")["id"])
            # Others publish in between: marks, names.
            while True:
                subject, data = self.intruder.next()
                if subject == root.subject(name):
                    break
            sealed.append((subject, data))
            opened.append((name, root.open(subject, data) or b""))
        self.checks.that(f"a member can read what is published in {room}", all(item for _, item in opened))
        return sealed, opened

    def pour(self, flood: Flood) -> None:
        self.intruder.subscribe("_INBOX.flood")
        began = time.monotonic()
        delays = []
        for number in range(1, self.count + 1):
            subject, data = flood.next()
            is_last = number % ACKNOWLEDGED_EVERY == 0 or number == self.count
            self.intruder.publish(subject, data, "_INBOX.flood" if is_last else "")
            if is_last:
                self.intruder.flush()
                # What the nodes publish comes here, too.
                while self.intruder.next()[0] != "_INBOX.flood":
                    pass
            if number in (self.count // 4, self.count // 2, 3 * self.count // 4):
                delays.append(self.say(f"at {number} of the flood"))
        self.poured = time.monotonic() - began
        self.delays = delays

    def judge(self, flood: Flood, before: int) -> None:
        due: collections.Counter[str] = collections.Counter()
        for kind, verdict in VERDICTS.items():
            due[verdict] += flood.sent[kind]
        began = time.monotonic()
        for site in self.sites:
            def has_refused() -> bool:
                counted = site.counted()
                return all(counted.get(verdict, 0) >= count for verdict, count in due.items())

            until(f"{site.node.name} has refused {dict(due)}", has_refused, AGAIN_SECONDS)
        self.refused = time.monotonic() - began
        self.checks.that("ben refuses what is of a room that he is not in", self.ben.counted().get("foreign", 0) > 0)
        shown = self.ben.node.output("sites")
        for verdict in ("unsealed", "forged", "foreign"):
            self.checks.that(f"stoa sites names what is {verdict}", verdict in shown, shown)
        self.checks.same("nothing of it is shown", len(self.ben.texts()), before + len(self.delays))
        delay = self.say("after the flood")
        self.newcomer(due)
        for site in self.sites:
            for name, peak in site.peaks().items():
                self.checks.that(f"{name} has {peak / (1 << 20):.1f} MiB at most", peak <= MEMORY_BYTES)
        peaks = ", ".join(
            f"{name} {peak / (1 << 20):.1f} MiB" for site in self.sites for name, peak in site.peaks().items())
        print(
            f"MEASURED sites flood: {self.count} messages in {self.poured:.1f} s, refused by both "
            f"{self.refused:.1f} s later; texts after {max(self.delays):.2f} s at most meanwhile, {delay:.2f} s "
            f"afterwards; a newcomer has read all in {self.caught_up:.1f} s; {peaks}; sent {dict(flood.sent)}, refused by ben {self.ben.counted()}")

    def newcomer(self, due: collections.Counter[str]) -> None:
        """Somebody who comes now has all of it before what is real, and reads to the end."""
        cleo = Site("cleo", self.programs, self.folder, self.server)
        self.sites.append(cleo)
        cleo.node.start()
        join_realm(self.invitation, cleo.node)
        cleo.node.call("join", room=ROOM)
        began = time.monotonic()
        cleo.carrier.start()
        until("cleo has what is real", lambda: "after the flood" in cleo.texts(), AGAIN_SECONDS)
        until("cleo has read all", lambda: cleo.carrier.says()["waiting"] == 0, AGAIN_SECONDS)
        self.caught_up = time.monotonic() - began
        counted = cleo.counted()
        # What replaced another one is in the stream once.
        self.checks.that(f"cleo has refused what is there: {counted}", all(
            counted.get(verdict, 0) >= count for verdict, count in due.items()), dict(due))

    def run(self) -> None:
        self.start()
        self.say("hello")
        real, opened = self.gather(ROOM)
        _, others = self.gather(OTHER_ROOM)
        due = {f"real {number}" for number in range(REAL_MESSAGES)}
        until("ben has what is real", lambda: due <= self.ben.texts())
        flood = Flood(real, unbase32(self.conversation(ROOM)), self.root(ROOM), others)
        before = len(self.ben.texts())
        self.pour(flood)
        self.judge(flood, before)
        self.checks.same("every program ends well", self.end(), [0] * 6)

    def end(self) -> list[int]:
        codes = [program.stop() for site in self.sites for program in (site.carrier, site.node)]
        self.server.stop()
        return codes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=Path, help="the folder with stoad, stoa and stoa-sites")
    parser.add_argument("--messages", type=int, default=20_000)
    options_ = parser.parse_args()
    for tool in ("nats-server", "ip"):
        if not shutil.which(tool):
            print(f"skipped: there is no {tool}: Tests/System/Tools/setup.sh --labs")
            sys.exit(77)
    if os.geteuid() != 0:
        print("skipped: a network of its own needs root")
        sys.exit(77)
    enter_own_network()
    checks = Checks(verbose=True)
    # A socket's path has at most 107 bytes.
    folder = Path(tempfile.mkdtemp(prefix="stoa-flood.", dir="/tmp"))
    flood = SitesFlood(options_, folder, checks)
    try:
        flood.run()
    except (Broken, OSError) as broken:
        checks.fail("the run goes to its end", broken)
    finally:
        if checks.failed:
            for site in flood.sites:
                print(f"--- {site.node.name}\n{site.node.tail()}\n{site.carrier.tail()}", file=sys.stderr)
        flood.end()
        shutil.rmtree(folder)
    sys.exit(checks.report())


if __name__ == "__main__":
    main()
