"""Who is in a group: Docs/Protocol/Rosters.md, by the model of Tests/System/Groups, which is the same rule."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Iterable

from signed_acts import Act, Deed, positions

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Groups"))

import acts as model  # noqa: E402
import roster as rule  # noqa: E402

# Those whose field 1 is a person, a device or another act; `endLink` is called otherwise there.
SUBJECTS = {
    Deed.ADD, Deed.REMOVE, Deed.ADMIN, Deed.DEMOTE, Deed.END_LINK, Deed.JOIN, Deed.ACCEPT, Deed.CUT
}


def statement(act: Act) -> model.Act:
    """As the model has it, with ids in hexadecimal, which are in the order of the bytes."""
    deed, of = Deed(act.deed), act.fields
    is_link, is_cut = deed == Deed.LINK, deed == Deed.CUT
    return model.Act(
        kind=deed.name.lower().replace("_", ""),
        person=act.author.hex(),
        device="" if is_cut else act.device.hex(),
        subject=of[1].hex() if deed in SUBJECTS else "",
        basis=frozenset(one.hex() for one in act.basis),
        rank=int.from_bytes(of[3], "big") if deed == Deed.ADMIN else 0,
        time=act.hlc >> 16,
        expires=int.from_bytes(of.get(2, b""), "big") if is_link else 0,
        approve=is_link and 5 in of,
        number=int.from_bytes(of[3], "big") if is_cut else 0,
        stands=is_cut and 5 in of,
        id=act.identifier.hex(),
    )


class Roster:
    """What a set of acts says."""

    def __init__(self, acts: Iterable[Act]) -> None:
        self.acts = {act.identifier: act for act in acts}
        self.said = rule.roster([statement(act) for act in self.acts.values()])

    @property
    def members(self) -> set[bytes]:
        return {bytes.fromhex(person) for person in self.said.members}

    @property
    def brought(self) -> set[bytes]:
        """Also those who are out."""
        return {bytes.fromhex(person) for person in self.said.brought}

    @property
    def takings(self) -> set[bytes]:
        return {bytes.fromhex(act) for act in self.said.takings}

    def counts(self, act: Act) -> bool:
        return self.said.status.get(act.identifier.hex()) == "counts"

    def is_admin(self, person: bytes) -> bool:
        return self.said.members.get(person.hex()) is not None

    def is_cut(self, person: bytes, device: bytes) -> bool:
        return (person.hex(), device.hex()) in self.said.cut

    def cut_number(self, person: bytes, device: bytes) -> int | None:
        """Of the last word of a person about a device, where it is a cut."""
        if not self.is_cut(person, device):
            return None
        said = [
            act
            for act in self.acts.values()
            if act.deed == Deed.CUT and act.author == person and act.fields[1] == device
        ]
        return max(int.from_bytes(act.fields[3], "big") for act in said)

    def removals(self, person: bytes) -> list[Act]:
        """Those of somebody that count."""
        return [
            act
            for act in self.acts.values()
            if act.deed == Deed.REMOVE and act.fields[1] == person and self.counts(act)
        ]

    def ends(self, person: bytes) -> list[Act]:
        """What says that somebody is out."""
        left = [
            act
            for act in self.acts.values()
            if act.deed == Deed.LEAVE and act.author == person and self.counts(act)
        ]
        return self.removals(person) + left

    def bringing(self, person: bytes) -> list[Act]:
        """The acts that have brought somebody in."""
        return [act for act in self.acts.values() if self.counts(act) and act.brings(person)]

    def seniority(self, person: bytes) -> tuple[int, bytes]:
        """The smaller comes first: the owner, then everybody who was ever given a rank."""
        if person.hex() == self.said.owner:
            return -1, person
        ranks = [
            int.from_bytes(act.fields[3], "big")
            for act in self.acts.values()
            if act.deed == Deed.ADMIN and act.fields[1] == person and self.counts(act)
        ]
        return min(ranks, default=1 << 16), person

    def limit(self, person: bytes, device: bytes, incarnation: int) -> int | None:
        """Up to where a log is shown; None for all of it. Rosters.md §4."""
        if person in self.members:
            return None
        if person not in self.brought:
            return 0
        removals = self.removals(person)
        if not removals:
            return None
        most = min(self.seniority(act.author) for act in removals)
        told = [act for act in removals if self.seniority(act.author) == most]
        return min(named(act).get((device, incarnation), 0) for act in told)


def named(removal: Act) -> dict[tuple[bytes, int], int]:
    """Up to where its author had the logs of whom it removes."""
    told = positions(removal.fields[4]) if 4 in removal.fields else []
    return {(one.device, one.incarnation): one.seq for one in told}


def behind(acts: dict[bytes, Act], heads: Iterable[bytes]) -> dict[bytes, Act] | None:
    """All that these heads reach; None where some of it is not here."""
    found: dict[bytes, Act] = {}
    due = list(heads)
    while due:
        name = due.pop()
        if name in found:
            continue
        if name not in acts:
            return None
        found[name] = acts[name]
        due += acts[name].basis
    return found


def in_order(acts: Iterable[Act]) -> list[Act]:
    """Each behind its basis, as far as that is among them."""
    left = {act.identifier: act for act in acts}
    out: list[Act] = []
    while left:
        # An act's time is at least that of each in its basis; ids decide nothing.
        ready = [act for act in left.values() if not left.keys() & set(act.basis)]
        for act in sorted(ready, key=lambda act: (act.hlc, act.identifier)):
            out.append(left.pop(act.identifier))
    return out


def heads_of(acts: Iterable[Act]) -> list[bytes]:
    """The ids that no other act of the set has in its basis."""
    every = {act.identifier: act for act in acts}
    followed = {name for act in every.values() for name in act.basis}
    return sorted(every.keys() - followed)
