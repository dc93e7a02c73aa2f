"""Strangers who lie about the time: their clocks, and the times of what they write.

Like those of attacks.py; each returns figures. Docs/Protocol/Entries.md section 7.
"""

from __future__ import annotations

import asyncio
import secrets
from pathlib import Path
from typing import Any, Callable, Iterator

import frames
from bodies import saying
from entries import Entry, LogName, OwnLog, hybrid_time
from peer import Peer
from replica import Conversation, wall_milliseconds

ROOM = "bench"
WAIT_SECONDS = 60.0
SIGNALS_SECONDS = 0.05
YEAR = 365 * 86_400_000
END = (1 << 64) - 1


def sources() -> Iterator[str]:
    return (f"127.9.{a}.{b}" for a in range(250) for b in range(1, 250))


class Stranger:
    """A peer with a clock of its own choice, which dates its entries as it likes."""

    def __init__(self, name: str, clock: Callable[[], int]) -> None:
        self.peer = Peer(name=name)
        self.peer.clock = clock
        self.room: Conversation = self.peer.join(ROOM, say_so=False)

    async def dial(self, port: int, source: str) -> None:
        self.session = await self.peer.dial("127.0.0.1", port, source=source)
        await self.peer.heard_back(self.session, WAIT_SECONDS)

    def write(self, texts: list[str], hlc: int) -> None:
        """A log that is pushed whole, with messages from `hlc` on."""
        name = LogName(self.room.identifier, self.peer.identity.public, secrets.randbits(64))
        own = OwnLog(self.peer.identity, name)
        own.begin(self.peer.certificate, hlc - 1, secrets.token_bytes(16))
        own.append([
            Entry.of(saying(text), hlc + number, secrets.token_bytes(16))
            for number, text in enumerate(texts)])
        for run in own.runs:
            self.session.link.send(frames.live_run(run.packed()))


async def beset(port: int, clock: Callable[[], int], count: int) -> list[Stranger]:
    """Strangers whose clocks are all the same."""
    places = sources()
    strangers = [Stranger(f"clock {number}", clock) for number in range(count)]
    for stranger in strangers:
        await stranger.dial(port, next(places))
    return strangers


async def until_stopped(strangers: list[Stranger], signals: Any) -> dict[str, Any]:
    while not signals.stop.is_set():
        await asyncio.sleep(SIGNALS_SECONDS)
    alive = sum(1 for each in strangers if each.session.ended is None)
    for each in strangers:
        await each.peer.close()
    return {"strangers": len(strangers), "still linked": alive}


def clock_end(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """Clocks far beyond all times, and an entry of the last time that there is."""

    async def run() -> dict[str, Any]:
        strangers = await beset(port, lambda: 1 << 62, 3)
        strangers[0].write(["from the end of time"], END)
        await strangers[0].peer.heard_back(strangers[0].session, WAIT_SECONDS)
        await asyncio.sleep(0.5)
        signals.ready.set()
        return await until_stopped(strangers, signals)

    return asyncio.run(run())


def clock_year(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """Clocks a year ahead, and sixty messages from then."""

    async def run() -> dict[str, Any]:
        strangers = await beset(port, lambda: wall_milliseconds() + YEAR, 3)
        hlc = hybrid_time(wall_milliseconds() + YEAR)
        strangers[0].write([f"spam {number}" for number in range(60)], hlc)
        await strangers[0].peer.heard_back(strangers[0].session, WAIT_SECONDS)
        await asyncio.sleep(0.5)
        signals.ready.set()
        return await until_stopped(strangers, signals)

    return asyncio.run(run())


def clock_past(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """Clocks at the beginning of time."""

    async def run() -> dict[str, Any]:
        strangers = await beset(port, lambda: 1, 3)
        signals.ready.set()
        return await until_stopped(strangers, signals)

    return asyncio.run(run())


def clock_creep(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """One stranger with a true clock, whose entries are a little less than five minutes ahead of what
    the node has written last: what follows them is what the next ones are ahead of."""

    async def run() -> dict[str, Any]:
        strangers = await beset(port, wall_milliseconds, 1)
        stranger, written = strangers[0], 0
        signals.ready.set()
        while not signals.stop.is_set() and stranger.session.ended is None:
            newest = max(
                (log.runs[-1].entries[-1].hlc >> 16 for log in stranger.room.logs.values()
                 if log.runs and log.name.author == stranger.session.link.remote),
                default=0)
            ahead = max(wall_milliseconds(), newest) + 295_000
            stranger.write([f"ahead {written}"], hybrid_time(ahead))
            written += 1
            await asyncio.sleep(0.2)
        return {"logs": written, **await until_stopped(strangers, signals)}

    return asyncio.run(run())
