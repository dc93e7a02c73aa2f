"""The attacks of room_attacks.py, and what must hold meanwhile and afterwards."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import Any

from bounds import MIB, VISITED_DESCRIPTORS
from room_attacks import NEWCOMER_TEXT

# From Limits.
LOGS = 8_192


def texts(pair: Any, node: int, limit: int = 200) -> list[str]:
    found = pair.system.call(node, "history", to="bench", limit=limit)["messages"]
    return [each.get("text", "") for each in found]


def short_texts(pair: Any, node: int) -> int:
    """How many messages there are that no attacker has written, over all pages."""
    count, before = 0, {}
    while page := pair.system.call(node, "history", to="bench", limit=200, **before)["messages"]:
        count += sum(len(each.get("text", "")) < 1_000 for each in page)
        before = {"before": page[0]["id"]}
    return count


def stored(pair: Any, table: str) -> int:
    """How many rows there are of the attacked node, which is stopped."""
    path = pair.attacked.folder / "data" / "stoa.db"
    with contextlib.closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as database:
        return int(database.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


# Shows: daemon.rooms
def invented_authors(pair: Any) -> None:
    """A room is filled by authors who are nobody; who comes from elsewhere is heard all the same."""
    name, that = "invented authors", pair.checks.that
    figures = pair.attack(name, "invented_authors", 40, 0.25, 64 * MIB, VISITED_DESCRIPTORS)
    that(f"{name}: newcomers have come", figures["newcomers"] > 2, figures)
    heard = [each for each in texts(pair, 0) if each.startswith(NEWCOMER_TEXT)]
    most = figures["newcomers"]
    that(f"{name}: newcomers are heard", len(heard) == most, (len(heard), most))
    alerts = [each["code"] for each in pair.system.call(0, "status")["alerts"]]
    that(f"{name}: the user is told", "crowded" in alerts, alerts)
    # All of it holds after a start.
    pair.meter.close()
    pair.system.nodes[0].stop()
    logs = stored(pair, "logs")
    that(f"{name}: no more logs than are allowed", logs <= LOGS, logs)
    that(f"{name}: their authors go with them", stored(pair, "authors") <= LOGS + 64)
    that(f"{name}: and so do the people", stored(pair, "persons") <= LOGS + 64)
    print(f"MEASURED load, {name}: {logs} logs, {len(heard)} of {most} newcomers heard", flush=True)
    code, output = pair.attacked.check()
    that(f"{name}: the store is whole", code == 0, output)
    pair.system.start(0)
    pair.system.await_links(1)
    pair.remeter()
    pair.meter.measure(5, 0)


def one_moment(pair: Any) -> None:
    """What many have said at one moment is put in order without being held in memory."""
    name = "one moment"
    figures = pair.attack(name, "one_moment", 20, 0.05, 40 * MIB, VISITED_DESCRIPTORS)
    pair.checks.that(f"{name}: the user looks at it", figures["looks"] > 2, figures)


# Shows: daemon.disk
def disk_filler(pair: Any) -> None:
    """Strangers write more than is kept of them: what others have written stays, and the disk is not
    filled."""
    name, that = "a disk is filled", pair.checks.that
    pair.meter.close()
    node = pair.attacked
    node.stop()
    arguments, node.arguments = node.arguments, [*node.arguments, "--disk-limit", "8M"]
    pair.system.start(0)
    pair.system.await_links(1)
    pair.remeter()
    pair.meter.measure(5, 0)
    before = short_texts(pair, 0)
    # SQLite's cache is 8 MiB, and what is dropped is read once.
    figures = pair.attack(name, "disk_filler", 60, 0.1, 32 * MIB, VISITED_DESCRIPTORS)
    usage = pair.system.call(0, "usage")
    share = usage["strangers"]
    that(f"{name}: more was sent than is kept", figures["bytes"] > 2 * share["limit"], figures)
    that(f"{name}: strangers have their share", share["bytes"] <= share["limit"] + MIB // 4, usage)
    alerts = [each["code"] for each in pair.system.call(0, "status")["alerts"]]
    that(f"{name}: the user is told", "diskShare" in alerts, alerts)
    kept = short_texts(pair, 0)
    that(f"{name}: what others wrote stays", kept >= before, (kept, before))
    pair.meter.close()
    node.stop()
    # With all that stood in the write-ahead log.
    size = (node.folder / "data" / "stoa.db").stat().st_size
    that(f"{name}: the database has its bound", size <= usage["limit"], size)
    print(
        f"MEASURED load, {name}: {share['bytes'] / MIB:.1f} of {share['limit'] / MIB:.1f} MiB, "
        f"database {size / MIB:.1f} MiB", flush=True)
    code, output = node.check()
    that(f"{name}: the store is whole", code == 0, output)
    node.arguments = arguments
    pair.system.start(0)
    pair.system.await_links(1)
    pair.remeter()
    pair.meter.measure(5, 0)


LOADS = (invented_authors, one_moment, disk_filler)
