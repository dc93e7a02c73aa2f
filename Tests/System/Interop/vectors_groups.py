"""The golden vectors of `groups-2.txt`: acts of a group, and what is wrong with some."""

from __future__ import annotations

from dataclasses import replace

from bodies import Body, read_body
from codec import Refused, fields, u8, u64, varint
from frames import Frame, Type
from group_keys import (
    ACTS_BYTES,
    act_heads,
    act_set,
    act_want,
    acts,
    announcing,
    epoch_keys,
    seal_key,
    sealed_keys,
)
from later_bodies import Call, Own, read_call, read_own
from persons import Person
from primitives import Identity, x25519_public
from private import group_invitation
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


EPOCH_KEY = b"\x6b" * 32
FRESH = b"\x2a" * 32


def keys(lines: Lines, made: dict[str, Act]) -> None:
    """Keys of the group, the frames of groups, and the lines of links."""
    group = made["create"].group
    people = [member.identifier for member in MEMBERS]
    basis = [made["tie"].identifier, made["endLink"].identifier]
    body = announcing(EPOCH_KEY, group, ADA.public, basis, people)
    epoch = body.fields[1]
    lines["epoch.people"], lines["epoch.id"] = body.fields[5], epoch
    ids = sorted(act.identifier for act in made.values() if act.group == group)
    lines["actSet"] = act_set(group, ids)
    address = x25519_public(b"\xb3" * 32)
    sealed = seal_key(epoch, EPOCH_KEY, group, BEA.public, address, ADA, FRESH)
    assert sealed.verified(group).opened(group, b"\xb3" * 32) == EPOCH_KEY
    framed = {
        "actHeads": act_heads(group, lines["actSet"], ids[:2]),
        "actHeads.none": act_heads(group, act_set(group, []), []),
        "actHeads.64": act_heads(group, bytes(32), heads(64)),
        "actWant": act_want(group, ids[:1], ids[1:3]),
        "actWant.all": act_want(group, ids[:1], []),
        "acts": acts(group, [made["create"], made["cut"]]),
        "epochKeys": epoch_keys(group, [(epoch, EPOCH_KEY), (bytes(32), bytes(32))]),
        "sealedKeys": sealed_keys(group, [sealed]),
    }
    for name, frame in framed.items():
        lines[f"frame.{name}"] = frame.packed()
    one, two = b"\x01" * 32, b"\x02" * 32
    item = sealed.packed()
    long = [made["tie.64"]] * 28
    faults: dict[str, tuple[int, bytes]] = {
        "actHeadsOrder": (Type.ACT_HEADS, bytes(64) + b"\x02" + two + one),
        "actHeads65": (Type.ACT_HEADS, bytes(64) + b"\x41" + bytes(32 * 65)),
        "actHeadsCut": (Type.ACT_HEADS, bytes(64) + b"\x01" + bytes(31)),
        "actWantNone": (Type.ACT_WANT, bytes(32) + b"\x00\x00"),
        "actWantTwice": (Type.ACT_WANT, bytes(32) + b"\x02" + one + one + b"\x00"),
        "actWantTrailing": (Type.ACT_WANT, bytes(32) + b"\x01" + one + b"\x00\x00"),
        "actsNone": (Type.ACTS, group + b"\x00"),
        "actsGroup": (Type.ACTS, bytes(32) + acts(group, [made["add"]]).body[32:]),
        "actsAct": (Type.ACTS, group + b"\x01\x03abc"),
        "epochKeysNone": (Type.EPOCH_KEYS, group + b"\x00"),
        "epochKeysOrder": (Type.EPOCH_KEYS, group + b"\x02" + two + one + one + two),
        "epochKeysTwice": (Type.EPOCH_KEYS, group + b"\x02" + one + one + one + two),
        "epochKeys65": (Type.EPOCH_KEYS, group + b"\x41" + bytes(64 * 65)),
        "sealedKeysNone": (Type.SEALED_KEYS, group + b"\x00"),
        "sealedKeysCut": (Type.SEALED_KEYS, group + b"\x01" + item[:-1]),
        "sealedKeysTrailing": (Type.SEALED_KEYS, group + b"\x01" + item + b"\x00"),
    }
    for name, (kind, data) in faults.items():
        lines[f"refuse.frame.{name}"] = Frame(kind, data).packed()
    assert sum(len(act.packed()) for act in long) > ACTS_BYTES
    link = made["link"].identifier
    for name, realm, at in (("", OPEN.realm, "ops"), (".circle", CIRCLE.realm, "caf\u00e9")):
        line = group_invitation(at, realm, group, link, LINE.seed)
        lines[f"invitation.group{name}"] = line.encode()


