"""One group, as far as it is here: Docs/Protocol/Groups.md and Rosters.md §4.

The bounds of Rosters.md §5 are left out: this peer meets no floods.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterable

from bodies import Announced, Body, Kind, Opened
from codec import Refused
from entries import ZERO_32, Entry, LogName, Run, hybrid_time
from group_keys import BASIS_MAXIMUM, act_set, announcing, epoch_id, people_digest
from persons import Certificate
from private import Key
from replica import AHEAD_MILLISECONDS, Conversation, wall_milliseconds
from rosters import Roster, behind, heads_of, in_order
from signed_acts import Act, Deed, History, check_join

IN_CLEAR = (Kind.OPEN, Kind.EPOCH)
ANNOUNCED_MAXIMUM = 256


@dataclass
class Keyring:
    """The keys of a group that are here."""

    identifier: bytes
    suite: int
    held: dict[bytes, bytes] = field(default_factory=dict)
    current: Key | None = None

    def opening(self, epoch: bytes) -> bytes | None:
        return self.held.get(epoch)

    def sealing(self, body: Body) -> Key | None:
        return None if body.kind in IN_CLEAR else self.current

    def is_clear(self, entry: Entry) -> bool:
        body = entry.body
        return body is not None and body.kind in IN_CLEAR


@dataclass(frozen=True)
class Epoch:
    """What the log of a device says of a key."""

    device: bytes
    person: bytes
    said: Announced

    def is_of(self, key: bytes, group: bytes) -> bool:
        basis = b"".join(self.said.basis)
        made = epoch_id(key, group, self.device, basis, self.said.people)
        return made == self.said.epoch


@dataclass
class Group(Conversation):
    own: bytes = b""
    history: History = History.ALL
    # By the acts that are here; and those whose basis or time is not.
    acts: dict[bytes, Act] = field(default_factory=dict)
    waiting: dict[bytes, Act] = field(default_factory=dict)
    # Who counts as a member until the acts are here that say who is one.
    hosts: set[bytes] = field(default_factory=set)
    # By the ids that they are said to have.
    given: dict[bytes, set[bytes]] = field(default_factory=dict)
    announced: dict[bytes, list[Epoch]] = field(default_factory=dict)
    epochs: dict[bytes, Epoch] = field(default_factory=dict)
    # Keys whose announcement is in a log that is here.
    placed: set[bytes] = field(default_factory=set)
    held_back: set[LogName] = field(default_factory=set)
    known: Roster | None = None

    @staticmethod
    def founded(act: Act, own: bytes) -> "Group":
        group, of = act.group, act.fields
        ring = Keyring(group, of[7][0])
        return Group(group, None, of[3], ring, own=own, history=History(of[5][0]))

    @property
    def ring(self) -> Keyring:
        assert isinstance(self.key, Keyring)
        return self.key

    # Acts.

    @property
    def roster(self) -> Roster:
        if self.known is None:
            self.known = Roster(self.acts.values())
        return self.known

    @property
    def heads(self) -> list[bytes]:
        return heads_of(self.acts.values())

    @property
    def digest(self) -> bytes:
        return act_set(self.identifier, self.acts)

    def take(self, acts: Iterable[Act]) -> list[Act]:
        """Takes what can be of these and of what has waited; a bad signature is refused."""
        for act in acts:
            if act.identifier in self.acts:
                continue
            if act.group != self.identifier:
                raise Refused("an act of another group")
            if (act.deed == Deed.CREATE) != (not act.basis):
                raise Refused("an act of a group without what it follows")
            self.waiting[act.identifier] = act.verified()
        taken: list[Act] = []
        latest = hybrid_time(wall_milliseconds() + AHEAD_MILLISECONDS)
        for act in in_order(self.waiting.values()):
            if act.hlc > latest or not set(act.basis) <= self.acts.keys():
                continue
            del self.waiting[act.identifier]
            link = self.acts.get(act.fields[1]) if act.deed == Deed.JOIN else None
            if link is not None and link.deed == Deed.LINK:
                check_join(act, link)
            self.acts[act.identifier] = act
            taken.append(act)
        if taken:
            self.known = None
            self.held_back.clear()
        return taken

    def lacking(self, told: Iterable[bytes]) -> list[bytes]:
        """What is to be asked for: what the other side has told of, and what is missing below."""
        below = {name for act in self.waiting.values() for name in act.basis}
        return sorted((set(told) | below) - self.acts.keys() - self.waiting.keys())

    @property
    def next_time(self) -> int:
        """Of an act that follows all."""
        latest = max(act.hlc for act in self.acts.values())
        return max(hybrid_time(wall_milliseconds()), latest + 1)

    @property
    def links(self) -> list[bytes]:
        """All that were ever made: whoever comes by one that has ended is shown why."""
        return [act.identifier for act in self.acts.values() if act.deed == Deed.LINK]

    def would_count(self, act: Act) -> bool:
        return Roster([*self.acts.values(), act]).counts(act)

    @property
    def is_inside(self) -> bool:
        return self.own in self.roster.members

    def admits(self, person: bytes) -> bool:
        # Who was invited and has the founding alone cannot judge yet who is in.
        inside = self.roster.members if self.is_inside else self.hosts
        return person in inside | {self.own}

    def vouches(self, act: Act) -> bool:
        """Whether what brings this peer in is by somebody of the group, as far as that is known here."""
        owner = {bytes.fromhex(self.roster.said.owner)}
        return act.brings(self.own) and act.author in owner | self.hosts | self.roster.brought

    # Keys.

    def hear(self, epoch: Epoch) -> None:
        """What a log says of a key, also one of which nothing is taken."""
        told = self.announced.setdefault(epoch.said.epoch, [])
        if epoch not in told and len(told) < ANNOUNCED_MAXIMUM:
            told.append(epoch)

    def people(self, epoch: Epoch) -> set[bytes] | None:
        """For whom a key is: the members by what its maker knew. None where that is not here; nobody if it is void."""
        past = behind(self.acts, epoch.said.basis)
        if past is None:
            return None
        people = Roster(past.values()).members
        is_right = people_digest(people) == epoch.said.people and epoch.person in people
        return people if is_right else set()

    def settle(self) -> bool:
        """Holds those keys of which a log tells and whose acts are here; False where none is new."""
        before = len(self.ring.held)
        for name, keys in self.given.items():
            if name in self.ring.held:
                continue
            for epoch in self.announced.get(name, []):
                right = [key for key in keys if epoch.is_of(key, self.identifier)]
                if right and self.people(epoch):
                    self.hold(epoch, right[0])
        if len(self.ring.held) == before:
            return False
        self.held_back.clear()
        return True

    def hold(self, epoch: Epoch, key: bytes) -> None:
        self.ring.held[epoch.said.epoch] = key
        self.epochs[epoch.said.epoch] = epoch

    def is_for_others(self, name: bytes) -> bool:
        """Of a key that never comes, because it is from before this peer came in."""
        told = [self.people(epoch) for epoch in self.announced.get(name, [])]
        hidden = any(people and self.own not in people for people in told)
        return self.history == History.JOINED and hidden

    def may_use(self, epoch: Epoch) -> bool:
        past, people = behind(self.acts, epoch.said.basis), self.people(epoch)
        if past is None or not people or self.roster.is_cut(epoch.person, epoch.device):
            return False
        members = self.roster.members
        is_right = people == members if self.history == History.JOINED else people <= members
        return is_right and self.roster.takings <= past.keys()

    def may_give(self, name: bytes, person: bytes, device: bytes) -> bool:
        people = self.people(self.epochs[name])
        if name not in self.placed or not people or self.roster.is_cut(person, device):
            return False
        is_inside = self.is_inside and person in self.roster.members
        return is_inside and (self.history == History.ALL or person in people)

    def choose(self, device: bytes, fresh: bytes) -> Body | None:
        """Finds the key to write with; where there is none, makes one, which is to be announced first."""
        usable = [name for name in self.epochs if name in self.placed and self.may_use(self.epochs[name])]
        if usable:
            self.use(min(usable))
            return None
        basis = self.heads[:BASIS_MAXIMUM]
        body = announcing(fresh, self.identifier, device, basis, self.roster.members)
        said = Announced(body.fields[1], tuple(basis), body.fields[5])
        self.hold(Epoch(device, self.own, said), fresh)
        self.use(said.epoch)
        return body

    def use(self, name: bytes) -> None:
        ring = self.ring
        ring.current = Key(self.identifier, ring.held[name], ring.suite, name)

    # Logs.

    def holds_back(self, name: LogName) -> bool:
        return name in self.held_back

    def author(self, run: Run) -> bytes | None:
        """Whose log it is, by its first entry."""
        certificate: Certificate | None = None
        opened = self.log(run.log).opened
        if opened is not None:
            certificate = opened.certificate
        elif run.first == 1 and isinstance(run.entries[0].content, Opened):
            certificate = run.entries[0].content.certificate
        if certificate is None:
            return None
        try:
            return certificate.verified(run.log.author).person_id
        except Refused:
            return None

    def accept(self, run: Run) -> bool:
        """Groups.md §6: takes a run whole, or nothing of it."""
        log = self.log(run.log)
        if run.first > log.seq + 1 or run.last <= log.seq:
            return super().accept(run)
        run.verified()
        person = self.author(run)
        if person is None or person not in self.roster.brought:
            self.held_back.add(run.log)
            return False
        told: dict[int, bytes] = {}
        for offset, entry in enumerate(run.entries):
            said = entry.content if entry.epoch == ZERO_32 else None
            if isinstance(said, Announced):
                told[run.first + offset] = said.epoch
                self.hear(Epoch(run.log.author, person, said))
        self.settle()
        limit = self.roster.limit(person, run.log.author, run.log.incarnation)
        for seq in range(log.seq + 1, run.last + 1):
            name = told.get(seq, run.entries[seq - run.first].epoch)
            is_out = limit is not None and seq > limit
            if is_out or not self.is_settled(name, run.log.author if seq in told else None):
                self.held_back.add(run.log)
                return False
        if not super().accept(run):
            return False
        self.placed |= set(told.values()) & self.ring.held.keys()
        return True

    def is_shown(self, name: LogName, entry: Entry) -> bool:
        """Of a device that is cut, what is not later than the number of the cut."""
        opened = self.log(name).opened
        number = opened and self.roster.cut_number(opened.certificate.person_id, name.author)
        return number is None or entry.hlc >> 16 <= number

    def is_settled(self, name: bytes, maker: bytes | None) -> bool:
        """Whether it is known how an entry is read that names a key, or announces one of its maker's."""
        if name == ZERO_32 or self.is_for_others(name):
            return True
        return name in self.ring.held and maker in (None, self.epochs[name].device)
