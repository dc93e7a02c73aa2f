"""Every part of what a peer sends, changed once, and what the pages say must follow."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import Callable, Sequence

import frames
from bodies import Body, Class, opening, saying
from codec import fields, text, varint
from entries import Entry, ForkProof, LogName, OwnLog, Run, hybrid_time
from forgeries_handshake import Due, flipped
from frames import ClockRow, Frame, RecordRow, Type
from persons import certificate_of
from primitives import Identity
from records import PROFILE, Record, profile, profile_value
from replica import wall_milliseconds
from vectors import vectors


# Before all others that a forger writes.
OPENED_AT = 1


@dataclass(frozen=True)
class Author:
    """A forger's own identity and log, which begins with the person of that identity."""

    identity: Identity
    log: LogName
    opened: Run

    @staticmethod
    def new(identity: Identity, conversation: bytes) -> "Author":
        log = LogName(conversation, identity.public, secrets.randbits(64))
        return Author.opening(identity, log, opening(certificate_of(identity)))

    @staticmethod
    def opening(identity: Identity, log: LogName, body: Body, extra: bytes = b"") -> "Author":
        data = body.payload(secrets.token_bytes(16))
        entry = Entry.new(Class.CONTROL, OPENED_AT, data, extensions=extra)
        return Author(identity, log, Run.signed(identity, log, 1, None, [entry]))

    def text(self, words: str, hlc: int | None = None, **rest: object) -> Entry:
        at = hybrid_time(wall_milliseconds()) if hlc is None else hlc
        data = saying(words).payload(secrets.token_bytes(16))
        return Entry.new(Class.CONTENT, at, data, **rest)  # type: ignore[arg-type]

    def run(self, *entries: Entry) -> Run:
        """Right behind the `open`."""
        return Run.signed(self.identity, self.log, 2, self.opened.identifiers[0], entries)

    def own(self) -> OwnLog:
        return OwnLog(self.identity, self.log, [self.opened])

    def live(self, *runs: Run) -> list[Frame]:
        """The `open`, and then these."""
        return [frames.live_run(run.packed()) for run in (self.opened, *runs)]


@dataclass(frozen=True)
class LinkForgery:
    """`frames(author, known id, its hlc)`: what to send, in order."""

    name: str
    frames: Callable[[Author, bytes, int], list[Frame]]
    due: Due


def packed_entries(entries: Sequence[Entry]) -> list[bytes]:
    """Each entry as it stands in a run of these."""
    return [entry.packed(before) for before, entry in zip([None, *entries], entries)]


def frame_forgeries() -> list[LinkForgery]:
    """The refusals of the golden vectors, each as it would arrive."""
    out: list[LinkForgery] = []
    for name, data in vectors().items():
        kind, _, rest = name.partition(".")
        if kind != "refuse":
            continue
        decoder = rest.partition(".")[0]
        if decoder in ("frame", "fragment"):
            continue
        bodies = {
            "run": [(Type.LIVE_RUN, data), (Type.SYNC_RUN, data)],
            "record": [(Type.RECORDS, b"\x01" + varint(len(data)) + data)],
            "forkProof": [(Type.FORK_PROOF, data)],
            "text": [(Type.ROOMS, bytes(16) + b"\x01" + data)],
            "varint": [(Type.WANT, bytes(40) + data + varint(200))],
        }
        for frame_kind, body in bodies.get(decoder, []):
            frame = Frame(frame_kind, body)
            out.append(
                LinkForgery(f"{frame_kind.name}: {rest}", lambda a, k, t, f=frame: [f], Due.CLOSE)
            )
    return out


