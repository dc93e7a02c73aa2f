"""Where members of a realm can be dialled: Sync.md section 11."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from codec import Reader, Refused, varint
from frames import Frame, Type
from records import Record, read_record

HELD_MAXIMUM = 256
RECORDS_MAXIMUM = 16


def addresses(realm_tag: bytes, held: Iterable[bytes], packed: Sequence[bytes]) -> Frame:
    ascending = sorted(set(held))
    items = b"".join(varint(len(item)) + item for item in packed)
    head = realm_tag + varint(len(ascending)) + b"".join(ascending)
    return Frame(Type.ADDRESSES, head + varint(len(packed)) + items)


def read_addresses(body: bytes) -> tuple[bytes, list[bytes], list[Record]]:
    reader = Reader(body)
    tag = reader.take(16)
    held = [reader.take(8) for _ in range(reader.counted(0, HELD_MAXIMUM, "the count of held"))]
    if any(held[i] >= held[i + 1] for i in range(len(held) - 1)):
        raise Refused("tags of records that do not ascend")
    count = reader.counted(0, RECORDS_MAXIMUM, "the count of records")
    out = [read_record(reader.take(reader.varint())) for _ in range(count)]
    reader.end()
    return tag, held, out
