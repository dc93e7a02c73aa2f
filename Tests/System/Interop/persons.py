"""Persons, and the certificates of their devices: Docs/Protocol/Entries.md §1."""

from __future__ import annotations

from dataclasses import dataclass

from codec import Reader, Refused, u64
from primitives import H, Identity, check, x25519_has_small_order, x25519_public

CERTIFICATE_BYTES = 168


@dataclass(frozen=True)
class Certificate:
    person: bytes
    address: bytes
    device_address: bytes
    added: int
    signature: bytes = b""

    @property
    def person_id(self) -> bytes:
        return H("stoa person", self.person + self.address)

    def message(self, device: bytes) -> bytes:
        """What the person signs of `device`, which the certificate itself does not name."""
        keys = device + self.device_address + self.address
        return b"stoa.device.v2\x00" + keys + u64(self.added)

    def packed(self) -> bytes:
        keys = self.person + self.address + self.device_address
        return keys + u64(self.added) + self.signature

    def verified(self, device: bytes) -> "Certificate":
        if any(x25519_has_small_order(key) for key in (self.address, self.device_address)):
            raise Refused("a key of small order in a certificate")
        check(self.person, self.message(device), self.signature, "a certificate")
        return self


def read_certificate(data: bytes) -> Certificate:
    """The shape alone; `Certificate.verified` looks at the keys and the signature."""
    reader = Reader(data)
    out = Certificate(
        reader.take(32), reader.take(32), reader.take(32), reader.u64(), reader.take(64)
    )
    reader.end()
    return out


@dataclass(frozen=True)
class Person:
    """A person's secret keys."""

    identity: Identity
    address: bytes

    def certify(self, device: bytes, device_address: bytes, added: int) -> Certificate:
        draft = Certificate(
            self.identity.public, x25519_public(self.address), x25519_public(device_address), added
        )
        signature = self.identity.sign(draft.message(device))
        return Certificate(
            draft.person, draft.address, draft.device_address, draft.added, signature
        )


def person_of(device: Identity) -> Person:
    """One whose keys come from the device's seed."""
    return Person(Identity.from_seed(H("test person", device.seed)), H("test address", device.seed))


def device_address(device: Identity) -> bytes:
    """The secret of E, from the device's seed, too."""
    return H("test device", device.seed)


def certificate_of(device: Identity, person: Person | None = None) -> Certificate:
    """That of a device, of a person who has no other where none is named."""
    person = person or person_of(device)
    return person.certify(device.public, device_address(device), 1)
