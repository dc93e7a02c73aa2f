"""The two hashes and the signature of Docs/Protocol/Wire.md (Notation)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from codec import Refused
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

FIELD_PRIME = 2**255 - 19
GROUP_ORDER = 2**252 + 27742317777372353535851937790883648493

# The y coordinates of the eight points whose order divides 8 (± in x gives the others).
_EIGHTH = int.from_bytes(
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"
)
SMALL_ORDER_Y = frozenset({0, 1, FIELD_PRIME - 1, _EIGHTH, FIELD_PRIME - _EIGHTH})


def H(personal: str, data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=32, person=personal.encode("ascii")).digest()


def K(key: bytes, personal: str, data: bytes) -> bytes:
    if len(key) != 64:
        raise ValueError("a tag key has 64 bytes")
    return hashlib.blake2b(data, digest_size=32, key=key, person=personal.encode("ascii")).digest()


@dataclass(frozen=True)
class Identity:
    """An Ed25519 key pair, from its RFC 8032 seed."""

    seed: bytes
    public: bytes
    private: Ed25519PrivateKey

    @staticmethod
    def from_seed(seed: bytes) -> "Identity":
        private = Ed25519PrivateKey.from_private_bytes(seed)
        return Identity(seed, private.public_key().public_bytes_raw(), private)

    def sign(self, message: bytes) -> bytes:
        return self.private.sign(message)


def verify(public: bytes, message: bytes, signature: bytes) -> bool:
    """Ed25519 without the cofactor, with the refusals that the page names.

    OpenSSL compares R byte for byte and checks S, but takes keys of small order and keys that
    are not canonical.
    """
    y = int.from_bytes(public, "little") & (2**255 - 1)
    r = int.from_bytes(signature[:32], "little") & (2**255 - 1)
    if y >= FIELD_PRIME or y in SMALL_ORDER_Y or r % FIELD_PRIME in SMALL_ORDER_Y:
        return False
    if int.from_bytes(signature[32:], "little") >= GROUP_ORDER:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def check(public: bytes, message: bytes, signature: bytes, what: str) -> None:
    if not verify(public, message, signature):
        raise Refused(f"the signature of {what} does not verify")
