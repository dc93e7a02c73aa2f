"""Tags that were received sent back, tags from a key that others know, pages that lie."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import frames
from frames import ClockRow, Frame, State, Type
from peer import Peer
from session import Session
from summaries import Tags, bucket_hashes, bucket_of

if TYPE_CHECKING:
    from scenario_forgeries import Ground

SECONDS = 60.0


class Forger:
    """A link that answers nothing by itself, beside the honest one."""

    def __init__(self, ground: "Ground") -> None:
        self.ground = ground
        self.checks = ground.checks

    async def start(self) -> None:
        source = next(self.ground.rig.sources)
        self.peer, self.session, self.room = await self.ground.linked(source)
        self.session.mute = True
        # What was said before it fell silent has been answered then.
        await self.answers()

    @property
    def row(self) -> ClockRow:
        """What stoad and the honest one have of the latter's log, as this side would say it."""
        return self.written_by(self.session.tags)

    def written_by(self, tags: Tags) -> ClockRow:
        return self.ground.session.own_row(self.ground.log, tags)

    async def answers(self, *sent: Frame) -> list[Frame]:
        """What stoad says to these, but for pings and credit."""
        before = len(self.session.received)
        for frame in sent:
            self.session.link.send(frame)
        nonce = self.session.ping()

        def answered() -> bool:
            pongs = [f for f in self.session.received[before:] if f.kind == Type.PONG]
            return any(frames.read_ping(f.body)[0] == nonce for f in pongs)

        await self.peer.until(
            lambda: answered() or self.session.ended is not None, SECONDS, "a pong"
        )
        if self.session.ended is not None:
            raise self.session.ended
        return self.session.received[before:]

    async def wanted(self, name: str, tag: bytes, *sent: Frame) -> None:
        """Whether stoad asks for the log of this tag then, be it a little later."""
        before = len(self.session.received)

        def asked() -> bool:
            wants = [f.body for f in self.session.received[before:] if f.kind == Type.WANT]
            return any(frames.read_want(body).tag == tag for body in wants)

        for frame in sent:
            self.session.link.send(frame)
        await self.ground.rig.eventually(self.peer, name, asked, SECONDS)


async def forged_tags(ground: "Ground") -> None:
    checks = ground.checks
    identifier = ground.room.identifier
    await ground.rig.same_digest(ground.honest, ground.session, ground.room)
    forger = Forger(ground)
    await forger.start()
    tags = forger.session.tags

    # Buckets: by the right role stoad takes them for its own; sent back, they say nothing.
    hashes = bucket_hashes(ground.honest.replica.summaries(identifier))
    for name, writer, due in (("of the right role", tags, 0), ("sent back", tags.other, 256)):
        told = [writer.bucket(identifier, value) for value in hashes]
        pages = 0
        # Buckets that come soon after others may be left unanswered.
        for _ in range(100):
            got = await forger.answers(frames.buckets(identifier, told))
            pages += sum(len(frames.read_clock(f.body)[1]) for f in got if f.kind == Type.CLOCK)
            if pages >= due:
                break
            await asyncio.sleep(0.1)
        checks.same(f"buckets {name}: pages that stoad answers", pages, due)

    # Rows: with the right tag of the head stoad lacks nothing, with its own one it looks for a fork.
    row = forger.row
    got = await forger.answers(frames.delta(identifier, [row]))
    wants = [frames.read_want(frame.body).tag for frame in got if frame.kind == Type.WANT]
    checks.that("a row of the right role is believed", row.tag not in wants, wants)
    mirrored = forger.written_by(tags.other)
    await forger.wanted(
        "a head tag that was sent back is not believed",
        row.tag,
        frames.delta(identifier, [mirrored]),
    )
    forger.session.link.send(frames.unavailable(identifier, row.tag, 1))

    # Tags from the handshake hash, which whoever saw the handshake knows.
    public = Tags(forger.session.link.transport.hash, tags.role)
    strange = forger.written_by(public)
    await forger.wanted(
        "a log tag from the handshake hash is that of no known log",
        strange.tag,
        frames.delta(identifier, [strange]),
    )
    forger.session.link.send(frames.unavailable(identifier, strange.tag, 1))

    await lying_pages(forger, identifier)
    await forger.peer.close()


async def lying_pages(forger: Forger, identifier: bytes) -> None:
    """Each is an answerable page; none may move anything but stoad's questions."""
    row, ground = forger.row, forger.ground
    bucket = bucket_of(ground.log.name)
    head = b"\x07" * 8
    lies: dict[str, frames.Pages] = {
        "a log that is longer": {bucket: [ClockRow(row.tag, row.seq + 5, head, State.OPEN)]},
        "a log that is forked": {bucket: [ClockRow(row.tag, row.seq, row.head_tag, State.FORKED)]},
        "a log that was never begun": {bucket: [ClockRow(row.tag, 0, None, State.FORKED)]},
        "a log of another bucket": {(bucket + 1) % 256: [row]},
        "a log that has no payloads": {
            bucket: [ClockRow(row.tag, row.seq, row.head_tag, State.OPEN, whole=0)]
        },
        "no logs at all": {index: [] for index in range(256)},
    }
    for name, pages in lies.items():
        await forger.answers(frames.clock(identifier, pages))
        ground.checks.that(f"a page that tells of {name}: the link stays", True)
    await ground.unaffected("pages that lie")
