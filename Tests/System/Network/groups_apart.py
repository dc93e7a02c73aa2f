#!/usr/bin/env python3
"""Six hosts, of whom some are in a group; the network falls in two, and both halves remove and invite somebody.

Three nodes are killed meanwhile. See Docs/Testing/Network.md. As root, on Linux; everything happens in namespaces of
its own.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import shutil
import signal
import sqlite3
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from Driver.checks import Checks  # noqa: E402
from Driver.control import Refusal  # noqa: E402
from Driver.daemon import Programs  # noqa: E402
from Driver.lab import Lab  # noqa: E402
from Driver.process import until  # noqa: E402
from labrun import LabRun, perform  # noqa: E402
from node import Node  # noqa: E402

GROUP = "+crew"
# The owner removes 4 and invites 5; meanwhile 2, an admin, removes 3 and invites 6.
OWNER, ADMIN, REMOVED_BY_ADMIN, REMOVED_BY_OWNER, INVITED_BY_OWNER, INVITED_BY_ADMIN = range(1, 7)
HALVES = ((1, 3, 5), (2, 4, 6))
AGAIN_SECONDS = 240.0
SWITCH_SEED = 1


class GroupsApart(LabRun):
    name = "groups-apart"

    def __init__(self, options: argparse.Namespace, folder: Path, checks: Checks) -> None:
        super().__init__(options, folder, checks)
        self.lab = Lab(6, [], SWITCH_SEED, folder / "lab.log")
        programs = Programs.within(options.programs)
        self.nodes = [Node(host, self.lab, programs, folder, "embedded") for host in range(1, 7)]
        self.chance = random.Random(options.seed)

    @staticmethod
    def arguments(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--seed", type=int, default=1, help="decides who is killed when")

    def node(self, number: int) -> Node:
        return self.nodes[number - 1]

    def act(self, by: int, act: str, whom: int) -> None:
        self.node(by).call("groupAct", group=GROUP, act=act, person=f"@{self.node(whom).identity}", **(
            {"now": True} if act == "remove" else {}))

    def accept(self, whom: int) -> None:
        """Accepts the invitation, which comes when a member is linked."""
        node = self.node(whom)

        def is_asked() -> bool:
            return any(each.get("kind") == "group" for each in node.every("requests"))

        until(f"{node.name} is invited", is_asked, AGAIN_SECONDS)
        group = next(each["group"] for each in node.every("requests") if each.get("kind") == "group")
        node.call("accept", person=group)
        until(f"{node.name} is in", lambda: whom in self.members(whom), AGAIN_SECONDS)

    def members(self, at: int) -> set[int]:
        """Who is in the group, as a node sees it."""
        try:
            found = self.node(at).call("groupInfo", group=GROUP)["members"]
        except Refusal:
            # It knows of none, or is out.
            return set()
        return {self.people[each["person"]] for each in found}

    def roster(self, at: int) -> list[tuple]:
        """The same with roles, as all must show it."""
        found = self.node(at).call("groupInfo", group=GROUP)["members"]
        return [(each["person"], each["role"]) for each in found]

    def texts(self, at: int) -> list[str]:
        return [each["text"] for each in self.node(at).history(GROUP) if each["kind"] == "text" and "text" in each]

    def say(self, by: int, text: str) -> None:
        self.node(by).call("send", to=GROUP, text=text)

    def hear(self, who: tuple[int, ...], text: str) -> None:
        for number in who:
            until(f"h{number} reads: {text}", lambda: text in self.texts(number), AGAIN_SECONDS)

    def kill(self, number: int) -> None:
        """At a moment that the seed decides."""
        time.sleep(self.chance.uniform(0, 0.5))
        self.node(number).stop(signal.SIGKILL)
        self.checks.say(f"h{number} is killed")
        self.node(number).start()

    def start(self) -> None:
        for node in self.nodes:
            node.start()
        for node in self.nodes:
            until("all are linked", lambda: int(node.call("status")["links"]) == 5, AGAIN_SECONDS)
        self.people = {str(node.call("status")["person"]): number for number, node in enumerate(self.nodes, 1)}
        self.node(OWNER).call("groupCreate", name="crew")
        for whom in (ADMIN, REMOVED_BY_ADMIN, REMOVED_BY_OWNER):
            self.act(OWNER, "add", whom)
            self.accept(whom)
        self.act(OWNER, "admin", ADMIN)
        self.say(OWNER, "all four read this")
        self.hear((1, 2, 3, 4), "all four read this")
        until("the admin knows it", lambda: self.role(ADMIN) == "admin", AGAIN_SECONDS)

    def role(self, at: int) -> str:
        return str(self.node(at).call("groupInfo", group=GROUP).get("role"))

    def apart(self, word: str) -> None:
        for one in HALVES[0]:
            for other in HALVES[1]:
                self.lab.command(f"{word} {one} {other}")
                self.lab.command(f"{word} {other} {one}")

    def part(self) -> None:
        self.before = self.keys(OWNER)
        self.apart("block")
        self.checks.say("the network is in two halves")
        self.act(OWNER, "remove", REMOVED_BY_OWNER)
        self.act(ADMIN, "remove", REMOVED_BY_ADMIN)
        self.kill(self.chance.choice((OWNER, ADMIN)))
        self.act(OWNER, "add", INVITED_BY_OWNER)
        self.accept(INVITED_BY_OWNER)
        self.act(ADMIN, "add", INVITED_BY_ADMIN)
        self.accept(INVITED_BY_ADMIN)
        # What the owner writes h3 still reads, since nobody there knows of its removal; so with h4.
        self.say(OWNER, "planted: h4 is out")
        self.say(ADMIN, "planted: h3 is out")
        self.hear((1, 3, 5), "planted: h4 is out")
        self.hear((2, 6), "planted: h3 is out")
        self.checks.that("both halves have their own group", self.members(OWNER) != self.members(ADMIN))
        self.kill(self.chance.choice((INVITED_BY_OWNER, INVITED_BY_ADMIN)))

    def heal(self) -> None:
        self.apart_keys = {at: self.keys(at) for at in (OWNER, ADMIN)}
        self.apart("open")
        began = time.monotonic()
        self.checks.say("the network is whole")
        inside = (OWNER, ADMIN, INVITED_BY_OWNER, INVITED_BY_ADMIN)
        self.kill(self.chance.choice(inside))
        until("all have one roster", lambda: all(self.members(at) == set(inside) for at in inside), AGAIN_SECONDS)
        self.say(OWNER, "planted: both are out")
        self.say(ADMIN, "planted: both are out, says the admin")
        for text in (
                "planted: h4 is out", "planted: h3 is out", "planted: both are out",
                "planted: both are out, says the admin"):
            self.hear(inside, text)
        self.took = time.monotonic() - began
        rosters = [self.roster(at) for at in inside]
        self.checks.that("all show the same roster", all(each == rosters[0] for each in rosters), rosters)
        self.checks.same("with these people", self.members(OWNER), set(inside))
        lines = [self.node(at).lines(GROUP) for at in inside]
        self.checks.that("all show the same history, byte for byte", all(each == lines[0] for each in lines), [
            [line for line in each if line not in lines[0]] for each in lines])
        for at in (REMOVED_BY_ADMIN, REMOVED_BY_OWNER):
            self.checks.that(f"h{at} knows that it is out", at not in self.members(at), self.members(at))

    def keys(self, at: int) -> set[bytes]:
        """All keys of the group that a node has on its disk."""
        node = self.node(at)
        copy = node.folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        # The daemon keeps the database for itself. What is being written has no key that is asked for here.
        shutil.copytree(node.data, copy, ignore=shutil.ignore_patterns("*-shm", "search*"))
        with contextlib.closing(sqlite3.connect(copy / "stoa.db")) as store:
            return {bytes(key) for (key,) in store.execute("SELECT key FROM epochs") if key}

    def search_disks(self) -> None:
        """Entries are sealed on the disk, too. Who was removed has no key that was made by those who knew it."""
        later = self.keys(OWNER) - self.before - self.apart_keys[OWNER] - self.apart_keys[ADMIN]
        for at, by in ((REMOVED_BY_OWNER, OWNER), (REMOVED_BY_ADMIN, ADMIN)):
            made = self.apart_keys[by] - self.before
            self.checks.that(f"h{by} has made a key without h{at}, and so has somebody later", bool(made and later))
            data = b"".join(path.read_bytes() for path in self.node(at).data.rglob("*") if path.is_file())
            found = [key for key in made | later if key in data]
            self.checks.that(f"the disk of h{at} has none of these keys", not found, len(found))
        data = b"".join(path.read_bytes() for path in self.node(OWNER).data.rglob("*") if path.is_file())
        self.checks.that("the disk of a member has them, where they are looked for", all(key in data for key in later))

    def run(self) -> None:
        self.start()
        self.part()
        self.heal()
        codes = [node.stop() for node in self.nodes]
        self.checks.same("every daemon ends well", codes, [0] * 6)
        self.search_disks()
        print(f"MEASURED groups apart: alike and read by all {self.took:.1f} s after the network is whole")


if __name__ == "__main__":
    perform(GroupsApart, __doc__)
