"""Conversations that are no open rooms: Docs/Protocol/Entries.md §1 and §4, Docs/Data.md."""

from __future__ import annotations

import base64
import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol
from urllib.parse import parse_qs, quote

from bodies import Body
from codec import Refused, u8
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from entries import Entry
from names import key as name_key
from persons import Certificate, Person
from primitives import H, K
from realms import base32
from sealing import AES, XCHACHA, key_id

SUITES = {"xchacha20-poly1305": XCHACHA, "aes-256-gcm": AES}
OPEN_REALM = bytes(32)
WORDS_HASH = bytes.fromhex("ed602bbcd8e7b7a3aaada2918a2b8c9f2a445f4192ff627e105897b3f2be02a3")
# The property White_Space, which is not quite what str.split() takes for spaces.
SPACES = "[\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+"
WORDS = Path(__file__).resolve().parents[3] / "Sources/CWords/table.h"


@dataclass(frozen=True)
class Key:
    """What a conversation is sealed with, and what it is called by."""

    identifier: bytes
    root: bytes
    suite: int = XCHACHA
    # The id that a group's keys have; that of another conversation's follows from the key.
    named: bytes | None = None

    @property
    def epoch(self) -> bytes:
        return self.named or key_id(self.root, self.identifier)

    def opening(self, epoch: bytes) -> bytes | None:
        """What opens an entry that names this key."""
        return self.root if epoch == self.epoch else None

    def sealing(self, body: Body) -> "Key | None":
        """What seals an entry; None where it goes in clear."""
        return self

    def is_clear(self, entry: Entry) -> bool:
        """Whether it counts although it is not sealed."""
        return False


class Keys(Protocol):
    """What opens and seals the entries of a conversation: one key, or those of a group."""

    def opening(self, epoch: bytes) -> bytes | None: ...

    def sealing(self, body: Body) -> Key | None: ...

    def is_clear(self, entry: Entry) -> bool: ...


def direct(own: Person, other: Certificate) -> Key:
    """The conversation of two people; both make the same."""
    mine = H("stoa person", own.identity.public + _public(own.address))
    persons = b"".join(sorted([mine, other.person_id]))
    secret = X25519PrivateKey.from_private_bytes(own.address)
    dh = secret.exchange(X25519PublicKey.from_public_bytes(other.address))
    return Key(K(dh, "stoa direct id 2", persons), K(dh, "stoa direct root", persons))


def _public(private: bytes) -> bytes:
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def secret_room(root: bytes, suite: int) -> Key:
    return Key(K(root, "stoa secret room", u8(suite)), root, suite)


def read_invitation(line: str) -> tuple[str, bytes, Key]:
    """The room's name, its realm and its key."""
    items = _read(line)
    key = secret_room(_base32(items["root"]), SUITES[items["suite"]])
    return items["name"], _realm(items), key


def _read(line: str) -> dict[str, str]:
    before, _, check = line.strip().partition("&check=")
    if _base32(check) != H("stoa invitation", before.encode())[:5]:
        raise Refused("an invitation that was changed")
    return {name: values[0] for name, values in parse_qs(before.partition("?")[2]).items()}


def _realm(items: dict[str, str]) -> bytes:
    return OPEN_REALM if items["realm"] == "open" else _base32(items["realm"])


def _escaped(name: str) -> str:
    return "".join(
        character if re.fullmatch("[a-z0-9._-]", character) else quote(character)
        for character in name
    )


def _checked(line: str) -> str:
    return f"{line}&check={base32(H('stoa invitation', line.encode())[:5])}"


def _where(realm: bytes) -> str:
    return "open" if realm == OPEN_REALM else base32(realm)


def room_invitation(name: str, realm: bytes, key: Key) -> str:
    """The line that invites to a secret room."""
    suite = next(word for word, number in SUITES.items() if number == key.suite)
    front = f"stoa:room?name={_escaped(name)}&realm={_where(realm)}"
    return _checked(f"{front}&suite={suite}&root={base32(key.root)}")


def group_invitation(name: str, realm: bytes, group: bytes, link: bytes, seed: bytes) -> str:
    """The line of a group's link."""
    front = f"stoa:group?name={_escaped(name)}&realm={_where(realm)}"
    return _checked(f"{front}&group={base32(group)}&link={base32(link)}&key={base32(seed)}")


@dataclass(frozen=True)
class GroupLine:
    """What the line of a group's link says; `seed` is that of L."""

    name: str
    realm: bytes
    group: bytes
    link: bytes
    seed: bytes


def read_group_invitation(line: str) -> GroupLine:
    items = _read(line)
    group, link, seed = (_base32(items[name]) for name in ("group", "link", "key"))
    return GroupLine(items["name"], _realm(items), group, link, seed)


def _base32(raw: str) -> bytes:
    return base64.b32decode(raw.upper() + "=" * (-len(raw) % 8))


@cache
def words() -> list[str]:
    """The list, whose hash is in Docs/Protocol/Entries.md."""
    found = re.findall(r'"([a-z-]+)"', WORDS.read_text().partition("= {")[2])
    if H("stoa phrase", "\n".join(found).encode()) != WORDS_HASH:
        raise RuntimeError("this is another list of words")
    return found


def normal_phrase(typed: str) -> str:
    """The one spelling of a phrase that somebody chose."""
    parts = re.split(SPACES, unicodedata.normalize("NFC", typed))
    return " ".join(part for part in parts if part)


def made_phrase(first: list[str], suite: int) -> str:
    """The five words, and the one that checks them."""
    every = words()
    check = H("stoa phrase", u8(suite) + " ".join(first).encode())
    return " ".join([*first, every[int.from_bytes(check[:8], "big") % len(every)]])


def read_phrase(phrase: str) -> int:
    """The suite that a phrase of six words says."""
    every, parts = words(), phrase.split(" ")
    if len(parts) != 6 or not set(parts) <= set(every):
        raise Refused("words that are not in the list")
    for suite in SUITES.values():
        if made_phrase(parts[:5], suite) == phrase:
            return suite
    raise Refused("words that do not belong together")


def root_of(phrase: str, name: str, realm: bytes, suite: int) -> bytes:
    return phrase_key(phrase, H("stoa phrase salt", realm + u8(suite) + name_key(name).encode())[:16])


def phrase_key(phrase: str, salt: bytes) -> bytes:
    kdf = Argon2id(salt=salt, length=32, iterations=3, lanes=1, memory_cost=256 * 1024)
    return kdf.derive(phrase.encode())


def code(one: bytes, other: bytes) -> tuple[str, str]:
    """What two persons compare, in digits and in words."""
    hashed = H("stoa verify", b"".join(sorted([one, other])))
    again, every = H("stoa verify", hashed), words()
    parts = [int.from_bytes(hashed[4 * n : 4 * n + 4], "big") for n in range(6)]
    places = [int.from_bytes(again[4 * n : 4 * n + 4], "big") % len(every) for n in range(8)]
    digits = " ".join(f"{part % 100_000:05}" for part in parts)
    return digits, " ".join(every[place] for place in places)