def plaintext_forgeries() -> dict[str, tuple[list[bytes], Due]]:
    """Whole plaintexts: frames and fragments that must not be taken."""
    out: dict[str, tuple[list[bytes], Due]] = {}
    for name, data in vectors().items():
        if name.startswith(("refuse.frame.", "refuse.fragment.")) and len(data) <= 16_384:
            out[name.removeprefix("refuse.")] = ([data], Due.CLOSE)
    ping = frames.ping(1, 1).packed()
    part, rest = (frame.packed() for frame in frames.fragments(Frame(0x5E, bytes(20_000))))
    out["fragment: a frame of its channel between"] = (
        [part, frames.digest(bytes(32), bytes(32), bytes(32)).packed()],
        Due.CLOSE,
    )
    out["fragment: a ping between"] = ([part, ping, rest], Due.STAY)
    announced = varint(Type.SYNC_RUN) + varint(400_000)
    out["fragment: a frame over 300,000 bytes"] = (
        [Frame(Type.SYNC_FRAGMENT, b"\x00" + announced.ljust(16_380, b"\x00")).packed()] * 20,
        Due.CLOSE,
    )
    # What comes behind a refused frame must not cost us the goaway.
    out["a refused frame, and a lot behind it"] = (
        [Frame(0x5F, b"").packed()] + [Frame(0x5E, bytes(16_000)).packed()] * 12,
        Due.CLOSE,
    )
    for kind in (0x3E, 0x5E):
        parts = frames.fragments(Frame(kind, bytes(20_000)))
        out[f"fragment: unknown even type {kind:x}"] = (
            [part.packed() for part in parts],
            Due.STAY,
        )
    for kind, what in ((Type.LIVE_RUN, "another channel"), (Type.SYNC_FRAGMENT, "a fragment")):
        whole = Frame(kind, bytes(20_000)).packed()
        out[f"fragment: of {what}"] = (
            [
                Frame(Type.SYNC_FRAGMENT, b"\x00" + whole[:16_380]).packed(),
                Frame(Type.SYNC_FRAGMENT, b"\x01" + whole[16_380:]).packed(),
            ],
            Due.CLOSE,
        )
    out["two pings in a plaintext"] = ([ping + ping], Due.STAY)
    # On each channel; 0e, 64 and 84 are reserved for features that this peer has not told.
    for kind in (0x08, 0x10, 0x12, 0x1E, 0x24, 0x3E, 0x5E, 0x66, 0x7E, 0x86, 0x9E):
        out[f"unknown even type {kind:x}"] = ([Frame(kind, b"skip me").packed()], Due.STAY)
    for kind in (0x09, 0x1F, 0x23, 0x3F, 0x4F, 0x5F, 0x61, 0x7F, 0x81, 0x9F):
        out[f"unknown odd type {kind:x}"] = ([Frame(kind, b"refuse").packed()], Due.CLOSE)
    for kind in (0x00, 0x20, 0x40, 0x60, 0x80, 0xA0, 0xA2, 0xA3, 0x4000, 2**64 - 1):
        out[f"type {kind:x} of no channel"] = ([Frame(kind, b"refuse").packed()], Due.CLOSE)
    for kind, length, due in ((0x1E, 4_093, Due.STAY), (0x9E, 1_468, Due.STAY)):
        out[f"type {kind:x}: as long as it may be"] = ([Frame(kind, bytes(length)).packed()], due)
        longer = Frame(kind, bytes(length + 1)).packed()
        out[f"type {kind:x}: a byte longer"] = ([longer], Due.CLOSE)
    out["credit: over what was spent"] = ([frames.credit(1, 327_681).packed()], Due.CLOSE)
    out["credit: of the blob channel, over what was spent"] = (
        [frames.credit(3, 1).packed()],
        Due.CLOSE,
    )
    out["credit: 2^64 - 1"] = ([frames.credit(2, 2**64 - 1).packed()], Due.CLOSE)
    out["ping: a clock far ahead"] = ([frames.ping(1, 2**64 - 1).packed()], Due.STAY)
    out["roomsLeft: of no room"] = ([frames.rooms_left([bytes(32)]).packed()], Due.STAY)
    return out


