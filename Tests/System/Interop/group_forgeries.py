"""Acts, keys, certificates and revocations with one field changed, for this peer and for stoad."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Iterator

from bodies import Body, Kind
from codec import fields, u64, varint
from group_keys import SealedKey, announcing
from persons import Certificate, Person
from primitives import Identity
from records import REVOCATION, Record, revocation_value
from signed_acts import CUT_CONTEXT, JOIN_CONTEXT, Act, Deed, Member, Position, rank

Span = tuple[str, int, int]
CERTIFICATE = [("P", 32), ("X", 32), ("E", 32), ("added", 8), ("person's signature", 64)]


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def laid_out(parts: list[tuple[str, int]]) -> list[Span]:
    """The parts in their places, without those that are empty."""
    out: list[Span] = []
    at = 0
    for name, length in parts:
        if length:
            out.append((name, at, at + length))
        at += length
    return out


def parts_of_fields(items: dict[int, bytes]) -> list[tuple[str, int]]:
    out: list[tuple[str, int]] = []
    for type_, value in sorted(items.items()):
        out.append((f"type {type_}", len(varint(type_))))
        out.append((f"length of {type_}", len(varint(len(value)))))
        out.append((f"field {type_}", len(value)))
    return out


def parts_of_act(act: Act) -> list[Span]:
    """Everything that an act is made of."""
    certificate = CERTIFICATE[:2] if act.deed == Deed.CUT else CERTIFICATE
    return laid_out(
        [
            *(("format", 1), ("kind", 1), ("group", 32), ("device", 32)),
            *certificate,
            *(("hlc", 8), ("count", 1)),
            *((f"basis {index}", 32) for index in range(len(act.basis))),
            ("fields' length", len(varint(len(fields(act.fields))))),
            *parts_of_fields(act.fields),
            ("signature", 64),
        ]
    )


def altered(data: bytes, spans: list[Span]) -> Iterator[tuple[str, bytes]]:
    """Each part with one bit changed, in its middle."""
    for name, start, end in spans:
        yield name, flipped(data, (start + end) // 2)


@dataclass(frozen=True)
class Cast:
    """Who signs: the owner, a member without a rank, and somebody who comes by the link of that key."""

    owner: Member
    member: Member
    newcomer: Member
    line: Identity


def one_of_each(cast: Cast, group: bytes, hlc: int, basis: tuple[bytes, ...]) -> dict[str, Act]:
    """Acts of every kind, right behind `basis`; each counts, or does nothing for another reason than its form."""
    owner, member = cast.owner, cast.member
    seen = Position(member.device.public, 7, 300).packed()
    made = {"create": owner.found("forged", hlc, bytes(32), bytes(32), 1, 1)}
    link = owner.act(
        Deed.LINK, group, hlc, basis, {1: cast.line.public, 2: u64((hlc >> 16) + 600_000), 5: b""}
    )
    made["link"] = link

    def act(name: str, who: Member, deed: Deed, of: dict[int, bytes], *more: Act) -> None:
        after = tuple(one.identifier for one in more) or basis
        made[name] = who.act(deed, group, hlc, after, of)

    act("add", owner, Deed.ADD, {1: cast.newcomer.identifier})
    act("remove", owner, Deed.REMOVE, {1: member.identifier, 4: seen})
    act("admin", owner, Deed.ADMIN, {1: member.identifier, 3: rank(512)})
    act("demote", owner, Deed.DEMOTE, {1: member.identifier}, made["admin"])
    act("leave", member, Deed.LEAVE, {})
    act("endLink", owner, Deed.END_LINK, {1: link.identifier}, link)
    made["join"] = cast.newcomer.join(group, hlc, link.identifier, cast.line)
    act("accept", owner, Deed.ACCEPT, {1: made["join"].identifier}, made["join"])
    made["cut"] = member.cut(member.device.public, group, hlc, basis, hlc >> 16)
    made["cut.stands"] = member.cut(
        member.device.public, group, hlc, (made["cut"].identifier,), (hlc >> 16) + 1, stands=True
    )
    act("tie", owner, Deed.TIE, {}, made["add"], made["admin"])
    return made


def by_wrong_keys(made: dict[str, Act], liar: Member) -> dict[str, Act]:
    """Every act as its author would have signed it, by somebody else."""
    out: dict[str, Act] = {}
    for name, act in made.items():
        if act.deed == Deed.CUT:
            out[f"{name} by another person"] = act.signed(liar.person.identity)
            by_device = liar.device.sign(CUT_CONTEXT + act.body())
            out[f"{name} by a device"] = replace(act, signature=by_device)
            continue
        out[f"{name} by another device"] = act.signed(liar.device)
        named = replace(act, device=liar.device.public)
        out[f"{name} with a certificate of another device"] = named.signed(liar.device)
        lent = replace(act, person=liar.certificate.packed())
        out[f"{name} with another's certificate"] = lent.signed(liar.device)
    return out


def without_line(join: Act, cast: Cast, liar: Member) -> dict[str, Act]:
    """Joins that are signed by who comes, and do not show the line of the link."""
    device = cast.newcomer.device
    said = JOIN_CONTEXT + join.group + join.fields[1] + join.author
    proofs = {
        "join by another line": Identity.from_seed(bytes(31) + b"\x01").sign(said + join.device),
        "join by its own device": device.sign(said + join.device),
        "join for another device": cast.line.sign(said + liar.device.public),
    }
    return {
        name: replace(join, fields={**join.fields, 3: proof}).signed(device)
        for name, proof in proofs.items()
    }


def by_nobody(made: dict[str, Act], basis: tuple[bytes, ...], hlc: int, liar: Member) -> list[Act]:
    """What a member without a rank may sign, and what changes nothing."""
    out: list[Act] = []
    for act in made.values():
        if act.deed in (Deed.CREATE, Deed.JOIN, Deed.LEAVE, Deed.TIE):
            continue
        late = replace(act, basis=tuple(sorted(basis)), hlc=hlc)
        if act.deed == Deed.CUT:
            out.append(replace(late, person=liar.keys).signed(liar.person.identity))
        else:
            own = replace(late, device=liar.device.public, person=liar.certificate.packed())
            out.append(own.signed(liar.device))
    return out


# Keys.


def epochs_of(
    key: bytes, group: bytes, maker: bytes, basis: list[bytes], people: set[bytes], old: bytes
) -> dict[str, Body]:
    """Announcements with one field changed: with the id that follows from that, or with the old one."""
    good = announcing(key, group, maker, basis, people)
    stranger = people | {bytes(32)}
    fewer = set(sorted(people)[1:])
    out = {
        "another id": replace(good, fields={**good.fields, 1: flipped(good.fields[1], 7)}),
        "another basis": replace(good, fields={**good.fields, 3: old}),
        "other people": replace(good, fields={**good.fields, 5: flipped(good.fields[5], 7)}),
        "an older basis": announcing(key, group, maker, [old], people),
        "a basis that nobody has": announcing(key, group, maker, [bytes(32)], people),
        "a stranger among the people": announcing(key, group, maker, basis, stranger),
        "fewer people": announcing(key, group, maker, basis, fewer),
        "another maker": announcing(key, group, flipped(maker, 3), basis, people),
        "another group": announcing(key, flipped(group, 3), maker, basis, people),
        "another key": announcing(flipped(key, 3), group, maker, basis, people),
    }
    for type_ in (1, 3, 5):
        less = {kind: value for kind, value in good.fields.items() if kind != type_}
        out[f"no field {type_}"] = Body(Kind.EPOCH, less)
        short = {**good.fields, type_: good.fields[type_][:-1]}
        out[f"a short field {type_}"] = Body(Kind.EPOCH, short)
    out["no basis at all"] = Body(Kind.EPOCH, {**good.fields, 3: b""})
    out["a basis twice"] = Body(Kind.EPOCH, {**good.fields, 3: good.fields[3][-32:] * 2})
    out["an unknown odd field"] = Body(Kind.EPOCH, {**good.fields, 7: b""})
    return out


SEALED_KEY = laid_out(
    [("epoch", 32), ("device", 32), ("giver", 32), ("e", 32), ("key", 32), ("tag", 16)]
    + [("signature", 64)]
)


def sealed_by_wrong_keys(sealed: SealedKey, group: bytes, liar: Identity) -> dict[str, SealedKey]:
    def signed(key: SealedKey) -> SealedKey:
        return replace(key, signature=liar.sign(key.said(group) + key.sealed))

    return {
        "signed by another key": signed(sealed),
        "given by another": signed(replace(sealed, giver=liar.public)),
    }


# Devices.


def revocation(person: Person, certificate: Certificate, device: bytes, hlc: int) -> Record:
    value = revocation_value(certificate, False)
    return Record(REVOCATION, device, None, hlc, value).signed(person.identity)


def parts_of_revocation(record: Record) -> list[Span]:
    front = [("format", 1), ("kind", 1), ("author", 32), ("scope", 1), ("hlc", 8)]
    items = [("type 1", 1), ("length of 1", 2), *CERTIFICATE]
    spans = laid_out([*front, *items, ("signature", 64)])
    assert spans[-1][2] == len(record.packed())
    return spans


def revocations_by_wrong_keys(record: Record, liar: Member) -> dict[str, Record]:
    value = revocation_value(liar.certificate, False)
    return {
        "signed by another person": record.signed(liar.person.identity),
        "with another's certificate": replace(record, value=value).signed(liar.person.identity),
        "of another device": replace(record, author=liar.device.public).signed(liar.device),
    }


