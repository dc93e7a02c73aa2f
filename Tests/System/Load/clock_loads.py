"""The attacks of clock_attacks.py, and what must hold of the honest two meanwhile and afterwards."""

from __future__ import annotations

import shutil
import time
from typing import Any, Callable

from bounds import MIB, OWN_DESCRIPTORS
from Driver.checks import Broken
from Driver.honest import HANGS_SECONDS
from Driver.process import until

# Restores, in the long form as many as starts.
STARTS, RESTORES = 100, 25
# Own entries are at most so far ahead of the own clock, whoever dates what how (Limits).
FOLLOWED_SECONDS = 61
# Without a message for longer than this, a node that believed clocks of the past saw nothing new.
BLIND_SECONDS = 305


def seconds_of(stamp: str) -> float:
    whole, _, rest = stamp.partition(".")
    parsed = time.strptime(whole, "%Y-%m-%dT%H:%M:%S")
    return time.mktime(parsed) - time.timezone + float("0." + rest.rstrip("Z"))


def judge(pair: Any, name: str, incarnation: str) -> None:
    """What the attack must not have done: to times, to the log, to what others see."""
    that = pair.checks.that
    newest = pair.system.call(1, "history", to="bench", limit=200)["messages"]
    honest = [one for one in newest if one["text"].startswith("meter ")]
    ahead = max(seconds_of(one["time"]) for one in honest) - time.time()
    that(f"{name}: own messages are of now", ahead <= FOLLOWED_SECONDS, ahead)
    status = pair.system.call(0, "status")
    that(f"{name}: no new incarnation", status["incarnation"] == incarnation, status)
    until(
        f"{name}: nothing stands that warns",
        lambda: pair.system.call(0, "status")["alerts"] == [], HANGS_SECONDS)
    sent = pair.system.call(
        0, "send", to="bench", text=f"after {name}", wait="delivered", timeoutMilliseconds=120_000)
    that(f"{name}: delivered afterwards", len(sent["deliveredTo"]) == 1, sent)


def attack(pair: Any, name: str, function: str) -> None:
    incarnation = pair.system.call(0, "status")["incarnation"]
    pair.attack(name, function, 40, 0.05, 32 * MIB, OWN_DESCRIPTORS)
    judge(pair, name, incarnation)


def clock_end(pair: Any) -> None:
    attack(pair, "clocks at the end of time", "clock_end")


def clock_year(pair: Any) -> None:
    attack(pair, "clocks a year ahead", "clock_year")


def clock_creep(pair: Any) -> None:
    attack(pair, "entries five minutes ahead, again and again", "clock_creep")


def clock_past(pair: Any) -> None:
    """The node that is attacked writes nothing meanwhile; with --long for more than five minutes."""
    name, system = "clocks of 1970", pair.system
    incarnation = system.call(0, "status")["incarnation"]
    with pair.under("clock_past"):
        if pair.options.long:
            time.sleep(BLIND_SECONDS)
        sent = system.call(
            1, "send", to="bench", text="do you see me?", wait="sent")

        def is_seen() -> bool:
            page = system.call(0, "history", to="bench", limit=5)["messages"]
            return any(one["id"] == sent["id"] for one in page)

        until(f"{name}: what others write is seen", is_seen, HANGS_SECONDS)
    pair.checks.that(f"{name}: what others write is seen", True)
    pair.meter.measure(5, 0)
    judge(pair, name, incarnation)


def begun_anew(pair: Any, name: str, count: int, lose: Callable[[Any], None]) -> None:
    """The node begins anew again and again, having lost something of what shows that its store is the
    latest: each time under a new incarnation, and what it writes is heard, each message by all."""
    system, node, incarnations = pair.system, pair.attacked, set()
    pair.meter.close()
    # Somebody who has all of it from the other one alone.
    system.add(peers=(1,), options=("--discovery", "off"))
    system.call(2, "join", room="bench")
    begin = time.monotonic()
    for number in range(count):
        node.stop()
        lose(node)
        system.start(0)
        until("the pair is linked again", lambda: system.call(0, "status")["links"] >= 1, HANGS_SECONDS)
        incarnations.add(system.call(0, "status")["incarnation"])
        sent = system.call(
            0, "send", to="bench", text=f"start {number}", wait="delivered",
            timeoutMilliseconds=120_000)
        if not sent["deliveredTo"]:
            break
    seconds = time.monotonic() - begin
    that = pair.checks.that
    due = [f"start {number}" for number in range(count)]

    def heard(index: int) -> list[str]:
        found = system.call(index, "history", to="bench", limit=1_000)["messages"]
        return [one["text"] for one in found if one["text"].startswith("start ")]

    for index, who in ((1, "the other"), (2, "a third"), (0, "itself")):
        try:
            until(f"{who} has all", lambda index=index: heard(index) == due, HANGS_SECONDS)
        except Broken:
            pass
        that(f"{name}: {who} has all, in order", heard(index) == due, heard(index)[-5:])
    that(f"{name}: each is another incarnation", len(incarnations) == count, len(incarnations))
    alerts = [one["code"] for one in system.call(0, "status")["alerts"]]
    that(f"{name}: status says so", alerts == ["newIncarnation"], alerts)
    told = [line for line in node.output("status").splitlines() if "incarnation" in line]
    that(f"{name}: status says so in one line", len(told) == 1 and "older copy" in told[0], told)
    own = system.call(0, "status")["id"]
    for index in (1, 2):
        status = system.call(index, "status")
        that(f"{name}: nobody else is alarmed", status["alerts"] == [], status["alerts"])
    lines = [line for line in system.nodes[1].output("peers").splitlines() if own[:8] in line]
    that(f"{name}: peers says it in one line", len(lines) == 1 and "linked" in lines[0], lines)
    node.stop()
    code, output = node.check()
    that(f"{name}: the store is whole", code == 0, output)
    system.start(0)
    system.remove_last()
    system.await_links(1)
    print(f"MEASURED load, {name}: {seconds:.1f} s", flush=True)
    pair.remeter()


def starts(pair: Any) -> None:
    """100 starts without the state directory, which shows that the store is the latest."""
    begun_anew(
        pair, f"{STARTS} starts without the state directory", STARTS,
        lambda node: shutil.rmtree(node.folder / ".local" / "state"))


def restores(pair: Any) -> None:
    """An old copy of the data directory is restored again and again: own messages come back."""
    count, node = (STARTS if pair.options.long else RESTORES), pair.attacked
    node.stop()
    copy = node.folder / "copy"
    shutil.copytree(node.data, copy)
    pair.system.start(0)
    pair.system.await_links(1)

    def restore(node: Any) -> None:
        shutil.rmtree(node.data)
        shutil.copytree(copy, node.data)

    begun_anew(pair, f"{count} restores of an old copy", count, restore)


LOADS = (starts, restores, clock_end, clock_year, clock_creep, clock_past)
