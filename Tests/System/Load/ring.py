"""Strangers with a few addresses on loopback, who are bots like those of crowd_attacks.py."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

import frames
from crowd_attacks import ROOM, TICK_SECONDS, Bot
from entries import LogName, hybrid_time, room_id
from frames import ClockRow, Frame, State
from primitives import Identity
from replica import wall_milliseconds
from room_attacks import invented

SOURCES = 16
# As many as one frame may have.
ROWS = 8_192


class Ring:
    """Strangers with a few addresses, in a room of the node."""

    def __init__(self, port: int, signals: Any) -> None:
        self.host, self.port, self.signals = "127.0.0.1", port, signals
        self.addresses = [f"127.9.0.{number + 1}" for number in range(SOURCES)]
        self.room = room_id(ROOM)
        self.bots: list[Bot] = []

    @property
    def is_over(self) -> bool:
        return bool(self.signals.stop.is_set())

    def bot(self, identity: Identity | None = None) -> Bot:
        bot = Bot(self, len(self.bots))  # type: ignore[arg-type]
        bot.identity = identity or bot.identity
        self.bots.append(bot)
        return bot

    async def linked(self, identity: Identity | None = None) -> Bot:
        bot = self.bot(identity)
        await bot.dial()
        return bot

    async def several(self, count: int) -> list[Bot]:
        return [await self.linked() for _ in range(count)]

    async def fill(self, writers: list[Bot], count: int) -> list[LogName]:
        """Has the room have so many logs of authors who are nobody."""
        hlc, names = hybrid_time(wall_milliseconds()), []
        for number in range(count):
            own = invented(self.room, hlc + number)
            await writers[number % len(writers)].send(frames.live_run(own.runs[0].packed()))
            names.append(own.name)
        for bot in writers:
            while bot.goes_on and bot.link.queues[1]:
                await asyncio.sleep(TICK_SECONDS)
            await bot.heard_back()
        return names

    async def until_over(self) -> None:
        while not self.is_over:
            await asyncio.sleep(TICK_SECONDS)

    @property
    def linked_count(self) -> int:
        return sum(not bot.ended for bot in self.bots)

    def close(self) -> None:
        for bot in self.bots:
            bot.close()


def invented_rows(room: bytes, seq: int) -> Frame:
    """As many rows as a frame has of logs that do not exist, which hold for all links."""
    tags = sorted(secrets.token_bytes(8) for _ in range(ROWS))
    head = secrets.token_bytes(8) if seq else None
    return frames.delta(room, [ClockRow(tag, seq, head, State.OPEN) for tag in tags])
