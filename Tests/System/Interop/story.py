"""The logs and records that the golden vectors are about: Docs/Protocol/Vectors.md."""

from __future__ import annotations

from bodies import (
    LEAVING,
    Body,
    Class,
    Kind,
    Target,
    erased_in_clear,
    erasing,
    joining,
    opening,
    saying,
)
from codec import fields
from entries import Entry, LogName, Run, hybrid_time, payload_hash, room_id
from persons import Certificate, Person
from primitives import Identity
from realms import RealmSecret
from records import REVOCATION, Record, address_value, profile, revocation_value
from sealing import AES, XCHACHA, key_id, seal

MILLISECONDS = 1_767_225_600_000
ADA = Identity.from_seed(b"\x01" * 32)
BEA = Identity.from_seed(b"\x02" * 32)
ADA_PERSON = Person(Identity.from_seed(b"\xa1" * 32), b"\xa2" * 32)
BEA_PERSON = Person(Identity.from_seed(b"\xb1" * 32), b"\xb2" * 32)
ADA_CERTIFICATE = ADA_PERSON.certify(ADA.public, b"\xa3" * 32, MILLISECONDS)
BEA_CERTIFICATE = BEA_PERSON.certify(BEA.public, b"\xb3" * 32, MILLISECONDS + 1)
CIRCLE = RealmSecret(b"\xc1" * 32, b"\xc2" * 32)
ROOM = "agora"
CONVERSATION = room_id(ROOM)
SEALING_KEY = b"\x5e" * 32
EPOCH = key_id(SEALING_KEY, CONVERSATION)
LATER = {2: b"from a later version"}


def salt(byte: int) -> bytes:
    return bytes([byte]) * 16


def time(milliseconds: int, counter: int = 0) -> int:
    return hybrid_time(MILLISECONDS + milliseconds, counter)


