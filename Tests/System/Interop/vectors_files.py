"""The golden vectors of `files-2.txt`: the hashes over files, from `Docs/Protocol/Files.md` section 1."""

from __future__ import annotations

import hashlib

from codec import u64
from primitives import H

Lines = dict[str, bytes]

CHUNK_BYTES = 262_144
FAN_OUT = 2_048


def part_hash(level: int, data: bytes) -> bytes:
    return hashlib.sha256(bytes([min(level, 1)]) + data).digest()


def root(hashes: list[bytes]) -> bytes:
    """The hash of the root over so many chunks."""
    while len(hashes) > 1:
        hashes = [
            part_hash(1, b"".join(hashes[first:first + FAN_OUT]))
            for first in range(0, len(hashes), FAN_OUT)
        ]
    return hashes[0]


def blob_id(size: int, chunks: list[bytes]) -> bytes:
    return H("stoa blob", u64(size) + root(chunks))


def of_bytes(data: bytes) -> bytes:
    starts = range(0, max(1, len(data)), CHUNK_BYTES)
    return blob_id(len(data), [part_hash(0, data[start:start + CHUNK_BYTES]) for start in starts])


def content(count: int) -> bytes:
    return bytes(place * 7 % 251 for place in range(count))


def files_vectors() -> Lines:
    lines = {f"blob.{count}": of_bytes(content(count)) for count in (0, 5, 262_144, 262_145)}
    # Two nodes below the root: the chunks are said by their hashes alone.
    chunks = [part_hash(0, content(place % 300)) for place in range(FAN_OUT + 1)]
    lines["blob.nodes"] = blob_id(CHUNK_BYTES * len(chunks), chunks)
    return lines
