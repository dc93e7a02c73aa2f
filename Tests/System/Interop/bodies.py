"""What stands in a payload that is not sealed: Docs/Protocol/Entries.md §3."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Iterable

from codec import SEQ_MAXIMUM, Reader, Refused, fields, read_fields, u64, varint
from names import BYTES_MAXIMUM, is_room_name, is_stream_name
from persons import CERTIFICATE_BYTES, Certificate, read_certificate

SALT_BYTES = 16
CLEAR = 0
TEXT_MAXIMUM = 65_000
FALLBACK_MAXIMUM = 4_096
CLOSED_MAXIMUM = 64
TARGETS_MAXIMUM = 64
FALLBACK = 2
REPLY = 4
EDITED = 3
WITHDRAWN = 5
SESSION, DATA, END, OFFSET = 3, 5, 6, 7
STREAM_MAXIMUM = 49_152
ACCURACY = 8
LABEL = 10
LABEL_MAXIMUM = 1_024
SIGN_MAXIMUM = 64
TOPIC_MAXIMUM = 256
ACCURACY_MAXIMUM = 20_037_508
ERASED_EXTENSION = 2
EPOCH_BASIS_MAXIMUM = 60


class Class(IntEnum):
    CONTROL = 1
    CONTENT = 2
    STREAM = 3


class Kind(IntEnum):
    OPEN = 1
    JOIN = 2
    LEAVE = 3
    TOPIC = 4
    ERASE = 5
    EPOCH = 6
    TEXT = 32
    ACTION = 33
    LOCATION = 34
    EDIT = 35
    REACTION = 37
    STREAM = 64


CLASS_OF = {
    Kind.OPEN: Class.CONTROL,
    Kind.JOIN: Class.CONTROL,
    Kind.LEAVE: Class.CONTROL,
    Kind.TOPIC: Class.CONTROL,
    Kind.ERASE: Class.CONTROL,
    Kind.EPOCH: Class.CONTROL,
    Kind.TEXT: Class.CONTENT,
    Kind.ACTION: Class.CONTENT,
    Kind.LOCATION: Class.CONTENT,
    Kind.EDIT: Class.CONTENT,
    Kind.REACTION: Class.CONTENT,
    Kind.STREAM: Class.STREAM,
}


@dataclass(frozen=True)
class Body:
    kind: int
    fields: dict[int, bytes] = field(default_factory=dict)

    def packed(self) -> bytes:
        return varint(self.kind) + fields(self.fields)

    def payload(self, salt: bytes) -> bytes:
        """Suite 0."""
        if len(salt) != SALT_BYTES:
            raise ValueError("a salt has 16 bytes")
        return bytes([CLEAR]) + salt + self.packed()


def opening(certificate: Certificate, closed: tuple[int, ...] = ()) -> Body:
    items = {1: certificate.packed()}
    if closed:
        items[4] = b"".join(map(u64, sorted(closed)))
    return Body(Kind.OPEN, items)


def joining(room: str | None) -> Body:
    """Only that of an open room says its name."""
    return Body(Kind.JOIN, {1: room.encode()} if room is not None else {})


LEAVING = Body(Kind.LEAVE)


def saying(words: str) -> Body:
    return Body(Kind.TEXT, {1: words.encode()})


def doing(words: str) -> Body:
    return Body(Kind.ACTION, {1: words.encode()})


@dataclass(frozen=True, order=True)
class Target:
    """An entry that another one names, to erase or to answer it."""

    author: bytes
    incarnation: int
    seq: int
    identifier: bytes

    @property
    def place(self) -> tuple[bytes, int, int]:
        return self.author, self.incarnation, self.seq

    @property
    def packed_place(self) -> bytes:
        """What stands in an extension, where the author is known."""
        return u64(self.incarnation) + varint(self.seq) + self.identifier


def answering(words: str, target: Target) -> Body:
    return Body(Kind.TEXT, {1: words.encode(), REPLY: target.author + target.packed_place})


def editing(words: str, target: Target) -> Body:
    return Body(Kind.EDIT, {1: words.encode(), EDITED: target.author + target.packed_place})


def reacting(sign: str, target: Target, *, withdrawn: bool = False) -> Body:
    items = {1: sign.encode(), EDITED: target.author + target.packed_place}
    return Body(Kind.REACTION, {**items, WITHDRAWN: b""} if withdrawn else items)


def streaming(name: str, session: int, data: bytes, *, at: int = 0, end: bool = False) -> Body:
    items = {1: name.encode(), SESSION: u64(session), DATA: data, OFFSET: u64(at)}
    return Body(Kind.STREAM, {**items, END: b""} if end else items)


def placing(north: int, east: int, accuracy: int | None = None, label: str | None = None) -> Body:
    """A place, in ten-millionths of a degree."""
    items = {1: north.to_bytes(4, "big", signed=True) + east.to_bytes(4, "big", signed=True)}
    if accuracy is not None:
        items[ACCURACY] = varint(accuracy)
    if label is not None:
        items[LABEL] = label.encode()
    return Body(Kind.LOCATION, items)


def erasing(targets: Iterable[Target]) -> Body:
    return Body(Kind.ERASE, {1: b"".join(item.author + item.packed_place for item in sorted(targets))})


def erased_in_clear(targets: Iterable[Target], device: bytes) -> dict[int, bytes]:
    """The extension that names those of the eraser's own device; none where there are none."""
    own = sorted(item for item in targets if item.author == device)
    return {ERASED_EXTENSION: b"".join(item.packed_place for item in own)} if own else {}


