"""Strangers who take the room that others have: each fills one bounded place. Like those of attacks.py."""

from __future__ import annotations

import asyncio
import secrets
import time
from pathlib import Path
from typing import Any

import frames
from bodies import Target, erasing, joining, saying
from crowd_attacks import ROOM, Bot
from entries import Entry, hybrid_time, room_id
from records import profile
from realms import OPEN
from replica import wall_milliseconds
from ring import Ring
from room_attacks import invented

# More names than 8 MiB hold, over two rooms, since one has 8,192 logs at most; each a little shorter than the
# honest one's.
NAME_ROOMS, NAMES_EACH, NAME, STATUS = ("bench", "agora"), 5_400, "n" * 60, "s" * 250
RECORDS_PER_FRAME, BRINGERS = 32, 8
# More than a room has members who tell each other what they have read.
SILENT = 80
# More erasures than a node keeps for who was away, in entries of as many as one may have.
LETTERS, ERASED_EACH = 4_224, 64


async def bringers(ring: Ring, rooms: tuple[str, ...], count: int = BRINGERS) -> list[Bot]:
    """Links from an address each, in these rooms."""
    bots = await ring.several(count)
    for bot in bots:
        tag = OPEN.link_tag(bot.tags.exporter, bot.tags.role)
        bot.link.send(frames.rooms(tag, sorted(rooms)))
        await bot.heard_back()
    return bots


def washed_names(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """Invented authors, each with a profile, who are brought over a few links."""

    async def run() -> dict[str, Any]:
        ring, begin = Ring(port, signals), time.monotonic()
        bots = await bringers(ring, NAME_ROOMS)
        hlc = hybrid_time(wall_milliseconds())
        for room in NAME_ROOMS:
            due: list[bytes] = []
            for number in range(NAMES_EACH):
                bot = bots[number % len(bots)]
                own = invented(room_id(room), hlc + number)
                await bot.send(frames.live_run(own.runs[0].packed()))
                due.append(profile(own.identity, NAME, STATUS, hlc).packed())
                if len(due) == RECORDS_PER_FRAME or number + 1 == NAMES_EACH:
                    await bots[0].send(frames.records(due))
                    due = []
        for bot in bots:
            await bot.heard_back()
        seconds = time.monotonic() - begin
        signals.ready.set()
        await ring.until_over()
        figures = {"authors": 2 * NAMES_EACH, "in s": round(seconds), "linked": ring.linked_count}
        ring.close()
        return figures

    return asyncio.run(run())


def silent_members(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """Invented authors who join and say nothing: more members than marks are for."""

    async def run() -> dict[str, Any]:
        ring = Ring(port, signals)
        (bot,) = await bringers(ring, (ROOM,), 1)
        hlc = hybrid_time(wall_milliseconds())
        for number in range(SILENT):
            own = invented(ring.room, hlc + number)
            own.append([Entry.of(joining(ROOM), hlc + SILENT + number, secrets.token_bytes(16))])
            await bot.send(*(frames.live_run(each.packed()) for each in own.runs))
        await bot.heard_back()
        signals.ready.set()
        await ring.until_over()
        ring.close()
        return {"members": SILENT}

    return asyncio.run(run())


def taken_back(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """One who writes letters and takes them back: more than changes are kept."""

    async def run() -> dict[str, Any]:
        ring = Ring(port, signals)
        (bot,) = await bringers(ring, (ROOM,), 1)
        hlc = hybrid_time(wall_milliseconds() - 1_000_000)
        own, targets = bot.log(hlc), []
        await bot.send(*(frames.live_run(each.packed()) for each in own.runs))
        for start in range(0, LETTERS, ERASED_EACH):
            before = len(own.runs)
            own.append([
                Entry.of(saying("x"), hlc + 1 + start + number, secrets.token_bytes(16))
                for number in range(ERASED_EACH)])
            for each in own.runs[before:]:
                targets += [
                    Target(own.name.author, own.name.incarnation, each.first + place, identifier)
                    for place, identifier in enumerate(each.identifiers)]
            await bot.send(*(frames.live_run(each.packed()) for each in own.runs[before:]))
        await bot.heard_back()
        # They are shown before they are taken back.
        await bot.sleep(1)
        before, hlc = len(own.runs), hlc + 2 * LETTERS
        for start in range(0, len(targets), ERASED_EACH):
            own.append([
                Entry.of(erasing(targets[start : start + ERASED_EACH]), hlc + start, secrets.token_bytes(16))])
        await bot.send(*(frames.live_run(each.packed()) for each in own.runs[before:]))
        await bot.heard_back()
        await bot.sleep(1)
        signals.ready.set()
        await ring.until_over()
        ring.close()
        return {"taken back": len(targets)}

    return asyncio.run(run())


def long_texts(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """Strangers who write more than is kept of a room."""

    async def run() -> dict[str, Any]:
        ring = Ring(port, signals)
        for bot in await bringers(ring, (ROOM,), 4):
            hlc = hybrid_time(wall_milliseconds())
            own = bot.log(hlc)
            for number in range(6):
                own.append([Entry.of(saying("x" * 60_000), hlc + number + 1, secrets.token_bytes(16))])
            await bot.send(*(frames.live_run(each.packed()) for each in own.runs))
            await bot.heard_back()
        signals.ready.set()
        await ring.until_over()
        ring.close()
        return {"bytes": 4 * 6 * 60_000}

    return asyncio.run(run())
