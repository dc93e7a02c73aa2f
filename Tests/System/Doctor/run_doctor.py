#!/usr/bin/env python3
"""What `stoa doctor` says of real daemons where one thing is wrong, and where nothing is.

Each fault is made on hosts of a lab of their own, found by name, and mended. As root. Ends with
`N passed, N failed`.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Iterable

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from Driver.checks import Broken, Checks  # noqa: E402
from Driver.control import Refusal  # noqa: E402
from Driver.daemon import Programs  # noqa: E402
from Driver.lab import Lab  # noqa: E402
from Driver.process import UNTIL_SECONDS, until  # noqa: E402
from host import Host, Time  # noqa: E402
from narrow import narrow  # noqa: E402
from others import CALLER, RESPONDER, STRANGER  # noqa: E402

FIRST, SECOND, THIRD = "10.77.0.1", "10.77.0.2", "10.77.0.3"
SECOND_CARD = "02:00:77:00:00:02"
TOOLS = ("ip", "nsenter", "unshare", "avahi-daemon", "dbus-daemon", "nft", "cc")
# After so long who was not heard is said to be kept apart, and a little.
HEARING_SECONDS = 32.0
# So many packets of a hundred are lost. Of the 280 of a trial then more than the five that the doctor asks for are.
LOST_PERCENT = 12
# Who is gone for so long is missed; time leaps by so much, which is less than what a link may be silent for.
MISSING_SECONDS, LEAP_SECONDS, LEAP_PAUSE_SECONDS = 600, 50, 1.0
# A machine is suspended for so long. It is linked again well before the other one; ten seconds are promised.
SUSPENDED_SECONDS, AWAKE_SECONDS = 3_600, 120.0
# Some networks are there only so long after their machine is.
LATE_SECONDS = 2.0
# The daemon reads some of its database every few minutes.
SCRUB_LEAP_SECONDS = 600
# Less than a daemon needs to write messages; and as much as it will soon use up.
FULL, SCARCE = "8m", "200m"
# Steps mostly wait, so these go on side by side, on networks that know nothing of each other; each about as long.
WARDS = (("multicast", "elsewhere", "quota", "damaged", "alone"), ("unreachable", "full_disk", "clocks"),
    ("pair", "strangers", "missing"), ("suspended", "loss", "narrow"))


class Ward:
    """The hosts: the first one has Avahi, the second has none."""

    def __init__(self, checks: Checks, programs: Programs, folder: Path) -> None:
        self.checks, self.programs, self.folder = checks, programs, folder
        self.lab = Lab(3, [1], None, folder / "lab.log")
        self.count = 0
        self.hosts: list[Host] = []
        self.said: list[dict[str, Any]] = []

    def host(self, number: int, name: str, *arguments: str, lab: Lab | None = None) -> Host:
        self.count += 1
        host = Host(
            lab or self.lab, number, self.programs, self.folder / str(self.count), name, *arguments)
        self.hosts.append(host)
        return host

    def end_hosts(self) -> None:
        """Ends what a step has left, which is only something where it failed."""
        for host in self.hosts:
            # Its lab may have ended it meanwhile.
            with contextlib.suppress(ProcessLookupError):
                host.stop()
        self.hosts = []

    def is_found(
        self, host: Host, check: str, code: int, word: str, seconds: float = UNTIL_SECONDS
    ) -> None:
        """The doctor names this, and nothing else."""
        try:
            until(f"{check} is found", lambda: host.names() == [check], seconds)
        except Broken as broken:
            self.checks.fail(str(broken), host.doctor()[1])
            return
        found, said = host.doctor()
        self.checks.that(f"{check}: {word} is said", word in said, said)
        self.checks.same(f"{check} ends so", found, code)
        self.checks.same(f"{check} is said by the exit code alone", host.doctor("--quiet"), (code, ""))

    def drop(self, number: int, hook: str, rule: str) -> None:
        """What matches the rule is dropped on a host, on its way in or out, in the place of any other rule."""
        self.allow(number)
        self.lab.run(
            number,
            "nft add table inet wall; "
            f"nft add chain inet wall {hook} '{{ type filter hook {hook} priority 0; }}'; "
            f"nft add rule inet wall {hook} '{rule} drop'")

    def allow(self, number: int) -> None:
        self.lab.run(number, "nft delete table inet wall 2>/dev/null || true")

    def is_well(self, what: str, *hosts: Host) -> None:
        for host in hosts:
            try:
                until(f"{what}: {host.name} is well", lambda: host.doctor() == (0, "all is well\n"))
                self.checks.that(f"{what}: {host.name} is well", True)
            except Broken as broken:
                self.checks.fail(str(broken), host.doctor())

    def linked(self, host: Host) -> None:
        until(f"{host.name} is linked", lambda: host.call("status")["links"] > 0)

    def pair(self) -> None:
        """Faults between two that were well before, each of which is mended."""
        ada, ben = self.host(1, "ada"), self.host(2, "ben")
        for host in (ada, ben):
            host.start()
        for host in (ada, ben):
            self.linked(host)
        self.is_well("two that found each other", ada, ben)
        key = ada.data / "identity.key"
        key.chmod(0o644)
        self.is_found(ada, "modes", 2, f"chmod 600 {key}")
        key.chmod(0o600)
        ada.data.chmod(0o755)
        self.is_found(ada, "modes", 2, f"chmod 700 {ada.data}")
        ada.data.chmod(0o700)
        os.chown(key, 5, -1)
        self.is_found(ada, "modes", 2, f"{key} belongs to another user")
        os.chown(key, 0, -1)
        self.is_well("with the modes set right", ada)
        ada.halt()
        code, said = ada.doctor("--timeout", "1")
        ada.go_on()
        self.checks.that("a daemon that hangs is named", "the daemon does not answer" in said, said)
        self.checks.same("as a problem", code, 2)
        self.is_well("once it answers", ada)
        ada.stop()
        # What is dropped is what a firewall drops: the announcements still come.
        self.drop(2, "input", "iifname eth0 meta l4proto tcp")
        ada.start()
        self.is_found(ada, "reach", 2, "open TCP port")
        self.allow(2)
        ada.stop()
        self.is_found(ada, "daemon", 2, "no daemon listens")
        ada.start()
        self.linked(ada)
        self.is_well("once it runs again", ada)
        for host in (ada, ben):
            host.stop()

    def unreachable(self) -> None:
        """Nobody gets in where this machine's firewall stops them, though it gets out."""
        ada, ben, cem = self.host(1, "ada"), self.host(2, "ben"), self.host(3, "cem")
        syn = "tcp flags & (syn | ack) == syn"
        self.drop(1, "input", f"iifname eth0 {syn}")
        ben.start()
        ada.start()
        self.linked(ada)
        self.is_found(ada, "port", 1, "as a stranger reports")
        ada.output("people", "add", ben.identity)
        self.is_found(ada, "port", 2, f"ufw allow {ada.port}/tcp")
        self.is_well("who is not stopped", ben)
        ada.stop()
        # A rule against one of two.
        self.drop(1, "input", f"ether saddr {SECOND_CARD} {syn}")
        cem.start()
        ada.start()
        until("ada has two links", lambda: ada.call("status")["links"] == 2)
        self.is_found(ada, "port", 1, "peers disagree: ")
        said = ada.doctor()[1]
        # By whichever of its addresses the link has come about.
        self.checks.that("who has reached it is said", any(
            f"peers disagree: {cem} reached" in said
            for cem in ("10.77.0.3", "fe80::77ff:fe00:3%eth0")), said)
        ada.stop()
        self.allow(1)
        ada.start()
        self.linked(ada)
        self.is_well("with nothing in the way", ada)
        for host in (ada, ben, cem):
            host.stop()

    def multicast(self) -> None:
        """Packets to the group are dropped here, or never come."""
        ada = self.host(2, "ada")
        ada.start()
        for hook, word in (("input", "multicast does not work on eth0"), ("output", "cannot be sent on eth0")):
            self.drop(2, hook, "udp dport 5353")
            self.is_found(ada, "multicast", 2, word)
            self.allow(2)
        self.lab.run(2, "ip link set eth0 multicast off")
        self.is_found(ada, "multicast", 2, "ip link set eth0 multicast on")
        self.lab.run(2, "ip link set eth0 multicast on")
        self.is_well("with multicast", ada)
        ada.stop()
        # What an access point does that keeps its clients apart.
        self.drop(1, "input", f"ether saddr {SECOND_CARD} udp dport 5353")
        ben = self.host(2, "ben", "--listen", f"{SECOND}:4100")
        ben.start()
        # And somebody whom nobody can hear, since their discovery is off.
        cleo = self.host(3, "cleo", "--listen", f"{THIRD}:4100", "--discovery", "off")
        cleo.start()
        ada = self.host(1, "ada", "--peer", f"{SECOND}:4100", "--peer", f"{THIRD}:4100")
        ada.start()
        until("ada is linked to both", lambda: ada.call("status")["links"] == 2)
        linked = time.monotonic()
        # It takes half a minute to say so.
        self.is_found(ada, "isolation", 1, "answers by unicast", seconds=180)
        # Of the other one, too, if it were.
        until("both are linked for long enough", lambda: time.monotonic() > linked + HEARING_SECONDS, 180)
        kept = [finding["text"] for finding in ada.findings()]
        self.checks.that("who has no discovery is not said to be kept apart", THIRD not in str(kept), kept)
        self.is_well("who hears all", ben)
        ada.stop()
        self.allow(1)
        ada.start()
        self.linked(ada)
        self.is_well("with nobody kept apart", ada)
        for host in (ada, ben, cleo):
            host.stop()

    def elsewhere(self) -> None:
        """Somebody announces an address of another network, and no answer from there."""
        ada = self.host(1, "ada")
        ben = self.host(2, "ben")
        # Link-local addresses of IPv6 need no network.
        for number in (1, 2):
            self.lab.run(number, "sysctl -qw net.ipv6.conf.eth0.disable_ipv6=1")
        self.lab.run(1, "ip route add default dev eth0")
        self.lab.renumber(2, "10.78.0.2")
        ben.start()
        ada.start()
        self.is_found(ada, "subnet", 2, "in none of this machine's networks (10.77.0.1/24)")
        ben.stop()
        ada.stop()
        self.lab.renumber(2, SECOND)
        self.lab.run(1, "ip route del default dev eth0")
        for number in (1, 2):
            self.lab.run(number, "sysctl -qw net.ipv6.conf.eth0.disable_ipv6=0")

    def quota(self) -> None:
        """Messages take nearly all that they may."""
        ada = self.host(2, "ada", "--disk-limit", "1M")
        ada.start()
        ada.output("join", "ops")
        self.is_well("with room left", ada)
        limit = ada.call("usage")["limit"]
        until("the share is nearly used up", lambda: bool(
            ada.output("send", "ops", "x" * 16_000)
            and ada.call("diagnose")["used"] > limit * 92 // 100))
        self.is_found(ada, "quota", 1, "raise DiskLimit= in stoad.conf")
        ada.stop()

    def damaged(self) -> None:
        """A bit of a message of long ago is another one on the disk; somebody reads it."""
        ada = self.host(2, "ada")
        ada.start()
        ada.output("join", "ops")
        with ada.control() as control:
            for number in [control.post("send", to="ops", text=f"needle {each:05}") for each in range(3_000)]:
                control.answer(number)
        ada.stop()
        database = ada.data / "stoa.db"
        content = bytearray(database.read_bytes())
        content[content.index(b"needle 00100")] ^= 1
        database.write_bytes(content)
        ada.start()
        self.is_well("with damage that nobody has met", ada)
        subprocess.run(
            [*ada.lab.prefix(ada.host), self.programs.stoa, "--socket", ada.socket, "history", "ops", "--all"],
            capture_output=True, env=ada.environment, timeout=300)
        self.is_found(ada, "damage", 2, "stoad --repair")
        ada.stop()
        # Nobody else reads it, but the daemon itself, as time goes by.
        time_of_all = Time(self.folder)
        time_of_all.rule(ada)
        ada.start()
        until("the damage is met", lambda: bool(
            ada.call("status")["scrub"]["damagedPages"] > 0 or time_of_all.pass_by(SCRUB_LEAP_SECONDS)))
        self.is_found(ada, "database", 2, "1 page of the database is damaged")
        ada.stop()

    def alone(self) -> None:
        """Faults that one host has by itself."""
        for check, code, word, number, arguments in (
            ("mdns", 1, "remove Discovery=embedded", 1, ["--discovery", "embedded"]),
            ("discovery", 2, "start Avahi", 2, ["--discovery", "system"]),
            ("discovery", 1, "name peers with Peer=", 2, ["--discovery", "off"]),
            ("subnet", 2, "ip route get 192.0.2.1", 2, ["--peer", "192.0.2.1:4100"]),
            ("reach", 1, "refuses connections", 2, ["--peer", f"{FIRST}:4100"]),
        ):
            host = self.host(number, "ada", *arguments)
            host.start()
            self.is_found(host, check, code, word)
            host.stop()
        host = self.host(2, "ada")
        host.start()
        self.is_well("with nothing wrong", host)
        # An account of the system that speaks multicast DNS, as systemd-resolved does.
        other = subprocess.Popen(
            [*self.lab.prefix(2), "setpriv", "--reuid=games", "--clear-groups", "python3", "-c", RESPONDER],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            assert other.stdout
            other.stdout.readline()
            self.is_found(host, "mdns", 1, "games (python3, process ")
        finally:
            other.communicate(timeout=UNTIL_SECONDS)
        self.is_well("alone with its port", host)
        self.lab.run(2, "ip link set eth0 down")
        self.is_found(host, "network", 2, "connect this machine to the network")
        self.lab.run(2, "ip link set eth0 up")
        self.is_well("with its network back", host)
        host.stop()

    def full_disk(self) -> None:
        for size, code, word in ((FULL, 2, "the disk is full"), (SCARCE, 1, "the disk is nearly full")):
            host = self.host(2, "ada")
            for folder in (host.folder.parent, host.folder, host.data):
                folder.mkdir(mode=0o700)
            self.lab.run(2, f"mount -t tmpfs -o size={size},mode=700 tmpfs {host.data}")
            host.start()
            self.is_found(host, "disk", code, word)
            host.stop()

    def strangers(self) -> None:
        """Somebody is there, and no link can be."""
        other = subprocess.Popen(
            [*self.lab.prefix(2), "python3", "-c", STRANGER], stdout=subprocess.PIPE)
        try:
            assert other.stdout
            other.stdout.readline()
            ada = self.host(1, "ada", "--peer", f"{SECOND}:4199")
            ada.start()
            self.is_found(ada, "protocol", 2, "the peer speaks 7 to 9")
            ada.stop()
            ada = self.host(1, "ada")
            ada.start()
            subprocess.run(
                [*self.lab.prefix(2), "python3", "-c", CALLER, FIRST, str(ada.port)], check=True, timeout=120)
            self.is_found(ada, "protocol", 1, f"{SECOND} dialled this machine")
            ada.stop()
        finally:
            other.kill()
            other.wait()
        ben = self.host(2, "ben", "--listen", f"{SECOND}:4100")
        ben.start()
        cem = self.host(3, "cem")
        cem.start()
        ada = self.host(1, "ada", "--peer", f"{cem.identity}@{SECOND}:4100")
        ada.start()
        self.is_found(ada, "key", 2, "correct Peer= or stoa connect")
        for host in (ada, ben, cem):
            host.stop()
        ben = self.host(2, "ben", "--open-realm", "no")
        ben.start()
        ben.output("realm", "new", "office")
        ada = self.host(1, "ada")
        ada.start()
        self.is_found(ada, "realm", 1, "stoa realm join")
        ada.stop()
        ben.stop()

    def missing(self) -> None:
        """Somebody known loses their network for ten minutes: an alert, once, until they are back."""
        hosts = ada, ben, cem = self.host(1, "ada"), self.host(2, "ben"), self.host(3, "cem")
        time_of_all = Time(self.folder)
        for host in hosts:
            time_of_all.rule(host)
            host.start()
            host.output("join", "ops")
        until("ada has two links", lambda: ada.call("status")["links"] == 2)
        for host in (ben, cem):
            self.acquaint(ada, host)
        # Who says goodbye is not missed.
        cem.stop()
        until("cem is gone", lambda: ada.call("status")["links"] == 1)
        # What is wrong here is said, since it may be why. What ben announced may still be known, and have been dialled
        # in vain.
        for rule, *reasons in (
            ("", "nothing is wrong on this machine", "is announced and does not answer"),
            ("udp dport 5353", "it may be that multicast cannot be sent on eth0"),
        ):
            if rule:
                self.drop(1, "output", rule)
            self.lab.run(2, "ip link set eth0 down")
            self.is_missed(ada, time_of_all, *reasons)
            self.allow(1)
            self.lab.run(2, "ip link set eth0 up")
            self.is_back(ada)
        told = [line for line in ada.log.read_text().splitlines() if "without a goodbye" in line]
        self.checks.same("each time is told once", len(told), 2)
        for host in (ada, ben):
            host.stop()

    def acquaint(self, host: Host, other: Host) -> None:
        until(f"{other.name} is known by name", lambda: any(
            member["name"] == other.name for member in host.every("members", to="ops")))
        host.output("people", "add", other.identity)

    def missed(self, host: Host) -> list[str]:
        # Asking wakes the daemon, which looks at its clocks then.
        return [alert["text"] for alert in host.call("status")["alerts"] if alert["code"] == "missing"]

    def is_missed(self, host: Host, time_of_all: Time, *reasons: str) -> None:
        """Time passes until ben is missed; meanwhile a ping goes between two leaps, and finds nobody."""
        begin, early = time_of_all.seconds, []
        while time_of_all.seconds - begin < MISSING_SECONDS:
            early += self.missed(host)
            time_of_all.pass_by(LEAP_SECONDS)
            time.sleep(LEAP_PAUSE_SECONDS)
        self.checks.same("nobody is missed within ten minutes", early, [])
        # That they are gone is found within a minute, or at the leap behind it.
        for _ in range(4):
            if self.missed(host):
                break
            time_of_all.pass_by(LEAP_SECONDS)
            time.sleep(LEAP_PAUSE_SECONDS)
        try:
            until("ben is missed", lambda: any(
                reason in text for text in self.missed(host) for reason in reasons))
        except Broken as broken:
            self.checks.fail(str(broken), (reasons, self.missed(host)))
        found = self.missed(host)
        code, said = host.doctor()
        self.checks.that("the doctor says so, too", f"warning (missing): {found[0] if found else ''}" in said, said)
        self.checks.that("and ends so", code > 0, code)
        self.checks.that(
            "only ben is missed", [text.partition(" has been gone")[0] for text in found] == ["ben was here and"],
            found)

    def is_back(self, host: Host) -> None:
        until("ben is back", lambda: host.call("status")["links"] == 1)
        until("nobody is missed any longer", lambda: not self.missed(host))
        self.checks.that("who is back is not missed", True)

    def suspended(self) -> None:
        """A machine sleeps for an hour: nobody on it notices; the other ones see it go and come back."""
        hosts = ann, ben = self.host(1, "ann"), self.host(2, "ben")
        times = Time(self.folder, "ann's time"), Time(self.folder, "ben's time")
        for host, own in zip(hosts, times):
            own.rule(host)
            host.start()
            host.output("join", "ops")
        for host in hosts:
            self.linked(host)
        self.acquaint(ann, ben)
        self.acquaint(ben, ann)
        ben.output("send", "ops", "good night", "--wait", "delivered")
        said = ["good night"]
        # The network is there when programs go on, or a while later, as with a radio.
        for is_late in (False, True):
            said += self.sleeps(ann, ben, *times, is_late)
        for host in hosts:
            texts = [message["text"] for message in host.history("ops") if message["kind"] == "text"]
            self.checks.same(f"{host.name} has all in the order of time", texts, said)
            self.checks.same(f"{host.name} has nothing to tell", host.call("status")["alerts"], [])
        self.is_well("after two hours of sleep", *hosts)
        for host in hosts:
            host.stop()

    def sleeps(self, ann: Host, ben: Host, of_ann: Time, of_ben: Time, is_late: bool) -> list[str]:
        """Ben's machine sleeps, ann's does not; gives what was said."""
        how = "its network comes late" if is_late else "its network comes first"
        said = [f"{how}: {what}" for what in ("are you there?", "are you back?", "I am", "so am I")]
        ben.halt()
        self.lab.run(2, "ip link set eth0 down")
        end = of_ann.seconds + SUSPENDED_SECONDS
        # Ann's daemon takes it to be linked.
        ann.output("send", "ops", said[0])
        self.is_missed(ann, of_ann, "nothing is wrong on this machine", "is announced and does not answer")
        of_ann.pass_by(end - of_ann.seconds)
        ann.output("send", "ops", said[1])
        of_ben.sleep(SUSPENDED_SECONDS)
        if not is_late:
            self.lab.run(2, "ip link set eth0 up")
        ben.go_on()
        if is_late:
            time.sleep(LATE_SECONDS)
            self.lab.run(2, "ip link set eth0 up")
        begin = time.monotonic()
        try:
            until("both are linked again", lambda: all(
                host.call("status")["links"] == 1 for host in (ann, ben)), AWAKE_SECONDS)
            self.checks.that(f"{how}: both are linked again", True)
            print(f"MEASURED suspend, {how}: linked again after {time.monotonic() - begin:.2f} s", flush=True)
        except Broken as broken:
            self.checks.fail(f"{how}: {broken}", ben.tail())
        for host, text in ((ben, said[2]), (ann, said[3])):
            code, out, errors = host.stoa("send", "ops", text, "--wait", "delivered")
            self.checks.that(f"{how}: what {host.name} sends comes", code == 0, out + errors)
        self.is_back(ann)
        return said

    def loss(self) -> None:
        """A switch loses packets of one of three, or to it, or of all; or none."""
        lab = Lab(3, [], 1, self.folder / "switch.log")
        try:
            hosts = ada, ben, cem = [
                self.host(number, name, lab=lab) for number, name in enumerate(("ada", "ben", "cem"), 1)]
            for host in hosts:
                host.start()
            for host in hosts:
                until(f"{host.name} has two links", lambda host=host: host.call("status")["links"] == 2)
            self.is_well("with a switch that loses nothing", *hosts)
            first = f"ping -c 100 {SECOND}"
            for faults, sayer, text, remedy in (
                ("port 2 in", ada, f"% of the packets from {SECOND} are lost", "of that machine"),
                ("port 2 out", cem, f"% of the packets to {SECOND} are lost", "of that machine"),
                ("port 2 both", ada, f"% of the packets to {SECOND} are lost, and ", first),
                ("port 1 both", ada, "to and from every peer that was tested are lost: ", "this machine's own cable"),
            ):
                lab.command(f"{faults} loss {LOST_PERCENT}")
                self.loses(faults, sayer, text, remedy)
                lab.command(f"{faults} loss 0")
            self.is_well("with a switch that loses nothing any longer", *hosts)
            for host in hosts:
                host.stop()
        finally:
            lab.end()

    def loses(self, faults: str, host: Host, text: str, remedy: str) -> None:
        def found() -> bool:
            self.said = host.findings()
            return [finding["check"] for finding in self.said] == ["loss"]
        try:
            until(f"the loss of {faults} is found", found)
        except Broken as broken:
            self.checks.fail(str(broken), self.said)
            return
        self.checks.that(f"{faults}: what is lost is said", text in self.said[0]["text"], self.said)
        self.checks.that(f"{faults}: and where to look", remedy in self.said[0]["remedy"], self.said)

    def clocks(self) -> None:
        ada, ben = self.host(1, "ada"), self.host(2, "ben")
        # Without its wrapper, whose semaphore has the process number of another namespace. The linker
        # knows what $LIB stands for. It takes the distance from what timers are set to, too, so that one
        # longer than the machine runs would set them to before its start, which the kernel refuses.
        ben.clock = {
            "LD_PRELOAD": "/usr/$LIB/faketime/libfaketime.so.1", "FAKETIME": "+300.5",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"}
        for host in (ada, ben):
            host.start()
        self.linked(ada)
        self.is_found(ada, "clock", 2, "s behind that of the one linked person")
        # Where others agree it is the other one's.
        cem = self.host(3, "cem")
        cem.start()
        self.is_found(ada, "clock", 1, "'s clock is 300 s ahead of this machine's")
        # The link is by either of its addresses.
        whose = [finding["text"].partition("'s clock")[0] for finding in ada.findings()]
        self.checks.that(
            "it is said whose", whose in ([SECOND], ["fe80::77ff:fe00:2%eth0"]), whose)
        for host in (ada, ben, cem):
            host.stop()


def attend(checks: Checks, programs: Programs, folder: Path, steps: Iterable[str]) -> None:
    folder.mkdir()
    ward = Ward(checks, programs, folder)
    for step in steps:
        try:
            narrow(ward) if step == "narrow" else getattr(ward, step)()
        # What a program does not answer in time is its fault, too.
        except (Broken, OSError, Refusal, subprocess.SubprocessError) as error:
            checks.fail(step, error)
        finally:
            ward.end_hosts()
        checks.say(step)
    ward.lab.end()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=Path, help="the folder with stoad and stoa")
    parser.add_argument("--only", nargs="*", choices=[step for steps in WARDS for step in steps])
    options = parser.parse_args()
    if os.geteuid() != 0 or (missing := [tool for tool in TOOLS if not shutil.which(tool)]):
        lack = "needs root" if os.geteuid() != 0 else f"there is no {', '.join(missing)}"
        print(f"doctor: {lack}: Tests/System/Tools/setup.sh --labs", file=sys.stderr)
        return 77
    checks, programs = Checks(), Programs.within(options.programs)
    wards = WARDS if options.only is None else (options.only,)
    with tempfile.TemporaryDirectory(prefix="stoa-doctor.") as folder, ThreadPoolExecutor(len(wards)) as pool:
        list(pool.map(
            lambda ward: attend(checks, programs, Path(folder) / str(ward), wards[ward]), range(len(wards))))
    return checks.report()


if __name__ == "__main__":
    sys.exit(main())