def read_targets(data: bytes, device: bytes | None = None) -> tuple[Target, ...]:
    """Those of a body; or, of an extension, those of the device that wrote it."""
    reader = Reader(data)
    out: list[Target] = []
    while reader.left:
        author = reader.take(32) if device is None else device
        incarnation = reader.u64()
        seq = reader.counted(1, SEQ_MAXIMUM - 1, "a target's seq")
        out.append(Target(author, incarnation, seq, reader.take(32)))
    if not 1 <= len(out) <= TARGETS_MAXIMUM:
        raise Refused(f"{len(out)} targets")
    if any(a.place >= b.place for a, b in zip(out, out[1:])):
        raise Refused("targets that do not ascend")
    return tuple(out)


def read_body(data: bytes) -> Body:
    """The shape alone."""
    reader = Reader(data)
    return Body(reader.varint(), read_fields(reader.take(reader.left)))


def read_payload(payload: bytes) -> Body:
    if len(payload) < 1 + SALT_BYTES or payload[0] != CLEAR:
        raise Refused("a payload of another suite, or without a salt")
    return read_body(payload[1 + SALT_BYTES :])


def _utf8(raw: bytes, minimum: int, maximum: int) -> str:
    if not minimum <= len(raw) <= maximum:
        raise Refused(f"a text of {len(raw)} bytes")
    try:
        return raw.decode("utf-8", errors="strict")
    except UnicodeDecodeError as error:
        raise Refused("a text that is not UTF-8") from error


@dataclass(frozen=True)
class Opened:
    certificate: Certificate
    closed: tuple[int, ...]


def _opened(body: Body) -> Opened:
    raw = body.fields.get(1, b"")
    if len(raw) != CERTIFICATE_BYTES:
        raise Refused("an open without a certificate")
    listed = body.fields.get(4, b"")
    closed = tuple(int.from_bytes(listed[at : at + 8], "big") for at in range(0, len(listed), 8))
    ascending = all(a < b for a, b in zip(closed, closed[1:]))
    if len(listed) % 8 or not ascending or len(closed) > CLOSED_MAXIMUM:
        raise Refused("a list of closed logs that is none")
    if 4 in body.fields and not closed:
        raise Refused("an empty list of closed logs")
    return Opened(read_certificate(raw), closed)


@dataclass(frozen=True)
class Erased:
    targets: tuple[Target, ...]


@dataclass(frozen=True)
class Place:
    north: int
    east: int
    accuracy: int | None
    label: str | None


@dataclass(frozen=True)
class Edited:
    text: str
    target: Target


@dataclass(frozen=True)
class Reacted:
    sign: str
    target: Target
    withdrawn: bool


def _one_target(body: Body, type_: int) -> Target:
    targets = read_targets(body.fields.get(type_, b""))
    if len(targets) != 1:
        raise Refused("several messages where one is meant")
    return targets[0]


def _place(body: Body) -> Place:
    raw = body.fields.get(1, b"")
    if len(raw) != 8:
        raise Refused(f"a place of {len(raw)} bytes")
    north, east = (int.from_bytes(raw[at : at + 4], "big", signed=True) for at in (0, 4))
    if abs(north) > 900_000_000 or abs(east) > 1_800_000_000:
        raise Refused("a place that is not on the Earth")
    accuracy = None
    if ACCURACY in body.fields:
        reader = Reader(body.fields[ACCURACY])
        accuracy = reader.counted(0, ACCURACY_MAXIMUM, "an accuracy")
        if reader.left:
            raise Refused("bytes behind an accuracy")
    label = _utf8(body.fields[LABEL], 1, LABEL_MAXIMUM) if LABEL in body.fields else None
    return Place(north, east, accuracy, label)


