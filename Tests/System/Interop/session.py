"""What two peers say on one link: Docs/Protocol/Sync.md."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any, Coroutine

import devices
import ephemeral
import frames
import group_keys
from addresses import read_addresses
from codec import Refused
from comparing import Shared
from entries import ForkProof, LogName, Run, read_fork_proof, read_sent_run
from frames import ClockRow, Frame, Reason, State, Type, Want
from group_exchange import GroupExchange
from link import Link, LinkEnded
from replica import Diverged, LogState
from summaries import Tags

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


class Session(GroupExchange):
    def __init__(self, peer: "Peer", link: Link) -> None:
        super().__init__()
        self.peer = peer
        self.link = link
        self.tags = Tags(link.transport.exporter, link.role)
        self.received: list[Frame] = []
        self.unavailable: list[tuple[bytes, bytes, int]] = []
        self.pongs: set[int] = set()
        self.pings = 0
        self.runs_received = 0
        self.payloads_asked: set[tuple[LogName, int]] = set()
        self.ended: LinkEnded | None = None
        self.refused: Refused | None = None
        self.tasks: set[asyncio.Task[None]] = set()
        # A list where credit is kept back until `release`.
        self.withheld: list[Frame] | None = None
        # Takes what comes and says nothing; at once, or from the first frame of a type on.
        self.mute = False
        self.mute_from: Type | None = None

    # Life.

    async def run(self) -> None:
        self.send_realms()
        self.send_shares()
        self.spawn(self.keep_alive())
        try:
            while True:
                async with asyncio.timeout(DEAD_SECONDS):
                    frame = await self.link.receive()
                self.received.append(frame)
                self.mute = self.mute or frame.kind == self.mute_from
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
        self.link.send(frames.ping(nonce, self.peer.clock()))
        return nonce

    # Frames.

    def handle(self, frame: Frame) -> None:
        body = frame.body
        match frame.kind:
            case Type.PING:
                self.pings += 1
                nonce, _ = frames.read_ping(body)
                self.link.send(frames.pong(nonce, self.peer.clock()))
            case Type.PONG:
                self.pongs.add(frames.read_ping(body)[0])
            case Type.REALMS:
                self.on_realms(frames.read_realms(body))
            case Type.ROOMS:
                self.on_rooms(*frames.read_rooms(body))
            # Read, so that what is malformed ends the link, and left at that: this peer has none of
            # their feature bits, and no stream is defined.
            case Type.DIAL_BACK:
                frames.read_dial_back(body)
            case Type.DIALLED_BACK:
                frames.read_dialled_back(body)
            case Type.DEVICE:
                devices.read_device(body)
            case Type.HAND_OVER:
                devices.read_hand_over(body)
            case Type.EPHEMERAL:
                ephemeral.read_ephemeral(body)
            case Type.PRESENCE:
                ephemeral.read_presence(body)
            case Type.ADDRESSES:
                read_addresses(body)
            case Type.ROOMS_LEFT:
                self.on_rooms_left(frames.read_rooms_left(body))
            case Type.SHARES:
                self.on_shares(frames.read_shares(body))
            case Type.DIGEST:
                self.on_digest(*frames.read_digest(body))
            case Type.BUCKETS:
                self.on_buckets(*frames.read_buckets(body))
            case Type.CLOCK:
                self.on_clock(*frames.read_clock(body))
            case Type.DELTA:
                self.on_delta(*frames.read_delta(body))
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
            case Type.PAYLOAD_WANT:
                self.on_payload_want(frames.read_want(body))
            case Type.PAYLOADS:
                self.on_payloads(*frames.read_payloads(body))
            case kind if kind in group_keys.BODIES:
                self.on_group(Type(kind), group_keys.BODIES[Type(kind)](body))

    def log_of(self, shared: Shared, tag: bytes) -> LogState | None:
        for log in shared.conversation.logs.values():
            if self.tags.log(log.name) == tag:
                return log
        return None

    def consider(self, shared: Shared, row: ClockRow) -> None:
        """Asks for what the row says that the peer has and we lack."""
        log = self.log_of(shared, row.tag)
        if row.state == State.REFUSED:
            return
        if log is not None and shared.conversation.holds_back(log.name):
            return
        if log is None:
            # Its name is not known, so the first entry is asked for alone.
            self.want(shared, row.tag, 1, min(row.seq, 1))
            return
        if row.first is not None and 1 <= log.seq < row.first - 1:
            return
        if row.whole != row.seq and log.whole < log.seq:
            self.want_payloads(shared, log)
        if log.proof is not None:
            if row.state != State.FORKED or row.seq >= log.proof.point:
                self.link.send(frames.fork_proof(log.proof.packed()))
            return
        if row.seq and row.seq <= log.seq:
            known = log.identifier(row.seq)
            if known is not None and self.tags.other.head(known) != row.head_tag:
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
        tag = self.tags.log(log.name)
        shared.wanted.pop(tag, None)
        self.want(shared, tag, seq, seq)

    def on_answer(self, shared: Shared, log: LogState, run: Run) -> None:
        """What a search asked for: the difference is in it, before it or behind it."""
        asked, stride = shared.searches.pop(log.name)
        run.verified()
        shared.wanted.pop(self.tags.log(log.name), None)
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
        tag = self.tags.log(run.log)
        search = shared.searches.get(run.log)
        if search is not None and search[0] == run.first:
            self.on_answer(shared, log, run)
            return
        try:
            new = shared.conversation.accept(run)
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
            head = self.tags.other.head(run.identifiers[-1])
            shared.rows[tag] = ClockRow(tag, run.last, head, State.OPEN)
        if row is not None and want is not None and tag not in shared.wanted:
            self.consider(shared, row)
        if log.whole < log.seq:
            self.want_payloads(shared, log)

    # Payloads.

    def want_payloads(self, shared: Shared, log: LogState) -> None:
        """Asks for those that are wanted, once on this link."""
        first = log.whole + 1
        key = log.name, first
        if key in self.payloads_asked:
            return
        self.payloads_asked.add(key)
        through = min(log.seq, first + WANT_SPAN - 1)
        want = Want(shared.conversation.identifier, self.tags.log(log.name), first, through)
        self.link.send(want.frame(Type.PAYLOAD_WANT))

    def on_payload_want(self, want: Want) -> None:
        shared = self.shared.get(want.conversation)
        log = None if shared is None else self.log_of(shared, want.tag)
        first, items, size = want.first, list[frames.PayloadItem](), 0

        def send() -> None:
            self.link.send(frames.payloads(want.conversation, want.tag, first, items))

        last = 0 if log is None else min(want.through, log.seq)
        for seq in range(want.first, last + 1):
            payload = None if log is None else log.entry(seq).payload
            size += len(payload or b"")
            if size > frames.PAYLOADS_BYTES or len(items) == frames.PAYLOADS_MAXIMUM:
                send()
                first, items, size = seq, [], len(payload or b"")
            state = frames.PayloadState.PRESENT
            if log is not None and payload is None:
                is_erased = seq in log.erased
                state = frames.PayloadState.ERASED if is_erased else frames.PayloadState.WANTED
            items.append(frames.PayloadItem(state, payload))
        if items:
            send()
        if last < want.through:
            # There is nothing from there on.
            first, items = max(first + len(items), want.first), []
            send()

    def on_payloads(
        self, identifier: bytes, tag: bytes, first: int, items: list[frames.PayloadItem]
    ) -> None:
        shared = self.shared.get(identifier)
        log = None if shared is None else self.log_of(shared, tag)
        if log is None:
            return
        for seq, item in enumerate(items, first):
            if item.payload is not None and seq <= log.seq:
                log.fill(seq, item.payload)
        self.peer.committed(log)

    def on_unavailable(self, identifier: bytes, tag: bytes, first: int) -> None:
        self.unavailable.append((identifier, tag, first))
        shared = self.shared.get(identifier)
        if shared is not None:
            shared.wanted.pop(tag, None)
            log = self.log_of(shared, tag)
            if log is not None:
                shared.searches.pop(log.name, None)

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
        tag = self.tags.log(log.name)
        row = shared.rows.get(tag)
        if max(0 if row is None else row.seq, shared.sent.get(tag, 0)) == run.first - 1:
            self.link.send(frames.live_run(run.packed()))
            shared.sent[tag] = run.last

    def send_delta(self, log: LogState) -> None:
        """To the author always; to others where they are not known to have as much."""
        shared = self.shared.get(log.name.conversation)
        if shared is None:
            return
        tag = self.tags.log(log.name)
        row = shared.rows.get(tag)
        known = max(0 if row is None else row.seq, shared.sent.get(tag, 0))
        if known < log.seq or log.name.author == self.link.remote or log.proof is not None:
            self.link.send(frames.delta(log.name.conversation, [self.own_row(log)]))
