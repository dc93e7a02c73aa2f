"""Preface, attempts, Noise handshake and transport: Docs/Protocol/Wire.md §1 to §3.

The Noise state machine is that of the `noiseprotocol` package. Stoa signs the handshake hash
as it stands just before a payload is encrypted, and takes a third key at Split, which that
package's API does not show, so its symmetric state gets three hooks.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import warnings
from dataclasses import dataclass, field
from typing import Callable

from codec import Reader, Refused, area, u8, u16, u64, varint
from noise.connection import Keypair, NoiseConnection
from persons import CERTIFICATE_BYTES, Certificate, read_certificate
from primitives import Identity, check, has_prime_order, x25519_public
from realms import OPEN, RealmSecret

MAGIC = bytes.fromhex("53544f410d0a1a0a")
VERSION = 2
NO_VERSION, WRONG_REALM = 0x00, 0xFF
SUITE = b"Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b"
INITIATOR, RESPONDER = 1, 2
ATTEMPTS_MAXIMUM = 17
MESSAGE_1_MINIMUM, MESSAGE_1_MAXIMUM = 49, 2_096
PAYLOAD_1_AREA_MAXIMUM = 2_045
FEATURES_MAXIMUM = 32
AREA_MAXIMUM = 1_024
AREA_PORT = 2
REKEY_INTERVAL = 65_536
CIPHERTEXT_MINIMUM, CIPHERTEXT_MAXIMUM = 17, 16_400


def preface(lowest: int = VERSION, highest: int = VERSION, flags: int = 0) -> bytes:
    return MAGIC + u8(lowest) + u8(highest) + u16(flags)


def attempt(tag: bytes, message: bytes) -> bytes:
    return tag + u16(len(message)) + message


def handshake_message(role: int, h: bytes, static: bytes) -> bytes:
    return b"stoa.handshake.v2\x00" + u8(role) + h + static


@dataclass(frozen=True)
class Introduction:
    """Handshake payload 2 or 3."""

    version: int
    device: bytes
    signature: bytes
    boot: int
    dial: int
    certificate: Certificate
    features: bytes = b""
    area: dict[int, bytes] = field(default_factory=dict)

    @staticmethod
    def signed(
        identity: Identity,
        certificate: Certificate,
        role: int,
        h: bytes,
        static: bytes,
        boot: int,
        dial: int,
        features: bytes,
        extensions: dict[int, bytes],
    ) -> "Introduction":
        signature = identity.sign(handshake_message(role, h, static))
        return Introduction(
            VERSION, identity.public, signature, boot, dial, certificate, features, extensions
        )

    @property
    def front(self) -> bytes:
        """All before the features."""
        device = self.device + self.signature + u64(self.boot) + u64(self.dial)
        return u8(self.version) + device + self.certificate.packed()

    def packed(self) -> bytes:
        features = varint(len(self.features)) + self.features
        return self.front + features + area(self.area, AREA_MAXIMUM)

    @property
    def port(self) -> int | None:
        raw = self.area.get(AREA_PORT)
        return None if raw is None else int.from_bytes(raw, "big")

    def has(self, feature: int) -> bool:
        byte, bit = divmod(feature, 8)
        return byte < len(self.features) and bool(self.features[byte] >> bit & 1)

    def verified(self, role: int, h: bytes, static: bytes) -> "Introduction":
        if self.version != VERSION:
            raise Refused(f"version {self.version} in a handshake payload")
        if (self.dial == 0) != (role == RESPONDER):
            raise Refused(f"dial counter {self.dial} of role {role}")
        if not has_prime_order(self.device):
            raise Refused("a device key outside of the prime-order subgroup")
        check(self.device, handshake_message(role, h, static), self.signature, "an introduction")
        self.certificate.verified(self.device)
        return self


def read_introduction(data: bytes) -> Introduction:
    """The shape alone; `Introduction.verified` looks at the rest."""
    reader = Reader(data)
    version = reader.u8()
    device, signature = reader.take(32), reader.take(64)
    boot, dial = reader.u64(), reader.u64()
    certificate = read_certificate(reader.take(CERTIFICATE_BYTES))
    features = reader.take(reader.counted(0, FEATURES_MAXIMUM, "the features' length"))
    if features.endswith(b"\x00"):
        raise Refused("features that end in a byte of zeros")
    extensions = reader.area(AREA_MAXIMUM, (AREA_PORT,))
    reader.end()
    if len(extensions.get(AREA_PORT, b"--")) != 2:
        raise Refused("a port that has not two bytes")
    if extensions.get(AREA_PORT) == bytes(2):
        raise Refused("port 0")
    return Introduction(version, device, signature, boot, dial, certificate, features, extensions)


def read_payload_1(data: bytes) -> None:
    reader = Reader(data)
    reader.area(PAYLOAD_1_AREA_MAXIMUM, ())
    reader.end()


class Handshake:
    """One Noise XXpsk0 handshake whose payloads are made from the hash before them."""

    def __init__(
        self,
        role: int,
        opening: bytes,
        secret: RealmSecret = OPEN,
        tag: bytes | None = None,
        static: bytes | None = None,
        ephemeral: bytes | None = None,
    ) -> None:
        """`opening` is the preface; `tag` the attempt's realm tag, by default the right one."""
        self.role = role
        self.static = static or secrets.token_bytes(32)
        ephemeral = ephemeral or secrets.token_bytes(32)
        self.ephemeral = x25519_public(ephemeral)
        self.tag = secret.handshake_tag(self.ephemeral) if tag is None else tag
        self.connection = NoiseConnection.from_name(SUITE)
        self.connection.set_psks(secret.preshared_key)
        if role == INITIATOR:
            self.connection.set_as_initiator()
        else:
            self.connection.set_as_responder()
        self.connection.set_prologue(opening + self.tag)
        self.connection.set_keypair_from_private_bytes(Keypair.STATIC, self.static)
        self.connection.set_keypair_from_private_bytes(Keypair.EPHEMERAL, ephemeral)
        with warnings.catch_warnings():
            # It warns of a given ephemeral key, which the realm tag needs before the prologue.
            warnings.simplefilter("ignore")
            self.connection.start_handshake()
        self.protocol = self.connection.noise_protocol
        self.state = self.protocol.handshake_state
        self.symmetric = self.protocol.symmetric_state
        self.public = self.protocol.keypairs["s"].public_bytes
        self.hash_before_payload = b""
        self.exporter = b""
        self.keep_exporter()

    def keep_exporter(self) -> None:
        split, hkdf = self.symmetric.split, self.protocol.hkdf

        def hooked() -> object:
            self.exporter = hkdf(self.symmetric.ck, b"", 3)[2]
            return split()

        self.symmetric.split = hooked

    def write(self, make_payload: Callable[[bytes, bytes], bytes]) -> bytes:
        """`make_payload(h, own static public key)`."""
        encrypt = self.symmetric.encrypt_and_hash
        marker = b"\x00payload"

        def hooked(plaintext: bytes) -> bytes:
            if plaintext is marker:
                self.hash_before_payload = self.symmetric.h
                plaintext = make_payload(self.symmetric.h, self.public)
            return encrypt(plaintext)

        self.symmetric.encrypt_and_hash = hooked
        try:
            return bytes(self.connection.write_message(marker))
        finally:
            self.symmetric.encrypt_and_hash = encrypt

    def write_first(self, payload: bytes = b"\x00") -> bytes:
        """Message 1, with an empty area where nothing else is given."""
        return self.write(lambda h, static: payload)

    def read(self, message: bytes) -> tuple[bytes, bytes, bytes]:
        """The payload, the hash before it, and the other side's static key (if sent)."""
        decrypt = self.symmetric.decrypt_and_hash

        def hooked(ciphertext: bytes) -> bytes:
            # The payload is what a message decrypts last, so its hash is the one that stays.
            self.hash_before_payload = self.symmetric.h
            return decrypt(ciphertext)

        self.symmetric.decrypt_and_hash = hooked
        try:
            payload = bytes(self.connection.read_message(message))
        finally:
            self.symmetric.decrypt_and_hash = decrypt
        remote = getattr(self.state.rs, "public_bytes", b"")
        return payload, self.hash_before_payload, remote

    def transport(self) -> "Transport":
        return Transport(self.connection, self.exporter)


