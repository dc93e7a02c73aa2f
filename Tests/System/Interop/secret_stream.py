"""libsodium's crypto_secretstream_xchacha20poly1305, of which backups are made: Docs/Data.md.

Written from its documentation and, for how a piece is padded, from what it does: the zeros behind the
ciphertext are as many as it has bytes over a multiple of sixteen, where RFC 8439 fills up to one.
"""

from __future__ import annotations

import struct

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.poly1305 import Poly1305
from sealing import hchacha20

PIECE_BYTES = 65_536
FINAL = 3


def _chacha20(key: bytes, nonce: bytes, start: int, data: bytes) -> bytes:
    """RFC 8439, from block `start` on."""
    cipher = Cipher(algorithms.ChaCha20(key, struct.pack("<I", start) + nonce), None)
    return cipher.encryptor().update(data)


def seal_stream(key: bytes, header: bytes, plaintext: bytes, associated: bytes) -> bytes:
    """`header` has 24 bytes, which are random outside of vectors."""
    inner = hchacha20(key, header[:16])
    tail, out = header[16:], header
    pieces = [
        plaintext[start : start + PIECE_BYTES]
        for start in range(0, max(len(plaintext), 1), PIECE_BYTES)
    ]
    for number, piece in enumerate(pieces):
        is_last = number == len(pieces) - 1
        nonce = struct.pack("<I", number + 1) + tail
        sealed, code = _piece(inner, nonce, FINAL if is_last else 0, piece, associated)
        out += sealed
        tail = bytes(one ^ other for one, other in zip(tail, code[:8], strict=True))
        associated = b""
    return out


def _piece(
    key: bytes, nonce: bytes, tag: int, piece: bytes, associated: bytes
) -> tuple[bytes, bytes]:
    code = Poly1305(_chacha20(key, nonce, 0, bytes(64))[:32])
    code.update(associated + bytes(-len(associated) % 16))
    first = _chacha20(key, nonce, 1, bytes([tag]) + bytes(63))
    sealed = _chacha20(key, nonce, 2, piece)
    code.update(first + sealed + bytes(len(sealed) % 16))
    code.update(struct.pack("<QQ", len(associated), 64 + len(sealed)))
    mark = code.finalize()
    return first[:1] + sealed + mark, mark
