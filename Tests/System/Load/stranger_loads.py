"""The attacks of stranger_attacks.py, and what must hold meanwhile and afterwards."""

from __future__ import annotations

import json
import time
from typing import Any

from bounds import MIB, OWN_DESCRIPTORS, VISITED_DESCRIPTORS
from Driver.checks import Broken
from Driver.honest import HANGS_SECONDS
from Driver.process import until
from stranger_attacks import HONEST_TEXT

# Ten times what a list may take.
LIST_SECONDS = 100.0
# From Limits.
STRANGERS, ROOMS_PER_STRANGER = 4_096, 64
REQUESTS, REQUESTS_PER_SOURCE, REQUEST_TEXT_BYTES = 256, 8, 4_096
# What peers may cause at once, and what is said of links that come and go.
LINES = 200


def listed(pair: Any, name: str, what: str) -> list[Any]:
    """What `stoa` lists, which ends well whatever strangers do."""
    begin = time.monotonic()
    code, output, errors = pair.attacked.stoa("--json", what)
    took = time.monotonic() - begin
    that = pair.checks.that
    that(f"{name}: stoa {what} ends well", code == 0, errors.strip())
    that(f"{name}: stoa {what} in time", took <= LIST_SECONDS, took)
    print(f"MEASURED load, {name}: stoa {what} {1_000 * took:.0f} ms, {len(output)} bytes", flush=True)
    return [json.loads(line) for line in output.splitlines()] if code == 0 else []


# Shows: daemon.strangers
def throwaway_keys(pair: Any) -> None:
    name, that = "throw-away keys", pair.checks.that
    friend = pair.system.call(1, "status")["id"]
    pair.attacked.stoa("people", "add", f"@{friend}")
    pair.attack(name, "throwaway_keys", 40, 0.05, 32 * MIB, VISITED_DESCRIPTORS)
    for moment in ("before a start", "after it"):
        peers = listed(pair, f"{name}, {moment}", "peers")
        strangers = [each for each in peers if each["tier"] == "stranger"]
        that(f"{name}: strangers are bounded", 0 < len(strangers) <= STRANGERS, len(strangers))
        that(f"{name}: who is known comes first", bool(peers) and peers[0]["id"] == friend)
        named = [each for each in strangers if each["name"]]
        that(f"{name}: nothing is left of the others", len(named) <= STRANGERS, len(named))
        pair.system.nodes[0].stop()
        pair.system.start(0)
        pair.system.await_links(1)
    pair.remeter()


# Shows: daemon.requests
def request_flood(pair: Any) -> None:
    """1,000 people, or 10,000 with --long, from 50 addresses want to write, and a friend does."""
    name, that = "requests of strangers", pair.checks.that
    friend = pair.system.call(1, "status")["id"]
    pair.attacked.stoa("people", "add", f"@{friend}")
    data = pair.attacked.folder / "data"
    before = sum(path.stat().st_size for path in data.rglob("*") if path.is_file())
    attack = "request_flood_long" if pair.options.long else "request_flood"
    figures = pair.attack(name, attack, 40, 0.05, 32 * MIB, VISITED_DESCRIPTORS)
    grown = sum(path.stat().st_size for path in data.rglob("*") if path.is_file()) - before
    requests = listed(pair, name, "requests")
    that(f"{name}: many have tried", figures["people"] > REQUESTS, figures)
    that(f"{name}: so many wait at most", 0 < len(requests) <= REQUESTS, len(requests))
    status = pair.system.call(0, "status")
    that(f"{name}: who waits is counted", status["requests"] == len(requests), status)
    that(f"{name}: the rest is counted", status["requestsTurnedAway"] > 0, status)
    honest = [each for each in requests if each["text"] == HONEST_TEXT]
    that(f"{name}: who comes late from elsewhere is heard", len(honest) == 1, len(honest))
    said = pair.attacked.stoa("requests")[2]
    that(f"{name}: that others gave way is said", "for lack of room" in said, said)
    addresses = [each["address"] for each in requests]
    most = max(addresses.count(address) for address in addresses)
    that(f"{name}: so many of one address", most <= REQUESTS_PER_SOURCE, most)
    longest = max(len(each["text"].encode()) for each in requests)
    that(f"{name}: of each the beginning of a text", longest <= REQUEST_TEXT_BYTES, longest)
    that(f"{name}: the disk", grown <= 12 * MIB, grown)
    conversations = listed(pair, name, "conversations")
    that(f"{name}: nothing of them is shown", [each["kind"] for each in conversations] == ["room"])
    print(
        f"MEASURED load, {name}: {len(requests)} wait, disk +{grown / MIB:.1f} MiB", flush=True)
    told = pair.system.nodes[1].stoa(
        "send", "@" + pair.system.call(0, "status")["id"], "it is me", "--wait", "delivered", "--timeout", "120")
    that(f"{name}: who is known is let in", told[0] == 0, told)


# Shows: daemon.strangers
def room_names(pair: Any) -> None:
    name, that = "invented rooms", pair.checks.that
    with pair.under("room_names"):
        rooms = listed(pair, name, "rooms")
        that(f"{name}: the own room comes first", bool(rooms) and rooms[0]["joined"])
        most = 1 + 20 * ROOMS_PER_STRANGER
        that(f"{name}: so many of each stranger", 1 < len(rooms) <= most, len(rooms))
    pair.meter.measure(5, 0)


# Shows: daemon.alarms
def false_alarms(pair: Any) -> None:
    name, that = "false alarms", pair.checks.that
    log = pair.attacked.log
    before = log.read_text(errors="replace").count("\n")
    pair.attack(name, "false_alarms", 60, 0.05, 32 * MIB, OWN_DESCRIPTORS)
    lines = log.read_text(errors="replace").count("\n") - before
    that(f"{name}: the log stays short", lines <= LINES, lines)
    print(f"MEASURED load, {name}: {lines} lines of the log", flush=True)
    alerts = pair.system.call(0, "status")["alerts"]
    that(f"{name}: nobody else raises an alert", alerts == [], alerts)


# Shows: daemon.links
def one_host(pair: Any) -> None:
    """All places are taken from one address; then the honest other one starts anew."""
    name, that = "links of one host", pair.checks.that
    pair.meter.close()
    with pair.under("one_host") as figures:
        pair.system.nodes[1].stop()
        begin = time.monotonic()
        pair.system.start(1)

        def linked() -> bool:
            return bool(pair.system.call(1, "status")["links"])

        try:
            until("the other is linked again", linked, HANGS_SECONDS)
        except Broken:
            pass
        took = time.monotonic() - begin
        that(f"{name}: the other one is linked again", linked(), took)
        if linked():
            pair.remeter()
            pair.meter.measure(20, 0.1)
    that(f"{name}: no error", "error" not in figures, figures)
    that(f"{name}: newcomers get a link", figures["honest linked"] == figures["honest"], figures)
    said = ", ".join(f"{key} {value}" for key, value in figures.items())
    print(f"MEASURED load, {name}: linked again in {1_000 * took:.0f} ms; {said}", flush=True)
    if not linked():
        pair.remeter()


LOADS = (one_host, throwaway_keys, request_flood, room_names, false_alarms)
