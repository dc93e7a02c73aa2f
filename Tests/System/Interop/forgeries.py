"""Every part of what a peer sends, changed once, and what the pages say must follow."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import Callable, Sequence

import frames
from codec import extensions, text, varint
from entries import (
    Entry,
    EntryKind,
    ForkProof,
    LogName,
    OwnLog,
    Run,
    hybrid_time,
    payload,
)
from forgeries_handshake import UNIT_POINT, Due, flipped, high_s
from frames import ClockRow, Frame, RecordRow, Type
from primitives import Identity
from records import PROFILE, Record, profile
from replica import wall_milliseconds
from vectors import vectors


@dataclass(frozen=True)
class Author:
    """A forger's own identity and log."""

    identity: Identity
    log: LogName

    @staticmethod
    def new(identity: Identity, conversation: bytes) -> "Author":
        return Author(identity, LogName(conversation, identity.public, secrets.randbits(64)))

    def text(self, words: str, hlc: int | None = None, **rest: object) -> Entry:
        at = hybrid_time(wall_milliseconds()) if hlc is None else hlc
        data = payload(words.encode(), secrets.token_bytes(16))
        return Entry.new(EntryKind.TEXT, at, data, **rest)  # type: ignore[arg-type]

    def run(self, *entries: Entry) -> Run:
        return Run.signed(self.identity, self.log, 1, None, entries)


@dataclass(frozen=True)
class LinkForgery:
    """`frames(author, known id, its hlc)`: what to send, in order."""

    name: str
    frames: Callable[[Author, bytes, int], list[Frame]]
    due: Due


def packed_entries(entries: Sequence[Entry]) -> list[bytes]:
    """Each entry as it stands in a run of these."""
    before: list[int | None] = [None, *(entry.hlc for entry in entries)]
    return [entry.packed(hlc) for entry, hlc in zip(entries, before)]


def live(run: Run) -> list[Frame]:
    return [frames.live_run(run.packed())]


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
            "text": [(Type.ROOMS, b"\x01" + data)],
            "varint": [(Type.WANT, bytes(40) + data + varint(200))],
        }
        for frame_kind, body in bodies[decoder]:
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
    part, rest = (frame.packed() for frame in frames.fragments(Frame(0x2A, bytes(20_000))))
    out["fragment: a frame of its channel between"] = (
        [part, frames.digest(bytes(32), bytes(32)).packed()],
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
        [Frame(0x7F, b"").packed()] + [Frame(0x7E, bytes(16_000)).packed()] * 12,
        Due.CLOSE,
    )
    for kind in (0x12, 0x7E):
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
    for kind in (0x00, 0x08, 0x12, 0x2A, 0x7E, 0x4000):
        out[f"unknown even type {kind:x}"] = ([Frame(kind, b"skip me").packed()], Due.STAY)
    for kind in (0x07, 0x13, 0x29, 0x7F, 0x4001):
        out[f"unknown odd type {kind:x}"] = ([Frame(kind, b"refuse").packed()], Due.CLOSE)
    out["credit: over what was spent"] = ([frames.credit(1, 327_681).packed()], Due.CLOSE)
    out["credit: 2^64 - 1"] = ([frames.credit(2, 2**64 - 1).packed()], Due.CLOSE)
    out["ping: a clock far ahead"] = ([frames.ping(1, 2**64 - 1).packed()], Due.STAY)
    out["roomsLeft: of no room"] = ([frames.rooms_left([bytes(32)]).packed()], Due.STAY)
    return out


