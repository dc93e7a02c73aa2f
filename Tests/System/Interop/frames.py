"""Frames, fragments and their bodies: Docs/Protocol/Wire.md §3, Sync.md §3 to §8."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Iterable, Sequence

from codec import SEQ_MAXIMUM, Reader, Refused, text, u8, u16, u64, varint

PLAINTEXT_MAXIMUM = 16_384
FRAME_MAXIMUM = 300_000
CREDIT_INITIAL = 327_680
CREDIT_OWED_MAXIMUM = 16_384
ROOM_NAME_MAXIMUM = 255
GOAWAY_TEXT_MAXIMUM = 256
ROOMS_MAXIMUM = 1_024
ROOMS_LEFT_MAXIMUM = 120
ROWS_MAXIMUM = 8_192
BUCKETS = 256
EPHEMERAL_MAXIMUM = 1_408
# What this peer packs into one clock.
CLOCK_BYTES = 100_000


class Channel(IntEnum):
    CONTROL = 0
    LIVE = 1
    SYNC = 2
    BLOB = 3
    EPHEMERAL = 4


# Those on which a sender needs credit.
CREDITED = (Channel.LIVE, Channel.SYNC, Channel.BLOB)
TYPES_PER_CHANNEL = 32
TYPE_MAXIMUM = TYPES_PER_CHANNEL * len(Channel)
# Of the channels whose frames are never cut.
FRAME_MAXIMA = {Channel.CONTROL: 4_096, Channel.EPHEMERAL: 1_472}


class Type(IntEnum):
    PING = 0x01
    PONG = 0x02
    CREDIT = 0x03
    GOAWAY = 0x04
    REALMS = 0x05
    ROOMS = 0x06
    ROOMS_LEFT = 0x07
    DIAL_BACK = 0x0A
    DIALLED_BACK = 0x0C
    DEVICE = 0x0E
    ADDRESSES = 0x14
    LIVE_RUN = 0x21
    LIVE_FRAGMENT = 0x22
    DIGEST = 0x41
    BUCKETS = 0x42
    CLOCK = 0x43
    DELTA = 0x44
    WANT = 0x45
    SYNC_RUN = 0x46
    SYNC_FRAGMENT = 0x47
    UNAVAILABLE = 0x48
    RECORDS = 0x49
    RECORD_CLOCK = 0x4A
    FORK_PROOF = 0x4B
    SHARES = 0x4C
    PAYLOAD_WANT = 0x4E
    PAYLOADS = 0x50
    ACTS = 0x59
    ACT_HEADS = 0x5A
    EPOCH_KEYS = 0x5B
    ACT_WANT = 0x5C
    SEALED_KEYS = 0x5D
    HAND_OVER = 0x64
    EPHEMERAL = 0x82
    PRESENCE = 0x84


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


FRAGMENT_OF_CHANNEL = {Channel.LIVE: Type.LIVE_FRAGMENT, Channel.SYNC: Type.SYNC_FRAGMENT}
KNOWN_TYPES = frozenset(int(kind) for kind in Type)


@dataclass(frozen=True)
class Frame:
    kind: int
    body: bytes

    @property
    def channel(self) -> int:
        return self.kind // TYPES_PER_CHANNEL

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
        frame = read_frame(reader)
        length = len(frame.packed())
        if length > FRAME_MAXIMA.get(Channel(frame.channel), length):
            raise Refused(f"a frame of {length} bytes on channel {frame.channel}")
        out.append(frame)
    return out


def read_frame(reader: Reader) -> Frame:
    kind = reader.varint()
    if kind >= TYPE_MAXIMUM or kind % TYPES_PER_CHANNEL == 0:
        raise Refused(f"a frame of type {kind:x}, which no channel has")
    return Frame(kind, reader.take(reader.varint()))


class Assembler:
    """Puts the fragments of one channel together."""

    def __init__(self) -> None:
        self.buffer = bytearray()

    def accept(self, frame: Frame) -> Frame | None:
        if frame.kind not in FRAGMENT_OF_CHANNEL.values():
            if self.buffer:
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
        out = read_frame(inner)
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
    if channel not in CREDITED:
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


def _tags(reader: Reader, length: int, counts: Sequence[int]) -> list[bytes]:
    count = reader.varint()
    if count not in counts:
        raise Refused(f"{count} tags, where {counts} are allowed")
    out = [reader.take(length) for _ in range(count)]
    reader.end()
    if any(out[i] >= out[i + 1] for i in range(count - 1)):
        raise Refused("tags that do not ascend")
    return out


def realms(tags: Iterable[bytes]) -> Frame:
    ascending = sorted(tags)
    return Frame(Type.REALMS, varint(len(ascending)) + b"".join(ascending))


def read_realms(body: bytes) -> list[bytes]:
    return _tags(Reader(body), 16, (8, 16, 32))


def shares(tags: Iterable[bytes]) -> Frame:
    ascending = sorted(tags)
    return Frame(Type.SHARES, varint(len(ascending)) + b"".join(ascending))


def read_shares(body: bytes) -> list[bytes]:
    return _tags(Reader(body), 8, (16, 64, 256, 1_024, 4_096))


def dial_back(port: int) -> Frame:
    return Frame(Type.DIAL_BACK, u16(port))


def read_dial_back(body: bytes) -> int:
    reader = Reader(body)
    out = reader.u16()
    reader.end()
    return out


def dialled_back(outcome: int) -> Frame:
    return Frame(Type.DIALLED_BACK, u8(outcome))


def read_dialled_back(body: bytes) -> int:
    reader = Reader(body)
    out = reader.u8()
    reader.end()
    if out > 3:
        raise Refused(f"the outcome {out} of a dial back")
    return out


def rooms(realm_tag: bytes, names: Iterable[str]) -> Frame:
    ascending = sorted(set(names), key=lambda name: name.encode("utf-8"))
    packed = b"".join(text(name, ROOM_NAME_MAXIMUM) for name in ascending)
    return Frame(Type.ROOMS, realm_tag + varint(len(ascending)) + packed)


def read_rooms(body: bytes) -> tuple[bytes, list[str]]:
    reader = Reader(body)
    tag = reader.take(16)
    count = reader.counted(1, ROOMS_MAXIMUM, "the count of rooms")
    names = [reader.text(ROOM_NAME_MAXIMUM) for _ in range(count)]
    reader.end()
    raw = [name.encode("utf-8") for name in names]
    if any(raw[i] >= raw[i + 1] for i in range(count - 1)):
        raise Refused("room names that do not ascend")
    return tag, names


def rooms_left(conversations: Iterable[bytes]) -> Frame:
    ascending = sorted(set(conversations))
    return Frame(Type.ROOMS_LEFT, varint(len(ascending)) + b"".join(ascending))


def read_rooms_left(body: bytes) -> list[bytes]:
    reader = Reader(body)
    count = reader.counted(1, ROOMS_LEFT_MAXIMUM, "the count of rooms that were left")
    out = [reader.take(32) for _ in range(count)]
    reader.end()
    if any(out[i] >= out[i + 1] for i in range(count - 1)):
        raise Refused("rooms that do not ascend")
    return out


def live_run(packed: bytes) -> Frame:
    return Frame(Type.LIVE_RUN, packed)


def sync_run(packed: bytes) -> Frame:
    return Frame(Type.SYNC_RUN, packed)


def digest(conversation: bytes, logs: bytes, kept: bytes) -> Frame:
    """The digest of the logs, and that of the records."""
    return Frame(Type.DIGEST, conversation + logs + kept)


def read_digest(body: bytes) -> tuple[bytes, bytes, bytes]:
    reader = Reader(body)
    out = reader.take(32), reader.take(32), reader.take(32)
    reader.end()
    return out


def buckets(conversation: bytes, tags: Sequence[bytes]) -> Frame:
    return Frame(Type.BUCKETS, conversation + b"".join(tags))


def read_buckets(body: bytes) -> tuple[bytes, list[bytes]]:
    reader = Reader(body)
    out = reader.take(32), [reader.take(8) for _ in range(BUCKETS)]
    reader.end()
    return out


ROW_FIRST, ROW_WHOLE, ROW_SHOWN = 0x80, 0x40, 0x20
ROW_STATES = 0x0F


@dataclass(frozen=True)
class ClockRow:
    """`first`, `whole` and `shown` are None where they are as one would think."""

    tag: bytes
    seq: int
    head_tag: bytes | None
    state: int
    first: int | None = None
    whole: int | None = None
    shown: int | None = None

    @property
    def core(self) -> tuple[bytes, int, bytes | None, int]:
        """What two replicas of the same entries agree on."""
        return self.tag, self.seq, self.head_tag, self.state

    def packed(self) -> bytes:
        state, rest = self.state, b""
        for bit, value in (
            (ROW_FIRST, self.first),
            (ROW_WHOLE, self.whole),
            (ROW_SHOWN, self.shown),
        ):
            if value is not None:
                state |= bit
                rest += varint(value)
        return self.tag + u8(state) + varint(self.seq) + (self.head_tag or b"") + rest


def read_clock_row(reader: Reader) -> ClockRow:
    tag, flags = reader.take(8), reader.u8()
    state = flags & ROW_STATES
    if state > State.REFUSED or flags & 0x10:
        raise Refused(f"a clock row of state {flags:x}")
    seq = reader.counted(0, SEQ_MAXIMUM, "a clock row's seq")
    head_tag = reader.take(8) if seq else None
    first = reader.counted(2, seq, "a row's first") if flags & ROW_FIRST else None
    whole = reader.counted(0, seq - 1, "a row's whole") if flags & ROW_WHOLE else None
    shown = reader.counted(0, seq - 1, "a row's shown") if flags & ROW_SHOWN else None
    return ClockRow(tag, seq, head_tag, state, first, whole, shown)


def read_clock_rows(reader: Reader, minimum: int) -> list[ClockRow]:
    rows: list[ClockRow] = []
    for _ in range(reader.counted(minimum, ROWS_MAXIMUM, "the count of clock rows")):
        rows.append(read_clock_row(reader))
        if len(rows) > 1 and rows[-1].tag <= rows[-2].tag:
            raise Refused("clock rows that do not ascend")
    return rows


def packed_rows(rows: Sequence[ClockRow]) -> bytes:
    ascending = sorted(rows, key=lambda row: row.tag)
    return varint(len(ascending)) + b"".join(row.packed() for row in ascending)


Pages = dict[int, list[ClockRow]]


def clock(conversation: bytes, pages: Pages) -> Frame:
    packed = b"".join(u8(bucket) + packed_rows(pages[bucket]) for bucket in sorted(pages))
    return Frame(Type.CLOCK, conversation + varint(len(pages)) + packed)


def clocks(conversation: bytes, pages: Pages) -> list[Frame]:
    """As many frames as they need."""
    out: list[Pages] = [{}]
    size = 0
    for bucket in sorted(pages):
        length = len(packed_rows(pages[bucket])) + 1
        if out[-1] and size + length > CLOCK_BYTES:
            out.append({})
            size = 0
        out[-1][bucket] = pages[bucket]
        size += length
    return [clock(conversation, part) for part in out if part]


def read_clock(body: bytes) -> tuple[bytes, Pages]:
    reader = Reader(body)
    conversation = reader.take(32)
    pages: Pages = {}
    last = -1
    for _ in range(reader.counted(1, BUCKETS, "a clock's count")):
        bucket = reader.u8()
        if bucket <= last:
            raise Refused("pages that do not ascend")
        last = bucket
        pages[bucket] = read_clock_rows(reader, 0)
    reader.end()
    return conversation, pages


def delta(conversation: bytes, rows: Sequence[ClockRow]) -> Frame:
    return Frame(Type.DELTA, conversation + packed_rows(rows))


def read_delta(body: bytes) -> tuple[bytes, list[ClockRow]]:
    reader = Reader(body)
    out = reader.take(32), read_clock_rows(reader, 1)
    reader.end()
    return out


@dataclass(frozen=True)
class Want:
    conversation: bytes
    tag: bytes
    first: int
    through: int

    def frame(self, kind: Type = Type.WANT) -> Frame:
        span = varint(self.first) + varint(self.through)
        return Frame(kind, self.conversation + self.tag + span)


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
    scope: int
    kind: int
    hlc: int
    record_tag: bytes

    @property
    def place(self) -> tuple[bytes, int, int]:
        return self.tag, self.scope, self.kind

    def packed(self) -> bytes:
        return self.tag + u8(self.scope) + u8(self.kind) + u64(self.hlc) + self.record_tag

    def lacks(self, other: "RecordRow") -> bool:
        """Whether who has this one may lack the other."""
        if self.hlc == other.hlc:
            return self.record_tag != other.record_tag
        return self.hlc < other.hlc


def record_clock(conversation: bytes, rows: Sequence[RecordRow]) -> Frame:
    ascending = sorted(rows, key=lambda row: row.place)
    packed = b"".join(row.packed() for row in ascending)
    return Frame(Type.RECORD_CLOCK, conversation + varint(len(ascending)) + packed)


def read_record_clock(body: bytes) -> tuple[bytes, list[RecordRow]]:
    reader = Reader(body)
    conversation = reader.take(32)
    count = reader.counted(0, ROWS_MAXIMUM, "a record clock's count")
    rows: list[RecordRow] = []
    for _ in range(count):
        tag, scope = reader.take(8), int(reader.flag("a record row's scope"))
        row = RecordRow(tag, scope, reader.u8(), reader.u64(), reader.take(8))
        if rows and row.place <= rows[-1].place:
            raise Refused("record clock rows that do not ascend")
        rows.append(row)
    reader.end()
    return conversation, rows


def fork_proof(packed: bytes) -> Frame:
    return Frame(Type.FORK_PROOF, packed)


class PayloadState(IntEnum):
    WANTED = 0
    PRESENT = 1
    ERASED = 2
    EXPIRED = 3


PAYLOADS_MAXIMUM = 128
PAYLOADS_BYTES = 131_072
PAYLOAD_MAXIMUM = 65_536


@dataclass(frozen=True)
class PayloadItem:
    state: int
    payload: bytes | None = None

    def packed(self) -> bytes:
        stored = b"" if self.payload is None else varint(len(self.payload)) + self.payload
        return u8(self.state) + stored


def payloads(conversation: bytes, tag: bytes, first: int, items: Sequence[PayloadItem]) -> Frame:
    packed = b"".join(item.packed() for item in items)
    place = conversation + tag + varint(first)
    return Frame(Type.PAYLOADS, place + varint(len(items)) + packed)


def read_payloads(body: bytes) -> tuple[bytes, bytes, int, list[PayloadItem]]:
    reader = Reader(body)
    conversation, tag = reader.take(32), reader.take(8)
    first = reader.counted(1, SEQ_MAXIMUM, "the seq of a payload")
    items: list[PayloadItem] = []
    for _ in range(reader.counted(0, PAYLOADS_MAXIMUM, "the count of payloads")):
        state = reader.u8()
        if state > PayloadState.EXPIRED:
            raise Refused("a payload of an unknown state")
        payload = None
        if state == PayloadState.PRESENT:
            payload = reader.take(reader.counted(0, PAYLOAD_MAXIMUM, "a payload's length"))
        items.append(PayloadItem(state, payload))
    reader.end()
    if sum(len(item.payload or b"") for item in items) > PAYLOADS_BYTES:
        raise Refused("payloads of too many bytes")
    return conversation, tag, first, items
