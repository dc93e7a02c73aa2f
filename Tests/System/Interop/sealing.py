"""Sealed payloads, suites 1 and 2: Docs/Protocol/Entries.md §4."""

from __future__ import annotations

import struct

from bodies import Body, read_body
from codec import Refused
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from primitives import H, K

XCHACHA, AES = 1, 2
NONCE_BYTES, AES_SALT_BYTES, TAG_BYTES = 24, 32, 16
PADDED_MINIMUM, PADDED_MAXIMUM = 64, 65_472


def key_id(key: bytes, conversation: bytes) -> bytes:
    """The epoch of the key of a whole conversation."""
    return H("stoa key id", key + conversation)


def padded_length(length: int) -> int:
    """Of a body and its byte 80, together `length` bytes long."""
    if length > PADDED_MAXIMUM:
        raise ValueError(f"a body of {length} bytes cannot be sealed")
    exponent = length.bit_length() - 1
    mask = (1 << exponent - exponent.bit_length()) - 1 if exponent else 0
    return max(PADDED_MINIMUM, min((length + mask) & ~mask, PADDED_MAXIMUM))


def pad(body: bytes) -> bytes:
    marked = body + b"\x80"
    return marked.ljust(padded_length(len(marked)), b"\x00")


def unpad(padded: bytes) -> bytes:
    marked = padded.rstrip(b"\x00")
    if not marked.endswith(b"\x80") or padded_length(len(marked)) != len(padded):
        raise Refused("padding that this body would not have")
    return marked[:-1]


def hchacha20(key: bytes, nonce: bytes) -> bytes:
    state = list(struct.unpack("<16I", b"expand 32-byte k" + key + nonce))

    def turn(a: int, b: int, c: int, d: int) -> None:
        for left, right, other, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            state[left] = state[left] + state[right] & 0xFFFFFFFF
            mixed = state[other] ^ state[left]
            state[other] = (mixed << bits | mixed >> 32 - bits) & 0xFFFFFFFF

    for _ in range(10):
        for column in range(4):
            turn(column, column + 4, column + 8, column + 12)
        for place in range(4):
            turn(place, (place + 1) % 4 + 4, (place + 2) % 4 + 8, (place + 3) % 4 + 12)
    return struct.pack("<8I", *state[:4], *state[12:])


def xchacha20_poly1305(key: bytes, nonce: bytes) -> tuple[ChaCha20Poly1305, bytes]:
    """The cipher of RFC 8439 and the nonce for it that draft-irtf-cfrg-xchacha-03 derives."""
    return ChaCha20Poly1305(hchacha20(key, nonce[:16])), bytes(4) + nonce[16:]


def seal(suite: int, key: bytes, nonce: bytes, body: Body, associated: bytes) -> bytes:
    """`nonce` has 24 bytes, or is the salt of 32; `associated` is the header's front."""
    if len(nonce) != {XCHACHA: NONCE_BYTES, AES: AES_SALT_BYTES}[suite]:
        raise ValueError("a nonce of another suite")
    padded = pad(body.packed())
    if suite == XCHACHA:
        cipher, short = xchacha20_poly1305(key, nonce)
        return bytes([suite]) + nonce + cipher.encrypt(short, padded, associated)
    aes = AESGCM(K(key, "stoa aes key", nonce))
    return bytes([suite]) + nonce + aes.encrypt(bytes(12), padded, associated)


def unseal(key: bytes, payload: bytes, associated: bytes) -> Body:
    suite = payload[0] if payload else -1
    length = {XCHACHA: NONCE_BYTES, AES: AES_SALT_BYTES}.get(suite)
    if length is None or len(payload) < 1 + length + PADDED_MINIMUM + TAG_BYTES:
        raise Refused("a payload that is not sealed")
    nonce, sealed = payload[1 : 1 + length], payload[1 + length :]
    try:
        if suite == XCHACHA:
            cipher, short = xchacha20_poly1305(key, nonce)
            return read_body(unpad(cipher.decrypt(short, sealed, associated)))
        aes = AESGCM(K(key, "stoa aes key", nonce))
        return read_body(unpad(aes.decrypt(bytes(12), sealed, associated)))
    except InvalidTag as error:
        raise Refused("a payload that this key does not open") from error
