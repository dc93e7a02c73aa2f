"""The attacks of hoard_attacks.py, busy_attacks.py and lie_attacks.py, which cost strangers a few bytes, and what
must hold meanwhile and afterwards.
"""

from __future__ import annotations

import secrets
import time
from typing import Any

from bounds import MIB, VISITED_DESCRIPTORS
from Driver.control import Refusal, shown
from Driver.honest import Calls, texts
from Driver.process import until
from hoard_attacks import ROW_LINKS
from lie_attacks import EDITED_TEXT, SIGNED_TEXT
from primitives import Identity

# What peers may cause at once in the log, and what is said of links that come and go.
LINES = 200
# So many messages are claimed before they are written.
CLAIMED = 4


def befriend(pair: Any) -> None:
    """The two know each other."""
    for one, other in ((0, 1), (1, 0)):
        pair.system.nodes[one].output("people", "add", "@" + pair.system.call(other, "status")["id"])


def attacked(
    pair: Any, name: str, function: str, count: int, pause: float, bytes_: int
) -> dict[str, Any]:
    """An attack beside two who know each other, while a program of the user asks without a pause."""
    calls = Calls(pair.system.socket(0))
    try:
        figures: dict[str, Any] = pair.attack(name, function, count, pause, bytes_, VISITED_DESCRIPTORS)
    finally:
        calls.end()
    pair.checks.that(f"{name}: every call is answered", bool(calls.times) and not calls.failures, calls.failures)
    said = ", ".join(f"{method} {1e3 * took:.0f}" for method, took in calls.slowest.items())
    print(f"MEASURED load, {name}: slowest answers in ms: {said}", flush=True)
    return figures


# Shows: daemon.peers
def undecided(pair: Any) -> None:
    """What is sent on links that are not decided on is not kept."""
    name = "undecided links"
    befriend(pair)
    figures = attacked(pair, name, "undecided", 40, 0.05, 32 * MIB)
    pair.checks.that(f"{name}: there were some", figures["links"] >= 8, figures)


# Shows: daemon.pace
def lacking_logs(pair: Any) -> None:
    """Whom to ask for what is looked at in turns, however much strangers say to have."""
    name = "logs that strangers have more of"
    befriend(pair)
    attacked(pair, name, "lacking_logs", 40, 0.05, 48 * MIB)


# Shows: daemon.peers
def left_rooms(pair: Any) -> None:
    """Who leaves a room and comes back without end is turned away."""
    name = "rooms left and entered"
    befriend(pair)
    figures = attacked(pair, name, "left_rooms", 40, 0.05, 48 * MIB)
    pair.checks.that(f"{name}: they are turned away", figures["closed"] > 0, figures)


# Shows: daemon.pace
def differing_digests(pair: Any) -> None:
    """A digest that differs costs a turn little, however many logs there are to be asked for again."""
    befriend(pair)
    attacked(pair, "digests that differ", "differing_digests", 40, 0.05, 48 * MIB)


# Shows: daemon.pace
def empty_pages(pair: Any) -> None:
    """Pages of a clock that say nothing cost a turn little, however many logs there are."""
    befriend(pair)
    attacked(pair, "pages that say nothing", "empty_pages", 40, 0.05, 64 * MIB)


def disk_bytes(pair: Any) -> int:
    data = pair.attacked.folder / "data"
    return sum(path.stat().st_size for path in data.rglob("*") if path.is_file())


# Shows: daemon.questions, daemon.records
def left_records(pair: Any) -> None:
    """Of records of people who are nobody little is kept, and all of it is looked at rarely."""
    that = pair.checks.that
    befriend(pair)
    before = disk_bytes(pair)
    name = "records that are left"
    attacked(pair, name, "left_records", 20, 0.05, 40 * MIB)
    grown = disk_bytes(pair) - before
    that(f"{name}: the disk", grown <= 24 * MIB, grown)
    print(f"MEASURED load, {name}: disk +{grown / MIB:.1f} MiB", flush=True)
    attacked(pair, "record clocks", "record_clocks", 30, 0.05, 32 * MIB)


# Shows: daemon.peers
def early_records(pair: Any) -> None:
    """What is passed on waits for credit, so that nobody loses their link for it."""
    name, that = "records all at once", pair.checks.that
    befriend(pair)
    figures = attacked(pair, name, "early_records", 40, 0.05, 48 * MIB)
    that(f"{name}: there were some", figures["bursts"] > 0, figures)
    that(f"{name}: nobody loses their link", figures["closed"] == 0, figures)
    # Of two links of theirs one goes without a word.
    lost = pair.system.nodes[1].log.read_text(errors="replace").count("said goodbye")
    that(f"{name}: nor who is known", lost == 0, lost)


# Shows: daemon.peers
def unknown_rows(pair: Any) -> None:
    """Of what strangers tell of logs that are not here some is kept over all their links."""
    name = "logs that are not here"
    befriend(pair)
    figures = attacked(pair, name, "unknown_rows", 40, 0.1, 64 * MIB)
    pair.checks.that(f"{name}: many told of some", figures["links"] == ROW_LINKS, figures)


# Shows: shown.delivery, daemon.alarms
def lies(pair: Any) -> None:
    """One stranger raises no alarm about the node's own entries; and nobody has what there is not yet."""
    name, that = "false words", pair.checks.that
    befriend(pair)
    log = pair.attacked.log
    before = log.read_text(errors="replace").count("\n")
    figures = attacked(pair, name, "false_words", 40, 0.05, 32 * MIB)
    lines = log.read_text(errors="replace").count("\n") - before
    that(f"{name}: the log stays short", lines <= LINES, lines)
    # For a moment, while two links of the friends are decided on, there is nobody but the stranger.
    that(f"{name}: a stranger raises no alert", 20 * figures["alerts"] <= figures["looks"], figures)
    print(f"MEASURED load, {name}: {lines} lines of the log", flush=True)
    name, seed = "early claims", secrets.token_hex(32)
    liar, friend = shown(Identity.from_seed(bytes.fromhex(seed)).public), pair.system.call(1, "status")["id"]
    with pair.under("early_claims", seed) as figures:
        pair.attacked.output("people", "add", "@" + liar)
        for number in range(CLAIMED):
            time.sleep(0.2)
            try:
                answer = pair.system.call(
                    0, "send", to="bench", text=f"who has number {number}?", wait="delivered",
                    members=f"@{liar}", timeoutMilliseconds=5_000)
                that(f"{name}: who has nothing has got nothing", False, answer)
            except Refusal as refusal:
                members = {each["id"]: each["outcome"] for each in refusal.data["members"]}
                that(f"{name}: nor is that said", members[liar] == "waiting", refusal)
                that(f"{name}: who has it has it", members[friend] in ("delivered", "read"), refusal)
    that(f"{name}: there were some", figures.get("claimed", 0) > CLAIMED, figures)


# Shows: shown.edit
def signs(pair: Any) -> None:
    """However many signs are put on a message, its author's edit counts, and in all replicas alike."""
    name, that = "signs of a crowd", pair.checks.that
    befriend(pair)
    attacked(pair, name, "signs", 40, 0.05, 32 * MIB)

    def found(node: int) -> set[str]:
        with pair.system.nodes[node].control() as control:
            return texts(control, "bench") & {SIGNED_TEXT, EDITED_TEXT}

    for node in (0, 1):
        until("it has come", lambda: bool(found(node)))
        that(f"{name}: the edit counts for node {node}", found(node) == {EDITED_TEXT}, found(node))


LOADS = (
    undecided, unknown_rows, left_records, early_records, lacking_logs, left_rooms,
    differing_digests, empty_pages, lies, signs)
