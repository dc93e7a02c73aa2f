"""A member of a group who writes logs that nobody honest would."""

from __future__ import annotations

import secrets

import frames
from bodies import Body, opening, saying
from entries import Entry, LogName, OwnLog, hybrid_time
from group_keys import announcing, epoch_keys
from groups import Group
from peer import Peer
from private import Key
from replica import sealed, wall_milliseconds
from sealing import XCHACHA
from session import Session


class Forger:
    """A log of a member who forges; each forgery has a new one, since what is not taken ends it."""

    def __init__(
        self, liar: Peer, group: Group, session: Session, start: Body | None = None,
        serves: bool = True,
    ) -> None:
        self.session, self.group, self.liar = session, group, liar
        # Also for who asks for it again, once the key is there.
        self.serves = serves
        name = LogName(group.identifier, liar.identity.public, secrets.randbits(64))
        self.log = OwnLog(liar.identity, name)
        self.write(start or opening(liar.certificate))

    def write(self, body: Body, key: Key | None = None) -> None:
        hlc = max(hybrid_time(wall_milliseconds()), self.log.hlc + 1)
        entry = Entry.of(body, hlc, secrets.token_bytes(16))
        if key is not None:
            entry = sealed(entry, body, key, self.log.name, self.log.seq + 1, self.log.head)
        run = self.log.append([entry])
        mine = self.liar.group(self.group.identifier)
        if mine is not None and self.serves:
            mine.log(self.log.name).accept(run)
        self.session.link.send(frames.live_run(run.packed()))

    def give(self, name: bytes, key: bytes) -> None:
        self.session.link.send(epoch_keys(self.group.identifier, [(name, key)]))

    def says(self, words: str, announced: Body, key: bytes, given: bytes | None = None) -> None:
        """Announces a key, gives it, and seals a text with it."""
        self.write(announced)
        name = announced.fields.get(1, b"")
        if len(name) == 32:
            self.give(name, given or key)
            self.write(saying(words), Key(self.group.identifier, key, XCHACHA, name))


def rightly(liar: Peer, group: Group) -> tuple[Body, bytes]:
    """What the forger would announce of a new key, and the key."""
    key, device = secrets.token_bytes(32), liar.identity.public
    return announcing(key, group.identifier, device, group.heads, group.roster.members), key
