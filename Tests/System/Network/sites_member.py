#!/usr/bin/env python3
"""A member of a realm reads all that goes to its NATS server, and what the server keeps.

Of the conversations of two others they may learn nothing. See Docs/Testing/Network.md. As root, on Linux, in a network
of its own.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import shutil
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from Driver.checks import Broken, Checks  # noqa: E402
from Driver.daemon import Daemon, Programs  # noqa: E402
from Driver.network import enter_own_network  # noqa: E402
from Driver.process import until  # noqa: E402
from Driver.sites import Carrier, Connection, Root, Server, enter_realm, options  # noqa: E402

ROOM, SECRET_ROOM, GROUP = "office/zyxwops", "office/zyxwvault", "+office/zyxwteam"
# What is planted: a text in each conversation, the names of what is not open, and a file's content.
OPEN_TEXT = "zyxw in the open room"
PRIVATE_TEXTS = {"direct": "zyxw to one", SECRET_ROOM: "zyxw in secret", GROUP: "zyxw in the group"}
FILE_BYTES = b"zyxw in a file. " * 20_000
PRIVATE = [text.encode() for text in PRIVATE_TEXTS.values()] + [b"zyxwvault", b"zyxwteam", FILE_BYTES[:16]]
# And what a server may not see, but a member may.
GONE_TEXTS = ["zyxw is deleted", "zyxw is edited and deleted", "zyxw is edited again"]
NAMES = [b"Zyxwada", b"Zyxwben", OPEN_TEXT.encode(), b"zyxwops"]


class Reader(threading.Thread):
    """Hears everything that is published."""

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True)
        self.connection = Connection(url)
        self.heard: list[tuple[str, bytes]] = []
        for stream in ("stoa", "stoa-files", "stoa-now"):
            self.connection.subscribe(f"{stream}.*.*")

    def run(self) -> None:
        try:
            while True:
                self.heard.append(self.connection.next())
        except (Broken, OSError, ValueError):
            return


class SitesMember:
    def __init__(self, options_: argparse.Namespace, folder: Path, checks: Checks) -> None:
        self.folder, self.checks = folder, checks
        self.server = Server(folder)
        self.programs = Programs.within(options_.programs)
        self.nodes: list[Daemon] = []
        self.carriers: list[Carrier] = []

    def run(self) -> None:
        self.server.start()
        for name in ("ada", "ben"):
            arguments = ["--listen", "127.0.0.1:0", "--name", f"Zyxw{name}", *options(self.server)]
            self.nodes.append(Daemon(self.programs, self.folder, name, arguments))
            self.nodes[-1].start()
        self.invitation = enter_realm(*self.nodes)
        self.carriers = [Carrier(node, self.folder) for node in self.nodes]
        self.carriers[0].set_up()
        self.reader = Reader(self.server.url)
        self.reader.start()
        self.asking = Connection(self.server.url)
        self.asking.subscribe("_INBOX.member")
        for node, carrier in zip(self.nodes, self.carriers):
            node.call("join", room=ROOM)
            carrier.start()
        self.talk()
        self.delete()
        self.judge(self.invitation)
        self.checks.same("every program ends well", self.end(), [0] * 4)

    def await_text(self, node: Daemon, room: str, text: str) -> None:
        def has() -> bool:
            return text in node.stoa("history", room)[1]

        until(f"{node.name} has: {text}", has)

    def delete(self) -> None:
        """Ada deletes what she has edited: none of it is stored after that."""
        ada, ben = self.nodes
        message = ada.call("send", to=ROOM, text=GONE_TEXTS[0])["id"]
        for text in GONE_TEXTS[1:]:
            ada.output("edit", message, text)
            self.await_text(ben, ROOM, text)
        until("all of it is stored", lambda: self.stored() == set(GONE_TEXTS))
        ada.output("delete", message)
        until("nothing of what was deleted is stored", lambda: not self.stored())

    def stored(self) -> set[str]:
        """Those of the texts that are to be deleted that are in stored messages of the open room."""
        room = next(each["id"] for each in self.nodes[0].every("conversations") if each["name"] in (ROOM, "zyxwops"))
        root = Root.of_room(self.invitation, room)
        found: set[str] = set()
        for subject in {subject for subject, _ in self.reader.heard if subject.startswith(f"stoa.{root.tag}.")}:
            self.asking.publish(
                "$JS.API.STREAM.MSG.GET.STOA", json.dumps({"last_by_subj": subject}).encode(), "_INBOX.member")
            self.asking.flush()
            answer = json.loads(self.asking.next()[1])
            item = root.open(subject, base64.b64decode(answer["message"]["data"])) or b""
            found |= {text for text in GONE_TEXTS if text.encode() in item}
        return found

    def await_request(self, node: Daemon, what: str) -> None:
        until(f"{node.name} is asked: {what}", lambda: what in node.output("requests"))

    def talk(self) -> None:
        ada, ben = self.nodes
        people = {node.name: f"@{node.identity}" for node in self.nodes}
        ada.output("send", ROOM, OPEN_TEXT)
        self.await_text(ben, ROOM, OPEN_TEXT)
        ben.output("send", ROOM, "hello")
        self.await_text(ada, ROOM, "hello")

        ada.output("send", people["ben"], PRIVATE_TEXTS["direct"])
        self.await_request(ben, PRIVATE_TEXTS["direct"])
        ben.output("accept", people["ada"])
        ben.output("send", people["ada"], "zyxw back to one")
        self.await_text(ada, people["ben"], "zyxw back to one")

        ada.output("create", SECRET_ROOM, "--secret")
        line = next(word for word in ada.output("invite", SECRET_ROOM).split() if word.startswith("stoa:"))
        code, _, errors = ben.stoa("join", "-", text=line + "\n")
        self.checks.that("ben comes into the secret room", code == 0, errors)
        file = self.folder / "plan"
        file.write_bytes(FILE_BYTES)
        ada.output("send", SECRET_ROOM, "--file", str(file), PRIVATE_TEXTS[SECRET_ROOM])
        self.await_text(ben, SECRET_ROOM, PRIVATE_TEXTS[SECRET_ROOM])
        self.await_text(ben, SECRET_ROOM, "plan")

        ada.output("group", "create", GROUP.removeprefix("+"))
        ada.output("group", "invite", GROUP, people["ben"])
        self.await_request(ben, GROUP)
        ben.output("accept", GROUP)
        ada.output("send", GROUP, PRIVATE_TEXTS[GROUP])
        self.await_text(ben, GROUP, PRIVATE_TEXTS[GROUP])
        for room in (ROOM, SECRET_ROOM, GROUP):
            ben.call("typing", to=room)
        # Also what nothing stores has come then.
        until("parts of the file are published", lambda: any(
            subject.startswith("stoa-files.") for subject, _ in self.reader.heard))
        until("who is there is published", lambda: any(
            subject.startswith("stoa-now.") for subject, _ in self.reader.heard))

    def roots(self, invitation: str) -> dict[str, Root]:
        """All that the realm's secret gives, and by it what it does not: of each conversation as if it were open."""
        ada = self.nodes[0]
        roots = {"the realm": Root.of_realm(invitation)}
        for each in ada.every("conversations"):
            roots[each["name"]] = Root.of_room(invitation, each["id"])
        for node in self.nodes:
            person = ada.call("whois", person=f"@{node.identity}")["person"]
            roots[f"inbox of {node.name}"] = Root.of_inbox(invitation, person)
        return roots

    def judge(self, invitation: str) -> None:
        heard = list(self.reader.heard)
        roots = self.roots(invitation)
        opened: dict[str, list[bytes]] = {name: [] for name in roots}
        closed: set[str] = set()
        for subject, data in heard:
            tag = subject.split(".")[1]
            name = next((name for name, root in roots.items() if root.tag == tag), None)
            item = roots[name].open(subject, data) if name else None
            if name and item is not None:
                opened[name].append(item)
                continue
            closed.add(tag)
            # Under a tag of its own, it may still be sealed by what they have.
            self.checks.that(
                f"no root of the realm opens {subject}",
                all(root.open(subject, data) is None for root in roots.values()))
        self.checks.that("a member reads the open room", any(
            OPEN_TEXT.encode() in item for items in opened.values() for item in items))
        letters = sum(len(items) for name, items in opened.items() if name.startswith("inbox"))
        self.checks.that(f"a member sees that {letters} letters came", letters > 0)
        for item in (item for items in opened.values() for item in items):
            for word in PRIVATE:
                self.checks.that("a member reads nothing private", word not in item, word)
        # The conversation of two, the secret room and one key of the group at least.
        self.checks.that(f"{len(closed)} tags say nothing to a member", len(closed) >= 3)
        for _, data in heard:
            self.checks.that("the traffic has no word", not any(word in data for word in PRIVATE + NAMES))
        stored = [path for path in (self.server.folder / "store").rglob("*") if path.is_file()]
        for path in stored:
            kept = path.read_bytes()
            for word in PRIVATE + NAMES:
                self.checks.that("the server keeps no word", word not in kept, f"{word!r} in {path}")
        print(
            f"MEASURED sites member: {len(heard)} messages heard, {sum(map(len, opened.values()))} opened, "
            f"{len(closed)} tags closed, {len(stored)} files of the server searched")

    def end(self) -> list[int]:
        codes = [program.stop() for program in (*self.carriers, *self.nodes)]
        self.server.stop()
        return codes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=Path, help="the folder with stoad, stoa and stoa-sites")
    options_ = parser.parse_args()
    for tool in ("nats-server", "ip"):
        if not shutil.which(tool):
            print(f"skipped: there is no {tool}: Tests/System/Tools/setup.sh --labs")
            sys.exit(77)
    if os.geteuid() != 0:
        print("skipped: a network of its own needs root")
        sys.exit(77)
    enter_own_network()
    checks = Checks()
    # A socket's path has at most 107 bytes.
    folder = Path(tempfile.mkdtemp(prefix="stoa-member.", dir="/tmp"))
    run = SitesMember(options_, folder, checks)
    try:
        run.run()
    except (Broken, OSError) as broken:
        checks.fail("the run goes to its end", broken)
    finally:
        if checks.failed:
            for program in (*run.nodes, *run.carriers):
                print(f"--- {program.name}\n{program.tail()}", file=sys.stderr)
        run.end()
        shutil.rmtree(folder)
    sys.exit(checks.report())


if __name__ == "__main__":
    main()
