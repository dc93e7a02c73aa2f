"""The attacks of giveway_attacks.py: whatever is flooded, what is people's own, or honest, is there afterwards."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from bounds import MIB, VISITED_DESCRIPTORS
from cheap_loads import befriend
from crowd_attacks import ROOM
from Driver.process import until
from giveway_attacks import NAME_ROOMS, SILENT

READ_SECONDS = 20.0


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
            until("the other knows", lambda: shown() == ("h" * 64, status), 10)
        except Exception:
            return False
        return True

    that(f"{name}: the name is known before", says("b" * 255), shown())
    figures = pair.attack(name, "washed_names", 20, 0.1, 96 * MIB, VISITED_DESCRIPTORS)
    that(f"{name}: the name is known after it", shown() == ("h" * 64, "b" * 255), shown())
    that(f"{name}: a new status is", says("c" * 255), shown())
    print(f"MEASURED load, {name}: {json.dumps(figures)}", flush=True)


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


LOADS = (washed_names, silent_members)