def run_forgeries() -> list[LinkForgery]:
    one = LinkForgery

    def changed(**parts: object) -> Callable[[Author, bytes, int], list[Frame]]:
        """A signed run whose only entry is changed after the signature."""

        def make(author: Author, known: bytes, at: int) -> list[Frame]:
            run = author.run(author.text("forged"))
            entry = replace(run.entries[0], **parts)  # type: ignore[arg-type]
            return live(replace(run, entries=(entry,)))

        return make

    def renamed(**parts: object) -> Callable[[Author, bytes, int], list[Frame]]:
        def make(author: Author, known: bytes, at: int) -> list[Frame]:
            run = author.run(author.text("forged"))
            return live(replace(run, log=replace(run.log, **parts)))  # type: ignore[arg-type]

        return make

    def with_payload(data: bytes, kind: int = EntryKind.TEXT) -> Callable[..., list[Frame]]:
        def make(author: Author, known: bytes, at: int) -> list[Frame]:
            hlc = hybrid_time(wall_milliseconds())
            return live(author.run(Entry.new(kind, hlc, data)))

        return make

    def other_payload(author: Author, known: bytes, at: int) -> list[Frame]:
        run = author.run(author.text("forged"))
        entry = author.text("forgeD", hlc=run.entries[0].hlc)
        return live(replace(run, entries=(entry,)))

    def signature(change: Callable[[bytes], bytes]) -> Callable[..., list[Frame]]:
        def make(author: Author, known: bytes, at: int) -> list[Frame]:
            run = author.run(author.text("forged"))
            return live(replace(run, signature=change(run.signature)))

        return make

    def elsewhere(author: Author, known: bytes, at: int) -> list[Frame]:
        log = replace(author.log, conversation=secrets.token_bytes(32))
        return live(Author(author.identity, log).run(author.text("forged")))

    def own(author: Author) -> OwnLog:
        return OwnLog(author.identity, author.log)

    def above(author: Author, known: bytes, at: int) -> list[Frame]:
        log = own(author)
        log.append([author.text("forged: never sent")])
        return live(log.append([author.text("forged", hlc=log.hlc + 1)]))

    def hlc_stands(author: Author, known: bytes, at: int) -> list[Frame]:
        log = own(author)
        first = log.append([author.text("genuine: before an hlc that stands")])
        return live(first) + live(log.append([author.text("forged", hlc=log.hlc)]))

    def prev_changed(author: Author, known: bytes, at: int) -> list[Frame]:
        log = own(author)
        first = log.append([author.text("genuine: before a changed prev")])
        second = log.append([author.text("forged", hlc=log.hlc + 1)])
        assert second.prev is not None
        return live(first) + live(replace(second, prev=flipped(second.prev, 0)))

    def attested_below(author: Author, known: bytes, at: int) -> list[Frame]:
        log = own(author)
        first = log.append([author.text("genuine: below the attestation")])
        second = log.append([author.text("forged", hlc=log.hlc + 1)])
        return live(replace(first, entries=first.entries + second.entries))

    def ahead(author: Author, known: bytes, at: int) -> list[Frame]:
        hlc = hybrid_time(wall_milliseconds() + 3_600_000)
        return live(author.run(author.text("forged: an hour ahead", hlc=hlc)))

    def before_its_dep(author: Author, known: bytes, at: int) -> list[Frame]:
        return live(author.run(author.text("genuine: before its dep", hlc=at, deps=[known])))

    def after_its_dep(author: Author, known: bytes, at: int) -> list[Frame]:
        hlc = max(hybrid_time(wall_milliseconds()), at + 1)
        return live(author.run(author.text("genuine: after its dep", hlc=hlc, deps=[known])))

    def ancient(author: Author, known: bytes, at: int) -> list[Frame]:
        return live(author.run(author.text("genuine: an hlc of 1", hlc=1)))

    def dep_unknown(author: Author, known: bytes, at: int) -> list[Frame]:
        deps = [secrets.token_bytes(32)]
        return live(author.run(author.text("genuine: an unknown dep", deps=deps)))

    def extended(kind: int, words: str) -> Callable[..., list[Frame]]:
        def make(author: Author, known: bytes, at: int) -> list[Frame]:
            extra = extensions({kind: b"x"})
            return live(author.run(author.text(words, extensions=extra)))

        return make

    def follows_hidden(author: Author, known: bytes, at: int) -> list[Frame]:
        log = own(author)
        hidden = Entry.new(9, hybrid_time(wall_milliseconds()), payload(b"forged", bytes(16)))
        log.append([hidden])
        second = log.append([author.text("genuine: after a hidden one", hlc=log.hlc + 1)])
        return live(log.runs[0]) + live(second)

    def last_left_out(author: Author, known: bytes, at: int) -> list[Frame]:
        words = [author.text("forged", hlc=at + index) for index in (1, 2)]
        run = author.run(*words)
        return live(replace(run, entries=(words[0], words[1].without_payload())))

    def below(author: Author, known: bytes, at: int) -> list[Frame]:
        log = own(author)
        first = log.append([author.text("genuine: first")])
        second = log.append([author.text("genuine: second", hlc=log.hlc + 1)])
        forged = replace(first, signature=bytes(64))
        return live(first) + live(second) + live(forged)

    def again(author: Author, known: bytes, at: int) -> list[Frame]:
        return live(author.run(author.text("genuine: three times"))) * 3

    def overlapping(author: Author, known: bytes, at: int) -> list[Frame]:
        first = author.run(author.text("genuine: the known part"))
        hlc = first.entries[0].hlc + 1
        second = author.text("genuine: overlaps with what is known", hlc=hlc)
        return live(first) + live(author.run(first.entries[0], second))

    def sized(total: int, words: str) -> Callable[..., list[Frame]]:
        def make(author: Author, known: bytes, at: int) -> list[Frame]:
            now = hybrid_time(wall_milliseconds())
            entries = [author.text(words.ljust(1_000, "."), hlc=now)]
            entries += [author.text(words + " " + "." * 65_000, hlc=now + 1)]
            left = total - sum(map(len, packed_entries(entries)))
            # Of the last entry 25 bytes are not its content.
            entries += [author.text(words.ljust(left - 25, "."), hlc=now + 2)]
            assert sum(map(len, packed_entries(entries))) == total
            return live(author.run(*entries))

        return make

    def many(author: Author, known: bytes, at: int) -> list[Frame]:
        now = hybrid_time(wall_milliseconds())
        words = "genuine: one of 128"
        return live(author.run(*(author.text(words, hlc=now + index) for index in range(128))))

    def longest(author: Author, known: bytes, at: int) -> list[Frame]:
        return live(author.run(author.text("genuine: long ".ljust(65_519, "."))))

    return [
        one("run: conversation, not joined", elsewhere, Due.STAY),
        one("run: conversation, changed", renamed(conversation=bytes(32)), Due.STAY),
        one(
            "run: author, changed",
            renamed(author=Identity.from_seed(b"\x44" * 32).public),
            Due.CLOSE,
        ),
        one("run: author of small order", renamed(author=UNIT_POINT), Due.CLOSE),
        one("run: incarnation", renamed(incarnation=5), Due.CLOSE),
        one("run: first above the head", above, Due.STAY),
        one("run: prev", prev_changed, Due.CLOSE),
        one("run: signature, R", signature(lambda s: flipped(s, 0)), Due.CLOSE),
        one("run: signature, S", signature(lambda s: flipped(s, 40)), Due.CLOSE),
        one("run: signature, S not reduced", signature(high_s), Due.CLOSE),
        one("run: signature of zeros", signature(lambda s: bytes(64)), Due.CLOSE),
        one("run: attestation of an entry below", attested_below, Due.CLOSE),
        one("run: hlc that does not grow", hlc_stands, Due.CLOSE),
        one("entry: kind", changed(kind=3), Due.CLOSE),
        one("entry: time", changed(hlc=77 << 16), Due.CLOSE),
        one("entry: dep added", changed(deps=(bytes(32),)), Due.CLOSE),
        one("entry: epoch added", changed(epoch=b"\x01" * 32), Due.CLOSE),
        one("entry: extension added", changed(extensions=extensions({2: b""})), Due.CLOSE),
        one("entry: payload", other_payload, Due.CLOSE),
        one("entry: payload hash", changed(payload=None, payload_hash=bytes(32)), Due.CLOSE),
        one("entry: payload length", changed(payload=None, payload_length=5), Due.CLOSE),
        one("entry: payload left out", changed(payload=None), Due.CLOSE),
        one("run: the last payload left out", last_left_out, Due.CLOSE),
        one("run: again, changed, below the own head", below, Due.STAY),
        one("run: again", again, Due.STAY),
        one("run: overlaps with what is known", overlapping, Due.SHOW),
        one("run: 131,072 bytes of entries", sized(131_072, "genuine: a full run"), Due.SHOW),
        one("run: 131,073 bytes of entries", sized(131_073, "forged"), Due.CLOSE),
        one("run: 128 entries", many, Due.SHOW),
        one("entry: a text of 65,519 bytes", longest, Due.SHOW),
        one("entry: unknown kind", with_payload(payload(b"forged", bytes(16)), 9), Due.STAY),
        one("entry: kind 0", with_payload(payload(b"forged", bytes(16)), 0), Due.STAY),
        one("entry: unknown suite", with_payload(b"\x01" + bytes(16) + b"forged"), Due.STAY),
        one("entry: payload of no byte", with_payload(b""), Due.STAY),
        one("entry: payload without salt", with_payload(b"\x00forged"), Due.STAY),
        one("entry: empty text", with_payload(payload(b"", bytes(16))), Due.STAY),
        one(
            "entry: text not UTF-8",
            with_payload(payload(b"forged\xff", bytes(16))),
            Due.STAY,
        ),
        one("entry: unknown odd extension", extended(3, "forged: extension 3"), Due.STAY),
        one("entry: unknown even extension", extended(4, "genuine: extension 4"), Due.SHOW),
        one("entry: an hour ahead", ahead, Due.STAY),
        one("entry: not after its dep", before_its_dep, Due.SHOW),
        one("entry: after its dep", after_its_dep, Due.SHOW),
        one("entry: unknown dep", dep_unknown, Due.SHOW),
        one("entry: an hlc of 1", ancient, Due.SHOW),
        one("entry: after one of unknown kind", follows_hidden, Due.SHOW),
    ]


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
        value = text("forged", 64) + b"\x00"
        record = Record(PROFILE, author.identity.public, author.log.conversation, hlc, value)
        return sent(record.signed(author.identity))

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
        one("record: value", changed(value=text("Eve", 64) + b"\x00"), Due.CLOSE),
        one("record: signature", changed(signature=bytes(64)), Due.CLOSE),
        one("record: unknown kind", valued(b"later", 9), Due.STAY),
        one("record: name over 64 bytes", valued(varint(65) + b"a" * 65 + b"\x00"), Due.STAY),
        one("record: a byte more", valued(text("forged", 64) + b"\x00x"), Due.STAY),
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
        return lambda a, k, t: [frames.clock(conversation, False, rows)]

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

            entries = [entry(index, 500).without_payload() for index in range(127)]
            left = total - sum(map(len, packed_entries(entries)))
            # Of the last entry 555 bytes are not the value of its extension.
            entries.append(entry(127, left - 555).without_payload())
            assert sum(map(len, packed_entries(entries))) == total
            pair = author.run(*entries), author.run(author.text("forged"))
            return [frames.fork_proof(ForkProof.of(*pair).packed())]

        return make

    def rows(count: int) -> Callable[..., list[Frame]]:
        items = [ClockRow(index.to_bytes(8, "big"), 0, None, 0) for index in range(count)]
        return lambda a, k, t: [frames.clock(conversation, False, items)]

    def record_rows(count: int) -> Callable[..., list[Frame]]:
        items = [RecordRow(index.to_bytes(8, "big"), 1, 0) for index in range(count)]
        return lambda a, k, t: [frames.record_clock(conversation, items)]

    def always(*given: Frame) -> Callable[..., list[Frame]]:
        return lambda a, k, t: list(given)

    nowhere = bytes(32)
    no_names = [text(name, 64) for name in ("", "-a", "A", "a b", "\u00c4")]
    return [
        one("clock: 8,192 rows", rows(8_192), Due.STAY),
        one("clock: 8,193 rows", rows(8_193), Due.CLOSE),
        one("recordClock: 8,192 rows", record_rows(8_192), Due.STAY),
        one("recordClock: 8,193 rows", record_rows(8_193), Due.CLOSE),
        one(
            "rooms: texts that are no names",
            always(Frame(Type.ROOMS, varint(len(no_names)) + b"".join(no_names))),
            Due.STAY,
        ),
        one("forkProof: on two bases", other_bases, Due.STAY),
        one("forkProof: 135,168 bytes of entries", large_proof(135_168), Due.STAY),
        one("forkProof: 135,169 bytes of entries", large_proof(135_169), Due.CLOSE),
        one(
            "clock: of a room that is not shared",
            always(frames.clock(nowhere, True, [ClockRow(tag, 7, tag, 0)])),
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
            always(frames.digest(nowhere, bytes(32))),
            Due.STAY,
        ),
    ]