def record_forgeries() -> list[LinkForgery]:
    one = LinkForgery

    def sent(record: Record) -> list[Frame]:
        return [frames.records([record.packed()])]

    def good(author: Author, ahead: int = 0) -> Record:
        hlc = hybrid_time(wall_milliseconds() + ahead)
        return profile(author.identity, "forged", "", hlc)

    def changed(**parts: object) -> Callable[..., list[Frame]]:
        return lambda author, known, at: sent(replace(good(author), **parts))  # type: ignore[arg-type]

    def valued(value: bytes, kind: int = PROFILE) -> Callable[..., list[Frame]]:
        def make(author: Author, known: bytes, at: int) -> list[Frame]:
            hlc = hybrid_time(wall_milliseconds())
            record = Record(kind, author.identity.public, None, hlc, value)
            return sent(record.signed(author.identity))

        return make

    def scoped(author: Author, known: bytes, at: int) -> list[Frame]:
        hlc = hybrid_time(wall_milliseconds())
        value = profile_value("forged", "")
        record = Record(PROFILE, author.identity.public, author.log.conversation, hlc, value)
        return sent(record.signed(author.identity))

    def kinds(author: Author, known: bytes, at: int) -> list[Frame]:
        made = [valued(b"x", kind)(author, known, at)[0].body for kind in range(10, 256)]
        packed = [body[1:] for body in made]
        return [
            Frame(Type.RECORDS, varint(len(part)) + b"".join(part))
            for part in (packed[index : index + 60] for index in range(0, len(packed), 60))
        ]

    def by_nobody(author: Author, known: bytes, at: int) -> list[Frame]:
        nobody = Identity.from_seed(secrets.token_bytes(32))
        record = profile(nobody, "forged", "", hybrid_time(wall_milliseconds()))
        return sent(replace(record, hlc=record.hlc + 1))

    other = Identity.from_seed(b"\x45" * 32).public
    return [
        one("record: kind", changed(kind=2), Due.CLOSE),
        one("record: author", changed(author=other), Due.CLOSE),
        one("record: scope", changed(conversation=bytes(32)), Due.CLOSE),
        one("record: hlc", changed(hlc=5), Due.CLOSE),
        one("record: value", changed(value=profile_value("Eve", "")), Due.CLOSE),
        one("record: signature", changed(signature=bytes(64)), Due.CLOSE),
        one("record: unknown kind", valued(b"later", 9), Due.STAY),
        one("record: a value of 4,096 bytes", valued(bytes(4_096), 9), Due.STAY),
        one("record: kinds 10 to 255", kinds, Due.STAY),
        one("record: name over 64 characters", valued(fields({1: b"a" * 65})), Due.STAY),
        one("record: status over 256 bytes", valued(fields({4: b"a" * 257})), Due.STAY),
        one("record: a name that is not UTF-8", valued(fields({1: b"\xff"})), Due.STAY),
        one("record: an unknown odd field", valued(fields({1: b"forged", 3: b""})), Due.STAY),
        one("record: a byte more", valued(fields({1: b"forged"}) + b"x"), Due.STAY),
        one("record: a profile with a scope", scoped, Due.STAY),
        one("record: of somebody unknown here, changed", by_nobody, Due.CLOSE),
        one("record: an hour ahead", lambda a, k, t: sent(good(a, 3_600_000)), Due.STAY),
    ]


