"""Strangers who have a node keep much for a few bytes of theirs. Like the attacks of attacks.py."""

from __future__ import annotations

import asyncio
import secrets
import time
from pathlib import Path
from typing import Any

import frames
from crowd_attacks import AGAIN_SECONDS, ROOM, TICK_SECONDS, UNKNOWN_KIND, Bot
from Driver.control import Control
from entries import hybrid_time, room_id
from frames import Frame
from peer import HANDSHAKE_FAILURES
from primitives import Identity
from realms import OPEN
from records import KINDS_MAXIMUM, VALUE_MAXIMUM, Record
from replica import wall_milliseconds
from ring import Ring, invented_rows

# So many keys have two links each; so much is poured into the newer one, as fast as the wire takes it.
CONTESTED, POURED_BYTES, CONTEST_SECONDS = 4, 32 << 20, 1.5
# So many links tell of as many logs as they may in so many rooms, which are not there.
ROW_LINKS, ROW_ROOMS = 48, 4
# Keys that leave records; and authors whose records come before their first entries, over so many links.
RECORD_KEYS, EARLY_AUTHORS, EARLY_LINKS = 500, 48, 4


def plaintexts(frame: Frame) -> list[bytes]:
    """What carries a frame; sent as it is no credit is asked for."""
    return [part.packed() for part in frames.fragments(frame)]


def undecided(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """Keys that are linked twice, as by two starts: the older link says nothing, so that the newer one is not
    decided on for a second, and takes what it is sent."""

    async def run() -> dict[str, Any]:
        ring = Ring(port, signals)
        counts = {"links": 0, "MiB": 0.0, "turned away": 0}
        parts = plaintexts(invented_rows(ring.room, 0))

        async def contest(identity: Identity) -> None:
            older = await ring.linked(identity)
            older.reads = False
            newer = await ring.linked(identity)
            counts["links"] += 2
            poured = 0
            began = time.monotonic()
            try:
                while newer.goes_on and poured < POURED_BYTES and time.monotonic() < began + CONTEST_SECONDS:
                    for part in parts:
                        newer.link.write_plaintext(part)
                        poured += len(part)
                    await newer.drain()
            finally:
                counts["MiB"] += poured / (1 << 20)
                counts["turned away"] += newer.ended
                newer.close()
                older.close()

        async def again() -> None:
            identity = Identity.from_seed(secrets.token_bytes(32))
            while not ring.is_over:
                try:
                    await contest(identity)
                except (*HANDSHAKE_FAILURES, OSError):
                    pass
                await asyncio.sleep(TICK_SECONDS)

        tasks = [asyncio.create_task(again()) for _ in range(CONTESTED)]
        signals.ready.set()
        await asyncio.gather(*tasks)
        return {**counts, "MiB": round(counts["MiB"])}

    return asyncio.run(run())


def unknown_rows(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """Links that tell, in some rooms, of as many logs as they may that do not exist."""

    async def run() -> dict[str, Any]:
        ring = Ring(port, signals)
        names = [f"{ROOM}-{number}" for number in range(1, ROW_ROOMS)]
        with Control(path) as control:
            for name in names:
                control.call("join", room=name)
        told = [invented_rows(room_id(name), 5) for name in (ROOM, *names)]
        for _ in range(ROW_LINKS):
            bot = await ring.linked()
            bot.link.send(frames.rooms(OPEN.link_tag(bot.tags.exporter, bot.tags.role), names))
            await bot.send(*told)
        for bot in ring.bots:
            await bot.heard_back()
        signals.ready.set()
        await ring.until_over()
        counts = {"links": ring.linked_count}
        ring.close()
        return counts

    return asyncio.run(run())


def large_records(bot: Bot, identity: Identity) -> Frame:
    """As many records as somebody may have, of kinds that nobody knows, with values as large as may be."""
    hlc = hybrid_time(wall_milliseconds())
    return frames.records([
        Record(kind, identity.public, None, hlc, secrets.token_bytes(VALUE_MAXIMUM)).signed(identity).packed()
        for kind in range(UNKNOWN_KIND, UNKNOWN_KIND + KINDS_MAXIMUM)])


def left_records(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """Keys that leave records and go; every other one writes in the room, too."""

    async def run() -> dict[str, Any]:
        ring = Ring(port, signals)
        counts = {"keys": 0, "refused": 0}

        async def one() -> None:
            bot = ring.bot()
            try:
                await bot.dial()
            except (*HANDSHAKE_FAILURES, OSError):
                counts["refused"] += 1
                return await asyncio.sleep(AGAIN_SECONDS)
            try:
                if bot.number % 2:
                    await bot.send(frames.live_run(bot.log(hybrid_time(wall_milliseconds())).runs[0].packed()))
                await bot.send(large_records(bot, bot.identity))
                await bot.heard_back()
                counts["keys"] += 1
            except (*HANDSHAKE_FAILURES, OSError):
                counts["refused"] += 1
            finally:
                bot.close()

        async def again() -> None:
            while not ring.is_over and counts["keys"] < RECORD_KEYS:
                await one()

        await asyncio.gather(*(again() for _ in range(8)))
        signals.ready.set()
        await ring.until_over()
        return counts

    return asyncio.run(run())


def early_records(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """Records of many whose first entries come later, all at once, so that all of them are passed on at once."""

    async def run() -> dict[str, Any]:
        ring = Ring(port, signals)
        bringers = await ring.several(EARLY_LINKS)
        counts = {"bursts": 0, "closed": 0}

        async def burst() -> None:
            authors = [Identity.from_seed(secrets.token_bytes(32)) for _ in range(EARLY_AUTHORS)]
            for number, author in enumerate(authors):
                await bringers[number % EARLY_LINKS].send(large_records(bringers[0], author))
            for bot in bringers:
                await bot.heard_back()
            hlc = hybrid_time(wall_milliseconds())
            await bringers[0].send(*(
                frames.live_run(bringers[0].log(hlc, author).runs[0].packed()) for author in authors))
            await bringers[0].heard_back()
            counts["bursts"] += 1

        while not ring.is_over and not any(bot.ended for bot in bringers):
            await burst()
            signals.ready.set()
        signals.ready.set()
        await ring.until_over()
        counts["closed"] = EARLY_LINKS - ring.linked_count
        ring.close()
        return counts

    return asyncio.run(run())