def bodies(lines: Lines) -> None:
    """Calls, and what one's devices tell each other: class u8 and body, as those of `body`."""
    people = tuple(sorted(member.identifier for member in MEMBERS))
    call = Call(1, 300, people[:1], "call, 5 min")
    own = Own(1, b"item", value=b"value", replaced=heads(2))
    good: dict[str, Call | Own] = {
        "call": call,
        "call.missed": Call(2, 0, people, "missed call"),
        "call.longest": Call(5, 2**64 - 1, heads(64), "a" * 4_096),
        "own": own,
        "own.out": Own(255, b"i", is_in=False),
        "own.longest": Own(0, bytes(512), value=bytes(4_096), replaced=heads(64)),
    }
    for name, said in good.items():
        read = read_call if isinstance(said, Call) else read_own
        assert read(said.body()) == said
        lines[name] = u8(2 if isinstance(said, Call) else 1) + said.body().packed()
    one, two = heads(2)

    def changed(said: Call | Own, **changes: bytes | None) -> bytes:
        found = dict(said.body().fields)
        for key, value in changes.items():
            if value is None:
                del found[int(key[1:])]
            else:
                found[int(key[1:])] = value
        return u8(2 if isinstance(said, Call) else 1) + Body(said.body().kind, found).packed()

    faults = {
        "call.outcomeZero": changed(call, _1=b"\x00"),
        "call.outcome6": changed(call, _1=b"\x06"),
        "call.outcomeNone": changed(call, _1=None),
        "call.seconds": changed(call, _3=b"\x80\x00"),
        "call.secondsTrailing": changed(call, _3=b"\x00\x00"),
        "call.peopleNone": changed(call, _5=b""),
        "call.peopleCut": changed(call, _5=bytes(31)),
        "call.peopleOrder": changed(call, _5=two + one),
        "call.people65": changed(call, _5=b"".join(heads(65))),
        "call.fallback": changed(call, _2=None),
        "call.unknownOdd": changed(call, _7=b""),
        "own.setNone": changed(own, _1=None),
        "own.setLong": changed(own, _1=bytes(2)),
        "own.itemNone": changed(own, _3=b""),
        "own.itemLong": changed(own, _3=bytes(513)),
        "own.out": changed(own, _5=b"x"),
        "own.valueNone": changed(own, _6=b""),
        "own.valueLong": changed(own, _6=bytes(4_097)),
        "own.replacedNone": changed(own, _7=b""),
        "own.replacedTwice": changed(own, _7=one + one),
        "own.replaced65": changed(own, _7=b"".join(heads(65))),
        "own.unknownOdd": changed(own, _9=b""),
    }
    for name, data in faults.items():
        lines[f"refuse.{name}"] = data
        try:
            (read_call if name.startswith("call") else read_own)(read_body(data[1:]))
        except Refused:
            continue
        raise AssertionError(f"refuse.{name} is read")


def groups_vectors() -> Lines:
    lines: Lines = {}
    made = acts_of()
    lines["group.ops"], lines["group.longest"] = made["create"].group, made["create.longest"].group
    for name, act in made.items():
        lines[f"act.{name}"] = act.packed()
        lines[f"actID.{name}"] = act.identifier
        assert read_act(act.packed()).verified() == act
    check_join(made["join"], made["link"])
    keys(lines, made)
    bodies(lines)
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
