"""Digests and the tags of clocks: Docs/Protocol/Sync.md §3 and §4."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Iterable

from codec import u8, u64
from entries import ZERO_32, LogName
from frames import BUCKETS, RecordRow, State
from noise_link import INITIATOR, RESPONDER
from primitives import H, K
from records import Record


@dataclass(frozen=True)
class LogSummary:
    log: LogName
    seq: int
    head: bytes
    state: int = State.OPEN

    def packed(self) -> bytes:
        return (
            self.log.author
            + u64(self.log.incarnation)
            + u64(self.seq)
            + (self.head if self.seq else ZERO_32)
            + u8(self.state)
        )


@functools.lru_cache(maxsize=65_536)
def bucket_of(log: LogName) -> int:
    return H("stoa bucket", log.author + u64(log.incarnation))[0]


def bucket_hashes(logs: Iterable[LogSummary]) -> list[bytes]:
    held: dict[int, list[LogSummary]] = {}
    for item in sorted(logs, key=lambda item: (item.log.author, item.log.incarnation)):
        if item.seq or item.state == State.FORKED:
            held.setdefault(bucket_of(item.log), []).append(item)
    out = [ZERO_32] * BUCKETS
    for bucket, items in held.items():
        out[bucket] = H("stoa log bucket", b"".join(item.packed() for item in items))
    return out


def log_digest(conversation: bytes, logs: Iterable[LogSummary]) -> bytes:
    return H("stoa log digest", conversation + b"".join(bucket_hashes(logs)))


def record_digest(conversation: bytes, records: Iterable[Record]) -> bytes:
    """Of records of either scope."""
    ascending = sorted(records, key=lambda item: (item.author, item.scope, item.kind, item.person))
    packed = [
        item.author + u8(item.scope) + u8(item.kind) + u64(item.hlc) + item.hash
        for item in ascending
    ]
    return H("stoa rec digest", conversation + b"".join(packed))


@functools.lru_cache(maxsize=65_536)
def _log_tag(exporter: bytes, log: LogName) -> bytes:
    return K(exporter, "stoa log tag", log.packed)[:8]


@dataclass(frozen=True)
class Tags:
    """What stands for names on one link, as the side of `role` writes it."""

    exporter: bytes
    role: int

    @property
    def other(self) -> "Tags":
        """As the other side writes it."""
        return Tags(self.exporter, INITIATOR + RESPONDER - self.role)

    def log(self, log: LogName) -> bytes:
        return _log_tag(self.exporter, log)

    def head(self, head: bytes) -> bytes:
        return K(self.exporter, "stoa head tag", u8(self.role) + head)[:8]

    def bucket(self, conversation: bytes, value: bytes) -> bytes:
        return K(self.exporter, "stoa bucket tag", u8(self.role) + conversation + value)[:8]

    def share(self, conversation: bytes) -> bytes:
        return K(self.exporter, "stoa share tag", u8(self.role) + conversation)[:8]

    def author(self, author: bytes) -> bytes:
        return K(self.exporter, "stoa author tag", author)[:8]

    def record(self, record: Record) -> RecordRow:
        tag = K(self.exporter, "stoa record tag", record.hash)[:8]
        author = self.author(record.author + record.person)
        return RecordRow(author, record.scope, record.kind, record.hlc, tag)
