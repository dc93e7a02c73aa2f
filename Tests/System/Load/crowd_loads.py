"""A crowd of strangers beside honest people: each attack of crowd_attacks.py from 100 keys and 16
addresses at once, or, in the short form, all of them together.

Four daemons, each on a host of its own: Ada, who is attacked; Bob, whom she knows, linked with her; Cleo, a stranger to both, who
is linked with Bob alone; and Dora, who comes during the attack. Ada and Bob talk once a second, and Cleo
with Ada through Bob. See Docs/Testing/Load.md.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable, Iterable

import crowd_attacks
from bounds import MIB
from Driver.checks import Broken, Checks
from Driver.daemon import Daemon
from Driver.honest import HANGS_SECONDS, Calls, Talk, lacking, texts
from Driver.network import OwnNetwork
from Driver.process import kinds, until
from systems import FIRST_PORT, Stoa

ROOM = "bench"
MEMORY_BYTES = 128 * MIB
DISK_LIMIT, DISK_BYTES = "24M", 24 * MIB
LINES = 400
# So that they are linked as is said here, and in no other way.
LINKED_BY_HAND = ("--discovery", "off")
# Fewer keys in the short form, where what else the machine does must not decide.
KEYS_SHORT = 64
# How long there is talk under the attack before the newcomer comes.
TALK_SECONDS, TALK_SECONDS_SHORT = 12.0, 8.0
ADA, BOB, CLEO, DORA = range(4)
# The alert that says what an act has done, which may stand afterwards until its time is over. Of others there is
# nothing to say: none may stand.
TOLD: dict[str, tuple[str, ...]] = {
    # As many logs as are kept.
    "authors": ("crowded",),
    "unknown_kinds": ("diskShare",),
    # Two: its proofs of forks are as large as they come, so that they are also more than is kept of strangers.
    "questions": ("fork", "diskShare"),
    "questions_alone": ("fork",),
    "questions_alone_long": ("fork",),
    "namesakes": ("namesake",),
}


def told(act: str) -> set[str]:
    """The alerts that may stand after an act; after all of them together, those of each."""
    if act == crowd_attacks.ALL:
        return {code for each in crowd_attacks.ACTS for code in TOLD.get(each, ())}
    return set(TOLD.get(act, ()))


def slowest(talk: Talk) -> float:
    return max(talk.times, default=float("inf"))


def percentile(times: list[float], part: float) -> float:
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else float("inf")


class Hosts:
    """A host for each of the four on one bridge, of which this network has the other end, with the addresses
    of the crowd."""

    def __init__(self) -> None:
        self.networks: list[OwnNetwork] = []
        self.ip("link", "add", "br0", "type", "bridge")
        self.ip("link", "set", "br0", "up")
        for source in crowd_attacks.addresses():
            self.ip("address", "add", f"{source}/24", "dev", "br0")

    @staticmethod
    def ip(*words: str, wrapper: Iterable[str] = ()) -> None:
        subprocess.run([*wrapper, "ip", *words], check=True)

    def network(self, index: int) -> OwnNetwork:
        if index == len(self.networks):
            network, port = OwnNetwork(), f"port{index}"
            self.networks.append(network)
            self.ip(
                "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns",
                str(network.process.pid))
            self.ip("link", "set", port, "master", "br0", "up")
            self.ip("address", "add", f"{address(index)}/24", "dev", "eth0", wrapper=network.wrapper)
            self.ip("link", "set", "eth0", "up", wrapper=network.wrapper)
        return self.networks[index]

    def close(self) -> None:
        for network in self.networks:
            network.close()
        self.ip("link", "delete", "br0")


def address(index: int) -> str:
    return f"10.79.0.{index + 1}"


class Siege:
    """The four, of whom one is attacked."""

    # Those of the attacked one: Bob and Dora.
    links_after = 2
    # Who talks with whom.
    pairs = (("ada to bob", ADA, BOB), ("bob to ada", BOB, ADA), ("cleo to ada", CLEO, ADA))
    # Who knows nobody, and is known to nobody.
    strangers: tuple[int, ...] = (CLEO, DORA)
    disk_limit = DISK_BYTES
    # How long the attack goes on once Ada is back, and how long there is talk afterwards.
    again_seconds, after_seconds = 2.0, 3.0
    # How many attack.
    keys = crowd_attacks.KEYS

    def __init__(self, pair: Any, act: str) -> None:
        self.pair, self.act, self.options = pair, act, pair.options
        self.name = f"a crowd, {act.replace('_', ' ')}"
        self.checks: Checks = pair.checks
        self.talks: list[Talk] = []
        # Who says it.
        self.speakers: list[int] = []
        # What the daemons of the four have taken to send, by who said it.
        self.acknowledged: dict[int, set[str]] = collections.defaultdict(set)
        self.begin()

    def begin(self) -> None:
        self.hosts = Hosts()
        self.system = Stoa(self.options.tools, self.options.work)

    def close(self) -> None:
        self.system.close()
        self.hosts.close()

    def that(self, what: str, holds: bool, saw: object = "") -> bool:
        return self.checks.that(f"{self.name}: {what}", holds, saw)

    def node(self, index: int) -> Daemon:
        return self.system.nodes[index]

    # Before.

    def add(self, *peers: int) -> None:
        """Starts the next of the four, on a host of its own, with these as its peers."""
        index = len(self.system.nodes)
        arguments = [
            "--listen", f"{address(index)}:{FIRST_PORT}", "--name", f"node{index}",
            "--disk-limit", DISK_LIMIT, *LINKED_BY_HAND]
        for peer in peers:
            arguments += ["--peer", f"{address(peer)}:{FIRST_PORT}"]
        self.system.nodes.append(Daemon(
            self.options.tools.programs, self.system.folder, f"node{index}", arguments,
            control=self.system.socket(index), wrapper=self.hosts.network(index).wrapper))
        self.system.start(index)
        self.system.call(index, "join", room=ROOM)

    def prepare(self) -> None:
        system = self.system
        self.add()
        self.add(ADA)
        system.await_links(1)
        for index, other in ((ADA, BOB), (BOB, ADA)):
            self.node(index).output("people", "add", "@" + system.call(other, "status")["id"])
        self.add(BOB)
        until("cleo is linked", lambda: bool(system.call(CLEO, "status")["links"]), HANGS_SECONDS)
        until("ada knows cleo", lambda: self.members(ADA) == 3, HANGS_SECONDS)
        self.remember((ADA, BOB, CLEO))

    def remember(self, honest: tuple[int, ...]) -> None:
        """How all is before."""
        self.before = self.system.call(ADA, "status")
        self.honest_before = {self.system.call(index, "status")["id"] for index in honest}
        self.stands_before = self.stands()

    def members(self, index: int) -> int:
        return int(next(
            each["members"] for each in self.system.every(index, "conversations")
            if each["name"] == ROOM))

    def stands(self) -> list[dict[str, Any]]:
        """What Ada and Bob list of the honest who were there before: members, whom they know, and their rooms."""
        return [self.stands_at(index) for index in (ADA, BOB)]

    def stands_at(self, index: int) -> dict[str, Any]:
        with self.node(index).control() as control:
            members, peers, rooms = (
                control.every(method, **params) for method, params in (
                    ("members", {"to": ROOM}), ("peers", {}), ("rooms", {})))
        return {
            "members": sorted(
                each["id"] for each in members if each["id"] in self.honest_before),
            "peers": sorted(
                (each["id"], each["name"], each["tier"], each["state"], "ambiguous" in each)
                for each in peers if each["tier"] != "stranger"),
            "rooms": sorted((each["id"], each["name"]) for each in rooms if each["joined"])}

    # What is looked at.

    def say(self, index: int, text: str, **more: Any) -> Any:
        answer = self.system.call(index, "send", to=ROOM, text=text, **more)
        self.acknowledged[index].add(text)
        return answer

    def begin_talk(self) -> None:
        self.speakers = [sender for _, sender, _ in self.pairs]
        self.talks = [
            Talk(name, self.system.socket(sender), self.system.socket(reader))
            for name, sender, reader in self.pairs]

    def note_talk(self) -> None:
        """Remembers what has been acknowledged so far."""
        for index, talk in zip(self.speakers, self.talks):
            self.acknowledged[index].update(list(talk.meter.acknowledged))

    def end_talk(self, moment: str) -> None:
        for talk in self.talks:
            talk.end()
            # Whoever is a stranger to the attacked node is promised less: to be heard afterwards, with all that
            # was acknowledged meanwhile, which `compare` looks for.
            if talk.name == "cleo to ada" and moment == "meanwhile":
                self.said += f"{talk.name} {1e3 * max(talk.times, default=0):.0f} ms at most, "
                if talk.failures:
                    self.said += "then not at all, "
                continue
            self.that(f"{moment}, {talk.name}: nothing is lost", not talk.failures, talk.failures)
            worst = slowest(talk)
            self.that(f"{moment}, {talk.name}: nothing hangs", worst <= HANGS_SECONDS, worst)
            if moment == "meanwhile":
                self.said += f"{talk.name} {1e3 * worst:.0f} ms at most, "
        self.note_talk()

    def compare(self) -> None:
        """Nothing that was acknowledged is lost: each of the honest has all of it, back to the beginning."""
        due = set().union(*self.acknowledged.values())
        left = {reader: due for reader in (ADA, BOB, *self.strangers)}

        def have_all() -> bool:
            for reader, texts_left in left.items():
                with self.node(reader).control() as control:
                    left[reader] = lacking(control, ROOM, texts_left)
            return not any(left.values())

        try:
            until("all have all", have_all, HANGS_SECONDS)
        except Broken:
            pass
        for reader, lost_all in left.items():
            for speaker, texts_due in self.acknowledged.items():
                lost = lost_all & texts_due
                self.that(
                    f"{self.node(reader).name} has all that {self.node(speaker).name} was told to send",
                    not lost, (len(lost), len(texts_due), sorted(lost)[:5]))
        self.said += f"{len(due)} messages acknowledged, "

    def welcome(self) -> None:
        """Dora starts and has the history: all that Ada and Bob have said, to the last."""
        ada = self.system.call(ADA, "status")["id"]
        self.say(BOB, "before dora came")
        self.note_talk()
        left = self.acknowledged[ADA] | self.acknowledged[BOB]
        began = time.monotonic()
        self.add(ADA, BOB)

        try:
            with self.node(DORA).control() as control:
                control.call("subscribe", to=ROOM, **{"from": 0})
                while left:
                    due = HANGS_SECONDS - (time.monotonic() - began)
                    left.discard(control.message(lambda each: each.get("text") in left, due)["text"])
        except TimeoutError:
            pass
        took = time.monotonic() - began

        def is_linked() -> bool:
            found = self.system.every(DORA, "peers")
            return any(each["id"] == ada and each["state"] == "linked" for each in found)

        try:
            until("dora is linked with ada", is_linked, HANGS_SECONDS)
        except Broken:
            pass
        linked = time.monotonic() - began
        self.that("a newcomer is linked with whom is attacked", is_linked(), linked)
        self.said += f"a newcomer is linked in {linked:.1f} s, "
        self.that("a newcomer has the history", not left, (took, len(left), sorted(left)[:5]))
        self.said += f"a newcomer has all in {took:.1f} s, "

    def stop_and_start(self) -> None:
        """The attacked daemon is ended as it is attacked, and comes back."""
        began = time.monotonic()
        code = self.node(ADA).stop(signal.SIGTERM)
        took = time.monotonic() - began
        self.that("SIGTERM ends it well", code == 0, code)
        self.said += f"ended in {took:.2f} s, "
        self.system.start(ADA)
        friend = self.system.call(BOB, "status")["id"]

        def linked() -> bool:
            found = self.system.call(ADA, "peers", limit=10)["items"]
            return any(each["id"] == friend and each["state"] == "linked" for each in found)

        began = time.monotonic()
        until("the two are linked again", linked, HANGS_SECONDS)
        self.said += f"linked again in {time.monotonic() - began:.1f} s, "

    def disk_bytes(self, index: int) -> int:
        data = self.node(index).data
        return sum(path.stat().st_size for path in data.rglob("*") if path.is_file())

    # One attack.

    def look(self) -> None:
        """Notes the highest memory of Ada and Bob."""
        for place, index in enumerate((ADA, BOB)):
            self.peaks[place] = max(self.peaks[place], self.node(index).memory_bytes("VmHWM"))

    def run(self) -> None:
        self.said, self.peaks = "", [0, 0]
        self.prepare()
        log = self.node(ADA).log
        lines = log.read_text(errors="replace").count("\n")
        with self.attack() as figures:
            self.begin_talk()
            calls = Calls(self.system.socket(ADA))
            time.sleep(self.talk_seconds())
            if judge := MEANWHILE.get(self.act):
                judge(self)
            calls.end()
            self.acknowledged[ADA].update(calls.acknowledged)
            self.welcome()
            self.end_talk("meanwhile")
            self.look()
            self.stop_and_start()
            time.sleep(self.again_seconds)
            self.look()
        began = time.monotonic()
        self.that("the attack goes well", "error" not in figures, figures)
        answer = percentile(calls.times, 0.99)
        self.that("every call is answered", bool(calls.times) and not calls.failures, calls.failures)
        self.come_to_rest(began)
        self.look()
        self.begin_talk()
        time.sleep(self.after_seconds)
        self.end_talk("afterwards")
        self.hear_dora()
        self.compare()
        for peak, who in zip(self.peaks, ("ada", "bob")):
            self.that(f"memory of {who}", peak < MEMORY_BYTES, peak / MIB)
        disk = [self.disk_bytes(index) for index in (ADA, BOB)]
        self.that("the disk", max(disk) <= self.disk_limit, disk)
        grown = log.read_text(errors="replace").count("\n") - lines
        self.that("the log stays short", grown <= LINES, (grown, kinds(log)))
        if judge := AFTERWARDS.get(self.act):
            judge(self)
        self.judge_always()
        said = ", ".join(f"{key} {value}" for key, value in figures.items())
        print(
            f"MEASURED load, {self.name}: {self.said}answers p99 {1e3 * answer:.0f} ms, "
            f"memory {self.peaks[0] / MIB:.1f} and {self.peaks[1] / MIB:.1f} MiB, disk {disk[0] / MIB:.1f} MiB, "
            f"{grown} lines; {said}", flush=True)

    def attack(self) -> contextlib.AbstractContextManager[dict[str, Any]]:
        self.keys = crowd_attacks.KEYS if self.options.long else KEYS_SHORT
        return self.pair.under("crowd", self.act, address(ADA), self.keys)

    def talk_seconds(self) -> float:
        return TALK_SECONDS if self.options.long else TALK_SECONDS_SHORT

    def come_to_rest(self, began: float) -> None:
        """All is as before: the links, what stands of alerts, who is there, and what stoa lists."""
        left: dict[str, Any] = {}

        def is_at_rest() -> bool:
            status = self.system.call(ADA, "status")
            codes = [each["code"] for each in status["alerts"]]
            left.update(links=status["links"], alerts=codes, stands=self.stands())
            return (
                status["links"] == self.links_after and not set(codes) - told(self.act)
                and left["stands"] == self.stands_before)

        try:
            until("all is as before", is_at_rest, HANGS_SECONDS)
        except Broken:
            pass
        took = time.monotonic() - began
        self.that("all is as before", is_at_rest(), (left, self.stands_before))
        codes = left["alerts"]
        self.that(
            "no alert tells of anything else, and none twice",
            len(codes) == len(set(codes)) and set(codes) <= told(self.act), codes)
        self.said += f"alerts {' '.join(codes) or 'none'}, "
        self.said += f"at rest in {took:.1f} s, "
        for words in (["peers"], ["rooms"], ["status"]):
            code, _, errors = self.node(ADA).stoa(*words)
            self.that(f"stoa {words[0]} ends well", code == 0, errors)

    def hear_dora(self) -> None:
        """Who has come meanwhile, and is known to nobody, is heard by all."""
        sent = "dora was here"
        missing: list[str] = []
        self.say(DORA, sent)

        def all_have() -> bool:
            missing.clear()
            for index in (ADA, BOB, CLEO):
                with self.node(index).control() as control:
                    if sent not in texts(control, ROOM):
                        missing.append(self.node(index).name)
            return not missing

        try:
            until("dora is heard", all_have, HANGS_SECONDS)
        except Broken:
            pass
        self.that("an honest stranger is heard afterwards", all_have(), missing)

    def judge_always(self) -> None:
        """Nobody was put aside: own messages are of now, in the log in which they were."""
        status = self.system.call(ADA, "status")
        self.that(
            "no new incarnation", status["incarnation"] == self.before["incarnation"], status)
        sent = self.say(ADA, "is it over?", wait="delivered", timeoutMilliseconds=int(1e3 * HANGS_SECONDS))
        friend = self.system.call(BOB, "status")["id"]
        self.that("delivered to whom the user knows", friend in str(sent["deliveredTo"]), sent)
        self.that("and to no liar", self.honest(sent), sent)

    def honest(self, sent: dict[str, Any]) -> bool:
        """Whether only honest people are said to have it."""
        four = {self.system.call(index, "status")["id"] for index in range(len(self.system.nodes))}
        return {each if isinstance(each, str) else each["id"] for each in sent["deliveredTo"]} <= four


def judge_delivery(siege: Siege) -> None:
    """Who says nothing delays nothing, and who says too much has nothing."""
    friend = siege.system.call(BOB, "status")["id"]
    began = time.monotonic()
    sent = siege.say(ADA, "who has it?", wait="delivered", timeoutMilliseconds=int(1e3 * HANGS_SECONDS))
    siege.said += f"delivered in {time.monotonic() - began:.2f} s, "
    siege.that("delivered meanwhile to whom the user knows", friend in str(sent["deliveredTo"]), sent)
    siege.that("and to no liar meanwhile", siege.honest(sent), sent)


def judge_names(siege: Siege) -> None:
    """Whoever has a friend's name is marked, and the friend is not."""
    friend = siege.system.call(BOB, "status")["id"]
    peers = siege.system.every(ADA, "peers")
    known = [each for each in peers if each["id"] == friend]
    siege.that("a friend's name stays", bool(known) and not known[0].get("ambiguous"), known)
    alike = [each for each in peers if each["id"] != friend and "node1" in each["name"]]
    siege.that("there are namesakes", len(alike) >= min(20, siege.keys), len(alike))
    unmarked = [each for each in alike if not each.get("ambiguous")]
    siege.that("each namesake is marked", not unmarked, unmarked[:3])
    lines = siege.node(ADA).output("history", ROOM, "--limit", "200").splitlines()
    fakes = [line for line in lines if "door code" in line]
    siege.that("they have written", bool(fakes))
    bare = [line for line in fakes if "@" not in line.partition(": send me")[0]]
    siege.that("each line of theirs says whose it is", not bare, bare[:3])


MEANWHILE: dict[str, Callable[[Siege], None]] = {
    "silence": judge_delivery, "boasts": judge_delivery, "all": judge_delivery,
    "namesakes": judge_names}
AFTERWARDS: dict[str, Callable[[Siege], None]] = {}


# Shows: daemon.pace
def besiege(pair: Any, act: str) -> None:
    besieged(Siege(pair, act))


def besieged(siege: Siege) -> None:
    try:
        siege.run()
    except Exception:
        print(siege.node(ADA).tail(), file=sys.stderr)
        raise
    finally:
        for talk in siege.talks:
            talk.ends.set()
        siege.close()


def named(act: str) -> Callable[[Any], None]:
    load = functools.partial(besiege, act=act)
    load.__name__ = f"crowd_{act}"  # type: ignore[attr-defined]
    return load


# The short form has all attacks at once; the long one each by itself, too.
LOADS = (named(crowd_attacks.ALL),)
LONG_LOADS = tuple(named(act) for act in crowd_attacks.ACTS)
