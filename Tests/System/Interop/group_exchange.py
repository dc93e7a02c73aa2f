"""Acts and keys of groups on one link: Docs/Protocol/Groups.md §3."""

from __future__ import annotations

from typing import Any, Iterable

import group_keys
from codec import Refused
from comparing import Shared
from frames import Type
from groups import Group
from group_keys import ACTS_BYTES, HEADS_MAXIMUM, ITEMS_MAXIMUM, SealedKey
from replica import Conversation
from rosters import behind, in_order
from sharing import Sharing
from signed_acts import Act, Deed, is_shown

FEATURE = 5
FEATURES = b"\x20"
NAMED_MAXIMUM = 32
WANTS_MAXIMUM = 2


def first_frame(acts: Iterable[Act]) -> list[Act]:
    """As many as go in one frame."""
    out: list[Act] = []
    size = 0
    for act in acts:
        size += len(act.packed())
        if len(out) == ITEMS_MAXIMUM or size > ACTS_BYTES:
            break
        out.append(act)
    return out


class GroupExchange(Sharing):
    """The part of a session that exchanges acts and keys."""

    def __init__(self) -> None:
        super().__init__()
        # By group: the digest that was told last, the heads of the other side, what was asked for and has not come,
        # keys, and what a greeting was about.
        self.told_acts: dict[bytes, bytes] = {}
        self.remote_heads: dict[bytes, list[bytes]] = {}
        self.acts_asked: dict[bytes, list[set[bytes]]] = {}
        self.keys_given: dict[bytes, set[bytes]] = {}
        self.greeted: dict[bytes, set[bytes]] = {}
        # By group, all keys that came here, for scenarios.
        self.keys_received: dict[bytes, dict[bytes, bytes]] = {}

    @property
    def speaks_groups(self) -> bool:
        return self.link.introduction.has(FEATURE) and bool(self.peer.features)

    def find_common(self) -> None:
        super().find_common()
        for group in self.peer.groups:
            self.regroup(group)

    def begun(self, conversation: Conversation) -> None:
        if isinstance(conversation, Group):
            self.told_acts.pop(conversation.identifier, None)
            self.regroup(conversation)

    def regroup(self, group: Group) -> None:
        """Looks again at a group whose acts or keys have changed, or that has begun here."""
        if not self.speaks_groups or group.realm not in self.realms:
            return
        name = group.identifier
        if name in self.shared and not self.concerns(group):
            del self.shared[name]
        self.greet(group)
        if name not in self.shared:
            return
        if self.told_acts.get(name) != group.digest:
            self.told_acts[name] = group.digest
            heads = group.heads[:HEADS_MAXIMUM]
            self.link.send(group_keys.act_heads(name, group.digest, heads))
        self.ask(group)
        self.give_keys(group)
        for row in list(self.shared[name].rows.values()):
            self.reconsider(self.shared[name], row)

    def reconsider(self, shared: Shared, row: Any) -> None:
        """What was held back may be asked for again."""
        if row.tag not in shared.wanted:
            self.consider(shared, row)

    def greet(self, group: Group) -> None:
        """Sends who does not share a group what brings them in, or says that they are out."""
        roster = group.roster
        if not group.is_inside or self.person == group.own:
            return
        if self.person in roster.members:
            if group.identifier in self.shared:
                return
            due, past = roster.bringing(self.person), group.acts
        else:
            due = roster.ends(self.person)
            past = behind(group.acts, [act.identifier for act in due]) or {}
        names = {act.identifier for act in due}
        if names and self.greeted.get(group.identifier) != names:
            self.greeted[group.identifier] = names
            self.link.send(group_keys.acts(group.identifier, first_frame(in_order(past.values()))))

    def ask(self, group: Group) -> None:
        """At most two questions wait for their answers."""
        name = group.identifier
        here = group.acts.keys() | group.waiting.keys()
        asked = [ids for ids in self.acts_asked.get(name, []) if not ids <= here]
        lacking = group.lacking(self.remote_heads.get(name, []))
        due = [each for each in lacking if not any(each in ids for ids in asked)][:HEADS_MAXIMUM]
        if due and len(asked) < WANTS_MAXIMUM:
            asked.append(set(due))
            self.link.send(group_keys.act_want(name, due, group.heads[:HEADS_MAXIMUM]))
        self.acts_asked[name] = asked

    def give_keys(self, group: Group) -> None:
        given = self.keys_given.setdefault(group.identifier, set())
        device = self.link.remote
        due = [
            (name, key)
            for name, key in group.ring.held.items()
            if name not in given and group.may_give(name, self.person, device)
        ]
        given |= {name for name, _ in due}
        for start in range(0, len(due), ITEMS_MAXIMUM):
            self.link.send(group_keys.epoch_keys(group.identifier, due[start : start + ITEMS_MAXIMUM]))

    # Links of groups.

    def shows(self, link: bytes) -> bool:
        """Whether the other side shows the tag of a group's link."""
        return self.tags.other.share(link) in self.remote_shares

    def links_shown(self) -> list[bytes]:
        """Those by which this peer comes; and in return those of its groups."""
        coming = [link for link, join in self.peer.joins.items() if join.realm in self.realms]
        groups = [group for group in self.peer.groups if group.realm in self.realms]
        return coming + [link for group in groups for link in group.links if self.shows(link)]

    def on_shares(self, told: list[bytes]) -> None:
        before = self.links_shown()
        super().on_shares(told)
        if self.links_shown() != before:
            self.send_shares()
        self.show_joins()

    def show_joins(self) -> None:
        """To who shows the link by which this peer comes."""
        for link, join in self.peer.joins.items():
            if join.realm in self.realms and self.shows(link):
                self.link.send(group_keys.acts(join.act.group, [join.act]))

    def on_newcomer(self, group: Group, acts: list[Act]) -> None:
        """Somebody comes by a link, or is shown why not."""
        joins = [act for act in acts if act.deed == Deed.JOIN and act.author == self.person]
        if len(joins) != 1 or joins[0].device != self.link.remote:
            return
        join = joins[0].verified()
        link = group.acts.get(join.fields[1])
        if link is None or link.deed != Deed.LINK:
            return
        if is_shown(join, link) and group.would_count(join):
            group.take([join])
            self.peer.regrouped(group)
        else:
            self.link.send(group_keys.acts(group.identifier, [link]))

    # What comes in.

    def on_group(self, kind: Type, said: Any) -> None:
        group = self.peer.group(said[0])
        if kind == Type.ACTS:
            self.on_acts(group, *said)
        elif group is None or said[0] not in self.shared:
            return
        elif kind == Type.ACT_HEADS:
            self.remote_heads[said[0]] = said[2]
            self.ask(group)
        elif kind == Type.ACT_WANT:
            self.on_act_want(group, said[1], said[2])
        elif kind == Type.EPOCH_KEYS:
            self.on_epoch_keys(group, said[1])
        elif kind == Type.SEALED_KEYS:
            self.on_sealed_keys(group, said[1])

    def on_acts(self, group: Group | None, name: bytes, acts: list[Act]) -> None:
        if group is None:
            self.peer.asked_into(name, [act.verified() for act in acts])
            return
        if not self.person in group.roster.brought | group.hosts:
            self.on_newcomer(group, acts)
        if not group.is_inside and any(group.vouches(act) for act in acts):
            group.hosts.add(self.person)
        if self.person in group.roster.brought | group.hosts:
            # One frame answers one question.
            self.acts_asked.get(name, [])[:1] = []
            before = len(group.acts) + len(group.waiting)
            if group.take(acts):
                self.peer.regrouped(group)
            if len(group.acts) + len(group.waiting) > before:
                self.ask(group)

    def on_act_want(self, group: Group, wanted: list[bytes], heads: list[bytes]) -> None:
        """One frame: the first 32 that are named, those of the owner first, and then the oldest."""
        known = behind(group.acts, [head for head in heads if head in group.acts]) or {}
        reached = behind(group.acts, [name for name in wanted if name in group.acts]) or {}
        due = {name: act for name, act in reached.items() if name not in known}
        owner = bytes.fromhex(group.roster.said.owner)
        named = sorted(
            (act for act in due.values() if act.identifier in wanted),
            key=lambda act: act.author != owner,
        )[:NAMED_MAXIMUM]
        rest = [act for act in in_order(due.values()) if act not in named]
        chosen = first_frame(named + rest)
        if chosen:
            self.link.send(group_keys.acts(group.identifier, in_order(chosen)))

    def on_epoch_keys(self, group: Group, keys: list[tuple[bytes, bytes]]) -> None:
        received = self.keys_received.setdefault(group.identifier, {})
        for name, key in keys:
            received[name] = key
            self.keys_given.setdefault(group.identifier, set()).add(name)
            group.given.setdefault(name, set()).add(key)
        if group.settle():
            self.peer.regrouped(group)

    def on_sealed_keys(self, group: Group, keys: list[SealedKey]) -> None:
        """Those for this device; the giver is a device that is linked here."""
        for sealed in keys:
            if sealed.giver != self.link.remote or sealed.device != self.peer.identity.public:
                continue
            try:
                key = sealed.verified(group.identifier).opened(
                    group.identifier, self.peer.device_address
                )
            except Refused:
                continue
            group.given.setdefault(sealed.epoch, set()).add(key)
        if group.settle():
            self.peer.regrouped(group)
