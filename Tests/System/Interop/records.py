"""Signed latest-wins values: Docs/Protocol/Entries.md §7."""

from __future__ import annotations

from dataclasses import dataclass

from codec import Reader, Refused, text, u8, u64
from primitives import H, Identity, check

PROFILE = 1
NAME_MAXIMUM = 64
STATUS_MAXIMUM = 256
VALUE_MAXIMUM = 1_024


@dataclass(frozen=True)
class Record:
    kind: int
    author: bytes
    conversation: bytes | None
    hlc: int
    value: bytes
    signature: bytes = b""

    @property
    def body(self) -> bytes:
        scope = b"\x00" if self.conversation is None else b"\x01" + self.conversation
        return u8(1) + u8(self.kind) + self.author + scope + u64(self.hlc) + self.value

    @property
    def message(self) -> bytes:
        return b"stoa.record.v1\x00" + self.body

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
        check(self.author, self.message, self.signature, "a record")
        return self

    @property
    def is_understood(self) -> bool:
        """Whether it is of a known kind, with that kind's scope and a value that parses."""
        try:
            self.profile()
        except Refused:
            return False
        return self.kind == PROFILE and self.conversation is None

    def profile(self) -> tuple[str, str]:
        reader = Reader(self.value)
        name, status = reader.text(NAME_MAXIMUM), reader.text(STATUS_MAXIMUM)
        reader.end()
        return name, status


def profile(identity: Identity, name: str, status: str, hlc: int) -> Record:
    value = text(name, NAME_MAXIMUM) + text(status, STATUS_MAXIMUM)
    return Record(PROFILE, identity.public, None, hlc, value).signed(identity)


def read_record(data: bytes) -> Record:
    """The shape alone; `Record.verified` looks at the signature."""
    if len(data) < 64:
        raise Refused("a record shorter than its signature")
    reader = Reader(data[:-64])
    if reader.u8() != 1:
        raise Refused("a record of another format")
    kind = reader.u8()
    author = reader.take(32)
    conversation = reader.take(32) if reader.flag("a record's scope") else None
    hlc = reader.u64()
    if reader.left > VALUE_MAXIMUM:
        raise Refused("a record whose value is too long")
    return Record(kind, author, conversation, hlc, reader.take(reader.left), data[-64:])
