"""What members have and have read, as they say it: Docs/Protocol/Sync.md §10."""

from __future__ import annotations

from dataclasses import dataclass

from codec import Reader, Refused, fields, read_fields, u64, varint
from entries import LogName
from primitives import H, Identity
from records import Record

KIND = 3
CLEAR = b"\x00"
ROWS, PASS_ON = 1, 2
ROWS_MAXIMUM = 80
MEMBERS_MAXIMUM = 64


def log_tag(conversation: bytes, name: LogName) -> int:
    whole = conversation + name.author + u64(name.incarnation)
    return int.from_bytes(H("stoa mark log", whole)[:8])


def head_tag(entry: bytes) -> int:
    return max(1, int.from_bytes(H("stoa mark head", entry)[:8]))


def member_tag(conversation: bytes, member: bytes) -> int:
    return int.from_bytes(H("stoa mark member", conversation + member)[:8])


@dataclass(frozen=True)
class Row:
    log: int
    stored: int
    read: int
    head: int

    def packed(self) -> bytes:
        return u64(self.log) + varint(self.stored) + varint(self.read) + u64(self.head)


@dataclass(frozen=True)
class Mark:
    rows: tuple[Row, ...]
    pass_on: tuple[int, ...] = ()

    def packed(self) -> bytes:
        items = {ROWS: b"".join(row.packed() for row in sorted(self.rows, key=lambda row: row.log))}
        if self.pass_on:
            items[PASS_ON] = b"".join(u64(tag) for tag in sorted(self.pass_on))
        return fields(items)

    def record(self, identity: Identity, conversation: bytes, hlc: int) -> Record:
        value = CLEAR + self.packed()
        return Record(KIND, identity.public, conversation, hlc, value).signed(identity)


def read_mark(value: bytes) -> Mark:
    """A mark in clear."""
    if value[:1] != CLEAR:
        raise Refused("a mark that is sealed, or of another form")
    items = read_fields(value[1:])
    if ROWS not in items or any(type_ % 2 == 1 and type_ != ROWS for type_ in items):
        raise Refused("a mark without rows, or with an unknown odd field")
    reader = Reader(items[ROWS])
    rows: list[Row] = []
    while reader.left:
        rows.append(Row(reader.u64(), reader.varint(), reader.varint(), reader.u64()))
    reader = Reader(items.get(PASS_ON, b""))
    members: list[int] = []
    while reader.left:
        members.append(reader.u64())
    for tags, maximum in (([row.log for row in rows], ROWS_MAXIMUM), (members, MEMBERS_MAXIMUM)):
        if len(tags) > maximum or any(a >= b for a, b in zip(tags, tags[1:])):
            raise Refused("a mark with too much in it, or out of order")
    return Mark(tuple(rows), tuple(members))
