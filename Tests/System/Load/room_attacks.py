"""Strangers who fill a room with logs of authors that they invent. Like those of attacks.py."""

from __future__ import annotations

import asyncio
import secrets
import time
from pathlib import Path
from typing import Any

import frames
from bodies import saying
from Driver.control import Control
from entries import Entry, LogName, OwnLog, hybrid_time
from peer import HANDSHAKE_FAILURES, Peer
from persons import certificate_of
from primitives import Identity
from replica import wall_milliseconds
from stranger_attacks import sources

ROOM = "bench"
WAIT_SECONDS = 60.0
# As many logs as a room may have, and some more.
AUTHORS, FLOOD_LINKS = 8_192 + 600, 8
NEWCOMER_TEXT = "a newcomer writes"
# So many authors say so many bytes at one moment, which is so many milliseconds ahead: more than a node may
# hold in memory for somebody who asks for a page.
MOMENT_AUTHORS, MOMENT_BYTES, MOMENT_AHEAD = 1_600, 60_000, 20_000
# Each of those who fill a disk writes so much, in messages of so many bytes, and all together at least so
# much: some times what strangers may have of 8 MiB.
FILLER_BYTES, FILLER_SHARE, FILLED_BYTES = 30_000, 1 << 20, 8 << 20


def invented(conversation: bytes, hlc: int) -> OwnLog:
    """A log of an author who is nobody: what it begins with."""
    identity = Identity.from_seed(secrets.token_bytes(32))
    own = OwnLog(identity, LogName(conversation, identity.public, secrets.randbits(64)))
    own.begin(certificate_of(identity), hlc, secrets.token_bytes(16))
    return own


async def push(session: Any, own: OwnLog) -> None:
    """Sends a log; waits until there is credit for it."""
    while len(session.link.queues[1]) > 4 and session.ended is None:
        await asyncio.sleep(0.002)
    for run in own.runs:
        session.link.send(frames.live_run(run.packed()))


async def flood_links(port: int, places: Any) -> list[tuple[Peer, Any, Any]]:
    """Strangers in the room, from addresses of their own, with their links and what they call the room."""
    flooders = []
    for _ in range(FLOOD_LINKS):
        peer = Peer(name="flood")
        room = peer.join(ROOM, say_so=False)
        session = await peer.dial("127.0.0.1", port, source=next(places))
        await peer.heard_back(session, WAIT_SECONDS)
        session.mute = True
        flooders.append((peer, session, room))
    return flooders


async def pushed(flooders: list[tuple[Peer, Any, Any]]) -> None:
    """Waits until all of it has left."""
    while any(session.link.queues[1] for _, session, _ in flooders if session.ended is None):
        await asyncio.sleep(0.02)


def invented_authors(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """One-entry logs of invented authors from some addresses, until a room is full; then a newcomer from
    another address writes there, every second, each time with a key of its own."""

    async def run() -> dict[str, Any]:
        places = sources()
        counts = {"logs": 0, "newcomers": 0}
        flooders = await flood_links(port, places)
        begin = time.monotonic()
        hlc = hybrid_time(wall_milliseconds())
        for number in range(AUTHORS):
            _, session, room = flooders[number % FLOOD_LINKS]
            await push(session, invented(room.identifier, hlc + number))
            counts["logs"] += 1
            if number % 32 == 0:
                await session.link.writer.drain()
                await asyncio.sleep(0)
        await pushed(flooders)
        seconds = time.monotonic() - begin
        signals.ready.set()
        while not signals.stop.is_set():
            newcomer = Peer(name="newcomer")
            room = newcomer.join(ROOM, say_so=False)
            try:
                session = await newcomer.dial("127.0.0.1", port, source=next(places))
                await newcomer.heard_back(session, 5)
                now = hybrid_time(wall_milliseconds())
                own = OwnLog(
                    newcomer.identity,
                    LogName(room.identifier, newcomer.identity.public, secrets.randbits(64)))
                own.begin(newcomer.certificate, now, secrets.token_bytes(16))
                text = f"{NEWCOMER_TEXT} {counts['newcomers']}"
                own.append([Entry.of(saying(text), now + 1, secrets.token_bytes(16))])
                await push(session, own)
                await newcomer.heard_back(session, 5)
                counts["newcomers"] += 1
            except HANDSHAKE_FAILURES:
                pass
            finally:
                await newcomer.close()
            _, flooder, _ = flooders[counts["newcomers"] % FLOOD_LINKS]
            for _ in range(16):
                hlc += 1
                await push(flooder, invented(room.identifier, hybrid_time(wall_milliseconds())))
                counts["logs"] += 1
            await asyncio.sleep(0.2)
        linked = sum(1 for _, session, _ in flooders if session.ended is None)
        for peer, _, _ in flooders:
            await peer.close()
        return {**counts, "in s": round(seconds), "flooders linked": linked}

    return asyncio.run(run())


def one_moment(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """Authors who are nobody say something long, all at the same time and a little ahead of it; then the
    user looks at the room and at the list of rooms, again and again."""

    async def run() -> dict[str, Any]:
        flooders = await flood_links(port, sources())
        hlc = hybrid_time(wall_milliseconds() + MOMENT_AHEAD)
        words = saying("x" * MOMENT_BYTES)
        for number in range(MOMENT_AUTHORS):
            _, session, room = flooders[number % FLOOD_LINKS]
            own = invented(room.identifier, hlc - 1)
            own.append([Entry.of(words, hlc, secrets.token_bytes(16))])
            await push(session, own)
            await session.link.writer.drain()
            await asyncio.sleep(0)
        await pushed(flooders)
        looks, most = 0, 0.0
        with Control(path) as control:
            while not signals.stop.is_set():
                begin = time.monotonic()
                control.call("conversations")
                control.call("history", to=ROOM, limit=1_000)
                most = max(most, time.monotonic() - begin)
                looks += 1
                signals.ready.set()
                await asyncio.sleep(0.1)
        for peer, _, _ in flooders:
            await peer.close()
        return {"authors": MOMENT_AUTHORS, "looks": looks, "in at most ms": round(most * 1_000)}

    return asyncio.run(run())


def disk_filler(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """Writers of long messages, each with a key and an address of its own, one after the other: as much as
    the credit of strangers lets them."""

    async def run() -> dict[str, Any]:
        places, figures = sources(), {"bytes": 0, "writers": 0}
        words = [saying("x" * FILLER_BYTES)] * 4
        while not signals.stop.is_set():
            peer = Peer(name="filler")
            room = peer.join(ROOM, say_so=False)
            try:
                session = await peer.dial("127.0.0.1", port, source=next(places))
                await peer.heard_back(session, WAIT_SECONDS)
                figures["writers"] += 1
                written = 0
                while written < FILLER_SHARE and session.ended is None and not signals.stop.is_set():
                    if len(session.link.queues[1]) < 4:
                        peer.write(room, words)
                        written += len(words) * FILLER_BYTES
                    await asyncio.sleep(0.002)
                while session.link.queues[1] and session.ended is None:
                    await asyncio.sleep(0.01)
                figures["bytes"] += written
            except HANDSHAKE_FAILURES:
                pass
            finally:
                await peer.close()
            if figures["bytes"] >= FILLED_BYTES:
                signals.ready.set()
        return figures

    return asyncio.run(run())