class Story:
    """Entries by their names; the first letter is that of the log, the number the seq."""

    def __init__(self) -> None:
        self.logs = {
            "a": (LogName(CONVERSATION, ADA.public, 0x0102030405060708), ADA, ADA_CERTIFICATE),
            "b": (LogName(CONVERSATION, BEA.public, 1), BEA, BEA_CERTIFICATE),
            "c": (LogName(CONVERSATION, ADA.public, 2**64 - 1), ADA, ADA_CERTIFICATE),
            "d": (LogName(CONVERSATION, BEA.public, 2), BEA, BEA_CERTIFICATE),
            "m": (LogName(CONVERSATION, BEA.public, 3), BEA, BEA_CERTIFICATE),
            "s": (LogName(CONVERSATION, ADA.public, 4), ADA, ADA_CERTIFICATE),
            "u": (LogName(CONVERSATION, ADA.public, 5), ADA, ADA_CERTIFICATE),
            "x": (LogName(CONVERSATION, ADA.public, 6), ADA, ADA_CERTIFICATE),
        }
        self.entries: dict[str, Entry] = {}
        self.places: dict[str, tuple[LogName, int, bytes | None]] = {}
        self.ids: dict[str, bytes] = {}
        self.fronts: dict[str, bytes] = {}
        self.write_a_to_f()
        self.write_sealed()
        self.write_unknown()
        self.write_erasing()

    def write_a_to_f(self) -> None:
        closed = opening(ADA_CERTIFICATE, (5, 0x0102030405060708))
        self.open("a1", time(0), 0xA1)
        self.add("a2", "a1", joining(ROOM), 0xA2, time(0, 1))
        self.add("a3", "a2", saying("hello, agora"), 0xA3, time(1))
        self.open("b1", time(0, 1), 0xB1, ("a1",))
        self.add("b2", "b1", joining(ROOM), 0xB2, time(0, 2), ("a2",))
        self.add("b3", "b2", Body(Kind.TEXT, {1: b"hello, ada", **LATER}), 0xB3, time(2), ("a3",))
        self.add("c1", None, closed, 0xC1, time(3))
        self.add(
            "a4",
            "a3",
            saying("Grüße 🏛"),
            0xA4,
            time(2_000, 5),
            ("b3", "c1"),
            fields({2: b"xy", 300: b""}),
        )
        self.add("a5", "a4", LEAVING, 0xA5, time(2_000, 6))
        self.open("d1", time(5), 0xD1)
        self.add("d2", "d1", saying("x" * 16_384), 0xD2, time(6))
        self.add("e1", None, opening(ADA_CERTIFICATE), 0xE1, time(4), log="c")
        self.add("f3", "a2", saying("hello, stoa"), 0xF3, time(1), log="a")
        self.open("m1", time(0), 0xC0)

    def write_sealed(self) -> None:
        self.open("s1", time(0), 0x51)
        said = saying("behind a seal")
        long = saying("y" * 1_000)
        for name, before, suite, body, nonce in (
            ("s2", "s1", XCHACHA, said, b"\x52" * 24),
            ("s3", "s2", AES, said, b"\x53" * 32),
            ("s4", "s3", XCHACHA, long, b"\x54" * 24),
            ("s5", "s4", XCHACHA, said, b"\x54" * 23 + b"\x55"),
        ):
            log, seq = self.logs["s"][0], int(name[1:])
            draft = Entry.new(Class.CONTENT, time(seq), b"", (), EPOCH)
            front = draft.header_front(log, seq, self.ids[before])
            self.fronts[name] = front
            sealed = seal(suite, SEALING_KEY, nonce, body, front)
            self.keep(name, "s", before, Entry.new(Class.CONTENT, time(seq), sealed, (), EPOCH))

    def write_unknown(self) -> None:
        """What a later version may write, and this one keeps."""
        self.open("u1", time(0), 0x71)
        odd = fields({3: b"z"})
        for name, class_, body, extra in (
            ("u2", 9, Body(200, {1: b"a class of its own"}), b""),
            ("u3", Class.CONTENT, Body(200, {3: b"a kind of its own", **LATER}), b""),
            ("u4", Class.CONTENT, Body(Kind.TEXT, {1: b"an odd field", **LATER, 5: b""}), b""),
            ("u5", Class.CONTENT, Body(Kind.TEXT, {1: b"even fields", 8: b"x", 600: b""}), b""),
            ("u6", Class.CONTENT, Body(Kind.TEXT, {1: b"an odd extension", **LATER}), odd),
            ("u7", Class.CONTROL, Body(31, LATER), b""),
            ("u8", Class.STREAM, Body(64, LATER), b""),
        ):
            seq = int(name[1:])
            data = body.payload(salt(0x70 + seq))
            entry = Entry.new(class_, time(seq), data, (), bytes(32), extra)
            self.keep(name, "u", f"u{seq - 1}", entry)
        other = Entry.new(Class.CONTENT, time(9), b"\x77a suite of its own", (), b"\x99" * 32)
        self.keep("u9", "u", "u8", other)

    def write_erasing(self) -> None:
        """Wants two payloads of ada erased, and one of bea, which nobody obeys."""
        self.open("x1", time(10), 0x61)
        targets = [self.target(name) for name in ("a3", "u5", "b3")]
        extra = fields(erased_in_clear(targets, ADA.public))
        self.add("x2", "x1", erasing(targets), 0x62, time(11), ("b3",), extra)

    def target(self, name: str) -> Target:
        log, seq, _ = self.places[name]
        return Target(log.author, log.incarnation, seq, self.ids[name])

    def open(self, name: str, hlc: int, byte: int, deps: tuple[str, ...] = ()) -> None:
        certificate = self.logs[name[0]][2]
        self.add(name, None, opening(certificate), byte, hlc, deps)

    def add(
        self,
        name: str,
        before: str | None,
        body: Body,
        byte: int,
        hlc: int,
        deps: tuple[str, ...] = (),
        extra: bytes = b"",
        log: str | None = None,
    ) -> None:
        entry = Entry.of(body, hlc, salt(byte), [self.ids[dep] for dep in deps])
        changed = Entry.new(entry.class_, hlc, entry.payload or b"", entry.deps, bytes(32), extra)
        self.keep(name, log or name[0], before, changed)

    def keep(self, name: str, log: str, before: str | None, entry: Entry) -> None:
        prev = None if before is None else self.ids[before]
        place = (self.logs[log][0], int(name[1:]), prev)
        self.entries[name] = entry
        self.places[name] = place
        self.ids[name] = entry.identifier(*place)

    def header(self, name: str) -> bytes:
        return self.entries[name].header(*self.places[name])

    def run(self, names: str) -> Run:
        items = names.split()
        log, first, prev = self.places[items[0]]
        identity = next(known[1] for known in self.logs.values() if known[0] == log)
        return Run.signed(identity, log, first, prev, [self.entries[name] for name in items])