class Transport:
    """The two cipher states after message 3, each with its own rekeying."""

    def __init__(self, connection: NoiseConnection, exporter: bytes) -> None:
        self.connection = connection
        self.exporter = exporter
        # Public, so it keys nothing.
        self.hash: bytes = connection.get_handshake_hash()
        self.sent = 0
        self.received = 0

    def seal(self, plaintext: bytes) -> bytes:
        ciphertext = self.connection.encrypt(plaintext)
        self.sent += 1
        if self.sent % REKEY_INTERVAL == 0:
            self.connection.rekey_outbound_cipher()
        return u16(len(ciphertext)) + ciphertext

    def open(self, ciphertext: bytes) -> bytes:
        plaintext = self.connection.decrypt(ciphertext)
        self.received += 1
        if self.received % REKEY_INTERVAL == 0:
            self.connection.rekey_inbound_cipher()
        return plaintext


def require_rfc2104_hmac() -> None:
    """Noise wants HMAC over BLAKE2b with its 128-byte block; keyed BLAKE2b is not that."""
    from noise.backends.default.hashes import BLAKE2bHash, hmac_hash

    for key in (b"k", b"\x07" * 64, b"\x07" * 128):
        padded = key.ljust(128, b"\x00")
        inner = hashlib.blake2b(bytes(b ^ 0x36 for b in padded) + b"data").digest()
        due = hashlib.blake2b(bytes(b ^ 0x5C for b in padded) + inner).digest()
        assert due == hmac.new(key, b"data", hashlib.blake2b).digest()
        if hmac_hash(key, b"data", BLAKE2bHash().fn) != due:
            raise RuntimeError("the Noise package's HMAC-BLAKE2b is not that of RFC 2104")