def _reacted(body: Body) -> Reacted:
    sign = _utf8(body.fields.get(1, b""), 1, SIGN_MAXIMUM)
    if body.fields.get(WITHDRAWN, b""):
        raise Refused("more is said than that a sign is taken back")
    return Reacted(sign, _one_target(body, EDITED), WITHDRAWN in body.fields)


@dataclass(frozen=True)
class Streamed:
    name: str
    session: int
    at: int
    data: bytes
    end: bool


def _streamed(body: Body) -> Streamed:
    name = _utf8(body.fields.get(1, b""), 1, BYTES_MAXIMUM)
    if not is_stream_name(name):
        raise Refused("a stream without a name")
    numbers = [body.fields.get(type_, b"") for type_ in (SESSION, OFFSET)]
    if DATA not in body.fields or any(len(each) != 8 or each[0] > 0x7F for each in numbers):
        raise Refused("a piece of no stream")
    data, end = body.fields[DATA], body.fields.get(END) == b""
    if len(data) > STREAM_MAXIMUM or not (data or end):
        raise Refused(f"a piece of {len(data)} bytes")
    session, at = (int.from_bytes(each, "big") for each in numbers)
    return Streamed(name, session, at, data, end)


@dataclass(frozen=True)
class Announced:
    epoch: bytes
    basis: tuple[bytes, ...]
    people: bytes


def _announced(body: Body) -> Announced:
    epoch, raw, people = (body.fields.get(type_, b"") for type_ in (1, 3, 5))
    basis = tuple(raw[at : at + 32] for at in range(0, len(raw), 32))
    if len(epoch) != 32 or len(people) != 32 or len(raw) % 32:
        raise Refused("an epoch without an id, a basis or people")
    if not 1 <= len(basis) <= EPOCH_BASIS_MAXIMUM:
        raise Refused(f"an epoch that follows {len(basis)} acts")
    if any(one >= other for one, other in zip(basis, basis[1:], strict=False)):
        raise Refused("a basis that does not ascend")
    return Announced(epoch, basis, people)


KNOWN_ODD = {kind: set[int]() if kind == Kind.LEAVE else {1} for kind in Kind} | {
    Kind.EDIT: {1, EDITED},
    Kind.REACTION: {1, EDITED, WITHDRAWN},
    Kind.STREAM: {1, SESSION, DATA, OFFSET},
    Kind.EPOCH: {1, 3, 5},
}

Said = str | Opened | Erased | Place | Edited | Reacted | Streamed | Announced | None


def read_content(class_: int, body: Body, odd_extension: bool) -> Said:
    """What a body says; a text for texts and actions, None for a join or a leave; refused is what cannot be read."""
    if odd_extension:
        raise Refused("an unknown odd extension")
    if body.kind not in KNOWN_ODD or CLASS_OF[Kind(body.kind)] != class_:
        raise Refused(f"kind {body.kind} in class {class_}")
    kind = Kind(body.kind)
    if any(type_ % 2 == 1 and type_ not in KNOWN_ODD[kind] for type_ in body.fields):
        raise Refused("an unknown odd field")
    match kind:
        case Kind.OPEN:
            return _opened(body)
        case Kind.ERASE:
            return Erased(read_targets(body.fields.get(1, b"")))
        case Kind.TEXT:
            if REPLY in body.fields:
                _one_target(body, REPLY)
            return _utf8(body.fields.get(1, b""), 1, TEXT_MAXIMUM)
        case Kind.ACTION:
            return _utf8(body.fields.get(1, b""), 1, TEXT_MAXIMUM)
        case Kind.LOCATION:
            return _place(body)
        case Kind.EDIT:
            return Edited(_utf8(body.fields.get(1, b""), 1, TEXT_MAXIMUM), _one_target(body, EDITED))
        case Kind.REACTION:
            return _reacted(body)
        case Kind.STREAM:
            return _streamed(body)
        case Kind.JOIN:
            if 1 in body.fields and not is_room_name(_utf8(body.fields[1], 1, BYTES_MAXIMUM)):
                raise Refused("a join of no room")
            return None
        case Kind.LEAVE:
            return None
        case Kind.EPOCH:
            return _announced(body)
        case Kind.TOPIC:
            if 1 not in body.fields:
                raise Refused("a topic without a text")
            return _utf8(body.fields[1], 0, TOPIC_MAXIMUM)


def fallback(class_: int, body: Body) -> str | None:
    """What stands for a body of class 2 that cannot be read."""
    if class_ != Class.CONTENT or FALLBACK not in body.fields:
        return None
    try:
        return _utf8(body.fields[FALLBACK], 1, FALLBACK_MAXIMUM)
    except Refused:
        return None