def sync_forgeries(conversation: bytes) -> list[LinkForgery]:
    one = LinkForgery
    tag = secrets.token_bytes(8)

    def row(seq: int, state: int) -> Callable[..., list[Frame]]:
        head = secrets.token_bytes(8) if seq else None
        rows = [ClockRow(tag, seq, head, state)]
        return lambda a, k, t: [frames.delta(conversation, rows)]

    def proof(change: Callable[[ForkProof], ForkProof]) -> Callable[..., list[Frame]]:
        def make(author: Author, known: bytes, at: int) -> list[Frame]:
            pair = [author.run(author.text(words)) for words in ("forged 1", "forged 2")]
            return [frames.fork_proof(change(ForkProof.of(*pair)).packed())]

        return make

    def unsigned(which: str) -> Callable[[ForkProof], ForkProof]:
        def change(good: ForkProof) -> ForkProof:
            run = getattr(good, which)
            bad = replace(run, signature=flipped(run.signature, 7))
            return replace(good, **{which: bad})

        return change

    def other_bases(author: Author, known: bytes, at: int) -> list[Frame]:
        """Two runs that begin at the same seq of two branches prove a fork there, too."""
        runs = []
        for words in ("forged 1", "forged 2"):
            log = OwnLog(author.identity, author.log)
            log.append([author.text(words, hlc=1)])
            runs.append(log.append([author.text(words, hlc=2)]))
        return [frames.fork_proof(ForkProof.of(*runs).packed())]

    def large_proof(total: int) -> Callable[..., list[Frame]]:
        """`total` bytes of entries in one of its runs."""

        def make(author: Author, known: bytes, at: int) -> list[Frame]:
            deps = sorted(secrets.token_bytes(32) for _ in range(16))

            def entry(index: int, size: int) -> Entry:
                extra = varint(4) + varint(size) + bytes(size)
                return author.text("forged", hlc=at + index, deps=deps, extensions=extra)

            entries = [entry(index, 470).without_payload() for index in range(127)]
            left = total - sum(map(len, packed_entries(entries)))
            # Of the last entry 555 bytes are not the value of its extension.
            entries.append(entry(127, left - 555).without_payload())
            assert sum(map(len, packed_entries(entries))) == total
            pair = author.run(*entries), author.run(author.text("forged"))
            return [frames.fork_proof(ForkProof.of(*pair).packed())]

        return make

    def rows(count: int) -> Callable[..., list[Frame]]:
        items = [ClockRow(index.to_bytes(8, "big"), 0, None, 0) for index in range(count)]
        return lambda a, k, t: [frames.delta(conversation, items)]

    def pages(count: int) -> Callable[..., list[Frame]]:
        """Of the empty ones, and of one log each that nobody has."""
        items = {bucket: [ClockRow(tag, 0, None, 2)] for bucket in range(count)}
        return lambda a, k, t: [frames.clock(conversation, items)]

    def flagged(**parts: int) -> Callable[..., list[Frame]]:
        rows = [ClockRow(tag, 9, bytes(8), 2, **parts)]
        return lambda a, k, t: [frames.delta(conversation, rows)]

    def record_rows(count: int) -> Callable[..., list[Frame]]:
        items = [
            RecordRow(index.to_bytes(8, "big"), 0, 1, 0, bytes(8)) for index in range(count)
        ]
        return lambda a, k, t: [frames.record_clock(conversation, items)]

    def always(*given: Frame) -> Callable[..., list[Frame]]:
        return lambda a, k, t: list(given)

    def realms_of(count: int) -> Callable[..., list[Frame]]:
        return always(frames.realms(secrets.token_bytes(16) for _ in range(count)))

    def shares_of(count: int) -> Callable[..., list[Frame]]:
        return always(frames.shares(secrets.token_bytes(8) for _ in range(count)))

    nowhere = bytes(32)
    no_names = [text(name, 64) for name in ("", "-a", "A", "a b", "\u00c4")]
    return [
        one("delta: 8,192 rows", rows(8_192), Due.STAY),
        one("delta: 8,193 rows", rows(8_193), Due.CLOSE),
        one("clock: 256 pages", pages(256), Due.STAY),
        one("delta: all that a row may say", flagged(first=9, whole=8, shown=8), Due.STAY),
        one("delta: a whole of 0, and nothing shown", flagged(whole=0, shown=0), Due.STAY),
        one(
            "buckets: of no meaning",
            always(frames.buckets(conversation, [secrets.token_bytes(8)] * 256)),
            Due.STAY,
        ),
        one(
            "buckets: of a room that is not shared",
            always(frames.buckets(nowhere, [tag] * 256)),
            Due.STAY,
        ),
        one("recordClock: 8,192 rows", record_rows(8_192), Due.STAY),
        one("recordClock: 8,193 rows", record_rows(8_193), Due.CLOSE),
        one(
            "rooms: texts that are no names",
            always(Frame(Type.ROOMS, bytes(16) + varint(len(no_names)) + b"".join(no_names))),
            Due.STAY,
        ),
        one("rooms: under a tag of no realm", always(frames.rooms(tag + tag, ["nowhere"])), Due.STAY),
        one("realms: of none that is known", realms_of(8), Due.STAY),
        one("realms: 32 tags", realms_of(32), Due.STAY),
        one("shares: 4,096 tags", shares_of(4_096), Due.STAY),
        one("shares: 16 tags", shares_of(16), Due.STAY),
        one("forkProof: on two bases", other_bases, Due.STAY),
        one("forkProof: 131,072 bytes of entries", large_proof(131_072), Due.STAY),
        one("forkProof: 131,073 bytes of entries", large_proof(131_073), Due.CLOSE),
        one(
            "clock: of a room that is not shared",
            always(frames.clock(nowhere, {3: [ClockRow(tag, 7, tag, 0)]})),
            Due.STAY,
        ),
        one(
            "recordClock: of a room that is not shared",
            always(frames.record_clock(nowhere, [])),
            Due.STAY,
        ),
        one(
            "unavailable: of what was not asked for",
            always(frames.unavailable(nowhere, tag, 1), frames.unavailable(conversation, tag, 1)),
            Due.STAY,
        ),
        one("clock: a row for what nobody has", row(7, 0), Due.STAY),
        one("clock: a row of 2^63 - 1", row(2**63 - 1, 0), Due.STAY),
        # The pages give a seq 64 bits; an implementation may count in one less.
        one("clock: a row of 2^64 - 1", row(2**64 - 1, 0), Due.HIDE),
        one("clock: forked before its first", row(0, 1), Due.STAY),
        one("clock: refused", row(3, 2), Due.STAY),
        one("forkProof: lower signature", proof(unsigned("lower")), Due.CLOSE),
        one("forkProof: upper signature", proof(unsigned("upper")), Due.CLOSE),
        one("forkProof: good", proof(lambda good: good), Due.STAY),
        one(
            "digest: of a room that is not shared",
            always(frames.digest(nowhere, bytes(32), bytes(32))),
            Due.STAY,
        ),
    ]
