"""Realms, and what shows that one holds a secret: Docs/Protocol/Wire.md §1, Sync.md §1."""

from __future__ import annotations

import base64
import secrets
from dataclasses import dataclass

from codec import u8
from primitives import H, K

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


def base32(data: bytes) -> str:
    return base64.b32encode(data).decode().rstrip("=").lower()


def invitation(name: str, secret: RealmSecret, previous: tuple[bytes, int] | None = None) -> str:
    """The line by which people hand a realm on: Docs/Data.md, Realms."""
    line = f"stoa:realm?name={name}&id={base32(secret.realm)}&secret={base32(secret.secret)}"
    if previous is not None:
        line += f"&previous={base32(previous[0])}&until={previous[1]}"
    return f"{line}&check={base32(H('stoa invitation', line.encode())[:5])}"

