"""The golden vectors of `groups-2.txt`: acts of a group, and what is wrong with some."""

from __future__ import annotations

from dataclasses import replace

from codec import Refused, fields, u8, u64, varint
from persons import Certificate, Person
from primitives import Identity
from realms import OPEN
from sealing import AES, XCHACHA
from signed_acts import (
    Act,
    Deed,
    History,
    Member,
    Position,
    check_join,
    group_id,
    rank,
    read_act,
)
from story import (
    ADA,
    ADA_CERTIFICATE,
    ADA_PERSON,
    BEA,
    BEA_CERTIFICATE,
    BEA_PERSON,
    CIRCLE,
    MILLISECONDS,
    time,
)

Lines = dict[str, bytes]

NONCE = b"\x6e" * 32
LINE = Identity.from_seed(b"\x4c" * 32)
CYN = Identity.from_seed(b"\x03" * 32)
CYN_PERSON = Person(Identity.from_seed(b"\xd1" * 32), b"\xd2" * 32)
CYN_CERTIFICATE = CYN_PERSON.certify(CYN.public, b"\xd3" * 32, MILLISECONDS + 2)
ADA_MEMBER = Member(ADA, ADA_PERSON, ADA_CERTIFICATE)
BEA_MEMBER = Member(BEA, BEA_PERSON, BEA_CERTIFICATE)
CYN_MEMBER = Member(CYN, CYN_PERSON, CYN_CERTIFICATE)


def heads(count: int) -> tuple[bytes, ...]:
    """Ids of acts that nobody has."""
    return tuple(bytes([index]) * 32 for index in range(1, count + 1))


def acts_of() -> dict[str, Act]:
    """A small history, one of each kind and more; each follows the one before."""
    ada, bea, cyn = ADA_MEMBER, BEA_MEMBER, CYN_MEMBER
    made: dict[str, Act] = {}
    made["create"] = ada.found("ops", time(0), NONCE, OPEN.realm, History.ALL, XCHACHA)
    made["create.longest"] = ada.found(
        "\U00010428" * 63 + "\u307e", time(0), NONCE, CIRCLE.realm, History.JOINED, AES
    )
    group = made["create"].group
    last = made["create"]

    def then(name: str, who: Member, deed: Deed, of: dict[int, bytes]) -> None:
        nonlocal last
        last = made[name] = who.act(deed, group, time(len(made)), (last.identifier,), of)

    then("add", ada, Deed.ADD, {1: bea.identifier})
    then("admin", ada, Deed.ADMIN, {1: bea.identifier, 3: rank(256)})
    then("link", bea, Deed.LINK, {1: LINE.public})
    link = last
    then("link.all", bea, Deed.LINK, {1: LINE.public, 2: u64(MILLISECONDS + 604_800_000), 5: b""})
    then("endLink", bea, Deed.END_LINK, {1: last.identifier})
    made["join"] = cyn.join(group, time(len(made)), link.identifier, LINE)
    both = (last.identifier, made["join"].identifier)
    last = made["tie"] = bea.act(Deed.TIE, group, time(len(made)), both, {})
    then("remove", bea, Deed.REMOVE, {1: cyn.identifier})
    seen = [Position(BEA.public, index, 2 ** (7 * index + 1)) for index in range(7)]
    seen = [*seen, Position(BEA.public, 2**64 - 1, 2**63 - 2)]
    then(
        "remove.seen",
        ada,
        Deed.REMOVE,
        {1: bea.identifier, 4: b"".join(one.packed() for one in seen)},
    )
    then("accept", ada, Deed.ACCEPT, {1: made["remove"].identifier})
    then("demote", ada, Deed.DEMOTE, {1: bea.identifier})
    then("leave", bea, Deed.LEAVE, {})
    made["cut"] = bea.cut(BEA.public, group, time(20), (last.identifier,), MILLISECONDS)
    ids = (last.identifier, made["cut"].identifier)
    made["cut.stands"] = bea.cut(BEA.public, group, time(21), ids, MILLISECONDS + 1, stands=True)
    made["cut.first"] = bea.cut(BEA.public, bytes(32), 0, (), 0)
    made["tie.64"] = ada.act(Deed.TIE, group, 2**64 - 1, heads(64), {})
    made["tie.unknownEven"] = ada.act(Deed.TIE, group, time(22), heads(1), {2: b"", 300: b"later"})
    return made


def altered(act: Act, **changes: object) -> bytes:
    """Signed anew, so that only the change is wrong."""
    other = replace(act, **changes)  # type: ignore[arg-type]
    if act.deed == Deed.CUT:
        signer = BEA_PERSON.identity
    else:
        signer = {member.device.public: member.device for member in MEMBERS}[act.device]
    return other.signed(signer).packed()


MEMBERS = (ADA_MEMBER, BEA_MEMBER, CYN_MEMBER)