def runs_of(story: Story) -> dict[str, Run]:
    whole = story.run("a2 a3 a4 a5")
    erased = list(whole.entries)
    erased[1] = erased[1].without_payload()
    log, identity, _ = story.logs["m"]
    many = [
        Entry.of(saying(str(index)), time(0) + 1 + index * (index + 1) // 2, salt(index))
        for index in range(128)
    ]
    # Left out, their payloads count none the less: 131,072 bytes in all, and one more.
    hashed = payload_hash(b"")
    full = [
        Entry(Class.CONTENT, time(1), 65_536, hashed, None),
        Entry(Class.CONTENT, time(1) + 1, 65_513, hashed, None),
    ]
    singles = "a1 a2 b1 c1 d1 e1 f3 m1 s1 u1 x1 x2"
    return {name: story.run(name) for name in singles.split()} | {
        "a2-5": whole,
        "a2-5.erased": Run(whole.log, 2, whole.prev, whole.signature, tuple(erased)),
        "a2-5.empty": whole.without_payloads(),
        "a3-5": story.run("a3 a4 a5"),
        "b2-3": story.run("b2 b3"),
        "large": story.run("d2"),
        "many": Run.signed(identity, log, 2, story.ids["m1"], many),
        "full": Run.signed(identity, log, 2, story.ids["m1"], full),
        "sealed": story.run("s2 s3 s4 s5"),
        "unknown": story.run("u2 u3 u4 u5 u6 u7 u8 u9"),
    }


ADDRESSES = (bytes([192, 0, 2, 1]), bytes.fromhex("20010db8000000000000000000000001"))


def revoked(stands: bool, hlc: int) -> Record:
    """Ada's word about her own device."""
    value = revocation_value(ADA_CERTIFICATE, stands)
    return Record(REVOCATION, ADA.public, None, hlc, value).signed(ADA_PERSON.identity)


def records_of() -> dict[str, Record]:
    def other(kind: int, conversation: bytes | None, value: bytes) -> Record:
        return Record(kind, ADA.public, conversation, time(0), value).signed(ADA)

    later = fields({1: "Βέα".encode(), 2: b"x", 600: b""})
    return {
        "ada": profile(ADA, "Ada", "in the stoa", time(0)),
        "bea": profile(BEA, "Βέα", "", time(0, 1)),
        "nameless": profile(BEA, "", "", time(0, 2)),
        "unknownField": Record(1, BEA.public, None, time(0, 3), later).signed(BEA),
        "pictured": profile(ADA, "Ada", "", time(0, 4), (b"\x55" * 32, 262_144)),
        "unknownKind": other(9, CONVERSATION, b"abc"),
        "unknownKind.wide": other(255, None, b""),
        "revocation": revoked(False, time(7)),
        "revocation.stands": revoked(True, time(8)),
        "address": other(4, None, address_value(4_242, ADDRESSES)),
        "longest": other(8, None, bytes(4_096)),
    }
