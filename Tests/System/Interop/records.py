"""Signed latest-wins values: Docs/Protocol/Entries.md §10."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Iterable

from codec import Reader, Refused, fields, read_fields, u8, u16, u64, varint
from persons import Certificate, read_certificate
from primitives import H, Identity, check

FORMAT = 2
PROFILE = 1
REVOCATION = 2
ADDRESS = 4
NAME_CHARACTERS_MAXIMUM = 64
NAME_MAXIMUM = 255
STATUS_MAXIMUM = 256
VALUE_MAXIMUM = 4_096
REVOCATION_MAXIMUM = 256
KINDS_MAXIMUM = 16
PICTURE_MAXIMUM = 262_144
ADDRESSES_MAXIMUM = 8
NAME, STATUS, PICTURE = 1, 4, 6


@dataclass(frozen=True)
class Record:
    kind: int
    author: bytes
    conversation: bytes | None
    hlc: int
    value: bytes
    signature: bytes = b""

    @property
    def scope(self) -> int:
        return 0 if self.conversation is None else 1

    @property
    def body(self) -> bytes:
        scope = b"\x00" if self.conversation is None else b"\x01" + self.conversation
        return u8(FORMAT) + u8(self.kind) + self.author + scope + u64(self.hlc) + self.value

    @property
    def message(self) -> bytes:
        return b"stoa.record.v2\x00" + self.body

    def packed(self) -> bytes:
        return self.body + self.signature

    @property
    def hash(self) -> bytes:
        return H("stoa record", self.packed())

    @property
    def rank(self) -> tuple[int, bytes]:
        """Of two records of one slot the one with the greater rank stands."""
        return self.hlc, self.hash

    def signed(self, identity: Identity) -> "Record":
        return Record(
            self.kind,
            self.author,
            self.conversation,
            self.hlc,
            self.value,
            identity.sign(self.message),
        )

    def verified(self) -> "Record":
        signer = self.author
        if self.kind == REVOCATION:
            certificate, _ = read_revocation(self.value)
            signer = certificate.verified(self.author).person
        check(signer, self.message, self.signature, "a record")
        return self

    @property
    def slot(self) -> tuple[bytes, bytes | None, int, bytes]:
        """Of two records with the same slot only one stands."""
        return self.author, self.conversation, self.kind, self.person

    @property
    def person(self) -> bytes:
        """Whose word a revocation is; nothing for other kinds, and where it does not parse."""
        if self.kind != REVOCATION:
            return b""
        try:
            return read_revocation(self.value)[0].person_id
        except Refused:
            return b""

    @property
    def is_taken(self) -> bool:
        """Not so one of a known kind with a scope, or whose value does not parse; other kinds are kept."""
        read: dict[int, Callable[[bytes], tuple[object, ...]]]
        read = {PROFILE: read_profile, REVOCATION: read_revocation, ADDRESS: read_address}
        if self.kind not in read:
            return True
        try:
            return self.conversation is None and bool(read[self.kind](self.value))
        except Refused:
            return False

    def profile(self) -> tuple[str, str]:
        return read_profile(self.value)


def read_profile(value: bytes) -> tuple[str, str]:
    """The name and the status, empty where they are absent."""
    items = read_fields(value)
    if any(type_ % 2 == 1 and type_ != NAME for type_ in items):
        raise Refused("an unknown odd field in a profile")
    read_picture(items)
    name = _text(items, NAME, NAME_MAXIMUM)
    if len(name) > NAME_CHARACTERS_MAXIMUM:
        raise Refused(f"a name of {len(name)} characters in a profile")
    return name, _text(items, STATUS, STATUS_MAXIMUM)


def revocation_value(certificate: Certificate, stands: bool) -> bytes:
    return fields({1: certificate.packed()} | ({3: b""} if stands else {}))


def read_revocation(value: bytes) -> tuple[Certificate, bool]:
    """The certificate of the device, and whether it stands again."""
    if len(value) > REVOCATION_MAXIMUM:
        raise Refused(f"a revocation of {len(value)} bytes")
    items = read_fields(value)
    if any(type_ % 2 == 1 and type_ not in (1, 3) for type_ in items) or items.get(3):
        raise Refused("a revocation with other fields")
    return read_certificate(items.get(1, b"")), 3 in items


def address_value(port: int, addresses: Iterable[bytes]) -> bytes:
    packed = sorted(u8(4 if len(item) == 4 else 6) + item for item in addresses)
    return fields({1: u16(port), 3: b"".join(packed)})


def read_address(value: bytes) -> tuple[int, list[bytes]]:
    items = read_fields(value)
    if {type_ for type_ in items if type_ % 2 == 1} != {1, 3} or len(items[1]) != 2:
        raise Refused("an address with other fields")
    port, reader = int.from_bytes(items[1], "big"), Reader(items[3])
    found: list[bytes] = []
    while reader.left:
        family = reader.take(1)
        if family not in (b"\x04", b"\x06"):
            raise Refused("an address of another family")
        found.append(family + reader.take(4 if family == b"\x04" else 16))
    if port == 0 or not 1 <= len(found) <= ADDRESSES_MAXIMUM:
        raise Refused("no port, or not 1 to 8 addresses")
    if any(one >= other for one, other in zip(found, found[1:], strict=False)):
        raise Refused("addresses that do not ascend")
    return port, found


def _text(items: dict[int, bytes], type_: int, limit: int) -> str:
    raw = items.get(type_, b"")
    if len(raw) > limit:
        raise Refused(f"a text of {len(raw)} bytes in a profile")
    try:
        return raw.decode("utf-8", errors="strict")
    except UnicodeDecodeError as error:
        raise Refused("a text that is not UTF-8") from error


def read_picture(items: dict[int, bytes]) -> tuple[bytes, int] | None:
    """The blob id and the size of the picture; nothing where there is none."""
    if PICTURE not in items:
        return None
    reader = Reader(items[PICTURE])
    blob, size = reader.take(32), reader.varint()
    reader.end()
    if not 1 <= size <= PICTURE_MAXIMUM:
        raise Refused(f"a picture of {size} bytes")
    return blob, size


def profile_value(name: str, status: str, picture: tuple[bytes, int] | None = None) -> bytes:
    items = {NAME: name.encode(), STATUS: status.encode()}
    if picture is not None:
        items[PICTURE] = picture[0] + varint(picture[1])
    return fields({type_: raw for type_, raw in items.items() if raw})


def profile(
    identity: Identity,
    name: str,
    status: str,
    hlc: int,
    picture: tuple[bytes, int] | None = None,
) -> Record:
    value = profile_value(name, status, picture)
    return Record(PROFILE, identity.public, None, hlc, value).signed(identity)


def read_record(data: bytes) -> Record:
    """The shape alone; `Record.verified` looks at the signature."""
    if len(data) < 64:
        raise Refused("a record shorter than its signature")
    reader = Reader(data[:-64])
    if reader.u8() != FORMAT:
        raise Refused("a record of another format")
    kind = reader.u8()
    author = reader.take(32)
    conversation = reader.take(32) if reader.flag("a record's scope") else None
    hlc = reader.u64()
    if reader.left > VALUE_MAXIMUM:
        raise Refused("a record whose value is too long")
    return Record(kind, author, conversation, hlc, reader.take(reader.left), data[-64:])
