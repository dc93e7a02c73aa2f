"""The attacks of clock_attacks.py, and what must hold of the honest two meanwhile and afterwards."""

from __future__ import annotations

import shutil
import time
from typing import Any

from Driver.process import until

MIB = 1 << 20
STARTS = 100
DESCRIPTORS = 64
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
        lambda: pair.system.call(0, "status")["alerts"] == [], 10)
    sent = pair.system.call(
        0, "send", to="bench", text=f"after {name}", wait="delivered", timeoutMilliseconds=5_000)
    that(f"{name}: delivered afterwards", len(sent["deliveredTo"]) == 1, sent)


def attack(pair: Any, name: str, function: str) -> None:
    incarnation = pair.system.call(0, "status")["incarnation"]
    pair.attack(name, function, 40, 0.05, 32 * MIB, DESCRIPTORS)
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

        until(f"{name}: what others write is seen", is_seen, 10)
    pair.checks.that(f"{name}: what others write is seen", True)
    pair.meter.measure(5, 0)
    judge(pair, name, incarnation)


def starts(pair: Any) -> None:
    """100 starts without the state directory, which shows that the store is the latest: each begins
    a new incarnation, and each is heard."""
    name, count, system = f"{STARTS} starts without the state directory", STARTS, pair.system
    pair.meter.close()
    node, incarnations = system.nodes[0], set()
    begin = time.monotonic()
    for number in range(count):
        node.stop()
        shutil.rmtree(node.folder / ".local" / "state")
        system.start(0)
        until("the pair is linked again", lambda: system.call(0, "status")["links"] == 1, 30)
        incarnations.add(system.call(0, "status")["incarnation"])
        sent = system.call(
            0, "send", to="bench", text=f"start {number}", wait="delivered",
            timeoutMilliseconds=10_000)
        if len(sent["deliveredTo"]) != 1:
            break
    seconds = time.monotonic() - begin
    heard = [
        one["text"] for one in system.call(1, "history", to="bench", limit=1_000)["messages"]
        if one["text"].startswith("start ")]
    pair.checks.that(f"{name}: all are heard", heard == [f"start {n}" for n in range(count)], heard)
    pair.checks.that(f"{name}: each is another incarnation", len(incarnations) == count)
    alerts = [one["code"] for one in system.call(0, "status")["alerts"]]
    pair.checks.that(f"{name}: status says so", alerts == ["newIncarnation"], alerts)
    print(f"MEASURED load, {name}: {seconds:.1f} s", flush=True)
    pair.remeter()


LOADS = (starts, clock_end, clock_year, clock_creep, clock_past)
