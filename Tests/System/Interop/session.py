"""What two peers say on one link: Docs/Protocol/Sync.md."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Coroutine

import frames
from codec import Refused
from entries import (
    ForkProof,
    LogName,
    Run,
    is_room_name,
    read_fork_proof,
    read_sent_run,
    room_id,
)
from frames import ClockRow, Frame, Reason, RecordRow, State, Type, Want
from link import Link, LinkEnded
from records import read_record
from replica import Conversation, Diverged, LogState, wall_milliseconds
from summaries import author_tag, head_tag, log_tag

if TYPE_CHECKING:
    from peer import Peer

WANT_SPAN = 4_096
WANTS_MAXIMUM = 64
BACKWARDS_STEP = 128
DELTA_SECONDS = 0.1
PING_SECONDS = 15.0
DEAD_SECONDS = 60.0
AUTHOR_HEAD_START_SECONDS = 0.15
JITTER_SECONDS = 0.1


@dataclass
class Shared:
    """What this link knows of one conversation."""

    conversation: Conversation
    rows: dict[bytes, ClockRow] = field(default_factory=dict)
    complete_sent: bool = False
    digest_answered: bytes | None = None
    digest_received: bytes | None = None
    digest_sent: bytes | None = None
    # By tag, up to where this side has sent a log: no delta tells that it has arrived.
    sent: dict[bytes, int] = field(default_factory=dict)
    wanted: dict[bytes, Want] = field(default_factory=dict)
    # Where a search for a fork point asks, and how far the next question lies before that.
    searches: dict[LogName, tuple[int, int]] = field(default_factory=dict)


class Session:
    def __init__(self, peer: "Peer", link: Link) -> None:
        self.peer = peer
        self.link = link
        self.announced: set[bytes] = set()
        self.remote_rooms: dict[bytes, str] = {}
        self.shared: dict[bytes, Shared] = {}
        self.received: list[Frame] = []
        self.unavailable: list[tuple[bytes, bytes, int]] = []
        self.pongs: set[int] = set()
        self.pings = 0
        self.runs_received = 0
        self.ended: LinkEnded | None = None
        self.refused: Refused | None = None
        self.tasks: set[asyncio.Task[None]] = set()
        # A list where credit is kept back until `release`.
        self.withheld: list[Frame] | None = None
        # Takes what comes and says nothing.
        self.mute = False

    @property
    def hh(self) -> bytes:
        return self.link.transport.hh

    # Life.

    async def run(self) -> None:
        profile = self.peer.replica.profiles.get(self.peer.identity.public)
        if profile is not None:
            self.link.send(frames.records([profile.packed()]))
        self.announce()
        self.spawn(self.keep_alive())
        try:
            while True:
                async with asyncio.timeout(DEAD_SECONDS):
                    frame = await self.link.receive()
                self.received.append(frame)
                if self.mute:
                    self.peer.watch.touch()
                    continue
                self.handle(frame)
                if self.withheld is None:
                    self.link.consumed(frame)
                else:
                    self.withheld.append(frame)
                self.peer.watch.touch()
        except LinkEnded as ended:
            self.ended = ended
        except Refused as refused:
            self.refused = refused
            self.ended = LinkEnded(None, "this side refused")
            self.link.say_goodbye(Reason.PROTOCOL_VIOLATION, str(refused)[:200])
            await self.link.drain()
        except asyncio.TimeoutError:
            self.ended = LinkEnded(None, "silent")
            self.link.say_goodbye(Reason.DEAD)
            await self.link.drain()
        finally:
            for task in self.tasks:
                task.cancel()
            self.ended = self.ended or LinkEnded(None, "this side closed")
            self.link.writer.close()
            self.peer.forget(self)

    def release(self) -> None:
        """Returns the credit that was kept back, and goes on as usual."""
        kept, self.withheld = self.withheld or [], None
        for frame in kept:
            self.link.consumed(frame)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def keep_alive(self) -> None:
        while True:
            await asyncio.sleep(PING_SECONDS)
            self.ping()
            for identifier, shared in self.shared.items():
                if self.peer.replica.digest(identifier) != shared.digest_sent:
                    self.send_digest(identifier)

    def ping(self) -> int:
        nonce = random.getrandbits(64)
        self.link.send(frames.ping(nonce, wall_milliseconds()))
        return nonce

    # Rooms.

    def announce(self) -> None:
        new = {
            conversation.identifier: conversation.name
            for conversation in self.peer.replica.conversations.values()
            if conversation.identifier not in self.announced
        }
        if new:
            self.announced |= new.keys()
            self.link.send(frames.rooms(new.values()))
            self.share()

    def share(self) -> None:
        for identifier in self.announced & self.remote_rooms.keys():
            if identifier not in self.shared:
                self.shared[identifier] = Shared(self.peer.replica.conversations[identifier])
                self.send_digest(identifier)

    def send_digest(self, identifier: bytes) -> None:
        value = self.peer.replica.digest(identifier)
        self.shared[identifier].digest_sent = value
        self.shared[identifier].complete_sent = False
        self.link.send(frames.digest(identifier, value))

    # Frames.

    def handle(self, frame: Frame) -> None:
        body = frame.body
        match frame.kind:
            case Type.PING:
                self.pings += 1
                nonce, _ = frames.read_ping(body)
                self.link.send(frames.pong(nonce, wall_milliseconds()))
            case Type.PONG:
                self.pongs.add(frames.read_ping(body)[0])
            case Type.ROOMS:
                for name in frames.read_rooms(body):
                    if is_room_name(name) and len(self.remote_rooms) < frames.ROOMS_MAXIMUM:
                        self.remote_rooms[room_id(name)] = name
                self.share()
            case Type.ROOMS_LEFT:
                for identifier in frames.read_rooms_left(body):
                    self.remote_rooms.pop(identifier, None)
                    self.shared.pop(identifier, None)
            case Type.DIGEST:
                self.on_digest(*frames.read_digest(body))
            case Type.CLOCK:
                self.on_clock(*frames.read_clock(body))
            case Type.WANT:
                self.on_want(frames.read_want(body))
            case Type.LIVE_RUN | Type.SYNC_RUN:
                self.runs_received += 1
                self.on_run(read_sent_run(body))
            case Type.UNAVAILABLE:
                self.on_unavailable(*frames.read_unavailable(body))
            case Type.RECORDS:
                self.on_records(frames.read_records(body))
            case Type.RECORD_CLOCK:
                self.on_record_clock(*frames.read_record_clock(body))
            case Type.FORK_PROOF:
                self.on_fork_proof(read_fork_proof(body))

    def on_digest(self, identifier: bytes, value: bytes) -> None:
        shared = self.shared.get(identifier)
        if shared is None:
            return
        shared.digest_received = value
        if value == self.peer.replica.digest(identifier):
            for row in self.own_rows(identifier):
                shared.rows[row.tag] = row
        elif shared.digest_answered != value:
            shared.digest_answered = value
            self.send_complete_clock(identifier)
            rows = [
                RecordRow(author_tag(self.hh, item.author), item.kind, item.hlc)
                for item in self.peer.replica.records(identifier)
            ]
            self.link.send(frames.record_clock(identifier, rows))

    def own_row(self, log: LogState) -> ClockRow:
        summary = log.summary
        head = head_tag(self.hh, summary.head) if summary.seq else None
        return ClockRow(log_tag(self.hh, log.name), summary.seq, head, summary.state)

    def own_rows(self, identifier: bytes) -> list[ClockRow]:
        logs = self.peer.replica.conversations[identifier].logs.values()
        return [self.own_row(log) for log in logs if log.seq or log.proof is not None]

    def send_complete_clock(self, identifier: bytes) -> None:
        self.shared[identifier].complete_sent = True
        self.link.send(frames.clock(identifier, True, self.own_rows(identifier)))

    def on_clock(self, identifier: bytes, complete: bool, rows: list[ClockRow]) -> None:
        shared = self.shared.get(identifier)
        if shared is None:
            return
        if complete:
            shared.rows.clear()
            if not shared.complete_sent:
                self.send_complete_clock(identifier)
        for row in rows:
            shared.rows[row.tag] = row
        for row in rows:
            self.consider(shared, row)
        if complete:
            for log in shared.conversation.logs.values():
                if log.proof is not None and log_tag(self.hh, log.name) not in shared.rows:
                    self.link.send(frames.fork_proof(log.proof.packed()))
            # One complete clock answers one; the next exchange begins with another digest.
            shared.complete_sent = False

    def log_of(self, shared: Shared, tag: bytes) -> LogState | None:
        for log in shared.conversation.logs.values():
            if log_tag(self.hh, log.name) == tag:
                return log
        return None

    def consider(self, shared: Shared, row: ClockRow) -> None:
        """Asks for what the row says that the peer has and we lack."""
        log = self.log_of(shared, row.tag)
        if row.state == State.REFUSED:
            return
        if log is None:
            self.want(shared, row.tag, 1, row.seq)
            return
        if log.proof is not None:
            if row.state != State.FORKED or row.seq >= log.proof.point:
                self.link.send(frames.fork_proof(log.proof.packed()))
            return
        if row.seq and row.seq <= log.seq:
            known = log.identifier(row.seq)
            if known is not None and head_tag(self.hh, known) != row.head_tag:
                if log.name not in shared.searches:
                    self.ask_backwards(shared, log, row.seq)
            return
        if any(session.link.remote == log.name.author for session in self.peer.sessions):
            self.spawn(self.want_later(shared, row.tag))
        else:
            self.want(shared, row.tag, log.seq + 1, row.seq)

    async def want_later(self, shared: Shared, tag: bytes) -> None:
        await asyncio.sleep(AUTHOR_HEAD_START_SECONDS + random.random() * JITTER_SECONDS)
        log, row = self.log_of(shared, tag), shared.rows.get(tag)
        if log is not None and row is not None:
            self.want(shared, tag, log.seq + 1, row.seq)

    def want(self, shared: Shared, tag: bytes, first: int, through: int) -> None:
        if through < first or tag in shared.wanted or len(shared.wanted) >= WANTS_MAXIMUM:
            return
        want = Want(shared.conversation.identifier, tag, first, min(through, first + WANT_SPAN - 1))
        shared.wanted[tag] = want
        self.link.send(want.frame())

    def ask_backwards(
        self, shared: Shared, log: LogState, before: int, stride: int = BACKWARDS_STEP
    ) -> None:
        """Asks for one entry that lies so far before, and for more before it if need be."""
        seq = max(1, before - stride)
        shared.searches[log.name] = (seq, 2 * stride)
        tag = log_tag(self.hh, log.name)
        shared.wanted.pop(tag, None)
        self.want(shared, tag, seq, seq)

    def on_answer(self, shared: Shared, log: LogState, run: Run) -> None:
        """What a search asked for: the difference is in it, before it or behind it."""
        asked, stride = shared.searches.pop(log.name)
        run.verified()
        shared.wanted.pop(log_tag(self.hh, log.name), None)
        if not log.goes_on(run):
            self.ask_backwards(shared, log, asked, stride)
            return
        point = log.difference(run)
        if point is None:
            self.ask_backwards(shared, log, run.last + 2, 1)
            return
        log.prove(run, point)
        if log.proof is not None:
            self.peer.spread_proof(log.proof, None)
        self.peer.committed(log)

    def on_want(self, want: Want) -> None:
        shared = self.shared.get(want.conversation)
        log = None if shared is None else self.log_of(shared, want.tag)
        if shared is None or log is None or want.first > log.seq or not self.peer.serves:
            self.link.send(frames.unavailable(want.conversation, want.tag, want.first))
            return
        for run in log.runs_from(want.first):
            self.link.send(frames.sync_run(run.packed()))
            shared.sent[want.tag] = max(run.last, shared.sent.get(want.tag, 0))
            if run.last >= want.through:
                break

    def on_run(self, run: Run) -> None:
        shared = self.shared.get(run.log.conversation)
        if shared is None:
            return
        log = shared.conversation.log(run.log)
        tag = log_tag(self.hh, run.log)
        search = shared.searches.get(run.log)
        if search is not None and search[0] == run.first:
            self.on_answer(shared, log, run)
            return
        try:
            new = log.accept(run)
        except Diverged:
            if run.first <= log.seq and log.goes_on(run):
                shared.searches[run.log] = (run.first, BACKWARDS_STEP)
                self.on_answer(shared, log, run)
            elif search is None:
                self.ask_backwards(shared, log, run.first)
            return
        want = shared.wanted.get(tag)
        if want is not None and run.last >= want.through:
            del shared.wanted[tag]
        if new:
            self.peer.committed(log)
        row = shared.rows.get(tag)
        if row is None or row.seq < run.last:
            # Who sends a run has it.
            head = head_tag(self.hh, run.identifiers[-1])
            shared.rows[tag] = ClockRow(tag, run.last, head, State.OPEN)
        if row is not None and want is not None and tag not in shared.wanted:
            self.consider(shared, row)

    def on_unavailable(self, identifier: bytes, tag: bytes, first: int) -> None:
        self.unavailable.append((identifier, tag, first))
        shared = self.shared.get(identifier)
        if shared is not None:
            shared.wanted.pop(tag, None)
            log = self.log_of(shared, tag)
            if log is not None:
                shared.searches.pop(log.name, None)

    def on_records(self, packed: list[bytes]) -> None:
        for item in packed:
            record = read_record(item)
            if self.peer.replica.accept_record(record):
                self.peer.spread_record(record, self)

    def on_record_clock(self, identifier: bytes, rows: list[RecordRow]) -> None:
        if identifier not in self.shared:
            return
        known = {(row.tag, row.kind): row.hlc for row in rows}
        newer = [
            item.packed()
            for item in self.peer.replica.records(identifier)
            if item.hlc > known.get((author_tag(self.hh, item.author), item.kind), -1)
        ]
        for start in range(0, len(newer), 64):
            self.link.send(frames.records(newer[start : start + 64]))

    def on_fork_proof(self, proof: ForkProof) -> None:
        shared = self.shared.get(proof.log.conversation)
        if shared is None:
            return
        proof.verified()
        log = shared.conversation.log(proof.log)
        if log.keep(proof):
            self.peer.spread_proof(proof, self)
            self.peer.committed(log)

    # What others of this peer's links brought.

    def push(self, log: LogState, run: Run) -> None:
        """The author's live push, where the other side stands right before the run."""
        shared = self.shared.get(log.name.conversation)
        if shared is None:
            return
        tag = log_tag(self.hh, log.name)
        row = shared.rows.get(tag)
        if max(0 if row is None else row.seq, shared.sent.get(tag, 0)) == run.first - 1:
            self.link.send(frames.live_run(run.packed()))
            shared.sent[tag] = run.last

    def send_delta(self, log: LogState) -> None:
        """To the author always; to others where they are not known to have as much."""
        shared = self.shared.get(log.name.conversation)
        if shared is None:
            return
        tag = log_tag(self.hh, log.name)
        row = shared.rows.get(tag)
        known = max(0 if row is None else row.seq, shared.sent.get(tag, 0))
        if known < log.seq or log.name.author == self.link.remote or log.proof is not None:
            frame = frames.clock(log.name.conversation, False, [self.own_row(log)])
            self.link.send(frame)
