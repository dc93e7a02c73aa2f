"""The two hashes, the signature and the keys of Docs/Protocol/Wire.md (Notation)."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass

from codec import Refused
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from cryptography.hazmat.primitives.asymmetric.x25519 import (
    X25519PrivateKey,
    X25519PublicKey,
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
    if len(key) not in (32, 64):
        raise ValueError("a key has 32 or 64 bytes")
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


def x25519_public(private: bytes) -> bytes:
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def x25519_has_small_order(public: bytes) -> bool:
    """Every X25519 secret is a multiple of 8, so only such a key gives it zeros."""
    try:
        private = X25519PrivateKey.from_private_bytes(b"\x01" * 32)
        return private.exchange(X25519PublicKey.from_public_bytes(public)) == bytes(32)
    except ValueError:
        return True


Point = tuple[int, int, int]
_D = -121665 * pow(121666, -1, FIELD_PRIME) % FIELD_PRIME


def _sum(one: Point, other: Point) -> Point:
    """On -x^2 + y^2 = 1 + d x^2 y^2, in projective coordinates; good for any two points."""
    (x1, y1, z1), (x2, y2, z2) = one, other
    a, c, e = z1 * z2, x1 * x2, y1 * y2
    b, d = a * a, _D * c * e
    f, g = b - d, b + d
    x = a * f * ((x1 + y1) * (x2 + y2) - c - e)
    return x % FIELD_PRIME, a * g * (e + c) % FIELD_PRIME, f * g % FIELD_PRIME


def _point(public: bytes) -> Point | None:
    """The point that `public` stands for, RFC 8032 section 5.1.3; None where it stands for none."""
    packed = int.from_bytes(public, "little")
    y, sign = packed & (2**255 - 1), packed >> 255
    if y >= FIELD_PRIME:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, -1, FIELD_PRIME) % FIELD_PRIME
    x = pow(square, (FIELD_PRIME + 3) // 8, FIELD_PRIME)
    if x * x % FIELD_PRIME != square:
        x = x * pow(2, (FIELD_PRIME - 1) // 4, FIELD_PRIME) % FIELD_PRIME
    if x * x % FIELD_PRIME != square or (x == 0 and sign):
        return None
    return (x if x % 2 == sign else FIELD_PRIME - x), y, 1


# Some milliseconds each, and a peer's key is the same on all of its links.
@functools.lru_cache(maxsize=1_024)
def has_prime_order(public: bytes) -> bool:
    """Whether an Ed25519 key lies in the subgroup of prime order and is not its neutral point."""
    point = _point(public)
    if point is None or point[:2] == (0, 1):
        return False
    total: Point = (0, 1, 1)
    for bit in bin(GROUP_ORDER)[2:]:
        total = _sum(total, total)
        if bit == "1":
            total = _sum(total, point)
    return total[0] == 0 and total[1] == total[2]


def scalar_of(identity: Identity) -> int:
    """The secret scalar of an Ed25519 key, RFC 8032 section 5.1.5."""
    raw = bytearray(hashlib.sha512(identity.seed).digest()[:32])
    raw[0] &= 0xF8
    raw[31] = raw[31] & 0x7F | 0x40
    return int.from_bytes(raw, "little")


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
