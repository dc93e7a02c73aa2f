"""Acts of groups: Docs/Protocol/Groups.md §1."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

from codec import SEQ_MAXIMUM, Reader, Refused, fields, read_fields, text, u8, u16, u64, varint
from names import is_room_name
from persons import CERTIFICATE_BYTES, Certificate, Person, read_certificate
from primitives import H, Identity, check, x25519_public
from sealing import AES, XCHACHA

FORMAT = 1
BASIS_MAXIMUM = 64
FIELDS_MAXIMUM = 512
ACT_MAXIMUM = 2_900
POSITIONS_MAXIMUM = 8
NOBODY = bytes(32)
ACT_CONTEXT, CUT_CONTEXT, JOIN_CONTEXT = b"stoa.act.v1\x00", b"stoa.cut.v1\x00", b"stoa.join.v1\x00"


class Deed(IntEnum):
    CREATE = 1
    ADD = 2
    REMOVE = 3
    ADMIN = 4
    DEMOTE = 5
    LEAVE = 6
    LINK = 7
    END_LINK = 8
    JOIN = 9
    ACCEPT = 10
    CUT = 11
    TIE = 12


class History(IntEnum):
    ALL = 1
    JOINED = 2


# The odd types of each kind, all of them due but those of OPTIONAL.
ODD = {
    Deed.CREATE: {1, 3, 5, 7, 9},
    Deed.ADD: {1},
    Deed.REMOVE: {1},
    Deed.ADMIN: {1, 3},
    Deed.DEMOTE: {1},
    Deed.LEAVE: set(),
    Deed.LINK: {1, 5},
    Deed.END_LINK: {1},
    Deed.JOIN: {1, 3},
    Deed.ACCEPT: {1},
    Deed.CUT: {1, 3, 5},
    Deed.TIE: set(),
}
OPTIONAL = {Deed.LINK: {5}, Deed.CUT: {5}}
# The lengths of values that have one.
LENGTHS = {
    Deed.CREATE: {1: 32, 3: 32, 5: 1, 7: 1},
    Deed.ADMIN: {1: 32, 3: 2},
    Deed.LINK: {1: 32, 2: 8, 5: 0},
    Deed.JOIN: {1: 32, 3: 64},
    Deed.CUT: {1: 32, 3: 8, 5: 0},
}


def group_id(person: bytes, nonce: bytes, realm: bytes, history: int, suite: int, name: str) -> bytes:
    """`person` is P ‖ X."""
    return H("stoa group", person + nonce + realm + u8(history) + u8(suite) + text(name, 255))


@dataclass(frozen=True)
class Position:
    device: bytes
    incarnation: int
    seq: int

    def packed(self) -> bytes:
        return self.device + u64(self.incarnation) + varint(self.seq)


def positions(data: bytes) -> list[Position]:
    reader, out = Reader(data), []
    while reader.left or not out:
        found = Position(reader.take(32), reader.u64(), reader.counted(1, SEQ_MAXIMUM - 1, "a seq"))
        if out and (found.device, found.incarnation) <= (out[-1].device, out[-1].incarnation):
            raise Refused("logs in a removal that do not ascend")
        out.append(found)
    if len(out) > POSITIONS_MAXIMUM:
        raise Refused(f"{len(out)} logs in a removal")
    return out


@dataclass(frozen=True)
class Act:
    deed: int
    group: bytes
    device: bytes
    person: bytes
    """The certificate of the device; P ‖ X for a cut."""
    hlc: int
    basis: tuple[bytes, ...]
    fields: dict[int, bytes]
    signature: bytes = b""

    def body(self) -> bytes:
        packed = fields(self.fields)
        return b"".join(
            [
                u8(FORMAT) + u8(self.deed) + self.group + self.device + self.person,
                u64(self.hlc) + u8(len(self.basis)) + b"".join(self.basis),
                varint(len(packed)) + packed,
            ]
        )

    def packed(self) -> bytes:
        return self.body() + self.signature

    @property
    def identifier(self) -> bytes:
        return H("stoa act", self.body())

    @property
    def certificate(self) -> Certificate:
        return read_certificate(self.person)

    @property
    def author(self) -> bytes:
        return H("stoa person", self.person[:64])

    def brings(self, person: bytes) -> bool:
        """Whether it names somebody as a member; whom an accepted act brings, it does not say itself."""
        if self.deed in (Deed.JOIN, Deed.CREATE):
            return self.author == person
        return self.deed in (Deed.ADD, Deed.ADMIN) and self.fields[1] == person

    def signed(self, identity: Identity) -> "Act":
        context = CUT_CONTEXT if self.deed == Deed.CUT else ACT_CONTEXT
        return replace(self, signature=identity.sign(context + self.body()))

    def verified(self) -> "Act":
        if self.deed == Deed.CUT:
            check(self.person[:32], CUT_CONTEXT + self.body(), self.signature, "a cut")
            return self
        self.certificate.verified(self.device)
        check(self.device, ACT_CONTEXT + self.body(), self.signature, "an act")
        if self.deed == Deed.CREATE and founded(self) != self.group:
            raise Refused("a founding of another group")
        return self


def founded(act: Act) -> bytes:
    of = act.fields
    return group_id(act.person[:64], of[1], of[3], of[5][0], of[7][0], of[9].decode())


def read_act(data: bytes) -> Act:
    """The shape alone; `Act.verified` looks at the signature."""
    if len(data) > ACT_MAXIMUM:
        raise Refused(f"an act of {len(data)} bytes")
    reader = Reader(data)
    if reader.u8() != FORMAT:
        raise Refused("an act of another format")
    number = reader.u8()
    if number not in Deed.__members__.values():
        raise Refused(f"an act of kind {number}")
    deed = Deed(number)
    group, device = reader.take(32), reader.take(32)
    if deed == Deed.CUT and device != NOBODY:
        raise Refused("a cut that names a device as its signer")
    person = reader.take(64 if deed == Deed.CUT else CERTIFICATE_BYTES)
    hlc, count = reader.u64(), reader.u8()
    least = 0 if deed in (Deed.CREATE, Deed.CUT) else 1
    if not least <= count <= (0 if deed == Deed.CREATE else BASIS_MAXIMUM):
        raise Refused(f"an act that follows {count} others")
    basis = tuple(reader.take(32) for _ in range(count))
    if any(one >= other for one, other in zip(basis, basis[1:], strict=False)):
        raise Refused("a basis that does not ascend")
    found = read_fields(reader.take(reader.counted(0, FIELDS_MAXIMUM, "fields")))
    check_fields(deed, found)
    signature = reader.take(64)
    reader.end()
    return Act(deed, group, device, person, hlc, basis, found, signature)


def check_fields(deed: Deed, found: dict[int, bytes]) -> None:
    odd = {type_ for type_ in found if type_ % 2 == 1}
    if odd - ODD[deed] or ODD[deed] - odd - OPTIONAL.get(deed, set()):
        raise Refused("fields that are missing or unknown")
    for type_, length in LENGTHS.get(deed, {1: 32}).items():
        if type_ in found and len(found[type_]) != length:
            raise Refused(f"a field {type_} of {len(found[type_])} bytes")
    if deed == Deed.REMOVE and 4 in found:
        positions(found[4])
    if deed == Deed.ADMIN and found[3] == bytes(2):
        raise Refused("the rank 0")
    if deed == Deed.CREATE:
        try:
            name = found[9].decode("utf-8", errors="strict")
        except UnicodeDecodeError as error:
            raise Refused("a name that is not UTF-8") from error
        if not is_room_name(name):
            raise Refused("a group of a name that is none")
        if found[5][0] not in set(History) or found[7][0] not in (XCHACHA, AES):
            raise Refused("an unknown history or suite")


@dataclass(frozen=True)
class Member:
    """Who signs acts: a device of a person."""

    device: Identity
    person: Person
    certificate: Certificate

    @property
    def identifier(self) -> bytes:
        return self.certificate.person_id

    @property
    def keys(self) -> bytes:
        return self.person.identity.public + x25519_public(self.person.address)

    def found(
        self, name: str, hlc: int, nonce: bytes, realm: bytes, history: int, suite: int
    ) -> Act:
        group = group_id(self.keys, nonce, realm, history, suite, name)
        of = {1: nonce, 3: realm, 5: u8(history), 7: u8(suite), 9: name.encode()}
        return self.act(Deed.CREATE, group, hlc, (), of)

    def act(
        self, deed: int, group: bytes, hlc: int, basis: tuple[bytes, ...], of: dict[int, bytes]
    ) -> Act:
        packed = self.certificate.packed()
        act = Act(deed, group, self.device.public, packed, hlc, tuple(sorted(basis)), of)
        return act.signed(self.device)

    def join(self, group: bytes, hlc: int, link: bytes, line: Identity) -> Act:
        """By a link of which `line` is the key L."""
        said = JOIN_CONTEXT + group + link + self.identifier + self.device.public
        return self.act(Deed.JOIN, group, hlc, (link,), {1: link, 3: line.sign(said)})

    def cut(
        self, device: bytes, group: bytes, hlc: int, basis: tuple[bytes, ...], number: int,
        stands: bool = False,
    ) -> Act:
        of = {1: device, 3: u64(number)} | ({5: b""} if stands else {})
        act = Act(Deed.CUT, group, NOBODY, self.keys, hlc, tuple(sorted(basis)), of)
        return act.signed(self.person.identity)


def check_join(act: Act, link: Act) -> None:
    """That a join shows the line of its link."""
    said = JOIN_CONTEXT + act.group + link.identifier + act.author + act.device
    if act.fields[1] != link.identifier:
        raise Refused("a join by another link")
    check(link.fields[1], said, act.fields[3], "a join")


def is_shown(act: Act, link: Act) -> bool:
    try:
        check_join(act, link)
    except Refused:
        return False
    return True


def rank(number: int) -> bytes:
    return u16(number)
