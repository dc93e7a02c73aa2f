"""Linking a device: Docs/Protocol/Wire.md §3."""

from __future__ import annotations

from codec import Reader, Refused, u8, varint
from frames import Frame, Type
from primitives import H

HAND_OVER_MAXIMUM = 16_000


def device(step: int, rest: bytes = b"") -> Frame:
    return Frame(Type.DEVICE, u8(step) + rest)


def read_device(body: bytes) -> tuple[int, bytes]:
    """The step, and what comes with it."""
    reader = Reader(body)
    step = reader.u8()
    if not 1 <= step <= 5:
        raise Refused(f"the step {step} of linking a device")
    rest = reader.take({4: 0, 5: 1}.get(step, 32))
    reader.end()
    if step == 5 and rest[0] not in (1, 2):
        raise Refused(f"the end {rest[0]} of linking a device")
    return step, rest


def device_commitment(nonce: bytes, device_key: bytes, address: bytes) -> bytes:
    return H("stoa link", nonce + device_key + address)


def device_code(exporter: bytes, nonces: bytes, keys: bytes, address: bytes) -> tuple[str, str]:
    """What the new device shows, then the old one; nonces and keys of the new one first."""
    made = H("stoa link code", exporter + nonces + keys + address)
    code, check = (int.from_bytes(made[at : at + 8], "big") for at in (0, 8))
    return f"{code % 10**8:08}", f"{check % 10**4:04}"


def hand_over(last: bool, piece: bytes) -> Frame:
    return Frame(Type.HAND_OVER, u8(int(last)) + varint(len(piece)) + piece)


def read_hand_over(body: bytes) -> tuple[bool, bytes]:
    reader = Reader(body)
    last, length = reader.u8(), reader.varint()
    if last > 1 or not 1 <= length <= HAND_OVER_MAXIMUM:
        raise Refused("a piece of what a device is handed")
    piece = reader.take(length)
    reader.end()
    return last == 1, piece
