"""Strangers who lie about a node's own log, and a crowd that says much of one message. Like the attacks of
attacks.py.
"""

from __future__ import annotations

import asyncio
import secrets
from pathlib import Path
from typing import Any

import frames
from bodies import Body, Target, editing, reacting, saying
from Driver.control import Control
from entries import Entry, LogName, OwnLog, hybrid_time
from frames import ClockRow, State
from peer import Peer
from primitives import Identity
from replica import Conversation, wall_milliseconds
from ring import Ring
from room_attacks import invented

ROOM = "bench"
WAIT_SECONDS = 60.0
# So many lies go at once.
BURST = 40
# As many say as much of a message as is kept of strangers.
SIGNERS, SIGNS, SIGNED_TEXT, EDITED_TEXT = 64, 16, "as it was written", "as it was edited"


async def own_log(peer: Peer, session: Any, room: Conversation) -> bytes:
    """The tag of the log that the node itself writes."""
    def found() -> list[LogName]:
        return [name for name in room.logs if name.author == session.link.remote]

    await peer.until(lambda: bool(found()), WAIT_SECONDS, "the node's log")
    return session.tags.log(found()[0])


async def member(port: int, source: str, identity: Identity | None = None) -> tuple[Peer, Any, Conversation]:
    """Somebody who has written in the room, and has all of it."""
    peer = Peer(identity)
    room = peer.join(ROOM)
    session = await peer.dial("127.0.0.1", port, source=source)
    await peer.heard_back(session, WAIT_SECONDS)
    return peer, session, room


def false_words(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """One who holds the node's last entries, which were never written, takes none, and has all, in turn."""

    async def run() -> dict[str, Any]:
        liar, session, room = await member(port, "127.9.1.1")
        tag = await own_log(liar, session, room)
        session.mute = True
        told = [frames.delta(room.identifier, [row]) for row in (
            ClockRow(tag, 1, secrets.token_bytes(8), State.OPEN),
            ClockRow(tag, 1, secrets.token_bytes(8), State.REFUSED),
            ClockRow(tag, 1, secrets.token_bytes(8), State.OPEN),
            ClockRow(tag, 7_777_777_777, secrets.token_bytes(8), State.OPEN, shown=0),
        )]
        counts = {"words": 0, "looks": 0, "alerts": 0}
        signals.ready.set()
        with Control(path) as control:
            while not signals.stop.is_set() and session.ended is None:
                for _ in range(BURST):
                    for frame in told:
                        session.link.send(frame)
                counts["words"] += BURST * len(told)
                await session.link.writer.drain()
                while len(session.link.queues[2]) > BURST and session.ended is None:
                    await asyncio.sleep(0.005)
                counts["looks"] += 1
                counts["alerts"] += len(control.call("status")["alerts"])
        ended = session.ended
        await liar.close()
        return {**counts, "closed": str(ended) if ended else False}

    return asyncio.run(run())


def early_claims(port: int, path: Path, signals: Any, seed: str) -> dict[str, Any]:
    """Somebody with this key says to have the node's next entry before it is written, and takes nothing; what
    was written last is known from another one."""

    async def run() -> dict[str, Any]:
        liar, session, room = await member(port, "127.9.1.2", Identity.from_seed(bytes.fromhex(seed)))
        tag = await own_log(liar, session, room)
        session.mute = True
        watcher, seen, watched = await member(port, "127.9.1.3")
        claimed = 0
        while not signals.stop.is_set():
            seqs = [log.seq for name, log in watched.logs.items() if name.author == session.link.remote]
            due = max(seqs, default=0) + 1
            if due > max(claimed, 1):
                claimed = due
                row = ClockRow(tag, due, bytes(8), State.OPEN)
                session.link.send(frames.delta(room.identifier, [row]))
                signals.ready.set()
            await asyncio.sleep(0.01)
        await watcher.close()
        await liar.close()
        return {"claimed": claimed}

    return asyncio.run(run())


def signs(port: int, path: Path, signals: Any) -> dict[str, Any]:
    """A crowd puts as many signs on somebody's message as it may; then its author edits it."""

    async def run() -> dict[str, Any]:
        ring = Ring(port, signals)
        bot = await ring.linked()

        def log() -> OwnLog:
            return invented(ring.room, hybrid_time(wall_milliseconds()))

        def said(own: OwnLog, bodies: list[Body]) -> None:
            own.append([
                Entry.of(body, own.hlc + number, secrets.token_bytes(16))
                for number, body in enumerate(bodies, 1)])

        author = log()
        said(author, [saying(SIGNED_TEXT)])
        message = Target(author.name.author, author.name.incarnation, author.seq, author.head or b"")
        await bot.send(*(frames.live_run(run.packed()) for run in author.runs))
        for _ in range(SIGNERS):
            one = log()
            said(one, [reacting(f"sign {number}", message) for number in range(SIGNS)])
            await bot.send(*(frames.live_run(run.packed()) for run in one.runs))
        await bot.heard_back()
        said(author, [editing(EDITED_TEXT, message)])
        await bot.send(frames.live_run(author.runs[-1].packed()))
        await bot.heard_back()
        signals.ready.set()
        await ring.until_over()
        return {"signs": SIGNERS * SIGNS}

    return asyncio.run(run())
