"""The logs that the golden vectors are about: Docs/Protocol/Vectors.md."""

from __future__ import annotations

from codec import extensions
from entries import Entry, EntryKind, LogName, Run, hybrid_time, payload, room_id
from primitives import Identity

MILLISECONDS = 1_767_225_600_000
ADA = Identity.from_seed(b"\x01" * 32)
BEA = Identity.from_seed(b"\x02" * 32)
ROOM = "agora"
CONVERSATION = room_id(ROOM)


def salt(byte: int) -> bytes:
    return bytes([byte]) * 16


def entry(
    kind: int,
    hlc: int,
    content: bytes,
    salt_byte: int,
    deps: tuple[bytes, ...] = (),
    epoch: bytes = bytes(32),
    extra: bytes = b"",
) -> Entry:
    return Entry.new(kind, hlc, payload(content, salt(salt_byte)), deps, epoch, extra)


class Story:
    """The logs that most vectors are about."""

    def __init__(self) -> None:
        text_kind, join, leave = EntryKind.TEXT, EntryKind.JOIN, EntryKind.LEAVE
        at = hybrid_time
        now = MILLISECONDS
        self.log_a = LogName(CONVERSATION, ADA.public, 0x0102030405060708)
        self.log_b = LogName(CONVERSATION, BEA.public, 1)
        self.log_c = LogName(CONVERSATION, ADA.public, 2**64 - 1)
        self.log_d = LogName(CONVERSATION, BEA.public, 2)
        self.entries: dict[str, Entry] = {}
        self.headers: dict[str, bytes] = {}
        self.ids: dict[str, bytes] = {}

        self.add("a1", self.log_a, 1, None, entry(join, at(now), b"agora", 0xA1))
        self.add("a2", self.log_a, 2, "a1", entry(text_kind, at(now + 1), b"hello, agora", 0xA2))
        self.add(
            "b1",
            self.log_b,
            1,
            None,
            entry(join, at(now, 1), b"agora", 0xB1, (self.ids["a1"],)),
        )
        self.add(
            "b2",
            self.log_b,
            2,
            "b1",
            entry(text_kind, at(now + 2), b"hello, ada", 0xB2, (self.ids["a2"],)),
        )
        self.add("c1", self.log_c, 1, None, entry(join, at(now + 3), b"agora", 0xC1))
        self.add(
            "a3",
            self.log_a,
            3,
            "a2",
            entry(
                text_kind,
                at(now + 2_000, 5),
                "Grüße 🏛".encode(),
                0xA3,
                (self.ids["b2"], self.ids["c1"]),
                b"\x33" * 32,
                extensions({2: b"xy", 300: b""}),
            ),
        )
        self.add("a4", self.log_a, 4, "a3", entry(leave, at(now + 2_000, 6), b"", 0xA4))
        self.add("f2", self.log_a, 2, "a1", entry(text_kind, at(now + 1), b"hello, stoa", 0xF2))
        self.add("e1", self.log_c, 1, None, entry(join, at(now + 4), b"agora", 0xE1))
        self.add("d1", self.log_d, 1, None, entry(text_kind, at(now + 5), b"x" * 16_384, 0xD1))

    def add(self, name: str, log: LogName, seq: int, before: str | None, item: Entry) -> None:
        prev = None if before is None else self.ids[before]
        self.entries[name] = item
        self.headers[name] = item.header(log, seq, prev)
        self.ids[name] = item.identifier(log, seq, prev)

    def run(self, log: LogName, identity: Identity, names: str, before: str | None) -> Run:
        items = [self.entries[name] for name in names.split()]
        if before is None:
            return Run.signed(identity, log, 1, None, items)
        return Run.signed(identity, log, int(before[1:]) + 1, self.ids[before], items)


def runs_of(story: Story) -> dict[str, Run]:
    whole = story.run(story.log_a, ADA, "a1 a2 a3 a4", None)
    erased = list(whole.entries)
    erased[1] = erased[1].without_payload()
    many = [
        entry(
            EntryKind.TEXT,
            hybrid_time(MILLISECONDS) + index * (index + 1) // 2,
            str(index).encode(),
            index,
        )
        for index in range(128)
    ]
    return {
        "a1": story.run(story.log_a, ADA, "a1", None),
        "a1-4": whole,
        "a1-4.erased": Run(whole.log, 1, None, whole.signature, tuple(erased)),
        "a1-4.empty": whole.without_payloads(),
        "a2": story.run(story.log_a, ADA, "a2", "a1"),
        "a2-4": story.run(story.log_a, ADA, "a2 a3 a4", "a1"),
        "b1-2": story.run(story.log_b, BEA, "b1 b2", None),
        "c1": story.run(story.log_c, ADA, "c1", None),
        "e1": story.run(story.log_c, ADA, "e1", None),
        "f2": story.run(story.log_a, ADA, "f2", "a1"),
        "large": story.run(story.log_d, BEA, "d1", None),
        "many": Run.signed(BEA, LogName(CONVERSATION, BEA.public, 3), 1, None, many),
    }
