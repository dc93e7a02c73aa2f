"""Bytes and numbers as Docs/Protocol/Wire.md (Notation) writes them."""

from __future__ import annotations

from typing import Container

VARINT_MAXIMUM = 2**64 - 1
# Entries.md section 1: a larger one is refused wherever it stands; a run may not even reach it.
SEQ_MAXIMUM = 2**63 - 1


class Refused(Exception):
    """The bytes are not what the protocol's encoder would write."""


def u8(value: int) -> bytes:
    return value.to_bytes(1, "big")


def u16(value: int) -> bytes:
    return value.to_bytes(2, "big")


def u64(value: int) -> bytes:
    return value.to_bytes(8, "big")


def varint(value: int) -> bytes:
    """Unsigned LEB128 in its shortest form, at most 64 bits."""
    if not 0 <= value <= VARINT_MAXIMUM:
        raise ValueError(f"{value} is no 64-bit number")
    out = bytearray()
    while value > 0x7F:
        out.append(0x80 | (value & 0x7F))
        value >>= 7
    out.append(value)
    return bytes(out)


def text(value: str, limit: int) -> bytes:
    """`varint length ‖ UTF-8 bytes`, at most `limit` bytes."""
    raw = value.encode("utf-8")
    if len(raw) > limit:
        raise ValueError(f"text of {len(raw)} bytes where {limit} are allowed")
    return varint(len(raw)) + raw


def fields(items: dict[int, bytes]) -> bytes:
    """`(type varint ‖ length varint ‖ value)*` with ascending types."""
    return b"".join(varint(kind) + varint(len(items[kind])) + items[kind] for kind in sorted(items))


def area(items: dict[int, bytes], limit: int) -> bytes:
    """An extension area of at most `limit` bytes."""
    raw = fields(items)
    if len(raw) > limit:
        raise ValueError(f"an area of {len(raw)} bytes where {limit} are allowed")
    return varint(len(raw)) + raw


class Reader:
    """Reads a byte string from the front and refuses what is not canonical."""

    def __init__(self, data: bytes) -> None:
        self.data = bytes(data)
        self.position = 0

    @property
    def left(self) -> int:
        return len(self.data) - self.position

    def take(self, count: int) -> bytes:
        if count > self.left:
            raise Refused(f"{count} bytes wanted, {self.left} left")
        self.position += count
        return self.data[self.position - count : self.position]

    def u8(self) -> int:
        return self.take(1)[0]

    def u16(self) -> int:
        return int.from_bytes(self.take(2), "big")

    def u64(self) -> int:
        return int.from_bytes(self.take(8), "big")

    def varint(self) -> int:
        value = 0
        for index in range(10):
            byte = self.u8()
            value |= (byte & 0x7F) << (7 * index)
            if byte < 0x80:
                if byte == 0 and index > 0:
                    raise Refused("a varint longer than its shortest form")
                if value > VARINT_MAXIMUM:
                    raise Refused("a varint over 64 bits")
                return value
        raise Refused("a varint over ten bytes")

    def counted(self, minimum: int, maximum: int, what: str) -> int:
        value = self.varint()
        if not minimum <= value <= maximum:
            raise Refused(f"{what} is {value}, allowed are {minimum} to {maximum}")
        return value

    def text(self, limit: int) -> str:
        raw = self.take(self.counted(0, limit, "a text's length"))
        try:
            return raw.decode("utf-8", errors="strict")
        except UnicodeDecodeError as error:
            raise Refused("a text that is not UTF-8") from error

    def area(self, limit: int, known: Container[int]) -> dict[int, bytes]:
        """The values of the types that are known; other even ones are skipped, odd ones refused."""
        items = read_fields(self.take(self.counted(0, limit, "an area's length")))
        for kind in items:
            if kind % 2 == 1 and kind not in known:
                raise Refused(f"an unknown odd type {kind} in an area")
        return {kind: value for kind, value in items.items() if kind in known}

    def flag(self, what: str) -> bool:
        value = self.u8()
        if value > 1:
            raise Refused(f"{what} is {value}, not 0 or 1")
        return value == 1

    def end(self) -> None:
        if self.left:
            raise Refused(f"{self.left} bytes after the end")


def read_fields(raw: bytes) -> dict[int, bytes]:
    """Shape only: what unknown types mean is for the caller to say."""
    reader = Reader(raw)
    items: dict[int, bytes] = {}
    last = -1
    while reader.left:
        kind = reader.varint()
        if kind <= last:
            raise Refused("types that do not ascend")
        last = kind
        items[kind] = reader.take(reader.varint())
    return items
