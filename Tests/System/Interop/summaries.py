"""Digests and the tags of clocks: Docs/Protocol/Sync.md §2 and §3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable

from codec import u8, u64
from entries import ZERO_32, LogName
from frames import State
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


def digest_value(
    conversation: bytes, logs: Iterable[LogSummary], profiles: Iterable[Record]
) -> bytes:
    ascending = sorted(logs, key=lambda item: (item.log.author, item.log.incarnation))
    kept = [item for item in ascending if item.seq or item.state == State.FORKED]
    named = sorted(profiles, key=lambda item: item.author)
    return H(
        "stoa digest",
        b"".join(
            [
                conversation,
                u64(len(kept)),
                *(item.packed() for item in kept),
                u64(len(named)),
                *(item.author + u8(item.kind) + u64(item.hlc) + item.hash for item in named),
            ]
        ),
    )


def log_tag(hh: bytes, log: LogName) -> bytes:
    return K(hh, "stoa log tag", log.packed)[:8]


def head_tag(hh: bytes, head: bytes) -> bytes:
    return K(hh, "stoa head tag", head)[:8]


def author_tag(hh: bytes, author: bytes) -> bytes:
    return K(hh, "stoa author tag", author)[:8]
