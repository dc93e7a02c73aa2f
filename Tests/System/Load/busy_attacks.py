"""Strangers who have a node do much for a few bytes of theirs, in a room with many logs. Like the attacks of
attacks.py.
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
from pathlib import Path
from typing import Any, Awaitable, Callable

import frames
from crowd_attacks import AGAIN_SECONDS, ROOM, Bot
from entries import LogName
from frames import ClockRow, Frame, State
from peer import HANDSHAKE_FAILURES
from realms import OPEN
from ring import Ring

# So many logs of invented authors are in the room, of each of which so many links say to have more.
LOGS, LACKING_LINKS, BUSY_LINKS, BURST = 2_000, 48, 4, 16
# A room that is nearly full, and links of which each asks as much as it can.
FULL_LOGS, REPEATING_LINKS = 8_000, 8


def busy(
    port: int, signals: Any, act: Callable[[Bot, list[LogName]], Awaitable[None]], links: int = BUSY_LINKS,
    logs: int = LOGS,
) -> dict[str, Any]:
    """Some bots of a room with many logs do something again and again, and come back as they are closed."""

    async def run() -> dict[str, Any]:
        ring = Ring(port, signals)
        counts = {"closed": 0, "links": 0}
        writers = await ring.several(8)
        names = await ring.fill(writers, logs)
        for bot in writers:
            bot.close()

        async def again(bot: Bot) -> None:
            while not ring.is_over:
                try:
                    await bot.dial()
                except (*HANDSHAKE_FAILURES, OSError):
                    await asyncio.sleep(AGAIN_SECONDS)
                    continue
                counts["links"] += 1
                try:
                    await act(bot, names)
                except (*HANDSHAKE_FAILURES, OSError):
                    pass
                counts["closed"] += not ring.is_over
                bot.close()

        tasks = [asyncio.create_task(again(ring.bot())) for _ in range(links)]
        signals.ready.set()
        await asyncio.gather(*tasks)
        return counts

    return asyncio.run(run())


def claimed(bot: Bot, names: list[LogName], seq: int) -> Frame:
    """Rows by which this one has more of all these logs than the node has."""
    return frames.delta(bot.crowd.room, [
        ClockRow(bot.tags.log(name), seq, secrets.token_bytes(8), State.OPEN) for name in names])


async def lacking(bot: Bot, names: list[LogName]) -> None:
    """Says to have more of all logs, then of one after the other, and serves nothing of it."""
    await bot.send(claimed(bot, names, 1_000))
    if bot.number % (LACKING_LINKS // BUSY_LINKS):
        return await bot.sleep(60)
    for seq in itertools.count(1_001):
        for name in names:
            if not bot.goes_on:
                return
            await bot.send(claimed(bot, [name], seq))


def lacking_logs(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """Many links each say to have more of many logs."""
    return busy(port, signals, lacking, LACKING_LINKS)


async def rejoining(bot: Bot, names: list[LogName]) -> None:
    """Leaves the room and comes back, as fast as the node reads."""
    tag = OPEN.link_tag(bot.tags.exporter, bot.tags.role)
    both = frames.rooms_left([bot.crowd.room]).packed() + frames.rooms(tag, [ROOM]).packed()
    while bot.goes_on:
        bot.link.write_plaintext(both * BURST)
        await bot.drain()


def left_rooms(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """Links that leave a room and come back, again and again."""
    return busy(port, signals, rejoining)


async def asking(bot: Bot, names: list[LogName]) -> None:
    """Says to have no record, again and again."""
    one = frames.record_clock(bot.crowd.room, [])
    while bot.goes_on:
        await bot.send(*[one] * BURST)


def record_clocks(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """Some links ask for all records without end, in a room as it is."""
    return busy(port, signals, asking, BUSY_LINKS, 0)


async def again_and_again(bot: Bot, frame: Callable[[], Frame]) -> None:
    """Sends as many frames as one message takes, and as many messages as there is credit for."""
    while bot.goes_on:
        first = frame().packed()
        size = frames.PLAINTEXT_MAXIMUM // len(first)
        many = first + b"".join(frame().packed() for _ in range(size - 1))
        while bot.link.may_send[frames.Channel.SYNC] < len(many) and bot.goes_on:
            await asyncio.sleep(0.005)
        bot.link.may_send[frames.Channel.SYNC] -= len(many)
        bot.link.write_plaintext(many)
        await bot.drain()


async def differing(bot: Bot, names: list[LogName]) -> None:
    """Says to have more of all logs, then that its digest is another one, again and again."""
    await bot.send(claimed(bot, names, 1_000))
    room = bot.crowd.room
    await again_and_again(
        bot, lambda: frames.digest(room, secrets.token_bytes(32), secrets.token_bytes(32)))


def differing_digests(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """Some links tell of a digest that is always another one."""
    return busy(port, signals, differing, REPEATING_LINKS)


async def paging(bot: Bot, names: list[LogName]) -> None:
    """Says to have nothing, by all pages of a clock, again and again."""
    pages: frames.Pages = {bucket: [] for bucket in range(frames.BUCKETS)}
    clock = frames.clock(bot.crowd.room, pages)
    await again_and_again(bot, lambda: clock)


def empty_pages(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """Some links say to have none of the logs."""
    return busy(port, signals, paging, REPEATING_LINKS, FULL_LOGS)
