"""Strangers who say that they have what others have, and give none of it: files, and payloads. Like the attacks of
attacks.py."""

from __future__ import annotations

import asyncio
import secrets
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import frames
from bodies import saying
from codec import Reader, u16, varint
from crowd_attacks import Bot
from entries import Entry, LogName, OwnLog, hybrid_time, room_id
from frames import ClockRow, Frame, State, Type
from link import Link, Opening
from noise_link import AREA_PORT
from persons import certificate_of
from primitives import Identity
from realms import OPEN
from ring import Ring
from sharing import REALM_COUNTS, SHARE_COUNTS, filled
from summaries import Tags

HOLDERS, WITHHOLDERS, TEXTS = 40, 40, 5
# A byte so often would keep any deadline that each byte renews.
DRIP_SECONDS = 1.0
BLOB_ASK, BLOB_HOLDINGS, BLOB_WANT, BLOB_PIECE = 0x52, 0x54, 0x56, 0x62
ALL = b"\x01"
AUTHOR_SEED, INCARNATION = bytes(range(32)), 77


class Holder(Bot):
    """Says that it has all of any file, and sends a byte of each part now and then."""

    async def dial(self) -> None:
        self.certificate = certificate_of(self.identity)
        opening = Opening(
            self.identity, secrets.randbits(64), 1, features=b"\x02",
            area={AREA_PORT: u16(2_000 + self.number)}, certificate=self.certificate)
        self.link = await Link.dial(self.crowd.host, self.crowd.port, opening, self.source)
        self.tags = Tags(self.link.transport.exporter, self.link.role)
        self.ended, self.rows = False, {}
        # Where each part that was asked for is, by its number.
        self.parts: dict[int, int] = {}
        self.reading = asyncio.get_running_loop().create_task(self.read())
        tag = OPEN.link_tag(self.tags.exporter, self.tags.role)
        self.link.send(frames.realms(filled([tag], REALM_COUNTS)))
        self.link.send(frames.shares(filled([], SHARE_COUNTS)))
        self.link.send(frames.rooms(tag, ["bench"]))
        self.ping()
        await self.drain()

    def take(self, frame: Frame) -> None:
        if frame.kind == BLOB_ASK:
            self.link.send(Frame(BLOB_HOLDINGS, frame.body[32:64] + ALL))
        elif frame.kind == BLOB_WANT:
            number = Reader(frame.body).varint()
            self.parts[number] = 0
            self.drip(number)
        else:
            super().take(frame)

    def drip(self, number: int) -> None:
        offset = self.parts[number]
        self.link.send(Frame(BLOB_PIECE, varint(number) + varint(offset) + b"\0"))
        self.parts[number] += 1


def dripping_holders(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """Forty strangers who drip what they say that they have."""
    frames.KNOWN_TYPES |= {BLOB_ASK, BLOB_HOLDINGS, BLOB_WANT, BLOB_PIECE}

    async def run() -> dict[str, Any]:
        ring = Ring(port, signals)
        holders = []
        for number in range(HOLDERS):
            holder = Holder(ring, number)  # type: ignore[arg-type]
            await holder.dial()
            ring.bots.append(holder)
            holders.append(holder)
        signals.ready.set()
        due = time.monotonic() + DRIP_SECONDS
        while not ring.is_over:
            await asyncio.sleep(0.05)
            if time.monotonic() < due:
                continue
            due += DRIP_SECONDS
            for holder in holders:
                for number in holder.parts if not holder.ended else ():
                    holder.drip(number)
        counts = {"linked": ring.linked_count, "asked": sum(len(each.parts) for each in holders)}
        ring.close()
        return counts

    return asyncio.run(run())


def absent_author(began: int) -> OwnLog:
    """Somebody who has written some texts at a time, the same whoever asks, and is away."""
    identity = Identity.from_seed(AUTHOR_SEED)
    own = OwnLog(identity, LogName(room_id("bench"), identity.public, INCARNATION))
    hlc = hybrid_time(began)
    own.begin(certificate_of(identity), hlc, bytes(16))
    for number in range(TEXTS):
        own.append([Entry.of(saying(withheld_text(number)), hlc + 1 + number, bytes([number] * 16))])
    return own


def withheld_text(number: int) -> str:
    return f"withheld {number}"


def given_texts(port: int, path: Path, signals: Any, other: int, began: int) -> dict[str, Any]:
    """One who brings the honest peer, at its own port, all of them."""

    async def run() -> dict[str, Any]:
        ring = Ring(other, signals)
        bot = await ring.linked()
        own = absent_author(began)
        await bot.send(*(frames.live_run(run.packed()) for run in own.runs))
        await bot.heard_back()
        signals.ready.set()
        await ring.until_over()
        ring.close()
        return {}

    return asyncio.run(run())


def withheld_payloads(port: int, path: Path, signals: Any, began: int) -> dict[str, Any]:
    """Forty strangers who bring them without their payloads, and say that they have all."""

    async def run() -> dict[str, Any]:
        ring = Ring(port, signals)
        wants = 0

        class Withholder(Bot):
            def take(self, frame: Frame) -> None:
                nonlocal wants
                if frame.kind == Type.PAYLOAD_WANT:
                    wants += 1
                else:
                    super().take(frame)

        for number in range(WITHHOLDERS):
            bot = Withholder(ring, number)  # type: ignore[arg-type]
            await bot.dial()
            ring.bots.append(bot)
        own = absent_author(began)
        bare = [
            replace(run, entries=tuple(
                each if each.class_ == 1 else each.without_payload() for each in run.entries))
            for run in own.runs]
        await ring.bots[0].send(*(frames.live_run(run.packed()) for run in bare))
        await ring.bots[0].heard_back()
        last = own.runs[-1]
        for bot in ring.bots:
            row = ClockRow(
                bot.tags.log(own.name), last.last, bot.tags.head(last.identifiers[-1]), State.OPEN)
            await bot.send(frames.delta(ring.room, [row]))
            await bot.heard_back()
        signals.ready.set()
        await ring.until_over()
        counts = {"linked": ring.linked_count, "wants": wants}
        ring.close()
        return counts

    return asyncio.run(run())
