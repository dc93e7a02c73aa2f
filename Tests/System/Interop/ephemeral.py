"""What is worth nothing later: Docs/Protocol/Ephemeral.md §1."""

from __future__ import annotations

import frames
from codec import Reader, Refused, text, u8, u64, varint


def ephemeral(conversation: bytes, stream: int, data: bytes) -> frames.Frame:
    body = conversation + u64(stream) + varint(len(data)) + data
    return frames.Frame(frames.Type.EPHEMERAL, body)


def read_ephemeral(body: bytes) -> tuple[bytes, int, bytes]:
    reader = Reader(body)
    conversation, stream = reader.take(32), reader.u64()
    count = reader.counted(1, frames.EPHEMERAL_MAXIMUM, "the bytes of an ephemeral frame")
    data = reader.take(count)
    reader.end()
    return conversation, stream, data


def packet(
    name: str, number: int, data: bytes, *, ordered: bool = False, end: bool = False
) -> bytes:
    """What a body of kind 2 holds: §4."""
    return u8(ordered | end << 1) + varint(number) + text(name, frames.ROOM_NAME_MAXIMUM) + data


def signal(device: bytes, data: bytes) -> bytes:
    """What a body of kind 3 holds: §1."""
    return device + data


def presence(state: int) -> frames.Frame:
    return frames.Frame(frames.Type.PRESENCE, bytes([state]))


def read_presence(body: bytes) -> int:
    reader = Reader(body)
    state = reader.u8()
    reader.end()
    if state not in (1, 2):
        raise Refused(f"the presence {state}")
    return state
