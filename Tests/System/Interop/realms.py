"""Realms, and what shows that one holds a secret: Docs/Protocol/Wire.md §1, Sync.md §1."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from codec import u8
from primitives import K

TAG_BYTES = 16


@dataclass(frozen=True)
class RealmSecret:
    """One of the secrets of a realm; both are zeros for the open one."""

    realm: bytes
    secret: bytes

    @staticmethod
    def new() -> "RealmSecret":
        return RealmSecret(secrets.token_bytes(32), secrets.token_bytes(32))

    @property
    def preshared_key(self) -> bytes:
        return bytes(32) if self == OPEN else K(self.secret, "stoa realm psk", self.realm)

    def handshake_tag(self, ephemeral: bytes) -> bytes:
        return K(self.secret, "stoa realm tag", ephemeral)[:TAG_BYTES]

    def link_tag(self, exporter: bytes, role: int) -> bytes:
        """As the side of that role sends it on the link of that exporter."""
        data = exporter + u8(role) + self.realm
        return K(self.secret, "stoa realm link", data)[:TAG_BYTES]


OPEN = RealmSecret(bytes(32), bytes(32))
