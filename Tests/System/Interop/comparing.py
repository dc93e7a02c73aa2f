"""How two sides of a link find out where they differ: Docs/Protocol/Sync.md §3, §4, §9."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import frames
from entries import LogName
from frames import BUCKETS, ClockRow, Pages, RecordRow, Want
from link import Link
from records import read_record
from replica import Conversation, LogState
from summaries import Tags, bucket_hashes, bucket_of

if TYPE_CHECKING:
    from peer import Peer


@dataclass
class Shared:
    """What a link knows of one conversation."""

    conversation: Conversation
    rows: dict[bytes, ClockRow] = field(default_factory=dict)
    # By bucket, the tags of the rows that stand on the peer's last page.
    paged: dict[int, set[bytes]] = field(default_factory=dict)
    pages_sent: set[int] = field(default_factory=set)
    logs_answered: bytes | None = None
    records_answered: bytes | None = None
    digest_received: tuple[bytes, bytes] | None = None
    digest_sent: tuple[bytes, bytes] | None = None
    # By tag, up to where this side has sent a log: no delta tells that it has arrived.
    sent: dict[bytes, int] = field(default_factory=dict)
    wanted: dict[bytes, Want] = field(default_factory=dict)
    # Where a search for a fork point asks, and how far the next question lies before that.
    searches: dict[LogName, tuple[int, int]] = field(default_factory=dict)


class Comparing:
    """The part of a session that compares; the rest acts on the rows that come of it."""

    peer: "Peer"
    link: Link
    tags: Tags
    shared: dict[bytes, Shared]

    def consider(self, shared: Shared, row: ClockRow) -> None:
        raise NotImplementedError

    # Digests.

    def send_digest(self, identifier: bytes) -> None:
        value = self.peer.replica.digest(identifier)
        shared = self.shared[identifier]
        shared.digest_sent = value
        shared.pages_sent.clear()
        self.link.send(frames.digest(identifier, *value))

    def on_digest(self, identifier: bytes, logs: bytes, kept: bytes) -> None:
        shared = self.shared.get(identifier)
        if shared is None:
            return
        shared.digest_received = logs, kept
        own_logs, own_kept = self.peer.replica.digest(identifier)
        if logs == own_logs:
            for row in self.own_rows(identifier):
                shared.rows[row.tag] = row
        elif shared.logs_answered != logs:
            shared.logs_answered = logs
            if self.peer.sends_buckets:
                self.send_buckets(identifier)
            else:
                self.send_pages(identifier, set(range(BUCKETS)))
        if kept != own_kept and shared.records_answered != kept:
            shared.records_answered = kept
            self.send_record_clock(identifier)

    def agrees(self, identifier: bytes) -> bool:
        """Whether both sides hold the same, as the other side's digest or clock tells."""
        shared = self.shared.get(identifier)
        if shared is None or shared.digest_received is None:
            return False
        if shared.digest_received == self.peer.replica.digest(identifier):
            return True
        own = {row.tag: row.seq for row in self.own_rows(identifier)}
        told = {tag: row.seq for tag, row in shared.rows.items()}
        if not own or not told or shared.wanted:
            return False
        for tag, seq in shared.sent.items():
            told[tag] = max(seq, told.get(tag, 0))
        return own == told

    # Buckets and pages.

    def own_row(self, log: LogState, tags: Tags | None = None) -> ClockRow:
        """As this side writes it, or that of other tags."""
        tags = tags or self.tags
        summary = log.summary
        head = tags.head(summary.head) if summary.seq else None
        row = ClockRow(tags.log(log.name), summary.seq, head, summary.state)
        whole, due = log.whole, log.due
        return replace(
            row,
            whole=whole if whole < row.seq else None,
            shown=due if due < row.seq else None,
        )

    def own_rows(self, identifier: bytes) -> list[ClockRow]:
        logs = self.peer.replica.conversations[identifier].logs.values()
        return [self.own_row(log) for log in logs if log.seq or log.proof is not None]

    def pages(self, identifier: bytes, which: set[int], tags: Tags) -> Pages:
        out: Pages = {bucket: [] for bucket in which}
        for log in self.peer.replica.conversations[identifier].logs.values():
            bucket = bucket_of(log.name)
            if bucket in which and (log.seq or log.proof is not None):
                out[bucket].append(self.own_row(log, tags))
        for rows in out.values():
            rows.sort(key=lambda row: row.tag)
        return out

    def bucket_tags(self, identifier: bytes, tags: Tags) -> list[bytes]:
        values = bucket_hashes(self.peer.replica.summaries(identifier))
        return [tags.bucket(identifier, value) for value in values]

    def send_buckets(self, identifier: bytes) -> None:
        own = self.bucket_tags(identifier, self.tags)
        self.link.send(frames.buckets(identifier, own))

    def send_pages(self, identifier: bytes, which: set[int]) -> None:
        shared = self.shared[identifier]
        shared.pages_sent |= which
        for frame in frames.clocks(identifier, self.pages(identifier, which, self.tags)):
            self.link.send(frame)

    def on_buckets(self, identifier: bytes, told: list[bytes]) -> None:
        shared = self.shared.get(identifier)
        if shared is None:
            return
        due = self.bucket_tags(identifier, self.tags.other)
        different = {bucket for bucket in range(BUCKETS) if told[bucket] != due[bucket]}
        same = set(range(BUCKETS)) - different
        for rows in self.pages(identifier, same, self.tags).values():
            for row in rows:
                shared.rows[row.tag] = row
        if different:
            self.send_pages(identifier, different)

    def on_clock(self, identifier: bytes, pages: Pages) -> None:
        shared = self.shared.get(identifier)
        if shared is None:
            return
        due = self.pages(identifier, set(pages), self.tags.other)
        answers: set[int] = set()
        for bucket, rows in pages.items():
            for tag in shared.paged.pop(bucket, set()):
                shared.rows.pop(tag, None)
            shared.paged[bucket] = {row.tag for row in rows}
            if [row.core for row in rows] != [row.core for row in due[bucket]]:
                answers.add(bucket)
            self.on_rows(shared, rows)
        if answers - shared.pages_sent:
            self.send_pages(identifier, answers - shared.pages_sent)
        for log in shared.conversation.logs.values():
            told = bucket_of(log.name) in pages and self.tags.log(log.name) not in shared.rows
            if log.proof is not None and told:
                self.link.send(frames.fork_proof(log.proof.packed()))

    def on_delta(self, identifier: bytes, rows: list[ClockRow]) -> None:
        shared = self.shared.get(identifier)
        if shared is not None:
            self.on_rows(shared, rows)

    def on_rows(self, shared: Shared, rows: list[ClockRow]) -> None:
        for row in rows:
            shared.rows[row.tag] = row
        for row in rows:
            self.consider(shared, row)

    # Records.

    def send_record_clock(self, identifier: bytes) -> None:
        rows = [self.tags.record(item) for item in self.peer.replica.records(identifier)]
        self.link.send(frames.record_clock(identifier, rows))

    def on_records(self, packed: list[bytes]) -> None:
        for item in packed:
            record = read_record(item)
            if self.peer.replica.accept_record(record):
                self.peer.spread_record(record, self)

    def on_record_clock(self, identifier: bytes, rows: list[RecordRow]) -> None:
        if identifier not in self.shared:
            return
        known = {row.place: row for row in rows}
        lacking = []
        for item in self.peer.replica.records(identifier):
            own = self.tags.record(item)
            theirs = known.get(own.place)
            if theirs is None or theirs.lacks(own):
                lacking.append(item.packed())
        for start in range(0, len(lacking), 64):
            self.link.send(frames.records(lacking[start : start + 64]))
