"""Frames, fragments and their bodies: Docs/Protocol/Wire.md §3 and Sync.md §3."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Iterable, Sequence

from codec import SEQ_MAXIMUM, Reader, Refused, text, u8, u64, varint

PLAINTEXT_MAXIMUM = 16_384
CONTROL_FRAME_MAXIMUM = 4_096
FRAME_MAXIMUM = 300_000
CREDIT_INITIAL = 327_680
CREDIT_OWED_MAXIMUM = 16_384
ROOM_NAME_MAXIMUM = 64
GOAWAY_TEXT_MAXIMUM = 256
ROOMS_MAXIMUM = 1_024
ROWS_MAXIMUM = 8_192


class Type(IntEnum):
    PING = 0x01
    PONG = 0x02
    CREDIT = 0x03
    GOAWAY = 0x04
    ROOMS = 0x05
    ROOMS_LEFT = 0x06
    LIVE_RUN = 0x10
    LIVE_FRAGMENT = 0x11
    DIGEST = 0x20
    CLOCK = 0x21
    WANT = 0x22
    SYNC_RUN = 0x23
    SYNC_FRAGMENT = 0x24
    UNAVAILABLE = 0x25
    RECORDS = 0x26
    RECORD_CLOCK = 0x27
    FORK_PROOF = 0x28


class Reason(IntEnum):
    SHUTDOWN = 1
    DUPLICATE = 2
    IDENTITY_IN_USE = 3
    PROTOCOL_VIOLATION = 4
    BUSY = 5
    SELF = 6
    STORAGE = 7
    BLOCKED = 8
    DEAD = 9


class State(IntEnum):
    """Of a log, in a clock row and in a digest."""

    OPEN = 0
    FORKED = 1
    REFUSED = 2


FRAGMENT_OF_CHANNEL = {1: Type.LIVE_FRAGMENT, 2: Type.SYNC_FRAGMENT}
KNOWN_TYPES = frozenset(int(kind) for kind in Type)


def channel_of(kind: int) -> int:
    return min(kind >> 4, 2)


@dataclass(frozen=True)
class Frame:
    kind: int
    body: bytes

    @property
    def channel(self) -> int:
        return channel_of(self.kind)

    def packed(self) -> bytes:
        return varint(self.kind) + varint(len(self.body)) + self.body


def fragments(frame: Frame) -> list[Frame]:
    """The frame itself where it fits a plaintext, else the fragments that carry it."""
    whole = frame.packed()
    if len(whole) <= PLAINTEXT_MAXIMUM:
        return [frame]
    kind = FRAGMENT_OF_CHANNEL[frame.channel]
    # One byte of type, two of length, one of `last`.
    room = PLAINTEXT_MAXIMUM - 4
    cuts = [whole[start : start + room] for start in range(0, len(whole), room)]
    return [
        Frame(kind, u8(1 if index == len(cuts) - 1 else 0) + cut) for index, cut in enumerate(cuts)
    ]


def read_frames(plaintext: bytes) -> list[Frame]:
    if not 1 <= len(plaintext) <= PLAINTEXT_MAXIMUM:
        raise Refused(f"a plaintext of {len(plaintext)} bytes")
    reader = Reader(plaintext)
    out: list[Frame] = []
    while reader.left:
        kind = reader.varint()
        body = reader.take(reader.varint())
        frame = Frame(kind, body)
        if frame.channel == 0 and len(frame.packed()) > CONTROL_FRAME_MAXIMUM:
            raise Refused("a frame of channel 0 that is too long")
        out.append(frame)
    return out


class Assembler:
    """Puts the fragments of one channel together."""

    def __init__(self) -> None:
        self.buffer = bytearray()

    def accept(self, frame: Frame) -> Frame | None:
        if frame.kind not in FRAGMENT_OF_CHANNEL.values():
            if self.buffer and frame.channel != 0:
                raise Refused("a frame between the fragments of another")
            return frame
        reader = Reader(frame.body)
        last = reader.flag("a fragment's last")
        if not reader.left:
            raise Refused("an empty fragment")
        if not last and len(frame.packed()) != PLAINTEXT_MAXIMUM:
            raise Refused("a fragment that does not fill its plaintext")
        self.buffer += reader.take(reader.left)
        if len(self.buffer) > FRAME_MAXIMUM:
            raise Refused("a frame over 300,000 bytes")
        if not last:
            return None
        whole = bytes(self.buffer)
        self.buffer.clear()
        if len(whole) <= PLAINTEXT_MAXIMUM:
            raise Refused("fragments of a frame that would have fitted")
        inner = Reader(whole)
        out = Frame(inner.varint(), inner.take(inner.varint()))
        inner.end()
        if out.channel != frame.channel or out.kind in FRAGMENT_OF_CHANNEL.values():
            raise Refused("fragments that carry a frame of another channel")
        return out


# Bodies, in the order of the table.


def ping(nonce: int, clock: int) -> Frame:
    return Frame(Type.PING, u64(nonce) + u64(clock))


def pong(nonce: int, clock: int) -> Frame:
    return Frame(Type.PONG, u64(nonce) + u64(clock))


def read_ping(body: bytes) -> tuple[int, int]:
    reader = Reader(body)
    out = reader.u64(), reader.u64()
    reader.end()
    return out


def credit(channel: int, count: int) -> Frame:
    return Frame(Type.CREDIT, u8(channel) + varint(count))


def read_credit(body: bytes) -> tuple[int, int]:
    reader = Reader(body)
    channel = reader.u8()
    if channel not in (1, 2):
        raise Refused(f"credit for channel {channel}")
    count = reader.counted(1, 2**64 - 1, "a credit")
    reader.end()
    return channel, count


def goaway(reason: int, words: str) -> Frame:
    return Frame(Type.GOAWAY, varint(reason) + text(words, GOAWAY_TEXT_MAXIMUM))


def read_goaway(body: bytes) -> tuple[int, str]:
    reader = Reader(body)
    out = reader.varint(), reader.text(GOAWAY_TEXT_MAXIMUM)
    reader.end()
    return out


def rooms(names: Iterable[str]) -> Frame:
    ascending = sorted(set(names), key=lambda name: name.encode("utf-8"))
    packed = b"".join(text(name, ROOM_NAME_MAXIMUM) for name in ascending)
    return Frame(Type.ROOMS, varint(len(ascending)) + packed)


def read_rooms(body: bytes) -> list[str]:
    reader = Reader(body)
    count = reader.counted(1, ROOMS_MAXIMUM, "the count of rooms")
    names = [reader.text(ROOM_NAME_MAXIMUM) for _ in range(count)]
    reader.end()
    raw = [name.encode("utf-8") for name in names]
    if any(raw[i] >= raw[i + 1] for i in range(count - 1)):
        raise Refused("room names that do not ascend")
    return names


def rooms_left(conversations: Iterable[bytes]) -> Frame:
    ascending = sorted(set(conversations))
    return Frame(Type.ROOMS_LEFT, varint(len(ascending)) + b"".join(ascending))


def read_rooms_left(body: bytes) -> list[bytes]:
    reader = Reader(body)
    count = reader.counted(1, ROOMS_MAXIMUM, "the count of rooms")
    out = [reader.take(32) for _ in range(count)]
    reader.end()
    if any(out[i] >= out[i + 1] for i in range(count - 1)):
        raise Refused("rooms that do not ascend")
    return out


def live_run(packed: bytes) -> Frame:
    return Frame(Type.LIVE_RUN, packed)


def sync_run(packed: bytes) -> Frame:
    return Frame(Type.SYNC_RUN, packed)


def digest(conversation: bytes, value: bytes) -> Frame:
    return Frame(Type.DIGEST, conversation + value)


def read_digest(body: bytes) -> tuple[bytes, bytes]:
    reader = Reader(body)
    out = reader.take(32), reader.take(32)
    reader.end()
    return out


@dataclass(frozen=True)
class ClockRow:
    tag: bytes
    seq: int
    head_tag: bytes | None
    state: int

    def packed(self) -> bytes:
        return self.tag + varint(self.seq) + (self.head_tag or b"") + u8(self.state)


def clock(conversation: bytes, complete: bool, rows: Sequence[ClockRow]) -> Frame:
    ascending = sorted(rows, key=lambda row: row.tag)
    packed = b"".join(row.packed() for row in ascending)
    return Frame(Type.CLOCK, conversation + u8(int(complete)) + varint(len(ascending)) + packed)


def read_clock(body: bytes) -> tuple[bytes, bool, list[ClockRow]]:
    reader = Reader(body)
    conversation = reader.take(32)
    complete = reader.flag("a clock's complete")
    count = reader.counted(0, ROWS_MAXIMUM, "a clock's count")
    rows: list[ClockRow] = []
    for _ in range(count):
        tag, seq = reader.take(8), reader.counted(0, SEQ_MAXIMUM, "a clock row's seq")
        head_tag = reader.take(8) if seq else None
        state = reader.u8()
        if state > State.REFUSED:
            raise Refused(f"a clock row of state {state}")
        if rows and tag <= rows[-1].tag:
            raise Refused("clock rows that do not ascend")
        rows.append(ClockRow(tag, seq, head_tag, state))
    reader.end()
    return conversation, complete, rows


@dataclass(frozen=True)
class Want:
    conversation: bytes
    tag: bytes
    first: int
    through: int

    def frame(self) -> Frame:
        span = varint(self.first) + varint(self.through)
        return Frame(Type.WANT, self.conversation + self.tag + span)


def read_want(body: bytes) -> Want:
    reader = Reader(body)
    want = Want(reader.take(32), reader.take(8), reader.varint(), reader.varint())
    reader.end()
    if want.first < 1 or not want.first <= want.through <= min(want.first + 4_095, SEQ_MAXIMUM):
        raise Refused(f"a want from {want.first} through {want.through}")
    return want


def unavailable(conversation: bytes, tag: bytes, first: int) -> Frame:
    return Frame(Type.UNAVAILABLE, conversation + tag + varint(first))


def read_unavailable(body: bytes) -> tuple[bytes, bytes, int]:
    reader = Reader(body)
    conversation, tag = reader.take(32), reader.take(8)
    first = reader.counted(0, SEQ_MAXIMUM, "the seq of an unavailable")
    reader.end()
    return conversation, tag, first


def records(packed: Sequence[bytes]) -> Frame:
    items = b"".join(varint(len(item)) + item for item in packed)
    return Frame(Type.RECORDS, varint(len(packed)) + items)


def read_records(body: bytes) -> list[bytes]:
    reader = Reader(body)
    count = reader.counted(1, 64, "the count of records")
    out = [reader.take(reader.varint()) for _ in range(count)]
    reader.end()
    return out


@dataclass(frozen=True)
class RecordRow:
    tag: bytes
    kind: int
    hlc: int

    def packed(self) -> bytes:
        return self.tag + u8(self.kind) + u64(self.hlc)


def record_clock(conversation: bytes, rows: Sequence[RecordRow]) -> Frame:
    ascending = sorted(rows, key=lambda row: (row.tag, row.kind))
    packed = b"".join(row.packed() for row in ascending)
    return Frame(Type.RECORD_CLOCK, conversation + varint(len(ascending)) + packed)


def read_record_clock(body: bytes) -> tuple[bytes, list[RecordRow]]:
    reader = Reader(body)
    conversation = reader.take(32)
    count = reader.counted(0, ROWS_MAXIMUM, "a record clock's count")
    rows: list[RecordRow] = []
    for _ in range(count):
        row = RecordRow(reader.take(8), reader.u8(), reader.u64())
        if rows and (row.tag, row.kind) <= (rows[-1].tag, rows[-1].kind):
            raise Refused("record clock rows that do not ascend")
        rows.append(row)
    reader.end()
    return conversation, rows


def fork_proof(packed: bytes) -> Frame:
    return Frame(Type.FORK_PROOF, packed)
