"""Strangers who make the node remember and list what they like. Like those of attacks.py."""

from __future__ import annotations

import asyncio
import secrets
import time
from pathlib import Path
from typing import Any, Iterator

import frames
from codec import u16
from entries import hybrid_time
from link import Link, Opening
from noise_link import AREA_PORT
from peer import HANDSHAKE_FAILURES, Peer
from persons import certificate_of
from primitives import Identity
from records import profile
from replica import wall_milliseconds

WAIT_SECONDS = 60.0
SIGNALS_SECONDS = 0.05
# More than the bound, by more than what is dropped at a time.
KEYS, KEY_SOURCES = 5_000, 60
ROOM_LINKS, ROOM_NAMES, NAMES_PER_FRAME = 20, 1_024, 50


def sources() -> Iterator[str]:
    return (f"127.8.{a}.{b}" for a in range(250) for b in range(1, 250))


def throwaway_keys(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """Links with a new key each, which say where they listen and who they are, and go away."""

    async def run() -> dict[str, Any]:
        places = sources()
        hosts = [next(places) for _ in range(KEY_SOURCES)]
        begin, refused, count = time.monotonic(), 0, 0

        async def one(number: int) -> None:
            identity = Identity.from_seed(secrets.token_bytes(32))
            opening = Opening(
                identity, secrets.randbits(64), 1, area={AREA_PORT: u16(2_000 + number)},
                certificate=certificate_of(identity))
            link = await Link.dial("127.0.0.1", port, opening, hosts[number % KEY_SOURCES])
            record = profile(identity, "N" * 64, "s" * 256, hybrid_time(wall_milliseconds()))
            link.send(frames.records([record.packed()]))
            await link.writer.drain()
            await asyncio.sleep(0.02)
            link.writer.close()

        for start in range(0, KEYS, 8):
            found = await asyncio.gather(
                *(one(number) for number in range(start, start + 8)), return_exceptions=True)
            refused += sum(1 for each in found if isinstance(each, HANDSHAKE_FAILURES))
            count += len(found)
        signals.ready.set()
        seconds = time.monotonic() - begin
        while not signals.stop.is_set():
            await asyncio.sleep(SIGNALS_SECONDS)
        return {"keys": count - refused, "in s": round(seconds), "refused": refused}

    return asyncio.run(run())


def room_names(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """Links that each announce rooms of which nobody has heard."""

    async def run() -> dict[str, Any]:
        places = sources()
        peers: list[Peer] = []
        for number in range(ROOM_LINKS):
            peer = Peer(name=f"rooms {number}")
            peers.append(peer)
            session = await peer.dial("127.0.0.1", port, source=next(places))
            await peer.heard_back(session, WAIT_SECONDS)
            tag = session.realm_tag(session.common[0], session.tags.role)
            names = [f"{number:03d}-{each:04d}-" + "r" * 50 for each in range(ROOM_NAMES)]
            for start in range(0, ROOM_NAMES, NAMES_PER_FRAME):
                session.link.send(frames.rooms(tag, names[start : start + NAMES_PER_FRAME]))
            await peer.heard_back(session, WAIT_SECONDS)
        signals.ready.set()
        while not signals.stop.is_set():
            await asyncio.sleep(SIGNALS_SECONDS)
        alive = sum(1 for peer in peers if peer.sessions)
        for peer in peers:
            await peer.close()
        return {"links": ROOM_LINKS, "names each": ROOM_NAMES, "still linked": alive}

    return asyncio.run(run())
