"""Preface, Noise handshake and transport: Docs/Protocol/Wire.md §1 to §3.

The Noise state machine is that of the `noiseprotocol` package. Stoa signs the handshake hash
as it stands just before a payload is encrypted, which that package's API does not show, so
its symmetric state gets two hooks.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import warnings
from dataclasses import dataclass, field
from typing import Callable

from codec import Reader, Refused, extensions, read_extensions, u8, u16, u64, varint
from noise.connection import Keypair, NoiseConnection
from primitives import Identity, check

MAGIC = bytes.fromhex("53544f410d0a1a0a")
VERSION = 1
SUITE = b"Noise_XX_25519_ChaChaPoly_BLAKE2b"
INITIATOR, RESPONDER = 1, 2
CAPABILITIES_MAXIMUM = 1_024
CAPABILITY_PORT = 2
REKEY_INTERVAL = 65_536
CIPHERTEXT_MINIMUM, CIPHERTEXT_MAXIMUM = 17, 16_400


def preface(lowest: int = VERSION, highest: int = VERSION, flags: int = 0) -> bytes:
    return MAGIC + u8(lowest) + u8(highest) + u16(flags)


def handshake_message(role: int, h: bytes, static: bytes) -> bytes:
    return b"stoa.handshake.v1\x00" + u8(role) + h + static


@dataclass(frozen=True)
class Hello:
    """Handshake payload 2 or 3."""

    version: int
    identity: bytes
    signature: bytes
    boot: int
    dial: int
    capabilities: dict[int, bytes] = field(default_factory=dict)

    @staticmethod
    def signed(
        identity: Identity,
        role: int,
        h: bytes,
        static: bytes,
        boot: int,
        dial: int,
        capabilities: dict[int, bytes],
    ) -> "Hello":
        signature = identity.sign(handshake_message(role, h, static))
        return Hello(VERSION, identity.public, signature, boot, dial, capabilities)

    def packed(self) -> bytes:
        packed = extensions(self.capabilities)
        return (
            u8(self.version)
            + self.identity
            + self.signature
            + u64(self.boot)
            + u64(self.dial)
            + varint(len(packed))
            + packed
        )

    @property
    def port(self) -> int | None:
        raw = self.capabilities.get(CAPABILITY_PORT)
        return None if raw is None else int.from_bytes(raw, "big")


def read_hello(data: bytes, role: int, h: bytes, static: bytes) -> Hello:
    reader = Reader(data)
    version = reader.u8()
    identity, signature = reader.take(32), reader.take(64)
    boot, dial = reader.u64(), reader.u64()
    packed = reader.take(reader.counted(0, CAPABILITIES_MAXIMUM, "the capabilities' length"))
    reader.end()
    capabilities = read_extensions(packed)
    if any(kind % 2 == 1 for kind in capabilities):
        raise Refused("an unknown odd capability")
    if len(capabilities.get(CAPABILITY_PORT, b"--")) != 2:
        raise Refused("a port that has not two bytes")
    if capabilities.get(CAPABILITY_PORT) == bytes(2):
        raise Refused("port 0")
    if version != VERSION:
        raise Refused(f"version {version} in a handshake payload")
    if (dial == 0) != (role == RESPONDER):
        raise Refused(f"dial counter {dial} of role {role}")
    check(identity, handshake_message(role, h, static), signature, "a handshake payload")
    return Hello(version, identity, signature, boot, dial, capabilities)


class Handshake:
    """One Noise XX handshake whose payloads are made from the hash before them."""

    def __init__(
        self,
        role: int,
        prologue: bytes,
        static: bytes | None = None,
        ephemeral: bytes | None = None,
    ) -> None:
        self.role = role
        self.static = static or secrets.token_bytes(32)
        self.connection = NoiseConnection.from_name(SUITE)
        if role == INITIATOR:
            self.connection.set_as_initiator()
        else:
            self.connection.set_as_responder()
        self.connection.set_prologue(prologue)
        self.connection.set_keypair_from_private_bytes(Keypair.STATIC, self.static)
        with warnings.catch_warnings():
            # It warns of a given ephemeral key, which only the vectors use.
            warnings.simplefilter("ignore")
            if ephemeral is not None:
                self.connection.set_keypair_from_private_bytes(Keypair.EPHEMERAL, ephemeral)
            self.connection.start_handshake()
        self.protocol = self.connection.noise_protocol
        self.state = self.protocol.handshake_state
        self.symmetric = self.protocol.symmetric_state
        self.public = self.protocol.keypairs["s"].public_bytes
        self.hash_before_payload = b""

    def write(self, make_payload: Callable[[bytes, bytes], bytes] | None) -> bytes:
        """`make_payload(h, own static public key)`; None for the empty payload of message 1."""
        encrypt = self.symmetric.encrypt_and_hash
        marker = b"\x00payload"

        def hooked(plaintext: bytes) -> bytes:
            if plaintext is marker:
                self.hash_before_payload = self.symmetric.h
                plaintext = (
                    b"" if make_payload is None else make_payload(self.symmetric.h, self.public)
                )
            return encrypt(plaintext)

        self.symmetric.encrypt_and_hash = hooked
        try:
            return bytes(self.connection.write_message(marker))
        finally:
            self.symmetric.encrypt_and_hash = encrypt

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
        return Transport(self.connection)


class Transport:
    """The two cipher states after message 3, each with its own rekeying."""

    def __init__(self, connection: NoiseConnection) -> None:
        self.connection = connection
        self.hh: bytes = connection.get_handshake_hash()
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
