"""What two sides of a link have in common: Docs/Protocol/Sync.md §1 and §2."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Iterable

import frames
from comparing import Comparing, Shared
from entries import room_id
from names import is_room_name
from realms import RealmSecret
from replica import Conversation

if TYPE_CHECKING:
    from peer import Peer

REALM_COUNTS = (8, 16, 32)
SHARE_COUNTS = (16, 64, 256, 1_024, 4_096)
ROOMS_REMEMBERED = 4_096


def filled(tags: Iterable[bytes], counts: tuple[int, ...]) -> list[bytes]:
    """With random ones among them, so that their number says little."""
    out = set(tags)
    count = next(count for count in counts if count >= len(out))
    length = 16 if counts is REALM_COUNTS else 8
    while len(out) < count:
        out.add(secrets.token_bytes(length))
    return sorted(out)


class Sharing(Comparing):
    """The part of a session that says which realms and conversations this side is in."""

    def __init__(self) -> None:
        # Of our secrets, those that the other side has shown to hold, too.
        self.common: list[RealmSecret] = []
        self.told: set[bytes] = set()
        self.announced: set[bytes] = set()
        self.remote_rooms: dict[bytes, str] = {}
        self.remote_shares: set[bytes] = set()
        self.shared: dict[bytes, Shared] = {}
        self.is_introduced = False

    # Realms.

    def realm_tag(self, secret: RealmSecret, role: int) -> bytes:
        return secret.link_tag(self.tags.exporter, role)

    def send_realms(self) -> None:
        tags = [self.realm_tag(secret, self.tags.role) for secret in self.peer.secrets]
        self.link.send(frames.realms(filled(tags, REALM_COUNTS)))

    def on_realms(self, told: list[bytes]) -> None:
        self.told = set(told)
        self.find_common()

    def find_common(self) -> None:
        """Anew, as either side joins and leaves realms."""
        role = self.tags.other.role
        before = self.realms
        self.common = [
            secret for secret in self.peer.secrets if self.realm_tag(secret, role) in self.told
        ]
        for identifier in list(self.shared):
            if not self.concerns(self.shared[identifier].conversation):
                del self.shared[identifier]
        gone = before - self.realms
        for conversation in self.peer.replica.conversations.values():
            if conversation.realm in gone:
                self.announced.discard(conversation.identifier)
                self.remote_rooms.pop(conversation.identifier, None)
        if self.realms - {bytes(32)}:
            self.introduce()
        known = self.peer.replica.conversations.values()
        if self.realms != before and any(item.name is None for item in known):
            self.send_shares()
        self.announce()

    @property
    def realms(self) -> set[bytes]:
        return {secret.realm for secret in self.common}

    # Rooms.

    def announce(self) -> None:
        for realm in sorted(self.realms):
            secret = next(secret for secret in self.common if secret.realm == realm)
            new = {
                conversation.identifier: conversation.name
                for conversation in self.peer.replica.conversations.values()
                if conversation.realm == realm
                and conversation.name is not None
                and conversation.identifier not in self.announced
            }
            if new:
                self.announced |= new.keys()
                tag = self.realm_tag(secret, self.tags.role)
                self.link.send(frames.rooms(tag, [name for name in new.values() if name]))
        self.share()

    def on_rooms(self, tag: bytes, names: list[str]) -> None:
        role = self.tags.other.role
        realm = next((s.realm for s in self.common if self.realm_tag(s, role) == tag), None)
        if realm is None:
            return
        for name in names:
            if is_room_name(name) and len(self.remote_rooms) < ROOMS_REMEMBERED:
                self.remote_rooms[room_id(name, realm)] = name
        self.share()

    def on_rooms_left(self, identifiers: list[bytes]) -> None:
        for identifier in identifiers:
            self.remote_rooms.pop(identifier, None)
            self.shared.pop(identifier, None)

    # All other conversations.

    def send_shares(self) -> None:
        conversations = self.peer.replica.conversations.values()
        tags = [
            self.tags.share(item.identifier)
            for item in conversations
            if item.name is None and self.concerns(item)
        ]
        tags += [self.tags.share(link) for link in self.links_shown()]
        self.link.send(frames.shares(filled(tags, SHARE_COUNTS)))

    def links_shown(self) -> list[bytes]:
        """Links of groups, whose tags are made as if they were conversations."""
        return []

    def on_shares(self, told: list[bytes]) -> None:
        self.remote_shares = set(told)
        for identifier in list(self.shared):
            if self.shared[identifier].conversation.name is None and not self.both(
                self.shared[identifier].conversation
            ):
                del self.shared[identifier]
        self.share()

    def both(self, conversation: Conversation) -> bool:
        """Whether both sides have said that they are in it, and the other may be."""
        if not self.concerns(conversation):
            return False
        identifier = conversation.identifier
        if conversation.name is None:
            return self.tags.other.share(identifier) in self.remote_shares
        return identifier in self.announced and identifier in self.remote_rooms

    def concerns(self, conversation: Conversation) -> bool:
        """Whether the other side may have part in it at all."""
        is_common = conversation.realm is None or conversation.realm in self.realms
        return is_common and conversation.admits(self.person)

    @property
    def person(self) -> bytes:
        """Whose device is at the other end."""
        return self.link.introduction.certificate.person_id

    def share(self) -> None:
        for identifier, conversation in self.peer.replica.conversations.items():
            if identifier not in self.shared and self.both(conversation):
                self.shared[identifier] = Shared(conversation)
                self.introduce()
                self.send_digest(identifier)
                self.begun(conversation)

    def begun(self, conversation: Conversation) -> None:
        """Both sides share it from here on."""

    def introduce(self) -> None:
        """Sends this peer's own profile, once."""
        profile = self.peer.replica.profile(self.peer.identity.public)
        if profile is not None and not self.is_introduced:
            self.is_introduced = True
            self.link.send(frames.records([profile.packed()]))