def refused(made: dict[str, Act]) -> Lines:
    """Mostly a good act with one fault, signed."""
    act, cut = made["add"], made["cut"]
    packed = act.packed()
    fields_at = 2 + 32 + 32 + 168 + 8 + 1 + 32
    one = Position(BEA.public, 1, 1).packed()
    nine = b"".join(Position(BEA.public, index, 1).packed() for index in range(9))

    def of(name: str, **changes: bytes) -> bytes:
        found = dict(made[name].fields)
        for key, value in changes.items():
            found[int(key[1:])] = value
        return altered(made[name], fields=found)

    def less(name: str, type_: int) -> bytes:
        found = {kind: value for kind, value in made[name].fields.items() if kind != type_}
        return altered(made[name], fields=found)

    name = made["create"].fields[9]
    return {
        "format": u8(2) + packed[1:],
        "kindZero": altered(act, deed=0),
        "kind13": altered(act, deed=13),
        "cutDevice": altered(cut, device=BEA.public),
        "createBasis": altered(made["create"], basis=heads(1)),
        "basisNone": altered(act, basis=()),
        "basisOver": altered(act, basis=heads(65)),
        "basisOrder": altered(act, basis=(b"\x02" * 32, b"\x01" * 32)),
        "basisTwice": altered(act, basis=heads(1) * 2),
        "fieldsLong": packed[:fields_at] + varint(513) + packed[fields_at + 1 :],
        "fieldsOver": of("tie", _2=bytes(510)),
        "fieldsOrder": packed[:fields_at]
        + varint(38)
        + fields({2: b""})
        + b"\x01\x20"
        + bytes(32)
        + packed[fields_at + 35 :],
        "unknownOdd": of("add", _3=b""),
        "trailing": packed + b"\x00",
        "short": packed[:-1],
        "addNone": less("add", 1),
        "addShort": of("add", _1=bytes(31)),
        "nonceLong": of("create", _1=bytes(33)),
        "historyZero": of("create", _5=b"\x00"),
        "history3": of("create", _5=b"\x03"),
        "historyLong": of("create", _5=b"\x01\x01"),
        "suite3": of("create", _7=b"\x03"),
        "nameEmpty": of("create", _9=b""),
        "nameCase": of("create", _9=name.upper()),
        "nameLatin": of("create", _9=b"caf\xe9"),
        "nameLong": of("create", _9=b"a" * 65),
        "rankZero": of("admin", _3=bytes(2)),
        "rankLong": of("admin", _3=bytes(3)),
        "rankNone": less("admin", 3),
        "linkExpires": of("link", _2=bytes(7)),
        "linkApprove": of("link", _5=b"\x01"),
        "joinProof": of("join", _3=bytes(63)),
        "joinNone": less("join", 3),
        "seenNone": of("remove", _4=b""),
        "seenCut": of("remove", _4=one[:-1]),
        "seenTwice": of("remove", _4=one * 2),
        "seenOrder": of("remove", _4=Position(BEA.public, 2, 1).packed() + one),
        "seenZero": of("remove", _4=Position(BEA.public, 1, 0).packed()),
        "seenOver": of("remove", _4=Position(BEA.public, 1, 2**63 - 1).packed()),
        "seen9": of("remove", _4=nine),
        "cutNumber": of("cut", _3=bytes(7)),
        "cutStands": of("cut", _5=b"\x00"),
        "leavePerson": of("leave", _1=bytes(32)),
    }


def forged(made: dict[str, Act]) -> Lines:
    """Read, but not believed."""
    act = made["add"]
    other = Act(act.deed, act.group, BEA.public, act.person, act.hlc, act.basis, act.fields)
    taken = replace(made["create"], group=group_id(BEA_MEMBER.keys, NONCE, OPEN.realm, 1, 1, "ops"))
    renamed = replace(made["create"], fields={**made["create"].fields, 9: b"ops-2"})
    cut = replace(made["cut"], person=ADA_MEMBER.keys)
    entry = replace(act, signature=ADA.sign(b"stoa.cut.v1\x00" + act.body()))
    return {
        "kind": replace(act, deed=Deed.DEMOTE).packed(),
        "group": replace(act, group=bytes(32)).packed(),
        "hlc": replace(act, hlc=act.hlc + 1).packed(),
        "basis": replace(act, basis=heads(1)).packed(),
        "subject": replace(act, fields={1: CYN_MEMBER.identifier}).packed(),
        "field": replace(act, fields={**act.fields, 2: b""}).packed(),
        "certificate": other.signed(BEA).packed(),
        "device": replace(act, device=BEA.public).packed(),
        "founded": taken.signed(ADA).packed(),
        "name": renamed.signed(ADA).packed(),
        "cutPerson": cut.packed(),
        "cutByDevice": made["cut"].signed(BEA).packed(),
        "context": entry.packed(),
    }


def groups_vectors() -> Lines:
    lines: Lines = {}
    made = acts_of()
    lines["group.ops"], lines["group.longest"] = made["create"].group, made["create.longest"].group
    for name, act in made.items():
        lines[f"act.{name}"] = act.packed()
        lines[f"actID.{name}"] = act.identifier
        assert read_act(act.packed()).verified() == act
    check_join(made["join"], made["link"])
    for name, data in refused(made).items():
        lines[f"refuse.act.{name}"] = data
        try:
            read_act(data)
        except Refused:
            continue
        raise AssertionError(f"refuse.act.{name} is read")
    for name, data in forged(made).items():
        lines[f"forged.act.{name}"] = data
        try:
            read_act(data).verified()
        except Refused:
            continue
        raise AssertionError(f"forged.act.{name} is believed")
    return lines
