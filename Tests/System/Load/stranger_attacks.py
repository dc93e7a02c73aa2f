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
from persons import certificate_of, person_of
from primitives import Identity
import private
from records import profile
from replica import wall_milliseconds

ROOM = "bench"
WAIT_SECONDS = 60.0
SIGNALS_SECONDS = 0.05
# More than the bound, by more than what is dropped at a time.
KEYS, KEY_SOURCES = 5_000, 60
REQUEST_PEOPLE, REQUEST_PEOPLE_LONG, REQUEST_SOURCES = 1_000, 10_000, 50
REQUEST_TEXT_BYTES = 30_000
HONEST_TEXT = "please, it is urgent"
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


def request_flood_long(port: int, path: Path, signals: Any) -> dict[str, Any]:
    return request_flood(port, path, signals, REQUEST_PEOPLE_LONG)


def request_flood(
    port: int, path: Path, signals: Any, people: int = REQUEST_PEOPLE
) -> dict[str, Any]:
    """People whom nobody knows, each with a key of their own, who write to the user and go away."""

    async def run() -> dict[str, Any]:
        places = sources()
        hosts = [next(places) for _ in range(REQUEST_SOURCES)]
        counts = {"people": 0, "refused": 0}

        async def one(number: int, text: str = "", host: str = "") -> None:
            peer = Peer()
            try:
                session = await peer.dial(
                    "127.0.0.1", port, source=host or hosts[number % REQUEST_SOURCES])
                theirs = session.link.introduction.certificate
                key = private.direct(person_of(peer.identity), theirs)
                conversation = peer.begin(
                    key, peer.certificate.person_id, theirs.person_id, realm=None)
                spam = f"buy now, {number} " + "x" * REQUEST_TEXT_BYTES
                peer.say(conversation, text or spam)
                # Its turn to be pushed comes with the answer to what it shares.
                for _ in range(4):
                    await peer.heard_back(session, WAIT_SECONDS)
                counts["people"] += 1
            except HANDSHAKE_FAILURES:
                counts["refused"] += 1
            finally:
                await peer.close()

        for start in range(0, people, 8):
            await asyncio.gather(*(one(number) for number in range(start, start + 8)))
        # Somebody else comes when the list is full, and is gone again while the flood goes on.
        await one(-1, HONEST_TEXT, next(places))
        signals.ready.set()
        number = people
        while not signals.stop.is_set():
            await one(number)
            number += 1
        return counts

    return asyncio.run(run())


def one_host(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """Links from one address, as many as there are places, made anew as they are closed; and an honest
    newcomer from another one now and then."""

    async def run() -> dict[str, Any]:
        places = sources()
        host = next(places)
        counts = {"opened": 0, "honest": 0, "honest linked": 0}
        links: list[Any] = []

        async def open_one(source: str) -> Any:
            peer = Peer()
            session = await peer.dial("127.0.0.1", port, source=source)
            await peer.heard_back(session, 5)
            return peer

        async def fill(most: int) -> None:
            links[:] = [peer for peer in links if peer.sessions]
            for _ in range(min(8, most - len(links))):
                try:
                    links.append(await open_one(host))
                    counts["opened"] += 1
                except HANDSHAKE_FAILURES:
                    await asyncio.sleep(0.1)

        begin = time.monotonic()
        while len(links) < 130 and time.monotonic() - begin < 30:
            await fill(130)
            if len(links) >= 80 and time.monotonic() - begin > 15:
                break
        signals.ready.set()
        while not signals.stop.is_set():
            await fill(130)
            counts["honest"] += 1
            try:
                honest = await open_one(next(places))
                counts["honest linked"] += 1
                await honest.close()
            except HANDSHAKE_FAILURES:
                pass
            await asyncio.sleep(0.2)
        for peer in links:
            await peer.close()
        return {**counts, "of one host": len(links)}

    return asyncio.run(run())


def false_alarms(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """Goodbyes that say that the node's key runs twice; and lies about its log, all that fit, each
    followed by the word that the entries are not to be had."""

    async def run() -> dict[str, Any]:
        places = sources()
        counts = {"goodbyes": 0, "lies": 0, "liars": 0}

        async def begin() -> tuple[Peer, Any, Any]:
            liar = Peer(name="liar")
            room = liar.join(ROOM, say_so=False)
            session = await liar.dial("127.0.0.1", port, source=next(places))
            await liar.heard_back(session, WAIT_SECONDS)
            await liar.until(lambda: bool(room.logs), WAIT_SECONDS, "a log")
            session.mute = True
            counts["liars"] += 1
            return liar, session, room

        liar, session, room = await begin()
        signals.ready.set()
        while not signals.stop.is_set():
            for log in list(room.logs.values()):
                tag = session.tags.log(log.name)
                for _ in range(40):
                    lie = frames.ClockRow(tag, log.seq, secrets.token_bytes(8), frames.State.OPEN)
                    session.link.send(frames.delta(room.identifier, [lie]))
                    session.link.send(frames.unavailable(room.identifier, tag, log.seq))
                    counts["lies"] += 1
            try:
                await session.link.writer.drain()
            except ConnectionError:
                # Of what has no credit more came at once than may: the next one goes on.
                await liar.close()
                liar, session, room = await begin()
            await asyncio.sleep(0.002)
            if counts["goodbyes"] * 400 < counts["lies"]:
                other = Peer()
                text = f"key\n<0>stoad: error: fake {counts['goodbyes']}"
                try:
                    ended = await other.dial("127.0.0.1", port, source=next(places))
                    ended.link.send(frames.goaway(frames.Reason.IDENTITY_IN_USE, text))
                    ended.link.send(frames.goaway(frames.Reason.BUSY, text))
                    await ended.link.writer.drain()
                except HANDSHAKE_FAILURES:
                    pass
                await other.close()
                counts["goodbyes"] += 1
        ended = session.ended
        await liar.close()
        return {**counts, "closed": str(ended) if ended else False}

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
