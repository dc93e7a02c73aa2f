"""The attacks of giveway_attacks.py: whatever is flooded, what is people's own, or honest, is there afterwards."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from bounds import MIB, VISITED_DESCRIPTORS
from cheap_loads import befriend
from crowd_attacks import ROOM
from Driver.honest import HANGS_SECONDS
from Driver.process import until
from giveway_attacks import NAME_ROOMS, SILENT

READ_SECONDS = 120.0


# Shows: daemon.records
def washed_names(pair: Any) -> None:
    """A linked stranger keeps the name that more strangers' profiles than are kept would wash away."""
    name, that = "names are washed away", pair.checks.that
    honest = pair.system.nodes[1]
    key = pair.system.call(1, "status")["id"]
    for node in pair.system.nodes:
        for room in NAME_ROOMS:
            node.output("join", room)

    def shown() -> tuple[str, str]:
        found = pair.system.call(0, "whois", person=f"@{key}")
        return found["name"], found["status"]

    def says(status: str) -> bool:
        honest.output("profile", "--name", "h" * 64, "--status", status)
        try:
            until("the other knows", lambda: shown() == ("h" * 64, status), HANGS_SECONDS)
        except Exception:
            return False
        return True

    that(f"{name}: the name is known before", says("b" * 255), shown())
    figures = pair.attack(name, "washed_names", 20, 0.1, 96 * MIB, VISITED_DESCRIPTORS)
    that(f"{name}: the name is known after it", shown() == ("h" * 64, "b" * 255), shown())
    that(f"{name}: a new status is", says("c" * 255), shown())
    print(f"MEASURED load, {name}: {json.dumps(figures)}", flush=True)


# Shows: shown.marks
def silent_members(pair: Any) -> None:
    """Two who know each other are told what the other has read, whoever else has joined."""
    name, that = "silent members", pair.checks.that
    befriend(pair)
    key = pair.system.call(1, "status")["id"]

    def read(text: str) -> tuple[int, str]:
        node = pair.attacked
        sending = subprocess.Popen(
            [str(node.programs.stoa), "--socket", str(node.socket), "--timeout", str(READ_SECONDS), "send", ROOM,
             text, "--wait", "read", "--members", f"@{key}"],
            env=node.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

        def newest() -> dict[str, Any]:
            found: dict[str, Any] = pair.system.call(1, "history", to=ROOM, limit=1)["messages"][-1]
            return found

        until("it has come", lambda: newest().get("text") == text, READ_SECONDS)
        pair.system.call(1, "acknowledge", conversation=ROOM, cursor=newest()["cursor"])
        errors = sending.communicate(timeout=2 * READ_SECONDS)[1]
        return sending.returncode, errors

    found = read("before")
    that(f"{name}: what is read is told before", found[0] == 0, found)
    with pair.under("silent_members"):
        members = len(pair.system.nodes[0].json("members", ROOM))
        that(f"{name}: there are many", members > SILENT, members)
        found = read("beside them")
        that(f"{name}: what is read is told beside them", found[0] == 0, found)


# Shows: daemon.changes
def taken_back(pair: Any) -> None:
    """A consumer that was away learns what a friend took back, and that it has missed something."""
    name, that = "taken back", pair.checks.that
    befriend(pair)
    found = pair.system.call(1, "send", to=ROOM, text="a password by mistake")

    def page() -> str:
        return json.dumps(pair.system.call(0, "history", to=ROOM, limit=3))

    until("it has come", lambda: found["id"] in page(), HANGS_SECONDS)
    with pair.attacked.control() as consumer:
        consumer.call("subscribe", consumer="away", kinds=["deleted"])
        cursor = pair.system.call(0, "history", to=ROOM, limit=1)["messages"][-1]["cursor"]
        consumer.call("acknowledge", consumer="away", cursor=cursor)
    pair.system.nodes[1].output("delete", found["id"])
    until("it has gone", lambda: "by mistake" not in page(), HANGS_SECONDS)
    figures = pair.attack(name, "taken_back", 20, 0.05, 64 * MIB, VISITED_DESCRIPTORS)
    that(f"{name}: more than are kept", figures["taken back"] > 4_096, figures)
    told = pair.attacked.stoa(
        "--json", "tail", "--kind", "deleted", "--consumer", "away", "--limit", "4000", "--timeout", "120")
    lines = told[1].splitlines()
    that(f"{name}: the friend's is told", any(found["id"] in each for each in lines), len(lines))
    that(f"{name}: and that others are missing", any('"gap"' in each for each in lines), told[2][-200:])


# Shows: daemon.retention
def kept_size(pair: Any) -> None:
    """What a room may take of the disk is taken from strangers, whatever they write."""
    name, that = "a kept size", pair.checks.that
    befriend(pair)
    for number in range(20):
        pair.system.call(1, "send", to=ROOM, text=f"friend {number}")
    pair.system.call(0, "send", to=ROOM, text="own")
    pair.attacked.output("retain", ROOM, "--size", "1M")

    def kept() -> tuple[int, int, int]:
        texts = [each.get("text", "") for each in pair.attacked.history(ROOM)]
        return (
            sum(each.startswith("friend ") for each in texts), texts.count("own"),
            sum(each.startswith("xxx") for each in texts))

    with pair.under("long_texts"):
        until("all has come", lambda: kept()[2] == 24, HANGS_SECONDS)
        asked = pair.attacked.stoa("retain", ROOM, "--size", "1M")
        that(f"{name}: nothing goes unasked", asked[0] == 64 and "would be deleted" in asked[2], asked)
        pair.attacked.output("retain", ROOM, "--size", "1M", "--yes")
        until("what is too much has gone", lambda: 0 < kept()[2] < 24, HANGS_SECONDS)
    that(f"{name}: nothing of known people goes", kept()[:2] == (20, 1), kept())


LOADS = (washed_names, silent_members, taken_back, kept_size)
